#include "tangram/planning/Cost.h"
#include "tangram/planning/ValueGrid.h"

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/functional/hash.hpp>
#include <cmath>
#include <deque>
#include <set>
#include <unordered_map>

namespace tangram {
namespace {

/// One derivation of a point: an alternative, and which derivation (by rank) of each of its children.
struct Derivation {
  double cost = 0;
  std::size_t alternative = 0;
  std::vector<std::size_t> ranks;
  std::vector<const Derivation *> parts;
};

/// Of two derivations of a point, in the forest's stable order.
bool standsBefore(const Derivation &a, const Derivation &b) {
  if (a.alternative != b.alternative) return a.alternative < b.alternative;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (a.parts[i] != b.parts[i]) return standsBefore(*a.parts[i], *b.parts[i]);
  return false;
}

struct Cheaper {
  bool operator()(const Derivation &a, const Derivation &b) const {
    return a.cost != b.cost ? a.cost < b.cost : standsBefore(a, b);
  }
};

/// Least costs of points. In surroundings that are like some in which a point was searched, only that is tried which
/// was best in any. What that overlooks is looked for along what is best at last (refine).
class LeastCosts {
public:
  using Surroundings = Cost::Surroundings;
  LeastCosts(const Forest &forest, const Cost &cost)
      : forest_(forest), cost_(cost), rules_(forest.size()), known_(forest.size()), best_(forest.size()) {}

  struct Least {
    double cost = HUGE_VAL; // infinite: there is no derivation
    std::size_t alternative = 0;
    bool operator<(const Least &other) const {
      return cost != other.cost ? cost < other.cost : alternative < other.alternative;
    }
  };

  Least of(GoalId id, Surroundings surroundings) {
    if (auto known = known_[id].find(surroundings); known != known_[id].end()) return known->second;
    Least result;
    const bool first = searched_.insert({id, cost_.alike(surroundings)}).second;
    std::vector<std::size_t> &best = best_[id];
    if (!first)
      for (std::size_t i = 0; i < best.size(); ++i) // there may be more meanwhile
        result = std::min(result, with(forest_.point(id), best[i], surroundings, result.cost));
    if (!std::isfinite(result.cost)) {
      look(id, surroundings, [&](const Least &least) { result = std::min(result, least); });
      if (std::find(best.begin(), best.end(), result.alternative) == best.end()) best.push_back(result.alternative);
    }
    known_[id].insert_or_assign(surroundings, result);
    return result;
  }

  /// Begins anew, with what was best anywhere to be tried.
  void again() {
    for (auto &known : known_) known.clear();
    searched_.clear();
  }

  /// Searches a point, and those below what is best there or not much worse, once more.
  void refine(GoalId id, Surroundings surroundings) {
    if (!refined_.insert({id, surroundings}).second) return;
    const Point &point = forest_.point(id);
    std::vector<Least> tried;
    look(id, surroundings, [&](const Least &least) { tried.push_back(least); });
    std::sort(tried.begin(), tried.end());
    Least best;
    for (std::size_t n = 0; n < tried.size() && n < kRefined && tried[n].cost <= kNotMuchWorse * tried[0].cost; ++n) {
      const Alternative &alternative = point.alternatives[tried[n].alternative];
      for (std::size_t i = 0; i < alternative.children.size(); ++i)
        refine(alternative.children[i], below(point, alternative, i, surroundings));
      best = std::min(best, with(point, tried[n].alternative, surroundings, best.cost));
    }
    known_[id].insert_or_assign(surroundings, best);
  }

  /// Alternatives that are tried, with the least that a derivation costs that begins with them; of those that cost more
  /// than one before, a cost that is not more than that.
  template <class See> void look(GoalId id, Surroundings surroundings, const See &see) {
    const Point &point = forest_.point(id);
    double limit = HUGE_VAL;
    for (Rules &of : rulesOf(id))
      of.good = of.grid.least(
          [&](std::size_t i) {
            const Least least = with(point, of.first + i, surroundings, limit);
            see(least);
            limit = std::min(limit, least.cost);
            return least.cost;
          },
          of.good);
  }

  /// All is searched twice and more, in the same surroundings.
  Surroundings below(const Point &point, const Alternative &alternative, std::size_t child, Surroundings here) {
    const auto [known, fresh] = below_.try_emplace({&alternative.children[child], here});
    if (fresh) known->second = cost_.below(point, alternative, child, here);
    return known->second;
  }

private:
  /// Alternatives of a point that are looked into once more, where they cost so many times what the best does.
  static constexpr unsigned kRefined = 8;
  static constexpr double kNotMuchWorse = 1.3;

  /// The same rule, with all its values.
  struct Rules {
    std::size_t first;
    ValueGrid grid;
    std::size_t good = 0; // values that were best in other surroundings
  };
  std::vector<Rules> &rulesOf(GoalId id) {
    std::optional<std::vector<Rules>> &known = rules_[id];
    if (known) return *known;
    const auto &all = forest_.point(id).alternatives;
    known.emplace();
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
      std::vector<const Scalars *> values;
      for (; end < all.size() && sameRule(all[first], all[end]); ++end) values.push_back(&all[end].parameters);
      known->push_back({.first = first, .grid = ValueGrid(values)});
    }
    return *known;
  }

  /// Exact where it is not more than the limit.
  Least with(const Point &point, std::size_t which, Surroundings surroundings, double limit) {
    const Alternative &alternative = point.alternatives[which];
    const Charge charge = cost_.of(point, alternative, surroundings);
    double sum = charge.own;
    for (std::size_t i = 0; i < alternative.children.size() && sum <= limit; ++i) {
      const double part = of(alternative.children[i], below(point, alternative, i, surroundings)).cost;
      if (!std::isfinite(part)) return {HUGE_VAL, which};
      sum += charge.times[i] * part;
    }
    return {sum, which};
  }

  const Forest &forest_;
  const Cost &cost_;
  std::vector<std::optional<std::vector<Rules>>> rules_; // of each point
  std::vector<boost::container::flat_map<Surroundings, Least>> known_;
  std::vector<std::vector<std::size_t>> best_;         // alternatives of each point that were, in some surroundings
  std::set<std::pair<GoalId, Surroundings>> searched_; // in surroundings that are alike
  std::set<std::pair<GoalId, Surroundings>> refined_;
  using Child = std::pair<const GoalId *, Surroundings>; // of an alternative
  std::unordered_map<Child, Surroundings, boost::hash<Child>> below_;
};

/// Lazy k-best derivations of an acyclic hypergraph: the next best of a point is a neighbour of one already found, or
/// begins with an alternative of which only a bound was asked so far.
class Search {
public:
  using Surroundings = Cost::Surroundings;
  Search(const Forest &forest, const Cost &cost) : forest_(forest), cost_(cost), least_(forest, cost) {}

  /// Finds out what is best where, so that it is tried everywhere.
  void prepare() {
    least_.of(forest_.root(), 0);
    least_.again();
  }

  /// The derivation of that rank, or null where there are fewer.
  const Derivation *find(GoalId id, Surroundings surroundings, std::size_t rank) {
    auto [it, fresh] = states_.try_emplace({id, surroundings});
    State &state = it->second; // stays where it is
    if (fresh) {
      state.id = id;
      state.surroundings = surroundings;
      takeBest(state);
    }
    while (state.found.size() <= rank) {
      if (state.found.empty()) return nullptr;
      if (!state.expanded) {
        state.expanded = true;
        if (state.found.size() == 1) considerOthers(state);
        expand(state, state.found.back());
      }
      // Of what costs at least as much as the next it makes no difference what exactly.
      while (!state.bounded.empty() &&
             (state.candidates.empty() || state.bounded.begin()->first <= state.candidates.begin()->cost)) {
        const std::size_t alternative = state.bounded.extract(state.bounded.begin()).value().second;
        consider(state, alternative,
                 std::vector<std::size_t>(forest_.point(id).alternatives[alternative].children.size(), 0));
      }
      if (state.candidates.empty()) return nullptr;
      state.found.push_back(std::move(state.candidates.extract(state.candidates.begin()).value()));
      state.expanded = false;
    }
    return &state.found[rank];
  }

  /// Along a derivation, what the other rules of each point cost.
  void compare(GoalId id, Surroundings surroundings, const Derivation &chosen, std::vector<OtherRule> &others) {
    const Point &point = forest_.point(id);
    const Alternative &alternative = point.alternatives[chosen.alternative];
    const std::vector<std::size_t> rules = rulesAt(point);
    std::vector<double> least(rules.size(), HUGE_VAL);
    least_.look(id, surroundings, [&](const LeastCosts::Least &tried) {
      for (std::size_t r = 0; r < rules.size(); ++r)
        if (sameRule(point.alternatives[rules[r]], point.alternatives[tried.alternative]))
          least[r] = std::min(least[r], tried.cost);
    });
    for (std::size_t r = 0; r < rules.size(); ++r)
      if (!sameRule(point.alternatives[rules[r]], alternative))
        others.push_back({id, rules[r], std::max(1.0, least[r] / std::max(chosen.cost, 1e-30))});
    for (std::size_t i = 0; i < alternative.children.size(); ++i)
      compare(alternative.children[i], least_.below(point, alternative, i, surroundings), *chosen.parts[i], others);
  }

  PlanPtr plan(GoalId id, const Derivation &derivation) const {
    const Point &point = forest_.point(id);
    const Alternative &alternative = point.alternatives[derivation.alternative];
    std::vector<PlanPtr> children;
    for (std::size_t i = 0; i < alternative.children.size(); ++i)
      children.push_back(plan(alternative.children[i], *derivation.parts[i]));
    return makePlanNode(point, alternative, std::move(children));
  }

private:
  struct State {
    GoalId id = 0;
    Surroundings surroundings = 0;
    bool expanded = false;
    std::deque<Derivation> found; // pointed to
    std::set<Derivation, Cheaper> candidates;
    std::set<std::pair<double, std::size_t>> bounded; // alternatives by what they cost at least
  };

  void takeBest(State &state) {
    least_.refine(state.id, state.surroundings);
    const LeastCosts::Least best = least_.of(state.id, state.surroundings);
    if (!std::isfinite(best.cost)) return;
    const Point &point = forest_.point(state.id);
    const Alternative &alternative = point.alternatives[best.alternative];
    Derivation derivation{best.cost, best.alternative, std::vector<std::size_t>(alternative.children.size(), 0), {}};
    for (std::size_t i = 0; i < alternative.children.size(); ++i)
      derivation.parts.push_back(
          find(alternative.children[i], least_.below(point, alternative, i, state.surroundings), 0));
    state.found.push_back(std::move(derivation));
  }

  void considerOthers(State &state) {
    least_.look(state.id, state.surroundings, [&](const LeastCosts::Least &least) {
      if (least.alternative != state.found.front().alternative && std::isfinite(least.cost))
        state.bounded.emplace(least.cost, least.alternative);
    });
  }

  void consider(State &state, std::size_t choice, std::vector<std::size_t> ranks) {
    const Point &point = forest_.point(state.id);
    const Alternative &alternative = point.alternatives[choice];
    Derivation derivation{0, choice, std::move(ranks), {}};
    std::vector<double> costs;
    for (std::size_t i = 0; i < alternative.children.size(); ++i) {
      const Derivation *part =
          find(alternative.children[i], least_.below(point, alternative, i, state.surroundings), derivation.ranks[i]);
      if (!part) return;
      derivation.parts.push_back(part);
      costs.push_back(part->cost);
    }
    derivation.cost = cost_.of(point, alternative, state.surroundings).total(costs);
    if (std::isfinite(derivation.cost)) state.candidates.insert(std::move(derivation));
  }

  void expand(State &state, const Derivation &derivation) {
    // Each is the neighbour of one other: of that with one less at the last part that is not its best.
    std::size_t last = derivation.ranks.size();
    while (last > 0 && derivation.ranks[last - 1] == 0) --last;
    for (std::size_t i = last == 0 ? 0 : last - 1; i < derivation.ranks.size(); ++i) {
      std::vector<std::size_t> ranks = derivation.ranks;
      ++ranks[i];
      consider(state, derivation.alternative, std::move(ranks));
    }
  }

  const Forest &forest_;
  const Cost &cost_;
  LeastCosts least_;
  using Key = std::pair<GoalId, Surroundings>;
  std::unordered_map<Key, State, boost::hash<Key>> states_;
};

} // namespace

std::vector<Plan> bestPlans(const Forest &forest, std::size_t k, const Cost &cost, std::vector<OtherRule> *others) {
  std::vector<Plan> result;
  Search search(forest, cost);
  search.prepare();
  while (result.size() < k)
    if (const Derivation *derivation = search.find(forest.root(), 0, result.size()))
      result.push_back(forest.plan(search.plan(forest.root(), *derivation)));
    else
      break;
  if (others && !result.empty()) search.compare(forest.root(), 0, *search.find(forest.root(), 0, 0), *others);
  return result;
}

} // namespace tangram
