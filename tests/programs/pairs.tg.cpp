// Steps in which a lane has two elements for itself (one barrier each), and steps that only look so.
#include <tangram/tangram.h>

__spectrum int folded(const Array<1, int> in);
__codelet __tag(serial)
int folded(const Array<1, int> in) {
  int s = 0;
  for (size_t i = 0; i < in.size(); ++i) s += in[i] & 1023;
  return s;
}
__codelet __coop __tag(tree)
int folded(const Array<1, int> in) {
  __shared int t[coopDim()];
  unsigned id = coopIdx();
  int own = 0;
  for (size_t i = id; i < in.size(); i += coopDim()) own += in[i] & 1023;
  t[id] = own;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s) t[id] += t[id + s];
  return t[0];
}

// A network that sorts what the lanes have, and tiles that it sorts.
__spectrum void sorted(Array<1, int> a);
__codelet __tag(serial) void sorted(Array<1, int> a) {
  for (size_t i = 1; i < a.size(); ++i) {
    int x = a[i];
    size_t j = i;
    for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
    a[j] = x;
  }
}
__codelet __coop __tag(bitonic) void sorted(Array<1, int> a) __requires(a.size() <= coopDim()) {
  __shared int t[coopDim()];
  unsigned id = coopIdx();
  t[id] = id < a.size() ? a[id] : 2147483647;
  for (unsigned k = 2; k <= coopDim(); k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned partner = id ^ j;
      if (partner > id) {
        int x = t[id], y = t[partner];
        bool up = (id & k) == 0;
        if ((x > y) == up) {
          t[id] = y;
          t[partner] = x;
        }
      }
    }
  if (id < a.size()) a[id] = t[id];
}

__spectrum void sorted_tiles(Array<1, int> a);
__codelet void sorted_tiles(Array<1, int> a) {
  size_t n = a.size(), p = (n + 7) / 8;
  map(sorted, partition(a, p, sequence(0, 8, n), sequence(1), sequence(8, 8, n)));
}

// Elements that others have, too: a distance that wraps around, one that has changed, pairs of two kinds at once.
__spectrum int mixed(const Array<1, int> in);
__codelet __tag(serial)
int mixed(const Array<1, int> in) {
  int t[8], total = 0;
  for (unsigned i = 0; i < 8; ++i) t[i] = i < in.size() ? in[i] & 15 : 1;
  int u[8];
  for (unsigned i = 0; i < 8; ++i) u[i] = i > 0 ? t[i] + t[i - 1] : t[i];
  for (unsigned i = 0; i < 8; ++i) t[i] = (i ^ 1) > i ? u[i] + u[i ^ 1] : u[i] - u[i ^ 1];
  for (unsigned i = 0; i < 8; ++i) u[i] = (i ^ 2) > i ? t[i] + 3 * t[i ^ 2] : t[i];
  for (unsigned i = 0; i < 8; ++i) t[i] = (i ^ 4) > i ? u[i] - 5 * u[i ^ 4] : u[i];
  for (unsigned i = 0; i < 8; ++i) total = 7 * total % 1000003 + t[i];
  return total;
}
__codelet __coop __tag(lanes)
int mixed(const Array<1, int> in) __requires(coopDim() >= 8) {
  __shared int t[coopDim()];
  unsigned id = coopIdx();
  t[id] = id < 8 && id < in.size() ? in[id] & 15 : 1;
  unsigned all = 4294967295u;
  if (id < all) // of all lanes
    if (id > 0) t[id] += t[id + all];
  unsigned j = 1;
  int next = (id ^ j) > id ? t[id] + t[id ^ j] : t[id] - t[id ^ j];
  t[id] = next;
  j *= 2;
  if ((id ^ j) > id) t[id] += 3 * t[id ^ j];
  j *= 2;
  if ((id ^ j) > id) t[id] -= 5 * t[id ^ j];
  int total = 0;
  for (unsigned i = 0; i < 8; ++i) total = 7 * total % 1000003 + t[i];
  return total;
}

// Butterflies over halves of blocks, of which each lane may have several; and a step whose halves overlap.
__spectrum int halved(const Array<1, int> in);
__codelet __tag(serial)
int halved(const Array<1, int> in) {
  int t[64], total = 0;
  for (unsigned i = 0; i < 64; ++i) t[i] = i < in.size() ? in[i] & 255 : i;
  for (unsigned s = 24; s > 0; s /= 2)
    for (unsigned x = 0; x < 24; ++x) {
      unsigned i = x / s * 2 * s + x % s;
      int low = t[i], high = t[i + s];
      t[i] = low + high & 1023;
      t[i + s] = low - high & 1023;
    }
  for (unsigned s = 1; s < 64; s *= 2)
    for (unsigned x = 0; x < 32; ++x) {
      unsigned i = 2 * x - (x & (s - 1));
      int low = t[i], high = t[i + s];
      t[i] = low + 3 * high & 1023;
      t[i + s] = low - 5 * high & 1023;
    }
  int u[32];
  for (unsigned x = 0; x < 32; ++x) u[x] = t[x] + t[x + 4];
  for (unsigned x = 0; x < 32; ++x) total = (7 * total + u[x]) % 1000003;
  return total;
}
__codelet __coop __tag(lanes)
int halved(const Array<1, int> in) {
  __shared int t[64];
  for (unsigned i = coopIdx(); i < 64; i += coopDim()) t[i] = i < in.size() ? in[i] & 255 : i;
  for (unsigned s = 24; s > 0; s /= 2)
    for (unsigned x = coopIdx(); x < 24; x += coopDim()) {
      unsigned i = x / s * 2 * s + x % s;
      int low = t[i], high = t[i + s];
      t[i] = low + high & 1023;
      t[i + s] = low - high & 1023;
    }
  for (unsigned s = 1; s < 64; s *= 2)
    for (unsigned x = coopIdx(); x < 32; x += coopDim()) {
      unsigned i = 2 * x - (x & (s - 1));
      int low = t[i], high = t[i + s];
      t[i] = low + 3 * high & 1023;
      t[i + s] = low - 5 * high & 1023;
    }
  unsigned s = 4;
  for (unsigned x = coopIdx(); x < 32; x += coopDim()) {
    unsigned i = x / s * s + x % s;
    int next = t[i] + t[i + s];
    t[i] = next;
  }
  int total = 0;
  for (unsigned x = 0; x < 32; ++x) total = (7 * total + t[x]) % 1000003;
  return total;
}
