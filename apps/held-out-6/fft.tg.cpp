// The Fourier transform of each row of complex numbers (Cooley and Tukey), whose length is a power of two.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void fft(const Array<3, float> in, Array<3, float> out)
    __requires(in.size(2) == 2 && (in.size(1) & (in.size(1) - 1)) == 0)
        __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1) && out.size(2) == 2);

struct Complex {
  float re, im;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

__codelet void fft(const Array<3, float> in, Array<3, float> out) {
  size_t n = in.size(1), half = n / 2;
  Array<1, Complex> root(half);
  for (size_t k = 0; k < half; ++k) {
    double angle = -6.283185307179586 * k / n;
    root[k] = {float(std::cos(angle)), float(std::sin(angle))};
  }
  for (size_t i = 0; i < in.size(0); ++i) {
    Array<1, Complex> x(n);
    for (size_t j = 0; j < n; ++j) {
      size_t reversed = 0;
      for (size_t bit = 1, other = half; bit < n; bit *= 2, other /= 2)
        if (j & bit) reversed += other;
      x[reversed] = {in[i][j][0], in[i][j][1]};
    }
    for (size_t length = 1; length < n; length *= 2)
      for (size_t first = 0; first < n; first += 2 * length)
        for (size_t k = first; k < first + length; ++k) {
          Complex a = x[k], b = x[k + length] * root[(k - first) * (half / length)];
          x[k] = a + b;
          x[k + length] = a - b;
        }
    for (size_t j = 0; j < n; ++j) {
      out[i][j][0] = x[j].re;
      out[i][j][1] = x[j].im;
    }
  }
}
