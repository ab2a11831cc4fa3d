// Accesses out of range of lanes that work together: `which` says which one is done, 0 none. The plainest codelet does
// none; checked.py expects of plans with the other one the error that the comment behind it says.
#include <tangram/tangram.h>

__spectrum int lanes(int which, int far, const Array<1, int> in) __requires(in.size() == 3);

__codelet __tag(plain) int lanes(int which, int far, const Array<1, int> in) {
  int sum = 0;
  for (unsigned i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}

__codelet __coop __tag(together) int lanes(int which, int far, const Array<1, int> in) {
  __shared int tmp[coopDim()];
  unsigned id = coopIdx();
  int got = 0, at = far;
  tmp[id] = id < in.size() ? in[id] : 0;
  switch (which) {
  case 1: got = tmp[id + far]; break;                    // reads element \d+ of 'tmp', which has \d+
  case 2: got = in[id]; break;                           // reads element \d+ of 'in', which has 3
  case 3: tmp[id + far] = 1; break;                      // writes element \d+ of 'tmp', which has \d+
  case 4:                                                // reads element 9 of 'in', which has 3
    if (far > 0 && in[id == 3 ? 9 : 0] < 0) got = 1;
    break;
  case 5:                                                // reads element \d+ of 'in', which has 3
    while (id < 2 && in[at + id] == 0) at += far;
    break;
  case 6: tmp[far] += tmp[id]; break;                    // (changes|reads) element \d+ of 'tmp', which has \d+
  case 7: got = in[tmp[id] < 0 ? 0 : far]; break;        // reads element \d+ of 'in', which has 3
  }
  for (unsigned s = 1; s < coopDim(); s *= 2)
    if (id >= s) tmp[id] += tmp[id - s];
  return tmp[coopDim() - 1] + 0 * got;
}
