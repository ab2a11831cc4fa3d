// Expressions put for variables; what folds then is folded.
#pragma once

#include "tangram/ast/Node.h"

#include <functional>

namespace tangram::ast {

using ReplaceVariable = std::function<const Expr *(const VarRef *)>;
using ReplaceElement = std::function<const Expr *(const Subscript *)>; // null: leave it

/// `replace` gets each reference and returns what stands for it; `element`, where given, gets subscripts first.
const Node *substitutedNode(Arena &arena, const Node *tree, const ReplaceVariable &replace,
                            const ReplaceElement &element);

template <class T>
const T *substituted(Arena &arena, const T *tree, const ReplaceVariable &replace, const ReplaceElement &element = {}) {
  return as<T>(substitutedNode(arena, tree, replace, element));
}

} // namespace tangram::ast
