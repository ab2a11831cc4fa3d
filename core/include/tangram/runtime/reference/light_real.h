// Numbers of a light reference, in the place of bounded_real.h and bounded_functions.h: each is computed in a wider
// type and, beside that, in the kernel's own. What both differ by is a sample of what roundings do to results, and no
// bound; it takes a twelfth of the time. Where they do not differ, of whole numbers say, nothing was rounded, or
// roundings have cancelled out: 1 / 3 * 3 is 1 in both, and 1 / (1 - 1 / 3 * 3) infinite, but not where a product is
// added without being rounded. So nothing is known of a number that became infinite or NaN after something was rounded,
// nor of what is computed of it.
#pragma once

#include <tangram/runtime/kernel_abi.h>
#include <tangram/runtime/reference/compound_operators.h>
#include <tangram/runtime/reference/decisions.h>
#include <tangram/runtime/reference/formats.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#define TANGRAM_REFERENCE_CALL // operations are a few instructions each

namespace tangram::reference {

enum class Known : std::uint8_t { Exact, Rounded, Lost };

template <class T> class Real : public CompoundOperators<Real<T>> {
public:
  using Wide = typename Traits<T>::Wide;
  static constexpr double u = 1.0 / static_cast<double>(std::uint64_t{1} << Traits<T>::mantissa);

  Real() : Real(T{0}) {}
  Real(T x) : value(x), own(x) {}
  template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
  Real(I x) : value(static_cast<Wide>(x)), own(static_cast<T>(x)) {}
  explicit Real(std::conditional_t<std::is_same_v<T, float>, double, float> x) : Real(static_cast<T>(x)) {}
  template <class U, std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
  explicit Real(const Real<U> &x) : Real(static_cast<Wide>(x.value), static_cast<T>(x.own), x.known) {}
  /// `from`: what is known of the numbers that it was computed of.
  Real(Wide v, T o, Known from) : value(v), own(o), known(from) {
    if (known == Known::Exact && !agree()) known = Known::Rounded;
    if (known == Known::Rounded && !std::isfinite(static_cast<Wide>(own))) known = Known::Lost;
  }

  Wide value;
  T own;
  Known known = Known::Exact;

  Real settled() const { return *this; }
  double off() const { return std::abs(static_cast<double>(value - static_cast<Wide>(own))); }

  /// Whether both come to the same.
  bool agree() const { return value == static_cast<Wide>(own) || (value != value && own != own); }

  void add(const Real &y) { *this = Real(value + y.value, static_cast<T>(own + y.own), tell(*this, y)); }
  friend Real operator*(const Real &x, const Real &y) {
    return {x.value * y.value, static_cast<T>(x.own * y.own), tell(x, y)};
  }
  friend Real operator/(const Real &x, const Real &y) {
    return {x.value / y.value, static_cast<T>(x.own / y.own), tell(x, y)};
  }
  Real operator-() const { return {-value, static_cast<T>(-own), known}; }

  friend bool operator<(const Real &x, const Real &y) { return decided(x, y, x.own < y.own); }
  friend bool operator>(const Real &x, const Real &y) { return decided(x, y, x.own > y.own); }
  friend bool operator<=(const Real &x, const Real &y) { return decided(x, y, x.own <= y.own); }
  friend bool operator>=(const Real &x, const Real &y) { return decided(x, y, x.own >= y.own); }
  friend bool operator==(const Real &x, const Real &y) { return decided(x, y, x.own == y.own); }
  friend bool operator!=(const Real &x, const Real &y) { return decided(x, y, x.own != y.own); }

  template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0> explicit operator I() const {
    if constexpr (std::is_same_v<I, bool>) {
      return *this != Real(0);
    } else {
      const double e = doubt();
      const Wide low = std::trunc(value - static_cast<Wide>(e)), high = std::trunc(value + static_cast<Wide>(e));
      const Wide mine = std::trunc(static_cast<Wide>(own));
      if (!(low < high)) return integer<I>(mine);
      const bool up = mine > low;
      return integer<I>(call.answer(up) == up ? mine : up ? low : high);
    }
  }

  /// Whether it is a number in every right plan, and no NaN.
  friend bool isKnownNumber(const Real &x) { return x.value == x.value && x.known != Known::Lost; }
  friend double size(const Real &x) { return std::abs(static_cast<double>(x.value)); }

  /// What is known of the result of an operation: of one that is infinite or NaN for certain all, whatever the other is
  /// rounded to, unless that may be infinite, NaN or zero.
  friend Known tell(const Real &x, const Real &y) {
    const Known worse = std::max(x.known, y.known);
    if (x.known == y.known || (x.known != Known::Exact && y.known != Known::Exact)) return worse;
    const Wide certain = x.known == Known::Exact ? x.value : y.value,
               other = x.known == Known::Exact ? y.value : x.value;
    if (certain != certain) return Known::Exact;
    return worse == Known::Rounded && std::isinf(certain) && other != 0 ? Known::Exact : worse;
  }

private:
  /// As far from it as another order of the same may be, most likely.
  double doubt() const {
    constexpr double many = 64, few = 16;
    if (known == Known::Lost) return std::numeric_limits<double>::infinity();
    const double by = off();
    return by == 0 ? 0 : many * by + few * u * size(*this);
  }
  static bool decided(const Real &x, const Real &y, bool own) {
    const double doubt = x.doubt() + y.doubt();
    if (doubt == 0 || std::abs(static_cast<double>(x.value - y.value)) > doubt) return own;
    return call.answer(own);
  }
  template <class I> static I integer(Wide v) {
    if (!(v > static_cast<Wide>(std::numeric_limits<I>::min()))) return std::numeric_limits<I>::min();
    if (!(v < static_cast<Wide>(std::numeric_limits<I>::max()))) return std::numeric_limits<I>::max();
    return static_cast<I>(v);
  }
};

template <class T, class F> Real<T> apply(const Real<T> &x, F f, double) {
  return {f(x.value), static_cast<T>(f(x.own)), x.known};
}
template <class T, class F> Real<T> apply(const Real<T> &x, const Real<T> &y, F f, double) {
  return {f(x.value, y.value), static_cast<T>(f(x.own, y.own)), tell(x, y)};
}
template <class T, class F> Real<T> periodic(const Real<T> &x, F f) { return apply(x, f, 0); }
template <class T> Real<T> extremum(const Real<T> &x, const Real<T> &y, bool first) { return first ? x : y; }

/// What it differs by stands in the place of a bound.
template <class T> tangram_reference_element describe(const Real<T> &x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double value = static_cast<double>(x.value), own = static_cast<double>(x.own);
  if (x.known == Known::Lost) return {value, infinity};
  if (value == own || (value != value && own != own)) return {value, 0};
  const double off = x.off();
  return {value, off == off ? off : infinity};
}

template <class T> bool classified(const Real<T> &, bool own) { return own; }

} // namespace tangram::reference
