// Recursive filters along rows: forwards, backwards and in place, and two recurrences of which one reads what the other
// stored an iteration ago.
#include <tangram/tangram.h>

__spectrum void forwards(float b, const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void forwards(float b, const Array<2, float> in, Array<2, float> out) {
  int rows = in.size(0), columns = in.size(1);
  for (int i = 0; i < rows; ++i) {
    float y = 0;
    for (int j = 0; j < columns; ++j) {
      out[i][j] = in[i][j] + b * y;
      y = out[i][j];
    }
  }
}

__spectrum void backwards(float b, const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void backwards(float b, const Array<2, float> in, Array<2, float> out) {
  int rows = in.size(0), columns = in.size(1);
  for (int i = 0; i < rows; ++i) {
    float y = 0;
    for (int j = columns - 1; j >= 0; --j) {
      out[i][j] -= in[i][j] + b * y;
      y = out[i][j];
    }
  }
}

__spectrum void systems(float a, const Array<2, float> u, Array<2, float> p, Array<2, float> q, Array<2, float> v)
    __requires(p.size(0) == u.size(0) && p.size(1) == u.size(1) && q.size(0) == u.size(0) &&
               q.size(1) == u.size(1) && v.size(0) == u.size(0) && v.size(1) == u.size(1) && u.size(1) > 1);

__codelet void systems(float a, const Array<2, float> u, Array<2, float> p, Array<2, float> q, Array<2, float> v) {
  int rows = u.size(0), n = u.size(1);
  for (int i = 0; i < rows; ++i) {
    p[i][0] = 0;
    q[i][0] = 1;
    for (int j = 1; j < n - 1; ++j) {
      p[i][j] = -a / (a * p[i][j - 1] + 2);
      q[i][j] = (u[i][j] - a * q[i][j - 1]) / (a * p[i][j - 1] + 2);
    }
    v[i][n - 1] = 1;
    for (int j = n - 2; j >= 1; --j) v[i][j] = p[i][j] * v[i][j + 1] + q[i][j];
  }
}
