// A loop in parts of neighbouring iterations, for expanders that give each part containers of its own.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Range.h"

namespace tangram::divide {

/// for (name = from; name < to; ++name) body; `name` is a variable.
const ast::Stmt *counted(const ast::Build &build, const ast::Expr *name, const ast::Expr *from, const ast::Expr *to,
                         std::vector<const ast::Stmt *> body);

/// Loops over all elements of a container of these extents, which `each` gets the indices of.
template <class F>
const ast::Stmt *overElements(const ast::Build &build, ast::Names &names, const std::vector<const ast::Expr *> &extents,
                              F &&each) {
  std::vector<const ast::Expr *> at;
  for (std::size_t d = 0; d < extents.size(); ++d) at.push_back(build.var(names.fresh("at"), ast::Scalar::U64));
  std::vector<const ast::Stmt *> body = each(at);
  for (std::size_t d = at.size(); d-- > 0;) body = {counted(build, at[d], build.u64(0), extents[d], std::move(body))};
  return body[0];
}

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
