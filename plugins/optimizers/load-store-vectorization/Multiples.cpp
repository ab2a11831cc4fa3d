#include "Multiples.h"

#include "tangram/ast/Compare.h"

#include <algorithm>

namespace tangram::load_store_vectorization {

using namespace ast;

namespace {

constexpr unsigned kDeepest = 24;

bool isMultiple(Int value, Int multiple) { return (value & (multiple - 1)) == 0; }

/// What the expression is made of where it keeps its lowest bits.
const Expr *withoutConversions(const Expr *e) {
  for (const auto *cast = dyn<Cast>(e); cast && cast->type.isInteger() && !cast->type.isBool() &&
                                        cast->operand->type.isInteger() && !cast->operand->type.isBool();
       cast = dyn<Cast>(e))
    e = cast->operand;
  return e;
}

} // namespace

bool Multiples::demand(const Expr *e, Int multiple) {
  const std::size_t before = zeros_.size();
  const bool possible = demand(e, multiple, 0);
  if (!possible) zeros_.resize(before);
  return possible;
}

/// Without a condition. Sums and products keep their lowest bits, whether they wrap around or not.
bool Multiples::always(const Expr *e, Int multiple, unsigned depth) const {
  if (multiple == 1) return true;
  if (depth > kDeepest) return false;
  e = withoutConversions(e);
  if (const std::optional<Int> value = literal(e)) return isMultiple(*value, multiple);
  if (const auto *v = dyn<VarRef>(e)) {
    if (auto counter = counters_.find(v->name); counter != counters_.end())
      return isMultiple(counter->second, multiple);
    const Expr *init = uniform_.count(v->name) ? nullptr : known_.initialiser(v->name);
    return init && always(init, multiple, depth + 1);
  }
  const auto *b = dyn<Binary>(e);
  if (!b) return false;
  if (b->op == BinaryOp::Add || b->op == BinaryOp::Sub)
    return always(b->lhs, multiple, depth + 1) && always(b->rhs, multiple, depth + 1);
  if (b->op != BinaryOp::Mul) return false;
  for (Int part = multiple; part >= 1; part /= 2) // 2 * x, where x is even
    if (always(b->lhs, part, depth + 1)) return part == multiple || always(b->rhs, multiple / part, depth + 1);
  return false;
}

bool Multiples::demand(const Expr *e, Int multiple, unsigned depth) {
  if (multiple == 1) return true;
  if (depth > kDeepest) return false;
  if (e->type.isPointer()) {
    // an address counts bytes, what is added to it elements
    if (const auto *sum = dyn<Binary>(e);
        sum && sum->lhs->type.isPointer() && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub)) {
      const auto bytes = static_cast<Int>(e->type.element().bytes());
      return bytes > 0 && demand(sum->lhs, multiple, depth + 1) &&
             demand(sum->rhs, std::max<Int>(1, multiple / bytes), depth + 1);
    }
    const auto *v = dyn<VarRef>(e);
    if (!v) return false;
    if (!uniform_.count(v->name)) {
      const Expr *init = known_.initialiser(v->name);
      return init && demand(init, multiple, depth + 1);
    }
  } else {
    e = withoutConversions(e);
    if (always(e, multiple, depth)) return true;
    if (const auto *v = dyn<VarRef>(e); v && !uniform_.count(v->name)) {
      const Expr *init = known_.initialiser(v->name);
      return init && demand(init, multiple, depth + 1);
    }
    if (const auto *b = dyn<Binary>(e)) {
      if (b->op == BinaryOp::Add || b->op == BinaryOp::Sub)
        return demand(b->lhs, multiple, depth + 1) && demand(b->rhs, multiple, depth + 1);
      if (b->op != BinaryOp::Mul) return false;
      Int part = multiple; // what one side has of it anyway
      while (part > 1 && !always(b->lhs, part, depth + 1) && !always(b->rhs, part, depth + 1)) part /= 2;
      const bool left = part > 1 && always(b->lhs, part, depth + 1);
      if (part > 1) return demand(left ? b->rhs : b->lhs, multiple / part, depth + 1);
      const std::size_t before = zeros_.size();
      if (demand(b->rhs, multiple, depth + 1)) return true;
      zeros_.resize(before);
      return demand(b->lhs, multiple, depth + 1);
    }
    if (!isa<VarRef>(e)) return false;
  }
  Build b(arena_, e->range);
  const Expr *rest = b.binary(BinaryOp::And, b.cast(Scalar::U64, e), b.u64(static_cast<std::uint64_t>(multiple - 1)));
  if (std::none_of(zeros_.begin(), zeros_.end(), [&](const Expr *zero) { return equal(zero, rest); }))
    zeros_.push_back(rest);
  return true;
}

const Expr *Multiples::condition() const {
  const Expr *all = nullptr;
  for (const Expr *zero : zeros_) {
    Build b(arena_, zero->range);
    const Expr *holds = b.equal(zero, b.u64(0));
    all = all ? b.both(all, holds) : holds;
  }
  return all;
}

} // namespace tangram::load_store_vectorization
