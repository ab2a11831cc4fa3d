// Rotary position embedding: each head's numbers are turned by pairs, half a head apart, by how much the token's
// position says.
#include <tangram/tangram.h>

__spectrum void rope(const Array<3, float> q, const Array<1, unsigned> position, const Array<2, float> cosine,
                     const Array<2, float> sine, Array<3, float> out)
    __requires(position.size() == q.size(0) && q.size(2) == cosine.size(1) * 2)
        __requires(sine.size(0) == cosine.size(0) && sine.size(1) == cosine.size(1))
            __requires(out.size(0) == q.size(0) && out.size(1) == q.size(1) && out.size(2) == q.size(2));

__codelet void rope(const Array<3, float> q, const Array<1, unsigned> position, const Array<2, float> cosine,
                    const Array<2, float> sine, Array<3, float> out) {
  size_t half = cosine.size(1);
  for (size_t t = 0; t < q.size(0); ++t)
    for (size_t h = 0; h < q.size(1); ++h)
      for (size_t d = 0; d < half; ++d) {
        float c = cosine[position[t]][d], s = sine[position[t]][d];
        float a = q[t][h][d], b = q[t][h][d + half];
        out[t][h][d] = a * c - b * s;
        out[t][h][d + half] = b * c + a * s;
      }
}
