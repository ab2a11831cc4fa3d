// The numbers of a reference: with a bound for each or, where TANGRAM_REFERENCE_LIGHT is defined, light ones.
#pragma once

#ifdef TANGRAM_REFERENCE_LIGHT
#include <tangram/runtime/reference/light_real.h>
#else
#include <tangram/runtime/reference/bounded_functions.h>
#endif
