// The element of kernel_abi.h for a type.
#pragma once

#include "tangram/runtime/kernel_abi.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bench {

/// The bits of an IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
};

template <class T> constexpr tangram_element elementOf() {
  if constexpr (std::is_same_v<T, Half>) return TANGRAM_F16;
  if constexpr (std::is_same_v<T, float>) return TANGRAM_F32;
  if constexpr (std::is_same_v<T, double>) return TANGRAM_F64;
  if constexpr (std::is_same_v<T, int>) return TANGRAM_I32;
  if constexpr (std::is_same_v<T, unsigned>) return TANGRAM_U32;
  if constexpr (std::is_same_v<T, unsigned char>) return TANGRAM_U8;
  if constexpr (std::is_same_v<T, signed char>) return TANGRAM_I8;
  if constexpr (std::is_same_v<T, std::size_t>) return TANGRAM_U64;
  if constexpr (std::is_same_v<T, std::int64_t>) return TANGRAM_I64;
}

} // namespace bench
