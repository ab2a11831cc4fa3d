// Of each row, how far the distribution of a pupil is from that of its teacher (Kullback and Leibler), both given by
// logits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void kldivergence(const Array<2, float> teacher, const Array<2, float> pupil, Array<1, float> loss)
    __requires(pupil.size(0) == teacher.size(0) && pupil.size(1) == teacher.size(1) && loss.size() == teacher.size(0));

__codelet void kldivergence(const Array<2, float> teacher, const Array<2, float> pupil, Array<1, float> loss) {
  size_t n = teacher.size(1);
  for (size_t i = 0; i < teacher.size(0); ++i) {
    float most = -std::numeric_limits<float>::infinity(), most_pupil = most;
    for (size_t j = 0; j < n; ++j) {
      most = std::max(most, teacher[i][j]);
      most_pupil = std::max(most_pupil, pupil[i][j]);
    }
    float sum = 0, sum_pupil = 0;
    for (size_t j = 0; j < n; ++j) {
      sum += std::exp(teacher[i][j] - most);
      sum_pupil += std::exp(pupil[i][j] - most_pupil);
    }
    float all = most + std::log(sum), all_pupil = most_pupil + std::log(sum_pupil), result = 0;
    for (size_t j = 0; j < n; ++j) {
      float p = teacher[i][j] - all;
      result += std::exp(p) * (p - (pupil[i][j] - all_pupil));
    }
    loss[i] = result;
  }
}
