// The elements of a segment in the opposite order, and those of many segments that do not overlap.
#pragma once
#include <tangram/tangram.h>

template <class T> __spectrum void segment_reverse(const Array<1, T> in, long long low, long long high, Array<1, T> out);
template <class T>
__codelet __tag(serial) void segment_reverse(const Array<1, T> in, long long low, long long high, Array<1, T> out) {
  for (long long i = low; i < high; ++i) out[i] = in[low + high - 1 - i];
}

template <class T> __spectrum void segment_reverse_inplace(Array<1, T> inout, long long low, long long high);
template <class T> __codelet __tag(serial) void segment_reverse_inplace(Array<1, T> inout, long long low, long long high) {
  for (long long i = low; i < low + (high - low) / 2; ++i) {
    T kept = inout[i];
    inout[i] = inout[low + high - 1 - i];
    inout[low + high - 1 - i] = kept;
  }
}

template <class T, class I>
__spectrum void segments_reverse_at(size_t s, const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                    Array<1, T> out);
template <class T, class I>
__codelet void segments_reverse_at(size_t s, const Array<1, T> in, const Array<1, I> low, const Array<1, I> high,
                                   Array<1, T> out) {
  segment_reverse(in, (long long)low[s], (long long)high[s], out);
}

template <class T, class I>
__spectrum void segments_reverse(const Array<1, T> in, const Array<1, I> low, const Array<1, I> high, Array<1, T> out)
    __requires(low.size() == high.size()) __requires(in.size() == out.size());
template <class T, class I>
__codelet __independent __tag(segments) void segments_reverse(const Array<1, T> in, const Array<1, I> low,
                                                              const Array<1, I> high, Array<1, T> out) {
  map(segments_reverse_at<T, I>, range(low.size()), in, low, high, out);
}
