// Diffusion that takes speckles from a picture and leaves edges (as in Rodinia): in each iteration the mean and variance
// of the picture say how much of what lies between neighbours is noise.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void srad(unsigned iterations, float lambda, Array<2, float> image)
    __requires(image.size(0) > 0 && image.size(1) > 0);

__codelet void srad(unsigned iterations, float lambda, Array<2, float> image) {
  int rows = image.size(0), columns = image.size(1);
  Array<2, float> north(rows, columns), south(rows, columns), west(rows, columns), east(rows, columns);
  Array<2, float> coefficient(rows, columns);
  for (unsigned t = 0; t < iterations; ++t) {
    double sum = 0, squares = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        sum += image[i][j];
        squares += double(image[i][j]) * image[i][j];
      }
    double mean = sum / (double(rows) * columns), variance = squares / (double(rows) * columns) - mean * mean;
    float noise = variance / (mean * mean);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        float here = image[i][j];
        north[i][j] = image[std::max(i - 1, 0)][j] - here;
        south[i][j] = image[std::min(i + 1, rows - 1)][j] - here;
        west[i][j] = image[i][std::max(j - 1, 0)] - here;
        east[i][j] = image[i][std::min(j + 1, columns - 1)] - here;
        float gradient = (north[i][j] * north[i][j] + south[i][j] * south[i][j] + west[i][j] * west[i][j] +
                          east[i][j] * east[i][j]) /
                         (here * here);
        float laplacian = (north[i][j] + south[i][j] + west[i][j] + east[i][j]) / here;
        float below = 1 + 0.25f * laplacian;
        float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (below * below);
        coefficient[i][j] = std::clamp(1 / (1 + (q - noise) / (noise * (1 + noise))), 0.0f, 1.0f);
      }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        float here = coefficient[i][j], down = coefficient[std::min(i + 1, rows - 1)][j];
        float right = coefficient[i][std::min(j + 1, columns - 1)];
        float flow = here * north[i][j] + down * south[i][j] + here * west[i][j] + right * east[i][j];
        image[i][j] += 0.25f * lambda * flow;
      }
  }
}
