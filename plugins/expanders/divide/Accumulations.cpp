#include "Accumulations.h"

#include "Reductions.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Updates.h"

#include <algorithm>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::ReductionOp;
using Stmts = std::vector<const Stmt *>;

namespace {

std::optional<AtomicOp> atomicOf(const nest::Update &update, const Type &type) {
  const bool whole = type.isInteger() && !type.isBool(), number = whole || (type.isFloating() && !type.isHalf());
  switch (update.op) {
  case ReductionOp::Add: return number ? std::optional(update.subtracts ? AtomicOp::Sub : AtomicOp::Add) : std::nullopt;
  case ReductionOp::Min: return whole ? std::optional(AtomicOp::Min) : std::nullopt;
  case ReductionOp::Max: return whole ? std::optional(AtomicOp::Max) : std::nullopt;
  case ReductionOp::And: return whole ? std::optional(AtomicOp::And) : std::nullopt;
  case ReductionOp::Or: return whole ? std::optional(AtomicOp::Or) : std::nullopt;
  case ReductionOp::Xor: return whole ? std::optional(AtomicOp::Xor) : std::nullopt;
  case ReductionOp::Mul: return std::nullopt;
  }
  return std::nullopt;
}

/// Updates of elements of certain containers become atomic operations.
class ByAtomics final : public Mutator {
public:
  ByAtomics(Arena &arena, const std::set<std::string> &containers) : Mutator(arena), containers_(containers) {}
  bool possible() const { return possible_; }

private:
  const Node *mutateEvaluate(const Evaluate *node) override { return replaced(node); }
  const Node *mutateIf(const If *node) override { return nest::updateOf(node) ? replaced(node) : rebuild(node); }

  const Stmt *replaced(const Stmt *statement) {
    const std::optional<nest::Update> update = nest::updateOf(statement);
    const VarRef *root = update && isa<Subscript>(update->target) ? rootVariable(update->target) : nullptr;
    if (!root || !containers_.count(root->name)) return statement;
    const Type type = update->target->type;
    const std::optional<AtomicOp> op = atomicOf(*update, type);
    // What is computed in a wider type, and rounded then, is something else.
    const bool converts = update->value && update->value->type != type &&
                          !(update->value->type.isInteger() && (type.isInteger() || type.isFloating()));
    if (!op || converts) {
      possible_ = false;
      return statement;
    }
    const Build build(arena(), statement->range);
    const Expr *value = update->value ? build.cast(type, update->value) : build.integer(type, 1);
    return arena().make<Evaluate>(statement->range, arena().make<Atomic>(statement->range, type, *op, update->target,
                                                                         std::vector<const Expr *>{value}));
  }

  const std::set<std::string> &containers_;
  bool possible_ = true;
};

/// Containers into whose elements a loop accumulates; empty where it does anything else.
std::set<std::string> accumulatedBy(const nest::Nest &nest, const Carried &carried) {
  std::set<std::string> result;
  if (carried.kind != Carried::Kind::Reduction) return {};
  for (const nest::Reduction &r : carried.reductions) {
    const nest::Variable &v = nest.variables[r.variable];
    if (!v.container || !v.type.isScalar() || !r.exact) return {};
    result.insert(v.name);
  }
  return result;
}

class Replacing final : public Mutator {
public:
  Replacing(Arena &arena, const std::map<const Stmt *, const Stmt *> &by) : Mutator(arena), by_(by) {}

private:
  const Node *mutateFor(const For *node) override {
    auto it = by_.find(node);
    return it == by_.end() ? rebuild(node) : it->second;
  }
  const std::map<const Stmt *, const Stmt *> &by_;
};

} // namespace

const Codelet *withAtomicUpdates(const nest::Nest &nest, Arena &arena) {
  const nest::Dependences dependences(nest);
  std::map<const Stmt *, const Stmt *> loops;
  for (const nest::Item &item : nest.items) {
    if (item.kind != nest::Item::Kind::Loop) continue;
    const std::set<std::string> containers = accumulatedBy(nest, dependences.carried(item.index));
    if (containers.empty()) continue;
    ByAtomics byAtomics(arena, containers);
    const For *loop = nest.loops[item.index].node;
    const Stmt *changed = byAtomics(static_cast<const Stmt *>(loop));
    if (byAtomics.possible() && changed != loop) loops[loop] = changed;
  }
  if (loops.empty()) return nest.codelet;
  return Replacing(arena, loops)(nest.codelet);
}

namespace {

/// Elements of one container, of a shared array instead: by their place in it.
class ToShared final : public Mutator {
public:
  /// `first`: of the lane's copy; null: 0.
  ToShared(Arena &arena, const Param *container, const std::string &shared, const Expr *first)
      : Mutator(arena), container_(container), shared_(shared), first_(first) {}

private:
  const Node *mutateSubscript(const Subscript *node) override {
    const auto *base = dyn<VarRef>(node->base);
    if (!base || base->name != container_->name) return rebuild(node);
    const Build build(arena(), node->range);
    const Expr *place = nullptr, *none = nullptr;
    for (std::size_t d = 0; d < node->indices.size(); ++d) {
      const Expr *index = build.cast(kSize, (*this)(node->indices[d]));
      const Expr *extent = arena().make<Size>(node->range, kSize, build.var(container_->name, container_->type),
                                              d == 0 ? none : build.integer(Scalar::I32, static_cast<Int>(d)));
      place = place ? build.add(build.mul(place, extent), index) : index;
    }
    if (first_) place = build.add(first_, place);
    return build.element(build.var(shared_, Type::array(1, node->type)), {place}, node->type);
  }
  const Param *container_;
  std::string shared_;
  const Expr *first_;
};

/// What all atomic operations on a container are by, whose results nobody uses; nothing where it is touched otherwise.
std::optional<AtomicOp> accumulatedOnly(const std::vector<const Stmt *> &body, const Param &container) {
  std::size_t touched = 0, accumulated = 0;
  std::optional<AtomicOp> op;
  bool same = true;
  for (const Stmt *s : body)
    walk(
        s,
        [&](const Subscript &e) {
          const VarRef *root = rootVariable(&e);
          const auto *base = dyn<VarRef>(e.base);
          if (root && root->name == container.name) ++touched, same &= base != nullptr;
        },
        [&](const Evaluate &e) {
          const auto *atomic = dyn<Atomic>(e.expr);
          const VarRef *root = atomic ? rootVariable(atomic->target) : nullptr;
          if (!root || root->name != container.name || !isa<Subscript>(atomic->target)) return;
          const AtomicOp of = atomic->op == AtomicOp::Sub ? AtomicOp::Add : atomic->op;
          ++accumulated;
          same &= !op || *op == of;
          op = of;
        });
  return same && touched == accumulated ? op : std::nullopt;
}

std::optional<ReductionOp> reductionOf(AtomicOp op) {
  switch (op) {
  case AtomicOp::Add: return ReductionOp::Add;
  case AtomicOp::Min: return ReductionOp::Min;
  case AtomicOp::Max: return ReductionOp::Max;
  case AtomicOp::And: return ReductionOp::And;
  case AtomicOp::Or: return ReductionOp::Or;
  case AtomicOp::Xor: return ReductionOp::Xor;
  case AtomicOp::Sub:
  case AtomicOp::Exchange:
  case AtomicOp::CompareExchange:
  case AtomicOp::OrderedAdd: return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

const Codelet *privatized(const Band &band, const std::vector<const Param *> &ranges,
                          const std::vector<const Param *> &params, std::size_t byLanes, const PrivateCopies &copies,
                          const std::string &name, Names names, Arena &arena) {
  const Param *container = nullptr;
  std::optional<AtomicOp> op;
  for (const Param *p : band.captures.params)
    if (p->type.isArray() && p->access != Access::In && p->type.element().isScalar())
      if (const std::optional<AtomicOp> by = accumulatedOnly(band.body, *p)) container = p, op = by;
  const std::optional<ReductionOp> reduction = op ? reductionOf(*op) : std::nullopt;
  if (!reduction) return nullptr;
  const SourceRange where = band.ranges[0].where;
  Codelets make(arena, where, names);
  const Build &build = make.build();
  const Type type = container->type.element();
  const Expr *nothing = neutral(build, *reduction, type);
  if (!nothing) return nullptr;
  const std::string shared = names.fresh("own_" + container->name), lane = names.fresh("lane"),
                    first = names.fresh("place"), last = names.fresh("place");
  const Expr *none = nullptr;
  const Tunable *noTunable = nullptr;
  const Expr *laneNumber = build.cast(kSize, build.var(lane, kLane)),
             *lanes = build.cast(kSize, arena.make<CoopDim>(where, kLane));
  const Expr *size = arena.make<Size>(where, kSize, make.use(container), none);
  auto own = [&](const std::string &place, std::int64_t copy) {
    const Expr *at = build.var(place, kSize);
    if (copy > 0) at = build.add(build.u64(static_cast<std::uint64_t>(copy * copies.elements)), at);
    return build.element(build.var(shared, Type::array(1, type)), {at}, type);
  };
  auto elementwise = [&](const std::string &place, Stmts what) { // each lane every so many elements
    const Expr *at = build.var(place, kSize);
    return arena.make<For>(where, build.declare(place, kSize, laneNumber, false), build.less(at, size),
                           arena.make<Assign>(where, kSize, AssignOp::Add, at, lanes), build.block(std::move(what)));
  };

  // The element of the container at that place.
  std::vector<const Expr *> indices;
  const Expr *rest = build.var(last, kSize);
  for (unsigned d = container->type.rank(); d-- > 1;) {
    const Expr *extent =
        arena.make<Size>(where, kSize, make.use(container), build.integer(Scalar::I32, static_cast<Int>(d)));
    indices.insert(indices.begin(), build.rem(rest, extent));
    rest = build.div(rest, extent);
  }
  indices.insert(indices.begin(), rest);
  const Expr *all = own(last, 0);
  Stmts empty{build.assign(own(first, 0), nothing)};
  for (std::int64_t copy = 1; copy < copies.copies; ++copy) {
    all = combined(build, *reduction, all, own(last, copy));
    empty.push_back(build.assign(own(first, copy), nothing));
  }
  const Stmt *combine = arena.make<Evaluate>(
      where, arena.make<Atomic>(where, type, *op, build.element(make.use(container), indices, type),
                                std::vector<const Expr *>{all}));

  // Neighbouring lanes have copies of their own: updates of one element wait for one another.
  const Expr *turn = copies.copies > 1
                         ? build.mul(build.rem(laneNumber, build.u64(static_cast<std::uint64_t>(copies.copies))),
                                     build.u64(static_cast<std::uint64_t>(copies.elements)))
                         : nullptr;
  ToShared toShared(arena, container, shared, turn);
  std::vector<const Stmt *> body;
  for (const Declare *d : band.captures.own)
    body.push_back(arena.derive(d, [](Declare &copy) {
      copy.init = nullptr;
      copy.isConst = false;
    }));
  for (const Stmt *s : band.body) body.push_back(toShared(s));
  for (std::size_t i = band.ranges.size(); i-- > 0;) {
    Codelets at(arena, band.ranges[i].where);
    body = {i == byLanes ? at.loop(band.ranges[i], ranges[i], std::move(body), laneNumber, lanes)
                         : at.loop(band.ranges[i], ranges[i], std::move(body))};
  }
  std::vector<const Stmt *> stmts = {build.declare(lane, kLane, arena.make<CoopIdx>(where, kLane)),
                                     arena.make<Declare>(where, shared, type, false, true,
                                                         std::vector<const Expr *>{build.u64(static_cast<std::uint64_t>(
                                                             copies.elements * copies.copies))},
                                                         noTunable, none),
                                     elementwise(first, std::move(empty))};
  stmts.insert(stmts.end(), body.begin(), body.end());
  stmts.push_back(elementwise(last, {combine}));
  const Codelet *codelet = make.codelet(name, params, std::move(stmts), true);
  return arena.derive(codelet, [&](Codelet &c) {
    c.conditions = {build.binary(BinaryOp::Le, size, build.u64(static_cast<std::uint64_t>(copies.elements)))};
  });
}

} // namespace tangram::divide
