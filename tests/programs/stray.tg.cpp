// Accesses out of range, each in a way of its own: `which` says which one is done, 0 none. checked.py expects the error
// that the comment behind it says.
#include <tangram/tangram.h>

constexpr int kTable[3] = {1, 2, 3};
int inner(int i) { return kTable[i]; } // reads element FAR of 'kTable', which has 3
int pick(int i) { return inner(i); }

// Where a device runs the map, the host calls the function.
__spectrum int plus(int a, int b);
__codelet int plus(int a, int b) { return a + b; }
__spectrum void shifted(int far, const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet __tag(host) void shifted(int far, const Array<1, int> in, Array<1, int> out) {
  int by = pick(far);
  out = map(plus, in, by);
}

// Waits for what is written elsewhere: on a device the host does.
__spectrum void raise(int x, int at, Array<1, int> flags);
__codelet void raise(int x, int at, Array<1, int> flags) { atomicOr(flags[at], 1); } // changes element FAR of 'flags', which has 8

__spectrum void waiting(int far, const Array<1, int> in, Array<1, int> flags)
    __requires(flags.size() == 8) __requires(in.size() > 0);
__codelet __tag(loop) void waiting(int far, const Array<1, int> in, Array<1, int> flags) {
  while (flags[0] == 0) map(raise, in, far, flags);
}

__spectrum void stray(int which, int far, const Array<1, int> in, const Array<2, int> m, Array<1, int> out);

__codelet __tag(ways) void stray(int which, int far, const Array<1, int> in, const Array<2, int> m,
                                 Array<1, int> out) {
  int table[4] = {10, 11, 12, 13};
  int at = far;
  switch (which) {
  case 1: out[0] = in[far]; break;                          // reads element FAR of 'in', which has 8
  case 2: out[far] = 1; break;                              // writes element FAR of 'out', which has 8
  case 3: out[far] += in[0]; break;                         // changes element FAR of 'out', which has 8
  case 4: out[at++] = 1; break;                             // writes element FAR of 'out', which has 8
  case 5: ++out[far]; break;                                // changes element FAR of 'out', which has 8
  case 6: out[0] = table[far]; break;                       // reads element FAR of 'table', which has 4
  case 7: out[0] = in[in[far]]; break;                      // reads element FAR of 'in', which has 8
  case 8: out[0] = m[far][0]; break;                        // reads element FAR of dimension 0 of 'm', which has 2
  case 9: out[0] = m(1, far); break;                        // reads element FAR of dimension 1 of 'm', which has 4
  case 10: out[0] = far != 0 && in[far] > 0; break;         // reads element FAR of 'in', which has 8
  case 11: atomicAdd(out[far], 1); break;                   // changes element FAR of 'out', which has 8
  case 12: out[0] = out[far] = in[0]; break;                // writes element FAR of 'out', which has 8
  case 13: table[far] = 1; out[0] = table[0]; break;        // writes element FAR of 'table', which has 4
  case 14:                                                  // reads element FAR of 'in', which has 8
    while (in[at] == 0) at += far;
    out[0] = at;
    break;
  case 15:                                                  // reads element FAR of 'in', which has 8
    do {
      at = in[far];
    } while (at == 0);
    out[0] = at;
    break;
  case 16: out[0] = atomicCompareExchange(out[far], in[0], 1) + out[far]; break; // changes element FAR of 'out', which has 8
  case 17: {                                                // reads element FAR of 't', which has 3
    Array<1, int> t(3);
    for (int i = 0; i < 3; ++i) t[i] = i;
    out[0] = t[far];
    break;
  }
  case 18: out[0] = pick(in[0] + far) + in[1]; break;       // a function
  default: out[0] = table[1] + in[0] + m[1][3];
  }
}
