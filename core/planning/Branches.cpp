#include "Branches.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <cmath>

namespace tangram {

using namespace ast;

namespace {

bool changes(const Block *block, const std::string &name) {
  return any<Assign>(block, [&](const Assign &a) {
    const VarRef *place = rootVariable(a.target);
    return place && place->name == name;
  });
}

bool hasNoJump(const Block *block) {
  return !block || std::all_of(block->stmts.begin(), block->stmts.end(), [](const Stmt *s) {
    const auto *evaluate = dyn<Evaluate>(s);
    const auto *set = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
    return set && isa<VarRef>(set->target) && !contains<Subscript>(set->value) && !contains<Call>(set->value) &&
           !contains<SpectrumCall>(set->value);
  });
}

} // namespace

const std::string *runningExtreme(const If &branch) {
  if (branch.otherwise) return nullptr;
  const Expr *cond = withoutCasts(branch.cond);
  for (const auto *both = dyn<Binary>(cond); both && both->op == BinaryOp::LogicalAnd; both = dyn<Binary>(cond))
    cond = withoutCasts(both->rhs);
  const auto *compare = dyn<Binary>(cond);
  if (!compare || !isOrdering(compare->op)) return nullptr;
  for (const auto &[value, candidate] : {std::pair(compare->lhs, compare->rhs), std::pair(compare->rhs, compare->lhs)})
    if (const VarRef *place = rootVariable(withoutCasts(value));
        place && !mentions(candidate, place->name) && changes(branch.then, place->name))
      return &place->name;
  return nullptr;
}

double timesAmongLeast(double kept, double times) {
  return times <= kept ? times : kept * (1 + std::log(times / kept));
}

bool isConverted(const If &branch) { return hasNoJump(branch.then) && hasNoJump(branch.otherwise); }

} // namespace tangram
