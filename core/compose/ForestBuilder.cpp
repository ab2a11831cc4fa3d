#include "ExpectedSites.h"
#include "Grammar.h"
#include "Sizes.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"
#include "tangram/compose/TunableChoice.h"
#include "tangram/hardware/Units.h"

#include <algorithm>
#include <bit>
#include <boost/functional/hash.hpp>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unordered_map>

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
      : forest_(forest), grammar_(forest.module_, forest.hardware_, forest.facts_), depth_(depth),
        machines_{{{}, forest.hardware_}} {}

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
    std::size_t machine = 0; // how many units its levels have here: index in machines_
    using Key = std::tuple<GoalKind, std::size_t, std::size_t, std::size_t, unsigned, Bounds, SizeBound, SizeBound,
                           Expected, Stride, std::size_t>;
    Key key() const {
      return {what.kind, what.spectrum, what.level, what.context, depth,  bounds,
              elements,  work,          expected,   acrossCalls,  machine};
    }
  };

  struct KeyHash {
    std::size_t operator()(const Goal::Key &key) const {
      std::size_t seed = 0;
      auto add = [&](const SizeBound &n) { boost::hash_combine(seed, n ? *n + 1 : 0); };
      auto addAll = [&](const auto &sizes) {
        boost::hash_combine(seed, sizes.size());
        for (const auto &n : sizes) add(n);
      };
      const auto &[kind, spectrum, level, context, depth, bounds, elements, work, expected, stride, machine] = key;
      for (std::size_t n : {static_cast<std::size_t>(kind), spectrum, level, context, std::size_t{depth},
                            static_cast<std::size_t>(stride), machine})
        boost::hash_combine(seed, n);
      addAll(bounds);
      for (const Extents &extents : expected.arguments) addAll(extents);
      for (const SizeBound &n : {elements, work, expected.elements, expected.work, expected.units}) add(n);
      return seed;
    }
  };

  using Values = std::map<std::string, std::int64_t>; // of tunables, of a factor, of units
  using Reject = std::function<void(std::string)>;
  using Place = std::pair<std::size_t, std::size_t>; // a level, and the machine that it is of

  // ---- units of levels ----

  /// The target as launches with so many units see it; the first is as the target says.
  struct Machine {
    hardware::Units units;
    hardware::Hardware hardware;
  };

  /// The machine `base` with so many units, as goals at a level see it: what is not below it is no concern of theirs.
  std::size_t machine(std::size_t base, hardware::Units units, std::size_t level) {
    units.insert(machines_[base].units.begin(), machines_[base].units.end());
    for (std::size_t above = 0; above <= level; ++above) units.erase(forest_.hardware_.levels[above].name);
    for (std::size_t i = 0; i < machines_.size(); ++i)
      if (machines_[i].units == units) return i;
    machines_.push_back({units, hardware::with(forest_.hardware_, units)});
    return machines_.size() - 1;
  }

  /// What a rule that goes to the level below may ask for: of each level that starts with it, what the target says or
  /// one of its choices. What the target says comes first, and is not named.
  std::vector<Values> unitChoices(const Place &at) const {
    std::vector<Values> result{{}};
    for (const hardware::Level *started :
         hardware::startedFrom(forest_.hardware_, machines_[at.second].hardware.levels[at.first])) {
      const std::size_t before = result.size();
      for (std::uint64_t count : started->workers.choices) {
        if (count == started->workers.count) continue;
        for (std::size_t i = 0; i < before; ++i) {
          Values units = result[i];
          units[started->name] = static_cast<std::int64_t>(count);
          if (hardware::refusal(forest_.hardware_, units).empty()) result.push_back(std::move(units));
        }
      }
    }
    return result;
  }

  // ---- sizes that make a difference ----

  void findThresholds(const std::vector<std::size_t> &reachable) {
    const hardware::Hardware &hardware = forest_.hardware_;
    thresholds_.insert(1);
    std::set<std::uint64_t> lanes;
    for (const hardware::Level &level : hardware.levels) {
      thresholds_.insert(level.workers.count);
      thresholds_.insert(level.workers.choices.begin(), level.workers.choices.end());
      lanes.insert(hardware.lanes(level));
      for (std::uint64_t count : level.workers.choices) {
        const hardware::Hardware other = hardware::with(hardware, {{level.name, static_cast<std::int64_t>(count)}});
        for (const hardware::Level &wide : other.levels) lanes.insert(other.lanes(wide));
      }
    }
    thresholds_.insert(lanes.begin(), lanes.end());
    for (std::size_t s : reachable) {
      for (const CodeletShape &shape : grammar_.codelets(s)) {
        if (shape.requirements.empty()) continue;
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

  const std::vector<SiteBounds> &siteBounds(std::size_t spectrum, std::size_t codelet, const Values &values,
                                            const Bounds &bounds) {
    auto [it, fresh] = siteBounds_.try_emplace(std::tuple(spectrum, codelet, values, bounds));
    if (!fresh) return it->second;
    const CodeletShape &shape = grammar_.shape(spectrum, codelet);
    if (shape.sites.empty()) return it->second;
    Sizes sizes(&forest_.module_, *shape.codelet, bounds, exactly(values));
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

  const std::vector<Expected> &siteExpectations(std::size_t spectrum, std::size_t codelet, const Values &values,
                                                const Expected &expected) {
    auto [it, fresh] = siteExpectations_.try_emplace(std::tuple(spectrum, codelet, values, expected.arguments));
    if (!fresh) return it->second;
    const CodeletShape &shape = grammar_.shape(spectrum, codelet);
    it->second.resize(shape.sites.size());
    if (expected.arguments.empty()) return it->second;
    ExpectedSites sites(forest_.module_, *shape.codelet, expected.arguments, values);
    for (std::size_t i = 0; i < shape.sites.size(); ++i) {
      Expected site = sites.site(shape.sites[i]);
      equateByConditions(*forest_.module_.spectrums[shape.callees[i]], site.arguments);
      it->second[i] = rounded(std::move(site), shape.callees[i]);
    }
    return it->second;
  }

  /// What a codelet's tunables may be where it is composed at a level, each with each; the default values first.
  const std::vector<Values> &tunableValues(std::size_t spectrum, std::size_t codelet, const Place &at) {
    auto [it, fresh] = tunableValues_.try_emplace(std::tuple(spectrum, codelet, at), 1);
    if (!fresh) return it->second;
    const hardware::Hardware &hardware = machines_[at.second].hardware;
    walk(grammar_.shape(spectrum, codelet).codelet->body, [&](const Declare &d) {
      if (!d.tunable) return;
      std::vector<Values> all;
      for (std::int64_t value : tunableChoices(*d.tunable, hardware, hardware.levels[at.first]))
        for (Values values : it->second) {
          values[d.name] = value;
          all.push_back(std::move(values));
        }
      it->second = std::move(all);
    });
    return it->second;
  }

  Stride acrossCalls(const Expr *site) const {
    const auto *map = dyn<Map>(site);
    auto it = map ? forest_.facts_.calls.find(map) : forest_.facts_.calls.end();
    return it == forest_.facts_.calls.end() ? Stride::Zero : it->second;
  }

  // ---- points ----

  GoalId point(const Goal &goal) {
    Goal::Key key = goal.key();
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
    const CodeletShape *shape =
        production.rule == Rule::Select ? &grammar_.shape(goal.what.spectrum, production.codelet) : nullptr;
    std::string reason;
    const Reject reject = [&](std::string why) { reason = std::move(why); };
    auto refused = [&] {
      result.rejections.push_back({production.rule, shape ? shape->codelet->name : "", std::move(reason)});
    };
    if (production.height == kNoHeight)
      reject(grammar_.whyEndless(goal.what, production));
    else if (production.height > goal.depth)
      reject(fmt::format("needs {} than the search depth {} leaves", plural(production.height - goal.depth), depth_));
    if (!reason.empty()) return refused();

    const std::vector<Values> choices = valueChoices(goal, production);
    for (const Values &values : choices) {
      std::optional<Alternative> made =
          shape ? selected(goal, production, *shape, values, reject) : divided(goal, production, values, reject);
      if (made)
        result.alternatives.push_back(std::move(*made));
      else if (&values == &choices.front()) // of others, no one asks why they are not allowed
        refused();
    }
  }

  /// Values that a production may have at a goal: of tunables, of a factor, of units; the default ones first.
  std::vector<Values> valueChoices(const Goal &goal, const Production &production) {
    const Place here{goal.what.level, goal.machine};
    const bool any = !goal.what.isPlain() && !goal.what.inLanes();
    std::vector<Values> result{{}};
    switch (production.rule) {
    case Rule::Select:
      result = tunableValues(goal.what.spectrum, production.codelet, here);
      if (!any) result.resize(1);
      break;
    case Rule::Serialize: break;
    case Rule::Devolve:
      // Of one iteration there is nothing to unroll.
      if (any && forest_.hardware_.levels[goal.what.level].sync != "close-loop") result = unitChoices(here);
      break;
    case Rule::Distribute:
    case Rule::Split:
      if (any) result = unitChoices(here);
      if (production.rule == Rule::Split) result = withFactors(result, goal, any);
      break;
    }
    return result;
  }

  /// A map is split into as many parts as the level below has workers, or a few times as many: what is uneven evens
  /// out.
  std::vector<Values> withFactors(const std::vector<Values> &units, const Goal &goal, bool any) {
    std::vector<Values> result;
    for (const Values &asked : units) {
      const hardware::Hardware &hardware = machines_[machine(goal.machine, asked, goal.what.level)].hardware;
      const hardware::Level *below = hardware.below(hardware.levels[goal.what.level]);
      const std::int64_t own = below ? std::max<std::int64_t>(static_cast<std::int64_t>(below->workers.count), 1) : 1;
      for (std::int64_t times : {1, 4}) {
        if (times > 1 && !any) break;
        result.push_back(asked);
        result.back()["factor"] = own * times;
      }
    }
    return result;
  }

  std::optional<Alternative> selected(const Goal &goal, const Production &production, const CodeletShape &shape,
                                      const Values &values, const Reject &reject) {
    const hardware::Level &level = machines_[goal.machine].hardware.levels[goal.what.level];
    const unsigned depth = goal.depth - 1;
    Alternative alternative = begun(production);
    alternative.codelet = shape.codelet;
    alternative.parameters = values;
    std::string unproven = requirement(goal, shape, level);
    if (!unproven.empty() && (goal.what.isPlain() || goal.what.inLanes())) {
      reject(fmt::format("needs {}, which is not provable here", unproven));
      return {};
    }
    const std::vector<SiteBounds> &bounds = siteBounds(goal.what.spectrum, production.codelet, values, goal.bounds);
    const std::vector<Expected> &expected =
        siteExpectations(goal.what.spectrum, production.codelet, values, goal.expected);
    for (std::size_t i = 0; i < production.children.size(); ++i) {
      Goal below{production.children[i], depth, bounds[i].arguments, bounds[i].elements, bounds[i].work, {}};
      below.machine = goal.machine;
      if (!goal.what.isPlain()) {
        below.expected = expected[i];
        below.acrossCalls = below.what.isMap() ? acrossCalls(shape.sites[i]) : goal.acrossCalls;
      }
      if (!child(alternative, below, reject)) return {};
    }
    if (unproven.empty()) return alternative;
    alternative.guarded = true;
    alternative.condition = unproven;
    Goal plain{
        {GoalKind::PlainCall, goal.what.spectrum, goal.what.level, goal.what.context}, depth, goal.bounds, {}, {}, {}};
    plain.machine = goal.machine;
    GoalId fallback = point(plain);
    if (forest_.points_[fallback].count == 0) {
      reject(fmt::format("needs {}, but the container may have more elements, and {}", withWidth(unproven, goal),
                         noFallback(fallback, goal)));
      return {};
    }
    alternative.children.push_back(fallback);
    return alternative;
  }

  static Alternative begun(const Production &production) {
    Alternative alternative;
    alternative.rule = production.rule;
    alternative.capability = production.capability;
    alternative.count = 1;
    return alternative;
  }

  /// A rule other than Select.
  std::optional<Alternative> divided(const Goal &goal, const Production &production, const Values &values,
                                     const Reject &reject) {
    hardware::Units units = values;
    units.erase("factor");
    const std::size_t machine = this->machine(goal.machine, units, goal.what.level);
    const hardware::Hardware &hardware = machines_[machine].hardware;
    const hardware::Level &level = hardware.levels[goal.what.level];
    Alternative alternative = begun(production);
    alternative.parameters = values;
    if (production.rule != Rule::Serialize) alternative.to = level.subordinate;
    const bool same = production.rule == Rule::Distribute || production.rule == Rule::Serialize;
    Goal below{production.children[0],
               goal.depth - (same ? 0 : 1),
               goal.bounds,
               {},
               {},
               {goal.expected.arguments, {}, {}, {}}};
    below.machine = this->machine(machine, {}, production.children[0].level);
    if (production.rule == Rule::Distribute && level.tiling == hardware::Tiling::Strided &&
        hardware.levels[below.what.level].scalar)
      below.acrossCalls = goal.acrossCalls;
    if (production.rule == Rule::Split) {
      const auto factor = static_cast<std::uint64_t>(values.at("factor"));
      if (goal.elements) below.elements = rounded(*goal.elements / factor + (*goal.elements % factor != 0));
      below.work = goal.work;
      below.acrossCalls = goal.acrossCalls;
      below.expected = goal.expected;
      for (SizeBound *each : {&below.expected.elements, &below.expected.work, &below.expected.units})
        if (*each) *each = std::bit_ceil(**each / factor + (**each % factor != 0));
    }
    if (!child(alternative, below, reject)) return {};
    return alternative;
  }

  bool child(Alternative &alternative, const Goal &goal, const Reject &reject) {
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
      if (!provable(*requirement, *shape.codelet, goal.bounds, machines_[goal.machine].hardware.lanes(level)))
        unproven += (unproven.empty() ? "" : " && ") + describe(*requirement);
    return unproven;
  }
  std::string withWidth(const std::string &requirement, const Goal &goal) const {
    if (requirement.find("coopDim()") == std::string::npos) return requirement;
    const hardware::Hardware &hardware = machines_[goal.machine].hardware;
    std::uint64_t lanes = hardware.lanes(hardware.levels[goal.what.level]);
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
  std::deque<Machine> machines_; // references into it last
  std::set<std::uint64_t> thresholds_;
  std::unordered_map<Goal::Key, GoalId, KeyHash> known_;
  std::map<std::tuple<std::size_t, std::size_t, Values, Bounds>, std::vector<SiteBounds>> siteBounds_;
  std::map<std::tuple<std::size_t, std::size_t, Values, std::vector<Extents>>, std::vector<Expected>> siteExpectations_;
  std::map<std::tuple<std::size_t, std::size_t, Place>, std::vector<Values>> tunableValues_;
};

Forest::Forest(const Module &module, const hardware::Hardware &hardware, const Facts &facts,
               const std::string &spectrum, unsigned depth, const ExpectedSizes &expected)
    : module_(module), hardware_(hardware), facts_(facts), spectrum_(spectrum) {
  ForestBuilder(*this, depth).run(expected);
}

} // namespace tangram
