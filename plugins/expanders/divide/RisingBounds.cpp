#include "RisingBounds.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Codelets.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Segments.h"

#include <algorithm>

namespace tangram::divide {

using namespace ast;

namespace {

const Type kSize = Scalar::U64, kAnswer = Scalar::I32;

/// int all = 1; for (size_t k = 0; k + 1 < bounds.size(); ++k) all &= bounds[k] <= bounds[k + 1]; return all;
const Spectrum *check(const std::string &name, const Param *bounds, SourceRange where, Arena &arena) {
  const nest::Codelets make(arena, where);
  const Build &b = make.build();
  Names own;
  own.reserve(bounds->name);
  const Param *param = arena.make<Param>(where, bounds->name, bounds->type, Access::In);
  const std::string all = own.fresh("all"), k = own.fresh("k");
  const Expr *none = nullptr, *at = b.var(k, kSize), *next = b.add(at, b.u64(1));
  const Expr *size = arena.make<Size>(where, kSize, make.use(param), none);
  auto element = [&](const Expr *index) { return b.element(make.use(param), {index}, bounds->type.element()); };
  const Expr *rises = b.cast(kAnswer, b.binary(BinaryOp::Le, element(at), element(next)));
  const Stmt *update = make.run(arena.make<Assign>(where, kAnswer, AssignOp::And, b.var(all, kAnswer), rises));
  const Stmt *loop = arena.make<For>(where, b.declare(k, kSize, b.u64(0), false), b.less(next, size),
                                     arena.make<Unary>(where, kSize, UnaryOp::PreInc, at), b.block({update}));
  const Stmt *result = arena.make<Return>(where, b.var(all, kAnswer));
  const Codelet *loops =
      make.codelet("loops", {param}, {b.declare(all, kAnswer, b.integer(kAnswer, 1), false), loop, result});
  return make.spectrum(name, kAnswer, {param}, {loops});
}

} // namespace

std::optional<RisingBounds> risingBounds(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                                         const std::string &name, Names &names, Arena &arena) {
  if (!spectrum.result.isVoid()) return {};
  // Bounds are elements of a container of integers, two of them neighbours.
  const bool neighbours = std::any_of(codelet.params.begin(), codelet.params.end(), [&](const Param *p) {
    std::size_t uses = 0;
    if (p->type.isArray() && p->type.rank() == 1 && p->type.element().isInteger())
      walk(codelet.body, [&](const Subscript &s) {
        const auto *base = dyn<VarRef>(s.base);
        uses += base && base->name == p->name;
      });
    return uses > 1;
  });
  if (!neighbours) return {};
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return {};
  std::vector<const Param *> bounds;
  const std::set<std::string> candidates = nest::boundsOfSegments(*nest);
  for (const Param *p : codelet.params)
    if (candidates.count(p->name)) bounds.push_back(p);
  if (bounds.size() != 1) return {}; // one check
  Assumed rising;
  for (const Param *p : bounds) rising.push_back(p->name);
  const Codelet *assumed = arena.derive(&codelet, [&](Codelet &c) { c.assumed = rising; });
  const nest::Nest *const known = nests.of(*assumed);
  if (!known || nest::Dependences(*known).unorderedLoops() <= nest::Dependences(*nest).unorderedLoops()) return {};

  const SourceRange where = codelet.range;
  const nest::Codelets make(arena, where);
  const Build &b = make.build();
  Names own;
  own.reserveAll(&codelet);
  RisingBounds result;
  result.check = check(names.fresh(spectrum.name + "_" + bounds[0]->name + "_rises"), bounds[0], where, arena);
  const std::string rises = own.fresh(bounds[0]->name + "_rises");
  const Param *answer = arena.make<Param>(where, rises, Type(Scalar::Bool), Access::In);
  std::vector<const Param *> params{answer};
  params.insert(params.end(), codelet.params.begin(), codelet.params.end());
  const Codelet *loops = arena.derive(&codelet, [&](Codelet &c) {
    c.name = c.tag = "loops";
    c.from.clear();
    c.params = params;
  });
  result.segments = make.spectrum(names.fresh(spectrum.name + "_" + name), Type(), params, {loops});
  result.rising = arena.derive(loops, [&](Codelet &c) {
    c.name = c.tag = "rising";
    c.from = loops->name;
    c.assumed = rising;
    c.conditions.push_back(make.use(answer));
  });
  std::vector<const Expr *> arguments{b.var(rises, Scalar::Bool)};
  for (const Param *p : codelet.params) arguments.push_back(make.use(p));
  const Expr *asked =
      b.binary(BinaryOp::Ne, make.call(result.check->name, kAnswer, {make.use(bounds[0])}), b.integer(kAnswer, 0));
  result.codelet = arena.derive(&codelet, [&](Codelet &c) {
    c.name = c.tag = name;
    c.body =
        b.block({b.declare(rises, Scalar::Bool, asked), make.run(make.call(result.segments->name, Type(), arguments))});
  });
  return result;
}

} // namespace tangram::divide
