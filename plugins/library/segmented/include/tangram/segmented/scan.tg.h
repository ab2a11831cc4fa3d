// Running sums of one segment, and of each of many segments that do not overlap: exclusive, out[low] is 0, and inclusive.
#pragma once
#include <tangram/tangram.h>

// From low on, in front of high. Gives the sum of all.
template <class T> __spectrum T segment_scan(const Array<1, T> in, long long low, long long high, Array<1, T> out);
template <class T>
__codelet __tag(serial) T segment_scan(const Array<1, T> in, long long low, long long high, Array<1, T> out) {
  T sum = 0;
  for (long long i = low; i < high; ++i) {
    out[i] = sum;
    sum += in[i];
  }
  return sum;
}

template <class T>
__spectrum T segment_scan_inclusive(const Array<1, T> in, long long low, long long high, Array<1, T> out);
template <class T>
__codelet __tag(serial) T segment_scan_inclusive(const Array<1, T> in, long long low, long long high, Array<1, T> out) {
  T sum = 0;
  for (long long i = low; i < high; ++i) {
    sum += in[i];
    out[i] = sum;
  }
  return sum;
}

template <class T, class I>
__spectrum void segments_scan_at(size_t s, const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                 Array<1, T> out);
template <class T, class I>
__codelet void segments_scan_at(size_t s, const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                Array<1, T> out) {
  segment_scan(in, (long long)low[s], (long long)high[s], out);
}

template <class T, class I>
__spectrum void segments_scan(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high, Array<1, T> out)
    __requires(low.size() == high.size()) __requires(in.size() == out.size());
template <class T, class I>
__codelet __independent __tag(segments) void segments_scan(const Array<1, T> in, const Array<1, I> low,
                                                           const Array<1, I> high, Array<1, T> out) {
  map(segments_scan_at<T, I>, range(low.size()), in, low, high, out);
}
