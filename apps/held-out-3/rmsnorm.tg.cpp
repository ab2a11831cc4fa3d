// Rows of 4096 numbers, each divided by the root of the mean of its squares, times a gain.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void rmsnorm(float epsilon, const Array<2, float> in, const Array<1, float> gain, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == 4096)
        __requires(out.size(1) == 4096 && gain.size() == 4096);

__codelet void rmsnorm(float epsilon, const Array<2, float> in, const Array<1, float> gain, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float squares = 0;
    for (size_t j = 0; j < 4096; ++j) squares += in[i][j] * in[i][j];
    float scale = 1 / std::sqrt(squares / 4096 + epsilon);
    for (size_t j = 0; j < 4096; ++j) out[i][j] = in[i][j] * scale * gain[j];
  }
}
