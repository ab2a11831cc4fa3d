// Numbers in a wider type, each of which knows how far from it the result of a right plan may be.
//
// A plan may add in any order, fuse products with sums, multiply by rsqrt(x) where the kernel divides by sqrt(x) (whose
// bounds, added up, are twice as large), and take its functions from any math library within OpenCL's bounds. What that
// can change is followed operation by operation (running error analysis: Higham, Accuracy and Stability of Numerical
// Algorithms, 3.3), with
//   u        the unit roundoff of the type that the kernel is written in,
//   m        the sum of the absolute values that were added, which bounds every partial sum in every order.
// An addition is off by u times its partial sum, in the order that makes these largest: that adds up to a worst case,
// and its square to a variance: roundings of one sum are many and have no common cause, so that they add up like the
// square root of their number (Higham and Mary, SIAM J. Sci. Comput. 41, 2019). What an operand brings along may have a
// common cause and adds up linearly. Roundings of one sum that do have one (the same number is added again and again)
// show by the addends themselves, of which a sketch says how often they are alike, and in the plainest order, which is
// computed as well; so the worst case is kept beside what is likely, through all that is done with a sum. Where
// everything is a multiple of a power of two, and what can be added up, in any order, is small enough for the type,
// nothing is rounded: such results are exact. A NaN or an infinity that roundings have nothing to do with is exact as
// well; one that they may turn into a number, or another way round, is known of with no bound at all.
// docs/verification.md has the reasoning.
#pragma once

#include <tangram/runtime/reference/alike.h>
#include <tangram/runtime/reference/compound_operators.h>
#include <tangram/runtime/reference/decisions.h>
#include <tangram/runtime/reference/formats.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Operations are calls: written out, a kernel of a few hundred of them takes a compiler minutes, and is slower.
#define TANGRAM_REFERENCE_CALL [[gnu::noinline]]

namespace tangram::reference {

template <class T> class Real : public CompoundOperators<Real<T>> {
public:
  using Wide = typename Traits<T>::Wide;
  static constexpr std::uint32_t kExactByChance = 8;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double u = 1.0 / static_cast<double>(std::uint64_t{1} << Traits<T>::mantissa);

  Real() : Real(T{0}) {}
  Real(T x) : value(x), own(x), grid(gridOf(x)), magnitude(std::abs(static_cast<double>(x))), largest(magnitude) {}
  template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0> Real(I x) : Real(static_cast<T>(x)) {
    if (static_cast<Wide>(x) == value) return;
    value = static_cast<Wide>(x);
    carried = worst = u * magnitude;
  }
  explicit Real(std::conditional_t<std::is_same_v<T, float>, double, float> x) : Real(static_cast<T>(x)) {}
  template <class U, std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
  explicit Real(const Real<U> &x)
      : value(static_cast<Wide>(x.value)), own(static_cast<T>(x.own)), grid(x.grid), magnitude(x.magnitude),
        carried(x.bound()), worst(x.worstCase()), largest(x.magnitude), generation(x.generation) {
    // A sum that happens to be exact in this order need not be so in another one.
    const bool inAnyOrder = x.sums == 0 || reach() < powerOfTwo(grid + Traits<T>::mantissa);
    if (sizeof(T) > sizeof(U) || (x.exact() && inAnyOrder && static_cast<Wide>(static_cast<T>(x.value)) == value))
      return;
    // A sum that was rounded before is so at each partial sum of another order, `float += float * double`: parts that
    // are combined in pairs are rounded whenever what they cover doubles, but the few times that still change them.
    const double partial = x.exact() && !inAnyOrder ? magnitude : std::abs(static_cast<double>(value));
    const double rounding = u * partial + 3 * std::min(u * magnitude, carried) + tiny(value);
    carried += rounding;
    worst += rounding;
    becomeOne();
    leaveRange();
  }

  Wide value;
  T own;    // the plainest order, rounded as the kernel's type is
  int grid; // where exact: a multiple of 2^grid
  double magnitude;
  double carried = 0, worst = 0; // error that operands brought along: what is likely, at most
  double largest;                // of what was added
  std::uint32_t additions = 0;   // since, of anything but zeros
  std::uint32_t sums = 0;        // all additions that it is made of, also where they were exact
  bool rounded = false;          // by any of them
  std::uint32_t generation = 0;  // how often what it is computed of was stored
  Alike alike;                   // of a sum, its addends

  bool exact() const { return worst == 0 && !rounded; }
  /// How far from `value` a right plan may be. A rounding is uniform in its range: 4 times the root is 7 deviations.
  double bound() const {
    if (exact()) return 0;
    const double off = std::abs(static_cast<double>(value - static_cast<Wide>(own)));
    // Roundings that do have a common cause show in the plainest order.
    if (!rounded) return std::min(std::max(carried, 4 * off), worst);
    const Partial sums = partial();
    const double chain = u * magnitude * sums.sum;
    const double likely = std::min(4 * u * magnitude * std::sqrt(sums.squares * repetition()), chain);
    return std::min(std::max(carried + likely, 4 * off), worst + chain);
  }
  /// The same where all roundings have a common cause.
  double worstCase() const { return rounded ? worst + u * magnitude * partial().sum : worst; }
  /// Before it is stored where several may read it: roundings that they then share add up linearly.
  TANGRAM_REFERENCE_CALL Real settled() const {
    // What is off by so much says nothing, and shall not overflow.
    const double most = std::max(1e18 * size(*this), 1e9);
    Real r = *this;
    r.carried = bound();
    r.worst = worstCase();
    if (r.worst < kInfinity) {
      r.carried = std::min(r.carried, most);
      r.worst = std::min(r.worst, most);
    }
    r.generation += r.generation < UINT32_MAX;
    r.largest = magnitude;
    r.additions = 0;
    if (!exact()) r.sums = 0;
    r.rounded = false;
    return r;
  }
  /// Whether the type holds numbers of that size without a loss.
  static bool normal(Wide v) { return v == 0 || (std::abs(v) >= Traits<T>::least && std::abs(v) <= Traits<T>::most); }
  /// What happens to subnormal results.
  static double tiny(Wide v) { return std::abs(v) < Traits<T>::least ? Traits<T>::underflow : 0; }

  /// `y` may be this number itself.
  TANGRAM_REFERENCE_CALL void add(const Real &y) {
    // What is added to a sum in memory, S[i] += x, may be added in any order. Where x is computed of what was stored as
    // late as S[i] was, as in steps of time, it may not.
    if (y.isOne() && y.generation <= generation && y.magnitude > y.extent()) {
      Real one = y;
      one.becomeOne();
      return add(one);
    }
    if (isOne() && generation <= y.generation && &y != this) becomeOne();
    const double most = std::max(largest, y.largest), addend = std::max(this->addend(), y.addend());
    const bool none = magnitude == 0 || y.magnitude == 0; // zero changes nothing, in any order
    if (!none) {
      Alike all = addends();
      all += y.addends();
      alike = all;
    } else if (magnitude == 0) {
      alike = y.alike;
    }
    const auto limited = [](std::uint64_t n) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, UINT32_MAX));
    };
    additions = limited(std::uint64_t{additions} + y.additions + (none ? 0 : 1));
    sums = limited(std::uint64_t{sums} + y.sums + (none ? 0 : 1));
    const bool special = !std::isfinite(value + y.value) || !(worst + y.worst < kInfinity);
    const bool certain = special && (isNaN(*this) || isNaN(y) || (known(*this) && known(y)));
    value += y.value;
    own = static_cast<T>(own + y.own);
    magnitude += y.magnitude;
    carried += y.carried;
    worst += y.worst;
    rounded |= y.rounded;
    if (exact()) {
      grid = std::min(grid, y.grid);
      if (reach() < powerOfTwo(grid + Traits<T>::mantissa) && reach() <= Traits<T>::most) {
        // A few may be exact by chance, and would not be in another order. Many are by design: whole numbers.
        additions = std::min(additions, kExactByChance);
        largest = most;
        generation = std::max(generation, y.generation);
        return;
      }
    }
    largest = addend;
    generation = std::max(generation, y.generation);
    rounded |= additions > 0;
    if (special) settleSpecial(certain);
    leaveRange();
  }
  TANGRAM_REFERENCE_CALL friend Real operator*(const Real &x, const Real &y) {
    Real r(x.value * y.value, x.own * y.own, x.magnitude * y.magnitude);
    r.generation = std::max(x.generation, y.generation);
    r.sums = x.sums + std::min(y.sums, UINT32_MAX - x.sums);
    const bool exact = x.exact() && y.exact();
    r.alike = x.sums ? x.alike : y.alike;
    if (exact) {
      r.grid = x.grid + y.grid;
      if (r.reach() < powerOfTwo(r.grid + Traits<T>::mantissa) && normal(r.value)) return r;
    }
    // Each addend of a factor that is a sum may be multiplied by itself: then the product is one of as many.
    const bool first = x.rounded || (exact && x.sums), second = y.rounded || (exact && y.sums);
    if (first != second) {
      r.distribute(first ? x : y, first ? y : x);
    } else {
      if (!exact) r.spread(x, x.bound(), x.worstCase(), y);
      r.sums = 0;
    }
    r.round(u * x.magnitude * y.magnitude + tiny(r.value));
    if (first == second) r.becomeOne();
    if (r.special()) r.settleSpecial(isNaN(x) || isNaN(y) || (signKnown(x) && signKnown(y)));
    r.leaveRange();
    return r;
  }
  TANGRAM_REFERENCE_CALL friend Real operator/(const Real &x, const Real &y) {
    Real r(x.value / y.value, x.own / y.own, x.magnitude / size(y));
    r.generation = std::max(x.generation, y.generation);
    if (!x.exact() || !y.exact()) {
      auto spread = [&](double ex, double ey) {
        return ey < size(y) ? (ex + size(r) * ey) / (size(y) - ey) : kInfinity;
      };
      r.carried = spread(x.bound(), y.bound());
      r.worst = spread(x.worstCase(), y.worstCase());
    } else if (representable(r.value) && normal(r.value) && r.value * y.value == x.value) {
      r.grid = gridOf(static_cast<T>(r.value));
      return r;
    }
    r.round(5 * u * r.magnitude + tiny(r.value)); // OpenCL: 2.5 ulp
    r.becomeOne();
    if (r.special()) r.settleSpecial(isNaN(x) || isNaN(y) || (signKnown(x) && signKnown(y)));
    r.leaveRange();
    return r;
  }
  Real operator-() const {
    Real r = *this;
    r.value = -value;
    r.own = -own;
    return r;
  }

  friend bool operator<(const Real &x, const Real &y) { return decided(x, y, x.value < y.value, x.own < y.own); }
  friend bool operator>(const Real &x, const Real &y) { return decided(x, y, x.value > y.value, x.own > y.own); }
  friend bool operator<=(const Real &x, const Real &y) { return decided(x, y, x.value <= y.value, x.own <= y.own); }
  friend bool operator>=(const Real &x, const Real &y) { return decided(x, y, x.value >= y.value, x.own >= y.own); }
  friend bool operator==(const Real &x, const Real &y) { return decided(x, y, x.value == y.value, x.own == y.own); }
  friend bool operator!=(const Real &x, const Real &y) { return decided(x, y, x.value != y.value, x.own != y.own); }

  /// Of a number so close to an integer that roundings decide: either neighbour.
  template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0> explicit operator I() const {
    if constexpr (std::is_same_v<I, bool>) {
      return *this != Real(0);
    } else {
      double e = bound();
      Wide low = std::trunc(value - e), high = std::trunc(value + e);
      if (std::isinf(e)) low = -e, high = e; // also of no number
      if (!(low < high)) return integer<I>(std::trunc(value));
      const Wide plainest = std::clamp(static_cast<Wide>(std::trunc(static_cast<Wide>(own))), low, high);
      if (call.answers == Call::Own) {
        ++call.undecided;
        return integer<I>(plainest);
      }
      return integer<I>(call.answer(plainest != low) ? high : low);
    }
  }

  friend double size(const Real &x) { return std::abs(static_cast<double>(x.value)); }
  static bool representable(Wide v) { return static_cast<Wide>(static_cast<T>(v)) == v; }

  /// A result of which nothing but value and size is known yet.
  Real(Wide v, T o, double m) : value(v), own(o), grid(0), magnitude(m), largest(m) {}
  /// Adds a rounding to what was brought along.
  void round(double by) {
    carried += by;
    worst += by;
  }
  /// Whether it is no sum whose addends may be added in another order.
  bool isOne() const { return additions == 0 && !rounded; }
  /// How large a number it may be by itself, whatever it was added up from.
  double extent() const { return std::min(magnitude, exact() ? size(*this) : size(*this) + worst); }
  /// Is one number from now on: no plan takes what it was computed of apart.
  void becomeOne() { largest = magnitude = extent(); }
  /// Whether this is no finite number, or may be none.
  bool special() const { return !std::isfinite(value) || !(worst < kInfinity); }
  /// Of what is special: a NaN or an infinity in every right plan, or anything.
  void settleSpecial(bool certain) {
    rounded = false;
    carried = worst = certain && !std::isfinite(value) ? 0 : kInfinity;
  }
  /// What is beyond the range of the kernel's type is infinite there, unless another order does not come by it.
  void leaveRange() {
    if (std::isfinite(value) && !(std::abs(value) <= static_cast<Wide>(Traits<T>::most))) settleSpecial(false);
  }
  /// Whether this is what it is in every right plan: a NaN or an infinity, or finite. What is added to an infinity
  /// changes nothing.
  friend bool known(const Real &x) { return x.exact() || x.worst < kInfinity; }
  /// Whether it is a number in every right plan, and no NaN.
  friend bool isKnownNumber(const Real &x) { return x.value == x.value && known(x); }
  friend bool isNaN(const Real &x) { return x.value != x.value && x.exact(); }
  /// Whether it has the same sign, or is zero, in every right plan.
  friend bool signKnown(const Real &x) { return x.exact() || size(x) > x.bound(); }

private:
  /// This is a product: what its factors bring along, of which the first one is off by so much.
  void spread(const Real &x, double likely, double most, const Real &y) {
    carried = size(x) * y.bound() + size(y) * likely + likely * y.bound();
    worst = size(x) * y.worstCase() + size(y) * most + most * y.worstCase();
  }
  /// This is the product of a sum, whose additions are made after the multiplication, and are followed by others.
  void distribute(const Real &sum, const Real &factor) {
    spread(sum, sum.carried, sum.worst, factor);
    additions = sum.exact() ? sum.sums : sum.additions;
    sums = sum.sums;
    alike = sum.alike;
    largest = sum.largest * factor.extent();
    magnitude = std::min(magnitude, sum.magnitude * factor.extent());
    rounded = true;
  }
  /// What any partial sum is at most, in any order: all addends of one sign. Those of both add up to `magnitude`, and
  /// differ by `value`.
  double reach() const { return (magnitude + std::abs(static_cast<double>(value))) / 2; }
  /// The largest addend of a sum that this is a part of. Of many that were exact by design few are counted: what is
  /// added to them, and rounds, meets all of them.
  double addend() const { return exact() && sums > kExactByChance ? magnitude : largest; }
  Alike addends() const { return sums && (rounded || exact()) ? alike : Alike(static_cast<double>(own)); }
  /// How many times as large the squares of roundings may add up to as if no two addends were alike: then they are
  /// rounded alike, too.
  double repetition() const {
    if (sums == 0) return 1;
    const double addends = static_cast<double>(sums) + 1;
    return std::max(1.0, alike.squares(addends) / addends);
  }
  /// Sums over the additions, in the order of the largest addend first: of partial sums as parts of `magnitude`, which
  /// the j-th is of no more than (j + 1) addends of the largest size, and of their squares.
  struct Partial {
    double sum, squares;
  };
  Partial partial() const {
    const double n = additions, ratio = magnitude / largest;
    // So many are smaller than everything: j < k.
    const double k = ratio >= 2 ? std::min(std::floor(ratio) - 1, n) : 0;
    return {((k + 1) * (k + 2) / 2 - 1) / (k > 0 ? ratio : 1) + (n - k),
            ((k + 1) * (k + 2) * (2 * k + 3) / 6 - 1) / (k > 0 ? ratio * ratio : 1) + (n - k)};
  }
  static bool decided(const Real &x, const Real &y, bool answer, bool own) {
    if (x.exact() && y.exact() && x.value == x.value && y.value == y.value) return answer;
    double distance = std::abs(static_cast<double>(x.value - y.value));
    if (distance > x.bound() + y.bound()) return answer;
    return call.answer(own);
  }
  template <class I> static I integer(Wide v) {
    if (!(v > static_cast<Wide>(std::numeric_limits<I>::min()))) return std::numeric_limits<I>::min();
    if (!(v < static_cast<Wide>(std::numeric_limits<I>::max()))) return std::numeric_limits<I>::max();
    return static_cast<I>(v);
  }
};

} // namespace tangram::reference
