#include "gpu_problems.h"

#include "Data.h"
#include "Element.h"
#include "Graph.h"
#include "Points.h"
#include "SparseMatrix.h"

#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <thread>

namespace bench {
namespace {

using tangram::runtime::Value;
using Doubles = std::vector<double>;

template <class T> Value container(const std::vector<T> &data, std::vector<std::uint64_t> sizes) {
  Value value = Value::array(elementOf<T>(), std::move(sizes));
  if (!data.empty()) std::memcpy(value.data(), data.data(), data.size() * sizeof(T));
  return value;
}

template <class T> Value container(const std::vector<T> &data) { return container(data, {data.size()}); }

/// What is written: its elements do not matter.
template <class T> Value empty(std::size_t n) { return Value::array(elementOf<T>(), {n}); }

template <class T> Value scalar(T value) {
  Value v = Value::scalar(elementOf<T>());
  v.setInteger(0, static_cast<std::int64_t>(value));
  return v;
}

/// Each element within a bound of its own of what is expected; of whole numbers exactly it.
auto near(Doubles expected, std::function<double(std::size_t)> bound) {
  if (wholeNumbers) bound = [](std::size_t) { return 0.0; };
  return [=](const Doubles &got) -> std::string {
    if (got.size() != expected.size()) return fmt::format("{} elements, not {}", got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!(std::abs(got[i] - expected[i]) <= bound(i)))
        return fmt::format("element {}: got {}, expected {} (+- {})", i, got[i], expected[i], bound(i));
    return "";
  };
}

auto near(Doubles expected, double bound) {
  return near(std::move(expected), [bound](std::size_t) { return bound; });
}

/// f(i) of each i below n, by all processors.
template <class F> void each(std::size_t n, F f) {
  std::size_t many = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < many; ++t)
    threads.emplace_back([=] {
      for (std::size_t i = t; i < n; i += many) f(i);
    });
}

/// Adding up n values of at most 1 in any order, of random signs: partial sums of sqrt(n) are rounded n times.
double sumBound(std::size_t n) { return 6e-8 * static_cast<double>(n); }

template <class T> GpuProblem sum(std::size_t n) {
  auto in = randomData<T>(n);
  GpuProblem p;
  p.wrong = near({std::accumulate(in.begin(), in.end(), 0.0)}, std::is_floating_point_v<T> ? sumBound(n) : 0);
  p.arguments.push_back(container(in));
  p.arguments.push_back(Value::scalar(elementOf<T>()));
  p.output = 1;
  p.bytes = static_cast<double>(n * sizeof(T));
  return p;
}

GpuProblem dot(std::size_t n) {
  auto a = randomData<float>(n), b = randomData<float>(n);
  GpuProblem p;
  p.wrong = near(
      {std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(), [](double x, double y) { return x * y; })},
      sumBound(n));
  p.arguments.push_back(container(a));
  p.arguments.push_back(container(b));
  p.arguments.push_back(Value::scalar(TANGRAM_F32));
  p.output = 2;
  p.bytes = 2.0 * static_cast<double>(n * sizeof(float));
  return p;
}

GpuProblem scan(std::size_t n, bool inclusive) {
  auto in = randomData<int>(n);
  Doubles expected;
  double total = 0;
  for (int x : in) {
    expected.push_back(inclusive ? total + x : total);
    total += x;
  }
  GpuProblem p;
  p.wrong = near(std::move(expected), 0);
  p.arguments.push_back(container(in));
  p.arguments.push_back(empty<int>(n));
  p.output = 1;
  p.bytes = 2.0 * static_cast<double>(n * sizeof(int));
  return p;
}

GpuProblem gemv(std::size_t rows, std::size_t columns) {
  auto a = randomData<float>(rows * columns), x = randomData<float>(columns);
  Doubles expected(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) expected[i] += double(a[i * columns + j]) * x[j];
  GpuProblem p;
  // Two roundings of 2^-23 a term: some row of a serial sum needs more than one.
  p.wrong = near(std::move(expected), 2.4e-7 * static_cast<double>(columns));
  p.arguments.push_back(container(a, {rows, columns}));
  p.arguments.push_back(container(x));
  p.arguments.push_back(empty<float>(rows));
  p.output = 2;
  p.bytes = 4.0 * static_cast<double>(rows * columns + rows + columns);
  return p;
}

/// C = A B^T.
GpuProblem gemm(std::size_t n) {
  auto a = randomData<double>(n * n), b = randomData<double>(n * n);
  Doubles expected(n * n);
  each(n, [&](std::size_t i) {
    for (std::size_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (std::size_t l = 0; l < n; ++l) sum += static_cast<long double>(a[i * n + l]) * b[j * n + l];
      expected[i * n + j] = static_cast<double>(sum);
    }
  });
  double m = static_cast<double>(n);
  GpuProblem p;
  p.wrong = near(std::move(expected), 2.2e-16 * 8 * m); // random signs keep n products below n * eps by far
  p.arguments.push_back(container(a, {n, n}));
  p.arguments.push_back(container(b, {n, n}));
  p.arguments.push_back(Value::array(TANGRAM_F64, {n, n}));
  p.output = 2;
  p.bytes = 3 * m * m * sizeof(double);
  p.flops = 2 * m * m * m;
  return p;
}

GpuProblem spmv(SparseMatrix m) {
  makeWhole(m.value);
  auto x = randomData<double>(m.columns);
  Doubles expected(m.rows()), bound(m.rows());
  for (std::size_t r = 0; r < m.rows(); ++r) {
    long double sum = 0, size = 0;
    for (unsigned e = m.row[r]; e < m.row[r + 1]; ++e) {
      long double product = static_cast<long double>(m.value[e]) * x[m.column[e]];
      sum += product;
      size += std::abs(product);
    }
    expected[r] = static_cast<double>(sum);
    // In any order: each of n operations on a product rounds by eps / 2 of what there is at most.
    bound[r] = 1.2e-16 * (m.row[r + 1] - m.row[r] + 1.0) * static_cast<double>(size);
  }
  GpuProblem p;
  p.wrong = near(std::move(expected), [bound = std::move(bound)](std::size_t r) { return bound[r]; });
  p.arguments.push_back(container(m.row));
  p.arguments.push_back(container(m.column));
  p.arguments.push_back(container(m.value));
  p.arguments.push_back(container(x));
  p.arguments.push_back(empty<double>(m.rows()));
  p.output = 4;
  p.bytes = static_cast<double>(m.value.size()) * (sizeof(double) + sizeof(unsigned)) +
            static_cast<double>(m.rows()) * (sizeof(double) + sizeof(unsigned)) +
            static_cast<double>(m.columns) * sizeof(double);
  return p;
}

/// The nearest of the centers, which are points themselves; of two that are about as near, either is right.
GpuProblem membership(std::size_t n) {
  apps::PointSizes s;
  s.points = n;
  auto points = apps::randomPoints(s, std::random_device{}());
  makeWhole(points);
  std::vector<float> centers(s.centers * s.features);
  for (std::size_t i = 0; i < centers.size(); ++i)
    centers[i] = points[i / s.features % s.points * s.features + i % s.features];
  std::vector<std::size_t> nearest(n);
  Doubles least(n);
  apps::byLoop(s, points, centers, nearest, least);
  GpuProblem p;
  p.arguments.push_back(container(points, {n, s.features}));
  p.arguments.push_back(container(centers, {s.centers, s.features}));
  p.arguments.push_back(empty<std::size_t>(n));
  p.output = 2;
  p.bytes = static_cast<double>(points.size() * sizeof(float) + n * sizeof(std::size_t));
  bool whole = wholeNumbers;
  p.wrong = [=, points = std::move(points), least = std::move(least)](const Doubles &got) -> std::string {
    for (std::size_t i = 0; i < n; ++i) {
      if (!(got[i] >= 0 && got[i] < static_cast<double>(s.centers)))
        return fmt::format("element {}: got {}, which is no center", i, got[i]);
      auto c = static_cast<std::size_t>(got[i]);
      double d = apps::distance(&points[i * s.features], &centers[c * s.features], s.features);
      double slack = whole ? 0 : 1.2e-7 * 4 * static_cast<double>(s.features + 2) * least[i];
      if (!(d <= least[i] + slack))
        return fmt::format("element {}: got center {} at {}, but {} is at {}", i, c, d, nearest[i], least[i]);
    }
    return "";
  };
  return p;
}

GpuProblem bfs(std::size_t vertices) {
  constexpr std::size_t kEdges = 6;
  auto graph = apps::randomGraph(vertices, kEdges, std::random_device{}());
  auto depths = apps::byQueue(graph);
  GpuProblem p;
  p.wrong = near(Doubles(depths.begin(), depths.end()), 0);
  p.arguments.push_back(container(graph.row));
  p.arguments.push_back(container(graph.column));
  p.arguments.push_back(scalar(std::size_t(graph.source)));
  p.arguments.push_back(empty<int>(vertices));
  p.output = 3;
  p.bytes = static_cast<double>((graph.row.size() + graph.column.size() + vertices) * sizeof(int));
  return p;
}

constexpr std::size_t kMega = std::size_t(1) << 20, kKilo = std::size_t(1) << 10;
constexpr double kPerRow = 16;
constexpr std::size_t kBand = 12430; // ten times that of bcsstk18

} // namespace

GpuProblem GpuProblemKind::whole(std::size_t n) const {
  wholeNumbers = true;
  GpuProblem problem = make(n);
  wholeNumbers = false;
  return problem;
}

void GpuProblem::spoil() {
  Value &value = arguments[output];
  // No index, no depth, and far from any sum.
  std::memset(value.data(), 0x7f, value.count() * tangram::runtime::bytes(value.element()));
}

std::vector<double> GpuProblem::got() const {
  const Value &value = arguments[output];
  std::vector<double> all(value.count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = value.real(i);
  return all;
}

const std::vector<GpuProblemKind> &gpuProblems() {
  static const std::vector<GpuProblemKind> all{
      {"sum_f32", 64 * kMega, 256 * kKilo, sum<float>},
      {"sum_i32", 64 * kMega, 256 * kKilo, sum<int>},
      {"dot_f32", 64 * kMega, 256 * kKilo, dot},
      {"scan_i32", 64 * kMega, 256 * kKilo, [](std::size_t n) { return scan(n, true); }},
      {"exclusive_scan_i32", 64 * kMega, 256 * kKilo, [](std::size_t n) { return scan(n, false); }},
      {"sgemv_tall", 512 * kKilo, 2 * kKilo, [](std::size_t n) { return gemv(n, 128); }},
      {"sgemv_wide", 512 * kKilo, 2 * kKilo, [](std::size_t n) { return gemv(128, n); }},
      {"dgemm_1024", 1024, 256, gemm},
      {"dgemm_4096", 4096, 512, gemm},
      {"spmv_banded", 1000000, 16 * kKilo, [](std::size_t n) { return spmv(randomBanded(n, kPerRow, kBand)); }},
      {"spmv_skewed", 1000000, 16 * kKilo, [](std::size_t n) { return spmv(randomSkewed(n, kPerRow)); }},
      {"kmeans", 494020, 8 * kKilo, membership}, // as kdd_cup
      {"bfs", 1000000, 64 * kKilo, bfs},         // as graph1MW_6
  };
  return all;
}

} // namespace bench
