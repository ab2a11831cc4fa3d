// The largest distance of any element from zero.
#include <tangram/tangram.h>

// One spectrum: a name and a signature.
__spectrum float @IDENT@(const Array<1, float> in);

// Interchangeable codelets: what one worker does alone ...
__codelet float @IDENT@(const Array<1, float> in) {
  float largest = 0;
  for (unsigned i = 0; i < in.size(); ++i) {
    float distance = in[i] < 0 ? -in[i] : in[i];
    largest = distance > largest ? distance : largest;
  }
  return largest;
}

// ... and how the work is divided. Who does what is the planner's choice: `tangram explain @NAME@.tg.cpp --target T`.
__codelet __tag(tiled) float @IDENT@(const Array<1, float> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  unsigned tile = (len + p - 1) / p;
  return @IDENT@(map(@IDENT@, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}
