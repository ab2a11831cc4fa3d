// Mean, variance, skewness and kurtosis of all numbers, in double precision.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void moments(const Array<1, float> in, Array<1, double> out) __requires(in.size() > 0 && out.size() == 4);

__codelet void moments(const Array<1, float> in, Array<1, double> out) {
  size_t n = in.size();
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += in[i];
  double mean = sum / n;
  double m2 = 0, m3 = 0, m4 = 0;
  for (size_t i = 0; i < n; ++i) {
    double d = in[i] - mean;
    m2 += d * d;
    m3 += d * d * d;
    m4 += d * d * d * d;
  }
  m2 /= n;
  m3 /= n;
  m4 /= n;
  out[0] = mean;
  out[1] = m2;
  out[2] = m3 / (m2 * std::sqrt(m2));
  out[3] = m4 / (m2 * m2);
}
