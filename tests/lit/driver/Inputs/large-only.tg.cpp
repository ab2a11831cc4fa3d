// Adds up what is there; one codelet takes the number of elements for one of 16 bits.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet __tag(plain) int sum(const Array<1, int> in) {
  int result = 0;
  for (size_t i = 0; i < in.size(); ++i) result += in[i];
  return result;
}

__codelet __tag(narrow) int sum(const Array<1, int> in) {
  uint16_t n = in.size();
  int result = 0;
  for (size_t i = 0; i < n; ++i) result += in[i];
  return result;
}
