#include "tangram/tune/Tuner.h"

#include "../verify/BuildPlans.h"
#include "../verify/VerifyPlans.h"
#include "Oracle.h"
#include "Race.h"
#include "Setting.h"
#include "tangram/planning/Derivations.h"
#include "tangram/planning/EvolutionarySearch.h"
#include "tangram/planning/PredictedCalls.h"

#include <algorithm>
#include <cmath>

namespace tangram::tune {

using namespace runtime;

namespace {

constexpr DiagnosticKind kNothing{"tune.nothing", DiagnosticClass::User, "no plan of '{0}' was found: {1}",
                                  "give more time with --budget; `tangram verify` tells which codelet is at fault"};

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kBest = 8;           // plans that each heuristic is asked for
constexpr std::size_t kKnown = 4;          // plans of the database that are timed again, beside new ones
constexpr std::size_t kInUnit = 4;         // plans that are compiled together, for each of the jobs
constexpr std::size_t kFinalists = 4;      // plans that are timed once more in the end, the pick beside them
constexpr double kGiven = 6;               // seconds in which plans are timed that somebody gave
constexpr double kHopelessCalls = 1 << 17; // of single elements
constexpr double kSlow = 50;               // a call may take so many times as long as the fastest plan ...
constexpr double kPatience = 2;            // ... or so many seconds, at least ...
constexpr double kDevicePatience = 20;     // ... on a device, whose driver may compile then

Clock::duration lasting(double seconds) { return std::chrono::duration_cast<Clock::duration>(Seconds(seconds)); }

class Tuner {
public:
  Tuner(Session &session, Problem problem, const std::vector<Value> &arguments, Database &database,
        const TuneOptions &options)
      : session_(session), arguments_(arguments), database_(database), options_(options), spectrum_(problem.spectrum),
        forest_(session.forest(spectrum_)), end_(start_ + lasting(options.budget)),
        searchEnd_(end_ - lasting(finalSeconds())) {
    report_.spectrum = spectrum_;
    report_.target = session.target().name;
    report_.space = forest_.count();
    report_.seed = options.seed;
    report_.budget = options.budget;
    report_.problem = std::move(problem);
    report_.problem.target = describeTarget(session.target());
    report_.problem.data += fmt::format("; {:016x}", hashOf(arguments));
    report_.machine = describeMachine(session, options.version);
    database_.open(report_.problem, report_.machine);
    report_.others = database_.otherMachines();
  }

  TuneReport run() {
    recall();
    if (options_.reproducible && useChoice()) return finish();
    beginSearch();
    std::vector<std::size_t> batch = firstBatch();
    oracle_.build(children_);
    while (!batch.empty()) {
      build(batch);
      oracle_.expectResults();
      timeBatch(batch);
      if (isOver()) break;
      batch = nextBatch();
    }
    timeFinalists();
    choose();
    return finish();
  }

private:
  struct State : Candidate {
    std::optional<BuiltPlan> built;
    bool checked = false, judged = false, final = false; // judged: in this run; final: timed to the end
    bool shared = false;                                 // the database has what the model says of it
    std::vector<double> seconds;                         // all that the database has
    std::vector<double> last;                            // of the last race
    /// Of one race, where there was one: then it was hit by the same noise as those beside it.
    const std::vector<double> &own() const { return last.empty() ? seconds : last; }
    bool isTimed() const { return verdict == Verdict::Right && !own().empty(); }
  };

  // ---- time ----

  double finalSeconds() const { return std::clamp(0.1 * options_.budget, 0.2, options_.search ? 8.0 : 1.5); }
  double raceSeconds() const { return std::clamp(options_.budget / 40, 0.1, 3.0); }
  bool isInterrupted() const { return options_.interrupted && options_.interrupted(); }
  bool isOver() const { return Clock::now() >= searchEnd_ || isInterrupted(); }

  void progress(const std::string &doing) {
    if (!options_.progress) return;
    Progress p;
    p.left = std::max(0.0, Seconds(end_ - Clock::now()).count());
    p.doing = doing;
    for (const State &s : states_) p.tried += s.judged || s.known;
    if (std::optional<std::size_t> best = fastest()) {
      p.best = median(states_[*best].own());
      if (pick_ && states_[*pick_].isTimed()) p.gain = median(states_[*pick_].own()) / *p.best;
    }
    options_.progress(p);
  }

  // ---- candidates ----

  std::size_t add(Plan plan) {
    plan.target = report_.target;
    auto [it, isNew] = byKey_.emplace(key(plan), states_.size());
    if (!isNew) return it->second;
    State &state = states_.emplace_back();
    if (model_) state.predicted = predicted(plan);
    state.plan = std::move(plan);
    return it->second;
  }

  /// What the database knows of plans that mean the same today.
  void recall() {
    for (const Record &record : database_.records()) {
      std::optional<Plan> plan = current(record.plan);
      if (!plan) continue;
      State &state = states_[add(std::move(*plan))];
      state.known = true;
      state.verdict = record.verdict;
      state.reason = record.reason;
      for (double s : record.seconds)
        if (std::isfinite(s)) state.seconds.push_back(s);
    }
  }

  /// Nothing where the text is no plan, or its codelets are others now.
  std::optional<Plan> current(const std::string &text) {
    std::vector<Diagnostic> before = session_.diags().take();
    std::optional<Plan> result;
    try {
      Plan plan = parsePlan(text, "database", session_.arena());
      checkPlan(plan, session_.module(), session_.target().hardware, session_.facts(), session_.diags());
      bool same = plan.spectrum == spectrum_;
      for (const auto &[spectrum, hash] : plan.sources) same &= hash == sourceHash(session_.module(), spectrum);
      if (same) result = std::move(plan);
    } catch (const DiagnosticError &) {
      result.reset(); // it is of another source
    }
    session_.diags().take();
    for (Diagnostic &d : before) session_.diags().add(std::move(d));
    return result;
  }

  bool useChoice() {
    std::optional<std::string> text = database_.choice();
    std::optional<Plan> plan = text ? current(*text) : std::nullopt;
    if (!plan) return false;
    plan->target = report_.target;
    auto known = byKey_.find(key(*plan));
    if (known == byKey_.end() || !states_[known->second].isTimed()) return false;
    findPick();
    findModel();
    best_ = known->second;
    report_.chosenBefore = true;
    return true;
  }

  void findPick() {
    HeuristicContext context;
    pick_ =
        add(options_.firstIsPick && !options_.given.empty() ? options_.given[0] : session_.pick(spectrum_, context));
    states_[*pick_].pick = true;
  }

  // ---- the search ----

  std::optional<double> predicted(const Plan &plan) const {
    std::optional<Prediction> p = model_->predict(forest_, plan);
    if (!p) return {};
    return p->seconds;
  }

  /// A heuristic that has a model of time: the session's own, else the first that says something of the pick.
  void findModel() {
    const std::string &asked = session_.options().heuristic;
    std::vector<std::string> names{asked.empty() ? session_.target().pipeline.heuristic.name : asked};
    for (const std::string &name : session_.registry().heuristics.names()) names.push_back(name);
    for (const std::string &name : names) {
      model_ = session_.heuristic(name);
      modelName_ = name.substr(0, name.find(':'));
      if (model_->predict(forest_, states_[*pick_].plan)) break;
      model_.reset();
    }
    for (State &state : states_)
      if (model_) state.predicted = predicted(state.plan);
  }

  void suggest(Plan plan) {
    // One that cuts single elements into parts again and again would keep the compiler and the machine busy for
    // nothing.
    ExpectedSizes single;
    for (const ast::Spectrum *s : session_.module().spectrums)
      for (const ast::Param *p : s->params)
        if (s->name == spectrum_ && p->type.rank() > 0) single[p->name].assign(p->type.rank(), 1);
    if (predictedCalls(plan, session_.module(), forest_.hardware(), single) > kHopelessCalls) return;
    search_->suggest(std::move(plan));
  }

  void beginSearch() {
    progress("choosing");
    findPick();
    findModel();
    EvolutionarySearch::Predict predict;
    if (model_) predict = [this](const Plan &plan) { return predicted(plan); };
    search_ = std::make_unique<EvolutionarySearch>(forest_, report_.target, options_.seed, predict);
    // What others are compared with is no candidate.
    if (std::optional<Plan> plainest = forest_.plainest()) {
      plainest->target = report_.target;
      if (key(*plainest) != key(states_[*pick_].plan)) search_->tell(*plainest, std::nullopt);
    }
    for (const State &state : states_)
      if (state.known || state.pick) tell(state);
    for (const Plan &plan : options_.given) search_->suggest(plan);
    if (!options_.search) return;
    HeuristicContext context;
    context.wanted = kBest;
    context.seed = options_.seed;
    for (Plan &plan : session_.choose(spectrum_, context)) suggest(std::move(plan));
    if (!model_) return;
    HeuristicContext more;
    more.wanted = kBest;
    for (Plan &plan : model_->choose(forest_, more)) suggest(std::move(plan));
  }

  void tell(const State &state) {
    std::optional<double> seconds;
    if (state.isTimed()) seconds = median(state.own());
    search_->tell(state.plan, seconds);
  }

  /// As many new ones as are compiled at a time.
  std::vector<std::size_t> nextBatch() {
    if (!options_.search) return {};
    std::size_t wanted = std::max(1u, options_.jobs) * kInUnit;
    if (options_.tries) wanted = std::min(wanted, *options_.tries - std::min(*options_.tries, tried_));
    std::vector<std::size_t> batch;
    for (Plan &plan : search_->next(wanted)) batch.push_back(add(std::move(plan)));
    tried_ += batch.size();
    return batch;
  }

  /// The pick alone where there is little time, the best that are known, and what heuristics like.
  std::vector<std::size_t> firstBatch() {
    std::vector<std::size_t> batch{*pick_}, known;
    if (!options_.search) {
      for (const Plan &plan : options_.given)
        if (std::size_t i = add(plan); std::find(batch.begin(), batch.end(), i) == batch.end()) batch.push_back(i);
      return batch;
    }
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (i != *pick_ && states_[i].known && states_[i].isTimed()) known.push_back(i);
    std::stable_sort(known.begin(), known.end(), [&](std::size_t a, std::size_t b) {
      return median(states_[a].seconds) < median(states_[b].seconds);
    });
    known.resize(std::min(known.size(), kKnown));
    batch.insert(batch.end(), known.begin(), known.end());
    if (!states_[*pick_].known) ++tried_;
    for (std::size_t i : nextBatch()) batch.push_back(i);
    return batch;
  }

  // ---- compiling ----

  const Workshop::Kernel *kept(const Plan &plan) const {
    if (!options_.workshop) return nullptr;
    auto known = options_.workshop->kernels.find(tangram::print(plan));
    return known == options_.workshop->kernels.end() ? nullptr : &known->second;
  }

  void build(const std::vector<std::size_t> &batch) {
    progress("compiling");
    // As long as nothing was timed, there must be time for that.
    const auto now = Clock::now();
    const auto left = std::max(Clock::duration::zero(), searchEnd_ - now);
    const Clock::time_point end = fastest() ? searchEnd_ : now + left * 7 / 10;
    // The pick by itself: it is what there must be in any case.
    std::vector<std::vector<std::size_t>> units;
    for (std::size_t i : batch) {
      if (states_[i].built || states_[i].verdict != Verdict::Right) continue;
      if (const Workshop::Kernel *kernel = kept(states_[i].plan)) {
        states_[i].built = BuiltPlan{i, kernel->library, kernel->entry};
        continue;
      }
      if (units.empty() || units.back().size() == kInUnit || (pick_ && units.back()[0] == *pick_)) units.emplace_back();
      units.back().push_back(i);
    }
    for (const std::vector<std::size_t> &unit : units) {
      BuildRequest request;
      for (std::size_t i : unit) request.plans.emplace_back(i, states_[i].plan);
      request.session = &session_;
      request.arena = &session_.arena();
      request.folder = options_.folder;
      request.stem = "plans";
      request.deadline = end;
      addBuild(children_, std::move(request), [this](const BuildOutcome &outcome) {
        for (const auto &[i, why] : outcome.unfit) judge(i, Verdict::Unfit, why);
        for (const auto &[i, diagnostic] : outcome.refused) judge(i, Verdict::Refused, diagnostic.message);
        for (const auto &[i, why] : outcome.failed)
          if (!isInterrupted()) judge(i, Verdict::Uncompiled, why);
        for (const BuiltPlan &b : outcome.built) {
          states_[b.plan].built = b;
          if (options_.workshop)
            options_.workshop->kernels[tangram::print(states_[b.plan].plan)] = {b.library, b.entry};
        }
        progress("compiling");
      });
    }
    children_.run();
  }

  void judge(std::size_t i, Verdict verdict, const std::string &reason) {
    State &state = states_[i];
    state.verdict = verdict;
    state.reason = reason;
    state.judged = true;
    state.known = false;
    database_.judge(tangram::print(state.plan), verdict, reason);
  }

  // ---- checking and timing ----

  void race(const std::vector<std::size_t> &some, HalvingOptions halving, Clock::time_point deadline) {
    std::vector<Entrant> entrants;
    for (std::size_t i : some)
      if (states_[i].verdict == Verdict::Right && states_[i].built)
        entrants.push_back({i, states_[i].built->library, states_[i].built->entry, states_[i].checked});
    std::map<std::size_t, std::vector<double>> times;
    RaceOptions options;
    options.halving = halving;
    options.deadline = deadline;
    options.interrupted = options_.interrupted;
    options.plainest = oracle_.exact().library;
    options.plainestEntry = oracle_.exact().entry;
    options.silence = options_.timeout;
    if (std::optional<std::size_t> best = fastest()) {
      const double least = report_.device.empty() ? kPatience : kDevicePatience;
      options.silence = std::min(options.silence, std::max(least, kSlow * median(states_[*best].own())));
    }
    RaceEvents events;
    events.device = [&](const std::string &device) { report_.device = device; };
    events.right = [&](std::size_t i) { states_[i].checked = true; };
    events.wrong = [&](std::size_t i, Verdict verdict, const std::string &reason) {
      judge(i, verdict, reason);
      progress("timing");
    };
    events.timed = [&](std::size_t i, const std::vector<double> &seconds) {
      database_.addTimes(tangram::print(states_[i].plan), seconds);
      State &state = states_[i];
      if (model_ && state.predicted && !state.shared)
        if (std::optional<Prediction> p = model_->predict(forest_, state.plan))
          database_.predict(tangram::print(state.plan), modelName_, shares(*p)), state.shared = true;
      state.seconds.insert(state.seconds.end(), seconds.begin(), seconds.end());
      times[i].insert(times[i].end(), seconds.begin(), seconds.end());
      state.judged = true;
      state.known = false;
    };
    tangram::tune::race(std::move(entrants), oracle_.trials(), options, events);
    for (auto &[i, seconds] : times) states_[i].last = std::move(seconds);
  }

  void timeBatch(const std::vector<std::size_t> &batch) {
    progress("timing");
    std::vector<std::size_t> entrants = batch;
    if (std::optional<std::size_t> best = fastest();
        best && states_[*best].built && std::find(batch.begin(), batch.end(), *best) == batch.end())
      entrants.insert(entrants.begin(), *best);
    HalvingOptions halving;
    halving.seconds =
        options_.search ? raceSeconds() : std::min(kGiven, 0.5 * Seconds(searchEnd_ - Clock::now()).count());
    race(entrants, halving, searchEnd_);
    for (std::size_t i : entrants)
      if (states_[i].judged) tell(states_[i]);
    progress("timing");
  }

  /// Before `b` where both are as fast: the pick, then what is simpler.
  bool standsBefore(std::size_t a, std::size_t b) const {
    auto rank = [&](std::size_t i) {
      return std::tuple(!states_[i].pick, complexity(*states_[i].plan.root), key(states_[i].plan));
    };
    return rank(a) < rank(b);
  }

  /// Those that were timed, the fastest first: of those that were timed to the end, then of the others of this run,
  /// then of those that the database alone knows. Who knows what else the machine did at other times.
  std::vector<std::size_t> byTime() const {
    std::vector<std::size_t> order;
    std::vector<std::pair<int, double>> ranks;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State &state = states_[i];
      ranks.emplace_back(state.last.empty() ? 2 : state.final ? 0 : 1, median(state.own()));
      if (state.isTimed()) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : standsBefore(a, b);
    });
    return order;
  }

  std::optional<std::size_t> fastest() const {
    std::vector<std::size_t> order = byTime();
    if (order.empty()) return {};
    return order[0];
  }

  /// The fastest and the pick, by turns to the end: what is said of them in the report.
  void timeFinalists() {
    std::vector<std::size_t> finalists;
    for (std::size_t i : byTime())
      if (states_[i].built && finalists.size() < kFinalists) finalists.push_back(i);
    if (pick_ && states_[*pick_].isTimed() && states_[*pick_].built &&
        std::find(finalists.begin(), finalists.end(), *pick_) == finalists.end())
      finalists.push_back(*pick_);
    if (finalists.empty() || isInterrupted()) return;
    progress("timing the fastest");
    HalvingOptions halving;
    halving.seconds = finalSeconds();
    halving.finalists = finalists.size();
    halving.least = 5;
    halving.most = 1000;
    race(finalists, halving, end_);
    for (std::size_t i : finalists) states_[i].final = true;
  }

  // ---- the choice ----

  void choose() {
    std::vector<std::size_t> order = byTime();
    if (order.empty()) {
      if (isInterrupted()) fail(kInterrupted, {}, spectrum_);
      fail(kNothing, {}, spectrum_, whyNone());
    }
    if (options_.reproducible) {
      // All that is known of each counts, as it will the next time.
      for (State &state : states_) state.last.clear();
      order = byTime();
      const double high = summarize(states_[order[0]].seconds).high;
      best_ = order[0];
      for (std::size_t i : order)
        if (summarize(states_[i].seconds).low <= high && standsBefore(i, best_)) best_ = i;
    } else {
      best_ = order[0];
    }
    if (options_.search) database_.choose(tangram::print(states_[best_].plan));
  }

  std::string whyNone() const {
    for (const State &state : states_)
      if (!state.reason.empty()) return fmt::format("{} ({})", state.reason, key(state.plan));
    return fmt::format("none was compiled and timed within {:.0f} s", options_.budget);
  }

  TuneReport finish() {
    std::vector<std::size_t> order = byTime();
    // The chosen one first, also where others are as fast.
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return i == best_; });
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (!states_[i].isTimed() && (states_[i].verdict != Verdict::Right || states_[i].pick)) order.push_back(i);
    for (std::size_t i : order) {
      State &state = states_[i];
      if (!state.own().empty() && state.verdict == Verdict::Right) state.time = summarize(state.own());
      if (i == best_) report_.best = report_.candidates.size();
      if (pick_ && i == *pick_) report_.pick = report_.candidates.size();
      report_.candidates.push_back(state);
    }
    report_.seconds = Seconds(Clock::now() - start_).count();
    report_.interrupted = isInterrupted();
    report_.plainest = oracle_.plan();
    report_.comparedBy = oracle_.comparedBy();
    report_.undecided = oracle_.undecided();
    return std::move(report_);
  }

  Session &session_;
  const std::vector<Value> &arguments_;
  Database &database_;
  const TuneOptions &options_;
  const std::string spectrum_;
  const Forest &forest_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point end_, searchEnd_;
  TuneReport report_;
  std::unique_ptr<Heuristic> model_;
  std::string modelName_;
  std::unique_ptr<EvolutionarySearch> search_;
  std::vector<State> states_;
  std::map<std::string, std::size_t> byKey_;
  std::optional<std::size_t> pick_;
  std::size_t best_ = 0, tried_ = 0; // tried: new ones
  Oracle oracle_{session_, spectrum_, arguments_,
                 options_, end_,      [this](const std::string &doing) { progress(doing); }};
  Children children_{std::max(1u, options_.jobs), options_.interrupted};
};

} // namespace

std::optional<double> TuneReport::gain() const {
  if (!pick || !candidates[*pick].isTimed()) return {};
  return candidates[*pick].time.median / candidates[best].time.median;
}

std::size_t TuneReport::tried() const {
  return static_cast<std::size_t>(std::count_if(candidates.begin(), candidates.end(), [](const Candidate &c) {
    return c.isTimed() || c.verdict != Verdict::Right;
  }));
}

std::size_t TuneReport::known() const {
  return static_cast<std::size_t>(
      std::count_if(candidates.begin(), candidates.end(), [](const Candidate &c) { return c.known; }));
}

TuneReport tune(Session &session, Problem problem, const std::vector<Value> &arguments, Database &database,
                const TuneOptions &options) {
  return Tuner(session, std::move(problem), arguments, database, options).run();
}

} // namespace tangram::tune
