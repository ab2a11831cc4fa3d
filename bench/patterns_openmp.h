// What a careful programmer writes, who knows that there are caches and vectors.
#pragma once

#include <cstddef>
#include <vector>

namespace careful {

/// Adds up how often each byte occurs, in `bins`, 256 of them.
void histogram(const std::vector<unsigned char> &in, std::vector<unsigned> &bins);
/// Of each row of n x n.
void softmaxRows(const std::vector<float> &in, std::vector<float> &out, std::size_t n);
/// Of n x n.
void transpose(const std::vector<float> &in, std::vector<float> &out, std::size_t n);
/// Each 256 elements, the last ones too.
void sortTiles(const std::vector<int> &in, std::vector<int> &out);
/// y = a x + y, z = y y.
void saxpySquares(float a, const std::vector<float> &x, std::vector<float> &y, std::vector<float> &z);

} // namespace careful
