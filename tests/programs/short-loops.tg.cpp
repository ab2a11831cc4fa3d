// Short loops of one worker over elements that lie side by side: rows of small matrices, at places that are aligned or not.
#include <cmath>
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void turned(const Array<3, float> in, Array<3, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == 4 && in.size(2) == 4 && out.size(1) == 4 && out.size(2) == 4);
__codelet void turned(const Array<3, float> in, Array<3, float> out) {
  for (size_t n = 0; n < in.size(0); ++n) {
    float m[4][4];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) m[i][j] = in[n][i][j] + (i == j ? 1 : 0);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) out[n][i][j] = m[j][i] * 2;
  }
}

// Rows of any length, from their second element on: vectors begin in the middle of what is loaded.
__spectrum void shifted(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) >= 12 && out.size(1) >= 8);
__codelet void shifted(const Array<2, int> in, Array<2, int> out) {
  for (size_t n = 0; n < in.size(0); ++n) {
    int sum = 0;
    for (int j = 1; j < 12; ++j) sum += j * in[n][j];
    for (int j = 0; j < 8; ++j) out[n][j] = sum + j;
  }
}

// What is stored is read again by the next loop, and elements are exchanged in place.
__spectrum void swapped(Array<2, uint8_t> rows) __requires(rows.size(1) >= 8);
__codelet void swapped(Array<2, uint8_t> rows) {
  for (size_t n = 0; n < rows.size(0); ++n) {
    for (int j = 0; j < 8; ++j) rows[n][j] = rows[n][7 - j] + 1;
    int sum = 0;
    for (int j = 0; j < 8; ++j) sum += rows[n][j];
    for (int j = 0; j < 4; ++j) rows[n][j] = sum >> j;
  }
}

// A greatest magnitude: what is compared is computed by a function.
__spectrum void magnitudes(const Array<2, int> in, Array<1, int> most) __requires(in.size(0) == most.size());
__codelet void magnitudes(const Array<2, int> in, Array<1, int> most) {
  for (size_t i = 0; i < in.size(0); ++i) {
    int greatest = 0;
    for (size_t j = 0; j < in.size(1); ++j) greatest = std::max(greatest, std::abs(in[i][j] % 1000));
    int least = 1000;
    for (size_t j = 0; j < in.size(1); ++j) least = std::min(std::abs(in[i][j] % 1000), least);
    most[i] = greatest - least;
  }
}

// Elements that are counted up, in place.
__spectrum void stepped(Array<2, int> rows) __requires(rows.size(1) >= 8);
__codelet void stepped(Array<2, int> rows) {
  for (size_t n = 0; n < rows.size(0); ++n)
    for (int j = 0; j < 8; ++j) {
      ++rows[n][j];
      rows[n][j] *= 3;
    }
}
