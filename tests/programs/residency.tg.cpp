// Rows that loops of an iteration come to several times, and containers of its own: near the workers that have it.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

// A row that two loops read and one writes.
__spectrum void centred(Array<2, float> rows);

__codelet void centred(Array<2, float> rows) {
  for (size_t i = 0; i < rows.size(0); ++i) {
    float most = 0, sum = 0;
    for (size_t j = 0; j < rows.size(1); ++j) most = std::fmax(most, std::fabs(rows[i][j]));
    for (size_t j = 0; j < rows.size(1); ++j) sum += rows[i][j];
    for (size_t j = 0; j < rows.size(1); ++j) rows[i][j] = rows[i][j] * 2 - most + sum;
  }
}

// Squares that are factored in place, and of which what is above the diagonal keeps its values.
__spectrum void factored(Array<3, double> squares) __requires(squares.size(1) == squares.size(2));

__codelet void factored(Array<3, double> squares) {
  for (size_t m = 0; m < squares.size(0); ++m)
    for (size_t j = 0; j < squares.size(1); ++j) {
      double pivot = squares[m][j][j] * squares[m][j][j] + 1;
      for (size_t k = 0; k < j; ++k) pivot += squares[m][j][k] * squares[m][j][k];
      squares[m][j][j] = pivot;
      for (size_t i = j + 1; i < squares.size(1); ++i) {
        double sum = squares[m][i][j];
        for (size_t k = 0; k < j; ++k) sum -= squares[m][i][k] * squares[m][j][k];
        squares[m][i][j] = sum / pivot;
      }
    }
}

// A container that an iteration declares, which all of its steps go through.
struct Pair {
  float first, second;
};
__spectrum void waves(unsigned steps, const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && steps < 5);

__codelet void waves(unsigned steps, const Array<2, float> in, Array<2, float> out) {
  size_t n = in.size(1);
  for (size_t i = 0; i < in.size(0); ++i) {
    Array<1, Pair> at(n), next(n);
    for (size_t j = 0; j < n; ++j) at[j] = {in[i][j], 0};
    for (unsigned t = 0; t < steps; ++t) {
      for (size_t j = 0; j < n; ++j) {
        float left = at[j == 0 ? n - 1 : j - 1].first, right = at[j + 1 == n ? 0 : j + 1].first;
        next[j] = {at[j].second, left - at[j].first + right};
      }
      for (size_t j = 0; j < at.size(); ++j) at[j] = next[j];
    }
    for (size_t j = 0; j < n; ++j) out[i][j] = at[j].first + at[j].second;
  }
}

// What is added to again and again, of as many fields as the spectrum says.
__spectrum void gathered(const Array<2, unsigned> from, const Array<2, float> place, Array<3, float> sum)
    __requires(place.size(0) == sum.size(0) && place.size(1) == sum.size(1) && sum.size(2) == 2)
        __requires(from.size(0) == sum.size(0));

__codelet void gathered(const Array<2, unsigned> from, const Array<2, float> place, Array<3, float> sum) {
  for (size_t i = 0; i < sum.size(0); ++i)
    for (size_t k = 0; k < from.size(1); ++k) {
      size_t other = from[i][k] % sum.size(0);
      for (size_t j = 0; j < sum.size(1); ++j)
        for (size_t l = 0; l < sum.size(1); ++l) {
          sum[i][j][0] += place[i][j] - place[other][l];
          sum[i][j][1] += place[other][l];
        }
    }
}

// Rows that not every iteration has, and iterations that end early.
__spectrum void halved(size_t rows, Array<2, int> in, Array<1, int> out) __requires(out.size() == rows && in.size(0) <= rows);

__codelet void halved(size_t rows, Array<2, int> in, Array<1, int> out) {
  for (size_t i = 0; i < rows; ++i) {
    int sum = 0, most = 0;
    if (i < in.size(0)) {
      for (size_t j = 0; j < in.size(1); ++j) sum += in[i][j];
      for (size_t j = 0; j < in.size(1); ++j) most = std::max(most, in[i][j] / 2);
    }
    out[i] = sum + most;
  }
}

__spectrum void skipped(Array<2, int> rows);

__codelet void skipped(Array<2, int> rows) {
  for (size_t i = 0; i < rows.size(0); ++i) {
    int sum = 0;
    for (size_t j = 0; j < rows.size(1); ++j) sum += rows[i][j] / 2;
    for (size_t j = 0; j < rows.size(1); ++j) rows[i][j] = rows[i][j] / 2 + 1;
    if (sum > 0) continue;
    for (size_t j = 0; j < rows.size(1); ++j) rows[i][j] = rows[i][j] / 2 - 1;
  }
}
