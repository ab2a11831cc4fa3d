// A promise that is not kept: calls of a map add to the same bins.
#include <tangram/tangram.h>
__spectrum void count(unsigned char x, Array<1, unsigned> bins);
__codelet void count(unsigned char x, Array<1, unsigned> bins) {
  if (x < bins.size()) bins[x] += 1;
}
__spectrum void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins);
__codelet __tag(serial) void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] < bins.size()) bins[in[i]] += 1;
}
__codelet __independent __tag(each) void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  map(count, in, bins);
}
