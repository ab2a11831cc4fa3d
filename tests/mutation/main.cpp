// How many small mistakes in codelets are found by what `verify` compares? Of each codelet that plans of a spectrum
// use, mutants are put into the place of the codelet in a simple plan, and called with arguments of all sizes, the
// smallest first, until one is found out. What is not found is compared with the plan without the change, to the last
// bit: where all is the same, the change changes nothing. Where that is so of whole numbers, of which sums are exact,
// the change is one of roundings: other parts, which are added in another order. Where a function rounds whole numbers,
// too, the program in the other precision tells (OtherPrecision.h).
//
//   tangram-mutation FILE --target T [--spectrum S ...] [--mutants N] [--sizes ...] [--arg NAME=SPEC ...] [--seed N]
//   [--backend B]
#include "Mutants.h"
#include "OtherPrecision.h"

#include "../../core/verify/BuildPlans.h"
#include "tangram/planning/Derivations.h"
#include "tangram/process/Cleanup.h"
#include "tangram/verify/Compare.h"
#include "tangram/verify/KernelLibrary.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <random>
#include <unistd.h>

using namespace tangram;
using namespace tangram::runtime;
using mutation::distance, mutation::hasSingle, mutation::inOtherPrecision;

namespace {

constexpr std::size_t kInModule = 60;                  // mutants that one program has beside its codelets
constexpr std::size_t kInLibrary = 10;                 // plans that are compiled together
constexpr std::uint64_t kSmall = 1 << 15;              // elements: calls of which take no time, unless they hang
constexpr double kSmallSeconds = 1, kSeconds = 20;     // of processor time that a call may take: it does not end
constexpr double kSmallPatience = 15, kPatience = 300; // for a call: threads may wait for each other for good
constexpr unsigned kJobs = 2;
constexpr double kFiner = 1.0 / (1 << 18); // a double's roundings are 2^-29 of a float's, and may be added up by chance

struct Flags {
  std::string file, target, backend;
  std::vector<std::string> spectrums, arguments;
  std::vector<std::uint64_t> sizes{1, 2, 31, 1000, 100003};
  std::size_t mutants = 300; // of each spectrum, at most
  std::uint64_t seed = 1;
  bool verbose = false;
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
  const ast::Spectrum *spectrum = nullptr;
  const ast::Codelet *codelet = nullptr;
  std::size_t number = 0; // of the change
  Plan original, changed;
  std::string what;
  enum class Fate : std::uint8_t { Refused, Unfit, Analysed, Called, Found } fate = Fate::Refused;
  bool differs = false, same = true, rounds = false;
  double off = 0, otherOff = 0; // how far from the original, by its size: in the program's precision and in the other
  std::optional<BuiltPlan> built, other;
};

struct Score {
  std::size_t all = 0, tried = 0, found = 0, differing = 0, analysed = 0, unchanged = 0, rounds = 0, refused = 0;
  std::vector<std::string> missed;
};

class Run {
public:
  Run(const Flags &flags, const std::string &spectrum, Session &session)
      : flags_(flags), session_(session), name_(spectrum) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("tangram-mutation-{}", getpid());
    removeAtEnd(folder_);
    options_.sizes = flags.sizes;
    options_.randomSizes = 0;
    options_.seed = flags.seed;
    options_.folder = folder_;
    for (const std::string &text : flags.arguments) {
      std::size_t equals = text.find('=');
      options_.arguments.emplace(text.substr(0, equals), parseArgumentSpec(text.substr(equals + 1)));
    }
    // Of the program as it is: a mutant may be plainer.
    baseline_.reference = buildReference(session, spectrum, folder_ / "reference").library;
  }
  ~Run() {
    std::filesystem::remove_all(folder_);
    dropFolder(folder_);
  }

  Score score() {
    draw();
    for (const ast::Spectrum *s : session_.module().spectrums)
      if (s->name == name_) spectrum_ = s;
    std::vector<std::string> skipped;
    std::vector<ArgumentSet> sets = makeArgumentSets(*spectrum_, options_, skipped), large;
    while (!sets.empty() && sets.back().elements() > kSmall) {
      large.insert(large.begin(), sets.back());
      sets.pop_back();
    }
    for (std::size_t from = 0; from < trials_.size(); from += kInModule) {
      const std::size_t to = std::min(trials_.size(), from + kInModule);
      analyseAndBuild(from, to);
      std::vector<BuiltPlan> batch;
      for (std::size_t i = from; i < to; ++i)
        if (trials_[i].built) batch.push_back(*trials_[i].built);
      call(batch, sets, kSmallSeconds, kSmallPatience);
    }
    call(survivors(), large, kSeconds, kPatience);
    sets.insert(sets.end(), large.begin(), large.end());
    compareBits(sets);
    compareOtherPrecision(sets);
    return count();
  }

private:
  /// The simplest plan for each codelet, as verify() makes them, and mutants of the codelet.
  void draw() {
    const Forest &forest = session_.forest(name_);
    std::map<std::pair<std::string, std::string>, Plan> plans;
    for (Plan &plan : Derivations(forest).cover()) {
      plan.target = session_.target().name;
      std::set<std::pair<std::string, std::string>> codelets;
      collect(*plan.root, codelets);
      for (const auto &codelet : codelets) {
        auto [at, isNew] = plans.emplace(codelet, plan);
        if (!isNew && complexity(*plan.root) < complexity(*at->second.root)) at->second = plan;
      }
    }
    ast::Arena ignored;
    for (const ast::Spectrum *s : session_.module().spectrums)
      for (const ast::Codelet *c : s->codelets) {
        auto plan = plans.find({s->name, c->name});
        if (plan == plans.end()) continue;
        for (std::size_t i = 0, n = mutation::mutantsOf(*c, ignored); i < n; ++i)
          trials_.push_back({s, c, i, plan->second, {}, {}, Trial::Fate::Refused, false, true, false, 0, 0, {}, {}});
      }
    all_ = trials_.size();
    std::shuffle(trials_.begin(), trials_.end(), std::mt19937_64(flags_.seed));
    if (trials_.size() > flags_.mutants) trials_.resize(flags_.mutants);
  }

  /// The program with some of the mutants as codelets.
  const ast::Module *mutated(std::size_t from, std::size_t to) {
    std::map<std::string, std::vector<const ast::Codelet *>> added;
    for (std::size_t i = from; i < to; ++i) {
      Trial &t = trials_[i];
      const mutation::Mutant m = mutation::mutant(*t.codelet, t.number, arena_);
      t.changed = t.original;
      t.changed.root = replaced(t.changed.root, t.spectrum->name, t.codelet->name, m.codelet->name);
      t.changed.sources.clear();
      t.what = fmt::format("{} ({}): {}", t.spectrum->name, t.codelet->name, m.what);
      added[t.spectrum->name].push_back(m.codelet);
    }
    return arena_.derive(&session_.module(), [&](ast::Module &copy) {
      for (const ast::Spectrum *&s : copy.spectrums)
        s = arena_.derive(s, [&](ast::Spectrum &more) {
          const auto &mine = added[more.name];
          more.codelets.insert(more.codelets.end(), mine.begin(), mine.end());
        });
    });
  }

  /// Analyses of the program refuse it as a whole where a mutant is a proven race: by halves, down to that mutant.
  void analyseAndBuild(std::size_t from, std::size_t to) {
    Session changed(session_.options());
    changed.open(mutated(from, to), session_.target());
    try {
      changed.facts(); // once, and not in each child
    } catch (const ErrorsReported &) {
      if (to - from > 1) {
        const std::size_t middle = from + (to - from) / 2;
        analyseAndBuild(from, middle);
        analyseAndBuild(middle, to);
      } else {
        trials_[from].fate = Trial::Fate::Analysed;
        if (flags_.verbose) std::cerr << trials_[from].what << ": " << errorsOf(changed) << "\n";
      }
      return;
    }
    build(changed, from, to);
  }

  void build(Session &changed, std::size_t from, std::size_t to) {
    Children children(kJobs);
    for (; from < to; from += kInLibrary) {
      BuildRequest request;
      for (std::size_t i = from; i < std::min(to, from + kInLibrary); ++i)
        request.plans.emplace_back(i, trials_[i].changed);
      request.session = &changed;
      request.arena = &arena_;
      request.folder = folder_;
      request.stem = "mutants";
      addBuild(children, std::move(request), [this](const BuildOutcome &outcome) {
        for (const BuiltPlan &b : outcome.built) {
          trials_[b.plan].built = b;
          trials_[b.plan].fate = Trial::Fate::Called;
        }
        for (const auto &[plan, _] : outcome.unfit) trials_[plan].fate = Trial::Fate::Unfit;
        for (const auto &[plan, why] : outcome.failed) std::cerr << trials_[plan].what << ": " << why << "\n";
      });
    }
    children.run();
  }

  std::vector<BuiltPlan> survivors() const {
    std::vector<BuiltPlan> plans;
    for (const Trial &t : trials_)
      if (t.fate == Trial::Fate::Called) plans.push_back(*t.built);
    return plans;
  }

  void call(const std::vector<BuiltPlan> &plans, const std::vector<ArgumentSet> &sets, double seconds,
            double patience) {
    VerifyOptions options = options_;
    options.timeout = patience;
    options.slowest = seconds;
    options.patience = 1e9; // what is not called finds nothing
    BatchEvents events;
    events.untilFailure = true;
    events.processorSeconds = seconds;
    events.failed = [&](std::size_t trial, std::size_t, const PlanFailure &failure) {
      trials_[trial].fate = Trial::Fate::Found;
      trials_[trial].differs = !failure.param.empty(); // else it crashed, or did not end
      if (flags_.verbose) std::cerr << trials_[trial].what << ": " << failure.reason << "\n";
    };
    events.passed = [](std::size_t, std::size_t) {};
    events.skipped = [&](std::size_t set, const std::string &) { skipped_.insert(sets[set].text); };
    events.broken = events.skipped;
    events.undecided = [](std::size_t, Undecided) {};
    events.leftOut = [](std::size_t, std::size_t) {};
    events.outOfRange = [](const std::string &) {};
    callPlans(*spectrum_, baseline_, plans, sets, options, events);
  }

  /// Of what was not found: does it compute what the plan does without the change, to the last bit?
  void compareBits(const std::vector<ArgumentSet> &sets) {
    std::map<std::string, std::vector<std::size_t>> groups; // by that plan
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (trials_[i].fate == Trial::Fate::Called) groups[key(trials_[i].original)].push_back(i);
    std::vector<std::pair<BuiltPlan, std::vector<std::size_t>>> built;
    for (const auto &[_, group] : groups) {
      std::vector<std::string> entries;
      const std::string stem = fmt::format("original_{}", built.size());
      const std::filesystem::path library =
          buildHere(session_, {trials_[group[0]].original}, folder_ / stem, stem, entries);
      built.push_back({{0, library, entries[0]}, group});
    }
    // Each in a child of its own: what reads or writes where it should not crashes at times.
    for (const auto &[plain, group] : built)
      for (const std::size_t i : group) {
        Trial &t = trials_[i];
        const ChildEnd end = runChild([&](const Send &send) { compareBits(sets, plain, *t.built, send); },
                                      [&](const Message &m) {
                                        (sets[std::stoull(m[0])].whole ? t.same : t.rounds) =
                                            !sets[std::stoull(m[0])].whole;
                                        t.off = std::max(t.off, std::stod(m[1]));
                                      },
                                      1200);
        if (end.done()) continue;
        t.same = false;
        t.off = std::numeric_limits<double>::infinity();
        t.what += fmt::format("; it {}, and did not when it was verified", end.text());
      }
  }

  /// In a child: the sets for which the two differ, and by how much.
  void compareBits(const std::vector<ArgumentSet> &sets, const BuiltPlan &plain, const BuiltPlan &mine,
                   const Send &send) const {
    const Reference reference(baseline_.reference);
    const KernelLibrary library(plain.library), changed(mine.library);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (skipped_.count(sets[s].text)) continue;
      std::vector<Value> values = makeArguments(*spectrum_, reference.kernel(), sets[s], options_),
                         got = copies(values);
      std::vector<runtime::Expected> expected;
      runtime::call(library.get(plain.entry), values);
      for (Value &v : values) expected.emplace_back(std::move(v));
      const CallResult result = runtime::call(changed.get(mine.entry), got);
      if (judge(changed.get(mine.entry), result, got, {}, expected))
        send({std::to_string(s), fmt::format("{}", distance(got, expected))});
    }
  }

  /// What is a matter of roundings in whole numbers, too, is one of other roundings in the other precision.
  void compareOtherPrecision(const std::vector<ArgumentSet> &sets) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (trials_[i].fate == Trial::Fate::Called && !trials_[i].same && std::isfinite(trials_[i].off))
        left.push_back(i);
    if (left.empty()) return;
    // Their codelets stand in programs of their own again, of which each is translated.
    std::vector<std::pair<std::size_t, std::vector<BuiltPlan>>> built; // the trial; original and mutant
    const bool toDouble = hasSingle(session_.module());
    for (std::size_t i : left) {
      try {
        Session other(session_.options());
        const ast::Module *module = inOtherPrecision(*mutated(i, i + 1), toDouble, arena_);
        other.open(module, session_.target());
        other.facts();
        std::vector<std::string> entries;
        const std::string stem = fmt::format("other_{}", i);
        const std::filesystem::path library =
            buildHere(other, {trials_[i].original, trials_[i].changed}, folder_ / stem, stem, entries);
        built.push_back({i, {{0, library, entries[0]}, {0, library, entries[1]}}});
        for (const ast::Spectrum *s : module->spectrums)
          if (s->name == name_) otherSpectrum_ = s;
      } catch (const DiagnosticError &e) {
        std::cerr << trials_[i].what << ": not in the other precision: " << e.diagnostic.message << "\n";
      } catch (const ErrorsReported &) {
        std::cerr << trials_[i].what << ": not in the other precision\n";
      }
    }
    if (built.empty()) return;
    auto work = [&](const Send &send) {
      for (const auto &[i, plans] : built) {
        const KernelLibrary library(plans[0].library);
        for (const ArgumentSet &set : sets) {
          if (skipped_.count(set.text)) continue;
          const tangram_kernel &original = library.get(plans[0].entry), &changed = library.get(plans[1].entry);
          std::vector<Value> values = makeArguments(*otherSpectrum_, original, set, options_), got = copies(values);
          if (!runtime::call(original, values).ok() || !runtime::call(changed, got).ok()) continue;
          std::vector<runtime::Expected> expected;
          for (Value &v : values) expected.emplace_back(std::move(v));
          send({std::to_string(i), fmt::format("{}", distance(got, expected))});
        }
      }
    };
    std::set<std::size_t> compared;
    const ChildEnd end = runChild(
        work,
        [&](const Message &m) {
          Trial &t = trials_[std::stoull(m[0])];
          t.otherOff = std::max(t.otherOff, std::stod(m[1]));
          compared.insert(std::stoull(m[0]));
        },
        1200);
    if (!end.done()) std::cerr << name_ << ": what is left could not be compared: " << end.text() << "\n";
    for (std::size_t i : compared) {
      Trial &t = trials_[i];
      const double coarse = toDouble ? t.off : t.otherOff, fine = toDouble ? t.otherOff : t.off;
      if (fine <= coarse * kFiner) t.same = t.rounds = true;
    }
  }

  Score count() const {
    Score score;
    score.all = all_;
    for (const Trial &t : trials_) {
      using enum Trial::Fate;
      score.refused += t.fate == Refused;
      if (t.fate == Refused || t.fate == Unfit) continue;
      ++score.tried;
      const bool isFound = t.fate == Found || t.fate == Analysed;
      score.found += isFound;
      score.analysed += t.fate == Analysed;
      score.differing += isFound && t.differs;
      score.unchanged += !isFound && t.same && !t.rounds;
      score.rounds += !isFound && t.same && t.rounds;
      if (!isFound && !t.same) score.missed.push_back(fmt::format("{}\n    {}", t.what, key(t.changed)));
    }
    return score;
  }

  const Flags &flags_;
  Session &session_;
  std::string name_;
  const ast::Spectrum *spectrum_ = nullptr, *otherSpectrum_ = nullptr;
  ast::Arena arena_;
  std::size_t all_ = 0;
  std::vector<Trial> trials_;
  std::set<std::string> skipped_; // sets of arguments that the reference does not take, or takes too long for
  VerifyOptions options_;
  Baseline baseline_;
  std::filesystem::path folder_;
};

int run(const Flags &flags, Session &session) {
  session.open({flags.file}, flags.target, flags.spectrums.size() == 1 ? flags.spectrums[0] : "");
  // As verify() compiles what is only checked; what stands in for the target's backend takes over what both know.
  Session quick(session.options());
  hardware::Target target = session.target();
  target.pipeline.backend.options.set("quick", true);
  quick.open(&session.module(), target);
  std::vector<std::string> spectrums = session.entrySpectrums();
  if (!flags.spectrums.empty()) spectrums = flags.spectrums;
  bool missed = false;
  for (const std::string &spectrum : spectrums) {
    Score score = Run(flags, spectrum, quick).score();
    std::cout << fmt::format(
        "{} on {}: {} of {} mutants, {} found ({} differ, {} by analysis), {} change nothing, {} only "
        "roundings, {} missed; {} more were refused\n",
        spectrum, flags.target, score.tried, score.all, score.found, score.differing, score.analysed, score.unchanged,
        score.rounds, score.missed.size(), score.refused);
    for (const std::string &m : score.missed) std::cout << "  missed: " << m << "\n";
    std::cout << std::flush;
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
  CLI::App app("How many small mistakes in codelets are found by what `verify` compares");
  app.add_option("file", flags.file, "The program")->required();
  app.add_option("--target,-t", flags.target, "The target")->required();
  app.add_option("--spectrum,-s", flags.spectrums, "Spectrums; default: all that no other one calls")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--mutants", flags.mutants, "At most so many of each spectrum, drawn");
  app.add_option("--sizes", flags.sizes, "As for verify")->delimiter(',');
  app.add_option("--arg", flags.arguments, "As for verify")->take_all()->allow_extra_args(false);
  app.add_option("--seed", flags.seed, "Of what is drawn");
  app.add_option("--backend", flags.backend, "Instead of the target's");
  app.add_flag("--verbose", flags.verbose, "Say how each one that is found shows");
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
