// Linkage disequilibrium: squared correlations of genotypes (0, 1, 2, and 3 where missing) of each marker and those behind it.
// sizes: genotype=65536x2048 r2=65536x64
// least: bytes 65536*2048+65536*64*4; operations 65536*64*2048*1; launches 1
#include <tangram/tangram.h>

__spectrum void ldmatrix(const Array<2, unsigned char> genotype, Array<2, float> r2)
    __requires(r2.size(0) == genotype.size(0));

__codelet void ldmatrix(const Array<2, unsigned char> genotype, Array<2, float> r2) {
  size_t markers = genotype.size(0), people = genotype.size(1), window = r2.size(1);
  for (size_t a = 0; a < markers; a++) {
    for (size_t w = 0; w < window; w++) {
      size_t b = a + w + 1;
      if (b >= markers) {
        r2[a][w] = 0;
        continue;
      }
      int n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
      for (size_t p = 0; p < people; p++) {
        int x = genotype[a][p], y = genotype[b][p];
        if (x == 3 || y == 3) continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        syy += y * y;
        sxy += x * y;
      }
      float cov = (float)n * sxy - (float)sx * sy;
      float vx = (float)n * sxx - (float)sx * sx, vy = (float)n * syy - (float)sy * sy;
      r2[a][w] = vx > 0 && vy > 0 ? cov * cov / (vx * vy) : 0.0f;
    }
  }
}
