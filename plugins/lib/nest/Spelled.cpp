// Expressions and statements as messages quote them: close to the source, without conversions that nobody wrote.
#include "tangram/nest/Nest.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <fmt/format.h>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr std::size_t kLongest = 60;

std::string text(const Node *n, int outer, unsigned depth);

std::string list(const std::vector<const Expr *> &all, unsigned depth) {
  std::vector<std::string> texts;
  for (const Expr *e : all) texts.push_back(text(e, -1, depth));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string unary(const Unary &u, unsigned depth) {
  std::string operand = text(u.operand, 11, depth);
  if (u.op == UnaryOp::PostInc || u.op == UnaryOp::PostDec) return operand + std::string(symbol(u.op));
  return std::string(symbol(u.op)) + operand;
}

std::string text(const Node *n, int outer, unsigned depth) {
  if (!n) return "";
  if (++depth > 40) return "...";
  if (const auto *d = dyn<Declare>(n))
    return d->init ? fmt::format("{} = {}", d->name, text(d->init, -1, depth)) : d->name;
  if (const auto *s = dyn<Evaluate>(n)) return text(s->expr, outer, depth);
  const auto *e = dyn<Expr>(n);
  if (!e) return std::string(ast::name(n->kind()));
  switch (exprKind(*e)) {
  case ExprKind::IntLit:
    return as<Expr>(n)->type.isBool() ? (as<IntLit>(n)->value ? "true" : "false")
                                      : std::to_string(as<IntLit>(n)->value);
  case ExprKind::FloatLit: return fmt::format("{}", as<FloatLit>(n)->value);
  case ExprKind::VarRef: return as<VarRef>(n)->name;
  case ExprKind::Cast: return text(as<Cast>(n)->operand, outer, depth);
  case ExprKind::Unary: return unary(*as<Unary>(n), depth);
  case ExprKind::Binary: {
    const auto *b = as<Binary>(n);
    int own = precedence(b->op);
    std::string s = fmt::format("{} {} {}", text(b->lhs, own, depth), symbol(b->op), text(b->rhs, own + 1, depth));
    return own < outer ? "(" + s + ")" : s;
  }
  case ExprKind::Assign: {
    const auto *a = as<Assign>(n);
    return fmt::format("{} {} {}", text(a->target, 11, depth), symbol(a->op), text(a->value, -1, depth));
  }
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(n);
    return fmt::format("({} ? {} : {})", text(c->cond, 1, depth), text(c->then, 1, depth),
                       text(c->otherwise, 1, depth));
  }
  case ExprKind::Subscript: {
    const auto *s = as<Subscript>(n);
    std::string result = text(s->base, 11, depth);
    for (const Expr *i : s->indices) result += "[" + text(i, -1, depth) + "]";
    return result;
  }
  case ExprKind::Member: return text(as<Member>(n)->base, 11, depth) + "." + as<Member>(n)->field;
  case ExprKind::Size: {
    const auto *s = as<Size>(n);
    return fmt::format("{}.size({})", text(s->container, 11, depth), s->dim ? text(s->dim, -1, depth) : "");
  }
  case ExprKind::Call: return fmt::format("{}({})", as<Call>(n)->callee, list(as<Call>(n)->args, depth));
  case ExprKind::SpectrumCall:
    return fmt::format("{}({})", as<SpectrumCall>(n)->spectrum, list(as<SpectrumCall>(n)->args, depth));
  case ExprKind::Map: return fmt::format("map({}, {})", as<Map>(n)->spectrum, list(as<Map>(n)->args, depth));
  case ExprKind::Atomic: {
    const auto *a = as<Atomic>(n);
    return fmt::format("atomic {}({}, {})", name(a->op), text(a->target, -1, depth), list(a->operands, depth));
  }
  case ExprKind::InitList:
  case ExprKind::Partition:
  case ExprKind::Sequence:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return std::string(ast::name(n->kind()));
}

} // namespace

std::string spelled(const Node *node) {
  std::string s = text(node, -1, 0);
  if (s.size() > kLongest) s = s.substr(0, kLongest - 3) + "...";
  return s;
}

} // namespace tangram::nest
