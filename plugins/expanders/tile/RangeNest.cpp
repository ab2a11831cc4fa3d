#include "RangeNest.h"

#include "Padding.h"
#include "tangram/nest/Promotion.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Read.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

namespace {

bool names(const Expr *e, const std::string &variable) {
  const auto *v = dyn<VarRef>(e);
  return v && v->name == variable;
}

std::size_t uses(const Node *tree, const std::string &variable) {
  std::size_t count = 0;
  walk(tree, [&](const VarRef &v) { count += v.name == variable; });
  return count;
}

/// The loop without its number in the nest; nothing where it is another one.
std::optional<RangeLoop> rangeLoop(const For &loop, const Spectrum &spectrum, const Codelet &codelet,
                                   const RangeSteps &steps) {
  const auto *at = dyn<Declare>(loop.init);
  const auto *cond = dyn<Binary>(loop.cond);
  const auto *step = dyn<Unary>(loop.step);
  if (!at || !isLiteral(at->init, 0) || !cond || cond->op != BinaryOp::Lt || !names(cond->lhs, at->name) || !step ||
      step->op != UnaryOp::PreInc || !names(step->operand, at->name) || loop.body->stmts.empty())
    return std::nullopt;
  const auto *size = dyn<Size>(cond->rhs);
  const auto *range = size ? dyn<VarRef>(size->container) : nullptr;
  const auto *iterator = dyn<Declare>(loop.body->stmts[0]);
  const auto *element = iterator ? dyn<Subscript>(withoutCasts(iterator->init)) : nullptr;
  if (!range || !element || element->indices.size() != 1 || !names(element->base, range->name) ||
      !names(withoutCasts(element->indices[0]), at->name) || !iterator->type.isInteger() || iterator->type.isBool())
    return std::nullopt;
  // Nothing else asks for the range or where the loop is in it.
  if (uses(codelet.body, range->name) != 2 || uses(codelet.body, at->name) != 3) return std::nullopt;
  for (unsigned i = 0; i < codelet.params.size(); ++i)
    if (codelet.params[i]->name == range->name)
      if (auto known = steps.find({spectrum.name, i}); known != steps.end())
        return RangeLoop{codelet.params[i], iterator, known->second, 0, {}, loop.range};
  return std::nullopt;
}

bool isGuard(const If &statement) {
  return !statement.otherwise && !hasEffects(statement.cond) && !contains<Subscript>(statement.cond) &&
         !contains<SpectrumCall>(statement.cond);
}

/// `for (...) if (cond) S` of `if (cond) for (...) S`, where that is the same: so a condition of each point leaves the
/// loop in which points share what they read.
const Stmt *withConditionInside(const Stmt *s, Arena &arena) {
  const auto *choice = dyn<If>(s);
  const auto *loop = choice && choice->then->stmts.size() == 1 ? dyn<For>(choice->then->stmts[0]) : nullptr;
  if (!loop || !isGuard(*choice) || !isa<Declare>(loop->init) || jumpsOut(loop->body)) return s;
  const std::set<std::string> changed = assignedVariables(loop);
  if (any<VarRef>(choice->cond, [&](const VarRef &v) { return changed.count(v.name) != 0; })) return s;
  // The loop's own expressions are asked for where the condition does not hold, too.
  if (!speculable(as<Declare>(loop->init)->init) || !speculable(loop->cond)) return s;
  const Stmt *inside = arena.derive(choice, [&](If &copy) { copy.then = loop->body; });
  return arena.derive(loop, [&](For &copy) {
    copy.body = arena.derive(loop->body, [&](Block &b) { b.stmts = {withConditionInside(inside, arena)}; });
  });
}

/// With sums that number elements in place of the variables that have them (forward substitution): `in[i]` of
/// `int i = y + dy - 4;` says itself which elements points share.
std::vector<const Stmt *> withDefinitions(const std::vector<const Stmt *> &body, Arena &arena) {
  Definitions definitions = definitionsIn(body);
  std::erase_if(definitions, [&](const auto &known) {
    const auto divides = [](const Binary &b) { return b.op == BinaryOp::Div || b.op == BinaryOp::Rem; };
    return std::find(body.begin(), body.end(), known.second) == body.end() || any<Binary>(known.second->init, divides);
  });
  if (definitions.empty()) return body;
  std::vector<const Stmt *> result;
  for (const Stmt *s : body)
    result.push_back(substituted(arena, s, [&](const VarRef *v) -> const Expr * {
      return definitions.count(v->name) ? spelledOut(v, definitions, arena) : v;
    }));
  std::erase_if(result, [&](const Stmt *s) { // nobody asks for it any more
    const auto *d = dyn<Declare>(s);
    return d && definitions.count(d->name);
  });
  return result;
}

} // namespace

std::optional<RangeNest> rangeNest(const Module &module, const Spectrum &spectrum, const Codelet &codelet,
                                   const RangeSteps &steps, Arena &arena) {
  if (codelet.coop || contains<Return>(codelet.body)) return std::nullopt;
  RangeNest result;
  const Block *block = codelet.body;
  while (block->stmts.size() > result.fixed.size() + 1 && result.loops.empty()) {
    const auto *d = dyn<Declare>(block->stmts[result.fixed.size()]);
    if (!d || !d->isConst || !d->init) return std::nullopt;
    result.fixed.push_back(d);
  }
  std::vector<const Stmt *> inner(block->stmts.begin() + static_cast<std::ptrdiff_t>(result.fixed.size()),
                                  block->stmts.end());
  while (inner.size() == 1 && isa<For>(inner[0])) {
    const auto *loop = as<For>(inner[0]);
    std::optional<RangeLoop> next = rangeLoop(*loop, spectrum, codelet, steps);
    if (!next) break;
    result.loops.push_back(*next);
    inner.assign(loop->body->stmts.begin() + 1, loop->body->stmts.end());
  }
  if (result.loops.empty() || inner.empty()) return std::nullopt;
  if (const auto *guard = inner.size() == 1 ? dyn<If>(inner[0]) : nullptr; guard && isGuard(*guard)) {
    result.guard = guard->cond;
    inner = guard->then->stmts;
  }
  Names fresh;
  fresh.reserveAll(&codelet);
  inner = nest::withPromotedElements(inner, fresh, arena);
  inner = withDefinitions(inner, arena);
  for (const Stmt *&s : inner) s = withConditionInside(s, arena);
  result.body = inner;
  if (result.guard) inner = {Build(arena, result.guard->range).when(result.guard, inner)};
  std::vector<const Param *> params;
  for (unsigned i = 0; i < codelet.params.size(); ++i)
    if (steps.count({spectrum.name, i})) result.ranges.insert(codelet.params[i]->name);
  for (const Param *p : codelet.params)
    if (std::none_of(result.loops.begin(), result.loops.end(), [&](const RangeLoop &l) { return l.range == p; }))
      params.push_back(p);
  std::vector<const For *> loops;
  for (std::size_t i = result.loops.size(); i-- > 0;) {
    RangeLoop &l = result.loops[i];
    const Type &type = l.iterator->type;
    Build build(arena, l.where);
    auto scalar = [&](const std::string &name) {
      params.push_back(arena.make<Param>(l.where, fresh.fresh(name + l.iterator->name), type, ast::Access::In));
      return build.var(params.back()->name, type);
    };
    const Expr *first = scalar("first_"), *end = scalar("end_"), *it = build.var(l.iterator->name, type);
    l.end = params.back()->name;
    const Expr *next = l.step == 1 ? static_cast<const Expr *>(arena.make<Unary>(l.where, type, UnaryOp::PreInc, it))
                                   : arena.make<Assign>(l.where, type, AssignOp::Add, it, build.integer(type, l.step));
    const auto *loop = arena.make<For>(l.where, build.declare(l.iterator->name, type, first, false),
                                       build.less(it, end), next, build.block(inner));
    loops.insert(loops.begin(), loop);
    inner = {loop};
  }
  std::vector<const Stmt *> stmts(result.fixed.begin(), result.fixed.end());
  stmts.insert(stmts.end(), inner.begin(), inner.end());
  const auto *shadow = arena.derive(&codelet, [&](Codelet &c) {
    c.params = params;
    c.conditions.clear();
    c.body = arena.derive(codelet.body, [&](Block &b) { b.stmts = stmts; });
  });
  result.nest = nest::read(module, *shadow);
  if (!result.nest) return std::nullopt;
  for (std::size_t i = 0; i < loops.size(); ++i)
    for (unsigned n = 0; n < result.nest->loops.size(); ++n)
      if (result.nest->loops[n].node == loops[i]) result.loops[i].loop = n;
  return result;
}

bool RangeNest::unconditional() const {
  auto result = nest->isl.limited([&] {
    isl::ctx ctx = nest->isl.get();
    isl::set all = isl::set::universe(isl::space::unit(ctx)), context = nest->context;
    // That the nest's loop counts beyond its last number is nothing that the codelet does.
    for (const RangeLoop &l : loops) {
      const Type &type = l.iterator->type;
      if (l.step == 1 || type.isSigned()) continue;
      std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * type.bytes());
      isl::val last(ctx, std::to_string(most - static_cast<std::uint64_t>(l.step)));
      for (const nest::Parameter &p : nest->parameters)
        if (p.name == l.end)
          context =
              context.intersect(all.param_pw_aff_on_domain(isl::id(ctx, p.id)).le_set(all.pw_aff_on_domain(last)));
    }
    return context.is_subset(nest->assumed);
  });
  return result && *result;
}

} // namespace tangram::tile
