// Arithmetic of reference kernels, for generated C++: numbers in a wider type, each of which knows how far from it the
// result of a right plan may be.
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

#include <tangram/runtime/float16.h>
#include <tangram/runtime/kernel_abi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace tangram::reference {

/// `least` is the least normal number. Results below it may be flushed to zero, but for those of f16, which are numbers
/// of float that are rounded to whole multiples of twice `underflow`.
template <class T> struct Traits;
template <> struct Traits<float> {
  using Wide = double;
  using Bits = std::uint32_t;
  static constexpr int mantissa = 24, bias = 150;
  static constexpr double least = 0x1p-126, most = 0x1.fffffep127, underflow = least;
};
template <> struct Traits<double> {
  using Wide = long double;
  using Bits = std::uint64_t;
  static constexpr int mantissa = 53, bias = 1075;
  static constexpr double least = 0x1p-1022, most = 0x1.fffffffffffffp1023, underflow = least;
};
template <> struct Traits<tangram_f16> {
  using Wide = double;
  static constexpr int mantissa = 11;
  static constexpr double least = 0x1p-14, most = 65504, underflow = 0x1p-25;
};
template <> struct Traits<tangram_bf16> {
  using Wide = double;
  static constexpr int mantissa = 8;
  static constexpr double least = 0x1p-126, most = 0x1.fep127, underflow = least;
};

/// 2^e, as a double: 0 or infinity beyond its range.
inline double powerOfTwo(int e) {
  if (e < -1022) return 0;
  if (e > 1023) return std::numeric_limits<double>::infinity();
  std::uint64_t bits = static_cast<std::uint64_t>(e + 1023) << 52;
  double result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// The largest e for which x is a multiple of 2^e; zero is one of every power.
template <class T> int gridOf(T x) {
  if constexpr (sizeof(T) == 2) {
    return gridOf(static_cast<float>(x));
  } else {
    typename Traits<T>::Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    constexpr int stored = Traits<T>::mantissa - 1;
    auto mantissa = bits & ((typename Traits<T>::Bits{1} << stored) - 1);
    int exponent = static_cast<int>(bits >> stored) & (sizeof(T) == 4 ? 0xff : 0x7ff);
    if (exponent == 0 && mantissa == 0) return 1 << 20;
    if (exponent == 0)
      exponent = 1;
    else
      mantissa |= typename Traits<T>::Bits{1} << stored;
    return exponent - Traits<T>::bias + __builtin_ctzll(mantissa);
  }
}

/// What a call of a kernel is about beside its arguments.
struct Call {
  /// How comparisons and conversions to integers that roundings may turn are answered: as the plainest order does in
  /// the kernel's own type, all the other way, all by yes (the greater integer), all by no; anything else is the state
  /// of a generator that draws answers.
  enum : std::uint64_t { Own, Turned, Yes, No };
  std::uint64_t answers = Own;
  std::uint64_t most = UINT64_MAX; // so many; then answers are drawn: a loop may ask for ever
  std::uint64_t undecided = 0;     // such questions

  bool answer(bool own) {
    if (++undecided > most && answers <= No) answers = 0x9e3779b97f4a7c15;
    switch (answers) {
    case Own: return own;
    case Turned: return !own;
    case Yes: return true;
    case No: return false;
    default: break;
    }
    answers ^= answers << 13;
    answers ^= answers >> 7;
    answers ^= answers << 17;
    return answers & 1;
  }
};
inline Call call;

/// How often a call answers otherwise than its own numbers do, where these asked so often: loops may go on for as many
/// turns more, but not for ever.
inline std::uint64_t mostOthers(std::uint64_t asked) {
  constexpr std::uint64_t least = 1 << 20, more = 1 << 16, most = 1 << 29;
  return std::min(most, least + std::min(most, asked) * more);
}

#ifdef TANGRAM_REFERENCE_LIGHT
} // namespace tangram::reference
#include <tangram/runtime/light_numbers.h>
namespace tangram::reference {
#else
/// How often the addends of a sum are alike: of each kind, the square of how many there are, added up. Estimated by
/// four sums in which each addend counts as 1 or -1, as its value says (Alon, Matias and Szegedy, JCSS 58, 1999); and
/// by how many kinds there are where they are few, of which those may cancel out (linear counting: Whang and others,
/// TODS 15, 1990).
struct Alike {
  std::uint64_t kinds = 0;
  std::int32_t sums[4] = {};

  Alike() = default;
  /// One addend.
  explicit Alike(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits = (bits & ~(std::uint64_t{1} << 63)) * 0x9e3779b97f4a7c15; // x and -x are rounded alike
    bits ^= bits >> 32;
    bits *= 0xbf58476d1ce4e5b9;
    kinds = std::uint64_t{1} << (bits >> 58);
    for (int i = 0; i < 4; ++i) sums[i] = bits >> (54 + i) & 1 ? 1 : -1;
  }
  friend Alike operator+(Alike x, const Alike &y) {
    x.kinds |= y.kinds;
    for (int i = 0; i < 4; ++i)
      if (__builtin_add_overflow(x.sums[i], y.sums[i], &x.sums[i])) x.sums[i] = INT32_MAX;
    return x;
  }
  /// Of so many addends.
  double squares(double addends) const {
    double all = 0;
    for (std::int32_t sum : sums) all += static_cast<double>(sum) * static_cast<double>(sum);
    if (kinds == 0 || kinds == UINT64_MAX) return all / 4;
    const double few = -64 * std::log(1 - __builtin_popcountll(kinds) / 64.0);
    return std::max(all / 4, addends * addends / few);
  }
};

template <class T> class Real {
public:
  using Wide = typename Traits<T>::Wide;
  static constexpr std::uint32_t kExactByChance = 8;
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
        carried(x.bound()), worst(x.worstCase()), largest(x.magnitude) {
    if (sizeof(T) > sizeof(U) || (x.exact() && static_cast<Wide>(static_cast<T>(x.value)) == value)) return;
    const double rounding = u * std::abs(static_cast<double>(value)) + tiny(value);
    carried += rounding;
    worst += rounding;
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
  Real settled() const {
    Real r = *this;
    r.carried = bound();
    r.worst = worstCase();
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

  friend Real operator+(const Real &x, const Real &y) {
    Real r(x.value + y.value, x.own + y.own, x.magnitude + y.magnitude);
    r.carried = x.carried + y.carried;
    r.worst = x.worst + y.worst;
    r.largest = std::max(x.largest, y.largest);
    const bool none = x.magnitude == 0 || y.magnitude == 0; // zero changes nothing, in any order
    const std::uint64_t additions = std::uint64_t{x.additions} + y.additions + (none ? 0 : 1);
    r.additions = static_cast<std::uint32_t>(std::min<std::uint64_t>(additions, UINT32_MAX));
    const std::uint64_t sums = std::uint64_t{x.sums} + y.sums + (none ? 0 : 1);
    r.sums = static_cast<std::uint32_t>(std::min<std::uint64_t>(sums, UINT32_MAX));
    r.alike = none ? (x.magnitude == 0 ? y : x).alike : x.addends() + y.addends();
    r.rounded = x.rounded || y.rounded;
    if (r.exact()) {
      r.grid = std::min(x.grid, y.grid);
      if (r.reach() < powerOfTwo(r.grid + Traits<T>::mantissa) && r.reach() <= Traits<T>::most) {
        // A few may be exact by chance, and would not be in another order. Many are by design: whole numbers.
        r.additions = std::min(r.additions, kExactByChance);
        return r;
      }
    }
    r.largest = std::max(x.addend(), y.addend());
    r.rounded |= r.additions > 0;
    if (r.special()) r.settleSpecial(isNaN(x) || isNaN(y) || (known(x) && known(y)));
    return r;
  }
  friend Real operator-(const Real &x, const Real &y) { return x + -y; }
  friend Real operator*(const Real &x, const Real &y) {
    Real r(x.value * y.value, x.own * y.own, x.magnitude * y.magnitude);
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
      r.spread(x, x.bound(), x.worstCase(), y);
      r.sums = 0;
    }
    r.round(u * r.magnitude + tiny(r.value));
    if (r.special()) r.settleSpecial(isNaN(x) || isNaN(y) || (signKnown(x) && signKnown(y)));
    return r;
  }
  friend Real operator/(const Real &x, const Real &y) {
    Real r(x.value / y.value, x.own / y.own, x.magnitude / size(y));
    if (!x.exact() || !y.exact()) {
      auto spread = [&](double ex, double ey) {
        return ey < size(y) ? (ex + size(r) * ey) / (size(y) - ey) : std::numeric_limits<double>::infinity();
      };
      r.carried = spread(x.bound(), y.bound());
      r.worst = spread(x.worstCase(), y.worstCase());
    } else if (representable(r.value) && normal(r.value) && r.value * y.value == x.value) {
      r.grid = gridOf(static_cast<T>(r.value));
      return r;
    }
    r.round(5 * u * r.magnitude + tiny(r.value)); // OpenCL: 2.5 ulp
    if (r.special()) r.settleSpecial(isNaN(x) || isNaN(y) || (signKnown(x) && signKnown(y)));
    return r;
  }
  Real operator-() const {
    Real r = *this;
    r.value = -value;
    r.own = -own;
    return r;
  }
  Real operator+() const { return *this; }
  Real &operator+=(const Real &x) { return *this = *this + x; }
  Real &operator-=(const Real &x) { return *this = *this - x; }
  Real &operator*=(const Real &x) { return *this = *this * x; }
  Real &operator/=(const Real &x) { return *this = *this / x; }
  Real &operator++() { return *this += Real(1); }
  Real &operator--() { return *this -= Real(1); }
  Real operator++(int) {
    Real before = *this;
    ++*this;
    return before;
  }
  Real operator--(int) {
    Real before = *this;
    --*this;
    return before;
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
  /// Whether this is no finite number, or may be none.
  bool special() const { return !std::isfinite(value) || !(worst < std::numeric_limits<double>::infinity()); }
  /// Of what is special: a NaN or an infinity in every right plan, or anything.
  void settleSpecial(bool certain) {
    rounded = false;
    carried = worst = certain && !std::isfinite(value) ? 0 : std::numeric_limits<double>::infinity();
  }
  /// Whether this is what it is in every right plan: a NaN or an infinity, or finite. What is added to an infinity
  /// changes nothing.
  friend bool known(const Real &x) { return x.exact() || x.worst < std::numeric_limits<double>::infinity(); }
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
    largest = sum.largest * factor.magnitude;
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

#endif

// ---- memory ------------------------------------------------------------------------------------------------------

/// What is known of numbers in memory beside their bytes, by address. What a kernel has not written is what lies there.
template <class T> class Shadow {
public:
  static constexpr std::uintptr_t page = 4096;

  Real<T> &at(T *address) {
    Page *&found = slot(address);
    if (!found) {
      auto &owned = pages_[key(address)];
      owned.reset(new Page);
      found = owned.get();
    }
    std::size_t i = index(address);
    if (!found->present[i]) {
      found->present[i] = true;
      found->numbers[i] = Real<T>(*address);
    }
    return found->numbers[i];
  }
  Real<T> get(const T *address) {
    Page *found = slot(address);
    std::size_t i = index(address);
    return found && found->present[i] ? found->numbers[i] : Real<T>(*address);
  }
  const Real<T> *find(const void *at) {
    const T *address = static_cast<const T *>(at);
    auto it = pages_.find(key(address));
    return it != pages_.end() && it->second->present[index(address)] ? &it->second->numbers[index(address)] : nullptr;
  }
  /// Forgets what lies in whole pages.
  void forget(const void *begin, std::size_t bytes) {
    auto from = reinterpret_cast<std::uintptr_t>(begin) / page;
    for (std::uintptr_t k = from; k < from + (bytes + page - 1) / page; ++k) {
      pages_.erase(k);
      if (recent_[k % kRecent].key == k) recent_[k % kRecent] = {};
    }
  }
  void clear() {
    pages_.clear();
    for (Recent &r : recent_) r = {};
  }
  /// Writes what the kernel gets in its own type.
  void flush() {
    for (auto &[k, p] : pages_)
      for (std::size_t i = 0; i < page / sizeof(T); ++i)
        if (p->present[i]) reinterpret_cast<T *>(k * page)[i] = p->numbers[i].own;
  }

private:
  struct Page {
    bool present[page / sizeof(T)] = {};
    Real<T> numbers[page / sizeof(T)];
  };
  struct Recent {
    std::uintptr_t key = 0;
    Page *found = nullptr;
  };
  static constexpr std::size_t kRecent = 256;

  static std::uintptr_t key(const T *address) { return reinterpret_cast<std::uintptr_t>(address) / page; }
  static std::size_t index(const T *address) { return reinterpret_cast<std::uintptr_t>(address) % page / sizeof(T); }
  /// The page of an address, null where there is none yet.
  Page *&slot(const T *address) {
    std::uintptr_t k = key(address);
    Recent &recent = recent_[k % kRecent];
    if (recent.key != k) {
      auto it = pages_.find(k);
      recent = {k, it == pages_.end() ? nullptr : it->second.get()};
    }
    return recent.found;
  }

  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  Recent recent_[kRecent];
};
template <class T> inline Shadow<T> shadow;
template <class F> void forEachShadow(F f) {
  f(shadow<float>);
  f(shadow<double>);
  f(shadow<tangram_f16>);
  f(shadow<tangram_bf16>);
}

/// What is followed as a Real.
template <class T>
inline constexpr bool isNumber =
    std::is_floating_point_v<T> || std::is_same_v<T, tangram_f16> || std::is_same_v<T, tangram_bf16>;

/// A pointer to numbers. Elements keep what is known of them in the shadow.
template <class T> class Pointer {
public:
  using Number = std::remove_const_t<T>;
  Pointer(T *p = nullptr) : p_(p) {}
  operator Pointer<const Number>() const { return p_; }
  decltype(auto) operator[](std::ptrdiff_t i) const {
    if constexpr (std::is_const_v<T>)
      return shadow<Number>.get(p_ + i);
    else
      return (shadow<Number>.at(p_ + i));
  }
  decltype(auto) operator*() const { return (*this)[0]; }
  friend Pointer operator+(Pointer p, std::ptrdiff_t i) { return p.p_ + i; }
  friend Pointer operator-(Pointer p, std::ptrdiff_t i) { return p.p_ - i; }
  friend bool operator==(Pointer p, std::nullptr_t) { return p.p_ == nullptr; }
  T *raw() const { return p_; }

private:
  T *p_;
};

template <class T> struct PointerTo {
  using type = std::conditional_t<isNumber<std::remove_const_t<T>>, Pointer<T>, T *>;
};

/// A pointer to elements of another type: a window on the fields of structs.
template <class To, class From> typename PointerTo<To>::type pointer_cast(From *p) { return reinterpret_cast<To *>(p); }
template <class To, class From> typename PointerTo<To>::type pointer_cast(Pointer<From> p) {
  return pointer_cast<To>(p.raw());
}

/// A temporary: pages of its own, of which nothing is known when it comes and goes.
template <class T> class Buffer {
public:
  explicit Buffer(std::initializer_list<std::size_t> extents) {
    std::size_t count = 1;
    bool overflow = false;
    for (std::size_t extent : extents) overflow |= __builtin_mul_overflow(count, extent, &count);
    if (overflow || count > (PTRDIFF_MAX - 4096) / sizeof(T)) return;
    bytes_ = (count * sizeof(T) + 4096) / 4096 * 4096;
    data_ = static_cast<T *>(std::aligned_alloc(4096, bytes_));
    forget();
  }
  ~Buffer() {
    forget();
    std::free(data_);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *data() const { return data_; }

private:
  void forget() {
    if constexpr (isNumber<T>)
      if (data_) shadow<T>.forget(data_, bytes_);
  }
  T *data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// One worker does everything: no operation is interrupted. Each returns the value before.
namespace atomic {
template <class T, class V> T add(T *place, const V &value) { return std::exchange(*place, T(*place + T(value))); }
template <class T, class V> T sub(T *place, const V &value) { return std::exchange(*place, T(*place - T(value))); }
template <class T, class V> T min(T *place, const V &value) {
  return std::exchange(*place, T(value) < *place ? T(value) : *place);
}
template <class T, class V> T max(T *place, const V &value) {
  return std::exchange(*place, *place < T(value) ? T(value) : *place);
}
template <class T, class V> T bit_and(T *place, const V &value) { return std::exchange(*place, T(*place & value)); }
template <class T, class V> T bit_or(T *place, const V &value) { return std::exchange(*place, T(*place | value)); }
template <class T, class V> T bit_xor(T *place, const V &value) { return std::exchange(*place, T(*place ^ value)); }
template <class T, class V> T exchange(T *place, const V &value) { return std::exchange(*place, T(value)); }
template <class T, class V, class W> T compare_exchange(T *place, const V &expected, const W &value) {
  T before = *place;
  if (before == T(expected)) *place = T(value);
  return before;
}
} // namespace atomic

// ---- functions ---------------------------------------------------------------------------------------------------

#ifndef TANGRAM_REFERENCE_LIGHT
/// How far two results are from one another: none where both are the same infinity or no number.
template <class W> double apart(W x, W y) {
  if (x == y || (x != x && y != y)) return 0;
  const double by = static_cast<double>(std::abs(x - y));
  return by == by ? by : std::numeric_limits<double>::infinity();
}

/// A function of one number: `ulps` is how far math libraries may be from it (OpenCL 1.2, section 7.4, and at least the
/// 4 of vector libraries).
template <class T, class F> Real<T> apply(const Real<T> &x, F f, double ulps) {
  using Wide = typename Real<T>::Wide;
  Wide v = f(x.value);
  Real<T> r(v, static_cast<T>(f(x.own)), std::abs(static_cast<double>(v)));
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
  return r;
}

/// The same of two.
template <class T, class F> Real<T> apply(const Real<T> &x, const Real<T> &y, F f, double ulps) {
  using Wide = typename Real<T>::Wide;
  Wide v = f(x.value, y.value);
  Real<T> r(v, static_cast<T>(f(x.own, y.own)), std::abs(static_cast<double>(v)));
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
  return r;
}

#endif

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

#ifndef TANGRAM_REFERENCE_LIGHT
/// Between x - e and x + e they may have been anywhere.
template <class T, class F> Real<T> periodic(const Real<T> &x, F f) {
  Real<T> middle(x.value, x.own, x.magnitude);
  Real<T> r = apply(middle, f, 4);
  if (r.exact() && r.special()) return r.settleSpecial(x.exact()), r;
  r.carried += std::min(x.bound(), 2.0);
  r.worst += std::min(x.worstCase(), 2.0);
  return r;
}
#endif
template <class T> Real<T> sin(const Real<T> &x) {
  return periodic(x, [](auto v) { return std::sin(v); });
}
template <class T> Real<T> cos(const Real<T> &x) {
  return periodic(x, [](auto v) { return std::cos(v); });
}
inline Real<float> sinf(const Real<float> &x) { return sin(x); }
inline Real<float> cosf(const Real<float> &x) { return cos(x); }

#ifndef TANGRAM_REFERENCE_LIGHT
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
#endif
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

// ---- what the caller of a kernel asks ------------------------------------------------------------------------------

#ifndef TANGRAM_REFERENCE_LIGHT
template <class T> tangram_reference_element describe(const Real<T> &x) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), most = Traits<T>::most;
  double value = static_cast<double>(x.value);
  if (x.exact()) return {value, 0};
  double bound = x.bound();
  // What overflows in one order need not in another.
  if (!std::isfinite(static_cast<double>(x.own)) || !(bound < most) || x.magnitude > most) return {value, infinity};
  return {value, bound + std::numeric_limits<double>::epsilon() * std::abs(value)};
}
#endif

} // namespace tangram::reference

extern "C" {
/// Before a call; `answers` as in Call. After one with its own answers, there are bounds on how often others are given.
__attribute__((visibility("default"), used)) inline void tangram_reference_begin(std::uint64_t answers) {
  using tangram::reference::Call;
  static std::uint64_t asked = 0;
  if (tangram::reference::call.answers == Call::Own) asked = tangram::reference::call.undecided;
  tangram::reference::call = {answers, answers == Call::Own ? UINT64_MAX : tangram::reference::mostOthers(asked), 0};
  tangram::reference::forEachShadow([](auto &numbers) { numbers.clear(); });
}
/// After it: elements hold what the kernel gets in its own type. Returns how many such questions there were.
__attribute__((visibility("default"), used)) inline std::uint64_t tangram_reference_end() {
  tangram::reference::forEachShadow([](auto &numbers) { numbers.flush(); });
  return tangram::reference::call.undecided;
}
/// Of a number of that type (a tangram_element) that lies at an address: true where the kernel has written it.
__attribute__((visibility("default"), used)) inline bool tangram_reference_number(const void *address, int element,
                                                                                  tangram_reference_element *number) {
  using namespace tangram::reference;
  auto find = [&](auto &numbers) {
    const auto *found = numbers.find(address);
    if (found) *number = describe(*found);
    return found != nullptr;
  };
  switch (element) {
  case TANGRAM_F16: return find(shadow<tangram_f16>);
  case TANGRAM_BF16: return find(shadow<tangram_bf16>);
  case TANGRAM_F32: return find(shadow<float>);
  case TANGRAM_F64: return find(shadow<double>);
  default: return false;
  }
}
}
