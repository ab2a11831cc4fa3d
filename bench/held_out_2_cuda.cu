// The programs of apps/held-out-2 as one would write them for a GPU: tiles in scratchpad memory, several results a lane
// in registers, 16 bytes a load; CUB for what is a primitive.
#include "peer_device.cuh"

#include <climits>
#include <cmath>
#include <cub/device/device_select.cuh>

namespace {

using namespace careful;

// ---- fdtd2d: a step is one kernel, from one copy of the fields to another. A lane goes down a column with what two
// rows share in registers; what it needs of the next column and row is computed twice.

constexpr unsigned kDown = 16, kWide = 128;

struct Fields {
  double *ex, *ey, *hz;
};

__global__ void __launch_bounds__(kWide)
    fdtdKernel(const double *__restrict__ source, Fields from, Fields to, unsigned nx, unsigned ny) {
  const unsigned j = blockIdx.x * kWide + threadIdx.x, begin = blockIdx.y * kDown, end = min(begin + kDown, nx);
  if (j >= ny) return;
  const double *__restrict__ ex = from.ex, *__restrict__ ey = from.ey, *__restrict__ hz = from.hz;
  std::size_t at = std::size_t(begin) * ny + j;
  double here = hz[at];
  double electric = begin == 0 ? *source : ey[at] - 0.5 * (here - hz[at - ny]);
#pragma unroll 4
  for (unsigned i = begin; i < end; ++i, at += ny) {
    const double across = j > 0 ? ex[at] - 0.5 * (here - hz[at - 1]) : ex[at];
    double below = 0, next = 0, result = here;
    if (i + 1 < nx) {
      below = hz[at + ny];
      next = ey[at + ny] - 0.5 * (below - here);
      if (j + 1 < ny) {
        const double right = ex[at + 1] - 0.5 * (hz[at + 1] - here);
        result -= 0.7 * (right - across + next - electric);
      }
    }
    to.ex[at] = across;
    to.ey[at] = electric;
    to.hz[at] = result;
    here = below;
    electric = next;
  }
}

void fdtd2d(In<double, 1> source, Out<double, 2> ex, Out<double, 2> ey, Out<double, 2> hz) {
  const unsigned nx = hz.size[0], ny = hz.size[1];
  const std::size_t all = std::size_t(nx) * ny, steps = source.size[0];
  if (all == 0) return;
  static Buffer<double> other(3 * all);
  const Fields own{ex.data, ey.data, hz.data}, copy{other.data(), other.data() + all, other.data() + 2 * all};
  const dim3 groups(pieces(ny, kWide), pieces(nx, kDown));
  for (std::size_t t = 0; t < steps; ++t) {
    fdtdKernel<<<groups, kWide>>>(source.data + t, t % 2 ? copy : own, t % 2 ? own : copy, nx, ny);
    launched("fdtd2d");
  }
  if (steps % 2)
    for (auto [to, back] : {std::pair(own.ex, copy.ex), std::pair(own.ey, copy.ey), std::pair(own.hz, copy.hz)})
      check(cudaMemcpyAsync(to, back, all * sizeof(double), cudaMemcpyDeviceToDevice), "fdtd2d");
}

// ---- floyd: by tiles in three phases: the diagonal one, those of its row and column, all others

constexpr unsigned kTile = 64, kEach = 4, kSide = kTile / kEach, kFar = INT_MAX / 2;

__global__ void __launch_bounds__(1024) diagonalKernel(int *path, unsigned n, unsigned k) {
  __shared__ int tile[kTile][kTile];
  const unsigned x = threadIdx.x % kTile, y = threadIdx.x / kTile, first = k * kTile;
  constexpr unsigned kStep = 1024 / kTile;
#pragma unroll
  for (unsigned i = y; i < kTile; i += kStep)
    tile[i][x] = first + i < n && first + x < n ? path[std::size_t(first + i) * n + first + x] : kFar;
  for (unsigned via = 0; via < kTile; ++via) {
    __syncthreads();
#pragma unroll
    for (unsigned i = y; i < kTile; i += kStep) tile[i][x] = min(tile[i][x], tile[i][via] + tile[via][x]);
  }
#pragma unroll
  for (unsigned i = y; i < kTile; i += kStep)
    if (first + i < n && first + x < n) path[std::size_t(first + i) * n + first + x] = tile[i][x];
}

/// Tile (i, j) by way of tile (i, k) and tile (k, j), 4 x 4 numbers a lane.
__device__ void throughTile(int *path, unsigned n, unsigned i, unsigned j, unsigned k) {
  __shared__ __align__(16) int left[kTile][kTile + 4], right[kTile][kTile]; // left: turned
  for (unsigned t = threadIdx.x; t < kTile * kTile; t += kLanes) {
    const unsigned r = t / kTile, c = t % kTile;
    left[c][r] = i * kTile + r < n && k * kTile + c < n ? path[std::size_t(i * kTile + r) * n + k * kTile + c] : kFar;
    right[r][c] = k * kTile + r < n && j * kTile + c < n ? path[std::size_t(k * kTile + r) * n + j * kTile + c] : kFar;
  }
  const unsigned x = threadIdx.x % kSide * kEach, y = threadIdx.x / kSide * kEach;
  const unsigned row = i * kTile + y, column = j * kTile + x;
  int own[kEach][kEach];
#pragma unroll
  for (unsigned r = 0; r < kEach; ++r)
#pragma unroll
    for (unsigned c = 0; c < kEach; ++c)
      own[r][c] = row + r < n && column + c < n ? path[std::size_t(row + r) * n + column + c] : kFar;
  __syncthreads();
#pragma unroll 8
  for (unsigned via = 0; via < kTile; ++via) {
    const int4 a = *reinterpret_cast<const int4 *>(&left[via][y]), b = *reinterpret_cast<const int4 *>(&right[via][x]);
    const int to[kEach] = {a.x, a.y, a.z, a.w}, on[kEach] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (unsigned r = 0; r < kEach; ++r)
#pragma unroll
      for (unsigned c = 0; c < kEach; ++c) own[r][c] = min(own[r][c], to[r] + on[c]);
  }
#pragma unroll
  for (unsigned r = 0; r < kEach; ++r)
#pragma unroll
    for (unsigned c = 0; c < kEach; ++c)
      if (row + r < n && column + c < n) path[std::size_t(row + r) * n + column + c] = own[r][c];
}

__global__ void __launch_bounds__(kLanes) crossKernel(int *path, unsigned n, unsigned k) {
  const unsigned other = blockIdx.x + (blockIdx.x >= k);
  throughTile(path, n, blockIdx.y ? other : k, blockIdx.y ? k : other, k);
}

__global__ void __launch_bounds__(kLanes) othersKernel(int *path, unsigned n, unsigned k) {
  throughTile(path, n, blockIdx.y + (blockIdx.y >= k), blockIdx.x + (blockIdx.x >= k), k);
}

void floyd(Out<int, 2> path) {
  const unsigned n = path.size[0], tiles = pieces(n, kTile);
  for (unsigned k = 0; k < tiles; ++k) {
    diagonalKernel<<<1, 1024>>>(path.data, n, k);
    if (tiles > 1) {
      crossKernel<<<dim3(tiles - 1, 2), kLanes>>>(path.data, n, k);
      othersKernel<<<dim3(tiles - 1, tiles - 1), kLanes>>>(path.data, n, k);
    }
    launched("floyd");
  }
}

// ---- conv2d: a group has 64 channels of 8 x 8 points, a lane 8 channels of 4 neighbours. Weights are turned before.

constexpr unsigned kChannels = 64, kPoints = 8, kRun = 4, kOwn = 8, kDeep = 8, kPitch = 12;
constexpr unsigned kConvolving = kChannels / kOwn * kPoints * (kPoints / kRun);

__global__ void turnKernel(const float *__restrict__ weights, float *__restrict__ turned, unsigned results,
                           unsigned padded, unsigned taps) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x, k = i % padded, t = i / padded;
  if (t < taps) turned[i] = k < results ? weights[std::size_t(k) * taps + t] : 0;
}

__global__ void __launch_bounds__(kConvolving)
    conv2dKernel(const float *__restrict__ in, const float *__restrict__ turned, const float *__restrict__ bias,
                 float *__restrict__ out, unsigned channels, unsigned results, unsigned padded, unsigned height,
                 unsigned width, unsigned across) {
  __shared__ __align__(16) float image[kDeep][kPoints + 2][kPitch], w[kDeep * 9][kChannels];
  const unsigned first = blockIdx.y * kChannels, n = blockIdx.z;
  const unsigned top = blockIdx.x / across * kPoints, left = blockIdx.x % across * kPoints;
  const unsigned x = threadIdx.x % 2 * kRun, y = threadIdx.x / 2 % kPoints, k = threadIdx.x / (2 * kPoints) * kOwn;
  const float *from = in + std::size_t(n) * channels * height * width;
  float sum[kOwn][kRun] = {};
  for (unsigned begin = 0; begin < channels; begin += kDeep) {
    const unsigned there = min(kDeep, channels - begin);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < kDeep * (kPoints + 2) * (kPoints + 2); t += kConvolving) {
      const unsigned c = t / ((kPoints + 2) * (kPoints + 2)), p = t % ((kPoints + 2) * (kPoints + 2));
      const unsigned r = p / (kPoints + 2), s = p % (kPoints + 2);
      const unsigned i = top + r - 1, j = left + s - 1; // before the first one: very large
      image[c][r][s] =
          c < there && i < height && j < width ? from[(std::size_t(begin + c) * height + i) * width + j] : 0;
    }
    for (unsigned t = threadIdx.x; t < kDeep * 9 * (kChannels / 4); t += kConvolving) {
      const unsigned tap = t / (kChannels / 4), four = t % (kChannels / 4) * 4;
      quad(&w[tap][four]) = tap < there * 9 ? quad(turned + (std::size_t(begin) * 9 + tap) * padded + first + four)
                                            : make_float4(0, 0, 0, 0);
    }
    __syncthreads();
#pragma unroll 2
    for (unsigned c = 0; c < kDeep; ++c)
#pragma unroll
      for (unsigned r = 0; r < 3; ++r) {
        const float4 four = quad(&image[c][y + r][x]);
        const float2 two = *reinterpret_cast<const float2 *>(&image[c][y + r][x + 4]);
        const float row[kRun + 2] = {four.x, four.y, four.z, four.w, two.x, two.y};
#pragma unroll
        for (unsigned s = 0; s < 3; ++s) {
          const float4 low = quad(&w[c * 9 + r * 3 + s][k]), high = quad(&w[c * 9 + r * 3 + s][k + 4]);
          const float by[kOwn] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
          for (unsigned o = 0; o < kOwn; ++o)
#pragma unroll
            for (unsigned p = 0; p < kRun; ++p) sum[o][p] += by[o] * row[p + s];
        }
      }
  }
  if (top + y >= height) return;
#pragma unroll
  for (unsigned o = 0; o < kOwn; ++o) {
    if (first + k + o >= results) return;
    const float add = bias[first + k + o];
    float *to = out + ((std::size_t(n) * results + first + k + o) * height + top + y) * width + left + x;
    if (width % 4 == 0) {
      if (left + x < width) quad(to) = make_float4(sum[o][0] + add, sum[o][1] + add, sum[o][2] + add, sum[o][3] + add);
      continue;
    }
#pragma unroll
    for (unsigned p = 0; p < kRun; ++p)
      if (left + x + p < width) to[p] = sum[o][p] + add;
  }
}

void conv2d(In<float, 4> in, In<float, 4> weights, In<float, 1> bias, Out<float, 4> out) {
  const unsigned images = in.size[0], channels = in.size[1], height = in.size[2], width = in.size[3];
  const unsigned results = out.size[1], groups = pieces(results, kChannels), padded = groups * kChannels;
  const unsigned across = pieces(width, kPoints), down = pieces(height, kPoints);
  if (images == 0 || results == 0 || across * down == 0) return;
  static Buffer<float> turned(std::size_t(channels) * 9 * padded);
  turnKernel<<<pieces(std::size_t(channels) * 9 * padded, kLanes), kLanes>>>(weights.data, turned.data(), results,
                                                                             padded, channels * 9);
  conv2dKernel<<<dim3(across * down, groups, images), kConvolving>>>(in.data, turned.data(), bias.data, out.data,
                                                                     channels, results, padded, height, width, across);
  launched("conv2d");
}

// ---- batchnorm: shares of a channel's sums by a group each; who normalises a plane puts them together

constexpr unsigned kShares = 8;

template <class T> __device__ T sumOf(T value, T (&parts)[kWarps]) {
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(kAll, value, s);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[threadIdx.x % kWarps];
  for (unsigned s = kWarps / 2; s > 0; s /= 2) value += __shfl_xor_sync(kAll, value, s);
  return value;
}

__global__ void __launch_bounds__(kLanes) momentsKernel(const float *__restrict__ in, float2 *__restrict__ moments,
                                                        unsigned images, unsigned channels, unsigned plane) {
  __shared__ float parts[kWarps];
  float sum = 0, squares = 0;
  auto add = [&](float x) {
    sum += x;
    squares += x * x;
  };
  for (unsigned n = blockIdx.y; n < images; n += kShares) {
    const float *from = in + (std::size_t(n) * channels + blockIdx.x) * plane;
    if (plane % 4 == 0) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < plane / 4; i += kLanes) {
        const float4 x = quad(from + 4 * i);
        add(x.x), add(x.y), add(x.z), add(x.w);
      }
    } else {
      for (unsigned i = threadIdx.x; i < plane; i += kLanes) add(from[i]);
    }
  }
  sum = sumOf(sum, parts);
  squares = sumOf(squares, parts);
  if (threadIdx.x == 0) moments[blockIdx.x * kShares + blockIdx.y] = make_float2(sum, squares);
}

__global__ void __launch_bounds__(kLanes)
    normaliseKernel(float epsilon, const float *__restrict__ in, const float *__restrict__ gain,
                    const float *__restrict__ bias, const float2 *__restrict__ moments, float *__restrict__ mean,
                    float *__restrict__ variance, float *__restrict__ out, unsigned images, unsigned channels,
                    unsigned plane) {
  // The last planes first: these are in the cache.
  const unsigned c = channels - 1 - blockIdx.x, n = images - 1 - blockIdx.y;
  float sum = 0, squares = 0;
#pragma unroll
  for (unsigned s = 0; s < kShares; ++s) {
    const float2 part = moments[c * kShares + s];
    sum += part.x;
    squares += part.y;
  }
  const float count = float(images) * plane, m = sum / count, v = squares / count - m * m;
  if (n == 0 && threadIdx.x == 0) mean[c] = m, variance[c] = v;
  const float scale = gain[c] / sqrtf(v + epsilon), add = bias[c] - m * scale;
  const std::size_t first = (std::size_t(n) * channels + c) * plane;
  if (plane % 4 == 0) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < plane / 4; i += kLanes) {
      const float4 x = __ldcs(reinterpret_cast<const float4 *>(in + first) + i);
      __stcs(reinterpret_cast<float4 *>(out + first) + i,
             make_float4(x.x * scale + add, x.y * scale + add, x.z * scale + add, x.w * scale + add));
    }
  } else {
    for (unsigned i = threadIdx.x; i < plane; i += kLanes) out[first + i] = in[first + i] * scale + add;
  }
}

void batchnorm(float epsilon, In<float, 4> in, In<float, 1> gain, In<float, 1> bias, Out<float, 1> mean,
               Out<float, 1> variance, Out<float, 4> out) {
  const unsigned images = in.size[0], channels = in.size[1], plane = in.size[2] * in.size[3];
  if (images == 0 || channels == 0) return;
  static Buffer<float2> moments(std::size_t(channels) * kShares);
  momentsKernel<<<dim3(channels, kShares), kLanes>>>(in.data, moments.data(), images, channels, plane);
  normaliseKernel<<<dim3(channels, images), kLanes>>>(epsilon, in.data, gain.data, bias.data, moments.data(), mean.data,
                                                      variance.data, out.data, images, channels, plane);
  launched("batchnorm");
}

// ---- crossentropy: a row each group, read once, with the greatest and the sum so far

__global__ void __launch_bounds__(kLanes)
    crossentropyKernel(const float *__restrict__ logits, const int *__restrict__ label, float *__restrict__ result,
                       unsigned n, float share) {
  __shared__ float mosts[kWarps], parts[kWarps];
  const float *from = logits + blockIdx.x * std::size_t(n);
  float most = -INFINITY, sum = 0;
  auto four = [&](float4 x) {
    const float greatest = fmaxf(fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)), most);
    sum = sum * __expf(most - greatest) + __expf(x.x - greatest) + __expf(x.y - greatest) + __expf(x.z - greatest) +
          __expf(x.w - greatest);
    most = greatest;
  };
  if (n % 4 == 0) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n / 4; i += kLanes) four(__ldcs(reinterpret_cast<const float4 *>(from) + i));
  } else {
    for (unsigned i = threadIdx.x; i < n; i += kLanes) four(make_float4(from[i], -INFINITY, -INFINITY, -INFINITY));
  }
  float greatest = most;
  for (unsigned s = 16; s > 0; s /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(kAll, greatest, s));
  if (threadIdx.x % 32 == 0) mosts[threadIdx.x / 32] = greatest;
  __syncthreads();
#pragma unroll
  for (unsigned w = 0; w < kWarps; ++w) greatest = fmaxf(greatest, mosts[w]);
  sum = sumOf(sum > 0 ? sum * __expf(most - greatest) : 0, parts);
  if (threadIdx.x == 0) atomicAdd(result, share * (logf(sum) + greatest - from[label[blockIdx.x]]));
}

void crossentropy(In<float, 2> logits, In<int, 1> label, Result<float> result) {
  const unsigned rows = logits.size[0];
  check(cudaMemsetAsync(result.data, 0, sizeof(float)), "crossentropy");
  if (rows == 0) return;
  crossentropyKernel<<<rows, kLanes>>>(logits.data, label.data, result.data, logits.size[1], 1 / float(rows));
  launched("crossentropy");
}

// ---- q8gemv: four rows a warp, of which a lane has 16 bytes each; the zero point is taken from the sums

constexpr unsigned kRows = 4, kMagic = 0x4b000000; // 2^23: bytes put into its mantissa are added to it

__global__ void __launch_bounds__(kLanes)
    q8gemvKernel(const Byte *__restrict__ weights, const float *__restrict__ scale, const Byte *__restrict__ zero,
                 const float *__restrict__ x, float *__restrict__ y, unsigned rows, unsigned n) {
  const unsigned first = (blockIdx.x * kWarps + threadIdx.x / 32) * kRows, lane = threadIdx.x % 32;
  if (first >= rows) return;
  float sum[kRows] = {}, all = 0;
  const unsigned whole = n % 16 == 0 ? n : 0; // rows begin where 16 bytes may be loaded
#pragma unroll 2
  for (unsigned j = 16 * lane; j < whole; j += 16 * 32) {
    uint4 w[kRows];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r)
      w[r] = __ldcs(reinterpret_cast<const uint4 *>(weights + std::size_t(min(first + r, rows - 1)) * n + j));
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const float4 by = quad(x + j + 4 * q);
      all += by.x + by.y + by.z + by.w;
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        const unsigned four = q == 0 ? w[r].x : q == 1 ? w[r].y : q == 2 ? w[r].z : w[r].w;
        sum[r] += (__uint_as_float(__byte_perm(four, kMagic, 0x7440)) - 8388608.0f) * by.x;
        sum[r] += (__uint_as_float(__byte_perm(four, kMagic, 0x7441)) - 8388608.0f) * by.y;
        sum[r] += (__uint_as_float(__byte_perm(four, kMagic, 0x7442)) - 8388608.0f) * by.z;
        sum[r] += (__uint_as_float(__byte_perm(four, kMagic, 0x7443)) - 8388608.0f) * by.w;
      }
    }
  }
  for (unsigned j = whole + lane; j < n; j += 32) {
    all += x[j];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) sum[r] += weights[std::size_t(min(first + r, rows - 1)) * n + j] * x[j];
  }
  for (unsigned s = 16; s > 0; s /= 2) {
    all += __shfl_xor_sync(kAll, all, s);
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) sum[r] += __shfl_xor_sync(kAll, sum[r], s);
  }
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r)
    if (lane == r && first + r < rows) y[first + r] = scale[first + r] * (sum[r] - zero[first + r] * all);
}

void q8gemv(In<Byte, 2> weights, In<float, 1> scale, In<Byte, 1> zero, In<float, 1> x, Out<float, 1> y) {
  const unsigned rows = weights.size[0];
  if (rows == 0) return;
  q8gemvKernel<<<pieces(rows, kRows * kWarps), kLanes>>>(weights.data, scale.data, zero.data, x.data, y.data, rows,
                                                         weights.size[1]);
  launched("q8gemv");
}

// ---- equalize: a histogram each warp in scratchpad memory, 16 pixels a lane; each group makes the table of levels

constexpr unsigned kLevels = 256, kPixels = 16;
static_assert(kLevels == kLanes);

__device__ unsigned grayOf(unsigned red, unsigned green, unsigned blue) {
  return (77 * red + 150 * green + 29 * blue) / 256;
}

__global__ void __launch_bounds__(kLanes)
    grayKernel(const Byte *__restrict__ in, Byte *__restrict__ out, int *__restrict__ histogram, std::size_t n) {
  __shared__ int bins[kWarps][kLevels];
  for (unsigned w = 0; w < kWarps; ++w) bins[w][threadIdx.x] = 0;
  __syncthreads();
  int *own = bins[threadIdx.x / 32];
  const std::size_t step = std::size_t(gridDim.x) * kLanes, first = blockIdx.x * std::size_t(kLanes) + threadIdx.x;
  for (std::size_t t = first; t < n / kPixels; t += step) {
    const auto *from = reinterpret_cast<const uint4 *>(in) + 3 * t;
    const uint4 a = __ldcs(from), b = __ldcs(from + 1), c = __ldcs(from + 2);
    const unsigned words[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
    unsigned gray[4] = {};
#pragma unroll
    for (unsigned p = 0; p < kPixels; ++p) {
      auto byte = [&](unsigned at) { return words[at / 4] >> at % 4 * 8 & 255; };
      const unsigned g = grayOf(byte(3 * p), byte(3 * p + 1), byte(3 * p + 2));
      atomicAdd(own + g, 1);
      gray[p / 4] |= g << p % 4 * 8;
    }
    reinterpret_cast<uint4 *>(out)[t] = make_uint4(gray[0], gray[1], gray[2], gray[3]);
  }
  for (std::size_t i = n / kPixels * kPixels + first; i < n; i += step) {
    out[i] = Byte(grayOf(in[3 * i], in[3 * i + 1], in[3 * i + 2]));
    atomicAdd(own + out[i], 1);
  }
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (unsigned w = 0; w < kWarps; ++w) sum += bins[w][threadIdx.x];
  if (sum) atomicAdd(histogram + threadIdx.x, sum);
}

__global__ void __launch_bounds__(kLanes)
    levelKernel(Byte *__restrict__ out, const int *__restrict__ histogram, std::size_t n) {
  __shared__ int sums[kLevels], first, many;
  __shared__ Byte level[kLevels];
  const unsigned g = threadIdx.x;
  const int own = histogram[g];
  if (g == 0) first = kLevels - 1;
  sums[g] = own;
  __syncthreads();
  if (own) atomicMin(&first, int(g));
  for (unsigned s = 1; s < kLevels; s *= 2) {
    const int before = g >= s ? sums[g - s] : 0;
    __syncthreads();
    sums[g] += before;
    __syncthreads();
  }
  if (int(g) == first) many = own;
  __syncthreads();
  const int rest = max(int(n) - many, 1);
  level[g] = int(g) > first ? Byte((sums[g] - many) * 255LL / rest) : 0;
  __syncthreads();
  auto leveled = [&](unsigned four) {
    return level[four & 255] | level[four >> 8 & 255] << 8 | level[four >> 16 & 255] << 16 |
           unsigned(level[four >> 24]) << 24;
  };
  const std::size_t step = std::size_t(gridDim.x) * kLanes, begin = blockIdx.x * std::size_t(kLanes) + g;
  for (std::size_t t = begin; t < n / kPixels; t += step) {
    const uint4 x = reinterpret_cast<const uint4 *>(out)[t];
    reinterpret_cast<uint4 *>(out)[t] = make_uint4(leveled(x.x), leveled(x.y), leveled(x.z), leveled(x.w));
  }
  for (std::size_t i = n / kPixels * kPixels + begin; i < n; i += step) out[i] = level[out[i]];
}

void equalize(In<Byte, 3> in, Out<Byte, 2> out) {
  const std::size_t n = out.size[0] * out.size[1];
  if (n == 0) return;
  static Buffer<int> histogram(kLevels);
  check(cudaMemsetAsync(histogram.data(), 0, kLevels * sizeof(int)), "equalize");
  const unsigned groups = std::min(pieces(n, kLanes * kPixels), 8 * cores());
  grayKernel<<<groups, kLanes>>>(in.data, out.data, histogram.data(), n);
  levelKernel<<<groups, kLanes>>>(out.data, histogram.data(), n);
  launched("equalize");
}

// ---- bilateral: a tile with what is around it in scratchpad memory, four pixels of a column a lane

constexpr unsigned kReach = 4, kWindow = 2 * kReach + 1, kSquare = 32, kEdge = kSquare + 2 * kReach;

__global__ void __launch_bounds__(kLanes) bilateralKernel(float near, float alike, const float *__restrict__ in,
                                                          float *__restrict__ out, int height, int width) {
  constexpr unsigned kColumn = kSquare * kSquare / kLanes;
  constexpr float kLog2 = 1.44269504f;
  __shared__ float tile[kEdge][kEdge + 1], distance[kWindow][kWindow];
  const int top = int(blockIdx.y * kSquare), left = int(blockIdx.x * kSquare);
  for (unsigned t = threadIdx.x; t < kEdge * kEdge; t += kLanes) {
    const int i = min(max(top + int(t / kEdge) - int(kReach), 0), height - 1);
    const int j = min(max(left + int(t % kEdge) - int(kReach), 0), width - 1);
    tile[t / kEdge][t % kEdge] = in[std::size_t(i) * width + j];
  }
  if (threadIdx.x < kWindow * kWindow) {
    const int i = int(threadIdx.x / kWindow) - int(kReach), j = int(threadIdx.x % kWindow) - int(kReach);
    distance[threadIdx.x / kWindow][threadIdx.x % kWindow] = -kLog2 * float(i * i + j * j) / (2 * near * near);
  }
  __syncthreads();
  const unsigned x = threadIdx.x % kSquare, y = threadIdx.x / kSquare * kColumn;
  const float factor = -kLog2 / (2 * alike * alike);
  float own[kColumn], sum[kColumn] = {}, weights[kColumn] = {};
#pragma unroll
  for (unsigned p = 0; p < kColumn; ++p) own[p] = tile[y + p + kReach][x + kReach];
#pragma unroll 1
  for (unsigned s = 0; s < kWindow; ++s)
#pragma unroll
    for (unsigned r = 0; r < kWindow + kColumn - 1; ++r) {
      const float other = tile[y + r][x + s];
#pragma unroll
      for (unsigned p = 0; p < kColumn; ++p) {
        if (r < p || r - p >= kWindow) continue;
        const float difference = other - own[p];
        const float weight = exp2f(distance[r - p][s] + factor * difference * difference);
        sum[p] += weight * other;
        weights[p] += weight;
      }
    }
#pragma unroll
  for (unsigned p = 0; p < kColumn; ++p)
    if (top + int(y + p) < height && left + int(x) < width)
      out[std::size_t(top + y + p) * width + left + x] = sum[p] / weights[p];
}

void bilateral(float near, float alike, In<float, 2> in, Out<float, 2> out) {
  const unsigned height = in.size[0], width = in.size[1];
  if (height == 0 || width == 0) return;
  bilateralKernel<<<dim3(pieces(width, kSquare), pieces(height, kSquare)), kLanes>>>(near, alike, in.data, out.data,
                                                                                     int(height), int(width));
  launched("bilateral");
}

// ---- compact: CUB

struct Above {
  float threshold;
  __device__ bool operator()(float x) const { return x > threshold; }
};

void compact(float threshold, In<float, 1> in, Out<float, 1> out, Result<std::size_t> result) {
  auto select = [&](void *space, std::size_t &bytes) {
    check(
        cub::DeviceSelect::If(space, bytes, in.data, out.data, result.data, std::int64_t(in.size[0]), Above{threshold}),
        "compact");
  };
  static std::size_t bytes = [&] {
    std::size_t needed = 0;
    select(nullptr, needed);
    return needed;
  }();
  static Buffer<char> space(bytes);
  select(space.data(), bytes);
}

// ---- smithwaterman: strips of rows, a warp each, four rows a lane. Lanes are a column apart, and get by shuffles what
// is above them; the first one reads what the strip above has written, which says how far it has come.

constexpr unsigned kStripRows = 4, kStrip = 32 * kStripRows;

__global__ void __launch_bounds__(32)
    smithwatermanKernel(const Byte *__restrict__ a, const Byte *__restrict__ b, int *score, int *result,
                        unsigned *tickets, unsigned n, unsigned m) {
  const unsigned lane = threadIdx.x, pitch = m + 1;
  unsigned strip = 0;
  if (lane == 0) strip = atomicAdd(tickets, 1);
  strip = __shfl_sync(kAll, strip, 0);
  volatile unsigned *done = tickets + 1 + strip; // columns of the strip above, those of strip 0 being there
  const unsigned first = 1 + strip * kStrip + lane * kStripRows;
  const bool inQuads = pitch % 4 == 0;
  Byte letter[kStripRows];
  int left[kStripRows] = {}, kept[kStripRows][4], best = 0, diagonal = 0, come = 0, ahead = 0;
#pragma unroll
  for (unsigned r = 0; r < kStripRows; ++r) letter[r] = first + r <= n ? a[first + r - 1] : 0;
  Byte other = 0, others = 0;
  for (unsigned begin = 0; begin < pitch + 31; begin += 32) {
    // What is above lane 0 in the next 32 columns, and their letters: one a lane.
    if (strip > 0 && begin < pitch) {
      const unsigned needed = min(begin + 32, pitch);
      while (*done < needed) {
      }
      __threadfence();
    }
    if (begin + lane < pitch) {
      ahead = __ldcg(score + std::size_t(strip) * kStrip * pitch + begin + lane);
      others = begin + lane > 0 ? b[begin + lane - 1] : 0;
    }
#pragma unroll 4
    for (unsigned s = 0; s < 32; ++s) {
      const unsigned column = begin + s - lane; // before the first one: very large
      int above = __shfl_up_sync(kAll, left[kStripRows - 1], 1);
      const int head = __shfl_sync(kAll, ahead, s);
      const Byte passed = Byte(__shfl_up_sync(kAll, unsigned(other), 1));
      const Byte start = Byte(__shfl_sync(kAll, unsigned(others), s));
      if (lane == 0) above = head;
      other = lane == 0 ? start : passed;
      come = above;
      if (column < pitch) {
        int up = above, corner = diagonal;
#pragma unroll
        for (unsigned r = 0; r < kStripRows; ++r) {
          const int before = left[r];
          int own = max(max(corner + (letter[r] == other ? 3 : -2), max(up, before) - 2), 0);
          if (column == 0) own = 0;
          if (first + r <= n) best = max(best, own);
          corner = before;
          up = own;
          left[r] = own;
          if (!inQuads && first + r <= n) score[std::size_t(first + r) * pitch + column] = own;
          kept[r][0] = kept[r][1], kept[r][1] = kept[r][2], kept[r][2] = kept[r][3], kept[r][3] = own;
          if (inQuads && column % 4 == 3 && first + r <= n)
            *reinterpret_cast<int4 *>(score + std::size_t(first + r) * pitch + column - 3) =
                make_int4(kept[r][0], kept[r][1], kept[r][2], kept[r][3]);
        }
        diagonal = come;
      }
    }
    // Lane 31 is 31 columns behind.
    if (begin + 32 > 31) {
      __threadfence();
      if (lane == 31) done[1] = begin + 32 - 31 >= pitch ? pitch : inQuads ? (begin + 1) / 4 * 4 : begin + 1;
    }
  }
  for (unsigned s = 16; s > 0; s /= 2) best = max(best, __shfl_xor_sync(kAll, best, s));
  if (lane == 0) atomicMax(result, best);
}

void smithwaterman(In<Byte, 1> a, In<Byte, 1> b, Out<int, 2> score, Result<int> result) {
  const unsigned n = a.size[0], m = b.size[0], strips = pieces(n, kStrip);
  static Buffer<unsigned> tickets(strips + 2);
  check(cudaMemsetAsync(result.data, 0, sizeof(int)), "smithwaterman");
  check(cudaMemsetAsync(tickets.data(), 0, (strips + 2) * sizeof(unsigned)), "smithwaterman");
  check(cudaMemsetAsync(score.data, 0, (std::size_t(m) + 1) * sizeof(int)), "smithwaterman");
  if (strips == 0) return;
  smithwatermanKernel<<<strips, 32>>>(a.data, b.data, score.data, result.data, tickets.data(), n, m);
  launched("smithwaterman");
}

// ---- lbm: a point a lane, all nine numbers in registers; neighbours are loaded side by side

constexpr unsigned kAlong = 128;

__global__ void __launch_bounds__(kAlong)
    lbmKernel(float omega, const float *__restrict__ in, float *__restrict__ out, int height, int width) {
  constexpr int kAcross[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, kUnder[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float kWeight[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  const int x = int(blockIdx.x * kAlong + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  const std::size_t plane = std::size_t(height) * width;
  const int columns[3] = {x == 0 ? width - 1 : x - 1, x, x == width - 1 ? 0 : x + 1};
  const int rows[3] = {y == 0 ? height - 1 : y - 1, y, y == height - 1 ? 0 : y + 1};
  float f[9], density = 0, ux = 0, uy = 0;
#pragma unroll
  for (int q = 0; q < 9; ++q)
    f[q] = __ldcs(in + q * plane + std::size_t(rows[1 - kUnder[q]]) * width + columns[1 - kAcross[q]]);
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    density += f[q];
    ux += kAcross[q] * f[q];
    uy += kUnder[q] * f[q];
  }
  const float each = 1 / density;
  ux *= each;
  uy *= each;
  const float still = 1 - 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const float along = 3 * (kAcross[q] * ux + kUnder[q] * uy);
    __stcs(out + q * plane + std::size_t(y) * width + x,
           f[q] + omega * (kWeight[q] * density * (still + along + 0.5f * along * along) - f[q]));
  }
}

void lbm(float omega, In<float, 3> in, Out<float, 3> out) {
  const unsigned height = in.size[1], width = in.size[2];
  if (height == 0 || width == 0) return;
  lbmKernel<<<dim3(pieces(width, kAlong), height), kAlong>>>(omega, in.data, out.data, int(height), int(width));
  launched("lbm");
}

// ---- dct: eight lanes a block: a column each, and then, by way of scratchpad memory, a row each

constexpr unsigned kBlock = 8;

__global__ void __launch_bounds__(kLanes) dctKernel(const float *__restrict__ c, const float *__restrict__ in,
                                                    float *__restrict__ out, unsigned blocks, unsigned across) {
  __shared__ __align__(16) float basis[kBlock][kBlock], turned[kWarps][32 * (kBlock + 1) + 4 * 4];
  if (threadIdx.x < kBlock * kBlock) basis[threadIdx.x / kBlock][threadIdx.x % kBlock] = c[threadIdx.x];
  __syncthreads();
  const unsigned block = blockIdx.x * (kLanes / kBlock) + threadIdx.x / kBlock, own = threadIdx.x % kBlock;
  if (blockIdx.x * (kLanes / kBlock) + threadIdx.x / 32 * 4 >= blocks) return; // the whole warp
  const unsigned width = across * kBlock, shown = min(block, blocks - 1);
  const std::size_t at = std::size_t(shown / across) * kBlock * width + shown % across * kBlock;
  float column[kBlock], result[kBlock];
#pragma unroll
  for (unsigned y = 0; y < kBlock; ++y) column[y] = __ldcs(in + at + std::size_t(y) * width + own);
  // (u, x) of a block is at 9 u + x.
  float *t = turned[threadIdx.x / 32] + threadIdx.x % 32 / kBlock * (kBlock * (kBlock + 1) + 4);
#pragma unroll
  for (unsigned u = 0; u < kBlock; ++u) {
    const float4 low = quad(&basis[u][0]), high = quad(&basis[u][4]);
    t[u * (kBlock + 1) + own] = low.x * column[0] + low.y * column[1] + low.z * column[2] + low.w * column[3] +
                                high.x * column[4] + high.y * column[5] + high.z * column[6] + high.w * column[7];
  }
  __syncwarp();
#pragma unroll
  for (unsigned x = 0; x < kBlock; ++x) column[x] = t[own * (kBlock + 1) + x];
#pragma unroll
  for (unsigned v = 0; v < kBlock; ++v) {
    const float4 low = quad(&basis[v][0]), high = quad(&basis[v][4]);
    result[v] = low.x * column[0] + low.y * column[1] + low.z * column[2] + low.w * column[3] + high.x * column[4] +
                high.y * column[5] + high.z * column[6] + high.w * column[7];
  }
  if (block >= blocks) return;
  auto *to = reinterpret_cast<float4 *>(out + at + std::size_t(own) * width);
  __stcs(to, make_float4(result[0], result[1], result[2], result[3]));
  __stcs(to + 1, make_float4(result[4], result[5], result[6], result[7]));
}

void dct(In<float, 2> c, In<float, 2> in, Out<float, 2> out) {
  const unsigned across = in.size[1] / kBlock, blocks = in.size[0] / kBlock * across;
  if (blocks == 0) return;
  dctKernel<<<pieces(blocks, kLanes / kBlock), kLanes>>>(c.data, in.data, out.data, blocks, across);
  launched("dct");
}

const Peer<fdtd2d> fdtd2dPeer("fdtd2d", "cuda", {"source", "ex", "ey", "hz"}, kDevice);
const Peer<floyd> floydPeer("floyd", "cuda", {"path"}, kDevice);
const Peer<conv2d> conv2dPeer("conv2d", "cuda", {"in", "weights", "bias", "out"}, kDevice);
const Peer<batchnorm> batchnormPeer("batchnorm", "cuda", {"epsilon", "in", "gain", "bias", "mean", "variance", "out"},
                                    kDevice);
const Peer<crossentropy> crossentropyPeer("crossentropy", "cuda", {"logits", "label", "result"}, kDevice);
const Peer<q8gemv> q8gemvPeer("q8gemv", "cuda", {"weights", "scale", "zero", "x", "y"}, kDevice);
const Peer<equalize> equalizePeer("equalize", "cuda", {"in", "out"}, kDevice);
const Peer<bilateral> bilateralPeer("bilateral", "cuda", {"near", "alike", "in", "out"}, kDevice);
const Peer<compact> compactPeer("compact", "cub", {"threshold", "in", "out", "result"}, kDevice);
const Peer<smithwaterman> smithwatermanPeer("smithwaterman", "cuda", {"a", "b", "score", "result"}, kDevice);
const Peer<lbm> lbmPeer("lbm", "cuda", {"omega", "in", "out"}, kDevice);
const Peer<dct> dctPeer("dct", "cuda", {"c", "in", "out"}, kDevice);

} // namespace

BENCH_PEERS(&fdtd2dPeer.kernel, &floydPeer.kernel, &conv2dPeer.kernel, &batchnormPeer.kernel, &crossentropyPeer.kernel,
            &q8gemvPeer.kernel, &equalizePeer.kernel, &bilateralPeer.kernel, &compactPeer.kernel,
            &smithwatermanPeer.kernel, &lbmPeer.kernel, &dctPeer.kernel)
