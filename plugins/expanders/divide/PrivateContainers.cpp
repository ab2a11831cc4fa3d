#include "PrivateContainers.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"

#include <algorithm>
#include <set>

namespace tangram::divide {

using namespace ast;

namespace {

bool isTemporary(const Stmt *s) {
  const auto *d = dyn<Declare>(s);
  return d && !d->extents.empty() && !d->init && !d->shared && !d->tunable;
}

/// Declarations and the loops behind them, in their block, that may each have their own.
struct Candidate {
  std::vector<const Declare *> containers;
  std::vector<const For *> loops;
};

/// Of all declarations of a block such that nothing but loops mentions what they declare, and nothing there changes
/// what its extents are made of; together, those that the same loops mention.
void findCandidates(const Block &block, std::vector<Candidate> &found) {
  for (std::size_t i = 0; i < block.stmts.size(); ++i) {
    if (!isTemporary(block.stmts[i])) continue;
    const auto *container = as<Declare>(block.stmts[i]);
    std::vector<const For *> loops;
    std::set<std::string> sizes;
    for (const Expr *extent : container->extents) walk(extent, [&](const VarRef &v) { sizes.insert(v.name); });
    const auto mentioned = [&](const Node *n) {
      return n && any<VarRef>(n, [&](const VarRef &v) { return v.name == container->name; });
    };
    bool possible = true;
    for (std::size_t j = i + 1; j < block.stmts.size() && possible; ++j) {
      if (!mentioned(block.stmts[j])) continue;
      const auto *loop = dyn<For>(block.stmts[j]);
      possible = loop && !mentioned(loop->init) && !mentioned(loop->cond) && !mentioned(loop->step);
      if (!possible) break;
      const std::set<std::string> changed = assignedVariables(loop);
      possible = std::none_of(sizes.begin(), sizes.end(), [&](const std::string &name) {
        return changed.count(name) || any<Declare>(loop, [&](const Declare &d) { return d.name == name; });
      });
      loops.push_back(loop);
    }
    if (!possible || loops.empty()) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const Candidate &c) { return c.loops == loops; });
    if (same != found.end())
      same->containers.push_back(container);
    else
      found.push_back({{container}, std::move(loops)});
  }
}

class Sinking final : public Mutator {
public:
  Sinking(Arena &arena, const Candidate &sunk) : Mutator(arena), sunk_(sunk) {}

private:
  const Node *mutateDeclare(const Declare *d) override {
    return std::find(sunk_.containers.begin(), sunk_.containers.end(), d) != sunk_.containers.end()
               ? nullptr
               : Mutator::mutateDeclare(d);
  }
  const Node *mutateFor(const For *loop) override {
    if (std::find(sunk_.loops.begin(), sunk_.loops.end(), loop) == sunk_.loops.end()) return Mutator::mutateFor(loop);
    std::vector<const Stmt *> stmts(sunk_.containers.begin(), sunk_.containers.end());
    stmts.insert(stmts.end(), loop->body->stmts.begin(), loop->body->stmts.end());
    const Build build(arena(), loop->body->range);
    return arena().derive(loop, [&](For &copy) { copy.body = build.block(std::move(stmts)); });
  }

  const Candidate &sunk_;
};

bool isPrivate(const nest::Nest &nest, const Declare *container, const For *node) {
  const auto variable = std::find_if(nest.variables.begin(), nest.variables.end(),
                                     [&](const auto &v) { return v.declaration == container; });
  const auto loop = std::find_if(nest.loops.begin(), nest.loops.end(), [&](const auto &l) { return l.node == node; });
  return variable != nest.variables.end() && loop != nest.loops.end() &&
         nest::Dependences(nest).isPrivate(static_cast<unsigned>(variable - nest.variables.begin()),
                                           static_cast<unsigned>(loop - nest.loops.begin()));
}

/// Whether one of the loops may be parallel but for the containers.
bool hinder(const nest::Nest &nest, const Candidate &candidate) {
  const nest::Dependences dependences(nest);
  for (unsigned loop = 0; loop < nest.loops.size(); ++loop) {
    const For *node = nest.loops[loop].node;
    if (std::find(candidate.loops.begin(), candidate.loops.end(), node) == candidate.loops.end()) continue;
    const std::vector<nest::Dependence> all = dependences.all(loop);
    const auto onContainer = [&](const nest::Dependence &d) {
      const Declare *variable = nest.variables[d.first->variable].declaration;
      return std::find(candidate.containers.begin(), candidate.containers.end(), variable) !=
             candidate.containers.end();
    };
    const auto mayGo = [&](const nest::Dependence &d) { // scalars may be private, too
      return onContainer(d) || d.first->update || nest.variables[d.first->variable].rank == 0;
    };
    if (std::any_of(all.begin(), all.end(), onContainer) && std::all_of(all.begin(), all.end(), mayGo)) return true;
  }
  return false;
}

/// Those that iterations of each loop have their own of.
Candidate privateOf(const nest::Nest &nest, const Candidate &candidate) {
  Candidate result{{}, candidate.loops};
  std::copy_if(candidate.containers.begin(), candidate.containers.end(), std::back_inserter(result.containers),
               [&](const Declare *container) {
                 return std::all_of(candidate.loops.begin(), candidate.loops.end(),
                                    [&](const For *loop) { return isPrivate(nest, container, loop); });
               });
  return result;
}

/// Whether the loops that begin with the declaration are parallel.
bool areParallel(const nest::Nest &nest, const Declare *container) {
  const nest::Dependences dependences(nest);
  for (unsigned loop = 0; loop < nest.loops.size(); ++loop)
    if (const auto &stmts = nest.loops[loop].node->body->stmts; !stmts.empty() && stmts.front() == container)
      if (dependences.carried(loop).kind != nest::Carried::Kind::Nothing) return false;
  return true;
}

} // namespace

const Codelet *withPrivateContainers(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  std::vector<Candidate> candidates;
  findCandidates(*codelet.body, candidates);
  walk(codelet.body, [&](const For &loop) { findCandidates(*loop.body, candidates); });
  for (const Candidate &candidate : candidates) {
    const nest::Nest *nest = nests.of(codelet);
    const Candidate sunk = nest && hinder(*nest, candidate) ? privateOf(*nest, candidate) : Candidate();
    if (sunk.containers.empty()) continue;
    const auto *made = as<Codelet>(Sinking(arena, sunk).mutate(&codelet));
    nest = nests.of(*made);
    if (nest && areParallel(*nest, sunk.containers.front()))
      return withPrivateContainers(nests, *made, arena); // and of the loops in those
  }
  return &codelet;
}

} // namespace tangram::divide
