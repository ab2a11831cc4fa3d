// Temporaries of a reference kernel.
#pragma once

#include <tangram/runtime/reference/shadow.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

namespace tangram::reference {

/// A temporary: pages of its own, of which nothing is known when it comes and goes.
template <class T> class Buffer {
public:
  explicit Buffer(std::initializer_list<std::size_t> extents) {
    std::size_t count = 1;
    bool overflow = false;
    for (std::size_t extent : extents) overflow |= __builtin_mul_overflow(count, extent, &count);
    if (overflow || count > (PTRDIFF_MAX - 4096) / sizeof(T)) return;
    bytes_ = (count * sizeof(T) + 4096) / 4096 * 4096;
    data_ = static_cast<T *>(std::aligned_alloc(4096, bytes_));
    forget();
  }
  ~Buffer() {
    forget();
    std::free(data_);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *data() const { return data_; }

private:
  void forget() {
    if constexpr (isNumber<T>)
      if (data_) shadow<T>.forget(data_, bytes_);
  }
  T *data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace tangram::reference
