#include "LoopsAround.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <cmath>

namespace tangram {

using namespace ast;

void LoopsAround::setSpan(const std::string &counter, double span) {
  variableSpans_.clear();
  spans_[counter] = span;
}

void LoopsAround::setSpans(Spans spans) {
  spans_ = std::move(spans);
  variableSpans_.clear();
}

std::optional<double> LoopsAround::span(const Expr *e) {
  e = withoutCasts(e);
  switch (exprKind(*e)) {
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(e)->name;
    if (auto it = spans_.find(name); it != spans_.end()) return it->second;
    if (containers_.isLoaded(name)) return {};
    if (auto known = variableSpans_.find(name); known != variableSpans_.end()) return known->second;
    const Declare *d = source_.declared(name);
    variableSpans_[name] = 0; // while it is being found
    return variableSpans_[name] = d && d->init ? span(d->init) : 0;
  }
  case ExprKind::CoopIdx: return std::max(1.0, static_cast<double>(lanes_)) - 1;
  case ExprKind::Binary: {
    const auto *n = as<Binary>(e);
    const std::optional<double> left = span(n->lhs), right = span(n->rhs);
    if (!left || !right) return {};
    switch (n->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return *left + *right;
    case BinaryOp::Mul:
      return *right == 0 ? *left * std::abs(numbers_(n->rhs).value_or(1))
                         : *right * std::abs(numbers_(n->lhs).value_or(1));
    case BinaryOp::Div: return std::floor(*left / std::max(1.0, std::abs(numbers_(n->rhs).value_or(1))));
    case BinaryOp::Rem: return std::min(*left, std::max(1.0, std::abs(numbers_(n->rhs).value_or(HUGE_VAL))) - 1);
    default: return *left + *right;
    }
  }
  case ExprKind::Subscript: {
    if (!containers_.isRange(*as<Subscript>(e))) return {};
    const std::optional<double> index = span(as<Subscript>(e)->indices[0]);
    const std::optional<double> step = containers_.rangeStep(*containerOf(e));
    return index && step ? *index * *step : index;
  }
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Unary:
  case ExprKind::Assign:
  case ExprKind::Conditional:
  case ExprKind::Cast:
  case ExprKind::Call:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  double widest = 0;
  for (const Node *child : children(*e))
    if (const auto *part = dyn<Expr>(child)) {
      const std::optional<double> inner = span(part);
      if (!inner) return {};
      widest = std::max(widest, *inner);
    }
  return widest;
}

bool LoopsAround::dependsOn(const Expr *e, const std::string &counter) const {
  if (counter.empty()) return true;
  const std::vector<std::string> &reached = source_.reached(e).variables;
  return std::any_of(reached.begin(), reached.end(), [&](const std::string &name) {
    if (name == counter) return true;
    if (!source_.changes(name)) return false;
    if (!spans_.count(name)) return true;
    // A counter of another loop stays where it is, but where that begins.
    const Declare *d = source_.declared(name);
    return d && d->init && dependsOn(d->init, counter);
  });
}

bool LoopsAround::follows(const Expr *index, const std::string &counter) const {
  if (containers_.loads(index)) return false;
  const CodeletSource::Parts &parts = source_.parts(index);
  if (std::any_of(parts.variables.begin(), parts.variables.end(), [&](auto *v) { return v->name == counter; }))
    return true;
  const std::vector<std::string> &reached = source_.reached(index).variables;
  // A place that is looked for by halves moves otherwise.
  const bool steady = std::all_of(reached.begin(), reached.end(), [&](const std::string &name) {
    return name == counter || !source_.changes(name) || spans_.count(name);
  });
  return steady && !containers_.isData(index) && std::find(reached.begin(), reached.end(), counter) != reached.end();
}

bool LoopsAround::isConstant(const Expr *e) {
  e = withoutCasts(e);
  if (const auto *v = dyn<VarRef>(e)) {
    auto [known, fresh] = constants_.try_emplace(v->name, false);
    const Declare *d = source_.declared(v->name);
    if (!fresh || !d) return known->second;
    if (d->tunable) return known->second = true; // of the code that is made of it
    if (!d->init || source_.changes(v->name)) return false;
    return constants_[v->name] = isConstant(d->init);
  }
  if (const auto *n = dyn<Binary>(e)) return isConstant(n->lhs) && isConstant(n->rhs);
  if (const auto *n = dyn<Conditional>(e))
    return isConstant(n->cond) && isConstant(n->then) && isConstant(n->otherwise);
  return isa<IntLit>(e) || isa<FloatLit>(e) || isa<CoopDim>(e);
}

bool LoopsAround::isUnrolled(const Expr *e) {
  const CodeletSource::Parts &parts = source_.parts(e);
  return !parts.lane && !parts.loads && std::all_of(parts.variables.begin(), parts.variables.end(), [&](auto *v) {
    if (isConstant(v)) return true;
    auto loop = std::find_if(loops_.begin(), loops_.end(), [&](const Loop &l) { return l.counter == v->name; });
    return loop != loops_.end() && loop->writtenOut;
  });
}

bool LoopsAround::isRegister(const std::string &name, const Expr *e) {
  const AccessWork *access = containers_.find(&name);
  if (!access || access->parameter || access->elements > kSmallArray) return false;
  const auto *s = dyn<Subscript>(withoutCasts(e));
  return s && std::all_of(s->indices.begin(), s->indices.end(), [&](const Expr *index) { return isUnrolled(index); });
}

} // namespace tangram
