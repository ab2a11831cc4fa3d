#include "tangram/compose/Forest.h"

#include <set>

namespace tangram {
namespace {

/// One derivation of a point: an alternative, and which derivation (by rank) of each of its children.
struct Derivation {
  double cost = 0;
  Count index; // in the stable order: breaks ties
  std::size_t alternative = 0;
  std::vector<std::size_t> ranks;

  bool operator<(const Derivation &other) const { return cost != other.cost ? cost < other.cost : index < other.index; }
};

/// Lazy k-best derivations of an acyclic hypergraph: the next best of a point is a neighbour of one already found.
class Search {
public:
  Search(const Forest &forest, const std::function<double(const Point &, const Alternative &)> &cost)
      : forest_(forest), cost_(cost), states_(forest.size()) {}

  /// The derivation of that rank, or null where there are fewer.
  const Derivation *find(GoalId id, std::size_t rank) {
    State &state = start(id);
    while (state.found.size() <= rank) {
      if (!state.found.empty() && !state.expanded) {
        state.expanded = true;
        expand(id, state.found.back());
      }
      if (state.candidates.empty()) return nullptr;
      state.found.push_back(*state.candidates.begin());
      state.candidates.erase(state.candidates.begin());
      state.expanded = false;
    }
    return &state.found[rank];
  }

  PlanPtr plan(GoalId id, std::size_t rank) {
    Derivation derivation = *find(id, rank);
    const Point &point = forest_.point(id);
    const Alternative &alternative = point.alternatives[derivation.alternative];
    std::vector<PlanPtr> children;
    for (std::size_t i = 0; i < alternative.children.size(); ++i)
      children.push_back(plan(alternative.children[i], derivation.ranks[i]));
    return makePlanNode(point, alternative, std::move(children));
  }

private:
  struct State {
    bool started = false, expanded = false;
    std::vector<Derivation> found;
    std::set<Derivation> candidates; // an index stands for one derivation, so none comes twice
    std::vector<double> costs;       // of each alternative by itself
  };

  State &start(GoalId id) {
    State &state = states_[id];
    if (state.started) return state;
    state.started = true;
    const Point &point = forest_.point(id);
    for (std::size_t a = 0; a < point.alternatives.size(); ++a) {
      state.costs.push_back(cost_(point, point.alternatives[a]));
      consider(id, a, std::vector<std::size_t>(point.alternatives[a].children.size(), 0));
    }
    return state;
  }

  void consider(GoalId id, std::size_t choice, std::vector<std::size_t> ranks) {
    const Point &point = forest_.point(id);
    const Alternative &alternative = point.alternatives[choice];
    Derivation derivation{states_[id].costs[choice], 0, choice, std::move(ranks)};
    for (std::size_t i = 0; i < alternative.children.size(); ++i) {
      const Derivation *child = find(alternative.children[i], derivation.ranks[i]);
      if (!child) return;
      derivation.cost += child->cost;
      derivation.index = derivation.index * forest_.count(alternative.children[i]) + child->index;
    }
    for (std::size_t a = 0; a < choice; ++a) derivation.index += forest_.count(point.alternatives[a]);
    states_[id].candidates.insert(std::move(derivation));
  }

  void expand(GoalId id, const Derivation &derivation) {
    for (std::size_t i = 0; i < derivation.ranks.size(); ++i) {
      std::vector<std::size_t> ranks = derivation.ranks;
      ++ranks[i];
      consider(id, derivation.alternative, std::move(ranks));
    }
  }

  const Forest &forest_;
  const std::function<double(const Point &, const Alternative &)> &cost_;
  std::vector<State> states_;
};

} // namespace

std::vector<Plan> Forest::best(std::size_t k,
                               const std::function<double(const Point &, const Alternative &)> &cost) const {
  std::vector<Plan> result;
  Search search(*this, cost);
  while (result.size() < k && search.find(root_, result.size()))
    result.push_back(finish(search.plan(root_, result.size())));
  return result;
}

} // namespace tangram
