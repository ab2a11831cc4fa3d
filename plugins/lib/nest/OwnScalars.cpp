#include "tangram/nest/OwnScalars.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"

#include <algorithm>
#include <vector>

namespace tangram::nest {

using namespace ast;

namespace {

std::size_t uses(const Node *tree, const std::string &name) {
  std::size_t count = 0;
  walk(tree, [&](const VarRef &v) { count += v.name == name; });
  return count;
}

/// Declarations, and the loop that each belongs into.
using Moves = std::vector<std::pair<const Declare *, const For *>>;

class Mover final : public Mutator {
public:
  Mover(Arena &arena, const Moves &to) : Mutator(arena), to_(to) {}

protected:
  const Node *mutateDeclare(const Declare *d) override {
    bool moves = std::any_of(to_.begin(), to_.end(), [&](const auto &m) { return m.first == d; });
    return moves ? nullptr : Mutator::mutateDeclare(d);
  }
  const Node *mutateFor(const For *loop) override {
    const auto *made = static_cast<const For *>(Mutator::mutateFor(loop));
    std::vector<const Stmt *> own;
    for (const auto &[declaration, into] : to_)
      if (into == loop) own.push_back(arena().derive(declaration, [](Declare &d) { d.init = nullptr; }));
    if (own.empty()) return made;
    const Block *body =
        arena().derive(made->body, [&](Block &b) { b.stmts.insert(b.stmts.begin(), own.begin(), own.end()); });
    return arena().derive(made, [&](For &f) { f.body = body; });
  }

private:
  const Moves &to_;
};

} // namespace

const Codelet *withOwnScalars(const Module &module, const Codelet &codelet, Arena &arena) {
  std::unique_ptr<Nest> nest = read(module, codelet);
  if (!nest) return &codelet;
  Dependences dependences(*nest);
  Moves to;
  for (unsigned l = 0; l < nest->loops.size(); ++l) { // each before those in it
    const For *loop = nest->loops[l].node;
    for (unsigned v : dependences.carried(l).privatizable) {
      const Variable &variable = nest->variables[v];
      const Declare *d = variable.declaration;
      if (!d || !d->extents.empty() || d->isConst || d->tunable || !d->type.isScalar()) continue;
      if (uses(loop, variable.name) != uses(codelet.body, variable.name)) continue;
      std::erase_if(to, [&](const auto &m) { return m.first == d; });
      to.emplace_back(d, loop);
    }
  }
  if (to.empty()) return &codelet;
  return Mover(arena, to).mutateAs(&codelet);
}

} // namespace tangram::nest
