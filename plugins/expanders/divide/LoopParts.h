// A loop in parts of neighbouring iterations, for expanders that give each part containers of its own.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Range.h"

namespace tangram::divide {

/// for (name = from; name < to; ++name) body; `name` is a variable.
const ast::Stmt *counted(const ast::Build &build, const ast::Expr *name, const ast::Expr *from, const ast::Expr *to,
                         std::vector<const ast::Stmt *> body);

class LoopParts {
public:
  /// `most`: so many parts at most; null: as many as `parts` says, a tunable of these values, of any where there are
  /// none.
  LoopParts(const nest::LoopRange &range, bool downwards, ast::Ints values, const ast::Expr *most, ast::Names &names,
            ast::Arena &arena);

  /// What stands in front of loops over the parts.
  const std::vector<const ast::Stmt *> &declarations() const { return declarations_; }
  /// How many there are.
  const ast::Expr *count() const { return many_; }
  /// for (part < count()) { before; for (iterations of the part) body }
  const ast::Stmt *loop(const ast::Expr *part, std::vector<const ast::Stmt *> before,
                        const std::vector<const ast::Stmt *> &body);

private:
  const ast::Expr *value(std::vector<const ast::Stmt *> &to, const char *name, const ast::Expr *init);

  const nest::LoopRange &range_;
  bool downwards_;
  ast::Names &names_;
  ast::Arena &arena_;
  ast::Build build_;
  std::vector<const ast::Stmt *> declarations_;
  const ast::Expr *many_ = nullptr, *turns_ = nullptr, *chunk_ = nullptr;
};

} // namespace tangram::divide
