// Slots that a loop counts in a container: stable sorts by counting, buckets filled from their ends, compressed rows of
// a transpose, places of tokens; and slots of keys that do not lie apart.
#include <tangram/tangram.h>

// ---- a stable sort by a digit ------------------------------------------------------------------------------------

__spectrum void by_digit(unsigned shift, const Array<1, unsigned> key, Array<1, unsigned> outkey,
                         Array<1, unsigned> from)
    __requires(outkey.size() == key.size() && from.size() == key.size() && shift < 29);

__codelet void by_digit(unsigned shift, const Array<1, unsigned> key, Array<1, unsigned> outkey,
                        Array<1, unsigned> from) {
  unsigned start[8];
  for (int d = 0; d < 8; ++d) start[d] = 0;
  for (size_t i = 0; i < key.size(); ++i) start[(key[i] >> shift) & 7]++;
  unsigned sum = 0;
  for (int d = 0; d < 8; ++d) {
    unsigned c = start[d];
    start[d] = sum;
    sum += c;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    unsigned to = start[(key[i] >> shift) & 7]++;
    outkey[to] = key[i];
    from[to] = i;
  }
}

// ---- ranks, from the last to the first ---------------------------------------------------------------------------

__spectrum void ranks(const Array<1, unsigned char> key, Array<1, unsigned> rank) __requires(rank.size() == key.size());

__codelet void ranks(const Array<1, unsigned char> key, Array<1, unsigned> rank) {
  size_t n = key.size();
  Array<1, unsigned> count(256);
  for (size_t b = 0; b < 256; ++b) count[b] = 0;
  for (size_t i = 0; i < n; ++i) count[key[i]]++;
  for (size_t b = 1; b < 256; ++b) count[b] += count[b - 1];
  for (size_t i = n; i > 0; --i) rank[i - 1] = --count[key[i - 1]];
}

// ---- places of what belongs together, some of it left out --------------------------------------------------------

__spectrum int places(const Array<1, unsigned char> kind, Array<1, int> count, Array<1, int> place)
    __requires(place.size() == kind.size() && count.size() >= 16);

__codelet int places(const Array<1, unsigned char> kind, Array<1, int> count, Array<1, int> place) {
  int all = 0;
  for (size_t t = 0; t < kind.size(); ++t) {
    if (kind[t] > 199) continue;
    unsigned k = kind[t] % 16;
    place[t] = count[k];
    count[k] += 1 + kind[t] % 3;
  }
  for (size_t k = 0; k < count.size(); ++k) all += count[k];
  return all;
}

// ---- slots in front of those of the next key, or not: where they are not apart the loop is done as it stands ------

__spectrum void filled(const Array<1, unsigned char> key, Array<1, int> next, Array<2, int> out)
    __requires(next.size() >= 4 && out.size(0) >= key.size() * 5 && out.size(1) == 2);

__codelet void filled(const Array<1, unsigned char> key, Array<1, int> next, Array<2, int> out) {
  // As many of the first key as are expected end where the second one begins, more or fewer by chance.
  size_t n = key.size();
  next[0] = 0;
  next[1] = n / 64;
  next[2] = 2 * n;
  next[3] = 4 * n;
  for (size_t i = 0; i < n; ++i) {
    int k = key[i] % 16 < 13 ? (key[i] > 4 ? 1 : 0) : 2;
    int to = next[k]++;
    for (int d = 0; d < 2; ++d) out[to][d] = i + d;
  }
}

// ---- the same in one statement, from ends downwards, for values that are not all kept -----------------------------

__spectrum void bucketed(const Array<1, unsigned char> key, Array<1, unsigned> end, Array<1, unsigned> out)
    __requires(end.size() == 5 && out.size() == key.size());

__codelet void bucketed(const Array<1, unsigned char> key, Array<1, unsigned> end, Array<1, unsigned> out) {
  for (size_t b = 0; b < 5; ++b) end[b] = 0;
  for (size_t i = 0; i < key.size(); ++i)
    if (key[i] < 250) ++end[key[i] / 50];
  for (size_t b = 1; b < 5; ++b) end[b] += end[b - 1];
  for (size_t i = 0; i < key.size(); ++i)
    if (key[i] < 250) out[--end[key[i] / 50]] = i;
}

// ---- the transpose of a matrix in compressed rows ----------------------------------------------------------------

__spectrum void transposed(const Array<1, unsigned> row, const Array<1, unsigned> column, Array<1, unsigned> next,
                           Array<1, unsigned> start, Array<1, unsigned> rows)
    __requires(row.size() > 0 && start.size() == next.size() && rows.size() == column.size());

__codelet void transposed(const Array<1, unsigned> row, const Array<1, unsigned> column, Array<1, unsigned> next,
                          Array<1, unsigned> start, Array<1, unsigned> rows) {
  size_t n = row.size() - 1, m = next.size();
  for (size_t c = 0; c < m; ++c) next[c] = 0;
  for (size_t k = 0; k < column.size(); ++k) next[column[k]]++;
  unsigned sum = 0;
  for (size_t c = 0; c < m; ++c) {
    start[c] = sum;
    sum += next[c];
    next[c] = start[c];
  }
  for (size_t r = 0; r < n; ++r)
    for (unsigned k = row[r]; k < row[r + 1]; ++k) {
      unsigned to = next[column[k]]++;
      rows[to] = r;
    }
}
