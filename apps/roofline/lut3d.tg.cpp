// Colour grading: 8-bit RGB pixels through a 3-D table of 33 x 33 x 33 colours, interpolated trilinearly.
// sizes: rgb=201326592 lut=107811 out=201326592
// least: bytes 201326592*2+107811*4; operations 67108864*60; launches 1
#include <tangram/tangram.h>

#define SIDE 33

__spectrum void lut3d(const Array<1, unsigned char> rgb, const Array<1, float> lut, Array<1, unsigned char> out)
    __requires(lut.size() == 107811 && out.size() == rgb.size());

__codelet void lut3d(const Array<1, unsigned char> rgb, const Array<1, float> lut, Array<1, unsigned char> out) {
  const float scale = (SIDE - 1) / 255.0f;
  size_t pixels = rgb.size() / 3, p = 0;
  while (pixels--) {
    float r = rgb[p] * scale, g = rgb[p + 1] * scale, b = rgb[p + 2] * scale;
    int ri = (int)r, gi = (int)g, bi = (int)b;
    if (ri > SIDE - 2) ri = SIDE - 2;
    if (gi > SIDE - 2) gi = SIDE - 2;
    if (bi > SIDE - 2) bi = SIDE - 2;
    r -= ri;
    g -= gi;
    b -= bi;
    int base = ((bi * SIDE + gi) * SIDE + ri) * 3;
    for (int c = 0; c < 3; c++) {
      float v = 0;
      for (int corner = 0; corner < 8; corner++) {
        int dr = corner & 1, dg = corner >> 1 & 1, db = corner >> 2;
        float weight = (dr ? r : 1 - r) * (dg ? g : 1 - g) * (db ? b : 1 - b);
        v += weight * lut[base + ((db * SIDE + dg) * SIDE + dr) * 3 + c];
      }
      v = v * 255.0f + 0.5f;
      out[p + c] = v < 0 ? 0 : v > 255 ? 255 : (unsigned char)v;
    }
    p += 3;
  }
}
