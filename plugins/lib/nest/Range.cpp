#include "tangram/nest/Range.h"

#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"

#include <fmt/format.h>

namespace tangram::nest {

using namespace ast;

namespace {

/// end - by, or the least number of the type where that would be less still.
const Expr *lessBy(const Build &build, const Expr *end, Int by) {
  const Type &type = end->type;
  Int lowest = type.isSigned() ? -(Int{1} << (type.bytes() * 8 - 2)) * 2 : 0;
  const Expr *least = build.integer(type, lowest), *number = build.integer(type, by);
  return build.select(build.less(end, build.integer(type, lowest + by)), least, build.sub(end, number));
}

} // namespace

const Expr *LoopRange::range(Arena &arena) const {
  Build build(arena, where);
  const Expr *none = nullptr;
  return arena.make<Sequence>(where, containerType(), none, begin, build.u64(static_cast<std::uint64_t>(step)), end);
}

namespace {

/// e + 1, where that does not wrap around: of `n - 1`, n.
const Expr *oneMore(const Build &build, const Expr *e) {
  const auto *difference = dyn<Binary>(withoutCasts(e));
  std::optional<Int> by =
      difference && difference->op == BinaryOp::Sub ? literal(withoutCasts(difference->rhs)) : std::nullopt;
  if (by && *by >= 1 && difference->type == e->type)
    return *by == 1 ? difference->lhs : build.sub(difference->lhs, build.integer(e->type, *by - 1));
  return e->type.bytes() == 8 ? build.add(e, build.integer(e->type, 1)) : nullptr;
}

/// for (i = begin; i > end; --i), i >= end, and for (i = begin; i-- > 0;), from its last iteration to its first.
std::optional<LoopRange> countedUp(const Loop &l, unsigned loop, Arena &arena) {
  const auto *cond = dyn<Binary>(l.node->cond);
  if (!cond || l.step != -1) return std::nullopt;
  const Build build(arena, l.node->range);
  LoopRange r;
  r.loop = loop;
  r.iterator = l.variable;
  r.iteratorType = r.type = l.type;
  r.where = l.node->range;
  const Expr *begin = as<Declare>(l.node->init)->init;
  if (!l.node->step) { // the condition counts
    r.begin = build.integer(r.type, 0);
    r.end = build.cast(r.type, begin);
    return r;
  }
  const auto *iterator = dyn<VarRef>(withoutCasts(cond->lhs));
  const std::optional<Int> last = literal(withoutCasts(cond->rhs));
  if (!iterator || iterator->name != l.variable) return std::nullopt;
  if (cond->op != BinaryOp::Gt && cond->op != BinaryOp::Ge) return std::nullopt;
  if (last && *last >= 0 && *last <= 1 << 20) {
    r.begin = build.integer(r.type, cond->op == BinaryOp::Gt ? *last + 1 : *last);
    r.end = oneMore(build, build.cast(r.type, begin));
    if (r.end) return r;
  }
  if (!l.type.isSigned() || !cond->rhs->type.isSigned() || mentions(cond->rhs, l.variable)) return std::nullopt;
  r.type = Scalar::I64; // in which one more does not overflow
  const Expr *one = build.integer(r.type, 1), *bound = build.cast(r.type, cond->rhs);
  r.begin = cond->op == BinaryOp::Gt ? build.add(bound, one) : bound;
  r.end = build.add(build.cast(r.type, build.cast(l.type, begin)), one);
  return r;
}

} // namespace

std::optional<Int> Ahead::number() const {
  if (added.empty() && taken.empty()) return 0;
  constexpr Int kMost = 1 << 20;
  const std::optional<Int> n = added.size() == 1 && taken.empty() ? literal(withoutCasts(added[0])) : std::nullopt;
  return n && *n >= 0 && *n <= kMost ? n : std::nullopt;
}

std::optional<Ahead> aheadOf(const Expr *e, const std::string &iterator) {
  Ahead ahead;
  const Type type = e->type;
  for (;;) {
    ahead.converted |= e->type != type || isa<Cast>(e);
    e = withoutCasts(e);
    if (const auto *v = dyn<VarRef>(e)) {
      ahead.converted |= v->type != type;
      return v->name == iterator ? std::optional(ahead) : std::nullopt;
    }
    const auto *sum = dyn<Binary>(e);
    if (!sum || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub)) return std::nullopt;
    const bool left = mentions(sum->lhs, iterator);
    if (left == mentions(sum->rhs, iterator) || (!left && sum->op == BinaryOp::Sub)) return std::nullopt;
    (sum->op == BinaryOp::Add ? ahead.added : ahead.taken).push_back(left ? sum->rhs : sum->lhs);
    e = left ? sum->lhs : sum->rhs;
  }
}

std::optional<LoopRange> rangeOf(const Nest &nest, unsigned loop, Arena &arena, std::string &why, bool anyOrder) {
  const Loop &l = nest.loops[loop];
  if (l.step < 0) {
    std::optional<LoopRange> r = anyOrder ? countedUp(l, loop, arena) : std::nullopt;
    if (!r) why = fmt::format("loop '{}' counts down", l.variable);
    return r;
  }
  const auto *cond = dyn<Binary>(l.node->cond);
  bool less = cond && cond->op == BinaryOp::Lt, most = cond && cond->op == BinaryOp::Le;
  // Widened without a change of value, as the nest assumes.
  const std::optional<Ahead> ahead = cond ? aheadOf(cond->lhs, l.variable) : std::nullopt;
  if ((!less && !most) || !ahead || (!ahead->number() && !l.exact) || mentions(cond->rhs, l.variable)) {
    why = fmt::format("the condition of loop '{0}' is not '{0} < end' or '{0} <= end'", l.variable);
    return std::nullopt;
  }
  LoopRange r;
  r.loop = loop;
  r.iterator = l.variable;
  r.iteratorType = l.type;
  r.type = cond->lhs->type;
  r.where = l.node->range;
  r.step = l.step;
  Build build(arena, r.where);
  r.begin = build.cast(r.type, as<Declare>(l.node->init)->init);
  // i + a < end and i + a <= end as i < end - a and i < end - (a - 1)
  if (const std::optional<Int> number = ahead->number()) {
    const Int by = less ? *number : *number - 1;
    r.end = by < 0    ? build.add(cond->rhs, build.integer(r.type, 1))
            : by == 0 ? cond->rhs
                      : lessBy(build, cond->rhs, by);
    return r;
  }
  const Expr *end = build.cast(r.type, cond->rhs), *by = build.integer(r.type, 0);
  for (const Expr *e : ahead->taken) end = build.add(end, build.cast(r.type, e));
  for (const Expr *e : ahead->added) by = build.add(by, build.cast(r.type, e));
  r.end = build.sub(end, by);
  if (most) r.end = build.add(r.end, build.integer(r.type, 1));
  if (!r.type.isSigned()) r.end = build.select(build.less(end, by), build.integer(r.type, 0), r.end);
  return r;
}

} // namespace tangram::nest
