#include "Grammar.h"
#include "Machines.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Interned.h"
#include "tangram/compose/Requirement.h"
#include "tangram/compose/Sizes.h"
#include "tangram/compose/TunableChoice.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unordered_map>

namespace tangram {

using namespace ast;

namespace {

constexpr DiagnosticKind kUnknownSpectrum{"compose.unknown-spectrum", DiagnosticClass::User,
                                          "there is no spectrum '{}'", "use {1}"};
constexpr DiagnosticKind kWithoutLevels{"compose.no-levels", DiagnosticClass::User, "target '{}' has no levels",
                                        "give it at least one level that computes"};

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
        machines_(forest.hardware_) {}

  void run() {
    if (forest_.hardware_.levels.empty()) fail(kWithoutLevels, {}, forest_.hardware_.name);
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
    Goal goal;
    goal.what = {GoalKind::Call, spectrum, 0};
    goal.depth = depth_;
    goal.bounds = canonical(spectrum, {});
    forest_.root_ = point(goal);
    goal.what.kind = GoalKind::PlainCall;
    // What others are compared with is none of them: it may go deeper.
    unsigned plainHeight = grammar_.productions(goal.what).height;
    if (plainHeight != kNoHeight) goal.depth = std::max(goal.depth, plainHeight);
    forest_.plainRoot_ = point(goal);
  }

  /// Of a point. Where a child cannot be composed it asks for that one's, so that all are kept.
  const std::vector<Rejection> &rejections(GoalId id) {
    if (auto it = rejections_.find(id); it != rejections_.end()) return it->second;
    const Goal goal = *goals_[id];
    std::vector<Rejection> result =
        goal.what.isPlain() ? std::vector<Rejection>{} : grammar_.productions(goal.what).rejected;
    for (const Production *production : productions(goal)) {
      std::optional<std::string> why = refusal(goal, *production);
      const bool select = production->rule == Rule::Select;
      if (why)
        result.push_back({production->rule,
                          select ? grammar_.shape(goal.what.spectrum, production->codelet).codelet->name : "",
                          std::move(*why)});
      else if (goal.what.isPlain())
        break;
    }
    return rejections_[id] = std::move(result);
  }

private:
  using Place = Machines::Place;
  using Values = std::map<std::string, std::int64_t>; // of tunables, of a factor, of units
  using BoundsId = Interned<Bounds>::Id;

  struct Goal {
    Nonterminal what;
    unsigned depth = 0;
    BoundsId bounds = Interned<Bounds>::kNone;
    SizeBound elements, work; // of a map
    Stride acrossCalls = Stride::Zero;
    Machines::Id machine = 0;                               // how many units its levels have here
    Interned<Values>::Id scalars = Interned<Values>::kNone; // parameters that are known
    bool operator==(const Goal &) const = default;

    Place place() const { return {what.level, machine}; }
  };

  struct GoalHash {
    std::size_t operator()(const Goal &goal) const {
      std::size_t seed = 0;
      const Nonterminal &what = goal.what;
      for (std::size_t n : {static_cast<std::size_t>(what.kind), what.spectrum, what.level, what.context,
                            std::size_t{goal.depth}, std::size_t{goal.bounds},
                            static_cast<std::size_t>(goal.acrossCalls), goal.machine, std::size_t{goal.scalars}})
        boost::hash_combine(seed, n);
      for (const SizeBound &n : {goal.elements, goal.work}) boost::hash_combine(seed, n ? *n + 1 : 0);
      return seed;
    }
  };

  /// What a production may be with, and where that leads.
  struct Choice {
    Values values;
    Interned<Values>::Id id;
    Machines::Id machine; // of the level that the goal is at, with the units that are asked for
  };

  /// What is known of one site of a codelet.
  struct Site {
    BoundsId arguments;
    SizeBound elements, work;
    Interned<Values>::Id scalars;
  };

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
  BoundsId canonical(std::size_t spectrum, Bounds bounds) {
    if (!grammar_.sizesMatter(spectrum)) return {};
    const Spectrum &s = *forest_.module_.spectrums[spectrum];
    limitByConditions(s, bounds);
    for (SizeBound &bound : bounds) bound = rounded(bound);
    while (!bounds.empty() && !bounds.back()) bounds.pop_back();
    return bounds_.id(std::move(bounds));
  }

  /// The values of a choice, and parameters that are known.
  Values known(const Choice &choice, Interned<Values>::Id scalars) const {
    Values result = choice.values;
    result.insert(values_[scalars].begin(), values_[scalars].end());
    return result;
  }

  const std::vector<Site> &siteBounds(std::size_t spectrum, std::size_t codelet, const Choice &choice, BoundsId bounds,
                                      Interned<Values>::Id scalars) {
    auto [it, fresh] = siteBounds_.try_emplace(std::tuple(spectrum, codelet, choice.id, bounds, scalars));
    if (!fresh) return it->second;
    const CodeletShape &shape = grammar_.shape(spectrum, codelet);
    if (shape.sites.empty()) return it->second;
    // Requirements are proved from what a plan's own rule says (PlanCheck).
    Sizes sizes(&forest_.module_, *shape.codelet, bounds_[bounds], exactly(choice.values));
    Sizes passing(&forest_.module_, *shape.codelet, {}, exactly(known(choice, scalars)));
    for (std::size_t i = 0; i < shape.sites.size(); ++i) {
      SiteBounds site = sizes.site(shape.sites[i]);
      it->second.push_back({canonical(shape.callees[i], std::move(site.arguments)), rounded(site.elements),
                            rounded(site.work), values_.id(passing.scalars(shape.sites[i]))});
    }
    return it->second;
  }

  // ---- values that productions may have ----

  /// The default ones first.
  const std::vector<Choice> &choices(const Goal &goal, const Production &production) {
    const bool any = !goal.what.isPlain() && !goal.what.inLanes();
    const bool select = production.rule == Rule::Select;
    auto [it, fresh] = choices_.try_emplace(std::tuple(production.rule, select ? goal.what.spectrum : 0,
                                                       select ? production.codelet : 0, goal.place(), any,
                                                       select ? goal.scalars : Interned<Values>::kNone));
    if (!fresh) return it->second;
    for (Values &values : values(goal, production, any)) {
      const Interned<Values>::Id id = values_.id(values);
      hardware::Units units;
      if (!select) units = values;
      units.erase("factor");
      units.erase("grain");
      it->second.push_back({std::move(values), id, machines_.with(goal.place(), units)});
    }
    return it->second;
  }

  std::vector<Values> values(const Goal &goal, const Production &production, bool any) {
    const Place here = goal.place();
    switch (production.rule) {
    case Rule::Select:
      return tunableValues(*grammar_.shape(goal.what.spectrum, production.codelet).codelet, here, any,
                           values_[goal.scalars]);
    case Rule::Devolve:
      // Of one iteration there is nothing to unroll.
      if (any && !areIterations(machines_.level(here).sync)) return machines_.choices(here);
      break;
    case Rule::Distribute:
      if (any) return machines_.choices(here);
      break;
    case Rule::Split: return factors(any ? machines_.choices(here) : std::vector<Values>{{}}, here, any);
    default: break; // nothing to choose
    }
    return {{}};
  }

  /// What a codelet's tunables may be where it is composed at a level, each with each; `scalars`: its parameters that
  /// are known.
  std::vector<Values> tunableValues(const Codelet &codelet, const Place &at, bool any, const Values &scalars) const {
    std::vector<Values> result{{}};
    walk(codelet.body, [&](const Declare &d) {
      if (!d.tunable) return;
      std::vector<Values> all;
      for (std::int64_t value : tunableChoices(*d.tunable, machines_[at.machine], machines_.level(at), scalars))
        for (Values values : result) {
          values[d.name] = value;
          all.push_back(std::move(values));
        }
      result = std::move(all);
    });
    if (!any) result.resize(1);
    return result;
  }

  /// A map is split into as many parts as the level below has workers, or a few times as many: what is uneven evens
  /// out. Above lanes in lock step, parts may also be those of whole lanes: of few calls, some workers get none then.
  std::vector<Values> factors(const std::vector<Values> &units, const Place &at, bool any) {
    std::vector<Values> result;
    for (const Values &asked : units) {
      const hardware::Hardware &hardware = machines_[machines_.with(at, asked)];
      const hardware::Level *below = hardware.below(hardware.levels[at.level]);
      const std::int64_t own = below ? std::max<std::int64_t>(static_cast<std::int64_t>(below->workers.count), 1) : 1;
      for (std::int64_t times : {1, 4}) {
        if (times > 1 && !any) break;
        result.push_back(asked);
        result.back()["factor"] = own * times;
      }
      if (const std::uint64_t lanes = lockStepLanes(hardware, below); any && lanes > 1) {
        result.push_back(asked);
        result.back()["factor"] = own;
        result.back()["grain"] = static_cast<std::int64_t>(lanes);
      }
    }
    return result;
  }

  /// Of the units below, that read memory side by side; 1: none do.
  static std::uint64_t lockStepLanes(const hardware::Hardware &hardware, const hardware::Level *level) {
    for (; level; level = hardware.below(*level))
      if (areLanes(level->sync)) {
        const hardware::Level *lanes = hardware.below(*level);
        return lanes ? lanes->workers.count : 1;
      }
    return 1;
  }

  Stride acrossCalls(const Expr *site) const {
    const auto *map = dyn<Map>(site);
    return map ? forest_.facts_.acrossCalls(*map) : Stride::Zero;
  }

  // ---- points ----

  GoalId point(const Goal &goal) {
    if (auto it = known_.find(goal); it != known_.end()) return it->second;
    Point result;
    result.isMap = goal.what.isMap();
    result.plain = goal.what.isPlain();
    result.spectrum = forest_.module_.spectrums[goal.what.spectrum]->name;
    result.level = forest_.hardware_.levels[goal.what.level].name;
    result.depth = goal.depth;
    result.units = machines_.units(goal.machine);
    result.bounds = bounds_[goal.bounds];
    result.elements = goal.elements;
    result.work = goal.work;
    result.scalars = values_[goal.scalars];
    result.acrossCalls = goal.acrossCalls;
    for (const Production *production : productions(goal)) {
      if (production->height > goal.depth) continue; // the least of all depths is more than any
      for (const Choice &choice : choices(goal, *production))
        if (std::optional<Alternative> made = alternative(goal, *production, choice, nullptr))
          result.alternatives.push_back(std::move(*made));
      if (goal.what.isPlain() && !result.alternatives.empty()) break;
    }
    forest_.points_.push_back(std::move(result));
    const GoalId id = forest_.points_.size() - 1;
    goals_.push_back(&known_.emplace(goal, id).first->first);
    return id;
  }

  /// What the machine allows at a goal, in the order of its alternatives; of a plain one the first that can be composed
  /// counts.
  std::vector<const Production *> productions(const Goal &goal) const {
    std::vector<const Production *> order;
    for (const Production &production : grammar_.productions(goal.what).allowed) order.push_back(&production);
    if (!goal.what.isPlain()) return order;
    // Of codelets that go as deep, the shortest; others after them.
    auto length = [&](const Production *p) {
      return p->rule == Rule::Select ? nodeCount(grammar_.shape(goal.what.spectrum, p->codelet).codelet->body)
                                     : std::numeric_limits<std::size_t>::max();
    };
    std::stable_sort(order.begin(), order.end(), [&](auto *a, auto *b) {
      return a->height != b->height ? a->height < b->height : length(a) < length(b);
    });
    return order;
  }

  /// Why a production is not allowed with its default values; nothing where it is.
  std::optional<std::string> refusal(const Goal &goal, const Production &production) {
    if (production.height == kNoHeight) return grammar_.whyEndless(goal.what, production);
    if (production.height > goal.depth)
      return fmt::format("needs {} than the search depth {} leaves", plural(production.height - goal.depth), depth_);
    std::string why;
    if (alternative(goal, production, choices(goal, production).front(), &why)) return {};
    return why;
  }

  std::optional<Alternative> alternative(const Goal &goal, const Production &production, const Choice &choice,
                                         std::string *why) {
    return production.rule == Rule::Select ? selected(goal, production, choice, why)
                                           : divided(goal, production, choice, why);
  }

  /// Nothing where it is not allowed; `why` then says why not, if it is asked for.
  std::optional<Alternative> selected(const Goal &goal, const Production &production, const Choice &choice,
                                      std::string *why) {
    const CodeletShape &shape = grammar_.shape(goal.what.spectrum, production.codelet);
    const hardware::Level &level = machines_.level(goal.place());
    const unsigned depth = goal.depth - production.depth;
    Alternative alternative = begun(production, choice);
    alternative.codelet = shape.codelet;
    std::string unproven = requirement(goal, shape, level);
    if (!unproven.empty() && (goal.what.isPlain() || goal.what.inLanes())) {
      if (why) *why = fmt::format("needs {}, which is not provable here", unproven);
      return {};
    }
    const std::vector<Site> &sites =
        siteBounds(goal.what.spectrum, production.codelet, choice, goal.bounds, goal.scalars);
    for (std::size_t i = 0; i < production.children.size(); ++i) {
      Goal below;
      below.what = production.children[i];
      below.depth = depth;
      below.bounds = sites[i].arguments;
      below.elements = sites[i].elements;
      below.work = sites[i].work;
      below.machine = goal.machine;
      if (!goal.what.isPlain()) {
        below.scalars = sites[i].scalars;
        below.acrossCalls = below.what.isMap() ? acrossCalls(shape.sites[i]) : goal.acrossCalls;
      }
      if (!child(alternative, below, why)) return {};
    }
    if (unproven.empty()) return alternative;
    alternative.guarded = true;
    alternative.condition = unproven;
    Goal plain;
    plain.what = goal.what;
    plain.what.kind = GoalKind::PlainCall;
    plain.depth = depth;
    plain.bounds = goal.bounds;
    plain.machine = goal.machine;
    GoalId fallback = point(plain);
    if (forest_.points_[fallback].alternatives.empty()) {
      if (why)
        *why = fmt::format("needs {}, but the container may have more elements, and {}", withWidth(unproven, goal),
                           noFallback(fallback, goal));
      return {};
    }
    alternative.children.push_back(fallback);
    return alternative;
  }

  static Alternative begun(const Production &production, const Choice &choice) {
    Alternative alternative;
    alternative.rule = production.rule;
    alternative.capability = production.capability;
    alternative.parameters = choice.values;
    return alternative;
  }

  /// A rule other than Select.
  std::optional<Alternative> divided(const Goal &goal, const Production &production, const Choice &choice,
                                     std::string *why) {
    const hardware::Hardware &hardware = machines_[choice.machine];
    const hardware::Level &level = hardware.levels[goal.what.level];
    Alternative alternative = begun(production, choice);
    if (production.rule != Rule::Serialize) alternative.to = level.subordinate;
    const bool same = production.rule == Rule::Distribute || production.rule == Rule::Serialize;
    Goal below;
    below.what = production.children[0];
    below.depth = goal.depth - (same ? 0 : 1);
    below.bounds = goal.bounds;
    below.scalars = goal.scalars;
    below.machine = machines_.with({below.what.level, choice.machine});
    if (production.rule == Rule::Distribute && level.tiling == hardware::Tiling::Strided &&
        hardware.levels[below.what.level].scalar)
      below.acrossCalls = goal.acrossCalls;
    if (production.rule == Rule::Split) {
      if (goal.elements) below.elements = rounded(Chunks(choice.values).calls(*goal.elements));
      below.work = goal.work;
      below.acrossCalls = goal.acrossCalls;
    }
    if (!child(alternative, below, why)) return {};
    return alternative;
  }

  bool child(Alternative &alternative, const Goal &goal, std::string *why) {
    GoalId id = point(goal);
    const Point &below = forest_.points_[id];
    alternative.children.push_back(id);
    if (!below.alternatives.empty()) return true;
    if (!why) return false;
    *why = fmt::format("'{}' cannot be composed at level '{}' with {} rules", below.spectrum, below.level, below.depth);
    if (const std::vector<Rejection> &refused = rejections(id); !refused.empty()) {
      const Rejection &first = refused.front();
      *why += fmt::format(": {} {}", capitalized(first.rule, first.codelet), first.reason);
    }
    return false;
  }

  /// What of a codelet's requirements does not follow from the sizes here; empty where all does.
  std::string requirement(const Goal &goal, const CodeletShape &shape, const hardware::Level &level) const {
    std::string unproven;
    for (const Expr *requirement : shape.requirements)
      if (!provable(*requirement, *shape.codelet, bounds_[goal.bounds], machines_[goal.machine].lanes(level)))
        unproven += (unproven.empty() ? "" : " && ") + describe(*requirement);
    return unproven;
  }
  std::string withWidth(const std::string &requirement, const Goal &goal) const {
    if (requirement.find("coopDim()") == std::string::npos) return requirement;
    std::uint64_t lanes = machines_[goal.machine].lanes(machines_.level(goal.place()));
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
  Machines machines_;
  std::set<std::uint64_t> thresholds_;
  Interned<Bounds> bounds_;
  Interned<Values> values_;
  std::unordered_map<Goal, GoalId, GoalHash> known_;
  std::vector<const Goal *> goals_; // of each point
  std::map<GoalId, std::vector<Rejection>> rejections_;
  std::map<std::tuple<std::size_t, std::size_t, Interned<Values>::Id, BoundsId, Interned<Values>::Id>,
           std::vector<Site>>
      siteBounds_;
  std::map<std::tuple<Rule, std::size_t, std::size_t, Place, bool, Interned<Values>::Id>, std::vector<Choice>> choices_;
};

Forest::Forest(const Module &module, const hardware::Hardware &hardware, const Facts &facts,
               const std::string &spectrum, unsigned depth, ExpectedSizes expected)
    : module_(module), hardware_(hardware), facts_(facts), spectrum_(spectrum), expected_(std::move(expected)),
      builder_(std::make_unique<ForestBuilder>(*this, depth)) {
  builder_->run();
}

Forest::~Forest() = default;

std::vector<Rejection> Forest::rejections(GoalId id) const { return builder_->rejections(id); }

} // namespace tangram
