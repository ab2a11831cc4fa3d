// Where a node holds expressions, to put others there.
#pragma once

#include "tangram/ast/Node.h"

#include <string_view>
#include <type_traits>
#include <vector>

namespace tangram::ast {

namespace detail {
struct ExpressionSlots {
  std::vector<const Expr **> all;
  template <class T> void attr(std::string_view, T &) {}
  template <class T> void child(std::string_view, const T *&node) {
    if constexpr (std::is_same_v<T, Expr>)
      if (node) all.push_back(&node);
  }
  template <class T> void opt(std::string_view field, const T *&node) { child(field, node); }
  template <class T> void list(std::string_view field, std::vector<const T *> &nodes) {
    for (const T *&node : nodes) child(field, node);
  }
};
} // namespace detail

/// The places of a node that hold expressions, in the order of Nodes.def, absent ones left out.
template <class T> std::vector<const Expr **> expressionSlots(T &node) {
  detail::ExpressionSlots slots;
  forEachField(node, slots);
  return std::move(slots.all);
}

} // namespace tangram::ast
