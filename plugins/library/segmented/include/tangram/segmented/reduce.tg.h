// Sums, products and extremes: of all elements, of one segment, and of each of many segments.
//
// Segment s has the elements from low[s] on, in front of high[s]; a regular one has `size` elements. R is what is
// computed in: int for elements of signed char, say.
#pragma once
#include <algorithm>
#include <limits>
#include <tangram/tangram.h>

template <class T>
constexpr T kSegmentMost = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                : std::numeric_limits<T>::max();
template <class T>
constexpr T kSegmentLeast = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                 : std::numeric_limits<T>::lowest();

// ---- of all elements ----
template <class T> __spectrum T elements_sum(const Array<1, T> in);
template <class T> __codelet __tag(serial) T elements_sum(const Array<1, T> in) {
  T sum = 0;
  for (size_t i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}

template <class T> __spectrum T elements_product(const Array<1, T> in);
template <class T> __codelet __tag(serial) T elements_product(const Array<1, T> in) {
  T product = 1;
  for (size_t i = 0; i < in.size(); ++i) product *= in[i];
  return product;
}

template <class T> __spectrum T elements_least(const Array<1, T> in);
template <class T> __codelet __tag(serial) T elements_least(const Array<1, T> in) {
  T least = kSegmentMost<T>;
  for (size_t i = 0; i < in.size(); ++i) least = std::min(least, in[i]);
  return least;
}

template <class T> __spectrum T elements_most(const Array<1, T> in);
template <class T> __codelet __tag(serial) T elements_most(const Array<1, T> in) {
  T most = kSegmentLeast<T>;
  for (size_t i = 0; i < in.size(); ++i) most = std::max(most, in[i]);
  return most;
}

// ---- of each segment ----
template <class R, class T, class I>
__spectrum void segments_sum(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high, Array<1, R> out)
    __requires(low.size() == out.size()) __requires(high.size() == out.size());
template <class R, class T, class I>
__codelet __tag(serial) void segments_sum(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                          Array<1, R> out) {
  for (size_t s = 0; s < out.size(); ++s) {
    R sum = 0;
    for (long long i = low[s]; i < (long long)high[s]; ++i) sum += in[i];
    out[s] = sum;
  }
}

template <class R, class T, class I>
__spectrum void segments_product(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high, Array<1, R> out)
    __requires(low.size() == out.size()) __requires(high.size() == out.size());
template <class R, class T, class I>
__codelet __tag(serial) void segments_product(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                              Array<1, R> out) {
  for (size_t s = 0; s < out.size(); ++s) {
    R product = 1;
    for (long long i = low[s]; i < (long long)high[s]; ++i) product *= in[i];
    out[s] = product;
  }
}

template <class T, class I>
__spectrum void segments_least(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high, Array<1, T> out)
    __requires(low.size() == out.size()) __requires(high.size() == out.size());
template <class T, class I>
__codelet __tag(serial) void segments_least(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                            Array<1, T> out) {
  for (size_t s = 0; s < out.size(); ++s) {
    T least = kSegmentMost<T>;
    for (long long i = low[s]; i < (long long)high[s]; ++i) least = std::min(least, in[i]);
    out[s] = least;
  }
}

template <class T, class I>
__spectrum void segments_most(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high, Array<1, T> out)
    __requires(low.size() == out.size()) __requires(high.size() == out.size());
template <class T, class I>
__codelet __tag(serial) void segments_most(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                           Array<1, T> out) {
  for (size_t s = 0; s < out.size(); ++s) {
    T most = kSegmentLeast<T>;
    for (long long i = low[s]; i < (long long)high[s]; ++i) most = std::max(most, in[i]);
    out[s] = most;
  }
}
