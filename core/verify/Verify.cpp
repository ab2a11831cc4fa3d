#include "tangram/verify/Verify.h"

#include "Agenda.h"
#include "BuildPlans.h"
#include "DiagnosticMessage.h"
#include "Shrink.h"
#include "tangram/ast/Text.h"
#include "tangram/verify/KernelLibrary.h"
#include "tangram/verify/OutOfRange.h"

#include <algorithm>
#include <fstream>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kElement{"verify.element", DiagnosticClass::Limitation,
                                  "parameter '{0}' of '{1}' is {2}, which cannot be made up",
                                  "verify spectrums of arithmetic types"};
constexpr DiagnosticKind kPlainestFails{"verify.plainest-fails", DiagnosticClass::User,
                                        "the plainest plan of '{0}' gives nothing to compare with: {1}",
                                        "mend its codelets, or say with --arg what its arguments must be, such as "
                                        "index:PARAM or offsets:PARAM{3}; the plan is {2}"};
constexpr DiagnosticKind kUnknownArgument{"verify.unknown-argument", DiagnosticClass::User,
                                          "'{0}' has no parameter '{1}'", "use {2}"};
constexpr DiagnosticKind kReference{"verify.reference", DiagnosticClass::User,
                                    "the reference of '{0}' could not be built: {1}",
                                    "see that the C++ compiler works and has room"};
constexpr DiagnosticKind kInterrupted{"verify.interrupted", DiagnosticClass::User,
                                      "interrupted before there was anything to compare '{0}' with", ""};

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kMostInUnit = 6; // plans that are compiled together ...
constexpr unsigned kComplexUnit = 60;  // ... and how complex they are in all: a few seconds' work
constexpr unsigned kUnhurried = 4;     // times as many of both where there is no budget: the compiler starts less often
constexpr std::uint64_t kCheckedElements = 300; // of arguments for code that checks what it accesses
constexpr double kGrace = 2;                    // seconds for what is being called when time is up
constexpr double kLeastCalls = 5;               // seconds that the pick is called, whatever was left of the budget
const std::string kItsCheckedCode = "; its checked code: ";
constexpr double kLeastBlame = 10; // seconds to find out what is at fault, or half the budget

const ast::Spectrum &find(Session &session, const std::string &name) {
  session.forest(name); // fails where there is none
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == name) return *s;
  failBug({}, "verify", fmt::format("spectrum '{}' has a forest but no node", name));
}

/// The same program and target, for code that is compiled to be checked: quickly, where the backend can.
std::unique_ptr<Session> derived(Session &session, bool quick, bool checked) {
  SessionOptions options = session.options();
  options.checked |= checked;
  auto result = std::make_unique<Session>(options);
  hardware::Target target = session.target();
  const BackendDescriptor *backend = result->registry().backends.find(target.pipeline.backend.name);
  bool can = backend && std::any_of(backend->options.begin(), backend->options.end(),
                                    [](const OptionSpec &o) { return o.name == "quick"; });
  if (quick && can) target.pipeline.backend.options.set("quick", true);
  result->open(&session.module(), std::move(target));
  result->facts(); // once, and not in each child
  return result;
}

ExpectedSizes sizesOf(const ast::Spectrum &spectrum, const ArgumentSet &set) {
  ExpectedSizes sizes;
  for (std::size_t i = 0; i < spectrum.params.size() && i < set.shape.arguments.size(); ++i)
    if (spectrum.params[i]->type.rank() > 0) sizes[spectrum.params[i]->name] = set.shape.arguments[i].sizes;
  return sizes;
}

/// Plans that are compiled into one library.
struct Unit {
  std::vector<std::size_t> plans;
  Session *session = nullptr;
  bool checked = false; // code that checks what it accesses
  bool must = false;    // whatever the time
  std::size_t sets = 0; // the first so many are called
  Clock::time_point deadline = Clock::time_point::max();
  std::vector<BuiltPlan> built{};
  /// Whether both can be called as one.
  bool goesWith(const Unit &other) const {
    return checked == other.checked && !must && !other.must && sets == other.sets && deadline == other.deadline;
  }
};

class Verifier {
public:
  Verifier(Session &session, const std::string &spectrum, const VerifyOptions &options)
      : session_(session), options_(options), spectrum_(find(session, spectrum)), forest_(session.forest(spectrum)),
        derivations_(forest_) {}

  VerifyReport run() {
    checkArguments();
    if (options_.budget > 0) deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(Seconds(options_.budget));
    sets_ = makeArgumentSets(spectrum_, options_, report_.skipped);
    skippedSets_.resize(sets_.size());
    brokenSets_.resize(sets_.size());
    report_.spectrum = spectrum_.name;
    report_.target = session_.target().name;
    report_.seed = options_.seed;
    report_.budget = options_.budget;
    report_.space = forest_.count();
    report_.given = !options_.plans.empty();
    Agenda agenda = makeAgenda(session_, forest_, derivations_, options_,
                               sets_.empty() ? ExpectedSizes{} : sizesOf(spectrum_, sets_[0]));
    report_.pick = agenda.pick;
    report_.drawn = agenda.drawn;
    report_.hopeless = agenda.hopeless;
    report_.hopelessCalls = agenda.hopelessCalls;
    report_.plans = agenda.plans;
    for (const Plan &plan : agenda.plans) addPlan(plan);

    keepSpectrum();
    if (!options_.optimized && !report_.given) quick_ = derived(session_, true, false);
    buildBaseline();
    begin(agenda);
    children_.run();
    decided_ = plans_.size();
    blame();
    std::error_code ignored;
    std::filesystem::remove_all(options_.folder / kTemporary, ignored);
    finish();
    return std::move(report_);
  }

private:
  /// What is known of a plan.
  struct State {
    bool begun = false;
    std::optional<BuiltPlan> built;
    std::size_t calls = 0, checkedCalls = 0, left = 0; // sets; `left`: by patience
    bool cut = false;                                  // time was up
    std::string unfit;
    std::optional<Diagnostic> refused;
    std::optional<PlanFailure> failure;
    std::string checkedFinding; // what its checked code says
    bool passes() const { return calls > 0 && !failure; }
  };

  void checkArguments() const {
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
  }

  std::size_t addPlan(const Plan &plan) {
    plans_.push_back(plan);
    states_.emplace_back();
    byKey_.emplace(key(plan), plans_.size() - 1);
    return plans_.size() - 1;
  }

  void keepSpectrum() {
    ast::Arena arena;
    const ast::Spectrum *bare = arena.derive(&spectrum_, [](ast::Spectrum &copy) { copy.codelets.clear(); });
    std::filesystem::create_directories(options_.folder);
    std::ofstream(options_.folder / kSpectrumFile) << ast::print(bare) << "\n";
  }

  // ---- what there is to do ----

  void begin(const Agenda &agenda) {
    Session &session = quick_ ? *quick_ : session_;
    std::size_t next = 0;
    if (agenda.pick) compile({{next++}, &session_, false, true}, true);
    // What covers codelets is called as checked code as well, before others are.
    std::size_t covering = agenda.codelets.empty() ? next : agenda.codelets.back() + 1;
    next = addUnits(next, std::max(next, covering), session);
    if (!agenda.codelets.empty() && !session_.options().checked) addChecked(agenda);
    addUnits(next, plans_.size(), session);
    progress();
  }

  std::size_t addUnits(std::size_t from, std::size_t to, Session &session) {
    // Small enough that all jobs have something to do.
    const std::size_t jobs = std::max(1u, options_.jobs), times = options_.budget > 0 ? 1 : kUnhurried;
    const std::size_t most = std::clamp<std::size_t>((to - from + jobs - 1) / jobs, 1, times * kMostInUnit);
    while (from < to) {
      Unit unit{{}, &session};
      unsigned all = 0;
      for (; from < to && unit.plans.size() < most; ++from) {
        unsigned own = complexity(*plans_[from].root);
        if (!unit.plans.empty() && all + own > times * kComplexUnit) break;
        all += own;
        unit.plans.push_back(from);
      }
      compile(std::move(unit));
    }
    return to;
  }

  /// For code that checks what it accesses; null where no pass of the target's makes checks.
  Session *checkedSession() {
    if (checked_) return checked_.get();
    try {
      checked_ = derived(session_, true, true);
    } catch (const DiagnosticError &) {
      return nullptr;
    }
    return checked_.get();
  }

  void addChecked(const Agenda &agenda) {
    if (!checkedSession()) return;
    Unit unit{{}, checked_.get(), true};
    auto send = [&] {
      if (!unit.plans.empty()) compile(std::exchange(unit, Unit{{}, checked_.get(), true}));
    };
    for (std::size_t plan : agenda.codelets) {
      unit.plans.push_back(plan);
      if (unit.plans.size() == kMostInUnit) send();
    }
    send();
  }

  /// The plainest plan in wider types and, where floats must be the same, for the target itself; by a child, while
  /// plans are compiled.
  void buildBaseline() {
    baseline_.reference = options_.reference;
    std::optional<Plan> plainest = options_.exact ? forest_.plainest() : std::nullopt;
    if (plainest) plainest->target = report_.target;
    ChildJob job;
    job.work = [this, plainest](const Send &send) {
      try {
        temporaryFilesIn(options_.folder);
        std::filesystem::path reference = options_.reference;
        if (reference.empty())
          reference = buildReference(session_, spectrum_.name, options_.folder / kPlainestFolder).library;
        Message m{"baseline", reference.string(), "", "", ""};
        m[2] = Reference(reference).kernel().plan;
        if (plainest) {
          std::vector<std::string> names;
          m[3] = buildHere(session_, {*plainest}, options_.folder / kExactFolder, "plainest", names).string();
          m[4] = names[0];
        }
        send(m);
      } catch (const DiagnosticError &e) {
        send(joined({"failed"}, e.diagnostic));
      } catch (const ErrorsReported &) {
        send({"errors", errorsOf(session_)});
      }
    };
    job.receive = [this](const Message &m) {
      if (m[0] == "failed") throw DiagnosticError(decodeDiagnostic(m, 1, session_.arena()));
      if (m[0] == "errors") fail(kReference, spectrum_.range, spectrum_.name, m[1]);
      baseline_ = {m[1], m[3], m[4]};
      report_.plainest = m[2];
      baselineBuilt_ = true;
    };
    job.ended = [this](const ChildEnd &end) {
      if (!baselineBuilt_ && isInterrupted()) fail(kInterrupted, spectrum_.range, spectrum_.name);
      if (!baselineBuilt_) fail(kReference, spectrum_.range, spectrum_.name, "the compiler " + end.text());
      callReady();
    };
    job.silence = kEndlessCompiler;
    children_.add(std::move(job));
  }

  // ---- compiling ----

  void compile(Unit unit, bool first = false) {
    if (unit.plans.empty()) return;
    BuildRequest request;
    for (std::size_t p : unit.plans) request.plans.emplace_back(p, plans_[p]);
    request.session = unit.session;
    request.arena = &session_.arena();
    request.folder = options_.folder;
    request.stem = unit.checked ? "checked" : "plans";
    if (!unit.must) request.deadline = std::min(unit.deadline, deadline_);
    request.first = first;
    compiling_ += unit.plans.size();
    addBuild(children_, std::move(request), [this, unit = std::move(unit)](const BuildOutcome &outcome) {
      compiling_ -= outcome.plans.size();
      compiled(unit, outcome);
      callReady();
    });
  }

  void compiled(Unit unit, const BuildOutcome &outcome) {
    if (outcome.late) return;
    unit.plans = outcome.plans;
    unit.built = outcome.built;
    if (!unit.checked) { // what cannot be checked is no failure
      for (std::size_t p : unit.plans) states_[p].begun = true;
      for (const auto &[plan, why] : outcome.unfit) states_[plan].unfit = why;
      for (const auto &[plan, diagnostic] : outcome.refused) states_[plan].refused = diagnostic;
      for (const auto &[plan, why] : outcome.failed) states_[plan].failure.emplace().reason = why;
      for (const BuiltPlan &b : unit.built) states_[b.plan].built = b;
    }
    if (!unit.built.empty()) ready_.push_back(std::move(unit));
    progress();
  }

  // ---- calling ----

  /// What has been built while others were called is called together: what it is compared with is computed once for
  /// all. Several at a time only where there is nothing left to compile, or much to call: a device's driver may compile
  /// then.
  void callReady() {
    while (baselineBuilt_ && !ready_.empty() && calling_ < std::max(1u, options_.jobs)) {
      if (calling_ > 0 && compiling_ > 0 && ready_.size() < 3) return;
      Unit unit = std::move(ready_.front());
      ready_.erase(ready_.begin());
      const std::size_t share = compiling_ > 0 ? ready_.size() : ready_.size() / std::max(1u, options_.jobs);
      for (std::size_t i = 0, taken = 0; i < ready_.size() && taken < share;) {
        if (!unit.goesWith(ready_[i])) {
          ++i;
          continue;
        }
        unit.built.insert(unit.built.end(), ready_[i].built.begin(), ready_[i].built.end());
        ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
        ++taken;
      }
      call(std::move(unit));
    }
  }

  void call(Unit unit) {
    auto u = std::make_shared<Unit>(std::move(unit));
    std::vector<ArgumentSet> sets = sets_;
    if (u->sets) sets.resize(std::min(u->sets, sets.size()));
    if (u->checked) { // the least is enough for an index that is wrong
      std::size_t small = 1;
      while (small < sets.size() && sets[small].elements() <= kCheckedElements) ++small;
      sets.resize(std::min(small, sets.size()));
    }
    ChildJob job;
    Clock::time_point end = std::min(u->deadline, deadline_);
    auto later = [](Clock::time_point t, double seconds) {
      return t == Clock::time_point::max() ? t : t + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    };
    if (u->must) end = std::max(end, later(Clock::now(), kLeastCalls));
    job.deadline = later(end, kGrace);
    job.work = [this, u, sets, end](const Send &send) { callInChild(*u, sets, end, send); };
    job.receive = [this, u](const Message &m) { receive(m, *u); };
    job.ended = [this, u](const ChildEnd &how) {
      --calling_;
      if (how.how == ChildEnd::How::Late)
        for (const BuiltPlan &b : u->built) states_[b.plan].cut = true;
      else if (!how.done())
        for (const BuiltPlan &b : u->built)
          if (!states_[b.plan].failure) states_[b.plan].failure.emplace().reason = "could not be called: " + how.text();
      progress();
      callReady();
    };
    ++calling_;
    job.silence = kEndlessCompiler;
    children_.addFirst(std::move(job));
  }

  void callInChild(const Unit &unit, const std::vector<ArgumentSet> &sets, Clock::time_point end, const Send &send) {
    VerifyOptions options = options_;
    options.deadline = end;
    BatchEvents events;
    events.passed = [&](std::size_t plan, std::size_t) { send({"pass", std::to_string(plan)}); };
    events.skipped = [&](std::size_t set, const std::string &why) { send({"skip", std::to_string(set), why}); };
    events.broken = [&](std::size_t set, const std::string &why) { send({"broken", std::to_string(set), why}); };
    events.leftOut = [&](std::size_t plan, std::size_t) { send({"left", std::to_string(plan)}); };
    events.expired = [&] { send({"expired"}); };
    events.failed = [&](std::size_t plan, std::size_t set, const PlanFailure &f) {
      Message m{"fail", std::to_string(plan), std::to_string(set),       f.reason, f.param,
                f.got,  f.expected,           fmt::format("{}", f.bound)};
      for (std::uint64_t i : f.index) m.push_back(std::to_string(i));
      send(m);
    };
    events.outOfRange = [&](const std::string &message) { send({"out-of-range", message}); };
    events.interpreted = [&](std::size_t set) { send({"interpreted", std::to_string(set)}); };
    events.undecided = [&](std::size_t set, Undecided u) {
      send({"undecided", std::to_string(set), std::to_string(u.questions), std::to_string(u.numbers),
            std::to_string(u.elements), std::to_string(u.written)});
    };
    Baseline baseline = baseline_;
    if (!session_.options().checked) { // checked code says more of an index out of range
      try {
        baseline.meaning = std::make_shared<Meaning>(session_, spectrum_.name);
      } catch (const DiagnosticError &) {
        baseline.meaning = nullptr; // what cannot be composed for this target is compared with another's all the same
      }
    }
    callPlans(spectrum_, baseline, unit.built, sets, options, events);
  }

  void receive(const Message &m, const Unit &unit) {
    if (m[0] == "interpreted") interpreted_.insert(m[1]);
    if (m[0] == "out-of-range" && outOfRange_.empty()) outOfRange_ = m[1];
    if (m[0] == "skip") skippedSets_[std::stoull(m[1])] = m[2];
    if (m[0] == "broken") brokenSets_[std::stoull(m[1])] = m[2];
    if (m[0] == "undecided")
      report_.undecided[sets_[std::stoull(m[1])].text] = {std::stoull(m[2]), std::stoull(m[3]), std::stoull(m[4]),
                                                          std::stoull(m[5])};
    if (m[0] == "expired")
      for (const BuiltPlan &b : unit.built) states_[b.plan].cut = true;
    if (m[0] == "left") ++states_[std::stoull(m[1])].left;
    if (m[0] != "fail" && m[0] != "pass") return;
    State &state = states_[std::stoull(m[1])];
    ++(unit.checked ? state.checkedCalls : state.calls);
    if (unit.checked && m[0] == "fail" && m[4].empty()) state.checkedFinding = m[3];
    if (m[0] == "pass") return;
    // Of both, the plain code's failure is the plan's, and what the checked code says of an access is added, once.
    std::string more;
    if (state.failure && state.failure->checkedCode != unit.checked) {
      if (unit.checked) {
        if (m[4].empty() && state.failure->reason.find(kItsCheckedCode) == std::string::npos)
          state.failure->reason += kItsCheckedCode + m[3];
        return;
      }
      if (state.failure->param.empty()) more = kItsCheckedCode + state.failure->reason;
      state.failure.reset();
    }
    if (!state.failure) {
      state.failure.emplace();
      state.failure->checkedCode = unit.checked;
      state.failure->reason = m[3] + more;
      state.failure->param = m[4];
      state.failure->got = m[5];
      state.failure->expected = m[6];
      state.failure->bound = std::stod(m[7]);
      for (std::size_t i = 8; i < m.size(); ++i) state.failure->index.push_back(std::stoull(m[i]));
      state.failure->arguments = sets_[std::stoull(m[2])].text;
    }
    ++state.failure->failed;
  }

  void progress() {
    if (!options_.progress) return;
    std::size_t built = 0, called = 0, left = 0, failing = 0;
    for (const State &s : states_) {
      built += s.built.has_value();
      called += s.calls > 0;
      left += !s.begun;
      failing += s.failure.has_value();
    }
    std::string line = fmt::format("{}: {} plans compiled, {} called, {} left", spectrum_.name, built, called, left);
    if (failing) line += fmt::format(", {} failing", failing);
    double seconds = Seconds(Clock::now() - start_).count();
    line += options_.budget > 0 ? fmt::format("; {:.0f} of {:.0f} s", seconds, options_.budget)
                                : fmt::format("; {:.0f} s", seconds);
    options_.progress(decided_ ? line + "; looking for the cause" : line);
  }

  // ---- what is at fault ----

  bool isInterrupted() const { return options_.interrupted && options_.interrupted(); }
  bool inTime(Clock::time_point end) const { return Clock::now() < end && !isInterrupted(); }

  /// Which of these plans fail; nothing where time is up.
  std::optional<std::vector<bool>> failing(const std::vector<Plan> &plans, bool checked, std::size_t sets,
                                           Clock::time_point end) {
    if (!inTime(end)) return {};
    std::vector<std::size_t> which;
    Unit unit{{}, checked && checked_ ? checked_.get() : quick_ ? quick_.get() : &session_, checked, false, sets, end};
    for (const Plan &plan : plans) {
      auto known = byKey_.find(key(plan));
      bool isNew = known == byKey_.end();
      which.push_back(isNew ? addPlan(plan) : known->second);
      const State &state = states_[which.back()];
      bool called = (checked ? state.checkedCalls : state.calls) > 0;
      if (isNew || (!called && !state.failure && !state.refused && state.unfit.empty()))
        unit.plans.push_back(which.back());
    }
    // Halves, as there are two cores and more.
    Unit other = unit;
    auto middle = unit.plans.begin() + static_cast<std::ptrdiff_t>((unit.plans.size() + 1) / 2);
    if (options_.jobs > 1 && unit.plans.size() > 1) {
      other.plans.assign(middle, unit.plans.end());
      unit.plans.erase(middle, unit.plans.end());
      compile(std::move(other));
    }
    compile(std::move(unit));
    children_.run();
    std::vector<bool> result;
    bool any = false;
    for (std::size_t p : which) {
      if (!checked) tryHarder(p, end);
      result.push_back(states_[p].failure.has_value());
      any |= result.back();
    }
    if (!any && !inTime(end)) return {};
    return result;
  }

  std::size_t setOf(const PlanFailure &failure) const {
    for (std::size_t i = 0; i < sets_.size(); ++i)
      if (sets_[i].text == failure.arguments) return i + 1;
    return 0;
  }

  /// Calls a plan that passes with many small arguments: what is wrong may not have shown by chance.
  std::optional<SmallInput> tryHarder(std::size_t plan, Clock::time_point end) {
    State &state = states_[plan];
    bool judged = state.failure ? !state.failure->arguments.empty() && !state.failure->checkedCode : state.calls > 0;
    if (!judged || !state.built || baseline_.exact() || !inTime(end)) return {};
    VerifyOptions options = options_;
    options.deadline = end;
    std::optional<SmallInput> found =
        smallestInput(spectrum_, baseline_, state.built->library, state.built->entry, options);
    if (found && !state.failure) {
      state.failure.emplace();
      state.failure->arguments = found->arguments;
      state.failure->reason = found->reason;
      state.failure->failed = 1;
      ++state.calls;
    }
    return found;
  }

  /// What a plan's checked code says with the arguments of a failure, or with fewer; empty: nothing.
  std::string checkedFinding(const Plan &plan, const PlanFailure &failure, Clock::time_point end) {
    const std::size_t which = byKey_.at(key(plan));
    if (states_[which].checkedCalls == 0 && inTime(end) && checkedSession()) {
      compile({{which}, checked_.get(), true, false, setOf(failure), end});
      children_.run();
    }
    return states_[which].checkedFinding;
  }

  /// Plans that were called, and whether they fail; as checked code alone.
  std::pair<std::vector<Plan>, std::vector<bool>> outcomes(bool checked = false) const {
    std::pair<std::vector<Plan>, std::vector<bool>> result;
    for (std::size_t i = 0; i < plans_.size(); ++i)
      if ((states_[i].passes() || states_[i].failure) && (!checked || states_[i].checkedCalls > 0)) {
        result.first.push_back(plans_[i]);
        result.second.push_back(states_[i].failure.has_value());
      }
    return result;
  }

  void blame() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < plans_.size(); ++i)
      if (states_[i].failure) open.push_back(i);
    if (open.empty() || !outOfRange_.empty() || isInterrupted()) return;
    progress();
    deadline_ = Clock::time_point::max(); // the budget's: this has a time of its own
    double seconds = std::max(kLeastBlame, options_.budget / 2);
    Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    while (!open.empty() && report_.causes.size() < options_.causes && inTime(end)) {
      std::size_t start = *std::min_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return complexity(*plans_[a].root) < complexity(*plans_[b].root);
      });
      const PlanFailure failure = *states_[start].failure;
      Cause cause;
      cause.plan = smallestFailing(
          plans_[start], [&](const Plan &plan) { return derivations_.simpler(plan); },
          [&](const std::vector<Plan> &some) { return failing(some, failure.checkedCode, setOf(failure), end); });
      const State &smallest = states_[byKey_.at(key(cause.plan))];
      cause.arguments = smallest.failure->arguments;
      cause.reason = smallest.failure->reason;
      std::vector<const PlanNode *> nodes = derivations_.peculiar(cause.plan);
      if (std::optional<SmallInput> small = tryHarder(byKey_.at(key(cause.plan)), end)) {
        cause.arguments = small->arguments;
        cause.reason = small->reason;
        cause.values = small->values;
        // Others that have what is peculiar about it, too.
        for (std::size_t i = 0; i < plans_.size(); ++i)
          if (states_[i].passes() && std::any_of(nodes.begin(), nodes.end(), [&](const PlanNode *node) {
                return node->rule == Rule::Select &&
                       hasPart(plans_[i], fmt::format("codelet {} of {}", node->codelet, node->spectrum));
              }))
            tryHarder(i, end);
      }
      const std::string checked = checkedFinding(cause.plan, failure, end);
      if (!failure.checkedCode && !checked.empty()) cause.reason += kItsCheckedCode + checked;
      auto [plans, fails] = outcomes(failure.checkedCode);
      cause.suspects = suspects(plans, fails, cause.plan, nodes);
      // Where calls of a map meet, the map is at fault, and not what it calls.
      if (const std::string home = codeletOfMap(session_.module(), checked); hasPart(cause.plan, home))
        cause.suspects = {suspect(plans, fails, home)};
      // What has the suspect needs no other cause.
      std::erase_if(open, [&](std::size_t i) {
        return i == start || (!cause.suspects.empty() && hasPart(plans_[i], cause.suspects[0].what));
      });
      report_.causes.push_back(std::move(cause));
    }
    // Where several plans were shrunk, what is left over in all of them.
    for (const Cause &cause : report_.causes)
      for (const Suspect &s : cause.suspects)
        if (std::none_of(report_.suspects.begin(), report_.suspects.end(), [&](auto &k) { return k.what == s.what; }))
          report_.suspects.push_back(s);
    if (report_.suspects.empty()) {
      auto [plans, fails] = outcomes();
      report_.suspects = suspects(plans, fails);
    }
    for (Suspect &s : report_.suspects) locate(s, session_.module());
    for (Cause &cause : report_.causes)
      for (Suspect &s : cause.suspects) locate(s, session_.module());
  }

  // ---- the report ----

  void finish() {
    if (!outOfRange_.empty()) failOutOfRange(outOfRange_, options_.outOfRange);
    sortSets(sets_, skippedSets_, brokenSets_, report_);
    const std::size_t planned = report_.plans.size();
    bool compiles = false;
    PlanRules covered;
    for (std::size_t i = 0; i < planned; ++i) {
      State &state = states_[i];
      compiles |= state.calls > 0 || (state.begun && !state.failure && !state.refused && state.unfit.empty());
      report_.calls.push_back(state.calls);
      report_.leftOut += state.left;
      report_.checkedCode += state.checkedCalls > 0;
      bool called = state.calls > 0 || state.failure;
      if (called) covered.add(rulesOf(plans_[i]));
      if (!state.begun) ++report_.notBegun;
      if (state.begun && state.cut && state.calls + state.left < report_.arguments.size()) ++report_.cutShort;
      if (!state.unfit.empty()) {
        PlanFailure &u = report_.unfit.emplace_back();
        u.plan = i;
        u.reason = state.unfit;
      }
      if (state.refused) refuse(*state.refused);
      if (!state.failure) continue;
      state.failure->plan = i;
      state.failure->called = state.failure->checkedCode ? state.checkedCalls : state.calls;
      report_.failures.push_back(*state.failure);
    }
    for (std::size_t i = 0; i < report_.failures.size(); ++i) report_.simplest.push_back(i);
    auto complexityOf = [&](std::size_t i) { return complexity(*plans_[report_.failures[i].plan].root); };
    std::stable_sort(report_.simplest.begin(), report_.simplest.end(),
                     [&](std::size_t a, std::size_t b) { return complexityOf(a) < complexityOf(b); });
    const PlanRules &all = derivations_.rules();
    auto among = [](const std::set<std::string> &some, const std::set<std::string> &all) {
      return Coverage{static_cast<std::size_t>(std::count_if(some.begin(), some.end(),
                                                             [&](const std::string &s) { return all.count(s) != 0; })),
                      all.size()};
    };
    report_.codelets = among(covered.codelets, all.codelets);
    report_.rules = among(covered.rules, all.rules);
    report_.seconds = Seconds(Clock::now() - start_).count();
    report_.interrupted = isInterrupted();
    report_.interpreted = interpreted_.size();
    // What is compiled for use must compile.
    bool nothing = report_.checked() == 0 && !report_.refused.empty();
    if (report_.pick && states_[0].refused) throw DiagnosticError(*states_[0].refused);
    if (nothing) throw DiagnosticError(report_.refused[0].diagnostic);
    if (report_.arguments.empty() && compiles && !report_.interrupted)
      fail(kPlainestFails, spectrum_.range, spectrum_.name,
           !report_.broken.empty()    ? report_.broken[0]
           : !report_.skipped.empty() ? report_.skipped[0]
                                      : "there are no arguments",
           report_.plainest, options_.outOfRange.empty() ? "" : "; " + options_.outOfRange);
  }

  void refuse(const Diagnostic &d) {
    for (Refusal &known : report_.refused)
      if (known.diagnostic.message == d.message && known.diagnostic.range.line == d.range.line) {
        ++known.plans;
        return;
      }
    report_.refused.push_back({d, 1});
  }

  Session &session_;
  const VerifyOptions &options_;
  const ast::Spectrum &spectrum_;
  const Forest &forest_;
  Derivations derivations_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point deadline_ = Clock::time_point::max();
  VerifyReport report_;
  std::unique_ptr<Session> quick_, checked_;
  std::vector<ArgumentSet> sets_;
  std::vector<std::string> skippedSets_, brokenSets_; // why
  std::vector<Plan> plans_;                           // the report's, then what was made to find the cause
  std::vector<State> states_;
  std::map<std::string, std::size_t> byKey_;
  std::string outOfRange_;
  std::set<std::string> interpreted_; // sets
  Baseline baseline_;
  bool baselineBuilt_ = false;
  std::size_t decided_ = 0;
  std::vector<Unit> ready_;                 // to be called
  std::size_t compiling_ = 0, calling_ = 0; // plans; units
  Children children_{std::max(1u, options_.jobs), options_.interrupted};
};

} // namespace

std::string nothingCompared(std::size_t plans, std::size_t argumentSets) {
  if (!plans) return "there is no plan to call";
  if (!argumentSets) return "no arguments could be made up";
  return "";
}

std::size_t VerifyReport::checked() const {
  std::size_t refusedPlans = 0;
  for (const Refusal &r : refused) refusedPlans += r.plans;
  return plans.size() - notBegun - unfit.size() - refusedPlans;
}

VerifyReport verify(Session &session, const std::string &spectrum, const VerifyOptions &options) {
  VerifyOptions mine = options;
  mine.exact |=
      session.target().promise("order") == "preserve" || session.target().promise("determinism") == "everywhere";
  return Verifier(session, spectrum, mine).run();
}

} // namespace tangram::runtime
