// cuSOLVER as a peer: its handle, made once.
#pragma once

#include "gpu_device.h"

#include <cusolverDn.h>

namespace bench {

inline cusolverDnHandle_t solver() {
  static cusolverDnHandle_t handle = [] {
    cusolverDnHandle_t made;
    succeed(cusolverDnCreate(&made), "cusolverDnCreate");
    return made;
  }();
  return handle;
}

} // namespace bench
