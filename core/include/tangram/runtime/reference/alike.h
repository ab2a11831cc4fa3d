// How often the addends of a sum are the same number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tangram::reference {

/// How often the addends of a sum are alike: of each kind, the square of how many there are, added up. Estimated by
/// four sums in which each addend counts as 1 or -1, as its value says (Alon, Matias and Szegedy, JCSS 58, 1999); and
/// by how many kinds there are where they are few, of which those may cancel out (linear counting: Whang and others,
/// TODS 15, 1990).
struct Alike {
  /// How many kinds there are where so many of 64 bits are set.
  static inline const auto estimatedKinds = [] {
    std::array<double, 64> all{};
    for (int i = 0; i < 64; ++i) all[i] = -64 * std::log(1 - i / 64.0);
    return all;
  }();
  /// Side by side, modulo 2^32.
  using Sums = std::uint32_t __attribute__((vector_size(16)));
  Sums sums = {};
  std::uint64_t kinds = 0;

  Alike() = default;
  /// One addend.
  explicit Alike(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits = (bits & ~(std::uint64_t{1} << 63)) * 0x9e3779b97f4a7c15; // x and -x are rounded alike
    bits ^= bits >> 32;
    bits *= 0xbf58476d1ce4e5b9;
    kinds = std::uint64_t{1} << (bits >> 58);
    const Sums drawn = (static_cast<std::uint32_t>(bits >> 54) & Sums{1, 2, 4, 8}) != 0; // all bits of it, or none
    sums = ~(drawn + drawn);
  }
  Alike &operator+=(const Alike &y) {
    sums += y.sums;
    kinds |= y.kinds;
    return *this;
  }
  /// Of so many addends.
  double squares(double addends) const {
    if (addends > INT32_MAX) return addends * addends; // no sum holds as many: all may be alike
    double all = 0;
    for (int i = 0; i < 4; ++i) {
      const double sum = static_cast<std::int32_t>(sums[i]);
      all += sum * sum;
    }
    if (kinds == 0 || kinds == UINT64_MAX) return all / 4;
    return std::max(all / 4, addends * addends / estimatedKinds[__builtin_popcountll(kinds)]);
  }
};

} // namespace tangram::reference
