// Control flow around spectrums that asks what they have computed.
#include "../../apps/common/sum.tg.h"

__spectrum void add_to_all(int value, Array<1, int> a);

__codelet __tag(serial) void add_to_all(int value, Array<1, int> a) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += value;
}
__codelet __tag(tiles) void add_to_all(int value, Array<1, int> a) {
  __tunable unsigned p;
  size_t len = a.size(), tile = (len + p - 1) / p;
  map(add_to_all, value, partition(a, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

// A loop that ends by a sum, one behind its body; at most 9 rounds.
__spectrum void grow(int limit, Array<1, int> a, Array<1, int> rounds) __requires(rounds.size() == 1);
__codelet void grow(int limit, Array<1, int> a, Array<1, int> rounds) {
  rounds[0] = 0;
  do {
    add_to_all(3, a);
    ++rounds[0];
  } while (sum<int>(a) < limit && rounds[0] < 9);
}

// Leaves and goes on from the middle, by what is known on the device and by what is not.
__spectrum void wander(const Array<1, int> start, Array<1, int> a) __requires(start.size() == 1);
__codelet void wander(const Array<1, int> start, Array<1, int> a) {
  int state = start[0] & 7;
  for (int i = 0; i < 20; ++i) {
    if (i == 13) break;
    state = (state * 5 + 3) & 15;
    if (state == 6) continue;
    if (state == 9) {
      add_to_all(100, a);
      if (sum<int>(a) % 3 == 0) break;
      continue;
    }
    add_to_all(state, a);
  }
  while (state > 2) {
    state -= 2;
    if (state == 5) continue;
    add_to_all(-1, a);
  }
  int left = 3;
  do {
    --left;
    if (sum<int>(a) % 2 == 0) continue;
    add_to_all(1, a);
  } while (left > 0 && a.size() > 0);
}

// As many rounds, and as many parts, as a container says.
__spectrum void parts(const Array<1, int> how, Array<1, int> a) __requires(how.size() == 1);
__codelet void parts(const Array<1, int> how, Array<1, int> a) {
  size_t n = how[0] & 7, len = a.size(), tile = n == 0 ? 0 : (len + n - 1) / n;
  map(add_to_all, 7, partition(a, n, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
  for (int i = how[0] & 3; i > 0; --i)
    add_to_all(i, a);
  if (how[0] & 1)
    add_to_all(1000, a);
  else
    add_to_all(2000, a);
}

// What a Continue must not leave out: a condition behind the body, and a step, that lie on the device.
__spectrum void linger(const Array<1, int> start, Array<1, int> a) __requires(start.size() == 1);
__codelet void linger(const Array<1, int> start, Array<1, int> a) {
  int left = 12;
  do {
    if (sum<int>(a) % 2 == 0) {
      add_to_all(3, a);
      continue;
    }
    add_to_all(2, a);
  } while (--left > 0 && sum<int>(a) % 5 != 0);
  for (unsigned state = start[0]; (state & 15) != 7 && left > -20; state = state * 5 + 1) {
    --left;
    if (state & 2) continue;
    add_to_all(5, a);
  }
}

// Loops that leave parts of their heads out.
__spectrum void heads(Array<1, int> a) __requires(a.size() > 0);
__codelet void heads(Array<1, int> a) {
  int n = 0;
  for (; n < 3;) {
    add_to_all(n, a);
    ++n;
  }
  for (;;) {
    add_to_all(1, a);
    if ((a[0] & 7) == 5) break;
  }
}
