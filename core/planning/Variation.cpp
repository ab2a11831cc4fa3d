#include "tangram/planning/Variation.h"

#include "tangram/planning/Derivations.h"

#include <algorithm>

namespace tangram {
namespace {

std::size_t below(std::size_t n, std::mt19937_64 &random) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

/// Without the fallback of a guard, of which there is one only.
std::size_t ownChildren(const PlanNode &node) { return node.children.size() - (node.guarded ? 1 : 0); }
std::size_t ownChildren(const Alternative &a) { return a.children.size() - (a.guarded ? 1 : 0); }

PlanPtr replaced(const PlanPtr &node, const PlanNode *part, const PlanPtr &with) {
  if (node.get() == part) return with;
  for (std::size_t i = 0; i < node->children.size(); ++i)
    if (PlanPtr child = replaced(node->children[i], part, with); child != node->children[i]) {
      auto copy = std::make_shared<PlanNode>(*node);
      copy->children[i] = std::move(child);
      return copy;
    }
  return node;
}

/// Of the nodes below, each once: plans share parts, and one is replaced at a time.
PlanPtr unshared(const PlanPtr &node) {
  auto copy = std::make_shared<PlanNode>(*node);
  for (PlanPtr &child : copy->children) child = unshared(child);
  return copy;
}

} // namespace

struct Variation::Impl {
  explicit Impl(const Forest &forest) : forest_(forest), derivations_(forest) {}

  struct Place {
    GoalId id = 0;
    PlanPtr node;
  };
  void collect(GoalId id, const PlanPtr &node, std::vector<Place> &places) const;
  std::vector<Place> places(const Plan &plan) const;
  /// Alternatives of the place's point that may stand there instead.
  std::vector<std::size_t> others(const Place &place) const;
  /// The derivation of a point that is most like `node`, which may be null.
  PlanPtr adapt(GoalId id, const PlanNode *node, std::mt19937_64 &random) const;
  PlanPtr adapt(GoalId id, std::size_t alternative, const PlanNode *node, std::mt19937_64 &random) const;
  std::optional<std::size_t> alike(GoalId id, const PlanNode &node) const;
  Plan replace(const Plan &plan, const PlanNode *part, const PlanPtr &with) const;
  Plan mutate(const Plan &plan, std::mt19937_64 &random) const;
  Plan cross(const Plan &plan, const Plan &other, std::mt19937_64 &random) const;

  const Forest &forest_;
  Derivations derivations_;
};

Variation::Variation(const Forest &forest) : impl_(std::make_unique<Impl>(forest)) {}
Variation::~Variation() = default;

Plan Variation::draw(std::mt19937_64 &random) const { return impl_->derivations_.draw(random); }
Plan Variation::mutate(const Plan &plan, std::mt19937_64 &random) const { return impl_->mutate(plan, random); }
Plan Variation::cross(const Plan &plan, const Plan &other, std::mt19937_64 &random) const {
  return impl_->cross(plan, other, random);
}

void Variation::Impl::collect(GoalId id, const PlanPtr &node, std::vector<Place> &places) const {
  const Point &point = forest_.point(id);
  if (point.plain) return;
  std::optional<std::size_t> at = find(point, *node);
  if (!at) return; // of a plan file that is not of this forest
  places.push_back({id, node});
  const std::vector<GoalId> &children = point.alternatives[*at].children;
  for (std::size_t i = 0; i < children.size(); ++i) collect(children[i], node->children[i], places);
}

std::vector<Variation::Impl::Place> Variation::Impl::places(const Plan &plan) const {
  std::vector<Place> result;
  if (plan.root) collect(forest_.root(), plan.root, result);
  return result;
}

std::vector<std::size_t> Variation::Impl::others(const Place &place) const {
  const std::vector<Alternative> &all = forest_.point(place.id).alternatives;
  const std::optional<std::size_t> own = find(forest_.point(place.id), *place.node);
  std::vector<std::size_t> result;
  for (std::size_t a = 0; a < all.size(); ++a)
    if (a != own && derivations_.isComplete(place.id, a)) result.push_back(a);
  return result;
}

std::optional<std::size_t> Variation::Impl::alike(GoalId id, const PlanNode &node) const {
  const Point &point = forest_.point(id);
  if (point.spectrum != node.spectrum || point.level != node.level) return {};
  std::optional<std::size_t> result;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const Alternative &a = point.alternatives[i];
    if (a.rule != node.rule || a.to != node.to || (a.codelet ? a.codelet->name : "") != node.codelet ||
        ownChildren(a) != ownChildren(node) || !derivations_.isComplete(id, i))
      continue;
    if (a.parameters == node.parameters) return i;
    if (!result) result = i;
  }
  return result;
}

PlanPtr Variation::Impl::adapt(GoalId id, const PlanNode *node, std::mt19937_64 &random) const {
  // It may be that something from further below can stand here.
  for (const PlanNode *at = node; at; at = at->children.empty() ? nullptr : at->children.front().get())
    if (std::optional<std::size_t> alternative = alike(id, *at)) return adapt(id, *alternative, at, random);
  return derivations_.draw(id, random);
}

PlanPtr Variation::Impl::adapt(GoalId id, std::size_t alternative, const PlanNode *node,
                               std::mt19937_64 &random) const {
  const Point &point = forest_.point(id);
  const Alternative &a = point.alternatives[alternative];
  std::vector<PlanPtr> children;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    const bool has = node && i < ownChildren(a) && i < ownChildren(*node);
    children.push_back(adapt(a.children[i], has ? node->children[i].get() : nullptr, random));
  }
  return makePlanNode(point, a, std::move(children));
}

Plan Variation::Impl::replace(const Plan &plan, const PlanNode *part, const PlanPtr &with) const {
  Plan result = forest_.plan(replaced(plan.root, part, with));
  result.target = plan.target;
  return result;
}

Plan Variation::Impl::mutate(const Plan &plan, std::mt19937_64 &random) const {
  Plan own = plan;
  own.root = unshared(plan.root);
  std::vector<Place> candidates = places(own);
  std::erase_if(candidates, [&](const Place &place) { return others(place).empty(); });
  if (candidates.empty()) return plan;
  const Place &place = candidates[below(candidates.size(), random)];
  std::vector<std::size_t> choices = others(place);
  // Values alone and other rules are as likely as each other, however many values there are.
  const Point &point = forest_.point(place.id);
  const Alternative &now = point.alternatives[*find(point, *place.node)];
  auto middle = std::stable_partition(choices.begin(), choices.end(),
                                      [&](std::size_t a) { return sameRule(point.alternatives[a], now); });
  const auto values = static_cast<std::size_t>(middle - choices.begin());
  const bool both = values > 0 && values < choices.size();
  const bool valuesOnly = both ? below(2, random) == 0 : values > 0;
  const std::size_t choice =
      valuesOnly ? choices[below(values, random)] : choices[values + below(choices.size() - values, random)];
  const Alternative &then = point.alternatives[choice];
  // Below the same rule stands what stood there; below another one perhaps the whole, one level further down.
  PlanPtr with;
  if (sameRule(then, now) || ownChildren(then) == ownChildren(now)) {
    with = adapt(place.id, choice, place.node.get(), random);
  } else {
    std::vector<PlanPtr> children;
    for (GoalId child : then.children) children.push_back(adapt(child, place.node.get(), random));
    with = makePlanNode(point, then, std::move(children));
  }
  return replace(own, place.node.get(), with);
}

Plan Variation::Impl::cross(const Plan &plan, const Plan &other, std::mt19937_64 &random) const {
  Plan own = plan;
  own.root = unshared(plan.root);
  std::vector<std::pair<Place, PlanPtr>> pairs;
  const std::vector<Place> theirs = places(other);
  for (const Place &mine : places(own))
    for (const Place &their : theirs) {
      const Point &a = forest_.point(mine.id), &b = forest_.point(their.id);
      if (a.isMap == b.isMap && a.spectrum == b.spectrum && a.level == b.level && !(*mine.node == *their.node))
        pairs.emplace_back(mine, their.node);
    }
  if (pairs.empty()) return plan;
  const auto &[place, part] = pairs[below(pairs.size(), random)];
  return replace(own, place.node.get(), adapt(place.id, part.get(), random));
}

} // namespace tangram
