// The programs of apps/held-out-5 as one would write them for a GPU: tiles in scratchpad memory, several results a lane
// in registers, 16 bytes a load where memory is what it takes, steps of time put together where launches are.
#include "peer_device.cuh"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <utility>

namespace {

using namespace careful;
using bench::Half;

// ---- yuv2rgb: a lane has eight points of two rows, whose colors are computed once for four of them. Their bytes go
// through scratchpad memory, so that a warp writes 16 bytes a lane beside each other.

constexpr unsigned kPixels = 8, kWarpPixels = 32 * kPixels, kFoursOfBytes = kWarpPixels * 3 / 16;

/// Four numbers as bytes, cut to what these have.
__device__ unsigned packed(int a, int b, int c, int d) {
  unsigned high, all;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(d), "r"(c));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(b), "r"(a), "r"(high));
  return all;
}

__global__ void __launch_bounds__(kLanes)
    yuv2rgbKernel(const Byte *__restrict__ y, const Byte *__restrict__ u, const Byte *__restrict__ v,
                  Byte *__restrict__ rgb, unsigned height, unsigned width) {
  __shared__ __align__(16) unsigned bytes[kWarps][2][kWarpPixels * 3 / 4];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned first = (blockIdx.x * kWarps + warp) * kWarpPixels, x = first + lane * kPixels, top = blockIdx.y * 2;
  if (first >= width) return; // a whole warp
  if (x < width) {
    const std::size_t at = (std::size_t(blockIdx.y) * width + x) / 2;
    const unsigned us = __ldcs(reinterpret_cast<const unsigned *>(u + at));
    const unsigned vs = __ldcs(reinterpret_cast<const unsigned *>(v + at));
    int red[4], green[4], blue[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const int d = int(us >> 8 * q & 0xff) - 128, e = int(vs >> 8 * q & 0xff) - 128;
      constexpr int kLeast = 128 - 298 * 16;
      red[q] = 409 * e + kLeast;
      green[q] = kLeast - 100 * d - 208 * e;
      blue[q] = 516 * d + kLeast;
    }
#pragma unroll
    for (unsigned r = 0; r < 2; ++r) {
      const unsigned row = min(top + r, height - 1);
      const uint2 two = __ldcs(reinterpret_cast<const uint2 *>(y + std::size_t(row) * width + x));
      int color[kPixels * 3];
#pragma unroll
      for (unsigned p = 0; p < kPixels; ++p) {
        const int light = int((p < 4 ? two.x : two.y) >> 8 * (p % 4) & 0xff);
        color[3 * p] = (298 * light + red[p / 2]) >> 8;
        color[3 * p + 1] = (298 * light + green[p / 2]) >> 8;
        color[3 * p + 2] = (298 * light + blue[p / 2]) >> 8;
      }
      uint2 *to = reinterpret_cast<uint2 *>(bytes[warp][r] + lane * (kPixels * 3 / 4));
#pragma unroll
      for (unsigned q = 0; q < kPixels * 3 / 8; ++q) {
        const int *c = color + 8 * q;
        to[q] = make_uint2(packed(c[0], c[1], c[2], c[3]), packed(c[4], c[5], c[6], c[7]));
      }
    }
  }
  __syncwarp();
  const unsigned there = min(kWarpPixels, width - first) * 3 / 16; // of the 48 fours of words of a row
#pragma unroll
  for (unsigned k = 0; k < 2 * kFoursOfBytes / 32; ++k) {
    const unsigned q = k * 32 + lane, r = q / kFoursOfBytes, at = q % kFoursOfBytes;
    if (at < there && top + r < height)
      __stcs(reinterpret_cast<uint4 *>(rgb + (std::size_t(top + r) * width + first) * 3) + at,
             reinterpret_cast<const uint4 *>(bytes[warp][r])[at]);
  }
}

/// Rows of any length: a point a lane.
__global__ void __launch_bounds__(kLanes)
    yuv2rgbAnyKernel(const Byte *__restrict__ y, const Byte *__restrict__ u, const Byte *__restrict__ v,
                     Byte *__restrict__ rgb, unsigned width) {
  const unsigned x = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y;
  if (x >= width) return;
  const std::size_t at = std::size_t(i / 2) * ((width + 1) / 2) + x / 2;
  const int c = 298 * (int(y[std::size_t(i) * width + x]) - 16), d = int(u[at]) - 128, e = int(v[at]) - 128;
  const unsigned all =
      packed((c + 409 * e + 128) >> 8, (c - 100 * d - 208 * e + 128) >> 8, (c + 516 * d + 128) >> 8, 0);
  Byte *to = rgb + (std::size_t(i) * width + x) * 3;
  to[0] = Byte(all);
  to[1] = Byte(all >> 8);
  to[2] = Byte(all >> 16);
}

void yuv2rgb(In<Byte, 2> y, In<Byte, 2> u, In<Byte, 2> v, Out<Byte, 3> rgb) {
  const unsigned height = y.size[0], width = y.size[1];
  if (height == 0 || width == 0) return;
  if (width % 16 == 0)
    yuv2rgbKernel<<<dim3(pieces(width, kWarps * kWarpPixels), pieces(height, 2)), kLanes>>>(y.data, u.data, v.data,
                                                                                            rgb.data, height, width);
  else
    yuv2rgbAnyKernel<<<dim3(pieces(width, kLanes), height), kLanes>>>(y.data, u.data, v.data, rgb.data, width);
  launched("yuv2rgb");
}

// ---- pixelshuffle: a lane writes 16 bytes of each row that one row of the channels becomes. For factors of 2 and 4.

template <unsigned factor>
__global__ void __launch_bounds__(kLanes) pixelshuffleKernel(const float *__restrict__ in, float *__restrict__ out,
                                                             unsigned height, unsigned width, std::size_t all) {
  constexpr unsigned kEach = 4 / factor; // numbers of a channel
  const unsigned wide = width / kEach;
  const std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x; // of pictures x height x wide
  if (at >= all) return;
  const std::size_t line = at / wide, picture = line / height;
  const unsigned x = unsigned(at - line * wide) * kEach, i = unsigned(line - picture * height);
  const std::size_t plane = std::size_t(height) * width;
  const float *from = in + picture * factor * factor * plane + std::size_t(i) * width + x;
  float read[factor][factor][kEach];
#pragma unroll
  for (unsigned r = 0; r < factor; ++r)
#pragma unroll
    for (unsigned f = 0; f < factor; ++f) {
      const float *one = from + (r * factor + f) * plane;
      if constexpr (kEach == 2) {
        const float2 two = __ldcs(reinterpret_cast<const float2 *>(one));
        read[r][f][0] = two.x;
        read[r][f][1] = two.y;
      } else {
        read[r][f][0] = __ldcs(one);
      }
    }
#pragma unroll
  for (unsigned r = 0; r < factor; ++r) {
    float row[4];
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) row[e] = read[r][e % factor][e / factor];
    __stcs(reinterpret_cast<float4 *>(out + ((line * factor + r) * width + x) * factor),
           make_float4(row[0], row[1], row[2], row[3]));
  }
}

/// Any factor and width: a result a lane.
__global__ void __launch_bounds__(kLanes)
    pixelshuffleAnyKernel(unsigned factor, const float *__restrict__ in, float *__restrict__ out, unsigned height,
                          unsigned width, std::size_t all) {
  const std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  if (at >= all) return;
  const std::size_t row = at / (width * factor), picture = row / (height * factor);
  const unsigned x = unsigned(at - row * width * factor), y = unsigned(row - picture * height * factor);
  const std::size_t channel = (picture * factor + y % factor) * factor + x % factor;
  out[at] = in[(channel * height + y / factor) * width + x / factor];
}

void pixelshuffle(unsigned factor, In<float, 4> in, Out<float, 4> out) {
  const unsigned height = in.size[2], width = in.size[3];
  const std::size_t pictures = out.size[0] * out.size[1], all = pictures * height * width;
  if (all == 0) return;
  if (factor == 2 && width % 2 == 0)
    pixelshuffleKernel<2><<<pieces(all / 2, kLanes), kLanes>>>(in.data, out.data, height, width, all / 2);
  else if (factor == 4)
    pixelshuffleKernel<4><<<pieces(all, kLanes), kLanes>>>(in.data, out.data, height, width, all);
  else
    pixelshuffleAnyKernel<<<pieces(all * factor * factor, kLanes), kLanes>>>(factor, in.data, out.data, height, width,
                                                                             all * factor * factor);
  launched("pixelshuffle");
}

// ---- dequant4: a lane makes 16 bytes of four, several times, two numbers at a time: behind 0x6400 a weight is 1024
// more than itself, from which the zero point, 1024 more too, is taken exactly; the product is rounded once.

constexpr unsigned kAtOnce = 4;

__device__ __half2 halves(unsigned bits) { return *reinterpret_cast<__half2 *>(&bits); }

__global__ void __launch_bounds__(kLanes)
    dequant4Kernel(const unsigned *__restrict__ packed, const __half *__restrict__ scale, const Byte *__restrict__ zero,
                   uint4 *__restrict__ out, std::size_t all) {
  const std::size_t first = std::size_t(blockIdx.x) * (kLanes * kAtOnce) + threadIdx.x;
  unsigned words[kAtOnce], zeros[kAtOnce];
  __half by[kAtOnce];
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    const std::size_t at = min(first + k * kLanes, all - 1); // four of them are a group
    words[k] = __ldcs(packed + at);
    by[k] = scale[at / 4];
    zeros[k] = zero[at / 4];
  }
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    const std::size_t at = first + k * kLanes;
    if (at >= all) return;
    const unsigned low = words[k] & 0x0f0f0f0f, high = words[k] >> 4 & 0x0f0f0f0f;
    const unsigned front = __byte_perm(low, high, 0x5140), back = __byte_perm(low, high, 0x7362); // weights in order
    const __half2 minus = halves(0x64006400u + zeros[k] * 0x00010001u), factor = __half2half2(by[k]);
    unsigned result[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const unsigned pair = __byte_perm(q < 2 ? front : back, 0x64646464, q % 2 == 0 ? 0x4140 : 0x4342);
      const __half2 value = __hmul2(__hsub2(halves(pair), minus), factor);
      result[q] = *reinterpret_cast<const unsigned *>(&value);
    }
    __stcs(out + at, make_uint4(result[0], result[1], result[2], result[3]));
  }
}

/// Rows of any length: a result a lane.
__global__ void __launch_bounds__(kLanes)
    dequant4AnyKernel(const Byte *__restrict__ packed, const __half *__restrict__ scale, const Byte *__restrict__ zero,
                      __half *__restrict__ out, unsigned n, unsigned bytes, unsigned groups) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x;
  const std::size_t i = blockIdx.y;
  if (j >= n) return;
  const unsigned byte = packed[i * bytes + j / 2], q = j % 2 == 0 ? byte & 15 : byte >> 4;
  const float difference = float(int(q) - int(zero[i * groups + j / 32]));
  out[i * n + j] = __float2half_rn(difference * __half2float(scale[i * groups + j / 32]));
}

void dequant4(In<Byte, 2> packed, In<Half, 2> scale, In<Byte, 2> zero, Out<Half, 2> out) {
  const unsigned rows = out.size[0], n = out.size[1];
  if (rows == 0 || n == 0) return;
  const auto *by = reinterpret_cast<const __half *>(scale.data);
  if (n % 32 == 0) {
    const std::size_t all = std::size_t(rows) * n / 8;
    dequant4Kernel<<<pieces(all, kLanes * kAtOnce), kLanes>>>(reinterpret_cast<const unsigned *>(packed.data), by,
                                                              zero.data, reinterpret_cast<uint4 *>(out.data), all);
  } else {
    dequant4AnyKernel<<<dim3(pieces(n, kLanes), rows), kLanes>>>(
        packed.data, by, zero.data, reinterpret_cast<__half *>(out.data), n, packed.size[1], scale.size[1]);
  }
  launched("dequant4");
}

// ---- haar: a group a row. Two levels of what was loaded are in registers; through scratchpad memory a lane gets means
// beside each other, and does more levels of them; the last 256 means are done by shuffles.

constexpr float kRoot = 0.70710678f;

/// Of two neighbours; what is left of the first is their mean.
__device__ float detail(float &a, float b) {
  const float difference = (a - b) * kRoot;
  a = (a + b) * kRoot;
  return difference;
}

template <unsigned quads> // rows have 1024 times as many numbers
__global__ void __launch_bounds__(kLanes) haarKernel(const float *__restrict__ in, float *__restrict__ out) {
  constexpr unsigned n = 1024 * quads;
  __shared__ __align__(16) float shared[kLanes * quads];
  __shared__ float last[kWarps];
  const float *from = in + std::size_t(blockIdx.x) * n;
  float *to = out + std::size_t(blockIdx.x) * n;
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  float4 x[quads];
#pragma unroll
  for (unsigned q = 0; q < quads; ++q) x[q] = __ldcs(reinterpret_cast<const float4 *>(from) + q * kLanes + t);
#pragma unroll
  for (unsigned q = 0; q < quads; ++q) {
    const unsigned at = q * kLanes + t;
    const float one = detail(x[q].x, x[q].y), other = detail(x[q].z, x[q].w);
    __stcs(reinterpret_cast<float2 *>(to + n / 2) + at, make_float2(one, other));
    __stcs(to + n / 4 + at, detail(x[q].x, x[q].z));
    shared[at] = x[q].x;
  }
  __syncthreads();
  float own[quads];
#pragma unroll
  for (unsigned q = 0; q < quads; ++q) own[q] = shared[t * quads + q];
#pragma unroll
  for (unsigned length = quads / 2; length > 0; length /= 2)
#pragma unroll
    for (unsigned q = 0; q < length; ++q) {
      float mean = own[2 * q];
      to[kLanes * length + t * length + q] = detail(mean, own[2 * q + 1]);
      own[q] = mean;
    }
  float mean = own[0];
  auto pairs = [&](unsigned index,
                   unsigned lanes) { // means of `lanes` lanes, the first of all is number `index - lane`
#pragma unroll
    for (unsigned s = 1; s < 32; s *= 2) {
      if (s >= lanes) break;
      const float other = __shfl_down_sync(kAll, mean, s);
      const float difference = detail(mean, other);
      if (lane % (2 * s) == 0 && lane < lanes) to[(index + (lanes == 32 ? kLanes : kWarps)) / (2 * s)] = difference;
    }
  };
  pairs(t, 32);
  if (lane == 0) last[warp] = mean;
  __syncthreads();
  if (warp != 0) return;
  mean = last[lane % kWarps];
  pairs(lane, kWarps);
  if (lane == 0) to[0] = mean;
}

/// Rows of any length, whose means are in memory of `pitch` numbers a group.
template <bool inScratchpad>
__global__ void __launch_bounds__(kLanes)
    haarAnyKernel(const float *__restrict__ in, float *__restrict__ out, float *memory, unsigned n, unsigned pitch) {
  extern __shared__ float dynamic[];
  float *next = inScratchpad ? dynamic : memory + std::size_t(blockIdx.x) * pitch, *before = next + n / 2;
  const float *from = in + std::size_t(blockIdx.x) * n;
  float *to = out + std::size_t(blockIdx.x) * n;
  unsigned length = n;
  while (length > 1 && length % 2 == 0) {
    length /= 2;
    for (unsigned j = threadIdx.x; j < length; j += kLanes) {
      float mean = from[2 * j];
      to[length + j] = detail(mean, from[2 * j + 1]);
      next[j] = mean;
    }
    __syncthreads();
    from = next;
    float *other = before;
    before = next;
    next = other;
  }
  for (unsigned j = threadIdx.x; j < length; j += kLanes) to[j] = from[j];
}

void haar(In<float, 2> in, Out<float, 2> out) {
  const unsigned rows = in.size[0], n = in.size[1];
  if (rows == 0 || n == 0) return;
  constexpr unsigned kMost = 48 * 1024 / sizeof(float);
  const unsigned pitch = n / 2 + n / 4;
  static Scratch<float> scratch;
  if (n == 1024)
    haarKernel<1><<<rows, kLanes>>>(in.data, out.data);
  else if (n == 2048)
    haarKernel<2><<<rows, kLanes>>>(in.data, out.data);
  else if (n == 4096)
    haarKernel<4><<<rows, kLanes>>>(in.data, out.data);
  else if (n == 8192)
    haarKernel<8><<<rows, kLanes>>>(in.data, out.data);
  else if (pitch <= kMost)
    haarAnyKernel<true><<<rows, kLanes, pitch * sizeof(float)>>>(in.data, out.data, nullptr, n, pitch);
  else
    haarAnyKernel<false><<<rows, kLanes>>>(in.data, out.data, scratch.of(std::size_t(rows) * pitch), n, pitch);
  launched("haar");
}

// ---- layernormgrad: a group has rows, one after the other, in registers, as well as what they add to the gradients of
// gain and bias; groups' sums are added up by a second kernel.

constexpr unsigned kHeld = 4, kHeldColumns = kHeld * kLanes * 4; // fours a lane

__global__ void __launch_bounds__(kLanes, 2)
    layernormgradKernel(const float *__restrict__ x, const float *__restrict__ gain, const float *__restrict__ mean,
                        const float *__restrict__ inverse, const float *__restrict__ dy, float *__restrict__ dx,
                        float *__restrict__ parts, unsigned rows, unsigned n) {
  __shared__ float2 part[2][kWarps];
  const unsigned t = threadIdx.x;
  const float by = 1 / float(n);
  float gains[kHeld][4] = {}, biases[kHeld][4] = {};
  unsigned turn = 0;
  for (unsigned i = blockIdx.x; i < rows; i += gridDim.x, turn ^= 1) {
    const std::size_t row = std::size_t(i) * n;
    const float m = mean[i], scale = inverse[i];
    float normal[kHeld][4], d[kHeld][4];
#pragma unroll
    for (unsigned q = 0; q < kHeld; ++q) {
      const unsigned j = (q * kLanes + t) * 4;
      const float4 none = make_float4(0, 0, 0, 0);
      const float4 a = j < n ? __ldcs(reinterpret_cast<const float4 *>(x + row + j)) : none;
      const float4 b = j < n ? __ldcs(reinterpret_cast<const float4 *>(dy + row + j)) : none;
      normal[q][0] = a.x;
      normal[q][1] = a.y;
      normal[q][2] = a.z;
      normal[q][3] = a.w;
      d[q][0] = b.x;
      d[q][1] = b.y;
      d[q][2] = b.z;
      d[q][3] = b.w;
    }
    float sum = 0, along = 0;
#pragma unroll
    for (unsigned q = 0; q < kHeld; ++q) {
      const unsigned j = (q * kLanes + t) * 4;
      const float4 own = j < n ? quad(gain + j) : make_float4(0, 0, 0, 0);
      const float factor[4] = {own.x, own.y, own.z, own.w};
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) {
        normal[q][e] = (normal[q][e] - m) * scale;
        gains[q][e] += d[q][e] * normal[q][e];
        biases[q][e] += d[q][e];
        d[q][e] *= factor[e];
        sum += d[q][e];
        along += d[q][e] * normal[q][e];
      }
    }
    sum = sumOfWarp(sum);
    along = sumOfWarp(along);
    if (t % 32 == 0) part[turn][t / 32] = make_float2(sum, along);
    __syncthreads(); // the other half may still be read
    sum = along = 0;
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) {
      sum += part[turn][w].x;
      along += part[turn][w].y;
    }
    sum *= by;
    along *= by;
#pragma unroll
    for (unsigned q = 0; q < kHeld; ++q) {
      const unsigned j = (q * kLanes + t) * 4;
      if (j < n)
        __stcs(reinterpret_cast<float4 *>(dx + row + j), make_float4(scale * (d[q][0] - sum - normal[q][0] * along),
                                                                     scale * (d[q][1] - sum - normal[q][1] * along),
                                                                     scale * (d[q][2] - sum - normal[q][2] * along),
                                                                     scale * (d[q][3] - sum - normal[q][3] * along)));
    }
  }
  float *to = parts + std::size_t(blockIdx.x) * 2 * n;
#pragma unroll
  for (unsigned q = 0; q < kHeld; ++q) {
    const unsigned j = (q * kLanes + t) * 4;
    if (j >= n) break;
    quad(to + j) = make_float4(gains[q][0], gains[q][1], gains[q][2], gains[q][3]);
    quad(to + n + j) = make_float4(biases[q][0], biases[q][1], biases[q][2], biases[q][3]);
  }
}

/// Sums of the columns of `count` rows of `2 n` numbers: the first half in `gain`, the other in `bias`.
__global__ void __launch_bounds__(kLanes) columnsKernel(const float *__restrict__ parts, float *__restrict__ gain,
                                                        float *__restrict__ bias, unsigned count, unsigned n) {
  __shared__ float shared[kWarps][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, j = blockIdx.x * 32 + lane;
  float sum = 0;
  if (j < 2 * n)
#pragma unroll 4
    for (unsigned p = warp; p < count; p += kWarps) sum += parts[std::size_t(p) * 2 * n + j];
  shared[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || j >= 2 * n) return;
#pragma unroll
  for (unsigned w = 1; w < kWarps; ++w) sum += shared[w][lane];
  (j < n ? gain : bias - n)[j] = sum;
}

/// Rows of any length, which are read twice: a group a row, and then a group 32 columns of some rows.
__global__ void __launch_bounds__(kLanes)
    layernormgradRowKernel(const float *__restrict__ x, const float *__restrict__ gain, const float *__restrict__ mean,
                           const float *__restrict__ inverse, const float *__restrict__ dy, float *__restrict__ dx,
                           unsigned n) {
  const std::size_t i = blockIdx.x;
  const float *in = x + i * n, *d = dy + i * n, m = mean[i], scale = inverse[i];
  float sum = 0, along = 0;
  for (unsigned j = threadIdx.x; j < n; j += kLanes) {
    const float own = d[j] * gain[j];
    sum += own;
    along += own * ((in[j] - m) * scale);
  }
  sum = sumOfBlock(sum) / float(n);
  along = sumOfBlock(along) / float(n);
  for (unsigned j = threadIdx.x; j < n; j += kLanes)
    dx[i * n + j] = scale * (d[j] * gain[j] - sum - (in[j] - m) * scale * along);
}

__global__ void __launch_bounds__(kLanes)
    layernormgradColumnKernel(const float *__restrict__ x, const float *__restrict__ mean,
                              const float *__restrict__ inverse, const float *__restrict__ dy,
                              float *__restrict__ parts, unsigned rows, unsigned n) {
  __shared__ float2 shared[kWarps][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, j = blockIdx.x * 32 + lane;
  float2 sum = make_float2(0, 0);
  if (j < n)
    for (unsigned i = blockIdx.y * kWarps + warp; i < rows; i += gridDim.y * kWarps) {
      const float d = dy[std::size_t(i) * n + j];
      sum.x += d * ((x[std::size_t(i) * n + j] - mean[i]) * inverse[i]);
      sum.y += d;
    }
  shared[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || j >= n) return;
#pragma unroll
  for (unsigned w = 1; w < kWarps; ++w) {
    sum.x += shared[w][lane].x;
    sum.y += shared[w][lane].y;
  }
  parts[std::size_t(blockIdx.y) * 2 * n + j] = sum.x;
  parts[std::size_t(blockIdx.y) * 2 * n + n + j] = sum.y;
}

void layernormgrad(In<float, 2> x, In<float, 1> gain, In<float, 1> mean, In<float, 1> inverse, In<float, 2> dy,
                   Out<float, 2> dx, Out<float, 1> dgain, Out<float, 1> dbias) {
  const unsigned rows = x.size[0], n = x.size[1];
  if (n == 0) return;
  static Scratch<float> scratch;
  unsigned count;
  float *parts;
  if (n % 4 == 0 && n <= kHeldColumns) {
    count = std::max(std::min(2 * cores(), rows), 1u);
    parts = scratch.of(std::size_t(count) * 2 * n);
    layernormgradKernel<<<count, kLanes>>>(x.data, gain.data, mean.data, inverse.data, dy.data, dx.data, parts, rows,
                                           n);
  } else {
    count = std::max(std::min(16u, pieces(rows, kWarps)), 1u);
    parts = scratch.of(std::size_t(count) * 2 * n);
    if (rows > 0)
      layernormgradRowKernel<<<rows, kLanes>>>(x.data, gain.data, mean.data, inverse.data, dy.data, dx.data, n);
    layernormgradColumnKernel<<<dim3(pieces(n, 32), count), kLanes>>>(x.data, mean.data, inverse.data, dy.data, parts,
                                                                      rows, n);
  }
  columnsKernel<<<pieces(2 * n, 32), kLanes>>>(parts, dgain.data, dbias.data, count, n);
  launched("layernormgrad");
}

// ---- colpeak: a lane has four columns, a warp eight rows of them at a time; groups have a part of the rows.

constexpr unsigned kDeep = 8;

/// The greater one; of equal ones the one further up.
__device__ uint2 greater(uint2 a, uint2 b) {
  return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a; // bits of magnitudes are in their order
}

template <unsigned each>
__global__ void __launch_bounds__(kLanes)
    colpeakKernel(const float *__restrict__ in, uint2 *__restrict__ parts, unsigned rows, unsigned columns) {
  __shared__ uint2 found[kWarps][32 * each];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, j = (blockIdx.x * 32 + lane) * each;
  const unsigned share = pieces(rows, gridDim.y), begin = min(blockIdx.y * share, rows), end = min(begin + share, rows);
  float most[each];
  unsigned where[each];
#pragma unroll
  for (unsigned e = 0; e < each; ++e) {
    most[e] = -1;
    where[e] = 0;
  }
  if (j < columns)
    for (unsigned first = begin + warp * kDeep; first < end; first += kWarps * kDeep) {
      float x[kDeep][each];
#pragma unroll
      for (unsigned r = 0; r < kDeep; ++r) {
        const float *from = in + std::size_t(min(first + r, rows - 1)) * columns + j;
        if constexpr (each == 4) {
          const float4 four = __ldcs(reinterpret_cast<const float4 *>(from));
          x[r][0] = four.x;
          x[r][1] = four.y;
          x[r][2] = four.z;
          x[r][3] = four.w;
        } else {
          x[r][0] = __ldcs(from);
        }
      }
#pragma unroll
      for (unsigned r = 0; r < kDeep; ++r)
#pragma unroll
        for (unsigned e = 0; e < each; ++e)
          if (fabsf(x[r][e]) > most[e] && first + r < end) {
            most[e] = fabsf(x[r][e]);
            where[e] = first + r;
          }
    }
#pragma unroll
  for (unsigned e = 0; e < each; ++e) // of none: least of all
    found[warp][lane * each + e] = most[e] < 0 ? make_uint2(0, ~0u) : make_uint2(__float_as_uint(most[e]), where[e]);
  __syncthreads();
  const unsigned column = blockIdx.x * 32 * each + threadIdx.x;
  if (threadIdx.x >= 32 * each || column >= columns) return;
  uint2 best = found[0][threadIdx.x];
#pragma unroll
  for (unsigned w = 1; w < kWarps; ++w) best = greater(best, found[w][threadIdx.x]);
  parts[std::size_t(blockIdx.y) * columns + column] = best;
}

__global__ void __launch_bounds__(kLanes)
    colpeakJoinKernel(const uint2 *__restrict__ parts, float *__restrict__ peak, unsigned *__restrict__ row,
                      unsigned count, unsigned columns) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x;
  if (j >= columns) return;
  uint2 best = parts[j];
#pragma unroll 8
  for (unsigned p = 1; p < count; ++p) best = greater(best, parts[std::size_t(p) * columns + j]);
  peak[j] = best.y == ~0u ? -1 : __uint_as_float(best.x);
  row[j] = best.y == ~0u ? 0 : best.y;
}

void colpeak(In<float, 2> in, Out<float, 1> peak, Out<unsigned, 1> row) {
  const unsigned rows = in.size[0], columns = in.size[1];
  if (columns == 0) return;
  static Scratch<uint2> scratch;
  const unsigned each = columns % 4 == 0 ? 4 : 1, groups = pieces(columns, 32 * each);
  const unsigned count = std::max(std::min(pieces(cores() * 8, groups), pieces(rows, kWarps * kDeep)), 1u);
  uint2 *parts = scratch.of(std::size_t(count) * columns);
  if (each == 4)
    colpeakKernel<4><<<dim3(groups, count), kLanes>>>(in.data, parts, rows, columns);
  else
    colpeakKernel<1><<<dim3(groups, count), kLanes>>>(in.data, parts, rows, columns);
  colpeakJoinKernel<<<pieces(columns, kLanes), kLanes>>>(parts, peak.data, row.data, count, columns);
  launched("colpeak");
}

// ---- moments: one pass, of differences from the mean of the first numbers, which is near that of all; one more group
// adds groups' sums, in an order that is always the same.

__device__ double shiftOf(const float *in, std::size_t n) {
  const bool there = threadIdx.x < n;
  return sumOfBlock(there ? double(in[threadIdx.x]) : 0.0) / double(n < kLanes ? n : std::size_t(kLanes));
}

__global__ void __launch_bounds__(kLanes)
    momentsKernel(const float *__restrict__ in, double *__restrict__ parts, std::size_t n) {
  const double shift = shiftOf(in, n);
  double s[4] = {};
  auto add = [&](float own) {
    const double x = double(own) - shift, square = x * x;
    s[0] += x;
    s[1] += square;
    s[2] += square * x;
    s[3] += square * square;
  };
  constexpr unsigned kTogether = 4;
  const std::size_t fours = n / 4, step = std::size_t(gridDim.x) * kLanes;
  std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  for (; at + (kTogether - 1) * step < fours; at += kTogether * step) {
    float4 x[kTogether];
#pragma unroll
    for (unsigned q = 0; q < kTogether; ++q) x[q] = __ldcs(reinterpret_cast<const float4 *>(in) + at + q * step);
#pragma unroll
    for (unsigned q = 0; q < kTogether; ++q) {
      add(x[q].x);
      add(x[q].y);
      add(x[q].z);
      add(x[q].w);
    }
  }
  for (; at < fours; at += step) {
    const float4 x = __ldcs(reinterpret_cast<const float4 *>(in) + at);
    add(x.x);
    add(x.y);
    add(x.z);
    add(x.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) add(in[fours * 4 + threadIdx.x]);
#pragma unroll
  for (unsigned m = 0; m < 4; ++m) {
    const double sum = sumOfBlock(s[m]);
    if (threadIdx.x == 0) parts[blockIdx.x * 4 + m] = sum;
  }
}

__global__ void __launch_bounds__(kLanes)
    momentsJoinKernel(const float *__restrict__ in, const double *__restrict__ parts, unsigned count,
                      double *__restrict__ out, std::size_t n) {
  const double shift = shiftOf(in, n);
  double s[4];
#pragma unroll
  for (unsigned m = 0; m < 4; ++m) {
    double sum = 0;
    for (unsigned p = threadIdx.x; p < count; p += kLanes) sum += parts[p * 4 + m];
    s[m] = sumOfBlock(sum) / double(n);
  }
  if (threadIdx.x != 0) return;
  const double d = s[0], m2 = s[1] - d * d, m3 = s[2] - 3 * d * s[1] + 2 * d * d * d; // d: from the shift to the mean
  const double m4 = s[3] - 4 * d * s[2] + 6 * d * d * s[1] - 3 * d * d * d * d;
  out[0] = shift + d;
  out[1] = m2;
  out[2] = m3 / (m2 * sqrt(m2));
  out[3] = m4 / (m2 * m2);
}

void moments(In<float, 1> in, Out<double, 1> out) {
  const std::size_t n = in.size[0];
  static Scratch<double> scratch;
  const unsigned count = std::max(std::min(cores() * 8, pieces(n, kLanes * 16)), 1u);
  double *parts = scratch.of(std::size_t(count) * 4);
  momentsKernel<<<count, kLanes>>>(in.data, parts, n);
  momentsJoinKernel<<<1, kLanes>>>(in.data, parts, count, out.data, n);
  launched("moments");
}

// ---- wave2d: up to four steps a kernel. A group has 64 columns and 96 rows in registers, of which four at each side
// are right but at first; a lane has two columns of twelve rows. Columns beside come by shuffles, rows of other warps
// through scratchpad memory.

constexpr unsigned kReach = 4, kBandRows = 12, kAcross = 64, kDown = kWarps * kBandRows;
constexpr unsigned kRightAcross = kAcross - 2 * kReach, kRightDown = kDown - 2 * kReach;

struct Wave {
  const float *height, *velocity;
  float *nextHeight, *nextVelocity;
};

template <bool whole> // whether rows have pairs
__global__ void __launch_bounds__(kLanes, 2)
    wave2dKernel(unsigned steps, float speed, const float *__restrict__ dampRow, const float *__restrict__ dampColumn,
                 Wave wave, int rows, int columns) {
  __shared__ float2 edge[2][kWarps][2][32]; // the first and the last row of each warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x = int(blockIdx.x * kRightAcross + lane * 2) - int(kReach);
  const int top = int(blockIdx.y * kRightDown + warp * kBandRows) - int(kReach);
  float h[kBandRows][2], v[kBandRows][2], damp[kBandRows], across[2];
  bool within[2]; // columns that change
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    within[e] = x + e > 0 && x + e < columns - 1;
    across[e] = within[e] ? dampColumn[x + e] : 0;
  }
#pragma unroll
  for (unsigned r = 0; r < kBandRows; ++r) {
    const int y = top + int(r);
    const std::size_t at = std::size_t(y) * columns + x;
    const bool there = y >= 0 && y < rows;
    damp[r] = there ? dampRow[y] : 0;
    float2 a = make_float2(0, 0), b = make_float2(0, 0);
    if (whole) {
      if (there && x >= 0 && x < columns) {
        a = *reinterpret_cast<const float2 *>(wave.height + at);
        b = *reinterpret_cast<const float2 *>(wave.velocity + at);
      }
    } else {
      if (there && x >= 0 && x < columns) {
        a.x = wave.height[at];
        b.x = wave.velocity[at];
      }
      if (there && x + 1 >= 0 && x + 1 < columns) {
        a.y = wave.height[at + 1];
        b.y = wave.velocity[at + 1];
      }
    }
    h[r][0] = a.x;
    h[r][1] = a.y;
    v[r][0] = b.x;
    v[r][1] = b.y;
  }
  for (unsigned t = 0; t < steps; ++t) {
    edge[t % 2][warp][0][lane] = make_float2(h[0][0], h[0][1]);
    edge[t % 2][warp][1][lane] = make_float2(h[kBandRows - 1][0], h[kBandRows - 1][1]);
    __syncthreads(); // those of the step before may still be read
    const float2 over = edge[t % 2][warp > 0 ? warp - 1 : 0][1][lane];
    const float2 under = edge[t % 2][warp + 1 < kWarps ? warp + 1 : warp][0][lane];
    float above[2] = {over.x, over.y};
#pragma unroll
    for (unsigned r = 0; r < kBandRows; ++r) {
      const int y = top + int(r);
      const bool inside = y > 0 && y < rows - 1;
      const float here[2] = {h[r][0], h[r][1]};
      const float left = __shfl_up_sync(kAll, here[1], 1), right = __shfl_down_sync(kAll, here[0], 1);
#pragma unroll
      for (unsigned e = 0; e < 2; ++e) {
        const float below = r + 1 < kBandRows ? h[r + 1 < kBandRows ? r + 1 : r][e] : e == 0 ? under.x : under.y;
        const float bend = above[e] + below + (e == 0 ? left : here[0]) + (e == 0 ? here[1] : right) - 4 * here[e];
        const float next = (v[r][e] + speed * bend) * damp[r] * across[e];
        if (inside && within[e]) {
          v[r][e] = next;
          h[r][e] = here[e] + next;
        }
        above[e] = here[e];
      }
    }
  }
  if (lane * 2 < kReach || lane * 2 >= kAcross - kReach || x >= columns) return;
#pragma unroll
  for (unsigned r = 0; r < kBandRows; ++r) {
    const unsigned row = warp * kBandRows + r; // of the group
    const int y = top + int(r);
    if (row < kReach || row >= kDown - kReach || y >= rows) continue;
    const std::size_t at = std::size_t(y) * columns + x;
    if (whole) {
      *reinterpret_cast<float2 *>(wave.nextHeight + at) = make_float2(h[r][0], h[r][1]);
      *reinterpret_cast<float2 *>(wave.nextVelocity + at) = make_float2(v[r][0], v[r][1]);
    } else {
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (x + e < columns) {
          wave.nextHeight[at + e] = h[r][e];
          wave.nextVelocity[at + e] = v[r][e];
        }
    }
  }
}

void wave2d(unsigned steps, float speed, In<float, 1> dampRow, In<float, 1> dampColumn, Out<float, 2> height,
            Out<float, 2> velocity) {
  const unsigned rows = height.size[0], columns = height.size[1];
  if (rows < 3 || columns < 3 || steps == 0) return;
  static Scratch<float> heights, velocities;
  const std::size_t all = std::size_t(rows) * columns;
  Wave wave{height.data, velocity.data, heights.of(all), velocities.of(all)};
  const dim3 groups(pieces(columns, kRightAcross), pieces(rows, kRightDown));
  const unsigned kernels = (pieces(steps, kReach) + 1) / 2 * 2; // an even number, so that all ends where it began
  for (unsigned k = 0; k < kernels; ++k) {
    const unsigned now = steps / kernels + (k < steps % kernels);
    if (columns % 2 == 0)
      wave2dKernel<true><<<groups, kLanes>>>(now, speed, dampRow.data, dampColumn.data, wave, rows, columns);
    else
      wave2dKernel<false><<<groups, kLanes>>>(now, speed, dampRow.data, dampColumn.data, wave, rows, columns);
    wave = k % 2 == 0 ? Wave{wave.nextHeight, wave.nextVelocity, height.data, velocity.data}
                      : Wave{height.data, velocity.data, heights.of(all), velocities.of(all)};
  }
  launched("wave2d");
}

// ---- binomial: a warp has two options. A node's price depends on the difference d of rises and falls alone: a lane
// has eight even and eight odd ones, what exercising is worth at each, and the values of one kind, which become those
// of the other from step to step. Where half of the lanes have left the tree, both options go on in one warp.

constexpr unsigned kTreeSteps = 256, kNodes = kTreeSteps / 32, kTreeLanes = 128;

struct Tree {
  double value[kNodes], even[kNodes], odd[kNodes]; // of d = 16 lane - 256 + 2 k, and 1 more
  double up, down, top;                            // shares of what comes after a rise and a fall; beyond the last lane
};

__device__ double greater(double a, double b) { return a > b ? a : b; }

__device__ Tree plant(double rate, double volatility, double price, double strike, double years, unsigned lane) {
  Tree tree;
  const double dt = years / kTreeSteps, deviation = volatility * sqrt(dt);
  const double rise = exp(deviation), fall = 1 / rise, discount = exp(-rate * dt);
  const double p = (1 / discount - fall) / (rise - fall);
  tree.up = discount * p;
  tree.down = discount * (1 - p);
  double spot = price * exp(deviation * (16 * int(lane) - int(kTreeSteps)));
#pragma unroll
  for (unsigned k = 0; k < kNodes; ++k) {
    tree.even[k] = strike - spot;
    tree.odd[k] = strike - spot * rise;
    spot *= rise * rise;
    tree.value[k] = greater(tree.even[k], 0);
  }
  tree.top = greater(strike - price * exp(deviation * int(kTreeSteps)), 0);
  return tree;
}

/// Two steps back, from even nodes to even ones. `last`: whether no lane has what is above.
__device__ void twoSteps(Tree &tree, unsigned lane, bool last) {
  const double over = __shfl_sync(kAll, tree.value[0], (lane + 1) % 32), above = last ? tree.top : over;
#pragma unroll
  for (unsigned k = 0; k < kNodes; ++k) {
    const double higher = k + 1 < kNodes ? tree.value[k + 1 < kNodes ? k + 1 : k] : above;
    tree.value[k] = greater(tree.up * higher + tree.down * tree.value[k], tree.odd[k]);
  }
  const double below = __shfl_sync(kAll, tree.value[kNodes - 1], (lane + 31) % 32);
#pragma unroll
  for (unsigned k = kNodes; k-- > 0;) {
    const double lower = k > 0 ? tree.value[k > 0 ? k - 1 : 0] : below;
    tree.value[k] = greater(tree.up * tree.value[k] + tree.down * lower, tree.even[k]);
  }
}

__global__ void __launch_bounds__(kTreeLanes)
    binomialKernel(double rate, double volatility, const double *__restrict__ price, const double *__restrict__ strike,
                   const double *__restrict__ years, double *__restrict__ put, unsigned options) {
  const unsigned lane = threadIdx.x % 32, first = (blockIdx.x * (kTreeLanes / 32) + threadIdx.x / 32) * 2;
  if (first >= options) return;               // a whole warp
  const bool middle = lane >= 8 && lane < 24; // whose nodes are in the tree in the second half of the steps
  Tree both;
#pragma unroll 1
  for (unsigned o = 0; o < 2; ++o) {
    const unsigned own = min(first + o, options - 1);
    Tree tree = plant(rate, volatility, price[own], strike[own], years[own], lane);
#pragma unroll 1
    for (unsigned i = 0; i < kTreeSteps / 4; ++i) twoSteps(tree, lane, lane == 31);
    tree.top = __shfl_sync(kAll, tree.value[0], 24);
    if (o == 0) {
      both = tree;
    } else { // its lanes 8 to 23 become 24 to 31 and 0 to 7
#pragma unroll
      for (unsigned k = 0; k < kNodes; ++k) {
        const double value = __shfl_xor_sync(kAll, tree.value[k], 16), even = __shfl_xor_sync(kAll, tree.even[k], 16);
        const double odd = __shfl_xor_sync(kAll, tree.odd[k], 16);
        both.value[k] = middle ? both.value[k] : value;
        both.even[k] = middle ? both.even[k] : even;
        both.odd[k] = middle ? both.odd[k] : odd;
      }
      both.up = middle ? both.up : tree.up;
      both.down = middle ? both.down : tree.down;
      both.top = middle ? both.top : tree.top;
    }
  }
#pragma unroll 1
  for (unsigned i = 0; i < kTreeSteps / 4; ++i) twoSteps(both, lane, lane == 23 || lane == 7);
  // Of d = 0: lane 16's first one, and that lane is 0 of the second option.
  if (lane == 16) put[first] = both.value[0];
  if (lane == 0 && first + 1 < options) put[first + 1] = both.value[0];
}

void binomial(double rate, double volatility, In<double, 1> price, In<double, 1> strike, In<double, 1> years,
              Out<double, 1> put) {
  const unsigned options = price.size[0];
  if (options == 0) return;
  binomialKernel<<<pieces(options, kTreeLanes / 32 * 2), kTreeLanes>>>(rate, volatility, price.data, strike.data,
                                                                       years.data, put.data, options);
  launched("binomial");
}

// ---- knapsack: four items a kernel. What may be taken of them are 16 sets, for each of which a number of the last row
// is loaded, mostly from the first cache; of these come a capacity's numbers of four rows.

constexpr unsigned kCapacities = 4; // a lane

template <unsigned together>
__global__ void __launch_bounds__(kLanes)
    knapsackKernel(const unsigned *__restrict__ weight, const int *__restrict__ worth, const int *__restrict__ last,
                   int *__restrict__ to, unsigned capacities) {
  unsigned heavy[1 << together]; // a set's weight
  int more[together];
#pragma unroll
  for (unsigned s = 0; s < 1 << together; ++s) {
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned i = 0; i < together; ++i)
      if (s >> i & 1) sum += weight[i];
    heavy[s] = sum < ~0u ? unsigned(sum) : ~0u;
  }
#pragma unroll
  for (unsigned i = 0; i < together; ++i) more[i] = worth[i];
#pragma unroll
  for (unsigned k = 0; k < kCapacities; ++k) {
    const unsigned c = (blockIdx.x * kCapacities + k) * kLanes + threadIdx.x;
    if (c >= capacities) return;
    int best[1 << together]; // of what is left without a set
#pragma unroll
    for (unsigned s = 0; s < 1 << together; ++s) best[s] = c >= heavy[s] ? last[c - heavy[s]] : 0;
#pragma unroll
    for (unsigned i = 0; i < together; ++i) {
      // Of sets of later items; item i may be taken as well.
#pragma unroll
      for (unsigned s = 0; s < 1 << together; s += 2 << i)
        if (c >= heavy[s | 1 << i]) best[s] = max(best[s], best[s | 1 << i] + more[i]);
      to[std::size_t(i) * capacities + c] = best[0];
    }
  }
}

void knapsack(In<unsigned, 1> weight, In<int, 1> worth, Out<int, 2> best) {
  const unsigned items = weight.size[0], capacities = best.size[1];
  if (capacities == 0) return;
  check(cudaMemsetAsync(best.data, 0, capacities * sizeof(int)), "knapsack");
  const unsigned groups = pieces(capacities, kLanes * kCapacities);
  for (unsigned i = 0; i < items;) {
    const unsigned *w = weight.data + i;
    const int *v = worth.data + i, *last = best.data + std::size_t(i) * capacities;
    int *to = best.data + std::size_t(i + 1) * capacities;
    if (items - i >= 4) {
      knapsackKernel<4><<<groups, kLanes>>>(w, v, last, to, capacities);
      i += 4;
    } else if (items - i >= 2) {
      knapsackKernel<2><<<groups, kLanes>>>(w, v, last, to, capacities);
      i += 2;
    } else {
      knapsackKernel<1><<<groups, kLanes>>>(w, v, last, to, capacities);
      i += 1;
    }
  }
  launched("knapsack");
}

// ---- gqadecode: a group has a part of a sequence and four heads that share keys and values, a warp eight tokens of it
// at a time: a lane has four numbers of each key and of each value. 32 products are added up by 31 shuffles, so that a
// lane has one token's and one head's; warps' results, and then parts', are put together.

constexpr unsigned kWidth = 128, kShared = 4, kTokens = 8, kPartTokens = 256, kAttendLanes = 128;
constexpr unsigned kAttendWarps = kAttendLanes / 32;

struct Mixed { // of a part of a sequence and a head
  float most, sum, mix[kWidth];
};

__device__ float dotOf(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

/// A lane's number of `number` sums over all lanes, which is that of its own place: by halves.
template <unsigned number> __device__ float sumsOf(float (&x)[number], unsigned lane) {
  if constexpr (number == 1) {
    return x[0];
  } else {
    float half[number / 2];
    const bool upper = lane & number / 2;
#pragma unroll
    for (unsigned i = 0; i < number / 2; ++i) {
      const float give = upper ? x[i] : x[i + number / 2], keep = upper ? x[i + number / 2] : x[i];
      half[i] = keep + __shfl_xor_sync(kAll, give, number / 2);
    }
    return sumsOf(half, lane);
  }
}

__global__ void __launch_bounds__(kAttendLanes)
    gqadecodeKernel(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                    const unsigned *__restrict__ length, Mixed *__restrict__ mixed, unsigned heads, unsigned cached,
                    unsigned groups, float scale) {
  __shared__ float mosts[kAttendWarps][kShared], sums[kAttendWarps][kShared];
  __shared__ __align__(16) float4 mixes[kAttendWarps][kShared][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, parts = gridDim.x, part = blockIdx.x;
  const unsigned shared = heads / groups, quads = (shared + kShared - 1) / kShared, n = blockIdx.z;
  const unsigned g = blockIdx.y / quads, head = blockIdx.y % quads * kShared; // of those that share
  const unsigned there = min(kShared, shared - head), own = g * shared + head;
  const unsigned end = min(min(length[n], cached), (part + 1) * kPartTokens);
  float4 ask[kShared], sum[kShared];
#pragma unroll
  for (unsigned h = 0; h < kShared; ++h) {
    const float4 x = quad(q + (std::size_t(n) * heads + own + min(h, there - 1)) * kWidth + lane * 4);
    ask[h] = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
    sum[h] = make_float4(0, 0, 0, 0);
  }
  const std::size_t pitch = std::size_t(groups) * kWidth,
                    base = std::size_t(n) * cached * pitch + g * kWidth + lane * 4;
  float most = -FLT_MAX, added = 0; // of the lane's head, and of its tokens
  for (unsigned first = part * kPartTokens + warp * kTokens; first < end; first += kAttendWarps * kTokens) {
    float4 key[kTokens], value[kTokens];
#pragma unroll
    for (unsigned t = 0; t < kTokens; ++t)
      key[t] = __ldcs(reinterpret_cast<const float4 *>(k + base + min(first + t, end - 1) * pitch));
#pragma unroll
    for (unsigned t = 0; t < kTokens; ++t)
      value[t] = __ldcs(reinterpret_cast<const float4 *>(v + base + min(first + t, end - 1) * pitch));
    float dots[kTokens * kShared];
#pragma unroll
    for (unsigned t = 0; t < kTokens; ++t)
#pragma unroll
      for (unsigned h = 0; h < kShared; ++h) dots[t * kShared + h] = dotOf(ask[h], key[t]);
    const bool real = first + lane / kShared < end;
    const float dot = sumsOf(dots, lane), score = real ? dot : -FLT_MAX;
    float now = score;
#pragma unroll
    for (unsigned s = kShared; s < 32; s *= 2) now = fmaxf(now, __shfl_xor_sync(kAll, now, s));
    now = fmaxf(now, most);
    const float fade = exp2f(most - now), weight = real ? exp2f(score - now) : 0;
    most = now;
    added = added * fade + weight;
#pragma unroll
    for (unsigned h = 0; h < kShared; ++h) {
      const float by = __shfl_sync(kAll, fade, h);
      float4 &x = sum[h];
      x = make_float4(x.x * by, x.y * by, x.z * by, x.w * by);
#pragma unroll
      for (unsigned t = 0; t < kTokens; ++t) {
        const float w = __shfl_sync(kAll, weight, t * kShared + h);
        x.x += w * value[t].x;
        x.y += w * value[t].y;
        x.z += w * value[t].z;
        x.w += w * value[t].w;
      }
    }
  }
#pragma unroll
  for (unsigned s = kShared; s < 32; s *= 2) added += __shfl_xor_sync(kAll, added, s);
  if (lane < kShared) {
    mosts[warp][lane] = most;
    sums[warp][lane] = added;
  }
#pragma unroll
  for (unsigned h = 0; h < kShared; ++h) mixes[warp][h][lane] = sum[h];
  __syncthreads();
  const unsigned h = warp; // a warp a head
  static_assert(kAttendWarps == kShared);
  if (h >= there) return;
  float all = mosts[0][h], total = 0;
#pragma unroll
  for (unsigned w = 1; w < kAttendWarps; ++w) all = fmaxf(all, mosts[w][h]);
  float4 mix = make_float4(0, 0, 0, 0);
#pragma unroll
  for (unsigned w = 0; w < kAttendWarps; ++w) {
    const float by = exp2f(mosts[w][h] - all);
    const float4 x = mixes[w][h][lane];
    total += by * sums[w][h];
    mix = make_float4(mix.x + by * x.x, mix.y + by * x.y, mix.z + by * x.z, mix.w + by * x.w);
  }
  Mixed &to = mixed[(std::size_t(n) * heads + own + h) * parts + part];
  if (lane == 0) {
    to.most = all;
    to.sum = total;
  }
  float2 *halves = reinterpret_cast<float2 *>(to.mix + lane * 4);
  halves[0] = make_float2(mix.x, mix.y);
  halves[1] = make_float2(mix.z, mix.w);
}

__global__ void __launch_bounds__(kWidth)
    gqadecodeJoinKernel(const Mixed *__restrict__ mixed, float *__restrict__ out, unsigned parts) {
  const Mixed *own = mixed + std::size_t(blockIdx.x) * parts;
  float most = -FLT_MAX, sum = 0, mix = 0;
  for (unsigned p = 0; p < parts; ++p) most = fmaxf(most, own[p].most);
#pragma unroll 4
  for (unsigned p = 0; p < parts; ++p) {
    const float by = exp2f(own[p].most - most);
    sum += by * own[p].sum;
    mix += by * own[p].mix[threadIdx.x];
  }
  out[std::size_t(blockIdx.x) * kWidth + threadIdx.x] = sum > 0 ? mix / sum : 0;
}

/// Any width: a group a head, a token a lane at a time.
__global__ void __launch_bounds__(kLanes)
    gqadecodeAnyKernel(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                       const unsigned *__restrict__ length, float *__restrict__ out, unsigned heads, unsigned cached,
                       unsigned groups, unsigned width, float scale) {
  extern __shared__ float dynamic[];
  __shared__ float weights[kLanes], part[kWarps];
  float *mix = dynamic;
  const unsigned n = blockIdx.y, h = blockIdx.x, g = h / (heads / groups), end = min(length[n], cached);
  const float *own = q + (std::size_t(n) * heads + h) * width;
  const std::size_t pitch = std::size_t(groups) * width, base = std::size_t(n) * cached * pitch + g * width;
  for (unsigned d = threadIdx.x; d < width; d += kLanes) mix[d] = 0;
  float most = -FLT_MAX, sum = 0;
  for (unsigned first = 0; first < end; first += kLanes) {
    const unsigned t = first + threadIdx.x;
    float score = -FLT_MAX;
    if (t < end) {
      score = 0;
      for (unsigned d = 0; d < width; ++d) score += own[d] * k[base + t * pitch + d];
      score *= scale;
    }
    float now = score;
    for (unsigned s = 16; s > 0; s /= 2) now = fmaxf(now, __shfl_xor_sync(kAll, now, s));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = now;
    __syncthreads();
    for (unsigned w = 0; w < kWarps; ++w) now = fmaxf(now, part[w]);
    now = fmaxf(now, most);
    const float fade = exp2f(most - now), weight = t < end ? exp2f(score - now) : 0;
    weights[threadIdx.x] = weight;
    sum = sum * fade + sumOfBlock(weight); // behind a barrier
    most = now;
    for (unsigned d = threadIdx.x; d < width; d += kLanes) {
      float x = mix[d] * fade;
      for (unsigned l = 0; l < min(kLanes, end - first); ++l) x += weights[l] * v[base + (first + l) * pitch + d];
      mix[d] = x;
    }
    __syncthreads();
  }
  for (unsigned d = threadIdx.x; d < width; d += kLanes)
    out[(std::size_t(n) * heads + h) * width + d] = sum > 0 ? mix[d] / sum : 0;
}

void gqadecode(In<float, 3> q, In<float, 4> k, In<float, 4> v, In<unsigned, 1> length, Out<float, 3> out) {
  const unsigned batch = q.size[0], heads = q.size[1], width = q.size[2], cached = k.size[1], groups = k.size[2];
  if (batch == 0 || heads == 0 || width == 0) return;
  const float scale = 1.442695041f / std::sqrt(float(width)); // powers of two
  if (width == kWidth) {
    const unsigned parts = std::max(pieces(cached, kPartTokens), 1u), quads = pieces(heads / groups, kShared);
    static Scratch<Mixed> scratch;
    Mixed *mixed = scratch.of(std::size_t(batch) * heads * parts);
    gqadecodeKernel<<<dim3(parts, groups * quads, batch), kAttendLanes>>>(q.data, k.data, v.data, length.data, mixed,
                                                                          heads, cached, groups, scale);
    gqadecodeJoinKernel<<<batch * heads, kWidth>>>(mixed, out.data, parts);
  } else {
    gqadecodeAnyKernel<<<dim3(heads, batch), kLanes, width * sizeof(float)>>>(
        q.data, k.data, v.data, length.data, out.data, heads, cached, groups, width, scale);
  }
  launched("gqadecode");
}

// ---- contraction: a product of matrices, of rows (a, i) and columns (b, j), summed over (k, l): 128 x 128 results a
// group, 8 x 8 a lane. Of x rows come as they are; y is turned on its way into scratchpad memory.

constexpr unsigned kSide = 128, kDepth = 16, kPitch = kSide + 4;

/// Sizes: `is` and `js` are fours, `ls` a multiple of 16.
__global__ void __launch_bounds__(kLanes, 2)
    contractionKernel(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ c, unsigned as,
                      unsigned bs, unsigned is, unsigned js, unsigned ks, unsigned ls) {
  __shared__ __align__(16) float left[2][kDepth][kSide], right[2][kDepth][kPitch];
  const unsigned m = as * is, n = bs * js, inner = ks * ls, t = threadIdx.x;
  const unsigned top = blockIdx.y * kSide, first = blockIdx.x * kSide;

  // Of x a lane loads two fours of a row, for two numbers of (k, l); of y two fours of l, for two columns.
  const unsigned row = t % 32 * 4, depth = t / 32;
  const unsigned mine = min(top + row, m - 4);
  const float *fromX = x + std::size_t(mine / is) * inner * is + mine % is + std::size_t(depth) * is;
  const unsigned column = t / 4, l = t % 4 * 4;
  const float *fromY[2];
#pragma unroll
  for (unsigned h = 0; h < 2; ++h) fromY[h] = y + std::size_t(min(first + column + h * 64, n - 1)) * ls + l;
  float4 next[2];
  auto load = [&](unsigned at, unsigned turn) {
#pragma unroll
    for (unsigned h = 0; h < 2; ++h)
      __pipeline_memcpy_async(&left[turn][depth + h * 8][row], fromX + std::size_t(at + h * 8) * is, 16);
    __pipeline_commit();
    const std::size_t of = std::size_t(at / ls) * n * ls + at % ls;
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) next[h] = quad(fromY[h] + of);
  };
  auto turned = [&](unsigned turn) {
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const float four[4] = {next[h].x, next[h].y, next[h].z, next[h].w};
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) right[turn][l + e][column + h * 64] = four[e];
    }
  };

  const unsigned down = t / 16 * 4, across = t % 16 * 4; // and 64 more
  float sum[8][8] = {};
  load(0, 0);
  turned(0);
  for (unsigned at = 0, turn = 0; at < inner; at += kDepth, turn ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (at + kDepth < inner) load(at + kDepth, turn ^ 1);
#pragma unroll
    for (unsigned d = 0; d < kDepth; ++d) {
      const float4 a0 = quad(&left[turn][d][down]), a1 = quad(&left[turn][d][down + 64]);
      const float4 b0 = quad(&right[turn][d][across]), b1 = quad(&right[turn][d][across + 64]);
      const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      const float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (unsigned r = 0; r < 8; ++r)
#pragma unroll
        for (unsigned s = 0; s < 8; ++s) sum[r][s] += a[r] * b[s];
    }
    if (at + kDepth < inner) turned(turn ^ 1);
  }
#pragma unroll
  for (unsigned r = 0; r < 8; ++r) {
    const unsigned i = top + down + r % 4 + r / 4 * 64;
    if (i >= m) continue;
    float *to = c + (std::size_t(i / is) * bs * is + i % is) * js;
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned j = first + across + h * 64;
      if (j < n)
        __stcs(reinterpret_cast<float4 *>(to + std::size_t(j / js) * is * js + j % js),
               make_float4(sum[r][4 * h], sum[r][4 * h + 1], sum[r][4 * h + 2], sum[r][4 * h + 3]));
    }
  }
}

/// Any sizes: a result a lane, of tiles of 16 x 16.
__global__ void __launch_bounds__(kLanes)
    contractionAnyKernel(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ c, unsigned as,
                         unsigned bs, unsigned is, unsigned js, unsigned ks, unsigned ls) {
  constexpr unsigned kTile = 16;
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];
  const unsigned m = as * is, n = bs * js, inner = ks * ls, s = threadIdx.x % kTile, r = threadIdx.x / kTile;
  const unsigned i = blockIdx.y * kTile + r, j = blockIdx.x * kTile + s;
  const unsigned rowOf = blockIdx.y * kTile + s, columnOf = blockIdx.x * kTile + r; // of what this lane loads
  float sum = 0;
  for (unsigned at = 0; at < inner; at += kTile) {
    left[r][s] = rowOf < m && at + r < inner ? x[(std::size_t(rowOf / is) * inner + at + r) * is + rowOf % is] : 0;
    const unsigned k = (at + s) / ls, l = (at + s) % ls;
    right[s][r] = columnOf < n && at + s < inner ? y[(std::size_t(k) * n + columnOf) * ls + l] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned d = 0; d < kTile; ++d) sum += left[d][r] * right[d][s];
    __syncthreads();
  }
  if (i < m && j < n) c[((std::size_t(i / is) * bs + j / js) * is + i % is) * js + j % js] = sum;
}

void contraction(In<float, 4> x, In<float, 4> y, Out<float, 4> c) {
  const unsigned as = c.size[0], bs = c.size[1], is = c.size[2], js = c.size[3], ks = x.size[1], ls = x.size[2];
  const unsigned m = as * is, n = bs * js;
  if (m == 0 || n == 0) return;
  if (ks > 0 && ls > 0 && is % 4 == 0 && js % 4 == 0 && ls % kDepth == 0)
    contractionKernel<<<dim3(pieces(n, kSide), pieces(m, kSide)), kLanes>>>(x.data, y.data, c.data, as, bs, is, js, ks,
                                                                            ls);
  else
    contractionAnyKernel<<<dim3(pieces(n, 16), pieces(m, 16)), kLanes>>>(x.data, y.data, c.data, as, bs, is, js, ks,
                                                                         ls);
  launched("contraction");
}

// ---- sddmm: a warp a row, which is in registers, half a warp an element at a time, 16 bytes a lane. Four elements of
// each half are loaded together, and added up by five shuffles; of 32 elements each lane has its own in the end.

constexpr unsigned kHalf = 16;

template <unsigned fours> // rows have 64 times as many numbers
__global__ void __launch_bounds__(kLanes)
    sddmmKernel(const unsigned *__restrict__ row, const unsigned *__restrict__ column, const float *__restrict__ value,
                const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, unsigned rows) {
  constexpr unsigned kRow = fours * 64;
  const unsigned lane = threadIdx.x % 32, half = lane / kHalf, place = lane % kHalf;
  const unsigned i = blockIdx.x * kWarps + threadIdx.x / 32;
  if (i >= rows) return; // a whole warp
  const unsigned begin = row[i], end = row[i + 1];
  float4 own[fours];
#pragma unroll
  for (unsigned q = 0; q < fours; ++q) own[q] = quad(a + std::size_t(i) * kRow + (q * kHalf + place) * 4);
  for (unsigned first = begin; first < end; first += 32) {
    const unsigned there = min(end - first, 32u), which = __ldcs(column + first + min(lane, there - 1));
    float result = 0;
#pragma unroll
    for (unsigned batch = 0; batch < 4; ++batch) { // of eight
      if (batch * 8 >= there) break;
      float dot[4];
#pragma unroll
      for (unsigned u = 0; u < 4; ++u) {
        const unsigned j = __shfl_sync(kAll, which, batch * 8 + half * 4 + u);
        const float *other = b + std::size_t(j) * kRow + place * 4;
        dot[u] = 0;
#pragma unroll
        for (unsigned q = 0; q < fours; ++q) {
          const float4 x = quad(other + q * kHalf * 4);
          dot[u] += own[q].x * x.x + own[q].y * x.y + own[q].z * x.z + own[q].w * x.w;
        }
      }
      // Lanes with bit 3 go on with the last two, those with bit 2 with the last one of two.
      const bool upper = lane & 8, second = lane & 4;
      const float g0 = upper ? dot[0] : dot[2], g1 = upper ? dot[1] : dot[3];
      const float k0 = (upper ? dot[2] : dot[0]) + __shfl_xor_sync(kAll, g0, 8);
      const float k1 = (upper ? dot[3] : dot[1]) + __shfl_xor_sync(kAll, g1, 8);
      float sum = (second ? k1 : k0) + __shfl_xor_sync(kAll, second ? k0 : k1, 4);
      sum += __shfl_xor_sync(kAll, sum, 2);
      sum += __shfl_xor_sync(kAll, sum, 1);
      if (lane % 4 == batch) result = sum; // element lane / 4 of the batch
    }
    const unsigned element = lane % 4 * 8 + lane / 4;
    if (element < there) __stcs(out + first + element, __ldcs(value + first + element) * result);
  }
}

/// Rows of any length: a warp a row of the sparse matrix, and all of it an element.
__global__ void __launch_bounds__(kLanes)
    sddmmAnyKernel(const unsigned *__restrict__ row, const unsigned *__restrict__ column,
                   const float *__restrict__ value, const float *__restrict__ a, const float *__restrict__ b,
                   float *__restrict__ out, unsigned rows, unsigned width) {
  const unsigned lane = threadIdx.x % 32, i = blockIdx.x * kWarps + threadIdx.x / 32;
  if (i >= rows) return;
  for (unsigned e = row[i]; e < row[i + 1]; ++e) {
    const float *other = b + std::size_t(column[e]) * width;
    float sum = 0;
    for (unsigned f = lane; f < width; f += 32) sum += a[std::size_t(i) * width + f] * other[f];
    sum = sumOfWarp(sum);
    if (lane == 0) out[e] = value[e] * sum;
  }
}

void sddmm(In<unsigned, 1> row, In<unsigned, 1> column, In<float, 1> value, In<float, 2> a, In<float, 2> b,
           Out<float, 1> out) {
  const unsigned rows = a.size[0], width = a.size[1];
  if (rows == 0) return;
  const unsigned groups = pieces(rows, kWarps);
  if (width == 64)
    sddmmKernel<1><<<groups, kLanes>>>(row.data, column.data, value.data, a.data, b.data, out.data, rows);
  else if (width == 128)
    sddmmKernel<2><<<groups, kLanes>>>(row.data, column.data, value.data, a.data, b.data, out.data, rows);
  else if (width == 256)
    sddmmKernel<4><<<groups, kLanes>>>(row.data, column.data, value.data, a.data, b.data, out.data, rows);
  else
    sddmmAnyKernel<<<groups, kLanes>>>(row.data, column.data, value.data, a.data, b.data, out.data, rows, width);
  launched("sddmm");
}

// ---- deposit: a particle adds its four shares to one cell of 16 bytes, by one atomic where the device has such; cells
// are put together on the mesh then.

__device__ int wrapped(int i, int n) {
  if (unsigned(i) < unsigned(n)) return i;
  const int rest = i % n;
  return rest < 0 ? rest + n : rest;
}

__device__ void put(float x, float y, float charge, float4 *cells, int rows, int columns) {
  const float px = x * float(columns), py = y * float(rows), left = floorf(px), top = floorf(py);
  const float fx = px - left, fy = py - top, upper = charge * (1 - fy), lower = charge * fy;
  float4 *cell = cells + std::size_t(wrapped(int(top), rows)) * columns + wrapped(int(left), columns);
  const float4 share = make_float4(upper * (1 - fx), upper * fx, lower * (1 - fx), lower * fx);
#if __CUDA_ARCH__ >= 900
  atomicAdd(cell, share);
#else
  atomicAdd(&cell->x, share.x);
  atomicAdd(&cell->y, share.y);
  atomicAdd(&cell->z, share.z);
  atomicAdd(&cell->w, share.w);
#endif
}

__global__ void __launch_bounds__(kLanes)
    depositKernel(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ charge,
                  float4 *cells, std::size_t particles, int rows, int columns) {
  const std::size_t first = (std::size_t(blockIdx.x) * kLanes + threadIdx.x) * 4;
  if (first + 4 <= particles) {
    const float4 xs = __ldcs(reinterpret_cast<const float4 *>(x + first));
    const float4 ys = __ldcs(reinterpret_cast<const float4 *>(y + first));
    const float4 cs = __ldcs(reinterpret_cast<const float4 *>(charge + first));
    put(xs.x, ys.x, cs.x, cells, rows, columns);
    put(xs.y, ys.y, cs.y, cells, rows, columns);
    put(xs.z, ys.z, cs.z, cells, rows, columns);
    put(xs.w, ys.w, cs.w, cells, rows, columns);
  } else {
    for (std::size_t p = first; p < particles; ++p) put(x[p], y[p], charge[p], cells, rows, columns);
  }
}

__global__ void __launch_bounds__(kLanes)
    meshKernel(const float4 *__restrict__ cells, float *__restrict__ density, unsigned rows, unsigned columns) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y;
  if (j >= columns) return;
  const float4 *here = cells + std::size_t(i) * columns,
               *above = cells + std::size_t(i > 0 ? i - 1 : rows - 1) * columns;
  const unsigned left = j > 0 ? j - 1 : columns - 1;
  density[std::size_t(i) * columns + j] = here[j].x + here[left].y + above[j].z + above[left].w;
}

void deposit(In<float, 1> x, In<float, 1> y, In<float, 1> charge, Out<float, 2> density) {
  const unsigned rows = density.size[0], columns = density.size[1];
  const std::size_t particles = x.size[0], all = std::size_t(rows) * columns;
  if (all == 0) return;
  static Scratch<float4> scratch;
  float4 *cells = scratch.of(all);
  check(cudaMemsetAsync(cells, 0, all * sizeof(float4)), "deposit");
  if (particles > 0)
    depositKernel<<<pieces(particles, kLanes * 4), kLanes>>>(x.data, y.data, charge.data, cells, particles, rows,
                                                             columns);
  meshKernel<<<dim3(pieces(columns, kLanes), rows), kLanes>>>(cells, density.data, rows, columns);
  launched("deposit");
}

const Peer<yuv2rgb> yuv2rgbPeer("yuv2rgb", "cuda", {"y", "u", "v", "rgb"}, kDevice);
const Peer<pixelshuffle> pixelshufflePeer("pixelshuffle", "cuda", {"factor", "in", "out"}, kDevice);
const Peer<dequant4> dequant4Peer("dequant4", "cuda", {"packed", "scale", "zero", "out"}, kDevice);
const Peer<haar> haarPeer("haar", "cuda", {"in", "out"}, kDevice);
const Peer<layernormgrad> layernormgradPeer("layernormgrad", "cuda",
                                            {"x", "gain", "mean", "inverse", "dy", "dx", "dgain", "dbias"}, kDevice);
const Peer<colpeak> colpeakPeer("colpeak", "cuda", {"in", "peak", "row"}, kDevice);
const Peer<moments> momentsPeer("moments", "cuda", {"in", "out"}, kDevice);
const Peer<wave2d> wave2dPeer("wave2d", "cuda", {"steps", "speed", "damp_row", "damp_column", "height", "velocity"},
                              kDevice);
const Peer<binomial> binomialPeer("binomial", "cuda", {"rate", "volatility", "price", "strike", "years", "put"},
                                  kDevice);
const Peer<knapsack> knapsackPeer("knapsack", "cuda", {"weight", "worth", "best"}, kDevice);
const Peer<gqadecode> gqadecodePeer("gqadecode", "cuda", {"q", "k", "v", "length", "out"}, kDevice);
const Peer<contraction> contractionPeer("contraction", "cuda", {"x", "y", "c"}, kDevice);
const Peer<sddmm> sddmmPeer("sddmm", "cuda", {"row", "column", "value", "a", "b", "out"}, kDevice);
const Peer<deposit> depositPeer("deposit", "cuda", {"x", "y", "charge", "density"}, kDevice);

} // namespace

BENCH_PEERS(&yuv2rgbPeer.kernel, &pixelshufflePeer.kernel, &dequant4Peer.kernel, &haarPeer.kernel,
            &layernormgradPeer.kernel, &colpeakPeer.kernel, &momentsPeer.kernel, &wave2dPeer.kernel,
            &binomialPeer.kernel, &knapsackPeer.kernel, &gqadecodePeer.kernel, &contractionPeer.kernel,
            &sddmmPeer.kernel, &depositPeer.kernel)
