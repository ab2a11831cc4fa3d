// A matrix, turned, in containers of one dimension.
#include <tangram/tangram.h>

__spectrum void flattranspose(int rows, int columns, const Array<1, float> in, Array<1, float> out)
    __requires(in.size() == rows * columns && out.size() == in.size());

__codelet void flattranspose(int rows, int columns, const Array<1, float> in, Array<1, float> out) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[j * rows + i] = in[i * columns + j];
}
