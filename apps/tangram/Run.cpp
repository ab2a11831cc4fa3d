// tangram run
#include "Driver.h"
#include "RunArguments.h"

#include "tangram/process/Children.h"
#include "tangram/verify/IndexArguments.h"
#include "tangram/verify/OutOfRange.h"
#include "tangram/verify/SmallTrials.h"
#include "tangram/verify/TimedCalls.h"
#include "tangram/verify/Trial.h"

#include <chrono>
#include <iostream>
#include <unistd.h>

namespace tangram::driver {
namespace {

using namespace runtime;

constexpr DiagnosticKind kRefused{"run.refused", DiagnosticClass::User, "'{0}' cannot be called: {1}",
                                  "give arguments that it takes, on a machine that has its device"};
constexpr DiagnosticKind kDied{"run.died", DiagnosticClass::User, "the {0} {1}",
                               "{3}a codelet may leave its container: `tangram verify` tells which; the plan is {2}"};
constexpr DiagnosticKind kDiffers{"run.differs", DiagnosticClass::User,
                                  "the chosen plan does not agree with the reference: {0}",
                                  "`tangram verify` tells which codelet is at fault; the plan is {1}"};

struct RunFlags : ProgramFlags {
  std::vector<std::string> arguments;
  std::size_t repeat = 0;
  std::uint64_t seed = 1;
  double timeout = 600;
  std::string folder;
  std::string reference; // "full", "light"; empty: light where the full one would take too long
};

std::string shown(const Value &value) {
  constexpr std::uint64_t most = 8;
  if (value.rank() == 0) return value.text(0);
  std::string text;
  for (std::uint64_t i = 0; i < std::min(most, value.count()); ++i) text += (i ? ", " : "") + value.text(i);
  return fmt::format("[{}{}]", text, value.count() > most ? fmt::format(", ... {} in all", value.count()) : "");
}

/// What children found out.
struct Outcome {
  std::string stage = "compiled kernel"; // what is being called
  std::string error, refused, outOfRange, differs, device;
  std::vector<std::pair<std::string, std::string>> results; // name and value
  Measurement time;
  std::uint64_t bytes = 0;
  UndecidedTrials undecided;
  double reference = 0; // seconds that it took, in the last check
  bool checked = false, slow = false, measured = false;
};

void sendRefusal(const Send &send, const CallResult &result) {
  send({result.status == TANGRAM_OUT_OF_RANGE ? "out-of-range" : "refused", result.message});
}

/// The chosen plan is checked and measured in children: it may crash, or hang.
class Runner {
public:
  Runner(Driver &driver, const RunFlags &flags, const Call &asked, const Plan &plan, std::filesystem::path folder)
      : driver_(driver), session_(driver.session()), flags_(flags), asked_(asked), plan_(plan),
        folder_(std::move(folder)) {}

  /// Throws where results differ, or something cannot be called.
  void run() {
    driver_.progress("compiling");
    ast::Arena arena;
    const ast::Module *lowered = session_.lower({plan_}, arena);
    const std::string stem = stemOf(flags_.files[0]);
    library_ = session_.build(session_.emit(*lowered, stem), folder_, stem);
    name_ = lowered->kernels[0]->name;
    driver_.progress("compiling the reference");
    full_ = buildReference(session_, asked_.spectrum.name, folder_ / "reference");
    unread_ = neverRead(session_, asked_.spectrum.name);
    driver_.progress("checking");
    check();
    driver_.progress("measuring");
    const ChildEnd end = inChild([this](const Send &send) { measure(send); }, {});
    throwFailure(end, outcome.measured);
    driver_.endProgress();
  }

  Outcome outcome;
  std::string comparedBy; // where it is not the reference alone: a sentence
  const ReferenceLibrary &reference() const { return full_; }

private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  static constexpr const char *kSmallReference = "reference, of smaller arguments,";
  const std::vector<Value> &original() const { return asked_.arguments.values; }

  // ---- in a child ----

  /// Calls the chosen plan and the reference with the arguments of a trial; false, with the reason sent, where they do
  /// not agree. `got` has the plan's results, `seconds` is what the reference took as well.
  static bool agrees(const tangram_kernel &chosen, const Reference &reference, Trial &trial, std::vector<Value> &got,
                     double &seconds, const Send &send) {
    got = copies(trial.arguments);
    send({"stage", trial.small ? "chosen plan, of smaller arguments," : "chosen plan"});
    const CallResult result = call(chosen, got);
    if (!result.ok() && !trial.small) return sendRefusal(send, result), false;
    send({"stage", trial.small ? kSmallReference : "reference"});
    const Clock::time_point start = Clock::now();
    const CallResult right = expect(trial, reference);
    seconds += Seconds(Clock::now() - start).count();
    if (trial.small && !right.ok()) return true;
    if (!right.ok()) return sendRefusal(send, right), false;
    if (std::optional<PlanFailure> bad = judge(chosen, result, got, trial.expected, trial.plain)) {
      send({"differs",
            bad->reason + (trial.whole ? ", of whole numbers" : "") + (trial.small ? ", of smaller arguments" : "")});
      return false;
    }
    if (const Undecided &u = trial.undecided)
      send({"doubt", u.text(), trial.whole ? "whole" : "", trial.small ? "small" : ""});
    return true;
  }

  /// All trials, which are made one by one, unless the reference takes longer than `most` seconds for them.
  void compare(const std::filesystem::path &reference, ReferenceKind kind, std::size_t count,
               const std::function<Trial(std::size_t)> &make, std::optional<double> most, const Send &send) const {
    const KernelLibrary kernels(library_);
    const Reference right(reference, kind);
    const tangram_kernel &chosen = kernels.get(name_);
    std::vector<Value> got;
    bool isGiven = false;
    double seconds = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Trial trial = make(i);
      isGiven = !trial.small;
      if (!agrees(chosen, right, trial, got, seconds, send)) return;
      if (most && seconds / static_cast<double>(i + 1) * static_cast<double>(count) > *most) return send({"slow"});
    }
    send({"took", fmt::format("{}", seconds)});
    for (std::uint32_t i = 0; isGiven && i < chosen.num_params; ++i) {
      const tangram_param &p = chosen.params[i];
      if (p.rank) send({"bytes", std::to_string(original()[i].count() * original()[i].type().bytes)});
      if (p.access != TANGRAM_IN) send({"result", p.name, shown(got[i])});
    }
    send({"checked"});
  }

  void measure(const Send &send) const {
    const KernelLibrary kernels(library_);
    std::vector<Value> values = copies(original());
    MeasureOptions options;
    options.repeats = flags_.repeat;
    TimedCalls calls(kernels.get(name_), values, original());
    if (!calls.device().empty()) send({"device", calls.device()});
    if (!calls.status().ok()) return sendRefusal(send, calls.status());
    auto restore = [&] { calls.restore(); };
    Measurement m = measureBy([&] { return calls.call(); }, options,
                              calls.changesArguments() ? std::function<void()>(restore) : std::function<void()>());
    if (!calls.status().ok()) return sendRefusal(send, calls.status());
    send({"time", fmt::format("{}", m.median), fmt::format("{}", m.low), fmt::format("{}", m.high),
          fmt::format("{}", m.confidence), std::to_string(m.repeats)});
  }

  // ---- in this process ----

  void receive(const Message &m) {
    if (m[0] == "stage") outcome.stage = m[1];
    if (m[0] == "error") outcome.error = m[1];
    if (m[0] == "refused") outcome.refused = m[1];
    if (m[0] == "out-of-range") outcome.outOfRange = m[1];
    if (m[0] == "differs") outcome.differs = m[1];
    if (m[0] == "doubt") {
      Trial trial;
      trial.undecided = Undecided::fromText(m[1]);
      trial.whole = !m[2].empty();
      trial.small = !m[3].empty();
      outcome.undecided.include(trial);
    }
    if (m[0] == "slow") outcome.slow = true;
    if (m[0] == "took") outcome.reference = std::stod(m[1]);
    if (m[0] == "bytes") outcome.bytes += std::stoull(m[1]);
    if (m[0] == "result") outcome.results.emplace_back(m[1], m[2]);
    if (m[0] == "checked") outcome.checked = true;
    if (m[0] == "device") outcome.device = m[1];
    if (m[0] == "time") {
      outcome.time = {std::stod(m[1]), std::stod(m[2]), std::stod(m[3]), std::stod(m[4]), std::stoull(m[5])};
      outcome.measured = true;
    }
  }

  ChildEnd inChild(const std::function<void(const Send &)> &work, std::optional<double> seconds) {
    ChildEnd result;
    ChildJob job;
    job.work = [&](const Send &send) {
      try {
        work(send);
      } catch (const DiagnosticError &e) {
        send({"error", e.diagnostic.message});
      } catch (const std::bad_alloc &) {
        send({"error", "there is not enough memory for copies of the arguments"});
      }
    };
    job.receive = [this](const Message &m) { receive(m); };
    job.ended = [&](const ChildEnd &end) { result = end; };
    job.silence = flags_.timeout;
    if (seconds) job.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*seconds));
    Children child(1);
    child.add(std::move(job));
    child.run();
    return result;
  }

  void throwFailure(const ChildEnd &end, bool done) const {
    if (end.done() && done) return;
    driver_.endProgress();
    const ast::Spectrum &spectrum = asked_.spectrum;
    if (!outcome.error.empty()) fail(kRefused, {}, spectrum.name, outcome.error);
    const std::string advice = indexAdvice(session_.module().spectrums, spectrum, asked_.given);
    if (!outcome.outOfRange.empty()) failOutOfRange(outcome.outOfRange, advice);
    if (!outcome.refused.empty()) fail(kRefused, spectrum.range, spectrum.name, outcome.refused);
    if (!outcome.differs.empty()) fail(kDiffers, spectrum.range, outcome.differs, key(plan_));
    if (!end.done()) std::cerr << end.said;
    fail(kDied, spectrum.range, outcome.stage, end.done() ? "ended the process" : end.text(), key(plan_),
         advice.empty() ? "" : advice + "; or ");
  }

  using Make = std::function<Trial(std::size_t)>;
  /// False where the reference takes longer than `most` seconds, or cannot be called with smaller arguments. What fails
  /// otherwise is thrown.
  bool agreed(const std::filesystem::path &reference, ReferenceKind kind, std::size_t count, const Make &make,
              std::optional<double> most = {}) {
    constexpr double kOthers = 4; // times as long for all that is done beside it
    const Outcome before = outcome;
    const ChildEnd end = inChild([&](const Send &send) { compare(reference, kind, count, make, most, send); },
                                 most ? std::optional(kOthers * *most) : std::nullopt);
    const bool isLeft = outcome.slow || end.how == ChildEnd::How::Late ||
                        (!end.done() && outcome.stage == kSmallReference); // nobody asked for these
    if (isLeft)
      outcome = before;
    else
      throwFailure(end, outcome.checked);
    return !isLeft;
  }

  /// By the reference where that takes no time; where it does, smaller arguments, and those that are given by a light
  /// one.
  void check() {
    const Trials all(original(), unread_, flags_.seed);
    const Make given = [&](std::size_t i) { return all.make(i); };
    const bool mayBeLight = flags_.reference == "light" || (flags_.reference.empty() && mayTakeLong(original()));
    if (mayBeLight) {
      const std::vector<Trial> small = agreedOfSmall();
      const double perElement = small.empty() ? 0 : outcome.reference / static_cast<double>(elementsOf(small));
      outcome.checked = false;
      if (flags_.reference.empty() &&
          perElement * static_cast<double>(elementsOf(original()) * all.count()) <= kReferenceSeconds &&
          agreed(full_.library, ReferenceKind::Full, all.count(), given, kReferenceSeconds))
        return;
      driver_.progress("compiling a light reference");
      if (std::filesystem::path light = buildLight(); !light.empty()) {
        driver_.progress("checking");
        const Trials few(original(), unread_, flags_.seed, kFewWhole);
        agreed(light, ReferenceKind::Light, few.count(), [&](std::size_t i) { return few.make(i); });
        comparedBy = comparedLightly(small);
        return;
      }
      driver_.progress("checking");
    }
    agreed(full_.library, ReferenceKind::Full, all.count(), given);
  }

  /// Smaller arguments of the same kind, for which results agree; none where there are no such.
  std::vector<Trial> agreedOfSmall() {
    std::vector<Trial> small =
        smallTrials(session_, asked_.spectrum, Reference(full_.library).kernel(), asked_.given, flags_.seed);
    const Make make = [&](std::size_t i) {
      Trial trial;
      trial.arguments = copies(small[i].arguments);
      trial.whole = small[i].whole;
      trial.small = true;
      return trial;
    };
    if (!small.empty() && !agreed(full_.library, ReferenceKind::Full, small.size(), make, kReferenceSeconds))
      small.clear();
    return small;
  }

  /// Empty where there can be none.
  std::filesystem::path buildLight() {
    try {
      return buildReference(session_, asked_.spectrum.name, folder_ / "light", ReferenceKind::Light).library;
    } catch (const DiagnosticError &) {
      return {};
    }
  }

  Driver &driver_;
  Session &session_;
  const RunFlags &flags_;
  const Call &asked_;
  const Plan &plan_;
  const std::filesystem::path folder_;
  std::filesystem::path library_; // of the chosen plan, and its entry there
  std::string name_;
  ReferenceLibrary full_;
  std::vector<bool> unread_;
};

int run(Driver &driver, const RunFlags &flags) {
  checkFolder(flags.folder);
  Session &s = driver.open(flags);
  const Call asked = callOf(driver, flags, flags.arguments, flags.seed);
  const ast::Spectrum &spectrum = asked.spectrum;
  const Arguments &arguments = asked.arguments;

  ProgramFlags one = flags;
  one.spectrums = {spectrum.name};
  const Plan plan = driver.plans(one)[0];
  std::optional<TemporaryFolder> temporary;
  if (flags.folder.empty()) temporary.emplace("tangram-run");
  Runner runner(driver, flags, asked, plan, temporary ? temporary->path() : std::filesystem::path(flags.folder));
  runner.run();
  const Outcome &outcome = runner.outcome;
  const ReferenceLibrary &reference = runner.reference();

  const Measurement &t = outcome.time;
  double rate = t.median > 0 ? static_cast<double>(outcome.bytes) / t.median / 1e9 : 0;
  if (driver.common.json) {
    Json json{{"spectrum", spectrum.name},
              {"target", s.target().name},
              {"plan", key(plan)},
              {"reference", reference.plan},
              {"agrees", true},
              {"compared-by", runner.comparedBy},
              {"undecided", outcome.undecided.all().questions},
              {"undecided-elements", outcome.undecided.all().elements},
              {"estimated", outcome.undecided.all().estimated},
              {"unbounded", outcome.undecided.all().numbers},
              {"seconds", Json{{"median", t.median},
                               {"low", t.low},
                               {"high", t.high},
                               {"confidence", t.confidence},
                               {"repeats", t.repeats}}},
              {"bytes", outcome.bytes},
              {"gigabytes-per-second", rate},
              {"results", Json::object()}};
    for (const auto &[name, size] : arguments.zeros) json["zeros"][name] = size;
    if (!arguments.inferred.empty()) json["inferred"] = arguments.inferred;
    if (!outcome.device.empty()) json["device"] = outcome.device;
    for (const auto &[name, value] : outcome.results) json["results"][name] = value;
    std::cout << json.dump(2) << "\n";
    return 0;
  }
  std::cout << tangram::print(plan);
  for (const auto &[name, size] : arguments.zeros)
    std::cout << fmt::format("{}: zeros, size {} from __requires\n", name, size);
  for (const std::string &sentence : arguments.inferred) std::cout << sentence << "\n";
  const bool floating = hasFloating(arguments.values), zero = allZero(arguments.values);
  const bool given = !outcome.undecided.given.most(), whole = floating && !outcome.undecided.whole.most();
  std::cout << fmt::format("{} with {}, {}{}\n", given || whole ? "agrees" : "could hardly be compared",
                           runner.comparedBy.empty() ? "the reference" : "a light reference", reference.plan,
                           !whole   ? ""
                           : !given ? ", on whole numbers"
                           : zero   ? ", on these numbers and on whole ones, of which none is zero"
                                    : ", on these numbers and on whole ones");
  if (!runner.comparedBy.empty()) std::cout << runner.comparedBy << "\n";
  if (!floating && zero) std::cout << "all arguments are zero, of which wrong plans may make the same: give others\n";
  for (const std::string &sentence : outcome.undecided.sentences()) std::cout << sentence << "\n";
  for (const auto &[name, value] : outcome.results) std::cout << fmt::format("{} = {}\n", name, value);
  if (!outcome.device.empty())
    std::cout << fmt::format("device {}; times are its own, with the data in its memory\n", outcome.device);
  std::cout << fmt::format("time {} ({} to {}, {}median of {})\n", seconds(t.median), seconds(t.low), seconds(t.high),
                           t.confidence >= 0.95 ? fmt::format("{:.0f} % confidence, ", 100 * t.confidence) : "",
                           t.repeats);
  if (outcome.bytes) std::cout << fmt::format("throughput {:.2f} GB/s, each array counted once\n", rate);
  return 0;
}

} // namespace

void addRun(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("run", "Compile a spectrum, check it, and measure it on data");
  auto flags = std::make_shared<RunFlags>();
  addProgramFlags(*sub, *flags);
  addBackend(*sub, driver);
  addChecked(*sub, driver);
  addUndecided(*sub, driver);
  addExpected(*sub, *flags);
  addArguments(*sub, flags->arguments);
  sub->add_option("--plan,-p", flags->plans, "Follow the plan of this file instead of choosing one")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--repeat,-r", flags->repeat, "Measured runs; default: as many as fit a second, 7 to 101")
      ->type_name("K")
      ->check(CLI::Range(1, 1000000));
  sub->add_option(
         "--reference", flags->reference,
         "What results are compared with: 'full', which bounds roundings, however long it takes, or 'light', and "
         "'full' for smaller arguments; default: 'light' where 'full' would take more than a few seconds")
      ->type_name("KIND")
      ->check(CLI::IsMember({"full", "light"}));
  sub->add_option("--seed", flags->seed, "Of random data (default 1)")->type_name("N");
  sub->add_option("--timeout", flags->timeout, "Seconds for one step of it (default 600)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0));
  sub->add_option("-o,--output", flags->folder, "Keep sources and library in this folder")->type_name("DIR");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer("Examples:\n"
              "  tangram run sum.tg.cpp --target cpu-openmp --spectrum sum --arg in=random:16M\n"
              "  tangram run sgemv.tg.cpp --target cpu-openmp --arg a=random:512Kx128 --arg x=random:128");
  sub->callback([&driver, flags] {
    driver.command = [&driver, flags] { return driver.building([&] { return run(driver, *flags); }); };
  });
}

} // namespace tangram::driver
