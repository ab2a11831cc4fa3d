#include "Reductions.h"

#include "tangram/ast/Walk.h"

#include <cmath>
#include <limits>

namespace tangram::divide {

using namespace ast;
using nest::ReductionOp;

namespace {

const Type kSize = Scalar::U64, kLane = Scalar::U32;

Int extremeOf(const Type &t, bool most) {
  unsigned bits = t.bytes() * 8;
  if (!t.isSigned()) return most ? (bits == 64 ? -1 : static_cast<Int>((std::uint64_t{1} << bits) - 1)) : 0;
  Int highest = bits == 64 ? std::numeric_limits<Int>::max() : (Int{1} << (bits - 1)) - 1;
  return most ? highest : -highest - 1;
}

} // namespace

const Expr *neutral(const Build &build, ReductionOp op, const Type &type) {
  bool floating = type.isFloating();
  if (!type.isScalar() || type.isBool() || type.isHalf()) return nullptr;
  auto real = [&](double value) -> const Expr * { return build.arena().make<FloatLit>({}, type, value); };
  switch (op) {
  case ReductionOp::Add: return floating ? real(0) : build.integer(type, 0);
  case ReductionOp::Mul: return floating ? real(1) : build.integer(type, 1);
  case ReductionOp::Min:
    return floating ? real(std::numeric_limits<double>::infinity()) : build.integer(type, extremeOf(type, true));
  case ReductionOp::Max:
    return floating ? real(-std::numeric_limits<double>::infinity()) : build.integer(type, extremeOf(type, false));
  case ReductionOp::And: return floating ? nullptr : build.integer(type, -1);
  case ReductionOp::Or:
  case ReductionOp::Xor: return floating ? nullptr : build.integer(type, 0);
  }
  return nullptr;
}

const Expr *combined(const Build &build, ReductionOp op, const Expr *a, const Expr *b) {
  switch (op) {
  case ReductionOp::Add: return build.add(a, b);
  case ReductionOp::Mul: return build.mul(a, b);
  case ReductionOp::Min: return build.select(build.less(b, a), b, a);
  case ReductionOp::Max: return build.select(build.less(a, b), b, a);
  case ReductionOp::And: return build.binary(BinaryOp::And, a, b);
  case ReductionOp::Or: return build.binary(BinaryOp::Or, a, b);
  case ReductionOp::Xor: return build.binary(BinaryOp::Xor, a, b);
  }
  return a;
}

namespace {

/// Lanes combine what each has, in as many rounds as their number has bits; any number of them.
class Lanes {
public:
  Lanes(const Codelets &make, Arena &arena, SourceRange where, Names names)
      : make_(make), arena_(arena), where_(where), lane_(names.fresh("lane")), shared_(names.fresh("shared")),
        step_(names.fresh("step")) {}
  /// The variable that has index().
  const std::string &lane() const { return lane_; }
  const Expr *index() const { return arena_.make<CoopIdx>(where_, kLane); }
  const Expr *count() const { return arena_.make<CoopDim>(where_, kLane); }

  /// __shared T shared[coopDim()]; ...; the last one has the result.
  std::vector<const Stmt *> together(ReductionOp op, const Type &type, const std::string &value) const {
    const Build &build = make_.build();
    const Expr *none = nullptr;
    const Tunable *noTunable = nullptr;
    const Expr *lane = build.var(lane_, kLane), *step = build.var(step_, kLane);
    auto element = [&](const Expr *at) {
      return build.element(build.var(shared_, Type::array(1, type)), {build.cast(kSize, at)}, type);
    };
    const Stmt *shared = arena_.make<Declare>(where_, shared_, type, false, true,
                                              std::vector<const Expr *>{build.cast(kSize, count())}, noTunable, none);
    const Stmt *update =
        build.assign(element(lane), combined(build, op, element(lane), element(build.sub(lane, step))));
    const Stmt *round = build.when(build.binary(BinaryOp::Ge, lane, step), {update});
    const Expr *next = arena_.make<Assign>(where_, kLane, AssignOp::Mul, step, build.integer(kLane, 2));
    const Stmt *rounds = arena_.make<For>(where_, build.declare(step_, kLane, build.integer(kLane, 1), false),
                                          build.less(step, count()), next, build.block({round}));
    return {shared, build.assign(element(lane), build.var(value, type)), rounds,
            arena_.make<Return>(where_, element(build.sub(count(), build.integer(kLane, 1))))};
  }

private:
  const Codelets &make_;
  Arena &arena_;
  SourceRange where_;
  std::string lane_, shared_, step_;
};

} // namespace

std::vector<const Spectrum *> spectrumsOf(ReductionLoop loop, const std::string &base, Names &names, Arena &arena) {
  const SourceRange where = loop.range.where;
  Names local;
  local.reserve(loop.range.iterator);
  local.reserve(loop.scalar);
  for (const Param *p : loop.captures.params) local.reserve(p->name);
  for (const Stmt *s : loop.body) local.reserveAll(s);
  loop.range.position = local.fresh("at_" + loop.range.iterator);
  Codelets make(arena, where, local);
  const Build &build = make.build();
  const Param *range = make.param(local.fresh(loop.range.iterator + "_range"), loop.range.containerType());
  const Param *before = make.param(local.fresh(loop.scalar + "_before"), loop.type);
  std::vector<const Param *> params = {range, before};
  params.insert(params.end(), loop.captures.params.begin(), loop.captures.params.end());
  std::string name = names.fresh(fmt::format("{}_{}", base, loop.range.iterator));
  const Expr *scalar = build.var(loop.scalar, loop.type);
  auto declared = [&](const Expr *init) { return build.declare(loop.scalar, loop.type, init, false); };
  auto returned = [&](const Expr *e) { return arena.make<Return>(where, e); };
  std::vector<const Stmt *> body;
  for (const Declare *d : loop.captures.own)
    body.push_back(arena.derive(d, [](Declare &copy) {
      copy.init = nullptr;
      copy.isConst = false;
    }));
  body.insert(body.end(), loop.body.begin(), loop.body.end());

  std::vector<const Codelet *> codelets = {make.codelet(
      "loops", params, {declared(make.use(before)), make.loop(loop.range, range, body), returned(scalar)})};
  std::vector<const Spectrum *> spectrums;
  const Expr *none = loop.reorder ? neutral(build, loop.op, loop.type) : nullptr;
  auto spectrum = [&](const std::string &own, const std::vector<const Param *> &with, std::vector<const Codelet *> of) {
    return arena.make<Spectrum>(where, own, loop.type, with, std::vector<const Expr *>{}, std::move(of));
  };
  if (!none) {
    spectrums.push_back(spectrum(name, params, codelets));
    return spectrums;
  }

  // Parts at once, each from nothing, and what they have combined with what there was.
  std::string all = names.fresh(name + "_all");
  auto arguments = [&](const Expr *first) {
    std::vector<const Expr *> args = {first, none};
    for (const Param *p : loop.captures.params) args.push_back(make.use(p));
    return args;
  };
  std::vector<const Stmt *> over = make.tiling(range);
  over.push_back(
      returned(combined(build, loop.op, make.use(before),
                        make.call(all, loop.type, {make.map(name, loop.type, arguments(make.parts(range)))}))));
  codelets.push_back(make.codelet("over_" + loop.range.iterator, params, std::move(over)));

  // Lanes have every so many iterations each.
  for (const char *own : {"result", "value", "values"}) local.reserve(own);
  Lanes lanes(make, arena, where, local);
  const Expr *lane = build.var(lanes.lane(), kLane);
  std::vector<const Stmt *> coop = {
      build.declare(lanes.lane(), kLane, lanes.index()), declared(none),
      make.loop(loop.range, range, body, build.cast(kSize, lane), build.cast(kSize, lanes.count()))};
  // Before the lanes come together, the first has what there was.
  coop.push_back(build.when(build.equal(lane, build.integer(kLane, 0)),
                            {build.assign(scalar, combined(build, loop.op, make.use(before), scalar))}));
  for (const Stmt *s : lanes.together(loop.op, loop.type, loop.scalar)) coop.push_back(s);
  codelets.push_back(make.codelet("lanes", params, std::move(coop), true));
  spectrums.push_back(spectrum(name, params, codelets));

  const Param *values = make.param("values", Type::array(1, loop.type));
  LoopRange numbers = loop.range;
  numbers.iterator = "value";
  numbers.iteratorType = numbers.type = loop.type;
  const Expr *result = build.var("result", loop.type);
  auto folded = [&](const Expr *from, const Expr *by) {
    return make.loop(numbers, values,
                     {build.assign(result, combined(build, loop.op, result, build.var("value", loop.type)))}, from, by);
  };
  const Stmt *start = build.declare("result", loop.type, none, false);
  std::vector<const Codelet *> combining = {
      make.codelet("loops", {values}, {start, folded(nullptr, nullptr), returned(result)})};
  std::vector<const Stmt *> together = {build.declare(lanes.lane(), kLane, lanes.index()), start,
                                        folded(build.cast(kSize, lane), build.cast(kSize, lanes.count()))};
  for (const Stmt *s : lanes.together(loop.op, loop.type, "result")) together.push_back(s);
  combining.push_back(make.codelet("lanes", {values}, std::move(together), true));
  spectrums.push_back(spectrum(all, {values}, combining));
  return spectrums;
}

} // namespace tangram::divide
