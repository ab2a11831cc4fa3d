// Times kernels of one spectrum that were compiled before, on the same data: what plans, heuristics and what somebody
// has written by hand are compared by, also on a machine without a compiler.
//
//   bench-kernels --arg NAME=SPEC... [--sums N] [--whole] [--spectrum S] [--patience SECONDS] [--repeat K] LIBRARY...
//
// Every container needs its sizes; a scalar its value. Each library is called in a process of its own. Its results are
// compared with those of the first that has any before it is timed, element by element: floating-point numbers may be
// as far from it as roundings explain, of whole numbers (--whole) exactly equal. One line a kernel: "seconds LIBRARY",
// or what is wrong with it, or that it is slow.
#include "tangram/diag/Diagnostic.h"
#include "tangram/process/Children.h"
#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Compare.h"
#include "tangram/verify/DeviceArguments.h"
#include "tangram/verify/KernelLibrary.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>

namespace {

using namespace tangram::runtime;

struct Flags {
  std::vector<std::string> libraries, arguments;
  std::string spectrum, lock;
  std::size_t repeat = 0;
  std::uint64_t seed = 1, sums = 1;
  double patience = 60;
  bool whole = false;
};

constexpr tangram::DiagnosticKind kNotGiven{"bench.argument", tangram::DiagnosticClass::User,
                                            "nothing says what '{0}' is", "say --arg {0}=random:16M, or a value"};
constexpr tangram::DiagnosticKind kNoKernel{"bench.spectrum", tangram::DiagnosticClass::User,
                                            "'{0}' has no kernel of '{1}'", "give a library that has"};
constexpr tangram::DiagnosticKind kNoLock{"bench.lock", tangram::DiagnosticClass::User, "no lock on '{0}': {1}",
                                          "give a file that can be written"};

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

/// Bytes that this process and its children share.
class Shared {
public:
  explicit Shared(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    void *memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte *>(memory);
  }
  ~Shared() {
    if (data_) munmap(data_, bytes_);
  }
  Shared(Shared &&other) noexcept : bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
  Shared &operator=(Shared &&) = delete;
  std::byte *data() const { return data_; }

private:
  std::size_t bytes_;
  std::byte *data_ = nullptr;
};

std::size_t bytesOf(const Value &value) { return value.count() * value.type().bytes; }

/// Where the elements are; `argument()` of a scalar.
std::byte *elements(Value &value) { return static_cast<std::byte *>(value.rank() ? value.data() : value.argument()); }

/// Arguments, and what the first kernel made of each that is written.
class Problem {
public:
  /// `sums`: how many numbers an element of a result adds up; 0: results must be equal.
  Problem(const tangram_kernel &kernel, std::vector<Value> arguments, std::uint64_t sums)
      : arguments_(std::move(arguments)), sums_(sums) {
    for (std::uint32_t i = 0; i < kernel.num_params; ++i) {
      written_.push_back(kernel.params[i].access != TANGRAM_IN);
      names_.emplace_back(kernel.params[i].name);
      first_.emplace_back(written_[i] ? bytesOf(arguments_[i]) : 0);
      floating_ |= arguments_[i].isFloating();
    }
  }

  bool floating() const { return floating_; }
  std::vector<Value> &arguments() { return arguments_; }
  /// Whether the kernel has such parameters.
  bool fits(const tangram_kernel &kernel) const {
    if (kernel.num_params != arguments_.size()) return false;
    for (std::uint32_t i = 0; i < kernel.num_params; ++i)
      if (kernel.params[i].rank != arguments_[i].rank() || Element::of(kernel, i) != arguments_[i].type()) return false;
    return true;
  }
  void keep() {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (written_[i]) std::memcpy(first_[i].data(), elements(arguments_[i]), bytesOf(arguments_[i]));
  }
  /// What differs from what was kept; empty: nothing.
  std::string differs() {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      Value &got = arguments_[i];
      if (!written_[i] || std::memcmp(first_[i].data(), elements(got), bytesOf(got)) == 0) continue;
      if (sums_ && floating_ && !got.isFloating()) continue; // roundings may have decided
      Value first = got.copy();
      std::memcpy(elements(first), first_[i].data(), bytesOf(first));
      if (auto m = compare(got, expected(std::move(first))))
        return fmt::format("{}{} is {}, the first has {} (+- {:.3g}); {} elements differ", names_[i],
                           m->index.empty() ? "" : fmt::format("[{}]", fmt::join(m->index, ", ")), m->got, m->expected,
                           m->bound, m->wrong);
    }
    return "";
  }

private:
  /// Roundings of N sums and of what is added have no common cause: they add up to some sqrt(N) units of the largest
  /// partial sum (docs/verification.md), which for terms of random signs is about as large as the largest result, or,
  /// where there is but one, as the root of N.
  Expected expected(Value first) const {
    std::vector<std::vector<Expected::Number>> numbers;
    if (sums_ && first.isFloating()) {
      const double root = std::sqrt(static_cast<double>(sums_));
      double most = first.count() == 1 ? root : 0;
      for (std::uint64_t e = 0; e < first.count(); ++e)
        if (double x = std::abs(first.real(e)); std::isfinite(x)) most = std::max(most, x);
      const double bound = std::ldexp(kRoundings * root * most, -mantissaBits(first.element()));
      numbers.emplace_back();
      for (std::uint64_t e = 0; e < first.count(); ++e) numbers[0].push_back({first.real(e), bound});
    }
    return {std::move(first), std::move(numbers)};
  }

  /// 4 standard deviations of two results, each with a product, a function and a sum to a term.
  static constexpr double kRoundings = 16;
  std::vector<Value> arguments_;
  std::vector<bool> written_;
  std::vector<std::string> names_;
  std::vector<Shared> first_;
  std::uint64_t sums_;
  bool floating_ = false;
};

std::vector<const tangram_kernel *> kernelsOf(const KernelLibrary &library, const std::string &path,
                                              const std::string &spectrum) {
  std::vector<const tangram_kernel *> found;
  for (const tangram_kernel *kernel : library.kernels())
    if (spectrum.empty() || spectrum == kernel->spectrum) found.push_back(kernel);
  if (found.empty()) tangram::fail(kNoKernel, {}, path, spectrum);
  return found;
}

/// Ends this process where what it does until the end of the scope takes too long: nothing else ends a kernel.
class Impatience {
public:
  explicit Impatience(double seconds) { set(seconds); }
  ~Impatience() { set(0); }
  Impatience(const Impatience &) = delete;
  Impatience &operator=(const Impatience &) = delete;

private:
  static void set(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
};

/// A kernel and its arguments, where it runs.
class Calls {
public:
  Calls(const tangram_kernel &kernel, std::vector<Value> &values) : kernel_(kernel), values_(values) {
    const bool onDevice = deviceOf(kernel) != nullptr;
    if (onDevice) note(device_.emplace(kernel, values).status());
    for (std::uint32_t i = 0; i < kernel.num_params && !onDevice; ++i)
      if (kernel.params[i].access == TANGRAM_INOUT) changed_.emplace(i, values[i].copy());
  }
  const CallResult &result() const { return result_; }
  void once(double patience) {
    const Impatience impatience(patience);
    run();
    if (device_ && result_.ok()) note(device_->download());
  }
  Measurement measured(const MeasureOptions &options) {
    return device_ ? measureBy([&] { return run(); }, options, [&] { note(device_->restore()); })
                   : measure([&] { run(); }, options, [&] { restore(); });
  }

private:
  /// The seconds by the clock of the device, if there is one.
  double run() {
    double seconds = 0;
    if (result_.ok()) note(device_ ? device_->time(seconds) : call(kernel_, values_));
    return seconds;
  }
  void restore() {
    for (const auto &[i, value] : changed_) values_[i].assign(value);
  }
  void note(CallResult next) {
    if (result_.ok()) result_ = std::move(next);
  }

  const tangram_kernel &kernel_;
  std::vector<Value> &values_;
  std::map<std::uint32_t, Value> changed_; // by the kernel, on the host: as they were
  CallResult result_;
  std::optional<DeviceArguments> device_;
};

/// In a child, which has memory of its own: checks the kernel on all problems, and then times it on the last.
void work(const tangram_kernel &kernel, const Flags &flags, std::vector<Problem> &problems, bool isFirst,
          const Send &send) {
  for (Problem &problem : problems) {
    if (!problem.fits(kernel)) return send({"wrong", "it has other parameters than the last library's"});
    Calls calls(kernel, problem.arguments());
    if (calls.result().ok()) calls.once(flags.patience);
    if (!calls.result().ok()) return send({"wrong", calls.result().message});
    if (isFirst)
      problem.keep();
    else if (std::string differs = problem.differs(); !differs.empty())
      return send({"wrong", differs});
    if (&problem != &problems.back()) continue;
    MeasureOptions options;
    options.repeats = flags.repeat, options.seconds = 0.3, options.least = 3;
    const Measurement measured = calls.measured(options);
    if (!calls.result().ok()) return send({"wrong", calls.result().message});
    send({"time", fmt::format("{}", measured.median)});
  }
}

std::vector<Problem> makeProblems(const Flags &flags) {
  const KernelLibrary library(flags.libraries.back());
  const tangram_kernel &kernel = *kernelsOf(library, flags.libraries.back(), flags.spectrum).front();
  std::vector<Problem> problems;
  std::vector<Value> arguments = makeArguments(kernel, flags);
  if (flags.whole) {
    std::vector<WholePass> passes = wholePasses(arguments); // none: they are whole anyway
    // Results are compared with those of another kernel, exactly: wide numbers are not so exact in products of three.
    std::erase_if(passes, [](const WholePass &pass) { return pass.among > 0; });
    if (passes.size() > kMostWhole) passes.resize(kMostWhole);
    for (const WholePass &pass : passes) {
      std::vector<Value> whole;
      for (std::uint64_t i = 0; const Value &value : arguments)
        makeWhole(whole.emplace_back(value.copy()), flags.seed + i++, pass);
      problems.emplace_back(kernel, std::move(whole), 0);
    }
  }
  problems.emplace_back(kernel, std::move(arguments), flags.sums);
  return problems;
}

/// Until this process ends, no other one that wants this file goes on.
void lock(const std::string &file) {
  if (file.empty()) return;
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0 || flock(descriptor, LOCK_EX) != 0) tangram::fail(kNoLock, {}, file, std::strerror(errno));
}

void say(const std::string &time, const std::string &path, const std::string &why = "") {
  fmt::print("{} {}{}{}\n", time, path, why.empty() ? "" : ": ", why);
  std::fflush(stdout);
}

int run(const Flags &flags) {
  std::vector<Problem> problems = makeProblems(flags);
  lock(flags.lock); // data is made while others run
  bool isFirst = true, right = true;
  auto measured = [&](const std::string &path, const tangram_kernel &kernel) {
    std::string time, wrong;
    const ChildEnd end = runChild([&](const Send &send) { work(kernel, flags, problems, isFirst, send); },
                                  [&](const Message &m) { (m[0] == "time" ? time : wrong) = m[1]; }, 600);
    if (end.how == ChildEnd::How::Signal && end.number == SIGALRM)
      return say("slow", path, fmt::format("a call takes more than {} s", flags.patience));
    if (!end.done()) wrong = end.text();
    say(wrong.empty() ? time : "wrong", path, wrong);
    isFirst &= !wrong.empty();
    right &= wrong.empty();
  };
  for (const std::string &path : flags.libraries) try {
      const KernelLibrary library(path);
      for (const tangram_kernel *kernel : kernelsOf(library, path, flags.spectrum)) measured(path, *kernel);
    } catch (const tangram::DiagnosticError &e) {
      say("wrong", path, e.diagnostic.message);
      right = false;
    }
  return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  CLI::App app{"Times kernels of one spectrum side by side, on the same data"};
  app.add_option("libraries", flags.libraries, "Built by `tangram compile --emit library`, or written by hand")
      ->required();
  app.add_option("--arg,-a", flags.arguments, "As of `tangram run`, with all sizes")->allow_extra_args(false);
  app.add_option("--spectrum,-s", flags.spectrum, "Which of a library's kernels; default: all");
  app.add_option("--sums", flags.sums, "How many numbers an element of the result adds up (default 1)");
  app.add_flag("--whole", flags.whole, "Check with whole numbers first, of which results are exact");
  app.add_option("--patience", flags.patience, "Seconds that a call may take (default 60)");
  app.add_option("--lock", flags.lock, "Run nothing while another process has this file locked");
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
