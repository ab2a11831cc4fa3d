// How many small mistakes in codelets does `verify` find? Of each codelet that plans of a spectrum use, mutants are put
// into the place of the codelet in a plan, and verified. What is not found is compared with the plan without the
// change, to the last bit: where all is the same, the change changes nothing. Where that is so of whole numbers, of
// which sums are exact, the change is one of roundings: other parts, which are added in another order.
//
//   tangram-mutation FILE --target T [--spectrum S] [--mutants N] [--sizes ...] [--arg NAME=SPEC ...] [--seed N]
//   [--backend B]
#include "Mutants.h"

#include "../../core/verify/VerifyPlans.h"
#include "tangram/process/Cleanup.h"
#include "tangram/verify/Verify.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <random>
#include <unistd.h>

using namespace tangram;
using namespace tangram::runtime;

namespace {

struct Flags {
  std::string file, target, spectrum, backend;
  std::vector<std::string> arguments;
  std::vector<std::uint64_t> sizes{1, 2, 31, 1000, 100003};
  std::size_t mutants = 100; // of each spectrum, at most
  std::uint64_t seed = 1;
};

void collect(const PlanNode &node, std::set<std::pair<std::string, std::string>> &codelets) {
  if (node.rule == Rule::Select) codelets.insert({node.spectrum, node.codelet});
  for (const PlanPtr &child : node.children) collect(*child, codelets);
}

PlanPtr replaced(const PlanPtr &node, const std::string &spectrum, const std::string &codelet, const std::string &by) {
  PlanNode copy = *node;
  if (copy.rule == Rule::Select && copy.spectrum == spectrum && copy.codelet == codelet) copy.codelet = by;
  for (PlanPtr &child : copy.children) child = replaced(child, spectrum, codelet, by);
  return std::make_shared<const PlanNode>(std::move(copy));
}

struct Trial {
  Plan original, changed;
  std::string what;
  bool found = false, same = true, rounds = false;
};

struct Score {
  std::size_t tried = 0, found = 0, unchanged = 0, rounds = 0;
  std::vector<std::string> missed;
};

class Run {
public:
  Run(const Flags &flags, const std::string &spectrum, Session &session)
      : flags_(flags), spectrum_(spectrum), session_(session) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("tangram-mutation-{}", getpid());
    removeAtEnd(folder_);
    options_.sizes = flags.sizes;
    options_.randomSizes = 0;
    options_.seed = flags.seed;
    options_.folder = folder_;
    // Of the program as it is: a mutant may be plainer.
    options_.reference = buildReference(session, spectrum, folder_ / "reference").library;
    options_.slowest = 5;
    options_.timeout = 10;
    options_.patience = options_.timeout; // on a busy machine, too: what is not called finds nothing
    for (const std::string &text : flags.arguments) {
      std::size_t equals = text.find('=');
      options_.arguments.emplace(text.substr(0, equals), parseArgumentSpec(text.substr(equals + 1)));
    }
  }
  ~Run() {
    std::filesystem::remove_all(folder_);
    dropFolder(folder_);
  }

  Score score() {
    draw();
    Session changed(session_.options());
    changed.open(module_, session_.target());
    VerifyOptions options = options_;
    options.causes = 0; // they are known
    for (const Trial &t : trials_) options.plans.push_back(t.changed);
    VerifyReport report = verify(changed, spectrum_, options);
    for (const PlanFailure &f : report.failures) trials_[f.plan].found = true;
    std::set<std::size_t> unfit;
    for (const PlanFailure &f : report.unfit) unfit.insert(f.plan);
    compareSurvivors(changed, unfit);
    Score score;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const Trial &t = trials_[i];
      if (unfit.count(i)) continue;
      ++score.tried;
      score.found += t.found;
      score.unchanged += !t.found && t.same && !t.rounds;
      score.rounds += !t.found && t.same && t.rounds;
      if (!t.found && !t.same) score.missed.push_back(fmt::format("{}\n    {}", t.what, key(t.changed)));
    }
    return score;
  }

private:
  /// A short plan for each codelet that some drawn plan uses, and mutants of it.
  void draw() {
    const Forest &forest = session_.forest(spectrum_);
    std::mt19937_64 random(flags_.seed);
    std::map<std::pair<std::string, std::string>, Plan> plans;
    for (int i = 0; i < 300; ++i) {
      Plan plan = forest.sample(random);
      plan.target = session_.target().name;
      std::set<std::pair<std::string, std::string>> codelets;
      collect(*plan.root, codelets);
      for (const auto &codelet : codelets) {
        auto [at, isNew] = plans.emplace(codelet, plan);
        if (!isNew && key(plan).size() < key(at->second).size()) at->second = plan;
      }
    }
    std::map<std::string, std::vector<const ast::Codelet *>> added;
    for (const ast::Spectrum *s : session_.module().spectrums)
      for (const ast::Codelet *c : s->codelets) {
        auto plan = plans.find({s->name, c->name});
        if (plan == plans.end()) continue;
        for (const mutation::Mutant &m : mutation::mutantsOf(*c, arena_)) {
          Plan changed = plan->second;
          changed.root = replaced(changed.root, s->name, c->name, m.codelet->name);
          changed.sources.clear();
          trials_.push_back({plan->second, changed, fmt::format("{} ({}): {}", s->name, c->name, m.what)});
          added[s->name].push_back(m.codelet);
        }
      }
    std::shuffle(trials_.begin(), trials_.end(), random);
    if (trials_.size() > flags_.mutants) trials_.resize(flags_.mutants);
    module_ = arena_.derive(&session_.module(), [&](ast::Module &copy) {
      for (const ast::Spectrum *&s : copy.spectrums)
        s = arena_.derive(s, [&](ast::Spectrum &more) {
          const auto &mine = added[more.name];
          more.codelets.insert(more.codelets.end(), mine.begin(), mine.end());
        });
    });
  }

  std::filesystem::path build(Session &session, const std::vector<Plan> &plans, const std::string &name,
                              std::vector<std::string> &entries) {
    ast::Arena arena;
    const ast::Module *lowered = session.lower(plans, arena);
    entries.clear();
    for (const ast::Kernel *kernel : lowered->kernels) entries.push_back(kernel->name);
    std::filesystem::create_directories(folder_ / name);
    return session.build(session.emit(*lowered, name), folder_ / name, name);
  }

  void compareSurvivors(Session &changed, const std::set<std::size_t> &unfit) {
    std::map<std::string, std::vector<std::size_t>> survivors; // by the plan without the change
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (!trials_[i].found && !unfit.count(i)) survivors[key(trials_[i].original)].push_back(i);
    const ast::Spectrum *spectrum = nullptr;
    for (const ast::Spectrum *s : module_->spectrums)
      if (s->name == spectrum_) spectrum = s;
    Baseline baseline;
    baseline.reference = options_.reference;
    std::vector<std::string> skipped;
    std::vector<ArgumentSet> sets = makeArgumentSets(*spectrum, options_, skipped);
    std::size_t number = 0;
    for (const auto &[_, group] : survivors) {
      std::vector<std::string> entries;
      baseline.plainest = build(session_, {trials_[group[0]].original}, fmt::format("original_{}", number), entries);
      baseline.plainestName = entries[0];
      std::vector<Plan> plans;
      for (std::size_t i : group) plans.push_back(trials_[i].changed);
      std::filesystem::path library = build(changed, plans, fmt::format("changed_{}", number++), entries);
      std::vector<BuiltPlan> named;
      for (std::size_t i = 0; i < group.size(); ++i) named.push_back({group[i], library, entries[i]});
      BatchEvents events;
      events.failed = [&](std::size_t trial, std::size_t set, const PlanFailure &) {
        (sets[set].whole ? trials_[trial].same : trials_[trial].rounds) = !sets[set].whole;
      };
      events.passed = [](std::size_t, std::size_t) {};
      events.skipped = [](std::size_t, const std::string &) {};
      events.broken = [](std::size_t, const std::string &) {};
      events.undecided = [](std::size_t, Undecided) {};
      events.leftOut = [](std::size_t, std::size_t) {};
      events.outOfRange = [](const std::string &) {};
      callPlans(*spectrum, baseline, named, sets, options_, events);
    }
  }

  const Flags &flags_;
  std::string spectrum_;
  Session &session_;
  ast::Arena arena_;
  const ast::Module *module_ = nullptr;
  std::vector<Trial> trials_;
  VerifyOptions options_;
  std::filesystem::path folder_;
};

int run(const Flags &flags, Session &session) {
  session.open(flags.file, flags.target, flags.spectrum);
  // As verify() compiles what is only checked.
  Session quick(session.options());
  hardware::Target target = session.target();
  if (flags.backend.empty() || flags.backend == target.pipeline.backend.name)
    target.pipeline.backend.options.set("quick", true);
  quick.open(&session.module(), target);
  std::vector<std::string> spectrums = session.entrySpectrums();
  if (!flags.spectrum.empty()) spectrums = {flags.spectrum};
  bool missed = false;
  for (const std::string &spectrum : spectrums) {
    Score score = Run(flags, spectrum, quick).score();
    std::cout << fmt::format("{} on {}: {} mutants, {} found, {} change nothing, {} only the order of additions, {} "
                             "missed\n",
                             spectrum, flags.target, score.tried, score.found, score.unchanged, score.rounds,
                             score.missed.size());
    for (const std::string &m : score.missed) std::cout << "  missed: " << m << "\n";
    missed |= !score.missed.empty();
    if (!score.found) {
      std::cout << "  nothing was found: that is no check\n";
      missed = true;
    }
  }
  return missed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  CLI::App app("How many small mistakes in codelets `verify` finds");
  app.add_option("file", flags.file, "The program")->required();
  app.add_option("--target,-t", flags.target, "The target")->required();
  app.add_option("--spectrum,-s", flags.spectrum, "The spectrum; default: all that no other one calls");
  app.add_option("--mutants", flags.mutants, "At most so many of each spectrum, drawn");
  app.add_option("--sizes", flags.sizes, "As for verify")->delimiter(',');
  app.add_option("--arg", flags.arguments, "As for verify")->take_all()->allow_extra_args(false);
  app.add_option("--seed", flags.seed, "Of what is drawn");
  app.add_option("--backend", flags.backend, "Instead of the target's");
  CLI11_PARSE(app, argc, argv);
  startCleanup();
  SessionOptions options;
  options.backend = flags.backend;
  Session session(options);
  try {
    return run(flags, session);
  } catch (const DiagnosticError &e) {
    std::cerr << "error: " << e.diagnostic.message << "\n";
  } catch (const ErrorsReported &) {
    for (const Diagnostic &d : session.diags().take()) std::cerr << d.message << "\n";
  }
  return 1;
}
