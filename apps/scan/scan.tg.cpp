// Prefix sums, inclusive and exclusive, by several algorithms.
#include "../common/sum.tg.h"

template <class T>
__spectrum void scan_inclusive(const Array<1, T> in, Array<1, T> out) __requires(in.size() == out.size());

template <class T>
__spectrum void scan_exclusive(const Array<1, T> in, Array<1, T> out) __requires(in.size() == out.size());

// A scan that starts from the sum of what stands before it; an inclusive one counts each element at its own place.
template <class T, bool inclusive>
__spectrum void scan(const Array<1, T> in, T before, Array<1, T> out) __requires(in.size() == out.size());

// One tile of a scan, of which before[0] is the sum of all tiles in front.
template <class T, bool inclusive>
__spectrum void scan_tile(const Array<1, T> in, Array<1, T> before, Array<1, T> out)
    __requires(in.size() == out.size()) __requires(before.size() == 1);

template <class T>
__spectrum void add_to(T value, Array<1, T> out);

template <class T>
__codelet void scan_inclusive(const Array<1, T> in, Array<1, T> out) {
  scan<T, true>(in, T(0), out);
}

template <class T>
__codelet void scan_exclusive(const Array<1, T> in, Array<1, T> out) {
  scan<T, false>(in, T(0), out);
}

template <class T, bool inclusive>
__codelet __tag(serial) void scan(const Array<1, T> in, T before, Array<1, T> out) {
  T accum = before;
  for (size_t i = 0; i < in.size(); ++i) {
    T next = accum + in[i];
    out[i] = inclusive ? next : accum;
    accum = next;
  }
}

// Kogge-Stone, as many elements as there are lanes at a time.
template <class T, bool inclusive>
__codelet __coop __tag(tree) void scan(const Array<1, T> in, T before, Array<1, T> out) {
  __shared T tmp[coopDim()];
  size_t id = coopIdx();
  T carry = before;
  for (size_t base = 0; base < in.size(); base += coopDim()) {
    tmp[id] = base + id < in.size() ? in[base + id] : T(0);
    for (unsigned s = 1; s < coopDim(); s *= 2) {
      if (id >= s)
        tmp[id] += tmp[id - s];
    }
    T mine = inclusive ? tmp[id] : id > 0 ? tmp[id - 1] : T(0);
    if (base + id < in.size())
      out[base + id] = carry + mine;
    carry += tmp[coopDim() - 1];
  }
}

// Reduce, scan the partial sums, scan each tile from there: reads the input twice.
template <class T, bool inclusive>
__codelet __tag(reduce_scan) void scan(const Array<1, T> in, T before, Array<1, T> out) {
  __tunable unsigned p;
  size_t len = in.size();
  size_t tile = (len + p - 1) / p;
  Array<1, T> sums = map(sum<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
  Array<1, T> starts(p);
  scan<T, false>(sums, before, starts);
  map(scan<T, inclusive>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), starts,
      partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

// Scan each tile, scan their last elements, add what stands before: writes the output twice.
template <class T>
__codelet __tag(scan_add) void scan_inclusive(const Array<1, T> in, Array<1, T> out) {
  __tunable unsigned p;
  size_t len = in.size();
  size_t tile = (len + p - 1) / p;
  map(scan_inclusive<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)),
      partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
  Array<1, T> totals(p);
  Array<1, T> before(p);
  for (unsigned i = 0; i < p; ++i) {
    size_t end = (i + 1) * tile < len ? (i + 1) * tile : len;
    totals[i] = i * tile < end ? out[end - 1] : T(0);
  }
  scan_exclusive(totals, before);
  map(add_to<T>, before, partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

template <class T>
__codelet __tag(serial) void add_to(T value, Array<1, T> out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] += value;
}

// A single pass: the sums of the tiles slide from one to the next.
template <class T, bool inclusive>
__codelet __tag(sliding) void scan(const Array<1, T> in, T before, Array<1, T> out) {
  __tunable(values(2048, 4096, 8192, 16384, 32768)) unsigned tile;
  size_t len = in.size();
  size_t tiles = (len + tile - 1) / tile;
  Array<1, T> start(1);
  start[0] = before;
  map(scan_tile<T, inclusive>, partition(in, tiles, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)),
      start, partition(out, tiles, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

template <class T, bool inclusive>
__codelet void scan_tile(const Array<1, T> in, Array<1, T> before, Array<1, T> out) {
  T start = orderedAdd(before[0], sum(in));
  scan<T, inclusive>(in, start, out);
}
