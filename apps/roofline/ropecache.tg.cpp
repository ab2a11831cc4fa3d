// Rotary embedding of queries and keys of a batch of tokens, keys and values put into the slots of a paged cache.
// sizes: q=32768x32x128 k=32768x8x128 v=32768x8x128 cosine=8192x64 sine=8192x64 position=32768 slot=32768 kcache=65536x8x128 vcache=65536x8x128
// least: bytes 32768*32*128*4*2+32768*8*128*4*4; operations 32768*40*64*6; launches 1
#include <tangram/tangram.h>

__spectrum void ropecache(const Array<1, int> position, const Array<1, int> slot, const Array<2, float> cosine,
                          const Array<2, float> sine, Array<3, float> q, const Array<3, float> k,
                          const Array<3, float> v, Array<3, float> kcache, Array<3, float> vcache)
    __requires(position.size() == q.size(0) && slot.size() == q.size(0) && k.size(0) == q.size(0))
        __requires(v.size(0) == q.size(0) && v.size(1) == k.size(1) && k.size(2) == q.size(2) && v.size(2) == q.size(2))
            __requires(2 * cosine.size(1) == q.size(2) && sine.size(1) == cosine.size(1) && sine.size(0) == cosine.size(0))
                __requires(kcache.size(1) == k.size(1) && kcache.size(2) == q.size(2) && vcache.size(0) == kcache.size(0) &&
                           vcache.size(1) == k.size(1) && vcache.size(2) == q.size(2));

__codelet void ropecache(const Array<1, int> position, const Array<1, int> slot, const Array<2, float> cosine,
                         const Array<2, float> sine, Array<3, float> q, const Array<3, float> k,
                         const Array<3, float> v, Array<3, float> kcache, Array<3, float> vcache) {
  const int heads = q.size(1), kvHeads = k.size(1), half = q.size(2) / 2;
  for (int t = 0; t < (int)q.size(0); ++t) {
    const int p = position[t];
    for (int h = 0; h < heads; ++h)
      for (int d = 0; d < half; ++d) {
        float a = q[t][h][d], b = q[t][h][d + half];
        q[t][h][d] = a * cosine[p][d] - b * sine[p][d];
        q[t][h][d + half] = b * cosine[p][d] + a * sine[p][d];
      }
    const int s = slot[t];
    if (s < 0) continue; // padding of the batch
    for (int h = 0; h < kvHeads; ++h) {
      for (int d = 0; d < half; ++d) {
        float a = k[t][h][d], b = k[t][h][d + half];
        kcache[s][h][d] = a * cosine[p][d] - b * sine[p][d];
        kcache[s][h][d + half] = b * cosine[p][d] + a * sine[p][d];
      }
      for (int d = 0; d < 2 * half; ++d) vcache[s][h][d] = v[t][h][d];
    }
  }
}
