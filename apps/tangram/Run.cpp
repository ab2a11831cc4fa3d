// tangram run
#include "Driver.h"
#include "RunArguments.h"

#include "tangram/process/Children.h"
#include "tangram/verify/IndexArguments.h"
#include "tangram/verify/OutOfRange.h"
#include "tangram/verify/TimedCalls.h"
#include "tangram/verify/Trial.h"

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
};

std::string shown(const Value &value) {
  constexpr std::uint64_t most = 8;
  if (value.rank() == 0) return value.text(0);
  std::string text;
  for (std::uint64_t i = 0; i < std::min(most, value.count()); ++i) text += (i ? ", " : "") + value.text(i);
  return fmt::format("[{}{}]", text, value.count() > most ? fmt::format(", ... {} in all", value.count()) : "");
}

/// What the child found out.
struct Outcome {
  std::string stage = "compiled kernel"; // what is being called
  std::string refused, outOfRange, differs, bound, device;
  std::vector<std::pair<std::string, std::string>> results; // name and value
  Measurement time;
  std::uint64_t bytes = 0;
  Undecided undecided;
  bool measured = false;
};

void sendRefusal(const Send &send, const CallResult &result) {
  send({result.status == TANGRAM_OUT_OF_RANGE ? "out-of-range" : "refused", result.message});
}

/// Calls the chosen plan and the reference with the arguments of a trial; false, with the reason sent, where they do
/// not agree. `got` has the plan's results.
bool agrees(const tangram_kernel &chosen, const Reference &reference, Trial &trial, std::vector<Value> &got,
            const Send &send) {
  got = copies(trial.arguments);
  send({"stage", "chosen plan"});
  CallResult result = call(chosen, got);
  if (!result.ok()) {
    sendRefusal(send, result);
    return false;
  }
  send({"stage", "reference"});
  CallResult right = expect(trial, reference);
  if (!right.ok()) {
    sendRefusal(send, right);
    return false;
  }
  if (std::optional<PlanFailure> bad = judge(chosen, result, got, trial.expected, trial.plain)) {
    send({"differs", bad->reason + (trial.whole ? ", of whole numbers" : "")});
    return false;
  }
  if (const Undecided &u = trial.undecided)
    send({"doubt", std::to_string(u.questions), std::to_string(u.numbers), std::to_string(u.elements),
          std::to_string(u.written)});
  return true;
}

/// In the child: checks, and only then measures.
void runKernels(const std::filesystem::path &library, const std::string &name, const std::filesystem::path &plainest,
                const std::vector<Value> &original, const std::vector<bool> &unread, std::uint64_t seed,
                std::size_t repeat, const Send &send) {
  KernelLibrary kernels(library);
  const Reference reference(plainest);
  const tangram_kernel &chosen = kernels.get(name);
  std::vector<Value> got;
  const Trials trials(original, unread, seed);
  for (std::size_t i = 0; i < trials.count(); ++i) {
    Trial trial = trials.make(i);
    if (!agrees(chosen, reference, trial, got, send)) return;
  }

  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < chosen.num_params; ++i) {
    const tangram_param &p = chosen.params[i];
    if (p.rank) bytes += original[i].count() * original[i].type().bytes;
    if (p.access != TANGRAM_IN) send({"result", p.name, shown(got[i])});
  }
  send({"checked", std::to_string(bytes)});

  MeasureOptions options;
  options.repeats = repeat;
  TimedCalls calls(chosen, got, original);
  if (!calls.device().empty()) send({"device", calls.device()});
  if (!calls.status().ok()) return sendRefusal(send, calls.status());
  auto restore = [&] { calls.restore(); };
  Measurement m = measureBy([&] { return calls.call(); }, options,
                            calls.changesArguments() ? std::function<void()>(restore) : std::function<void()>());
  if (!calls.status().ok()) return sendRefusal(send, calls.status());
  send({"time", fmt::format("{}", m.median), fmt::format("{}", m.low), fmt::format("{}", m.high),
        fmt::format("{}", m.confidence), std::to_string(m.repeats)});
}

int run(Driver &driver, const RunFlags &flags) {
  checkFolder(flags.folder);
  Session &s = driver.open(flags);
  const Call asked = callOf(driver, flags, flags.arguments, flags.seed);
  const ast::Spectrum &spectrum = asked.spectrum;
  const Arguments &arguments = asked.arguments;
  const std::vector<Value> &original = arguments.values;

  ProgramFlags one = flags;
  one.spectrums = {spectrum.name};
  Plan plan = driver.plans(one)[0];
  std::optional<TemporaryFolder> temporary;
  if (flags.folder.empty()) temporary.emplace("tangram-run");
  std::filesystem::path folder = temporary ? temporary->path() : std::filesystem::path(flags.folder);
  driver.progress("compiling");
  ast::Arena arena;
  const ast::Module *lowered = s.lower({plan}, arena);
  std::filesystem::path library = s.build(s.emit(*lowered, stemOf(flags.files[0])), folder, stemOf(flags.files[0]));
  std::string name = lowered->kernels[0]->name;
  driver.progress("compiling the reference");
  ReferenceLibrary reference = buildReference(s, spectrum.name, folder / "reference");
  const std::vector<bool> unread = neverRead(s, spectrum.name);

  driver.progress("checking");
  Outcome outcome;
  std::string error;
  ChildEnd end = runChild(
      [&](const Send &send) {
        try {
          runKernels(library, name, reference.library, original, unread, flags.seed, flags.repeat, send);
        } catch (const DiagnosticError &e) {
          send({"error", e.diagnostic.message});
        } catch (const std::bad_alloc &) {
          send({"error", "there is not enough memory for copies of the arguments"});
        }
      },
      [&](const Message &m) {
        if (m[0] == "stage") outcome.stage = m[1];
        if (m[0] == "doubt")
          outcome.undecided.include({std::stoull(m[1]), std::stoull(m[2]), std::stoull(m[3]), std::stoull(m[4])});
        if (m[0] == "refused") outcome.refused = m[1];
        if (m[0] == "out-of-range") outcome.outOfRange = m[1];
        if (m[0] == "differs") outcome.differs = m[1];
        if (m[0] == "error") error = m[1];
        if (m[0] == "device") outcome.device = m[1];
        if (m[0] == "result") outcome.results.emplace_back(m[1], m[2]);
        if (m[0] == "checked") driver.progress("measuring");
        if (m[0] == "checked") outcome.bytes = std::stoull(m[1]);
        if (m[0] == "time") {
          outcome.time = {std::stod(m[1]), std::stod(m[2]), std::stod(m[3]), std::stod(m[4]), std::stoull(m[5])};
          outcome.measured = true;
        }
      },
      flags.timeout);
  driver.endProgress();
  if (!error.empty()) fail(kRefused, {}, spectrum.name, error);
  const std::string advice = indexAdvice(s.module().spectrums, spectrum, asked.given);
  if (!outcome.outOfRange.empty()) failOutOfRange(outcome.outOfRange, advice);
  if (!outcome.refused.empty()) fail(kRefused, spectrum.range, spectrum.name, outcome.refused);
  if (!outcome.differs.empty()) fail(kDiffers, spectrum.range, outcome.differs, key(plan));
  if (!end.done()) std::cerr << end.said;
  if (!end.done() || !outcome.measured)
    fail(kDied, spectrum.range, outcome.stage, end.done() ? "ended the process" : end.text(), key(plan),
         advice.empty() ? "" : advice + "; or ");

  const Measurement &t = outcome.time;
  double rate = t.median > 0 ? static_cast<double>(outcome.bytes) / t.median / 1e9 : 0;
  if (driver.common.json) {
    Json json{{"spectrum", spectrum.name},
              {"target", s.target().name},
              {"plan", key(plan)},
              {"reference", reference.plan},
              {"agrees", true},
              {"undecided", outcome.undecided.questions},
              {"undecided-elements", outcome.undecided.elements},
              {"unbounded", outcome.undecided.numbers},
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
  const bool floating = hasFloating(original), zero = allZero(original);
  std::cout << fmt::format("agrees with the reference, {}{}\n", reference.plan,
                           floating && zero ? ", on these numbers and on whole ones, of which none is zero"
                           : floating       ? ", on these numbers and on whole ones"
                                            : "");
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
