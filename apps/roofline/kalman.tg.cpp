// Kalman's filter for many tracks: place and speed in two dimensions, measured places, some of them missing.
// sizes: z=256x1048576x2
// least: bytes 256*1048576*(8+1+8)+1048576*80*2; operations 256*1048576*250; launches 1
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void kalman(float dt, float noise, float error, const Array<3, float> z, const Array<2, uint8_t> seen,
                       Array<2, float> state, Array<3, float> covariance, Array<3, float> place)
    __requires(z.size(2) == 2 && seen.size(0) == z.size(0) && seen.size(1) == z.size(1))
        __requires(state.size(0) == z.size(1) && state.size(1) == 4 && covariance.size(0) == z.size(1) &&
                   covariance.size(1) == 4 && covariance.size(2) == 4)
            __requires(place.size(0) == z.size(0) && place.size(1) == z.size(1) && place.size(2) == 2);

void multiply(const float a[4][4], const float b[4][4], float c[4][4]) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      c[i][j] = 0;
      for (int k = 0; k < 4; ++k) c[i][j] += a[i][k] * b[k][j];
    }
}

__codelet void kalman(float dt, float noise, float error, const Array<3, float> z, const Array<2, uint8_t> seen,
                      Array<2, float> state, Array<3, float> covariance, Array<3, float> place) {
  for (size_t n = 0; n < z.size(1); ++n) {
    float x[4], p[4][4], f[4][4], ft[4][4], fp[4][4];
    for (int i = 0; i < 4; ++i) {
      x[i] = state[n][i];
      for (int j = 0; j < 4; ++j) {
        p[i][j] = covariance[n][i][j];
        f[i][j] = i == j ? 1 : j == i + 2 ? dt : 0;
        ft[j][i] = f[i][j];
      }
    }
    for (size_t t = 0; t < z.size(0); ++t) {
      x[0] += dt * x[2];
      x[1] += dt * x[3];
      multiply(f, p, fp);
      multiply(fp, ft, p);
      for (int i = 0; i < 4; ++i) p[i][i] += noise;
      if (seen[t][n]) {
        float a = p[0][0] + error, b = p[0][1], c = p[1][0], d = p[1][1] + error, det = a * d - b * c;
        float y0 = z[t][n][0] - x[0], y1 = z[t][n][1] - x[1];
        float gain[4][2], next[4][4];
        for (int i = 0; i < 4; ++i) {
          gain[i][0] = (p[i][0] * d - p[i][1] * c) / det;
          gain[i][1] = (p[i][1] * a - p[i][0] * b) / det;
          x[i] += gain[i][0] * y0 + gain[i][1] * y1;
        }
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) next[i][j] = p[i][j] - gain[i][0] * p[0][j] - gain[i][1] * p[1][j];
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) p[i][j] = next[i][j];
      }
      place[t][n][0] = x[0];
      place[t][n][1] = x[1];
    }
    for (int i = 0; i < 4; ++i) {
      state[n][i] = x[i];
      for (int j = 0; j < 4; ++j) covariance[n][i][j] = p[i][j];
    }
  }
}
