// A polyphase channelizer: blocks of 64 samples weighted by a filter of 8 taps for each phase, then a Fourier transform
// over the phases, radix 2 in place.
// sizes: re=16777664 outre=262144x64
// least: bytes 16777664*8+262144*64*8; operations 262144*64*(8*4+6*5); launches 1
#include <cmath>
#include <tangram/tangram.h>

const int channels = 64, taps = 8;

__spectrum void polyphase(const Array<1, float> re, const Array<1, float> im, const Array<2, float> filter,
                          Array<2, float> outre, Array<2, float> outim)
    __requires(im.size() == re.size() && re.size() == (outre.size(0) + 7) * 64 && outre.size(1) == 64)
        __requires(filter.size(0) == 8 && filter.size(1) == 64 && outim.size(0) == outre.size(0) &&
                   outim.size(1) == 64);

int reverse6(int x) {
  int r = 0;
  for (int b = 0; b < 6; ++b) r |= (x >> b & 1) << (5 - b);
  return r;
}

__codelet void polyphase(const Array<1, float> re, const Array<1, float> im, const Array<2, float> filter,
                         Array<2, float> outre, Array<2, float> outim) {
  int blocks = outre.size(0);
  float cosine[channels / 2], sine[channels / 2];
  for (int k = 0; k < channels / 2; ++k) {
    cosine[k] = std::cos(2 * 3.14159265f * k / channels);
    sine[k] = -std::sin(2 * 3.14159265f * k / channels);
  }
  for (int b = 0; b < blocks; ++b) {
    float r[channels], i[channels];
    for (int p = 0; p < channels; ++p) {
      float sr = 0, si = 0;
      for (int t = 0; t < taps; ++t) {
        sr += filter[t][p] * re[(b + t) * channels + p];
        si += filter[t][p] * im[(b + t) * channels + p];
      }
      r[reverse6(p)] = sr;
      i[reverse6(p)] = si;
    }
    for (int half = 1; half < channels; half *= 2)
      for (int start = 0; start < channels; start += 2 * half)
        for (int k = 0; k < half; ++k) {
          int a = start + k, o = a + half, w = k * (channels / 2 / half);
          float tr = r[o] * cosine[w] - i[o] * sine[w], ti = r[o] * sine[w] + i[o] * cosine[w];
          r[o] = r[a] - tr;
          i[o] = i[a] - ti;
          r[a] += tr;
          i[a] += ti;
        }
    for (int p = 0; p < channels; ++p) {
      outre[b][p] = r[p];
      outim[b][p] = i[p];
    }
  }
}
