#include "tangram/loops/Interior.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>

namespace tangram::loops {

using namespace ast;

namespace {

constexpr std::size_t kMostComparisons = 16;

bool less(BinaryOp op) { return op == BinaryOp::Lt || op == BinaryOp::Le; }

} // namespace

/// Puts in what comparisons come out as.
class Decided final : public Mutator {
public:
  Decided(Arena &arena, Interior &interior) : Mutator(arena), interior_(interior) {}

private:
  const Node *mutateConditional(const Conditional *e) override {
    const Expr *cond = condition(e->cond);
    const std::optional<Int> known = literal(cond);
    if (known) return mutate(*known ? e->then : e->otherwise);
    const Expr *then = mutateAs(e->then), *otherwise = mutateAs(e->otherwise);
    if (cond == e->cond && then == e->then && otherwise == e->otherwise) return e;
    return Build(arena(), e->range).select(cond, then, otherwise);
  }
  const Node *mutateIf(const If *s) override {
    const Expr *cond = condition(s->cond);
    const std::optional<Int> known = literal(cond);
    if (!known) return cond == s->cond ? rebuild(s) : rebuild(arena().derive(s, [&](If &copy) { copy.cond = cond; }));
    const Block *taken = *known ? s->then : s->otherwise;
    return taken ? mutate(taken) : Build(arena(), s->range).block({});
  }

  const Node *mutateDeclare(const Declare *d) override {
    const Declare *decided = rebuild(d);
    if (decided != d) interior_.sums_.becomes(d->name, decided->init);
    return decided;
  }

  const Expr *condition(const Expr *e) {
    Build b(arena(), e->range);
    if (const auto *unary = dyn<Unary>(e); unary && unary->op == UnaryOp::Not)
      return b.logicalNot(condition(unary->operand));
    const auto *binary = dyn<Binary>(e);
    if (binary && (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr))
      return b.binary(binary->op, condition(binary->lhs), condition(binary->rhs));
    const Expr *known = mutateAs(e); // of a comparison of clamped numbers, with what these are
    const auto *comparison = binary ? dyn<Binary>(known) : nullptr;
    const std::optional<bool> holds = comparison ? interior_.decide(comparison) : std::nullopt;
    return holds ? b.boolean(*holds) : known;
  }

  Interior &interior_;
};

std::set<std::string> scalarParameters(const Module &module, const Kernel &kernel) {
  std::set<std::string> result;
  if (const Spectrum *spectrum = findSpectrum(module, kernel.spectrum))
    for (const Param *p : spectrum->params)
      if (p->type.isScalar() && p->type.isInteger()) result.insert(p->name);
  return result;
}

bool Interior::ofScalars(const Sums::Product &product) const {
  return std::all_of(product.begin(), product.end(), [&](unsigned factor) {
    return !ast::any<VarRef>(sums_.expression(factor), [&](const VarRef &v) { return !scalars_.count(v.name); });
  });
}

Interior::Interior(Arena &arena, const Loop &loop, const Copies &copies, Sums &sums,
                   const std::set<std::string> &scalars)
    : arena_(arena), whole_(loop), copies_(copies), sums_(sums), scalars_(scalars) {
  const Block *body = Decided(arena, *this)(loop.body);
  inside_ = arena.derive(&loop, [&](Loop &copy) { copy.body = body; });
}

/// What a comparison comes out as far from both ends of a loop: an iteration's number is less than a bound that is
/// no number, and greater than others. Nothing where it is alike for all iterations, or cannot be told outside.
std::optional<bool> Interior::decide(const Binary *comparison) {
  if (!isOrdering(comparison->op) || !comparison->lhs->type.isInteger() || !copies_.differs(comparison)) return {};
  auto same =
      std::find_if(decided_.begin(), decided_.end(), [&](const auto &d) { return equal(d.comparison, comparison); });
  if (same != decided_.end()) return same->holds;
  if (decided_.size() == kMostComparisons) return {};
  std::optional<Sums::Sum> difference = sums_.of(comparison->lhs), right = sums_.of(comparison->rhs);
  if (!difference || !right) return {};
  const bool numbers = right->empty() || (right->size() == 1 && right->count({}));
  Sums::add(*difference, *right, -1);
  const Int step = Sums::coefficient(*difference, {Sums::kIteration});
  if (step == 0) return {};
  bool bounded = false; // by something that is taken from it
  std::map<unsigned, Int> inner;
  for (const auto &[product, coefficient] : *difference) {
    if (product == Sums::Product{Sums::kIteration} || product.empty()) continue;
    if (product.size() == 1 && sums_.counter(product[0])) {
      inner[product[0]] = coefficient;
      continue;
    }
    if (!sums_.invariant(product)) return {};
    bounded |= !ofScalars(product) && (coefficient > 0) != (step > 0);
  }
  const bool isLess = bounded == (step > 0), holds = less(comparison->op) == isLess;
  // Without a sign, what is a little less than zero is not less than a small number.
  if (!holds && numbers && !comparison->lhs->type.isSigned() && Sums::coefficient(*difference, {}) < 0) return {};
  // It comes out alike for all that loops inside count, where it does for the least difference and for the greatest.
  const bool greatest = less(comparison->op) == holds;
  std::vector<Sums::Values> corners;
  for (bool last : {false, true}) {
    // Without overflow one of them decides; without a sign, a difference below zero is a large number.
    if (last != greatest && comparison->lhs->type.isSigned()) continue;
    Sums::Values &corner = corners.emplace_back();
    for (const auto &[factor, coefficient] : inner) {
      const Sums::Counter *counter = sums_.counter(factor);
      corner[sums_.variable(factor)] = (coefficient > 0) == last ? counter->last : counter->first;
    }
    if (!sums_.outside(comparison, Build(arena_, comparison->range).u64(0), corner)) return {};
    if (inner.empty()) break;
  }
  decided_.push_back({comparison, holds, std::move(corners)});
  return holds;
}

const Expr *Interior::holds(const Expr *first, const Expr *last) const {
  Build b(arena_, whole_.range);
  const Expr *all = keepValues(arena_, sums_, first, last);
  for (const auto &[comparison, holds, corners] : decided_)
    for (const Sums::Values &corner : corners)
      for (const Expr *at : {first, last}) {
        const Expr *now = sums_.outside(comparison, at, corner);
        if (!holds) now = b.logicalNot(now);
        all = all ? b.both(all, now) : now;
      }
  return all;
}

const Expr *keepValues(Arena &arena, const Sums &sums, const Expr *first, const Expr *last) {
  Build b(arena, first->range);
  const Expr *all = nullptr;
  for (const auto &[conversion, sum] : sums.exact())
    for (const Expr *at : {first, last}) {
      const Expr *same = b.equal(b.cast(Scalar::U64, sums.outside(conversion, at)), sums.written(sum, at));
      all = all ? b.both(all, same) : same;
    }
  return all;
}

} // namespace tangram::loops
