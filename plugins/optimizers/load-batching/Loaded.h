// Puts variables that have what was loaded in place of the loads.
#pragma once

#include "tangram/ast/Mutator.h"

#include <map>
#include <string>

namespace tangram::batching {

/// An operation on a place, in the place's own type, that may be written as an assignment.
bool updates(const ast::Assign *assign);

class WithLoaded final : public ast::Mutator {
public:
  /// `loaded`: the variable of each load, by its node. The target of an update is one, too.
  WithLoaded(ast::Arena &arena, std::map<const ast::Expr *, std::string> loaded)
      : Mutator(arena), loaded_(std::move(loaded)) {}

private:
  const ast::Expr *variable(const ast::Expr *e);
  const ast::Node *mutateSubscript(const ast::Subscript *e) override;
  const ast::Node *mutateVectorLoad(const ast::VectorLoad *e) override;
  const ast::Node *mutateAssign(const ast::Assign *e) override;

  std::map<const ast::Expr *, std::string> loaded_;
};

} // namespace tangram::batching
