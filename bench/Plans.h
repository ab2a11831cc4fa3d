// Plans that are not in the program, called by the descriptors of their kernels. --picked=LIBRARY,... (as `tangram
// compile
// --emit library` makes them) has what the heuristic picks for another target than the program's kernels were made for.
// --plans=LIBRARY,... (as `tangram verify -o` keeps them) has others, of which the fastest is wanted: each is tried in
// a child process, so that one that never ends is left out. A kernel for a device copies its arguments in each call.
#pragma once

#include "Bench.h"
#include "Element.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/process/Children.h"
#include "tangram/verify/KernelLibrary.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <sstream>

namespace bench {

/// An argument of a kernel, dense and in row-major order; its data must outlive it.
struct Argument {
  tangram_element element;
  std::uint8_t rank;
  void *data;
  tangram_array array{};
};

/// What a kernel only reads may be const: the ABI has one kind of pointer.
template <class T> Argument scalar(const T &value) { return {elementOf<T>(), 0, const_cast<T *>(&value)}; }

template <class T> Argument array(const std::vector<T> &all) {
  return {elementOf<T>(), 1, nullptr, {const_cast<T *>(all.data()), {all.size()}, {1}}};
}

template <class T> Argument matrix(const std::vector<T> &all, std::size_t rows, std::size_t columns) {
  return {elementOf<T>(), 2, nullptr, {const_cast<T *>(all.data()), {rows, columns}, {columns, 1}}};
}

/// A kernel with its arguments, the result last. A call that fails ends the program.
class PlanCall {
public:
  PlanCall(const tangram_kernel &kernel, std::vector<Argument> arguments)
      : kernel_(&kernel), arguments_(std::move(arguments)) {
    bool same = arguments_.size() == kernel.num_params;
    for (std::size_t i = 0; same && i < arguments_.size(); ++i)
      same = arguments_[i].element == kernel.params[i].element && arguments_[i].rank == kernel.params[i].rank;
    if (same) return;
    std::fprintf(stderr, "error: %s: the kernel of a library has other parameters than the benchmark\n",
                 kernel.spectrum);
    std::exit(1);
  }

  void operator()() const {
    void *pointers[kMost];
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      pointers[i] = arguments_[i].rank ? const_cast<tangram_array *>(&arguments_[i].array) : arguments_[i].data;
    tangram_error error{};
    if (kernel_->invoke(pointers, &error) == TANGRAM_OK) return;
    std::fprintf(stderr, "error: %s\n", error.message);
    std::_Exit(1);
  }

private:
  static constexpr std::size_t kMost = 16; // arguments
  const tangram_kernel *kernel_;
  std::vector<Argument> arguments_;
};

/// The fastest plan, and of how many.
struct Found {
  PlanCall call;
  std::string plan;
  std::size_t tried = 0, slow = 0; // how many of those tried were left out as too slow
  void operator()() const { call(); }
};

/// What the heuristic picks, and the fastest of others where there are some.
struct Chosen {
  std::function<void()> picked;
  std::optional<Found> found;
};

class Plans {
public:
  explicit Plans(Options &options) : picked_(loaded(options, "picked")), libraries_(loaded(options, "plans")) {}

  /// What there is of `spectrum`, whose picked plan is `linked` where --picked names none. `check` ends the program
  /// where what a call has left behind is wrong. To be called before the program itself calls a kernel or uses OpenMP:
  /// threads do not follow into a child, which would wait for them.
  Chosen chosen(const std::string &spectrum, const std::vector<Argument> &arguments, std::function<void()> linked,
                const std::function<void()> &check) const {
    for (const auto &library : picked_)
      for (const tangram_kernel *kernel : library.kernels())
        if (kernel->spectrum == spectrum) linked = PlanCall(*kernel, arguments);
    return {linked, fastest(spectrum, arguments, linked, check)};
  }

private:
  using Libraries = std::list<tangram::runtime::KernelLibrary>;

  static Libraries loaded(Options &options, const char *option) {
    Libraries libraries;
    std::istringstream names(options.text(option));
    for (std::string name; std::getline(names, name, ',');) try {
        libraries.emplace_back(name);
      } catch (const tangram::DiagnosticError &error) {
        options.fail(error.diagnostic.message);
      }
    return libraries;
  }

  /// The fastest of the plans of --plans, by a few calls of each; nothing where there is none. What takes much longer
  /// than `picked` is left out.
  std::optional<Found> fastest(const std::string &spectrum, const std::vector<Argument> &arguments,
                               const std::function<void()> &picked, const std::function<void()> &check) const {
    struct Try {
      const tangram_kernel *kernel;
      PlanCall call;
      double seconds = HUGE_VAL; // it is too slow
    };
    std::vector<Try> tries;
    std::set<std::string> seen; // several libraries may have one plan
    for (const auto &library : libraries_)
      for (const tangram_kernel *kernel : library.kernels())
        if (kernel->spectrum == spectrum && seen.insert(kernel->plan).second)
          tries.push_back({kernel, PlanCall(*kernel, arguments)});
    if (tries.empty()) return {};
    double ours = tryOut(spectrum + " as it was picked", picked, check, kEndless).value(), best = HUGE_VAL;
    // Those that are near the best are tried again: a machine may do something else for a while.
    for (int round = 0; round < kRounds; ++round)
      for (Try &t : tries) {
        if (round > 0 && !(t.seconds <= kNear * best)) continue;
        double patience = kStart + kMuch * std::min(ours, best);
        t.seconds = std::min(t.seconds, tryOut(t.kernel->plan, t.call, check, patience).value_or(HUGE_VAL));
        best = std::min(best, t.seconds);
      }
    if (best == HUGE_VAL) return {};
    auto fastest = std::ranges::min_element(tries, {}, &Try::seconds);
    auto slow = std::ranges::count(tries, HUGE_VAL, &Try::seconds);
    return Found{fastest->call, fastest->kernel->plan, tries.size(), static_cast<std::size_t>(slow)};
  }

  static constexpr double kEndless = 600, kStart = 1, kMuch = 8; // seconds; of a child's start; times as long
  static constexpr double kNear = 2;                             // times the best
  static constexpr int kRounds = 3;

  /// The least of a few times, after a call that is checked; nothing where one takes longer than `patience`.
  static std::optional<double> tryOut(const std::string &what, const std::function<void()> &call,
                                      const std::function<void()> &check, double patience) {
    using Clock = std::chrono::steady_clock;
    double least = HUGE_VAL;
    auto work = [&](const tangram::runtime::Send &send) {
      call();
      send({});
      check();
      constexpr double kEnough = 0.2;
      constexpr int kFew = 3, kMany = 20;
      double all = 0;
      for (int calls = 0; calls < kFew || (calls < kMany && all < kEnough); ++calls) {
        auto begin = Clock::now();
        call();
        std::chrono::duration<double> took = Clock::now() - begin;
        send({fmt::format("{}", took.count())});
        all += took.count();
      }
    };
    auto receive = [&](const tangram::runtime::Message &message) {
      for (const std::string &seconds : message) least = std::min(least, std::stod(seconds));
    };
    auto end = tangram::runtime::runChild(work, receive, patience);
    if (end.done()) return least;
    bool endless = end.how == tangram::runtime::ChildEnd::How::Silent;
    if (endless && patience < kEndless) return {};
    std::fprintf(stderr, "error: plan '%s' fails: %s\n", what.c_str(), end.text().c_str());
    std::exit(1);
  }

  Libraries picked_, libraries_;
};

} // namespace bench
