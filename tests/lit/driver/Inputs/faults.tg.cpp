// Codelets that are wrong, crash and never end, beside those that are right.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet __tag(serial)
int sum(const Array<1, int> in) {
  int accum = 0;
  for (size_t i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(tiled)
int sum(const Array<1, int> in) {
  __tunable(values(2, 8)) unsigned p;
  size_t len = in.size(), tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}

__codelet __tag(wrong)
int sum(const Array<1, int> in) {
  int accum = 1;
  for (size_t i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(far)
int sum(const Array<1, int> in) {
  int accum = 0;
  for (size_t i = 0; i < in.size(); ++i) accum += in[i * 100000000000];
  return accum;
}

__codelet __tag(endless)
int sum(const Array<1, int> in) {
  int accum = 0;
  for (size_t i = 0; i < in.size(); i += in[i] == 2147483647) accum += in[i];
  return accum;
}
