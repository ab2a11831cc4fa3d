#include "tangram/nest/Exchanges.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

Exchanges::Exchanges(const Nest &nest, unsigned loop)
    : nest_(nest), loop_(nest.loops[loop]), kept_(*nest.codelet), changing_(assignedVariables(loop_.node->body)) {
  walk(loop_.node->body, [&](const Declare &d) { changing_.insert(d.name); });
  changing_.insert(loop_.variable);
  masks_ =
      any<Binary>(loop_.node->body, [](const Binary &b) { return b.op == BinaryOp::Xor || b.op == BinaryOp::And; });
}

bool Exchanges::apart(const Access &first, const Access &second) const {
  if (!masks_) return false;
  const std::optional<Partner> &one = partnerOf(first), &other = partnerOf(second);
  if (!one || !other || !same(*one, *other)) return false;
  const std::set<std::size_t> mine = dimensions(first, *one), theirs = dimensions(second, *other);
  return std::any_of(mine.begin(), mine.end(), [&](std::size_t d) { return theirs.count(d) != 0; });
}

namespace {

/// A condition, and whether it is met.
using Met = std::pair<const Expr *, bool>;

/// Conditions under which a node is carried out: once for each place where it stands.
class ConditionsOf {
public:
  ConditionsOf(const Node *node, const Block *within) : node_(node) { find(within); }
  std::vector<std::vector<Met>> places;

private:
  void under(const Expr *cond, bool met, const Node *part) {
    if (!part) return;
    around_.emplace_back(cond, met);
    find(part);
    around_.pop_back();
  }

  void find(const Node *n) {
    if (n == node_) places.push_back(around_);
    if (const auto *choice = dyn<If>(n)) {
      find(choice->cond);
      under(choice->cond, true, choice->then);
      under(choice->cond, false, choice->otherwise);
    } else if (const auto *chosen = dyn<Conditional>(n)) {
      find(chosen->cond);
      under(chosen->cond, true, chosen->then);
      under(chosen->cond, false, chosen->otherwise);
    } else if (const auto *b = dyn<Binary>(n); b && (b->op == BinaryOp::LogicalAnd || b->op == BinaryOp::LogicalOr)) {
      find(b->lhs);
      under(b->lhs, b->op == BinaryOp::LogicalAnd, b->rhs);
    } else if (const auto *block = dyn<Block>(n)) {
      const std::size_t before = around_.size();
      for (const Stmt *s : block->stmts) {
        find(s);
        if (const If *skip = continueIf(s)) around_.emplace_back(skip->cond, false);
      }
      around_.resize(before);
    } else {
      for (const Node *part : children(*n)) find(part);
    }
  }

  const Node *node_;
  std::vector<Met> around_;
};

} // namespace

const std::optional<Exchanges::Partner> &Exchanges::partnerOf(const Access &access) const {
  const auto [known, fresh] = partners_.try_emplace(&access);
  if (fresh) known->second = found(access);
  return known->second;
}

std::optional<Exchanges::Partner> Exchanges::found(const Access &access) const {
  std::optional<Partner> result;
  for (const std::vector<Met> &conditions : ConditionsOf(access.node, loop_.node->body).places) {
    std::optional<Partner> here;
    for (const auto &[cond, met] : conditions)
      if (!here) here = admitted(cond, met);
    if (!here || (result && !same(*result, *here))) return {};
    result = here;
  }
  return result;
}

std::optional<Exchanges::Partner> Exchanges::admitted(const Expr *cond, bool then) const {
  if (const auto *u = dyn<Unary>(cond); u && u->op == UnaryOp::Not) return admitted(u->operand, !then);
  const auto *b = dyn<Binary>(cond);
  if (!b) return {};
  if (b->op == (then ? BinaryOp::LogicalAnd : BinaryOp::LogicalOr)) {
    const std::optional<Partner> left = admitted(b->lhs, then);
    return left ? left : admitted(b->rhs, then);
  }
  if (b->op == (then ? BinaryOp::Eq : BinaryOp::Ne)) {
    const auto *zero = dyn<IntLit>(kept_.resolved(b->rhs));
    const Expr *mask = zero && zero->value == 0 ? maskOf(b->lhs, BinaryOp::And) : nullptr;
    return mask ? std::optional(Partner{mask, Partner::Passes::Clear}) : std::nullopt;
  }
  const bool greater = b->op == BinaryOp::Gt || b->op == BinaryOp::Ge;
  if (!greater && b->op != BinaryOp::Lt && b->op != BinaryOp::Le) return {};
  const bool first = isIterator(b->lhs);
  const Expr *mask = first || isIterator(b->rhs) ? maskOf(first ? b->rhs : b->lhs, BinaryOp::Xor) : nullptr;
  if (!mask) return {};
  const bool upper = (greater == first) == then;
  return Partner{mask, upper ? Partner::Passes::Upper : Partner::Passes::Lower};
}

bool Exchanges::same(const Partner &a, const Partner &b) const { return a.passes == b.passes && equal(a.mask, b.mask); }

bool Exchanges::isIterator(const Expr *e) const {
  const auto *v = dyn<VarRef>(kept_.resolved(e));
  return v && v->name == loop_.variable;
}

bool Exchanges::isPartner(const Expr *e, const Partner &partner) const {
  const auto is = [&](BinaryOp op) {
    const Expr *mask = maskOf(e, op);
    return mask && equal(mask, partner.mask);
  };
  return is(BinaryOp::Xor) || (partner.passes == Partner::Passes::Clear && (is(BinaryOp::Or) || is(BinaryOp::Add)));
}

/// Of `i op mask`, in either order; null where the expression is none.
const Expr *Exchanges::maskOf(const Expr *e, BinaryOp op) const {
  const auto *b = dyn<Binary>(kept_.resolved(e));
  if (!b || b->op != op) return nullptr;
  const Expr *mask = isIterator(b->lhs) ? b->rhs : isIterator(b->rhs) ? b->lhs : nullptr;
  return mask && standsStill(mask) ? mask : nullptr; // as it is written: a cast may make another number of it
}

bool Exchanges::standsStill(const Expr *e) const {
  return !any<Expr>(e, [&](const Expr &part) {
    const auto *v = dyn<VarRef>(&part);
    return v ? changing_.count(v->name) != 0
             : !isa<IntLit>(&part) && !isa<Binary>(&part) && !isa<Cast>(&part) && !isa<Size>(&part);
  });
}

std::set<std::size_t> Exchanges::dimensions(const Access &access, const Partner &partner) const {
  std::set<std::size_t> result;
  const auto *s = dyn<Subscript>(access.node);
  for (std::size_t d = 0; s && isa<VarRef>(s->base) && d < s->indices.size(); ++d)
    if (isIterator(s->indices[d]) || isPartner(s->indices[d], partner)) result.insert(d);
  return result;
}

} // namespace tangram::nest
