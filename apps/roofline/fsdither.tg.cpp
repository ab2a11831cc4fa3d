// Frames of grey levels to black and white by Floyd and Steinberg's diffusion of errors.
// sizes: in=64x1080x1920 out=64x1080x1920
// least: bytes 64*1080*1920*2; operations 64*1080*1920*10; launches 1
#include <tangram/tangram.h>

__spectrum void fsdither(const Array<3, unsigned char> in, Array<3, unsigned char> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1) && out.size(2) == in.size(2));

__codelet void fsdither(const Array<3, unsigned char> in, Array<3, unsigned char> out) {
  int h = in.size(1), w = in.size(2);
  for (int f = 0; f < (int)in.size(0); f++) {
    Array<1, int> below(w + 2); // sixteenths of an error, for the next row
    for (int x = 0; x < w + 2; x++) below[x] = 0;
    for (int y = 0; y < h; y++) {
      int right = 0, corner = 0; // error for the pixel to the right, and for the one below that
      for (int x = 0; x < w; x++) {
        int value = in[f][y][x] * 16 + below[x + 1] + right;
        int black = value < 128 * 16;
        out[f][y][x] = black ? 0 : 255;
        int error = (value - (black ? 0 : 255 * 16)) / 16;
        right = error * 7;
        below[x] += error * 3;
        below[x + 1] = error * 5 + corner;
        corner = error;
      }
    }
  }
}
