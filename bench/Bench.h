// What the benchmarks share: their options, and how a candidate is timed.
#pragma once

#include "Data.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

/// --NAME=VALUE of the command line, and --whole (Data.h), beside Google Benchmark's own flags.
class Options {
public:
  Options(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    given.assign(argv + 1, argv + argc);
    wholeNumbers = std::erase(given, "--whole") != 0;
  }

  /// A number of at least 1.
  std::size_t number(const std::string &name, std::size_t usual) {
    std::string value = text(name, std::to_string(usual).c_str());
    char *end = nullptr;
    unsigned long long number = std::strtoull(value.c_str(), &end, 10);
    constexpr unsigned long long kMost = 1ull << 40;
    if (value.empty() || *end || value[0] == '-' || number == 0 || number > kMost)
      fail("--" + name + "=" + value + " is not a number from 1");
    return number;
  }

  /// What `environment` says where the option is not given; else "".
  std::string file(const std::string &name, const char *environment) {
    const char *usual = std::getenv(environment);
    return text(name, usual ? usual : "");
  }

  std::string text(const std::string &name, const char *usual = "") {
    std::string prefix = "--" + name + "=", value = usual;
    known += " " + prefix + "...";
    std::erase_if(given, [&](const std::string &option) {
      if (option.rfind(prefix, 0) != 0) return false;
      value = option.substr(prefix.size());
      return true;
    });
    return value;
  }

  /// To be called when all options are known: ends the program where another one is given.
  void done() const {
    if (!given.empty()) fail("unknown option '" + given[0] + "'");
  }

  /// What a file is wrong about is an error as well.
  [[noreturn]] void fail(const std::string &why) const {
    std::fprintf(stderr, "error: %s; the options are --whole%s, and Google Benchmark's (--help)\n", why.c_str(),
                 known.c_str());
    std::exit(1);
  }

private:
  std::vector<std::string> given;
  std::string known;
};

/// Of a problem that is generated, or of the one in a file.
inline std::string caseName(const std::string &generated, const std::string &file) {
  return file.empty() ? generated : generated + "_" + std::filesystem::path(file).stem().string();
}

/// What one run does at least: each array moved once, and operations on floats where those are what limits it.
struct Work {
  double bytes = 0, flops = 0;
};

/// Times `run`, whose output has been checked, as CASE/CANDIDATE. What was found among several plans says so.
template <class F> void timed(const std::string &name, Work work, F run) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work, run](benchmark::State &state) {
                                 for (auto _ : state) {
                                   run();
                                   benchmark::ClobberMemory();
                                 }
                                 constexpr auto kRate = benchmark::Counter::kIsIterationInvariantRate;
                                 if (work.bytes > 0) state.counters["bytes"] = {work.bytes, kRate};
                                 if (work.flops > 0) state.counters["flops"] = {work.flops, kRate};
                                 if constexpr (requires { run.plan; }) {
                                   state.SetLabel(run.plan);
                                   state.counters["tried"] = static_cast<double>(run.tried);
                                   state.counters["slow"] = static_cast<double>(run.slow);
                                 }
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace bench
