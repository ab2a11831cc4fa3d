// Features for speech: power spectra through triangular mel filters, logarithms, and a cosine transform to 13 coefficients.
// sizes: power=262144x513 edge=42 mfcc=262144x13
// least: bytes 262144*513*4+262144*13*4; operations 262144*(513*6+40*13*2+40*20); launches 1
#include <cmath>
#include <tangram/tangram.h>

#define FILTERS 40

__spectrum void melbank(const Array<2, float> power, const Array<1, int> edge, Array<2, float> mfcc)
    __requires(edge.size() == 42 && mfcc.size(0) == power.size(0));

__codelet void melbank(const Array<2, float> power, const Array<1, int> edge, Array<2, float> mfcc) {
  for (size_t t = 0; t < power.size(0); t++) {
    float mel[FILTERS];
    for (int f = 0; f < FILTERS; f++) {
      int left = edge[f], peak = edge[f + 1], right = edge[f + 2];
      float energy = 0;
      for (int b = left; b < peak; b++) energy += power[t][b] * (b - left) / (peak - left);
      for (int b = peak; b < right; b++) energy += power[t][b] * (right - b) / (right - peak);
      mel[f] = logf(fmaxf(energy, 1e-10f));
    }
    for (size_t c = 0; c < mfcc.size(1); c++) {
      float sum = 0;
      for (int f = 0; f < FILTERS; f++) sum += mel[f] * cosf(M_PI * c * (f + 0.5f) / FILTERS);
      mfcc[t][c] = sum * sqrtf(2.0f / FILTERS);
    }
  }
}
