#include "RunningValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <map>

namespace tangram::divide {

using namespace ast;

namespace {

class RunningValues : public Mutator {
public:
  RunningValues(const For *loop, Names &names, Arena &arena) : Mutator(arena), loop_(loop), names_(names) {}

  const Codelet *run(const Codelet &codelet) {
    const auto *body = as<Block>(mutate(codelet.body));
    if (!any_) return nullptr;
    return arena().derive(&codelet, [&](Codelet &c) { c.body = body; });
  }

private:
  const Node *mutateFor(const For *f) override {
    if (f != loop_) return Mutator::mutateFor(f);
    const auto &stmts = f->body->stmts;
    std::map<std::string, std::vector<std::size_t>> changes; // by which statements
    for (std::size_t i = 0; i < stmts.size(); ++i)
      for (const std::string &name : assignedVariables(stmts[i])) changes[name].push_back(i);
    for (const Stmt *s : stmts)
      if (const auto *d = dyn<Declare>(s)) changes.erase(d->name); // an iteration's own
    const Build build(arena(), f->range);
    std::vector<const Stmt *> first, all;
    std::vector<std::vector<const Stmt *>> behind(stmts.size());
    std::map<std::pair<std::string, bool>, const Expr *> own; // of a scalar, before and behind its change
    for (std::size_t i = 0; i < stmts.size(); ++i)
      all.push_back(substituted(arena(), stmts[i], [&](const VarRef *v) -> const Expr * {
        const auto change = changes.find(v->name);
        if (change == changes.end() || change->second.size() != 1 || change->second[0] == i || !v->type.isScalar())
          return v;
        const bool changed = i > change->second[0];
        const Expr *&value = own[{v->name, changed}];
        if (value) return value;
        const std::string name = names_.fresh(v->name + (changed ? "_then" : "_before"));
        (changed ? behind[change->second[0]] : first).push_back(build.declare(name, v->type, v));
        return value = build.var(name, v->type);
      }));
    if (own.empty()) return f;
    any_ = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      first.push_back(all[i]);
      first.insert(first.end(), behind[i].begin(), behind[i].end());
    }
    return arena().derive(f, [&](For &changed) { changed.body = build.block(std::move(first)); });
  }

  const For *loop_;
  Names &names_;
  bool any_ = false;
};

} // namespace

const Codelet *withOwnRunningValues(const Codelet &codelet, const For *loop, Names &names, Arena &arena) {
  return RunningValues(loop, names, arena).run(codelet);
}

} // namespace tangram::divide
