// tangram verify
#include "Budget.h"
#include "Driver.h"

#include "tangram/tune/Tuner.h"
#include "tangram/verify/IndexArguments.h"
#include "tangram/verify/Verify.h"

#include <chrono>
#include <iostream>
#include <thread>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kBadSize{"verify.bad-size", DiagnosticClass::User, "--sizes: '{0}' is no size",
                                  "write numbers: --sizes 0,1,31,1M"};
constexpr DiagnosticKind kBadVerifyArgument{"verify.bad-argument", DiagnosticClass::User, "--arg '{0}' has no '='",
                                            "write --arg NAME=SPEC"};
constexpr DiagnosticKind kTooLarge{"verify.too-large", DiagnosticClass::User, "--sizes: {0} is more than {1} elements",
                                   "give a smaller size"};

struct VerifyFlags : ProgramFlags {
  bool all = false;
  std::optional<std::size_t> sample;
  std::size_t most = 500;
  std::string sizes, budget;
  std::vector<std::string> arguments;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  double timeout = 30, patience = 0.25;
  bool exact = false, optimized = false, progress = false;
  std::string folder;
};

/// Seconds after which verify() begins nothing more, where nobody says which plans are to be checked.
constexpr double kBudgetOption = 20;

Json toJson(const runtime::PlanFailure &f, const std::string &plan) {
  return Json{{"plan", plan},
              {"arguments", f.arguments},
              {"reason", f.reason},
              {"param", f.param},
              {"index", f.index},
              {"got", f.got},
              {"expected", f.expected},
              {"bound", f.bound},
              {"failed", f.failed},
              {"called", f.called},
              {"checked-code", f.checkedCode}};
}

std::string placed(const ast::SourceRange &range) {
  return fmt::format("{}:{}:{}", *range.file, range.line, range.column);
}

Json toJson(const std::vector<runtime::Suspect> &suspects) {
  Json all = Json::array();
  for (const runtime::Suspect &s : suspects) {
    Json one{{"what", s.what}, {"failing", s.failing}, {"passing", s.passing}, {"score", s.score}};
    if (s.range.valid()) one["place"] = placed(s.range);
    Json alone = Json::array();
    for (const ast::Spectrum *spectrum : s.alone)
      alone.push_back(Json{{"spectrum", spectrum->name}, {"place", placed(spectrum->range)}});
    if (!alone.empty()) one["alone-calls"] = std::move(alone);
    all.push_back(std::move(one));
  }
  return all;
}

Json toJson(const std::map<std::string, runtime::Undecided> &undecided) {
  Json all = Json::array();
  for (const auto &[set, u] : undecided)
    all.push_back(Json{{"arguments", set},
                       {"questions", u.questions},
                       {"numbers", u.numbers},
                       {"elements", u.elements},
                       {"estimated", u.estimated},
                       {"written", u.written}});
  return all;
}

Json toJson(const runtime::VerifyReport &r) {
  auto coverage = [](const runtime::Coverage &c) { return Json{{"checked", c.checked}, {"of", c.of}}; };
  Json json{{"spectrum", r.spectrum},
            {"target", r.target},
            {"plainest", r.plainest},
            {"plans", r.space.str()},
            {"checked", r.checked()},
            {"pick", r.pick},
            {"codelets", coverage(r.codelets)},
            {"rules", coverage(r.rules)},
            {"drawn", r.drawn},
            {"given", r.given},
            {"not-begun", r.notBegun},
            {"cut-short", r.cutShort},
            {"hopeless", r.hopeless},
            {"checked-code", r.checkedCode},
            {"seconds", r.seconds},
            {"budget", r.budget},
            {"interrupted", r.interrupted},
            {"seed", r.seed},
            {"arguments", r.arguments},
            {"interpreted", r.interpreted},
            {"undecided", toJson(r.undecided)},
            {"skipped", r.skipped},
            {"broken", r.broken},
            {"left-out", r.leftOut},
            {"failures", Json::array()},
            {"causes", Json::array()},
            {"suspects", toJson(r.suspects)},
            {"unfit", Json::array()},
            {"refused", Json::array()},
            {"nothing", r.nothing()}};
  for (const runtime::PlanFailure &f : r.unfit)
    json["unfit"].push_back(Json{{"plan", key(r.plans[f.plan])}, {"reason", f.reason}});
  for (const runtime::Refusal &refusal : r.refused)
    json["refused"].push_back(Json{
        {"reason", refusal.diagnostic.message}, {"line", refusal.diagnostic.range.line}, {"plans", refusal.plans}});
  for (const runtime::PlanFailure &f : r.failures) json["failures"].push_back(toJson(f, key(r.plans[f.plan])));
  for (const runtime::Cause &c : r.causes)
    json["causes"].push_back(Json{{"plan", tangram::print(c.plan)},
                                  {"arguments", c.arguments},
                                  {"reason", c.reason},
                                  {"values", c.values},
                                  {"suspects", toJson(c.suspects)}});
  return json;
}

/// The lines of a plan's tree.
void printTree(const Plan &plan, const std::string &space) {
  std::istringstream lines(tangram::print(plan));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("plan ") && !line.starts_with("source ")) std::cout << space << line << "\n";
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

void printUndecided(const std::map<std::string, runtime::Undecided> &undecided) {
  std::uint64_t questions = 0, numbers = 0, estimated = 0;
  const std::pair<const std::string, runtime::Undecided> *worst = nullptr;
  auto share = [](const runtime::Undecided &u) {
    return static_cast<double>(u.elements) / std::max(1.0, static_cast<double>(u.written));
  };
  for (const auto &set : undecided) {
    questions += set.second.questions, numbers += set.second.numbers, estimated += set.second.estimated;
    if (set.second.elements && (!worst || share(set.second) > share(worst->second))) worst = &set;
  }
  if (questions)
    std::cout << fmt::format(
        "  roundings decide {} comparisons of the reference in {} argument sets: either outcome was "
        "accepted\n",
        questions, undecided.size());
  if (worst)
    std::cout << fmt::format("  up to {:.1f} % of the elements, {} of {}, depend on these and were compared with the "
                             "range of their outcomes "
                             "alone: {}{}\n",
                             100 * share(worst->second), worst->second.elements, worst->second.written, worst->first,
                             share(worst->second) > 0.5
                                 ? ", which says little; give arguments for which less is a matter of roundings"
                                 : "");
  if (estimated)
    std::cout << fmt::format(
        "  roundings may add up to more than {} numbers are: these were compared with a multiple of "
        "what the plainest order is off by\n",
        estimated);
  if (numbers)
    std::cout << fmt::format("  {} numbers were left undecided by the reference, and not compared\n", numbers);
}

std::string covered(const runtime::Coverage &c, const std::string &what) {
  return c.checked == c.of ? fmt::format("all {} {}", c.of, what) : fmt::format("{} of {} {}", c.checked, c.of, what);
}

/// Which plans were checked, and which were not.
/// `budget`: what ended where plans are left, in words.
void printCoverage(const runtime::VerifyReport &r, const std::string &budget) {
  std::string what = r.pick ? "the pick" : r.given ? "given plans" : "";
  what += fmt::format("; {}, {}", covered(r.codelets, "codelets"), covered(r.rules, "rules at a level"));
  if (std::size_t drawn = r.drawn - std::min(r.drawn, r.notBegun))
    what += fmt::format("; {} drawn, shallow ones more often", drawn);
  std::cout << fmt::format("  {}\n", what);
  if (r.checkedCode)
    std::cout << fmt::format("  {} of them, one for each codelet, as code that checks what it accesses, too\n",
                             r.checkedCode);
  if (r.hopeless)
    std::cout << fmt::format("  left out {} plans that would make {:.0f} calls or more of the least arguments\n",
                             r.hopeless, r.hopelessCalls);
  if (r.notBegun || r.cutShort)
    std::cout << fmt::format("  {}{}{}\n", r.interrupted ? "interrupted" : fmt::format("{} ended", budget),
                             r.notBegun ? fmt::format(", {} plans were not begun", r.notBegun) : "",
                             r.cutShort ? fmt::format(", {} were not called with all arguments", r.cutShort) : "");
}

void printSuspects(const std::vector<runtime::Suspect> &suspects) {
  for (const runtime::Suspect &s : suspects) {
    std::cout << fmt::format("  suspect: {} (in {} of the plans that fail, and {} that pass)\n", s.what, s.failing,
                             s.passing);
    if (s.range.valid()) std::cout << fmt::format("    at {}\n", placed(s.range));
    for (const ast::Spectrum *spectrum : s.alone)
      std::cout << fmt::format("    or spectrum {} at {}, which nobody else calls\n", spectrum->name,
                               placed(spectrum->range));
  }
}

void printFailures(const runtime::VerifyReport &r) {
  constexpr std::size_t shown = 3;
  std::cout << fmt::format("  {} of {} plans fail\n", r.failures.size(), r.checked());
  std::set<std::string> seen;
  bool suspected = false;
  for (const runtime::Cause &c : r.causes) {
    if (!seen.insert(key(c.plan)).second) continue; // what fails without them comes down to the same
    std::cout << fmt::format("  {} smallest plan that fails{}, made from those:\n",
                             &c == &r.causes[0] || suspected ? "the" : "another",
                             suspected ? ", without these suspects" : "");
    suspected |= !c.suspects.empty();
    printTree(c.plan, "    ");
    std::cout << (c.arguments.empty() ? fmt::format("    {}\n", c.reason)
                                      : fmt::format("    {}: {}\n", c.arguments, c.reason));
    for (const std::string &value : c.values) std::cout << fmt::format("    {}\n", value);
    printSuspects(c.suspects);
  }
  if (r.causes.empty() || r.causes[0].suspects.empty()) printSuspects(r.suspects);
  std::vector<const runtime::PlanFailure *> order;
  for (std::size_t i : r.simplest) order.push_back(&r.failures[i]);
  std::erase_if(order, [&](const auto *f) { return seen.count(key(r.plans[f->plan])) != 0; });
  for (std::size_t i = 0; i < order.size() && seen.size() < shown; ++i) {
    const runtime::PlanFailure &f = *order[i];
    std::cout << (i || !r.causes.empty() ? "  another that fails:\n" : "  one that fails:\n");
    printTree(r.plans[f.plan], "    ");
    std::cout << (f.arguments.empty() ? fmt::format("    {}\n", f.reason)
                                      : fmt::format("    {}: {} ({} of {} argument sets fail)\n", f.arguments, f.reason,
                                                    f.failed, f.called));
    seen.insert(key(r.plans[f.plan]));
  }
  if (r.failures.size() > seen.size())
    std::cout << fmt::format("  and {} more (--json has all)\n", r.failures.size() - seen.size());
}

void print(const runtime::VerifyReport &r, const std::string &budget, const std::vector<std::string> &inferred,
           const std::string &outOfRange) {
  std::cout << fmt::format("{} on {}: ", r.spectrum, r.target);
  if (r.given)
    std::cout << fmt::format("{} given plan{} of {}", r.plans.size(), r.plans.size() == 1 ? "" : "s", r.space.str());
  else if (r.plans.size() - r.notBegun >= r.space)
    std::cout << fmt::format("all {} plans", r.space.str());
  else
    std::cout << fmt::format("{} of {} plans", r.plans.size() - r.notBegun, r.space.str());
  std::cout << fmt::format(" with {} argument sets (seed {}), in {:.0f} s\n", r.arguments.size(), r.seed, r.seconds);
  std::cout << fmt::format("  against {}\n", r.plainest);
  if (!r.given) printCoverage(r, budget);
  for (const std::string &sentence : inferred) std::cout << "  " << sentence << "\n";
  printUnused(r.skipped, r.broken);
  if (!(r.broken.empty() && r.failures.empty()) && !outOfRange.empty()) std::cout << "  advice: " << outOfRange << "\n";
  if (!r.broken.empty() && outOfRange.empty())
    std::cout << "  advice: say what arguments hold for which the source has an outcome: --arg NAME=random:LOW..HIGH\n";
  printLeftOut(r.leftOut);
  printUndecided(r.undecided);
  if (!r.unfit.empty())
    std::cout << fmt::format("  {} of {} plans do not fit the target, the first: {}\n", r.unfit.size(), r.plans.size(),
                             r.unfit[0].reason);
  for (const runtime::Refusal &refusal : r.refused) {
    const SourceRange &at = refusal.diagnostic.range;
    std::cout << fmt::format("  {} plans have no code: {}{}\n", refusal.plans, at.valid() ? placed(at) + ": " : "",
                             refusal.diagnostic.message);
  }
  if (r.failures.empty()) {
    if (r.broken.empty()) printAgreement(r.nothing(), r.unfit.empty() ? "all agree" : "all others agree");
    return;
  }
  printFailures(r);
}

/// What concerns arguments and time.
runtime::VerifyOptions argumentOptions(const VerifyFlags &flags) {
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
    if (equals == std::string::npos) fail(kBadVerifyArgument, {}, text);
    options.arguments[text.substr(0, equals)] = runtime::parseArgumentSpec(text.substr(equals + 1));
  }
  return options;
}

/// Sizes on both sides of where a plan goes over from one of its own to the next.
void addSwitches(const std::vector<Plan> &plans, std::vector<std::uint64_t> &sizes) {
  constexpr double kLargestSwitch = 1 << 24;
  for (const Plan &plan : plans)
    for (const PlanCase &c : plan.cases)
      for (const SizeComparison &comparison : c.when.all)
        if (comparison.ratio.divisor.empty() && comparison.bound <= kLargestSwitch)
          for (std::uint64_t n :
               {static_cast<std::uint64_t>(comparison.bound), static_cast<std::uint64_t>(comparison.bound) + 1})
            if (std::find(sizes.begin(), sizes.end(), n) == sizes.end()) sizes.push_back(n);
}

int verify(Driver &driver, const VerifyFlags &flags) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  checkFolder(flags.folder);
  runtime::VerifyOptions options = argumentOptions(flags);
  double budget = flags.all || flags.sample || !flags.plans.empty() ? 0 : kBudgetOption;
  if (!flags.budget.empty()) budget = parseBudget(flags.budget);
  options.all = flags.all;
  options.sample = flags.sample;
  options.most = flags.most;
  options.jobs = flags.jobs;
  options.optimized = flags.optimized;

  Session &s = driver.open(flags);
  s.target();
  if (flags.folder.empty())
    tune::requireDevice(s);
  else
    tune::requireBackend(s); // it may be for another machine (`tangram check`)
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
  const Interruptible interruptible;
  for (std::size_t i = 0; i < spectrums.size() && !Interruptible::happened(); ++i) {
    runtime::VerifyOptions mine = options;
    mine.plans = given.count(spectrums[i]) ? given[spectrums[i]] : std::vector<Plan>{};
    if (flags.sizes.empty()) addSwitches(mine.plans, mine.sizes);
    mine.folder = folder / fmt::format("spectrum_{}", i);
    if (budget > 0) { // what is left of it, for all that are left
      double left = budget - std::chrono::duration<double>(Clock::now() - start).count();
      mine.budget = std::max(1.0, left) / static_cast<double>(spectrums.size() - i);
    }
    mine.progress = [&](const std::string &line) { driver.progress(line, flags.progress); };
    mine.interrupted = Interruptible::happened;
    std::vector<std::string> inferred;
    for (const ast::Spectrum *spectrum : s.module().spectrums)
      if (spectrum->name == spectrums[i]) {
        inferred = runtime::inferIndices(s.module().spectrums, *spectrum, mine.arguments, true);
        mine.outOfRange = runtime::indexAdvice(s.module().spectrums, *spectrum, mine.arguments);
      }
    runtime::VerifyReport report = runtime::verify(s, spectrums[i], mine);
    driver.endProgress();
    ok &= report.ok();
    if (driver.common.json) {
      all.push_back(toJson(report));
      if (!inferred.empty()) all.back()["inferred"] = inferred;
    } else {
      print(report,
            fmt::format("{} of {:g} s (--budget)", spectrums.size() > 1 ? "its share of the budget" : "the budget",
                        budget),
            inferred, mine.outOfRange);
    }
    std::cout.flush();
  }
  if (driver.common.json) std::cout << all.dump(2) << "\n";
  return Interruptible::happened() ? Interruptible::kExitCode : ok ? 0 : 1;
}

void addSizes(CLI::App &app, VerifyFlags &flags) {
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

void addTimes(CLI::App &app, VerifyFlags &flags) {
  app.add_option("--timeout", flags.timeout, "Seconds after which a call counts as endless (default 30)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0));
  app.add_option("--patience", flags.patience,
                 "A call that would take longer than this, by how long the plan took for fewer elements, is left out "
                 "(default 0.25)")
      ->type_name("S")
      ->check(CLI::Range(0.001, 86400.0));
}

int check(Driver &driver, const VerifyFlags &flags, bool isolated) {
  runtime::VerifyOptions options = argumentOptions(flags);
  options.progress = [&](const std::string &line) { driver.progress(line); };
  runtime::CheckReport r = runtime::check(flags.folder, options, isolated);
  driver.endProgress();
  if (driver.common.json) {
    Json json{{"spectrum", r.spectrum},   {"plainest", r.plainest}, {"checked", r.plans.size()},
              {"arguments", r.arguments}, {"skipped", r.skipped},   {"broken", r.broken},
              {"left-out", r.leftOut},    {"nothing", r.nothing()}, {"undecided", toJson(r.undecided)},
              {"failures", Json::array()}};
    for (const runtime::PlanFailure &f : r.failures) json["failures"].push_back(toJson(f, r.plans[f.plan]));
    std::cout << json.dump(2) << "\n";
    return r.ok() ? 0 : 1;
  }
  std::cout << fmt::format("{}: {} plans with {} argument sets (seed {})\n  against {}\n", r.spectrum, r.plans.size(),
                           r.arguments.size(), options.seed, r.plainest);
  printUnused(r.skipped, r.broken);
  printLeftOut(r.leftOut);
  printUndecided(r.undecided);
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
  auto flags = std::make_shared<VerifyFlags>();
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
  auto flags = std::make_shared<VerifyFlags>();
  addProgramFlags(*sub, *flags);
  addBackend(*sub, driver);
  addChecked(*sub, driver);
  addUndecided(*sub, driver);
  constexpr std::size_t kMostPlans = 1000000;
  CLI::Option *all = sub->add_flag("--all", flags->all, "Every plan, however many there are");
  sub->add_option("--sample", flags->sample, "The pick and this many plans that are drawn; 0: the pick alone")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, kMostPlans))
      ->excludes(all);
  sub->add_option("--max", flags->most, "Of more plans than this, 200 are drawn (default 500)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, kMostPlans));
  sub->add_option(
         "--budget", flags->budget,
         "Time after which no more plans are begun, 60s or 5m; 0: as long as it takes. Default 20s, and no end "
         "with --all, --sample or --plan")
      ->type_name("TIME");
  sub->add_flag("--optimized", flags->optimized,
                "All plans by the compiler flags of the target, which are for speed; else only the pick and plans that "
                "are given");
  sub->add_flag("--progress", flags->progress, "Say what is compiled, called and left also where that is no terminal");
  addSizes(*sub, *flags);
  sub->add_option("--seed", flags->seed, "Of sampled plans, random sizes and data (default 1)")->type_name("N");
  sub->add_option("--plan,-p", flags->plans, "Check the plans of this file instead")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--jobs,-j", flags->jobs, "Libraries compiled and run at a time (default: the cores there are)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  addTimes(*sub, *flags);
  sub->add_option("-o,--output", flags->folder, "Keep sources and libraries in this folder")->type_name("DIR");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer(
      "Integers must be equal. Of floats each may be as far from the reference, the plainest plan in a wider type,\n"
      "as roundings of its own computation explain; whole numbers, of which small ones are tried, exactly it.\n"
      "The pick is checked first, then a plan for each codelet and rule, the simplest ones, then others. Of a failure\n"
      "the smallest plan and the smallest arguments are shown that still fail, and who is suspected.\n"
      "Exit code 1 where a plan fails, or nothing was compared.\n"
      "Examples:\n"
      "  tangram verify sum.tg.cpp --target cpu-openmp\n"
      "  tangram verify sum.tg.cpp --target cpu-openmp --budget 5m\n"
      "  tangram verify sum.tg.cpp --target cpu-simple --all --sizes 0,1,4095");
  sub->callback([&driver, flags] {
    driver.command = [&driver, flags] { return driver.building([&] { return verify(driver, *flags); }); };
  });
}

} // namespace tangram::driver
