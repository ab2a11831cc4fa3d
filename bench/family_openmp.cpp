// The programs of apps/family as one would write them for a CPU: OpenMP, OpenBLAS for products of matrices, std::sort.
// What is computed in double precision there is here, too. Compiled with -ffast-math.
#include "patterns_openmp.h"
#include "peer_kernel.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#ifdef TANGRAM_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace {

using bench::In, bench::Out, bench::Result;

// ---- HiDP

void stencil7(float center, float beside, In<float, 3> in, Out<float, 3> out) {
  careful::stencil7(center, beside, in.data, out.data, in.size);
}

using Cube = In<float, 3>;

/// A row at a time; threads have blocks of planes, of which three stay in the cache.
void himeno(Cube a0, Cube a1, Cube a2, Cube a3, Cube b0, Cube b1, Cube b2, Cube c0, Cube c1, Cube c2, Cube p, Cube wrk1,
            Cube bnd, float omega, Out<float, 3> wrk2, Result<float> result) {
  const std::size_t n0 = p.size[0], n1 = p.size[1], n2 = p.size[2], row = n2, plane = n1 * n2;
  if (n0 == 0 || n1 == 0 || n2 == 0) return void(*result.data = 0);
  float gosa = 0;
#pragma omp parallel for schedule(static) reduction(+ : gosa)
  for (std::size_t i = 1; i < n0 - 1; ++i)
    for (std::size_t j = 1; j < n1 - 1; ++j) {
      const std::size_t first = i * plane + j * row;
      const float *at = p.data + first;
      auto of = [&](const Cube &c) { return c.data + first; };
      const float *A0 = of(a0), *A1 = of(a1), *A2 = of(a2), *A3 = of(a3), *B0 = of(b0), *B1 = of(b1), *B2 = of(b2),
                  *C0 = of(c0), *C1 = of(c1), *C2 = of(c2), *work = of(wrk1), *bound = of(bnd);
      float *to = wrk2.data + first, sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t k = 1; k < n2 - 1; ++k) {
        const float s0 =
            A0[k] * at[k + plane] + A1[k] * at[k + row] + A2[k] * at[k + 1] +
            B0[k] * (at[k + plane + row] - at[k + plane - row] - at[k - plane + row] + at[k - plane - row]) +
            B1[k] * (at[k + row + 1] - at[k + row - 1] - at[k - row + 1] + at[k - row - 1]) +
            B2[k] * (at[k + plane + 1] - at[k + plane - 1] - at[k - plane + 1] + at[k - plane - 1]) +
            C0[k] * at[k - plane] + C1[k] * at[k - row] + C2[k] * at[k - 1] + work[k];
        const float ss = (s0 * A3[k] - at[k]) * bound[k];
        to[k] = at[k] + omega * ss;
        sum += ss * ss;
      }
      gosa += sum;
    }
  *result.data = gosa;
}

/// Of `count` segments, given by where each begins, and one more: `one(s, begin, end)`, by threads.
template <class F> void bySegments(const int *row, std::size_t count, F one) {
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t s = 0; s < count; ++s) one(s, row[s], row[s + 1]);
}

void spmv(In<int, 1> row, In<int, 1> column, In<float, 1> value, In<float, 1> x, Out<float, 1> y) {
  bySegments(row.data, y.size[0], [&](std::size_t r, int begin, int end) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int e = begin; e < end; ++e) sum += value.data[e] * x.data[column.data[e]];
    y.data[r] = sum;
  });
}

void sumsOfSegments(In<float, 1> in, In<int, 1> row, Out<float, 1> sums) {
  bySegments(row.data, sums.size[0], [&](std::size_t s, int begin, int end) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int e = begin; e < end; ++e) sum += in.data[e];
    sums.data[s] = sum;
  });
}

void sorted(In<unsigned, 1> in, Out<unsigned, 1> out) {
  std::copy_n(in.data, in.size[0], out.data);
  std::sort(out.data, out.data + out.size[0]);
}

// ---- TileK

void conv2d(int n, int m, In<float, 2> A, Out<float, 2> B) {
  const auto rows = static_cast<std::ptrdiff_t>(n), columns = static_cast<std::ptrdiff_t>(m);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 1; i < rows - 1; ++i) {
    const float *above = A.data + (i - 1) * columns, *at = above + columns, *below = at + columns;
    float *to = B.data + i * columns;
#pragma omp simd
    for (std::ptrdiff_t j = 1; j < columns - 1; ++j)
      to[j] =
          static_cast<float>(2.34 * above[j - 1] + (4.64 - 2.17) * above[j + 1] - 7.93 * above[j] + 1.26 * at[j - 1] +
                             0.64 * below[j] + 1.34 * at[j + 1] + 7.22 * below[j - 1] - 9.59 * at[j]);
  }
}

template <auto function> using Peer = bench::PeerKernel<function>;

const Peer<stencil7> stencilPeer("stencil7", "openmp", {"_center", "_beside", "in", "out"});
const Peer<himeno> himenoPeer("himeno", "openmp",
                              {"a0", "a1", "a2", "a3", "b0", "b1", "b2", "c0", "c1", "c2", "p", "wrk1", "bnd", "_omega",
                               "wrk2", "result"});
const Peer<spmv> spmvPeer("spmv", "openmp", {"row", "column", "value", "x", "y"});
const Peer<sumsOfSegments> segmentsPeer("sums_of_segments", "openmp", {"in", "row", "sums"});
const Peer<sorted> sortPeer("quicksort", "std::sort", {"in", "out"});
const Peer<conv2d> convPeer("conv2d", "openmp", {"n", "m", "A", "B"});

#ifdef TANGRAM_BENCH_OPENBLAS

/// c = alpha * a * b (or b transposed) + beta * c
void gemm(float alpha, const float *a, const float *b, bool transposed, float beta, float *c, std::size_t m,
          std::size_t n, std::size_t k) {
  auto count = [](std::size_t size) { return static_cast<int>(size); };
  cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, count(m), count(n), count(k), alpha,
              a, count(k), b, count(transposed ? k : n), beta, c, count(n));
}

void product(float alpha, float beta, In<float, 2> A, In<float, 2> B, Out<float, 2> C) {
  gemm(alpha, A.data, B.data, false, beta, C.data, C.size[0], C.size[1], A.size[1]);
}

void sgemm(int, int, int, In<float, 2> A, In<float, 2> B, Out<float, 2> C, float alpha, float beta) {
  product(alpha, beta, A, B, C);
}

/// One product, and that with its transpose, block by block: half of what the loops compute.
void syr2k(int, int, In<float, 2> A, In<float, 2> B, Out<float, 2> C, float alpha, float beta) {
  constexpr std::size_t kBlock = 32;
  const std::size_t n = C.size[0];
  const std::unique_ptr<float[]> t(new float[n * n]);
  gemm(alpha, A.data, B.data, true, 0, t.get(), n, n, A.size[1]);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t top = 0; top < n; top += kBlock)
    for (std::size_t left = 0; left < n; left += kBlock)
      for (std::size_t i = top; i < std::min(top + kBlock, n); ++i)
        for (std::size_t j = left; j < std::min(left + kBlock, n); ++j)
          C.data[i * n + j] = beta * C.data[i * n + j] + t[i * n + j] + t[j * n + i];
}

void doitgen(int, int, int, Out<float, 3> A, Out<float, 3> sum, In<float, 2> C4) {
  const std::size_t rows = A.size[0] * A.size[1], n = A.size[2];
  gemm(1, A.data, C4.data, false, 0, sum.data, rows, n, n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows * n; ++i) A.data[i] = sum.data[i];
}

const Peer<product> gemmPeer("GEMM", "openblas", {"_alpha", "_beta", "A", "B", "C"});
const Peer<sgemm> sgemmPeer("sgemm", "openblas", {"n", "m", "p", "A", "B", "C", "alpha", "beta"});
const Peer<syr2k> syr2kPeer("syr2k", "openblas", {"n", "m", "A", "B", "C", "alpha", "beta"});
const Peer<doitgen> doitgenPeer("doitgen", "openblas", {"R", "Q", "P", "A", "sum", "C4"});

#define BLAS_PEERS , &gemmPeer.kernel, &sgemmPeer.kernel, &syr2kPeer.kernel, &doitgenPeer.kernel
#else
#define BLAS_PEERS
#endif

} // namespace

BENCH_PEERS(&stencilPeer.kernel, &himenoPeer.kernel, &spmvPeer.kernel, &segmentsPeer.kernel, &sortPeer.kernel,
            &convPeer.kernel BLAS_PEERS)
