#include "LoopTurns.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <cmath>

namespace tangram {

using namespace ast;

std::string counterOf(const For &loop) {
  const Stmt *first = loop.init;
  if (const auto *block = dyn<Block>(first); block && block->stmts.size() == 1) first = block->stmts[0];
  const auto *begins = dyn<Declare>(first);
  return begins ? begins->name : "";
}

std::string movedBy(const For &loop) {
  const Expr *target = nullptr;
  if (const auto *assign = dyn<Assign>(loop.step)) target = assign->target;
  if (const auto *unary = dyn<Unary>(loop.step)) target = unary->operand;
  const auto *v = target ? dyn<VarRef>(withoutCasts(target)) : nullptr;
  return v ? v->name : "";
}

const Expr *strideOf(const For &loop) {
  const auto *step = dyn<Assign>(loop.step);
  return step && (step->op == AssignOp::Add || step->op == AssignOp::Sub) ? step->value : nullptr;
}

std::optional<double> LoopTurns::of(const Stmt *loop, const Expr *condition) {
  const std::optional<double> usual = now(loop, condition);
  const std::size_t stages = numbers_.stages().size();
  if (!usual || stages < 2) return usual;
  const CodeletSource::Progress *progress = source_.progress(source_.stage());
  if (progress->loop == loop) return usual;
  std::vector<double> each;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    numbers_.atStage(stage);
    if (const std::optional<double> one = now(loop, condition)) each.push_back(*one);
  }
  numbers_.atStage({});
  if (each.size() != stages || std::all_of(each.begin(), each.end(), [&](double t) { return t == each[0]; }))
    return usual;
  stageWeights_.resize(stages, 1);
  double all = 0, weights = 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    all += stageWeights_[stage] * each[stage], weights += stageWeights_[stage];
    stageWeights_[stage] *= each[stage];
  }
  return weights > 0 ? all / weights : 0;
}

std::optional<double> LoopTurns::extentBy(const std::string &counter, const Block *body) {
  std::optional<double> result;
  walk(body, [&](const Subscript &s) {
    const std::string *name = containerOf(&s);
    const std::optional<std::size_t> parameter = containers_.parameter(name);
    if (!parameter) return;
    const Extents &extents = arguments_[*parameter];
    for (std::size_t d = 0; d < s.indices.size() && d < extents.size(); ++d)
      if (extents[d] && loops_.follows(s.indices[d], counter))
        result = std::min(result.value_or(HUGE_VAL), static_cast<double>(*extents[d]));
  });
  return result;
}

std::optional<double> LoopTurns::meanPart(const For &loop, const std::string &counter) {
  const Declare *begins = source_.declared(counter);
  const auto *cond = dyn<Binary>(withoutCasts(loop.cond));
  if (!begins || !begins->init || !cond || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Ne)) return {};
  const auto *from = dyn<Subscript>(numbers_.resolved(begins->init)),
             *to = dyn<Subscript>(numbers_.resolved(cond->rhs));
  const std::string *bounds = from ? containerOf(from) : nullptr, *same = to ? containerOf(to) : nullptr;
  if (!containers_.isParameter(bounds) || !same || *same != *bounds) return {};
  if (from->indices.size() != 1 || to->indices.size() != 1) return {};
  const auto [first, constant] = indices_.apartFromConstant(from->indices[0]);
  const auto [second, next] = indices_.apartFromConstant(to->indices[0]);
  if (next != constant + 1 || !(first == second || (first && second && equal(first, second)))) return {};
  const Extents &parts = arguments_[*containers_.find(bounds)->parameter];
  const std::optional<double> all = extentBy(counter, loop.body);
  if (!all || parts.size() != 1 || !parts[0] || *parts[0] < 2) return {};
  return *all / static_cast<double>(*parts[0] - 1);
}

std::optional<double> LoopTurns::now(const Stmt *loop, const Expr *condition) {
  const auto *cond = dyn<Binary>(withoutCasts(condition));
  if (!cond) return {};
  if (cond->op == BinaryOp::LogicalAnd || cond->op == BinaryOp::LogicalOr) {
    const std::optional<double> left = now(loop, cond->lhs), right = now(loop, cond->rhs);
    const bool both = cond->op == BinaryOp::LogicalAnd;
    if (!left || !right) { // what nothing is known of ends it half of the way
      const std::optional<double> known = left ? left : right;
      return both && known ? std::optional(std::max(1.0, *known / 2)) : known;
    }
    return both ? std::min(*left, *right) : std::max(*left, *right);
  }
  const auto *own = dyn<For>(loop);
  if (const Declare *begins = own ? source_.declared(counterOf(*own)) : nullptr; begins && begins->init)
    if (const std::optional<double> result = counted(*begins, *cond, own->step)) return result;
  for (const Expr *side : {cond->lhs, cond->rhs}) {
    const auto *v = dyn<VarRef>(withoutCasts(side));
    const CodeletSource::Progress *progress = v ? source_.progress(v->name) : nullptr;
    if (progress && progress->loop == loop) return counted(*progress->begins, *cond, progress->step);
  }
  return {};
}

std::optional<double> LoopTurns::counted(const Declare &begins, const Binary &condition, const Expr *steps) {
  const Binary *cond = &condition;
  if (cond->op == BinaryOp::Eq) return {};
  double ahead = 0;     // `i + 1 < n`
  bool squared = false; // `i * i < n`
  auto isCounter = [&](const Expr *e) {
    e = withoutCasts(e);
    if (const auto *n = dyn<Binary>(e); n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub))
      if (const std::optional<double> more = numbers_(n->rhs)) {
        ahead = n->op == BinaryOp::Add ? *more : -*more;
        e = withoutCasts(n->lhs);
      }
    if (const auto *n = dyn<Binary>(e);
        n && n->op == BinaryOp::Mul && equal(withoutCasts(n->lhs), withoutCasts(n->rhs))) {
      squared = true;
      e = withoutCasts(n->lhs);
    }
    const auto *v = dyn<VarRef>(e);
    return v && v->name == begins.name;
  };
  const bool left = isCounter(cond->lhs);
  if (!left && !isCounter(cond->rhs)) return {};
  std::optional<double> end = numbers_.most(left ? cond->rhs : cond->lhs);
  if (end) *end -= ahead;
  if (squared && !end) return {};
  if (squared) end = std::sqrt(std::max(0.0, *end));
  // Lanes that begin apart turn about as often as the first of them.
  const std::optional<double> known = numbers_(begins.init);
  const bool bounded = end && (known || source_.reached(begins.init).lane);
  const double begin = known.value_or(0);
  std::optional<double> apart =
      bounded ? std::abs(*end - begin) : this->apart(begins.init, left ? cond->rhs : cond->lhs);
  if (bounded && !known) // a lane's own tile may end long before what there is
    if (const std::optional<double> own = this->apart(begins.init, left ? cond->rhs : cond->lhs))
      apart = std::min(*apart, *own);
  if (!apart) apart = meanDistance(begins.init, left ? cond->rhs : cond->lhs);
  if (!apart) return {};
  // A last turn where the counter is equal to the bound.
  const double distance = *apart + (cond->op == BinaryOp::Le || cond->op == BinaryOp::Ge ? 1 : 0);
  if (const auto *unary = dyn<Unary>(steps); unary && isCounter(unary->operand)) return std::ceil(distance);
  const auto *step = dyn<Assign>(steps);
  if (!step || !isCounter(step->target)) return {};
  std::optional<double> by = usual(step->value);
  if (!by || *by <= 0) return {};
  switch (step->op) {
  case AssignOp::Add:
  case AssignOp::Sub: return std::ceil(distance / *by);
  case AssignOp::Shl:
  case AssignOp::Shr: by = std::exp2(*by); [[fallthrough]];
  case AssignOp::Mul:
  case AssignOp::Div: {
    if (!bounded) return {};
    const double low = std::max(1.0, std::min(begin, *end)), high = std::max(begin, *end) + distance - *apart;
    return *by > 1 && high > low ? std::ceil(std::log2(high / low) / std::log2(*by)) : 0;
  }
  default: return {};
  }
}

std::optional<double> LoopTurns::usual(const Expr *e) {
  if (const std::optional<double> known = numbers_(e)) return known;
  const Interval mean = numbers_.mean(e);
  return mean.known() ? std::optional(static_cast<double>(*mean.lo)) : std::nullopt;
}

std::optional<double> LoopTurns::meanDistance(const Expr *begin, const Expr *end) {
  const Interval first = numbers_.mean(begin), last = numbers_.mean(end);
  if (!first.known() || !last.known()) return {};
  return std::abs(static_cast<double>(*last.lo) - static_cast<double>(*first.lo));
}

namespace {

/// To a whole number.
bool isRounded(const Call &call) {
  std::string_view name = call.callee;
  if (name.ends_with('f')) name.remove_suffix(1);
  return name == "ceil" || name == "floor" || name == "round" || name == "trunc" || name == "rint";
}

/// Of scalars, none of which data tells.
bool isOfScalars(const Expr *e) { return !contains<Subscript>(e) && !contains<Call>(e); }

} // namespace

void LoopTurns::possible(const Expr *e, std::vector<const Expr *> &all) const {
  constexpr std::size_t kMost = 16;
  e = withoutCasts(e);
  if (!e || all.size() >= kMost) return;
  all.push_back(e);
  if (const auto *v = dyn<VarRef>(e)) {
    const Declare *d = source_.declared(v->name);
    if (d && d->extents.empty() && !source_.changes(v->name)) possible(d->init, all);
  } else if (const auto *choice = dyn<Conditional>(e)) {
    possible(choice->then, all);
    possible(choice->otherwise, all);
  } else if (const auto *c = dyn<Call>(e);
             c && (isRounded(*c) || c->callee.starts_with("min_") || c->callee.starts_with("max_"))) {
    for (const Expr *argument : c->args) possible(argument, all);
  }
}

std::pair<const Expr *, double> LoopTurns::apartFromNumbers(const Expr *e) {
  constexpr double kReach = 4; // of a window whose reach nothing tells
  double all = 0;
  for (;;) {
    e = withoutCasts(e);
    const auto *sum = dyn<Binary>(e);
    if (!sum || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub)) return {e, all};
    const bool adds = sum->op == BinaryOp::Add;
    if (const std::optional<double> right = numbers_(sum->rhs)) {
      all += adds ? *right : -*right;
      e = sum->lhs;
    } else if (const std::optional<double> left = adds ? numbers_(sum->lhs) : std::nullopt) {
      all += *left;
      e = sum->rhs;
    } else if (sum->type.isFloating() && !isOfScalars(sum->lhs) && isOfScalars(sum->rhs)) {
      all += adds ? kReach : -kReach;
      e = sum->lhs;
    } else {
      return {e, all};
    }
  }
}

std::optional<double> LoopTurns::apart(const Expr *begin, const Expr *end) {
  std::vector<const Expr *> begins, ends;
  possible(begin, begins);
  possible(end, ends);
  std::optional<double> result;
  for (const Expr *to : ends) {
    const auto [last, above] = apartFromNumbers(to);
    for (const Expr *from : begins) {
      const auto [first, below] = apartFromNumbers(from);
      if (!isa<IntLit>(first) && equal(first, last) && above >= below)
        result = std::min(result.value_or(HUGE_VAL), above - below);
    }
  }
  return result;
}

} // namespace tangram
