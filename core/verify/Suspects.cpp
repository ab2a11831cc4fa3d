// What tells failing plans from passing ones.
#include "tangram/ast/Walk.h"
#include "tangram/verify/Verify.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace tangram::runtime {
namespace {

/// Features by simplicity: a codelet, a codelet at a level, a rule at a level, an edge.
using Feature = std::pair<int, std::string>;
/// Takes a feature and the node that it belongs to.
using Found = std::function<void(const PlanNode &, Feature)>; // by value: most keep it

std::string place(const PlanNode &node) {
  return fmt::format("codelet {} of {} at {}", node.codelet, node.spectrum, node.level);
}

/// `parent`: the select above; `way`: the rules in between.
void collect(const PlanNode &node, const PlanNode *parent, const std::string &way, const Found &found) {
  if (node.rule == Rule::Select) {
    found(node, {0, fmt::format("codelet {} of {}", node.codelet, node.spectrum)});
    found(node, {1, place(node)});
    if (node.guarded) found(node, {2, fmt::format("{}, guarded", place(node))});
    if (parent) {
      found(node, {3, fmt::format("{} -> {}", place(*parent), place(node))});
      if (!way.empty()) found(node, {4, fmt::format("{} -{}-> {}", place(*parent), way, place(node))});
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const PlanNode &child = *node.children[i];
      bool fallback = node.guarded && i + 1 == node.children.size();
      if (!fallback) found(child, {5, fmt::format("site {} of {}: {}", i + 1, place(node), name(child.rule))});
      collect(child, &node, fallback ? " falling back " : "", found);
    }
    return;
  }
  std::string step = node.to.empty() ? fmt::format("{} at {}", name(node.rule), node.level)
                                     : fmt::format("{} from {} to {}", name(node.rule), node.level, node.to);
  found(node, {2, step});
  for (const PlanPtr &child : node.children) collect(*child, parent, fmt::format("{} {} ", way, step), found);
}

/// How many plans have each feature.
class Features {
public:
  Features(const std::vector<Plan> &plans, const std::vector<bool> &fails) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      std::set<Feature> features;
      if (plans[i].root)
        collect(*plans[i].root, nullptr, "", [&](const PlanNode &, Feature f) { features.insert(std::move(f)); });
      ++(fails[i] ? failing_ : passing_);
      for (const Feature &f : features) ++(fails[i] ? counts_[f].first : counts_[f].second);
    }
  }
  Suspect suspect(const Feature &f) const {
    Suspect s;
    s.what = f.second;
    if (auto it = counts_.find(f); it != counts_.end()) std::tie(s.failing, s.passing) = it->second;
    if (s.failing)
      s.score = static_cast<double>(s.failing) /
                std::sqrt(static_cast<double>(failing_) * static_cast<double>(s.failing + s.passing));
    return s;
  }
  bool inAll(const Suspect &s) const { return s.failing == failing_ && s.passing == passing_; }
  const std::map<Feature, std::pair<std::size_t, std::size_t>> &counts() const { return counts_; }

private:
  std::map<Feature, std::pair<std::size_t, std::size_t>> counts_; // failing, passing
  std::size_t failing_ = 0, passing_ = 0;
};

/// The spectrums that a codelet calls, or maps.
std::set<std::string> calls(const ast::Codelet &codelet) {
  std::set<std::string> names;
  for (const ast::Expr *site : sites(codelet)) {
    const auto *map = ast::dyn<ast::Map>(site);
    names.insert(map ? map->spectrum : ast::as<ast::SpectrumCall>(site)->spectrum);
  }
  return names;
}

/// Of `candidates` those of the best score, of the simplest kind of these. They are ordered by kind.
std::vector<Suspect> best(const std::vector<std::pair<int, Suspect>> &candidates) {
  constexpr double kAlike = 1e-9;
  double score = 0;
  for (const auto &[_, s] : candidates) score = std::max(score, s.score);
  std::vector<Suspect> result;
  int kind = -1;
  for (const auto &[of, s] : candidates)
    if (s.score > 0 && s.score >= score - kAlike && (kind < 0 || of == kind)) {
      kind = of;
      result.push_back(s);
    }
  return result;
}

} // namespace

bool hasPart(const Plan &plan, const std::string &what) {
  bool has = false;
  if (plan.root) collect(*plan.root, nullptr, "", [&](const PlanNode &, const Feature &f) { has |= f.second == what; });
  return has;
}

std::string codeletOfMap(const ast::Module &module, const std::string &finding) {
  static constexpr std::string_view kMap = " of the map in line "; // plugins/preparers/flatten/Watches.cpp
  const std::size_t at = finding.find(kMap);
  if (at == std::string::npos) return "";
  const unsigned long line = std::strtoul(finding.c_str() + at + kMap.size(), nullptr, 10);
  for (const ast::Spectrum *s : module.spectrums)
    for (const ast::Codelet *c : s->codelets)
      if (ast::any<ast::Map>(c, [&](const ast::Map &map) {
            return map.range.line == line && map.range.file && finding.find(*map.range.file) != std::string::npos;
          }))
        return fmt::format("codelet {} of {}", c->name, s->name);
  return "";
}

void locate(Suspect &suspect, const ast::Module &module) {
  const ast::Codelet *codelet = nullptr;
  for (const ast::Spectrum *s : module.spectrums)
    for (const ast::Codelet *c : s->codelets) {
      const std::string name = fmt::format("codelet {} of {}", c->name, s->name);
      if (suspect.what == name || suspect.what.starts_with(name + " at ")) codelet = c;
    }
  if (!codelet) return;
  suspect.range = codelet->range;
  // What an expander made stands where the loops stand that it made it of.
  const auto callers = [&](const std::string &spectrum) {
    std::set<std::pair<const std::string *, unsigned>> lines;
    for (const ast::Spectrum *s : module.spectrums)
      for (const ast::Codelet *c : s->codelets)
        if (s->name != spectrum && calls(*c).count(spectrum)) lines.emplace(c->range.file, c->range.line);
    return lines;
  };
  const std::set<std::string> called = calls(*codelet);
  for (const ast::Spectrum *s : module.spectrums)
    if (called.count(s->name) && callers(s->name).size() == 1 &&
        (s->range.file != codelet->range.file || s->range.line < codelet->range.line ||
         s->range.line > codelet->range.endLine))
      suspect.alone.push_back(s);
}

Suspect suspect(const std::vector<Plan> &plans, const std::vector<bool> &failing, const std::string &what) {
  return Features(plans, failing).suspect({0, what});
}

std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing) {
  Features features(plans, failing);
  std::vector<std::pair<int, Suspect>> candidates;
  for (const auto &[f, _] : features.counts())
    if (Suspect s = features.suspect(f); !features.inAll(s)) candidates.emplace_back(f.first, std::move(s));
  return best(candidates);
}

std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing, const Plan &plan,
                              const std::vector<const PlanNode *> &nodes) {
  Features features(plans, failing);
  std::vector<Suspect> result;
  for (const PlanNode *node : nodes) {
    std::set<Feature> own;
    collect(*plan.root, nullptr, "", [&](const PlanNode &of, Feature f) {
      if (&of == node) own.insert(std::move(f));
    });
    std::vector<std::pair<int, Suspect>> candidates;
    for (const Feature &f : own) candidates.emplace_back(f.first, features.suspect(f));
    for (Suspect &s : best(candidates))
      if (std::none_of(result.begin(), result.end(), [&](const Suspect &known) { return known.what == s.what; }))
        result.push_back(std::move(s));
  }
  std::stable_sort(result.begin(), result.end(), [](const Suspect &a, const Suspect &b) { return a.score > b.score; });
  return result;
}

} // namespace tangram::runtime
