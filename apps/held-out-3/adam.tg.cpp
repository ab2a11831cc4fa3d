// A step of the optimiser Adam: weights follow their gradients, by means of these and of their squares.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void adam(int step, float rate, float beta1, float beta2, float epsilon, const Array<1, float> gradient,
                     Array<1, float> weight, Array<1, float> mean, Array<1, float> square)
    __requires(weight.size() == gradient.size() && mean.size() == gradient.size() && square.size() == gradient.size());

__codelet void adam(int step, float rate, float beta1, float beta2, float epsilon, const Array<1, float> gradient,
                    Array<1, float> weight, Array<1, float> mean, Array<1, float> square) {
  for (size_t i = 0; i < weight.size(); ++i) {
    float g = gradient[i];
    mean[i] = beta1 * mean[i] + (1 - beta1) * g;
    square[i] = beta2 * square[i] + (1 - beta2) * g * g;
    float m = mean[i] / (1 - std::pow(beta1, float(step)));
    float s = square[i] / (1 - std::pow(beta2, float(step)));
    weight[i] -= rate * m / (std::sqrt(s) + epsilon);
  }
}
