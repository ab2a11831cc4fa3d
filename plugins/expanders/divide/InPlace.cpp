#include "InPlace.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <set>

namespace tangram::divide {

using namespace ast;

namespace {

class InPlace final : public Mutator {
public:
  InPlace(const nest::Nest &nest, Arena &arena) : Mutator(arena), nest_(nest) {}

private:
  const Node *mutateFor(const For *loop) override {
    const auto &stmts = loop->body->stmts;
    const auto *first = stmts.size() > 2 ? dyn<Declare>(stmts.front()) : nullptr;
    const auto *element =
        first && first->extents.empty() && first->type.isScalar() ? dyn<Subscript>(first->init) : nullptr;
    const auto *stores = element ? dyn<Evaluate>(stmts.back()) : nullptr;
    const auto *store = stores ? dyn<Assign>(stores->expr) : nullptr;
    const auto *value = store && store->op == AssignOp::Set ? dyn<VarRef>(store->value) : nullptr;
    if (!value || value->name != first->name || !equal(store->target, element) || !isAlone(*loop, *first, *element))
      return rebuild(loop);
    const Build b(arena(), loop->range);
    std::vector<const Stmt *> body;
    for (std::size_t i = 1; i + 1 < stmts.size(); ++i)
      body.push_back(substituted(arena(), stmts[i], [&](const VarRef *v) -> const Expr * {
        return v->name == first->name ? static_cast<const Expr *>(element) : v;
      }));
    return arena().derive(loop, [&](For &copy) { copy.body = b.block(std::move(body)); });
  }

  /// Whether nothing between its first and its last statement changes what the element's index is made of, or touches
  /// the element.
  bool isAlone(const For &loop, const Declare &first, const Subscript &element) const {
    const auto &stmts = loop.body->stmts;
    const auto *container = dyn<VarRef>(element.base);
    if (!container || hasEffects(&element)) return false;
    std::set<std::string> changed;
    for (std::size_t i = 1; i + 1 < stmts.size(); ++i) {
      if (jumpsOut(stmts[i])) return false;
      changed.merge(assignedVariables(stmts[i]));
    }
    changed.erase(first.name);
    if (any<VarRef>(&element, [&](const VarRef &v) { return changed.count(v.name) != 0; })) return false;
    const nest::Access *own = nullptr;
    std::vector<const nest::Access *> others;
    for (const nest::Statement &s : nest_.statements)
      for (const nest::Access &a : s.accesses) {
        if (nest_.variables[a.variable].name != container->name) continue;
        if (a.node == &element)
          own = &a;
        else if (s.node != stmts.back() && any<Node>(&loop, [&](const Node &n) { return &n == a.node; }))
          others.push_back(&a);
      }
    if (!own || !own->exact) return false;
    const auto apart = nest_.isl.limited([&] {
      return std::all_of(others.begin(), others.end(), [&](const nest::Access *a) {
        return a->kind == nest::AccessKind::Read &&
               a->elements.intersect(own->elements).intersect_params(nest_.assumed).is_empty();
      });
    });
    return apart && *apart;
  }

  const nest::Nest &nest_;
};

} // namespace

const Codelet *withElementsInPlace(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  return nest ? as<Codelet>(InPlace(*nest, arena).mutate(&codelet)) : &codelet;
}

} // namespace tangram::divide
