// For generated code: elements side by side that are stored as one. Compilers keep loads of a vector whole, but not
// always stores.
#pragma once

#include <cstring>

namespace tangram_cuda {

/// `to` is in global memory, a multiple of the vector's size.
template <class Vector, class T> __device__ __forceinline__ void store(T *to, const Vector &value) {
  static_assert(sizeof(Vector) == 2 || sizeof(Vector) == 4 || sizeof(Vector) == 8 || sizeof(Vector) == 16);
  const size_t address = __cvta_generic_to_global(to);
  if constexpr (sizeof(Vector) == 2) {
    unsigned short word;
    memcpy(&word, &value, sizeof word);
    asm volatile("st.global.b16 [%0], %1;" ::"l"(address), "h"(word) : "memory");
  } else if constexpr (sizeof(Vector) == 4) {
    unsigned word;
    memcpy(&word, &value, sizeof word);
    asm volatile("st.global.b32 [%0], %1;" ::"l"(address), "r"(word) : "memory");
  } else if constexpr (sizeof(Vector) == 8) {
    uint2 words;
    memcpy(&words, &value, sizeof words);
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(address), "r"(words.x), "r"(words.y) : "memory");
  } else {
    uint4 words;
    memcpy(&words, &value, sizeof words);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(words.x), "r"(words.y), "r"(words.z),
                 "r"(words.w)
                 : "memory");
  }
}

} // namespace tangram_cuda
