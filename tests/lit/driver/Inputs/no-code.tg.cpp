// A codelet that does what there is no code for yet: an orderedAdd within an expression.
#include <tangram/tangram.h>

__spectrum void append(const Array<1, int> in, Array<1, int> end, Array<1, int> out);

__codelet __tag(before) void append(const Array<1, int> in, Array<1, int> end, Array<1, int> out) {
  int at = orderedAdd(end[0], (int)in.size());
  for (size_t i = 0; i < in.size(); ++i) out[at + i] = in[i];
}

__codelet __tag(within) void append(const Array<1, int> in, Array<1, int> end, Array<1, int> out) {
  int nothing = 0;
  for (int i = 0; i < 4; ++i) nothing += i - i;
  int at = nothing + orderedAdd(end[0], (int)in.size());
  for (size_t i = 0; i < in.size(); ++i) out[at + i] = in[i];
}

__spectrum void copied(const Array<1, int> in, Array<1, int> end, Array<1, int> out) __requires(end.size() == 1)
    __requires(in.size() == out.size());

__codelet __independent void copied(const Array<1, int> in, Array<1, int> end, Array<1, int> out) {
  __tunable(values(4, 16)) unsigned tile;
  size_t len = in.size(), tiles = (len + tile - 1) / tile;
  end[0] = 0;
  map(append, partition(in, tiles, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), end, out);
}
