// The sum of squares of scaled numbers: a reduction by codelets of three kinds.
#include "pieces.tg.h"

__spectrum double energy(const Array<1, float> in, float scale);

__codelet __tag(serial) double energy(const Array<1, float> in, float scale) {
  double total = 0;
  for (std::size_t i = 0; i < in.size(); ++i) total += square(in[i] * scale);
  return total;
}

__codelet __tag(tiled) double energy(const Array<1, float> in, float scale) {
  __tunable unsigned p;
  std::size_t length = in.size(), tile = (length + p - 1) / p;
  return total(map(energy, partition(in, p, sequence(0, tile, length), sequence(1), sequence(tile, tile, length)), scale));
}
