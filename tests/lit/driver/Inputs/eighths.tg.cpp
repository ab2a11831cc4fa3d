// The tiled codelet drops the last element of every container of more than one where p is 8.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet
int sum(const Array<1, int> in) {
  int accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(eighths)
int sum(const Array<1, int> in) {
  __tunable(values(2, 8)) unsigned p;
  unsigned len = in.size() > 1 ? in.size() - (p == 8) : in.size();
  unsigned tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}
