#include <tangram/tangram.h>

__spectrum int owed(const Array<1, int> in);

__codelet int owed(const Array<1, int> in) {
  int left = 100;
  for (size_t i = 0; i < in.size(); ++i) left -= in[i];
  return left;
}
__codelet int owed(const Array<1, int> in) __tag(backwards) {
  int left = 100;
  for (size_t i = in.size(); i > 0; --i) left -= in[i - 1];
  return left;
}
