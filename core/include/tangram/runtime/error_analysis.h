// Arithmetic of reference kernels, for generated C++: numbers in a wider type that know how far from them the results
// of right plans may be, memory that keeps what they know, and what the caller of a kernel asks.
#pragma once

#include <tangram/runtime/reference/atomics.h>
#include <tangram/runtime/reference/buffer.h>
#include <tangram/runtime/reference/entry_points.h>
#include <tangram/runtime/reference/functions.h>
#include <tangram/runtime/reference/pointer.h>
