#include "Headers.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <map>

namespace tangram::loop_normalization {

using namespace ast;

namespace {

class Headers final : public Mutator {
public:
  explicit Headers(Arena &arena) : Mutator(arena) {}

private:
  static bool isDeref(const Expr &e) { return isa<Unary>(&e) && as<Unary>(&e)->op == UnaryOp::Deref; }
  /// A constant of a number that nothing is loaded or called for.
  static const Declare *constant(const Stmt *s) {
    const auto *d = dyn<Declare>(s);
    return d && d->isConst && d->init && d->extents.empty() && d->type.isScalar() && !hasEffects(d->init) &&
                   !any<Expr>(d->init, [](const Expr &e) { return isa<Subscript>(&e) || isa<Call>(&e) || isDeref(e); })
               ? d
               : nullptr;
  }

  static const If *leaving(const Stmt *s) {
    const auto *choice = dyn<If>(s);
    return choice && !choice->otherwise && choice->then->stmts.size() == 1 && isa<Break>(choice->then->stmts[0]) &&
                   !hasEffects(choice->cond)
               ? choice
               : nullptr;
  }

  const Node *mutateFor(const For *loop) override {
    const auto &stmts = loop->body->stmts;
    std::size_t first = 0;
    while (first < stmts.size() && constant(stmts[first])) ++first;
    const If *leaves = !loop->cond && first < stmts.size() ? leaving(stmts[first]) : nullptr;
    if (!leaves) return rebuild(loop);
    const Build b(arena(), loop->range);
    std::set<std::string> changed = assignedVariables(loop);
    if (const auto *counter = dyn<Declare>(loop->init)) changed.insert(counter->name);
    std::map<std::string, const Expr *> values; // of constants of an iteration's own
    const auto with = [&](const Expr *e) {
      return substituted(arena(), e, [&](const VarRef *v) -> const Expr * {
        const auto value = values.find(v->name);
        return value == values.end() ? v : value->second;
      });
    };
    std::vector<const Stmt *> body;
    for (std::size_t i = 0; i < first; ++i) {
      const Declare *d = constant(stmts[i]);
      const bool own = any<VarRef>(d->init, [&](const VarRef &v) { return changed.count(v.name) != 0; });
      if (!own) {
        emitBefore(d);
        continue;
      }
      changed.insert(d->name);
      values[d->name] = with(d->init);
      body.push_back(d);
    }
    const auto *holds = dyn<Unary>(leaves->cond);
    const Expr *cond = with(holds && holds->op == UnaryOp::Not ? holds->operand : b.logicalNot(leaves->cond));
    for (std::size_t i = first + 1; i < stmts.size(); ++i) body.push_back(stmts[i]);
    std::erase_if(body, [&](const Stmt *s) {
      const auto *d = dyn<Declare>(s);
      return d && values.count(d->name) && std::none_of(body.begin(), body.end(), [&](const Stmt *other) {
               return other != s && mentions(other, d->name);
             });
    });
    return rebuild(arena().derive(loop, [&](For &copy) {
      copy.cond = cond;
      copy.body = b.block(std::move(body));
    }));
  }
};

} // namespace

const Kernel *withConditionsInHeaders(Arena &arena, const Kernel *kernel) { return Headers(arena)(kernel); }

} // namespace tangram::loop_normalization
