// The numbers from zero on: what a map goes over where calls are told apart by their number alone.
#pragma once
#include <tangram/tangram.h>

__spectrum void number(Array<1, size_t> out);

__codelet __tag(serial) void number(Array<1, size_t> out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = i;
}

__codelet __coop __tag(lanes) void number(Array<1, size_t> out) {
  for (size_t i = coopIdx(); i < out.size(); i += coopDim())
    out[i] = i;
}
