#include "ClosedForms.h"

#include <algorithm>
#include <utility>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr int kUnknown = -2;

} // namespace

ClosedForms::ClosedForms(const LinearForms &forms, const std::vector<WrappedCounter> &counters, Arena &arena, Type wide)
    : forms_(forms), counters_(counters), build_(arena), wide_(std::move(wide)) {}

int ClosedForms::added(const WrappedCounter &c, std::size_t at) const {
  return c.driver == kNone ? at > c.added : brought(counters_[c.driver], at);
}

int ClosedForms::brought(const WrappedCounter &c, std::size_t at) const {
  if (at > c.brought) return added(c, c.brought + 1);
  return c.added <= c.brought ? added(c, 0) : kUnknown;
}

bool ClosedForms::isKnown(const WrappedCounter &c, std::size_t at) const {
  const int least = std::min(added(c, at), c.wraps ? brought(c, at) : added(c, at));
  for (const WrappedCounter *d = &c; d; d = driverOf(*d))
    if ((d->early && least < 1) || (d == &c && d->late != kNone && at > d->brought && at <= d->late)) return false;
  return least != kUnknown;
}

const WrappedCounter *ClosedForms::driverOf(const WrappedCounter &c) const {
  return c.driver == kNone ? nullptr : &counters_[c.driver];
}

const Expr *ClosedForms::value(const WrappedCounter &c, const Expr *turns, int added, int brought) const {
  if (!c.wraps) {
    const Type type = typeOf(c, turns);
    const Expr *by = build_.mul(events(c, turns, added, type), forms_.expression(c.step, type));
    const Expr *result = c.first.value() == Wide{0} ? by : build_.add(forms_.expression(c.first, type), by);
    // Signed integers that are not converted do not overflow.
    const bool fits = c.type.isSigned() && c.type.bytes() >= 4;
    return fits ? build_.exactCast(c.type, result) : build_.cast(c.type, result);
  }
  const Expr *distance = build_.rem(total(c, turns, brought), size(c));
  if (c.units) distance = build_.mul(distance, forms_.expression(c.step, wide_));
  const Expr *result = c.direction < 0              ? build_.sub(forms_.expression(c.last(), wide_), distance)
                       : c.least.value() == Wide{0} ? distance
                                                    : build_.add(forms_.expression(c.least, wide_), distance);
  if (added != brought) {
    const Expr *step = forms_.expression(c.step, wide_);
    const Expr *more =
        c.driver == kNone ? nullptr : build_.sub(events(c, turns, added, wide_), events(c, turns, brought, wide_));
    result = build_.add(result, more ? build_.mul(more, step) : step);
  }
  return build_.exactCast(c.type, result);
}

const Expr *ClosedForms::counted(const Type &type, const Expr *number) const {
  return type.bytes() == 8 ? build_.exactCast(type, number) : build_.cast(type, number);
}

const Expr *ClosedForms::events(const WrappedCounter &c, const Expr *turns, int more, const Type &type) const {
  if (c.driver != kNone) return counted(type, wraps(counters_[c.driver], turns, more));
  const Expr *k = counted(type, turns);
  return more < 0 ? build_.sub(k, build_.integer(type, -more)) : build_.add(k, build_.integer(type, more));
}

const Expr *ClosedForms::total(const WrappedCounter &c, const Expr *turns, int more) const {
  if (c.units) return events(c, turns, more, wide_);
  const LinearForm step = c.far();
  LinearForm before = c.begun();
  const Expr *times = nullptr;
  if (c.driver == kNone && (step.value() || more == 0)) { // constants together
    times = counted(wide_, turns);
    before = before + step * more;
  } else {
    times = events(c, turns, more, wide_);
  }
  const Expr *by = build_.mul(times, forms_.expression(step, wide_));
  if (before == LinearForm{}) return by;
  const std::optional<Wide> number = before.value();
  if (number && *number < 0) return build_.sub(by, build_.integer(wide_, static_cast<Int>(-*number)));
  return number ? build_.add(by, forms_.expression(before, wide_)) : build_.add(forms_.expression(before, wide_), by);
}

const Expr *ClosedForms::size(const WrappedCounter &c) const {
  if (!c.units) return forms_.expression(c.size, wide_);
  return build_.div(forms_.expression(c.size + c.step - LinearForm::of(1), wide_), forms_.expression(c.step, wide_));
}

const Expr *ClosedForms::wraps(const WrappedCounter &c, const Expr *turns, int more) const {
  return build_.div(total(c, turns, more), size(c));
}

Type ClosedForms::typeOf(const WrappedCounter &c, const Expr *turns) const {
  if (c.type.bytes() < 4) return c.type.isSigned() ? Scalar::I64 : Scalar::U64;
  if (!c.type.isSigned() || c.type.bytes() == 8) return c.type;
  const Type &counts = c.driver == kNone ? turns->type : wide_;
  const std::optional<TypeLimits> by = forms_.limits(c.step);
  const bool rises =
      by && by->least >= 0 && by->greatest <= TypeLimits::of(c.type).greatest && c.first.value().value_or(-1) >= 0;
  // From 0 on the product is what the counter is, which fits its type.
  const bool fits = rises || c.first.value() == Wide{0} || c.step.value() == Wide{1};
  return counts == c.type && fits ? c.type : Type(Scalar::I64);
}

} // namespace tangram::nest
