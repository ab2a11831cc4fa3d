// Floating-point formats of kernels, for references: the wider type each is followed in, its range and its precision.
#pragma once

#include <tangram/runtime/float16.h>
#include <tangram/runtime/kernel_abi.h>

#include <cstdint>
#include <cstring>
#include <limits>

namespace tangram::reference {

/// `least` is the least normal number. Results below it may be flushed to zero, but for those of f16, which are numbers
/// of float that are rounded to whole multiples of twice `underflow`.
template <class T> struct Traits;
template <> struct Traits<float> {
  static constexpr tangram_element element = TANGRAM_F32;
  using Wide = double;
  using Bits = std::uint32_t;
  static constexpr int mantissa = 24, bias = 150;
  static constexpr double least = 0x1p-126, most = 0x1.fffffep127, underflow = least;
};
template <> struct Traits<double> {
  static constexpr tangram_element element = TANGRAM_F64;
  using Wide = long double;
  using Bits = std::uint64_t;
  static constexpr int mantissa = 53, bias = 1075;
  static constexpr double least = 0x1p-1022, most = 0x1.fffffffffffffp1023, underflow = least;
};
template <> struct Traits<tangram_f16> {
  static constexpr tangram_element element = TANGRAM_F16;
  using Wide = double;
  static constexpr int mantissa = 11;
  static constexpr double least = 0x1p-14, most = 65504, underflow = 0x1p-25;
};
template <> struct Traits<tangram_bf16> {
  static constexpr tangram_element element = TANGRAM_BF16;
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

} // namespace tangram::reference
