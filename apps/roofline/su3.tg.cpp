// The mean plaquette of a lattice of SU(3) links, four directions a site, periodic.
// sizes: link=1048576x4x9 n=32
// least: bytes 1048576*4*72; operations 1048576*6*3*200; launches 2
#include <tangram/tangram.h>

struct Complex {
  float re, im;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex conj(Complex a) { return {a.re, -a.im}; }

__spectrum double su3(int n, const Array<3, Complex> link)
    __requires(link.size(0) == size_t(n) * n * n * n && link.size(1) == 4 && link.size(2) == 9 && n > 0);

int next(int site, int way, int n) {
  int stride = 1;
  for (int d = 0; d < way; ++d) stride *= n;
  return site / stride % n == n - 1 ? site - (n - 1) * stride : site + stride;
}

__codelet double su3(int n, const Array<3, Complex> link) {
  double sum = 0;
  int sites = link.size(0);
  for (int s = 0; s < sites; ++s)
    for (int mu = 0; mu < 4; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu) {
        int a = next(s, mu, n), b = next(s, nu, n);
        Complex one[9], two[9];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            Complex x{0, 0}, y{0, 0};
            for (int k = 0; k < 3; ++k) {
              x = x + link[s][mu][3 * i + k] * link[a][nu][3 * k + j];
              y = y + link[s][nu][3 * i + k] * link[b][mu][3 * k + j];
            }
            one[3 * i + j] = x;
            two[3 * i + j] = y;
          }
        for (int i = 0; i < 9; ++i) sum += (one[i] * conj(two[i])).re;
      }
  return sum / (18.0 * sites);
}
