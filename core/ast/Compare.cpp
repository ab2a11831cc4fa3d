#include "tangram/ast/Compare.h"

#include <bit>

namespace tangram::ast {
namespace {

/// FNV-1a over the bytes of values, so that the result depends on nothing but the tree.
class Hasher {
public:
  std::uint64_t value = 0xcbf29ce484222325u;

  void node(const Node *node) {
    if (!node) return number(0);
    text(ast::name(node->kind()));
    dispatch(*node, [&](const auto &n) {
      if constexpr (std::is_base_of_v<Expr, std::remove_cvref_t<decltype(n)>>) text(n.type.text());
      forEachField(n, *this);
    });
  }

  void attr(std::string_view, const std::string &v) { text(v); }
  void attr(std::string_view, const Type &v) { text(v.text()); }
  void attr(std::string_view, double v) { number(std::bit_cast<std::uint64_t>(v)); }
  void attr(std::string_view, const Texts &v) {
    number(v.size());
    for (const std::string &s : v) text(s);
  }
  void attr(std::string_view, const Assumed &v) {
    if (!v.empty()) attr("", static_cast<const Texts &>(v));
  }
  void attr(std::string_view name, Flag v) {
    if (v == Flag::Yes) text(name);
  }
  void attr(std::string_view, const Ints &v) {
    number(v.size());
    for (Int i : v) number(static_cast<std::uint64_t>(i));
  }
  void attr(std::string_view, const Counts &v) {
    number(v.size());
    for (const auto &[name, count] : v) {
      text(name);
      number(static_cast<std::uint64_t>(count));
    }
  }
  template <class T> void attr(std::string_view, T v) { number(static_cast<std::uint64_t>(v)); }
  template <class T> void child(std::string_view, const T *n) { node(n); }
  template <class T> void opt(std::string_view, const T *n) { node(n); }
  template <class T> void list(std::string_view, const std::vector<const T *> &v) {
    number(v.size());
    for (const T *n : v) node(n);
  }

private:
  void byte(unsigned char b) { value = (value ^ b) * 0x100000001b3u; }
  void number(std::uint64_t v) {
    for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(v >> (8 * i)));
  }
  void text(std::string_view s) {
    number(s.size());
    for (char c : s) byte(static_cast<unsigned char>(c));
  }
};

bool same(const Real &a, const Real &b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
template <class T> bool same(const T &a, const T &b) { return a == b; }
template <class T> bool same(const T *a, const T *b) { return equal(a, b); }
template <class T> bool same(const std::vector<const T *> &a, const std::vector<const T *> &b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}

#define NODE(Name, Base)                                                                                               \
  bool sameFields([[maybe_unused]] const Name &a, [[maybe_unused]] const Name &b) {                                    \
    return true
#define ATTR(Type_, field) &&same(a.field, b.field)
#define CHILD(Class, field) &&same(a.field, b.field)
#define OPT(Class, field) &&same(a.field, b.field)
#define LIST(Class, field) &&same(a.field, b.field)
#define END(Name)                                                                                                      \
  ;                                                                                                                    \
  }
#include "tangram/ast/NodeMacros.h"

} // namespace

bool equal(const Node *a, const Node *b) {
  if (a == b) return true;
  if (!a || !b || a->kind() != b->kind()) return false;
  return dispatch(*a, [&](const auto &n) {
    using N = std::remove_cvref_t<decltype(n)>;
    const N &m = static_cast<const N &>(*b);
    if constexpr (std::is_base_of_v<Expr, N>)
      if (!(n.type == m.type)) return false;
    return sameFields(n, m);
  });
}

bool holdsForNaNs(const Expr *condition) {
  const auto *node = dyn<Binary>(condition);
  if (node && node->op == BinaryOp::LogicalOr) return holdsForNaNs(node->lhs) && holdsForNaNs(node->rhs);
  return node && node->op == BinaryOp::Ne && node->lhs->type.isFloating() && equal(node->lhs, node->rhs);
}

std::uint64_t hash(const Node *node) {
  Hasher hasher;
  hasher.node(node);
  return hasher.value;
}

} // namespace tangram::ast
