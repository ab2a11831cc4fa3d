// The caller is trusted with the index.
#include <tangram/tangram.h>

__spectrum int element(const Array<1, int> in, int at);

__codelet int element(const Array<1, int> in, int at) { return in[at]; }
