// tangram run
#include "Runner.h"

#include <iostream>

namespace tangram::driver {
namespace {

using namespace runtime;

/// With what the results agree, and for which arguments.
std::string verdict(const Runner &runner, const std::vector<Value> &arguments) {
  const Outcome &outcome = runner.outcome;
  const std::string &plan = runner.reference().plan;
  if (!outcome.given && !outcome.whole)
    return outcome.small ? fmt::format("agrees with the reference, {}, for smaller arguments alone", plan)
                         : fmt::format("was not compared with the reference, {}", plan);
  const bool floating = hasFloating(arguments), zero = allZero(arguments);
  const bool given = outcome.given && !outcome.undecided.given.most();
  const bool whole = floating && !outcome.undecided.whole.most();
  return fmt::format("{} with {}, {}{}", given || whole ? "agrees" : "could hardly be compared",
                     runner.comparedBy.empty() ? "the reference" : "a light reference", plan,
                     !whole   ? ""
                     : !given ? ", on whole numbers"
                     : zero   ? ", on these numbers and on whole ones, of which none is zero"
                              : ", on these numbers and on whole ones");
}

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

  const bool ofThisSize = outcome.given || outcome.whole, compared = ofThisSize || outcome.small;
  const Measurement &t = outcome.time;
  double rate = t.median > 0 ? static_cast<double>(outcome.bytes) / t.median / 1e9 : 0;
  if (driver.common.json) {
    Json json{{"spectrum", spectrum.name},
              {"target", s.target().name},
              {"plan", key(plan)},
              {"reference", reference.plan},
              {"agrees", compared ? Json(true) : Json(nullptr)},
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
  std::cout << verdict(runner, arguments.values) << "\n";
  if (!runner.comparedBy.empty()) std::cout << runner.comparedBy << "\n";
  if (!hasFloating(arguments.values) && allZero(arguments.values))
    std::cout << "all arguments are zero, of which wrong plans may make the same: give others\n";
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
  sub->add_option(
         "--patience", flags->patience,
         "Seconds for references that are not asked for by '--reference full'; of what takes longer, only smaller "
         "arguments are compared (default 60)")
      ->type_name("S")
      ->check(CLI::Range(0.001, 86400.0));
  sub->add_flag("--progress", flags->progress, "Say what is compiled and called also where that is no terminal");
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
