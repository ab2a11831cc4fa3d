#include <tangram/tangram.h>

constexpr float weights[2][3] = {{1, 2.5f, -3}, {4}};
constexpr unsigned char bits[4] = {1, 2, 4};
constexpr double wide[1000] = {0.5};

__spectrum void weigh(const Array<1, unsigned> key, Array<1, float> out) __requires(key.size() == out.size());

__codelet __tag(serial) void weigh(const Array<1, unsigned> key, Array<1, float> out) {
  for (unsigned i = 0; i < key.size(); ++i)
    out[i] = weights[key[i] & 1][key[i] % 3] * bits[key[i] & 3] + float(wide[key[i] & 511]);
}

__codelet __tag(parts) void weigh(const Array<1, unsigned> key, Array<1, float> out) {
  __tunable unsigned p;
  map(weigh, partition(key, p, sequence(0, 1, p), sequence(p), sequence(key.size())),
      partition(out, p, sequence(0, 1, p), sequence(p), sequence(out.size())));
}
