// Conversions of f16 and bf16, which are kept as their bits: an extension is needed to compute with halves, not to load
// and store them.
#pragma once

#include <string_view>

namespace tangram::opencl {

inline constexpr std::string_view kHalves = R"(float tangram_f16_to_f32(ushort bits) {
  return vload_half(0, (const half *)&bits);
}
ushort tangram_f32_to_f16(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half *)&bits);
  return bits;
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
