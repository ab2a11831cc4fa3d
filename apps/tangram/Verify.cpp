// tangram verify
#include "Driver.h"

#include "tangram/runtime/Verify.h"

#include <iostream>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kBadSize{"verify.bad-size", DiagnosticClass::User, "--sizes: '{0}' is no size",
                                  "write numbers: --sizes 0,1,31,1M"};
constexpr DiagnosticKind kBadArgument{"verify.bad-argument", DiagnosticClass::User, "--arg '{0}' has no '='",
                                      "write --arg NAME=SPEC"};
constexpr DiagnosticKind kTooLarge{"verify.too-large", DiagnosticClass::User, "--sizes: {0} is more than {1} elements",
                                   "give a smaller size"};

struct Flags : ProgramFlags {
  bool all = false;
  std::size_t sample = 0, most = 500;
  std::string sizes;
  std::vector<std::string> arguments;
  std::uint64_t seed = 1;
  unsigned jobs = 2;
  double timeout = 30, patience = 0.25;
  bool exact = false, tunables = false;
  std::string folder;
};

Json toJson(const runtime::PlanFailure &f, const std::string &plan) {
  return Json{
      {"plan", plan}, {"arguments", f.arguments}, {"reason", f.reason}, {"param", f.param},   {"index", f.index},
      {"got", f.got}, {"expected", f.expected},   {"bound", f.bound},   {"failed", f.failed}, {"called", f.called}};
}

Json toJson(const runtime::VerifyReport &r) {
  Json json{{"spectrum", r.spectrum},
            {"target", r.target},
            {"plainest", r.plainest},
            {"plans", r.space.str()},
            {"checked", r.plans.size()},
            {"sampled", r.sampled},
            {"given", r.given},
            {"seed", r.seed},
            {"tunables", r.tunables ? "drawn" : "of the plan"},
            {"arguments", r.arguments},
            {"skipped", r.skipped},
            {"broken", r.broken},
            {"left-out", r.leftOut},
            {"failures", Json::array()},
            {"suspects", Json::array()},
            {"shared", Json::array()},
            {"unfit", Json::array()},
            {"nothing", r.nothing()}};
  for (const runtime::PlanFailure &f : r.unfit)
    json["unfit"].push_back(Json{{"plan", key(r.plans[f.plan])}, {"reason", f.reason}});
  for (const runtime::PlanFailure &f : r.failures) json["failures"].push_back(toJson(f, key(r.plans[f.plan])));
  for (const runtime::Suspect &s : r.suspects)
    json["suspects"].push_back(Json{{"what", s.what}, {"failing", s.failing}});
  for (const runtime::Suspect &s : r.shared)
    json["shared"].push_back(Json{{"what", s.what}, {"failing", s.failing}, {"passing", s.passing}});
  return json;
}

void printFailure(const std::string &plan, const runtime::PlanFailure &f) {
  std::cout << fmt::format("  plan {}\n", plan);
  if (f.arguments.empty())
    std::cout << fmt::format("    {}\n", f.reason);
  else
    std::cout << fmt::format("    {}: {} ({} of {} argument sets fail)\n", f.arguments, f.reason, f.failed, f.called);
}

void printAgreement(const std::string &nothing, const std::string &agreement) {
  std::cout << (nothing.empty() ? fmt::format("  {}\n", agreement)
                                : fmt::format("  nothing was compared: {}\n", nothing));
}

void printUnused(const std::vector<std::string> &skipped, const std::vector<std::string> &broken) {
  for (const std::string &set : skipped) std::cout << fmt::format("  skipped {}\n", set);
  for (const std::string &set : broken) std::cout << fmt::format("  the plainest plan itself fails: {}\n", set);
}

void printLeftOut(std::size_t calls) {
  if (calls) std::cout << fmt::format("  left out {} calls of plans that would take too long (--patience)\n", calls);
}

void print(const runtime::VerifyReport &r) {
  std::cout << fmt::format("{} on {}: ", r.spectrum, r.target);
  if (r.sampled)
    std::cout << fmt::format("{} of {} plans (a uniform sample, seed {})", r.plans.size(), r.space.str(), r.seed);
  else if (r.given)
    std::cout << fmt::format("{} given plan{} of {}", r.plans.size(), r.plans.size() == 1 ? "" : "s", r.space.str());
  else
    std::cout << fmt::format("all {} plans", r.space.str());
  if (r.tunables) std::cout << ", values of tunables drawn,";
  std::cout << fmt::format(" with {} argument sets (seed {})\n", r.arguments.size(), r.seed);
  std::cout << fmt::format("  against {}\n", r.plainest);
  printUnused(r.skipped, r.broken);
  printLeftOut(r.leftOut);
  if (!r.unfit.empty())
    std::cout << fmt::format("  {} of {} plans do not fit the target, the first: {}\n", r.unfit.size(), r.plans.size(),
                             r.unfit[0].reason);
  if (r.failures.empty()) {
    if (r.broken.empty()) printAgreement(r.nothing(), r.unfit.empty() ? "all agree" : "all others agree");
    return;
  }
  constexpr std::size_t shown = 10;
  std::cout << fmt::format("  {} of {} plans fail\n", r.failures.size(), r.plans.size());
  for (std::size_t i = 0; i < std::min(shown, r.failures.size()); ++i)
    printFailure(key(r.plans[r.failures[i].plan]), r.failures[i]);
  if (r.failures.size() > shown) std::cout << fmt::format("  and {} more\n", r.failures.size() - shown);
  if (r.suspects.empty()) {
    std::cout << "  failing plans have nothing that no passing plan has\n";
  } else {
    bool all = r.suspects[0].failing == r.failures.size();
    std::cout << (all ? "  all failing plans share, and no passing plan has:\n"
                      : "  no single cause explains all; failing plans have, and no passing plan has:\n");
    for (const runtime::Suspect &s : r.suspects)
      std::cout << fmt::format("    {}{}\n", s.what, all ? "" : fmt::format(" ({} plans)", s.failing));
  }
  for (const runtime::Suspect &s : r.shared)
    std::cout << fmt::format("  all failing plans have {}, which {} too\n", s.what,
                             s.passing == 1 ? "1 passing plan has" : fmt::format("{} passing plans have", s.passing));
}

/// What concerns arguments and time.
runtime::VerifyOptions argumentOptions(const Flags &flags) {
  runtime::VerifyOptions options;
  options.seed = flags.seed;
  options.timeout = flags.timeout;
  options.patience = flags.patience;
  options.exact = flags.exact;
  constexpr std::uint64_t kLargest = 1ull << 26;
  if (!flags.sizes.empty()) {
    options.sizes.clear();
    options.randomSizes = 0;
  }
  for (const std::string &text : flags.sizes.empty() ? std::vector<std::string>() : splitList(flags.sizes)) {
    std::optional<std::uint64_t> size = runtime::parseSize(text);
    if (!size) fail(kBadSize, {}, text);
    if (*size > kLargest) fail(kTooLarge, {}, text, kLargest);
    options.sizes.push_back(*size);
  }
  for (const std::string &text : flags.arguments) {
    std::size_t equals = text.find('=');
    if (equals == std::string::npos) fail(kBadArgument, {}, text);
    options.arguments[text.substr(0, equals)] = runtime::parseArgumentSpec(text.substr(equals + 1));
  }
  return options;
}

int verify(Driver &driver, const Flags &flags) {
  runtime::VerifyOptions options = argumentOptions(flags);
  options.all = flags.all;
  options.sample = flags.sample;
  options.most = flags.most;
  options.tunables = flags.tunables;
  options.jobs = flags.jobs;

  Session &s = driver.open(flags);
  s.target();
  std::vector<std::string> spectrums = driver.spectrums(flags);
  std::map<std::string, std::vector<Plan>> given;
  if (!flags.plans.empty()) {
    ProgramFlags replay = flags;
    replay.spectrums.clear();
    for (Plan &plan : driver.plans(replay)) given[plan.spectrum].push_back(std::move(plan));
    if (flags.spectrums.empty()) spectrums.clear();
    for (const auto &[spectrum, _] : given)
      if (std::find(spectrums.begin(), spectrums.end(), spectrum) == spectrums.end()) spectrums.push_back(spectrum);
  }
  std::optional<TemporaryFolder> temporary;
  if (flags.folder.empty()) temporary.emplace("tangram-verify");
  std::filesystem::path folder = temporary ? temporary->path() : std::filesystem::path(flags.folder);

  Json all = Json::array();
  bool ok = true;
  for (std::size_t i = 0; i < spectrums.size(); ++i) {
    runtime::VerifyOptions mine = options;
    mine.plans = given.count(spectrums[i]) ? given[spectrums[i]] : std::vector<Plan>{};
    mine.folder = folder / fmt::format("spectrum_{}", i);
    mine.progress = [&](std::size_t done, std::size_t plans, const std::string &what) {
      driver.progress(fmt::format("{}: {}/{} plans checked ({})", spectrums[i], done, plans, what));
    };
    runtime::VerifyReport report = runtime::verify(s, spectrums[i], mine);
    driver.endProgress();
    ok &= report.ok();
    if (driver.common.json)
      all.push_back(toJson(report));
    else
      print(report);
    std::cout.flush();
  }
  if (driver.common.json) std::cout << all.dump(2) << "\n";
  return ok ? 0 : 1;
}

void addSizes(CLI::App &app, Flags &flags) {
  app.add_option("--sizes", flags.sizes,
                 "Elements of each container; default 0,1,2,31,1000003 and three at random. A container of two "
                 "dimensions has about as many elements, as a square, one row, one column, wide and tall. What the "
                 "spectrum's __requires asks of sizes holds")
      ->type_name("N,N,...");
  app.add_option("--arg,-a", flags.arguments,
                 "Say what an argument's elements are; SPEC as in `tangram run`. Without a size, as in column=index:x "
                 "or row=offsets:column, it has the sizes of --sizes in turn")
      ->type_name("NAME=SPEC")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag(
      "--exact", flags.exact,
      "Floating-point results must be equal to the last bit; always so where the target preserves their order");
}

void addTimes(CLI::App &app, Flags &flags) {
  app.add_option("--timeout", flags.timeout, "Seconds after which a call counts as endless (default 30)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0));
  app.add_option("--patience", flags.patience,
                 "A call that would take longer than this, by how long the plan took for fewer elements, is left out "
                 "(default 0.25)")
      ->type_name("S")
      ->check(CLI::Range(0.001, 86400.0));
}

int check(Driver &driver, const Flags &flags, bool isolated) {
  runtime::VerifyOptions options = argumentOptions(flags);
  options.progress = [&](std::size_t done, std::size_t, const std::string &what) {
    driver.progress(fmt::format("{} plans checked ({})", done, what));
  };
  runtime::CheckReport r = runtime::check(flags.folder, options, isolated);
  driver.endProgress();
  if (driver.common.json) {
    Json json{{"spectrum", r.spectrum},   {"plainest", r.plainest}, {"checked", r.plans.size()},
              {"arguments", r.arguments}, {"skipped", r.skipped},   {"broken", r.broken},
              {"left-out", r.leftOut},    {"nothing", r.nothing()}, {"failures", Json::array()}};
    for (const runtime::PlanFailure &f : r.failures) json["failures"].push_back(toJson(f, r.plans[f.plan]));
    std::cout << json.dump(2) << "\n";
    return r.ok() ? 0 : 1;
  }
  std::cout << fmt::format("{}: {} plans with {} argument sets (seed {})\n  against {}\n", r.spectrum, r.plans.size(),
                           r.arguments.size(), options.seed, r.plainest);
  printUnused(r.skipped, r.broken);
  printLeftOut(r.leftOut);
  if (r.failures.empty()) {
    if (r.broken.empty()) printAgreement(r.nothing(), "all agree");
    return r.ok() ? 0 : 1;
  }
  std::cout << fmt::format("  {} plans fail\n", r.failures.size());
  for (const runtime::PlanFailure &f : r.failures) printFailure(r.plans[f.plan], f);
  return 1;
}

} // namespace

void addCheck(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("check", "Call again what `tangram verify -o` has built, without a compiler");
  auto flags = std::make_shared<Flags>();
  auto inProcess = std::make_shared<bool>(false);
  sub->add_option("FOLDER", flags->folder, "What `tangram verify` left of one spectrum: its folder/spectrum_0")
      ->required();
  addSizes(*sub, *flags);
  sub->add_option("--seed", flags->seed, "Of random sizes and data (default 1)")->type_name("N");
  addTimes(*sub, *flags);
  sub->add_flag("--in-process", *inProcess, "Call all in this process: for tools that watch it. A crash ends it");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer("Exit code 1 where a plan fails, or nothing was compared.\n"
              "Examples:\n"
              "  tangram verify sum.tg.cpp --target opencl-cpu --sample 20 -o out\n"
              "  oclgrind --data-races tangram check out/spectrum_0 --in-process --sizes 0,1,31");
  sub->callback([&driver, flags, inProcess] {
    driver.command = [&driver, flags, inProcess] { return check(driver, *flags, !*inProcess); };
  });
}

void addVerify(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("verify", "Check every plan against the plainest codelet");
  auto flags = std::make_shared<Flags>();
  addProgramFlags(*sub, *flags);
  addChecked(*sub, driver);
  addUndecided(*sub, driver);
  sub->add_flag("--all", flags->all, "Every plan, however many there are");
  sub->add_option("--sample", flags->sample, "This many plans, drawn uniformly")->type_name("N");
  sub->add_option("--max", flags->most, "Where there are more plans than this, 200 are drawn (default 500)")
      ->type_name("N");
  sub->add_flag("--tunables", flags->tunables,
                "Draw the tunables' values, too, from all for which the plan holds, up to twice the plan's own");
  addSizes(*sub, *flags);
  sub->add_option("--seed", flags->seed, "Of sampled plans, tunables, random sizes and data (default 1)")
      ->type_name("N");
  sub->add_option("--plan,-p", flags->plans, "Check the plans of this file instead")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--jobs,-j", flags->jobs, "Libraries compiled and run at a time (default 2)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  addTimes(*sub, *flags);
  sub->add_option("-o,--output", flags->folder, "Keep sources and libraries in this folder")->type_name("DIR");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer(
      "Integers must be equal. Of floats each may be as far from the reference, the plainest plan in a wider type,\n"
      "as roundings of its own computation explain; whole numbers, of which small ones are tried, exactly it.\n"
      "Exit code 1 where a plan fails, or nothing was compared.\n"
      "Examples:\n"
      "  tangram verify sum.tg.cpp --target cpu-openmp\n"
      "  tangram verify sum.tg.cpp --target cpu-simple --all --sizes 0,1,4095");
  sub->callback([&driver, flags] { driver.command = [&driver, flags] { return verify(driver, *flags); }; });
}

} // namespace tangram::driver
