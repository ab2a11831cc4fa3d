"""Writes a program whose map has N containers, each a partition, to FILE."""
import sys

file, n = sys.argv[1], int(sys.argv[2])
arrays = ", ".join(f"const Array<1, float> a{i}" for i in range(n))
parts = ", ".join(f"partition(a{i}, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))" for i in range(n))
with open(file, "w") as out:
    print(f"""#include <tangram/tangram.h>
__spectrum float all({arrays});
__codelet __tag(loop) float all({arrays}) {{
  float total = 0;
  for (size_t i = 0; i < a0.size(); ++i) total += {" + ".join(f"a{i}[i]" for i in range(n))};
  return total;
}}
__spectrum float sum(const Array<1, float> in);
__codelet float sum(const Array<1, float> in) {{
  float total = 0;
  for (size_t i = 0; i < in.size(); ++i) total += in[i];
  return total;
}}
__codelet __tag(parts) float all({arrays}) {{
  __tunable(values(2, 4)) unsigned p;
  size_t len = a0.size(), tile = (len + p - 1) / p;
  return sum(map(all, {parts}));
}}""", file=out)
