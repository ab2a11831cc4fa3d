#include "tangram/planning/Derivations.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tangram {
namespace {

constexpr unsigned kNone = std::numeric_limits<unsigned>::max();
constexpr unsigned kDividing = 5; // rules that one which divides counts as

bool divides(Rule rule, std::size_t children, bool guarded) {
  return rule == Rule::Select && children > (guarded ? 1u : 0u);
}
unsigned costOf(Rule rule, std::size_t children, bool guarded) {
  return divides(rule, children, guarded) ? kDividing : 1;
}
unsigned costOf(const Alternative &a) { return costOf(a.rule, a.children.size(), a.guarded); }

PlanRules rulesOf(Rule rule, const std::string &spectrum, const std::string &level, const std::string &codelet,
                  const std::string &to) {
  PlanRules result;
  if (rule == Rule::Select) {
    result.codelets.insert(fmt::format("codelet {} of {}", codelet, spectrum));
    result.rules.insert(fmt::format("codelet {} of {} at {}", codelet, spectrum, level));
  } else {
    result.rules.insert(to.empty() ? fmt::format("{} at {}", name(rule), level)
                                   : fmt::format("{} from {} to {}", name(rule), level, to));
  }
  return result;
}
PlanRules rulesOf(const Point &point, const Alternative &a) {
  return rulesOf(a.rule, point.spectrum, point.level, a.codelet ? a.codelet->name : "", a.to);
}

void collect(const PlanNode &node, PlanRules &rules) {
  rules.add(rulesOf(node.rule, node.spectrum, node.level, node.codelet, node.to));
  for (std::size_t i = 0; i < node.children.size(); ++i)
    if (!node.guarded || i + 1 < node.children.size()) collect(*node.children[i], rules);
}

void collectSelects(const PlanPtr &node, std::vector<PlanPtr> &found) {
  if (node->rule == Rule::Select) found.push_back(node);
  for (const PlanPtr &child : node->children) collectSelects(child, found);
}

} // namespace

void PlanRules::add(const PlanRules &other) {
  codelets.insert(other.codelets.begin(), other.codelets.end());
  rules.insert(other.rules.begin(), other.rules.end());
}

PlanRules rulesOf(const Plan &plan) {
  PlanRules result;
  if (plan.root) collect(*plan.root, result);
  return result;
}

unsigned complexity(const PlanNode &node) {
  unsigned all = costOf(node.rule, node.children.size(), node.guarded);
  for (const PlanPtr &child : node.children) all += complexity(*child);
  return all;
}

Derivations::Derivations(const Forest &forest) : forest_(forest) {
  const std::size_t points = forest.size();
  cost_.assign(points, kNone);
  choice_.assign(points, 0);
  alternatives_.resize(points);
  contexts_.resize(points);
  // A point stands behind all that are below it.
  for (GoalId id = 0; id < points; ++id) {
    const Point &point = forest.point(id);
    for (std::size_t a = 0; a < point.alternatives.size(); ++a) {
      unsigned cost = costOf(point.alternatives[a]);
      for (GoalId child : point.alternatives[a].children)
        cost = cost_[child] == kNone || cost > kNone / 2 || cost_[child] > kNone / 2 ? kNone : cost + cost_[child];
      alternatives_[id].push_back(cost);
      if (cost >= cost_[id]) continue;
      cost_[id] = cost;
      choice_[id] = a;
    }
  }
  contexts_[forest.root()] = Context{};
  for (GoalId id = points; id-- > 0;) {
    if (!contexts_[id]) continue;
    const Point &point = forest.point(id);
    for (std::size_t a = 0; a < point.alternatives.size(); ++a) {
      if (alternatives_[id][a] == kNone) continue;
      if (!point.plain) rules_.add(rulesOf(point, point.alternatives[a]));
      const std::vector<GoalId> &children = point.alternatives[a].children;
      for (std::size_t i = 0; i < children.size(); ++i) {
        Context around{contexts_[id]->cost + alternatives_[id][a] - cost_[children[i]], id, a, i};
        std::optional<Context> &known = contexts_[children[i]];
        if (!known || around.cost < known->cost) known = around;
      }
    }
  }
}

PlanPtr Derivations::simplest(GoalId id, std::size_t alternative) const {
  const Alternative &a = forest_.point(id).alternatives[alternative];
  std::vector<PlanPtr> children;
  for (GoalId child : a.children) children.push_back(simplest(child));
  return makePlanNode(forest_.point(id), a, std::move(children));
}

PlanPtr Derivations::simplest(GoalId id) const {
  if (cost_[id] == kNone) failBug({}, "derivations", "a point without derivations");
  return simplest(id, choice_[id]);
}

Plan Derivations::simplest() const { return forest_.plan(simplest(forest_.root())); }

Plan Derivations::around(GoalId id, std::size_t alternative) const {
  PlanPtr node = simplest(id, alternative);
  while (id != forest_.root()) {
    const Context &context = *contexts_[id];
    const Alternative &a = forest_.point(context.parent).alternatives[context.alternative];
    std::vector<PlanPtr> children;
    for (std::size_t i = 0; i < a.children.size(); ++i)
      children.push_back(i == context.child ? node : simplest(a.children[i]));
    node = makePlanNode(forest_.point(context.parent), a, std::move(children));
    id = context.parent;
  }
  return forest_.plan(std::move(node));
}

std::vector<Plan> Derivations::cover() const {
  struct Place {
    unsigned cost = kNone;
    GoalId id = 0;
    std::size_t alternative = 0;
  };
  std::map<std::string, Place> codelets, rules;
  auto note = [](std::map<std::string, Place> &places, const std::set<std::string> &names, const Place &place) {
    for (const std::string &name : names)
      if (Place &known = places[name]; place.cost < known.cost) known = place;
  };
  for (GoalId id = 0; id < forest_.size(); ++id) {
    const Point &point = forest_.point(id);
    if (!contexts_[id] || point.plain) continue;
    for (std::size_t a = 0; a < point.alternatives.size(); ++a) {
      if (alternatives_[id][a] == kNone) continue;
      Place place{contexts_[id]->cost + alternatives_[id][a], id, a};
      PlanRules here = rulesOf(point, point.alternatives[a]);
      note(codelets, here.codelets, place);
      note(rules, here.rules, place);
    }
  }
  std::vector<Plan> plans;
  PlanRules covered;
  auto add = [&](const std::map<std::string, Place> &places, std::set<std::string> PlanRules::*kind) {
    std::vector<std::pair<std::string, Place>> order(places.begin(), places.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.second.cost < b.second.cost; });
    for (const auto &[name, place] : order) {
      if ((covered.*kind).count(name)) continue;
      plans.push_back(around(place.id, place.alternative));
      covered.add(rulesOf(plans.back()));
    }
  };
  add(codelets, &PlanRules::codelets);
  add(rules, &PlanRules::rules);
  return plans;
}

PlanPtr Derivations::drawn(GoalId id, unsigned divided, std::mt19937_64 &random) const {
  const Point &point = forest_.point(id);
  std::vector<double> weights;
  for (std::size_t a = 0; a < point.alternatives.size(); ++a) {
    const Alternative &alternative = point.alternatives[a];
    bool dividing = divides(alternative.rule, alternative.children.size(), alternative.guarded);
    auto values = std::count_if(point.alternatives.begin(), point.alternatives.end(),
                                [&](const Alternative &other) { return sameRule(alternative, other); });
    double weight = (dividing ? std::ldexp(1.0, -static_cast<int>(divided)) : 1.0) / static_cast<double>(values);
    weights.push_back(alternatives_[id][a] == kNone ? 0 : weight);
  }
  const Alternative &a =
      point.alternatives[std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random)];
  unsigned below = divided + (divides(a.rule, a.children.size(), a.guarded) ? 1 : 0);
  std::vector<PlanPtr> children;
  for (GoalId child : a.children) children.push_back(drawn(child, below, random));
  return makePlanNode(point, a, std::move(children));
}

Plan Derivations::draw(std::mt19937_64 &random) const { return forest_.plan(drawn(forest_.root(), 0, random)); }

bool Derivations::isComplete(GoalId id, std::size_t alternative) const {
  return alternatives_[id][alternative] != kNone;
}

bool Derivations::fits(GoalId id, const PlanNode &node) const {
  std::optional<std::size_t> at = find(forest_.point(id), node);
  if (!at) return false;
  const std::vector<GoalId> &children = forest_.point(id).alternatives[*at].children;
  for (std::size_t i = 0; i < children.size(); ++i)
    if (!fits(children[i], *node.children[i])) return false;
  return true;
}

PlanPtr Derivations::lifted(GoalId id, const PlanPtr &node) const {
  if (fits(id, *node)) return node;
  const Point &point = forest_.point(id);
  for (const Alternative &a : point.alternatives)
    if (a.rule == Rule::Devolve)
      if (PlanPtr below = lifted(a.children[0], node)) return makePlanNode(point, a, {std::move(below)});
  return nullptr;
}

void Derivations::replace(GoalId id, const PlanPtr &node, const std::function<void(PlanPtr)> &found) const {
  std::optional<std::size_t> at = find(forest_.point(id), *node);
  if (!at) return;
  const unsigned own = complexity(*node);
  if (cost_[id] <= own)
    if (PlanPtr plainest = simplest(id); cost_[id] < own || !(*plainest == *node)) found(std::move(plainest));
  const Point &point = forest_.point(id);
  std::vector<PlanPtr> selects;
  collectSelects(node, selects);
  std::set<std::string> tried;
  for (const PlanPtr &select : selects)
    if (select != node && !point.isMap && select->spectrum == point.spectrum)
      if (PlanPtr above = lifted(id, select); above && complexity(*above) < own) found(std::move(above));
  for (const PlanPtr &select : selects)
    if (select->spectrum == point.spectrum && tried.insert(select->codelet).second)
      for (std::size_t a = 0; a < point.alternatives.size(); ++a)
        if (point.alternatives[a].codelet && point.alternatives[a].codelet->name == select->codelet &&
            alternatives_[id][a] < own)
          found(simplest(id, a));
  for (std::size_t i = 0; i < node->children.size(); ++i)
    replace(point.alternatives[*at].children[i], node->children[i], [&](PlanPtr child) {
      auto copy = std::make_shared<PlanNode>(*node);
      copy->children[i] = std::move(child);
      found(std::move(copy));
    });
}

std::vector<Plan> Derivations::simpler(const Plan &plan) const {
  std::vector<std::pair<unsigned, Plan>> found;
  std::set<std::string> seen;
  if (plan.root)
    replace(forest_.root(), plan.root, [&](PlanPtr root) {
      Plan made = forest_.plan(std::move(root));
      made.target = plan.target;
      if (seen.insert(key(made)).second) found.emplace_back(complexity(*made.root), std::move(made));
    });
  std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<Plan> result;
  for (auto &[_, made] : found) result.push_back(std::move(made));
  return result;
}

bool Derivations::peculiar(GoalId id, const PlanNode &node, std::vector<const PlanNode *> &found) const {
  std::optional<std::size_t> at = find(forest_.point(id), node);
  if (!at) return false;
  bool below = false;
  const Alternative &a = forest_.point(id).alternatives[*at];
  for (std::size_t i = 0; i < node.children.size(); ++i) below |= peculiar(a.children[i], *node.children[i], found);
  if (!below && *at != choice_[id]) {
    found.push_back(&node);
    return true;
  }
  return below;
}

std::vector<const PlanNode *> Derivations::peculiar(const Plan &plan) const {
  std::vector<const PlanNode *> found;
  if (plan.root) peculiar(forest_.root(), *plan.root, found);
  return found;
}

} // namespace tangram
