// The programs of apps/held-out-7 as one would write them for a GPU: steps of time put together where launches are,
// several numbers a lane in registers, 16 bytes a load where memory is what it takes, recurrences by scans. Products of
// matrices are cuBLAS's (held_out_7_cublas.cu).
#include "peer_device.cuh"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

namespace {

using namespace careful;

/// A pair of numbers at `from`, of a row of n, of which the first is number x; zeros where there are none. `whole`:
/// rows have pairs.
template <bool whole> __device__ float2 pairAt(const float *from, int x, int n) {
  if (whole) return x >= 0 && x < n ? *reinterpret_cast<const float2 *>(from) : make_float2(0, 0);
  return make_float2(x >= 0 && x < n ? from[0] : 0, x + 1 >= 0 && x + 1 < n ? from[1] : 0);
}

// ---- pathfinder: a warp has 256 columns, eight a lane, for 16 rows; as many columns at each side are right but at
// first. Beyond the border everything is far.

constexpr unsigned kPathEach = 8, kPathDeep = 16, kPathAcross = 32 * kPathEach,
                   kPathRight = kPathAcross - 2 * kPathDeep;
constexpr int kFar = INT_MAX / 2;

template <bool fours> __device__ void eightAt(const int *from, int x, int n, int (&to)[kPathEach]) {
#pragma unroll
  for (unsigned e = 0; e < kPathEach; e += 4) {
    const int at = x + int(e);
    if (fours) {
      int4 four = make_int4(0, 0, 0, 0);
      if (at >= 0 && at < n) four = __ldcs(reinterpret_cast<const int4 *>(from + e));
      to[e] = four.x, to[e + 1] = four.y, to[e + 2] = four.z, to[e + 3] = four.w;
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k) to[e + k] = at + k >= 0 && at + k < n ? __ldcs(from + e + k) : 0;
    }
  }
}

template <bool fours>
__global__ void __launch_bounds__(kLanes) pathfinderKernel(const int *__restrict__ cost, const int *__restrict__ above,
                                                           int *__restrict__ result, unsigned deep, int columns) {
  const unsigned lane = threadIdx.x % 32, warp = blockIdx.x * kWarps + threadIdx.x / 32;
  const int begin = int(warp * kPathRight) - int(kPathDeep), x = begin + int(lane * kPathEach);
  if (begin + int(kPathDeep) >= columns) return; // a whole warp
  int best[kPathEach];
  eightAt<fours>(above + x, x, columns, best);
  bool there[kPathEach];
#pragma unroll
  for (unsigned e = 0; e < kPathEach; ++e) {
    there[e] = x + int(e) >= 0 && x + int(e) < columns;
    if (!there[e]) best[e] = kFar;
  }
#pragma unroll 4
  for (unsigned r = 0; r < deep; ++r) {
    int own[kPathEach];
    eightAt<fours>(cost + std::size_t(r) * columns + x, x, columns, own);
    int before = __shfl_up_sync(kAll, best[kPathEach - 1], 1);
    const int behind = __shfl_down_sync(kAll, best[0], 1);
#pragma unroll
    for (unsigned e = 0; e < kPathEach; ++e) {
      const int here = best[e], next = e + 1 < kPathEach ? best[e + 1 < kPathEach ? e + 1 : e] : behind;
      best[e] = there[e] ? min(min(before, next), here) + own[e] : kFar;
      before = here;
    }
  }
#pragma unroll
  for (unsigned e = 0; e < kPathEach; e += 4) {
    const unsigned at = lane * kPathEach + e; // of the warp's
    if (at < kPathDeep || at >= kPathDeep + kPathRight) continue;
    if (fours) {
      if (there[e])
        *reinterpret_cast<int4 *>(result + x + e) = make_int4(best[e], best[e + 1], best[e + 2], best[e + 3]);
    } else {
#pragma unroll
      for (unsigned k = 0; k < 4; ++k)
        if (there[e + k]) result[x + int(e + k)] = best[e + k];
    }
  }
}

void pathfinder(In<int, 2> cost, Out<int, 1> result) {
  const unsigned rows = cost.size[0], columns = cost.size[1], kernels = pieces(rows - 1, kPathDeep);
  if (columns == 0) return;
  static Scratch<int> scratch;
  int *now = kernels % 2 == 0 ? result.data : scratch.of(columns), *next = scratch.of(columns);
  if (kernels % 2 == 1) next = result.data;
  check(cudaMemcpyAsync(now, cost.data, columns * sizeof(int), cudaMemcpyDeviceToDevice), "pathfinder");
  const unsigned groups = pieces(pieces(columns, kPathRight), kWarps);
  for (unsigned first = 1; first < rows; first += kPathDeep) {
    const unsigned deep = std::min(kPathDeep, rows - first);
    const int *from = cost.data + std::size_t(first) * columns;
    if (columns % 4 == 0)
      pathfinderKernel<true><<<groups, kLanes>>>(from, now, next, deep, int(columns));
    else
      pathfinderKernel<false><<<groups, kLanes>>>(from, now, next, deep, int(columns));
    std::swap(now, next);
  }
  launched("pathfinder");
}

// ---- hotspot: up to four steps a kernel. A group has 64 columns and 96 rows in registers, of which four at each side
// are right but at first; a lane has two columns of twelve rows. Columns beside come by shuffles, rows of other warps
// through scratchpad memory.

constexpr unsigned kReach = 4, kBandRows = 12, kAcross = 64, kDown = kWarps * kBandRows;
constexpr unsigned kRightAcross = kAcross - 2 * kReach, kRightDown = kDown - 2 * kReach;

struct Heat {
  float own, rows, columns, power, constant; // what each is multiplied by
};

template <bool whole>
__global__ void __launch_bounds__(kLanes, 2)
    hotspotKernel(unsigned steps, Heat by, const float *__restrict__ power, const float *__restrict__ heat,
                  float *__restrict__ result, int rows, int columns) {
  __shared__ float2 edge[2][kWarps][2][32]; // the first and the last row of each warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x = int(blockIdx.x * kRightAcross + lane * 2) - int(kReach);
  const int top = int(blockIdx.y * kRightDown + warp * kBandRows) - int(kReach);
  float h[kBandRows][2], given[kBandRows][2];
#pragma unroll
  for (unsigned r = 0; r < kBandRows; ++r) {
    const int y = top + int(r);
    const bool there = y >= 0 && y < rows;
    const std::ptrdiff_t at = std::ptrdiff_t(there ? y : 0) * columns + x;
    const float2 a = there ? pairAt<whole>(heat + at, x, columns) : make_float2(0, 0);
    const float2 b = there ? pairAt<whole>(power + at, x, columns) : make_float2(0, 0);
    h[r][0] = a.x, h[r][1] = a.y;
    given[r][0] = b.x * by.power + by.constant, given[r][1] = b.y * by.power + by.constant;
  }
  for (unsigned t = 0; t < steps; ++t) {
    edge[t % 2][warp][0][lane] = make_float2(h[0][0], h[0][1]);
    edge[t % 2][warp][1][lane] = make_float2(h[kBandRows - 1][0], h[kBandRows - 1][1]);
    __syncthreads();
    float2 up = edge[t % 2][warp > 0 ? warp - 1 : 0][1][lane];
    const float2 under = edge[t % 2][warp + 1 < kWarps ? warp + 1 : warp][0][lane];
#pragma unroll
    for (unsigned r = 0; r < kBandRows; ++r) {
      const int y = top + int(r);
      const float2 here = make_float2(h[r][0], h[r][1]);
      float2 down = under;
      if (r + 1 < kBandRows)
        down = make_float2(h[r + 1 < kBandRows ? r + 1 : r][0], h[r + 1 < kBandRows ? r + 1 : r][1]);
      if (y <= 0) up = here;
      if (y >= rows - 1) down = here;
      float west = __shfl_up_sync(kAll, here.y, 1), east = __shfl_down_sync(kAll, here.x, 1);
      float middle = here.y; // what is to the right of the first column
      if (x <= 0) west = here.x;
      if (x + 1 >= columns - 1) east = here.y;
      if (x >= columns - 1) middle = here.x;
      const float first = x + 1 <= 0 ? here.y : here.x; // what is to the left of the second one
      h[r][0] = by.own * here.x + by.rows * (up.x + down.x) + by.columns * (west + middle) + given[r][0];
      h[r][1] = by.own * here.y + by.rows * (up.y + down.y) + by.columns * (first + east) + given[r][1];
      up = here;
    }
  }
  const bool ownColumns = lane * 2 >= kReach && lane * 2 < kAcross - kReach;
#pragma unroll
  for (unsigned r = 0; r < kBandRows; ++r) {
    const int y = top + int(r);
    const unsigned row = warp * kBandRows + r;
    if (!ownColumns || row < kReach || row >= kDown - kReach || y >= rows) continue;
    float *to = result + std::size_t(y) * columns + x;
    if (whole) {
      if (x < columns) *reinterpret_cast<float2 *>(to) = make_float2(h[r][0], h[r][1]);
    } else {
      if (x < columns) to[0] = h[r][0];
      if (x + 1 < columns) to[1] = h[r][1];
    }
  }
}

void hotspot(unsigned steps, float step, float rx, float ry, float rz, float ambient, In<float, 2> power,
             Out<float, 2> heat) {
  const int rows = int(heat.size[0]), columns = int(heat.size[1]);
  if (rows == 0 || columns == 0 || steps == 0) return;
  const Heat by{1 - step * (2 / ry + 2 / rx + 1 / rz), step / ry, step / rx, step, step * ambient / rz};
  static Scratch<float> scratch;
  float *now = heat.data, *next = scratch.of(std::size_t(rows) * columns);
  const dim3 groups(pieces(columns, kRightAcross), pieces(rows, kRightDown));
  const unsigned kernels = (pieces(steps, kReach) + 1) / 2 * 2; // an even number, so that all ends where it began
  for (unsigned k = 0; k < kernels; ++k) {
    const unsigned of = steps / kernels + (k < steps % kernels);
    if (columns % 2 == 0)
      hotspotKernel<true><<<groups, kLanes>>>(of, by, power.data, now, next, rows, columns);
    else
      hotspotKernel<false><<<groups, kLanes>>>(of, by, power.data, now, next, rows, columns);
    std::swap(now, next);
  }
  launched("hotspot");
}

// ---- srad: one kernel an iteration, from one array to another. A warp goes down 64 columns, two a lane, of which 60
// are right; a row is changed as soon as the coefficients below it are there. Sums for the next iteration are added up
// on the way.

constexpr unsigned kSradRight = 60, kSradRows = 32;

struct Picture {
  int rows, columns;
};

/// A row of the picture and what is beside each pair of it.
struct Line {
  float2 own;
  float west, east; // of the first and of the second one
};

template <bool whole> __device__ Line lineAt(const float *image, Picture of, int y, int x) {
  const int row = min(max(y, 0), of.rows - 1);
  Line line;
  line.own = pairAt<whole>(image + std::ptrdiff_t(row) * of.columns + x, x, of.columns);
  line.west = __shfl_up_sync(kAll, line.own.y, 1);
  line.east = __shfl_down_sync(kAll, line.own.x, 1);
  if (x <= 0) line.west = line.own.x;
  if (x + 1 >= of.columns - 1) line.east = line.own.y;
  if (x >= of.columns - 1) line.own.y = line.own.x; // there is no second one: what the first one sees
  return line;
}

__device__ float coefficient(float h, float n, float s, float w, float e, float noise, float scale) {
  const float by = 1 / h;
  n -= h, s -= h, w -= h, e -= h;
  const float gradient = (n * n + s * s + w * w + e * e) * by * by, laplacian = (n + s + w + e) * by;
  const float below = 1 + 0.25f * laplacian, square = below * below;
  const float q = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  return fminf(fmaxf(square / (square + (q - noise * square) * scale), 0), 1);
}

__device__ float2 coefficients(const Line &up, const Line &here, const Line &down, float noise, float scale) {
  return make_float2(coefficient(here.own.x, up.own.x, down.own.x, here.west, here.own.y, noise, scale),
                     coefficient(here.own.y, up.own.y, down.own.y, here.own.x, here.east, noise, scale));
}

/// The group's sums go to those of all.
__device__ void addUp(double sum, double squares, double *sums) {
  sum = sumOfBlock(sum);
  squares = sumOfBlock(squares);
  if (threadIdx.x != 0) return;
  atomicAdd(sums, sum);
  atomicAdd(sums + 1, squares);
}

__global__ void __launch_bounds__(kLanes)
    sradSumsKernel(const float *__restrict__ image, std::size_t all, double *sums) {
  double sum = 0, squares = 0;
  const std::size_t step = std::size_t(gridDim.x) * kLanes;
  for (std::size_t at = std::size_t(blockIdx.x) * kLanes + threadIdx.x; at < all; at += step) {
    const double x = image[at];
    sum += x;
    squares += x * x;
  }
  addUp(sum, squares, sums);
}

template <bool whole>
__global__ void __launch_bounds__(kLanes)
    sradKernel(const float *__restrict__ image, float *__restrict__ result, double *sums, float by, Picture of) {
  const unsigned lane = threadIdx.x % 32;
  const int x = int(blockIdx.x * kSradRight + lane * 2) - 2;
  const int top = int((blockIdx.y * kWarps + threadIdx.x / 32) * kSradRows);
  const double all = double(of.rows) * of.columns, mean = sums[0] / all, variance = sums[1] / all - mean * mean;
  const float noise = float(variance / (mean * mean)), scale = 1 / (noise * (1 + noise));
  double sum = 0, squares = 0;
  if (top < of.rows) { // a whole warp
    Line up = lineAt<whole>(image, of, top - 1, x), here = lineAt<whole>(image, of, top, x);
    Line down = lineAt<whole>(image, of, top + 1, x);
    float2 own = coefficients(up, here, down, noise, scale);
    const int end = min(top + int(kSradRows), of.rows);
    for (int y = top; y < end; ++y) {
      const Line next = lineAt<whole>(image, of, y + 2, x);
      float2 below = coefficients(here, down, next, noise, scale);
      if (y + 1 >= of.rows) below = own;
      float right = __shfl_down_sync(kAll, own.x, 1);
      if (x + 1 >= of.columns - 1) right = own.y;
      const float middle = x >= of.columns - 1 ? own.x : own.y;
      const float2 h = here.own;
      const float a = h.x + by * (own.x * (up.own.x - h.x) + below.x * (down.own.x - h.x) + own.x * (here.west - h.x) +
                                  middle * (h.y - h.x));
      const float b = h.y + by * (own.y * (up.own.y - h.y) + below.y * (down.own.y - h.y) + own.y * (h.x - h.y) +
                                  right * (here.east - h.y));
      if (lane > 0 && lane < 31 && x < of.columns) {
        float *to = result + std::size_t(y) * of.columns + x;
        const bool both = x + 1 < of.columns;
        if (whole) {
          *reinterpret_cast<float2 *>(to) = make_float2(a, b);
        } else {
          to[0] = a;
          if (both) to[1] = b;
        }
        sum += both ? double(a) + double(b) : double(a);
        squares += both ? double(a) * a + double(b) * b : double(a) * a;
      }
      up = here;
      here = down;
      down = next;
      own = below;
    }
  }
  addUp(sum, squares, sums + 2);
}

void srad(unsigned iterations, float lambda, Out<float, 2> image) {
  const Picture of{int(image.size[0]), int(image.size[1])};
  const std::size_t all = std::size_t(of.rows) * of.columns;
  if (all == 0 || iterations == 0) return;
  static Scratch<float> scratch;
  static Scratch<double> scratchSums;
  float *now = image.data, *next = scratch.of(all);
  double *sums = scratchSums.of(2 * (std::size_t(iterations) + 1));
  check(cudaMemsetAsync(sums, 0, 2 * (std::size_t(iterations) + 1) * sizeof(double)), "srad");
  sradSumsKernel<<<std::min(pieces(all, kLanes), cores() * 8), kLanes>>>(now, all, sums);
  const dim3 groups(pieces(of.columns, kSradRight), pieces(of.rows, kWarps * kSradRows));
  for (unsigned t = 0; t < iterations; ++t) {
    if (of.columns % 2 == 0)
      sradKernel<true><<<groups, kLanes>>>(now, next, sums + 2 * t, 0.25f * lambda, of);
    else
      sradKernel<false><<<groups, kLanes>>>(now, next, sums + 2 * t, 0.25f * lambda, of);
    std::swap(now, next);
  }
  if (now != image.data) check(cudaMemcpyAsync(image.data, now, all * sizeof(float), cudaMemcpyDeviceToDevice), "srad");
  launched("srad");
}

// ---- nw: strips of rows, a warp each, in blocks of four rows and four columns a lane. Lanes are a block apart, and
// get by shuffles what is above them; the first one reads what the strip above has written, which says how far it has
// come. Similarities are loaded four blocks ahead.

constexpr unsigned kSide = 4, kStrip = 32 * kSide, kAhead = 4,
                   kTogether = 8; // blocks between two looks at the strip above

template <bool fours>
__global__ void __launch_bounds__(32)
    nwKernel(int penalty, const int *__restrict__ similarity, int *score, unsigned *tickets, unsigned n, unsigned m) {
  const unsigned lane = threadIdx.x, blocks = pieces(m, kSide);
  const std::size_t pitch = std::size_t(m) + 1;
  unsigned strip = 0;
  if (lane == 0) strip = atomicAdd(tickets, 1);
  strip = __shfl_sync(kAll, strip, 0);
  volatile unsigned *done = tickets + 1 + strip;        // columns of the strip above
  const unsigned first = strip * kStrip + lane * kSide; // a row of similarities; the score's is the next one
  int left[kSide], bottom[kSide] = {}, corner = -int(first) * penalty, ahead[kAhead][kSide][kSide];
#pragma unroll
  for (unsigned r = 0; r < kSide; ++r) left[r] = -int(first + r + 1) * penalty;
  const auto load = [&](unsigned step, int(&to)[kSide][kSide]) {
    const unsigned block = step - lane; // before the first one: very large
#pragma unroll
    for (unsigned r = 0; r < kSide; ++r) {
      const bool there = block < blocks && first + r < n;
      const int *from = similarity + std::size_t(there ? first + r : 0) * m + (there ? block * kSide : 0);
      if (fours) {
        const int4 four = there ? __ldcs(reinterpret_cast<const int4 *>(from)) : make_int4(0, 0, 0, 0);
        to[r][0] = four.x, to[r][1] = four.y, to[r][2] = four.z, to[r][3] = four.w;
      } else {
#pragma unroll
        for (unsigned c = 0; c < kSide; ++c) to[r][c] = there && block * kSide + c < m ? from[c] : 0;
      }
    }
  };
#pragma unroll
  for (unsigned s = 0; s < kAhead; ++s) load(s, ahead[s]);
  for (unsigned begin = 0; begin < blocks + 31; begin += kTogether) {
    // What is above lane 0 in the next blocks, a column a lane.
    const unsigned column = begin * kSide + lane;
    int over = 0;
    if (begin < blocks) {
      if (strip > 0) {
        const unsigned needed = min(begin * kSide + 32, m);
        while (*done < needed) {
        }
        __threadfence();
        if (column < m) over = __ldcg(score + std::size_t(strip) * kStrip * pitch + column + 1);
      } else {
        over = -int(column + 1) * penalty;
      }
    }
#pragma unroll
    for (unsigned s = 0; s < kTogether; ++s) {
      const unsigned block = begin + s - lane;
      int above[kSide];
#pragma unroll
      for (unsigned c = 0; c < kSide; ++c) {
        const int passed = __shfl_up_sync(kAll, bottom[c], 1), head = __shfl_sync(kAll, over, s * kSide + c);
        above[c] = lane == 0 ? head : passed;
      }
      if (block < blocks) {
        int diagonal = corner;
        corner = above[kSide - 1];
#pragma unroll
        for (unsigned r = 0; r < kSide; ++r) {
          const int start = left[r];
          int *to = score + std::size_t(first + r + 1) * pitch + block * kSide + 1;
          int before = start, across = diagonal;
#pragma unroll
          for (unsigned c = 0; c < kSide; ++c) {
            const int own = max(across + ahead[s % kAhead][r][c], max(above[c], before) - penalty);
            across = above[c];
            above[c] = before = own;
            if (first + r < n && block * kSide + c < m) to[c] = own;
          }
          diagonal = start;
          left[r] = before;
        }
#pragma unroll
        for (unsigned c = 0; c < kSide; ++c) bottom[c] = above[c];
      }
      load(begin + s + kAhead, ahead[s % kAhead]);
    }
    // The last lane is 31 blocks behind.
    if (begin + kTogether > 31 && lane == 31) {
      __threadfence();
      done[1] = min((begin + kTogether - 31) * kSide, m);
    }
    __syncwarp();
  }
}

__global__ void __launch_bounds__(kLanes) nwBorderKernel(int penalty, int *score, unsigned n, unsigned m) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x;
  if (i <= m) score[i] = -int(i) * penalty;
  if (i <= n) score[std::size_t(i) * (std::size_t(m) + 1)] = -int(i) * penalty;
}

void nw(int penalty, In<int, 2> similarity, Out<int, 2> score) {
  const unsigned n = similarity.size[0], m = similarity.size[1], strips = pieces(n, kStrip);
  static Scratch<unsigned> scratch;
  unsigned *tickets = scratch.of(strips + 2);
  nwBorderKernel<<<pieces(std::size_t(std::max(n, m)) + 1, kLanes), kLanes>>>(penalty, score.data, n, m);
  if (n > 0 && m > 0) {
    check(cudaMemsetAsync(tickets, 0, (strips + 2) * sizeof(unsigned)), "nw");
    if (m % 4 == 0)
      nwKernel<true><<<strips, 32>>>(penalty, similarity.data, score.data, tickets, n, m);
    else
      nwKernel<false><<<strips, 32>>>(penalty, similarity.data, score.data, tickets, n, m);
  }
  launched("nw");
}

// ---- lavamd: a group a box. A lane has two particles and a part of those of each neighbour, which are in scratchpad
// memory while the next neighbour's are loaded; parts are added up at the end. Forces are x times the sum of weights
// less the sum of weighted x.

constexpr unsigned kBoxLanes = 512;

__device__ float powerOfTwo(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

struct Boxes {
  const unsigned *count, *neighbour;
  const float4 *particle;
  const float *charge;
  unsigned listed, each; // neighbours of a box, particles of a box
};

__global__ void __launch_bounds__(kBoxLanes) lavamdKernel(float scale, Boxes of, float4 *__restrict__ force) {
  extern __shared__ float4 dynamic[];
  const unsigned t = threadIdx.x, box = blockIdx.x, each = of.each, pairs = (each + 1) / 2, parts = kBoxLanes / pairs;
  float4 *places = dynamic, *sums = dynamic + 2 * each; // v is times the scale
  float *charges = reinterpret_cast<float *>(sums + std::size_t(parts) * 2 * pairs);
  const unsigned i = t % pairs, part = t / pairs, share = pieces(each, parts);
  const unsigned begin = min(part * share, each), end = part < parts ? min(begin + share, each) : begin;
  float4 own[2], sum[2] = {};
#pragma unroll
  for (unsigned k = 0; k < 2; ++k) {
    const float4 p = of.particle[std::size_t(box) * each + min(i + k * pairs, each - 1)];
    own[k] = make_float4(p.x * scale, -p.y * scale, -p.z * scale, -p.w * scale);
  }
  const unsigned neighbours = of.count[box];
  const auto load = [&](unsigned n) {
    const unsigned other = n == 0 ? box : of.neighbour[std::size_t(box) * of.listed + n - 1];
    for (unsigned j = t; j < each; j += kBoxLanes) {
      float4 p = of.particle[std::size_t(other) * each + j];
      p.x *= scale;
      places[n % 2 * each + j] = p;
      charges[n % 2 * each + j] = of.charge[std::size_t(other) * each + j];
    }
  };
  load(0);
  for (unsigned n = 0; n <= neighbours; ++n) {
    __syncthreads(); // these are there, and those before have been used
    if (n < neighbours) load(n + 1);
    const float4 *place = places + n % 2 * each;
    const float *charge = charges + n % 2 * each;
#pragma unroll 4
    for (unsigned j = begin; j < end; ++j) {
      const float4 p = place[j];
      const float q = charge[j];
#pragma unroll
      for (unsigned k = 0; k < 2; ++k) {
        const float w = q * powerOfTwo(own[k].x + p.x + own[k].y * p.y + own[k].z * p.z + own[k].w * p.w);
        sum[k].x += w;
        sum[k].y += w * p.y;
        sum[k].z += w * p.z;
        sum[k].w += w * p.w;
      }
    }
  }
  if (part < parts)
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) sums[(std::size_t(part) * 2 + k) * pairs + i] = sum[k];
  __syncthreads();
  for (unsigned j = t; j < each; j += kBoxLanes) {
    float4 all = make_float4(0, 0, 0, 0);
    for (unsigned p = 0; p < parts; ++p) {
      const float4 s = sums[std::size_t(p) * 2 * pairs + j];
      all.x += s.x, all.y += s.y, all.z += s.z, all.w += s.w;
    }
    const float4 p = of.particle[std::size_t(box) * each + j];
    force[std::size_t(box) * each + j] =
        make_float4(all.x, 2 * (p.y * all.x - all.y), 2 * (p.z * all.x - all.z), 2 * (p.w * all.x - all.w));
  }
}

/// Boxes of any size: a particle a lane.
__global__ void __launch_bounds__(kLanes) lavamdAnyKernel(float scale, Boxes of, float4 *__restrict__ force) {
  const unsigned i = blockIdx.y * kLanes + threadIdx.x, box = blockIdx.x;
  if (i >= of.each) return;
  const float4 own = of.particle[std::size_t(box) * of.each + i];
  float4 sum = make_float4(0, 0, 0, 0);
  for (unsigned n = 0; n <= of.count[box]; ++n) {
    const std::size_t other = n == 0 ? box : of.neighbour[std::size_t(box) * of.listed + n - 1];
    for (unsigned j = 0; j < of.each; ++j) {
      const float4 p = of.particle[other * of.each + j];
      const float w =
          of.charge[other * of.each + j] * powerOfTwo(scale * (own.x + p.x - own.y * p.y - own.z * p.z - own.w * p.w));
      sum.x += w;
      sum.y += 2 * w * (own.y - p.y);
      sum.z += 2 * w * (own.z - p.z);
      sum.w += 2 * w * (own.w - p.w);
    }
  }
  force[std::size_t(box) * of.each + i] = sum;
}

void lavamd(float alpha, In<unsigned, 1> count, In<unsigned, 2> neighbour, In<float, 3> particle, In<float, 2> charge,
            Out<float, 3> force) {
  const unsigned boxes = particle.size[0], each = particle.size[1];
  if (boxes == 0 || each == 0) return;
  const Boxes of{count.data,
                 neighbour.data,
                 reinterpret_cast<const float4 *>(particle.data),
                 charge.data,
                 unsigned(neighbour.size[1]),
                 each};
  const float scale = -2 * alpha * alpha * 1.442695041f;
  auto *to = reinterpret_cast<float4 *>(force.data);
  const unsigned pairs = (each + 1) / 2;
  if (each <= 512) { // 2 x 512 particles, their charges, and sums fit below 48 KiB
    const std::size_t slots = 2 * std::size_t(each) + std::size_t(kBoxLanes / pairs) * 2 * pairs;
    lavamdKernel<<<boxes, kBoxLanes, slots * sizeof(float4) + 2 * each * sizeof(float)>>>(scale, of, to);
  } else {
    lavamdAnyKernel<<<dim3(boxes, pieces(each, kLanes)), kLanes>>>(scale, of, to);
  }
  launched("lavamd");
}

// ---- adi: what a system is divided by is the same for all of them, so that steps are sums of products: x[j] = f[j]
// x[j
// - 1] + what is given. Of such maps a lane puts 32 together, and a scan those of 64 lanes. A group has eight systems
// in registers: columns as they are, rows by way of scratchpad memory.

constexpr unsigned kPart = 32, kParts = 64, kSystems = 8, kAdiLanes = kParts * kSystems, kMost = kPart * kParts;
constexpr unsigned kRowPitch = kMost + kMost / kPart; // a number more behind each part

/// Factors, and what right-hand sides are multiplied by; behind the last number the maps change nothing.
__global__ void adiFactorsKernel(double *factors, unsigned n, unsigned padded, double columnSide, double rowSide) {
  const double side = blockIdx.x == 0 ? columnSide : rowSide, center = 1 - 2 * side;
  double *f = factors + std::size_t(blockIdx.x) * 2 * padded, *by = f + padded, last = 0;
  for (unsigned j = 0; j < padded; ++j) {
    const bool inside = j > 0 && j + 1 < n;
    const double inverse = 1 / (side * last + center);
    last = inside ? -side * inverse : last;
    f[j] = inside ? last : j == 0 ? 0.0 : 1.0;
    by[j] = inside ? inverse : 0.0;
  }
}

struct Map {
  double a, b; // of x: a x + b
};

/// What comes into this lane's part of a system from those before it (forwards) or behind it, from 1 at the end.
template <bool forwards> __device__ double carried(Map own, Map (*maps)[kSystems], unsigned part, unsigned system) {
  const unsigned at = forwards ? part : kParts - 1 - part;
  __syncthreads(); // what was there has been read
  maps[at][system] = own;
  __syncthreads();
#pragma unroll
  for (unsigned s = 1; s < kParts; s *= 2) {
    const Map before = at >= s ? maps[at - s][system] : Map{1, 0};
    __syncthreads();
    own.b += own.a * before.b;
    own.a *= before.a;
    maps[at][system] = own;
    __syncthreads();
  }
  return at > 0 ? maps[at - 1][system].a + maps[at - 1][system].b : 1;
}

/// x: what is given, then the solution. f: this part's factors.
__device__ void solve(double (&x)[kPart], const double *__restrict__ f, unsigned there, Map (*maps)[kSystems],
                      unsigned part, unsigned system) {
  Map own{1, 0};
#pragma unroll
  for (unsigned k = 0; k < kPart; ++k) {
    own.b = x[k] + f[k] * own.b;
    own.a *= f[k];
  }
  double last = carried<true>(own, maps, part, system);
#pragma unroll
  for (unsigned k = 0; k < kPart; ++k) {
    last = x[k] + f[k] * last;
    x[k] = k < there ? last : 0;
  }
  own = {1, 0};
#pragma unroll
  for (unsigned k = kPart; k-- > 0;) {
    own.b = x[k] + f[k] * own.b;
    own.a *= f[k];
  }
  last = carried<false>(own, maps, part, system);
#pragma unroll
  for (unsigned k = kPart; k-- > 0;) {
    last = x[k] + f[k] * last;
    x[k] = last;
  }
}

__global__ void __launch_bounds__(kAdiLanes)
    adiColumnsKernel(const double *__restrict__ f, const double *__restrict__ by, double side,
                     const double *__restrict__ u, double *__restrict__ v, unsigned n) {
  __shared__ Map maps[kParts][kSystems];
  const unsigned system = threadIdx.x % kSystems, part = threadIdx.x / kSystems, first = 1 + part * kPart;
  const unsigned i = 1 + blockIdx.x * kSystems + system, column = min(i, n - 2);
  const unsigned there = first + 1 < n ? min(kPart, n - 1 - first) : 0;
  double x[kPart];
#pragma unroll
  for (unsigned k = 0; k < kPart; ++k) {
    x[k] = 0;
    if (k >= there) continue;
    const double *at = u + std::size_t(first + k) * n + column;
    x[k] = ((1 + 2 * side) * at[0] - side * (at[-1] + at[1])) * by[first + k];
  }
  solve(x, f + first, there, maps, part, system);
  if (i > n - 2) return;
#pragma unroll
  for (unsigned k = 0; k < kPart; ++k)
    if (k < there) v[std::size_t(first + k) * n + i] = x[k];
  if (part == 0) v[i] = v[std::size_t(n - 1) * n + i] = 1;
}

__global__ void __launch_bounds__(kAdiLanes)
    adiRowsKernel(const double *__restrict__ f, const double *__restrict__ by, double side,
                  const double *__restrict__ v, double *__restrict__ u, unsigned n) {
  extern __shared__ double lines[]; // kSystems x kRowPitch; number j is at j - 1 and as many more as parts are before
  __shared__ Map maps[kParts][kSystems];
  const unsigned top = 1 + blockIdx.x * kSystems, rows = min(kSystems, n - 1 - top);
  const auto placeOf = [](unsigned j) { return j - 1 + (j - 1) / kPart; };
  for (unsigned j = 1 + threadIdx.x; j < n - 1; j += kAdiLanes) {
    const double *at = v + std::size_t(top - 1) * n + j, factor = by[j];
    double up = at[0], here = at[n];
    for (unsigned r = 0; r < rows; ++r) {
      const double down = at[std::size_t(r + 2) * n];
      lines[r * kRowPitch + placeOf(j)] = ((1 + 2 * side) * here - side * (up + down)) * factor;
      up = here;
      here = down;
    }
  }
  __syncthreads();
  const unsigned system = threadIdx.x / kParts, part = threadIdx.x % kParts, first = 1 + part * kPart;
  const unsigned there = first + 1 < n && system < rows ? min(kPart, n - 1 - first) : 0;
  double *own = lines + system * kRowPitch + part * (kPart + 1);
  double x[kPart];
#pragma unroll
  for (unsigned k = 0; k < kPart; ++k) x[k] = k < there ? own[k] : 0;
  solve(x, f + first, there, maps, part, system);
#pragma unroll
  for (unsigned k = 0; k < kPart; ++k)
    if (k < there) own[k] = x[k];
  __syncthreads();
  for (unsigned r = 0; r < rows; ++r) {
    double *to = u + std::size_t(top + r) * n;
    for (unsigned j = threadIdx.x; j < n; j += kAdiLanes)
      to[j] = j > 0 && j + 1 < n ? lines[r * kRowPitch + placeOf(j)] : 1;
  }
}

/// Systems of any length: one a lane. Numbers of a system are `along` apart, and systems `across`.
__global__ void __launch_bounds__(kLanes)
    adiAnyKernel(const double *__restrict__ f, const double *__restrict__ by, double side, const double *__restrict__ u,
                 double *__restrict__ v, double *__restrict__ q, unsigned n, std::size_t along, std::size_t across) {
  const unsigned i = 1 + blockIdx.x * kLanes + threadIdx.x;
  if (i > n - 2) return;
  double last = 1;
  for (unsigned j = 1; j + 1 < n; ++j) {
    const double *at = u + j * along + i * across;
    const double given = (1 + 2 * side) * at[0] - side * (*(at - across) + at[across]);
    q[std::size_t(j) * n + i] = last = given * by[j] + f[j] * last;
  }
  last = v[i * across] = v[(n - 1) * along + i * across] = 1;
  for (unsigned j = n - 2; j >= 1; --j) v[j * along + i * across] = last = f[j] * last + q[std::size_t(j) * n + i];
}

void adi(int steps, Out<double, 2> u) {
  const unsigned n = u.size[0], padded = std::max(n, kMost + 1);
  const double dt = 1.0 / steps, a = -dt * double(n) * n, d = a / 2; // off the diagonal, of columns and rows
  static Scratch<double> scratch, scratchFactors, scratchKept;
  const std::size_t all = std::size_t(n) * n;
  double *v = scratch.of(all), *f = scratchFactors.of(4 * std::size_t(padded)), *g = f + 2 * std::size_t(padded);
  adiFactorsKernel<<<2, 1>>>(f, n, padded, a, d);
  constexpr unsigned kBytes = kSystems * kRowPitch * sizeof(double);
  static const bool ready = [] {
    check(cudaFuncSetAttribute(adiRowsKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kBytes)), "adi");
    return true;
  }();
  (void)ready;
  for (int t = 0; t < steps; ++t)
    if (n - 2 <= kMost) {
      const unsigned groups = pieces(n - 2, kSystems);
      adiColumnsKernel<<<groups, kAdiLanes>>>(f, f + padded, d, u.data, v, n);
      adiRowsKernel<<<groups, kAdiLanes, kBytes>>>(g, g + padded, a, v, u.data, n);
    } else {
      double *q = scratchKept.of(all);
      const unsigned groups = pieces(n - 2, kLanes);
      adiAnyKernel<<<groups, kLanes>>>(f, f + padded, d, u.data, v, q, n, n, 1);
      adiAnyKernel<<<groups, kLanes>>>(g, g + padded, a, v, u.data, q, n, 1, n);
    }
  launched("adi");
}

// ---- nussinov: by tiles of 64 x 64, along diagonals. What lies between both ends' tiles is products of tiles, with
// sums for products and the greatest for a sum, 4 x 4 results a lane; where few tiles are left, several groups have
// parts of them. Then a group goes through each tile along its diagonals, eight lanes a number.

constexpr unsigned kTile = 64, kTilePitch = kTile + 4, kCellLanes = 8;

__device__ int greaterSum(int a, int b, int c) {
#if CUDART_VERSION >= 12000
  return __viaddmax_s32(a, b, c);
#else
  return max(a + b, c);
#endif
}

/// Of tile (i, i + distance), what goes through tiles i + 1 + blockIdx.y, and on in steps of gridDim.y.
__global__ void __launch_bounds__(kLanes) nussinovProductsKernel(int *table, unsigned pitch, unsigned distance) {
  __shared__ __align__(16) int left[kTile][kTilePitch], right[kTile][kTile]; // left: turned
  const unsigned x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
  const std::size_t top = std::size_t(blockIdx.x) * kTile, side = top + std::size_t(distance) * kTile;
  int best[4][4] = {};
  for (unsigned k = 1 + blockIdx.y; k < distance; k += gridDim.y) {
    const std::size_t via = top + std::size_t(k) * kTile;
    __syncthreads(); // what was there has been read
#pragma unroll 4
    for (unsigned t = threadIdx.x; t < kTile * kTile; t += kLanes) {
      const unsigned r = t / kTile, c = t % kTile;
      left[c][r] = table[(top + r) * pitch + via + c];
      right[r][c] = table[(via + r + 1) * pitch + side + c];
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned j = 0; j < kTile; ++j) {
      const int4 a = *reinterpret_cast<const int4 *>(&left[j][y]), b = *reinterpret_cast<const int4 *>(&right[j][x]);
      const int p[4] = {a.x, a.y, a.z, a.w}, q[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (unsigned r = 0; r < 4; ++r)
#pragma unroll
        for (unsigned c = 0; c < 4; ++c) best[r][c] = greaterSum(p[r], q[c], best[r][c]);
    }
  }
#pragma unroll
  for (unsigned r = 0; r < 4; ++r)
#pragma unroll
    for (unsigned c = 0; c < 4; ++c) {
      int *to = table + (top + y + r) * pitch + side + x + c;
      if (gridDim.y == 1)
        *to = best[r][c];
      else
        atomicMax(to, best[r][c]);
    }
}

__device__ int maxOfCell(int x) {
#pragma unroll
  for (unsigned s = kCellLanes / 2; s > 0; s /= 2) x = max(x, __shfl_xor_sync(kAll, x, s));
  return x;
}

/// Tiles on the diagonal.
__global__ void __launch_bounds__(512)
    nussinovDiagonalKernel(const Byte *__restrict__ base, int *table, unsigned pitch) {
  __shared__ int own[kTile + 1][kTile + 1];
  __shared__ Byte bases[kTile];
  const std::size_t top = std::size_t(blockIdx.x) * kTile;
  for (unsigned t = threadIdx.x; t < (kTile + 1) * (kTile + 1); t += 512) own[t / (kTile + 1)][t % (kTile + 1)] = 0;
  if (threadIdx.x < kTile) bases[threadIdx.x] = base[top + threadIdx.x];
  const unsigned cell = threadIdx.x / kCellLanes, lane = threadIdx.x % kCellLanes;
  for (unsigned w = 1; w < kTile; ++w) {
    __syncthreads();
    const unsigned i = min(cell, kTile - 1 - w), j = i + w; // lanes without a number of their own have the last one
    int best = w > 1 ? own[i + 1][j - 1] + (bases[i] + bases[j] == 3) : 0;
    for (unsigned k = i + lane; k < j; k += kCellLanes) best = greaterSum(own[i][k], own[k + 1][j], best);
    best = maxOfCell(best);
    if (lane == 0 && cell == i) own[i][j] = best;
  }
  __syncthreads();
  for (unsigned t = threadIdx.x; t < kTile * kTile; t += 512)
    table[(top + t / kTile) * pitch + top + t % kTile] = own[t / kTile][t % kTile];
}

/// Tile (i, i + distance), in which what the tiles between make of it is there.
__global__ void __launch_bounds__(512)
    nussinovTileKernel(const Byte *__restrict__ base, int *table, unsigned pitch, unsigned distance) {
  extern __shared__ int squares[];
  using Square = int[kTile][kTile + 1];
  int(&own)[kTile + 1][kTile + 2] =
      *reinterpret_cast<int(*)[kTile + 1][kTile + 2]>(squares); // a row more, a column before
  Square &left = *reinterpret_cast<Square *>(squares + (kTile + 1) * (kTile + 2));
  Square &right =
      *reinterpret_cast<Square *>(squares + (kTile + 1) * (kTile + 2) + kTile * (kTile + 1)); // row k: k + 1
  __shared__ Byte rows[kTile], columns[kTile];
  const std::size_t top = std::size_t(blockIdx.x) * kTile, side = top + std::size_t(distance) * kTile;
  for (unsigned t = threadIdx.x; t < (kTile + 1) * (kTile + 1); t += 512) {
    const unsigned r = t / (kTile + 1), c = t % (kTile + 1);
    own[r][c] = table[(top + r) * pitch + side + c - 1];
  }
  for (unsigned t = threadIdx.x; t < kTile * kTile; t += 512) {
    const unsigned r = t / kTile, c = t % kTile;
    left[r][c] = table[(top + r) * pitch + top + c];
    right[r][c] = r + 1 < kTile ? table[(side + r + 1) * pitch + side + c] : 0;
  }
  if (threadIdx.x < kTile) {
    rows[threadIdx.x] = base[top + threadIdx.x];
    columns[threadIdx.x] = base[side + threadIdx.x];
  }
  const unsigned cell = threadIdx.x / kCellLanes, lane = threadIdx.x % kCellLanes;
  for (unsigned w = 0; w < 2 * kTile - 1; ++w) {
    __syncthreads();
    // Column j of row kTile - 1 - w + j; lanes without a number of their own have the last one.
    const unsigned least = w < kTile ? 0 : w - (kTile - 1), most = min(w, kTile - 1);
    const unsigned j = min(least + cell, most), i = kTile - 1 - w + j;
    const bool apart = distance > 1 || i + 1 < kTile || j > 0; // else they are neighbours
    int best = max(own[i][j + 1], own[i + 1][j] + (apart && rows[i] + columns[j] == 3));
    for (unsigned k = i + lane; k < kTile; k += kCellLanes) best = greaterSum(left[i][k], own[k + 1][j + 1], best);
    for (unsigned k = lane; k < j; k += kCellLanes) best = greaterSum(own[i][k + 1], right[k][j], best);
    best = maxOfCell(best);
    if (lane == 0 && least + cell == j) own[i][j + 1] = best;
  }
  __syncthreads();
  for (unsigned t = threadIdx.x; t < kTile * kTile; t += 512)
    table[(top + t / kTile) * pitch + side + t % kTile] = own[t / kTile][t % kTile + 1];
}

void nussinov(In<Byte, 1> base, Out<int, 2> table) {
  const unsigned n = base.size[0], tiles = pieces(n, kTile), padded = tiles * kTile;
  if (n == 0) return;
  static Scratch<int> scratch;
  static Scratch<Byte> scratchBases;
  const bool whole = padded == n;
  int *all = whole ? table.data : scratch.of(std::size_t(padded) * padded);
  Byte *bases = scratchBases.of(padded);
  check(cudaMemsetAsync(bases, 255, padded), "nussinov");
  check(cudaMemcpyAsync(bases, base.data, n, cudaMemcpyDeviceToDevice), "nussinov");
  check(cudaMemsetAsync(all, 0, std::size_t(padded) * padded * sizeof(int)), "nussinov");
  constexpr unsigned kBytes = ((kTile + 1) * (kTile + 2) + 2 * kTile * (kTile + 1)) * sizeof(int);
  static const unsigned room = [] {
    check(cudaFuncSetAttribute(nussinovTileKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kBytes)),
          "nussinov");
    return 2 * cores();
  }();
  nussinovDiagonalKernel<<<tiles, 512>>>(bases, all, padded);
  for (unsigned d = 1; d < tiles; ++d) {
    if (d > 1)
      nussinovProductsKernel<<<dim3(tiles - d, std::min(std::max(room / (tiles - d), 1u), d - 1)), kLanes>>>(all,
                                                                                                             padded, d);
    nussinovTileKernel<<<tiles - d, 512, kBytes>>>(bases, all, padded, d);
  }
  if (!whole)
    check(cudaMemcpy2DAsync(table.data, n * sizeof(int), all, padded * sizeof(int), n * sizeof(int), n,
                            cudaMemcpyDeviceToDevice),
          "nussinov");
  launched("nussinov");
}

// ---- gesummv: a warp has two rows of both matrices, 16 bytes a lane

template <bool pairs>
__global__ void __launch_bounds__(kLanes)
    gesummvKernel(double alpha, double beta, const double *__restrict__ a, const double *__restrict__ b,
                  const double *__restrict__ x, double *__restrict__ y, unsigned n, unsigned m) {
  const unsigned lane = threadIdx.x % 32, row = (blockIdx.x * kWarps + threadIdx.x / 32) * 2;
  if (row >= n) return; // a whole warp
  const std::size_t first = std::size_t(row) * m, second = std::size_t(min(row + 1, n - 1)) * m;
  double s[2] = {}, t[2] = {};
  if (pairs) {
    const auto load = [](const double *from) { return __ldcs(reinterpret_cast<const double2 *>(from)); };
#pragma unroll 4
    for (unsigned j = lane * 2; j < m; j += 64) {
      const double2 with = *reinterpret_cast<const double2 *>(x + j);
      const double2 a0 = load(a + first + j), a1 = load(a + second + j);
      const double2 b0 = load(b + first + j), b1 = load(b + second + j);
      s[0] += a0.x * with.x + a0.y * with.y;
      s[1] += a1.x * with.x + a1.y * with.y;
      t[0] += b0.x * with.x + b0.y * with.y;
      t[1] += b1.x * with.x + b1.y * with.y;
    }
  } else {
#pragma unroll 4
    for (unsigned j = lane; j < m; j += 32) {
      s[0] += a[first + j] * x[j];
      s[1] += a[second + j] * x[j];
      t[0] += b[first + j] * x[j];
      t[1] += b[second + j] * x[j];
    }
  }
  const double own = sumOfWarp(alpha * s[0] + beta * t[0]), other = sumOfWarp(alpha * s[1] + beta * t[1]);
  if (lane == 0) y[row] = own;
  if (lane == 0 && row + 1 < n) y[row + 1] = other;
}

void gesummv(double alpha, double beta, In<double, 2> a, In<double, 2> b, In<double, 1> x, Out<double, 1> y) {
  const unsigned n = y.size[0], m = x.size[0];
  if (n == 0) return;
  if (m % 2 == 0)
    gesummvKernel<true><<<pieces(n, 2 * kWarps), kLanes>>>(alpha, beta, a.data, b.data, x.data, y.data, n, m);
  else
    gesummvKernel<false><<<pieces(n, 2 * kWarps), kLanes>>>(alpha, beta, a.data, b.data, x.data, y.data, n, m);
  launched("gesummv");
}

// ---- deriche: what a part of a line does to what comes into it is a matrix, the same for all parts, and what it gives
// from zero. A row is a group's, 33 numbers a lane, whose parts are put together by a scan. Columns are cut into parts
// of 64 rows: what these give from zero, what comes into each, and then the results.

constexpr unsigned kRowLanes = 512, kRowEach = 33, kRowMost = kRowLanes * kRowEach, kHigh = 64, kColumnLanes = 128;

struct Recursion {
  float a1, a2, a3, a4, b1, b2;
  explicit Recursion(float alpha) {
    const float fade = std::exp(-alpha), twice = std::exp(-2 * alpha);
    a1 = (1 - fade) * (1 - fade) / (1 + 2 * alpha * fade - twice);
    a2 = a1 * fade * (alpha - 1);
    a3 = a1 * fade * (alpha + 1);
    a4 = -a1 * twice;
    b1 = std::exp2(-alpha);
    b2 = -twice;
  }
};

/// Of the last two numbers, the last one first.
struct Power {
  float m[2][2];
  __host__ __device__ float2 of(float2 v) const {
    return make_float2(m[0][0] * v.x + m[0][1] * v.y, m[1][0] * v.x + m[1][1] * v.y);
  }
};

Power powerOf(const Recursion &by, unsigned steps) {
  double m[2][2] = {{1, 0}, {0, 1}};
  for (unsigned s = 0; s < steps; ++s)
    for (unsigned c = 0; c < 2; ++c) {
      const double last = by.b1 * m[0][c] + by.b2 * m[1][c];
      m[1][c] = m[0][c];
      m[0][c] = last;
    }
  return {{{float(m[0][0]), float(m[0][1])}, {float(m[1][0]), float(m[1][1])}}};
}

struct RowPowers {
  Power lanes[6]; // of 1, 2, 4, ... parts; the last one of a warp's
};

__device__ float2 sumOf(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }

/// What comes into this lane's part from those before it (behind it), of which each gives `own` from zero.
template <bool forwards> __device__ float2 carriedIn(float2 own, const RowPowers &powers, float2 *ofWarps) {
  constexpr unsigned kRowWarps = kRowLanes / 32;
  const unsigned lane = forwards ? threadIdx.x % 32 : 31 - threadIdx.x % 32;
  const unsigned warp = forwards ? threadIdx.x / 32 : kRowWarps - 1 - threadIdx.x / 32;
  const auto from = [](float2 v, unsigned s) {
    return forwards ? make_float2(__shfl_up_sync(kAll, v.x, s), __shfl_up_sync(kAll, v.y, s))
                    : make_float2(__shfl_down_sync(kAll, v.x, s), __shfl_down_sync(kAll, v.y, s));
  };
#pragma unroll
  for (unsigned l = 0; l < 5; ++l) {
    const float2 before = from(own, 1u << l);
    if (lane >= 1u << l) own = sumOf(own, powers.lanes[l].of(before));
  }
  __syncthreads(); // what was there has been read
  if (lane == 31) ofWarps[warp] = own;
  __syncthreads();
  float2 come = make_float2(0, 0);
  for (unsigned w = 0; w < warp; ++w) come = sumOf(ofWarps[w], powers.lanes[5].of(come));
#pragma unroll
  for (unsigned l = 0; l < 5; ++l)
    if (lane & 1u << l) come = powers.lanes[l].of(come);
  const float2 before = from(own, 1);
  return lane > 0 ? sumOf(come, before) : come;
}

__global__ void __launch_bounds__(kRowLanes, 2)
    dericheRowsKernel(Recursion by, RowPowers powers, const float *__restrict__ in, float *__restrict__ out,
                      unsigned n) {
  extern __shared__ float line[]; // kRowMost + 2
  __shared__ float2 ofWarps[kRowLanes / 32];
  const float *from = in + std::size_t(blockIdx.x) * n;
  for (unsigned j = threadIdx.x; j < kRowMost + 2; j += kRowLanes) line[j] = j < n ? __ldcs(from + j) : 0;
  __syncthreads();
  const unsigned first = threadIdx.x * kRowEach;
  float *x = line + first;
  const float before = first > 0 ? x[-1] : 0, behind = x[kRowEach], second = x[kRowEach + 1];
  const auto forwards = [&](float2 y, auto use) { // y: the last two
    float last = before;
#pragma unroll
    for (unsigned k = 0; k < kRowEach; ++k) {
      const float own = x[k], now = (by.a1 * own + by.a2 * last + by.b2 * y.y) + by.b1 * y.x;
      use(k, now);
      last = own;
      y = make_float2(now, y.x);
    }
    return y;
  };
  const auto backwards = [&](float2 y, auto use) {
    float one = behind, two = second;
#pragma unroll
    for (unsigned k = kRowEach; k-- > 0;) {
      const float now = (by.a3 * one + by.a4 * two + by.b2 * y.y) + by.b1 * y.x;
      two = one;
      one = x[k];
      use(k, now);
      y = make_float2(now, y.x);
    }
    return y;
  };
  const float2 zero = make_float2(0, 0);
  const float2 up = carriedIn<true>(forwards(zero, [](unsigned, float) {}), powers, ofWarps);
  const float2 down = carriedIn<false>(backwards(zero, [](unsigned, float) {}), powers, ofWarps);
  float y[kRowEach];
  forwards(up, [&](unsigned k, float now) { y[k] = now; });
  __syncthreads(); // parts beside this one have been read
  backwards(down, [&](unsigned k, float now) { x[k] = y[k] + now; });
  __syncthreads();
  for (unsigned j = threadIdx.x; j < n; j += kRowLanes) out[std::size_t(blockIdx.x) * n + j] = line[j];
}

/// Rows of any length: a lane a row.
__global__ void __launch_bounds__(kLanes) dericheAnyRowsKernel(Recursion by, const float *__restrict__ in,
                                                               float *__restrict__ out, unsigned rows, unsigned n) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x;
  if (i >= rows) return;
  const float *x = in + std::size_t(i) * n;
  float *to = out + std::size_t(i) * n, y1 = 0, y2 = 0, x1 = 0, x2 = 0;
  for (unsigned j = 0; j < n; ++j) {
    const float y = by.a1 * x[j] + by.a2 * x1 + by.b1 * y1 + by.b2 * y2;
    to[j] = y;
    x1 = x[j], y2 = y1, y1 = y;
  }
  x1 = y1 = y2 = 0;
  for (unsigned j = n; j-- > 0;) {
    const float y = by.a3 * x1 + by.a4 * x2 + by.b1 * y1 + by.b2 * y2;
    to[j] += y;
    x2 = x1, x1 = x[j], y2 = y1, y1 = y;
  }
}

/// A part of a column, and what is next to it.
struct Column {
  float x[kHigh], before, behind, second;

  __device__ Column(const float *from, unsigned top, unsigned rows, unsigned columns) {
    const auto at = [&](unsigned i) { return i < rows ? from[std::size_t(i) * columns] : 0; };
#pragma unroll
    for (unsigned k = 0; k < kHigh; ++k) x[k] = at(top + k);
    before = top > 0 ? at(top - 1) : 0;
    behind = at(top + kHigh);
    second = at(top + kHigh + 1);
  }
  template <class Use> __device__ float2 forwards(const Recursion &by, float2 y, Use use) const {
    float last = before;
#pragma unroll
    for (unsigned k = 0; k < kHigh; ++k) {
      const float now = (by.a1 * x[k] + by.a2 * last + by.b2 * y.y) + by.b1 * y.x;
      use(k, now);
      last = x[k];
      y = make_float2(now, y.x);
    }
    return y;
  }
  template <class Use> __device__ float2 backwards(const Recursion &by, float2 y, Use use) const {
    float one = behind, two = second;
#pragma unroll
    for (unsigned k = kHigh; k-- > 0;) {
      const float now = (by.a3 * one + by.a4 * two + by.b2 * y.y) + by.b1 * y.x;
      use(k, now);
      two = one;
      one = x[k];
      y = make_float2(now, y.x);
    }
    return y;
  }
};

/// states: of a part, a direction and a column.
__global__ void __launch_bounds__(kColumnLanes)
    dericheEndsKernel(Recursion by, const float *__restrict__ in, float2 *__restrict__ states, unsigned rows,
                      unsigned n) {
  const unsigned j = blockIdx.x * kColumnLanes + threadIdx.x;
  if (j >= n) return;
  const Column column(in + j, blockIdx.y * kHigh, rows, n);
  float2 *to = states + std::size_t(blockIdx.y) * 2 * n + j;
  to[0] = column.forwards(by, make_float2(0, 0), [](unsigned, float) {});
  to[n] = column.backwards(by, make_float2(0, 0), [](unsigned, float) {});
}

/// What comes into each part, in place.
__global__ void __launch_bounds__(kColumnLanes)
    dericheCarryKernel(Power power, float2 *states, unsigned parts, unsigned n) {
  const unsigned j = blockIdx.x * kColumnLanes + threadIdx.x;
  if (j >= n) return;
  const bool forwards = blockIdx.y == 0;
  float2 *own = states + (forwards ? 0 : n) + j, come = make_float2(0, 0);
#pragma unroll 8
  for (unsigned p = 0; p < parts; ++p) {
    float2 &state = own[std::size_t(forwards ? p : parts - 1 - p) * 2 * n];
    const float2 given = state;
    state = come;
    come = sumOf(given, power.of(come));
  }
}

__global__ void __launch_bounds__(kColumnLanes)
    dericheColumnsKernel(Recursion by, const float *__restrict__ in, const float2 *__restrict__ states,
                         float *__restrict__ out, unsigned rows, unsigned n) {
  const unsigned j = blockIdx.x * kColumnLanes + threadIdx.x, top = blockIdx.y * kHigh;
  if (j >= n) return;
  const Column column(in + j, top, rows, n);
  const float2 *come = states + std::size_t(blockIdx.y) * 2 * n + j;
  float y[kHigh];
  column.forwards(by, come[0], [&](unsigned k, float now) { y[k] = now; });
  column.backwards(by, come[n], [&](unsigned k, float now) {
    if (top + k < rows) out[std::size_t(top + k) * n + j] = y[k] + now;
  });
}

void deriche(float alpha, In<float, 2> in, Out<float, 2> out) {
  const unsigned rows = in.size[0], n = in.size[1], parts = pieces(rows, kHigh);
  if (rows == 0 || n == 0) return;
  static Scratch<float> scratch;
  static Scratch<float2> scratchStates;
  float *half = scratch.of(std::size_t(rows) * n);
  float2 *states = scratchStates.of(std::size_t(parts) * 2 * n);
  const Recursion by(alpha);
  if (n <= kRowMost) {
    RowPowers powers;
    for (unsigned l = 0; l < 6; ++l) powers.lanes[l] = powerOf(by, kRowEach << l);
    constexpr unsigned kBytes = (kRowMost + 2) * sizeof(float);
    static const bool ready = [] {
      check(cudaFuncSetAttribute(dericheRowsKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kBytes)),
            "deriche");
      return true;
    }();
    (void)ready;
    dericheRowsKernel<<<rows, kRowLanes, kBytes>>>(by, powers, in.data, half, n);
  } else {
    dericheAnyRowsKernel<<<pieces(rows, kLanes), kLanes>>>(by, in.data, half, rows, n);
  }
  const unsigned across = pieces(n, kColumnLanes);
  dericheEndsKernel<<<dim3(across, parts), kColumnLanes>>>(by, half, states, rows, n);
  dericheCarryKernel<<<dim3(across, 2), kColumnLanes>>>(powerOf(by, kHigh), states, parts, n);
  dericheColumnsKernel<<<dim3(across, parts), kColumnLanes>>>(by, half, states, out.data, rows, n);
  launched("deriche");
}

// ---- bitonic: a group has 16384 numbers in scratchpad memory, of which a lane does four distances at a time with 16
// numbers in registers; of distances beyond, up to four at a time in memory

constexpr unsigned kSortLanes = 1024, kHeld = 16, kChunk = kSortLanes * kHeld;

__device__ unsigned sortPlace(unsigned i) { return i + i / kHeld; }

/// Which number lane t holds as its e-th, where their distance is 1 << low.
__device__ std::size_t heldAt(std::size_t t, unsigned e, unsigned low) {
  return t >> low << (low + 4) | std::size_t(e) << low | (t & ((std::size_t(1) << low) - 1));
}

/// Distances `most` << low and below, of sequences of k; `at` says where the held ones are.
template <class At> __device__ void orderHeld(unsigned (&x)[kHeld], unsigned most, std::size_t k, At at) {
#pragma unroll
  for (unsigned j = kHeld / 2; j > 0; j /= 2) {
    if (j > most) continue;
#pragma unroll
    for (unsigned e = 0; e < kHeld; ++e) {
      if (e & j) continue;
      const bool rises = (at(e) & k) == 0;
      const unsigned a = x[e], b = x[e | j], least = min(a, b), greatest = max(a, b);
      x[e] = rises ? least : greatest;
      x[e | j] = rises ? greatest : least;
    }
  }
}

/// Distances from `most` down, of the group's numbers.
__device__ void orderShared(unsigned *numbers, unsigned most, std::size_t first, std::size_t k) {
  while (most > 0) {
    const unsigned high = 31 - __clz(most), low = high > 3 ? high - 3 : 0;
    unsigned x[kHeld];
    const auto place = [&](unsigned e) { return unsigned(heldAt(threadIdx.x, e, low)); };
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < kHeld; ++e) x[e] = numbers[sortPlace(place(e))];
    orderHeld(x, most >> low, k, [&](unsigned e) { return first + place(e); });
#pragma unroll
    for (unsigned e = 0; e < kHeld; ++e) numbers[sortPlace(place(e))] = x[e];
    most = (1u << low) / 2;
  }
}

/// All sequences within a group's numbers, or (merges) the distances from `most` down of those of k.
template <bool merges>
__global__ void __launch_bounds__(kSortLanes) bitonicSharedKernel(unsigned *a, unsigned most, std::size_t k) {
  extern __shared__ unsigned numbers[];
  const std::size_t first = std::size_t(blockIdx.x) * kChunk;
#pragma unroll
  for (unsigned e = 0; e < kHeld; ++e) {
    const unsigned i = e * kSortLanes + threadIdx.x;
    numbers[sortPlace(i)] = a[first + i];
  }
  if (merges) {
    orderShared(numbers, most, first, k);
  } else {
    __syncthreads();
    unsigned x[kHeld];
#pragma unroll
    for (unsigned e = 0; e < kHeld; ++e) x[e] = numbers[sortPlace(threadIdx.x * kHeld + e)];
#pragma unroll
    for (unsigned size = 2; size <= kHeld; size *= 2)
      orderHeld(x, size / 2, size, [&](unsigned e) { return first + threadIdx.x * kHeld + e; });
#pragma unroll
    for (unsigned e = 0; e < kHeld; ++e) numbers[sortPlace(threadIdx.x * kHeld + e)] = x[e];
    for (unsigned size = 2 * kHeld; size <= kChunk; size *= 2) orderShared(numbers, size / 2, first, size);
  }
  __syncthreads();
#pragma unroll
  for (unsigned e = 0; e < kHeld; ++e) {
    const unsigned i = e * kSortLanes + threadIdx.x;
    a[first + i] = numbers[sortPlace(i)];
  }
}

/// Distances from 8 << low down to 1 << low.
__global__ void __launch_bounds__(kLanes) bitonicMergeKernel(unsigned *a, unsigned low, std::size_t k) {
  const std::size_t t = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  unsigned x[kHeld];
#pragma unroll
  for (unsigned e = 0; e < kHeld; ++e) x[e] = a[heldAt(t, e, low)];
  orderHeld(x, kHeld / 2, k, [&](unsigned e) { return heldAt(t, e, low); });
#pragma unroll
  for (unsigned e = 0; e < kHeld; ++e) a[heldAt(t, e, low)] = x[e];
}

/// Few numbers: a distance at a time.
__global__ void __launch_bounds__(kLanes) bitonicFewKernel(unsigned *a, unsigned n, unsigned j, unsigned k) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x, partner = i ^ j;
  if (i >= n || partner < i) return;
  const unsigned x = a[i], y = a[partner];
  if ((i & k) == 0 ? x <= y : x >= y) return;
  a[i] = y;
  a[partner] = x;
}

void bitonic(Out<unsigned, 1> a) {
  const std::size_t n = a.size[0];
  if (n < kChunk) {
    for (unsigned k = 2; k <= n; k *= 2)
      for (unsigned j = k / 2; j > 0; j /= 2)
        bitonicFewKernel<<<pieces(n, kLanes), kLanes>>>(a.data, unsigned(n), j, k);
    launched("bitonic");
    return;
  }
  constexpr unsigned kBytes = (kChunk + kChunk / kHeld) * sizeof(unsigned);
  static const bool ready = [] {
    for (auto kernel : {bitonicSharedKernel<false>, bitonicSharedKernel<true>})
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kBytes)), "bitonic");
    return true;
  }();
  (void)ready;
  const unsigned groups = unsigned(n / kChunk);
  bitonicSharedKernel<false><<<groups, kSortLanes, kBytes>>>(a.data, 0, 0);
  unsigned high = 0; // of the greatest distance
  while ((std::size_t(2) << high) < 2 * std::size_t(kChunk)) ++high;
  for (std::size_t k = 2 * std::size_t(kChunk); k <= n; k *= 2, ++high) {
    unsigned next = high;
    for (; (std::size_t(1) << next) >= kChunk; next -= 4)
      bitonicMergeKernel<<<unsigned(n / kHeld / kLanes), kLanes>>>(a.data, next - 3, k);
    bitonicSharedKernel<true><<<groups, kSortLanes, kBytes>>>(a.data, 1u << next, k);
  }
  launched("bitonic");
}

// ---- jacobi1d: up to 16 steps a kernel, each of which is two. A warp has 512 numbers, 16 a lane, of which 32 at each
// side are right but at first; those of other lanes come by shuffles.

constexpr unsigned kLineEach = 16, kLineDeep = 16, kLineReach = 2 * kLineDeep, kLineAcross = 32 * kLineEach;
constexpr unsigned kLineRight = kLineAcross - 2 * kLineReach;

struct Ends {
  double first, last;
};

/// Means of neighbours; what is at the ends of all stays as it is there.
__device__ void meansOf(const double (&x)[kLineEach], double (&y)[kLineEach], long long at, long long n, bool ending,
                        const Ends &ends) {
  double before = __shfl_up_sync(kAll, x[kLineEach - 1], 1);
  const double behind = __shfl_down_sync(kAll, x[0], 1);
#pragma unroll
  for (unsigned e = 0; e < kLineEach; ++e) {
    y[e] = 0.33333 * (before + x[e] + (e + 1 < kLineEach ? x[e + 1 < kLineEach ? e + 1 : e] : behind));
    before = x[e];
  }
  if (!ending) return;
#pragma unroll
  for (unsigned e = 0; e < kLineEach; ++e) {
    if (at + e == 0) y[e] = ends.first;
    if (at + e == n - 1) y[e] = ends.last;
  }
}

template <bool pairs>
__global__ void __launch_bounds__(kLanes)
    jacobi1dKernel(unsigned steps, const double *__restrict__ a, double *__restrict__ next, double *__restrict__ b,
                   bool done, long long n) {
  const unsigned lane = threadIdx.x % 32;
  const long long begin = (static_cast<long long>(blockIdx.x) * kWarps + threadIdx.x / 32) * kLineRight - kLineReach;
  if (begin + kLineReach >= n) return; // a whole warp
  const long long at = begin + lane * kLineEach;
  const bool ending = begin <= 0 || begin + kLineAcross >= n;
  const Ends even{a[0], a[n - 1]}, odd{b[0], b[n - 1]};
  double x[kLineEach], y[kLineEach];
#pragma unroll
  for (unsigned e = 0; e < kLineEach; e += 2) {
    if (pairs) {
      double2 two = make_double2(0, 0);
      if (at + e >= 0 && at + e < n) two = *reinterpret_cast<const double2 *>(a + at + e);
      x[e] = two.x, x[e + 1] = two.y;
    } else {
      x[e] = at + e >= 0 && at + e < n ? a[at + e] : 0;
      x[e + 1] = at + e + 1 >= 0 && at + e + 1 < n ? a[at + e + 1] : 0;
    }
  }
#pragma unroll
  for (unsigned e = 0; e < kLineEach; ++e) y[e] = x[e];
  for (unsigned t = 0; t < steps; ++t) {
    meansOf(x, y, at, n, ending, odd);
    meansOf(y, x, at, n, ending, even);
  }
  const unsigned own = lane * kLineEach; // of the warp's
  if (own < kLineReach || own >= kLineReach + kLineRight) return;
#pragma unroll
  for (unsigned e = 0; e < kLineEach; e += 2) {
    if (pairs) {
      if (at + e >= n) continue;
      *reinterpret_cast<double2 *>(next + at + e) = make_double2(x[e], x[e + 1]);
      if (!done) continue;
      if (at + e > 0) b[at + e] = y[e]; // its ends, which others read, stay as they are
      if (at + e + 1 < n - 1) b[at + e + 1] = y[e + 1];
    } else {
#pragma unroll
      for (unsigned k = 0; k < 2; ++k) {
        if (at + e + k >= n) continue;
        next[at + e + k] = x[e + k];
        if (done && at + e + k > 0 && at + e + k < n - 1) b[at + e + k] = y[e + k];
      }
    }
  }
}

void jacobi1d(int steps, Out<double, 1> a, Out<double, 1> b) {
  const long long n = static_cast<long long>(a.size[0]);
  if (n < 3 || steps <= 0) return;
  static Scratch<double> scratch;
  double *now = a.data, *next = scratch.of(std::size_t(n));
  const unsigned all = unsigned(steps), kernels = (pieces(all, kLineDeep) + 1) / 2 * 2;
  const unsigned groups = pieces(pieces(std::size_t(n), kLineRight), kWarps);
  for (unsigned k = 0; k < kernels; ++k) {
    const unsigned of = all / kernels + (k < all % kernels);
    const bool done = k + 1 == (all < kernels ? all : kernels); // a kernel of no steps only copies
    if (n % 2 == 0)
      jacobi1dKernel<true><<<groups, kLanes>>>(of, now, next, b.data, done, n);
    else
      jacobi1dKernel<false><<<groups, kLanes>>>(of, now, next, b.data, done, n);
    std::swap(now, next);
  }
  launched("jacobi1d");
}

const Peer<pathfinder> pathfinderPeer("pathfinder", "cuda", {"cost", "result"}, kDevice);
const Peer<hotspot> hotspotPeer("hotspot", "cuda", {"steps", "step", "rx", "ry", "rz", "ambient", "power", "heat"},
                                kDevice);
const Peer<srad> sradPeer("srad", "cuda", {"iterations", "lambda", "image"}, kDevice);
const Peer<nw> nwPeer("nw", "cuda", {"penalty", "similarity", "score"}, kDevice);
const Peer<lavamd> lavamdPeer("lavamd", "cuda", {"alpha", "count", "neighbour", "particle", "charge", "force"},
                              kDevice);
const Peer<adi> adiPeer("adi", "cuda", {"steps", "u"}, kDevice);
const Peer<nussinov> nussinovPeer("nussinov", "cuda", {"base", "table"}, kDevice);
const Peer<gesummv> gesummvPeer("gesummv", "cuda", {"alpha", "beta", "a", "b", "x", "y"}, kDevice);
const Peer<deriche> derichePeer("deriche", "cuda", {"alpha", "in", "out"}, kDevice);
const Peer<bitonic> bitonicPeer("bitonic", "cuda", {"a"}, kDevice);
const Peer<jacobi1d> jacobi1dPeer("jacobi1d", "cuda", {"steps", "a", "b"}, kDevice);

} // namespace

BENCH_PEERS(&pathfinderPeer.kernel, &hotspotPeer.kernel, &sradPeer.kernel, &nwPeer.kernel, &lavamdPeer.kernel,
            &adiPeer.kernel, &nussinovPeer.kernel, &gesummvPeer.kernel, &derichePeer.kernel, &bitonicPeer.kernel,
            &jacobi1dPeer.kernel)
