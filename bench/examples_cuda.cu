// The programs of apps/examples as one would write them for a GPU: tiles in scratchpad memory, several results a lane,
// private bins. They are what plans made of loops are measured by.
#include "gpu_device.h"
#include "peer_kernel.h"
#include "stencil7.cuh"

#include "tangram/cuda/device.h"

#include <cmath>

namespace {

using bench::check, bench::In, bench::Out;

__host__ __device__ unsigned pieces(std::size_t n, unsigned each) { return unsigned((n + each - 1) / each); }

void launched(const char *what) { check(cudaGetLastError(), what); }

void jacobi(float center, float around, In<float, 3> in, Out<float, 3> out) {
  careful::stencil7(center, around, in, out);
}

// ---- convolution: a tile in scratchpad memory, eight results of a column a lane

constexpr unsigned kTap = 7, kWide = 32, kRows = 8, kEach = 8, kHigh = kRows * kEach;

__global__ void convolutionKernel(const float *__restrict__ in, const float *__restrict__ weights,
                                  float *__restrict__ out, unsigned height, unsigned width) {
  __shared__ float tile[kHigh + kTap - 1][kWide + kTap - 1], w[kTap * kTap];
  const unsigned x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * kWide, top = blockIdx.y * kHigh;
  const std::size_t pitch = width + kTap - 1;
  if (y * kWide + x < kTap * kTap) w[y * kWide + x] = weights[y * kWide + x];
  for (unsigned r = y; r < kHigh + kTap - 1; r += kRows)
    for (unsigned c = x; c < kWide + kTap - 1; c += kWide)
      tile[r][c] = top + r < height + kTap - 1 && left + c < pitch ? in[(top + r) * pitch + left + c] : 0;
  __syncthreads();
  float sum[kEach] = {};
#pragma unroll
  for (unsigned c = 0; c < kTap; ++c) {
    float column[kEach + kTap - 1];
#pragma unroll
    for (unsigned r = 0; r < kEach + kTap - 1; ++r) column[r] = tile[y * kEach + r][x + c];
#pragma unroll
    for (unsigned r = 0; r < kTap; ++r)
#pragma unroll
      for (unsigned e = 0; e < kEach; ++e) sum[e] += w[r * kTap + c] * column[e + r];
  }
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned row = top + y * kEach + e;
    if (row < height && left + x < width) out[std::size_t(row) * width + left + x] = sum[e];
  }
}

void convolution(In<float, 2> in, In<float, 2> weights, Out<float, 2> out) {
  const unsigned height = out.size[0], width = out.size[1];
  convolutionKernel<<<dim3(pieces(width, kWide), pieces(height, kHigh)), dim3(kWide, kRows)>>>(in.data, weights.data,
                                                                                               out.data, height, width);
  launched("convolution");
}

// ---- accelerations: tiles of bodies in scratchpad memory, of which each of four slices takes a quarter

constexpr unsigned kBodies = 64, kSlices = 4, kTile = kBodies * kSlices;

__global__ void accelerationsKernel(const float *__restrict__ x, const float *__restrict__ y,
                                    const float *__restrict__ z, const float *__restrict__ mass, float *__restrict__ ax,
                                    float *__restrict__ ay, float *__restrict__ az, unsigned n) {
  __shared__ float4 tile[kTile];
  const unsigned id = threadIdx.y * kBodies + threadIdx.x, i = blockIdx.x * kBodies + threadIdx.x;
  const float ownX = i < n ? x[i] : 0, ownY = i < n ? y[i] : 0, ownZ = i < n ? z[i] : 0;
  float sumX = 0, sumY = 0, sumZ = 0;
  for (unsigned first = 0; first < n; first += kTile) {
    const unsigned j = first + id;
    __syncthreads();
    tile[id] = j < n ? make_float4(x[j], y[j], z[j], mass[j]) : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 16
    for (unsigned t = 0; t < kBodies; ++t) {
      const float4 other = tile[threadIdx.y * kBodies + t];
      const float dx = other.x - ownX, dy = other.y - ownY, dz = other.z - ownZ;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float pull = other.w * inverse * inverse * inverse;
      sumX += pull * dx;
      sumY += pull * dy;
      sumZ += pull * dz;
    }
  }
  __syncthreads();
  tile[id] = make_float4(sumX, sumY, sumZ, 0);
  __syncthreads();
  if (threadIdx.y > 0 || i >= n) return;
  for (unsigned s = 1; s < kSlices; ++s) {
    const float4 part = tile[s * kBodies + threadIdx.x];
    sumX += part.x, sumY += part.y, sumZ += part.z;
  }
  ax[i] = sumX, ay[i] = sumY, az[i] = sumZ;
}

void accelerations(In<float, 1> x, In<float, 1> y, In<float, 1> z, In<float, 1> mass, Out<float, 1> ax,
                   Out<float, 1> ay, Out<float, 1> az) {
  const unsigned n = x.size[0];
  accelerationsKernel<<<pieces(n, kBodies), dim3(kBodies, kSlices)>>>(x.data, y.data, z.data, mass.data, ax.data,
                                                                      ay.data, az.data, n);
  launched("accelerations");
}

// ---- softmax: a row each group, in registers

constexpr unsigned kLanes = 256, kWarps = kLanes / 32, kQuads = 4; // of four numbers a lane, at most

template <class F> __device__ float overAll(float value, F combine) {
  __shared__ float parts[kWarps];
  for (unsigned s = 16; s > 0; s /= 2) value = combine(value, __shfl_xor_sync(~0u, value, s));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[threadIdx.x % kWarps];
  for (unsigned s = kWarps / 2; s > 0; s /= 2) value = combine(value, __shfl_xor_sync(~0u, value, s));
  return value;
}

__global__ void softmaxKernel(const float *__restrict__ in, float *__restrict__ out, unsigned n) {
  const auto *from = reinterpret_cast<const float4 *>(in + blockIdx.x * std::size_t(n));
  auto *to = reinterpret_cast<float4 *>(out + blockIdx.x * std::size_t(n));
  auto larger = [](float a, float b) { return fmaxf(a, b); };
  auto added = [](float a, float b) { return a + b; };
  float4 own[kQuads];
  float most = -INFINITY, sum = 0;
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    const unsigned at = q * kLanes + threadIdx.x;
    own[q] = at < n / 4 ? __ldcs(from + at) : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    most = fmaxf(most, fmaxf(fmaxf(own[q].x, own[q].y), fmaxf(own[q].z, own[q].w)));
  }
  most = overAll(most, larger);
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    own[q] = make_float4(expf(own[q].x - most), expf(own[q].y - most), expf(own[q].z - most), expf(own[q].w - most));
    sum += own[q].x + own[q].y + own[q].z + own[q].w;
  }
  const float scale = 1 / overAll(sum, added);
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    const unsigned at = q * kLanes + threadIdx.x;
    if (at < n / 4)
      __stcs(to + at, make_float4(own[q].x * scale, own[q].y * scale, own[q].z * scale, own[q].w * scale));
  }
}

/// Rows of any length, which are read three times.
__global__ void longSoftmaxKernel(const float *__restrict__ in, float *__restrict__ out, unsigned n) {
  const float *from = in + blockIdx.x * std::size_t(n);
  float *to = out + blockIdx.x * std::size_t(n);
  float most = -INFINITY, sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += kLanes) most = fmaxf(most, from[i]);
  most = overAll(most, [](float a, float b) { return fmaxf(a, b); });
  for (unsigned i = threadIdx.x; i < n; i += kLanes) sum += expf(from[i] - most);
  const float scale = 1 / overAll(sum, [](float a, float b) { return a + b; });
  for (unsigned i = threadIdx.x; i < n; i += kLanes) to[i] = expf(from[i] - most) * scale;
}

void softmax(In<float, 2> in, Out<float, 2> out) {
  const unsigned n = in.size[1];
  if (n % 4 == 0 && n <= kLanes * kQuads * 4)
    softmaxKernel<<<in.size[0], kLanes>>>(in.data, out.data, n);
  else
    longSoftmaxKernel<<<in.size[0], kLanes>>>(in.data, out.data, n);
  launched("softmax");
}

// ---- transpose: tiles in scratchpad memory, of odd pitch

constexpr unsigned kSide = 32, kStep = 8;

__global__ void transposeKernel(const float *__restrict__ in, float *__restrict__ out, unsigned rows,
                                unsigned columns) {
  __shared__ float tile[kSide][kSide + 1];
  const unsigned left = blockIdx.x * kSide, top = blockIdx.y * kSide;
#pragma unroll
  for (unsigned r = threadIdx.y; r < kSide; r += kStep)
    if (top + r < rows && left + threadIdx.x < columns)
      tile[r][threadIdx.x] = in[std::size_t(top + r) * columns + left + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (unsigned r = threadIdx.y; r < kSide; r += kStep)
    if (left + r < columns && top + threadIdx.x < rows)
      out[std::size_t(left + r) * rows + top + threadIdx.x] = tile[threadIdx.x][r];
}

void turn(const float *in, float *out, unsigned rows, unsigned columns) {
  transposeKernel<<<dim3(pieces(columns, kSide), pieces(rows, kSide)), dim3(kSide, kStep)>>>(in, out, rows, columns);
  launched("transpose");
}

void transpose(In<float, 2> in, Out<float, 2> out) { turn(in.data, out.data, in.size[0], in.size[1]); }

void flattranspose(int rows, int columns, In<float, 1> in, Out<float, 1> out) {
  turn(in.data, out.data, rows, columns);
}

// ---- histogram: bins of a warp's own in scratchpad memory, 16 bytes a load

constexpr unsigned kBins = 256;

__global__ void histogramKernel(const unsigned char *__restrict__ in, unsigned *__restrict__ bins, std::size_t n) {
  __shared__ unsigned own[kWarps][kBins];
  for (unsigned b = threadIdx.x; b < kWarps * kBins; b += kLanes) own[b / kBins][b % kBins] = 0;
  __syncthreads();
  unsigned *mine = own[threadIdx.x / 32];
  auto count = [&](unsigned word) {
    for (unsigned b = 0; b < 4; ++b) atomicAdd(mine + (word >> (8 * b)) % kBins, 1u);
  };
  const auto *quads = reinterpret_cast<const uint4 *>(in);
  const std::size_t first = blockIdx.x * std::size_t(kLanes) + threadIdx.x, all = gridDim.x * std::size_t(kLanes);
  for (std::size_t i = first; i < n / 16; i += all) {
    const uint4 quad = __ldcs(quads + i);
    count(quad.x), count(quad.y), count(quad.z), count(quad.w);
  }
  for (std::size_t i = n / 16 * 16 + first; i < n; i += all) atomicAdd(mine + in[i], 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < kBins; b += kLanes) {
    unsigned sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += own[w][b];
    if (sum > 0) atomicAdd(bins + b, sum);
  }
}

void histogram(In<unsigned char, 1> in, Out<unsigned, 1> bins) {
  int device = 0, cores = 0;
  check(cudaGetDevice(&device), "histogram");
  check(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device), "histogram");
  check(cudaMemsetAsync(bins.data, 0, kBins * sizeof(unsigned)), "histogram");
  histogramKernel<<<8 * cores, kLanes>>>(in.data, bins.data, in.size[0]);
  launched("histogram");
}

// ---- products: 64 lanes each, which have four neighbouring elements

constexpr unsigned kOrder = 16, kProducts = 4, kQuarter = kOrder / 4;

__global__ void productsKernel(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c,
                               unsigned n) {
  __shared__ float left[kProducts][kOrder][kOrder + 4];
  __shared__ float4 right[kProducts][kOrder][kQuarter];
  const unsigned p = threadIdx.y, i = threadIdx.x / kQuarter, q = threadIdx.x % kQuarter;
  const std::size_t at = (std::size_t(blockIdx.x) * kProducts + p) * (kOrder * kQuarter) + threadIdx.x;
  const bool works = blockIdx.x * kProducts + p < n;
  if (works) {
    *reinterpret_cast<float4 *>(&left[p][i][4 * q]) = __ldcs(a + at);
    right[p][i][q] = __ldcs(b + at);
  }
  __syncthreads();
  if (!works) return;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (unsigned k = 0; k < kOrder; ++k) {
    const float x = left[p][i][k];
    const float4 y = right[p][k][q];
    sum.x += x * y.x, sum.y += x * y.y, sum.z += x * y.z, sum.w += x * y.w;
  }
  __stcs(c + at, sum);
}

void products(In<float, 3> a, In<float, 3> b, Out<float, 3> c) {
  const unsigned n = c.size[0];
  productsKernel<<<pieces(n, kProducts), dim3(kOrder * kQuarter, kProducts)>>>(reinterpret_cast<const float4 *>(a.data),
                                                                               reinterpret_cast<const float4 *>(b.data),
                                                                               reinterpret_cast<float4 *>(c.data), n);
  launched("products");
}

// ---- mriq: tiles of samples in scratchpad memory; angles in turns, of which sine and cosine come at once

__global__ void mriqKernel(const float *__restrict__ kx, const float *__restrict__ ky, const float *__restrict__ kz,
                           const float *__restrict__ magnitude, unsigned samples, const float *__restrict__ x,
                           const float *__restrict__ y, const float *__restrict__ z, float *__restrict__ real,
                           float *__restrict__ imaginary, unsigned voxels) {
  __shared__ float4 tile[kLanes];
  const unsigned v = blockIdx.x * kLanes + threadIdx.x;
  const float ownX = v < voxels ? 2 * x[v] : 0, ownY = v < voxels ? 2 * y[v] : 0, ownZ = v < voxels ? 2 * z[v] : 0;
  float sumReal = 0, sumImaginary = 0;
  for (unsigned first = 0; first < samples; first += kLanes) {
    const unsigned k = first + threadIdx.x;
    __syncthreads();
    if (k < samples) tile[threadIdx.x] = make_float4(kx[k], ky[k], kz[k], magnitude[k]);
    __syncthreads();
    const unsigned end = min(kLanes, samples - first);
#pragma unroll 4
    for (unsigned t = 0; t < end; ++t) {
      const float4 sample = tile[t];
      float sine, cosine;
      sincospif(sample.x * ownX + sample.y * ownY + sample.z * ownZ, &sine, &cosine);
      sumReal += sample.w * cosine;
      sumImaginary += sample.w * sine;
    }
  }
  if (v < voxels) real[v] = sumReal, imaginary[v] = sumImaginary;
}

void mriq(In<float, 1> kx, In<float, 1> ky, In<float, 1> kz, In<float, 1> magnitude, In<float, 1> x, In<float, 1> y,
          In<float, 1> z, Out<float, 1> real, Out<float, 1> imaginary) {
  const unsigned voxels = x.size[0];
  mriqKernel<<<pieces(voxels, kLanes), kLanes>>>(kx.data, ky.data, kz.data, magnitude.data, kx.size[0], x.data, y.data,
                                                 z.data, real.data, imaginary.data, voxels);
  launched("mriq");
}

} // namespace

namespace {

template <auto function> using Peer = bench::PeerKernel<function>;
constexpr const tangram_device *kDevice = &tangram_cuda::Device::abi;

const Peer<jacobi> jacobiPeer("jacobi", "cuda", {"center", "around", "in", "out"}, kDevice);
const Peer<convolution> convolutionPeer("convolution", "cuda", {"in", "weights", "out"}, kDevice);
const Peer<accelerations> accelerationsPeer("accelerations", "cuda", {"x", "y", "z", "mass", "ax", "ay", "az"},
                                            kDevice);
const Peer<softmax> softmaxPeer("softmax", "cuda", {"in", "out"}, kDevice);
const Peer<transpose> transposePeer("transpose", "cuda", {"in", "out"}, kDevice);
const Peer<flattranspose> flattransposePeer("flattranspose", "cuda", {"rows", "columns", "in", "out"}, kDevice);
const Peer<histogram> histogramPeer("histogram", "cuda", {"in", "bins"}, kDevice);
const Peer<products> productsPeer("products", "cuda", {"a", "b", "c"}, kDevice);
const Peer<mriq> mriqPeer("mriq", "cuda", {"kx", "ky", "kz", "magnitude", "x", "y", "z", "real", "imaginary"}, kDevice);

} // namespace

BENCH_PEERS(&jacobiPeer.kernel, &convolutionPeer.kernel, &accelerationsPeer.kernel, &softmaxPeer.kernel,
            &transposePeer.kernel, &flattransposePeer.kernel, &histogramPeer.kernel, &productsPeer.kernel,
            &mriqPeer.kernel)
