// The math library, of numbers that are followed.
#pragma once

#include <tangram/runtime/reference/real.h>

#include <cmath>
#include <functional>

namespace tangram::reference {

#define TANGRAM_REFERENCE_FUNCTION(name, ulps)                                                                         \
  template <class T> Real<T> name(const Real<T> &x) {                                                                  \
    return apply(x, [](auto v) { return std::name(v); }, ulps);                                                        \
  }                                                                                                                    \
  inline Real<float> name##f(const Real<float> &x) { return name(x); }
#define TANGRAM_REFERENCE_FUNCTION2(name, ulps)                                                                        \
  template <class T> Real<T> name(const Real<T> &x, const Real<T> &y) {                                                \
    return apply(x, y, [](auto v, auto w) { return std::name(v, w); }, ulps);                                          \
  }                                                                                                                    \
  inline Real<float> name##f(const Real<float> &x, const Real<float> &y) { return name(x, y); }
TANGRAM_REFERENCE_FUNCTION(acos, 4)
TANGRAM_REFERENCE_FUNCTION(acosh, 4)
TANGRAM_REFERENCE_FUNCTION(asin, 4)
TANGRAM_REFERENCE_FUNCTION(asinh, 4)
TANGRAM_REFERENCE_FUNCTION(atan, 5)
TANGRAM_REFERENCE_FUNCTION(atanh, 5)
TANGRAM_REFERENCE_FUNCTION(cbrt, 4)
TANGRAM_REFERENCE_FUNCTION(ceil, 0)
TANGRAM_REFERENCE_FUNCTION(cosh, 4)
TANGRAM_REFERENCE_FUNCTION(erf, 16)
TANGRAM_REFERENCE_FUNCTION(erfc, 16)
TANGRAM_REFERENCE_FUNCTION(exp, 4)
TANGRAM_REFERENCE_FUNCTION(exp2, 4)
TANGRAM_REFERENCE_FUNCTION(expm1, 4)
TANGRAM_REFERENCE_FUNCTION(fabs, 0)
TANGRAM_REFERENCE_FUNCTION(floor, 0)
TANGRAM_REFERENCE_FUNCTION(lgamma, 1000) // not said
TANGRAM_REFERENCE_FUNCTION(log, 4)
TANGRAM_REFERENCE_FUNCTION(log10, 4)
TANGRAM_REFERENCE_FUNCTION(log1p, 4)
TANGRAM_REFERENCE_FUNCTION(log2, 4)
TANGRAM_REFERENCE_FUNCTION(rint, 0)
TANGRAM_REFERENCE_FUNCTION(round, 0)
TANGRAM_REFERENCE_FUNCTION(sinh, 4)
TANGRAM_REFERENCE_FUNCTION(sqrt, 3)
TANGRAM_REFERENCE_FUNCTION(tan, 5)
TANGRAM_REFERENCE_FUNCTION(tanh, 5)
TANGRAM_REFERENCE_FUNCTION(tgamma, 16)
TANGRAM_REFERENCE_FUNCTION(trunc, 0)
TANGRAM_REFERENCE_FUNCTION2(atan2, 6)
TANGRAM_REFERENCE_FUNCTION2(copysign, 0)
TANGRAM_REFERENCE_FUNCTION2(fmod, 0)
TANGRAM_REFERENCE_FUNCTION2(hypot, 4)
TANGRAM_REFERENCE_FUNCTION2(pow, 16)
#undef TANGRAM_REFERENCE_FUNCTION
#undef TANGRAM_REFERENCE_FUNCTION2

template <class T> Real<T> sin(const Real<T> &x) {
  return periodic(x, [](auto v) { return std::sin(v); });
}
template <class T> Real<T> cos(const Real<T> &x) {
  return periodic(x, [](auto v) { return std::cos(v); });
}
inline Real<float> sinf(const Real<float> &x) { return sin(x); }
inline Real<float> cosf(const Real<float> &x) { return cos(x); }

/// `compare(x, y) == first ? x : y`: however close both are, the result is as close to either.
template <class Compare, bool first, class T> Real<T> oneOf(const Real<T> &x, const Real<T> &y) {
  if (!isKnownNumber(x) || !isKnownNumber(y)) return Compare()(x, y) == first ? x : y;
  return extremum(x, y, Compare()(x.value, y.value) == first);
}
template <class T> Real<T> fmin(const Real<T> &x, const Real<T> &y) {
  return extremum(x, y, x.value < y.value || y.value != y.value);
}
template <class T> Real<T> fmax(const Real<T> &x, const Real<T> &y) {
  return extremum(x, y, x.value > y.value || y.value != y.value);
}
template <class T> Real<T> fdim(const Real<T> &x, const Real<T> &y) { return fmax(x - y, Real<T>(0)); }
template <class T> Real<T> fma(const Real<T> &x, const Real<T> &y, const Real<T> &z) { return x * y + z; }
template <class T> Real<T> abs(const Real<T> &x) { return fabs(x); }
inline Real<float> fminf(const Real<float> &x, const Real<float> &y) { return fmin(x, y); }
inline Real<float> fmaxf(const Real<float> &x, const Real<float> &y) { return fmax(x, y); }
inline Real<float> fdimf(const Real<float> &x, const Real<float> &y) { return fdim(x, y); }
inline Real<float> fmaf(const Real<float> &x, const Real<float> &y, const Real<float> &z) { return fma(x, y, z); }
template <class T> bool isnan(const Real<T> &x) { return classified(x, std::isnan(x.own)); }
template <class T> bool isinf(const Real<T> &x) { return classified(x, std::isinf(x.own)); }
template <class T> bool isfinite(const Real<T> &x) { return classified(x, std::isfinite(x.own)); }

} // namespace tangram::reference
