#include "tangram/nest/MergedStores.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/StoredElements.h"

namespace tangram::nest {

using namespace ast;

namespace {

class StoreMerger : public Mutator {
public:
  StoreMerger(const Module &module, const Codelet *codelet, Arena &arena)
      : Mutator(arena), module_(module), stored_(*codelet) {}

protected:
  const Node *mutateIf(const If *s) override {
    const auto *made = dyn<If>(Mutator::mutateIf(s)); // those within first
    if (!made || !made->otherwise || hasEffects(made->cond)) return made;
    const Assign *then = setBy(made->then), *otherwise = setBy(made->otherwise);
    if (!then || !otherwise || !equal(then->target, otherwise->target) ||
        !(stored_.recurs(then->value, made->cond) || stored_.recurs(otherwise->value, made->cond)))
      return made;
    const Build build(arena(), made->range);
    const Type &type = then->target->type;
    return build.assign(then->target,
                        build.select(made->cond, build.cast(type, then->value), build.cast(type, otherwise->value)));
  }

private:
  /// The assignment that is all a block does; null: it does something else.
  const Assign *setBy(const Block *block) const {
    const auto *e = block->stmts.size() == 1 ? dyn<Evaluate>(block->stmts[0]) : nullptr;
    const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
    const auto *element = a ? dyn<Subscript>(a->target) : nullptr;
    const bool place = a && (isa<VarRef>(a->target) || (element && isa<VarRef>(element->base)));
    const bool plain = place && a->op == AssignOp::Set && a->target->type.isScalar();
    return plain && !hasEffects(a->target) && !changesSomething(a->value, module_) ? a : nullptr;
  }

  const Module &module_;
  StoredElements stored_;
};

} // namespace

const Codelet *withMergedStores(const Module &module, const Codelet *codelet, Arena &arena) {
  return as<Codelet>(StoreMerger(module, codelet, arena).mutate(codelet));
}

} // namespace tangram::nest
