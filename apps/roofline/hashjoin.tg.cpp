// A hash join: the smaller table into open addressing, then the larger one looks its keys up.
// sizes: build=1048576 table=4194304 probe=67108864 out=67108864
// least: bytes 67108864*8+4194304*8; launches 3
#include <tangram/tangram.h>

__spectrum unsigned hashjoin(const Array<1, unsigned> build, const Array<1, unsigned> probe, Array<1, unsigned> table,
                             Array<1, unsigned> row, Array<1, int> out)
    __requires(table.size() == 4 * build.size() + 1 && row.size() == table.size() && out.size() == probe.size());

__codelet unsigned hashjoin(const Array<1, unsigned> build, const Array<1, unsigned> probe, Array<1, unsigned> table,
                            Array<1, unsigned> row, Array<1, int> out) {
  size_t slots = table.size();
  for (size_t s = 0; s < slots; ++s) table[s] = 0;
  for (size_t i = 0; i < build.size(); ++i) {
    size_t s = build[i] * 2654435761u % slots;
    while (table[s] != 0) s = s + 1 < slots ? s + 1 : 0;
    table[s] = build[i];
    row[s] = i;
  }
  unsigned matches = 0;
  for (size_t i = 0; i < probe.size(); ++i) {
    size_t s = probe[i] * 2654435761u % slots;
    while (table[s] != 0 && table[s] != probe[i]) s = s + 1 < slots ? s + 1 : 0;
    out[i] = -1;
    if (table[s] == probe[i]) {
      out[i] = row[s];
      ++matches;
    }
  }
  return matches;
}
