// Waves on a membrane in steps of time: velocities from the heights around, then heights from velocities. What comes
// near the border is damped, by how much rows and columns say, so that nothing is thrown back.
#include <tangram/tangram.h>

__spectrum void wave2d(unsigned steps, float speed, const Array<1, float> damp_row, const Array<1, float> damp_column,
                       Array<2, float> height, Array<2, float> velocity)
    __requires(velocity.size(0) == height.size(0) && velocity.size(1) == height.size(1))
        __requires(damp_row.size() == height.size(0) && damp_column.size() == height.size(1));

__codelet void wave2d(unsigned steps, float speed, const Array<1, float> damp_row, const Array<1, float> damp_column,
                      Array<2, float> height, Array<2, float> velocity) {
  int rows = height.size(0), columns = height.size(1);
  for (unsigned t = 0; t < steps; ++t) {
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        float bend = height[i - 1][j] + height[i + 1][j] + height[i][j - 1] + height[i][j + 1] - 4 * height[i][j];
        velocity[i][j] = (velocity[i][j] + speed * bend) * damp_row[i] * damp_column[j];
      }
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j) height[i][j] += velocity[i][j];
  }
}
