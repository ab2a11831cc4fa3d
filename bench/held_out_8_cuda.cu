// The programs of apps/held-out-8 as one would write them for a GPU: weights of few bits by tensor cores, recurrent
// ones that stay in scratchpad memory, rows that slide through registers, several sweeps a kernel, a warp for each
// small problem.
#include "peer_device.cuh"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <utility>

namespace {

using namespace careful;

// ---- prefill: a group has a block of queries, and goes through tiles of the keys before them with the greatest score
// and the sum so far (online softmax). A lane has 8 queries, of 4 keys or 4 dimensions each. A tile's values are copied
// while it computes scores, the next tile's keys while it uses them. Blocks with many keys come first.

constexpr unsigned kDepth = 64, kQueries = 64, kKeys = 64, kSide = 16, kRows = 8, kEach = 4;
constexpr unsigned kAttending = kSide * kRows; // lanes
constexpr unsigned kPitch = kDepth + 4;        // rows that lanes read side by side lie in other banks
constexpr unsigned kOwn = kQueries / kRows;    // queries of a lane
static_assert(kKeys == kSide * kEach && kDepth == kSide * kEach && kDepth == kKeys && kQueries == kKeys);

struct AttentionTiles {
  float queries[kQueries][kPitch], keys[kKeys][kPitch], shares[kQueries][kPitch], values[kKeys][kPitch];
};

/// Rows of a tile; zeros behind the last one.
__device__ void fetch(float (*to)[kPitch], const float *from, unsigned first, unsigned end) {
  for (unsigned t = threadIdx.x; t < kKeys * (kDepth / 4); t += kAttending) {
    const unsigned row = t / (kDepth / 4), d = t % (kDepth / 4) * 4;
    const bool there = first + row < end;
    __pipeline_memcpy_async(&to[row][d], from + std::size_t(there ? first + row : 0) * kDepth + d, 16, there ? 0 : 16);
  }
  __pipeline_commit();
}

__global__ void __launch_bounds__(kAttending, 3)
    prefillKernel(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                  float *__restrict__ out, unsigned tokens, float scale) {
  extern __shared__ float4 scratchpad[];
  auto &tile = *reinterpret_cast<AttentionTiles *>(scratchpad);
  const unsigned x = threadIdx.x % kSide, y = threadIdx.x / kSide, top = (gridDim.y - 1 - blockIdx.y) * kQueries;
  const unsigned end = min(top + kQueries, tokens);
  const std::size_t head = std::size_t(blockIdx.x) * tokens * kDepth;
  q += head, k += head, v += head, out += head;
  fetch(tile.queries, q, top, tokens);
  fetch(tile.keys, k, 0, end);
  float result[kOwn][kEach] = {}, most[kOwn], sum[kOwn] = {};
#pragma unroll
  for (unsigned r = 0; r < kOwn; ++r) most[r] = -INFINITY;
  for (unsigned first = 0; first < end; first += kKeys) {
    __pipeline_wait_prior(0);
    __syncthreads(); // the keys are there, and nobody needs the last values
    fetch(tile.values, v, first, end);
    float score[kOwn][kEach] = {};
#pragma unroll 4
    for (unsigned d = 0; d < kDepth; d += 4) {
      float4 key[kEach];
#pragma unroll
      for (unsigned e = 0; e < kEach; ++e) key[e] = quad(&tile.keys[x + kSide * e][d]);
#pragma unroll
      for (unsigned r = 0; r < kOwn; ++r) {
        const float4 own = quad(&tile.queries[y + kRows * r][d]);
#pragma unroll
        for (unsigned e = 0; e < kEach; ++e)
          score[r][e] += own.x * key[e].x + own.y * key[e].y + own.z * key[e].z + own.w * key[e].w;
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kOwn; ++r) {
      float greatest = most[r], added = 0;
#pragma unroll
      for (unsigned e = 0; e < kEach; ++e) {
        const bool before = first < top || x + kSide * e <= y + kRows * r; // only the last tile has keys behind
        score[r][e] = before ? scale * score[r][e] : -INFINITY;
        greatest = fmaxf(greatest, score[r][e]);
      }
#pragma unroll
      for (unsigned s = kSide / 2; s > 0; s /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(kAll, greatest, s));
#pragma unroll
      for (unsigned e = 0; e < kEach; ++e) {
        const float one = __expf(score[r][e] - greatest);
        tile.shares[y + kRows * r][x + kSide * e] = one;
        added += one;
      }
      const float factor = __expf(most[r] - greatest);
      sum[r] = factor * sum[r] + added; // of this lane's keys
      most[r] = greatest;
#pragma unroll
      for (unsigned e = 0; e < kEach; ++e) result[r][e] *= factor;
    }
    __pipeline_wait_prior(0);
    __syncthreads(); // the values and shares are there, and nobody needs the keys
    if (first + kKeys < end) fetch(tile.keys, k, first + kKeys, end);
#pragma unroll 4
    for (unsigned j = 0; j < kKeys; j += 4) {
      float4 value[4];
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) value[e] = quad(&tile.values[j + e][4 * x]);
#pragma unroll
      for (unsigned r = 0; r < kOwn; ++r) {
        const float4 own = quad(&tile.shares[y + kRows * r][j]);
        result[r][0] += own.x * value[0].x + own.y * value[1].x + own.z * value[2].x + own.w * value[3].x;
        result[r][1] += own.x * value[0].y + own.y * value[1].y + own.z * value[2].y + own.w * value[3].y;
        result[r][2] += own.x * value[0].z + own.y * value[1].z + own.z * value[2].z + own.w * value[3].z;
        result[r][3] += own.x * value[0].w + own.y * value[1].w + own.z * value[2].w + own.w * value[3].w;
      }
    }
  }
#pragma unroll
  for (unsigned r = 0; r < kOwn; ++r) {
    const unsigned row = top + y + kRows * r;
#pragma unroll
    for (unsigned s = kSide / 2; s > 0; s /= 2) sum[r] += __shfl_xor_sync(kAll, sum[r], s);
    const float by = 1 / sum[r];
    if (row < tokens)
      quad(out + std::size_t(row) * kDepth + 4 * x) =
          make_float4(result[r][0] * by, result[r][1] * by, result[r][2] * by, result[r][3] * by);
  }
}

/// Heads of other sizes: a query each group, whose scores are in memory.
__global__ void anyPrefillKernel(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                                 float *__restrict__ out, float *__restrict__ scores, unsigned tokens, unsigned depth,
                                 float scale) {
  __shared__ float greatest[kLanes];
  const unsigned keys = blockIdx.x + 1;
  const std::size_t head = std::size_t(blockIdx.y) * tokens * depth, row = blockIdx.x * std::size_t(depth);
  q += head + row, k += head, v += head, out += head + row;
  float *own = scores + (std::size_t(blockIdx.y) * tokens + blockIdx.x) * tokens, most = -INFINITY, sum = 0;
  for (unsigned j = threadIdx.x; j < keys; j += kLanes) {
    float dot = 0;
    for (unsigned d = 0; d < depth; ++d) dot += q[d] * k[j * std::size_t(depth) + d];
    own[j] = dot * scale;
    most = fmaxf(most, own[j]);
  }
  greatest[threadIdx.x] = most;
  __syncthreads();
  for (unsigned l = 0; l < kLanes; ++l) most = fmaxf(most, greatest[l]);
  for (unsigned j = threadIdx.x; j < keys; j += kLanes) sum += own[j] = expf(own[j] - most);
  sum = sumOfBlock(sum); // all scores are there
  for (unsigned d = threadIdx.x; d < depth; d += kLanes) {
    float result = 0;
    for (unsigned j = 0; j < keys; ++j) result += own[j] * v[j * std::size_t(depth) + d];
    out[d] = result / sum;
  }
}

void prefill(In<float, 3> q, In<float, 3> k, In<float, 3> v, Out<float, 3> o) {
  const unsigned heads = q.size[0], tokens = q.size[1], depth = q.size[2];
  if (heads == 0 || tokens == 0 || depth == 0) return;
  const float scale = 1 / std::sqrt(float(depth));
  if (depth != kDepth) {
    static Scratch<float> scratch;
    float *scores = scratch.of(std::size_t(heads) * tokens * tokens);
    anyPrefillKernel<<<dim3(tokens, heads), kLanes>>>(q.data, k.data, v.data, o.data, scores, tokens, depth, scale);
    return launched("prefill");
  }
  static const cudaError_t allowed =
      cudaFuncSetAttribute(prefillKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(AttentionTiles));
  check(allowed, "prefill");
  prefillKernel<<<dim3(heads, pieces(tokens, kQueries)), kAttending, sizeof(AttentionTiles)>>>(q.data, k.data, v.data,
                                                                                               o.data, tokens, scale);
  launched("prefill");
}

// ---- w4matmul: weights, which bf16 holds exactly, times numbers that are two of bf16 each, by tensor cores that add
// up in float. Of 64 weights of a row a lane has 16 that lie side by side: in which order they are added up is the same
// for both factors. 128 is 0x4300 in bf16, and its last bits are ones: so four bits become a number.

constexpr unsigned kGroup = 64, kTokens = 16, kTiles = 4, kAhead = 4; // groups whose numbers are copied at a time
constexpr unsigned kColumns = kWarps * kTiles * 8;                    // of a group of lanes

struct Fragment {
  uint4 high, low; // of x, for a lane
};

/// x in the order in which lanes ask for it: of each 16 tokens, of each group, of its four steps, of each lane.
__global__ void fragmentsKernel(const float *__restrict__ x, Fragment *__restrict__ to, unsigned tokens,
                                unsigned groups) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x, lane = i % 32, step = i / 32 % 4, group = i / 128 % groups;
  const unsigned block = i / 128 / groups;
  if (block * kTokens >= tokens) return;
  unsigned high[4], low[4];
#pragma unroll
  for (unsigned r = 0; r < 4; ++r) { // rows l / 4 and below, pairs of the first and the second half
    const unsigned token = block * kTokens + lane / 4 + r % 2 * 8;
    const unsigned k = group * kGroup + lane % 4 * 16 + step / 2 * 8 + step % 2 * 2 + r / 2;
    high[r] = low[r] = 0;
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const float own = token < tokens ? x[std::size_t(token) * groups * kGroup + k + 4 * h] : 0;
      const __nv_bfloat16 upper = __float2bfloat16(own);
      const __nv_bfloat16 rest = __float2bfloat16(own - __bfloat162float(upper));
      high[r] |= unsigned(__bfloat16_as_ushort(upper)) << (16 * h);
      low[r] |= unsigned(__bfloat16_as_ushort(rest)) << (16 * h);
    }
  }
  to[i] = {make_uint4(high[0], high[1], high[2], high[3]), make_uint4(low[0], low[1], low[2], low[3])};
}

__device__ void multiplyAdd(float (&sum)[4], const uint4 &a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

/// Two of four bits as bf16, less 8.
__device__ unsigned weights(unsigned bits) {
  unsigned two = (bits & 0x000f000fu) | 0x43004300u;
  const unsigned less = 0x43084308u;
  const __nv_bfloat162 result =
      __hsub2(reinterpret_cast<const __nv_bfloat162 &>(two), reinterpret_cast<const __nv_bfloat162 &>(less));
  return reinterpret_cast<const unsigned &>(result);
}

__global__ void __launch_bounds__(kLanes, 2)
    w4matmulKernel(const Fragment *__restrict__ x, const Byte *__restrict__ packed, const float *__restrict__ scale,
                   float *__restrict__ y, unsigned tokens, unsigned columns, unsigned groups, unsigned share) {
  __shared__ Fragment tile[2][kAhead][4][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned left = blockIdx.x * kColumns + warp * kTiles * 8;
  const unsigned begin = blockIdx.y * share, end = min(begin + share, groups);
  const Fragment *own = x + std::size_t(blockIdx.z) * groups * 128;
  const auto fetchTile = [&](unsigned buffer, unsigned first) {
    constexpr unsigned kQuads = kAhead * 128 * sizeof(Fragment) / 16;
    const unsigned there = first < end ? min(end - first, kAhead) * 128 * unsigned(sizeof(Fragment) / 16) : 0;
    for (unsigned t = threadIdx.x; t < kQuads; t += kLanes)
      if (t < there)
        __pipeline_memcpy_async(reinterpret_cast<uint4 *>(tile[buffer]) + t,
                                reinterpret_cast<const uint4 *>(own + std::size_t(first) * 128) + t, 16);
    __pipeline_commit();
  };
  const Byte *from[kTiles];
#pragma unroll
  for (unsigned n = 0; n < kTiles; ++n)
    from[n] = packed + std::size_t(min(left + n * 8 + lane / 4, columns - 1)) * groups * (kGroup / 2) + lane % 4 * 8;
  float sum[kTiles][4] = {};
  fetchTile(0, begin);
  unsigned buffer = 0;
  for (unsigned first = begin; first < end; first += kAhead, buffer ^= 1) {
    uint2 bits[kAhead][kTiles];
#pragma unroll
    for (unsigned g = 0; g < kAhead; ++g)
#pragma unroll
      for (unsigned n = 0; n < kTiles; ++n)
        bits[g][n] =
            __ldcs(reinterpret_cast<const uint2 *>(from[n] + std::size_t(min(first + g, end - 1)) * (kGroup / 2)));
    __pipeline_wait_prior(0);
    __syncthreads(); // the tile is there, and nobody needs the other one
    fetchTile(buffer ^ 1, first + kAhead);
#pragma unroll
    for (unsigned g = 0; g < kAhead; ++g) {
      if (first + g >= end) break;
      float part[kTiles][4] = {};
#pragma unroll
      for (unsigned s = 0; s < 4; ++s) {
        const uint4 high = tile[buffer][g][s][lane].high, low = tile[buffer][g][s][lane].low;
#pragma unroll
        for (unsigned n = 0; n < kTiles; ++n) {
          const unsigned word = (s < 2 ? bits[g][n].x : bits[g][n].y) >> (s % 2 * 8);
          const unsigned b0 = weights(word), b1 = weights(word >> 4);
          multiplyAdd(part[n], high, b0, b1);
          multiplyAdd(part[n], low, b0, b1);
        }
      }
#pragma unroll
      for (unsigned n = 0; n < kTiles; ++n) {
        const unsigned column = left + n * 8 + lane % 4 * 2;
        const float s0 = scale[std::size_t(min(column, columns - 1)) * groups + first + g];
        const float s1 = scale[std::size_t(min(column + 1, columns - 1)) * groups + first + g];
        sum[n][0] += s0 * part[n][0], sum[n][1] += s1 * part[n][1];
        sum[n][2] += s0 * part[n][2], sum[n][3] += s1 * part[n][3];
      }
    }
  }
#pragma unroll
  for (unsigned n = 0; n < kTiles; ++n)
#pragma unroll
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned token = blockIdx.z * kTokens + lane / 4 + c / 2 * 8, column = left + n * 8 + lane % 4 * 2 + c % 2;
      if (token < tokens && column < columns) atomicAdd(y + std::size_t(token) * columns + column, sum[n][c]);
    }
}

void w4matmul(In<float, 2> x, In<Byte, 2> packed, In<float, 2> scale, Out<float, 2> y) {
  const unsigned tokens = y.size[0], columns = y.size[1], groups = scale.size[1];
  if (tokens == 0 || columns == 0) return;
  check(cudaMemsetAsync(y.data, 0, std::size_t(tokens) * columns * sizeof(float)), "w4matmul");
  if (groups == 0) return;
  static Scratch<Fragment> scratch;
  const unsigned blocks = pieces(tokens, kTokens);
  Fragment *fragments = scratch.of(std::size_t(blocks) * groups * 128);
  fragmentsKernel<<<pieces(std::size_t(blocks) * groups * 128, kLanes), kLanes>>>(x.data, fragments, tokens, groups);
  // Shares of the groups, so that there are several groups of lanes for each core.
  const unsigned across = pieces(columns, kColumns);
  const unsigned shares = std::max(1u, std::min(pieces(groups, kAhead), 4 * cores() / (across * blocks)));
  const unsigned share = pieces(pieces(groups, shares), kAhead) * kAhead;
  w4matmulKernel<<<dim3(across, pieces(groups, share), blocks), kLanes>>>(fragments, packed.data, scale.data, y.data,
                                                                          tokens, columns, groups, share);
  launched("w4matmul");
}

// ---- moegate: a product whose tile of 128 tokens and 64 experts stays in registers until each token has its best
// expert; then slots by counts of blocks of tokens, which are added up, and by ranks within warps.

constexpr unsigned kGateTokens = 128, kExperts = 64, kGateDeep = 16, kGateOwn = 8;

/// Four numbers of a row of n; zeros behind its end. `fours`: rows have whole fours.
template <bool fours> __device__ float4 fourAt(const float *row, unsigned at, unsigned n) {
  if (fours) return at < n ? quad(row + at) : make_float4(0, 0, 0, 0);
  return make_float4(at < n ? row[at] : 0, at + 1 < n ? row[at + 1] : 0, at + 2 < n ? row[at + 2] : 0,
                     at + 3 < n ? row[at + 3] : 0);
}

template <bool fours>
__global__ void __launch_bounds__(kLanes, 2)
    gateKernel(const float *__restrict__ x, const float *__restrict__ w, unsigned *__restrict__ expert,
               float *__restrict__ gate, unsigned tokens, unsigned width, unsigned experts) {
  __shared__ float xs[2][kGateDeep][kGateTokens + 4], ws[2][kGateDeep][kExperts + 4];
  const unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16, top = blockIdx.x * kGateTokens;
  const unsigned row = threadIdx.x / 4, column = threadIdx.x % 4 * 4; // of what this lane copies
  float most[kGateOwn], total[kGateOwn] = {};
  unsigned best[kGateOwn] = {};
#pragma unroll
  for (unsigned r = 0; r < kGateOwn; ++r) most[r] = -INFINITY;
  for (unsigned left = 0; left < experts; left += kExperts) {
    const float *upper = x + std::size_t(min(top + row, tokens - 1)) * width;
    const float *lower = x + std::size_t(min(top + row + 64, tokens - 1)) * width;
    const float *weight = w + std::size_t(min(left + row, experts - 1)) * width;
    float4 next[3] = {fourAt<fours>(upper, column, width), fourAt<fours>(lower, column, width),
                      fourAt<fours>(weight, column, width)};
    const auto put = [&](unsigned buffer) {
      const float a[4] = {next[0].x, next[0].y, next[0].z, next[0].w};
      const float b[4] = {next[1].x, next[1].y, next[1].z, next[1].w};
      const float c[4] = {next[2].x, next[2].y, next[2].z, next[2].w};
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) {
        xs[buffer][column + e][row] = a[e];
        xs[buffer][column + e][row + 64] = b[e];
        ws[buffer][column + e][row] = c[e];
      }
    };
    float sum[kGateOwn][4] = {};
    __syncthreads(); // nobody needs what was there
    put(0);
    __syncthreads();
    unsigned buffer = 0;
    for (unsigned first = 0; first < width; first += kGateDeep, buffer ^= 1) {
      const bool more = first + kGateDeep < width;
      if (more) {
        next[0] = fourAt<fours>(upper, first + kGateDeep + column, width);
        next[1] = fourAt<fours>(lower, first + kGateDeep + column, width);
        next[2] = fourAt<fours>(weight, first + kGateDeep + column, width);
      }
#pragma unroll
      for (unsigned d = 0; d < kGateDeep; ++d) {
        const float4 b = quad(&ws[buffer][d][tx * 4]);
        const float4 a0 = quad(&xs[buffer][d][ty * 4]), a1 = quad(&xs[buffer][d][64 + ty * 4]);
        const float a[kGateOwn] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
#pragma unroll
        for (unsigned r = 0; r < kGateOwn; ++r)
          sum[r][0] += a[r] * b.x, sum[r][1] += a[r] * b.y, sum[r][2] += a[r] * b.z, sum[r][3] += a[r] * b.w;
      }
      if (more) put(buffer ^ 1);
      __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < kGateOwn; ++r) {
      float greatest = -INFINITY, added = 0;
      unsigned at = 0;
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) {
        const unsigned number = left + tx * 4 + e;
        if (number >= experts) sum[r][e] = -INFINITY;
        if (sum[r][e] > greatest) greatest = sum[r][e], at = number;
      }
#pragma unroll
      for (unsigned s = 1; s < 16; s *= 2) { // the first one of those that are equal
        const float other = __shfl_xor_sync(kAll, greatest, s);
        const unsigned there = __shfl_xor_sync(kAll, at, s);
        if (other > greatest || (other == greatest && there < at)) greatest = other, at = there;
      }
      if (greatest > most[r]) {
        total[r] *= __expf(most[r] - greatest);
        most[r] = greatest, best[r] = at;
      }
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) added += __expf(sum[r][e] - most[r]);
#pragma unroll
      for (unsigned s = 1; s < 16; s *= 2) added += __shfl_xor_sync(kAll, added, s);
      total[r] += added;
    }
  }
  if (tx > 0) return;
#pragma unroll
  for (unsigned r = 0; r < kGateOwn; ++r) {
    const unsigned token = top + ty * 4 + r / 4 * 64 + r % 4;
    if (token >= tokens) continue;
    expert[token] = best[r];
    gate[token] = 1 / total[r];
  }
}

constexpr unsigned kSlotTokens = 1024; // of a group of lanes

/// How many tokens of each block each expert has.
__global__ void __launch_bounds__(kLanes)
    countKernel(const unsigned *__restrict__ expert, unsigned *__restrict__ counts, unsigned tokens, unsigned experts) {
  extern __shared__ unsigned bins[];
  for (unsigned e = threadIdx.x; e < experts; e += kLanes) bins[e] = 0;
  __syncthreads();
  const unsigned begin = blockIdx.x * kSlotTokens, end = min(begin + kSlotTokens, tokens);
  for (unsigned t = begin + threadIdx.x; t < end; t += kLanes) atomicAdd(bins + expert[t], 1);
  __syncthreads();
  for (unsigned e = threadIdx.x; e < experts; e += kLanes) counts[std::size_t(e) * gridDim.x + blockIdx.x] = bins[e];
}

/// A group of lanes an expert: counts of blocks become those of blocks before.
__global__ void __launch_bounds__(kLanes)
    beforeKernel(unsigned *__restrict__ counts, unsigned *__restrict__ count, unsigned blocks) {
  __shared__ unsigned sums[kWarps];
  unsigned *own = counts + std::size_t(blockIdx.x) * blocks, before = 0;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned first = 0; first < blocks; first += kLanes) {
    const unsigned b = first + threadIdx.x, value = b < blocks ? own[b] : 0;
    unsigned sum = value;
#pragma unroll
    for (unsigned s = 1; s < 32; s *= 2) {
      const unsigned other = __shfl_up_sync(kAll, sum, s);
      if (lane >= s) sum += other;
    }
    __syncthreads();
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    unsigned others = 0, all = 0;
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) {
      if (w < warp) others += sums[w];
      all += sums[w];
    }
    if (b < blocks) own[b] = before + others + sum - value;
    before += all;
  }
  if (threadIdx.x == 0) count[blockIdx.x] = before;
}

__global__ void __launch_bounds__(kLanes)
    slotKernel(const unsigned *__restrict__ expert, const unsigned *__restrict__ counts, unsigned *__restrict__ slot,
               unsigned tokens, unsigned experts) {
  extern __shared__ unsigned bins[]; // of each expert, then of each warp and expert
  unsigned *warps = bins + experts;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned e = threadIdx.x; e < experts; e += kLanes) bins[e] = counts[std::size_t(e) * gridDim.x + blockIdx.x];
  const unsigned begin = blockIdx.x * kSlotTokens, end = min(begin + kSlotTokens, tokens);
  for (unsigned first = begin; first < end; first += kLanes) {
    for (unsigned i = threadIdx.x; i < experts * kWarps; i += kLanes) warps[i] = 0;
    __syncthreads();
    const unsigned t = first + threadIdx.x, own = t < end ? expert[t] : ~0u;
    const unsigned alike = __match_any_sync(kAll, own), rank = __popc(alike & ((1u << lane) - 1));
    if (t < end && rank == 0) warps[warp * experts + own] = __popc(alike);
    __syncthreads();
    if (t < end) {
      unsigned before = bins[own] + rank;
      for (unsigned w = 0; w < warp; ++w) before += warps[w * experts + own];
      slot[t] = before;
    }
    __syncthreads();
    for (unsigned e = threadIdx.x; e < experts; e += kLanes)
#pragma unroll
      for (unsigned w = 0; w < kWarps; ++w) bins[e] += warps[w * experts + e];
    __syncthreads();
  }
}

/// More experts than scratchpad memory has room for.
__global__ void slotsAloneKernel(const unsigned *expert, unsigned *slot, unsigned *count, unsigned tokens,
                                 unsigned experts) {
  for (unsigned e = 0; e < experts; ++e) count[e] = 0;
  for (unsigned t = 0; t < tokens; ++t) slot[t] = count[expert[t]]++;
}

void moegate(In<float, 2> x, In<float, 2> w, Out<unsigned, 1> expert, Out<float, 1> gate, Out<unsigned, 1> slot,
             Out<unsigned, 1> count) {
  const unsigned tokens = x.size[0], width = x.size[1], experts = w.size[0], blocks = pieces(tokens, kSlotTokens);
  if (tokens == 0) {
    check(cudaMemsetAsync(count.data, 0, experts * sizeof(unsigned)), "moegate");
    return;
  }
  const auto kernel = width % 4 == 0 ? gateKernel<true> : gateKernel<false>;
  kernel<<<pieces(tokens, kGateTokens), kLanes>>>(x.data, w.data, expert.data, gate.data, tokens, width, experts);
  launched("moegate");
  const unsigned bytes = experts * (1 + kWarps) * sizeof(unsigned);
  if (bytes > 48 * 1024) {
    slotsAloneKernel<<<1, 1>>>(expert.data, slot.data, count.data, tokens, experts);
    return launched("moegate");
  }
  static Scratch<unsigned> scratch;
  unsigned *counts = scratch.of(std::size_t(experts) * blocks);
  countKernel<<<blocks, kLanes, experts * sizeof(unsigned)>>>(expert.data, counts, tokens, experts);
  beforeKernel<<<experts, kLanes>>>(counts, count.data, blocks);
  slotKernel<<<blocks, kLanes, bytes>>>(expert.data, counts, slot.data, tokens, experts);
  launched("moegate");
}

// ---- instancenormgrad: a channel of a picture and what it is wrong by are read once, into registers; those of the
// next one come into scratchpad memory meanwhile.

constexpr unsigned kNormLanes = 1024, kNormQuads = 4, kNormPlane = kNormLanes * kNormQuads * 4;

/// Two sums of all lanes, for each of them.
__device__ float2 twoSums(float a, float b) {
  __shared__ float2 part[32];
  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
  a = sumOfWarp(a), b = sumOfWarp(b);
  __syncthreads(); // what was added up before has been read
  if (lane == 0) part[threadIdx.x / 32] = make_float2(a, b);
  __syncthreads();
  const float2 own = lane < warps ? part[lane] : make_float2(0, 0);
  return make_float2(sumOfWarp(own.x), sumOfWarp(own.y));
}

__global__ void __launch_bounds__(kNormLanes, 1)
    instancenormgradKernel(float epsilon, const float *__restrict__ x, const float *__restrict__ gain,
                           const float *__restrict__ dy, float *__restrict__ dx, float *__restrict__ dgain,
                           float *__restrict__ dbias, unsigned planes, unsigned channels, unsigned points) {
  extern __shared__ float4 scratchpad[];
  float4 *xs = scratchpad, *ys = scratchpad + kNormPlane / 4;
  const unsigned quads = points / 4;
  const auto fetchPlane = [&](unsigned plane) {
    if (plane < planes)
      for (unsigned i = threadIdx.x; i < quads; i += kNormLanes) {
        __pipeline_memcpy_async(xs + i, x + std::size_t(plane) * points + 4 * i, 16);
        __pipeline_memcpy_async(ys + i, dy + std::size_t(plane) * points + 4 * i, 16);
      }
    __pipeline_commit();
  };
  fetchPlane(blockIdx.x);
  for (unsigned plane = blockIdx.x; plane < planes; plane += gridDim.x) {
    __pipeline_wait_prior(0); // each lane needs what it has copied
    float4 a[kNormQuads], b[kNormQuads];
    float sum = 0, added = 0;
#pragma unroll
    for (unsigned e = 0; e < kNormQuads; ++e) {
      const unsigned i = threadIdx.x + e * kNormLanes;
      a[e] = i < quads ? xs[i] : make_float4(0, 0, 0, 0);
      b[e] = i < quads ? ys[i] : make_float4(0, 0, 0, 0);
      sum += a[e].x + a[e].y + a[e].z + a[e].w;
      added += b[e].x + b[e].y + b[e].z + b[e].w;
    }
    fetchPlane(plane + gridDim.x);
    const float2 first = twoSums(sum, added);
    const float mean = first.x / points;
    float squares = 0, product = 0;
#pragma unroll
    for (unsigned e = 0; e < kNormQuads; ++e) {
      if (threadIdx.x + e * kNormLanes >= quads) continue;
      a[e].x -= mean, a[e].y -= mean, a[e].z -= mean, a[e].w -= mean;
      squares += a[e].x * a[e].x + a[e].y * a[e].y + a[e].z * a[e].z + a[e].w * a[e].w;
      product += b[e].x * a[e].x + b[e].y * a[e].y + b[e].z * a[e].z + b[e].w * a[e].w;
    }
    const float2 second = twoSums(squares, product);
    const float inverse = rsqrtf(second.x / points + epsilon), all = second.y * inverse;
    const unsigned c = plane % channels;
    const float by = gain[c] * inverse, less = first.y / points, along = inverse * all / points;
    float *to = dx + std::size_t(plane) * points;
#pragma unroll
    for (unsigned e = 0; e < kNormQuads; ++e) {
      const unsigned i = threadIdx.x + e * kNormLanes;
      if (i >= quads) continue;
      __stcs(reinterpret_cast<float4 *>(to) + i,
             make_float4(by * (b[e].x - less - along * a[e].x), by * (b[e].y - less - along * a[e].y),
                         by * (b[e].z - less - along * a[e].z), by * (b[e].w - less - along * a[e].w)));
    }
    if (threadIdx.x == 0) {
      atomicAdd(dbias + c, first.y);
      atomicAdd(dgain + c, all);
    }
  }
}

/// Of any size: read three times.
__global__ void __launch_bounds__(kLanes)
    anyNormGradKernel(float epsilon, const float *__restrict__ x, const float *__restrict__ gain,
                      const float *__restrict__ dy, float *__restrict__ dx, float *__restrict__ dgain,
                      float *__restrict__ dbias, unsigned channels, unsigned points) {
  const std::size_t at = std::size_t(blockIdx.x) * points;
  const unsigned c = blockIdx.x % channels;
  float sum = 0, added = 0;
  for (unsigned i = threadIdx.x; i < points; i += kLanes) sum += x[at + i], added += dy[at + i];
  const float2 first = twoSums(sum, added);
  const float mean = first.x / points;
  float squares = 0, product = 0;
  for (unsigned i = threadIdx.x; i < points; i += kLanes) {
    const float a = x[at + i] - mean;
    squares += a * a, product += dy[at + i] * a;
  }
  const float2 second = twoSums(squares, product);
  const float inverse = rsqrtf(second.x / points + epsilon), all = second.y * inverse;
  const float by = gain[c] * inverse, less = first.y / points, along = inverse * all / points;
  for (unsigned i = threadIdx.x; i < points; i += kLanes)
    dx[at + i] = by * (dy[at + i] - less - along * (x[at + i] - mean));
  if (threadIdx.x == 0) {
    atomicAdd(dbias + c, first.y);
    atomicAdd(dgain + c, all);
  }
}

void instancenormgrad(float epsilon, In<float, 4> x, In<float, 1> gain, In<float, 4> dy, Out<float, 4> dx,
                      Out<float, 1> dgain, Out<float, 1> dbias) {
  const unsigned channels = x.size[1], planes = x.size[0] * channels, points = x.size[2] * x.size[3];
  check(cudaMemsetAsync(dgain.data, 0, channels * sizeof(float)), "instancenormgrad");
  check(cudaMemsetAsync(dbias.data, 0, channels * sizeof(float)), "instancenormgrad");
  if (planes == 0 || points == 0) return;
  if (points % 4 || points > kNormPlane) {
    anyNormGradKernel<<<planes, kLanes>>>(epsilon, x.data, gain.data, dy.data, dx.data, dgain.data, dbias.data,
                                          channels, points);
    return launched("instancenormgrad");
  }
  constexpr unsigned kBytes = 2 * kNormPlane * sizeof(float);
  static const cudaError_t allowed =
      cudaFuncSetAttribute(instancenormgradKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  check(allowed, "instancenormgrad");
  instancenormgradKernel<<<std::min(planes, cores()), kNormLanes, kBytes>>>(
      epsilon, x.data, gain.data, dy.data, dx.data, dgain.data, dbias.data, planes, channels, points);
  launched("instancenormgrad");
}

// ---- gru: one kernel for all steps. A group has 32 examples and 32 numbers of the state, of which the weights of all
// three gates stay in its scratchpad memory; between steps all groups wait for each other. A lane has 4 examples and 2
// numbers, and half of each tile of the state.

constexpr unsigned kGruSide = 32, kGruDeep = 64, kGruPitch = kGruSide + 4;

__device__ float sigmoid(float x) { return 1 / (1 + __expf(-x)); }
__device__ float hyperbolic(float x) { return 1 - 2 / (1 + __expf(2 * x)); }

/// Until all groups of the grid are here. All of them run at once.
__device__ void together(unsigned *arrived, unsigned all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*static_cast<volatile unsigned *>(arrived) < all) {
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kLanes, 1)
    gruKernel(const float *__restrict__ in, const float *__restrict__ u, const float *h, float *out, unsigned *arrived,
              unsigned steps, unsigned batch, unsigned hidden) {
  extern __shared__ float4 scratchpad[];
  float *weight = reinterpret_cast<float *>(scratchpad); // hidden rows of 3 x 32
  float *state = weight + hidden * 3 * kGruSide;         // 2 tiles of 64 rows of 32 examples
  const unsigned left = blockIdx.x * kGruSide, top = blockIdx.y * kGruSide, half = threadIdx.x / 128;
  const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16 % 8; // of the lanes of a half
  for (unsigned i = threadIdx.x; i < hidden * 3 * kGruSide / 4; i += kLanes) {
    const unsigned k = i / (3 * kGruSide / 4), e = i % (3 * kGruSide / 4) * 4;
    quad(weight + 4 * i) = quad(u + std::size_t(k) * 3 * hidden + e / kGruSide * hidden + left + e % kGruSide);
  }
  // What this lane copies of a tile: 8 numbers of an example.
  const unsigned example = threadIdx.x / 8, number = threadIdx.x % 8 * 4;
  for (unsigned t = 0; t < steps; ++t) {
    const float *before = t == 0 ? h : out + std::size_t(t - 1) * batch * hidden;
    const float *own = before + std::size_t(min(top + example, batch - 1)) * hidden + number;
    float4 next[2];
    const auto load = [&](unsigned first) { // by the second cache: others have written it
      next[0] = __ldcg(reinterpret_cast<const float4 *>(own + first));
      next[1] = __ldcg(reinterpret_cast<const float4 *>(own + first + kGruDeep / 2));
    };
    const auto put = [&](unsigned buffer) {
      float *to = state + buffer * kGruDeep * kGruPitch + number * kGruPitch + example;
#pragma unroll
      for (unsigned e = 0; e < 2; ++e, to += kGruDeep / 2 * kGruPitch) {
        to[0] = next[e].x, to[kGruPitch] = next[e].y;
        to[2 * kGruPitch] = next[e].z, to[3 * kGruPitch] = next[e].w;
      }
    };
    float sum[3][4][2] = {};
    load(0);
    put(0);
    __syncthreads();
    unsigned buffer = 0;
    for (unsigned first = 0; first < hidden; first += kGruDeep, buffer ^= 1) {
      const bool more = first + kGruDeep < hidden;
      if (more) load(first + kGruDeep);
      const float *tile = state + buffer * kGruDeep * kGruPitch + half * (kGruDeep / 2) * kGruPitch + 4 * y;
      const float *by = weight + (first + half * (kGruDeep / 2)) * 3 * kGruSide + 2 * x;
#pragma unroll 8
      for (unsigned k = 0; k < kGruDeep / 2; ++k) {
        const float4 a = quad(tile + k * kGruPitch);
#pragma unroll
        for (unsigned g = 0; g < 3; ++g) {
          const float2 b = *reinterpret_cast<const float2 *>(by + k * 3 * kGruSide + g * kGruSide);
          sum[g][0][0] += a.x * b.x, sum[g][0][1] += a.x * b.y, sum[g][1][0] += a.y * b.x, sum[g][1][1] += a.y * b.y;
          sum[g][2][0] += a.z * b.x, sum[g][2][1] += a.z * b.y, sum[g][3][0] += a.w * b.x, sum[g][3][1] += a.w * b.y;
        }
      }
      if (more) put(buffer ^ 1);
      __syncthreads();
    }
    // The other half's sums, by way of the tiles.
    if (half == 1)
#pragma unroll
      for (unsigned i = 0; i < 24; ++i) state[i * 128 + threadIdx.x - 128] = sum[i / 8][i / 2 % 4][i % 2];
    __syncthreads();
    if (half == 0) {
#pragma unroll
      for (unsigned i = 0; i < 24; ++i) sum[i / 8][i / 2 % 4][i % 2] += state[i * 128 + threadIdx.x];
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) {
        const unsigned b = top + 4 * y + r, j = left + 2 * x;
        if (b >= batch) continue;
        const float *given = in + (std::size_t(t) * batch + b) * 3 * hidden + j;
        const float2 reset = __ldcs(reinterpret_cast<const float2 *>(given));
        const float2 update = __ldcs(reinterpret_cast<const float2 *>(given + hidden));
        const float2 fresh = __ldcs(reinterpret_cast<const float2 *>(given + 2 * hidden));
        const float2 old = __ldcg(reinterpret_cast<const float2 *>(before + std::size_t(b) * hidden + j));
        const float c0 = hyperbolic(fresh.x + sigmoid(reset.x + sum[0][r][0]) * sum[2][r][0]);
        const float c1 = hyperbolic(fresh.y + sigmoid(reset.y + sum[0][r][1]) * sum[2][r][1]);
        const float k0 = sigmoid(update.x + sum[1][r][0]), k1 = sigmoid(update.y + sum[1][r][1]);
        *reinterpret_cast<float2 *>(out + (std::size_t(t) * batch + b) * hidden + j) =
            make_float2(c0 + k0 * (old.x - c0), c1 + k1 * (old.y - c1));
      }
    }
    if (t + 1 < steps) together(arrived, (t + 1) * gridDim.x * gridDim.y);
  }
}

/// A step of any size: tiles of 16 x 16.
__global__ void anyGruKernel(const float *__restrict__ in, const float *__restrict__ u, const float *__restrict__ h,
                             float *__restrict__ out, unsigned batch, unsigned hidden) {
  __shared__ float state[16][17], weight[3][16][17];
  const unsigned x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 16 + x, b = blockIdx.y * 16 + y;
  float sum[3] = {};
  for (unsigned first = 0; first < hidden; first += 16) {
    state[y][x] = b < batch && first + x < hidden ? h[std::size_t(b) * hidden + first + x] : 0;
    for (unsigned g = 0; g < 3; ++g)
      weight[g][y][x] = j < hidden && first + y < hidden ? u[std::size_t(first + y) * 3 * hidden + g * hidden + j] : 0;
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k)
      for (unsigned g = 0; g < 3; ++g) sum[g] += state[y][k] * weight[g][k][x];
    __syncthreads();
  }
  if (b >= batch || j >= hidden) return;
  const float *given = in + std::size_t(b) * 3 * hidden + j;
  const float c = hyperbolic(given[2 * hidden] + sigmoid(given[0] + sum[0]) * sum[2]);
  const float keep = sigmoid(given[hidden] + sum[1]);
  out[std::size_t(b) * hidden + j] = c + keep * (h[std::size_t(b) * hidden + j] - c);
}

void gru(In<float, 3> in, In<float, 2> u, Out<float, 2> h, Out<float, 3> out) {
  const unsigned steps = in.size[0], batch = h.size[0], hidden = h.size[1];
  const std::size_t all = std::size_t(batch) * hidden;
  if (steps == 0 || all == 0) return;
  static const unsigned room = [] {
    int device = 0, bytes = 0;
    check(cudaGetDevice(&device), "gru");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "gru");
    check(cudaFuncSetAttribute(gruKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "gru");
    return unsigned(bytes);
  }();
  const std::size_t bytes = (std::size_t(hidden) * 3 * kGruSide + 2 * kGruDeep * kGruPitch) * sizeof(float);
  const dim3 groups(hidden / kGruSide, pieces(batch, kGruSide));
  if (hidden % kGruDeep == 0 && bytes <= room && groups.x * groups.y <= cores()) {
    static Scratch<unsigned> scratch;
    unsigned *arrived = scratch.of(1);
    check(cudaMemsetAsync(arrived, 0, sizeof(unsigned)), "gru");
    const float *inData = in.data, *uData = u.data, *hData = h.data;
    float *outData = out.data;
    unsigned stepsOf = steps, batchOf = batch, hiddenOf = hidden;
    void *arguments[] = {&inData, &uData, &hData, &outData, &arrived, &stepsOf, &batchOf, &hiddenOf};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(gruKernel), groups, dim3(kLanes), arguments, bytes,
                                      nullptr),
          "gru");
  } else {
    for (unsigned t = 0; t < steps; ++t)
      anyGruKernel<<<dim3(pieces(hidden, 16), pieces(batch, 16)), dim3(16, 16)>>>(
          in.data + t * 3 * all, u.data, t == 0 ? h.data : out.data + (t - 1) * all, out.data + t * all, batch, hidden);
  }
  check(cudaMemcpyAsync(h.data, out.data + (steps - 1) * all, all * sizeof(float), cudaMemcpyDeviceToDevice), "gru");
  launched("gru");
}

// ---- bicubic: a lane goes down a column. Of the four rows around each place it keeps what they have at its column; a
// row is interpolated once, and its weights along the row are the same for all.

constexpr unsigned kBicubicRows = 32;

__device__ float cubic(float x) {
  x = fabsf(x);
  if (x < 1) return (1.5f * x - 2.5f) * x * x + 1;
  if (x < 2) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return 0;
}

__global__ void __launch_bounds__(kLanes)
    bicubicKernel(const float *__restrict__ in, float *__restrict__ out, int rows, int columns, unsigned outRows,
                  unsigned outColumns, float down, float across) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x;
  const unsigned begin = blockIdx.y * kBicubicRows, end = min(begin + kBicubicRows, outRows);
  if (j >= outColumns) return;
  const float x = (j + 0.5f) * across - 0.5f;
  const int left = int(floorf(x));
  float weight[4];
  int at[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    weight[c] = cubic(x - float(left + c - 1));
    at[c] = min(max(left + c - 1, 0), columns - 1);
  }
  const auto line = [&](int r) {
    const float *row = in + std::size_t(min(max(r, 0), rows - 1)) * columns;
    return weight[0] * __ldg(row + at[0]) + weight[1] * __ldg(row + at[1]) + weight[2] * __ldg(row + at[2]) +
           weight[3] * __ldg(row + at[3]);
  };
  int have = INT_MIN; // the last row of the four
  float lines[4] = {};
  for (unsigned i = begin; i < end; ++i) {
    const float y = (i + 0.5f) * down - 0.5f;
    const int top = int(floorf(y));
    if (have < top - 2) have = top - 2; // none of them is there
    while (have < top + 2) {
      ++have;
      lines[0] = lines[1], lines[1] = lines[2], lines[2] = lines[3];
      lines[3] = line(have);
    }
    float sum = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) sum += cubic(y - float(top + r - 1)) * lines[r];
    __stcs(out + std::size_t(i) * outColumns + j, sum);
  }
}

void bicubic(In<float, 2> in, Out<float, 2> out) {
  const unsigned rows = in.size[0], columns = in.size[1], outRows = out.size[0], outColumns = out.size[1];
  const float down = float(rows) / outRows, across = float(columns) / outColumns;
  bicubicKernel<<<dim3(pieces(outColumns, kLanes), pieces(outRows, kBicubicRows)), kLanes>>>(
      in.data, out.data, int(rows), int(columns), outRows, outColumns, down, across);
  launched("bicubic");
}

// ---- harris: a warp goes down 128 columns, four a lane, of which those of its first and last lane serve the others.
// All sums are whole numbers, which float holds; they are scaled in the end.

/// Bytes x to x + 3 of a row of n, in a word; zeros where there are none. `fours`: rows have multiples of four.
template <bool fours> __device__ unsigned fourBytesAt(const Byte *row, int x, int n) {
  if (fours) return x >= 0 && x < n ? *reinterpret_cast<const unsigned *>(row + x) : 0;
  unsigned result = 0;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (x + e >= 0 && x + e < n) result |= unsigned(row[x + e]) << (8 * e);
  return result;
}

constexpr unsigned kHarrisRows = 64, kHarrisAcross = 30 * 4;

template <bool fours>
__global__ void __launch_bounds__(kLanes)
    harrisKernel(float k, const Byte *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  const int lane = int(threadIdx.x % 32), strip = int(blockIdx.x * kWarps + threadIdx.x / 32);
  const int x = strip * int(kHarrisAcross) + 4 * (lane - 1);
  if (strip * int(kHarrisAcross) >= columns) return; // a whole warp
  const int begin = int(blockIdx.y * kHarrisRows), end = min(begin + int(kHarrisRows), rows);
  const bool mine = lane > 0 && lane < 31;
  float difference[3][4] = {}, smooth[3][4] = {}; // of three rows: along the row, and what goes down
  float xx[3][4] = {}, xy[3][4] = {}, yy[3][4] = {};
  const float scale = 1 / (1020.0f * 1020.0f);
  // Row r of the picture; then the gradients of row r - 1, and the response of row r - 2.
  for (int r = begin - 2; r < end + 2; ++r) {
    unsigned own = 0;
    if (r >= 0 && r < rows) {
      own = fourBytesAt<fours>(in + std::size_t(r) * columns, x, columns);
    }
    const unsigned before = __shfl_up_sync(kAll, own, 1), behind = __shfl_down_sync(kAll, own, 1);
    const int p[6] = {int(before >> 24),    int(own & 255), int(own >> 8 & 255),
                      int(own >> 16 & 255), int(own >> 24), int(behind & 255)};
    float sx[4], sxy[4], sy[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      difference[0][e] = difference[1][e], difference[1][e] = difference[2][e];
      smooth[0][e] = smooth[1][e], smooth[1][e] = smooth[2][e];
      difference[2][e] = float(p[e + 2] - p[e]);
      smooth[2][e] = float(p[e] + 2 * p[e + 1] + p[e + 2]);
      const float gx = difference[0][e] + 2 * difference[1][e] + difference[2][e], gy = smooth[2][e] - smooth[0][e];
      sx[e] = gx * gx, sxy[e] = gx * gy, sy[e] = gy * gy;
    }
    const auto across = [](const float(&of)[4], float(&sums)[3][4]) {
      const float first = __shfl_up_sync(kAll, of[3], 1), last = __shfl_down_sync(kAll, of[0], 1);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        sums[0][e] = sums[1][e], sums[1][e] = sums[2][e];
        sums[2][e] = (e > 0 ? of[e > 0 ? e - 1 : 0] : first) + of[e] + (e < 3 ? of[e < 3 ? e + 1 : 3] : last);
      }
    };
    across(sx, xx), across(sxy, xy), across(sy, yy);
    const int i = r - 2;
    if (i < begin || i >= end || !mine) continue;
    float result[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float a = (xx[0][e] + xx[1][e] + xx[2][e]) * scale, b = (xy[0][e] + xy[1][e] + xy[2][e]) * scale;
      const float c = (yy[0][e] + yy[1][e] + yy[2][e]) * scale;
      const bool inside = i >= 2 && i < rows - 2 && x + e >= 2 && x + e < columns - 2;
      result[e] = inside ? a * c - b * b - k * (a + c) * (a + c) : 0;
    }
    float *to = out + std::size_t(i) * columns + x;
    if (fours) {
      if (x < columns) __stcs(reinterpret_cast<float4 *>(to), make_float4(result[0], result[1], result[2], result[3]));
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (x + e < columns) to[e] = result[e];
    }
  }
}

void harris(float k, In<Byte, 2> in, Out<float, 2> out) {
  const unsigned rows = in.size[0], columns = in.size[1];
  if (rows == 0 || columns == 0) return;
  const dim3 groups(pieces(pieces(columns, kHarrisAcross), kWarps), pieces(rows, kHarrisRows));
  const auto kernel = columns % 4 == 0 ? harrisKernel<true> : harrisKernel<false>;
  kernel<<<groups, kLanes>>>(k, in.data, out.data, int(rows), int(columns));
  launched("harris");
}

// ---- euler2d: a warp goes down 32 columns. What flows to the east comes from the lane there by shuffles, what comes
// from above is kept; so each flux is computed once. Columns of the first and the last lane serve the others.

constexpr unsigned kGasRows = 32, kGasAcross = 30;

struct Gas {
  double density, across, down, energy;
};
struct Fields {
  double *density, *across, *down, *energy;
};
/// A cell, with its speeds, pressure and speed of sound.
struct Cell {
  Gas gas;
  double u, v, pressure, sound;
};

__device__ Cell cellOf(const Gas &gas) {
  const double inverse = 1 / gas.density, u = gas.across * inverse, v = gas.down * inverse;
  const double pressure = 0.4 * (gas.energy - 0.5 * (gas.across * u + gas.down * v));
  return {gas, u, v, pressure, sqrt(1.4 * pressure * inverse)};
}
__device__ Gas fluxAcross(const Cell &a, const Cell &b) {
  const double speed = fmax(fabs(a.u) + a.sound, fabs(b.u) + b.sound);
  return {
      0.5 * (a.gas.across + b.gas.across - speed * (b.gas.density - a.gas.density)),
      0.5 * (a.gas.across * a.u + a.pressure + b.gas.across * b.u + b.pressure - speed * (b.gas.across - a.gas.across)),
      0.5 * (a.gas.down * a.u + b.gas.down * b.u - speed * (b.gas.down - a.gas.down)),
      0.5 * ((a.gas.energy + a.pressure) * a.u + (b.gas.energy + b.pressure) * b.u -
             speed * (b.gas.energy - a.gas.energy))};
}
__device__ Gas fluxDown(const Cell &a, const Cell &b) {
  const double speed = fmax(fabs(a.v) + a.sound, fabs(b.v) + b.sound);
  return {0.5 * (a.gas.down + b.gas.down - speed * (b.gas.density - a.gas.density)),
          0.5 * (a.gas.across * a.v + b.gas.across * b.v - speed * (b.gas.across - a.gas.across)),
          0.5 * (a.gas.down * a.v + a.pressure + b.gas.down * b.v + b.pressure - speed * (b.gas.down - a.gas.down)),
          0.5 * ((a.gas.energy + a.pressure) * a.v + (b.gas.energy + b.pressure) * b.v -
                 speed * (b.gas.energy - a.gas.energy))};
}

__global__ void __launch_bounds__(kLanes)
    euler2dKernel(double ratio, const double *__restrict__ density, const double *__restrict__ across,
                  const double *__restrict__ down, const double *__restrict__ energy, Fields to, int rows,
                  int columns) {
  const int lane = int(threadIdx.x % 32), strip = int(blockIdx.x * kWarps + threadIdx.x / 32);
  if (strip * int(kGasAcross) >= columns) return; // a whole warp
  const int x = strip * int(kGasAcross) + lane - 1, from = min(max(x, 0), columns - 1);
  const int begin = int(blockIdx.y * kGasRows), end = min(begin + int(kGasRows), rows);
  const bool mine = lane > 0 && lane < 31 && x < columns;
  const auto cellAt = [&](int i) {
    const std::size_t at = std::size_t(min(max(i, 0), rows - 1)) * columns + from;
    return cellOf({density[at], across[at], down[at], energy[at]});
  };
  Cell here = cellAt(begin);
  Gas above = fluxDown(cellAt(begin - 1), here);
  for (int i = begin; i < end; ++i) {
    const Cell next = cellAt(i + 1);
    const Gas below = fluxDown(here, next);
    const auto beside = [](double value) { return __shfl_down_sync(kAll, value, 1); };
    const Cell east{{beside(here.gas.density), beside(here.gas.across), beside(here.gas.down), beside(here.gas.energy)},
                    beside(here.u),
                    0,
                    beside(here.pressure),
                    beside(here.sound)};
    const Gas out = fluxAcross(here, east);
    const auto before = [](double value) { return __shfl_up_sync(kAll, value, 1); };
    const Gas in{before(out.density), before(out.across), before(out.down), before(out.energy)};
    if (mine) {
      const std::size_t at = std::size_t(i) * columns + x;
      to.density[at] = here.gas.density - ratio * (out.density - in.density + below.density - above.density);
      to.across[at] = here.gas.across - ratio * (out.across - in.across + below.across - above.across);
      to.down[at] = here.gas.down - ratio * (out.down - in.down + below.down - above.down);
      to.energy[at] = here.gas.energy - ratio * (out.energy - in.energy + below.energy - above.energy);
    }
    here = next;
    above = below;
  }
}

void euler2d(int steps, double ratio, Out<double, 2> density, Out<double, 2> across, Out<double, 2> down,
             Out<double, 2> energy) {
  const unsigned rows = density.size[0], columns = density.size[1];
  const std::size_t all = std::size_t(rows) * columns;
  if (all == 0) return;
  static Scratch<double> scratch;
  double *other = scratch.of(4 * all);
  const Fields given{density.data, across.data, down.data, energy.data};
  Fields now = given, next{other, other + all, other + 2 * all, other + 3 * all};
  const dim3 groups(pieces(pieces(columns, kGasAcross), kWarps), pieces(rows, kGasRows));
  for (int t = 0; t < steps; ++t) {
    euler2dKernel<<<groups, kLanes>>>(ratio, now.density, now.across, now.down, now.energy, next, int(rows),
                                      int(columns));
    std::swap(now, next);
  }
  if (now.density != given.density) {
    const auto copy = [&](double *to, const double *from) {
      check(cudaMemcpyAsync(to, from, all * sizeof(double), cudaMemcpyDeviceToDevice), "euler2d");
    };
    copy(given.density, now.density), copy(given.across, now.across);
    copy(given.down, now.down), copy(given.energy, now.energy);
  }
  launched("euler2d");
}

// ---- twogrid: residuals are added up to the coarse grid as soon as they are there, plane by plane, and never stored.
// The first sweep, from zero, is a product. What is interpolated goes down columns, each coarse plane once.

constexpr unsigned kCoarseX = 32, kCoarseY = 8, kCoarseDeep = 16;
constexpr unsigned kFineX = 2 * kCoarseX + 3, kFineY = 2 * kCoarseY + 3; // with a point more at each side for residuals

__global__ void __launch_bounds__(kLanes)
    restrictKernel(float omega, const float *__restrict__ f, const float *__restrict__ u, float *__restrict__ coarse,
                   float *__restrict__ e, uint3 n, uint3 m) {
  __shared__ float planes[3][kFineY][kFineX + 1], residual[kFineY - 2][kFineX - 2 + 1];
  const unsigned tx = threadIdx.x % kCoarseX, ty = threadIdx.x / kCoarseX;
  const unsigned x0 = blockIdx.x * kCoarseX + 1, y0 = blockIdx.y * kCoarseY + 1, z0 = blockIdx.z * kCoarseDeep + 1;
  const unsigned z1 = min(z0 + kCoarseDeep, m.x - 1);
  // The first fine point of a plane: two before the first coarse one's.
  const unsigned left = 2 * x0 - 2, top = 2 * y0 - 2;
  const auto load = [&](unsigned plane) {
    for (unsigned t = threadIdx.x; t < kFineX * kFineY; t += kLanes) {
      const unsigned y = t / kFineX, x = t % kFineX;
      planes[plane % 3][y][x] =
          plane < n.x && top + y < n.y && left + x < n.z ? u[(std::size_t(plane) * n.y + top + y) * n.z + left + x] : 0;
    }
  };
  load(2 * z0 - 2);
  load(2 * z0 - 1);
  float upper = 0, sum = 0; // of the plane before, and of those before it
  for (unsigned plane = 2 * z0 - 1; plane <= 2 * (z1 - 1) + 1; ++plane) {
    load(plane + 1);
    __syncthreads();
    const auto &above = planes[(plane + 2) % 3], &here = planes[plane % 3], &below = planes[(plane + 1) % 3];
    for (unsigned t = threadIdx.x; t < (kFineX - 2) * (kFineY - 2); t += kLanes) {
      const unsigned y = t / (kFineX - 2) + 1, x = t % (kFineX - 2) + 1;
      const bool inside = top + y < n.y - 1 && left + x < n.z - 1;
      const float given = inside ? __ldcs(f + (std::size_t(plane) * n.y + top + y) * n.z + left + x) : 0;
      residual[y - 1][x - 1] = given - (6 * here[y][x] - above[y][x] - below[y][x] - here[y - 1][x] - here[y + 1][x] -
                                        here[y][x - 1] - here[y][x + 1]);
    }
    __syncthreads();
    float own = 0;
#pragma unroll
    for (unsigned b = 0; b < 3; ++b) {
      const float *row = &residual[2 * ty + b][2 * tx];
      own += (b == 1 ? 2 : 1) * (row[0] + 2 * row[1] + row[2]);
    }
    if (plane % 2 == 0) {
      sum = upper + 2 * own;
    } else {
      const unsigned z = plane / 2; // of the coarse point that is complete
      if (z >= z0 && x0 + tx < m.z - 1 && y0 + ty < m.y - 1) {
        const std::size_t at = (std::size_t(z) * m.y + y0 + ty) * m.z + x0 + tx;
        const float result = (sum + own) / 64;
        coarse[at] = result;
        e[at] = omega / 6 * 4 * result;
      }
      upper = own;
    }
    __syncthreads(); // the plane above is not needed any more
  }
}

__global__ void __launch_bounds__(kLanes) sweepKernel(float omega, const float *__restrict__ coarse,
                                                      const float *__restrict__ e, float *__restrict__ next, uint3 m) {
  const unsigned k = blockIdx.x * 32 + threadIdx.x % 32 + 1, j = blockIdx.y * kWarps + threadIdx.x / 32 + 1;
  const unsigned begin = blockIdx.z * kCoarseDeep + 1, end = min(begin + kCoarseDeep, m.x - 1);
  if (k >= m.z - 1 || j >= m.y - 1) return;
  const std::size_t plane = std::size_t(m.y) * m.z;
  std::size_t at = begin * plane + std::size_t(j) * m.z + k;
  float above = e[at - plane], here = e[at];
#pragma unroll 4
  for (unsigned i = begin; i < end; ++i, at += plane) {
    const float below = e[at + plane];
    const float around = above + below + e[at - m.z] + e[at + m.z] + e[at - 1] + e[at + 1];
    next[at] = (1 - omega) * here + omega / 6 * (4 * coarse[at] + around);
    above = here, here = below;
  }
}

constexpr unsigned kFineDeep = 32;

__global__ void __launch_bounds__(kLanes)
    prolongKernel(const float *__restrict__ e, float *__restrict__ u, uint3 n, uint3 m) {
  const unsigned k = blockIdx.x * 32 + threadIdx.x % 32 + 1, j = blockIdx.y * kWarps + threadIdx.x / 32 + 1;
  const unsigned begin = blockIdx.z * kFineDeep + 1, end = min(begin + kFineDeep, n.x - 1);
  if (k >= n.z - 1 || j >= n.y - 1) return;
  const auto plane = [&](unsigned i) {
    const float *first = e + (std::size_t(i) * m.y + j / 2) * m.z,
                *second = e + (std::size_t(i) * m.y + (j + 1) / 2) * m.z;
    return first[k / 2] + first[(k + 1) / 2] + second[k / 2] + second[(k + 1) / 2];
  };
  float lower = plane(begin / 2), upper = plane((begin + 1) / 2);
#pragma unroll 4
  for (unsigned i = begin; i < end; ++i) {
    float &to = u[(std::size_t(i) * n.y + j) * n.z + k];
    if (i % 2 == 1) {
      if (i > begin) upper = plane((i + 1) / 2);
      to += 0.125f * (lower + upper);
      lower = upper; // of the even plane behind it
    } else {
      to += 0.25f * lower;
    }
  }
}

void twogrid(int sweeps, float omega, In<float, 3> f, Out<float, 3> u) {
  const uint3 n = make_uint3(u.size[0], u.size[1], u.size[2]);
  const uint3 m = make_uint3((n.x + 1) / 2, (n.y + 1) / 2, (n.z + 1) / 2);
  if (sweeps <= 0 || m.x < 3 || m.y < 3 || m.z < 3) return; // nothing is corrected
  const std::size_t all = std::size_t(m.x) * m.y * m.z;
  static Scratch<float> scratch;
  float *coarse = scratch.of(3 * all), *now = coarse + all, *next = now + all;
  check(cudaMemsetAsync(now, 0, 2 * all * sizeof(float)), "twogrid"); // borders stay zero
  restrictKernel<<<dim3(pieces(m.z - 2, kCoarseX), pieces(m.y - 2, kCoarseY), pieces(m.x - 2, kCoarseDeep)), kLanes>>>(
      omega, f.data, u.data, coarse, now, n, m);
  for (int s = 1; s < sweeps; ++s) {
    sweepKernel<<<dim3(pieces(m.z - 2, 32), pieces(m.y - 2, kWarps), pieces(m.x - 2, kCoarseDeep)), kLanes>>>(
        omega, coarse, now, next, m);
    std::swap(now, next);
  }
  prolongKernel<<<dim3(pieces(n.z - 2, 32), pieces(n.y - 2, kWarps), pieces(n.x - 2, kFineDeep)), kLanes>>>(now, u.data,
                                                                                                            n, m);
  launched("twogrid");
}

// ---- base64: 12 bytes a lane, by way of scratchpad memory, as 16 letters. Four letters at a time are computed in a
// word: what lies beyond 25, 51 and 61 shows in the uppermost bits.

constexpr unsigned kLetterBytes = kLanes * 12;

__device__ unsigned letters(unsigned six) { // four numbers of six bits
  const unsigned ones = 0x01010101u;
  const unsigned small = (six + 102 * ones) >> 7 & ones, figure = (six + 76 * ones) >> 7 & ones;
  const unsigned sign = (six + 66 * ones) >> 7 & ones, slash = (six + 65 * ones) >> 7 & ones;
  return six + 65 * ones + 6 * small + 3 * slash - 75 * figure - 15 * sign;
}
/// Three bytes, the first one uppermost.
__device__ unsigned sixes(unsigned bits) {
  return bits >> 18 | (bits >> 4 & 0x3f00u) | (bits << 10 & 0x3f0000u) | (bits << 24 & 0x3f000000u);
}

__global__ void __launch_bounds__(kLanes) base64Kernel(const uint4 *__restrict__ in, uint4 *__restrict__ out) {
  __shared__ uint4 given[kLetterBytes / 16];
  constexpr unsigned kQuads = kLetterBytes / 16;
  if (threadIdx.x < kQuads) given[threadIdx.x] = __ldcs(in + std::size_t(blockIdx.x) * kQuads + threadIdx.x);
  __syncthreads();
  const unsigned *own = reinterpret_cast<const unsigned *>(given) + 3 * threadIdx.x;
  const unsigned a = own[0], b = own[1], c = own[2];
  const unsigned first = __byte_perm(a, b, 0x4012) & 0xffffffu, second = __byte_perm(a, b, 0x4345) & 0xffffffu;
  const unsigned third = __byte_perm(b, c, 0x4234) & 0xffffffu, fourth = __byte_perm(c, 0, 0x4123) & 0xffffffu;
  __stcs(out + std::size_t(blockIdx.x) * kLanes + threadIdx.x,
         make_uint4(letters(sixes(first)), letters(sixes(second)), letters(sixes(third)), letters(sixes(fourth))));
}

__global__ void restKernel(const Byte *in, Byte *out, std::size_t begin, std::size_t n) {
  const std::size_t at = begin + (std::size_t(blockIdx.x) * kLanes + threadIdx.x) * 3;
  if (at >= n) return;
  const bool two = at + 1 < n, three = at + 2 < n;
  const unsigned bits = unsigned(in[at]) << 16 | (two ? unsigned(in[at + 1]) << 8 : 0) | (three ? in[at + 2] : 0);
  const unsigned four = letters(sixes(bits));
  Byte *to = out + at / 3 * 4;
  to[0] = Byte(four), to[1] = Byte(four >> 8);
  to[2] = two ? Byte(four >> 16) : '=', to[3] = three ? Byte(four >> 24) : '=';
}

void base64(In<Byte, 1> in, Out<Byte, 1> out) {
  const std::size_t n = in.size[0], groups = n / kLetterBytes, done = groups * kLetterBytes;
  if (groups > 0)
    base64Kernel<<<unsigned(groups), kLanes>>>(reinterpret_cast<const uint4 *>(in.data),
                                               reinterpret_cast<uint4 *>(out.data));
  if (done < n) restKernel<<<pieces(pieces(n - done, 3), kLanes), kLanes>>>(in.data, out.data, done, n);
  launched("base64");
}

// ---- viterbi: a warp a frame. Lane l has the costs of states l and l + 32, from which 2 l and 2 l + 1 are reached;
// what is chosen is voted on. Then a lane a frame goes back.

constexpr unsigned kStepsAtOnce = 32;

__global__ void __launch_bounds__(kLanes) forwardKernel(const char2 *__restrict__ in, uint2 *__restrict__ choice,
                                                        Byte *__restrict__ last, unsigned frames, unsigned bits) {
  __shared__ uint2 chosen[kStepsAtOnce][kWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * kWarps;
  const char2 *own = in + std::size_t(min(first + warp, frames - 1)) * bits;
  // Where the register is 2 l, both polynomials' outputs; the other three ways are this one's or the opposite.
  const int signA = __popc((2 * lane) & 0171) % 2 ? -1 : 1, signB = __popc((2 * lane) & 0133) % 2 ? -1 : 1;
  int low = lane == 0 ? 0 : 1000000, high = 1000000;
  for (unsigned begin = 0; begin < bits; begin += kStepsAtOnce) {
    const unsigned steps = min(kStepsAtOnce, bits - begin);
    const char2 pair = lane < steps ? own[begin + lane] : make_char2(0, 0);
    const int packed = int(pair.x) * 65536 + int(pair.y);
    uint2 kept = make_uint2(0, 0);
#pragma unroll 4
    for (unsigned s = 0; s < steps; ++s) {
      const int both = __shfl_sync(kAll, packed, s), b = int(short(both & 0xffff)), a = (both - b) / 65536;
      const int cost = signA * a + signB * b;
      const int even0 = low + cost, even1 = high - cost, odd0 = low - cost, odd1 = high + cost;
      const bool evenHigh = even1 < even0, oddHigh = odd1 < odd0;
      const unsigned evens = __ballot_sync(kAll, evenHigh), odds = __ballot_sync(kAll, oddHigh);
      if (lane == s) kept = make_uint2(evens, odds);
      const int even = evenHigh ? even1 : even0, odd = oddHigh ? odd1 : odd0;
      const int lowEven = __shfl_sync(kAll, even, lane / 2), lowOdd = __shfl_sync(kAll, odd, lane / 2);
      const int highEven = __shfl_sync(kAll, even, 16 + lane / 2), highOdd = __shfl_sync(kAll, odd, 16 + lane / 2);
      low = lane % 2 ? lowOdd : lowEven;
      high = lane % 2 ? highOdd : highEven;
    }
    __syncthreads(); // what was there has been stored
    chosen[lane][warp] = kept;
    __syncthreads();
    const unsigned s = threadIdx.x / kWarps, f = threadIdx.x % kWarps;
    if (s < steps && first + f < frames) choice[std::size_t(begin + s) * frames + first + f] = chosen[s][f];
  }
  // The first of the cheapest states.
  int cost = low;
  unsigned state = lane;
  if (high < low) cost = high, state = lane + 32;
#pragma unroll
  for (unsigned s = 16; s > 0; s /= 2) {
    const int otherCost = __shfl_xor_sync(kAll, cost, s);
    const unsigned other = __shfl_xor_sync(kAll, state, s);
    if (otherCost < cost || (otherCost == cost && other < state)) cost = otherCost, state = other;
  }
  if (lane == 0 && first + warp < frames) last[first + warp] = Byte(state);
}

__global__ void __launch_bounds__(64) backKernel(const uint2 *__restrict__ choice, const Byte *__restrict__ last,
                                                 Byte *__restrict__ out, unsigned frames, unsigned bits) {
  const unsigned f = blockIdx.x * 64 + threadIdx.x;
  if (f >= frames) return;
  unsigned state = last[f];
  Byte *own = out + std::size_t(f) * bits;
  const auto back = [&](uint2 of) {
    const unsigned upper = (state & 1 ? of.y : of.x) >> (state >> 1) & 1, bit = state & 1;
    state = state >> 1 | upper << 5;
    return bit;
  };
  unsigned t = bits;
  for (; t % 16; --t) own[t - 1] = Byte(back(choice[std::size_t(t - 1) * frames + f]));
  const bool aligned = bits % 16 == 0;
  for (; t > 0; t -= 16) {
    uint2 next[16];
#pragma unroll
    for (unsigned s = 0; s < 16; ++s) next[s] = __ldcs(choice + std::size_t(t - 16 + s) * frames + f);
    unsigned words[4] = {};
#pragma unroll
    for (int s = 15; s >= 0; --s) words[s / 4] |= back(next[s]) << (s % 4 * 8);
    if (aligned) {
      *reinterpret_cast<uint4 *>(own + t - 16) = make_uint4(words[0], words[1], words[2], words[3]);
    } else {
#pragma unroll
      for (unsigned s = 0; s < 16; ++s) own[t - 16 + s] = Byte(words[s / 4] >> (s % 4 * 8));
    }
  }
}

void viterbi(In<signed char, 3> in, Out<Byte, 2> out) {
  const unsigned frames = out.size[0], bits = out.size[1];
  if (frames == 0 || bits == 0) return;
  static Scratch<uint2> choices;
  static Scratch<Byte> states;
  uint2 *choice = choices.of(std::size_t(frames) * bits);
  Byte *last = states.of(frames);
  forwardKernel<<<pieces(frames, kWarps), kLanes>>>(reinterpret_cast<const char2 *>(in.data), choice, last, frames,
                                                    bits);
  backKernel<<<pieces(frames, 64), 64>>>(choice, last, out.data, frames, bits);
  launched("viterbi");
}

// ---- components: eight lanes a vertex, in place, since labels only fall; a label's own label is asked, too. What has
// the least label that there is has nothing to ask.

constexpr unsigned kNear = 8;

__global__ void __launch_bounds__(kLanes) namesKernel(unsigned *label, unsigned n) {
  const unsigned v = blockIdx.x * kLanes + threadIdx.x;
  if (v < n) label[v] = v;
}

__global__ void __launch_bounds__(kLanes)
    labelKernel(const unsigned *__restrict__ row, const unsigned *__restrict__ column, volatile unsigned *label,
                unsigned *changed, unsigned n) {
  const unsigned v = (blockIdx.x * kLanes + threadIdx.x) / kNear, lane = threadIdx.x % kNear;
  const unsigned own = v < n ? label[v] : 0;
  unsigned least = own;
  if (own > 0) {
    const unsigned end = row[v + 1];
    for (unsigned k = row[v] + lane; k < end; k += kNear) least = min(least, label[__ldcs(column + k)]);
    if (lane == 0) least = min(least, label[own]);
  }
#pragma unroll
  for (unsigned s = kNear / 2; s > 0; s /= 2) least = min(least, __shfl_xor_sync(kAll, least, s));
  const bool falls = least < own;
  if (falls && lane == 0) label[v] = least;
  if (__syncthreads_or(falls) && threadIdx.x == 0) *changed = 1;
}

__global__ void __launch_bounds__(kLanes) ownKernel(const unsigned *__restrict__ label, unsigned n, unsigned *own) {
  unsigned sum = 0;
  for (unsigned v = blockIdx.x * kLanes + threadIdx.x; v < n; v += gridDim.x * kLanes) sum += label[v] == v;
  sum = sumOfBlock(sum);
  if (threadIdx.x == 0 && sum > 0) atomicAdd(own, sum);
}

void components(In<unsigned, 1> row, In<unsigned, 1> column, Out<unsigned, 1> label, Result<unsigned> result) {
  const unsigned n = label.size[0];
  check(cudaMemsetAsync(result.data, 0, sizeof(unsigned)), "components");
  if (n == 0) return;
  static Scratch<unsigned> scratch;
  unsigned *changed = scratch.of(1), more = 1;
  namesKernel<<<pieces(n, kLanes), kLanes>>>(label.data, n);
  while (more) {
    check(cudaMemsetAsync(changed, 0, sizeof(unsigned)), "components");
    labelKernel<<<pieces(std::size_t(n) * kNear, kLanes), kLanes>>>(row.data, column.data, label.data, changed, n);
    check(cudaMemcpy(&more, changed, sizeof(unsigned), cudaMemcpyDeviceToHost), "components");
  }
  ownKernel<<<std::min(pieces(n, kLanes), cores() * 8), kLanes>>>(label.data, n, result.data);
  launched("components");
}

// ---- ising: two sweeps a kernel, of tiles in scratchpad memory with four points more at each side. A lane has four
// points of a word at a time, of which two are of the color; neighbours are added up in words.

constexpr unsigned kSpinDown = 64, kSpinWords = 64, kSpinReach = 4, kSweepsAtOnce = 2;
constexpr unsigned kSpinRows = kSpinDown + 2 * kSpinReach, kSpinRow = kSpinWords + 2; // a word more at each side

__device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

template <bool fours>
__global__ void __launch_bounds__(kLanes)
    isingKernel(unsigned first, unsigned sweeps, unsigned seed, const unsigned *__restrict__ threshold,
                const Byte *__restrict__ up, Byte *__restrict__ next, int rows, int columns) {
  __shared__ unsigned spins[kSpinRows][kSpinRow + 1], limit[5];
  const int top = int(blockIdx.y * kSpinDown) - int(kSpinReach), left = int(blockIdx.x * kSpinWords * 4) - 4;
  if (threadIdx.x < 5) limit[threadIdx.x] = threshold[threadIdx.x];
  for (unsigned t = threadIdx.x; t < kSpinRows * kSpinRow; t += kLanes) {
    const unsigned r = t / kSpinRow, w = t % kSpinRow;
    const int y = top + int(r), x = left + 4 * int(w);
    unsigned own = 0;
    if (y >= 0 && y < rows) {
      own = fourBytesAt<fours>(up + std::size_t(y) * columns, x, columns);
    }
    spins[r][w] = own;
  }
  __syncthreads();
  for (unsigned h = 0; h < 2 * sweeps; ++h) {
    const unsigned color = h % 2, key = mix(seed + 2 * (first + h / 2) + color);
    // Of what is at the tile's edge, one row and column more is not right any more with each color.
    const unsigned begin = h + 1, rowsOf = kSpinRows - 2 * begin;
    for (unsigned t = threadIdx.x; t < rowsOf * kSpinRow; t += kLanes) {
      const unsigned r = begin + t / kSpinRow, w = t % kSpinRow;
      const int y = top + int(r), x = left + 4 * int(w);
      if (y < 1 || y >= rows - 1) continue;
      const unsigned own = spins[r][w], before = w > 0 ? spins[r][w - 1] : 0;
      const unsigned behind = w + 1 < kSpinRow ? spins[r][w + 1] : 0;
      const unsigned around =
          spins[r - 1][w] + spins[r + 1][w] + __funnelshift_l(before, own, 8) + __funnelshift_r(own, behind, 8);
      unsigned turned = own;
      const int start = (y + x + int(color)) & 1; // of this color: (y + x) % 2 == 1 + color
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        const int e = 2 * p + 1 - start, point = x + e;
        if (point < 1 || point >= columns - 1) continue;
        const unsigned sum = around >> (8 * e) & 255, spin = own >> (8 * e) & 255;
        const unsigned alike = spin ? sum : 4 - sum;
        if (mix(key ^ (unsigned(y) * unsigned(columns) + unsigned(point))) < limit[alike]) turned ^= 1u << (8 * e);
      }
      spins[r][w] = turned; // others read points of the other color in it, which stay
    }
    __syncthreads();
  }
  for (unsigned t = threadIdx.x; t < kSpinDown * kSpinWords; t += kLanes) {
    const unsigned r = t / kSpinWords + kSpinReach, w = t % kSpinWords + 1;
    const int y = top + int(r), x = left + 4 * int(w);
    if (y >= rows) continue;
    Byte *row = next + std::size_t(y) * columns;
    if (fours) {
      if (x < columns) *reinterpret_cast<unsigned *>(row + x) = spins[r][w];
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (x + e < columns) row[x + e] = Byte(spins[r][w] >> (8 * e));
    }
  }
}

__global__ void __launch_bounds__(kLanes)
    magnetKernel(const Byte *__restrict__ up, std::size_t n, unsigned long long *result) {
  const std::size_t step = std::size_t(gridDim.x) * kLanes, at = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  unsigned count = 0;
  for (std::size_t q = at; q < n / 16; q += step) {
    const uint4 four = reinterpret_cast<const uint4 *>(up)[q];
    count += __popc(four.x) + __popc(four.y) + __popc(four.z) + __popc(four.w); // each is 0 or 1
  }
  for (std::size_t i = n / 16 * 16 + at; i < n; i += step) count += up[i];
  const unsigned long long sum = sumOfBlock(static_cast<unsigned long long>(count));
  if (threadIdx.x == 0) atomicAdd(result, 2 * sum);
  if (threadIdx.x == 0 && blockIdx.x == 0) atomicAdd(result, 0ull - static_cast<unsigned long long>(n));
}

void ising(unsigned sweeps, unsigned seed, In<unsigned, 1> threshold, Out<Byte, 2> up, Result<std::int64_t> result) {
  const unsigned rows = up.size[0], columns = up.size[1];
  const std::size_t all = std::size_t(rows) * columns;
  check(cudaMemsetAsync(result.data, 0, sizeof(std::int64_t)), "ising");
  if (all == 0) return;
  static Scratch<Byte> scratch;
  Byte *now = up.data, *next = scratch.of(all);
  const dim3 groups(pieces(columns, kSpinWords * 4), pieces(rows, kSpinDown));
  const auto kernel = columns % 4 == 0 ? isingKernel<true> : isingKernel<false>;
  for (unsigned first = 0; first < sweeps; first += kSweepsAtOnce) {
    kernel<<<groups, kLanes>>>(first, std::min(kSweepsAtOnce, sweeps - first), seed, threshold.data, now, next,
                               int(rows), int(columns));
    std::swap(now, next);
  }
  if (now != up.data) check(cudaMemcpyAsync(up.data, now, all, cudaMemcpyDeviceToDevice), "ising");
  magnetKernel<<<std::min(pieces(all, kLanes * 16), cores() * 8), kLanes>>>(
      up.data, all, reinterpret_cast<unsigned long long *>(result.data));
  launched("ising");
}

// ---- spdsolve: a warp a matrix, a row a lane, in registers. Columns of the factor, which others need, go through
// scratchpad memory; the first of the triangular systems is solved on the way.

constexpr unsigned kOrder = 32, kOrderPitch = kOrder + 4, kSolvers = 4; // warps of a group

__global__ void __launch_bounds__(kSolvers * 32)
    spdsolveKernel(float shift, float *__restrict__ a, float *__restrict__ b, unsigned count) {
  __shared__ float tiles[kSolvers][kOrder][kOrderPitch];
  __shared__ float columns[kSolvers][2][kOrder];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, number = blockIdx.x * kSolvers + warp;
  if (number >= count) return; // a whole warp
  auto &tile = tiles[warp];
  float *own = a + std::size_t(number) * kOrder * kOrder;
#pragma unroll
  for (unsigned t = lane * 4; t < kOrder * kOrder; t += 128)
    quad(&tile[t / kOrder][t % kOrder]) = __ldcs(reinterpret_cast<const float4 *>(own + t));
  __syncwarp();
  float row[kOrder], right = b[std::size_t(number) * kOrder + lane], inverse = 0;
#pragma unroll
  for (unsigned k = 0; k < kOrder; k += 4) {
    const float4 four = quad(&tile[lane][k]);
    row[k] = four.x, row[k + 1] = four.y, row[k + 2] = four.z, row[k + 3] = four.w;
  }
#pragma unroll
  for (unsigned j = 0; j < kOrder; ++j) {
    // What is above the diagonal in registers is not used.
    const float pivot = sqrtf(__shfl_sync(kAll, row[j], j) + shift), by = 1 / pivot;
    const float factor = lane == j ? pivot : row[j] * by;
    row[j] = factor;
    columns[warp][j % 2][lane] = factor;
    if (lane == j) right *= by, inverse = by;
    const float found = __shfl_sync(kAll, right, j);
    if (lane > j) right -= factor * found;
    __syncwarp();
#pragma unroll
    for (unsigned q = (j + 1) / 4; q < kOrder / 4; ++q) {
      const float4 four = quad(&columns[warp][j % 2][4 * q]);
      const float with[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (unsigned e = 0; e < 4; ++e)
        if (4 * q + e > j) row[4 * q + e] -= factor * with[e];
    }
  }
#pragma unroll
  for (unsigned k = 0; k < kOrder; ++k)
    if (k <= lane) tile[lane][k] = row[k];
  __syncwarp();
#pragma unroll
  for (unsigned t = lane * 4; t < kOrder * kOrder; t += 128)
    __stcs(reinterpret_cast<float4 *>(own + t), quad(&tile[t / kOrder][t % kOrder]));
#pragma unroll
  for (unsigned i = 0; i < kOrder; ++i) {
    const unsigned k = kOrder - 1 - i;
    if (lane == k) right *= inverse;
    const float found = __shfl_sync(kAll, right, k);
    if (lane < k) right -= tile[k][lane] * found;
  }
  b[std::size_t(number) * kOrder + lane] = right;
}

/// Of any order: a warp a matrix, in memory.
__global__ void __launch_bounds__(32) anySolveKernel(float shift, float *a, float *b, unsigned n) {
  volatile float *own = a + std::size_t(blockIdx.x) * n * n, *right = b + std::size_t(blockIdx.x) * n;
  for (unsigned j = 0; j < n; ++j) {
    float sum = 0;
    for (unsigned k = threadIdx.x; k < j; k += 32) sum += own[j * n + k] * own[j * n + k];
    const float pivot = sqrtf(own[j * n + j] + shift - sumOfWarp(sum));
    __syncwarp();
    if (threadIdx.x == 0) own[j * n + j] = pivot;
    for (unsigned i = j + 1 + threadIdx.x; i < n; i += 32) {
      float x = own[i * n + j];
      for (unsigned k = 0; k < j; ++k) x -= own[i * n + k] * own[j * n + k];
      own[i * n + j] = x / pivot;
    }
    __threadfence_block();
    __syncwarp();
  }
  for (unsigned i = 0; i < n; ++i) {
    float sum = 0;
    for (unsigned k = threadIdx.x; k < i; k += 32) sum += own[i * n + k] * right[k];
    sum = sumOfWarp(sum);
    if (threadIdx.x == 0) right[i] = (right[i] - sum) / own[i * n + i];
    __threadfence_block();
    __syncwarp();
  }
  for (unsigned i = n; i-- > 0;) {
    float sum = 0;
    for (unsigned k = i + 1 + threadIdx.x; k < n; k += 32) sum += own[k * n + i] * right[k];
    sum = sumOfWarp(sum);
    if (threadIdx.x == 0) right[i] = (right[i] - sum) / own[i * n + i];
    __threadfence_block();
    __syncwarp();
  }
}

void spdsolve(float shift, Out<float, 3> a, Out<float, 2> b) {
  const unsigned count = a.size[0], n = a.size[1];
  if (count == 0 || n == 0) return;
  if (n == kOrder)
    spdsolveKernel<<<pieces(count, kSolvers), kSolvers * 32>>>(shift, a.data, b.data, count);
  else
    anySolveKernel<<<count, 32>>>(shift, a.data, b.data, n);
  launched("spdsolve");
}

const Peer<prefill> prefillPeer("prefill", "cuda", {"q", "k", "v", "o"}, kDevice);
const Peer<w4matmul> w4matmulPeer("w4matmul", "cuda", {"x", "packed", "scale", "y"}, kDevice);
const Peer<moegate> moegatePeer("moegate", "cuda", {"x", "w", "expert", "gate", "slot", "count"}, kDevice);
const Peer<instancenormgrad> instancenormgradPeer("instancenormgrad", "cuda",
                                                  {"epsilon", "x", "gain", "dy", "dx", "dgain", "dbias"}, kDevice);
const Peer<gru> gruPeer("gru", "cuda", {"in", "u", "h", "out"}, kDevice);
const Peer<bicubic> bicubicPeer("bicubic", "cuda", {"in", "out"}, kDevice);
const Peer<harris> harrisPeer("harris", "cuda", {"k", "in", "out"}, kDevice);
const Peer<euler2d> euler2dPeer("euler2d", "cuda", {"steps", "ratio", "density", "across", "down", "energy"}, kDevice);
const Peer<twogrid> twogridPeer("twogrid", "cuda", {"sweeps", "omega", "f", "u"}, kDevice);
const Peer<base64> base64Peer("base64", "cuda", {"in", "out"}, kDevice);
const Peer<viterbi> viterbiPeer("viterbi", "cuda", {"in", "out"}, kDevice);
const Peer<components> componentsPeer("components", "cuda", {"row", "column", "label", "result"}, kDevice);
const Peer<ising> isingPeer("ising", "cuda", {"sweeps", "seed", "threshold", "up", "result"}, kDevice);
const Peer<spdsolve> spdsolvePeer("spdsolve", "cuda", {"shift", "a", "b"}, kDevice);

} // namespace

BENCH_PEERS(&prefillPeer.kernel, &w4matmulPeer.kernel, &moegatePeer.kernel, &instancenormgradPeer.kernel,
            &gruPeer.kernel, &bicubicPeer.kernel, &harrisPeer.kernel, &euler2dPeer.kernel, &twogridPeer.kernel,
            &base64Peer.kernel, &viterbiPeer.kernel, &componentsPeer.kernel, &isingPeer.kernel, &spdsolvePeer.kernel)
