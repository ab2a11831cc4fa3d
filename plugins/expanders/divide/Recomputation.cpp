#include "Recomputation.h"
#include "Captures.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"

#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;

namespace {

class Recomputation : public Mutator {
public:
  Recomputation(const For *loop, const Module &module, Arena &arena) : Mutator(arena), loop_(loop), module_(module) {}

  const Codelet *run(const Codelet &codelet) {
    const auto *body = as<Block>(mutate(codelet.body));
    if (values_.empty()) return nullptr;
    return arena().derive(&codelet, [&](Codelet &c) { c.body = body; });
  }

private:
  const Node *mutateFor(const For *f) override {
    if (f != loop_) return Mutator::mutateFor(f);
    std::set<std::string> changing = changedBy(f->body);
    walk(f->body, [&](const Declare &d) { changing.insert(d.name); });
    std::vector<const Stmt *> all;
    for (const Stmt *s : f->body->stmts) {
      const Stmt *own = substituted(arena(), s, [&](const VarRef *v) -> const Expr * {
        const auto value = values_.find(v->name);
        return value == values_.end() ? v : Build(arena(), v->range).cast(v->type, value->second);
      });
      const auto *d = dyn<Declare>(own);
      const bool keeps = d && d->init && d->type.isScalar() && d->extents.empty() && !d->tunable && !d->shared &&
                         !assignedVariables(f->body).count(d->name) && !nest::changesSomething(d->init, module_) &&
                         !any<VarRef>(d->init, [&](const VarRef &v) { return changing.count(v.name) != 0; });
      if (keeps)
        values_[d->name] = d->init;
      else
        all.push_back(own);
    }
    return arena().derive(f, [&](For &changed) { changed.body = Build(arena(), f->range).block(std::move(all)); });
  }

  const For *loop_;
  const Module &module_;
  std::map<std::string, const Expr *> values_;
};

} // namespace

const Codelet *withRecomputation(const Codelet &codelet, const For *loop, const Module &module, Arena &arena) {
  return Recomputation(loop, module, arena).run(codelet);
}

} // namespace tangram::divide
