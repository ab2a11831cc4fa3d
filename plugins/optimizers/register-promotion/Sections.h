// Parts of containers that every turn of a serial loop reads again.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Storage.h"
#include "tangram/loops/Counted.h"

#include <vector>

namespace tangram::promotion {

/// A loop inside the serial one whose turns are known.
struct Inner {
  std::string variable;
  ast::Type type;
  ast::Int begin = 0, turns = 1;
};

/// All that one read touches: an element for each combination of turns of the loops that its indices mention.
struct Section {
  const ast::Subscript *read = nullptr;
  std::vector<Inner> loops; // outermost first
  std::uint64_t elements = 1;
};

class Sections {
public:
  Sections(ast::Arena &arena, const ast::Storage &storage, const ast::KnownValues &known)
      : arena_(arena), storage_(storage), known_(known) {}

  /// What each turn of the loop reads, whatever it decides, of containers that the loop does not write; each section
  /// once. Sections of more than `most` elements are left out.
  std::vector<Section> of(const loops::Counted &loop, std::uint64_t most);
  /// Constants of the kernel that lengths of loops rest on.
  const std::set<std::string> &frozen() const { return frozen_; }

private:
  void statement(const ast::Stmt *s);
  void reads(const ast::Expr *e);
  void found(const ast::Subscript &read);
  bool stays(const ast::Expr *index) const;

  ast::Arena &arena_;
  const ast::Storage &storage_;
  const ast::KnownValues &known_;
  std::set<std::string> frozen_;
  // Of the loop that is looked at.
  std::uint64_t most_ = 0;
  std::set<std::string> changed_, written_;
  std::vector<Inner> around_;
  std::vector<Section> sections_;
};

} // namespace tangram::promotion
