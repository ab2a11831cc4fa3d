#include "Guards.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::versioning {

using namespace ast;

namespace {
// What is below it is taken to be at its greatest: a condition of it is the same for all workers.
constexpr double kMostVarying = 1 << 20;
} // namespace

Guards::Guards(Arena &arena, ranges::Ranges &ranges, const Stmt *loop)
    : build_(arena, loop->range), ranges_(ranges), inner_(declaredIn(loop)) {
  inner_.merge(assignedVariables(loop));
  scan(loop);
  for (const Expr *comparison : order_) {
    const Expr *condition = found_.at(comparison);
    if (!condition) continue;
    known_.insert(comparison);
    auto same = [&](const Expr *other) { return equal(condition, other); };
    if (std::none_of(conditions_.begin(), conditions_.end(), same)) conditions_.push_back(condition);
  }
}

void Guards::scan(const Node *node) {
  if (const auto *loop = dyn<For>(node)) {
    if (loop->init) scan(loop->init);
    ranges_.enter(*loop);
    scan(loop->body);
    ranges_.pop();
    return;
  }
  if (const auto *choice = dyn<If>(node)) guard(choice->cond);
  if (const auto *choice = dyn<Conditional>(node)) guard(choice->cond);
  for (const Node *child : children(*node)) scan(child);
}

void Guards::guard(const Expr *cond) {
  for (const Expr *one : ranges::conjuncts(cond)) {
    const Expr *condition = before(one);
    auto [it, first] = found_.try_emplace(one, condition);
    if (first) order_.push_back(one);
    if (!first && !(it->second && condition && equal(it->second, condition))) it->second = nullptr;
  }
}

bool Guards::invariant(const Expr *e) const {
  return !any<Expr>(e, [&](const Expr &part) {
    if (const auto *v = dyn<VarRef>(&part)) return inner_.count(v->name) != 0;
    return !isa<IntLit>(&part) && !isa<Cast>(&part) && !isa<Binary>(&part) && !isa<WorkerIndex>(&part) &&
           !isa<WorkerCount>(&part);
  });
}

void Guards::terms(const Expr *e, std::vector<const Expr *> &out) const {
  e = ranges::core(e);
  const auto *sum = dyn<Binary>(e);
  if (sum && sum->op == BinaryOp::Add && !e->type.isSigned()) {
    terms(sum->lhs, out);
    return terms(sum->rhs, out);
  }
  const auto *v = dyn<VarRef>(e);
  // What a counter was then is no more than what it is at most.
  const Expr *init = v && inner_.count(v->name) && !e->type.isSigned() ? ranges_.made(v->name) : nullptr;
  const auto *made = init ? dyn<Binary>(ranges::core(init)) : nullptr;
  if (made && made->op == BinaryOp::Add && !made->type.isSigned()) return terms(made, out);
  out.push_back(e);
}

/// What must hold before the loop; null where that cannot be said.
const Expr *Guards::before(const Expr *comparison) const {
  std::optional<ranges::Order> o = ranges::order(comparison, true);
  if (!o || o->low->type.isSigned() || o->high->type.isSigned() || !invariant(o->high)) return nullptr;
  std::vector<const Expr *> all;
  terms(o->low, all);
  double most = 0;
  const Expr *start = nullptr;
  for (const Expr *term : all) {
    std::optional<ranges::Bound> bound = ranges_.upper(term);
    std::optional<double> constant = bound ? bound->constant() : std::nullopt;
    if (constant && *constant <= kMostVarying) {
      most += *constant;
    } else if (invariant(term) && !term->type.isSigned()) {
      const Expr *wide = build_.cast(Scalar::U64, term);
      // Several could wrap around.
      if (start) return nullptr;
      start = wide;
    } else {
      return nullptr;
    }
  }
  const Expr *end = build_.cast(Scalar::U64, o->high), *last = build_.u64(static_cast<std::uint64_t>(most));
  BinaryOp below = o->strict ? BinaryOp::Lt : BinaryOp::Le;
  if (!start) return build_.binary(below, last, end);
  const Expr *inside = build_.binary(below, start, end);
  return most == 0 ? inside : build_.both(inside, build_.binary(below, last, build_.sub(end, start)));
}

} // namespace tangram::versioning
