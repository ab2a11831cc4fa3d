#include "Grammar.h"

#include "tangram/ast/Shapes.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"
#include "tangram/compose/Sizes.h"
#include "tangram/compose/TunableChoice.h"

#include <algorithm>
#include <fmt/format.h>
#include <queue>
#include <set>

namespace tangram {

using namespace ast;

namespace {

/// Why what an expander made of a codelet cannot stand for it.
std::string whyNotOneContainer(const Spectrum &spectrum, const Codelet &codelet, const Facts &facts) {
  const auto one = facts.races.oneContainer.find(spectrum.name);
  if (codelet.from.empty() || one == facts.races.oneContainer.end()) return "";
  return fmt::format("was made of '{}' for different containers, and {} passes one for several parameters",
                     codelet.from, one->second);
}

} // namespace

Grammar::Grammar(const Module &module, const hardware::Hardware &hardware, const Facts &facts)
    : module_(module), hardware_(hardware) {
  for (std::size_t i = 0; i < module.spectrums.size(); ++i) spectrums_.emplace(module.spectrums[i]->name, i);
  for (std::size_t i = 0; i < hardware.levels.size(); ++i) levels_.emplace(hardware.levels[i].name, i);

  shapes_.resize(module.spectrums.size());
  for (std::size_t s = 0; s < module.spectrums.size(); ++s)
    for (const Codelet *codelet : module.spectrums[s]->codelets) {
      CodeletShape shape{codelet, sites(*codelet), {}, requirements(*codelet, arena_)};
      shape.reshapes = any<Declare>(codelet->body, isReshaped);
      for (const Expr *site : shape.sites)
        shape.callees.push_back(spectrum(isa<Map>(site) ? as<Map>(site)->spectrum : as<SpectrumCall>(site)->spectrum));
      shapes_[s].push_back(std::move(shape));
    }

  sizesMatter_.assign(shapes_.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      if (sizesMatter_[s]) continue;
      for (const CodeletShape &shape : shapes_[s]) {
        bool matter = !shape.requirements.empty();
        for (std::size_t i = 0; i < shape.sites.size() && !matter; ++i)
          matter = isa<Map>(shape.sites[i]) || (shape.callees[i] != kNoSpectrum && sizesMatter_[shape.callees[i]]);
        if (matter) changed = sizesMatter_[s] = true;
      }
    }
  }

  for (std::size_t s = 0; s < shapes_.size(); ++s)
    for (std::size_t l = 0; l < hardware.levels.size(); ++l)
      for (GoalKind kind : {GoalKind::Call, GoalKind::Map, GoalKind::PlainCall, GoalKind::PlainMap}) want({kind, s, l});
  for (std::size_t i = 0; i < goals_.size(); ++i) build(i, facts);
  measure();
}

std::size_t Grammar::spectrum(const std::string &name) const {
  auto it = spectrums_.find(name);
  return it == spectrums_.end() ? kNoSpectrum : it->second;
}

std::size_t Grammar::level(const std::string &name) const {
  auto it = levels_.find(name);
  return it == levels_.end() ? hardware_.levels.size() : it->second;
}

std::vector<std::size_t> Grammar::reachable(std::size_t spectrum) const {
  std::vector<std::size_t> result{spectrum};
  std::vector<bool> seen(shapes_.size(), false);
  seen[spectrum] = true;
  for (std::size_t i = 0; i < result.size(); ++i)
    for (const CodeletShape &shape : shapes_[result[i]])
      for (std::size_t callee : shape.callees)
        if (callee != kNoSpectrum && !seen[callee]) {
          seen[callee] = true;
          result.push_back(callee);
        }
  return result;
}

namespace {

/// The orderedAdd of a spectrum whose calls take turns; null where they do not.
const Atomic *ordered(const Spectrum &spectrum) {
  const Atomic *found = nullptr;
  for (const Codelet *codelet : spectrum.codelets)
    walk(codelet->body, [&](const Atomic &a) {
      if (a.op == AtomicOp::OrderedAdd) found = &a;
    });
  return found;
}

/// Why calls that take turns cannot be given to the units below a level; empty: they can. Units that wait for others
/// must come up in the order of the map, and run on their own.
std::string whyNotInTurn(const Atomic &add, const hardware::Hardware &hardware, const hardware::Level &level) {
  const hardware::Level &outermost = hardware.levels.front();
  if (level.name != outermost.name)
    return fmt::format("its calls wait for the one before (orderedAdd), and only level '{}' lets units do so",
                       outermost.name);
  // A word of 8 bytes holds the sum and whether it is there.
  if (!add.type.isInteger() || add.type.bytes() != 4)
    return fmt::format("its orderedAdd is on a {}, and only integers of 4 bytes go from unit to unit",
                       add.type.cName());
  for (const hardware::Level &each : hardware.levels)
    for (const hardware::Memory &memory : each.memories)
      if (memory.atomics && std::find(memory.atomics->begin(), memory.atomics->end(), 64) == memory.atomics->end())
        return fmt::format("its orderedAdd goes from unit to unit by atomic operations on 64 bits, which memory '{}' "
                           "does not have",
                           memory.name);
  return "";
}

/// Why lanes of a cooperative codelet cannot call it, together or one of them alone; empty: they can.
std::string whyNotInLanes(const Codelet &codelet, bool one) {
  if (one && codelet.coop) return "is cooperative, and a single lane runs it";
  if (contains<Map>(codelet.body)) return "has a map, and lanes that call it have no workers below them";
  if (any<Atomic>(codelet.body, [](const Atomic &a) { return a.op == AtomicOp::OrderedAdd; }))
    return "waits for the call before (orderedAdd), and lanes call it";
  bool makes = any<Declare>(codelet.body,
                            [](const Declare &d) { return d.type.isArray() && !d.extents.empty() && !isReshaped(d); });
  bool takes = contains<Partition>(codelet.body) ||
               any<Subscript>(codelet.body, [](const Subscript &s) { return s.type.isArray(); });
  if (makes || takes)
    return fmt::format("{} containers of its own, and lanes call it", makes ? "makes" : "takes parts as");
  return "";
}

} // namespace

void Grammar::want(const Nonterminal &goal) {
  if (!indices_.try_emplace(key(goal), goals_.size()).second) return;
  goals_.push_back(goal);
  productions_.emplace_back();
  races_.emplace_back();
  // What a check at run time falls back on.
  if (goal.kind == GoalKind::Call) want({GoalKind::PlainCall, goal.spectrum, goal.level, goal.context});
}

std::string Grammar::race(const CodeletShape &shape, const Races::Contended &contended, const Facts &facts) const {
  for (unsigned param : contended) {
    auto write = facts.races.writes.find({shape.codelet, param});
    if (write == facts.races.writes.end() || param >= shape.codelet->params.size()) continue;
    return fmt::format("writes '{}' without atomics{}, which other calls of a map may touch at the same time",
                       shape.codelet->params[param]->name,
                       write->second.valid() ? fmt::format(" in line {}", write->second.line) : "");
  }
  return "";
}

std::size_t Grammar::contextOf(const CodeletShape &shape, std::size_t site, const Races::Contended &contended,
                               bool serial, const Facts &facts) {
  std::size_t callee = shape.callees[site];
  const Expr *node = shape.sites[site];
  Context context(shapes_[callee].size());
  if (auto passed = facts.races.passed.find(node); passed != facts.races.passed.end())
    for (unsigned i = 0; i < passed->second.size(); ++i)
      for (unsigned param : passed->second[i])
        if (contended.count(param))
          for (Races::Contended &each : context) each.insert(i);
  // Of a map, one call after the other touches nothing at the same time.
  if (const auto *map = dyn<Map>(node); map && !serial)
    for (std::size_t c = 0; c < context.size(); ++c)
      if (auto found = facts.races.contended.find({map, shapes_[callee][c].codelet});
          found != facts.races.contended.end())
        context[c].insert(found->second.begin(), found->second.end());
  if (std::all_of(context.begin(), context.end(), [](const Races::Contended &c) { return c.empty(); })) return 0;
  auto [it, fresh] = knownContexts_.try_emplace({callee, context}, contexts_.size());
  if (fresh) contexts_.push_back(std::move(context));
  return it->second;
}

void Grammar::build(std::size_t at, const Facts &facts) {
  const Nonterminal goal = goals_[at];
  Productions result;
  std::string left; // out
  const hardware::Level &level = hardware_.levels[goal.level];
  std::size_t below = level.distributes() ? this->level(level.subordinate) : hardware_.levels.size();
  bool hasBelow = below < hardware_.levels.size();
  auto allow = [&](Rule rule, std::vector<Nonterminal> children) {
    for (const Nonterminal &child : children) want(child);
    result.allowed.push_back({rule, 0, Capability::None, std::move(children), kNoHeight});
  };
  auto reject = [&](Rule rule, std::string codelet, std::string reason) {
    result.rejected.push_back({rule, std::move(codelet), std::move(reason)});
  };
  std::string lowest = fmt::format("no level below '{}'", level.name);
  std::string noCompute = fmt::format("level '{}' has no computational capability to run a loop", level.name);

  auto finish = [&] {
    productions_[at] = std::move(result);
    races_[at] = std::move(left);
  };
  switch (goal.kind) {
  case GoalKind::Map: {
    const Atomic *add = ordered(*module_.spectrums[goal.spectrum]);
    std::string why = !hasBelow ? lowest : add ? whyNotInTurn(*add, hardware_, level) : "";
    if (why.empty())
      allow(Rule::Distribute, {{GoalKind::Call, goal.spectrum, below, goal.context}});
    else
      reject(Rule::Distribute, "", why);
    if (level.computes())
      allow(Rule::Serialize, {{GoalKind::Call, goal.spectrum, goal.level, goal.context}});
    else
      reject(Rule::Serialize, "", noCompute);
    if (!hasBelow)
      reject(Rule::Split, "", lowest);
    else if (add)
      reject(Rule::Split, "", "its calls add in order (orderedAdd), and a chunk of them would hold up all behind it");
    else
      allow(Rule::Split, {{GoalKind::Map, goal.spectrum, below, goal.context}});
    return finish();
  }
  case GoalKind::PlainMap:
    if (level.computes())
      allow(Rule::Serialize, {{GoalKind::PlainCall, goal.spectrum, goal.level, goal.context}});
    else
      reject(Rule::Serialize, "", noCompute);
    return finish();
  case GoalKind::PlainCall:
    // Down to the first level that runs scalar code.
    if (!level.scalar) {
      if (hasBelow)
        allow(Rule::Devolve, {{GoalKind::PlainCall, goal.spectrum, below, goal.context}});
      else
        reject(Rule::Devolve, "", lowest);
      return finish();
    }
    break;
  case GoalKind::Call:
  case GoalKind::Lanes:
  case GoalKind::Lane: break;
  }

  const std::vector<CodeletShape> &shapes = shapes_[goal.spectrum];
  for (std::size_t c = 0; c < shapes.size(); ++c) {
    const CodeletShape &shape = shapes[c];
    auto match = facts.matches.find({shape.codelet, level.name});
    if (match == facts.matches.end())
      failBug(shape.codelet->range, "forest", "there are no level-matching facts of this codelet");
    if (goal.isPlain() && (shape.codelet->coop || shape.reshapes)) continue;
    if (std::string why = goal.inLanes() ? whyNotInLanes(*shape.codelet, goal.kind == GoalKind::Lane) : "";
        !why.empty()) {
      reject(Rule::Select, shape.codelet->name, std::move(why));
      continue;
    }
    if (!match->second.allowed) {
      reject(Rule::Select, shape.codelet->name, match->second.reason);
      continue;
    }
    if (std::string why = whyNotOneContainer(*module_.spectrums[goal.spectrum], *shape.codelet, facts); !why.empty()) {
      reject(Rule::Select, shape.codelet->name, std::move(why));
      continue;
    }
    const Races::Contended contended = goal.context ? contexts_[goal.context][c] : Races::Contended{};
    if (std::string why = race(shape, contended, facts); !why.empty()) {
      left = fmt::format("codelet '{}' {}", shape.codelet->name, why);
      reject(Rule::Select, shape.codelet->name, std::move(why));
      continue;
    }
    Production production{Rule::Select, c, match->second.capability, {}, kNoHeight, shape.reshapes ? 0u : 1u};
    bool sound = true;
    for (std::size_t i = 0; i < shape.sites.size(); ++i) {
      if (shape.callees[i] == kNoSpectrum) {
        reject(Rule::Select, shape.codelet->name, "calls a spectrum that does not exist");
        sound = false;
        break;
      }
      GoalKind kind = shape.codelet->coop        ? GoalKind::Lanes
                      : goal.inLanes()           ? GoalKind::Lane
                      : isa<Map>(shape.sites[i]) ? (goal.isPlain() ? GoalKind::PlainMap : GoalKind::Map)
                                                 : (goal.isPlain() ? GoalKind::PlainCall : GoalKind::Call);
      production.children.push_back(
          {kind, shape.callees[i], goal.level, contextOf(shape, i, contended, goal.isPlain(), facts)});
      want(production.children.back());
    }
    if (sound) result.allowed.push_back(std::move(production));
  }
  // Lanes are the workers down to the first level that runs scalar code: one of them does it there.
  if (goal.inLanes() && !level.scalar && hasBelow)
    allow(Rule::Devolve, {{GoalKind::Lane, goal.spectrum, below, goal.context}});
  if (goal.kind == GoalKind::Call) {
    if (hasBelow)
      allow(Rule::Devolve, {{GoalKind::Call, goal.spectrum, below, goal.context}});
    else
      reject(Rule::Devolve, "", lowest);
  }
  finish();
}

/// Knuth's generalisation of shortest paths to grammars: a production is as high as its highest child, plus one where
/// its rule counts, and a nonterminal as its lowest production.
void Grammar::measure() {
  struct Waiting {
    std::size_t goal, production;
  };
  std::vector<std::vector<Waiting>> waiting(productions_.size());
  std::vector<std::vector<std::size_t>> pending(productions_.size());
  using Entry = std::pair<unsigned, std::size_t>; // height, goal
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  auto cost = [](const Production &p) {
    return p.rule == Rule::Distribute || p.rule == Rule::Serialize ? 0u : p.depth;
  };
  for (std::size_t g = 0; g < productions_.size(); ++g) {
    pending[g].resize(productions_[g].allowed.size());
    for (std::size_t p = 0; p < productions_[g].allowed.size(); ++p) {
      Production &production = productions_[g].allowed[p];
      pending[g][p] = production.children.size();
      for (const Nonterminal &child : production.children) waiting[index(child)].push_back({g, p});
      if (production.children.empty()) {
        production.height = cost(production);
        queue.push({production.height, g});
      }
    }
  }
  while (!queue.empty()) {
    auto [height, goal] = queue.top();
    queue.pop();
    if (productions_[goal].height != kNoHeight) continue;
    productions_[goal].height = height;
    for (const Waiting &w : waiting[goal]) {
      if (--pending[w.goal][w.production]) continue;
      Production &production = productions_[w.goal].allowed[w.production];
      production.height = height + cost(production); // the last child to be known is the highest
      queue.push({production.height, w.goal});
    }
  }
}

std::string Grammar::whyRace(const Nonterminal &goal) const {
  std::vector<std::size_t> todo{index(goal)};
  std::set<std::size_t> seen(todo.begin(), todo.end());
  for (std::size_t i = 0; i < todo.size(); ++i) {
    if (!races_[todo[i]].empty()) return races_[todo[i]];
    for (const Production &production : productions_[todo[i]].allowed)
      for (const Nonterminal &child : production.children)
        if (productions(child).height == kNoHeight && seen.insert(index(child)).second) todo.push_back(index(child));
  }
  return "";
}

std::string Grammar::whyEndless(const Nonterminal &goal, const Production &production) const {
  for (const Nonterminal &child : production.children) {
    const Productions &below = productions(child);
    if (below.height != kNoHeight) continue;
    const std::string &name = module_.spectrums[child.spectrum]->name;
    const std::string &levelName = hardware_.levels[child.level].name;
    if (shapes_[child.spectrum].empty()) return fmt::format("spectrum '{}' has no codelets", name);
    if (std::string race = whyRace(child); !race.empty())
      return fmt::format("'{}' cannot be composed for calls that run at once: {}", name, race);
    std::vector<std::size_t> reached = reachable(child.spectrum);
    if (production.rule == Rule::Select && std::find(reached.begin(), reached.end(), goal.spectrum) != reached.end())
      return fmt::format("its call of '{}' never comes to an end: no codelet that '{}' or a level below it can run "
                         "computes without calling further",
                         name, levelName);
    return fmt::format("'{}' cannot be composed at level '{}'", name, levelName);
  }
  return "it cannot be composed";
}

} // namespace tangram
