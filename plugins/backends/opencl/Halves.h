// Conversions of f16 and bf16, which are kept as their bits: an extension is needed to compute with halves, not to load
// them. They are rounded by whole numbers, as tangram/runtime/float16.h does: of vstore_half compilers know that they
// may compute in half instead, and would fuse a product, that has been rounded, with a sum.
#pragma once

#include <string_view>

namespace tangram::opencl {

inline constexpr std::string_view kHalves = R"(float tangram_f16_to_f32(ushort bits) {
  return vload_half(0, (const half *)&bits);
}
ushort tangram_f32_to_f16(float x) {
  uint bits = as_uint(x), sign = bits & 0x80000000u, size = bits ^ sign, rounded;
  if (size >= 0x47800000u)
    rounded = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
  else if (size < 0x38800000u)
    rounded = as_uint(as_float(size) + 0.5f) - 0x3f000000u;
  else
    rounded = (size + 0xc8000fffu + ((size >> 13) & 1u)) >> 13;
  return (ushort)(rounded | (sign >> 16));
}
float tangram_bf16_to_f32(ushort bits) {
  return as_float((uint)bits << 16);
}
ushort tangram_f32_to_bf16(float x) {
  uint bits = as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (ushort)((bits >> 16) | 0x40u);
  return (ushort)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

)";

} // namespace tangram::opencl
