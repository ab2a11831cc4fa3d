// walk(node, f...): pre-order traversal with lambdas, each called for the nodes of its parameter's class:
//   walk(module, [&](const Map &map) { ...; return WalkResult::Skip; });
// A lambda may return void (advance) or WalkResult.
#pragma once

#include "tangram/ast/Node.h"

#include <functional>
#include <type_traits>

namespace tangram::ast {

enum class WalkResult : std::uint8_t { Advance, Skip, Stop };

/// Children of a node, in the order of Nodes.def, absent ones left out.
std::vector<const Node *> children(const Node &node);

namespace detail {
template <class F> struct LambdaArg : LambdaArg<decltype(&F::operator())> {};
template <class C, class R, class A> struct LambdaArg<R (C::*)(const A &) const> {
  using type = A;
};
template <class C, class R, class A> struct LambdaArg<R (C::*)(const A &)> {
  using type = A;
};

template <class F> WalkResult callIfMatches(F &f, const Node &node) {
  using Class = typename LambdaArg<F>::type;
  static_assert(std::is_base_of_v<Node, Class>, "a walk lambda takes `const SomeNode &`");
  if (!isa<Class>(&node)) return WalkResult::Advance;
  if constexpr (std::is_void_v<decltype(f(static_cast<const Class &>(node)))>) {
    f(static_cast<const Class &>(node));
    return WalkResult::Advance;
  } else {
    return f(static_cast<const Class &>(node));
  }
}
/// A callable by reference: walks go through all nodes again and again, and allocate nothing.
struct Visit {
  WalkResult (*call)(void *, const Node &);
  void *f;
  WalkResult operator()(const Node &node) const { return call(f, node); }
};
bool walkNode(const Node &node, Visit visit);
} // namespace detail

/// False where a lambda returned Stop.
template <class... F> bool walk(const Node *root, F &&...f) {
  if (!root) return true;
  auto all = [&](const Node &node) {
    WalkResult result = WalkResult::Advance;
    ((result == WalkResult::Advance ? void(result = detail::callIfMatches(f, node)) : void()), ...);
    return result;
  };
  return detail::walkNode(
      *root, {[](void *called, const Node &node) { return (*static_cast<decltype(all) *>(called))(node); }, &all});
}

/// True where some node of the tree is a T that satisfies `test`.
template <class T, class Test> bool any(const Node *root, Test &&test) {
  return !walk(root, [&](const T &node) { return test(node) ? WalkResult::Stop : WalkResult::Advance; });
}
template <class T> bool contains(const Node *root) {
  return any<T>(root, [](const T &) { return true; });
}

/// Whether a variable of that name stands in the tree.
bool mentions(const Node *tree, const std::string &name);

/// Nodes of the tree: how much copying it costs.
std::size_t nodeCount(const Node *root);

} // namespace tangram::ast
