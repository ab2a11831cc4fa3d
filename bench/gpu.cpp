// Plans of one problem on a GPU beside what a user would call instead: `bench/gpu` builds the plans' libraries and
// makes a table of what this prints.
#include "Data.h"
#include "gpu_peers.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/DeviceArguments.h"
#include "tangram/runtime/KernelLibrary.h"
#include "tangram/runtime/Timing.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using namespace tangram;
using Json = nlohmann::ordered_json;

struct Problem {
  std::vector<runtime::Value> arguments; // of the kernel, its result included
  std::size_t output = 0;                // which of them
  std::vector<double> expected;
  double bound = 0;
  double bytes = 0; // that must be read and written
  std::function<std::vector<bench::Peer>()> peers;
};

template <class T> runtime::Value container(const std::vector<T> &data, std::vector<std::uint64_t> sizes) {
  runtime::Value value = runtime::Value::array(std::is_floating_point_v<T> ? TANGRAM_F32 : TANGRAM_I32, sizes);
  std::memcpy(value.data(), data.data(), data.size() * sizeof(T));
  return value;
}

template <class T> Problem sum(std::size_t n) {
  Problem p;
  auto in = std::make_shared<std::vector<T>>(bench::randomData<T>(n));
  double total = 0;
  for (T x : *in) total += x;
  p.arguments.push_back(container(*in, {n}));
  p.arguments.push_back(runtime::Value::scalar(std::is_floating_point_v<T> ? TANGRAM_F32 : TANGRAM_I32));
  p.output = 1;
  p.expected = {total};
  p.bound = std::is_floating_point_v<T> ? 6e-8 * static_cast<double>(n) : 0;
  p.bytes = static_cast<double>(n * sizeof(T));
  p.peers = [in] { return bench::sumPeers(*in); };
  return p;
}

Problem scan(std::size_t n, bool inclusive) {
  Problem p;
  auto in = std::make_shared<std::vector<int>>(bench::randomData<int>(n));
  double total = 0;
  for (int x : *in) {
    p.expected.push_back(inclusive ? total + x : total);
    total += x;
  }
  p.arguments.push_back(container(*in, {n}));
  p.arguments.push_back(container(std::vector<int>(n), {n}));
  p.output = 1;
  p.bytes = 2.0 * static_cast<double>(n) * sizeof(int);
  p.peers = [in, inclusive] { return bench::scanPeers(*in, inclusive); };
  return p;
}

Problem gemv(std::size_t rows, std::size_t columns) {
  Problem p;
  auto a = std::make_shared<std::vector<float>>(bench::randomData<float>(rows * columns));
  auto x = std::make_shared<std::vector<float>>(bench::randomData<float>(columns));
  for (std::size_t i = 0; i < rows; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < columns; ++j) total += double((*a)[i * columns + j]) * (*x)[j];
    p.expected.push_back(total);
  }
  p.arguments.push_back(container(*a, {rows, columns}));
  p.arguments.push_back(container(*x, {columns}));
  p.arguments.push_back(container(std::vector<float>(rows), {rows}));
  p.output = 2;
  p.bound = 2.4e-7 *
            static_cast<double>(columns); // two roundings of 2^-23 a term: some row of a serial sum needs more than one
  p.bytes = 4.0 * static_cast<double>(rows * columns + rows + columns);
  p.peers = [=] { return bench::gemvPeers(*a, rows, columns, *x); };
  return p;
}

/// `scale` divides the number of elements: smaller problems say how long larger ones would take.
Problem problem(const std::string &name, std::size_t elements, std::size_t scale) {
  std::size_t n = elements / scale;
  if (name == "sum_f32") return sum<float>(n);
  if (name == "sum_i32") return sum<int>(n);
  if (name == "scan_i32") return scan(n, true);
  if (name == "exclusive_scan_i32") return scan(n, false);
  if (name == "sgemv_tall") return gemv(n / 128, 128);
  if (name == "sgemv_wide") return gemv(128, n / 128);
  std::cerr << fmt::format("error: there is no problem '{}'\n", name);
  std::exit(1);
}

std::string wrong(const std::vector<double> &got, const Problem &p) {
  for (std::size_t i = 0; i < p.expected.size(); ++i)
    if (!(std::abs(got[i] - p.expected[i]) <= p.bound))
      return fmt::format("element {}: got {}, expected {}", i, got[i], p.expected[i]);
  return "";
}

/// Runs a kernel once; what is wrong with it, or how long it took.
struct Run {
  std::string failure;
  double seconds = 0;
};
Run once(runtime::DeviceArguments &device, Problem &p) {
  Run run;
  runtime::CallResult status = device.restore();
  if (status.ok()) status = device.time(run.seconds);
  if (status.ok()) status = device.download();
  if (!status.ok()) return {status.message, 0};
  const runtime::Value &output = p.arguments[p.output];
  std::vector<double> got(output.count());
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = output.real(i);
  run.failure = wrong(got, p);
  return run;
}

} // namespace

int main(int argc, char **argv) try {
  CLI::App app{"Times the plans of libraries, and their peers, on one problem; prints JSON"};
  std::string name;
  std::vector<std::string> libraries;
  std::size_t elements = std::size_t(64) << 20;
  double patience = 0.1;
  app.add_option("problem", name, "sum_f32, sum_i32, scan_i32, exclusive_scan_i32, sgemv_tall, sgemv_wide")->required();
  app.add_option("libraries", libraries, "made by tangram compile --emit library, or tangram verify -o");
  app.add_option("--elements", elements, "of the input (default 64M)");
  app.add_option("--patience", patience, "seconds; plans that would take longer are left out");
  CLI11_PARSE(app, argc, argv);

  constexpr std::size_t kScale = 256;
  Problem small = problem(name, elements, kScale), p = problem(name, elements, 1);
  Json result{{"problem", name}, {"plans", Json::array()}, {"peers", Json::array()}};
  result["bytes"] = p.bytes;
  result["copy"] = bench::copyBandwidth();
  for (bench::Peer &peer : p.peers()) {
    (void)peer.seconds();
    std::string failure = wrong(peer.result(), p);
    if (!failure.empty()) {
      std::cerr << fmt::format("error: {} is wrong: {}\n", peer.name, failure);
      return 1;
    }
    result["peers"].push_back({{"name", peer.name}, {"seconds", runtime::measureBy(peer.seconds).median}});
  }
  bool ok = true;
  for (const std::string &file : libraries) {
    runtime::KernelLibrary library(file);
    for (const tangram_kernel *kernel : library.kernels()) {
      Json row{{"plan", kernel->plan}};
      auto failed = [&](const std::string &why) {
        row["failure"] = why;
        ok = false;
      };
      if (!runtime::deviceOf(*kernel)) {
        std::cerr << "error: the kernels run on no device that is here\n";
        return 1;
      }
      runtime::DeviceArguments few(*kernel, small.arguments);
      Run first = few.status().ok() ? once(few, small) : Run{few.status().message, 0};
      if (first.failure.empty()) first = once(few, small); // the first run loads the code
      if (!first.failure.empty()) {
        failed(first.failure);
      } else if (first.seconds * kScale > patience) {
        row["left-out"] = first.seconds * kScale;
      } else {
        runtime::DeviceArguments device(*kernel, p.arguments);
        Run run = device.status().ok() ? once(device, p) : Run{device.status().message, 0};
        if (run.failure.empty())
          row["seconds"] = runtime::measureBy(
                               [&] {
                                 double seconds = 0;
                                 if (runtime::CallResult status = device.time(seconds); !status.ok())
                                   failed(status.message);
                                 return seconds;
                               },
                               {.least = 11, .most = 51, .seconds = 0.02})
                               .median;
        else
          failed(run.failure);
      }
      result["plans"].push_back(std::move(row));
    }
  }
  std::cout << result.dump() << "\n";
  return ok ? 0 : 1;
} catch (const tangram::DiagnosticError &error) {
  std::cerr << "error: " << error.diagnostic.message << "\n";
  return 1;
}
