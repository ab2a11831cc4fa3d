// Loops that accumulate into elements of a container: by atomic operations, and in copies that lanes share.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) __requires(bins.size() == 256);
__codelet void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  for (size_t i = 0; i < in.size(); ++i) ++bins[in[i]];
}

// The place is computed, and only some elements count; what is taken away.
__spectrum void weights(const Array<1, int> key, const Array<1, int> weight, Array<1, int> sums)
    __requires(key.size() == weight.size()) __requires(sums.size() == 7);
__codelet void weights(const Array<1, int> key, const Array<1, int> weight, Array<1, int> sums) {
  for (size_t i = 0; i < key.size(); ++i)
    if (weight[i] % 3 != 0) sums[(key[i] & 1023) % 7] -= weight[i];
}

__spectrum void largest(const Array<1, int> in, Array<1, int> most) __requires(most.size() == 16);
__codelet void largest(const Array<1, int> in, Array<1, int> most) {
  for (size_t i = 0; i < in.size(); ++i) most[in[i] & 15] = std::max(most[in[i] & 15], in[i]);
}

// Rows of a matrix; the inner loop is parallel, the outer one accumulates.
__spectrum void rows(const Array<1, int> row, const Array<2, int> in, Array<2, int> sums)
    __requires(row.size() == in.size(0)) __requires(sums.size(0) == 5) __requires(sums.size(1) == in.size(1));
__codelet void rows(const Array<1, int> row, const Array<2, int> in, Array<2, int> sums) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) sums[(row[i] & 1023) % 5][j] += in[i][j];
}

// Not accumulated only: what was counted so far is used.
__spectrum void ranks(const Array<1, int> in, Array<1, int> count, Array<1, int> rank)
    __requires(in.size() == rank.size()) __requires(count.size() == 16);
__codelet void ranks(const Array<1, int> in, Array<1, int> count, Array<1, int> rank) {
  for (size_t i = 0; i < in.size(); ++i) {
    count[in[i] & 15] += 1;
    rank[i] = count[in[i] & 15];
  }
}

// Floating-point numbers, where the target lets them be added in any order.
__spectrum void total(const Array<1, int> key, const Array<1, float> in, Array<1, float> sums)
    __requires(key.size() == in.size()) __requires(sums.size() == 7);
__codelet void total(const Array<1, int> key, const Array<1, float> in, Array<1, float> sums) {
  for (size_t i = 0; i < in.size(); ++i) sums[(key[i] & 1023) % 7] += in[i];
}

// Two containers, one of floating-point numbers, whose sums are then not always the same.
__spectrum void grouped(const Array<1, int> key, const Array<1, float> value, Array<1, float> sum,
                        Array<1, unsigned> count) __requires(key.size() == value.size())
    __requires(sum.size() == 64 && count.size() == 64);
__codelet void grouped(const Array<1, int> key, const Array<1, float> value, Array<1, float> sum,
                       Array<1, unsigned> count) {
  for (size_t i = 0; i < key.size(); ++i) {
    sum[key[i] & 63] += value[i];
    ++count[key[i] & 63];
  }
}

// Every third one, from a place that a parameter says, between numbers with a sign; least numbers, and bits.
__spectrum void every_third(int from, const Array<1, int> key, Array<2, int> least, Array<1, unsigned> bits)
    __requires(least.size(0) == 5 && least.size(1) == 3 && bits.size() == 9);
__codelet void every_third(int from, const Array<1, int> key, Array<2, int> least, Array<1, unsigned> bits) {
  int last = key.size() == 0 ? -100 : int(key.size()) - 2;
  for (int i = -(from & 7); i <= last; i += 3) {
    int k = key[i < 0 ? 0 : i] & 1023;
    least[k % 5][i < 0 ? 0 : i % 3] = std::min(least[k % 5][i < 0 ? 0 : i % 3], k - i);
    bits[k % 9] ^= unsigned(i);
  }
}

// Beside sums and counts of all, under conditions that data decides, at remainders by the container's size.
struct Beside {
  long total;
  unsigned counted;
};
__spectrum Beside beside(const Array<1, unsigned> to, const Array<1, float> v, const Array<1, int> w, Array<1, int> y)
    __requires(to.size() == v.size() && to.size() == w.size() && y.size() > 0);
__codelet Beside beside(const Array<1, unsigned> to, const Array<1, float> v, const Array<1, int> w, Array<1, int> y) {
  long total = 0;
  unsigned counted = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    total += w[i];
    if (v[i] > 0) {
      if (w[i] % 2 == 0) y[to[i] % y.size()] += w[i];
      ++counted;
    }
  }
  return {total, counted};
}

// In steps, each of which reads what the one before has accumulated.
__spectrum void in_steps(int steps, const Array<1, unsigned> to, Array<1, int> y, Array<1, int> z)
    __requires(to.size() == z.size() && y.size() > 0);
__codelet void in_steps(int steps, const Array<1, unsigned> to, Array<1, int> y, Array<1, int> z) {
  for (int t = 0; t < (steps & 3); ++t) {
    for (size_t i = 0; i < z.size(); ++i) z[i] = z[i] * 3 + y[i % y.size()];
    for (size_t i = 0; i < z.size(); ++i) y[to[i] % y.size()] += z[i];
  }
}

// A histogram for each row: of what lanes accumulate into, one row is theirs.
__spectrum void of_rows(const Array<2, unsigned char> in, Array<2, unsigned> counts)
    __requires(counts.size(0) == in.size(0) && counts.size(1) == 256);
__codelet void of_rows(const Array<2, unsigned char> in, Array<2, unsigned> counts) {
  for (size_t r = 0; r < in.size(0); ++r) {
    for (size_t b = 0; b < counts.size(1); ++b) counts[r][b] = 0;
    for (size_t i = 0; i < in.size(1); ++i) counts[r][in[r][i]]++;
  }
}

// By values of other types than the place, and sums of such.
struct Mixed {
  int whole;
  unsigned low;
  float rounded;
};
__spectrum Mixed mixed(const Array<1, unsigned> in, const Array<1, float> v, Array<1, int> y, Array<1, float> z)
    __requires(in.size() == v.size() && y.size() > 0 && z.size() == y.size());
__codelet Mixed mixed(const Array<1, unsigned> in, const Array<1, float> v, Array<1, int> y, Array<1, float> z) {
  int whole = 0;
  unsigned low = 1;
  float rounded = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    whole += in[i];
    low ^= in[i] * 2654435761u + i;
    rounded += v[i] * 2.5;
    y[in[i] % y.size()] += i * in[i];
    z[in[i] % y.size()] += v[i] * 0.5;
  }
  return {whole, low, rounded};
}

// From the last to the first.
__spectrum void down(int from, const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void down(int from, const Array<1, int> in, Array<1, int> out) {
  int lowest = from & 7;
  for (int i = in.size() - 1; i >= 0; --i) out[i] = in[i] * 2;
  for (int i = in.size() - 1; i > lowest; --i) out[i] += i;
}

// Rows that others add to as well, beside what segments have for themselves.
__spectrum void bags(const Array<1, unsigned> start, const Array<1, unsigned> row, const Array<1, int> weight,
                     const Array<2, int> d, Array<2, int> table, Array<1, int> own)
    __requires(start.size() == d.size(0) + 1 && weight.size() == row.size() && own.size() == row.size() &&
               table.size(1) == d.size(1) && table.size(0) > 0);
__codelet void bags(const Array<1, unsigned> start, const Array<1, unsigned> row, const Array<1, int> weight,
                    const Array<2, int> d, Array<2, int> table, Array<1, int> own) {
  for (size_t b = 0; b < d.size(0); ++b)
    for (unsigned k = start[b]; k < start[b + 1]; ++k) {
      size_t r = row[k] % table.size(0);
      if (weight[k] < 0) {
        own[k] = 0;
        continue;
      }
      int sum = 0;
      for (size_t e = 0; e < d.size(1); ++e) {
        table[r][e] += weight[k] * d[b][e];
        sum += e * d[b][e];
      }
      own[k] = sum;
    }
}

// Fields of records, two of them of a record in it.
struct Extent {
  int low, high;
};
struct Group {
  float sum;
  Extent extent;
  unsigned count;
};
__spectrum void records(const Array<1, unsigned> key, const Array<1, float> v, Array<2, Group> out)
    __requires(v.size() == key.size() && out.size(0) > 0 && out.size(1) > 0);
__codelet void records(const Array<1, unsigned> key, const Array<1, float> v, Array<2, Group> out) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] % 7 == 3) continue;
    size_t a = key[i] % out.size(0), b = i % out.size(1);
    out[a][b].sum += 2 * v[i];
    out[a][b].extent.high += key[i] & 15;
    if (v[i] < 0) out[a][0].extent.low -= i & 3;
    out[a][b].count++;
  }
}
