// Atomic operations of a reference kernel.
#pragma once

#include <tangram/runtime/reference/real.h>

#include <utility>

namespace tangram::reference {

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

} // namespace tangram::reference
