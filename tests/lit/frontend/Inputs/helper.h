#pragma once
namespace util {
inline int clampToByte(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
inline float scale(float x) { return x * 2; }
inline int scale(int x) { return clampToByte(x) * 2; }
} // namespace util
