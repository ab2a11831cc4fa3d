// Copies from the device's memory to that of a group, which go on while threads do something else.
#pragma once

#include <cuda_runtime.h>

namespace tangram_cuda {

/// `to`, an element of a group's array, and `count` - 1 behind it become those of `from`, once they have been awaited.
/// 16 bytes together, where both lie so.
template <unsigned count, class T> __device__ __forceinline__ void transfer(T &to, const T &from) {
#if __CUDA_ARCH__ >= 800
  constexpr unsigned bytes = count * sizeof(T);
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&to));
  const size_t source = __cvta_generic_to_global(&from);
  if constexpr (bytes == 16) {
    if constexpr (sizeof(T) == 8)
      asm volatile("{ .reg .pred whole; .reg .b64 past; and.b64 past, %1, 15; setp.eq.u64 whole, past, 0;\n"
                   "@whole cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n"
                   "@!whole cp.async.ca.shared.global [%0], [%1], 8;\n"
                   "@!whole cp.async.ca.shared.global [%0 + 8], [%1 + 8], 8; }" ::"r"(target),
                   "l"(source)
                   : "memory");
    else if constexpr (sizeof(T) == 4)
      asm volatile("{ .reg .pred whole; .reg .b64 past; and.b64 past, %1, 15; setp.eq.u64 whole, past, 0;\n"
                   "@whole cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n"
                   "@!whole cp.async.ca.shared.global [%0], [%1], 4;\n"
                   "@!whole cp.async.ca.shared.global [%0 + 4], [%1 + 4], 4;\n"
                   "@!whole cp.async.ca.shared.global [%0 + 8], [%1 + 8], 4;\n"
                   "@!whole cp.async.ca.shared.global [%0 + 12], [%1 + 12], 4; }" ::"r"(target),
                   "l"(source)
                   : "memory");
    else if (source % 16 == 0)
      asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
    else
      for (unsigned i = 0; i < count; ++i) (&to)[i] = (&from)[i];
  } else if constexpr (count == 1 && (bytes == 4 || bytes == 8)) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(source), "n"(bytes) : "memory");
  } else
#endif
    for (unsigned i = 0; i < count; ++i) (&to)[i] = (&from)[i];
}

/// The same of one element, which becomes zero, and is not read, where `cond` does not hold.
template <class T> __device__ __forceinline__ void transfer_if(bool cond, T &to, const T &from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(__cvta_generic_to_global(&from)),
                 "n"(static_cast<unsigned>(sizeof(T))), "r"(cond ? static_cast<unsigned>(sizeof(T)) : 0u)
                 : "memory");
  } else
#endif
    to = cond ? from : T();
}

/// Ends a group of copies; at most `pending` of the last groups are under way then.
template <unsigned pending> __device__ __forceinline__ void await() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

} // namespace tangram_cuda
