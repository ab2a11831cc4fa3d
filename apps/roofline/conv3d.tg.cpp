// A 3-D convolution with padding, as for volumes of medical scans, NCDHW in flat memory, with bias and ReLU.
// sizes: in=16777216 w=55296 bias=64 out=33554432 N=4 C=32 D=32 H=64 W=64 K=64
// least: bytes 16777216*4+33554432*4+55296*4; operations 33554432*32*27*2; launches 1
#include <tangram/tangram.h>

__spectrum void conv3d(int N, int C, int D, int H, int W, int K, const Array<1, float> in, const Array<1, float> w,
                       const Array<1, float> bias, Array<1, float> out)
    __requires(in.size() == N * C * D * H * W && out.size() == N * K * D * H * W && w.size() == K * C * 27 &&
               bias.size() == K);

__codelet void conv3d(int N, int C, int D, int H, int W, int K, const Array<1, float> in, const Array<1, float> w,
                      const Array<1, float> bias, Array<1, float> out) {
  for (int n = 0; n < N; ++n)
    for (int k = 0; k < K; ++k)
      for (int z = 0; z < D; ++z)
        for (int y = 0; y < H; ++y)
          for (int x = 0; x < W; ++x) {
            float sum = bias[k];
            for (int c = 0; c < C; ++c)
              for (int dz = -1; dz <= 1; ++dz) {
                if (z + dz < 0 || z + dz >= D) continue;
                for (int dy = -1; dy <= 1; ++dy) {
                  if (y + dy < 0 || y + dy >= H) continue;
                  for (int dx = -1; dx <= 1; ++dx) {
                    if (x + dx < 0 || x + dx >= W) continue;
                    int from = (((n * C + c) * D + z + dz) * H + y + dy) * W + x + dx;
                    int tap = ((dz + 1) * 3 + dy + 1) * 3 + dx + 1;
                    sum += in[from] * w[(k * C + c) * 27 + tap];
                  }
                }
              }
            out[(((n * K + k) * D + z) * H + y) * W + x] = sum > 0 ? sum : 0;
          }
}
