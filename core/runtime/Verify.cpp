#include "tangram/runtime/Verify.h"

#include "VerifyPlans.h"
#include "tangram/ast/Text.h"
#include "tangram/compose/DrawTunables.h"
#include "tangram/runtime/KernelLibrary.h"
#include "tangram/runtime/OutOfRange.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kTooMany{"verify.too-many", DiagnosticClass::Limitation,
                                  "'{0}' has {1} plans, too many to verify every one",
                                  "draw some of them: --sample 1000"};
constexpr DiagnosticKind kElement{"verify.element", DiagnosticClass::Limitation,
                                  "parameter '{0}' of '{1}' is {2}, which cannot be made up",
                                  "verify spectrums of arithmetic types"};
constexpr DiagnosticKind kPlainestFails{"verify.plainest-fails", DiagnosticClass::User,
                                        "the plainest plan of '{0}' gives nothing to compare with: {1}",
                                        "mend its codelets, or say with --arg what its arguments must be, such as "
                                        "index:PARAM or offsets:PARAM; the plan is {2}"};
constexpr DiagnosticKind kUnknownArgument{"verify.unknown-argument", DiagnosticClass::User,
                                          "'{0}' has no parameter '{1}'", "use {2}"};
constexpr std::size_t kMostListed = 1000000;

const ast::Spectrum &find(Session &session, const std::string &name) {
  session.forest(name); // fails where there is none
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == name) return *s;
  failBug({}, "verify", fmt::format("spectrum '{}' has a forest but no node", name));
}

constexpr std::size_t kLeastBatch = 4; // plans; of fewer the compiler's start takes longer than they do

void pickPlans(const Forest &forest, const VerifyOptions &options, VerifyReport &report) {
  report.space = forest.count();
  if (!options.plans.empty()) {
    report.plans = options.plans;
    report.given = true;
    return;
  }
  std::size_t limit = options.sample ? options.sample : options.most;
  if (options.all) {
    if (report.space > kMostListed) fail(kTooMany, {}, forest.spectrum(), report.space.str());
    limit = kMostListed;
  }
  if (report.space <= limit) {
    forest.enumerate([&](const Plan &plan) {
      report.plans.push_back(plan);
      return true;
    });
    return;
  }
  report.sampled = true;
  std::size_t wanted = options.sample ? options.sample : kSample;
  std::mt19937_64 random(options.seed);
  std::set<std::string> seen;
  // Distinct plans; where they are few for how many are wanted, draws that hit one again are not endless.
  for (std::size_t draws = 0; report.plans.size() < wanted && draws < 50 * wanted; ++draws) {
    Plan plan = forest.sample(random);
    if (seen.insert(key(plan)).second) report.plans.push_back(std::move(plan));
  }
}

std::string errorsOf(Session &session) {
  std::string text;
  for (const Diagnostic &d : session.diags().take())
    if (d.severity == Severity::Error) text += (text.empty() ? "" : "; ") + d.message;
  return text.empty() ? "errors were reported" : text;
}

/// `names` gets the entries' names.
std::filesystem::path compile(Session &session, const std::vector<Plan> &plans, const std::filesystem::path &folder,
                              const std::string &stem, std::vector<std::string> &names) {
  ast::Arena arena;
  const ast::Module *lowered = session.lower(plans, arena);
  names.clear();
  for (const ast::Kernel *kernel : lowered->kernels) names.push_back(kernel->name);
  std::filesystem::create_directories(folder);
  return session.build(session.emit(*lowered, stem), folder, stem);
}

class Verifier {
public:
  Verifier(Session &session, const std::string &spectrum, const VerifyOptions &options)
      : session_(session), options_(options), spectrum_(find(session, spectrum)) {}

  VerifyReport run() {
    const Forest &forest = session_.forest(spectrum_.name);
    const ast::Structs structs(session_.module());
    for (const ast::Param *p : spectrum_.params)
      if (!Element::of(p->type, structs) || p->type.rank() > TANGRAM_MAX_RANK)
        fail(kElement, p->range, p->name, spectrum_.name, p->type.text());
    for (const auto &[name, spec] : options_.arguments) {
      std::vector<std::string> names;
      for (const ast::Param *p : spectrum_.params) names.push_back(p->name);
      if (std::find(names.begin(), names.end(), name) == names.end())
        fail(kUnknownArgument, {}, spectrum_.name, name, suggest(name, names));
    }
    report_.spectrum = spectrum_.name;
    report_.target = session_.target().name;
    report_.seed = options_.seed;
    pickPlans(forest, options_, report_);
    report_.tunables = options_.tunables;
    if (options_.tunables) {
      std::mt19937_64 random(options_.seed);
      for (Plan &plan : report_.plans) plan = drawTunables(plan, session_.module(), forest.hardware(), random);
    }
    for (Plan &plan : report_.plans) plan.target = report_.target;
    sets_ = makeArgumentSets(spectrum_, options_, report_.skipped);
    skippedSets_.resize(sets_.size());
    brokenSets_.resize(sets_.size());
    failures_.resize(report_.plans.size());
    unfit_.resize(report_.plans.size());
    called_.resize(report_.plans.size());

    keepSpectrum();
    progress("the plainest plan");
    baseline_.reference = options_.reference;
    if (baseline_.reference.empty())
      baseline_.reference = buildReference(session_, spectrum_.name, options_.folder / kPlainestFolder).library;
    report_.plainest = Reference(baseline_.reference).kernel().plan;
    std::optional<Plan> plainest = forest.plainest();
    if (options_.exact && plainest) {
      plainest->target = report_.target;
      std::vector<std::string> names;
      baseline_.plainest = compile(session_, {*plainest}, options_.folder / kExactFolder, "plainest", names);
      baseline_.plainestName = names[0];
    }

    // Small enough that all jobs have something to do.
    std::size_t jobs = std::max(1u, options_.jobs), each = (report_.plans.size() + jobs - 1) / jobs;
    std::size_t batch = std::clamp<std::size_t>(each, std::min(kLeastBatch, options_.batch), options_.batch);
    for (std::size_t from = 0; from < report_.plans.size(); from += batch)
      addBatch(from, std::min(from + batch, report_.plans.size()));
    children_.run();
    finish();
    return std::move(report_);
  }

private:
  void keepSpectrum() {
    ast::Arena arena;
    const ast::Spectrum *bare = arena.derive(&spectrum_, [](ast::Spectrum &copy) { copy.codelets.clear(); });
    std::filesystem::create_directories(options_.folder);
    std::ofstream(options_.folder / kSpectrumFile) << ast::print(bare) << "\n";
  }

  void progress(const std::string &what) {
    if (options_.progress) options_.progress(done_, report_.plans.size(), what);
  }

  /// A child compiles the plans [from, to) into one library and calls them; where that fails as a whole, each half is
  /// tried by itself, down to the plan that is at fault.
  void addBatch(std::size_t from, std::size_t to) {
    if (from >= to) return;
    auto state = std::make_shared<std::pair<std::string, bool>>(); // what went wrong; whether it came to its end
    ChildJob job;
    job.work = [this, from, to](const Send &send) { work(from, to, send); };
    job.receive = [this, state](const Message &m) { receive(m, *state); };
    job.ended = [this, from, to, state](const ChildEnd &end) {
      if (end.done() && state->second) {
        done_ += to - from;
        progress(fmt::format("{} plans", report_.plans.size()));
        return;
      }
      std::string what = !state->first.empty() ? state->first : "the compiler " + end.text();
      if (to - from == 1) {
        PlanFailure failure;
        failure.reason = "does not compile: " + what;
        failures_[from] = failure;
        ++done_;
        return;
      }
      addBatch(from, from + (to - from) / 2);
      addBatch(from + (to - from) / 2, to);
    };
    job.silence = 1200; // a compiler that never ends
    children_.add(std::move(job));
  }

  void work(std::size_t from, std::size_t to, const Send &send) {
    std::vector<Plan> plans;
    std::vector<std::size_t> indices; // in the report
    std::string stem = fmt::format("plans_{}_{}", from, to - 1);
    std::filesystem::path library;
    std::vector<std::string> names;
    try {
      for (std::size_t i = from; i < to; ++i) {
        if (std::string why = session_.unfit(report_.plans[i]); !why.empty()) {
          send({"unfit", std::to_string(i), why});
        } else {
          plans.push_back(report_.plans[i]);
          indices.push_back(i);
        }
      }
      if (plans.empty()) {
        send({"end"});
        return;
      }
      library = compile(session_, plans, options_.folder / stem, stem, names);
    } catch (const DiagnosticError &e) {
      send({"error", e.diagnostic.message});
      return;
    } catch (const ErrorsReported &) {
      send({"error", errorsOf(session_)});
      return;
    }
    std::vector<std::pair<std::size_t, std::string>> entries;
    for (std::size_t i = 0; i < plans.size(); ++i) entries.emplace_back(indices[i], names[i]);
    BatchEvents events;
    events.passed = [&](std::size_t plan, std::size_t) { send({"pass", std::to_string(plan)}); };
    events.skipped = [&](std::size_t set, const std::string &why) { send({"skip", std::to_string(set), why}); };
    events.broken = [&](std::size_t set, const std::string &why) { send({"broken", std::to_string(set), why}); };
    events.leftOut = [&](std::size_t, std::size_t) { send({"late"}); };
    events.failed = [&](std::size_t plan, std::size_t set, const PlanFailure &f) {
      Message m{"fail", std::to_string(plan), std::to_string(set),       f.reason, f.param,
                f.got,  f.expected,           fmt::format("{}", f.bound)};
      for (std::uint64_t i : f.index) m.push_back(std::to_string(i));
      send(m);
    };
    events.outOfRange = [&](const std::string &message) { send({"out-of-range", message}); };
    events.undecided = [&](std::size_t set) { send({"undecided", std::to_string(set)}); };
    callPlans(spectrum_, baseline_, library, entries, sets_, options_, events);
    send({"end"});
  }

  void receive(const Message &m, std::pair<std::string, bool> &state) {
    if (m[0] == "end") state.second = true;
    if (m[0] == "error") state.first = m[1];
    if (m[0] == "pass") ++called_[std::stoull(m[1])];
    if (m[0] == "late") ++report_.leftOut;
    if (m[0] == "out-of-range" && outOfRange_.empty()) outOfRange_ = m[1];
    if (m[0] == "unfit") unfit_[std::stoull(m[1])] = m[2];
    if (m[0] == "undecided") report_.undecided.insert(sets_[std::stoull(m[1])].text);
    if (m[0] == "skip") skippedSets_[std::stoull(m[1])] = m[2];
    if (m[0] == "broken") brokenSets_[std::stoull(m[1])] = m[2];
    if (m[0] != "fail") return;
    std::size_t plan = std::stoull(m[1]), set = std::stoull(m[2]);
    ++called_[plan];
    std::optional<PlanFailure> &failure = failures_[plan];
    if (!failure) {
      failure.emplace();
      failure->reason = m[3];
      failure->param = m[4];
      failure->got = m[5];
      failure->expected = m[6];
      failure->bound = std::stod(m[7]);
      for (std::size_t i = 8; i < m.size(); ++i) failure->index.push_back(std::stoull(m[i]));
      failure->arguments = sets_[set].text;
    }
    ++failure->failed;
  }

  void finish() {
    if (!outOfRange_.empty()) failOutOfRange(outOfRange_);
    sortSets(sets_, skippedSets_, brokenSets_, report_);
    std::vector<bool> failing;
    bool anyCompiled = false;
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      failing.push_back(failures_[i].has_value());
      anyCompiled |= called_[i] > 0;
      if (!unfit_[i].empty()) {
        PlanFailure &u = report_.unfit.emplace_back();
        u.plan = i;
        u.reason = unfit_[i];
      }
      if (!failures_[i]) continue;
      failures_[i]->plan = i;
      failures_[i]->called = called_[i];
      report_.failures.push_back(*failures_[i]);
    }
    bool compiles = std::any_of(failures_.begin(), failures_.end(), [](const auto &f) { return !f; }) || anyCompiled;
    if (report_.arguments.empty() && compiles)
      fail(kPlainestFails, spectrum_.range, spectrum_.name,
           !report_.broken.empty()    ? report_.broken[0]
           : !report_.skipped.empty() ? report_.skipped[0]
                                      : "there are no arguments",
           report_.plainest);
    report_.suspects = suspects(report_.plans, failing);
    bool explained = !report_.suspects.empty() && report_.suspects[0].failing == report_.failures.size();
    if (!explained) report_.shared = sharedByFailing(report_.plans, failing);
  }

  Session &session_;
  const VerifyOptions &options_;
  const ast::Spectrum &spectrum_;
  VerifyReport report_;
  std::vector<ArgumentSet> sets_;
  std::vector<std::string> skippedSets_, brokenSets_; // why
  std::vector<std::optional<PlanFailure>> failures_;
  std::vector<std::string> unfit_; // why; empty: it fits
  std::vector<std::size_t> called_;
  std::string outOfRange_;
  Baseline baseline_;
  std::size_t done_ = 0;
  Children children_{std::max(1u, options_.jobs)};
};

} // namespace

std::string nothingCompared(std::size_t plans, std::size_t argumentSets) {
  if (!plans) return "there is no plan to call";
  if (!argumentSets) return "no arguments could be made up";
  return "";
}

VerifyReport verify(Session &session, const std::string &spectrum, const VerifyOptions &options) {
  VerifyOptions mine = options;
  mine.exact |=
      session.target().promise("order") == "preserve" || session.target().promise("determinism") == "everywhere";
  return Verifier(session, spectrum, mine).run();
}

} // namespace tangram::runtime
