// The programs of apps/held-out-3 as one would write them for a GPU: tiles in scratchpad memory, several results a lane
// in registers, 16 bytes a load where memory is what it takes.
#include "peer_device.cuh"

#include <cfloat>
#include <cmath>

namespace {

using namespace careful;

// ---- heat3d: a lane goes through some planes with the numbers before and behind it in registers; neighbours of a row
// and of a plane come from the cache.

constexpr unsigned kHeatX = 32, kHeatY = 8, kHeatDeep = 16;

__global__ void __launch_bounds__(kHeatX *kHeatY)
    heatKernel(const double *__restrict__ from, double *__restrict__ to, unsigned ni, unsigned nj, unsigned nk) {
  const unsigned k = blockIdx.x * kHeatX + threadIdx.x + 1, j = blockIdx.y * kHeatY + threadIdx.y + 1;
  const unsigned begin = blockIdx.z * kHeatDeep + 1, end = min(begin + kHeatDeep, ni - 1);
  if (k + 1 >= nk || j + 1 >= nj) return;
  const std::size_t plane = std::size_t(nj) * nk;
  std::size_t at = begin * plane + std::size_t(j) * nk + k;
  double before = from[at - plane], here = from[at];
#pragma unroll 4
  for (unsigned i = begin; i < end; ++i, at += plane) {
    const double behind = from[at + plane];
    to[at] = 0.25 * here + 0.125 * (before + behind + from[at - nk] + from[at + nk] + from[at - 1] + from[at + 1]);
    before = here;
    here = behind;
  }
}

void heat3d(int steps, Out<double, 3> a, Out<double, 3> b) {
  const unsigned ni = a.size[0], nj = a.size[1], nk = a.size[2];
  if (ni < 3 || nj < 3 || nk < 3) return;
  const dim3 groups(pieces(nk - 2, kHeatX), pieces(nj - 2, kHeatY), pieces(ni - 2, kHeatDeep)), lanes(kHeatX, kHeatY);
  for (int t = 0; t < steps; ++t) {
    heatKernel<<<groups, lanes>>>(a.data, b.data, ni, nj, nk);
    heatKernel<<<groups, lanes>>>(b.data, a.data, ni, nj, nk);
    launched("heat3d");
  }
}

// ---- spmm: half a warp a row, four columns a lane; what lanes read of the row they tell each other

constexpr unsigned kColumns = 64, kShare = kColumns / 4;

__global__ void __launch_bounds__(kLanes)
    spmmKernel(const unsigned *__restrict__ row, const unsigned *__restrict__ column, const float *__restrict__ value,
               const float *__restrict__ b, float *__restrict__ c, unsigned rows) {
  const unsigned i = blockIdx.x * (kLanes / kShare) + threadIdx.x / kShare, lane = threadIdx.x % kShare;
  const unsigned begin = i < rows ? row[i] : 0, end = i < rows ? row[i + 1] : 0;
  const unsigned mask = 0xffffu << (threadIdx.x & 16);
  float4 sum = make_float4(0, 0, 0, 0);
  for (unsigned k = begin; k < end; k += kShare) {
    const unsigned own = k + lane;
    const unsigned from = own < end ? column[own] : 0;
    const float by = own < end ? value[own] : 0;
    const unsigned there = min(kShare, end - k);
    auto add = [&](unsigned l) {
      const float factor = __shfl_sync(mask, by, l, kShare);
      const unsigned of = __shfl_sync(mask, from, l, kShare);
      const float4 x = quad(b + std::size_t(of) * kColumns + lane * 4);
      sum.x += factor * x.x;
      sum.y += factor * x.y;
      sum.z += factor * x.z;
      sum.w += factor * x.w;
    };
    if (there == kShare) {
#pragma unroll
      for (unsigned l = 0; l < kShare; ++l) add(l);
    } else {
#pragma unroll 4
      for (unsigned l = 0; l < there; ++l) add(l);
    }
  }
  if (i < rows) __stcs(reinterpret_cast<float4 *>(c + std::size_t(i) * kColumns + lane * 4), sum);
}

void spmm(In<unsigned, 1> row, In<unsigned, 1> column, In<float, 1> value, In<float, 2> b, Out<float, 2> c) {
  const unsigned rows = c.size[0];
  if (rows == 0) return;
  spmmKernel<<<pieces(rows, kLanes / kShare), kLanes>>>(row.data, column.data, value.data, b.data, c.data, rows);
  launched("spmm");
}

// ---- rmsnorm: a group a row, which is in registers between its sum and its results

constexpr unsigned kLong = 4096, kQuads = kLong / 4 / kLanes;

__global__ void __launch_bounds__(kLanes) rmsnormKernel(float epsilon, const float *__restrict__ in,
                                                        const float *__restrict__ gain, float *__restrict__ out) {
  const float *from = in + std::size_t(blockIdx.x) * kLong + threadIdx.x * 4;
  float *to = out + std::size_t(blockIdx.x) * kLong + threadIdx.x * 4;
  float4 x[kQuads];
  float squares = 0;
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q)
    x[q] = __ldcs(reinterpret_cast<const float4 *>(from + std::size_t(q) * kLanes * 4));
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q)
    squares += x[q].x * x[q].x + x[q].y * x[q].y + x[q].z * x[q].z + x[q].w * x[q].w;
  const float scale = rsqrtf(sumOfBlock(squares) / kLong + epsilon);
#pragma unroll
  for (unsigned q = 0; q < kQuads; ++q) {
    const float4 g = quad(gain + (q * kLanes + threadIdx.x) * 4);
    __stcs(reinterpret_cast<float4 *>(to + std::size_t(q) * kLanes * 4),
           make_float4(x[q].x * scale * g.x, x[q].y * scale * g.y, x[q].z * scale * g.z, x[q].w * scale * g.w));
  }
}

void rmsnorm(float epsilon, In<float, 2> in, In<float, 1> gain, Out<float, 2> out) {
  if (in.size[0] == 0) return;
  rmsnormKernel<<<unsigned(in.size[0]), kLanes>>>(epsilon, in.data, gain.data, out.data);
  launched("rmsnorm");
}

// ---- maxpool: a lane goes down some rows of a column: each second row is in two results, and is looked at once

constexpr unsigned kPoolDown = 8;

__global__ void __launch_bounds__(kLanes)
    maxpoolKernel(const float *__restrict__ in, float *__restrict__ out, std::size_t all, unsigned height,
                  unsigned width, unsigned rows, unsigned columns, unsigned parts) {
  const std::size_t own = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  if (own >= all) return;
  const unsigned x = unsigned(own % columns), part = unsigned(own / columns % parts);
  const std::size_t p = own / columns / parts;
  const float *from = in + p * height * width;
  float *to = out + p * rows * columns + x;
  const bool left = x > 0, right = 2 * x + 1 < width;
  auto along = [&](unsigned i) {
    if (i >= height) return -FLT_MAX; // before the first: very large
    const float *line = from + std::size_t(i) * width + 2 * x;
    float most = line[0];
    if (left) most = fmaxf(most, line[-1]);
    if (right) most = fmaxf(most, line[1]);
    return most;
  };
  const unsigned begin = part * kPoolDown, end = min(begin + kPoolDown, rows);
  float above = along(2 * begin - 1);
#pragma unroll 4
  for (unsigned y = begin; y < end; ++y) {
    const float here = along(2 * y), below = along(2 * y + 1);
    __stcs(to + std::size_t(y) * columns, fmaxf(fmaxf(above, here), below));
    above = below;
  }
}

void maxpool(In<float, 4> in, Out<float, 4> out) {
  const unsigned rows = out.size[2], columns = out.size[3], parts = pieces(rows, kPoolDown);
  const std::size_t all = in.size[0] * in.size[1] * parts * columns;
  if (all == 0) return;
  maxpoolKernel<<<pieces(all, kLanes), kLanes>>>(in.data, out.data, all, unsigned(in.size[2]), unsigned(in.size[3]),
                                                 rows, columns, parts);
  launched("maxpool");
}

// ---- depthwise: a lane has four channels, their weights in registers, and goes along a part of a row with the three
// columns of numbers it needs; channels of a point are next to each other in lanes.

constexpr unsigned kAlongRow = 14;

__global__ void __launch_bounds__(kLanes)
    depthwiseKernel(const float *__restrict__ in, const float *__restrict__ weights, float *__restrict__ out,
                    std::size_t all, unsigned height, unsigned width, unsigned channels, unsigned parts) {
  const std::size_t own = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  if (own >= all) return;
  const unsigned fours = channels / 4, c = unsigned(own % fours) * 4, part = unsigned(own / fours % parts);
  const std::size_t line = own / fours / parts; // of all images
  const unsigned y = unsigned(line % height);
  float4 w[3][3];
#pragma unroll
  for (unsigned r = 0; r < 3; ++r)
#pragma unroll
    for (unsigned s = 0; s < 3; ++s) w[r][s] = quad(weights + (r * 3 + s) * channels + c);
  const std::size_t pitch = std::size_t(width) * channels;
  const float *from = in + line * pitch + c;
  float *to = out + line * pitch + c;
  float4 x[3][3]; // column, row
  auto column = [&](unsigned j, float4(&to)[3]) {
#pragma unroll
    for (unsigned r = 0; r < 3; ++r) {
      const bool there = j < width && y + r >= 1 && y + r <= height;
      to[r] = there ? quad(from + std::ptrdiff_t(pitch) * (int(r) - 1) + std::size_t(j) * channels)
                    : make_float4(0, 0, 0, 0);
    }
  };
  const unsigned begin = part * kAlongRow, end = min(begin + kAlongRow, width);
  column(begin - 1, x[0]); // before the first: very large
  column(begin, x[1]);
  for (unsigned j = begin; j < end; ++j) {
    column(j + 1, x[2]);
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (unsigned r = 0; r < 3; ++r)
#pragma unroll
      for (unsigned s = 0; s < 3; ++s) {
        sum.x += w[r][s].x * x[s][r].x;
        sum.y += w[r][s].y * x[s][r].y;
        sum.z += w[r][s].z * x[s][r].z;
        sum.w += w[r][s].w * x[s][r].w;
      }
    __stcs(reinterpret_cast<float4 *>(to + std::size_t(j) * channels), sum);
#pragma unroll
    for (unsigned r = 0; r < 3; ++r) {
      x[0][r] = x[1][r];
      x[1][r] = x[2][r];
    }
  }
}

/// Channels that are no multiple of four: a number a lane.
__global__ void __launch_bounds__(kLanes)
    depthwiseAnyKernel(const float *__restrict__ in, const float *__restrict__ weights, float *__restrict__ out,
                       std::size_t all, unsigned height, unsigned width, unsigned channels) {
  const std::size_t own = std::size_t(blockIdx.x) * kLanes + threadIdx.x;
  if (own >= all) return;
  const unsigned c = unsigned(own % channels), x = unsigned(own / channels % width);
  const unsigned y = unsigned(own / channels / width % height);
  float sum = 0;
  for (unsigned r = 0; r < 3; ++r)
    for (unsigned s = 0; s < 3; ++s)
      if (y + r >= 1 && y + r <= height && x + s >= 1 && x + s <= width)
        sum += weights[(r * 3 + s) * channels + c] *
               in[own + ((std::ptrdiff_t(r) - 1) * width + std::ptrdiff_t(s) - 1) * std::ptrdiff_t(channels)];
  out[own] = sum;
}

void depthwise(In<float, 4> in, In<float, 3> weights, Out<float, 4> out) {
  const unsigned height = in.size[1], width = in.size[2], channels = in.size[3], parts = pieces(width, kAlongRow);
  const std::size_t points = in.size[0] * height * width;
  if (points * channels == 0) return;
  if (channels % 4 == 0) {
    const std::size_t all = in.size[0] * height * parts * (channels / 4);
    depthwiseKernel<<<pieces(all, kLanes), kLanes>>>(in.data, weights.data, out.data, all, height, width, channels,
                                                     parts);
  } else {
    const std::size_t all = points * channels;
    depthwiseAnyKernel<<<pieces(all, kLanes), kLanes>>>(in.data, weights.data, out.data, all, height, width, channels);
  }
  launched("depthwise");
}

// ---- integral: one pass writes the picture. Before, bands of rows say what their columns add up to, and rows what
// spans of them do; these are added up, and a group with a span of a band, and the sums above and left of it, goes down
// its rows, each of which is a scan.

constexpr unsigned kBand = 32, kScanLanes = 1024, kEach = 4, kSpan = kScanLanes * kEach;

__global__ void __launch_bounds__(kLanes)
    columnsKernel(const Byte *__restrict__ in, unsigned *__restrict__ sums, unsigned height, unsigned width) {
  const unsigned j = (blockIdx.x * kLanes + threadIdx.x) * 4, begin = blockIdx.y * kBand;
  const unsigned end = min(begin + kBand, height);
  if (j >= width) return;
  unsigned sum[4] = {};
  const unsigned there = min(4u, width - j);
  for (unsigned i = begin; i < end; ++i) {
    const Byte *from = in + std::size_t(i) * width + j;
    if (width % 4 == 0) {
      const uchar4 x = *reinterpret_cast<const uchar4 *>(from);
      sum[0] += x.x;
      sum[1] += x.y;
      sum[2] += x.z;
      sum[3] += x.w;
    } else {
      for (unsigned l = 0; l < 4; ++l)
        if (l < there) sum[l] += from[l];
    }
  }
  for (unsigned l = 0; l < 4; ++l)
    if (l < there) sums[std::size_t(blockIdx.y) * width + j + l] = sum[l];
}

/// Of each column: sums of the bands before.
__global__ void __launch_bounds__(kLanes) bandsKernel(unsigned *sums, unsigned bands, unsigned width) {
  const unsigned j = blockIdx.x * kLanes + threadIdx.x;
  if (j >= width) return;
  unsigned before = 0;
#pragma unroll 8
  for (unsigned b = 0; b < bands; ++b) {
    const unsigned own = sums[std::size_t(b) * width + j];
    sums[std::size_t(b) * width + j] = before;
    before += own;
  }
}

/// Of each lane of a group of kScanLanes what those before have.
__device__ unsigned scanOfBlock(unsigned x, unsigned &all) {
  __shared__ unsigned part[2][32];
  static_assert(kScanLanes == 32 * 32);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned sum = x;
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, s);
    if (lane >= s) sum += other;
  }
  __syncthreads();
  if (lane == 31) part[0][warp] = sum;
  __syncthreads();
  if (warp == 0) {
    unsigned total = part[0][lane];
#pragma unroll
    for (unsigned s = 1; s < 32; s *= 2) {
      const unsigned other = __shfl_up_sync(kAll, total, s);
      if (lane >= s) total += other;
    }
    part[1][lane] = total;
  }
  __syncthreads();
  all = part[1][31];
  return sum - x + (warp > 0 ? part[1][warp - 1] : 0);
}

/// Along a row of sums of columns: those of all columns before, its own among them.
__global__ void __launch_bounds__(kScanLanes) alongKernel(unsigned *sums, unsigned width) {
  unsigned *row = sums + std::size_t(blockIdx.x) * width;
  unsigned before = 0;
  for (unsigned first = 0; first < width; first += kScanLanes) {
    const unsigned j = first + threadIdx.x, own = j < width ? row[j] : 0;
    unsigned all;
    const unsigned sum = before + scanOfBlock(own, all) + own;
    if (j < width) row[j] = sum;
    before += all;
  }
}

/// Of each row a number for each span of columns: the sum of those before.
__global__ void __launch_bounds__(kLanes)
    spansKernel(const Byte *__restrict__ in, unsigned *__restrict__ left, unsigned width, unsigned spans) {
  const Byte *row = in + std::size_t(blockIdx.x) * width;
  unsigned before = 0;
  __shared__ unsigned part[kWarps];
  for (unsigned span = 0; span < spans; ++span) {
    if (threadIdx.x == 0) left[std::size_t(blockIdx.x) * spans + span] = before;
    if (span + 1 == spans) return;
    unsigned sum = 0;
    for (unsigned l = threadIdx.x * 4; l < kSpan; l += kLanes * 4) {
      const Byte *from = row + std::size_t(span) * kSpan + l; // all of it is there: it is not the last one
      if (width % 4 == 0)
        sum = __dp4a(*reinterpret_cast<const unsigned *>(from), 0x01010101u, sum);
      else
        sum += from[0] + from[1] + from[2] + from[3];
    }
    sum = __reduce_add_sync(kAll, sum);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) before += part[w];
  }
}

/// `left`: what spansKernel says.
__global__ void __launch_bounds__(kScanLanes)
    integralKernel(const Byte *__restrict__ in, const unsigned *__restrict__ sums, const unsigned *__restrict__ left,
                   unsigned *__restrict__ out, unsigned height, unsigned width, unsigned spans) {
  const unsigned span = blockIdx.x, first = span * kSpan + threadIdx.x * kEach;
  const unsigned begin = blockIdx.y * kBand, end = min(begin + kBand, height);
  unsigned above[kEach];
#pragma unroll
  for (unsigned l = 0; l < kEach; ++l)
    above[l] = first + l < width ? sums[std::size_t(blockIdx.y) * width + first + l] : 0;
  const bool whole = width % 4 == 0;
  for (unsigned i = begin; i < end; ++i) {
    unsigned x[kEach] = {}, all;
    const std::size_t at = std::size_t(i) * width + first;
    if (whole && first < width) {
      const uchar4 own = __ldcs(reinterpret_cast<const uchar4 *>(in + at));
      x[0] = own.x;
      x[1] = own.y;
      x[2] = own.z;
      x[3] = own.w;
    } else {
#pragma unroll
      for (unsigned l = 0; l < kEach; ++l)
        if (first + l < width) x[l] = in[at + l];
    }
#pragma unroll
    for (unsigned l = 1; l < kEach; ++l) x[l] += x[l - 1];
    const unsigned before = left[std::size_t(i) * spans + span] + scanOfBlock(x[kEach - 1], all);
#pragma unroll
    for (unsigned l = 0; l < kEach; ++l) above[l] += before + x[l];
    if (whole && first < width) {
      __stcs(reinterpret_cast<uint4 *>(out + at), make_uint4(above[0], above[1], above[2], above[3]));
    } else {
#pragma unroll
      for (unsigned l = 0; l < kEach; ++l)
        if (first + l < width) out[at + l] = above[l];
    }
  }
}

void integral(In<Byte, 2> in, Out<unsigned, 2> out) {
  const unsigned height = in.size[0], width = in.size[1], bands = pieces(height, kBand), spans = pieces(width, kSpan);
  if (height == 0 || width == 0) return;
  static Buffer<unsigned> sums(std::size_t(bands) * width), left(std::size_t(height) * spans);
  columnsKernel<<<dim3(pieces(width, kLanes * 4), bands), kLanes>>>(in.data, sums.data(), height, width);
  bandsKernel<<<pieces(width, kLanes), kLanes>>>(sums.data(), bands, width);
  alongKernel<<<bands, kScanLanes>>>(sums.data(), width);
  spansKernel<<<height, kLanes>>>(in.data, left.data(), width, spans);
  integralKernel<<<dim3(spans, bands), kScanLanes>>>(in.data, sums.data(), left.data(), out.data, height, width, spans);
  launched("integral");
}

// ---- ljforces: half a warp an atom, whose list is read side by side; what is needed of a neighbour lies in one place

constexpr unsigned kTeam = 16;

__global__ void __launch_bounds__(kLanes) placesKernel(const float *__restrict__ x, const float *__restrict__ y,
                                                       const float *__restrict__ z, float4 *place, unsigned n) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x;
  if (i < n) place[i] = make_float4(x[i], y[i], z[i], 0);
}

__global__ void __launch_bounds__(kLanes)
    forcesKernel(float limit, const float4 *__restrict__ place, const int *__restrict__ count,
                 const int *__restrict__ neighbour, float *__restrict__ fx, float *__restrict__ fy,
                 float *__restrict__ fz, unsigned n, unsigned most) {
  const unsigned i = blockIdx.x * (kLanes / kTeam) + threadIdx.x / kTeam, lane = threadIdx.x % kTeam;
  const int *list = neighbour + std::size_t(min(i, n - 1)) * most;
  const int there = i < n ? count[i] : 0;
  const float4 own = place[min(i, n - 1)];
  float sumX = 0, sumY = 0, sumZ = 0;
#pragma unroll 4
  for (int k = int(lane); k < there; k += int(kTeam)) {
    const float4 other = place[__ldcs(list + k)];
    const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (square > 0 && square < limit) {
      const float inverse = __frcp_rn(square), sixth = inverse * inverse * inverse;
      const float force = 48 * sixth * (sixth - 0.5f) * inverse;
      sumX += force * dx;
      sumY += force * dy;
      sumZ += force * dz;
    }
  }
#pragma unroll
  for (unsigned s = kTeam / 2; s > 0; s /= 2) {
    sumX += __shfl_xor_sync(kAll, sumX, s);
    sumY += __shfl_xor_sync(kAll, sumY, s);
    sumZ += __shfl_xor_sync(kAll, sumZ, s);
  }
  if (lane == 0 && i < n) {
    fx[i] = sumX;
    fy[i] = sumY;
    fz[i] = sumZ;
  }
}

void ljforces(float cutoff, In<float, 1> x, In<float, 1> y, In<float, 1> z, In<int, 1> count, In<int, 2> neighbour,
              Out<float, 1> fx, Out<float, 1> fy, Out<float, 1> fz) {
  const unsigned n = x.size[0];
  if (n == 0) return;
  static Buffer<float4> place(n);
  placesKernel<<<pieces(n, kLanes), kLanes>>>(x.data, y.data, z.data, place.data(), n);
  forcesKernel<<<pieces(n, kLanes / kTeam), kLanes>>>(cutoff * cutoff, place.data(), count.data, neighbour.data,
                                                      fx.data, fy.data, fz.data, n, unsigned(neighbour.size[1]));
  launched("ljforces");
}

// ---- pagerank: shares first, so that a link is one number; eight lanes a page

constexpr unsigned kOfPage = 8;

__global__ void __launch_bounds__(kLanes)
    sharesKernel(const float *__restrict__ rank, const unsigned *__restrict__ links, float *share, unsigned n) {
  const unsigned i = blockIdx.x * kLanes + threadIdx.x;
  if (i < n) share[i] = rank[i] / float(links[i]);
}

__global__ void __launch_bounds__(kLanes)
    ranksKernel(float base, float damping, const unsigned *__restrict__ row, const unsigned *__restrict__ from,
                const float *__restrict__ share, float *rank, float *change, unsigned n) {
  const unsigned lane = threadIdx.x % kOfPage, first = blockIdx.x * (kLanes / kOfPage) + threadIdx.x / kOfPage;
  float changed = 0;
  for (unsigned i = first; i - threadIdx.x / kOfPage < n; i += gridDim.x * (kLanes / kOfPage)) { // whole groups
    const unsigned begin = i < n ? row[i] : 0, end = i < n ? row[i + 1] : 0;
    float sum = 0;
#pragma unroll 4
    for (unsigned k = begin + lane; k < end; k += kOfPage) sum += share[__ldcs(from + k)];
#pragma unroll
    for (unsigned s = kOfPage / 2; s > 0; s /= 2) sum += __shfl_xor_sync(kAll, sum, s);
    if (lane == 0 && i < n) {
      const float next = base + damping * sum;
      changed += fabsf(next - rank[i]);
      rank[i] = next;
    }
  }
  changed = sumOfBlock(changed);
  if (threadIdx.x == 0) atomicAdd(change, changed);
}

void pagerank(float damping, In<unsigned, 1> row, In<unsigned, 1> from, In<unsigned, 1> links, Out<float, 1> rank,
              Result<float> result) {
  const unsigned n = rank.size[0];
  check(cudaMemsetAsync(result.data, 0, sizeof(float)), "pagerank");
  if (n == 0) return;
  static Buffer<float> share(n);
  sharesKernel<<<pieces(n, kLanes), kLanes>>>(rank.data, links.data, share.data(), n);
  ranksKernel<<<std::min(pieces(n, kLanes / kOfPage), cores() * 8 * 4), kLanes>>>(
      (1 - damping) / float(n), damping, row.data, from.data, share.data(), rank.data, result.data, n);
  launched("pagerank");
}

// ---- adam: four numbers a lane of each array; what is the same for all is computed before

struct Adam {
  float beta1, beta2, first, second, epsilon;
  __device__ void step(float g, float &w, float &m, float &s) const {
    m = beta1 * m + (1 - beta1) * g;
    s = beta2 * s + (1 - beta2) * g * g;
    w -= first * m / (sqrtf(s * second) + epsilon);
  }
};

__global__ void __launch_bounds__(kLanes)
    adamKernel(Adam adam, const float *__restrict__ gradient, float *__restrict__ weight, float *__restrict__ mean,
               float *__restrict__ square, std::size_t n) {
  const std::size_t i = (std::size_t(blockIdx.x) * kLanes + threadIdx.x) * 4;
  if (i + 4 <= n) {
    const float4 g = __ldcs(reinterpret_cast<const float4 *>(gradient + i));
    auto *ofWeight = reinterpret_cast<float4 *>(weight + i), *ofMean = reinterpret_cast<float4 *>(mean + i),
         *ofSquare = reinterpret_cast<float4 *>(square + i);
    float4 w = __ldcs(ofWeight), m = __ldcs(ofMean), s = __ldcs(ofSquare);
    adam.step(g.x, w.x, m.x, s.x);
    adam.step(g.y, w.y, m.y, s.y);
    adam.step(g.z, w.z, m.z, s.z);
    adam.step(g.w, w.w, m.w, s.w);
    __stcs(ofWeight, w);
    __stcs(ofMean, m);
    __stcs(ofSquare, s);
  } else {
    for (std::size_t k = i; k < n; ++k) adam.step(gradient[k], weight[k], mean[k], square[k]);
  }
}

void adam(int step, float rate, float beta1, float beta2, float epsilon, In<float, 1> gradient, Out<float, 1> weight,
          Out<float, 1> mean, Out<float, 1> square) {
  const std::size_t n = weight.size[0];
  if (n == 0) return;
  const Adam own{beta1, beta2, rate / (1 - std::pow(beta1, float(step))), 1 / (1 - std::pow(beta2, float(step))),
                 epsilon};
  adamKernel<<<pieces(n, kLanes * 4), kLanes>>>(own, gradient.data, weight.data, mean.data, square.data, n);
  launched("adam");
}

// ---- thomas: a system a lane. Warps read and write square tiles of 32 systems by rows, and turn them in scratchpad
// memory; ratios are kept in memory until they are needed again.

constexpr unsigned kSystems = 32;

using Square = float[kSystems][kSystems + 1];

__device__ void readTile(Square tile, const float *from, std::size_t pitch, unsigned rows, unsigned columns,
                         float rest) {
#pragma unroll 16
  for (unsigned r = 0; r < kSystems; ++r)
    tile[r][threadIdx.x] =
        r < rows && threadIdx.x < columns ? __ldcs(from + std::size_t(r) * pitch + threadIdx.x) : rest;
}

__device__ void writeTile(const Square tile, float *to, std::size_t pitch, unsigned rows, unsigned columns) {
#pragma unroll 16
  for (unsigned r = 0; r < kSystems; ++r)
    if (r < rows && threadIdx.x < columns) to[std::size_t(r) * pitch + threadIdx.x] = tile[r][threadIdx.x];
}

__global__ void __launch_bounds__(kSystems)
    thomasKernel(const float *__restrict__ lower, const float *__restrict__ diagonal, const float *__restrict__ upper,
                 const float *__restrict__ right, float *x, float *ratio, unsigned systems, unsigned n) {
  __shared__ Square a, b, c, d;
  const unsigned own = threadIdx.x, first = blockIdx.x * kSystems, rows = min(kSystems, systems - first);
  const unsigned tiles = (n + kSystems - 1) / kSystems;
  const std::size_t begin = std::size_t(first) * n;
  float before = 0, half = 0;
  for (unsigned t = 0; t < tiles; ++t) {
    const unsigned columns = min(kSystems, n - t * kSystems);
    const std::size_t at = begin + t * kSystems;
    readTile(a, lower + at, n, rows, columns, 0);
    readTile(b, diagonal + at, n, rows, columns, 1);
    readTile(c, upper + at, n, rows, columns, 0);
    readTile(d, right + at, n, rows, columns, 0);
    __syncwarp();
    if (t == 0) a[own][0] = 0; // it does not count
#pragma unroll 8
    for (unsigned i = 0; i < kSystems; ++i) {
      const float pivot = 1 / (b[own][i] - a[own][i] * before);
      c[own][i] = before = c[own][i] * pivot;
      d[own][i] = half = (d[own][i] - a[own][i] * half) * pivot;
    }
    __syncwarp();
    writeTile(c, ratio + at, n, rows, columns);
    writeTile(d, x + at, n, rows, columns);
    __syncwarp();
  }
  float behind = 0; // there is nothing behind the last one
  for (unsigned t = tiles; t-- > 0;) {
    const unsigned columns = min(kSystems, n - t * kSystems);
    const std::size_t at = begin + t * kSystems;
    readTile(c, ratio + at, n, rows, columns, 0);
    readTile(d, x + at, n, rows, columns, 0);
    __syncwarp();
#pragma unroll 8
    for (unsigned i = kSystems; i-- > 0;) d[own][i] = behind = d[own][i] - c[own][i] * behind;
    __syncwarp();
    writeTile(d, x + at, n, rows, columns);
    __syncwarp();
  }
}

void thomas(In<float, 2> lower, In<float, 2> diagonal, In<float, 2> upper, In<float, 2> right, Out<float, 2> x) {
  const unsigned systems = x.size[0], n = x.size[1];
  if (systems == 0 || n == 0) return;
  static Buffer<float> ratio(x.size[0] * n);
  thomasKernel<<<pieces(systems, kSystems), kSystems>>>(lower.data, diagonal.data, upper.data, right.data, x.data,
                                                        ratio.data(), systems, n);
  launched("thomas");
}

// ---- median: four points a lane, in pairs of 16 bits, for which a GPU has min and max; lanes go down some rows.
// Columns of three are put in order once for three neighbours.

constexpr unsigned kMedianDown = 8;

/// A row's numbers before, at and behind four points: three pairs.
struct Six {
  unsigned pair[3];
};

__device__ Six six(const Byte *row, unsigned x, unsigned width) {
  const unsigned four = *reinterpret_cast<const unsigned *>(row + x);
  const unsigned before = row[x == 0 ? 0 : x - 1], behind = row[x + 4 < width ? x + 4 : width - 1];
  return {before | (four & 0xff) << 16, __byte_perm(four, 0, 0x4241), four >> 24 | behind << 16};
}

__device__ void inOrder(unsigned &a, unsigned &b) {
  const unsigned least = __vminu2(a, b);
  b = __vmaxu2(a, b);
  a = least;
}

__device__ unsigned middle(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vminu2(a, b), __vminu2(__vmaxu2(a, b), c));
}

__global__ void __launch_bounds__(kLanes)
    medianKernel(const Byte *__restrict__ in, Byte *__restrict__ out, unsigned height, unsigned width) {
  const unsigned x = (blockIdx.x * kLanes + threadIdx.x) * 4, begin = blockIdx.y * kMedianDown;
  const unsigned end = min(begin + kMedianDown, height);
  if (x >= width) return;
  Six above = six(in + std::size_t(begin > 0 ? begin - 1 : 0) * width, x, width);
  Six here = six(in + std::size_t(begin) * width, x, width);
#pragma unroll 4
  for (unsigned y = begin; y < end; ++y) {
    const Six below = six(in + std::size_t(min(y + 1, height - 1)) * width, x, width);
    unsigned low[3], mid[3], high[3];
#pragma unroll
    for (unsigned p = 0; p < 3; ++p) {
      low[p] = above.pair[p];
      mid[p] = here.pair[p];
      high[p] = below.pair[p];
      inOrder(low[p], mid[p]);
      inOrder(mid[p], high[p]);
      inOrder(low[p], mid[p]);
    }
    unsigned result[2];
#pragma unroll
    for (unsigned p = 0; p < 2; ++p) {
      auto between = [&](const unsigned(&of)[3]) { return __byte_perm(of[p], of[p + 1], 0x5432); };
      result[p] = middle(__vmaxu2(__vmaxu2(low[p], between(low)), low[p + 1]), middle(mid[p], between(mid), mid[p + 1]),
                         __vminu2(__vminu2(high[p], between(high)), high[p + 1]));
    }
    *reinterpret_cast<unsigned *>(out + std::size_t(y) * width + x) = __byte_perm(result[0], result[1], 0x6420);
    above = here;
    here = below;
  }
}

/// Rows that do not begin at words: a point a lane.
__global__ void __launch_bounds__(kLanes)
    medianAnyKernel(const Byte *__restrict__ in, Byte *__restrict__ out, unsigned height, unsigned width) {
  const unsigned x = blockIdx.x * kLanes + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  unsigned low[3], mid[3], high[3];
  for (unsigned s = 0; s < 3; ++s) {
    const unsigned column = s == 0 ? (x == 0 ? 0 : x - 1) : min(x + s - 1, width - 1);
    low[s] = in[std::size_t(y == 0 ? 0 : y - 1) * width + column];
    mid[s] = in[std::size_t(y) * width + column];
    high[s] = in[std::size_t(min(y + 1, height - 1)) * width + column];
    inOrder(low[s], mid[s]);
    inOrder(mid[s], high[s]);
    inOrder(low[s], mid[s]);
  }
  out[std::size_t(y) * width + x] = Byte(
      middle(max(max(low[0], low[1]), low[2]), middle(mid[0], mid[1], mid[2]), min(min(high[0], high[1]), high[2])));
}

void median(In<Byte, 2> in, Out<Byte, 2> out) {
  const unsigned height = in.size[0], width = in.size[1];
  if (height == 0 || width == 0) return;
  if (width % 4 == 0)
    medianKernel<<<dim3(pieces(width, kLanes * 4), pieces(height, kMedianDown)), kLanes>>>(in.data, out.data, height,
                                                                                           width);
  else
    medianAnyKernel<<<dim3(pieces(width, kLanes), height), kLanes>>>(in.data, out.data, height, width);
  launched("median");
}

// ---- groupby: groups have tables in scratchpad memory, two each; they are added to those in memory at the end

constexpr unsigned kKeys = 1024, kGrouping = 1024, kTables = 2;

__global__ void __launch_bounds__(kGrouping)
    groupbyKernel(const unsigned *__restrict__ key, const float *__restrict__ value, float *__restrict__ sum,
                  unsigned *__restrict__ count, std::size_t n) {
  __shared__ float sums[kTables][kKeys];
  __shared__ unsigned counts[kTables][kKeys];
  for (unsigned k = threadIdx.x; k < kTables * kKeys; k += kGrouping) {
    sums[k / kKeys][k % kKeys] = 0;
    counts[k / kKeys][k % kKeys] = 0;
  }
  __syncthreads();
  float *own = sums[threadIdx.x / 32 % kTables];
  unsigned *number = counts[threadIdx.x / 32 % kTables];
  auto add = [&](unsigned k, float x) {
    atomicAdd(own + k, x);
    atomicAdd(number + k, 1u);
  };
  const std::size_t step = std::size_t(gridDim.x) * kGrouping * 4;
  for (std::size_t i = (std::size_t(blockIdx.x) * kGrouping + threadIdx.x) * 4; i < n; i += step) {
    if (i + 4 <= n) {
      const uint4 k = __ldcs(reinterpret_cast<const uint4 *>(key + i));
      const float4 x = __ldcs(reinterpret_cast<const float4 *>(value + i));
      add(k.x, x.x);
      add(k.y, x.y);
      add(k.z, x.z);
      add(k.w, x.w);
    } else {
      for (std::size_t l = i; l < n; ++l) add(key[l], value[l]);
    }
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kKeys; k += kGrouping) {
    float all = 0;
    unsigned numbers = 0;
    for (unsigned t = 0; t < kTables; ++t) {
      all += sums[t][k];
      numbers += counts[t][k];
    }
    atomicAdd(sum + k, all);
    atomicAdd(count + k, numbers);
  }
}

void groupby(In<unsigned, 1> key, In<float, 1> value, Out<float, 1> sum, Out<unsigned, 1> count) {
  const std::size_t n = key.size[0];
  check(cudaMemsetAsync(sum.data, 0, kKeys * sizeof(float)), "groupby");
  check(cudaMemsetAsync(count.data, 0, kKeys * sizeof(unsigned)), "groupby");
  if (n == 0) return;
  groupbyKernel<<<std::min(pieces(n, kGrouping * 4), cores() * 2), kGrouping>>>(key.data, value.data, sum.data,
                                                                                count.data, n);
  launched("groupby");
}

// ---- life: 16 cells a lane, four a word, whose sums are sums of words; lanes go down some rows

constexpr unsigned kLifeDown = 8, kCells = 16, kWords = kCells / 4;

/// A row's cells of a lane, and one on each side.
struct Cells {
  unsigned own[kWords], before, behind;
};

__device__ Cells cells(const Byte *row, unsigned x, unsigned width) {
  const uint4 own = *reinterpret_cast<const uint4 *>(row + x);
  return {{own.x, own.y, own.z, own.w}, row[x == 0 ? width - 1 : x - 1], row[x + kCells == width ? 0 : x + kCells]};
}

__global__ void __launch_bounds__(kLanes)
    lifeKernel(const Byte *__restrict__ in, Byte *__restrict__ out, unsigned height, unsigned width) {
  const unsigned x = (blockIdx.x * kLanes + threadIdx.x) * kCells, begin = blockIdx.y * kLifeDown;
  const unsigned end = min(begin + kLifeDown, height);
  if (x >= width) return;
  Cells above = cells(in + std::size_t(begin == 0 ? height - 1 : begin - 1) * width, x, width);
  Cells here = cells(in + std::size_t(begin) * width, x, width);
#pragma unroll 4
  for (unsigned y = begin; y < end; ++y) {
    const Cells below = cells(in + std::size_t(y + 1 == height ? 0 : y + 1) * width, x, width);
    unsigned three[kWords + 2];
    three[0] = (above.before + here.before + below.before) << 24;
    three[kWords + 1] = above.behind + here.behind + below.behind;
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) three[w + 1] = above.own[w] + here.own[w] + below.own[w];
    unsigned result[kWords];
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) {
      const unsigned left = __funnelshift_l(three[w], three[w + 1], 8);
      const unsigned right = __funnelshift_r(three[w + 1], three[w + 2], 8);
      const unsigned alive = left + three[w + 1] + right - here.own[w];
      const unsigned other = (alive | here.own[w]) ^ 0x03030303u; // 0: three alive, or two and it is, too
      result[w] = ~(other + 0x7f7f7f7fu) >> 7 & 0x01010101u;
    }
    __stcs(reinterpret_cast<uint4 *>(out + std::size_t(y) * width + x),
           make_uint4(result[0], result[1], result[2], result[3]));
    above = here;
    here = below;
  }
}

/// Rows of any length: a cell a lane.
__global__ void __launch_bounds__(kLanes)
    lifeAnyKernel(const Byte *__restrict__ in, Byte *__restrict__ out, unsigned height, unsigned width) {
  const unsigned x = blockIdx.x * kLanes + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const unsigned columns[3] = {x == 0 ? width - 1 : x - 1, x, x + 1 == width ? 0 : x + 1};
  const unsigned rows[3] = {y == 0 ? height - 1 : y - 1, y, y + 1 == height ? 0 : y + 1};
  unsigned alive = 0;
#pragma unroll
  for (unsigned r = 0; r < 3; ++r)
#pragma unroll
    for (unsigned s = 0; s < 3; ++s)
      if (r != 1 || s != 1) alive += in[std::size_t(rows[r]) * width + columns[s]];
  out[std::size_t(y) * width + x] = alive == 3 || (alive == 2 && in[std::size_t(y) * width + x] == 1);
}

void life(In<Byte, 2> in, Out<Byte, 2> out) {
  const unsigned height = in.size[0], width = in.size[1];
  if (height == 0 || width == 0) return;
  if (width % kCells == 0)
    lifeKernel<<<dim3(pieces(width, kLanes * kCells), pieces(height, kLifeDown)), kLanes>>>(in.data, out.data, height,
                                                                                            width);
  else
    lifeAnyKernel<<<dim3(pieces(width, kLanes), height), kLanes>>>(in.data, out.data, height, width);
  launched("life");
}

const Peer<heat3d> heat3dPeer("heat3d", "cuda", {"steps", "a", "b"}, kDevice);
const Peer<spmm> spmmPeer("spmm", "cuda", {"row", "column", "value", "b", "c"}, kDevice);
const Peer<rmsnorm> rmsnormPeer("rmsnorm", "cuda", {"epsilon", "in", "gain", "out"}, kDevice);
const Peer<maxpool> maxpoolPeer("maxpool", "cuda", {"in", "out"}, kDevice);
const Peer<depthwise> depthwisePeer("depthwise", "cuda", {"in", "weights", "out"}, kDevice);
const Peer<integral> integralPeer("integral", "cuda", {"in", "out"}, kDevice);
const Peer<ljforces> ljforcesPeer("ljforces", "cuda", {"cutoff", "x", "y", "z", "count", "neighbour", "fx", "fy", "fz"},
                                  kDevice);
const Peer<pagerank> pagerankPeer("pagerank", "cuda", {"damping", "row", "from", "links", "rank", "result"}, kDevice);
const Peer<adam> adamPeer("adam", "cuda",
                          {"step", "rate", "beta1", "beta2", "epsilon", "gradient", "weight", "mean", "square"},
                          kDevice);
const Peer<thomas> thomasPeer("thomas", "cuda", {"lower", "diagonal", "upper", "right", "x"}, kDevice);
const Peer<median> medianPeer("median", "cuda", {"in", "out"}, kDevice);
const Peer<groupby> groupbyPeer("groupby", "cuda", {"key", "value", "sum", "count"}, kDevice);
const Peer<life> lifePeer("life", "cuda", {"in", "out"}, kDevice);

} // namespace

BENCH_PEERS(&heat3dPeer.kernel, &spmmPeer.kernel, &rmsnormPeer.kernel, &maxpoolPeer.kernel, &depthwisePeer.kernel,
            &integralPeer.kernel, &ljforcesPeer.kernel, &pagerankPeer.kernel, &adamPeer.kernel, &thomasPeer.kernel,
            &medianPeer.kernel, &groupbyPeer.kernel, &lifePeer.kernel)
