// Counters that follow from the number of the iteration, but wrap around, or count how often others do.
#include <tangram/tangram.h>

// Coordinates of a picture that lies in one dimension.
__spectrum void pixels(const Array<1, int> in, unsigned width, Array<1, int> out) __requires(in.size() == out.size());
__codelet void pixels(const Array<1, int> in, unsigned width, Array<1, int> out) {
  unsigned x = 0, y = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] + 3 * x + 1000 * y;
    if (++x == width) {
      x = 0;
      ++y;
    }
  }
}

// Three of them, the next one tested behind the branch; each is read in front of and behind its change, and at the end.
__spectrum int voxels(const Array<1, int> in, int width, int height, Array<1, int> out)
    __requires(in.size() == out.size());
__codelet int voxels(const Array<1, int> in, int width, int height, Array<1, int> out) {
  int x = 0, y = 0, z = 2;
  for (int i = 0; i < (int)in.size(); ++i) {
    int before = x + 10 * y + 100 * z;
    x += 1;
    if (x >= width) {
      x = 0;
      y += 1;
    }
    if (y == height) {
      y = 0;
      z -= 3;
    }
    out[i] = in[i] * (x + 7 * y + 49 * z) + before;
  }
  return x + 10 * y + 100 * z;
}

// Buffers that are gone around in, by several steps, and the other way round.
__spectrum void rings(const Array<1, int> in, const Array<1, int> taps, unsigned step, Array<1, int> out)
    __requires(in.size() == out.size() && taps.size() > 0);
__codelet void rings(const Array<1, int> in, const Array<1, int> taps, unsigned step, Array<1, int> out) {
  int n = taps.size(), one = 0, back = n - 1, masked = 3;
  unsigned several = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] * taps[one] + taps[back] - 3 * taps[several] + masked;
    one = (one + 1) % n;
    if (--back < 0) back = n - 1;
    several += step;
    if (several >= taps.size()) several -= taps.size();
    masked = (masked + 5) & 15;
  }
}

// A phase that may come around several times in one iteration.
__spectrum void resampled(unsigned up, unsigned down, const Array<1, int> in, Array<1, int> out) __requires(up > 0);
__codelet void resampled(unsigned up, unsigned down, const Array<1, int> in, Array<1, int> out) {
  unsigned phase = 0;
  size_t at = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = phase + (at < in.size() ? in[at] : -1);
    phase += down;
    while (phase >= up) {
      phase -= up;
      ++at;
    }
  }
}

// The error of a line that is drawn downwards, and from right to left.
__spectrum void line(int dx, int dy, Array<1, int> row) __requires(dx > 0 && dy >= 0 && dy <= dx);
__codelet void line(int dx, int dy, Array<1, int> row) {
  int error = dx / 2, y = 0;
  for (int x = (int)row.size() - 1; x >= 0; --x) {
    row[x] = y;
    error -= dy;
    if (error < 0) {
      error += dx;
      --y;
    }
  }
}

// Counters of one byte: one that wraps around with its type, one that another one counts.
__spectrum void narrow(const Array<1, int> in, int n, Array<1, int> out) __requires(in.size() == out.size());
__codelet void narrow(const Array<1, int> in, int n, Array<1, int> out) {
  unsigned char all = 250, x = 0, times = 200;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] + all + 256 * x + 65536 * times;
    all += 3;
    if (++x == n) {
      x = 0;
      ++times;
    }
  }
}

// The test in front of the step, and one that begins in front of its range.
__spectrum void ahead(const Array<1, int> in, int n, Array<1, int> out) __requires(in.size() == out.size());
__codelet void ahead(const Array<1, int> in, int n, Array<1, int> out) {
  int x = 0, y = 0, column = -1, down = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = down;
    if (x == n) {
      x = 0;
      ++y;
    }
    if (++column == n) column = 0;
    out[i] += in[i] * column + 100 * x + 10000 * y;
    ++x;
    if (down == 0) down = n;
    --down;
  }
}

// Corners of tiles; what is set where one is wrapped around.
__spectrum void corners(const Array<1, int> in, int width, int tile, Array<1, int> out)
    __requires(in.size() == out.size());
__codelet void corners(const Array<1, int> in, int width, int tile, Array<1, int> out) {
  int left = 0, top = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] + left + 1000 * top;
    left += tile;
    if (left >= width) {
      out[i] += 2 * left;
      left = 0;
      top += tile;
      out[i] += 3 * top;
    }
  }
}

// Counters that go on from row to row, and an index that is counted.
__spectrum void rows(const Array<2, int> in, int n, Array<1, int> out) __requires(out.size() == in.size(0) * in.size(1));
__codelet void rows(const Array<2, int> in, int n, Array<1, int> out) {
  size_t at = 0;
  int x = 0, y = 0;
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) {
      out[at++] = in[i][j] + x + 1000 * y;
      if (++x == n) {
        x = 0;
        ++y;
      }
    }
}

// Not counted by all iterations: these stay.
__spectrum void skipped(const Array<1, int> in, int n, Array<1, int> out) __requires(in.size() == out.size());
__codelet void skipped(const Array<1, int> in, int n, Array<1, int> out) {
  int x = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = x;
    if (in[i] < 0) continue;
    if (++x == n) x = 0;
  }
}

// Brought back to another place each time.
__spectrum void growing(const Array<1, int> in, int n, Array<1, int> out) __requires(in.size() == out.size());
__codelet void growing(const Array<1, int> in, int n, Array<1, int> out) {
  int x = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = x;
    if (++x == n) {
      x = 0;
      n += 2;
    }
  }
}
