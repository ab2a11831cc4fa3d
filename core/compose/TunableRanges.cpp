#include "TunableRanges.h"

#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tangram {

using namespace ast;

namespace {

/// From the least to the largest value that the declaration allows; no upper end where it names none.
Interval allowed(const Tunable &t) {
  if (!t.values.empty())
    return Interval::between(*std::min_element(t.values.begin(), t.values.end()),
                             *std::max_element(t.values.begin(), t.values.end()));
  std::int64_t lo = t.lo == 0 && t.hi == 0 ? 1 : t.lo;
  return Interval::between(lo, t.hi > 0 ? std::optional(t.hi) : std::nullopt);
}

/// Units that this rule and, of a call, those by which it devolves ask for.
hardware::Units startedBy(const PlanNode &rule) {
  hardware::Units units = unitsOf(rule);
  for (const PlanNode *node = &rule; node->rule == Rule::Devolve && node->children.size() == 1;) {
    node = node->children[0].get();
    units.merge(unitsOf(*node));
  }
  return units;
}

bool within(const Interval &value, const Interval &range) {
  return (!range.lo || (value.lo && *value.lo >= *range.lo)) && (!range.hi || (value.hi && *value.hi <= *range.hi));
}

} // namespace

TunableRanges::TunableRanges(const Plan &plan, const Module &module, const hardware::Hardware &hardware)
    : module_(module), machine_(hardware) {
  if (plan.root && takesForGranted(*plan.root)) widen(*plan.root, {});
}

TunableRanges::Selected TunableRanges::selected(const PlanNode &call) const {
  const PlanNode *node = &call;
  while (node->rule == Rule::Devolve && node->children.size() == 1) node = node->children[0].get();
  Selected result{findSpectrum(module_, node->spectrum), nullptr, node};
  if (result.spectrum && node->rule == Rule::Select)
    for (const Codelet *c : result.spectrum->codelets)
      if (c->name == node->codelet) result.codelet = c;
  return result;
}

const std::vector<const Expr *> &TunableRanges::requirementsOf(const Codelet &codelet) {
  auto [it, fresh] = requirements_.try_emplace(&codelet);
  if (fresh) it->second = requirements(codelet, arena_);
  return it->second;
}

/// Whether a codelet below needs something and stands without a check.
bool TunableRanges::takesForGranted(const PlanNode &node) {
  auto [it, fresh] = takesForGranted_.try_emplace(&node, false);
  if (!fresh) return it->second;
  bool result = false;
  if (node.rule == Rule::Select && !node.guarded)
    if (const Codelet *codelet = selected(node).codelet) result = !requirementsOf(*codelet).empty();
  for (const PlanPtr &child : node.children) result |= takesForGranted(*child);
  return takesForGranted_[&node] = result;
}

std::map<std::string, Interval> TunableRanges::values(const PlanNode &select) const {
  std::map<std::string, Interval> result;
  for (const auto &[name, value] : select.parameters) {
    auto range = ranges_.find({&select, name});
    result[name] = range == ranges_.end() ? Interval::exactly(value) : range->second;
  }
  return result;
}

/// Whether all that is taken for granted at and below `node` follows from the sizes there.
bool TunableRanges::holds(const PlanNode &node, Bounds bounds) {
  if (!takesForGranted(node)) return true;
  const hardware::Configured::Scope scope(machine_, startedBy(node));
  if (isMapRule(node)) return holds(*node.children[0], std::move(bounds));
  Selected s = selected(node);
  if (!s.codelet) return false;
  limitByConditions(*s.spectrum, bounds);
  const hardware::Level *level = machine_->find(s.node->level);
  if (!s.node->guarded)
    for (const Expr *requirement : requirementsOf(*s.codelet))
      if (!level || !provable(*requirement, *s.codelet, bounds, machine_->lanes(*level))) return false;
  Sizes sizes(&module_, *s.codelet, bounds, values(*s.node));
  std::vector<const Expr *> order = sites(*s.codelet);
  for (std::size_t i = 0; i < s.node->children.size(); ++i) // behind the sites, the fallback
    if (!holds(*s.node->children[i], i < order.size() ? sizes.site(order[i]).arguments : bounds)) return false;
  return true;
}

/// From the outside in; the tunables further in are what the plan says until it is their turn.
void TunableRanges::widen(const PlanNode &node, Bounds bounds) {
  const hardware::Configured::Scope scope(machine_, startedBy(node));
  if (isMapRule(node)) return widen(*node.children[0], std::move(bounds));
  Selected s = selected(node);
  if (!s.codelet) return;
  limitByConditions(*s.spectrum, bounds);
  walk(s.codelet->body, [&](const Declare &d) {
    auto value = s.node->parameters.find(d.name);
    if (!d.tunable || value == s.node->parameters.end()) return;
    auto [range, fresh] = ranges_.try_emplace({s.node, d.name}, Interval::exactly(value->second));
    if (!fresh && holds(node, bounds)) return; // where the same plan stands a second time
    // The wider the better; upper ends that make a difference are numbers of lanes, and round numbers.
    Interval all = allowed(*d.tunable), exact = Interval::exactly(value->second);
    std::set<std::int64_t, std::greater<>> tops{value->second};
    for (const hardware::Level &level : machine_->levels)
      if (auto lanes = static_cast<std::int64_t>(machine_->lanes(level)); lanes > value->second) tops.insert(lanes);
    for (std::int64_t top = value->second; top > 0 && top < value->second * 64 && top < (1 << 30); top *= 2)
      tops.insert(2 * top);
    std::vector<Interval> candidates{all};
    for (std::int64_t top : tops) candidates.push_back({all.lo, top});
    candidates.push_back({value->second, all.hi});
    const Interval before = fresh ? all : range->second;
    range->second = exact;
    for (const Interval &candidate : candidates) {
      if (!within(candidate, before)) continue;
      range->second = candidate;
      if (holds(node, bounds)) return;
    }
    range->second = exact;
  });
  Sizes sizes(&module_, *s.codelet, bounds, values(*s.node));
  std::vector<const Expr *> order = sites(*s.codelet);
  for (std::size_t i = 0; i < s.node->children.size(); ++i)
    if (takesForGranted(*s.node->children[i]))
      widen(*s.node->children[i], i < order.size() ? sizes.site(order[i]).arguments : bounds);
}

const Tunable *TunableRanges::narrowed(const PlanNode &node, const Declare &declare, Arena &arena) const {
  auto found = ranges_.find({&node, declare.name});
  if (found == ranges_.end() || within(allowed(*declare.tunable), found->second)) return nullptr;
  const Interval &range = found->second;
  return arena.derive(declare.tunable, [&](Tunable &t) {
    if (!t.values.empty()) {
      std::erase_if(t.values, [&](std::int64_t v) { return !within(Interval::exactly(v), range); });
      return;
    }
    Interval all = allowed(t);
    std::int64_t step = std::max<std::int64_t>(t.step, 1), lo = *all.lo;
    if (range.lo && *range.lo > lo) lo += (*range.lo - lo + step - 1) / step * step;
    t.lo = lo;
    if (range.hi) t.hi = *range.hi;
    if (range.lo && range.hi && *range.lo == *range.hi) t.values = {*range.lo};
  });
}

} // namespace tangram
