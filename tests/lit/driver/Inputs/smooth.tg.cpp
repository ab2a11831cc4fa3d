// A line that is smoothed in place; and numbers that are counted as they are added up.
#include <tangram/tangram.h>

__spectrum void smooth(unsigned steps, Array<1, float> a);

__codelet void smooth(unsigned steps, Array<1, float> a) {
  for (unsigned t = 0; t < steps; ++t)
    for (size_t i = 0; i + 1 < a.size(); ++i) a[i] = 0.5f * (a[i] + a[i + 1]);
}

// What `before` holds is not what the counter holds when it is used.
__spectrum void counted(unsigned steps, Array<2, int> counter, Array<1, int> rows, Array<1, int> columns)
    __requires(rows.size() == counter.size(0) && columns.size() == counter.size(1));

__codelet void counted(unsigned steps, Array<2, int> counter, Array<1, int> rows, Array<1, int> columns) {
  for (size_t i = 0; i < counter.size(0); ++i)
    for (size_t j = 0; j < counter.size(1); ++j) {
      int before = counter[i][j];
      counter[i][j]++;
      rows[i] += before;
      columns[j] += before;
    }
}
