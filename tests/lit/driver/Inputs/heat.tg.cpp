// Heat along a rod, in steps of time. `hurried` conducts a hundredth more than `a`.
#include <tangram/tangram.h>

__spectrum void heat(unsigned steps, Array<1, float> now, Array<1, float> then) __requires(now.size() == then.size());

__codelet __tag(a) void heat(unsigned steps, Array<1, float> now, Array<1, float> then) {
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = 1; i + 1 < now.size(); ++i) then[i] = now[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]);
    for (size_t i = 1; i + 1 < now.size(); ++i) now[i] = then[i];
  }
}

#ifdef HURRIED
__codelet __coop __tag(hurried) void heat(unsigned steps, Array<1, float> now, Array<1, float> then) {
  for (unsigned t = 0; t < steps; ++t) {
    for (size_t i = 1 + coopIdx(); i + 1 < now.size(); i += coopDim())
      then[i] = now[i] + 0.2525f * (now[i - 1] - 2 * now[i] + now[i + 1]);
    for (size_t i = 1 + coopIdx(); i + 1 < now.size(); i += coopDim()) now[i] = then[i];
  }
}
#endif
