#include "tangram/planning/Workload.h"

#include "ExpectedSites.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/RangeParameters.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tangram {

using namespace ast;

namespace {

using Known = std::optional<std::uint64_t>;

Known product(Known a, Known b) {
  std::uint64_t result = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) return {};
  return result;
}

std::uint64_t rounds(std::uint64_t all, std::uint64_t each) { return each == 0 ? 0 : all / each + (all % each != 0); }

bool isLoop(const Node &node) { return isa<For>(&node) || isa<While>(&node) || isa<DoWhile>(&node); }

/// The outermost loop around a site.
SourceRange loopAround(const Codelet &codelet, const Expr *site) {
  SourceRange found;
  walk(codelet.body, [&](const Node &node) {
    if (!isLoop(node)) return WalkResult::Advance;
    if (any<Expr>(&node, [&](const Expr &e) { return &e == site; })) found = node.range;
    return WalkResult::Skip;
  });
  return found;
}

class Spreading {
public:
  Spreading(const Module &module, const hardware::Hardware &hardware)
      : module_(module), ranges_(rangeParameters(module)), machine_(hardware) {}

  void add(const PlanNode &node, RuleWork work) {
    const hardware::Units units = unitsOf(node);
    const hardware::Configured::Scope scope(machine_, units);
    work.node = &node;
    for (const auto &[level, count] : units) work.units[level] = count;
    if (node.rule == Rule::Select)
      if (const Spectrum *spectrum = findSpectrum(module_, node.spectrum)) {
        work.arguments.resize(spectrum->params.size());
        equateByConditions(*spectrum, work.arguments);
        for (const Codelet *codelet : spectrum->codelets)
          if (codelet->name == node.codelet) work.codelet = codelet;
        work.ranges.clear();
        for (std::size_t i = 0; i < spectrum->params.size(); ++i)
          if (ranges_.count({spectrum->name, static_cast<unsigned>(i)})) work.ranges.push_back(i);
      }
    RuleWork below = work;
    ++below.depth;
    below.calls.reset();
    below.codelet = nullptr;
    switch (node.rule) {
    case Rule::Select: return select(node, std::move(work), below);
    case Rule::Devolve: give(below, node.to, 1); break;
    case Rule::Distribute: give(below, node.to, work.calls); break;
    case Rule::Serialize: below.turns = product(below.turns, work.calls); break;
    case Rule::Split: {
      const Chunks chunks(node.parameters);
      below.calls = work.calls ? Known(chunks.calls(*work.calls)) : Known();
      give(below, node.to, work.calls ? Known(chunks.busy(*work.calls)) : Known());
      break;
    }
    default: break;
    }
    work_.push_back(std::move(work));
    for (const PlanPtr &child : node.children) add(*child, below);
  }

  std::vector<RuleWork> take() { return std::move(work_); }

private:
  void give(RuleWork &below, const std::string &to, Known calls) const {
    const hardware::Level *level = machine_->find(to);
    UnitShare share{to, level ? level->workers.count : 1, {}};
    if (calls) {
      share.busy = std::min(*calls, share.workers);
      below.turns = product(below.turns, rounds(*calls, share.workers));
    } else {
      below.turns.reset();
    }
    below.shares.push_back(std::move(share));
  }

  void select(const PlanNode &node, RuleWork work, const RuleWork &below) {
    // Lanes of a cooperative codelet: all workers down to the first level that runs scalar code (Hardware::lanes).
    if (work.codelet && work.codelet->coop) {
      const hardware::Level *level = machine_->find(node.level);
      for (level = level ? machine_->below(*level) : nullptr; level; level = machine_->below(*level)) {
        work.shares.push_back({level->name, level->workers.count, level->workers.count});
        if (level->scalar) break;
      }
    }
    const Codelet *codelet = work.codelet;
    std::vector<Extents> arguments = work.arguments;
    work_.push_back(std::move(work));
    if (!codelet) return;
    Scalars known = below.scalars;
    known.insert(node.parameters.begin(), node.parameters.end());
    ExpectedSites expected(module_, *codelet, std::move(arguments), known);
    std::vector<const Expr *> order = sites(*codelet);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      RuleWork child = below;
      child.site = nullptr;
      if (i < order.size()) {
        Expected site = expected.site(order[i]);
        const Map *map = dyn<Map>(order[i]);
        const std::string &callee = map ? map->spectrum : as<SpectrumCall>(order[i])->spectrum;
        child.arguments = std::move(site.arguments);
        if (const Spectrum *spectrum = findSpectrum(module_, callee); spectrum) {
          child.arguments.resize(spectrum->params.size());
          equateByConditions(*spectrum, child.arguments);
          if (map) child.numbered = passesContainersWhole(*map, *spectrum);
        }
        child.calls = site.elements;
        child.scalars = std::move(site.scalars);
        child.site = order[i];
        if (SourceRange loop = loopAround(*codelet, order[i]); loop.valid() && !child.loop.valid()) child.loop = loop;
      } else {
        child.fallback = true;
      }
      add(*node.children[i], std::move(child));
    }
  }

  static bool passesContainersWhole(const Map &map, const Spectrum &callee) {
    for (std::size_t i = 0; i < map.args.size() && i < callee.params.size(); ++i)
      if (callee.params[i]->type.isArray() && map.args[i]->type != callee.params[i]->type) return false;
    return true;
  }

  const Module &module_;
  const RangeParameters ranges_;
  hardware::Configured machine_;
  std::vector<RuleWork> work_;
};

/// How many workers are busy at once; where that is not known, how many could be.
std::uint64_t busyWorkers(const RuleWork &work, const hardware::Hardware &hardware) {
  Known all = 1;
  for (const UnitShare &share : work.shares)
    if (!areIterations(hardware, share.level)) all = product(all, share.busy.value_or(share.workers));
  return all.value_or(std::numeric_limits<std::uint64_t>::max());
}

/// Workers that advance together, or iterations, are one worker's where only one of them has something to do.
std::string workerOf(const hardware::Hardware &hardware, const std::string &level) {
  std::string result = level;
  for (bool up = true; up;) {
    up = false;
    for (const hardware::Level &above : hardware.levels)
      if (above.subordinate == result && hardware::advanceTogether(above.sync)) {
        result = above.name;
        up = true;
        break;
      }
  }
  return result;
}

} // namespace

std::optional<std::uint64_t> RuleWork::elements() const {
  if (!ranges.empty()) {
    Known points = 1;
    for (const std::size_t i : ranges) points = product(points, tangram::elements(arguments[i]));
    return points;
  }
  if (numbered) return {};
  std::optional<std::uint64_t> most;
  for (const Extents &extents : arguments)
    if (!extents.empty()) most = std::max(most, tangram::elements(extents));
  return most;
}

std::optional<std::uint64_t> RuleWork::elementsEach() const {
  if (!computes()) return {};
  Known all = product(elements(), turns), width = lanes();
  return all && width ? Known(rounds(*all, *width)) : all;
}

std::optional<std::uint64_t> RuleWork::lanes() const {
  if (!codelet || !codelet->coop) return {};
  Known all = 1;
  for (std::size_t i = shares.size(); i-- > 0 && shares[i].level != node->level;) all = product(all, shares[i].workers);
  return all;
}

Workload workload(const Plan &plan, const Module &module, const hardware::Hardware &hardware,
                  const ExpectedSizes &expected) {
  Workload result;
  if (!plan.root) return result;
  RuleWork root;
  root.turns = 1;
  if (const Spectrum *spectrum = findSpectrum(module, plan.spectrum)) {
    root.arguments = expectedArguments(*spectrum, expected);
    root.scalars = expectedScalars(*spectrum, root.arguments, expected);
  }
  Spreading spreading(module, hardware);
  spreading.add(*plan.root, std::move(root));
  result.rules = spreading.take();
  std::optional<std::uint64_t> most;
  std::string level;
  for (std::size_t i = 0; i < result.rules.size(); ++i) {
    const RuleWork &rule = result.rules[i];
    if (!rule.computes()) continue;
    if (std::uint64_t workers = busyWorkers(rule, hardware); !most || workers > *most) {
      most = workers;
      result.widest = i;
      level = rule.node->level;
    }
  }
  if (most == 1) result.alone = workerOf(hardware, level);
  return result;
}

bool areIterations(const hardware::Hardware &hardware, const std::string &level) {
  for (const hardware::Level &above : hardware.levels)
    if (above.subordinate == level) return hardware::areIterations(above.sync);
  return false;
}

std::vector<const Codelet *> dividing(const Module &module, const std::string &spectrum) {
  std::vector<const Codelet *> result;
  std::vector<std::string> reached{spectrum};
  std::set<std::string> seen{spectrum};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Spectrum *here = findSpectrum(module, reached[i]);
    if (!here) continue;
    for (const Codelet *codelet : here->codelets) {
      bool divides = codelet->coop;
      for (const Expr *site : sites(*codelet)) {
        const Map *map = dyn<Map>(site);
        divides |= map != nullptr;
        const std::string &callee = map ? map->spectrum : as<SpectrumCall>(site)->spectrum;
        if (seen.insert(callee).second) reached.push_back(callee);
      }
      if (divides) result.push_back(codelet);
    }
  }
  return result;
}

std::vector<SourceRange> outermostLoops(const Codelet &codelet) {
  std::vector<SourceRange> result;
  walk(codelet.body, [&](const Node &node) {
    if (!isLoop(node)) return WalkResult::Advance;
    result.push_back(node.range);
    return WalkResult::Skip;
  });
  return result;
}

} // namespace tangram
