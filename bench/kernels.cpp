// Times kernels of one spectrum that were compiled before, on the same data: what plans and heuristics are compared by,
// also on a machine without a compiler.
//
//   bench-kernels --arg NAME=SPEC... [--repeat K] LIBRARY...
//
// Every container needs its sizes; a scalar its value. Each library is called in a process of its own. Its results must
// be close to those of the first: one line each, "seconds LIBRARY", or what is wrong with it.
#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/ArgumentSpec.h"
#include "tangram/runtime/Children.h"
#include "tangram/runtime/DeviceArguments.h"
#include "tangram/runtime/KernelLibrary.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace {

using namespace tangram::runtime;

struct Flags {
  std::vector<std::string> libraries, arguments;
  std::size_t repeat = 0;
  std::uint64_t seed = 1;
};

constexpr tangram::DiagnosticKind kNotGiven{"bench.argument", tangram::DiagnosticClass::User,
                                            "nothing says what '{0}' is", "say --arg {0}=random:16M, or a value"};

/// Of the floats of a value, roundings of long sums aside.
constexpr double kClose = 2e-3;

std::vector<Value> makeArguments(const tangram_kernel &kernel, const Flags &flags) {
  std::map<std::string, std::string> said;
  for (const std::string &argument : flags.arguments) {
    const std::size_t at = argument.find('=');
    said[argument.substr(0, at)] = at == std::string::npos ? "" : argument.substr(at + 1);
  }
  std::map<std::string, std::uint64_t> extents;
  for (const auto &[name, text] : said)
    if (ArgumentSpec spec = parseArgumentSpec(text); !spec.sizes.empty()) extents[name] = spec.sizes[0];
  std::vector<Value> result;
  for (std::uint32_t i = 0; i < kernel.num_params; ++i) {
    const tangram_param &param = kernel.params[i];
    auto given = said.find(param.name);
    if (given == said.end() && param.access == TANGRAM_IN) tangram::fail(kNotGiven, {}, param.name);
    const ArgumentSpec spec = parseArgumentSpec(given == said.end() ? "0" : given->second);
    ArgumentContext context;
    if (spec.pointsInto()) {
      auto of = extents.find(spec.of);
      const auto number = parseSize(spec.of);
      if (of == extents.end() && !number) tangram::fail(kNotGiven, {}, spec.of);
      context.bound = of == extents.end() ? *number : of->second;
    }
    result.push_back(makeValue(spec, param.name, Element::of(kernel, i), param.rank, flags.seed + i, context));
  }
  return result;
}

/// Of each result: its greatest magnitude, and beside that the mean of each of some thousand runs of its elements,
/// which all elements are in, and the first element of each run.
std::vector<double> digest(const tangram_kernel &kernel, const std::vector<Value> &values) {
  constexpr std::uint64_t kRuns = 997;
  std::vector<double> result;
  for (std::uint32_t i = 0; i < kernel.num_params; ++i) {
    if (kernel.params[i].access == TANGRAM_IN) continue;
    const Value &value = values[i];
    const std::uint64_t count = value.count(), length = std::max<std::uint64_t>(1, count / kRuns);
    double magnitude = 0;
    const std::size_t begin = result.size();
    for (std::uint64_t first = 0; first < count; first += length) {
      const std::uint64_t end = std::min(first + length, count);
      double sum = 0;
      for (std::uint64_t e = first; e < end; ++e) {
        const double element = value.real(e);
        sum += element;
        magnitude = std::max(magnitude, std::abs(element));
      }
      result.push_back(sum / static_cast<double>(end - first));
      result.push_back(value.real(first));
    }
    for (std::size_t d = begin; d < result.size(); ++d) result[d] /= std::max(magnitude, 1e-30);
    result.push_back(magnitude);
  }
  return result;
}

void call(const std::string &path, const Flags &flags, const Send &send) {
  const KernelLibrary library(path);
  const tangram_kernel &kernel = *library.kernels().front();
  std::vector<Value> values = makeArguments(kernel, flags);
  MeasureOptions options;
  options.repeats = flags.repeat, options.seconds = 0.3, options.least = 3;
  CallResult result;
  Measurement measured;
  auto note = [&](CallResult next) {
    if (result.ok()) result = std::move(next);
  };
  if (deviceOf(kernel)) {
    DeviceArguments arguments(kernel, values);
    if (!arguments.status().ok()) return send({"wrong", arguments.status().message});
    double seconds = 0;
    note(arguments.time(seconds));
    if (result.ok()) note(arguments.download());
    if (!result.ok()) return send({"wrong", result.message});
    for (double d : digest(kernel, values)) send({"digest", fmt::format("{}", d)});
    measured = measureBy(
        [&] {
          double once = 0;
          if (result.ok()) note(arguments.time(once));
          return once;
        },
        options, [&] { note(arguments.restore()); });
  } else {
    std::vector<Value> original;
    for (const Value &value : values) original.push_back(value.copy());
    note(tangram::runtime::call(kernel, values));
    for (double d : digest(kernel, values)) send({"digest", fmt::format("{}", d)});
    measured = measure([&] { note(tangram::runtime::call(kernel, values)); }, options,
                       [&] {
                         for (std::uint32_t i = 0; i < kernel.num_params; ++i)
                           if (kernel.params[i].access == TANGRAM_INOUT) values[i].assign(original[i]);
                       });
  }
  if (!result.ok()) return send({"wrong", result.message});
  send({"time", fmt::format("{}", measured.median)});
}

std::string differs(const std::vector<double> &got, const std::vector<double> &first) {
  if (got.size() != first.size()) return "other results than the first";
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - first[i]) <= kClose * std::max(1.0, std::abs(first[i]))))
      return fmt::format("other results than the first: {} instead of {}", got[i], first[i]);
  return "";
}

int run(const Flags &flags) {
  std::vector<double> first;
  int status = 0;
  for (const std::string &path : flags.libraries) {
    std::vector<double> digested;
    std::string time, wrong;
    const ChildEnd end = runChild(
        [&](const Send &send) {
          try {
            call(path, flags, send);
          } catch (const tangram::DiagnosticError &e) {
            send({"wrong", e.diagnostic.message});
          }
        },
        [&](const Message &m) {
          if (m[0] == "digest") digested.push_back(std::stod(m[1]));
          if (m[0] == "time") time = m[1];
          if (m[0] == "wrong") wrong = m[1];
        },
        120);
    if (!end.done()) wrong = end.text();
    if (wrong.empty() && first.empty()) first = digested;
    if (wrong.empty()) wrong = differs(digested, first);
    fmt::print("{} {}\n", wrong.empty() ? time : "wrong", path + (wrong.empty() ? "" : ": " + wrong));
    std::fflush(stdout);
    status |= !wrong.empty();
  }
  return status;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  CLI::App app{"Times kernels of one spectrum side by side, on the same data"};
  app.add_option("libraries", flags.libraries, "Built by `tangram compile --emit library`")->required();
  app.add_option("--arg,-a", flags.arguments, "As of `tangram run`, with all sizes")->allow_extra_args(false);
  app.add_option("--repeat,-r", flags.repeat, "Measured runs; default: as many as fit 0.3 s, at least 3");
  app.add_option("--seed", flags.seed, "Of random data");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(flags);
  } catch (const tangram::DiagnosticError &e) {
    fmt::print(stderr, "error: {}\n", e.diagnostic.message);
    return 1;
  }
}
