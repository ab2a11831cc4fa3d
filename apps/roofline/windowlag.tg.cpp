// SQL windows over rows sorted by key: row_number(), value - lag(value), and the running maximum, per partition.
// sizes: key=67108864 value=67108864 number=67108864 delta=67108864 highest=67108864
// least: bytes 67108864*20; operations 67108864*5; launches 1
#include <tangram/tangram.h>

__spectrum void windowlag(const Array<1, int> key, const Array<1, float> value, Array<1, int> number,
                          Array<1, float> delta, Array<1, float> highest)
    __requires(value.size() == key.size() && number.size() == key.size() && delta.size() == key.size() &&
               highest.size() == key.size());

__codelet void windowlag(const Array<1, int> key, const Array<1, float> value, Array<1, int> number,
                         Array<1, float> delta, Array<1, float> highest) {
  int rn = 0;
  float best = 0;
  for (size_t i = 0; i < key.size(); ++i) {
    if (i == 0 || key[i] != key[i - 1]) {
      rn = 1;
      best = value[i];
      delta[i] = 0;
    } else {
      rn++;
      if (value[i] > best) best = value[i];
      delta[i] = value[i] - value[i - 1];
    }
    number[i] = rn;
    highest[i] = best;
  }
}
