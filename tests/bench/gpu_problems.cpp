// The problems of bench-gpu with kernels for a CPU, or for an OpenCL device that is one, and Rodinia's algorithms, a
// thread after the other: what must be right passes, what is spoiled does not.
#include "gpu_problems.h"
#include "gpu_rodinia.h"
#include "gpu_run.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/verify/DeviceArguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace {

using namespace tangram::runtime;
using Doubles = std::vector<double>;

void expect(bool right, const std::string &what) {
  if (right) return;
  std::cerr << "error: " << what << "\n";
  std::exit(1);
}

template <class T> const T *data(const Value &value) { return static_cast<const T *>(value.data()); }

Doubles rodiniaMembership(const bench::GpuProblem &p) {
  const Value &points = p.arguments[0], &centers = p.arguments[1];
  std::size_t n = points.sizes()[0], many = points.sizes()[1];
  std::vector<float> features(points.count());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < many; ++f) features[f * n + i] = data<float>(points)[i * many + f];
  Doubles nearest(n);
  for (std::size_t i = 0; i < n; ++i)
    nearest[i] = bench::rodinia::nearest(i, n, features.data(), many, data<float>(centers),
                                         static_cast<int>(centers.sizes()[0]));
  return nearest;
}

Doubles rodiniaSearch(const bench::GpuProblem &p) {
  const auto *row = data<unsigned>(p.arguments[0]), *column = data<unsigned>(p.arguments[1]);
  std::size_t n = p.arguments[3].count();
  std::vector<int> depths(n, 77);
  std::vector<char> frontier(n, 7), updating(n, 7), visited(n, 7);
  bench::rodinia::Marks marks{depths.data(), frontier.data(), updating.data(), visited.data()};
  for (std::size_t v = 0; v < n; ++v)
    bench::rodinia::start(v, static_cast<std::size_t>(p.arguments[2].integer(0)), marks);
  for (char again = 1; again;) {
    again = 0;
    for (std::size_t v = 0; v < n; ++v) bench::rodinia::expand(v, row, column, marks);
    for (std::size_t v = 0; v < n; ++v) bench::rodinia::advance(v, marks, &again);
  }
  return {depths.begin(), depths.end()};
}

void call(const tangram_kernel &kernel, bench::GpuProblem &p) {
  if (deviceOf(kernel)) {
    for (auto run : {bench::tryOut, bench::measured}) expect(run(kernel, p).failure.empty(), run(kernel, p).failure);
  } else {
    p.spoil();
    CallResult result = tangram::runtime::call(kernel, p.arguments);
    expect(result.ok(), result.message);
    std::string failure = p.wrong(p.got());
    expect(failure.empty(), failure);
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 3) {
    for (const auto &kind : bench::gpuProblems()) std::cout << kind.name << "\n";
    return 0;
  }
  std::string name = argv[1];
  auto kind = std::ranges::find(bench::gpuProblems(), name, [](const auto &kind) { return kind.name; });
  expect(kind != bench::gpuProblems().end(), "there is no problem " + name);
  bench::GpuProblem p = kind->make(std::strtoull(argv[2], nullptr, 10));
  bench::GpuProblem whole = kind->whole(std::strtoull(argv[2], nullptr, 10));
  expect(p.bytes > 0 && p.work() > 0, "no work");
  for (int i = 3; i < argc; ++i) {
    KernelLibrary library(argv[i]);
    for (const tangram_kernel *kernel : library.kernels()) {
      call(*kernel, p);
      call(*kernel, whole);
    }
  }

  // One wrong element, at either end, is found; so is an output that nobody wrote.
  Doubles right = p.got();
  expect(p.wrong(right).empty(), "what was right no longer is");
  for (std::size_t at : {std::size_t(0), right.size() - 1}) {
    Doubles wrong = right;
    wrong[at] += 1000;
    expect(!p.wrong(wrong).empty(), "a wrong element passes");
    wrong[at] = NAN;
    expect(!p.wrong(wrong).empty(), "a NaN passes");
  }
  // Of whole numbers the least difference is.
  for (double by : {1.0, -1.0}) {
    Doubles wrong = whole.got();
    wrong[wrong.size() / 2] += by;
    expect(name == "kmeans" || !whole.wrong(wrong).empty(), "a whole number that is off by one passes");
  }
  p.spoil();
  expect(!p.wrong(p.got()).empty(), "what nobody wrote passes");

  std::string failure;
  if (name == "kmeans") failure = p.wrong(rodiniaMembership(p));
  if (name == "bfs") failure = p.wrong(rodiniaSearch(p));
  expect(failure.empty(), "rodinia: " + failure);
  std::cout << "ok\n";
} catch (const tangram::DiagnosticError &error) {
  std::cerr << "error: " << error.diagnostic.message << "\n";
  return 1;
}
