// The programs of apps/held-out as one would write them for a GPU: rows in registers, tiles in scratchpad memory,
// several results a lane, 16 bytes a load.
#include "peer_device.cuh"

#include <cmath>
#include <cuda_pipeline.h>

namespace {

using namespace careful;

// ---- layernorm: a row each group, in registers

constexpr unsigned kQuads = 4; // of four numbers a lane, at most

__global__ void layernormKernel(float epsilon, const float *__restrict__ in, const float4 *__restrict__ gain,
                                const float4 *__restrict__ bias, float *__restrict__ out, unsigned n) {
  const auto *from = reinterpret_cast<const float4 *>(in + blockIdx.x * std::size_t(n));
  auto *to = reinterpret_cast<float4 *>(out + blockIdx.x * std::size_t(n));
  float4 own[kQuads];
  float sum = 0, squares = 0;
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    const unsigned at = q * kLanes + threadIdx.x;
    own[q] = at < n / 4 ? __ldcs(from + at) : make_float4(0, 0, 0, 0);
    sum += own[q].x + own[q].y + own[q].z + own[q].w;
  }
  const float mean = sumOfBlock(sum) / n;
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    if (q * kLanes + threadIdx.x >= n / 4) continue;
    own[q] = make_float4(own[q].x - mean, own[q].y - mean, own[q].z - mean, own[q].w - mean);
    squares += own[q].x * own[q].x + own[q].y * own[q].y + own[q].z * own[q].z + own[q].w * own[q].w;
  }
  const float scale = rsqrtf(sumOfBlock(squares) / n + epsilon);
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    const unsigned at = q * kLanes + threadIdx.x;
    if (at >= n / 4) continue;
    const float4 g = gain[at], b = bias[at];
    __stcs(to + at, make_float4(own[q].x * scale * g.x + b.x, own[q].y * scale * g.y + b.y,
                                own[q].z * scale * g.z + b.z, own[q].w * scale * g.w + b.w));
  }
}

/// Rows of any length, which are read three times.
__global__ void longLayernormKernel(float epsilon, const float *__restrict__ in, const float *__restrict__ gain,
                                    const float *__restrict__ bias, float *__restrict__ out, unsigned n) {
  const float *from = in + blockIdx.x * std::size_t(n);
  float *to = out + blockIdx.x * std::size_t(n);
  float sum = 0, squares = 0;
  for (unsigned i = threadIdx.x; i < n; i += kLanes) sum += from[i];
  const float mean = sumOfBlock(sum) / n;
  for (unsigned i = threadIdx.x; i < n; i += kLanes) squares += (from[i] - mean) * (from[i] - mean);
  const float scale = rsqrtf(sumOfBlock(squares) / n + epsilon);
  for (unsigned i = threadIdx.x; i < n; i += kLanes) to[i] = (from[i] - mean) * scale * gain[i] + bias[i];
}

void layernorm(float epsilon, In<float, 2> in, In<float, 1> gain, In<float, 1> bias, Out<float, 2> out) {
  const unsigned n = in.size[1];
  if (n % 4 == 0 && n <= kLanes * kQuads * 4)
    layernormKernel<<<in.size[0], kLanes>>>(epsilon, in.data, reinterpret_cast<const float4 *>(gain.data),
                                            reinterpret_cast<const float4 *>(bias.data), out.data, n);
  else
    longLayernormKernel<<<in.size[0], kLanes>>>(epsilon, in.data, gain.data, bias.data, out.data, n);
  launched("layernorm");
}

// ---- attention: a group has a block of queries, and goes through tiles of a share of the keys with the greatest score
// and the sum so far (online softmax); shares are put together in the end. A lane has 8 queries, of 4 keys or 4
// dimensions each. A tile's values are copied while it computes scores, the next tile's keys while it uses them.

constexpr unsigned kDepth = 64, kQueries = 64, kKeys = 64, kSide = 16, kRows = 8, kEach = 4;
constexpr unsigned kAttending = kSide * kRows; // lanes
constexpr unsigned kPitch = kDepth + 4;        // rows that lanes read side by side lie in other banks
constexpr unsigned kOwn = kQueries / kRows;    // queries of a lane
static_assert(kKeys == kSide * kEach && kDepth == kSide * kEach && kDepth == kKeys);

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
    attentionKernel(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                    float *__restrict__ parts, float2 *__restrict__ weights, unsigned rows, unsigned keys,
                    unsigned share, float scale) {
  extern __shared__ float4 scratchpad[];
  auto &tile = *reinterpret_cast<AttentionTiles *>(scratchpad);
  const unsigned x = threadIdx.x % kSide, y = threadIdx.x / kSide, top = blockIdx.x * kQueries;
  const unsigned begin = blockIdx.y * share, end = min(begin + share, keys);
  fetch(tile.queries, q, top, rows);
  fetch(tile.keys, k, begin, end);
  float result[kOwn][kEach] = {}, most[kOwn], sum[kOwn] = {};
#pragma unroll
  for (unsigned r = 0; r < kOwn; ++r) most[r] = -INFINITY;
  for (unsigned first = begin; first < end; first += kKeys) {
    __pipeline_wait_prior(0);
    __syncthreads(); // the keys are there, and nobody needs the last values
    fetch(tile.values, v, first, end);
    float score[kOwn][kEach] = {};
#pragma unroll 4
    for (unsigned d = 0; d < kDepth; d += 4) {
      float4 key[kEach];
#pragma unroll
      for (unsigned e = 0; e < kEach; ++e) key[e] = *reinterpret_cast<const float4 *>(&tile.keys[x + kSide * e][d]);
#pragma unroll
      for (unsigned r = 0; r < kOwn; ++r) {
        const float4 own = *reinterpret_cast<const float4 *>(&tile.queries[y + kRows * r][d]);
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
        score[r][e] = first + x + kSide * e < end ? scale * score[r][e] : -INFINITY;
        greatest = fmaxf(greatest, score[r][e]);
      }
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
      for (unsigned e = 0; e < 4; ++e) value[e] = *reinterpret_cast<const float4 *>(&tile.values[j + e][4 * x]);
#pragma unroll
      for (unsigned r = 0; r < kOwn; ++r) {
        const float4 own = *reinterpret_cast<const float4 *>(&tile.shares[y + kRows * r][j]);
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
    for (unsigned s = kSide / 2; s > 0; s /= 2) sum[r] += __shfl_xor_sync(kAll, sum[r], s);
    if (row >= rows) continue;
    const std::size_t at = std::size_t(blockIdx.y) * rows + row;
    *reinterpret_cast<float4 *>(parts + at * kDepth + 4 * x) =
        make_float4(result[r][0], result[r][1], result[r][2], result[r][3]);
    if (x == 0) weights[at] = make_float2(most[r], sum[r]);
  }
}

__global__ void togetherKernel(const float *__restrict__ parts, const float2 *__restrict__ weights,
                               float *__restrict__ out, unsigned rows, unsigned shares) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x, row = i / kDepth;
  if (row >= rows) return;
  float most = -INFINITY, sum = 0, result = 0;
  for (unsigned s = 0; s < shares; ++s) most = fmaxf(most, weights[std::size_t(s) * rows + row].x);
  for (unsigned s = 0; s < shares; ++s) {
    const float2 weight = weights[std::size_t(s) * rows + row];
    const float factor = expf(weight.x - most);
    sum += factor * weight.y;
    result += factor * parts[(std::size_t(s) * rows) * kDepth + i];
  }
  out[i] = result / sum;
}

/// Heads of other sizes: a query each group, whose scores are in memory.
__global__ void anyAttentionKernel(const float *__restrict__ q, const float *__restrict__ k,
                                   const float *__restrict__ v, float *__restrict__ out, float *__restrict__ scores,
                                   unsigned keys, unsigned depth, unsigned wide, float scale) {
  __shared__ float greatest[kLanes];
  float *own = scores + blockIdx.x * std::size_t(keys), most = -INFINITY, sum = 0;
  for (unsigned j = threadIdx.x; j < keys; j += kLanes) {
    float dot = 0;
    for (unsigned d = 0; d < depth; ++d) dot += q[blockIdx.x * std::size_t(depth) + d] * k[j * std::size_t(depth) + d];
    own[j] = dot * scale;
    most = fmaxf(most, own[j]);
  }
  greatest[threadIdx.x] = most;
  __syncthreads();
  for (unsigned l = 0; l < kLanes; ++l) most = fmaxf(most, greatest[l]);
  for (unsigned j = threadIdx.x; j < keys; j += kLanes) sum += own[j] = expf(own[j] - most);
  sum = sumOfBlock(sum); // all scores are there
  for (unsigned d = threadIdx.x; d < wide; d += kLanes) {
    float result = 0;
    for (unsigned j = 0; j < keys; ++j) result += own[j] * v[j * std::size_t(wide) + d];
    out[blockIdx.x * std::size_t(wide) + d] = result / sum;
  }
}

void attention(In<float, 2> q, In<float, 2> k, In<float, 2> v, Out<float, 2> o) {
  const unsigned rows = q.size[0], keys = k.size[0], depth = q.size[1];
  const float scale = 1 / std::sqrt(float(depth));
  if (rows == 0) return;
  if (depth != kDepth || v.size[1] != kDepth || keys == 0) {
    static Buffer<float> scores(std::size_t(rows) * keys);
    anyAttentionKernel<<<rows, kLanes>>>(q.data, k.data, v.data, o.data, scores.data(), keys, depth, v.size[1], scale);
    return launched("attention");
  }
  // As many shares as fill the device with three groups a core.
  const unsigned blocks = pieces(rows, kQueries), tiles = pieces(keys, kKeys);
  const unsigned share = pieces(tiles, std::min(tiles, std::max(3 * cores() / blocks, 1u))) * kKeys;
  const unsigned shares = pieces(keys, share);
  static Buffer<float> parts(std::size_t(shares) * rows * kDepth);
  static Buffer<float2> weights(std::size_t(shares) * rows);
  static const cudaError_t allowed =
      cudaFuncSetAttribute(attentionKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(AttentionTiles));
  check(allowed, "attention");
  attentionKernel<<<dim3(blocks, shares), kAttending, sizeof(AttentionTiles)>>>(
      q.data, k.data, v.data, parts.data(), weights.data(), rows, keys, share, scale);
  launched("attention");
  togetherKernel<<<pieces(std::size_t(rows) * kDepth, kLanes), kLanes>>>(parts.data(), weights.data(), o.data, rows,
                                                                         shares);
  launched("attention");
}

// ---- blackscholes: by a polynomial for the logarithm of erfc; four options a lane

/// How much of the normal distribution is beyond a number that is not negative.
__device__ float tail(float x) {
  const float z = 0.70710678f * x, t = __fdividef(1, 1 + z / 2);
  const float logarithm =
      -1.26541507f +
      t * (0.997978302f +
           t * (0.39215495f +
                t * (0.00868708462f +
                     t * (0.0763455191f +
                          t * (-0.219760443f +
                               t * (-0.529553268f + t * (1.03276993f + t * (-0.628631684f + t * 0.135424719f))))))));
  return 0.5f * t * expf(logarithm - z * z);
}

__device__ float2 prices(float rate, float volatility, float price, float strike, float years) {
  const float deviation = volatility * sqrtf(years);
  const float d1 = (logf(price / strike) + (rate + volatility * volatility / 2) * years) / deviation;
  const float d2 = d1 - deviation, tail1 = tail(fabsf(d1)), tail2 = tail(fabsf(d2));
  const float discounted = strike * expf(-rate * years);
  return make_float2(price * (d1 > 0 ? 1 - tail1 : tail1) - discounted * (d2 > 0 ? 1 - tail2 : tail2),
                     discounted * (d2 > 0 ? tail2 : 1 - tail2) - price * (d1 > 0 ? tail1 : 1 - tail1));
}

__global__ void blackscholesKernel(float rate, float volatility, const float *__restrict__ price,
                                   const float *__restrict__ strike, const float *__restrict__ years,
                                   float *__restrict__ call, float *__restrict__ put, std::size_t n) {
  const std::size_t i = (blockIdx.x * std::size_t(kLanes) + threadIdx.x) * 4;
  if (i + 4 <= n) {
    const float4 s = __ldcs(reinterpret_cast<const float4 *>(price + i));
    const float4 x = __ldcs(reinterpret_cast<const float4 *>(strike + i));
    const float4 t = __ldcs(reinterpret_cast<const float4 *>(years + i));
    const float2 a = prices(rate, volatility, s.x, x.x, t.x), b = prices(rate, volatility, s.y, x.y, t.y);
    const float2 c = prices(rate, volatility, s.z, x.z, t.z), d = prices(rate, volatility, s.w, x.w, t.w);
    __stcs(reinterpret_cast<float4 *>(call + i), make_float4(a.x, b.x, c.x, d.x));
    __stcs(reinterpret_cast<float4 *>(put + i), make_float4(a.y, b.y, c.y, d.y));
    return;
  }
  for (std::size_t l = i; l < n; ++l) {
    const float2 one = prices(rate, volatility, price[l], strike[l], years[l]);
    call[l] = one.x, put[l] = one.y;
  }
}

void blackscholes(float rate, float volatility, In<float, 1> price, In<float, 1> strike, In<float, 1> years,
                  Out<float, 1> call, Out<float, 1> put) {
  const std::size_t n = price.size[0];
  blackscholesKernel<<<pieces(n, 4 * kLanes), kLanes>>>(rate, volatility, price.data, strike.data, years.data,
                                                        call.data, put.data, n);
  launched("blackscholes");
}

// ---- mandelbrot: a warp has points close to each other, which take about as many steps

__global__ void mandelbrotKernel(float left, float top, float step, int limit, int *__restrict__ count, unsigned height,
                                 unsigned width) {
  constexpr unsigned kAcross = 8, kDown = 4; // points of a warp
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned j = (blockIdx.x * 2 + warp % 2) * kAcross + lane % kAcross;
  const unsigned i = (blockIdx.y * (kWarps / 2) + warp / 2) * kDown + lane / kAcross;
  if (i >= height || j >= width) return;
  const float cx = left + j * step, cy = top + i * step;
  float x = 0, y = 0, xx = 0, yy = 0;
  int n = 0;
#pragma unroll 4
  while (n < limit && xx + yy <= 4) {
    y = (x + x) * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++n;
  }
  count[std::size_t(i) * width + j] = n;
}

void mandelbrot(float left, float top, float step, int limit, Out<int, 2> count) {
  const unsigned height = count.size[0], width = count.size[1];
  mandelbrotKernel<<<dim3(pieces(width, 16), pieces(height, 4 * kWarps / 2)), kLanes>>>(left, top, step, limit,
                                                                                        count.data, height, width);
  launched("mandelbrot");
}

// ---- pictures: a lane has four neighbouring columns, and goes down some rows, of which it keeps what it needs again

constexpr unsigned kColumns = 4;

/// Whether rows of so many numbers begin where four of them can be loaded at once.
bool quads(std::size_t width) { return width % 4 == 0; }

/// Numbers first to first + n - 1 of a row: those of its ends where it has none. `kQuad`: these begin four by four, and
/// the row has a multiple of four.
template <bool kQuad, int n> __device__ void load(const float *row, int first, int width, float (&to)[n]) {
  if (kQuad && n % 4 == 0 && first >= 0 && first + n <= width) {
#pragma unroll
    for (int e = 0; e + 3 < n; e += 4) {
      const float4 four = quad(row + first + e);
      to[e] = four.x, to[e + 1] = four.y, to[e + 2] = four.z, to[e + 3] = four.w;
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < n; ++e) to[e] = row[min(max(first + e, 0), width - 1)];
}

/// Four numbers, those between begin and end.
template <bool kQuad> __device__ void store(float *row, int first, int begin, int end, const float (&from)[4]) {
  if (kQuad && first >= begin && first + 4 <= end) {
    quad(row + first) = make_float4(from[0], from[1], from[2], from[3]);
    return;
  }
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (first + e >= begin && first + e < end) row[first + e] = from[e];
}

constexpr int kTap = 9, kReach = 4, kBlurred = 8 * kTap; // rows a lane goes down

template <bool kQuad>
__global__ void __launch_bounds__(128) blurKernel(const float *__restrict__ in, const float *__restrict__ weights,
                                                  float *__restrict__ out, int height, int width) {
  const int j = (blockIdx.x * blockDim.x + threadIdx.x) * kColumns, top = blockIdx.y * kBlurred;
  if (j >= width) return;
  float w[kTap], ring[kTap][kColumns];
#pragma unroll
  for (int k = 0; k < kTap; ++k) w[k] = weights[k];
  auto along = [&](int row, float(&to)[kColumns]) {
    float x[kColumns + 2 * kReach];
    load<kQuad>(in + std::size_t(min(max(row, 0), height - 1)) * width, j - kReach, width, x);
#pragma unroll
    for (int c = 0; c < int(kColumns); ++c) {
      to[c] = 0;
#pragma unroll
      for (int k = 0; k < kTap; ++k) to[c] += w[k] * x[c + k];
    }
  };
#pragma unroll
  for (int k = 0; k < kTap - 1; ++k) along(top + k - kReach, ring[k]);
  for (int first = top; first < min(top + kBlurred, height); first += kTap)
#pragma unroll
    for (int r = 0; r < kTap; ++r) { // the row r behind `first` is in ring[r + kReach], all modulo kTap
      const int i = first + r;
      along(i + kReach, ring[(r + kTap - 1) % kTap]);
      float sum[kColumns] = {};
#pragma unroll
      for (int k = 0; k < kTap; ++k)
#pragma unroll
        for (int c = 0; c < int(kColumns); ++c) sum[c] += w[k] * ring[(r + k) % kTap][c];
      if (i < height) store<kQuad>(out + std::size_t(i) * width, j, 0, width, sum);
    }
}

void blur(In<float, 2> in, In<float, 1> weights, Out<float, 2> out) {
  const int height = in.size[0], width = in.size[1];
  const dim3 groups(pieces(width, 128 * kColumns), pieces(height, kBlurred));
  if (quads(width))
    blurKernel<true><<<groups, 128>>>(in.data, weights.data, out.data, height, width);
  else
    blurKernel<false><<<groups, 128>>>(in.data, weights.data, out.data, height, width);
  launched("blur");
}

constexpr int kSobelRows = 16;

/// Four numbers of a row and their neighbours.
template <bool kQuad> __device__ void loadAround(const float *row, int first, int width, float (&to)[6]) {
  float four[4];
  load<kQuad>(row, first, width, four);
  to[0] = row[max(first - 1, 0)];
  to[1] = four[0], to[2] = four[1], to[3] = four[2], to[4] = four[3];
  to[5] = row[min(first + 4, width - 1)];
}

template <bool kQuad>
__global__ void sobelKernel(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
  const int j = (blockIdx.x * blockDim.x + threadIdx.x) * kColumns, top = 1 + blockIdx.y * kSobelRows;
  if (j >= width) return;
  float smooth[3][4], slope[3][4]; // of three rows: along them, sums and differences
  auto along = [&](int row, float(&sum)[4], float(&difference)[4]) {
    float x[6];
    loadAround<kQuad>(in + std::size_t(min(row, height - 1)) * width, j, width, x);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      sum[c] = x[c] + 2 * x[c + 1] + x[c + 2];
      difference[c] = x[c + 2] - x[c];
    }
  };
  along(top - 1, smooth[0], slope[0]);
  along(top, smooth[1], slope[1]);
#pragma unroll
  for (int r = 0; r < kSobelRows; ++r) {
    const int i = top + r;
    if (i >= height - 1) return;
    along(i + 1, smooth[(r + 2) % 3], slope[(r + 2) % 3]);
    float result[4];
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float dx = slope[r % 3][c] + 2 * slope[(r + 1) % 3][c] + slope[(r + 2) % 3][c];
      const float dy = smooth[(r + 2) % 3][c] - smooth[r % 3][c];
      result[c] = sqrtf(dx * dx + dy * dy);
    }
    store<kQuad>(out + std::size_t(i) * width, j, 1, width - 1, result);
  }
}

void sobel(In<float, 2> in, Out<float, 2> out) {
  const int height = in.size[0], width = in.size[1];
  if (height < 3 || width < 3) return;
  const dim3 groups(pieces(width, 128 * kColumns), pieces(height - 2, kSobelRows));
  if (quads(width))
    sobelKernel<true><<<groups, 128>>>(in.data, out.data, height, width);
  else
    sobelKernel<false><<<groups, 128>>>(in.data, out.data, height, width);
  launched("sobel");
}

constexpr int kDoubled = 8; // rows that a lane reads, but for those around them

/// Four columns of a picture make eight: of each row between its pixels, and then between rows.
template <bool kQuad>
__global__ void upsampleKernel(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
  const int j = (blockIdx.x * blockDim.x + threadIdx.x) * kColumns, top = blockIdx.y * kDoubled;
  if (j >= width) return;
  float rows[3][8]; // the one before, this one, the next
  auto along = [&](int row, float(&to)[8]) {
    float x[6];
    loadAround<kQuad>(in + std::size_t(min(max(row, 0), height - 1)) * width, j, width, x);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      to[2 * c] = 0.25f * x[c] + 0.75f * x[c + 1];
      to[2 * c + 1] = 0.75f * x[c + 1] + 0.25f * x[c + 2];
    }
  };
  along(top - 1, rows[0]);
  along(top, rows[1]);
#pragma unroll
  for (int r = 0; r < kDoubled; ++r) {
    const int i = top + r;
    if (i >= height) return;
    along(i + 1, rows[(r + 2) % 3]);
    const float *before = rows[r % 3], *here = rows[(r + 1) % 3], *next = rows[(r + 2) % 3];
    float *upper = out + std::size_t(4) * i * width, *lower = upper + 2 * width;
#pragma unroll
    for (int half = 0; half < 8; half += 4) {
      float above[4], below[4];
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        above[c] = 0.25f * before[half + c] + 0.75f * here[half + c];
        below[c] = 0.75f * here[half + c] + 0.25f * next[half + c];
      }
      store<kQuad>(upper, 2 * j + half, 0, 2 * width, above);
      store<kQuad>(lower, 2 * j + half, 0, 2 * width, below);
    }
  }
}

void upsample(In<float, 2> in, Out<float, 2> out) {
  const int height = in.size[0], width = in.size[1];
  const dim3 groups(pieces(width, 128 * kColumns), pieces(height, kDoubled));
  if (quads(width))
    upsampleKernel<true><<<groups, 128>>>(in.data, out.data, height, width);
  else
    upsampleKernel<false><<<groups, 128>>>(in.data, out.data, height, width);
  launched("upsample");
}

// ---- stencil27: a lane has four neighbours of a row, and goes through planes; what a plane gives to three is added up

constexpr int kPlanes = 16;

template <bool kQuad>
__global__ void __launch_bounds__(256) stencil27Kernel(const float *__restrict__ weights, const float *__restrict__ in,
                                                       float *__restrict__ out, int n0, int n1, int n2) {
  const int k = (blockIdx.x * blockDim.x + threadIdx.x) * 4, j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (k >= n2 || j >= n1 - 1) return;
  const int begin = 1 + blockIdx.z * kPlanes, end = min(begin + kPlanes, n0 - 1);
  const std::size_t plane = std::size_t(n1) * n2;
  float w[3][3][3];
#pragma unroll
  for (int t = 0; t < 27; ++t) w[t / 9][t / 3 % 3][t % 3] = weights[t];
  float sum[3][4] = {}; // of results of the planes i - 1, i, i + 1, modulo 3
  // What plane `begin - 1 + p` adds: to the result before as the last of its planes, to its own, to the next as the
  // first.
  auto add = [&](int i, float(&before)[4], float(&here)[4], float(&next)[4]) {
#pragma unroll
    for (int b = 0; b < 3; ++b) {
      float x[6];
      loadAround<kQuad>(in + i * plane + std::size_t(j + b - 1) * n2, k, n2, x);
#pragma unroll
      for (int c = 0; c < 3; ++c)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          before[e] += w[2][b][c] * x[e + c];
          here[e] += w[1][b][c] * x[e + c];
          next[e] += w[0][b][c] * x[e + c];
        }
    }
  };
  float none[4] = {};
  add(begin - 1, none, none, sum[0]);
#pragma unroll
  for (int e = 0; e < 4; ++e) none[e] = 0;
  add(begin, none, sum[0], sum[1]);
  for (int first = begin; first < end; first += 3)
#pragma unroll
    for (int r = 0; r < 3; ++r) {
      const int i = first + r;
      if (i >= end) return;
      float(&done)[4] = sum[r], (&here)[4] = sum[(r + 1) % 3], (&next)[4] = sum[(r + 2) % 3];
      add(i + 1, done, here, next);
      store<kQuad>(out + i * plane + std::size_t(j) * n2, k, 1, n2 - 1, done);
#pragma unroll
      for (int e = 0; e < 4; ++e) done[e] = 0;
    }
}

void stencil27(In<float, 3> weights, In<float, 3> in, Out<float, 3> out) {
  const int n0 = in.size[0], n1 = in.size[1], n2 = in.size[2];
  if (n0 < 3 || n1 < 3 || n2 < 3) return;
  const dim3 threads(32, 8), groups(pieces(n2, 32 * 4), pieces(n1 - 2, 8), pieces(n0 - 2, kPlanes));
  if (quads(n2))
    stencil27Kernel<true><<<groups, threads>>>(weights.data, in.data, out.data, n0, n1, n2);
  else
    stencil27Kernel<false><<<groups, threads>>>(weights.data, in.data, out.data, n0, n1, n2);
  launched("stencil27");
}

// ---- argmax: a warp a row, 16 bytes a load

__global__ void argmaxKernel(const float *__restrict__ in, int *__restrict__ out, unsigned rows, unsigned n,
                             bool inQuads) {
  const unsigned row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float *from = in + row * std::size_t(n);
  float most = -INFINITY;
  unsigned at = 0;
  auto look = [&](float x, unsigned j) {
    if (x > most) most = x, at = j;
  };
  unsigned rest = 0;
  if (inQuads) {
    const auto *four = reinterpret_cast<const float4 *>(from);
#pragma unroll 8
    for (unsigned t = lane; t < n / 4; t += 32) {
      const float4 x = __ldcs(four + t);
      look(x.x, 4 * t), look(x.y, 4 * t + 1), look(x.z, 4 * t + 2), look(x.w, 4 * t + 3);
    }
    rest = n / 4 * 4;
  }
  for (unsigned j = rest + lane; j < n; j += 32) look(from[j], j);
  for (unsigned s = 16; s > 0; s /= 2) {
    const float other = __shfl_xor_sync(kAll, most, s);
    const unsigned there = __shfl_xor_sync(kAll, at, s);
    if (other > most || (other == most && there < at)) most = other, at = there;
  }
  if (lane == 0) out[row] = int(at);
}

void argmax(In<float, 2> in, Out<int, 1> out) {
  const unsigned rows = in.size[0], n = in.size[1];
  argmaxKernel<<<pieces(rows, kWarps), kLanes>>>(in.data, out.data, rows, n, quads(n));
  launched("argmax");
}

// ---- nearest: two points a lane, in registers; tiles of centers in scratchpad memory, which all lanes read at once

constexpr unsigned kDimensions = 16, kPoints = 2, kCenters = 256, kQuarter = kDimensions / 4;

__global__ void __launch_bounds__(kLanes)
    nearestKernel(const float4 *__restrict__ points, const float4 *__restrict__ centers, int *__restrict__ out,
                  unsigned n, unsigned many) {
  __shared__ float4 tile[kCenters][kQuarter];
  float4 own[kPoints][kQuarter];
  float least[kPoints];
  int at[kPoints] = {};
  const unsigned first = blockIdx.x * kPoints * kLanes + threadIdx.x;
#pragma unroll
  for (unsigned p = 0; p < kPoints; ++p) {
    least[p] = INFINITY;
#pragma unroll
    for (unsigned d = 0; d < kQuarter; ++d)
      own[p][d] = points[std::size_t(min(first + p * kLanes, n - 1)) * kQuarter + d];
  }
  for (unsigned begin = 0; begin < many; begin += kCenters) {
    const unsigned there = min(kCenters, many - begin);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < there * kQuarter; t += kLanes)
      tile[t / kQuarter][t % kQuarter] = centers[std::size_t(begin) * kQuarter + t];
    __syncthreads();
#pragma unroll 2
    for (unsigned c = 0; c < there; ++c) {
      float distance[kPoints] = {};
#pragma unroll
      for (unsigned d = 0; d < kQuarter; ++d) {
        const float4 center = tile[c][d];
#pragma unroll
        for (unsigned p = 0; p < kPoints; ++p) {
          const float x = own[p][d].x - center.x, y = own[p][d].y - center.y;
          const float z = own[p][d].z - center.z, w = own[p][d].w - center.w;
          distance[p] += x * x, distance[p] += y * y, distance[p] += z * z, distance[p] += w * w;
        }
      }
#pragma unroll
      for (unsigned p = 0; p < kPoints; ++p)
        if (distance[p] < least[p]) least[p] = distance[p], at[p] = int(begin + c);
    }
  }
#pragma unroll
  for (unsigned p = 0; p < kPoints; ++p)
    if (first + p * kLanes < n) out[first + p * kLanes] = at[p];
}

void nearest(In<float, 2> points, In<float, 2> centers, Out<int, 1> out) {
  const unsigned n = points.size[0], many = centers.size[0];
  if (n == 0) return;
  nearestKernel<<<pieces(n, kPoints * kLanes), kLanes>>>(
      reinterpret_cast<const float4 *>(points.data), reinterpret_cast<const float4 *>(centers.data), out.data, n, many);
  launched("nearest");
}

// ---- fir: 16 neighbouring results a lane, in registers, with as much of the signal; both from scratchpad memory

constexpr unsigned kTaps = 128, kResults = 16, kFiltering = 128, kSignal = kResults * kFiltering;

/// Where number i of the signal is: rows of 32 are apart by four banks, so that eight lanes read 16 bytes each at once.
__device__ unsigned skewed(unsigned i) { return i + i / 32 * 4; }

__global__ void __launch_bounds__(kFiltering)
    firKernel(const float *__restrict__ in, const float *__restrict__ taps, float *__restrict__ out, std::size_t n) {
  constexpr unsigned kAllOf = kSignal + kTaps;
  __shared__ __align__(16) float signal[kAllOf + kAllOf / 32 * 4], w[kTaps];
  const std::size_t first = blockIdx.x * std::size_t(kSignal), all = n + kTaps - 1;
  if (first + kAllOf <= all)
    for (unsigned i = 4 * threadIdx.x; i < kAllOf; i += 4 * kFiltering) quad(signal + skewed(i)) = quad(in + first + i);
  else
    for (unsigned i = threadIdx.x; i < kAllOf; i += kFiltering) signal[skewed(i)] = first + i < all ? in[first + i] : 0;
  w[threadIdx.x] = taps[threadIdx.x];
  __syncthreads();
  const unsigned own = threadIdx.x * kResults;
  float x[2 * kResults], sum[kResults] = {};
  auto fetchSignal = [&](unsigned from, float *to) {
#pragma unroll
    for (unsigned e = 0; e < kResults; e += 4) {
      const float4 four = quad(signal + skewed(from + e));
      to[e] = four.x, to[e + 1] = four.y, to[e + 2] = four.z, to[e + 3] = four.w;
    }
  };
  fetchSignal(own, x);
#pragma unroll 2
  for (unsigned k = 0; k < kTaps; k += kResults) {
    fetchSignal(own + k + kResults, x + kResults);
#pragma unroll
    for (unsigned t = 0; t < kResults; t += 4) {
      const float4 four = quad(w + k + t);
#pragma unroll
      for (unsigned e = 0; e < kResults; ++e) {
        sum[e] += four.x * x[t + e], sum[e] += four.y * x[t + e + 1];
        sum[e] += four.z * x[t + e + 2], sum[e] += four.w * x[t + e + 3];
      }
    }
#pragma unroll
    for (unsigned e = 0; e < kResults; ++e) x[e] = x[kResults + e];
  }
  if (first + own + kResults <= n) {
#pragma unroll
    for (unsigned e = 0; e < kResults; e += 4)
      quad(out + first + own + e) = make_float4(sum[e], sum[e + 1], sum[e + 2], sum[e + 3]);
    return;
  }
#pragma unroll
  for (unsigned e = 0; e < kResults; ++e)
    if (first + own + e < n) out[first + own + e] = sum[e];
}

void fir(In<float, 1> in, In<float, 1> taps, Out<float, 1> out) {
  static_assert(kTaps == kFiltering);
  const std::size_t n = out.size[0];
  if (n == 0) return;
  firKernel<<<pieces(n, kSignal), kFiltering>>>(in.data, taps.data, out.data, n);
  launched("fir");
}

// ---- embedding: a warp a bag, of whose rows each lane has 16 bytes

__global__ void embeddingKernel(const float4 *__restrict__ table, const int *__restrict__ index,
                                float4 *__restrict__ out, unsigned bags) {
  const unsigned bag = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (bag >= bags) return;
  const int own = index[std::size_t(bag) * 32 + lane];
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (unsigned k = 0; k < 32; ++k) {
    const float4 x = __ldg(table + std::size_t(__shfl_sync(kAll, own, k)) * 32 + lane);
    sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
  }
  __stcs(out + std::size_t(bag) * 32 + lane, sum);
}

void embedding(In<float, 2> table, In<int, 2> index, Out<float, 2> out) {
  const unsigned bags = index.size[0];
  if (bags == 0) return;
  embeddingKernel<<<pieces(bags, kWarps), kLanes>>>(reinterpret_cast<const float4 *>(table.data), index.data,
                                                    reinterpret_cast<float4 *>(out.data), bags);
  launched("embedding");
}

} // namespace

namespace {

const Peer<layernorm> layernormPeer("layernorm", "cuda", {"epsilon", "in", "gain", "bias", "out"}, kDevice);
const Peer<attention> attentionPeer("attention", "cuda", {"q", "k", "v", "o"}, kDevice);
const Peer<blackscholes> blackscholesPeer("blackscholes", "cuda",
                                          {"rate", "volatility", "price", "strike", "years", "call", "put"}, kDevice);
const Peer<mandelbrot> mandelbrotPeer("mandelbrot", "cuda", {"left", "top", "step", "limit", "count"}, kDevice);
const Peer<blur> blurPeer("blur", "cuda", {"in", "weights", "out"}, kDevice);
const Peer<sobel> sobelPeer("sobel", "cuda", {"in", "out"}, kDevice);
const Peer<stencil27> stencil27Peer("stencil27", "cuda", {"weights", "in", "out"}, kDevice);
const Peer<argmax> argmaxPeer("argmax", "cuda", {"in", "out"}, kDevice);
const Peer<nearest> nearestPeer("nearest", "cuda", {"points", "centers", "out"}, kDevice);
const Peer<upsample> upsamplePeer("upsample", "cuda", {"in", "out"}, kDevice);
const Peer<fir> firPeer("fir", "cuda", {"in", "taps", "out"}, kDevice);
const Peer<embedding> embeddingPeer("embedding", "cuda", {"table", "index", "out"}, kDevice);

} // namespace

BENCH_PEERS(&layernormPeer.kernel, &attentionPeer.kernel, &blackscholesPeer.kernel, &mandelbrotPeer.kernel,
            &blurPeer.kernel, &sobelPeer.kernel, &stencil27Peer.kernel, &argmaxPeer.kernel, &nearestPeer.kernel,
            &upsamplePeer.kernel, &firPeer.kernel, &embeddingPeer.kernel)
