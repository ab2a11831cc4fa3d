// What functions make of numbers that know how far from them right ones may be.
#pragma once

#include <tangram/runtime/kernel_abi.h>
#include <tangram/runtime/reference/bounded_real.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tangram::reference {

inline constexpr double kFewUlps = 2; // that all that was rounded may be off by

/// How far two results are from one another: none where both are the same infinity or no number.
template <class W> double apart(W x, W y) {
  if (x == y || (x != x && y != y)) return 0;
  const double by = static_cast<double>(std::abs(x - y));
  return by == by ? by : std::numeric_limits<double>::infinity();
}

/// A function of one number: `ulps` is how far math libraries may be from it (OpenCL 1.2, section 7.4, and at least the
/// 4 of vector libraries).
template <class T, class F> TANGRAM_REFERENCE_CALL Real<T> apply(const Real<T> &x, F f, double ulps) {
  using Wide = typename Real<T>::Wide;
  Wide v = f(x.value);
  Real<T> r(v, static_cast<T>(f(x.own)), std::abs(static_cast<double>(v)));
  r.generation = x.generation;
  auto spread = [&](double e) {
    if (!(e > 0)) return 0.0;
    if (std::isinf(e)) return e;
    return std::max(apart(v, f(x.value - e)), apart(v, f(x.value + e)));
  };
  const double likely = x.bound(), most = x.worstCase();
  r.carried = spread(likely);
  r.worst = most > likely ? std::max(spread(most), r.carried) : r.carried;
  if (ulps == 0 && r.worst == 0) {
    r.grid = gridOf(static_cast<T>(v));
    return r;
  }
  if (r.special()) {
    r.settleSpecial(r.worst == 0);
    return r;
  }
  r.round(ulps * 2 * Real<T>::u * r.magnitude + Real<T>::tiny(v));
  r.leaveRange();
  return r;
}

/// The same of two.
template <class T, class F> TANGRAM_REFERENCE_CALL Real<T> apply(const Real<T> &x, const Real<T> &y, F f, double ulps) {
  using Wide = typename Real<T>::Wide;
  Wide v = f(x.value, y.value);
  Real<T> r(v, static_cast<T>(f(x.own, y.own)), std::abs(static_cast<double>(v)));
  r.generation = std::max(x.generation, y.generation);
  auto spread = [&](double ex, double ey) {
    double most = 0;
    if (std::isinf(ex + ey)) return ex + ey;
    if (ex > 0 || ey > 0)
      for (int corner = 0; corner < 4; ++corner) {
        Wide at = f(corner & 1 ? x.value + ex : x.value - ex, corner & 2 ? y.value + ey : y.value - ey);
        most = std::max(most, apart(v, at));
      }
    return most;
  };
  r.carried = spread(x.bound(), y.bound());
  r.worst = std::max(spread(x.worstCase(), y.worstCase()), r.carried);
  if (ulps == 0 && r.worst == 0) {
    r.grid = gridOf(static_cast<T>(v));
    return r;
  }
  if (r.special()) {
    r.settleSpecial(r.worst == 0);
    return r;
  }
  r.round(ulps * 2 * Real<T>::u * r.magnitude + Real<T>::tiny(v));
  r.leaveRange();
  return r;
}

/// Between x - e and x + e they may have been anywhere.
template <class T, class F> Real<T> periodic(const Real<T> &x, F f) {
  Real<T> middle(x.value, x.own, x.magnitude);
  middle.generation = x.generation;
  Real<T> r = apply(middle, f, 4);
  if (r.exact() && r.special()) return r.settleSpecial(x.exact()), r;
  r.carried += std::min(x.bound(), 2.0);
  r.worst += std::min(x.worstCase(), 2.0);
  return r;
}

/// One of the two; where roundings decide which, it is no farther away than either may be.
template <class T> Real<T> extremum(const Real<T> &x, const Real<T> &y, bool first) {
  Real<T> r = first ? x : y;
  double distance = std::abs(static_cast<double>(x.value - y.value));
  if (!(distance > x.bound() + y.bound()) && !(x.exact() && y.exact())) {
    r = r.settled();
    r.carried = std::max(x.bound(), y.bound());
    r.worst = std::max(x.worstCase(), y.worstCase());
  }
  return r;
}
/// Whether it is a number: as roundings may have it, where these may make it one or none.
template <class T> bool classified(const Real<T> &x, bool own) {
  return x.exact() || x.bound() < std::numeric_limits<double>::infinity() ? own : call.answer(own);
}

template <class T> tangram_reference_element describe(const Real<T> &x) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), most = Traits<T>::most;
  double value = static_cast<double>(x.value);
  if (x.exact()) return {value, 0};
  double bound = x.bound();
  // What overflows in one order need not in another.
  if (!std::isfinite(static_cast<double>(x.own)) || !(bound < most) || x.magnitude > most) return {value, infinity};
  // Another way to the same number rounds once more: x * (x - 1) and x * x - x.
  bound = std::max(bound, kFewUlps * 2 * Real<T>::u * std::abs(value));
  return {value, bound + std::numeric_limits<double>::epsilon() * std::abs(value)};
}

} // namespace tangram::reference
