#include "Cooperative.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::frontend {

using namespace ast;

namespace {

class LanesAsVariable final : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateCoopIdx(const CoopIdx *e) override { return Build(arena(), e->range).var(kLane, e->type); }
};

class Finish final : public Mutator {
public:
  Finish(Arena &arena, const CallSites &sites) : Mutator(arena), sites_(sites) {}

private:
  const Node *mutateVarRef(const VarRef *e) override {
    return e->name == kLane ? static_cast<const Node *>(arena().make<CoopIdx>(e->range, e->type)) : e;
  }
  const Node *mutateBlock(const Block *b) override { return sites_.count(b) ? nullptr : rebuild(b); }
  const CallSites &sites_;
};

/// What the body computes with, for the analysis of uniformity: parameters as variables of the lanes.
const Block *withParams(Arena &arena, const Codelet &codelet, const Block *body) {
  std::vector<const Stmt *> all;
  for (const Param *param : codelet.params)
    if (!param->type.isArray()) {
      const Build b(arena, param->range);
      all.push_back(b.declare(param->name, param->type, b.zero(param->type), false));
    }
  all.insert(all.end(), body->stmts.begin(), body->stmts.end());
  return arena.make<Block>(body->range, std::move(all));
}

} // namespace

const Codelet *withCallsInlined(Arena &arena, const Codelet *codelet, const InlinedFunctions &functions) {
  const bool calls = any<Call>(codelet->body, [&](const Call &call) { return functions.count(call.callee) != 0; });
  if (!calls && !(codelet->coop && contains<SpectrumCall>(codelet->body))) return codelet;
  InlinedBody inlined = withCallsInlined(arena, codelet->params, codelet->body, functions);
  if (codelet->coop) {
    const Block *body = as<Block>(LanesAsVariable(arena).mutate(inlined.body));
    checkConvergence(withParams(arena, *codelet, body), inlined.sites);
    inlined.body = as<Block>(Finish(arena, inlined.sites).mutate(body));
  }
  return arena.derive(codelet, [&](Codelet &copy) { copy.body = inlined.body; });
}

} // namespace tangram::frontend
