// A step of a lattice Boltzmann method in two dimensions with nine velocities (D2Q9, BGK), on a torus.
#include <tangram/tangram.h>

const int kAcross[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
const int kDown[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const float kWeight[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

__spectrum void lbm(float omega, const Array<3, float> in, Array<3, float> out)
    __requires(in.size(0) == 9 && out.size(0) == 9) __requires(in.size(1) == out.size(1) && in.size(2) == out.size(2));

__codelet void lbm(float omega, const Array<3, float> in, Array<3, float> out) {
  int height = in.size(1), width = in.size(2);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float f[9];
      float density = 0, ux = 0, uy = 0;
      for (int q = 0; q < 9; ++q) {
        int fromY = (y - kDown[q] + height) % height, fromX = (x - kAcross[q] + width) % width;
        f[q] = in[q][fromY][fromX];
        density += f[q];
        ux += kAcross[q] * f[q];
        uy += kDown[q] * f[q];
      }
      ux /= density;
      uy /= density;
      float still = 1 - 1.5f * (ux * ux + uy * uy);
      for (int q = 0; q < 9; ++q) {
        float along = 3 * (kAcross[q] * ux + kDown[q] * uy);
        float equilibrium = kWeight[q] * density * (still + along + 0.5f * along * along);
        out[q][y][x] = f[q] + omega * (equilibrium - f[q]);
      }
    }
}
