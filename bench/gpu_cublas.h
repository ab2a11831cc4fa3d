// cuBLAS as a peer: its handle, made once.
#pragma once

#include "gpu_device.h"

#include <cublas_v2.h>

namespace bench {

inline cublasHandle_t blas() {
  static cublasHandle_t handle = [] {
    cublasHandle_t made;
    succeed(cublasCreate(&made), "cublasCreate");
    return made;
  }();
  return handle;
}

} // namespace bench
