// Position of the least number: the first of several, and the size where there is none. NaN is no number.
#pragma once
#include <limits>
#include <tangram/tangram.h>

/// No number is greater.
template <class T>
constexpr T kGreatest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                             : std::numeric_limits<T>::max();

template <class T>
__spectrum size_t argmin(const Array<1, T> in);

template <class T>
__codelet __tag(serial) size_t argmin(const Array<1, T> in) {
  size_t best = in.size();
  T least = kGreatest<T>;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] < least || (in[i] <= least && i < best)) {
      best = i;
      least = in[i];
    }
  return best;
}

template <class T>
__codelet __tag(adjacent) size_t argmin(const Array<1, T> in) {
  __tunable unsigned p;
  size_t len = in.size();
  size_t tile = (len + p - 1) / p;
  Array<1, size_t> winners = map(argmin<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
  size_t best = len;
  T least = kGreatest<T>;
  for (unsigned i = 0; i < p; ++i) {
    size_t at = i * tile + winners[i]; // of a part without numbers, the first of the next one
    if (at < len && (in[at] < least || (in[at] <= least && at < best))) {
      best = at;
      least = in[at];
    }
  }
  return best;
}

template <class T>
__codelet __tag(strided) size_t argmin(const Array<1, T> in) {
  __tunable unsigned p;
  size_t len = in.size();
  Array<1, size_t> winners = map(argmin<T>, partition(in, p, sequence(0, 1, p), sequence(p), sequence(len)));
  size_t best = len;
  T least = kGreatest<T>;
  for (unsigned i = 0; i < p; ++i) {
    size_t at = i + winners[i] * p;
    if (at < len && (in[at] < least || (in[at] <= least && at < best))) {
      best = at;
      least = in[at];
    }
  }
  return best;
}
