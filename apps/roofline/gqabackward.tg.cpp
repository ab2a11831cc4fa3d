// The backward pass of causal attention whose heads share keys and values in groups; probabilities are computed again
// from the logarithms of sums that the forward pass left.
// sizes: q=32x2048x128 k=8x2048x128
// least: bytes 32*2048*128*4*4+8*2048*128*4*4+32*2048*4; operations 32*2048*2048/2*128*10; launches 2
#include <cmath>
#include <tangram/tangram.h>

__spectrum void gqabackward(const Array<3, float> q, const Array<3, float> k, const Array<3, float> v,
                            const Array<3, float> o, const Array<2, float> lse, const Array<3, float> dout,
                            Array<3, float> dq, Array<3, float> dk, Array<3, float> dv)
    __requires(q.size(1) == k.size(1) && q.size(2) == k.size(2) && k.size(0) > 0 && q.size(0) % k.size(0) == 0)
        __requires(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2))
            __requires(o.size(0) == q.size(0) && o.size(1) == q.size(1) && o.size(2) == q.size(2))
                __requires(dout.size(0) == q.size(0) && dout.size(1) == q.size(1) && dout.size(2) == q.size(2))
                    __requires(dq.size(0) == q.size(0) && dq.size(1) == q.size(1) && dq.size(2) == q.size(2))
                        __requires(dk.size(0) == k.size(0) && dk.size(1) == k.size(1) && dk.size(2) == k.size(2))
                            __requires(dv.size(0) == k.size(0) && dv.size(1) == k.size(1) && dv.size(2) == k.size(2))
                                __requires(lse.size(0) == q.size(0) && lse.size(1) == q.size(1));

__codelet void gqabackward(const Array<3, float> q, const Array<3, float> k, const Array<3, float> v,
                           const Array<3, float> o, const Array<2, float> lse, const Array<3, float> dout,
                           Array<3, float> dq, Array<3, float> dk, Array<3, float> dv) {
  int heads = q.size(0), tokens = q.size(1), width = q.size(2), groups = k.size(0), each = heads / groups;
  float scale = 1 / std::sqrt(float(width));
  for (int g = 0; g < groups; ++g)
    for (int j = 0; j < tokens; ++j)
      for (int d = 0; d < width; ++d) dk[g][j][d] = dv[g][j][d] = 0;
  for (int h = 0; h < heads; ++h) {
    int g = h / each;
    for (int i = 0; i < tokens; ++i) {
      float delta = 0;
      for (int d = 0; d < width; ++d) {
        delta += dout[h][i][d] * o[h][i][d];
        dq[h][i][d] = 0;
      }
      for (int j = 0; j <= i; ++j) {
        float s = 0, dp = 0;
        for (int d = 0; d < width; ++d) {
          s += q[h][i][d] * k[g][j][d];
          dp += dout[h][i][d] * v[g][j][d];
        }
        float p = std::exp(s * scale - lse[h][i]);
        float ds = p * (dp - delta) * scale;
        for (int d = 0; d < width; ++d) {
          dq[h][i][d] += ds * k[g][j][d];
          dk[g][j][d] += ds * q[h][i][d];
          dv[g][j][d] += p * dout[h][i][d];
        }
      }
    }
  }
}
