#include "tangram/ast/Substitute.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"

namespace tangram::ast {

namespace {

class Substitute final : public Mutator {
public:
  Substitute(Arena &arena, const ReplaceVariable &replace, const ReplaceElement &element)
      : Mutator(arena), replace_(replace), element_(element) {}

private:
  const Node *mutateVarRef(const VarRef *e) override { return replace_(e); }
  const Node *mutateSubscript(const Subscript *e) override {
    const Expr *replaced = element_ ? element_(e) : nullptr;
    return replaced ? replaced : rebuild(e);
  }
  const Node *mutateBinary(const Binary *e) override {
    const Binary *result = rebuild(e);
    if (result == e || result->lhs->type.isVector() || result->rhs->type.isVector()) return result;
    const Expr *folded = Build(arena(), e->range).binary(e->op, result->lhs, result->rhs);
    return folded->type == e->type ? folded : result;
  }
  const Node *mutateCast(const Cast *e) override {
    const Cast *result = rebuild(e);
    if (result == e) return e;
    const Build build(arena(), e->range);
    return e->exact == Flag::Yes ? build.exactCast(e->type, result->operand) : build.cast(e->type, result->operand);
  }
  const Node *mutateConditional(const Conditional *e) override {
    const Conditional *result = rebuild(e);
    std::optional<Int> cond = literal(result->cond);
    return cond ? (*cond ? result->then : result->otherwise) : result;
  }

  const ReplaceVariable &replace_;
  const ReplaceElement &element_;
};

} // namespace

const Node *substitutedNode(Arena &arena, const Node *tree, const ReplaceVariable &replace,
                            const ReplaceElement &element) {
  return Substitute(arena, replace, element).mutate(tree);
}

} // namespace tangram::ast
