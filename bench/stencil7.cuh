// The seven-point stencil as one would write it for a GPU: a lane walks through planes, of which three are in its
// registers.
#pragma once

#include "gpu_device.h"
#include "peer_kernel.h"

namespace careful {

constexpr unsigned kStencilPlanes = 16;

__global__ void stencil7Kernel(float center, float around, const float *__restrict__ in, float *__restrict__ out,
                               unsigned n0, unsigned n1, unsigned n2) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (k < 1 || k + 1 >= n2 || j < 1 || j + 1 >= n1) return;
  const unsigned begin = 1 + blockIdx.z * kStencilPlanes, end = min(begin + kStencilPlanes, n0 - 1);
  const std::size_t plane = std::size_t(n1) * n2;
  std::size_t at = begin * plane + std::size_t(j) * n2 + k;
  float before = in[at - plane], here = in[at];
#pragma unroll 4
  for (unsigned i = begin; i < end; ++i, at += plane) {
    const float behind = in[at + plane];
    out[at] = center * here + around * (before + behind + in[at - n2] + in[at + n2] + in[at - 1] + in[at + 1]);
    before = here;
    here = behind;
  }
}

inline void stencil7(float center, float around, bench::In<float, 3> in, bench::Out<float, 3> out) {
  if (in.size[0] < 3 || in.size[1] < 3 || in.size[2] < 3) return;
  auto pieces = [](std::size_t n, unsigned each) { return unsigned((n + each - 1) / each); };
  const dim3 threads(64, 4);
  stencil7Kernel<<<dim3(pieces(in.size[2], 64), pieces(in.size[1], 4), pieces(in.size[0] - 2, kStencilPlanes)),
                   threads>>>(center, around, in.data, out.data, in.size[0], in.size[1], in.size[2]);
  bench::check(cudaGetLastError(), "stencil7");
}

} // namespace careful
