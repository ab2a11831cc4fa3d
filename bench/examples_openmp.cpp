// The programs of apps/examples as one would write them for a CPU: OpenMP, blocked for caches and registers; OpenBLAS
// for products of matrices. Compiled with -ffast-math, by which GCC has functions of vectors.
#include "patterns_openmp.h"
#include "peer_vectors.h"

#include "tangram/runtime/float16.h"

#include <algorithm>
#include <cmath>
#include <memory>
#ifdef TANGRAM_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace {

using namespace careful;

// ---- those that other benchmarks have, too

void jacobi(float center, float around, In<float, 3> in, Out<float, 3> out) {
  careful::stencil7(center, around, in.data, out.data, in.size);
}

void softmax(In<float, 2> in, Out<float, 2> out) { careful::softmaxRows(in.data, out.data, in.size[0], in.size[1]); }

void transpose(In<float, 2> in, Out<float, 2> out) { careful::transpose(in.data, out.data, in.size[0], in.size[1]); }

void flattranspose(int rows, int columns, In<float, 1> in, Out<float, 1> out) {
  careful::transpose(in.data, out.data, rows, columns);
}

void histogram(In<unsigned char, 1> in, Out<unsigned, 1> bins) {
  std::fill(bins.data, bins.data + bins.size[0], 0u);
  careful::histogram(in.data, in.size[0], bins.data);
}

// ---- convolution: four rows of two vectors each in registers

constexpr std::size_t kTap = 7, kHigh = 4, kBoth = 2;

void convolution(In<float, 2> in, In<float, 2> weights, Out<float, 2> out) {
  const std::size_t height = out.size[0], width = out.size[1], pitch = in.size[1];
  const float *w = weights.data;
  auto one = [&](std::size_t i, std::size_t j) {
    float sum = 0;
    for (std::size_t r = 0; r < kTap; ++r)
      for (std::size_t c = 0; c < kTap; ++c) sum += w[r * kTap + c] * in.data[(i + r) * pitch + j + c];
    out.data[i * width + j] = sum;
  };
  const std::size_t high = height / kHigh * kHigh, wide = width / (kBoth * kWide) * (kBoth * kWide);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < high; i += kHigh) {
    for (std::size_t j = 0; j < wide; j += kBoth * kWide) {
      Vector sum[kHigh][kBoth] = {};
#pragma GCC unroll 16
      for (std::size_t r = 0; r < kHigh + kTap - 1; ++r)
#pragma GCC unroll 16
        for (std::size_t c = 0; c < kTap; ++c) {
          const float *from = in.data + (i + r) * pitch + j + c;
          const Vector left = vector(from), right = vector(from + kWide);
#pragma GCC unroll 16
          for (std::size_t h = 0; h < kHigh; ++h)
            if (r >= h && r - h < kTap) {
              const float weight = w[(r - h) * kTap + c];
              sum[h][0] += weight * left;
              sum[h][1] += weight * right;
            }
        }
#pragma GCC unroll 16
      for (std::size_t h = 0; h < kHigh; ++h) {
        float *to = out.data + (i + h) * width + j;
        vector(to) = sum[h][0];
        vector(to + kWide) = sum[h][1];
      }
    }
    for (std::size_t h = i; h < i + kHigh; ++h)
      for (std::size_t j = wide; j < width; ++j) one(h, j);
  }
  for (std::size_t i = high; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j) one(i, j);
}

// ---- accelerations: a vector of bodies, with one other at a time, so that nothing is added up across lanes

constexpr std::size_t kBodies = 4 * kWide;

void accelerations(In<float, 1> x, In<float, 1> y, In<float, 1> z, In<float, 1> mass, Out<float, 1> ax,
                   Out<float, 1> ay, Out<float, 1> az) {
  const std::size_t n = x.size[0];
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < n; first += kBodies) {
    const std::size_t many = std::min(kBodies, n - first);
    float ownX[kBodies] = {}, ownY[kBodies] = {}, ownZ[kBodies] = {};
    float sumX[kBodies] = {}, sumY[kBodies] = {}, sumZ[kBodies] = {};
    for (std::size_t b = 0; b < many; ++b)
      ownX[b] = x.data[first + b], ownY[b] = y.data[first + b], ownZ[b] = z.data[first + b];
    for (std::size_t j = 0; j < n; ++j) {
      const float otherX = x.data[j], otherY = y.data[j], otherZ = z.data[j], weight = mass.data[j];
#pragma omp simd
      for (std::size_t b = 0; b < kBodies; ++b) {
        const float dx = otherX - ownX[b], dy = otherY - ownY[b], dz = otherZ - ownZ[b];
        const float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        const float pull = weight * inverse * inverse * inverse;
        sumX[b] += pull * dx;
        sumY[b] += pull * dy;
        sumZ[b] += pull * dz;
      }
    }
    for (std::size_t b = 0; b < many; ++b)
      ax.data[first + b] = sumX[b], ay.data[first + b] = sumY[b], az.data[first + b] = sumZ[b];
  }
}

// ---- products: a row of one in registers

void products(In<float, 3> a, In<float, 3> b, Out<float, 3> c) {
  constexpr std::size_t kOrder = 16;
  using Row = float __attribute__((vector_size(kOrder * sizeof(float)), aligned(sizeof(float))));
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < c.size[0]; ++n) {
    const float *left = a.data + n * kOrder * kOrder, *right = b.data + n * kOrder * kOrder;
    float *to = c.data + n * kOrder * kOrder;
    for (std::size_t i = 0; i < kOrder; i += 4) {
      Row sum[4] = {};
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kOrder; ++k) {
        const Row row = *reinterpret_cast<const Row *>(right + k * kOrder);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < 4; ++r) sum[r] += left[(i + r) * kOrder + k] * row;
      }
#pragma GCC unroll 4
      for (std::size_t r = 0; r < 4; ++r) *reinterpret_cast<Row *>(to + (i + r) * kOrder) = sum[r];
    }
  }
}

// ---- mriq: angles in quarters of a turn, of which sine and cosine are polynomials (Cephes), without branches

void mriq(In<float, 1> kx, In<float, 1> ky, In<float, 1> kz, In<float, 1> magnitude, In<float, 1> x, In<float, 1> y,
          In<float, 1> z, Out<float, 1> real, Out<float, 1> imaginary) {
  const std::size_t samples = kx.size[0];
#pragma omp parallel for schedule(static)
  for (std::size_t v = 0; v < x.size[0]; ++v) {
    const float ownX = 4 * x.data[v], ownY = 4 * y.data[v], ownZ = 4 * z.data[v];
    float sumReal = 0, sumImaginary = 0;
#pragma omp simd reduction(+ : sumReal, sumImaginary)
    for (std::size_t k = 0; k < samples; ++k) {
      const float quarters = kx.data[k] * ownX + ky.data[k] * ownY + kz.data[k] * ownZ;
      const float whole = std::nearbyint(quarters), r = (quarters - whole) * 1.5707964f, s = r * r;
      const int quarter = static_cast<int>(whole);
      const float sine = r + r * s * (-1.6666654611e-1f + s * (8.3321608736e-3f - s * 1.9515295891e-4f));
      const float cosine =
          1 - s / 2 + s * s * (4.166664568298827e-2f + s * (-1.388731625493765e-3f + s * 2.443315711809948e-5f));
      const float upright = quarter & 1 ? cosine : sine, level = quarter & 1 ? sine : cosine;
      sumReal += magnitude.data[k] * ((quarter + 1) & 2 ? -level : level);
      sumImaginary += magnitude.data[k] * (quarter & 2 ? -upright : upright);
    }
    real.data[v] = sumReal, imaginary.data[v] = sumImaginary;
  }
}

// ---- a matrix and vectors: each row is read once, and what its columns add up to is a thread's own

double dot(const double *a, const double *b, std::size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

/// For each row of `a`, by threads: `row(i, own)`, of which `own` is added up in `out`.
template <class F> void byRows(std::size_t rows, std::size_t columns, double *out, F row) {
#pragma omp parallel
  {
    const std::unique_ptr<double[]> own(new double[columns]());
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < rows; ++i) row(i, own.get());
#pragma omp critical
    for (std::size_t j = 0; j < columns; ++j) out[j] += own[j];
  }
}

void axpy(double factor, const double *x, double *y, std::size_t n) {
#pragma omp simd
  for (std::size_t j = 0; j < n; ++j) y[j] += factor * x[j];
}

void mvt(In<double, 2> a, In<double, 1> y1, In<double, 1> y2, Out<double, 1> x1, Out<double, 1> x2) {
  const std::size_t n = a.size[1];
  byRows(a.size[0], n, x2.data, [&](std::size_t i, double *own) {
    const double *row = a.data + i * n;
    x1.data[i] += dot(row, y1.data, n);
    axpy(y2.data[i], row, own, n);
  });
}

void atax(In<double, 2> a, In<double, 1> x, Out<double, 1> y) {
  const std::size_t n = a.size[1];
  std::fill(y.data, y.data + n, 0.0);
  byRows(a.size[0], n, y.data, [&](std::size_t i, double *own) {
    const double *row = a.data + i * n;
    axpy(dot(row, x.data, n), row, own, n);
  });
}

void gemver(double alpha, double beta, Out<double, 2> a, In<double, 1> u1, In<double, 1> v1, In<double, 1> u2,
            In<double, 1> v2, In<double, 1> y, In<double, 1> z, Out<double, 1> x, Out<double, 1> w) {
  const std::size_t n = x.size[0];
  byRows(n, n, x.data, [&](std::size_t i, double *own) {
    double *row = a.data + i * n;
    const double first = u1.data[i], second = u2.data[i], factor = beta * y.data[i];
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j) {
      row[j] += first * v1.data[j] + second * v2.data[j];
      own[j] += factor * row[j];
    }
  });
  for (std::size_t i = 0; i < n; ++i) x.data[i] += z.data[i];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) w.data[i] += alpha * dot(a.data + i * n, x.data, n);
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<jacobi> jacobiPeer("jacobi", "openmp", {"center", "around", "in", "out"});
const Peer<convolution> convolutionPeer("convolution", "openmp", {"in", "weights", "out"});
const Peer<accelerations> accelerationsPeer("accelerations", "openmp", {"x", "y", "z", "mass", "ax", "ay", "az"});
const Peer<softmax> softmaxPeer("softmax", "openmp", {"in", "out"});
const Peer<transpose> transposePeer("transpose", "openmp", {"in", "out"});
const Peer<flattranspose> flattransposePeer("flattranspose", "openmp", {"rows", "columns", "in", "out"});
const Peer<histogram> histogramPeer("histogram", "openmp", {"in", "bins"});
const Peer<products> productsPeer("products", "openmp", {"a", "b", "c"});
const Peer<mriq> mriqPeer("mriq", "openmp", {"kx", "ky", "kz", "magnitude", "x", "y", "z", "real", "imaginary"});
const Peer<mvt> mvtPeer("mvt", "openmp", {"a", "y1", "y2", "x1", "x2"});
const Peer<atax> ataxPeer("atax", "openmp", {"a", "x", "y"});
const Peer<gemver> gemverPeer("gemver", "openmp", {"alpha", "beta", "a", "u1", "v1", "u2", "v2", "y", "z", "x", "w"});

#ifdef TANGRAM_BENCH_OPENBLAS

int count(std::size_t n) { return static_cast<int>(n); }

void gemm(double alpha, const double *a, const double *b, double beta, double *c, int m, int n, int k) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, k, b, n, beta, c, n);
}

void sgemm(In<float, 2> a, In<float, 2> b, Out<float, 2> c) {
  const int m = count(c.size[0]), n = count(c.size[1]), k = count(a.size[1]);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data, k, b.data, n, 0, c.data, n);
}

void flatgemm(int m, int n, int k, In<float, 1> a, In<float, 1> b, Out<float, 1> c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data, k, b.data, n, 0, c.data, n);
}

/// OpenBLAS has no such product: in float.
void hgemm(In<bench::Half, 2> a, In<bench::Half, 2> b, Out<float, 2> c) {
  const int m = count(c.size[0]), n = count(c.size[1]), k = count(a.size[1]);
  auto widened = [](In<bench::Half, 2> from) {
    std::unique_ptr<float[]> to(new float[from.size[0] * from.size[1]]);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < from.size[0] * from.size[1]; ++i) to[i] = tangram_f16_to_f32(from.data[i].bits);
    return to;
  };
  const auto wideA = widened(a), wideB = widened(b);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, wideA.get(), k, wideB.get(), n, 0, c.data, n);
}

void twoProducts(double alpha, double beta, In<double, 2> a, In<double, 2> b, In<double, 2> c, Out<double, 2> d) {
  const int m = count(a.size[0]), k = count(a.size[1]), n = count(b.size[1]), l = count(c.size[1]);
  const std::unique_ptr<double[]> t(new double[a.size[0] * b.size[1]]);
  gemm(alpha, a.data, b.data, 0, t.get(), m, n, k);
  gemm(1, t.get(), c.data, beta, d.data, m, l, n);
}

void doitgen(Out<double, 3> a, In<double, 2> c4) {
  const std::size_t rows = a.size[0] * a.size[1], n = a.size[2];
  const std::unique_ptr<double[]> t(new double[rows * n]);
  gemm(1, a.data, c4.data, 0, t.get(), count(rows), count(n), count(n));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows * n; ++i) a.data[i] = t[i];
}

const Peer<sgemm> sgemmPeer("sgemm", "openblas", {"a", "b", "c"});
const Peer<flatgemm> flatgemmPeer("flatgemm", "openblas", {"m", "n", "k", "a", "b", "c"});
const Peer<hgemm> hgemmPeer("hgemm", "openblas", {"a", "b", "c"});
const Peer<twoProducts> twoProductsPeer("two_products", "openblas", {"alpha", "beta", "a", "b", "c", "d"});
const Peer<doitgen> doitgenPeer("doitgen", "openblas", {"a", "c4"});

#define BLAS_PEERS                                                                                                     \
  , &sgemmPeer.kernel, &flatgemmPeer.kernel, &hgemmPeer.kernel, &twoProductsPeer.kernel, &doitgenPeer.kernel
#else
#define BLAS_PEERS
#endif

} // namespace

BENCH_PEERS(&jacobiPeer.kernel, &convolutionPeer.kernel, &accelerationsPeer.kernel, &softmaxPeer.kernel,
            &transposePeer.kernel, &flattransposePeer.kernel, &histogramPeer.kernel, &productsPeer.kernel,
            &mriqPeer.kernel, &mvtPeer.kernel, &ataxPeer.kernel, &gemverPeer.kernel BLAS_PEERS)
