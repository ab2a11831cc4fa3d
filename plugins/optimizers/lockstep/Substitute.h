// Expressions put for variables; what folds then is folded.
#pragma once

#include "tangram/ast/Node.h"

#include <functional>

namespace tangram::lockstep {

/// `replace` gets each reference and returns what stands for it.
const ast::Node *substitutedNode(ast::Arena &arena, const ast::Node *tree,
                                 const std::function<const ast::Expr *(const ast::VarRef *)> &replace);

template <class T>
const T *substituted(ast::Arena &arena, const T *tree,
                     const std::function<const ast::Expr *(const ast::VarRef *)> &replace) {
  return ast::as<T>(substitutedNode(arena, tree, replace));
}

} // namespace tangram::lockstep
