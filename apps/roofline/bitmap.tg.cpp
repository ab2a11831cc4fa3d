// A predicate of three columns as a bitmap, and how many rows it selects and their revenue (TPC-H Q6).
// sizes: date=134217728 bits=4194304
// least: bytes 134217728*16+4194304*4; operations 134217728*6; launches 2
#include <tangram/tangram.h>

struct Answer {
  unsigned rows;
  double revenue;
};
__spectrum Answer bitmap(int first, int last, float low, float high, const Array<1, int> date,
                         const Array<1, float> discount, const Array<1, float> quantity, const Array<1, float> price,
                         Array<1, unsigned> bits)
    __requires(discount.size() == date.size() && quantity.size() == date.size() && price.size() == date.size() &&
               bits.size() == (date.size() + 31) / 32);

__codelet Answer bitmap(int first, int last, float low, float high, const Array<1, int> date,
                        const Array<1, float> discount, const Array<1, float> quantity, const Array<1, float> price,
                        Array<1, unsigned> bits) {
  Answer answer{0, 0};
  for (size_t w = 0; w < bits.size(); ++w) bits[w] = 0;
  for (size_t i = 0; i < date.size(); ++i)
    if (date[i] >= first && date[i] < last && discount[i] >= low && discount[i] <= high && quantity[i] < 24) {
      bits[i / 32] |= 1u << (i % 32);
      answer.rows++;
      answer.revenue += price[i] * discount[i];
    }
  return answer;
}
