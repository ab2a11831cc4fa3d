// One iteration of k-means: which center each point belongs to, and the sums that new centers come from.
#include "../common/argmin.tg.h"
#include "../common/distance.tg.h"

// Distances of a point to all centers: as gemv, with differences in place of products.
template <class T>
__spectrum void distances(const Array<2, T> centers, const Array<1, T> point, Array<1, T> out)
    __requires(centers.size(0) == out.size()) __requires(centers.size(1) == point.size());

template <class T>
__codelet __tag(rows) void distances(const Array<2, T> centers, const Array<1, T> point, Array<1, T> out) {
  out = map(distance<T>, centers, point);
}

// The nearest center of one point, the first of several; the number of centers where no distance is a number.
template <class T>
__spectrum size_t nearest_center(const Array<2, T> centers, const Array<1, T> point)
    __requires(centers.size(1) == point.size());

template <class T>
__codelet __tag(serial) size_t nearest_center(const Array<2, T> centers, const Array<1, T> point) {
  size_t best = centers.size(0);
  T least = kGreatest<T>;
  for (size_t c = 0; c < centers.size(0); ++c) {
    T accum = 0;
    for (size_t f = 0; f < point.size(); ++f)
      accum += (centers[c][f] - point[f]) * (centers[c][f] - point[f]);
    if (accum < least || (accum <= least && c < best)) {
      best = c;
      least = accum;
    }
  }
  return best;
}

template <class T>
__codelet __tag(two_steps) size_t nearest_center(const Array<2, T> centers, const Array<1, T> point) {
  Array<1, T> all(centers.size(0));
  distances(centers, point, all);
  return argmin(all);
}

// The same of each point.
template <class T>
__spectrum void membership(const Array<2, T> points, const Array<2, T> centers, Array<1, size_t> nearest)
    __requires(points.size(0) == nearest.size()) __requires(points.size(1) == centers.size(1));

template <class T>
__codelet __tag(points) void membership(const Array<2, T> points, const Array<2, T> centers, Array<1, size_t> nearest) {
  nearest = map(nearest_center<T>, centers, points);
}

// All distances first, as gemm.
template <class T>
__codelet __tag(all) void membership(const Array<2, T> points, const Array<2, T> centers, Array<1, size_t> nearest) {
  Array<2, T> all(points.size(0), centers.size(0));
  map(distances<T>, centers, points, all);
  nearest = map(argmin<T>, all);
}

// What each center's points add up to, and how many they are. `sums` and `counts` come with zeros.
template <class T>
__spectrum void gather(const Array<2, T> points, const Array<1, size_t> nearest, Array<2, T> sums,
                       Array<1, unsigned> counts)
    __requires(points.size(0) == nearest.size()) __requires(points.size(1) == sums.size(1))
    __requires(sums.size(0) == counts.size());

// Adds one point to its center.
template <class T>
__spectrum void add_point(const Array<1, T> point, size_t center, Array<2, T> sums, Array<1, unsigned> counts);

template <class T>
__codelet __tag(serial) void add_point(const Array<1, T> point, size_t center, Array<2, T> sums,
                                       Array<1, unsigned> counts) {
  if (center < counts.size()) {
    atomicAdd(counts[center], 1);
    for (size_t f = 0; f < point.size(); ++f)
      atomicAdd(sums[center][f], point[f]);
  }
}

template <class T>
__codelet __tag(points) void gather(const Array<2, T> points, const Array<1, size_t> nearest, Array<2, T> sums,
                                    Array<1, unsigned> counts) {
  map(add_point<T>, points, nearest, sums, counts);
}
