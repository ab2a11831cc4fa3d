// UNSUPPORTED: sanitized
// What cooperating lanes may do, each against a codelet that does it alone.
// RUN: %tangram verify %s --target cpu-openmp --spectrum all --budget 0 --sizes 0,1,15,16,17,100 --json | %FileCheck %s
// CHECK-NOT: "failed": {{[1-9]}}
#include <tangram/tangram.h>

// ---- loops that lanes leave at different times -----------------------------------------------------------

__spectrum void steps(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial)
void steps(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned x = (unsigned)in[i] % 1000u + 1u;
    int n = 0;
    while (x != 1) {
      if (x % 2 == 1)
        x = 3 * x + 1;
      else
        x /= 2;
      ++n;
    }
    out[i] = n;
  }
}

__codelet __coop __tag(lanes)
void steps(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) {
    unsigned x = (unsigned)in[i] % 1000u + 1u;
    int n = 0;
    while (x != 1) {
      if (x % 2 == 1)
        x = 3 * x + 1;
      else
        x /= 2;
      ++n;
    }
    out[i] = n;
  }
}

// ---- break, continue, do, nested loops -------------------------------------------------------------------

__spectrum void jumps(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial)
void jumps(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    int sum = 0;
    for (int j = 0; j < 20; ++j) {
      if (j % 3 == in[i] % 3)
        continue;
      sum += j;
      if (sum > in[i])
        break;
      sum += 1;
    }
    int k = 0;
    do {
      if (k == 7)
        break;
      ++k;
      if (k % 2 == 0)
        continue;
      sum += k;
    } while (k < in[i]);
    for (;;) {
      if (sum > 5)
        break;
      sum += 2;
    }
    out[i] = sum;
  }
}

__codelet __coop __tag(lanes)
void jumps(const Array<1, int> in, Array<1, int> out) {
  unsigned id = coopIdx();
  for (size_t base = 0; base < in.size(); base += coopDim()) {
    size_t i = base + id;
    if (i < in.size()) {
      int sum = 0;
      for (int j = 0; j < 20; ++j) {
        if (j % 3 == in[i] % 3)
          continue;
        sum += j;
        if (sum > in[i])
          break;
        sum += 1;
      }
      int k = 0;
      do {
        if (k == 7)
          break;
        ++k;
        if (k % 2 == 0)
          continue;
        sum += k;
      } while (k < in[i]);
      for (;;) {
        if (sum > 5)
          break;
        sum += 2;
      }
      out[i] = sum;
    }
  }
}

// ---- each statement reads in all lanes before it writes in any -------------------------------------------

__spectrum void rotate(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial)
void rotate(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i)
    out[i] = in[(i + 3) % in.size()];
}

__codelet __coop __tag(lanes)
void rotate(const Array<1, int> in, Array<1, int> out) __requires(in.size() <= coopDim()) {
  __shared int tmp[coopDim()];
  unsigned id = coopIdx();
  unsigned n = in.size();
  tmp[id] = id < n ? in[id] : 0;
  for (int k = 0; k < 3; ++k)
    if (id < n)
      tmp[id] = tmp[(id + 1) % n];
  if (id < n)
    out[id] = tmp[id];
}

// ---- arrays of each lane's own, tables, switches, functions ----------------------------------------------

int clamp(int x, int lo, int hi) {
  if (x < lo)
    return lo;
  return x > hi ? hi : x;
}

__spectrum void digits(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial)
void digits(const Array<1, int> in, Array<1, int> out) {
  const int weights[4] = {1, 10, 100, 1000};
  for (size_t i = 0; i < in.size(); ++i) {
    int seen[4];
    for (int d = 0; d < 4; ++d)
      seen[d] = 0;
    unsigned x = (unsigned)in[i];
    for (int d = 0; d < 16; ++d) {
      seen[x & 3] += 1;
      x >>= 2;
    }
    int r = 0;
    for (int d = 0; d < 4; ++d)
      r += weights[d] * seen[d];
    switch (in[i] & 3) {
    case 0:
      r += 1;
      break;
    case 1:
    case 2:
      r = -r;
      break;
    default:
      r = clamp(r, 100, 4000);
    }
    out[i] = r;
  }
}

__codelet __coop __tag(lanes)
void digits(const Array<1, int> in, Array<1, int> out) {
  const int weights[4] = {1, 10, 100, 1000};
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) {
    int seen[4];
    for (int d = 0; d < 4; ++d)
      seen[d] = 0;
    unsigned x = (unsigned)in[i];
    for (int d = 0; d < 16; ++d) {
      seen[x & 3] += 1;
      x >>= 2;
    }
    int r = 0;
    for (int d = 0; d < 4; ++d)
      r += weights[d] * seen[d];
    switch (in[i] & 3) {
    case 0:
      r += 1;
      break;
    case 1:
    case 2:
      r = -r;
      break;
    default:
      r = clamp(r, 100, 4000);
    }
    out[i] = r;
  }
}

// ---- several types in one codelet, conditions that guard accesses and divisions --------------------------

__spectrum double mixed(const Array<1, float> a, const Array<1, short> b) __requires(a.size() == b.size());

__codelet __tag(serial)
double mixed(const Array<1, float> a, const Array<1, short> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double x = b[i] != 0 && a[i] / b[i] > 0 ? a[i] : -0.5;
    long long q = b[i] != 0 ? 1000 / b[i] : 7;
    sum += (float)x * 2 + (double)q;
  }
  return sum;
}

__codelet __coop __tag(lanes)
double mixed(const Array<1, float> a, const Array<1, short> b) {
  __shared double part[coopDim()];
  unsigned id = coopIdx();
  double sum = 0;
  for (unsigned i = id; i < a.size(); i += coopDim()) {
    double x = b[i] != 0 && a[i] / b[i] > 0 ? a[i] : -0.5;
    long long q = b[i] != 0 ? 1000 / b[i] : 7;
    sum += (float)x * 2 + (double)q;
  }
  part[id] = sum;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s)
      part[id] += part[id + s];
  return part[0];
}

// ---- a shared counter and atomics ------------------------------------------------------------------------

__spectrum int positive(const Array<1, int> in);

__codelet __tag(serial)
int positive(const Array<1, int> in) {
  int n = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] > 0)
      ++n;
  return n;
}

__codelet __coop __tag(lanes)
int positive(const Array<1, int> in) {
  __shared int n;
  n = 0;
  for (int i = coopIdx(); i < (int)in.size(); i += coopDim())
    if (in[i] > 0)
      atomicAdd(n, 1);
  return n;
}

// ---- conditions that hold for all lanes, for none, and for all but one -------------------------------------

__spectrum void bounds(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());

__codelet __tag(serial)
void bounds(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = 1 + 2 + 4 + in[i];
}

__codelet __coop __tag(lanes)
void bounds(const Array<1, int> in, Array<1, int> out) {
  size_t id = coopIdx();
  for (size_t i = id; i < in.size(); i += coopDim()) {
    int got = 0;
    if (id < coopDim()) got += 1;
    if (coopDim() - 1 >= id) got += 2;
    got += id + 1 <= coopDim() ? 4 : 8;
    if (id >= coopDim()) got += 16;
    if (coopDim() < id) got += 32;
    got += id > coopDim() - 1 ? 64 : 0;
    if (id + 1 < coopDim()) got += in[i];
    if (coopDim() - 1 == id) got += in[i];
    out[i] = got;
  }
}
