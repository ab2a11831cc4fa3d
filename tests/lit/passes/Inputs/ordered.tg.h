#pragma once
#include <tangram/tangram.h>

__spectrum void one(const Array<1, int> in, Array<1, int> total);

__spectrum void all(const Array<1, int> in, Array<1, int> total) __requires(total.size() == 10);
__codelet void all(const Array<1, int> in, Array<1, int> total) {
  size_t len = in.size(), n = (len + 3) / 4;
  map(one, partition(in, n, sequence(0, 4, len), sequence(1), sequence(4, 4, len)), total);
}
