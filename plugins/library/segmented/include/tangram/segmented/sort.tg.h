// Sorts a segment where it lies, from low on in front of high: ascending where dir is 0, else descending. Elements that
// are equal may change places; values go with their keys.
#pragma once
#include <tangram/tangram.h>

template <class T> __spectrum void segment_sort(Array<1, T> keys, long long low, long long high, int dir);

template <class T, class V>
__spectrum void segment_sort_values(Array<1, T> keys, Array<1, V> values, long long low, long long high, int dir);

template <class T> bool segment_before(T a, T b, int dir) { return dir == 0 ? a < b : b < a; }

// Heapsort: no memory of its own, and never more than n log n steps.
template <class T> __codelet __tag(serial) void segment_sort(Array<1, T> keys, long long low, long long high, int dir) {
  long long n = high - low;
  for (long long round = n / 2 + n - 1; round > 0; --round) {
    // First the heap is made, from its middle down; then its top goes behind what is left of it.
    long long at = round >= n ? round - n : 0;
    long long size = round >= n ? n : round;
    T moved = keys[low + at];
    if (round < n) {
      moved = keys[low + round];
      keys[low + round] = keys[low];
    }
    for (long long child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && segment_before(keys[low + child], keys[low + child + 1], dir)) ++child;
      if (!segment_before(moved, keys[low + child], dir)) break;
      keys[low + at] = keys[low + child];
      at = child;
    }
    keys[low + at] = moved;
  }
}

template <class T, class V>
__codelet __tag(serial) void segment_sort_values(Array<1, T> keys, Array<1, V> values, long long low, long long high,
                                                 int dir) {
  long long n = high - low;
  for (long long round = n / 2 + n - 1; round > 0; --round) {
    long long at = round >= n ? round - n : 0;
    long long size = round >= n ? n : round;
    T moved = keys[low + at];
    V with = values[low + at];
    if (round < n) {
      moved = keys[low + round];
      with = values[low + round];
      keys[low + round] = keys[low];
      values[low + round] = values[low];
    }
    for (long long child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && segment_before(keys[low + child], keys[low + child + 1], dir)) ++child;
      if (!segment_before(moved, keys[low + child], dir)) break;
      keys[low + at] = keys[low + child];
      values[low + at] = values[low + child];
      at = child;
    }
    keys[low + at] = moved;
    values[low + at] = with;
  }
}

// A bitonic network whose comparisons all put the smaller one first: the first of a stage is between mirrored elements. A
// partner behind the last element would be greater than all, and stays where it is: so any number of elements is sorted.
template <class T>
__codelet __coop __tag(lanes) void segment_sort(Array<1, T> keys, long long low, long long high, int dir) {
  long long n = high - low;
  for (long long width = 1; width < n; width *= 2) {
    for (long long step = width; step > 0; step /= 2) {
      long long turn = step == width ? 2 * width - 1 : step;
      for (long long i = coopIdx(); i < n; i += coopDim()) {
        long long j = i ^ turn;
        if (i < j && j < n) {
          T a = keys[low + i];
          T b = keys[low + j];
          if (segment_before(b, a, dir)) {
            keys[low + i] = b;
            keys[low + j] = a;
          }
        }
      }
    }
  }
}

// Each stage at once, by all workers.
template <class T>
__spectrum void segment_exchange(long long i, long long turn, Array<1, T> keys, long long low, long long high, int dir);
template <class T>
__codelet __tag(serial) void segment_exchange(long long i, long long turn, Array<1, T> keys, long long low,
                                              long long high, int dir) {
  long long j = i ^ turn;
  if (i < j && j < high - low && segment_before(keys[low + j], keys[low + i], dir)) {
    T a = keys[low + i];
    keys[low + i] = keys[low + j];
    keys[low + j] = a;
  }
}

template <class T>
__codelet __independent __tag(network) void segment_sort(Array<1, T> keys, long long low, long long high, int dir) {
  long long n = high - low;
  for (long long width = 1; width < n; width *= 2)
    for (long long step = width; step > 0; step /= 2)
      map(segment_exchange<T>, range<long long>(0, n), step == width ? 2 * width - 1 : step, keys, low, high, dir);
}
