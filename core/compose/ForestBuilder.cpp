#include "ExpectedSites.h"
#include "Grammar.h"
#include "Sizes.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace tangram {

using namespace ast;

namespace {

constexpr DiagnosticKind kUnknownSpectrum{"compose.unknown-spectrum", DiagnosticClass::User,
                                          "there is no spectrum '{}'", "use {1}"};
constexpr DiagnosticKind kNoLevels{"compose.no-levels", DiagnosticClass::User, "target '{}' has no levels",
                                   "give it at least one level that computes"};

constexpr DiagnosticKind kTooMany{
    "compose.too-many-plans", DiagnosticClass::Limitation,
    "'{0}' has too many plans on '{1}' within the search depth {2}: their number alone has more than {3} digits",
    "lower 'depth' in the target; a few rules more than it has levels are plenty, and every further one squares the "
    "number"};

/// A number of plans doubles its digits with each rule of depth; from here on it could no longer be worked with.
constexpr unsigned kMaxCountBits = 1u << 17;

using Bounds = std::vector<SizeBound>;

std::string plural(unsigned n) { return fmt::format("{} more rule{}", n, n == 1 ? "" : "s"); }

std::string capitalized(Rule rule, const std::string &codelet) {
  return rule == Rule::Select ? fmt::format("codelet '{}'", codelet) : fmt::format("'{}'", name(rule));
}

} // namespace

/// Points are made from the bottom up, each once for what it composes, where, how deep and of what size.
class ForestBuilder {
public:
  ForestBuilder(Forest &forest, unsigned depth)
      : forest_(forest), grammar_(forest.module_, forest.hardware_, forest.facts_), depth_(depth) {}

  void run(const ExpectedSizes &expected) {
    if (forest_.hardware_.levels.empty()) fail(kNoLevels, {}, forest_.hardware_.name);
    std::size_t spectrum = grammar_.spectrum(forest_.spectrum_);
    if (spectrum == kNoSpectrum) {
      std::vector<std::string> names;
      for (const Spectrum *s : forest_.module_.spectrums) names.push_back(s->name);
      fail(kUnknownSpectrum, {}, forest_.spectrum_,
           names.empty() ? "a source that declares it" : suggest(forest_.spectrum_, names));
    }
    std::vector<std::size_t> reachable = grammar_.reachable(spectrum);
    for (std::size_t s : reachable)
      forest_.hashes_[forest_.module_.spectrums[s]->name] =
          sourceHash(forest_.module_, forest_.module_.spectrums[s]->name);
    findThresholds(reachable);
    unsigned height = grammar_.productions({GoalKind::Call, spectrum, 0}).height;
    if (height != kNoHeight) forest_.depthNeeded_ = height;
    Goal goal{{GoalKind::Call, spectrum, 0}, depth_, canonical(spectrum, {}), {}, {}, {}};
    if (!expected.empty())
      goal.expected =
          rounded({expectedArguments(*forest_.module_.spectrums[spectrum], expected), {}, {}, {}}, spectrum);
    forest_.root_ = point(goal);
    goal.what.kind = GoalKind::PlainCall;
    goal.expected = {};
    // What others are compared with is none of them: it may go deeper.
    unsigned plainHeight = grammar_.productions(goal.what).height;
    if (plainHeight != kNoHeight) goal.depth = std::max(goal.depth, plainHeight);
    forest_.plainRoot_ = point(goal);
  }

private:
  struct Goal {
    Nonterminal what;
    unsigned depth = 0;
    Bounds bounds;
    SizeBound elements, work; // of a map
    Expected expected;
    Stride acrossCalls = Stride::Zero;
    using Key = std::tuple<GoalKind, std::size_t, std::size_t, std::size_t, unsigned, Bounds, SizeBound, SizeBound,
                           Expected, Stride>;
    Key key() const {
      return {what.kind, what.spectrum, what.level, what.context, depth, bounds, elements, work, expected, acrossCalls};
    }
  };

  // ---- sizes that make a difference ----

  void findThresholds(const std::vector<std::size_t> &reachable) {
    const hardware::Hardware &hardware = forest_.hardware_;
    thresholds_.insert(1);
    for (const hardware::Level &level : hardware.levels) {
      thresholds_.insert(level.workers.count);
      thresholds_.insert(hardware.lanes(level));
    }
    for (std::size_t s : reachable) {
      for (const CodeletShape &shape : grammar_.codelets(s)) {
        if (shape.requirements.empty()) continue;
        std::set<std::uint64_t> lanes;
        for (const hardware::Level &level : hardware.levels) lanes.insert(hardware.lanes(level));
        for (std::uint64_t width : lanes) {
          Sizes sizes(nullptr, *shape.codelet, {}, {}, width);
          for (const Expr *requirement : shape.requirements)
            walk(requirement, [&](const Binary &n) {
              for (const Expr *side : {n.lhs, n.rhs})
                if (Interval value = sizes.value(side); value.known() && *value.lo >= 0) {
                  thresholds_.insert(static_cast<std::uint64_t>(*value.lo));
                  // What is below a limit makes the same difference.
                  if (*value.lo > 0) thresholds_.insert(static_cast<std::uint64_t>(*value.lo) - 1);
                }
            });
        }
      }
    }
  }

  SizeBound rounded(SizeBound bound) const {
    if (!bound) return bound;
    auto it = thresholds_.lower_bound(*bound);
    return it == thresholds_.end() ? SizeBound{} : SizeBound{*it};
  }

  /// Bounds of a spectrum's arguments as goals keep them.
  Bounds canonical(std::size_t spectrum, Bounds bounds) const {
    if (!grammar_.sizesMatter(spectrum)) return {};
    const Spectrum &s = *forest_.module_.spectrums[spectrum];
    limitByConditions(s, bounds);
    for (SizeBound &bound : bounds) bound = rounded(bound);
    while (!bounds.empty() && !bounds.back()) bounds.pop_back();
    return bounds;
  }

  const std::vector<SiteBounds> &siteBounds(std::size_t spectrum, std::size_t codelet, std::size_t level,
                                            const Bounds &bounds) {
    auto [it, fresh] = siteBounds_.try_emplace(std::tuple(spectrum, codelet, level, bounds));
    if (!fresh) return it->second;
    const CodeletShape &shape = grammar_.shape(spectrum, codelet);
    if (shape.sites.empty()) return it->second;
    Sizes sizes(&forest_.module_, *shape.codelet, bounds, exactly(parameters(spectrum, codelet, level)));
    for (std::size_t i = 0; i < shape.sites.size(); ++i) {
      SiteBounds site = sizes.site(shape.sites[i]);
      site.arguments = canonical(shape.callees[i], std::move(site.arguments));
      site.elements = rounded(site.elements);
      site.work = rounded(site.work);
      it->second.push_back(std::move(site));
    }
    return it->second;
  }

  Expected rounded(Expected expected, std::size_t spectrum) const {
    auto up = [](std::optional<std::uint64_t> &n) {
      if (n && *n > std::uint64_t{1} << 62) n.reset();
      if (n) n = std::bit_ceil(*n);
    };
    up(expected.elements);
    up(expected.work);
    up(expected.units);
    if (!grammar_.sizesMatter(spectrum)) expected.arguments.clear();
    bool any = false;
    for (Extents &extents : expected.arguments)
      for (std::optional<std::uint64_t> &extent : extents) {
        up(extent);
        any |= extent.has_value();
      }
    if (!any) expected.arguments.clear();
    return expected;
  }

  const std::vector<Expected> &siteExpectations(std::size_t spectrum, std::size_t codelet, std::size_t level,
                                                const Expected &expected) {
    auto [it, fresh] = siteExpectations_.try_emplace(std::tuple(spectrum, codelet, level, expected.arguments));
    if (!fresh) return it->second;
    const CodeletShape &shape = grammar_.shape(spectrum, codelet);
    it->second.resize(shape.sites.size());
    if (expected.arguments.empty()) return it->second;
    ExpectedSites sites(forest_.module_, *shape.codelet, expected.arguments, parameters(spectrum, codelet, level));
    for (std::size_t i = 0; i < shape.sites.size(); ++i) {
      Expected site = sites.site(shape.sites[i]);
      equateByConditions(*forest_.module_.spectrums[shape.callees[i]], site.arguments);
      it->second[i] = rounded(std::move(site), shape.callees[i]);
    }
    return it->second;
  }

  const std::map<std::string, std::int64_t> &parameters(std::size_t spectrum, std::size_t codelet, std::size_t level) {
    auto [it, fresh] = parameters_.try_emplace(std::tuple(spectrum, codelet, level));
    if (fresh)
      it->second =
          tunableValues(*grammar_.shape(spectrum, codelet).codelet, forest_.hardware_, forest_.hardware_.levels[level]);
    return it->second;
  }

  Stride acrossCalls(const Expr *site) const {
    const auto *map = dyn<Map>(site);
    auto it = map ? forest_.facts_.calls.find(map) : forest_.facts_.calls.end();
    return it == forest_.facts_.calls.end() ? Stride::Zero : it->second;
  }

  // ---- points ----

  GoalId point(const Goal &goal) {
    auto key = goal.key();
    if (auto it = known_.find(key); it != known_.end()) return it->second;
    Point result;
    result.isMap = goal.what.isMap();
    result.plain = goal.what.isPlain();
    result.spectrum = forest_.module_.spectrums[goal.what.spectrum]->name;
    result.level = forest_.hardware_.levels[goal.what.level].name;
    result.depth = goal.depth;
    result.bounds = goal.bounds;
    result.elements = goal.elements;
    result.work = goal.work;
    result.expected = goal.expected;
    result.acrossCalls = goal.acrossCalls;
    if (goal.what.isPlain())
      plainest(goal, result);
    else
      all(goal, result);
    for (const Alternative &alternative : result.alternatives) result.count += alternative.count;
    if (result.count > 0 && boost::multiprecision::msb(result.count) > kMaxCountBits)
      fail(kTooMany, {}, forest_.spectrum_, forest_.hardware_.name, depth_, kMaxCountBits * 3 / 10);
    forest_.points_.push_back(std::move(result));
    return known_[key] = forest_.points_.size() - 1;
  }

  void all(const Goal &goal, Point &result) {
    const Productions &productions = grammar_.productions(goal.what);
    result.rejections = productions.rejected;
    for (const Production &production : productions.allowed) alternative(goal, production, result);
  }

  void plainest(const Goal &goal, Point &result) {
    const Productions &productions = grammar_.productions(goal.what);
    std::vector<const Production *> order;
    for (const Production &production : productions.allowed) order.push_back(&production);
    // Of codelets that go as deep, the shortest; others after them.
    auto length = [&](const Production *p) {
      return p->rule == Rule::Select ? nodeCount(grammar_.shape(goal.what.spectrum, p->codelet).codelet->body)
                                     : std::numeric_limits<std::size_t>::max();
    };
    std::stable_sort(order.begin(), order.end(), [&](auto *a, auto *b) {
      return a->height != b->height ? a->height < b->height : length(a) < length(b);
    });
    for (const Production *production : order) {
      alternative(goal, *production, result);
      if (!result.alternatives.empty()) return;
    }
  }

  void alternative(const Goal &goal, const Production &production, Point &result) {
    const hardware::Level &level = forest_.hardware_.levels[goal.what.level];
    const CodeletShape *shape =
        production.rule == Rule::Select ? &grammar_.shape(goal.what.spectrum, production.codelet) : nullptr;
    auto reject = [&](std::string reason) {
      result.rejections.push_back({production.rule, shape ? shape->codelet->name : "", std::move(reason)});
    };
    if (production.height == kNoHeight) return reject(grammar_.whyEndless(goal.what, production));
    if (production.height > goal.depth)
      return reject(
          fmt::format("needs {} than the search depth {} leaves", plural(production.height - goal.depth), depth_));

    Alternative alternative;
    alternative.rule = production.rule;
    alternative.capability = production.capability;
    alternative.count = 1;
    unsigned depth = goal.depth - (production.rule == Rule::Distribute || production.rule == Rule::Serialize ? 0 : 1);
    if (!shape) {
      if (production.rule != Rule::Serialize) alternative.to = level.subordinate;
      Goal below{production.children[0], depth, goal.bounds, {}, {}, {goal.expected.arguments, {}, {}, {}}};
      if (production.rule == Rule::Distribute && level.tiling == hardware::Tiling::Strided &&
          forest_.hardware_.levels[below.what.level].scalar)
        below.acrossCalls = goal.acrossCalls;
      if (production.rule == Rule::Split) {
        std::uint64_t factor = std::max<std::uint64_t>(forest_.hardware_.levels[below.what.level].workers.count, 1);
        alternative.parameters["factor"] = static_cast<std::int64_t>(factor);
        if (goal.elements) below.elements = rounded(*goal.elements / factor + (*goal.elements % factor != 0));
        below.work = goal.work;
        below.acrossCalls = goal.acrossCalls;
        below.expected = goal.expected;
        for (SizeBound *each : {&below.expected.elements, &below.expected.work, &below.expected.units})
          if (*each) *each = std::bit_ceil(**each / factor + (**each % factor != 0));
      }
      if (!child(alternative, below, reject)) return;
    } else {
      alternative.codelet = shape->codelet;
      alternative.parameters = parameters(goal.what.spectrum, production.codelet, goal.what.level);
      std::string unproven = requirement(goal, *shape, level);
      if (!unproven.empty() && (goal.what.isPlain() || goal.what.inLanes()))
        return reject(fmt::format("needs {}, which is not provable here", unproven));
      const std::vector<SiteBounds> &bounds =
          siteBounds(goal.what.spectrum, production.codelet, goal.what.level, goal.bounds);
      const std::vector<Expected> &expected =
          siteExpectations(goal.what.spectrum, production.codelet, goal.what.level, goal.expected);
      for (std::size_t i = 0; i < production.children.size(); ++i) {
        Goal below{production.children[i], depth, bounds[i].arguments, bounds[i].elements, bounds[i].work, {}};
        if (!goal.what.isPlain()) {
          below.expected = expected[i];
          below.acrossCalls = below.what.isMap() ? acrossCalls(shape->sites[i]) : goal.acrossCalls;
        }
        if (!child(alternative, below, reject)) return;
      }
      if (!unproven.empty()) {
        alternative.guarded = true;
        alternative.condition = unproven;
        GoalId fallback = point({{GoalKind::PlainCall, goal.what.spectrum, goal.what.level, goal.what.context},
                                 depth,
                                 goal.bounds,
                                 {},
                                 {},
                                 {}});
        if (forest_.points_[fallback].count == 0)
          return reject(fmt::format("needs {}, but the container may have more elements, and {}",
                                    withWidth(unproven, level), noFallback(fallback, goal)));
        alternative.children.push_back(fallback);
      }
    }
    result.alternatives.push_back(std::move(alternative));
  }

  template <class Reject> bool child(Alternative &alternative, const Goal &goal, const Reject &reject) {
    GoalId id = point(goal);
    const Point &below = forest_.points_[id];
    alternative.children.push_back(id);
    alternative.count *= below.count;
    if (below.count > 0) return true;
    std::string reason =
        fmt::format("'{}' cannot be composed at level '{}' with {} rules", below.spectrum, below.level, below.depth);
    if (!below.rejections.empty()) {
      const Rejection &first = below.rejections.front();
      reason += fmt::format(": {} {}", capitalized(first.rule, first.codelet), first.reason);
    }
    reject(std::move(reason));
    return false;
  }

  /// What of a codelet's requirements does not follow from the sizes here; empty where all does.
  std::string requirement(const Goal &goal, const CodeletShape &shape, const hardware::Level &level) const {
    std::string unproven;
    for (const Expr *requirement : shape.requirements)
      if (!provable(*requirement, *shape.codelet, goal.bounds, forest_.hardware_.lanes(level)))
        unproven += (unproven.empty() ? "" : " && ") + describe(*requirement);
    return unproven;
  }
  std::string withWidth(const std::string &requirement, const hardware::Level &level) const {
    if (requirement.find("coopDim()") == std::string::npos) return requirement;
    std::uint64_t lanes = forest_.hardware_.lanes(level);
    return requirement.ends_with("coopDim()") ? fmt::format("{} = {}", requirement, lanes)
                                              : fmt::format("{} (coopDim() = {})", requirement, lanes);
  }
  std::string noFallback(GoalId fallback, const Goal &goal) const {
    const Point &below = forest_.points_[fallback];
    unsigned height =
        grammar_.productions({GoalKind::PlainCall, goal.what.spectrum, goal.what.level, goal.what.context}).height;
    if (height != kNoHeight && height > below.depth)
      return fmt::format("another codelet to fall back on needs {} than the search depth {} leaves",
                         plural(height - below.depth), depth_);
    return fmt::format("'{}' has no autonomous codelet to fall back on", below.spectrum);
  }

  Forest &forest_;
  Grammar grammar_;
  unsigned depth_;
  std::set<std::uint64_t> thresholds_;
  std::map<Goal::Key, GoalId> known_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, Bounds>, std::vector<SiteBounds>> siteBounds_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::vector<Extents>>, std::vector<Expected>>
      siteExpectations_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::map<std::string, std::int64_t>> parameters_;
};

Forest::Forest(const Module &module, const hardware::Hardware &hardware, const Facts &facts,
               const std::string &spectrum, unsigned depth, const ExpectedSizes &expected)
    : module_(module), hardware_(hardware), facts_(facts), spectrum_(spectrum) {
  ForestBuilder(*this, depth).run(expected);
}

} // namespace tangram
