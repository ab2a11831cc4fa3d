// Where in its buffer an element lies, through all views, and how that changes with a variable.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Storage.h"
#include "tangram/pass/Pass.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace tangram::staging {

/// base + slope * variable, in u64 arithmetic; neither mentions the variable.
struct Affine {
  const ast::Expr *base = nullptr, *slope = nullptr;
};

/// Nothing where the integer expression is no such sum, or may wrap around in a narrower type.
std::optional<Affine> affine(ast::Arena &arena, const ast::Expr *e, const std::string &variable);

class Addresses {
public:
  Addresses(PassContext &context, const ast::Kernel &kernel, const ast::Launch &launch);

  const ast::Storage &storage() const { return storage_; }
  const ast::KnownValues &known() const { return known_; }
  /// Index of the element, counted from the first one of the container of the kernel that it lies in; null where it
  /// lies elsewhere, or it is a whole row.
  const ast::Expr *flat(const ast::Subscript *place) const;
  /// Whether all workers of a unit have the same value: made of parameters, of the variables of loops that all of them
  /// go through, and of variables that keep a value made of these.
  bool uniform(const ast::Expr *e) const;
  /// Initialisers put in for variables until only `variable` and what is uniform is left; null where that can't be.
  const ast::Expr *over(const ast::Expr *e, const std::string &variable) const;
  /// Whether the launch accesses the buffer outside of this part of it too.
  bool touchedOutside(const std::string &buffer, const ast::Node *part) const;
  void enter(const std::string &loopVariable) {
    loops_.insert(loopVariable);
    uniform_.clear();
  }
  void leave(const std::string &loopVariable) {
    loops_.erase(loopVariable);
    uniform_.clear();
  }

private:
  ast::Arena &arena_;
  const ast::Storage &storage_;
  const ast::KnownValues &known_;
  std::map<std::string, const ast::View *> views_;
  std::map<std::string, unsigned> ranks_; // of container parameters
  std::set<std::string> parameters_, loops_;
  mutable std::map<std::string, bool> uniform_; // variables that have been asked for
  std::map<std::string, std::size_t> touched_;  // accesses of the launch
};

} // namespace tangram::staging
