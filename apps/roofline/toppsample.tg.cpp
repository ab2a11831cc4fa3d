// Sampling of the next token from the likeliest ones that have a probability of p together: the least probability kept
// is found by bisection, a token by a running sum.
// sizes: logits=512x128256
// least: bytes 512*128256*4; operations 512*128256*40; launches 2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum void toppsample(float temperature, float p, const Array<2, float> logits, const Array<1, float> uniform,
                           Array<1, int> token)
    __requires(uniform.size() == logits.size(0) && token.size() == logits.size(0) && logits.size(1) > 0)
        __requires(temperature > 0);

__codelet void toppsample(float temperature, float p, const Array<2, float> logits, const Array<1, float> uniform,
                          Array<1, int> token) {
  int batch = logits.size(0), words = logits.size(1);
  Array<1, float> prob(words);
  for (int b = 0; b < batch; ++b) {
    float most = logits[b][0];
    for (int w = 1; w < words; ++w) most = std::max(most, logits[b][w]);
    float total = 0;
    for (int w = 0; w < words; ++w) {
      prob[w] = std::exp((logits[b][w] - most) / temperature);
      total += prob[w];
    }
    float low = 0, high = 1;
    for (int step = 0; step < 24; ++step) {
      float middle = (low + high) / 2, kept = 0;
      for (int w = 0; w < words; ++w)
        if (prob[w] >= middle) kept += prob[w];
      if (kept >= p * total)
        low = middle;
      else
        high = middle;
    }
    float kept = 0;
    for (int w = 0; w < words; ++w)
      if (prob[w] >= low) kept += prob[w];
    float target = uniform[b] * kept, sum = 0;
    int chosen = -1;
    for (int w = 0; w < words; ++w) {
      if (prob[w] < low) continue;
      sum += prob[w];
      chosen = w;
      if (sum > target) break;
    }
    token[b] = chosen;
  }
}
