// Plans of one problem on a GPU beside what a user would call instead: `bench/gpu` builds the plans' libraries and
// makes a table of what this prints.
#include "gpu_peers.h"
#include "gpu_problems.h"
#include "gpu_run.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/verify/DeviceArguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using namespace tangram;
using Json = nlohmann::ordered_json;

template <class T> bench::View<T> view(const runtime::Value &value) {
  return {static_cast<const T *>(value.data()), value.count()};
}

/// What a user would call for a problem.
std::vector<bench::Peer> peers(const std::string &problem, const bench::GpuProblem &p) {
  const auto &a = p.arguments;
  if (problem == "sum_f32") return bench::sumPeers(view<float>(a[0]));
  if (problem == "sum_i32") return bench::sumPeers(view<int>(a[0]));
  if (problem == "dot_f32") return bench::dotPeers(view<float>(a[0]), view<float>(a[1]));
  if (problem == "scan_i32") return bench::scanPeers(view<int>(a[0]), true);
  if (problem == "exclusive_scan_i32") return bench::scanPeers(view<int>(a[0]), false);
  if (problem.starts_with("sgemv"))
    return bench::gemvPeers(view<float>(a[0]), a[0].sizes()[0], a[0].sizes()[1], view<float>(a[1]));
  if (problem.starts_with("dgemm")) return bench::gemmPeers(view<double>(a[0]), view<double>(a[1]), a[0].sizes()[0]);
  if (problem.starts_with("spmv"))
    return bench::spmvPeers({view<unsigned>(a[0]), view<unsigned>(a[1]), view<double>(a[2])}, view<double>(a[3]));
  if (problem == "kmeans") return bench::membershipPeers(view<float>(a[0]), view<float>(a[1]), a[0].sizes()[1]);
  if (problem == "bfs")
    return bench::bfsPeers(view<unsigned>(a[0]), view<unsigned>(a[1]), static_cast<std::size_t>(a[2].integer(0)));
  return {};
}

} // namespace

int main(int argc, char **argv) try {
  CLI::App app{"Times the plans of libraries, and their peers, on one problem; prints JSON"};
  std::string name;
  std::vector<std::string> libraries;
  std::size_t size = 0;
  constexpr double kPeers = 100, kPicked = 20;
  double patience = 0.1;
  std::vector<std::string> names;
  for (const auto &kind : bench::gpuProblems()) names.push_back(kind.name);
  app.add_option("problem", name, "which one")->required()->check(CLI::IsMember(names));
  app.add_option("libraries", libraries, "made by tangram compile --emit library, or tangram verify -o");
  app.add_option("--size", size, "of the problem: elements, rows, points or vertices (default: its usual one)");
  app.add_option(
      "--patience", patience,
      "seconds, or 100 times what the fastest peer takes, if that is more: plans that would take longer are left "
      "out; the first, which a table must have, only where it would take 20 times as long");
  CLI11_PARSE(app, argc, argv);

  const bench::GpuProblemKind &kind =
      *std::ranges::find(bench::gpuProblems(), name, [](const auto &kind) { return kind.name; });
  if (size == 0) size = kind.usual;
  bench::GpuProblem few = kind.whole(std::min(size, kind.small)), p = kind.make(size);
  Json result{{"problem", name}, {"plans", Json::array()}, {"peers", Json::array()}};
  result["bytes"] = p.bytes;
  result["flops"] = p.flops;
  result["copy"] = bench::copyBandwidth();
  double fastest = HUGE_VAL;
  for (bench::Peer &peer : peers(name, p)) {
    (void)peer.seconds();
    std::string failure = p.wrong(peer.result());
    if (!failure.empty()) {
      std::cerr << fmt::format("error: {} is wrong: {}\n", peer.name, failure);
      return 1;
    }
    double median = runtime::measureBy(peer.seconds).median;
    fastest = std::min(fastest, median);
    result["peers"].push_back({{"name", peer.name}, {"seconds", median}});
  }
  if (std::isfinite(fastest)) patience = std::max(patience, kPeers * fastest);
  bool ok = true;
  for (const std::string &file : libraries) {
    runtime::KernelLibrary library(file);
    for (const tangram_kernel *kernel : library.kernels()) {
      Json row{{"plan", kernel->plan}};
      if (!runtime::deviceOf(*kernel)) {
        std::cerr << "error: the kernels run on no device that is here\n";
        return 1;
      }
      bench::GpuRun run = bench::tryOut(*kernel, few);
      double would = run.seconds * p.work() / few.work();
      bool patient = would <= (result["plans"].empty() ? kPicked * patience : patience);
      if (run.failure.empty() && patient) run = bench::measured(*kernel, p);
      if (!run.failure.empty()) {
        row["failure"] = run.failure;
        ok = false;
      } else {
        row[patient ? "seconds" : "left-out"] = patient ? run.seconds : would;
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
