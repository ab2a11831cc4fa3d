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

/// Plans by their features.
struct Features {
  std::map<Feature, std::set<std::size_t>> failing, passing;
  std::set<std::size_t> allFailing, allPassing;

  Features(const std::vector<Plan> &plans, const std::vector<bool> &fails) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      std::set<Feature> features;
      if (plans[i].root) collect(*plans[i].root, nullptr, "", features);
      (fails[i] ? allFailing : allPassing).insert(i);
      for (const Feature &f : features) (fails[i] ? failing : passing)[f].insert(i);
    }
  }
  std::size_t passingWith(const Feature &f) const {
    auto it = passing.find(f);
    return it == passing.end() ? 0 : it->second.size();
  }
};

/// Of the features that all failing plans and `passing` of the others have, the simplest kind, all of the kind.
std::vector<Suspect> simplestShared(const Features &features, std::size_t passing) {
  std::vector<Suspect> result;
  int kind = -1;
  for (const auto &[f, who] : features.failing)
    if (who.size() == features.allFailing.size() && features.passingWith(f) == passing &&
        (kind < 0 || f.first == kind)) {
      kind = f.first;
      result.push_back({f.second, who.size(), passing});
    }
  return result;
}

} // namespace

std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing) {
  Features features(plans, failing);
  std::vector<Suspect> result = simplestShared(features, 0);
  if (!result.empty()) return result;
  // Several causes: greedily the one that explains most of what is left.
  std::set<std::size_t> open = features.allFailing;
  while (!open.empty()) {
    const std::pair<const Feature, std::set<std::size_t>> *best = nullptr;
    std::size_t most = 0;
    for (const auto &entry : features.failing) {
      if (features.passingWith(entry.first)) continue;
      std::size_t n = static_cast<std::size_t>(
          std::count_if(open.begin(), open.end(), [&](std::size_t i) { return entry.second.count(i) != 0; }));
      if (n > most) {
        most = n;
        best = &entry;
      }
    }
    if (!best || result.size() == 8) break;
    result.push_back({best->first.second, best->second.size(), 0});
    for (std::size_t i : best->second) open.erase(i);
  }
  return result;
}

std::vector<Suspect> sharedByFailing(const std::vector<Plan> &plans, const std::vector<bool> &failing) {
  Features features(plans, failing);
  std::size_t fewest = features.allPassing.size(); // what all have tells nothing
  for (const auto &[f, who] : features.failing) {
    std::size_t passing = features.passingWith(f);
    if (who.size() == features.allFailing.size() && passing > 0) fewest = std::min(fewest, passing);
  }
  if (fewest == features.allPassing.size()) return {};
  return simplestShared(features, fewest);
}

} // namespace tangram::runtime
