#include "tangram/compose/Forest.h"

#include "tangram/compose/Count.h"

#include <algorithm>
#include <boost/multiprecision/random.hpp>

namespace tangram {

namespace {

constexpr DiagnosticKind kTooManyPlans{
    "compose.too-many-plans", DiagnosticClass::Limitation,
    "'{0}' has too many plans on '{1}' within the search depth {2}: their number alone has more than {3} digits",
    "lower 'depth' in the target; a few rules more than it has levels are plenty, and every further one squares the "
    "number"};

/// A number of plans doubles its digits with each rule of depth; from here on it could no longer be worked with.
constexpr unsigned kMaxCountBits = 1u << 17;

} // namespace

bool sameRule(const Alternative &a, const Alternative &b) {
  return a.rule == b.rule && a.codelet == b.codelet && a.to == b.to;
}

std::vector<std::size_t> rulesAt(const Point &point) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i)
    if (std::none_of(result.begin(), result.end(),
                     [&](std::size_t other) { return sameRule(point.alternatives[i], point.alternatives[other]); }))
      result.push_back(i);
  return result;
}

std::optional<std::size_t> find(const Point &point, const PlanNode &node) {
  std::optional<std::size_t> result;
  if (point.spectrum != node.spectrum || point.level != node.level) return result;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const Alternative &a = point.alternatives[i];
    if (a.rule != node.rule || a.to != node.to || a.guarded != node.guarded ||
        a.children.size() != node.children.size() || (a.codelet ? a.codelet->name : "") != node.codelet)
      continue;
    if (a.parameters == node.parameters) return i;
    if (!result) result = i;
  }
  return result;
}

PlanPtr makePlanNode(const Point &point, const Alternative &alternative, std::vector<PlanPtr> children) {
  PlanNode node;
  node.rule = alternative.rule;
  node.spectrum = point.spectrum;
  node.level = point.level;
  if (alternative.codelet) node.codelet = alternative.codelet->name;
  node.capability = alternative.capability;
  node.to = alternative.to;
  node.guarded = alternative.guarded;
  node.condition = alternative.condition;
  node.parameters = alternative.parameters;
  node.children = std::move(children);
  return std::make_shared<const PlanNode>(std::move(node));
}

Plan Forest::plan(PlanPtr root) const {
  Plan result;
  result.spectrum = spectrum_;
  result.target = hardware_.name;
  result.root = std::move(root);
  std::vector<const PlanNode *> todo{result.root.get()};
  while (!todo.empty()) {
    const PlanNode *node = todo.back();
    todo.pop_back();
    if (auto it = hashes_.find(node->spectrum); it != hashes_.end()) result.sources.insert(*it);
    for (const PlanPtr &child : node->children) todo.push_back(child.get());
  }
  return result;
}

Count Forest::count(const Alternative &alternative) const {
  Count::Number result = 1;
  for (GoalId child : alternative.children) result *= count(child).number();
  return result;
}

const Count &Forest::count(GoalId id) const {
  std::call_once(counted_, [&] {
    std::vector<Count> counts;
    counts.reserve(points_.size());
    for (const Point &point : points_) { // children come first
      Count::Number sum = 0;
      for (const Alternative &alternative : point.alternatives) {
        Count::Number product = 1;
        for (GoalId child : alternative.children) product *= counts[child].number();
        sum += product;
      }
      if (sum > 0 && msb(sum) > kMaxCountBits)
        fail(kTooManyPlans, {}, spectrum_, hardware_.name, depth(), kMaxCountBits * 3 / 10);
      counts.emplace_back(sum);
    }
    counts_ = std::move(counts);
  });
  return counts_[id];
}

namespace {
/// The index is a number in mixed radix: the alternative, then a digit a child, the first child's the highest.
PlanPtr nodeOf(const Forest &forest, GoalId id, Count::Number index) {
  const Point &point = forest.point(id);
  for (const Alternative &alternative : point.alternatives) {
    const Count derivations = forest.count(alternative);
    if (index >= derivations.number()) {
      index -= derivations.number();
      continue;
    }
    std::vector<PlanPtr> children(alternative.children.size());
    for (std::size_t i = children.size(); i-- > 0;) {
      const Count::Number &radix = forest.count(alternative.children[i]).number();
      children[i] = nodeOf(forest, alternative.children[i], index % radix);
      index /= radix;
    }
    return makePlanNode(point, alternative, std::move(children));
  }
  failBug({}, "forest", "there is no derivation of that number");
}
} // namespace

Plan Forest::nth(const Count &index) const {
  if (index < 0 || index >= count()) failBug({}, "forest", "there is no plan of that number");
  return plan(nodeOf(*this, root_, index.number()));
}

void Forest::enumerate(const std::function<bool(const Plan &)> &visit) const {
  for (Count::Number i = 0; i < count().number(); ++i)
    if (!visit(nth(i))) return;
}

Plan Forest::sample(std::mt19937_64 &random) const {
  if (!hasPlans()) failBug({}, "forest", "there is no plan to draw");
  boost::random::uniform_int_distribution<Count::Number> any(0, count().number() - 1);
  return nth(any(random));
}

PlanPtr Forest::derived(GoalId id, const std::function<std::size_t(GoalId, const Point &)> &choose) const {
  const Point &point = points_[id];
  std::size_t choice = choose(id, point);
  if (choice >= point.alternatives.size()) failBug({}, "forest", "a rule was chosen that is not there");
  const Alternative &alternative = point.alternatives[choice];
  std::vector<PlanPtr> children;
  for (GoalId child : alternative.children) children.push_back(derived(child, choose));
  return makePlanNode(point, alternative, std::move(children));
}

Plan Forest::derive(const std::function<std::size_t(GoalId, const Point &)> &choose) const {
  return plan(derived(root_, choose));
}

std::optional<Plan> Forest::plainest() const {
  if (points_[plainRoot_].alternatives.empty()) return {};
  return plan(derived(plainRoot_, [](GoalId, const Point &) { return std::size_t{0}; }));
}

} // namespace tangram
