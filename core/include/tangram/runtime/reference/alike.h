// How often the addends of a sum are the same number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tangram::reference {

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

} // namespace tangram::reference
