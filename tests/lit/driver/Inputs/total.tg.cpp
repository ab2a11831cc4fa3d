#include <tangram/tangram.h>

__spectrum void add(int value, Array<1, int> total);
__codelet __tag(plain) void add(int value, Array<1, int> total) { total[0] += value; }
#ifdef ATOMIC
__codelet __tag(atomic) void add(int value, Array<1, int> total) { atomicAdd(total[0], value); }
#endif

__spectrum void sum(const Array<1, int> in, Array<1, int> total) __requires(total.size() == 1);
__codelet __tag(values) void sum(const Array<1, int> in, Array<1, int> total) { map(add, in, total); }
