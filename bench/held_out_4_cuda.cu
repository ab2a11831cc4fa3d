// The programs of apps/held-out-4 as one would write them for a GPU: tiles in scratchpad memory, several results a lane
// in registers, 16 bytes a load where memory is what it takes; tensor cores for products of bytes.
#include "peer_device.cuh"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cuda_pipeline.h>
#include <utility>

namespace {

using namespace careful;
using Signed = signed char;

// ---- logsumexp: one pass over the matrix. A lane has four columns, a warp eight rows of them at a time, to whose
// greatest numbers it scales what it has; groups have a part of the rows.

constexpr unsigned kDeep = 8;

/// Of what was added up, and the greatest number it is scaled to.
__device__ void join(float2 &own, float2 other) {
  const float most = fmaxf(own.x, other.x);
  own.y = own.y * __expf(own.x - most) + other.y * __expf(other.x - most);
  own.x = most;
}

template <unsigned each>
__global__ void __launch_bounds__(kLanes)
    logsumexpKernel(const float *__restrict__ in, float2 *__restrict__ parts, unsigned rows, unsigned columns) {
  __shared__ float2 found[kWarps][32 * each];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, j = (blockIdx.x * 32 + lane) * each;
  const unsigned share = pieces(rows, gridDim.y), begin = blockIdx.y * share, end = min(begin + share, rows);
  float most[each], sum[each];
#pragma unroll
  for (unsigned e = 0; e < each; ++e) {
    most[e] = -FLT_MAX;
    sum[e] = 0;
  }
  if (j < columns)
    for (unsigned first = begin + warp * kDeep; first < end; first += kWarps * kDeep) {
      float x[kDeep][each];
#pragma unroll
      for (unsigned r = 0; r < kDeep; ++r) {
        const float *from = in + std::size_t(first + r) * columns + j;
        if constexpr (each == 4) {
          const float4 four = first + r < end ? __ldcs(reinterpret_cast<const float4 *>(from))
                                              : make_float4(-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX);
          x[r][0] = four.x;
          x[r][1] = four.y;
          x[r][2] = four.z;
          x[r][3] = four.w;
        } else {
          x[r][0] = first + r < end ? __ldcs(from) : -FLT_MAX;
        }
      }
#pragma unroll
      for (unsigned e = 0; e < each; ++e) {
        float now = most[e];
#pragma unroll
        for (unsigned r = 0; r < kDeep; ++r) now = fmaxf(now, x[r][e]);
        sum[e] *= __expf(most[e] - now);
        most[e] = now;
#pragma unroll
        for (unsigned r = 0; r < kDeep; ++r) sum[e] += __expf(x[r][e] - now);
      }
    }
#pragma unroll
  for (unsigned e = 0; e < each; ++e) found[warp][lane * each + e] = make_float2(most[e], sum[e]);
  __syncthreads();
  const unsigned column = blockIdx.x * 32 * each + threadIdx.x;
  if (threadIdx.x >= 32 * each || column >= columns) return;
  float2 all = found[0][threadIdx.x];
#pragma unroll
  for (unsigned w = 1; w < kWarps; ++w) join(all, found[w][threadIdx.x]);
  parts[std::size_t(blockIdx.y) * columns + column] = all;
}

__global__ void __launch_bounds__(kLanes)
    joinKernel(const float2 *__restrict__ parts, float *__restrict__ out, unsigned count, unsigned columns) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x;
  if (j >= columns) return;
  float2 all = parts[j];
#pragma unroll 8
  for (unsigned p = 1; p < count; ++p) join(all, parts[std::size_t(p) * columns + j]);
  out[j] = all.x + logf(all.y);
}

void logsumexp(In<float, 2> in, Out<float, 1> out) {
  const unsigned rows = in.size[0], columns = in.size[1];
  if (columns == 0) return;
  static Scratch<float2> scratch;
  const unsigned each = columns % 4 == 0 ? 4 : 1, groups = pieces(columns, 32 * each);
  const unsigned count = min(pieces(cores() * 8, groups), pieces(rows, kWarps * kDeep));
  float2 *parts = scratch.of(std::size_t(count) * columns);
  if (each == 4)
    logsumexpKernel<4><<<dim3(groups, count), kLanes>>>(in.data, parts, rows, columns);
  else
    logsumexpKernel<1><<<dim3(groups, count), kLanes>>>(in.data, parts, rows, columns);
  joinKernel<<<pieces(columns, kLanes), kLanes>>>(parts, out.data, count, columns);
  launched("logsumexp");
}

// ---- ema: a warp a row. Of 512 numbers, which are loaded together, 128 at a time are a scan in which what lanes
// before have fades by powers of what is kept.

constexpr unsigned kAhead = 4;

template <bool whole> // whether rows have fours
__global__ void __launch_bounds__(kLanes)
    emaKernel(float alpha, const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned n) {
  const unsigned i = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= rows) return;
  const float *from = in + std::size_t(i) * n;
  float *to = out + std::size_t(i) * n;
  const float keep = 1 - alpha, keep2 = keep * keep, keep3 = keep2 * keep, keep4 = keep2 * keep2;
  float fade[5]; // over 4, 8, ... 64 numbers
  fade[0] = keep4;
#pragma unroll
  for (unsigned s = 1; s < 5; ++s) fade[s] = fade[s - 1] * fade[s - 1];
  float before = 1; // what 4 * lane numbers leave
#pragma unroll
  for (unsigned s = 0; s < 5; ++s)
    if (lane >> s & 1) before *= fade[s];
  float last = from[0]; // of which the first number makes itself
  for (unsigned first = 0; first < n; first += 128 * kAhead) {
    float x[kAhead][4];
#pragma unroll
    for (unsigned q = 0; q < kAhead; ++q) {
      const unsigned at = first + q * 128 + lane * 4;
      if constexpr (whole) {
        const float4 four = at < n ? __ldcs(reinterpret_cast<const float4 *>(from + at)) : make_float4(0, 0, 0, 0);
        x[q][0] = four.x;
        x[q][1] = four.y;
        x[q][2] = four.z;
        x[q][3] = four.w;
      } else {
#pragma unroll
        for (unsigned e = 0; e < 4; ++e) x[q][e] = at + e < n ? from[at + e] : 0;
      }
    }
#pragma unroll
    for (unsigned q = 0; q < kAhead; ++q) {
      float *y = x[q];
      y[0] *= alpha;
#pragma unroll
      for (unsigned e = 1; e < 4; ++e) y[e] = alpha * y[e] + keep * y[e - 1];
      float sum = y[3];
#pragma unroll
      for (unsigned s = 0; s < 5; ++s) {
        const float other = __shfl_up_sync(kAll, sum, 1u << s);
        if (lane >= 1u << s) sum += fade[s] * other;
      }
      float carry = __shfl_up_sync(kAll, sum, 1);
      carry = (lane > 0 ? carry : 0) + before * last;
      y[0] += keep * carry;
      y[1] += keep2 * carry;
      y[2] += keep3 * carry;
      y[3] += keep4 * carry;
      last = __shfl_sync(kAll, y[3], 31);
      const unsigned at = first + q * 128 + lane * 4;
      if constexpr (whole) {
        if (at < n) __stcs(reinterpret_cast<float4 *>(to + at), make_float4(y[0], y[1], y[2], y[3]));
      } else {
#pragma unroll
        for (unsigned e = 0; e < 4; ++e)
          if (at + e < n) to[at + e] = y[e];
      }
    }
  }
}

void ema(float alpha, In<float, 2> in, Out<float, 2> out) {
  const unsigned rows = in.size[0], n = in.size[1];
  if (rows == 0 || n == 0) return;
  if (n % 4 == 0)
    emaKernel<true><<<pieces(rows, kWarps), kLanes>>>(alpha, in.data, out.data, rows, n);
  else
    emaKernel<false><<<pieces(rows, kWarps), kLanes>>>(alpha, in.data, out.data, rows, n);
  launched("ema");
}

// ---- topk: a warp a row. Each lane has the best of its own numbers, in their order, in registers; what cannot be one
// of the warp's is not looked at. In the end the best of all lanes' first ones is taken, eight times.

constexpr unsigned kBest = 8;

/// As large as `x` is; both zeros are one.
__device__ unsigned keyOf(float x) {
  const unsigned bits = __float_as_uint(x + 0.0f);
  return bits ^ (bits >> 31 ? ~0u : 0x80000000u);
}
__device__ float ofKey(unsigned key) { return __uint_as_float(key ^ (key >> 31 ? 0x80000000u : ~0u)); }

__global__ void __launch_bounds__(kLanes) topkKernel(const float *__restrict__ distance, float *__restrict__ value,
                                                     unsigned *__restrict__ index, unsigned rows, unsigned n) {
  const unsigned i = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= rows) return;
  const float *from = distance + std::size_t(i) * n;
  float best[kBest], bound = INFINITY;
  unsigned where[kBest];
#pragma unroll
  for (unsigned k = 0; k < kBest; ++k) {
    best[k] = INFINITY;
    where[k] = 0;
  }
  auto offer = [&](float d, unsigned j) {
    if (!(d <= bound && d < best[kBest - 1])) return; // equal ones may come first
    best[kBest - 1] = d;
    where[kBest - 1] = j;
#pragma unroll
    for (unsigned k = kBest - 1; k > 0; --k) {
      const bool swap = best[k] < best[k - 1];
      const float b = best[k];
      const unsigned w = where[k];
      best[k] = swap ? best[k - 1] : b;
      where[k] = swap ? where[k - 1] : w;
      best[k - 1] = swap ? b : best[k - 1];
      where[k - 1] = swap ? w : where[k - 1];
    }
  };
  constexpr unsigned kTogether = 4;
  const bool whole = n % 4 == 0;
  for (unsigned first = 0; first < n; first += 128 * kTogether) {
    float4 x[kTogether];
#pragma unroll
    for (unsigned q = 0; q < kTogether; ++q) {
      const unsigned at = first + q * 128 + lane * 4;
      x[q] = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
      if (whole) {
        if (at < n) x[q] = __ldcs(reinterpret_cast<const float4 *>(from + at));
      } else {
        if (at < n) x[q].x = from[at];
        if (at + 1 < n) x[q].y = from[at + 1];
        if (at + 2 < n) x[q].z = from[at + 2];
        if (at + 3 < n) x[q].w = from[at + 3];
      }
    }
#pragma unroll
    for (unsigned q = 0; q < kTogether; ++q) {
      const unsigned at = first + q * 128 + lane * 4;
      offer(x[q].x, at);
      offer(x[q].y, at + 1);
      offer(x[q].z, at + 2);
      offer(x[q].w, at + 3);
      // Eight are not above the worst of one lane's eight.
      bound = ofKey(__reduce_min_sync(kAll, keyOf(best[kBest - 1])));
    }
  }
  float result = 0;
  unsigned place = 0;
#pragma unroll
  for (unsigned k = 0; k < kBest; ++k) {
    const unsigned key = keyOf(best[0]), least = __reduce_min_sync(kAll, key);
    const unsigned at = __reduce_min_sync(kAll, key == least ? where[0] : ~0u);
    if (lane == k) {
      result = ofKey(least);
      place = at;
    }
    if (key == least && where[0] == at) {
#pragma unroll
      for (unsigned l = 0; l + 1 < kBest; ++l) {
        best[l] = best[l + 1];
        where[l] = where[l + 1];
      }
      best[kBest - 1] = INFINITY;
      where[kBest - 1] = 0;
    }
  }
  if (lane < kBest) {
    value[std::size_t(i) * kBest + lane] = result;
    index[std::size_t(i) * kBest + lane] = place;
  }
}

void topk(In<float, 2> distance, Out<float, 2> value, Out<unsigned, 2> index) {
  const unsigned rows = distance.size[0], n = distance.size[1];
  if (rows == 0) return;
  topkKernel<<<pieces(rows, kWarps), kLanes>>>(distance.data, value.data, index.data, rows, n);
  launched("topk");
}

// ---- rotate: a warp has 8 x 4 points, which come from few lines of the cache at any angle; a lane four of a column

constexpr unsigned kTurnDown = 4;

__global__ void __launch_bounds__(kLanes) rotateKernel(float cosine, float sine, const float *__restrict__ in,
                                                       float *__restrict__ out, int height, int width) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x = blockIdx.x * 32 + warp % 4 * 8 + lane % 8, top = blockIdx.y * 8 * kTurnDown + warp / 4 * 4 + lane / 8;
  if (x >= width) return;
  const float middleX = 0.5f * float(width - 1), middleY = 0.5f * float(height - 1), dx = float(x) - middleX;
#pragma unroll
  for (unsigned k = 0; k < kTurnDown; ++k) {
    const int y = top + int(k) * 8;
    if (y >= height) return;
    const float dy = float(y) - middleY;
    const float fromX = cosine * dx + sine * dy + middleX, fromY = cosine * dy - sine * dx + middleY;
    const float floorX = floorf(fromX), floorY = floorf(fromY), right = fromX - floorX, down = fromY - floorY;
    const int j = int(floorX), i = int(floorY);
    float sum = 0;
    if (i >= 0 && i + 1 < height && j >= 0 && j + 1 < width) {
      const float *from = in + std::size_t(i) * width + j;
      const float above = from[0] + right * (from[1] - from[0]);
      const float below = from[width] + right * (from[width + 1] - from[width]);
      sum = above + down * (below - above);
    } else if (i >= -1 && i < height && j >= -1 && j < width) { // on an edge
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int s = 0; s < 2; ++s)
          if (i + r >= 0 && i + r < height && j + s >= 0 && j + s < width)
            sum += (r == 1 ? down : 1 - down) * (s == 1 ? right : 1 - right) * in[std::size_t(i + r) * width + j + s];
    }
    __stcs(out + std::size_t(y) * width + x, sum);
  }
}

void rotate(float cosine, float sine, In<float, 2> in, Out<float, 2> out) {
  const int height = int(in.size[0]), width = int(in.size[1]);
  if (height == 0 || width == 0) return;
  rotateKernel<<<dim3(pieces(width, 32), pieces(height, 8 * kTurnDown)), kLanes>>>(cosine, sine, in.data, out.data,
                                                                                   height, width);
  launched("rotate");
}

// ---- selectivescan: two lanes a channel, with eight of its states each in registers. Inputs of eight steps are loaded
// while the eight steps before are done; what all channels share of them is in scratchpad memory.

constexpr unsigned kStates = 16, kHalf = kStates / 2, kSteps = 8, kScanLanes = 128, kChannels = kScanLanes / 2;

__device__ float exp2Of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__global__ void __launch_bounds__(kScanLanes)
    selectivescanKernel(const float *__restrict__ x, const float *__restrict__ delta, const float *__restrict__ a,
                        const float *__restrict__ b, const float *__restrict__ c, const float *__restrict__ skip,
                        float *__restrict__ y, unsigned steps, unsigned channels) {
  __shared__ float4 shared[2][2][kSteps][kStates / 4]; // of b and c
  const unsigned half = threadIdx.x % 2, d = blockIdx.x * kChannels + threadIdx.x / 2, mine = min(d, channels - 1);
  const std::size_t first = std::size_t(blockIdx.y) * steps; // of the sequence
  float decay[kHalf], state[kHalf] = {};
#pragma unroll
  for (unsigned s = 0; s < kHalf; ++s) decay[s] = a[std::size_t(mine) * kStates + half * kHalf + s] * 1.442695041f;
  const float through = skip[mine];

  // Of the next eight steps: what a lane loads for itself, and for all.
  float nextX[kSteps], nextStep[kSteps];
  float4 common = make_float4(0, 0, 0, 0);
  constexpr unsigned kFours = kSteps * kStates / 4;
  static_assert(2 * kFours <= kScanLanes);
  auto load = [&](unsigned t) {
#pragma unroll
    for (unsigned k = 0; k < kSteps; ++k) {
      const std::size_t at = (first + t + k) * channels + mine;
      nextX[k] = t + k < steps ? __ldcs(x + at) : 0;
      nextStep[k] = t + k < steps ? __ldcs(delta + at) : 0;
    }
    const unsigned at = threadIdx.x % kFours, k = at / (kStates / 4);
    if (threadIdx.x < 2 * kFours && t + k < steps)
      common = quad((threadIdx.x < kFours ? b : c) + (first + t) * kStates + at * 4);
  };

  load(0);
  for (unsigned t = 0, turn = 0; t < steps; t += kSteps, turn ^= 1) {
    float own[kSteps], step[kSteps];
#pragma unroll
    for (unsigned k = 0; k < kSteps; ++k) {
      own[k] = nextX[k];
      step[k] = nextStep[k];
    }
    // The other half of the memory may still be read, but this one was read before the last barrier.
    if (threadIdx.x < 2 * kFours) (&shared[turn][0][0][0])[threadIdx.x] = common;
    __syncthreads();
    if (t + kSteps < steps) load(t + kSteps);
#pragma unroll
    for (unsigned k = 0; k < kSteps; ++k) {
      if (t + k >= steps) break;
      const float taken = step[k] * own[k];
      float sum = half == 0 ? through * own[k] : 0;
#pragma unroll
      for (unsigned q = 0; q < kHalf / 4; ++q) {
        const float4 in = shared[turn][0][k][half * (kHalf / 4) + q], by = shared[turn][1][k][half * (kHalf / 4) + q];
        const float ins[4] = {in.x, in.y, in.z, in.w}, bys[4] = {by.x, by.y, by.z, by.w};
#pragma unroll
        for (unsigned e = 0; e < 4; ++e) {
          float &s = state[q * 4 + e];
          s = exp2Of(step[k] * decay[q * 4 + e]) * s + ins[e] * taken;
          sum += s * bys[e];
        }
      }
      sum += __shfl_xor_sync(kAll, sum, 1);
      if (half == 0 && d < channels) __stcs(y + (first + t + k) * channels + d, sum);
    }
  }
}

void selectivescan(In<float, 3> x, In<float, 3> delta, In<float, 2> a, In<float, 3> b, In<float, 3> c,
                   In<float, 1> skip, Out<float, 3> y) {
  const unsigned batch = x.size[0], steps = x.size[1], channels = x.size[2];
  if (batch == 0 || steps == 0 || channels == 0) return;
  selectivescanKernel<<<dim3(pieces(channels, kChannels), batch), kScanLanes>>>(
      x.data, delta.data, a.data, b.data, c.data, skip.data, y.data, steps, channels);
  launched("selectivescan");
}

// ---- costvolume: a warp has a displacement of rows, a lane eight points of a row and all nine displacements along it:
// 72 sums for 24 numbers of a channel from scratchpad memory. Two channels are there, while the next two come.

constexpr unsigned kAway = 4, kShifts = 2 * kAway + 1, kPoints = 8, kTileX = 64, kTileY = 4, kPair = 2;
constexpr unsigned kCostLanes = kShifts * 32, kReachX = kTileX + 2 * kAway, kReachY = kTileY + 2 * kAway;

/// Behind 32 numbers there are four of nothing, so that lanes that are eight apart have banks of their own.
constexpr __host__ __device__ unsigned padded(unsigned x) { return x + x / 32 * 4; }
constexpr unsigned kPitch = padded(kTileX), kReachPitch = padded(kReachX);

struct CostTile {
  float first[kPair][kTileY][kPitch], second[kPair][kReachY][kReachPitch];
};

/// Rows have fours, and pictures fewer than 2^32 elements.
__global__ void __launch_bounds__(kCostLanes, 2)
    costvolumeKernel(const float *__restrict__ first, const float *__restrict__ second, float *__restrict__ cost,
                     unsigned channels, unsigned height, unsigned width) {
  __shared__ __align__(16) CostTile tiles[2];
  const unsigned left = blockIdx.x * kTileX, top = blockIdx.y * kTileY, plane = height * width;

  // Of a tile a lane loads up to two times four numbers, always the same ones: from where, and to where.
  constexpr unsigned kFours = kTileX / 4, kReachFours = kReachX / 4, kOfFirst = kPair * kTileY * kFours;
  constexpr unsigned kOfTile = kOfFirst + kPair * kReachY * kReachFours,
                     kLoads = (kOfTile + kCostLanes - 1) / kCostLanes;
  constexpr unsigned kNone = ~0u;
  unsigned from[kLoads], to[kLoads];
#pragma unroll
  for (unsigned q = 0; q < kLoads; ++q) {
    const unsigned l = q * kCostLanes + threadIdx.x, s = l - kOfFirst;
    const bool ofFirst = l < kOfFirst;
    const unsigned column = ofFirst ? l % kFours * 4 : s % kReachFours * 4;
    const unsigned row = ofFirst ? l / kFours % kTileY : s / kReachFours % kReachY;
    const unsigned k = ofFirst ? l / kFours / kTileY : s / kReachFours / kReachY;
    const unsigned x = left + column - (ofFirst ? 0 : kAway), y = top + row - (ofFirst ? 0 : kAway);
    from[q] = x < width && y < height ? k * plane + y * width + x : kNone; // before the first: very large
    to[q] = ofFirst ? (k * kTileY + row) * kPitch + padded(column)
                    : kPair * kTileY * kPitch + (k * kReachY + row) * kReachPitch + padded(column);
    if (l >= kOfTile) to[q] = kNone;
  }
  const unsigned all = channels * plane;
  auto load = [&](CostTile &tile) {
#pragma unroll
    for (unsigned q = 0; q < kLoads; ++q) {
      const bool there = from[q] < all; // not behind the last channel, either
      const float *of = q * kCostLanes + threadIdx.x < kOfFirst ? first : second;
      if (to[q] != kNone)
        __pipeline_memcpy_async(&tile.first[0][0][0] + to[q], there ? of + from[q] : of, 16, there ? 0 : 16);
      if (there) from[q] += kPair * plane;
    }
    __pipeline_commit();
  };

  const unsigned dy = threadIdx.x / 32, x = threadIdx.x % 8 * kPoints, y = threadIdx.x % 32 / 8;
  float sum[kShifts][kPoints] = {};
  load(tiles[0]);
#pragma unroll 1
  for (unsigned c = 0, turn = 0; c < channels; c += kPair, turn ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads(); // what was loaded is there, and what was loaded before has been read
    if (c + kPair < channels) load(tiles[turn ^ 1]);
#pragma unroll 1 // registers are few
    for (unsigned k = 0; k < kPair; ++k) {
      const float4 a = quad(&tiles[turn].first[k][y][padded(x)]), b = quad(&tiles[turn].first[k][y][padded(x + 4)]);
      const float own[kPoints] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
      for (unsigned q = 0; q < kPoints + 2 * kAway; q += 4) {
        const float4 four = quad(&tiles[turn].second[k][y + dy][padded(x + q)]);
        const float other[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (unsigned p = 0; p < kPoints; ++p)
#pragma unroll
          for (unsigned e = 0; e < 4; ++e)
            if (q + e >= p && q + e - p < kShifts) sum[q + e - p][p] += own[p] * other[e];
      }
    }
  }
  if (top + y >= height) return;
  const float by = 1 / float(channels);
#pragma unroll
  for (unsigned dx = 0; dx < kShifts; ++dx) {
    float *out = cost + std::size_t(dy * kShifts + dx) * plane + std::size_t(top + y) * width + left + x;
#pragma unroll
    for (unsigned p = 0; p < kPoints; p += 4)
      if (left + x + p < width)
        __stcs(reinterpret_cast<float4 *>(out + p),
               make_float4(sum[dx][p] * by, sum[dx][p + 1] * by, sum[dx][p + 2] * by, sum[dx][p + 3] * by));
  }
}

/// Rows of any length: a result a lane.
__global__ void __launch_bounds__(kLanes)
    costvolumeAnyKernel(const float *__restrict__ first, const float *__restrict__ second, float *__restrict__ cost,
                        unsigned channels, unsigned height, unsigned width) {
  const unsigned x = blockIdx.x * kLanes + threadIdx.x, y = blockIdx.y, dy = blockIdx.z / kShifts;
  if (x >= width) return;
  const std::size_t plane = std::size_t(height) * width;
  const unsigned i = y + dy - kAway, j = x + blockIdx.z % kShifts - kAway; // before the first: very large
  float sum = 0;
  if (i < height && j < width)
    for (unsigned c = 0; c < channels; ++c)
      sum += first[c * plane + std::size_t(y) * width + x] * second[c * plane + std::size_t(i) * width + j];
  cost[blockIdx.z * plane + std::size_t(y) * width + x] = sum / float(channels);
}

void costvolume(In<float, 3> first, In<float, 3> second, Out<float, 4> cost) {
  const unsigned channels = first.size[0], height = first.size[1], width = first.size[2];
  if (channels == 0 || height == 0 || width == 0) return;
  if (width % 4 == 0 && (std::size_t(channels) + kPair) * height * width < ~0u)
    costvolumeKernel<<<dim3(pieces(width, kTileX), pieces(height, kTileY)), kCostLanes>>>(
        first.data, second.data, cost.data, channels, height, width);
  else
    costvolumeAnyKernel<<<dim3(pieces(width, kLanes), height, kShifts * kShifts), kLanes>>>(
        first.data, second.data, cost.data, channels, height, width);
  launched("costvolume");
}

// ---- inverse4: a row a lane, so loads are of consecutive bytes; the row of the pivot goes round by shuffles. In
// place: a column of the unit matrix takes that of the pivot.

__global__ void __launch_bounds__(kLanes)
    inverse4Kernel(float shift, const float *__restrict__ in, float *__restrict__ out, std::size_t rows) {
  const std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  const unsigned r = threadIdx.x % 4;
  const float4 own = __ldcs(reinterpret_cast<const float4 *>(in) + (at < rows ? at : r));
  float row[4] = {own.x, own.y, own.z, own.w};
#pragma unroll
  for (unsigned j = 0; j < 4; ++j)
    if (j == r) row[j] += shift;
#pragma unroll
  for (unsigned p = 0; p < 4; ++p) {
    float of[4];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) of[j] = __shfl_sync(kAll, row[j], p, 4);
    const float inverse = 1 / of[p], factor = row[p];
    of[p] = 1;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const float pivots = of[j] * inverse;
      row[j] = r == p ? pivots : (j == p ? 0 : row[j]) - factor * pivots;
    }
  }
  if (at < rows) __stcs(reinterpret_cast<float4 *>(out) + at, make_float4(row[0], row[1], row[2], row[3]));
}

void inverse4(float shift, In<float, 3> in, Out<float, 3> out) {
  const std::size_t rows = in.size[0] * 4;
  if (rows == 0) return;
  inverse4Kernel<<<pieces(rows, kLanes), kLanes>>>(shift, in.data, out.data, rows);
  launched("inverse4");
}

// ---- rowquant: a group a row, which is in registers between its greatest number and its bytes

constexpr unsigned kHeld = 4; // fours a lane, at most

__device__ float greatestOfBlock(float x) { // of magnitudes, whose bits are in their order
  __shared__ unsigned part[kWarps];
  const unsigned most = __reduce_max_sync(kAll, __float_as_uint(x));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  return __uint_as_float(__reduce_max_sync(kAll, part[threadIdx.x % kWarps]));
}

__device__ Signed rounded(float x) { return Signed(int(x + copysignf(0.5f, x))); }

__global__ void __launch_bounds__(kLanes)
    rowquantKernel(const float *__restrict__ in, Signed *__restrict__ out, float *__restrict__ scale, unsigned n) {
  const float *from = in + std::size_t(blockIdx.x) * n;
  Signed *to = out + std::size_t(blockIdx.x) * n;
  float4 x[kHeld];
  float most = 0;
#pragma unroll
  for (unsigned q = 0; q < kHeld; ++q) {
    const unsigned at = (q * kLanes + threadIdx.x) * 4;
    x[q] = at < n ? __ldcs(reinterpret_cast<const float4 *>(from + at)) : make_float4(0, 0, 0, 0);
  }
#pragma unroll
  for (unsigned q = 0; q < kHeld; ++q)
    most = fmaxf(most, fmaxf(fmaxf(fabsf(x[q].x), fabsf(x[q].y)), fmaxf(fabsf(x[q].z), fabsf(x[q].w))));
  most = greatestOfBlock(most);
  if (threadIdx.x == 0) scale[blockIdx.x] = most / 127;
  const float by = most > 0 ? 127 / most : 0;
#pragma unroll
  for (unsigned q = 0; q < kHeld; ++q) {
    const unsigned at = (q * kLanes + threadIdx.x) * 4;
    if (at < n)
      __stcs(reinterpret_cast<char4 *>(to + at),
             make_char4(rounded(x[q].x * by), rounded(x[q].y * by), rounded(x[q].z * by), rounded(x[q].w * by)));
  }
}

/// Rows of any length, which are read twice.
__global__ void __launch_bounds__(kLanes)
    rowquantAnyKernel(const float *__restrict__ in, Signed *__restrict__ out, float *__restrict__ scale, unsigned n) {
  const float *from = in + std::size_t(blockIdx.x) * n;
  Signed *to = out + std::size_t(blockIdx.x) * n;
  float most = 0;
  for (unsigned j = threadIdx.x; j < n; j += kLanes) most = fmaxf(most, fabsf(from[j]));
  most = greatestOfBlock(most);
  if (threadIdx.x == 0) scale[blockIdx.x] = most / 127;
  const float by = most > 0 ? 127 / most : 0;
  for (unsigned j = threadIdx.x; j < n; j += kLanes) to[j] = rounded(from[j] * by);
}

void rowquant(In<float, 2> in, Out<Signed, 2> out, Out<float, 1> scale) {
  const unsigned rows = in.size[0], n = in.size[1];
  if (rows == 0) return;
  if (n % 4 == 0 && n <= kHeld * kLanes * 4)
    rowquantKernel<<<rows, kLanes>>>(in.data, out.data, scale.data, n);
  else
    rowquantAnyKernel<<<rows, kLanes>>>(in.data, out.data, scale.data, n);
  launched("rowquant");
}

// ---- asian: a path a lane; groups' sums are added up by one more group, in an order that is always the same

__global__ void __launch_bounds__(kLanes) pathsKernel(unsigned paths, unsigned seed, double drift, double diffusion,
                                                      double strike, double *__restrict__ parts) {
  constexpr unsigned kTimes = 16;
  double total = 0;
  for (unsigned p = blockIdx.x * kLanes + threadIdx.x; p < paths; p += gridDim.x * kLanes) {
    double logarithm = 0, sum = 0;
#pragma unroll 2
    for (unsigned s = 0; s < kTimes; ++s) {
      unsigned x = p, y = s, key = seed;
#pragma unroll
      for (unsigned round = 0; round < 10; ++round) {
        const unsigned high = __umulhi(0xD256D193u, x), low = 0xD256D193u * x;
        x = high ^ key ^ y;
        y = low;
        key += 0x9E3779B9u;
      }
      const double normal = sqrt(-2 * log((x + 0.5) * 0x1p-32)) * cospi(y * 0x1p-31);
      logarithm += drift + diffusion * normal;
      sum += exp(logarithm);
    }
    total += fmax(sum / kTimes - strike, 0.0);
  }
  total = sumOfBlock(total);
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}

__global__ void __launch_bounds__(kLanes)
    meanKernel(const double *__restrict__ parts, unsigned count, double by, double *result) {
  double total = 0;
  for (unsigned p = threadIdx.x; p < count; p += kLanes) total += parts[p];
  total = sumOfBlock(total);
  if (threadIdx.x == 0) *result = total * by;
}

void asian(unsigned paths, unsigned seed, double rate, double volatility, double strike, Result<double> result) {
  static Scratch<double> scratch;
  const unsigned groups = std::max(std::min(cores() * 8, pieces(paths, kLanes)), 1u);
  double *parts = scratch.of(groups);
  const double drift = (rate - 0.5 * volatility * volatility) / 16, diffusion = volatility * std::sqrt(1.0 / 16);
  pathsKernel<<<groups, kLanes>>>(paths, seed, drift, diffusion, strike, parts);
  meanKernel<<<1, kLanes>>>(parts, groups, std::exp(-rate) / paths, result.data);
  launched("asian");
}

// ---- redblack: a colour a kernel. A lane has two columns, and goes down some rows with those above and below in
// registers: in each row one of its two points is of the colour.

constexpr unsigned kRelaxDown = 8;

template <bool whole> // whether rows have pairs
__global__ void __launch_bounds__(kLanes)
    redblackKernel(double omega, const double *__restrict__ f, double *u, unsigned n, unsigned m, unsigned colour) {
  const unsigned j = (blockIdx.x * kLanes + threadIdx.x) * 2;
  const unsigned begin = blockIdx.y * kRelaxDown + 1, end = min(begin + kRelaxDown, n - 1);
  if (j >= m) return;
  auto pair = [&](unsigned i) {
    const double *from = u + std::size_t(i) * m + j;
    if constexpr (whole) return *reinterpret_cast<const double2 *>(from);
    return make_double2(from[0], j + 1 < m ? from[1] : 0);
  };
  // What others change meanwhile is of the colour, and not used.
  double2 above = pair(begin - 1), here = pair(begin);
#pragma unroll
  for (unsigned d = 0; d < kRelaxDown; ++d) {
    const unsigned i = begin + d;
    if (i >= end) return;
    const double2 below = pair(i + 1);
    double *to = u + std::size_t(i) * m + j;
    const double *right = f + std::size_t(i) * m + j;
    if ((i + colour) % 2 == 0) { // odd columns
      if (j + 2 < m) {
        const double mean = 0.25 * (above.y + below.y + here.x + to[2] - right[1]);
        to[1] = here.y + omega * (mean - here.y);
      }
    } else if (j > 0 && j + 1 < m) {
      const double mean = 0.25 * (above.x + below.x + to[-1] + here.y - right[0]);
      to[0] = here.x + omega * (mean - here.x);
    }
    above = here;
    here = below;
  }
}

void redblack(int sweeps, double omega, In<double, 2> f, Out<double, 2> u) {
  const unsigned n = u.size[0], m = u.size[1];
  if (n < 3 || m < 3) return;
  const dim3 groups(pieces(m, 2 * kLanes), pieces(n - 2, kRelaxDown));
  for (int t = 0; t < sweeps; ++t)
    for (unsigned colour = 0; colour < 2; ++colour)
      if (m % 2 == 0)
        redblackKernel<true><<<groups, kLanes>>>(omega, f.data, u.data, n, m, colour);
      else
        redblackKernel<false><<<groups, kLanes>>>(omega, f.data, u.data, n, m, colour);
  launched("redblack");
}

// ---- editdistance: a pair a lane, whose row of the table is in registers; four letters are compared by one xor

constexpr unsigned kLetters = 64, kPairLanes = 128;

__global__ void __launch_bounds__(kPairLanes) editdistanceKernel(const Byte *__restrict__ a, const Byte *__restrict__ b,
                                                                 int *__restrict__ distance, unsigned pairs) {
  const unsigned n = blockIdx.x * kPairLanes + threadIdx.x;
  if (n >= pairs) return;
  unsigned word[kLetters / 4];
  int row[kLetters];
#pragma unroll
  for (unsigned q = 0; q < kLetters / 16; ++q) {
    const uint4 x = reinterpret_cast<const uint4 *>(b + std::size_t(n) * kLetters)[q];
    word[4 * q] = x.x;
    word[4 * q + 1] = x.y;
    word[4 * q + 2] = x.z;
    word[4 * q + 3] = x.w;
  }
#pragma unroll
  for (unsigned j = 0; j < kLetters; ++j) row[j] = int(j) + 1;
  const Byte *letters = a + std::size_t(n) * kLetters;
#pragma unroll 1
  for (int i = 0; i < int(kLetters); ++i) {
    const unsigned letter = letters[i] * 0x01010101u;
    int diagonal = i, left = i + 1;
#pragma unroll
    for (unsigned j = 0; j < kLetters; ++j) {
      const bool differ = ((word[j / 4] ^ letter) & 0xffu << 8 * (j % 4)) != 0;
      const int above = row[j], exchanged = diagonal + differ;
      row[j] = left = __viaddmin_s32(min(above, left), 1, exchanged);
      diagonal = above;
    }
  }
  distance[n] = row[kLetters - 1];
}

void editdistance(In<Byte, 2> a, In<Byte, 2> b, Out<int, 1> distance) {
  const unsigned pairs = distance.size[0];
  if (pairs == 0) return;
  editdistanceKernel<<<pieces(pairs, kPairLanes), kPairLanes>>>(a.data, b.data, distance.data, pairs);
  launched("editdistance");
}

// ---- qmatmul: tensor cores. A group has 128 x 128 results, a warp 64 x 64; of 128 elements of their rows, three tiles
// are in scratchpad memory or on their way there, where 16 bytes lie so that eight rows of them have banks of their
// own.

constexpr unsigned kSide = 128, kInner = 128, kStages = 3, kMulLanes = 128, kMulWarp = 64;
constexpr unsigned kChunks = kInner / 16, kStageBytes = 2 * kSide * kInner, kResultPitch = kSide + 16;
static_assert(kSide * kResultPitch <= kStages * kStageBytes);

/// Where 16 bytes of a row are.
__device__ unsigned swizzled(unsigned row, unsigned chunk) { return row * kInner + (chunk ^ row % kChunks) * 16; }

/// Four matrices of 8 rows of 16 bytes; lanes say where their rows are.
__device__ void loadMatrices(unsigned (&to)[4], const Byte *from) {
  const unsigned at = unsigned(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}

/// 16 x 8 results of 32 products each.
__device__ void multiplyAdd(int (&sum)[4], const unsigned (&x)[4], unsigned y0, unsigned y1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y0), "r"(y1));
}

__device__ Signed requantised(int sum, int scale) {
  const long long scaled = ((long long)(sum)*scale + (1ll << 30)) >> 31;
  return Signed(min(max(int(scaled), -128), 127));
}

__global__ void __launch_bounds__(kMulLanes, 2)
    qmatmulKernel(const Signed *__restrict__ in, const Signed *__restrict__ weights, const int *__restrict__ bias,
                  const int *__restrict__ scale, Signed *__restrict__ out, unsigned m, unsigned n, unsigned inner) {
  extern __shared__ float4 memory[];
  auto *tiles = reinterpret_cast<Byte *>(memory);
  const unsigned top = blockIdx.y * kSide, left = blockIdx.x * kSide, lane = threadIdx.x % 32;
  const unsigned warpRow = threadIdx.x / 64 * kMulWarp, warpColumn = threadIdx.x / 32 % 2 * kMulWarp;
  auto load = [&](unsigned stage, unsigned k) {
    Byte *rows = tiles + stage * kStageBytes, *columns = rows + kSide * kInner;
#pragma unroll
    for (unsigned l = threadIdx.x; l < kSide * kChunks; l += kMulLanes) {
      const unsigned row = l / kChunks, chunk = l % kChunks;
      const bool inside = k + chunk * 16 < inner, ofIn = inside && top + row < m, ofWeights = inside && left + row < n;
      const Signed *x = in + std::size_t(top + row) * inner + k + chunk * 16;
      const Signed *y = weights + std::size_t(left + row) * inner + k + chunk * 16;
      __pipeline_memcpy_async(rows + swizzled(row, chunk), ofIn ? x : in, 16, ofIn ? 0 : 16);
      __pipeline_memcpy_async(columns + swizzled(row, chunk), ofWeights ? y : weights, 16, ofWeights ? 0 : 16);
    }
  };

  int sum[kMulWarp / 16][kMulWarp / 8][4] = {};
#pragma unroll
  for (unsigned s = 0; s + 1 < kStages; ++s) {
    if (s * kInner < inner) load(s, s * kInner);
    __pipeline_commit();
  }
  unsigned stage = 0;
  for (unsigned k = 0; k < inner; k += kInner) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads(); // what was loaded is there, and what the next load goes over has been read
    const unsigned next = k + (kStages - 1) * kInner;
    if (next < inner) load(stage == 0 ? kStages - 1 : stage - 1, next);
    __pipeline_commit();
    const Byte *rows = tiles + stage * kStageBytes, *columns = rows + kSide * kInner;
#pragma unroll
    for (unsigned chunk = 0; chunk < kChunks; chunk += 2) {
      unsigned x[kMulWarp / 16][4], y[kMulWarp / 16][4];
#pragma unroll
      for (unsigned r = 0; r < kMulWarp / 16; ++r)
        loadMatrices(x[r], rows + swizzled(warpRow + r * 16 + lane % 16, chunk + lane / 16));
#pragma unroll
      for (unsigned c = 0; c < kMulWarp / 16; ++c)
        loadMatrices(y[c], columns + swizzled(warpColumn + c * 16 + lane / 16 * 8 + lane % 8, chunk + lane / 8 % 2));
#pragma unroll
      for (unsigned r = 0; r < kMulWarp / 16; ++r)
#pragma unroll
        for (unsigned c = 0; c < kMulWarp / 8; ++c)
          multiplyAdd(sum[r][c], x[r], y[c / 2][c % 2 * 2], y[c / 2][c % 2 * 2 + 1]);
    }
    stage = stage + 1 == kStages ? 0 : stage + 1;
  }

  __pipeline_wait_prior(0);
  __syncthreads();
  auto *results = reinterpret_cast<Signed *>(memory);
#pragma unroll
  for (unsigned c = 0; c < kMulWarp / 8; ++c) {
    const unsigned column = warpColumn + c * 8 + lane % 4 * 2;
    int offset[2], by[2];
#pragma unroll
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned j = min(left + column + e, n - 1);
      offset[e] = bias[j];
      by[e] = scale[j];
    }
#pragma unroll
    for (unsigned r = 0; r < kMulWarp / 16; ++r)
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        Signed *to = results + (warpRow + r * 16 + h * 8 + lane / 4) * kResultPitch + column;
        *reinterpret_cast<char2 *>(to) = make_char2(requantised(sum[r][c][2 * h] + offset[0], by[0]),
                                                    requantised(sum[r][c][2 * h + 1] + offset[1], by[1]));
      }
  }
  __syncthreads();
  for (unsigned l = threadIdx.x; l < kSide * (kSide / 16); l += kMulLanes) {
    const unsigned row = l / (kSide / 16), column = l % (kSide / 16) * 16;
    if (top + row >= m || left + column >= n) continue;
    const Signed *from = results + row * kResultPitch + column;
    Signed *to = out + std::size_t(top + row) * n + left + column;
    if (n % 16 == 0)
      *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(from);
    else
      for (unsigned e = 0; e < 16 && left + column + e < n; ++e) to[e] = from[e];
  }
}

/// Rows that are no multiple of 16 bytes: a result a lane.
__global__ void __launch_bounds__(kLanes)
    qmatmulAnyKernel(const Signed *__restrict__ in, const Signed *__restrict__ weights, const int *__restrict__ bias,
                     const int *__restrict__ scale, Signed *__restrict__ out, unsigned n, unsigned inner) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  int sum = bias[j];
  for (unsigned k = 0; k < inner; ++k)
    sum += int(in[std::size_t(i) * inner + k]) * int(weights[std::size_t(j) * inner + k]);
  out[std::size_t(i) * n + j] = requantised(sum, scale[j]);
}

void qmatmul(In<Signed, 2> in, In<Signed, 2> weights, In<int, 1> bias, In<int, 1> scale, Out<Signed, 2> out) {
  const unsigned m = out.size[0], n = out.size[1], inner = in.size[1];
  if (m == 0 || n == 0) return;
  if (inner % 16 == 0) {
    constexpr unsigned kBytes = kStages * kStageBytes;
    check(cudaFuncSetAttribute(qmatmulKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes), "qmatmul");
    qmatmulKernel<<<dim3(pieces(n, kSide), pieces(m, kSide)), kMulLanes, kBytes>>>(in.data, weights.data, bias.data,
                                                                                   scale.data, out.data, m, n, inner);
  } else {
    qmatmulAnyKernel<<<dim3(pieces(n, kLanes), m), kLanes>>>(in.data, weights.data, bias.data, scale.data, out.data, n,
                                                             inner);
  }
  launched("qmatmul");
}

// ---- boxfilter: a warp has 256 columns, eight a lane, and goes down a band of rows with their sums in registers.
// Along a row it adds them up; a square's sum is a difference of two of these, which are taken from scratchpad memory.
// What warps beside each other need of each other's columns, both have.

constexpr unsigned kEach = 8, kSpan = 32 * kEach, kBand = 128, kMostRadius = 96, kExact = 1 << 12;

__global__ void __launch_bounds__(kLanes)
    boxfilterKernel(int radius, const Byte *__restrict__ in, Byte *__restrict__ out, int height, int width, int halo) {
  __shared__ int shared[kWarps][kEach][33]; // number l * kEach + e of a warp is [e][l]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, results = kSpan - 2 * halo;
  const int first = (int(blockIdx.x * kWarps) + warp) * results - halo, x = first + lane * int(kEach);
  if (first + halo >= width) return; // a whole warp
  const int begin = blockIdx.y * kBand, end = min(begin + int(kBand), height);
  const bool there = x >= 0 && x < width; // all eight, or none
  int columns[kEach] = {}, across[kEach];
  float inverse[kEach];
#pragma unroll
  for (int e = 0; e < int(kEach); ++e) across[e] = min(x + e + radius, width - 1) - max(x + e - radius, 0) + 1;
  auto take = [&](int y, int sign) {
    const uint2 bytes = there ? *reinterpret_cast<const uint2 *>(in + std::size_t(y) * width + x) : make_uint2(0, 0);
#pragma unroll
    for (int e = 0; e < int(kEach); ++e) columns[e] += sign * int((e < 4 ? bytes.x : bytes.y) >> 8 * (e % 4) & 0xff);
  };
#pragma unroll 4
  for (int y = max(begin - radius - 1, 0); y < min(begin + radius, height); ++y) take(y, 1);
  int known = 0;
  bool exact = false;
#pragma unroll 2
  for (int y = begin; y < end; ++y) {
    if (y + radius < height) take(y + radius, 1);
    if (y - radius > 0) take(y - radius - 1, -1);
    const int rows = min(y + radius, height - 1) - max(y - radius, 0) + 1;
    if (rows != known) {
      known = rows;
      exact = rows * (2 * radius + 1) < int(kExact);
#pragma unroll
      for (int e = 0; e < int(kEach); ++e) inverse[e] = 1.0f / float(rows * across[e]);
    }
    int along[kEach];
    along[0] = columns[0];
#pragma unroll
    for (unsigned e = 1; e < kEach; ++e) along[e] = along[e - 1] + columns[e];
    int sum = along[kEach - 1];
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
      const int other = __shfl_up_sync(kAll, sum, s);
      if (lane >= s) sum += other;
    }
    sum -= along[kEach - 1];
    __syncwarp(); // the last row's were read
#pragma unroll
    for (unsigned e = 0; e < kEach; ++e) shared[warp][e][lane] = along[e] + sum;
    __syncwarp();
    const int place = lane * int(kEach);
    if (place >= halo && place < int(kSpan) - halo && there) {
      unsigned packed[2] = {0, 0};
#pragma unroll
      for (int e = 0; e < int(kEach); ++e) {
        const int last = place + e + radius, before = place + e - radius - 1;
        const int square =
            shared[warp][last % int(kEach)][last / int(kEach)] - shared[warp][before % int(kEach)][before / int(kEach)];
        const int area = rows * across[e], rounding = square + area / 2;
        // A fraction is at least half a share away from a whole number, which is more than roundings are.
        const unsigned mean =
            exact ? unsigned((float(rounding) + 0.5f) * inverse[e]) : unsigned(rounding) / unsigned(area);
        packed[e / 4] |= mean << 8 * (e % 4);
      }
      __stcs(reinterpret_cast<uint2 *>(out + std::size_t(y) * width + x), make_uint2(packed[0], packed[1]));
    }
  }
}

/// Any radius and width: a row a lane, and then a column a lane.
__global__ void __launch_bounds__(kLanes)
    boxRowsKernel(int radius, const Byte *__restrict__ in, int *__restrict__ sums, int height, int width) {
  const int y = blockIdx.x * kLanes + threadIdx.x;
  if (y >= height) return;
  const Byte *from = in + std::size_t(y) * width;
  int sum = 0;
  for (int x = 0; x < min(radius, width); ++x) sum += from[x];
  for (int x = 0; x < width; ++x) {
    if (x + radius < width) sum += from[x + radius];
    if (x - radius > 0) sum -= from[x - radius - 1];
    sums[std::size_t(y) * width + x] = sum;
  }
}

__global__ void __launch_bounds__(kLanes)
    boxColumnsKernel(int radius, const int *__restrict__ sums, Byte *__restrict__ out, int height, int width) {
  const int x = blockIdx.x * kLanes + threadIdx.x;
  if (x >= width) return;
  const int across = min(x + radius, width - 1) - max(x - radius, 0) + 1;
  int sum = 0;
  for (int y = 0; y < min(radius, height); ++y) sum += sums[std::size_t(y) * width + x];
  for (int y = 0; y < height; ++y) {
    if (y + radius < height) sum += sums[std::size_t(y + radius) * width + x];
    if (y - radius > 0) sum -= sums[std::size_t(y - radius - 1) * width + x];
    const int area = across * (min(y + radius, height - 1) - max(y - radius, 0) + 1);
    out[std::size_t(y) * width + x] = Byte((sum + area / 2) / area);
  }
}

void boxfilter(int radius, In<Byte, 2> in, Out<Byte, 2> out) {
  const int height = int(in.size[0]), width = int(in.size[1]);
  if (height == 0 || width == 0) return;
  if (radius <= int(kMostRadius) && width % int(kEach) == 0) {
    const int halo = int(pieces(radius + 1, kEach) * kEach), results = int(kSpan) - 2 * halo;
    boxfilterKernel<<<dim3(pieces(pieces(width, results), kWarps), pieces(height, kBand)), kLanes>>>(
        radius, in.data, out.data, height, width, halo);
  } else {
    static Scratch<int> scratch;
    int *sums = scratch.of(std::size_t(height) * width);
    boxRowsKernel<<<pieces(height, kLanes), kLanes>>>(radius, in.data, sums, height, width);
    boxColumnsKernel<<<pieces(width, kLanes), kLanes>>>(radius, sums, out.data, height, width);
  }
  launched("boxfilter");
}

// ---- hough: bright points are listed first, in any order. A group then has an angle and a part of the list, and
// counts in scratchpad memory.

constexpr unsigned kVoters = 512, kLists = 4, kMostVotes = 48 * 1024;

/// `list[count++] = x | y << 16`; 16 points of the picture a lane.
__global__ void __launch_bounds__(kLanes) brightKernel(int threshold, const Byte *__restrict__ in, unsigned *count,
                                                       unsigned *__restrict__ list, std::size_t all, unsigned width) {
  const std::size_t at = (std::size_t(blockIdx.x) * kLanes + threadIdx.x) * 16;
  const unsigned lane = threadIdx.x % 32;
  unsigned bright = 0; // a bit each
  if (at + 16 <= all) {
    const uint4 x = __ldcs(reinterpret_cast<const uint4 *>(in + at));
    const unsigned words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (unsigned e = 0; e < 16; ++e)
      if (int(words[e / 4] >> 8 * (e % 4) & 0xff) > threshold) bright |= 1u << e;
  } else {
    for (unsigned e = 0; at + e < all; ++e)
      if (int(in[at + e]) > threshold) bright |= 1u << e;
  }
  const unsigned own = __popc(bright);
  unsigned sum = own;
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, s);
    if (lane >= s) sum += other;
  }
  unsigned first = lane == 31 && sum > 0 ? atomicAdd(count, sum) : 0;
  first = __shfl_sync(kAll, first, 31) + sum - own;
  for (; bright != 0; bright &= bright - 1) {
    const std::size_t point = at + __ffs(int(bright)) - 1;
    list[first++] = unsigned(point % width) | unsigned(point / width) << 16;
  }
}

template <bool inScratchpad>
__global__ void __launch_bounds__(kVoters)
    votesKernel(const unsigned *__restrict__ count, const unsigned *__restrict__ list, const int *__restrict__ cosine,
                const int *__restrict__ sine, int *__restrict__ votes, unsigned distances) {
  extern __shared__ int counted[];
  const int c = cosine[blockIdx.x], s = sine[blockIdx.x];
  int *to = votes + std::size_t(blockIdx.x) * distances, *bins = inScratchpad ? counted : to;
  if constexpr (inScratchpad) {
    for (unsigned r = threadIdx.x; r < distances; r += kVoters) counted[r] = 0;
    __syncthreads();
  }
  bins += distances / 2;
  auto vote = [&](unsigned point) { atomicAdd(bins + ((int(point & 0xffff) * c + int(point >> 16) * s) >> 14), 1); };
  const unsigned all = *count, fours = all / 4;
  for (unsigned p = blockIdx.y * kVoters + threadIdx.x; p < fours; p += gridDim.y * kVoters) {
    const uint4 four = reinterpret_cast<const uint4 *>(list)[p];
    vote(four.x);
    vote(four.y);
    vote(four.z);
    vote(four.w);
  }
  if (blockIdx.y == 0 && threadIdx.x < all % 4) vote(list[fours * 4 + threadIdx.x]);
  if constexpr (inScratchpad) {
    __syncthreads();
    for (unsigned r = threadIdx.x; r < distances; r += kVoters)
      if (counted[r] != 0) atomicAdd(to + r, counted[r]);
  }
}

void hough(int threshold, In<Byte, 2> in, In<int, 1> cosine, In<int, 1> sine, Out<int, 2> votes) {
  const unsigned width = in.size[1], angles = cosine.size[0], distances = votes.size[1];
  const std::size_t all = in.size[0] * width;
  check(cudaMemsetAsync(votes.data, 0, std::size_t(angles) * distances * sizeof(int)), "hough");
  if (all == 0 || angles == 0) return;
  static Scratch<unsigned> counter, points;
  unsigned *count = counter.of(1), *list = points.of(all);
  check(cudaMemsetAsync(count, 0, sizeof(unsigned)), "hough");
  brightKernel<<<pieces(all, kLanes * 16), kLanes>>>(threshold, in.data, count, list, all, width);
  const dim3 groups(angles, kLists);
  if (distances <= kMostVotes) {
    const unsigned bytes = distances * sizeof(int);
    check(cudaFuncSetAttribute(votesKernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), "hough");
    votesKernel<true><<<groups, kVoters, bytes>>>(count, list, cosine.data, sine.data, votes.data, distances);
  } else {
    votesKernel<false><<<groups, kVoters>>>(count, list, cosine.data, sine.data, votes.data, distances);
  }
  launched("hough");
}

const Peer<logsumexp> logsumexpPeer("logsumexp", "cuda", {"in", "out"}, kDevice);
const Peer<ema> emaPeer("ema", "cuda", {"alpha", "in", "out"}, kDevice);
const Peer<topk> topkPeer("topk", "cuda", {"distance", "value", "index"}, kDevice);
const Peer<rotate> rotatePeer("rotate", "cuda", {"cosine", "sine", "in", "out"}, kDevice);
const Peer<selectivescan> selectivescanPeer("selectivescan", "cuda", {"x", "delta", "a", "b", "c", "skip", "y"},
                                            kDevice);
const Peer<costvolume> costvolumePeer("costvolume", "cuda", {"first", "second", "cost"}, kDevice);
const Peer<inverse4> inverse4Peer("inverse4", "cuda", {"shift", "in", "out"}, kDevice);
const Peer<rowquant> rowquantPeer("rowquant", "cuda", {"in", "out", "scale"}, kDevice);
const Peer<asian> asianPeer("asian", "cuda", {"paths", "seed", "rate", "volatility", "strike", "result"}, kDevice);
const Peer<redblack> redblackPeer("redblack", "cuda", {"sweeps", "omega", "f", "u"}, kDevice);
const Peer<editdistance> editdistancePeer("editdistance", "cuda", {"a", "b", "distance"}, kDevice);
const Peer<qmatmul> qmatmulPeer("qmatmul", "cuda", {"in", "weights", "bias", "scale", "out"}, kDevice);
const Peer<boxfilter> boxfilterPeer("boxfilter", "cuda", {"radius", "in", "out"}, kDevice);
const Peer<hough> houghPeer("hough", "cuda", {"threshold", "in", "cosine", "sine", "votes"}, kDevice);

} // namespace

BENCH_PEERS(&logsumexpPeer.kernel, &emaPeer.kernel, &topkPeer.kernel, &rotatePeer.kernel, &selectivescanPeer.kernel,
            &costvolumePeer.kernel, &inverse4Peer.kernel, &rowquantPeer.kernel, &asianPeer.kernel, &redblackPeer.kernel,
            &editdistancePeer.kernel, &qmatmulPeer.kernel, &boxfilterPeer.kernel, &houghPeer.kernel)
