// The programs of apps/held-out-6 as one would write them for a GPU: tiles in scratchpad memory, several results a lane
// in registers, 16 bytes a load where memory is what it takes, tensor cores for bits.
#include "peer_device.cuh"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_pipeline.h>

namespace {

using namespace careful;

__device__ inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__device__ inline float maxOfWarp(float x) {
#pragma unroll
  for (unsigned s = 16; s > 0; s /= 2) x = fmaxf(x, __shfl_xor_sync(kAll, x, s));
  return x;
}

/// Of all lanes of a group of kLanes, for each of them.
__device__ float maxOfBlock(float x) {
  __shared__ float part[kWarps];
  x = maxOfWarp(x);
  __syncthreads(); // what was found before has been read
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  float most = part[0];
#pragma unroll
  for (unsigned w = 1; w < kWarps; ++w) most = fmaxf(most, part[w]);
  return most;
}

// ---- composite: a lane has four points, twice; of a point's bytes two are in the halves of a word

__device__ unsigned over(unsigned top, unsigned under) {
  const unsigned through = 255 - (top >> 24);
  unsigned low = (under & 0x00ff00ff) * through + 0x00800080, high = (under >> 8 & 0x00ff00ff) * through + 0x00800080;
  low = (low + (low >> 8 & 0x00ff00ff)) >> 8 & 0x00ff00ff;
  high = (high + (high >> 8 & 0x00ff00ff)) & 0xff00ff00;
  return __vaddus4(top, low | high);
}

__global__ void __launch_bounds__(kLanes)
    compositeKernel(const uint4 *__restrict__ top, const uint4 *__restrict__ under, uint4 *__restrict__ out,
                    std::size_t points) {
  const std::size_t first = std::size_t(blockIdx.x) * (2 * kLanes) + threadIdx.x, all = points / 4;
  uint4 a[2], b[2];
#pragma unroll
  for (unsigned k = 0; k < 2; ++k)
    if (first + k * kLanes < all) {
      a[k] = __ldcs(top + first + k * kLanes);
      b[k] = __ldcs(under + first + k * kLanes);
    }
#pragma unroll
  for (unsigned k = 0; k < 2; ++k)
    if (first + k * kLanes < all)
      __stcs(out + first + k * kLanes,
             make_uint4(over(a[k].x, b[k].x), over(a[k].y, b[k].y), over(a[k].z, b[k].z), over(a[k].w, b[k].w)));
  if (first < points % 4) { // what is left, in the first group
    const std::size_t at = all * 4 + first;
    reinterpret_cast<unsigned *>(out)[at] =
        over(reinterpret_cast<const unsigned *>(top)[at], reinterpret_cast<const unsigned *>(under)[at]);
  }
}

void composite(In<Byte, 3> top, In<Byte, 3> under, Out<Byte, 3> out) {
  const std::size_t points = out.size[0] * out.size[1];
  if (points == 0) return;
  compositeKernel<<<pieces((points + 3) / 4, 2 * kLanes), kLanes>>>(reinterpret_cast<const uint4 *>(top.data),
                                                                    reinterpret_cast<const uint4 *>(under.data),
                                                                    reinterpret_cast<uint4 *>(out.data), points);
  launched("composite");
}

// ---- rope: a group a token; a lane has 16 bytes of both halves, and of cosines and sines, of several heads

template <unsigned quarter> // fours of numbers in half a head
__global__ void __launch_bounds__(kLanes)
    ropeKernel(const float4 *__restrict__ q, const unsigned *__restrict__ position, const float4 *__restrict__ cosine,
               const float4 *__restrict__ sine, float4 *__restrict__ out, unsigned heads) {
  constexpr unsigned kHeads = kLanes / quarter;
  const unsigned d = threadIdx.x % quarter, first = threadIdx.x / quarter;
  const std::size_t table = std::size_t(position[blockIdx.x]) * quarter + d;
  const std::size_t own = std::size_t(blockIdx.x) * heads * 2 * quarter + d;
  const float4 c = __ldg(cosine + table), s = __ldg(sine + table);
  for (unsigned h = first; h < heads; h += 2 * kHeads) {
    float4 a[2], b[2];
#pragma unroll
    for (unsigned k = 0; k < 2; ++k)
      if (h + k * kHeads < heads) {
        const std::size_t at = own + (h + k * kHeads) * 2 * quarter;
        a[k] = __ldcs(q + at);
        b[k] = __ldcs(q + at + quarter);
      }
#pragma unroll
    for (unsigned k = 0; k < 2; ++k)
      if (h + k * kHeads < heads) {
        const std::size_t at = own + (h + k * kHeads) * 2 * quarter;
        const float4 x = a[k], y = b[k];
        __stcs(out + at,
               make_float4(x.x * c.x - y.x * s.x, x.y * c.y - y.y * s.y, x.z * c.z - y.z * s.z, x.w * c.w - y.w * s.w));
        __stcs(out + at + quarter,
               make_float4(y.x * c.x + x.x * s.x, y.y * c.y + x.y * s.y, y.z * c.z + x.z * s.z, y.w * c.w + x.w * s.w));
      }
  }
}

/// Heads of any width: a pair a lane.
__global__ void __launch_bounds__(kLanes)
    ropeAnyKernel(const float *__restrict__ q, const unsigned *__restrict__ position, const float *__restrict__ cosine,
                  const float *__restrict__ sine, float *__restrict__ out, unsigned heads, unsigned half,
                  std::size_t all) {
  const std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  if (at >= all) return;
  const std::size_t head = at / half, d = at - head * half, table = position[head / heads] * std::size_t(half) + d;
  const float c = cosine[table], s = sine[table], a = q[head * 2 * half + d], b = q[head * 2 * half + half + d];
  out[head * 2 * half + d] = a * c - b * s;
  out[head * 2 * half + half + d] = b * c + a * s;
}

void rope(In<float, 3> q, In<unsigned, 1> position, In<float, 2> cosine, In<float, 2> sine, Out<float, 3> out) {
  const unsigned tokens = q.size[0], heads = q.size[1], half = cosine.size[1];
  const std::size_t all = std::size_t(tokens) * heads * half;
  if (all == 0) return;
  const auto by = [&](auto kernel) {
    kernel<<<tokens, kLanes>>>(
        reinterpret_cast<const float4 *>(q.data), position.data, reinterpret_cast<const float4 *>(cosine.data),
        reinterpret_cast<const float4 *>(sine.data), reinterpret_cast<float4 *>(out.data), heads);
  };
  if (half == 32)
    by(ropeKernel<8>);
  else if (half == 64)
    by(ropeKernel<16>);
  else if (half == 128)
    by(ropeKernel<32>);
  else
    ropeAnyKernel<<<pieces(all, kLanes), kLanes>>>(q.data, position.data, cosine.data, sine.data, out.data, heads, half,
                                                   all);
  launched("rope");
}

// ---- searchsorted: edges as a tree without pointers, in scratchpad memory, where nodes of a level are in banks of
// their own. A lane goes down it with four numbers at a time.

constexpr unsigned kMostLevels = 12; // of a tree in scratchpad memory

/// Node k of level l is the middle of a part of the edges; behind them there is no number.
__global__ void __launch_bounds__(kLanes)
    treeKernel(const float *__restrict__ edge, float *__restrict__ tree, unsigned edges, unsigned levels) {
  const unsigned node = blockIdx.x * kLanes + threadIdx.x;
  if (node >= 1u << levels) return;
  float value = INFINITY;
  if (node > 0) {
    const unsigned l = 31 - __clz(node), k = node - (1u << l), at = ((2 * k + 1) << (levels - l - 1)) - 1;
    if (at < edges) value = edge[at];
  }
  tree[node] = value;
}

template <bool inScratchpad>
__global__ void __launch_bounds__(kLanes)
    searchsortedKernel(const float *__restrict__ tree, const float *__restrict__ in, unsigned *__restrict__ bin,
                       std::size_t n, unsigned edges, unsigned levels) {
  __shared__ float nodes[inScratchpad ? 1u << kMostLevels : 1];
  if (inScratchpad) {
    for (unsigned k = threadIdx.x; k < 1u << levels; k += kLanes) nodes[k] = tree[k];
    __syncthreads();
  }
  const float *node = inScratchpad ? nodes : tree;
  const unsigned first = 1u << levels;
  const std::size_t all = n / 4, step = std::size_t(gridDim.x) * kLanes;
  for (std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x; at < all; at += step) {
    const float4 four = __ldcs(reinterpret_cast<const float4 *>(in) + at);
    const float x[4] = {four.x, four.y, four.z, four.w};
    unsigned k[4] = {1, 1, 1, 1};
    for (unsigned l = 0; l < levels; ++l)
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) k[e] = 2 * k[e] + (node[k[e]] <= x[e] ? 1 : 0);
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) k[e] = min(k[e] - first, edges);
    __stcs(reinterpret_cast<uint4 *>(bin) + at, make_uint4(k[0], k[1], k[2], k[3]));
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) {
    const float x = in[all * 4 + threadIdx.x];
    unsigned k = 1;
    for (unsigned l = 0; l < levels; ++l) k = 2 * k + (node[k] <= x ? 1 : 0);
    bin[all * 4 + threadIdx.x] = min(k - first, edges);
  }
}

void searchsorted(In<float, 1> edge, In<float, 1> in, Out<unsigned, 1> bin) {
  const unsigned edges = edge.size[0];
  const std::size_t n = in.size[0];
  if (n == 0) return;
  unsigned levels = 1;
  while (1u << levels <= edges) ++levels;
  static Scratch<float> scratch;
  float *tree = scratch.of(std::size_t(1) << levels);
  treeKernel<<<pieces(std::size_t(1) << levels, kLanes), kLanes>>>(edge.data, tree, edges, levels);
  const unsigned groups = std::min(pieces(n, kLanes * 4), cores() * 8);
  if (levels <= kMostLevels)
    searchsortedKernel<true><<<groups, kLanes>>>(tree, in.data, bin.data, n, edges, levels);
  else
    searchsortedKernel<false><<<groups, kLanes>>>(tree, in.data, bin.data, n, edges, levels);
  launched("searchsorted");
}

// ---- groupnorm: a cluster of thread blocks holds a group in its registers, from the only time that it is read until
// it is written; sums of blocks meet in their scratchpad memories.

constexpr unsigned kHeld = 16, kHeldByBlock = kLanes * kHeld; // fours of numbers

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CAREFUL_CLUSTERS 1
#endif

/// Of all lanes of the cluster.
__device__ float sumOfCluster(float x, float *slot) {
  x = sumOfBlock(x);
#ifdef CAREFUL_CLUSTERS
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) *slot = x;
  cluster.sync();
  float sum = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); ++r) sum += *cluster.map_shared_rank(slot, r);
  return sum;
#else
  return x;
#endif
}

__global__ void __launch_bounds__(kLanes, 2)
    groupnormKernel(const float4 *__restrict__ in, const float *__restrict__ gain, const float *__restrict__ bias,
                    float4 *__restrict__ out, unsigned blocks, unsigned quads, unsigned plane, unsigned groups,
                    unsigned channels, float epsilon) {
  __shared__ float slot[2];
  const unsigned group = blockIdx.x / blocks, first = blockIdx.x % blocks * kHeldByBlock + threadIdx.x;
  const std::size_t at = std::size_t(group) * quads;
  const float by = 1 / (4 * float(quads));
  float4 x[kHeld];
  float sum = 0, squares = 0;
#pragma unroll
  for (unsigned k = 0; k < kHeld; ++k) x[k] = __ldcs(in + at + min(first + k * kLanes, quads - 1));
#pragma unroll
  for (unsigned k = 0; k < kHeld; ++k)
    if (first + k * kLanes < quads) sum += x[k].x + x[k].y + (x[k].z + x[k].w);
  const float mean = sumOfCluster(sum, slot) * by;
#pragma unroll
  for (unsigned k = 0; k < kHeld; ++k)
    if (first + k * kLanes < quads) {
      x[k] = make_float4(x[k].x - mean, x[k].y - mean, x[k].z - mean, x[k].w - mean);
      squares += dot(x[k], x[k]);
    }
  const float scale = 1 / sqrtf(sumOfCluster(squares, slot + 1) * by + epsilon);
#pragma unroll
  for (unsigned k = 0; k < kHeld; ++k) {
    const unsigned place = first + k * kLanes;
    if (place >= quads) continue;
    const unsigned c = group % groups * channels + place / plane;
    const float factor = scale * __ldg(gain + c), plus = __ldg(bias + c);
    __stcs(out + at + place,
           make_float4(x[k].x * factor + plus, x[k].y * factor + plus, x[k].z * factor + plus, x[k].w * factor + plus));
  }
#ifdef CAREFUL_CLUSTERS
  cooperative_groups::this_cluster().sync(); // others may still read this block's sums
#endif
}

/// Groups of any size: a block a group, which is read three times.
__global__ void __launch_bounds__(kLanes)
    groupnormAnyKernel(const float *__restrict__ in, const float *__restrict__ gain, const float *__restrict__ bias,
                       float *__restrict__ out, std::size_t count, std::size_t plane, unsigned groups,
                       unsigned channels, float epsilon) {
  const float *from = in + blockIdx.x * count;
  float *to = out + blockIdx.x * count;
  float sum = 0, squares = 0;
  for (std::size_t i = threadIdx.x; i < count; i += kLanes) sum += from[i];
  const float mean = sumOfBlock(sum) / float(count);
  for (std::size_t i = threadIdx.x; i < count; i += kLanes) squares += (from[i] - mean) * (from[i] - mean);
  const float scale = 1 / sqrtf(sumOfBlock(squares) / float(count) + epsilon);
  for (std::size_t i = threadIdx.x; i < count; i += kLanes) {
    const unsigned c = blockIdx.x % groups * channels + unsigned(i / plane);
    to[i] = (from[i] - mean) * scale * gain[c] + bias[c];
  }
}

bool hasClusters() {
  int device = 0, major = 0;
  check(cudaGetDevice(&device), "groupnorm");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "groupnorm");
  return major >= 9;
}

void groupnorm(unsigned groups, float epsilon, In<float, 4> in, In<float, 1> gain, In<float, 1> bias,
               Out<float, 4> out) {
  const std::size_t batch = in.size[0], plane = in.size[2] * in.size[3], channels = in.size[1] / groups;
  const std::size_t count = channels * plane;
  if (batch * count == 0) return;
  unsigned blocks = 1;
  while (blocks < 8 && std::size_t(blocks) * kHeldByBlock * 4 < count) blocks *= 2;
  if (plane % 4 == 0 && std::size_t(blocks) * kHeldByBlock * 4 >= count && (blocks == 1 || hasClusters())) {
    cudaLaunchConfig_t config = {};
    config.gridDim = unsigned(batch * groups * blocks);
    config.blockDim = kLanes;
    cudaLaunchAttribute cluster[1] = {};
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim.x = blocks;
    cluster[0].val.clusterDim.y = cluster[0].val.clusterDim.z = 1;
    config.attrs = cluster;
    config.numAttrs = hasClusters() ? 1 : 0;
    check(cudaLaunchKernelEx(&config, groupnormKernel, reinterpret_cast<const float4 *>(in.data), gain.data, bias.data,
                             reinterpret_cast<float4 *>(out.data), blocks, unsigned(count / 4), unsigned(plane / 4),
                             groups, unsigned(channels), epsilon),
          "groupnorm");
  } else {
    groupnormAnyKernel<<<unsigned(batch * groups), kLanes>>>(in.data, gain.data, bias.data, out.data, count, plane,
                                                             groups, unsigned(channels), epsilon);
  }
  launched("groupnorm");
}

// ---- adler32: a warp a row, 16 bytes a lane: their sum, and their sum times how far they are from the row's end, by
// products of four bytes

template <bool sixteen>
__global__ void __launch_bounds__(kLanes)
    adler32Kernel(const Byte *__restrict__ in, unsigned *__restrict__ result, unsigned rows, unsigned n) {
  const unsigned lane = threadIdx.x % 32, row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= rows) return; // a whole warp
  const Byte *from = in + std::size_t(row) * n;
  unsigned long long sum = 0, weighted = 0;
  if (sixteen) {
    const unsigned all = n / 16;
#pragma unroll 4
    for (unsigned q = lane; q < all; q += 32) {
      const uint4 x = __ldcs(reinterpret_cast<const uint4 *>(from) + q);
      unsigned s = __dp4a(x.x, 0x01010101u, 0u), inside = __dp4a(x.x, 0x03020100u, 0u);
      s = __dp4a(x.y, 0x01010101u, s);
      s = __dp4a(x.z, 0x01010101u, s);
      s = __dp4a(x.w, 0x01010101u, s);
      inside = __dp4a(x.y, 0x07060504u, inside);
      inside = __dp4a(x.z, 0x0b0a0908u, inside);
      inside = __dp4a(x.w, 0x0f0e0d0cu, inside);
      sum += s;
      weighted += static_cast<unsigned long long>(n - q * 16) * s - inside;
    }
  } else {
    for (unsigned j = lane; j < n; j += 32) {
      sum += from[j];
      weighted += static_cast<unsigned long long>(n - j) * from[j];
    }
  }
  sum = sumOfWarp(sum);
  weighted = sumOfWarp(weighted);
  if (lane == 0) result[row] = unsigned((weighted + n) % 65521) << 16 | unsigned((sum + 1) % 65521);
}

void adler32(In<Byte, 2> in, Out<unsigned, 1> sum) {
  const unsigned rows = in.size[0], n = in.size[1];
  if (rows == 0) return;
  if (n % 16 == 0)
    adler32Kernel<true><<<pieces(rows, kWarps), kLanes>>>(in.data, sum.data, rows, n);
  else
    adler32Kernel<false><<<pieces(rows, kWarps), kLanes>>>(in.data, sum.data, rows, n);
  launched("adler32");
}

// ---- kldivergence: a group a row, which is read once; sums of exponentials are scaled when a greater number is met.
// With u the sum of exp(t) (t - p), the result is u / sum - log(sum) + log(sum of the pupil's).

struct Sums {
  float most = -FLT_MAX, mostOfPupil = -FLT_MAX, sum = 0, sumOfPupil = 0, along = 0;

  template <unsigned n> __device__ void add(const float (&t)[n], const float (&p)[n]) {
    float now = most, nowOfPupil = mostOfPupil;
#pragma unroll
    for (unsigned e = 0; e < n; ++e) {
      now = fmaxf(now, t[e]);
      nowOfPupil = fmaxf(nowOfPupil, p[e]);
    }
    scaleTo(now, nowOfPupil);
#pragma unroll
    for (unsigned e = 0; e < n; ++e) {
      const float x = __expf(t[e] - most);
      sum += x;
      along += x * (t[e] - p[e]);
      sumOfPupil += __expf(p[e] - mostOfPupil);
    }
  }
  __device__ void scaleTo(float now, float nowOfPupil) {
    const float fade = __expf(most - now);
    sum *= fade;
    along *= fade;
    sumOfPupil *= __expf(mostOfPupil - nowOfPupil);
    most = now;
    mostOfPupil = nowOfPupil;
  }
};

template <bool fours>
__global__ void __launch_bounds__(kLanes)
    kldivergenceKernel(const float *__restrict__ teacher, const float *__restrict__ pupil, float *__restrict__ loss,
                       unsigned n) {
  const float *t = teacher + std::size_t(blockIdx.x) * n, *p = pupil + std::size_t(blockIdx.x) * n;
  Sums own;
  if (fours) {
    const unsigned all = n / 4;
    unsigned q = threadIdx.x;
    for (; q + kLanes < all; q += 2 * kLanes) {
      float4 a[2], b[2];
#pragma unroll
      for (unsigned k = 0; k < 2; ++k) {
        a[k] = __ldcs(reinterpret_cast<const float4 *>(t) + q + k * kLanes);
        b[k] = __ldcs(reinterpret_cast<const float4 *>(p) + q + k * kLanes);
      }
      own.add<8>({a[0].x, a[0].y, a[0].z, a[0].w, a[1].x, a[1].y, a[1].z, a[1].w},
                 {b[0].x, b[0].y, b[0].z, b[0].w, b[1].x, b[1].y, b[1].z, b[1].w});
    }
    if (q < all) {
      const float4 a = __ldcs(reinterpret_cast<const float4 *>(t) + q);
      const float4 b = __ldcs(reinterpret_cast<const float4 *>(p) + q);
      own.add<4>({a.x, a.y, a.z, a.w}, {b.x, b.y, b.z, b.w});
    }
  } else {
    for (unsigned j = threadIdx.x; j < n; j += kLanes) own.add<1>({t[j]}, {p[j]});
  }
  own.scaleTo(maxOfBlock(own.most), maxOfBlock(own.mostOfPupil));
  const float sum = sumOfBlock(own.sum), sumOfPupil = sumOfBlock(own.sumOfPupil), along = sumOfBlock(own.along);
  if (threadIdx.x == 0) loss[blockIdx.x] = along / sum - (own.most + logf(sum)) + (own.mostOfPupil + logf(sumOfPupil));
}

void kldivergence(In<float, 2> teacher, In<float, 2> pupil, Out<float, 1> loss) {
  const unsigned rows = teacher.size[0], n = teacher.size[1];
  if (rows == 0) return;
  if (n % 4 == 0)
    kldivergenceKernel<true><<<rows, kLanes>>>(teacher.data, pupil.data, loss.data, n);
  else
    kldivergenceKernel<false><<<rows, kLanes>>>(teacher.data, pupil.data, loss.data, n);
  launched("kldivergence");
}

// ---- demosaic: a lane has eight points of eight rows, of which three are in registers. Of even and of odd points two
// are in the halves of a word. Bytes go through scratchpad memory, so that a warp writes 16 bytes a lane.

constexpr unsigned kPixels = 8, kWarpPixels = 32 * kPixels, kRowsEach = 8;

/// Eight points of a row, and those on their left and right.
struct Line {
  unsigned own[2], left[2], right[2];
};

__device__ unsigned evens(unsigned x) { return x & 0x00ff00ff; }
__device__ unsigned odds(unsigned x) { return x >> 8 & 0x00ff00ff; }
__device__ unsigned halfOf(unsigned a, unsigned b) { return (a + b + 0x00010001) >> 1 & 0x00ff00ff; }
__device__ unsigned quarterOf(unsigned a, unsigned b, unsigned c, unsigned d) {
  return (a + b + c + d + 0x00020002) >> 2 & 0x00ff00ff;
}

/// All lanes of a warp; those at the borders see their own points mirrored.
__device__ Line lineOf(const Byte *row, unsigned x, unsigned width) {
  const unsigned lane = threadIdx.x % 32, at = min(x, width - kPixels);
  const uint2 two = __ldg(reinterpret_cast<const uint2 *>(row + at));
  unsigned before = __shfl_up_sync(kAll, two.y, 1), behind = __shfl_down_sync(kAll, two.x, 1);
  if (x == 0)
    before = two.x << 16;
  else if (lane == 0)
    before = unsigned(row[at - 1]) << 24;
  if (x + kPixels >= width)
    behind = two.y >> 16;
  else if (lane == 31)
    behind = row[at + kPixels];
  Line line;
  line.own[0] = two.x;
  line.own[1] = two.y;
  line.left[0] = __funnelshift_l(before, two.x, 8);
  line.left[1] = __funnelshift_l(two.x, two.y, 8);
  line.right[0] = __funnelshift_r(two.x, two.y, 8);
  line.right[1] = __funnelshift_r(two.y, behind, 8);
  return line;
}

__device__ unsigned mirrored(int i, int n) { return unsigned(i < 0 ? -i : i < n ? i : 2 * (n - 1) - i); }

__global__ void __launch_bounds__(kLanes)
    demosaicKernel(const Byte *__restrict__ in, Byte *__restrict__ rgb, unsigned height, unsigned width) {
  __shared__ __align__(16) unsigned bytes[kWarps][kWarpPixels * 3 / 4];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned first = (blockIdx.x * kWarps + warp) * kWarpPixels, x = first + lane * kPixels;
  const unsigned top = blockIdx.y * kRowsEach, there = min(kWarpPixels, width - first) * 3 / 16;
  if (first >= width) return; // a whole warp
  const auto line = [&](int i) { return lineOf(in + std::size_t(mirrored(i, int(height))) * width, x, width); };
  Line up = line(int(top) - 1), here = line(int(top));
#pragma unroll
  for (unsigned r = 0; r < kRowsEach; ++r) {
    const unsigned i = top + r;
    if (i >= height) break;
    const Line down = line(int(i) + 1);
    unsigned *to = bytes[warp] + lane * (kPixels * 3 / 4);
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      unsigned red, green, blue;
      if (r % 2 == 0) {
        const unsigned cross =
            quarterOf(evens(here.left[h]), evens(here.right[h]), evens(up.own[h]), evens(down.own[h]));
        const unsigned corners =
            quarterOf(evens(up.left[h]), evens(up.right[h]), evens(down.left[h]), evens(down.right[h]));
        red = evens(here.own[h]) | halfOf(odds(here.left[h]), odds(here.right[h])) << 8;
        green = cross | (here.own[h] & 0xff00ff00);
        blue = corners | halfOf(odds(up.own[h]), odds(down.own[h])) << 8;
      } else {
        const unsigned cross = quarterOf(odds(here.left[h]), odds(here.right[h]), odds(up.own[h]), odds(down.own[h]));
        const unsigned corners =
            quarterOf(odds(up.left[h]), odds(up.right[h]), odds(down.left[h]), odds(down.right[h]));
        red = halfOf(evens(up.own[h]), evens(down.own[h])) | corners << 8;
        green = evens(here.own[h]) | cross << 8;
        blue = halfOf(evens(here.left[h]), evens(here.right[h])) | (here.own[h] & 0xff00ff00);
      }
      to[3 * h] = __byte_perm(__byte_perm(red, green, 0x1040), blue, 0x3410);
      to[3 * h + 1] = __byte_perm(__byte_perm(red, green, 0x6205), blue, 0x3250);
      to[3 * h + 2] = __byte_perm(__byte_perm(red, green, 0x0730), blue, 0x7216);
    }
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) { // 48 fours of words
      const unsigned at = k * 32 + lane;
      if (at < there)
        __stcs(reinterpret_cast<uint4 *>(rgb + (std::size_t(i) * width + first) * 3) + at,
               reinterpret_cast<const uint4 *>(bytes[warp])[at]);
    }
    __syncwarp();
    up = here;
    here = down;
  }
}

/// Rows of any length: a point a lane.
__global__ void __launch_bounds__(kLanes)
    demosaicAnyKernel(const Byte *__restrict__ in, Byte *__restrict__ rgb, unsigned height, unsigned width) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y;
  if (j >= width) return;
  const unsigned left = mirrored(int(j) - 1, int(width)), right = mirrored(int(j) + 1, int(width));
  const Byte *own = in + std::size_t(i) * width;
  const Byte *up = in + std::size_t(mirrored(int(i) - 1, int(height))) * width;
  const Byte *down = in + std::size_t(mirrored(int(i) + 1, int(height))) * width;
  const unsigned beside = (own[left] + own[right] + 1) / 2, above = (up[j] + down[j] + 1) / 2;
  const unsigned cross = (own[left] + own[right] + up[j] + down[j] + 2) / 4;
  const unsigned corners = (up[left] + up[right] + down[left] + down[right] + 2) / 4;
  const bool oddRow = i % 2 != 0, odd = j % 2 != 0;
  Byte *to = rgb + (std::size_t(i) * width + j) * 3;
  to[0] = Byte(oddRow ? (odd ? corners : above) : odd ? beside : own[j]);
  to[1] = Byte(oddRow == odd ? cross : own[j]);
  to[2] = Byte(oddRow ? (odd ? own[j] : beside) : odd ? above : corners);
}

void demosaic(In<Byte, 2> in, Out<Byte, 3> rgb) {
  const unsigned height = in.size[0], width = in.size[1];
  if (height < 2 || width < 2) return;
  if (width % 16 == 0)
    demosaicKernel<<<dim3(pieces(width, kWarps * kWarpPixels), pieces(height, kRowsEach)), kLanes>>>(in.data, rgb.data,
                                                                                                     height, width);
  else
    demosaicAnyKernel<<<dim3(pieces(width, kLanes), height), kLanes>>>(in.data, rgb.data, height, width);
  launched("demosaic");
}

// ---- erode: a tile of four bytes a lane, rows first, then columns, 16 results of a column a lane. The least of 2, 4,
// 8 numbers is that of two of the step before, and the least of a window that of two such that overlap.

constexpr unsigned kTileWords = 64, kTileRows = 64, kStrip = 16, kSides = 2; // words on each side

__device__ unsigned leastBytes(unsigned a, unsigned b) {
  return (__vminu2(a, b) & 0xff00ff00) | __vminu2(a & 0x00ff00ff, b & 0x00ff00ff);
}

__host__ __device__ constexpr unsigned powerWithin(unsigned n) {
  unsigned power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

template <unsigned radius> // up to 8
__global__ void __launch_bounds__(kLanes)
    erodeKernel(const Byte *__restrict__ in, Byte *__restrict__ out, unsigned height, unsigned width) {
  static_assert(radius > 0 && radius <= 4 * kSides);
  constexpr unsigned kWindow = 2 * radius + 1, kPower = powerWithin(kWindow), kHigh = kTileRows + 2 * radius;
  constexpr unsigned kAcross = kTileWords + 2 * kSides;
  __shared__ unsigned raw[kHigh][kAcross], least[kHigh][kTileWords];
  const int words = int(width / 4), left = int(blockIdx.x * kTileWords) - int(kSides);
  const int top = int(blockIdx.y * kTileRows) - int(radius);
  for (unsigned k = threadIdx.x; k < kHigh * kAcross; k += kLanes) {
    const int y = top + int(k / kAcross), x = left + int(k % kAcross);
    const bool inside = y >= 0 && y < int(height) && x >= 0 && x < words;
    raw[k / kAcross][k % kAcross] =
        inside ? __ldg(reinterpret_cast<const unsigned *>(in) + std::size_t(y) * words + x) : ~0u;
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kHigh * kTileWords; k += kLanes) {
    const unsigned y = k / kTileWords, x = k % kTileWords;
    constexpr unsigned kWords = 2 * kSides + 1;
    unsigned row[kWords + 1]; // the last one is for what is never used
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) row[w] = raw[y][x + w];
    row[kWords] = ~0u;
    // Bytes s behind each of word w.
    const auto behind = [&](unsigned w, unsigned s) {
      const unsigned from = min(w + s / 4, kWords), next = min(from + 1, kWords);
      return s % 4 == 0 ? row[from] : __funnelshift_r(row[from], row[next], s % 4 * 8);
    };
#pragma unroll
    for (unsigned s = 1; s < kPower; s *= 2)
#pragma unroll
      for (unsigned w = 0; w < kWords; ++w)
        row[w] = leastBytes(row[w], behind(w, s)); // in place: what is behind is old
    constexpr unsigned kFirst = 4 * kSides - radius;
    least[y][x] = leastBytes(behind(0, kFirst), behind(0, kFirst + kWindow - kPower));
  }
  __syncthreads();
  const unsigned x = threadIdx.x % kTileWords, strip = threadIdx.x / kTileWords * kStrip;
  constexpr unsigned kDeep = kStrip + 2 * radius;
  unsigned high[kDeep], low[kDeep]; // of 16 bits, the upper byte decides; of the other ones there are two without it
#pragma unroll
  for (unsigned y = 0; y < kDeep; ++y) {
    high[y] = least[strip + y][x];
    low[y] = high[y] & 0x00ff00ff;
  }
#pragma unroll
  for (unsigned s = 1; s < kPower; s *= 2)
#pragma unroll
    for (unsigned y = 0; y + s < kDeep; ++y) {
      high[y] = __vminu2(high[y], high[y + s]);
      low[y] = __vminu2(low[y], low[y + s]);
    }
  const int column = left + int(kSides + x);
  if (column >= words) return;
#pragma unroll
  for (unsigned y = 0; y < kStrip; ++y) {
    const unsigned i = blockIdx.y * kTileRows + strip + y;
    if (i >= height) break;
    constexpr unsigned kSecond = kWindow - kPower;
    const unsigned result = (__vminu2(high[y], high[y + kSecond]) & 0xff00ff00) | __vminu2(low[y], low[y + kSecond]);
    __stcs(reinterpret_cast<unsigned *>(out) + std::size_t(i) * words + column, result);
  }
}

/// Any radius and width: one direction.
template <bool columns>
__global__ void __launch_bounds__(kLanes)
    erodeAnyKernel(const Byte *__restrict__ in, Byte *__restrict__ out, int height, int width, int radius) {
  const int j = int(blockIdx.x * kLanes + threadIdx.x), i = int(blockIdx.y);
  if (j >= width) return;
  int least = 255;
  const int at = columns ? i : j, n = columns ? height : width;
  for (int k = max(at - radius, 0); k <= min(at + radius, n - 1); ++k)
    least = min(least, int(in[columns ? std::size_t(k) * width + j : std::size_t(i) * width + k]));
  out[std::size_t(i) * width + j] = Byte(least);
}

void erode(int radius, In<Byte, 2> in, Out<Byte, 2> out) {
  const unsigned height = in.size[0], width = in.size[1];
  if (height == 0 || width == 0) return;
  const dim3 tiles(pieces(width, kTileWords * 4), pieces(height, kTileRows));
  const auto by = [&](auto kernel) { kernel<<<tiles, kLanes>>>(in.data, out.data, height, width); };
  switch (width % 4 == 0 ? radius : 0) {
  case 1: by(erodeKernel<1>); break;
  case 2: by(erodeKernel<2>); break;
  case 3: by(erodeKernel<3>); break;
  case 4: by(erodeKernel<4>); break;
  case 5: by(erodeKernel<5>); break;
  case 6: by(erodeKernel<6>); break;
  case 7: by(erodeKernel<7>); break;
  case 8: by(erodeKernel<8>); break;
  default: {
    static Scratch<Byte> scratch;
    Byte *rows = scratch.of(std::size_t(height) * width);
    const dim3 lanes(pieces(width, kLanes), height);
    erodeAnyKernel<false><<<lanes, kLanes>>>(in.data, rows, int(height), int(width), radius);
    erodeAnyKernel<true><<<lanes, kLanes>>>(rows, out.data, int(height), int(width), radius);
  }
  }
  launched("erode");
}

// ---- conjugate: two launches an iteration, which add up what the next one needs by one atomic a group. What the
// matrix makes of the direction is computed twice, instead of being stored. A lane has four columns, and goes down
// eight rows, three of which are in registers.

constexpr unsigned kDown = 8, kAcrossWarp = 128;

struct Grid {
  unsigned rows, columns;
  float center;
};

__device__ float4 along4(float by, float4 x, float4 plus) {
  return make_float4(by * x.x + plus.x, by * x.y + plus.y, by * x.z + plus.z, by * x.w + plus.w);
}

/// Four of the direction, and those on both sides, in a row that is there: `p`, or what becomes of it.
template <bool turned> struct Direction {
  const float *r, *p;
  float beta;

  __device__ float one(std::size_t at) const { return turned ? r[at] + beta * p[at] : p[at]; }
  __device__ float4 four(std::size_t at) const {
    return turned ? along4(beta, quad(p + at), quad(r + at)) : quad(p + at);
  }
};

struct Across {
  float4 four;
  float left, right;
};

/// All lanes of a warp. What is outside of the grid is zero.
template <class D> __device__ Across across(const D &direction, const Grid &grid, int i, unsigned column) {
  const unsigned lane = threadIdx.x % 32;
  Across a{make_float4(0, 0, 0, 0), 0, 0};
  const bool there = i >= 0 && i < int(grid.rows);
  const std::size_t at = std::size_t(there ? i : 0) * grid.columns + column;
  if (there && column < grid.columns) a.four = direction.four(at);
  a.left = __shfl_up_sync(kAll, a.four.w, 1);
  a.right = __shfl_down_sync(kAll, a.four.x, 1);
  if (lane == 0) a.left = there && column > 0 && column < grid.columns ? direction.one(at - 1) : 0;
  if (lane == 31) a.right = there && column + 4 < grid.columns ? direction.one(at + 4) : 0;
  return a;
}

__device__ float4 image(const Grid &grid, const Across &up, const Across &here, const Across &down) {
  const float4 u = up.four, h = here.four, d = down.four;
  return make_float4(grid.center * h.x - u.x - d.x - here.left - h.y, grid.center * h.y - u.y - d.y - h.x - h.z,
                     grid.center * h.z - u.z - d.z - h.y - h.w, grid.center * h.w - u.w - d.w - h.z - here.right);
}

/// A group's sum is added to that of all by its first lane.
__device__ void addToAll(double sum, double *all) {
  sum = sumOfBlock(sum);
  if (threadIdx.x == 0 && sum != 0) atomicAdd(all, sum);
}

__device__ float ratio(double a, double b) { return b != 0 ? float(a / b) : 0.0f; }

/// Of numbers outside of the border nothing is left; `squares` of the rest.
__global__ void __launch_bounds__(kLanes)
    beginKernel(const float *__restrict__ b, float *__restrict__ x, float *__restrict__ r, float *__restrict__ p,
                double *squares, Grid grid) {
  double sum = 0;
  const std::size_t all = std::size_t(grid.rows) * grid.columns, step = std::size_t(gridDim.x) * kLanes;
  for (std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x; at < all; at += step) {
    const unsigned i = unsigned(at / grid.columns), j = unsigned(at - std::size_t(i) * grid.columns);
    const bool inside = i > 0 && i + 1 < grid.rows && j > 0 && j + 1 < grid.columns;
    const float value = inside ? b[at] : 0;
    x[at] = 0;
    r[at] = value;
    p[at] = 0;
    sum += double(value) * value;
  }
  addToAll(sum, squares);
}

/// The next direction, and its product with what the matrix makes of it. `squares` are those of the last iteration and
/// of this one.
__global__ void __launch_bounds__(kLanes)
    turnKernel(const float *__restrict__ r, const float *__restrict__ p, float *__restrict__ next, bool first,
               const double *squares, double *along, Grid grid) {
  const unsigned lane = threadIdx.x % 32, column = blockIdx.x * kAcrossWarp + lane * 4;
  const int top = int((blockIdx.y * kWarps + threadIdx.x / 32) * kDown);
  const Direction<true> direction{r, p, first ? 0 : ratio(squares[0], squares[-1])};
  double sum = 0;
  if (top < int(grid.rows)) {
    Across up = across(direction, grid, top - 1, column), here = across(direction, grid, top, column);
#pragma unroll
    for (int k = 0; k < int(kDown); ++k) {
      const int i = top + k;
      if (i >= int(grid.rows)) break;
      const Across down = across(direction, grid, i + 1, column);
      if (column < grid.columns) {
        quad(next + std::size_t(i) * grid.columns + column) = here.four;
        sum += double(dot(here.four, image(grid, up, here, down))); // the border is zero
      }
      up = here;
      here = down;
    }
  }
  addToAll(sum, along);
}

/// The solution and what is left, of which the squares are added up. `squares` are those of this iteration and the
/// next.
__global__ void __launch_bounds__(kLanes)
    stepKernel(const float *__restrict__ p, float *__restrict__ x, float *__restrict__ r, double *squares,
               const double *along, Grid grid) {
  const unsigned lane = threadIdx.x % 32, column = blockIdx.x * kAcrossWarp + lane * 4;
  const int top = int((blockIdx.y * kWarps + threadIdx.x / 32) * kDown);
  const Direction<false> direction{nullptr, p, 0};
  const float alpha = ratio(squares[0], *along);
  double sum = 0;
  if (top < int(grid.rows)) {
    Across up = across(direction, grid, top - 1, column), here = across(direction, grid, top, column);
#pragma unroll
    for (int k = 0; k < int(kDown); ++k) {
      const int i = top + k;
      if (i >= int(grid.rows)) break;
      const Across down = across(direction, grid, i + 1, column);
      if (column < grid.columns && i > 0 && i + 1 < int(grid.rows)) {
        const std::size_t at = std::size_t(i) * grid.columns + column;
        const float4 left = quad(r + at);
        float4 rest = along4(-alpha, image(grid, up, here, down), left);
        if (column == 0) rest.x = 0;
        if (column + 4 == grid.columns) rest.w = 0;
        quad(r + at) = rest;
        quad(x + at) = along4(alpha, here.four, quad(x + at));
        sum += double(dot(rest, rest));
      }
      up = here;
      here = down;
    }
  }
  addToAll(sum, squares + 1);
}

/// Grids of any width: a point a lane.
__global__ void __launch_bounds__(kLanes)
    turnAnyKernel(const float *__restrict__ r, const float *__restrict__ p, float *__restrict__ next, bool first,
                  const double *squares, double *along, Grid grid) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y, w = grid.columns;
  const Direction<true> direction{r, p, first ? 0 : ratio(squares[0], squares[-1])};
  double sum = 0;
  if (i > 0 && i + 1 < grid.rows && j > 0 && j + 1 < w) {
    const std::size_t at = std::size_t(i) * w + j;
    const float own = direction.one(at);
    next[at] = own;
    sum = double(own) * (grid.center * own - direction.one(at - w) - direction.one(at + w) - direction.one(at - 1) -
                         direction.one(at + 1));
  }
  addToAll(sum, along);
}

__global__ void __launch_bounds__(kLanes)
    stepAnyKernel(const float *__restrict__ p, float *__restrict__ x, float *__restrict__ r, double *squares,
                  const double *along, Grid grid) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y, w = grid.columns;
  const float alpha = ratio(squares[0], *along);
  double sum = 0;
  if (i > 0 && i + 1 < grid.rows && j > 0 && j + 1 < w) {
    const std::size_t at = std::size_t(i) * w + j;
    const float rest = r[at] - alpha * (grid.center * p[at] - p[at - w] - p[at + w] - p[at - 1] - p[at + 1]);
    x[at] += alpha * p[at];
    r[at] = rest;
    sum = double(rest) * rest;
  }
  addToAll(sum, squares + 1);
}

void conjugate(unsigned iterations, float shift, In<float, 2> b, Out<float, 2> x) {
  const Grid grid{unsigned(b.size[0]), unsigned(b.size[1]), 4 + shift};
  const std::size_t all = std::size_t(grid.rows) * grid.columns, padded = (all + 3) / 4 * 4;
  if (all == 0) return;
  static Scratch<float> scratch;
  static Scratch<double> scratchSums;
  float *r = scratch.of(3 * padded), *p = r + padded, *next = p + padded;
  double *squares = scratchSums.of(2 * (std::size_t(iterations) + 1)), *along = squares + iterations + 1;
  check(cudaMemsetAsync(squares, 0, 2 * (std::size_t(iterations) + 1) * sizeof(double)), "conjugate");
  check(cudaMemsetAsync(next, 0, all * sizeof(float)), "conjugate");
  beginKernel<<<std::min(pieces(all, kLanes), cores() * 8), kLanes>>>(b.data, x.data, r, p, squares, grid);
  const bool fours = grid.columns % 4 == 0;
  const dim3 groups(pieces(grid.columns, fours ? kAcrossWarp : kLanes),
                    fours ? pieces(grid.rows, kWarps * kDown) : grid.rows);
  for (unsigned t = 0; t < iterations; ++t) {
    if (fours) {
      turnKernel<<<groups, kLanes>>>(r, p, next, t == 0, squares + t, along + t, grid);
      stepKernel<<<groups, kLanes>>>(next, x.data, r, squares + t, along + t, grid);
    } else {
      turnAnyKernel<<<groups, kLanes>>>(r, p, next, t == 0, squares + t, along + t, grid);
      stepAnyKernel<<<groups, kLanes>>>(next, x.data, r, squares + t, along + t, grid);
    }
    std::swap(p, next);
  }
  launched("conjugate");
}

// ---- hamming: bits that differ are those of both less twice those in common, which tensor cores count. A group has
// 128 queries and 128 entries, a warp 32 and 64 of them; rows are as far apart as keeps fragments in different banks.

constexpr unsigned kSide = 128, kChunk = 32, kChunkPitch = kChunk + 4; // words

/// 16 rows and 8 columns of 256 bits.
__device__ void countCommon(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <bool fours> // rows are fours of words
__global__ void __launch_bounds__(kLanes)
    hammingKernel(const unsigned *__restrict__ query, const unsigned *__restrict__ entry,
                  unsigned *__restrict__ distance, unsigned n, unsigned m, unsigned words) {
  __shared__ __align__(16) unsigned rows[2 * kSide][kChunkPitch]; // queries, entries
  __shared__ unsigned bits[2 * kSide];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, g = lane / 4, s = lane % 4;
  const unsigned top = blockIdx.y * kSide, first = blockIdx.x * kSide;
  const unsigned down = warp / 2 * 32, across = warp % 2 * 64;
  int common[2][8][4] = {};
  unsigned own = 0; // bits of row t
  for (unsigned at = 0; at < words; at += kChunk) {
    const auto source = [&](unsigned row) {
      return row < kSide ? query + std::size_t(min(top + row, n - 1)) * words
                         : entry + std::size_t(min(first + row - kSide, m - 1)) * words;
    };
    if (fours) {
      for (unsigned k = t; k < 2 * kSide * kChunk / 4; k += kLanes) {
        const unsigned row = k / (kChunk / 4), w = k % (kChunk / 4) * 4;
        *reinterpret_cast<uint4 *>(&rows[row][w]) =
            at + w < words ? __ldg(reinterpret_cast<const uint4 *>(source(row) + at + w)) : make_uint4(0, 0, 0, 0);
      }
    } else {
      for (unsigned k = t; k < 2 * kSide * kChunk; k += kLanes) {
        const unsigned row = k / kChunk, w = k % kChunk;
        rows[row][w] = at + w < words ? source(row)[at + w] : 0;
      }
    }
    __syncthreads();
#pragma unroll
    for (unsigned q = 0; q < kChunk / 4; ++q) {
      const uint4 four = *reinterpret_cast<const uint4 *>(&rows[t][q * 4]);
      own += __popc(four.x) + __popc(four.y) + __popc(four.z) + __popc(four.w);
    }
#pragma unroll
    for (unsigned k = 0; k < kChunk; k += 8) {
      unsigned a[2][4], b[8][2];
#pragma unroll
      for (unsigned r = 0; r < 2; ++r)
#pragma unroll
        for (unsigned e = 0; e < 4; ++e) a[r][e] = rows[down + r * 16 + e % 2 * 8 + g][k + e / 2 * 4 + s];
#pragma unroll
      for (unsigned c = 0; c < 8; ++c)
#pragma unroll
        for (unsigned e = 0; e < 2; ++e) b[c][e] = rows[kSide + across + c * 8 + g][k + e * 4 + s];
#pragma unroll
      for (unsigned r = 0; r < 2; ++r)
#pragma unroll
        for (unsigned c = 0; c < 8; ++c) countCommon(common[r][c], a[r], b[c]);
    }
    __syncthreads();
  }
  bits[t] = own;
  __syncthreads();
#pragma unroll
  for (unsigned r = 0; r < 2; ++r)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned row = down + r * 16 + h * 8 + g;
      if (top + row >= n) continue;
      unsigned *to = distance + std::size_t(top + row) * m;
      const unsigned ofRow = bits[row];
#pragma unroll
      for (unsigned c = 0; c < 8; ++c) {
        const unsigned column = across + c * 8 + s * 2;
        const unsigned one = ofRow + bits[kSide + column] - 2 * unsigned(common[r][c][2 * h]);
        const unsigned other = ofRow + bits[kSide + column + 1] - 2 * unsigned(common[r][c][2 * h + 1]);
        const unsigned j = first + column;
        if (m % 2 == 0) {
          if (j < m) __stcs(reinterpret_cast<uint2 *>(to + j), make_uint2(one, other));
        } else {
          if (j < m) to[j] = one;
          if (j + 1 < m) to[j + 1] = other;
        }
      }
    }
}

void hamming(In<unsigned, 2> query, In<unsigned, 2> entry, Out<unsigned, 2> distance) {
  const unsigned n = query.size[0], m = entry.size[0], words = query.size[1];
  if (n == 0 || m == 0) return;
  const dim3 groups(pieces(m, kSide), pieces(n, kSide));
  if (words % 4 == 0)
    hammingKernel<true><<<groups, kLanes>>>(query.data, entry.data, distance.data, n, m, words);
  else
    hammingKernel<false><<<groups, kLanes>>>(query.data, entry.data, distance.data, n, m, words);
  launched("hamming");
}

// ---- trsm: blocks on the diagonal are inverted, all at once; the rest is products of matrices, the larger the better:
// the upper half, then what it takes from the lower one, then that. Tiles have 128 rows, 8 x 8 results a lane or less
// where there are few of them.

constexpr unsigned kBlock = 128, kDepth = 16, kPitch = kBlock + 4;

/// A group a block; a lane a column of its inverse.
__global__ void __launch_bounds__(kBlock)
    invertKernel(const float *__restrict__ l, float *__restrict__ inverse, unsigned n) {
  extern __shared__ float shared[]; // kBlock x kBlock
  const unsigned first = blockIdx.x * kBlock, size = min(kBlock, n - first), j = threadIdx.x, begin = j / 32 * 32;
  const float *own = l + std::size_t(first) * n + first;
  float *to = inverse + std::size_t(blockIdx.x) * kBlock * kBlock;
  for (unsigned i = 0; i < kBlock; ++i) {
    float x = i == j ? 1 : 0;
    if (i < size && i > begin) { // above the diagonal there are zeros
      float sum[4] = {};
      unsigned k = begin;
      for (; k + 4 <= i; k += 4)
#pragma unroll
        for (unsigned e = 0; e < 4; ++e)
          sum[e] += __ldg(own + std::size_t(i) * n + k + e) * shared[(k + e) * kBlock + j];
      for (; k < i; ++k) sum[0] += __ldg(own + std::size_t(i) * n + k) * shared[k * kBlock + j];
      x -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    shared[i * kBlock + j] = x; // which this lane alone reads
    to[i * kBlock + j] = x;
  }
}

/// c = a b, or c -= a b, of kBlock x (16 * each) results a group; rows are fours of numbers, and `inner` is a multiple
/// of kDepth. c may be b where a group has all of its rows.
template <bool subtract, unsigned each>
__global__ void __launch_bounds__(kLanes, each == 2 ? 3 : 2)
    productKernel(const float *__restrict__ a, std::size_t pitchOfA, const float *b, float *c, unsigned m, unsigned n,
                  unsigned inner, unsigned rowsOfB) {
  constexpr unsigned kAcross = 16 * each, kFours = kDepth * kAcross / 4;
  __shared__ __align__(16) float left[2][kDepth][kPitch], right[2][kDepth][kAcross];
  const unsigned t = threadIdx.x, top = blockIdx.y * kBlock, first = blockIdx.x * kAcross;
  const unsigned row = t / 4, depth = t % 4 * 4; // of a, for two rows
  float4 next[2];
  auto load = [&](unsigned at, unsigned turn) {
#pragma unroll
    for (unsigned k = 0; k < (kFours + kLanes - 1) / kLanes; ++k) {
      const unsigned q = k * kLanes + t, d = q / (kAcross / 4), column = q % (kAcross / 4) * 4;
      if (kFours % kLanes == 0 || q < kFours)
        __pipeline_memcpy_async(&right[turn][d][column],
                                b + std::size_t(min(at + d, rowsOfB - 1)) * n + min(first + column, n - 4), 16);
    }
    __pipeline_commit();
#pragma unroll
    for (unsigned h = 0; h < 2; ++h)
      next[h] = quad(a + std::size_t(min(top + row + h * 64, m - 1)) * pitchOfA + at + depth);
  };
  auto turned = [&](unsigned turn) {
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const float four[4] = {next[h].x, next[h].y, next[h].z, next[h].w};
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) left[turn][depth + e][row + h * 64] = four[e];
    }
  };
  const unsigned down = t / 16 * 4, across = t % 16 * (each < 4 ? each : 4); // and 64 more
  float sum[8][each] = {};
  load(0, 0);
  turned(0);
  for (unsigned at = 0, turn = 0; at < inner; at += kDepth, turn ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (at + kDepth < inner) load(at + kDepth, turn ^ 1);
#pragma unroll
    for (unsigned d = 0; d < kDepth; ++d) {
      const float4 a0 = quad(&left[turn][d][down]), a1 = quad(&left[turn][d][down + 64]);
      const float x[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      float y[each];
      if constexpr (each == 2) {
        const float2 two = *reinterpret_cast<const float2 *>(&right[turn][d][across]);
        y[0] = two.x;
        y[1] = two.y;
      } else {
#pragma unroll
        for (unsigned h = 0; h < each / 4; ++h) {
          const float4 four = quad(&right[turn][d][across + h * 64]);
          y[4 * h] = four.x;
          y[4 * h + 1] = four.y;
          y[4 * h + 2] = four.z;
          y[4 * h + 3] = four.w;
        }
      }
#pragma unroll
      for (unsigned r = 0; r < 8; ++r)
#pragma unroll
        for (unsigned s = 0; s < each; ++s) sum[r][s] += x[r] * y[s];
    }
    if (at + kDepth < inner) turned(turn ^ 1);
  }
#pragma unroll
  for (unsigned r = 0; r < 8; ++r) {
    const unsigned i = top + down + r % 4 + r / 4 * 64;
    if (i >= m) continue;
    float *to = c + std::size_t(i) * n + first + across;
    if constexpr (each == 2) {
      if (first + across >= n) continue;
      float2 &two = *reinterpret_cast<float2 *>(to);
      two = subtract ? make_float2(two.x - sum[r][0], two.y - sum[r][1]) : make_float2(sum[r][0], sum[r][1]);
    } else {
#pragma unroll
      for (unsigned h = 0; h < each / 4; ++h) {
        if (first + across + h * 64 >= n) continue;
        const float *s = sum[r] + 4 * h;
        float4 &four = quad(to + h * 64);
        four = subtract ? make_float4(four.x - s[0], four.y - s[1], four.z - s[2], four.w - s[3])
                        : make_float4(s[0], s[1], s[2], s[3]);
      }
    }
  }
}

struct Solve {
  const float *l, *inverse;
  float *b;
  unsigned n, m, cores;

  template <bool subtract>
  void product(const float *a, std::size_t pitchOfA, const float *x, float *c, unsigned rows, unsigned inner,
               unsigned rowsOfX) const {
    const auto by = [&](auto kernel, unsigned across) {
      kernel<<<dim3(pieces(m, across), pieces(rows, kBlock)), kLanes>>>(a, pitchOfA, x, c, rows, m, inner, rowsOfX);
    };
    const unsigned high = pieces(rows, kBlock);
    if (high * pieces(m, 128) >= cores * 3 / 4)
      by(productKernel<subtract, 8>, 128);
    else if (high * pieces(m, 64) >= cores * 3 / 4)
      by(productKernel<subtract, 4>, 64);
    else
      by(productKernel<subtract, 2>, 32);
  }

  /// Rows from `first`, which is a multiple of kBlock.
  void rows(unsigned first, unsigned size) const {
    if (size <= kBlock) {
      float *own = b + std::size_t(first) * m;
      product<false>(inverse + std::size_t(first) * kBlock, kBlock, own, own, size, kBlock, size);
      return;
    }
    const unsigned half = pieces(size, 2 * kBlock) * kBlock;
    rows(first, half);
    product<true>(l + std::size_t(first + half) * n + first, n, b + std::size_t(first) * m,
                  b + std::size_t(first + half) * m, size - half, half, half);
    rows(first + half, size - half);
  }
};

/// Any sizes: a column a lane.
__global__ void __launch_bounds__(kLanes) trsmAnyKernel(const float *__restrict__ l, float *b, unsigned n, unsigned m) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x;
  if (j >= m) return;
  for (unsigned i = 0; i < n; ++i) {
    float x = b[std::size_t(i) * m + j];
    for (unsigned k = 0; k < i; ++k) x -= l[std::size_t(i) * n + k] * b[std::size_t(k) * m + j];
    b[std::size_t(i) * m + j] = x;
  }
}

void trsm(In<float, 2> l, Out<float, 2> b) {
  const unsigned n = b.size[0], m = b.size[1];
  if (n == 0 || m == 0) return;
  if (n % 4 == 0 && m % 4 == 0) {
    static Scratch<float> scratch;
    const unsigned blocks = pieces(n, kBlock), bytes = kBlock * kBlock * sizeof(float);
    float *inverse = scratch.of(std::size_t(blocks) * kBlock * kBlock);
    check(cudaFuncSetAttribute(invertKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), "trsm");
    invertKernel<<<blocks, kBlock, bytes>>>(l.data, inverse, n);
    Solve{l.data, inverse, b.data, n, m, cores()}.rows(0, n);
  } else {
    trsmAnyKernel<<<pieces(m, kLanes), kLanes>>>(l.data, b.data, n, m);
  }
  launched("trsm");
}

// ---- embeddinggrad: tokens are sorted by their rows, by counting; a group then adds up a row's and writes it once,
// four tokens' loads at a time

__global__ void __launch_bounds__(kLanes)
    countKernel(const unsigned *__restrict__ token, unsigned *__restrict__ count, unsigned tokens) {
  const unsigned t = blockIdx.x * kLanes + threadIdx.x;
  if (t < tokens) atomicAdd(count + token[t], 1);
}

constexpr unsigned kScanLanes = 1024;

/// One group: where each row's tokens begin.
__global__ void __launch_bounds__(kScanLanes)
    beginsKernel(const unsigned *__restrict__ count, unsigned *__restrict__ begin, unsigned rows) {
  __shared__ unsigned ofWarp[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned carry = 0;
  for (unsigned first = 0; first < rows; first += kScanLanes * 4) {
    const unsigned at = first + threadIdx.x * 4;
    unsigned own[4], sum = 0;
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      own[e] = at + e < rows ? count[at + e] : 0;
      sum += own[e];
    }
    unsigned upTo = sum;
#pragma unroll
    for (unsigned s = 1; s < 32; s *= 2) {
      const unsigned other = __shfl_up_sync(kAll, upTo, s);
      if (lane >= s) upTo += other;
    }
    if (lane == 31) ofWarp[warp] = upTo;
    __syncthreads();
    unsigned before = carry, all = 0;
    for (unsigned w = 0; w < 32; ++w) {
      if (w < warp) before += ofWarp[w];
      all += ofWarp[w];
    }
    before += upTo - sum;
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      if (at + e < rows) begin[at + e] = before;
      before += own[e];
    }
    carry += all;
    __syncthreads();
  }
}

/// Each row's next place goes on, to where its tokens end.
__global__ void __launch_bounds__(kLanes) orderKernel(const unsigned *__restrict__ token, unsigned *__restrict__ next,
                                                      unsigned *__restrict__ order, unsigned tokens) {
  const unsigned t = blockIdx.x * kLanes + threadIdx.x;
  if (t < tokens) order[atomicAdd(next + token[t], 1)] = t;
}

__device__ void add(float4 &to, float4 x) { to = make_float4(to.x + x.x, to.y + x.y, to.z + x.z, to.w + x.w); }
__device__ void add(float &to, float x) { to += x; }

/// Of fours of numbers, or of single ones.
template <class T>
__global__ void __launch_bounds__(kLanes)
    rowsKernel(const unsigned *__restrict__ order, const unsigned *__restrict__ count, const unsigned *__restrict__ end,
               const T *__restrict__ dy, T *__restrict__ dtable, unsigned width) {
  constexpr unsigned kTokens = 4;
  const unsigned last = end[blockIdx.x], first = last - count[blockIdx.x];
  T *to = dtable + std::size_t(blockIdx.x) * width;
  for (unsigned d = threadIdx.x; d < width; d += kLanes) {
    T sum{};
    unsigned e = first;
    for (; e + kTokens <= last; e += kTokens) {
      T x[kTokens];
#pragma unroll
      for (unsigned k = 0; k < kTokens; ++k) x[k] = __ldcs(dy + std::size_t(__ldg(order + e + k)) * width + d);
#pragma unroll
      for (unsigned k = 0; k < kTokens; ++k) add(sum, x[k]);
    }
    for (; e < last; ++e) add(sum, __ldcs(dy + std::size_t(__ldg(order + e)) * width + d));
    __stcs(to + d, sum);
  }
}

void embeddinggrad(In<unsigned, 1> token, In<float, 2> dy, Out<float, 2> dtable) {
  const unsigned tokens = token.size[0], width = dy.size[1], rows = dtable.size[0];
  if (rows == 0 || width == 0) return;
  static Scratch<unsigned> scratch;
  unsigned *count = scratch.of(2 * std::size_t(rows) + tokens), *next = count + rows, *order = next + rows;
  check(cudaMemsetAsync(count, 0, rows * sizeof(unsigned)), "embeddinggrad");
  if (tokens > 0) countKernel<<<pieces(tokens, kLanes), kLanes>>>(token.data, count, tokens);
  beginsKernel<<<1, kScanLanes>>>(count, next, rows);
  if (tokens > 0) orderKernel<<<pieces(tokens, kLanes), kLanes>>>(token.data, next, order, tokens);
  if (width % 4 == 0)
    rowsKernel<<<rows, kLanes>>>(order, count, next, reinterpret_cast<const float4 *>(dy.data),
                                 reinterpret_cast<float4 *>(dtable.data), width / 4);
  else
    rowsKernel<<<rows, kLanes>>>(order, count, next, dy.data, dtable.data, width);
  launched("embeddinggrad");
}

// ---- hmm: a group has 64 sequences, of which a step is a product of 64 x 64 matrices, 4 x 4 results a lane;
// transitions and probabilities stay in scratchpad memory. These are divided by their sum in the next step. State 4 a +
// b is in row 16 b + a, so that lanes write to different banks.

constexpr unsigned kStates = 64, kSequences = 64, kRowPitch = kSequences + 4;

__global__ void __launch_bounds__(kLanes, 2)
    hmmKernel(const float *__restrict__ start, const float *__restrict__ transition, const float *__restrict__ emission,
              const unsigned *__restrict__ symbol, float *__restrict__ likelihood, unsigned sequences, unsigned steps) {
  __shared__ __align__(16) float go[kStates][kStates], now[kStates][kRowPitch], scale[kSequences];
  const unsigned t = threadIdx.x, s = t % 16, r = t / 16; // states 4 s and on, sequences 4 r and on
  for (unsigned k = t; k < kStates * kStates / 4; k += kLanes) {
    const unsigned i = k / (kStates / 4), j = k % (kStates / 4) * 4;
    quad(&go[i % 4 * 16 + i / 4][j]) = quad(transition + i * kStates + j);
  }
  if (t < kSequences) scale[t] = 1;
  const unsigned *symbols[4];
  unsigned which[4];
#pragma unroll
  for (unsigned q = 0; q < 4; ++q) {
    symbols[q] = symbol + std::size_t(min(blockIdx.x * kSequences + r * 4 + q, sequences - 1)) * steps;
    which[q] = steps > 0 ? symbols[q][0] : 0;
  }
  float result = 0; // of the sequence of which this lane finds the sum
  __syncthreads();
  for (unsigned at = 0; at < steps; ++at) {
    float4 emitted[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      emitted[q] = __ldg(reinterpret_cast<const float4 *>(emission + std::size_t(which[q]) * kStates) + s);
      which[q] = symbols[q][min(at + 1, steps - 1)];
    }
    float reached[4][4] = {}; // of a sequence and a state
    if (at == 0) {
      const float4 first = quad(start + s * 4);
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) {
        reached[q][0] = first.x;
        reached[q][1] = first.y;
        reached[q][2] = first.z;
        reached[q][3] = first.w;
      }
    } else {
#pragma unroll 8
      for (unsigned i = 0; i < kStates; ++i) {
        const float4 a = quad(&now[i][r * 4]), b = quad(&go[i][s * 4]);
        const float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (unsigned q = 0; q < 4; ++q)
#pragma unroll
          for (unsigned e = 0; e < 4; ++e) reached[q][e] += x[q] * y[e];
      }
    }
    const float4 by = quad(scale + r * 4);
    const float factor[4] = {by.x, by.y, by.z, by.w};
    float sum[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      reached[q][0] *= factor[q] * emitted[q].x;
      reached[q][1] *= factor[q] * emitted[q].y;
      reached[q][2] *= factor[q] * emitted[q].z;
      reached[q][3] *= factor[q] * emitted[q].w;
      sum[q] = (reached[q][0] + reached[q][1]) + (reached[q][2] + reached[q][3]);
    }
    // Lanes with bit 3 go on with the last two sequences, those with bit 2 with the last one of two.
    const bool upper = s & 8, second = s & 4;
    const float g0 = upper ? sum[0] : sum[2], g1 = upper ? sum[1] : sum[3];
    const float k0 = (upper ? sum[2] : sum[0]) + __shfl_xor_sync(kAll, g0, 8);
    const float k1 = (upper ? sum[3] : sum[1]) + __shfl_xor_sync(kAll, g1, 8);
    float all = (second ? k1 : k0) + __shfl_xor_sync(kAll, second ? k0 : k1, 4);
    all += __shfl_xor_sync(kAll, all, 2);
    all += __shfl_xor_sync(kAll, all, 1);
    result += logf(all);
    __syncthreads(); // what was there has been read
    if (s % 4 == 0) scale[r * 4 + s / 4] = 1 / all;
#pragma unroll
    for (unsigned e = 0; e < 4; ++e)
      quad(&now[e * 16 + s][r * 4]) = make_float4(reached[0][e], reached[1][e], reached[2][e], reached[3][e]);
    __syncthreads();
  }
  const unsigned sequence = blockIdx.x * kSequences + r * 4 + s / 4;
  if (s % 4 == 0 && sequence < sequences) likelihood[sequence] = result;
}

/// Any number of states: a group a sequence.
__global__ void __launch_bounds__(kLanes)
    hmmAnyKernel(const float *__restrict__ start, const float *__restrict__ transition,
                 const float *__restrict__ emission, const unsigned *__restrict__ symbol,
                 float *__restrict__ likelihood, unsigned states, unsigned steps) {
  extern __shared__ float dynamic[];
  float *now = dynamic, *next = now + states, result = 0, scale = 1;
  for (unsigned t = 0; t < steps; ++t) {
    const float *emitted = emission + std::size_t(symbol[std::size_t(blockIdx.x) * steps + t]) * states;
    float sum = 0;
    for (unsigned j = threadIdx.x; j < states; j += kLanes) {
      float reached = 0;
      if (t == 0)
        reached = start[j];
      else
        for (unsigned i = 0; i < states; ++i) reached += now[i] * transition[std::size_t(i) * states + j];
      reached *= scale * emitted[j];
      next[j] = reached;
      sum += reached;
    }
    sum = sumOfBlock(sum); // which waits for all
    scale = 1 / sum;
    result += logf(sum);
    float *other = now;
    now = next;
    next = other;
  }
  if (threadIdx.x == 0) likelihood[blockIdx.x] = result;
}

void hmm(In<float, 1> start, In<float, 2> transition, In<float, 2> emission, In<unsigned, 2> symbol,
         Out<float, 1> likelihood) {
  const unsigned states = start.size[0], sequences = symbol.size[0], steps = symbol.size[1];
  if (sequences == 0) return;
  if (states == kStates)
    hmmKernel<<<pieces(sequences, kSequences), kLanes>>>(start.data, transition.data, emission.data, symbol.data,
                                                         likelihood.data, sequences, steps);
  else
    hmmAnyKernel<<<sequences, kLanes, 2 * states * sizeof(float)>>>(start.data, transition.data, emission.data,
                                                                    symbol.data, likelihood.data, states, steps);
  launched("hmm");
}

// ---- fft: a group a row of 4096 numbers, 16 a lane, in three steps of radix 16 (Stockham's, which sorts on its way),
// between which numbers go through scratchpad memory, padded against conflicts of banks

constexpr unsigned kPoints = 4096, kEach = 16;
static_assert(kPoints == kLanes * kEach);

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__device__ void fourier4(float2 &a, float2 &b, float2 &c, float2 &d) {
  const float2 p = a + c, m = a - c, q = b + d, n = b - d;
  a = p + q;
  c = p - q;
  b = make_float2(m.x + n.y, m.y - n.x); // m - i n
  d = make_float2(m.x - n.y, m.y + n.x);
}

/// Number k of the transform is then at 4 (k % 4) + k / 4.
__device__ void fourier16(float2 (&v)[kEach]) {
  constexpr float kCos = 0.92387953251128674f, kSin = 0.38268343236508977f, kRoot = 0.70710678118654752f;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) fourier4(v[i], v[i + 4], v[i + 8], v[i + 12]);
  v[5] = v[5] * make_float2(kCos, -kSin);
  v[6] = v[6] * make_float2(kRoot, -kRoot);
  v[7] = v[7] * make_float2(kSin, -kCos);
  v[9] = v[9] * make_float2(kRoot, -kRoot);
  v[10] = make_float2(v[10].y, -v[10].x);
  v[11] = v[11] * make_float2(-kRoot, -kRoot);
  v[13] = v[13] * make_float2(kSin, -kCos);
  v[14] = v[14] * make_float2(-kRoot, -kRoot);
  v[15] = v[15] * make_float2(-kCos, kSin);
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) fourier4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
}

/// v[k] by the k-th power.
__device__ void turnBy(float2 (&v)[kEach], float2 w) {
  float2 power[kEach];
  power[1] = w;
#pragma unroll
  for (unsigned k = 2; k < kEach; ++k) power[k] = power[k / 2] * power[k - k / 2];
#pragma unroll
  for (unsigned k = 1; k < kEach; ++k) v[k] = v[k] * power[k];
}

__device__ unsigned placeOf(unsigned i) { return i + i / 16; }

__global__ void __launch_bounds__(kLanes, 3) fftKernel(const float2 *__restrict__ in, float2 *__restrict__ out) {
  __shared__ float re[kPoints + kPoints / 16], im[kPoints + kPoints / 16];
  const std::size_t row = std::size_t(blockIdx.x) * kPoints;
  const unsigned t = threadIdx.x;
  float2 v[kEach], w;
#pragma unroll
  for (unsigned k = 0; k < kEach; ++k) v[k] = __ldcs(in + row + t + k * kLanes);
  const auto put = [&](unsigned first, unsigned stride) {
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      const unsigned at = placeOf(first + k * stride);
      re[at] = v[k % 4 * 4 + k / 4].x;
      im[at] = v[k % 4 * 4 + k / 4].y;
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      const unsigned at = placeOf(t + k * kLanes);
      v[k] = make_float2(re[at], im[at]);
    }
  };
  fourier16(v);
  put(t * 16, 1);
  __syncthreads(); // all have read
  sincospif(-float(t % 16) / 128, &w.y, &w.x);
  turnBy(v, w);
  fourier16(v);
  put(t / 16 * 256 + t % 16, 16);
  sincospif(-float(t) / 2048, &w.y, &w.x);
  turnBy(v, w);
  fourier16(v);
#pragma unroll
  for (unsigned k = 0; k < kEach; ++k) __stcs(out + row + t + k * kLanes, v[k % 4 * 4 + k / 4]);
}

/// A step of radix 2 of rows of any length n, whose transforms of `done` numbers are there.
__global__ void __launch_bounds__(kLanes)
    fftAnyKernel(const float2 *__restrict__ in, float2 *__restrict__ out, std::size_t all, unsigned n, unsigned done) {
  const std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x; // of rows x n / 2
  if (at >= all) return;
  const std::size_t row = at / (n / 2) * n;
  const unsigned j = unsigned(at % (n / 2)), k = j % done;
  float2 w;
  sincospif(-float(k) / float(done), &w.y, &w.x);
  const float2 a = in[row + j], b = in[row + j + n / 2] * w;
  float2 *to = out + row + (j - k) * 2 + k;
  to[0] = a + b;
  to[done] = a - b;
}

void fft(In<float, 3> in, Out<float, 3> out) {
  const std::size_t rows = in.size[0], n = in.size[1], all = rows * n;
  if (all == 0) return;
  const auto *from = reinterpret_cast<const float2 *>(in.data);
  auto *to = reinterpret_cast<float2 *>(out.data);
  if (n == kPoints) {
    fftKernel<<<unsigned(rows), kLanes>>>(from, to);
  } else if (n == 1) {
    check(cudaMemcpyAsync(to, from, all * sizeof(float2), cudaMemcpyDeviceToDevice), "fft");
  } else {
    static Scratch<float2> scratch;
    float2 *other = scratch.of(all);
    unsigned steps = 0;
    while (std::size_t(1) << steps < n) ++steps;
    for (unsigned s = 0; s < steps; ++s) { // the last one writes the result
      float2 *next = (steps - s) % 2 == 1 ? to : other;
      fftAnyKernel<<<pieces(all / 2, kLanes), kLanes>>>(from, next, all / 2, unsigned(n), 1u << s);
      from = next;
    }
  }
  launched("fft");
}

const Peer<composite> compositePeer("composite", "cuda", {"over", "under", "out"}, kDevice);
const Peer<rope> ropePeer("rope", "cuda", {"q", "position", "cosine", "sine", "out"}, kDevice);
const Peer<searchsorted> searchsortedPeer("searchsorted", "cuda", {"edge", "in", "bin"}, kDevice);
const Peer<groupnorm> groupnormPeer("groupnorm", "cuda", {"groups", "epsilon", "in", "gain", "bias", "out"}, kDevice);
const Peer<adler32> adler32Peer("adler32", "cuda", {"in", "sum"}, kDevice);
const Peer<kldivergence> kldivergencePeer("kldivergence", "cuda", {"teacher", "pupil", "loss"}, kDevice);
const Peer<demosaic> demosaicPeer("demosaic", "cuda", {"in", "rgb"}, kDevice);
const Peer<erode> erodePeer("erode", "cuda", {"radius", "in", "out"}, kDevice);
const Peer<conjugate> conjugatePeer("conjugate", "cuda", {"iterations", "shift", "b", "x"}, kDevice);
const Peer<hamming> hammingPeer("hamming", "cuda", {"query", "entry", "distance"}, kDevice);
const Peer<trsm> trsmPeer("trsm", "cuda", {"l", "b"}, kDevice);
const Peer<embeddinggrad> embeddinggradPeer("embeddinggrad", "cuda", {"token", "dy", "dtable"}, kDevice);
const Peer<hmm> hmmPeer("hmm", "cuda", {"start", "transition", "emission", "symbol", "likelihood"}, kDevice);
const Peer<fft> fftPeer("fft", "cuda", {"in", "out"}, kDevice);

} // namespace

BENCH_PEERS(&compositePeer.kernel, &ropePeer.kernel, &searchsortedPeer.kernel, &groupnormPeer.kernel,
            &adler32Peer.kernel, &kldivergencePeer.kernel, &demosaicPeer.kernel, &erodePeer.kernel,
            &conjugatePeer.kernel, &hammingPeer.kernel, &trsmPeer.kernel, &embeddinggradPeer.kernel, &hmmPeer.kernel,
            &fftPeer.kernel)
