#include "Sinking.h"

#include "Captures.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"

#include <set>

namespace tangram::divide {

using namespace ast;

namespace {

class Sinking : public Mutator {
public:
  Sinking(const nest::Nest &nest, Sunk which, Arena &arena)
      : Mutator(arena), nest_(nest), which_(which), assigned_(assignedVariables(nest.codelet->body)) {
    if (which == Sunk::All) return;
    const nest::Dependences dependences(nest);
    for (unsigned loop = 0; loop < nest.loops.size(); ++loop)
      if (dependences.carried(loop).kind == nest::Carried::Kind::Nothing) parallel_.insert(nest.loops[loop].node);
  }

private:
  const Node *mutateFor(const For *f) override {
    const auto *loop = as<For>(Mutator::mutateFor(f));
    const auto *inner = f->body->stmts.empty() ? nullptr : dyn<For>(f->body->stmts.back());
    if (f->body->stmts.size() < 2 || !inner) return loop;
    if (which_ == Sunk::Parallel && (!parallel_.count(f) || !parallel_.count(inner))) return loop;
    const std::set<std::string> changed = changedBy(inner->body);
    const auto mentions = [&](const Node *tree, const auto &names) {
      return tree && any<VarRef>(tree, [&](const VarRef &v) { return names.count(v.name) != 0; });
    };
    std::set<std::string> own;
    for (const Stmt *s : f->body->stmts) {
      if (s == inner) break;
      const auto *d = dyn<Declare>(s);
      if (!d || !d->init || !d->type.isScalar() || !d->extents.empty() || d->tunable || d->shared ||
          assigned_.count(d->name) || nest::changesSomething(d->init, *nest_.module) || mentions(d->init, changed))
        return loop;
      own.insert(d->name);
    }
    if (mentions(inner->init, own) || mentions(inner->cond, own) || mentions(inner->step, own)) return loop;
    const Build build(arena(), f->range);
    std::vector<const Stmt *> stmts(loop->body->stmts.begin(), loop->body->stmts.end() - 1);
    const auto *body = as<For>(loop->body->stmts.back());
    stmts.insert(stmts.end(), body->body->stmts.begin(), body->body->stmts.end());
    const For *sunk = arena().derive(body, [&](For &changedLoop) { changedLoop.body = build.block(std::move(stmts)); });
    return arena().derive(loop, [&](For &changedLoop) { changedLoop.body = build.block({sunk}); });
  }

  const nest::Nest &nest_;
  Sunk which_;
  std::set<std::string> assigned_;
  std::set<const Node *> parallel_;
};

} // namespace

const Codelet *withSunkDeclarations(nest::Nests &nests, const Codelet &codelet, Sunk which, Arena &arena) {
  const bool candidates = any<For>(codelet.body, [](const For &f) {
    const auto &stmts = f.body->stmts;
    return stmts.size() > 1 && isa<For>(stmts.back()) && isa<Declare>(stmts.front());
  });
  if (!candidates) return &codelet;
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest || nest->loops.size() < 2) return &codelet;
  const Codelet *result = as<Codelet>(Sinking(*nest, which, arena).mutate(&codelet));
  if (which == Sunk::Parallel || result == &codelet) return result;
  return withSunkDeclarations(nests, *result, which, arena); // one loop further in each time
}

} // namespace tangram::divide
