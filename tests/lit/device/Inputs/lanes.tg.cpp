// Cooperative codelets in which lanes part and exchange data all the same. The serial codelets say what is right.
#include <tangram/tangram.h>

// ---- branches: both sides exchange, one after the other -----------------------------------------------------

__spectrum void parted(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial) void parted(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    size_t j = i % 3 == 0 ? (i + 3) % 64 : (i + 1) % 64;
    int value = j < in.size() ? in[j] : 0;
    if (i % 3 == 0) out[i] = j % 3 == 0 ? value : 0;
    else out[i] = j % 3 == 0 ? value : 2 * value;
  }
}

__codelet __coop __tag(lanes) void parted(const Array<1, int> in, Array<1, int> out)
    __requires(in.size() <= coopDim()) __requires(coopDim() == 64) {
  __shared int left[coopDim()];
  size_t id = coopIdx();
  int mine = id < in.size() ? in[id] : 0, result = 0;
  left[id] = 0;
  if (id % 3 == 0) {
    left[id] = mine;
    result = left[(id + 3) % 64];
  } else {
    left[id] = 2 * mine;
    result = left[(id + 1) % 64];
  }
  if (id < in.size()) out[id] = result;
}

// ---- a loop that lanes leave at different times, with exchange in it ---------------------------------------

__spectrum int staggered(const Array<1, int> in);

__codelet __tag(serial) int staggered(const Array<1, int> in) {
  // Round r adds to each element i > r the element i - 1 of before the round, as long as r < i % 5.
  int tmp[64];
  for (int i = 0; i < 64; ++i) tmp[i] = size_t(i) < in.size() ? in[i] : 0;
  for (int r = 0; r < 5; ++r) {
    int old[64];
    for (int i = 0; i < 64; ++i) old[i] = tmp[i];
    for (int i = 1; i < 64; ++i)
      if (r < i % 5) tmp[i] = old[i] + old[i - 1];
  }
  int total = 0;
  for (int i = 0; i < 64; ++i) total = total * 3 + tmp[i];
  return total;
}

__codelet __coop __tag(lanes) int staggered(const Array<1, int> in) __requires(coopDim() == 64) {
  __shared int tmp[coopDim()];
  int id = coopIdx();
  tmp[id] = size_t(id) < in.size() ? in[id] : 0;
  for (int r = 0; r < id % 5; ++r) {
    tmp[id] += id > 0 ? tmp[id - 1] : 0;
  }
  int total = 0;
  for (unsigned i = 0; i < coopDim(); ++i) total = total * 3 + tmp[i];
  return total;
}

// ---- break and continue of some lanes ------------------------------------------------------------------------

__spectrum int leaving(const Array<1, int> in);

__codelet __tag(serial) int leaving(const Array<1, int> in) {
  int count[64], total = 0;
  for (int i = 0; i < 64; ++i) count[i] = 0;
  for (int i = 0; i < 64; ++i)
    for (int r = 0; r < 8; ++r) {
      if (r == i % 7) break;
      if (r % 2 == i % 2) continue;
      count[i] += r + 1;
    }
  for (int i = 0; i < 64; ++i) total = total * 5 + count[(i + 1) % 64] + (size_t(i) < in.size() ? in[i] : 0);
  return total;
}

__codelet __coop __tag(lanes) int leaving(const Array<1, int> in) __requires(coopDim() == 64) {
  __shared int count[coopDim()];
  __shared int seen[coopDim()];
  int id = coopIdx();
  count[id] = 0;
  for (int r = 0; r < 8; ++r) {
    if (r == id % 7) break;
    if (r % 2 == id % 2) continue;
    count[id] += r + 1;
    seen[(id + 1) % 64] = count[id];
  }
  int total = 0;
  for (int i = 0; i < 64; ++i) total = total * 5 + count[(i + 1) % 64] + (size_t(i) < in.size() ? in[i] : 0);
  return total;
}

// ---- lanes that do not agree: the lowest that assigns decides -------------------------------------------------

__spectrum int lowest(const Array<1, int> in);

__codelet __tag(serial) int lowest(const Array<1, int> in) {
  int found = -1;
  for (size_t i = in.size(); i-- > 0;)
    if (in[i] > 0 && i < 64) found = int(i);
  return found;
}

__codelet __coop __tag(lanes) int lowest(const Array<1, int> in) __requires(coopDim() == 64) {
  size_t id = coopIdx();
  int found = -1;
  if (id < in.size() && in[id] > 0) found = int(id);
  __shared int all[coopDim()];
  all[id] = found;
  int best = -1;
  for (unsigned i = coopDim(); i-- > 0;)
    if (all[i] >= 0) best = all[i];
  return best;
}

// ---- loops in loops, of which the outermost might turn differently often for each lane ------------------------

__spectrum int deep(const Array<1, int> in);

__codelet __tag(serial) int deep(const Array<1, int> in) {
  int tmp[64], mine[64];
  for (int i = 0; i < 64; ++i) {
    tmp[i] = size_t(i) < in.size() ? in[i] % 7 : 1;
    mine[i] = 0;
  }
  for (int round = 0; round < 48; ++round) {
    for (int i = 0; i < 64; ++i) mine[i] = (mine[i] * 3 + tmp[i]) % 1001;
    for (int i = 0; i < 64; ++i) tmp[(i + 1) % 64] = mine[i];
  }
  int total = 0;
  for (int i = 0; i < 64; ++i) total = (total * 5 + tmp[i]) % 100003;
  return total;
}

__codelet __coop __tag(lanes) int deep(const Array<1, int> in) __requires(coopDim() == 64) {
  size_t id = coopIdx();
  __shared int tmp[coopDim()];
  tmp[id] = id < in.size() ? in[id] % 7 : 1;
  int mine = 0;
  for (unsigned a = 0; a < 2 + id / 64; ++a)
    for (unsigned b = 0; b < 2; ++b)
      for (unsigned c = 0; c < 3; ++c)
        for (unsigned d = 0; d < 2 + id / 64; ++d)
          for (unsigned e = 0; e < 2; ++e) {
            mine = (mine * 3 + tmp[id]) % 1001;
            tmp[(id + 1) % 64] = mine;
          }
  int total = 0;
  for (int i = 0; i < 64; ++i) total = (total * 5 + tmp[i]) % 100003;
  return total;
}
