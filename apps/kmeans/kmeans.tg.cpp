// k-means: which center each point belongs to, the sums that new centers come from, and the iterations.
#include "../common/argmin.tg.h"
#include "../common/distance.tg.h"
#include "../common/fill.tg.h"
#include "../common/sum.tg.h"
#include <algorithm>

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

// Some centers at a time: what is loaded of the point is used for all of them.
template <class T>
__codelet __tag(together) size_t nearest_center(const Array<2, T> centers, const Array<1, T> point) {
  __tunable(values(1, 2, 3, 4, 5, 6, 8, 10, 12, 16)) unsigned together;
  size_t k = centers.size(0), best = k;
  T least = kGreatest<T>;
  for (size_t first = 0; first < k; first += together) {
    T sums[together];
    for (size_t c = 0; c < together; ++c) sums[c] = 0;
    for (size_t f = 0; f < point.size(); ++f)
      for (size_t c = 0; c < together; ++c) {
        T apart = centers[std::min(first + c, k - 1)][f] - point[f];
        sums[c] += apart * apart;
      }
    for (size_t c = 0; c < together; ++c)
      if (first + c < k && (sums[c] < least || (sums[c] <= least && first + c < best))) {
        best = first + c;
        least = sums[c];
      }
  }
  return best;
}

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

// The mean of what was gathered for a center; one without points stays where it is.
template <class T>
__spectrum void move_center(const Array<1, T> sum, unsigned count, Array<1, T> center)
    __requires(sum.size() == center.size());

template <class T>
__codelet __tag(serial) void move_center(const Array<1, T> sum, unsigned count, Array<1, T> center) {
  if (count > 0)
    for (size_t f = 0; f < center.size(); ++f)
      center[f] = sum[f] / T(count);
}

// How many points have another center than before, which is brought up to date.
__spectrum size_t moved(const Array<1, size_t> nearest, Array<1, size_t> before)
    __requires(nearest.size() == before.size());

__codelet __tag(serial) size_t moved(const Array<1, size_t> nearest, Array<1, size_t> before) {
  size_t count = 0;
  for (size_t i = 0; i < nearest.size(); ++i) {
    count += nearest[i] != before[i];
    before[i] = nearest[i];
  }
  return count;
}

__codelet __tag(adjacent) size_t moved(const Array<1, size_t> nearest, Array<1, size_t> before) {
  __tunable unsigned p;
  size_t n = nearest.size(), tile = (n + p - 1) / p;
  return sum(map(moved, partition(nearest, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
                 partition(before, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n))));
}

__codelet __tag(strided) size_t moved(const Array<1, size_t> nearest, Array<1, size_t> before) {
  __tunable unsigned p;
  size_t n = nearest.size();
  return sum(map(moved, partition(nearest, p, sequence(0, 1, p), sequence(p), sequence(n)),
                 partition(before, p, sequence(0, 1, p), sequence(p), sequence(n))));
}

// All iterations, at most `most`, from the centers that are given to those that no point leaves any more.
template <class T>
__spectrum void kmeans(const Array<2, T> points, unsigned most, Array<2, T> centers, Array<1, size_t> nearest,
                       Array<1, unsigned> iterations)
    __requires(points.size(0) == nearest.size()) __requires(points.size(1) == centers.size(1))
    __requires(iterations.size() == 1);

template <class T>
__codelet void kmeans(const Array<2, T> points, unsigned most, Array<2, T> centers, Array<1, size_t> nearest,
                      Array<1, unsigned> iterations) {
  size_t k = centers.size(0);
  Array<1, size_t> before(points.size(0));
  Array<2, T> sums(k, centers.size(1));
  Array<1, unsigned> counts(k);
  fill(k + 1, before);
  iterations[0] = 0;
  for (unsigned done = 0; done < most; ++done) {
    membership(points, centers, nearest);
    if (moved(nearest, before) == 0) break;
    map(fill<T>, T(0), sums);
    fill(0u, counts);
    gather(points, nearest, sums, counts);
    map(move_center<T>, sums, counts, centers);
    ++iterations[0];
  }
}
