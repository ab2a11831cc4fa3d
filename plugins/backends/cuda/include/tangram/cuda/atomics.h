// For generated code: atomic operations on elements of 4 and 8 bytes, relaxed, for the whole device. Each returns the
// value before.
#pragma once

#include <cstring>
#include <type_traits>

namespace tangram_atomic {

/// Of a parameter that says nothing of T.
template <class T> struct same {
  using type = T;
};
template <class T> using Value = typename same<T>::type;

/// The unsigned integer that the device's instructions take.
template <class T> using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

template <class T> __device__ inline Word<T> bits(T value) {
  Word<T> word;
  memcpy(&word, &value, sizeof word);
  return word;
}
template <class T> __device__ inline T valueOf(Word<T> word) {
  T value;
  memcpy(&value, &word, sizeof value);
  return value;
}
template <class T> __device__ inline Word<T> *wordAt(T *place) { return reinterpret_cast<Word<T> *>(place); }

/// Ten times the compute capability that code is made for, or what passes for one that has everything, on the host.
#ifdef TANGRAM_CUDA_ARCH
constexpr int kArch = TANGRAM_CUDA_ARCH;
#elif defined(__CUDA_ARCH__)
constexpr int kArch = __CUDA_ARCH__;
#else
constexpr int kArch = 9999;
#endif

/// Whether the device adds elements of T: sums of doubles came with compute capability 6.0. What a device lacks is done
/// by exchanging words. (CUDA C++ Programming Guide, "Atomic functions")
template <class T> constexpr bool kAdds = !std::is_floating_point_v<T> || sizeof(T) == 4 || kArch >= 600;
/// Whether it compares and combines the bits of elements of T: words of 8 bytes came with 3.2.
template <class T> constexpr bool kCombines = sizeof(T) == 4 || kArch >= 320;

template <class T, class F> __device__ inline T update(T *place, F change) {
  // The first look is an atomic operation too.
  Word<T> seen = atomicCAS(wordAt(place), Word<T>(0), Word<T>(0)), before;
  do {
    before = seen;
    seen = atomicCAS(wordAt(place), before, bits(T(change(valueOf<T>(before)))));
  } while (seen != before);
  return valueOf<T>(before);
}

/// All that write one place wait for each other, those that read it do not: `changes(old)` says whether anything would.
/// (In scratchpad a read beside atomic writes passes for a race with tools that look for those.)
template <class T, class Changes, class Write>
__device__ inline T where_it_changes(T *place, Changes changes, Write write) {
  if (__isGlobal(place)) {
    T old = *const_cast<const volatile T *>(place);
    if (!changes(old)) return old;
  }
  return write();
}

template <class T> __device__ inline T add(T *place, Value<T> value) {
  if constexpr (!kAdds<T>)
    return update(place, [=](T old) { return old + value; });
  else if constexpr (std::is_floating_point_v<T>)
    return atomicAdd(place, value);
  else
    return valueOf<T>(atomicAdd(wordAt(place), bits<T>(value)));
}
template <class T> __device__ inline T sub(T *place, Value<T> value) {
  if constexpr (!kAdds<T>)
    return update(place, [=](T old) { return old - value; });
  else if constexpr (std::is_floating_point_v<T>)
    return atomicAdd(place, -value);
  else
    return valueOf<T>(atomicAdd(wordAt(place), Word<T>(0) - bits<T>(value)));
}
template <class T> __device__ inline T min(T *place, Value<T> value) {
  if constexpr (std::is_floating_point_v<T> || !kCombines<T>)
    return update(place, [=](T old) { return value < old ? value : old; });
  else
    return where_it_changes(
        place, [=](T old) { return value < old; },
        [=] {
          if constexpr (std::is_unsigned_v<T>)
            return valueOf<T>(atomicMin(wordAt(place), bits<T>(value)));
          else
            return T(atomicMin(reinterpret_cast<std::conditional_t<sizeof(T) == 8, long long, int> *>(place), value));
        });
}
template <class T> __device__ inline T max(T *place, Value<T> value) {
  if constexpr (std::is_floating_point_v<T> || !kCombines<T>)
    return update(place, [=](T old) { return old < value ? value : old; });
  else
    return where_it_changes(
        place, [=](T old) { return old < value; },
        [=] {
          if constexpr (std::is_unsigned_v<T>)
            return valueOf<T>(atomicMax(wordAt(place), bits<T>(value)));
          else
            return T(atomicMax(reinterpret_cast<std::conditional_t<sizeof(T) == 8, long long, int> *>(place), value));
        });
}
template <class T> __device__ inline T bit_and(T *place, Value<T> value) {
  if constexpr (!kCombines<T>)
    return update(place, [=](T old) { return T(old & value); });
  else
    return where_it_changes(
        place, [=](T old) { return T(old & value) != old; },
        [=] { return valueOf<T>(atomicAnd(wordAt(place), bits<T>(value))); });
}
template <class T> __device__ inline T bit_or(T *place, Value<T> value) {
  if constexpr (!kCombines<T>)
    return update(place, [=](T old) { return T(old | value); });
  else
    return where_it_changes(
        place, [=](T old) { return T(old | value) != old; },
        [=] { return valueOf<T>(atomicOr(wordAt(place), bits<T>(value))); });
}
template <class T> __device__ inline T bit_xor(T *place, Value<T> value) {
  if constexpr (!kCombines<T>)
    return update(place, [=](T old) { return T(old ^ value); });
  else
    return valueOf<T>(atomicXor(wordAt(place), bits<T>(value)));
}
template <class T> __device__ inline T exchange(T *place, Value<T> value) {
  return valueOf<T>(atomicExch(wordAt(place), bits<T>(value)));
}
template <class T> __device__ inline T compare_exchange(T *place, Value<T> expected, Value<T> value) {
  if constexpr (std::is_floating_point_v<T>) // 0.0 equals -0.0, whose bits differ
    return update(place, [=](T old) { return old == expected ? value : old; });
  else
    return where_it_changes(
        place, [=](T old) { return old == expected; },
        [=] { return valueOf<T>(atomicCAS(wordAt(place), bits<T>(expected), bits<T>(value))); });
}

} // namespace tangram_atomic
