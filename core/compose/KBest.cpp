#include "tangram/compose/Forest.h"

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

/// Lazy k-best derivations of an acyclic hypergraph: the next best of a point is a neighbour of one already found.
/// Derivations are kept only where they are asked for; elsewhere a point's least cost is all that is.
class Search {
public:
  using Surroundings = Cost::Surroundings;
  Search(const Forest &forest, const Cost &cost) : forest_(forest), cost_(cost), best_(forest.size()) {}

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
      if (state.candidates.empty()) return nullptr;
      state.found.push_back(std::move(state.candidates.extract(state.candidates.begin()).value()));
      state.expanded = false;
    }
    return &state.found[rank];
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
  };

  struct Best {
    double cost = HUGE_VAL;
    std::size_t alternative = 0;
  };

  Best best(GoalId id, Surroundings surroundings) {
    if (auto known = best_[id].find(surroundings); known != best_[id].end()) return known->second;
    const Point &point = forest_.point(id);
    Best result;
    std::vector<double> costs;
    for (std::size_t a = 0; a < point.alternatives.size(); ++a) {
      const Alternative &alternative = point.alternatives[a];
      costs.clear();
      for (std::size_t i = 0; i < alternative.children.size(); ++i) {
        const double part = best(alternative.children[i], cost_.below(point, alternative, i, surroundings)).cost;
        if (!std::isfinite(part)) break;
        costs.push_back(part);
      }
      if (costs.size() < alternative.children.size()) continue;
      const double cost = cost_.of(point, alternative, surroundings, costs);
      if (cost < result.cost) result = {cost, a};
    }
    best_[id].emplace(surroundings, result);
    return result;
  }

  void takeBest(State &state) {
    const Best best = this->best(state.id, state.surroundings);
    if (!std::isfinite(best.cost)) return;
    const Point &point = forest_.point(state.id);
    const Alternative &alternative = point.alternatives[best.alternative];
    Derivation derivation{best.cost, best.alternative, std::vector<std::size_t>(alternative.children.size(), 0), {}};
    for (std::size_t i = 0; i < alternative.children.size(); ++i)
      derivation.parts.push_back(
          find(alternative.children[i], cost_.below(point, alternative, i, state.surroundings), 0));
    state.found.push_back(std::move(derivation));
  }

  void considerOthers(State &state) {
    const Point &point = forest_.point(state.id);
    for (std::size_t a = 0; a < point.alternatives.size(); ++a)
      if (a != state.found.front().alternative)
        consider(state, a, std::vector<std::size_t>(point.alternatives[a].children.size(), 0));
  }

  void consider(State &state, std::size_t choice, std::vector<std::size_t> ranks) {
    const Point &point = forest_.point(state.id);
    const Alternative &alternative = point.alternatives[choice];
    Derivation derivation{0, choice, std::move(ranks), {}};
    std::vector<double> costs;
    for (std::size_t i = 0; i < alternative.children.size(); ++i) {
      const Derivation *part =
          find(alternative.children[i], cost_.below(point, alternative, i, state.surroundings), derivation.ranks[i]);
      if (!part) return;
      derivation.parts.push_back(part);
      costs.push_back(part->cost);
    }
    derivation.cost = cost_.of(point, alternative, state.surroundings, costs);
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
  using Key = std::pair<GoalId, Surroundings>;
  std::vector<boost::container::flat_map<Surroundings, Best>> best_; // of each point: a few of them, near one another
  std::unordered_map<Key, State, boost::hash<Key>> states_;
};

} // namespace

std::vector<Plan> Forest::best(std::size_t k, const Cost &cost) const {
  std::vector<Plan> result;
  Search search(*this, cost);
  while (result.size() < k)
    if (const Derivation *derivation = search.find(root_, 0, result.size()))
      result.push_back(finish(search.plan(root_, *derivation)));
    else
      break;
  return result;
}

} // namespace tangram
