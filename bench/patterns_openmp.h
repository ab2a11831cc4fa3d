// What a careful programmer writes, who knows that there are caches and vectors. Matrices are dense, row-major.
#pragma once

#include <cstddef>
#include <vector>

namespace careful {

/// Adds up how often each byte occurs, in `bins`, 256 of them.
void histogram(const unsigned char *in, std::size_t n, unsigned *bins);
/// Of each row.
void softmaxRows(const float *in, float *out, std::size_t rows, std::size_t columns);
/// `in` has these rows and columns.
void transpose(const float *in, float *out, std::size_t rows, std::size_t columns);
/// What an inner element is worth, and its six neighbours, of a cube of these sizes.
void stencil7(float center, float around, const float *in, float *out, const std::size_t (&size)[3]);
/// Each 256 elements, the last ones too.
void sortTiles(const std::vector<int> &in, std::vector<int> &out);
/// y = a x + y, z = y y.
void saxpySquares(float a, const std::vector<float> &x, std::vector<float> &y, std::vector<float> &z);

} // namespace careful
