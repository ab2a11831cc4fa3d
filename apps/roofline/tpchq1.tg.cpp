// A filter and a group-by of six groups (TPC-H query 1): sums, in structs, of the rows before a date.
// sizes: shipdate=134217728 out=6
// least: bytes 134217728*(4+2+16); operations 134217728*10; launches 2
#include <cstdint>
#include <tangram/tangram.h>

struct Group {
  double quantity, base, discounted, charged;
  int64_t count;
};

__spectrum void tpchq1(int last, const Array<1, int> shipdate, const Array<1, uint8_t> flag,
                       const Array<1, uint8_t> status, const Array<1, float> quantity, const Array<1, float> price,
                       const Array<1, float> discount, const Array<1, float> tax, Array<1, Group> out)
    __requires(flag.size() == shipdate.size() && status.size() == shipdate.size() && out.size() == 6)
        __requires(quantity.size() == shipdate.size() && price.size() == shipdate.size())
            __requires(discount.size() == shipdate.size() && tax.size() == shipdate.size());

__codelet void tpchq1(int last, const Array<1, int> shipdate, const Array<1, uint8_t> flag,
                      const Array<1, uint8_t> status, const Array<1, float> quantity, const Array<1, float> price,
                      const Array<1, float> discount, const Array<1, float> tax, Array<1, Group> out) {
  for (int g = 0; g < 6; ++g) out[g] = Group{0, 0, 0, 0, 0};
  for (size_t i = 0; i < shipdate.size(); ++i) {
    if (shipdate[i] > last) continue;
    int f = flag[i] == 'A' ? 0 : flag[i] == 'N' ? 1 : 2;
    int g = f * 2 + (status[i] == 'O' ? 1 : 0);
    double less = double(price[i]) * (1 - discount[i]);
    out[g].quantity += quantity[i];
    out[g].base += price[i];
    out[g].discounted += less;
    out[g].charged += less * (1 + tax[i]);
    out[g].count++;
  }
}
