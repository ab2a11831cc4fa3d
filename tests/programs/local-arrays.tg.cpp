// Arrays of a codelet's own, in front of loops that use them.
#include <tangram/tangram.h>

/// A table that is computed first.
__spectrum void looked_up(const Array<1, int> in, Array<1, unsigned> out) __requires(out.size() == in.size());

__codelet void looked_up(const Array<1, int> in, Array<1, unsigned> out) {
  unsigned table[256];
  for (unsigned k = 0; k < 256; ++k) {
    unsigned v = k;
    for (int b = 0; b < 8; ++b) v = v & 1 ? (v >> 1) ^ 0xEDB88320u : v >> 1;
    table[k] = v;
  }
  for (size_t i = 0; i < in.size(); ++i) out[i] = table[in[i] & 255];
}

/// What arrays begin with: all listed, some, none, and by variables; two dimensions; and one that stays a table.
__spectrum int weighted(const Array<1, int> in, Array<1, int> out) __requires(out.size() == in.size());

__codelet int weighted(const Array<1, int> in, Array<1, int> out) {
  int rows[2][3] = {{1, 2}, {4}};
  int many[70] = {5, 6};
  int count[16] = {};
  const int own[2] = {static_cast<int>(in.size()), 9};
  const int table[4] = {1, 2, 3, 4};
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = rows[i % 2][i % 3] + many[i % 70] + own[i & 1] + table[i & 3];
    ++count[in[i] & 15];
  }
  int s = 0;
  for (int k = 0; k < 16; ++k) s = s * 3 + count[k];
  return s;
}

/// Sums of all columns, and an array that hands on what iterations leave.
__spectrum void summed(const Array<2, int> v, Array<1, int> out) __requires(out.size() == 4);

__codelet void summed(const Array<2, int> v, Array<1, int> out) {
  int s[3] = {1, 2, 3}, last[4] = {1, 2, 3, 4};
  for (size_t i = 0; i < v.size(0); ++i)
    for (size_t k = 0; k < 3 && k < v.size(1); ++k) s[k] += v[i][k];
  for (size_t i = 0; i < v.size(0); ++i) last[i & 3] += last[(i + 1) & 3];
  for (int k = 0; k < 3; ++k) out[k] = s[k] + last[k];
  out[3] = last[3];
}

/// A container that loops of few turns fill, which lanes write out.
__spectrum void few(const Array<1, int> in, Array<1, int> out) __requires(out.size() == in.size());

__codelet void few(const Array<1, int> in, Array<1, int> out) {
  Array<2, int> w(2, 3);
  for (size_t p = 0; p < 2; ++p)
    for (size_t q = 0; q < 3; ++q) w[p][q] = p + 5 * q;
  for (size_t i = 0; i < in.size(); ++i) out[i] = w[i % 2][i % 3] + in[i];
}
