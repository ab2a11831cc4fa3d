// Node classes, expanded from Nodes.def. Nodes are immutable, owned by an Arena, and carry a source range.
// Kind tags, not RTTI: isa<T>, as<T> (checked), dyn<T> (may be null).
#pragma once

#include "tangram/ast/Attributes.h"

#include <cassert>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tangram::ast {

enum class Kind : std::uint8_t {
#define NODE(Name, Base) Name,
#include "tangram/ast/NodeMacros.h"
};

inline constexpr std::size_t kKinds = 0
#define NODE(Name, Base) +1
#include "tangram/ast/NodeMacros.h"
    ;

std::string_view name(Kind kind);

/// Where something was written. Lines and columns count from 1; line 0: nowhere.
struct SourceRange {
  const std::string *file = nullptr; // interned, never freed
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
  bool valid() const { return file && line; }
};

struct Node {
  explicit Node(Kind k) : kind_(k) {}
  virtual ~Node() = default;
  Kind kind() const { return kind_; }
  SourceRange range;

protected:
  Node(const Node &) = default;

private:
  Kind kind_;
};

struct Stmt : Node {
  using Node::Node;
};

struct Expr : Node {
  using Node::Node;
  Type type;
};

#define NODE(Name, Base) struct Name;
#include "tangram/ast/NodeMacros.h"

#define NODE(Name, Base)                                                                                               \
  struct Name final : Base {                                                                                           \
    static constexpr Kind kKind = Kind::Name;                                                                          \
    using BaseClass = Base;                                                                                            \
    Name() : Base(kKind) {}
#define ATTR(Type_, field) Type_ field{};
#define FLAG(field) Flag field = Flag::No;
#define CHILD(Class, field) const Class *field = nullptr;
#define OPT(Class, field) const Class *field = nullptr;
#define LIST(Class, field) std::vector<const Class *> field;
#define END(Name)                                                                                                      \
  }                                                                                                                    \
  ;
#include "tangram/ast/NodeMacros.h"

// ---- fields ------------------------------------------------------------------------------------------
// forEachField(node, f) calls f.attr(name, value), f.child(name, ptr&), f.opt(name, ptr&), f.list(name, vec&)
// in the order of Nodes.def. Works on const and mutable nodes.

#define NODE(Name, Base)                                                                                               \
  template <class N, class F>                                                                                          \
    requires std::is_same_v<std::remove_const_t<N>, Name>                                                              \
  void forEachField([[maybe_unused]] N &node, [[maybe_unused]] F &&f) {
#define ATTR(Type_, field) f.attr(#field, node.field);
#define FLAG(field) f.attr(#field, node.field);
#define CHILD(Class, field) f.child(#field, node.field);
#define OPT(Class, field) f.opt(#field, node.field);
#define LIST(Class, field) f.list(#field, node.field);
#define END(Name) }
#include "tangram/ast/NodeMacros.h"

namespace detail {
struct End {};
inline End end;
#define NODE(Name, Base)                                                                                               \
  inline auto tieFields(Name &node) {                                                                                  \
    (void)node;                                                                                                        \
    return std::tie(
#define ATTR(Type_, field) node.field,
#define CHILD(Class, field) node.field,
#define OPT(Class, field) node.field,
#define LIST(Class, field) node.field,
#define END(Name)                                                                                                      \
  end);                                                                                                                \
  }
#include "tangram/ast/NodeMacros.h"
} // namespace detail

// ---- kind tests --------------------------------------------------------------------------------------

bool isExprKind(Kind kind);
bool isStmtKind(Kind kind);

template <class T> bool isa(const Node *node) {
  if (!node) return false;
  if constexpr (std::is_same_v<T, Node>)
    return true;
  else if constexpr (std::is_same_v<T, Expr>)
    return isExprKind(node->kind());
  else if constexpr (std::is_same_v<T, Stmt>)
    return isStmtKind(node->kind());
  else
    return node->kind() == T::kKind;
}
template <class T> const T *dyn(const Node *node) { return isa<T>(node) ? static_cast<const T *>(node) : nullptr; }
template <class T> const T *as(const Node *node) {
  assert(isa<T>(node) && "AST node is of another kind");
  return static_cast<const T *>(node);
}

namespace detail {
/// A function of its own for each kind: a traversal that recurses would else hold the variables of all kinds at each
/// level of its tree.
template <class T, class F> [[gnu::noinline]] decltype(auto) callAs(const Node &node, F &f) {
  return f(static_cast<const T &>(node));
}
} // namespace detail

/// Calls f with the node as its own class: f(const Binary &).
template <class F> decltype(auto) dispatch(const Node &node, F &&f) {
  switch (node.kind()) {
#define NODE(Name, Base)                                                                                               \
  case Kind::Name: return detail::callAs<Name>(node, f);
#include "tangram/ast/NodeMacros.h"
  }
  __builtin_unreachable();
}

// ---- ownership ---------------------------------------------------------------------------------------

/// Owns nodes; one per parsed source, one per composed variant, dropped whole. Nodes may refer
/// to nodes of an arena that lives longer.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// make<If>(range, cond, then, otherwise): all fields, in the order of Nodes.def; expressions take their
  /// type first: make<Binary>(range, type, op, lhs, rhs).
  template <class T, class... Args> const T *make(SourceRange range, Args &&...args) {
    auto node = std::make_unique<T>();
    node->range = range;
    auto fields = detail::tieFields(*node);
    if constexpr (std::is_base_of_v<Expr, T>) {
      static_assert(sizeof...(Args) == std::tuple_size_v<decltype(fields)>, "type and one argument a field");
      setTyped(*node, fields, std::forward<Args>(args)...);
    } else {
      static_assert(sizeof...(Args) + 1 == std::tuple_size_v<decltype(fields)>, "one argument a field");
      set(fields, std::make_index_sequence<sizeof...(Args)>{}, std::forward<Args>(args)...);
    }
    return adopt(std::move(node));
  }

  /// A copy of a node whose fields `change` then sets: derive(call, [&](Call &c) { c.args = args; }).
  template <class T, class F> const T *derive(const T *node, F &&change) {
    auto copy = std::make_unique<T>(*node);
    change(*copy);
    return adopt(std::move(copy));
  }

  /// Lives as long as the program: an error that names the file leaves the arena that it came from behind.
  static const std::string *internFile(std::string_view path);

private:
  template <class T> const T *adopt(std::unique_ptr<T> node) {
    const T *raw = node.get();
    nodes_.push_back(std::move(node));
    return raw;
  }
  template <class Tuple, std::size_t... I, class... Args>
  static void set(Tuple &fields, std::index_sequence<I...>, Args &&...args) {
    ((std::get<I>(fields) = std::forward<Args>(args)), ...);
  }
  template <class T, class Tuple, class First, class... Args>
  static void setTyped(T &node, Tuple &fields, First &&type, Args &&...args) {
    node.type = std::forward<First>(type);
    set(fields, std::make_index_sequence<sizeof...(Args)>{}, std::forward<Args>(args)...);
  }

  std::vector<std::unique_ptr<Node>> nodes_;
};

} // namespace tangram::ast
