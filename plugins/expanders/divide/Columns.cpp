#include "Columns.h"

#include "tangram/ast/Substitute.h"

#include <map>

namespace tangram::divide {

using namespace ast;

const Codelet *columns(const Band &band, const PointReduction &reduction, const Param *points,
                       const std::vector<const Param *> &params, Names names, Arena &arena) {
  const LoopRange &over = band.ranges[0];
  const ReductionLoop &loop = reduction.loop;
  for (const Reduced &r : loop.scalars) names.reserve(r.name);
  Codelets make(arena, over.where, names);
  const Build &build = make.build();
  const Expr *none = nullptr;
  std::vector<const Expr *> nothing;
  for (std::size_t k = 0; k < loop.scalars.size(); ++k) {
    const Reduced &r = loop.scalars[k]; // what is selected begins with what there is before the loop
    nothing.push_back(loop.selectionOf(k) && !r.type.isHalf() ? build.var(r.name, r.type)
                                                              : neutral(build, r.op, r.type));
    if (!nothing.back()) return nullptr;
  }
  std::vector<const Stmt *> all;
  auto lanes = [&](const std::string &name, const Expr *value) {
    const std::string own = names.fresh(name);
    all.push_back(build.declare(own, kLane, value));
    return build.var(own, kLane);
  };
  // As many lanes side by side as a line of memory has elements, or more.
  const std::string side = names.fresh("lanes");
  const auto *any = arena.make<Tunable>(over.where, Int{1}, Int{0}, Int{1}, Ints{8, 16, 32}, std::string());
  all.push_back(arena.make<Declare>(over.where, side, kLane, false, false, std::vector<const Expr *>{}, any, none));
  const Expr *count = arena.make<CoopDim>(over.where, kLane), *wished = build.var(side, kLane);
  const Expr *lane = lanes("lane", arena.make<CoopIdx>(over.where, kLane));
  const Expr *across = lanes("across", build.select(build.less(wished, count), wished, count));
  const Expr *down = lanes("down", build.div(count, across));
  const Expr *column = lanes("column", build.rem(lane, across)), *row = lanes("row", build.div(lane, across));

  const Tunable *noTunable = nullptr;
  auto declareShared = [&](const Type &type) {
    const std::string name = names.fresh("partial");
    all.push_back(arena.make<Declare>(over.where, name, type, false, true,
                                      std::vector<const Expr *>{build.cast(kSize, count)}, noTunable, none));
    return build.var(name, Type::array(1, type));
  };
  std::vector<const Expr *> shared, sharedNumbers;
  for (const Reduced &r : loop.scalars) shared.push_back(declareShared(r.type));
  for (std::size_t s = 0; s < loop.selections.size(); ++s) sharedNumbers.push_back(declareShared(kSize));
  auto partial = [&](const Expr *array, const Expr *at) {
    return build.element(array, {build.cast(kSize, at)}, array->type.element());
  };

  const Expr *first = build.var(names.fresh("first"), kSize), *at = build.var(names.fresh("at"), kSize);
  const Expr *size = arena.make<Size>(over.where, kSize, make.use(points), none);
  const Expr *last = build.sub(size, build.u64(1)); // lanes without a point do what it does
  std::vector<const Stmt *> body{
      build.declare(as<VarRef>(at)->name, kSize, build.add(first, build.cast(kSize, column))),
      build.declare(
          over.iterator, over.iteratorType,
          build.cast(over.iteratorType,
                     build.element(make.use(points), {build.select(build.less(at, size), at, last)}, over.type)))};
  body.insert(body.end(), reduction.before.begin(), reduction.before.end());

  std::map<std::string, const Expr *> own;
  for (std::size_t k = 0; k < loop.scalars.size(); ++k) {
    const Reduced &r = loop.scalars[k];
    const Expr *mine = own[r.name] = build.var(names.fresh("own_" + r.name), r.type);
    body.push_back(build.declare(as<VarRef>(mine)->name, r.type, nothing[k], false));
  }
  Numbers numbers, folded; // of a lane's own, and of what parts come to
  for (std::size_t s = 0; s < loop.selections.size(); ++s)
    for (std::vector<const Expr *> *of : {&numbers.mine, &folded.mine}) {
      const std::string name = names.fresh("number");
      body.push_back(build.declare(name, kSize, build.u64(0), false));
      of->push_back(build.var(name, kSize));
    }
  LoopRange turns = loop.range;
  turns.position = names.fresh("at_" + turns.iterator);
  const Param *values = make.param(names.fresh(turns.iterator + "_values"), turns.containerType());
  body.push_back(build.declare(values->name, values->type, turns.range(arena)));
  std::vector<const Stmt *> turn;
  for (const Stmt *s : numbered(loop, loop.body, turns.position, numbers.mine, arena))
    turn.push_back(substituted(arena, s, [&](const VarRef *v) -> const Expr * {
      auto mine = own.find(v->name);
      return mine == own.end() ? v : mine->second;
    }));
  body.push_back(make.loop(turns, values, std::move(turn), build.cast(kSize, row), build.cast(kSize, down)));
  const Expr *part = build.var(names.fresh("part"), kLane);
  const Expr *below = build.add(build.mul(part, across), column);
  std::vector<const Expr *> scalars, others;
  for (std::size_t k = 0; k < loop.scalars.size(); ++k) {
    const Reduced &r = loop.scalars[k];
    body.push_back(build.assign(partial(shared[k], lane), own.at(r.name)));
    scalars.push_back(build.var(r.name, r.type));
    others.push_back(partial(shared[k], below));
  }
  for (std::size_t s = 0; s < sharedNumbers.size(); ++s) {
    body.push_back(build.assign(partial(sharedNumbers[s], lane), numbers.mine[s]));
    folded.others.push_back(partial(sharedNumbers[s], below));
  }
  std::vector<const Stmt *> folds = takeOver(build, loop, scalars, others, folded);
  std::vector<const Stmt *> together{arena.make<For>(
      over.where, build.declare(as<VarRef>(part)->name, kLane, build.integer(kLane, 0), false), build.less(part, down),
      arena.make<Unary>(over.where, kLane, UnaryOp::PreInc, part), build.block(std::move(folds)))};
  together.insert(together.end(), reduction.behind.begin(), reduction.behind.end());
  body.push_back(
      build.when(build.both(build.equal(row, build.integer(kLane, 0)), build.less(at, size)), std::move(together)));
  all.push_back(arena.make<For>(over.where, build.declare(as<VarRef>(first)->name, kSize, build.u64(0), false),
                                build.less(first, size),
                                arena.make<Assign>(over.where, kSize, AssignOp::Add, first, build.cast(kSize, across)),
                                build.block(std::move(body))));
  return make.codelet("columns", params, std::move(all), true);
}

} // namespace tangram::divide
