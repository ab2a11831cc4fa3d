#include "tangram/c-family/WrittenOut.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <limits>

namespace tangram::c_family {

using namespace ast;

namespace {

/// How often `for (i = A; i < B; ++i)`, or i <= B, turns.
std::optional<Int> turnsOf(const KnownValues &known, const For &loop) {
  const auto *first = dyn<Declare>(loop.init);
  if (const auto *several = dyn<Block>(loop.init); several && several->stmts.size() == 1)
    first = dyn<Declare>(several->stmts[0]);
  const auto *cond = dyn<Binary>(loop.cond);
  const auto *step = dyn<Unary>(loop.step);
  const bool last = cond && cond->op == BinaryOp::Le; // there is a turn where it is equal to the bound
  if (!first || !first->init || !cond || (cond->op != BinaryOp::Lt && !last) || !step) return {};
  auto counts = [&](const Expr *e) {
    const auto *ref = dyn<VarRef>(e);
    return ref && ref->name == first->name;
  };
  bool up = step->op == UnaryOp::PreInc || step->op == UnaryOp::PostInc;
  if (!up || !counts(step->operand) || !counts(cond->lhs) || assignedVariables(loop.body).count(first->name)) return {};
  std::optional<Int> begin = known.value(first->init), end = known.value(cond->rhs);
  if (!begin || !end || *end <= *begin) return {};
  if (last && *end >= std::numeric_limits<std::int8_t>::max()) return {}; // it may be the type's greatest
  return *end - *begin + last;
}

/// How many there are where loops are written out; many may be more. Functions are many.
std::optional<Int> statements(const KnownValues &known, const Stmt *s) {
  constexpr Int kFunction = 100;
  if (isa<Evaluate>(s) || isa<Declare>(s)) {
    Int all = 1;
    walk(s, [&](const Call &) { all += kFunction; });
    return all;
  }
  std::optional<Int> all = 0;
  auto add = [&](const Stmt *more) {
    std::optional<Int> count = more ? statements(known, more) : std::optional<Int>(0);
    all = all && count ? std::optional<Int>(*all + *count) : std::nullopt;
  };
  if (const auto *block = dyn<Block>(s)) {
    for (const Stmt *inner : block->stmts) add(inner);
    return all;
  }
  if (const auto *branch = dyn<If>(s)) {
    add(branch->then);
    add(branch->otherwise);
    return all;
  }
  const auto *loop = dyn<For>(s);
  std::optional<Int> each = loop ? turnsOf(known, *loop) : std::nullopt;
  if (!each) return {};
  add(loop->body);
  constexpr Int kMany = Int(1) << 20;
  return all ? std::optional<Int>(std::min(kMany, *all * std::min(*each, kMany))) : std::nullopt;
}

} // namespace

std::optional<Int> turnsThrough(const KnownValues &known, const For &loop, const std::set<std::string> &arrays) {
  constexpr Int kMost = 16;
  std::optional<Int> turns = turnsOf(known, loop);
  if (!turns || *turns > kMost) return {};
  if (!any<VarRef>(loop.body, [&](const VarRef &ref) { return arrays.count(ref.name) > 0; })) return {};
  return turns;
}

bool countsElements(const For &loop, const std::set<std::string> &arrays) {
  const auto *first = dyn<Declare>(loop.init);
  return first && any<Subscript>(loop.body, [&](const Subscript &element) {
           const auto *array = dyn<VarRef>(element.base);
           auto counts = [&](const Expr *index) { return mentions(index, first->name); };
           return array && arrays.count(array->name) &&
                  std::any_of(element.indices.begin(), element.indices.end(), counts);
         });
}

bool isWrittenOut(const KnownValues &known, const For &loop, const std::set<std::string> &arrays) {
  constexpr Int kMost = 4096; // statements
  if (!turnsThrough(known, loop, arrays) || !any<For>(loop.body, [](const For &) { return true; })) return false;
  const std::optional<Int> all = statements(known, &loop);
  return all && *all <= kMost;
}

} // namespace tangram::c_family
