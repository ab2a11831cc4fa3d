#include "tangram/tune/Grid.h"

#include "tangram/planning/Derivations.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace tangram::tune {

using namespace runtime;

namespace {

constexpr DiagnosticKind kSizesInterrupted{"tune.interrupted-sizes", DiagnosticClass::User,
                                           "interrupted before a plan of '{0}' was timed", ""};

constexpr DiagnosticKind kNowhere{"tune.nowhere", DiagnosticClass::User,
                                  "no plan of '{0}' is right for all sizes at which it was called",
                                  "`tangram verify` tells which codelet is at fault"};

using Clock = std::chrono::steady_clock;

constexpr double kSearchShare = 0.5;    // of the budget, for searching at each point ...
constexpr double kTimingShare = 0.25;   // ... for timing the best of all at each ...
constexpr double kBetweenShare = 0.12;  // ... for points between; the rest is for calling the result
constexpr std::size_t kOfPoint = 3;     // plans of a point that are timed at all points ...
constexpr double kNear = 1.3;           // ... if they take no more than so many times as long as the best there
constexpr double kNarrow = 1.3;         // two sizes that are no further apart are as good as one
constexpr std::size_t kMostBetween = 6; // points between
constexpr double kLeast = 1;            // seconds in which a point can be looked at

const ast::Spectrum &spectrumOf(const ast::Module &module, const std::string &name) {
  for (const ast::Spectrum *s : module.spectrums)
    if (s->name == name) return *s;
  failBug({}, "tune", fmt::format("there is no spectrum '{}'", name));
}

class Grid {
public:
  Grid(Session &session, const std::string &spectrum, Database &database, const GridOptions &options)
      : session_(session), spectrum_(spectrumOf(session.module(), spectrum)), database_(database), options_(options) {
    report_.spectrum = spectrum;
    report_.target = session.target().name;
    report_.budget = options.tune.budget;
  }

  GridReport run() {
    for (const Variables &variables : options_.points) addPoint(variables, false);
    search();
    timeEverywhere();
    fit();
    between();
    callResult();
    report_.seconds = elapsed();
    report_.interrupted = isInterrupted();
    return std::move(report_);
  }

private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool isInterrupted() const { return options_.tune.interrupted && options_.tune.interrupted(); }

  void addPoint(const Variables &variables, bool isBetween) {
    GridPoint &point = report_.points.emplace_back();
    point.variables = variables;
    point.between = isBetween;
    GridCall call = options_.call(variables);
    point.sizes = call.shape.text;
    point.seconds.assign(report_.plans.size(), HUGE_VAL);
    shapes_.push_back(std::move(call.shape));
  }

  std::string nameOf(std::size_t i) const {
    return fmt::format("size {} of {}: {}", i + 1, report_.points.size(), report_.points[i].sizes);
  }

  /// tune() at a point, for so many seconds; nothing where it found nothing, and why stands in the point.
  std::optional<TuneReport> at(std::size_t i, double seconds, std::vector<Plan> given, bool searches) {
    GridPoint &point = report_.points[i];
    const GridCall call = options_.call(point.variables);
    session_.setExpected(call.expected);
    TuneOptions options = options_.tune;
    options.budget = std::max(kLeast, seconds);
    options.given = std::move(given);
    options.search = searches;
    options.workshop = &workshop_;
    options.specs = call.specs;
    options.folder = options_.tune.folder / fmt::format("size_{}_{}", i, calls_++);
    if (options_.tune.progress)
      options.progress = [&](const Progress &p) {
        Progress whole = p;
        whole.left = std::max(0.0, options_.tune.budget - elapsed());
        whole.doing = fmt::format("{}; {}", nameOf(i), p.doing);
        options_.tune.progress(whole);
      };
    try {
      TuneReport report = tune(session_, call.problem, call.arguments, database_, options);
      report_.machine = report.machine;
      if (!report.device.empty()) report_.device = report.device;
      if (report.pick && report.candidates[*report.pick].isTimed())
        point.pick = report.candidates[*report.pick].time.median;
      point.failure.clear();
      return report;
    } catch (const DiagnosticError &e) {
      if (e.diagnostic.cls == DiagnosticClass::Bug) throw;
      point.failure = e.diagnostic.message;
      last_ = e.diagnostic;
      return {};
    }
  }

  /// A plan that has been timed, or is to be; nothing where it was wrong once: then it is right nowhere.
  std::optional<std::size_t> number(const Plan &plan) {
    const std::string text = key(plan);
    if (wrong_.count(text)) return {};
    auto [it, isNew] = numbers_.emplace(text, report_.plans.size());
    if (isNew) {
      report_.plans.push_back(plan);
      for (GridPoint &point : report_.points) point.seconds.push_back(HUGE_VAL);
    }
    return it->second;
  }

  void note(std::size_t i, const TuneReport &report, bool all) {
    GridPoint &point = report_.points[i];
    std::size_t taken = 0;
    const double best = report.candidates[report.best].time.median;
    for (const Candidate &c : report.candidates) {
      const bool bad = c.verdict == Verdict::Wrong || c.verdict == Verdict::Crashed || c.verdict == Verdict::Failed;
      if (bad) wrong_.insert(key(c.plan));
      if (!c.isTimed()) continue;
      const bool known = numbers_.count(key(c.plan)) != 0;
      if (!known && (!all || (taken >= kOfPoint && !c.pick) || c.time.median > kNear * best)) continue;
      if (std::optional<std::size_t> n = number(c.plan)) point.seconds[*n] = c.time.median;
      ++taken;
    }
  }

  void search() {
    const double share = kSearchShare * options_.tune.budget;
    for (std::size_t i = 0; i < report_.points.size() && !isInterrupted(); ++i) {
      // What the last points left over is for those that follow.
      const double left = share - elapsed();
      const double seconds = left / static_cast<double>(report_.points.size() - i);
      if (std::optional<TuneReport> found = at(i, seconds, bestSoFar(), true)) {
        report_.tried += found->tried();
        note(i, *found, true);
      }
    }
    if (report_.plans.empty() && last_) throw DiagnosticError(*last_);
    if (report_.plans.empty()) fail(kSizesInterrupted, {}, report_.spectrum);
  }

  std::vector<Plan> bestSoFar() const {
    std::vector<Plan> result;
    for (const GridPoint &point : report_.points) {
      auto best = std::min_element(point.seconds.begin(), point.seconds.end());
      if (best == point.seconds.end() || !std::isfinite(*best)) continue;
      const Plan &plan = report_.plans[static_cast<std::size_t>(best - point.seconds.begin())];
      if (std::find(result.begin(), result.end(), plan) == result.end()) result.push_back(plan);
    }
    return result;
  }

  std::vector<Plan> usable() const {
    std::vector<Plan> plans;
    for (const Plan &plan : report_.plans)
      if (!wrong_.count(key(plan))) plans.push_back(plan);
    return plans;
  }

  void timeEverywhere() {
    const double end = (kSearchShare + kTimingShare) * options_.tune.budget;
    for (std::size_t i = 0; i < report_.points.size() && !isInterrupted(); ++i) {
      if (!report_.points[i].failure.empty()) continue;
      const double seconds = (end - elapsed()) / static_cast<double>(report_.points.size() - i);
      // Times of the search are of other moments: they do not count beside these.
      if (std::optional<TuneReport> found = at(i, seconds, usable(), false)) note(i, *found, false);
    }
  }

  std::vector<GridTimes> times(std::vector<std::size_t> &which) const {
    std::vector<GridTimes> result;
    which.clear();
    for (std::size_t i = 0; i < report_.points.size(); ++i) {
      const GridPoint &point = report_.points[i];
      if (!point.failure.empty()) continue;
      GridTimes one{point.features, point.seconds};
      for (std::size_t p = 0; p < report_.plans.size(); ++p)
        if (wrong_.count(key(report_.plans[p]))) one.seconds[p] = HUGE_VAL;
      if (std::none_of(one.seconds.begin(), one.seconds.end(), [](double s) { return std::isfinite(s); })) continue;
      result.push_back(std::move(one));
      which.push_back(i);
    }
    return result;
  }

  void fit() {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < report_.points.size(); ++i)
      if (report_.points[i].failure.empty()) shapes.push_back(shapes_[i]);
    report_.features = sizeFeatures(spectrum_, shapes, whole_);
    for (std::size_t i = 0; i < report_.points.size(); ++i) {
      report_.points[i].features.clear();
      for (const SizeRatio &ratio : report_.features)
        report_.points[i].features.push_back(featureOf(ratio, spectrum_, shapes_[i]));
    }
    const std::vector<GridTimes> known = times(fitted_);
    report_.bundle = bundle(known, options_.tolerance);
    if (report_.bundle.empty()) fail(kNowhere, {}, report_.spectrum);
    report_.fit = fitDispatch(known, report_.bundle, whole_);
    report_.plan = dispatchPlan(report_.fit, report_.plans, report_.features);
  }

  /// The switch whose points are furthest apart, and a point between them; nothing where all are near.
  std::optional<Variables> widest() const {
    std::optional<Variables> result;
    double most = kNarrow;
    for (const Region &region : report_.fit.regions)
      for (const Switch &s : region.switches) {
        const Variables &low = report_.points[fitted_[s.below]].variables,
                        &high = report_.points[fitted_[s.above]].variables;
        Variables middle;
        double apart = 1;
        for (const auto &[name, from] : low) {
          const double to = static_cast<double>(high.at(name)), a = std::max(1.0, static_cast<double>(from));
          middle[name] = static_cast<std::uint64_t>(std::llround(std::sqrt(a * std::max(1.0, to))));
          apart = std::max({apart, std::max(1.0, to) / a, a / std::max(1.0, to)});
        }
        const bool known = std::any_of(report_.points.begin(), report_.points.end(),
                                       [&](const GridPoint &p) { return p.variables == middle; });
        if (apart <= most || known) continue;
        most = apart;
        result = middle;
      }
    return result;
  }

  void between() {
    const double share = kBetweenShare * options_.tune.budget, begin = elapsed();
    for (std::size_t n = 0; n < kMostBetween && !isInterrupted(); ++n) {
      const double left = share - (elapsed() - begin);
      std::optional<Variables> middle = widest();
      if (!middle || left < kLeast) return;
      try {
        addPoint(*middle, true);
      } catch (const DiagnosticError &) {
        report_.points.pop_back(); // there are no such arguments
        return;
      }
      std::vector<Plan> plans;
      for (std::size_t p : report_.bundle) plans.push_back(report_.plans[p]);
      const std::size_t i = report_.points.size() - 1;
      if (std::optional<TuneReport> found = at(i, left / 2, std::move(plans), false)) note(i, *found, false);
      fit();
    }
  }

  /// The result is code of its own: it is checked wherever its parts were.
  void callResult() {
    Plan &plan = report_.plan;
    plan.target = report_.target;
    const double begin = elapsed();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < report_.points.size(); ++i)
      if (report_.points[i].failure.empty()) order.push_back(i);
    for (std::size_t k = 0; k < order.size() && !isInterrupted(); ++k) {
      GridPoint &point = report_.points[order[k]];
      const double left = options_.tune.budget - begin - (elapsed() - begin);
      const std::optional<double> pick = point.pick;
      std::optional<TuneReport> found = at(order[k], left / static_cast<double>(order.size() - k), {plan}, false);
      point.failure.clear(); // what was found out before stays
      if (pick) point.pick = pick;
      if (!found) continue;
      for (const Candidate &c : found->candidates) {
        if (key(c.plan) != key(plan)) continue;
        if (c.isTimed()) point.dispatch = c.time.median;
        if (c.verdict != Verdict::Right && report_.faulty.empty())
          report_.faulty = fmt::format("{}: {}", point.sizes, c.reason);
      }
    }
    plan.device = report_.machine.device;
    plan.compiler = report_.machine.compiler;
  }

  Session &session_;
  const ast::Spectrum &spectrum_;
  Database &database_;
  const GridOptions &options_;
  const Clock::time_point start_ = Clock::now();
  GridReport report_;
  std::vector<Shape> shapes_; // of the points
  std::vector<bool> whole_;
  std::vector<std::size_t> fitted_; // points by their number in the fit
  std::map<std::string, std::size_t> numbers_;
  std::set<std::string> wrong_;
  Workshop workshop_;
  std::size_t calls_ = 0;
  std::optional<Diagnostic> last_;
};

double sizeOf(const SizeTerm &term, const ast::Spectrum &spectrum, const Shape &shape) {
  for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
    if (spectrum.params[i]->name != term.parameter) continue;
    const Shape::Argument &argument = shape.arguments[i];
    if (!term.isSize) return static_cast<double>(argument.scalar.value_or(0));
    if (term.dimension) return static_cast<double>(argument.sizes[*term.dimension]);
    double all = 1;
    for (std::uint64_t size : argument.sizes) all *= static_cast<double>(size);
    return all;
  }
  return 0;
}

} // namespace

double featureOf(const SizeRatio &ratio, const ast::Spectrum &spectrum, const Shape &shape) {
  const SizeOf size = [&](const SizeTerm &term) { return sizeOf(term, spectrum, shape); };
  const double above = product(ratio.product, size);
  return above == 0 ? 0 : above / product(ratio.divisor, size);
}

std::vector<SizeRatio> sizeFeatures(const ast::Spectrum &spectrum, const std::vector<Shape> &shapes,
                                    std::vector<bool> &whole) {
  std::vector<SizeRatio> wanted;
  std::vector<SizeTerm> all; // elements of each container
  for (const ast::Param *p : spectrum.params) {
    const unsigned rank = p->type.rank();
    if (rank > 0) all.push_back({p->name, true, {}});
    for (unsigned d = 0; rank > 1 && d < rank; ++d) wanted.push_back({{{p->name, true, d}}, {}});
    if (rank == 1) wanted.push_back({{all.back()}, {}});
    if (rank == 0 && p->type.isScalar() && p->type.isInteger() && p->access == ast::Access::In)
      wanted.push_back({{{p->name, false, {}}}, {}});
  }
  for (const SizeTerm &term : all)
    if (std::find(wanted.begin(), wanted.end(), SizeRatio{{term}, {}}) == wanted.end()) wanted.push_back({{term}, {}});
  for (const SizeTerm &above : all)
    for (const SizeTerm &below : all)
      if (!(above == below)) wanted.push_back({{above}, {below}});

  std::vector<SizeRatio> result;
  std::vector<std::vector<double>> seen;
  whole.clear();
  for (const SizeRatio &ratio : wanted) {
    std::vector<double> values;
    for (const Shape &shape : shapes) values.push_back(featureOf(ratio, spectrum, shape));
    if (std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v) || v < 0; })) continue;
    if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end()) continue;
    // Another one that has the points in the same order, or in reverse, tells them apart alike.
    auto alike = [&](const std::vector<double> &other) {
      bool up = true, down = true;
      for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t j = i + 1; j < values.size(); ++j) {
          auto sign = [](double d) { return (d > 0) - (d < 0); };
          const int a = sign(values[i] - values[j]), b = sign(other[i] - other[j]);
          up &= a == b, down &= a == -b;
        }
      return up || down;
    };
    if (std::any_of(seen.begin(), seen.end(), alike)) continue;
    result.push_back(ratio);
    whole.push_back(ratio.divisor.empty());
    seen.push_back(std::move(values));
  }
  return result;
}

Plan dispatchPlan(const DispatchFit &fit, const std::vector<Plan> &plans, const std::vector<SizeRatio> &features) {
  Plan result = plans[fit.regions.back().plan];
  for (std::size_t i = 0; i + 1 < fit.regions.size(); ++i) {
    const Region &region = fit.regions[i];
    PlanCase one;
    // Of several bounds on one feature the least says it all.
    std::map<std::size_t, double> bounds;
    for (const Switch &s : region.switches) {
      auto [it, isNew] = bounds.emplace(s.feature, s.atMost);
      if (!isNew) it->second = std::min(it->second, s.atMost);
    }
    for (const auto &[feature, bound] : bounds) one.when.all.push_back({features[feature], ast::BinaryOp::Le, bound});
    one.root = plans[region.plan].root;
    result.cases.push_back(std::move(one));
    for (const auto &source : plans[region.plan].sources) result.sources.insert(source);
  }
  return result;
}

GridReport tuneGrid(Session &session, const std::string &spectrum, Database &database, const GridOptions &options) {
  return Grid(session, spectrum, database, options).run();
}

} // namespace tangram::tune
