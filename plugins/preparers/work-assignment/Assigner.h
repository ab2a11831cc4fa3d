// Decides who does what in a launch (docs/lowering.md, "On a GPU"): code of a unit is run by all its workers, which
// keep copies of its variables; what may be done only once is marked Single, and what it brings about goes to the
// others through memory.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

#include <utility>

namespace tangram::assignment {

using Stmts = std::vector<const ast::Stmt *>;

class Assigner {
public:
  Assigner(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel);
  const ast::Launch *launch(const ast::Launch *launch);

private:
  // Assigner.cpp: statements of a unit of `unit_`.
  Stmts block(const std::vector<const ast::Stmt *> &stmts);
  const ast::Block *block(const ast::Block *body);
  void stmt(const std::vector<const ast::Stmt *> &all, std::size_t &at, Stmts &out);
  void distributed(const ast::Loop *loop, Stmts &out);
  const ast::Stmt *around(const ast::Stmt *s);
  /// Whether units below the current one are told apart in it.
  bool spreads(const ast::Node *tree) const;
  std::size_t depth(const std::string &level) const;
  /// One worker at most runs code of that level.
  bool alone(const std::string &level) const { return depth(level) >= depth(levels_.worker->name); }
  void pure(const ast::Expr *condition) const;

  // Stores.cpp: statements that write, and nothing below is told apart in them.
  void store(const std::vector<const ast::Stmt *> &all, std::size_t at, Stmts &out);
  bool whole(const std::vector<const ast::Stmt *> &all, std::size_t at, Stmts &out);
  void leaf(const ast::Expr *e, Stmts &out);
  class Extract;
  /// The value, computed once by the first worker, in a variable that all have.
  const ast::Expr *broadcast(const ast::Expr *value, Stmts &out);

  // Cooperative.cpp
  void cooperate(const ast::Cooperate *node, Stmts &out);
  Stmts settle(const ast::Cooperate *node, const std::string &variable, const ast::Type &type, Stmts body,
               Stmts &before, Stmts &after);

  const ast::Stmt *single(const std::string &to, Stmts body) const;
  const ast::Expr *cell(const std::string &hint, const ast::Type &type, Stmts &out);
  ast::Build b() const { return ast::Build(arena_, here_); }
  template <class F> auto at(const std::string &unit, F &&inside) {
    std::string outer = std::exchange(unit_, unit);
    auto result = inside();
    unit_ = outer;
    return result;
  }

  PassContext &context_;
  ast::Arena &arena_;
  hardware::LaunchLevels levels_; // of the launch at hand
  const ast::Storage &storage_;
  ast::Names names_;
  std::map<std::string, ast::Type> types_; // of scalars
  std::string unit_;
  ast::SourceRange here_;
};

} // namespace tangram::assignment
