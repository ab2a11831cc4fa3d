// Statements as basic blocks.
#pragma once

#include "Expressions.h"

#include "tangram/c-family/Constants.h"

#include <set>

namespace tangram::ptx {

class Statements {
public:
  /// `constants`: what is known of the kernel around; null in a function. `assigned`: variables of a launch that it
  /// changes.
  Statements(Scope &scope, const c_family::Constants *constants, std::set<std::string> assigned = {})
      : s_(scope), b_(scope.build), e_(scope), constants_(constants), assigned_(std::move(assigned)) {}

  void block(const ast::Block &block);

private:
  /// Where `break` and `continue` lead.
  struct Exits {
    llvm::BasicBlock *leave = nullptr, *next = nullptr;
  };

  void stmt(const ast::Stmt *s);
  void declare(const ast::Declare &d);
  void alloc(const ast::Alloc &a);
  void conditional(const ast::If &node);
  void choose(const ast::Switch &node);
  void counted(const ast::Loop &loop);
  /// How often a loop's body is to be written out: so many times, as LLVM sees fit, or wholly.
  static constexpr unsigned kNoCopies = 0, kAllCopies = ~0u;
  unsigned copies(const ast::For &loop) const;
  /// A loop around `body`: `cond` before each round (but the first, where `bodyFirst`), `step` behind it.
  void loop(const std::function<llvm::Value *()> &cond, const ast::Block &body, const std::function<void()> &step,
            bool bodyFirst, unsigned copies);
  /// An array of the worker's own.
  void local(const std::string &name, const ast::Type &element, const std::vector<std::uint64_t> &extents,
             const ast::InitList *init);
  std::vector<std::uint64_t> extents(const std::vector<const ast::Expr *> &written, const std::string &name,
                                     const ast::SourceRange &range) const;

  Scope &s_;
  llvm::IRBuilder<> &b_;
  Expressions e_;
  const c_family::Constants *constants_;
  std::vector<Exits> exits_;
  std::set<std::string> assigned_;
  std::set<std::string> arrays_; // a worker's own
};

} // namespace tangram::ptx
