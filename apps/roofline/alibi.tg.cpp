// Causal attention with linear biases (ALiBi) and capped scores, softmax in one pass over the keys.
// sizes: q=8388608 k=8388608 v=8388608 out=8388608 slope=16 batch=4 heads=16 length=2048
// least: bytes 8388608*16; operations 64*2048*1024*64*4; launches 1
#include <cmath>
#include <tangram/tangram.h>

constexpr int DIM = 64;

__spectrum void alibi(int batch, int heads, int length, float cap, const Array<1, float> q, const Array<1, float> k,
                      const Array<1, float> v, const Array<1, float> slope, Array<1, float> out)
    __requires(q.size() == batch * heads * length * 64 && k.size() == q.size() && v.size() == q.size() &&
               out.size() == q.size() && slope.size() == heads);

__codelet void alibi(int batch, int heads, int length, float cap, const Array<1, float> q, const Array<1, float> k,
                     const Array<1, float> v, const Array<1, float> slope, Array<1, float> out) {
  const float scale = 0.125f;
  for (int b = 0; b < batch; b++)
    for (int h = 0; h < heads; h++) {
      int head = (b * heads + h) * length * DIM;
      for (int i = 0; i < length; i++) {
        float acc[DIM];
        for (int d = 0; d < DIM; d++) acc[d] = 0;
        float m = -INFINITY, l = 0;
        for (int j = 0; j <= i; j++) {
          float s = 0;
          for (int d = 0; d < DIM; d++) s += q[head + i * DIM + d] * k[head + j * DIM + d];
          s = cap * tanhf(s * scale / cap) - slope[h] * (i - j);
          if (s > m) {
            float fix = expf(m - s);
            l *= fix;
            for (int d = 0; d < DIM; d++) acc[d] *= fix;
            m = s;
          }
          float p = expf(s - m);
          l += p;
          for (int d = 0; d < DIM; d++) acc[d] += p * v[head + j * DIM + d];
        }
        for (int d = 0; d < DIM; d++) out[head + i * DIM + d] = acc[d] / l;
      }
    }
}
