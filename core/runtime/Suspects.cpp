// What failing plans have in common.
#include "tangram/runtime/Verify.h"

#include <algorithm>
#include <set>

namespace tangram::runtime {
namespace {

/// Features by simplicity: a codelet, a codelet at a level, a rule at a level, an edge.
using Feature = std::pair<int, std::string>;

std::string place(const PlanNode &node) {
  return fmt::format("codelet {} of {} at {}", node.codelet, node.spectrum, node.level);
}

/// `parent`: the select above; `way`: the rules in between.
void collect(const PlanNode &node, const PlanNode *parent, const std::string &way, std::set<Feature> &features) {
  if (node.rule == Rule::Select) {
    features.insert({0, fmt::format("codelet {} of {}", node.codelet, node.spectrum)});
    features.insert({1, place(node)});
    if (node.guarded) features.insert({2, fmt::format("{}, guarded", place(node))});
    if (parent) {
      features.insert({3, fmt::format("{} -> {}", place(*parent), place(node))});
      if (!way.empty()) features.insert({4, fmt::format("{} -{}-> {}", place(*parent), way, place(node))});
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      bool fallback = node.guarded && i + 1 == node.children.size();
      if (!fallback)
        features.insert({5, fmt::format("site {} of {}: {}", i + 1, place(node), name(node.children[i]->rule))});
      collect(*node.children[i], &node, fallback ? " falling back " : "", features);
    }
    return;
  }
  std::string step = node.to.empty() ? fmt::format("{} at {}", name(node.rule), node.level)
                                     : fmt::format("{} from {} to {}", name(node.rule), node.level, node.to);
  features.insert({2, step});
  for (const PlanPtr &child : node.children) collect(*child, parent, fmt::format("{} {} ", way, step), features);
}

} // namespace

std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing) {
  std::map<Feature, std::set<std::size_t>> having; // failing plans with the feature
  std::set<Feature> innocent;
  std::set<std::size_t> open;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::set<Feature> features;
    if (plans[i].root) collect(*plans[i].root, nullptr, "", features);
    if (!failing[i]) {
      innocent.insert(features.begin(), features.end());
      continue;
    }
    open.insert(i);
    for (const Feature &f : features) having[f].insert(i);
  }
  for (const Feature &f : innocent) having.erase(f);

  std::vector<Suspect> result;
  // All share it: the simplest kind of those, all of the kind.
  int kind = -1;
  for (const auto &[f, who] : having)
    if (who.size() == open.size() && !open.empty() && (kind < 0 || f.first == kind)) {
      kind = f.first;
      result.push_back({f.second, who.size()});
    }
  if (!result.empty()) return result;
  // Several causes: greedily the one that explains most of what is left.
  while (!open.empty()) {
    const std::pair<const Feature, std::set<std::size_t>> *best = nullptr;
    std::size_t most = 0;
    for (const auto &entry : having) {
      std::size_t n = static_cast<std::size_t>(
          std::count_if(open.begin(), open.end(), [&](std::size_t i) { return entry.second.count(i) != 0; }));
      if (n > most) {
        most = n;
        best = &entry;
      }
    }
    if (!best || result.size() == 8) break;
    result.push_back({best->first.second, best->second.size()});
    for (std::size_t i : best->second) open.erase(i);
  }
  return result;
}

} // namespace tangram::runtime
