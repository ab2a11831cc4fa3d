// tangram experiment
#include "Budget.h"
#include "Experiment.h"
#include "RunArguments.h"

#include "tangram/tune/Tuner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <set>
#include <thread>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kHeuristic{"experiment.heuristic", DiagnosticClass::User, "there is no heuristic '{0}'",
                                    "use {1}; one from elsewhere joins by --plugin-path"};

struct ExperimentFlags {
  std::string file, folder;
  std::vector<std::string> includes, defines;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool progress = false;
};

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One program on one target: each heuristic's plans in turn, then the best of all of them beside each other.
class Trialled {
public:
  Trialled(Driver &driver, const ExperimentFlags &flags, const Experiment &experiment, const ExperimentProgram &program,
           const std::string &target, const std::filesystem::path &folder)
      : driver_(driver), flags_(flags), experiment_(experiment), program_(program), target_(target), folder_(folder) {}

  std::vector<ExperimentResult> run() {
    for (const std::string &heuristic : experiment_.heuristics) {
      if (Interruptible::happened()) break;
      follow(heuristic);
    }
    if (!plans_.empty() && !Interruptible::happened()) {
      const std::map<std::string, double> times = timed(experiment_.heuristics[0], plans_, true);
      for (ExperimentResult &r : results_)
        if (auto time = times.find(r.plan); time != times.end()) r.best = time->second;
    }
    double least = HUGE_VAL;
    for (const ExperimentResult &r : results_)
      if (r.best) least = std::min(least, *r.best);
    for (ExperimentResult &r : results_) r.regret = r.best ? *r.best / least : HUGE_VAL;
    return std::move(results_);
  }

private:
  std::unique_ptr<Driver> opened(const std::string &heuristic, ProgramFlags &flags) {
    auto one = std::make_unique<Driver>(0, nullptr);
    one->common = driver_.common;
    one->common.heuristic = heuristic;
    flags.files = {program_.file};
    flags.target = target_;
    if (!program_.spectrum.empty()) flags.spectrums = {program_.spectrum};
    flags.includes = flags_.includes;
    flags.defines = flags_.defines;
    one->open(flags);
    return one;
  }

  tune::Problem problem(const Call &call) const {
    tune::Problem problem;
    problem.spectrum = call.spectrum.name;
    problem.sizes = call.arguments.shape.text;
    problem.data = fmt::format("{}; seed {}", fmt::join(program_.arguments, ", "), experiment_.seed);
    return problem;
  }

  /// Medians by key.
  std::map<std::string, double> timed(const std::string &heuristic, const std::vector<Plan> &plans, bool keep) {
    ProgramFlags flags;
    const std::unique_ptr<Driver> one = opened(heuristic, flags);
    const Call call = callOf(*one, flags, program_.arguments, experiment_.seed);
    tune::Database database("");
    tune::TuneOptions options;
    options.budget = experiment_.seconds;
    options.seed = experiment_.seed;
    options.jobs = flags_.jobs;
    options.folder = folder_ / fmt::format("{}", calls_++);
    options.version = TANGRAM_VERSION;
    options.given = plans;
    options.specs = call.given;
    options.search = false;
    options.firstIsPick = true;
    options.interrupted = Interruptible::happened;
    // What a heuristic has compiled is none of another one's gain; the reference is the same for all.
    tune::Workshop own;
    own.reference = workshop_.reference, own.plainest = workshop_.plainest, own.exact = workshop_.exact;
    own.light = workshop_.light;
    options.workshop = keep ? &workshop_ : &own;
    std::map<std::string, double> result;
    try {
      const tune::TuneReport report =
          tune::tune(one->session(), problem(call), call.arguments.values, database, options);
      for (const tune::Candidate &c : report.candidates)
        if (c.isTimed()) result[key(c.plan)] = c.time.median;
    } catch (const DiagnosticError &e) {
      if (e.diagnostic.cls == DiagnosticClass::Bug) throw;
    }
    for (const auto &[text, kernel] : own.kernels) workshop_.kernels.insert({text, kernel});
    workshop_.reference = options.workshop->reference;
    workshop_.light = options.workshop->light;
    workshop_.plainest = options.workshop->plainest;
    workshop_.exact = options.workshop->exact;
    return result;
  }

  void follow(const std::string &heuristic) {
    driver_.progress(fmt::format("{} on {}: {}", stemOf(program_.file), target_, heuristic), flags_.progress);
    ProgramFlags flags;
    const std::unique_ptr<Driver> one = opened(heuristic, flags);
    const Call call = callOf(*one, flags, program_.arguments, experiment_.seed);
    Clock::time_point start = Clock::now();
    HeuristicContext context;
    context.wanted = experiment_.plans.back();
    context.seed = experiment_.seed;
    std::vector<Plan> plans = one->session().choose(call.spectrum.name, context);
    one->showDiagnostics();
    double spent = since(start);
    std::optional<std::pair<double, Plan>> best;
    std::size_t begun = 0;
    for (std::size_t budget : experiment_.plans) {
      const std::size_t end = std::min(budget, plans.size());
      if (begun < end && !Interruptible::happened()) {
        // The fastest until then takes part: times of other moments are others.
        std::vector<Plan> some(plans.begin() + static_cast<std::ptrdiff_t>(begun),
                               plans.begin() + static_cast<std::ptrdiff_t>(end));
        if (best) some.push_back(best->second);
        start = Clock::now();
        const std::map<std::string, double> times = timed(heuristic, some, false);
        spent += since(start);
        best.reset();
        for (const Plan &plan : some)
          if (auto time = times.find(key(plan)); time != times.end() && (!best || time->second < best->first))
            best = {time->second, plan};
        begun = end;
      }
      ExperimentResult result;
      result.program = call.spectrum.name;
      result.target = target_;
      result.heuristic = heuristic;
      result.plans = budget;
      result.tried = begun;
      result.seconds = spent;
      if (best) {
        result.plan = key(best->second);
        result.best = best->first;
        if (seen_.insert(result.plan).second) plans_.push_back(best->second);
      }
      results_.push_back(std::move(result));
    }
  }

  Driver &driver_;
  const ExperimentFlags &flags_;
  const Experiment &experiment_;
  const ExperimentProgram &program_;
  const std::string &target_;
  const std::filesystem::path folder_;
  std::vector<ExperimentResult> results_;
  std::vector<Plan> plans_; // the fastest of each heuristic at each budget
  std::set<std::string> seen_;
  tune::Workshop workshop_;
  std::size_t calls_ = 0;
};

void print(const std::vector<ExperimentResult> &results, bool json) {
  if (json) {
    Json all = Json::array();
    for (const ExperimentResult &r : results) {
      Json one{{"program", r.program}, {"target", r.target}, {"heuristic", r.heuristic},
               {"plans", r.plans},     {"tried", r.tried},   {"seconds", r.seconds}};
      if (r.best) one["best"] = *r.best, one["regret"] = r.regret, one["plan"] = r.plan;
      all.push_back(std::move(one));
    }
    std::cout << all.dump(2) << "\n";
    return;
  }
  std::cout << fmt::format("{:<20}  {:<14}  {:<24}  {:>6}  {:>6}  {:>9}  {:>10}  {:>7}\n", "program", "target",
                           "heuristic", "plans", "tried", "spent", "best", "regret");
  for (const ExperimentResult &r : results)
    std::cout << fmt::format("{:<20}  {:<14}  {:<24}  {:>6}  {:>6}  {:>7.1f} s  {:>10}  {:>7}\n", r.program, r.target,
                             r.heuristic, r.plans, r.tried, r.seconds, r.best ? seconds(*r.best) : "none",
                             r.best ? fmt::format("{:.2f}", r.regret) : "");
}

int experiment(Driver &driver, const ExperimentFlags &flags) {
  checkFolder(flags.folder);
  const Experiment what = readExperiment(flags.file);
  const std::vector<std::string> known = driver.session().registry().heuristics.names();
  for (const std::string &heuristic : what.heuristics)
    if (const std::string name = heuristic.substr(0, heuristic.find(':'));
        std::find(known.begin(), known.end(), name) == known.end())
      fail(kHeuristic, {}, name, suggest(name, known));
  // What does not exist is said before hours are spent.
  for (const ExperimentProgram &program : what.programs)
    for (const std::string &target : what.targets) {
      Driver one(0, nullptr);
      one.common = driver.common;
      ProgramFlags program_flags;
      program_flags.files = {program.file};
      program_flags.target = target;
      program_flags.includes = flags.includes;
      program_flags.defines = flags.defines;
      if (!program.spectrum.empty()) program_flags.spectrums = {program.spectrum};
      one.open(program_flags);
      callOf(one, program_flags, program.arguments, what.seed);
    }
  const TemporaryFolder folder("tangram-experiment");
  const Interruptible interruptible;
  std::vector<ExperimentResult> results;
  std::size_t number = 0;
  for (const ExperimentProgram &program : what.programs)
    for (const std::string &target : what.targets) {
      if (Interruptible::happened()) break;
      for (ExperimentResult &r :
           Trialled(driver, flags, what, program, target, folder.path() / std::to_string(number++)).run())
        results.push_back(std::move(r));
    }
  driver.endProgress();
  if (!flags.folder.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(flags.folder, ec);
    writeFile(std::filesystem::path(flags.folder) / "plans.svg", regretChart(results, false));
    writeFile(std::filesystem::path(flags.folder) / "seconds.svg", regretChart(results, true));
  }
  print(results, driver.common.json);
  return Interruptible::happened() ? Interruptible::kExitCode : 0;
}

} // namespace

void addExperiment(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("experiment", "Compare heuristics: how near to the best plan, after how much");
  auto flags = std::make_shared<ExperimentFlags>();
  sub->add_option("file", flags->file, "Programs, targets, heuristics and budgets, as YAML")
      ->required()
      ->type_name("FILE");
  sub->add_option("-o,--output", flags->folder,
                  "Folder for plans.svg and seconds.svg: regret against plans and seconds")
      ->type_name("DIR");
  sub->add_option("-I", flags->includes, "Folder of headers")->type_name("DIR")->take_all()->allow_extra_args(false);
  sub->add_option("-D", flags->defines, "Macro")->type_name("NAME[=VALUE]")->take_all()->allow_extra_args(false);
  sub->add_option("--jobs,-j", flags->jobs, "Plans compiled at a time (default: the cores there are)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  sub->add_flag("--progress", flags->progress, "Say how far it is also where that is no terminal");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer("Example of a file:\n"
              "  programs:\n"
              "    - {file: sum.tg.cpp, arguments: [in=random:1M]}\n"
              "  targets: [cpu-openmp]\n"
              "  heuristics: [model, parallelism-first, \"evolutionary:seed=2\", random]\n"
              "  plans: [1, 4, 16]\n"
              "  seconds: 30");
  sub->callback([&driver, flags] { driver.command = [&driver, flags] { return experiment(driver, *flags); }; });
}

} // namespace tangram::driver
