// tangram tune
#include "Tune.h"

#include "Budget.h"
#include "RunArguments.h"

#include <chrono>
#include <iostream>

namespace tangram::driver {

std::string shortKey(const Plan &plan) {
  std::string text = key(plan);
  return text.substr(text.find(": ") + 2);
}

std::string today() {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

std::string progressLine(const std::string &spectrum, const tune::Progress &p) {
  std::string line = fmt::format("{}: {:.0f} s left, {} tried", spectrum, p.left, p.tried);
  if (p.best) line += fmt::format(", best {}", seconds(*p.best));
  if (p.gain) line += fmt::format(", {:.2f} times as fast as the pick", *p.gain);
  return line + "; " + p.doing;
}

namespace {

using tune::Candidate;
using tune::TuneReport;
using tune::Verdict;

constexpr DiagnosticKind kNoBudget{"tune.no-budget", DiagnosticClass::User,
                                   "a budget of {0} is no time to try anything",
                                   "write seconds, minutes or hours: --budget 60s, --budget 5m"};

std::string interval(const runtime::Measurement &m) {
  return fmt::format("{} to {}, {}{} runs", seconds(m.low), seconds(m.high),
                     m.confidence >= 0.95 ? fmt::format("{:.0f} % confidence, ", 100 * m.confidence) : "", m.repeats);
}

std::string countOf(const TuneReport &r) {
  std::string text = fmt::format("{} of {} plans tried", r.tried(), r.space.str());
  if (r.known()) text += fmt::format(", of them {} known", r.known());
  return text;
}

/// The plan with what speaks for it, as a file that `compile --plan` reads.
std::string planFile(const TuneReport &r, bool reproducible) {
  const Candidate &best = r.candidates[r.best];
  std::string text = fmt::format("# tuned for {} ({})\n", r.problem.sizes, r.problem.data);
  text += fmt::format("# median {} ({})\n", seconds(best.time.median), interval(best.time));
  if (std::optional<double> gain = r.gain(); gain && !best.pick)
    text += fmt::format("# {:.2f} times as fast as what the heuristic picks, {}: {}\n", *gain,
                        seconds(r.candidates[*r.pick].time.median), shortKey(r.candidates[*r.pick].plan));
  text += reproducible ? fmt::format("# tangram {}\n", r.machine.tangram)
                       : fmt::format("# tangram {}, {}; {}\n", r.machine.tangram, today(), countOf(r));
  Plan plan = best.plan;
  plan.device = r.machine.device;
  plan.compiler = r.machine.compiler;
  return text + tangram::print(plan);
}

Json toJson(const Candidate &c) {
  Json json{{"plan", key(c.plan)}, {"verdict", tune::name(c.verdict)}, {"pick", c.pick}, {"known", c.known}};
  if (!c.reason.empty()) json["reason"] = c.reason;
  if (c.predicted) json["predicted"] = *c.predicted;
  if (c.isTimed())
    json["seconds"] = Json{{"median", c.time.median},
                           {"low", c.time.low},
                           {"high", c.time.high},
                           {"confidence", c.time.confidence},
                           {"repeats", c.time.repeats}};
  return json;
}

Json toJson(const TuneReport &r, const std::string &plan) {
  Json json{{"spectrum", r.spectrum},
            {"target", r.target},
            {"sizes", r.problem.sizes},
            {"data", r.problem.data},
            {"device", r.machine.device},
            {"compiler", r.machine.compiler},
            {"tangram", r.machine.tangram},
            {"reference", r.plainest},
            {"plans", r.space.str()},
            {"tried", r.tried()},
            {"known", r.known()},
            {"seed", r.seed},
            {"seconds", r.seconds},
            {"budget", r.budget},
            {"interrupted", r.interrupted},
            {"chosen-before", r.chosenBefore},
            {"compared-by", r.comparedBy},
            {"undecided", r.undecided.all().questions},
            {"undecided-elements", r.undecided.all().elements},
            {"estimated", r.undecided.all().estimated},
            {"unbounded", r.undecided.all().numbers},
            {"best", r.best},
            {"candidates", Json::array()},
            {"plan", plan}};
  if (r.pick) json["pick"] = *r.pick;
  if (std::optional<double> gain = r.gain()) json["gain"] = *gain;
  for (const Candidate &c : r.candidates) json["candidates"].push_back(toJson(c));
  json["other-machines"] = Json::array();
  for (const tune::Machine &m : r.others)
    json["other-machines"].push_back(Json{{"device", m.device}, {"compiler", m.compiler}, {"tangram", m.tangram}});
  return json;
}

void printTable(const TuneReport &r) {
  constexpr std::size_t shown = 10;
  auto row = [&](const Candidate &c) {
    std::string gain;
    if (r.pick && r.candidates[*r.pick].isTimed())
      gain = fmt::format("{:.2f}x", r.candidates[*r.pick].time.median / c.time.median);
    std::cout << fmt::format("  {:>10}  {:>24}  {:>10}  {:>8}  {}{}\n", seconds(c.time.median),
                             fmt::format("{} to {}", seconds(c.time.low), seconds(c.time.high)),
                             c.predicted ? seconds(*c.predicted) : "", gain,
                             c.pick    ? "the pick: "
                             : c.known ? "known: "
                                       : "",
                             shortKey(c.plan));
  };
  std::cout << fmt::format("  {:>10}  {:>24}  {:>10}  {:>8}  {}\n", "median", "interval", "predicted", "speed-up",
                           "plan");
  std::size_t timed = 0;
  for (const Candidate &c : r.candidates)
    if (c.isTimed() && (timed++ < shown || c.pick)) row(c);
  if (timed > shown) std::cout << fmt::format("  and {} more (--json has all)\n", timed - shown);
}

/// Plans that are not right, by what became of them.
void printOthers(const TuneReport &r) {
  static const std::map<Verdict, const char *> words{{Verdict::Unfit, "do not fit the target"},
                                                     {Verdict::Refused, "have no code"},
                                                     {Verdict::Uncompiled, "do not compile"},
                                                     {Verdict::Wrong, "are wrong"},
                                                     {Verdict::Failed, "fail"},
                                                     {Verdict::Crashed, "crash"},
                                                     {Verdict::Endless, "take too long"}};
  for (const auto &[verdict, what] : words) {
    std::size_t n = 0;
    const Candidate *first = nullptr;
    for (const Candidate &c : r.candidates)
      if (c.verdict == verdict && n++ == 0) first = &c;
    if (n) std::cout << fmt::format("  {} {}: {} ({})\n", n, what, first->reason, shortKey(first->plan));
  }
  if (r.pick && r.candidates[*r.pick].verdict != Verdict::Right)
    std::cout << "  what the heuristic picks is one of these\n";
}

void print(const TuneReport &r, const TuneFlags &flags, const std::string &plan) {
  std::cout << fmt::format("{} on {}, {} (seed {}): {}, in {:.0f} s\n", r.spectrum, r.target, r.problem.sizes, r.seed,
                           countOf(r), r.seconds);
  std::cout << fmt::format("  device {}{}\n  compiler {}\n", r.machine.device,
                           r.device.empty() ? "" : "; times are its own, with the data in its memory",
                           r.machine.compiler);
  if (!r.plainest.empty()) std::cout << fmt::format("  against {}\n", r.plainest);
  if (!r.comparedBy.empty()) std::cout << fmt::format("  {}\n", r.comparedBy);
  for (const std::string &sentence : r.undecided.sentences()) std::cout << "  " << sentence << "\n";
  if (!r.others.empty())
    std::cout << fmt::format(
        "  the database has timings of {} other machine{}, compiler{} or version{} too, the first: "
        "{}; {}\n",
        r.others.size(), r.others.size() == 1 ? "" : "s", r.others.size() == 1 ? "" : "s",
        r.others.size() == 1 ? "" : "s", r.others[0].device, r.others[0].compiler);
  if (r.chosenBefore) std::cout << "  chosen before: nothing was measured (--reproducible)\n";
  if (r.interrupted) std::cout << "  interrupted\n";
  printTable(r);
  printOthers(r);
  if (std::optional<double> gain = r.gain())
    std::cout << (r.candidates[r.best].pick ? std::string("no plan is faster than what the heuristic picks\n")
                                            : fmt::format("{:.2f} times as fast as what the heuristic picks\n", *gain));
  std::cout << (flags.output.empty()
                    ? plan
                    : fmt::format("the plan: {0}; use it by `tangram compile {1} --target {2} --plan {0}`\n",
                                  flags.output, fmt::join(flags.files, " "), flags.target));
}

constexpr DiagnosticKind kBundleAlone{"tune.bundle-alone", DiagnosticClass::User,
                                      "--bundle keeps plans for several sizes, and there are none",
                                      "say which: --arg in=random:N --sizes N=1K,64K,4M"};
constexpr DiagnosticKind kReproducible{"tune.reproducible-sizes", DiagnosticClass::Limitation,
                                       "--reproducible is for one size", "tune for each size, or leave it out"};

int tune(Driver &driver, const TuneFlags &flags) {
  tune::TuneOptions options;
  if (parseBudget(flags.budget) == 0) fail(kNoBudget, {}, flags.budget);
  if (flags.sizes.empty() && flags.bundle) fail(kBundleAlone, {});
  if (!flags.sizes.empty() && flags.reproducible) fail(kReproducible, {});
  tune::Database database(flags.database);
  driver.open(flags);
  if (!flags.sizes.empty()) return tuneSizes(driver, flags, database);
  const Call asked = callOf(driver, flags, flags.arguments, flags.seed);

  std::optional<TemporaryFolder> temporary;
  if (flags.folder.empty()) temporary.emplace("tangram-tune");
  options.folder = temporary ? temporary->path() : std::filesystem::path(flags.folder);
  options.specs = asked.given;
  fill(options, flags);
  const Interruptible interruptible;
  options.interrupted = Interruptible::happened;
  options.progress = [&](const tune::Progress &p) {
    driver.progress(progressLine(asked.spectrum.name, p), flags.progress);
  };
  tune::Problem problem;
  problem.spectrum = asked.spectrum.name;
  problem.sizes = asked.arguments.shape.text;
  problem.data = fmt::format("{}; seed {}", fmt::join(flags.arguments, ", "), flags.seed);
  if (!driver.common.json)
    for (const std::string &sentence : asked.arguments.inferred) std::cout << sentence << "\n";
  const TuneReport report = tune::tune(driver.session(), problem, asked.arguments.values, database, options);
  driver.endProgress();

  const std::string plan = planFile(report, flags.reproducible);
  if (!flags.output.empty()) writeFile(flags.output, plan);
  if (driver.common.json)
    std::cout << toJson(report, plan).dump(2) << "\n";
  else
    print(report, flags, plan);
  return report.interrupted ? Interruptible::kExitCode : 0;
}

} // namespace

void fill(tune::TuneOptions &options, const TuneFlags &flags) {
  options.budget = parseBudget(flags.budget);
  options.tries = flags.tries;
  options.seed = flags.seed;
  options.jobs = flags.jobs;
  options.timeout = flags.timeout;
  options.reproducible = flags.reproducible;
  options.version = TANGRAM_VERSION;
}

void addTune(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("tune", "Find a fast plan for given arguments, by timing many");
  auto flags = std::make_shared<TuneFlags>();
  addProgramFlags(*sub, *flags);
  addUndecided(*sub, driver);
  addExpected(*sub, *flags);
  addArguments(*sub, flags->arguments);
  sub->add_option("--sizes", flags->sizes,
                  "Tune for several sizes: a letter in the place of a size of --arg, and what it stands for. Several "
                  "go together in all ways. The plan says which of its parts is for which sizes")
      ->type_name("N=SIZE,...")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--bundle", flags->bundle,
                  "With --sizes: the fewest plans of which one is so near to the best at each size (default 2%)")
      ->type_name("PERCENT");
  sub->add_option("--budget", flags->budget, "Time for everything, 60s or 5m (default 60s)")->type_name("TIME");
  sub->add_option("--tries", flags->tries, "Try so many new plans at most, whatever time is left")->type_name("N");
  sub->add_option("--db", flags->database,
                  "Database of timings, made where there is none: what it knows is not timed again, and a run that was "
                  "cut short goes on")
      ->type_name("FILE");
  sub->add_option("-o,--output", flags->output, "Write the plan into this file instead of printing it")
      ->type_name("FILE");
  sub->add_option("--keep", flags->folder, "Keep sources and libraries in this folder")->type_name("DIR");
  sub->add_option("--seed", flags->seed, "Of the search and of random data (default 1)")->type_name("N");
  sub->add_flag("--reproducible", flags->reproducible,
                "A choice that the database has is kept; of plans that are as fast within their intervals the first in "
                "a stable order is chosen; the plan has no date");
  sub->add_option("--jobs,-j", flags->jobs, "Plans compiled at a time (default: the cores there are)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  sub->add_option("--timeout", flags->timeout, "Seconds after which a call counts as endless (default 30)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0));
  sub->add_flag("--progress", flags->progress, "Say how far it is also where that is no terminal");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer(
      "What a plan computes is checked before it is timed. Ctrl-C ends the work with the best so far.\n"
      "Examples:\n"
      "  tangram tune sum.tg.cpp --target cpu-openmp --arg in=random:16M --budget 5m --db sum.db -o sum.plan\n"
      "  tangram compile sum.tg.cpp --target cpu-openmp --plan sum.plan\n"
      "  tangram tune sum.tg.cpp --target cpu-openmp --arg in=random:N --sizes N=1K,64K,4M --bundle 5% -o sum.plan");
  sub->callback([&driver, flags] {
    if (flags->output == "-") flags->output.clear();
    driver.command = [&driver, flags] { return tune(driver, *flags); };
  });
}

} // namespace tangram::driver
