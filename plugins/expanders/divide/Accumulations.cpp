#include "Accumulations.h"

#include "Reductions.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"
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
  ByAtomics(Arena &arena, const Module &module, const std::map<std::string, ReductionOp> &containers)
      : Mutator(arena), module_(module), containers_(containers) {}
  bool possible() const { return possible_; }

private:
  const Node *mutateEvaluate(const Evaluate *node) override { return replaced(node); }
  const Node *mutateIf(const If *node) override {
    return nest::updateOf(node, module_) ? replaced(node) : rebuild(node);
  }

  const Stmt *replaced(const Stmt *statement) {
    const std::optional<nest::Update> update = nest::updateOf(statement, module_);
    const VarRef *root = update && isa<Subscript>(update->target) ? rootVariable(update->target) : nullptr;
    if (!root || !containers_.count(root->name)) return statement;
    const Type type = update->target->type;
    const std::optional<AtomicOp> op = atomicOf(*update, type);
    // A number with a fraction is not cut off before it is added to a whole one.
    const bool converts = update->value && update->value->type.isFloating() && !type.isFloating();
    if (!op || converts) {
      possible_ = false;
      return statement;
    }
    const Build build(arena(), statement->range);
    const Expr *value = update->value ? build.cast(type, update->value) : build.integer(type, 1);
    return arena().make<Evaluate>(statement->range, arena().make<Atomic>(statement->range, type, *op, update->target,
                                                                         std::vector<const Expr *>{value}));
  }

  const Module &module_;
  const std::map<std::string, ReductionOp> &containers_;
  bool possible_ = true;
};

/// Whether places follow the iterator of a loop in this one that has the same iterations in each of its iterations:
/// that loop may be divided instead.
bool followsLoopInside(const nest::Nest &nest, unsigned loop, const nest::Access &access,
                       const std::vector<unsigned> &around) {
  const auto inside = std::find(around.begin(), around.end(), loop);
  return inside != around.end() && std::any_of(inside + 1, around.end(), [&](unsigned inner) {
           const isl::id iterator(nest.isl.get(), nest.loops[inner].id);
           return !nest.followsData(nest.loops[inner].values, around) &&
                  std::any_of(access.index->begin(), access.index->end(),
                              [&](const isl::pw_aff &index) { return index.involves_param(iterator); });
         });
}

/// Whether there is no other loop to divide by what a loop does with the variable: data says where, or no loop in it.
bool isAloneWith(const nest::Nest &nest, unsigned loop, unsigned variable) {
  for (const unsigned s : nest.statementsOf(loop))
    for (const nest::Access &a : nest.statements[s].accesses)
      if (a.variable == variable && a.index && !nest.followsData(nest.tuple(*a.index), nest.statements[s].loops) &&
          followsLoopInside(nest, loop, a, nest.statements[s].loops))
        return false;
  return true;
}

/// Containers into whose elements a loop accumulates, beside scalars; empty where it does anything else. `inner`: it
/// stands in another one.
std::map<std::string, ReductionOp> accumulatedBy(const nest::Nest &nest, unsigned loop, const Carried &carried,
                                                 bool reorder, bool inner) {
  std::map<std::string, ReductionOp> result;
  if (carried.kind != Carried::Kind::Reduction) return {};
  for (const nest::Reduction &r : carried.reductions) {
    const nest::Variable &v = nest.variables[r.variable];
    if (!v.type.isScalar()) return {};
    if (!v.container) continue;
    if (!r.exact && !reorder) return {};
    if ((!r.exact || inner) && !isAloneWith(nest, loop, r.variable)) return {};
    if (!result.emplace(v.name, r.op).second) return {};
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

std::vector<Accumulation> accumulations(const nest::Nest &nest, bool reorder, Arena &arena) {
  const nest::Dependences dependences(nest);
  std::vector<Accumulation> result;
  const auto find = [&](const auto &self, const std::vector<nest::Item> &items, bool inner) -> void {
    for (const nest::Item &item : items) {
      if (item.kind == nest::Item::Kind::Loop) {
        auto containers = accumulatedBy(nest, item.index, dependences.carried(item.index), reorder, inner);
        ByAtomics byAtomics(arena, *nest.module, containers);
        const For *loop = nest.loops[item.index].node;
        if (!containers.empty() && byAtomics(static_cast<const Stmt *>(loop)) != loop && byAtomics.possible()) {
          result.push_back({item.index, std::move(containers), !inner});
          continue;
        }
      }
      const bool inLoop = inner || item.kind == nest::Item::Kind::Loop;
      self(self, item.body, inLoop);
      self(self, item.otherwise, inLoop);
    }
  };
  find(find, nest.items, false);
  return result;
}

Stmts withAtomicUpdates(const Stmts &stmts, const Accumulation &of, const Module &module, Arena &arena) {
  ByAtomics byAtomics(arena, module, of.containers);
  Stmts result;
  for (const Stmt *s : stmts) result.push_back(byAtomics(s));
  return result;
}

const Codelet *withAtomicUpdates(const nest::Nest &nest, bool reorder, Arena &arena) {
  std::map<const Stmt *, const Stmt *> loops;
  for (const Accumulation &a : accumulations(nest, reorder, arena)) {
    if (!a.outermost) continue;
    const For *loop = nest.loops[a.loop].node;
    loops[loop] = ByAtomics(arena, *nest.module, a.containers)(static_cast<const Stmt *>(loop));
  }
  if (loops.empty()) return nest.codelet;
  return Replacing(arena, loops)(nest.codelet);
}

const Codelet *withAtomicUpdatesAnywhere(const nest::Nest &nest, bool reorder, Arena &arena) {
  std::map<const Stmt *, const Stmt *> loops;
  for (const nest::Item &item : nest.items) {
    if (item.kind != nest::Item::Kind::Loop) continue;
    std::map<std::string, ReductionOp> containers;
    std::set<std::string> others; // touched otherwise
    for (const unsigned s : nest.statementsOf(item.index))
      for (const nest::Access &a : nest.statements[s].accesses) {
        const nest::Variable &v = nest.variables[a.variable];
        if (!v.container || !v.scope.empty()) continue;
        const bool may = a.update && (v.type.isInteger() || reorder) && v.type.isScalar();
        if (!may || containers.emplace(v.name, *a.update).first->second != *a.update) others.insert(v.name);
        if (may && !a.delinearized) others.insert(v.name); // told apart for all sizes, or not at all
      }
    for (const std::string &name : others) containers.erase(name);
    const For *loop = nest.loops[item.index].node;
    ByAtomics byAtomics(arena, *nest.module, containers);
    const Stmt *changed = containers.empty() ? loop : byAtomics(static_cast<const Stmt *>(loop));
    if (changed != loop && byAtomics.possible()) loops[loop] = changed;
  }
  return loops.empty() ? nest.codelet : Replacing(arena, loops)(nest.codelet);
}

namespace {

/// Elements of one container, of a shared array instead: by their place in what is behind the first `fixed` dimensions.
class ToShared final : public Mutator {
public:
  /// `first`: of the lane's copy; null: 0.
  ToShared(Arena &arena, const Param *container, std::size_t fixed, const std::string &shared, const Expr *first)
      : Mutator(arena), container_(container), fixed_(fixed), shared_(shared), first_(first) {}

private:
  const Node *mutateSubscript(const Subscript *node) override {
    const auto *base = dyn<VarRef>(node->base);
    if (!base || base->name != container_->name) return rebuild(node);
    const Build build(arena(), node->range);
    const Expr *place = nullptr;
    for (std::size_t d = fixed_; d < node->indices.size(); ++d) {
      const Expr *index = build.cast(kSize, (*this)(node->indices[d]));
      const Expr *extent = arena().make<Size>(node->range, kSize, build.var(container_->name, container_->type),
                                              build.integer(Scalar::I32, static_cast<Int>(d)));
      place = place ? build.add(build.mul(place, extent), index) : index;
    }
    if (first_) place = build.add(first_, place);
    return build.element(build.var(shared_, Type::array(1, node->type)), {place}, node->type);
  }
  const Param *container_;
  std::size_t fixed_;
  std::string shared_;
  const Expr *first_;
};

/// The first indices that all elements of the container have in common, of what a call is given: those of a picture's
/// own histogram. Not all of them. `own`: what iterations have for themselves.
std::vector<const Expr *> fixedIndices(const Stmts &body, const std::set<std::string> &own, const Param &container) {
  std::optional<std::vector<const Expr *>> common;
  for (const Stmt *s : body)
    walk(s, [&](const Subscript &e) {
      const auto *base = dyn<VarRef>(e.base);
      if (!base || base->name != container.name) return;
      if (!common) common.emplace(e.indices.begin(), e.indices.end() - 1);
      std::size_t same = 0;
      while (same < common->size() && equal((*common)[same], e.indices[same])) ++same;
      common->resize(same);
    });
  if (!common) return {};
  const auto moves = std::find_if(common->begin(), common->end(), [&](const Expr *index) {
    return contains<Subscript>(index) || contains<Call>(index) || hasEffects(index) ||
           any<VarRef>(index, [&](const VarRef &v) { return own.count(v.name) != 0; });
  });
  common->erase(moves, common->end());
  return *common;
}

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

/// A container that lanes accumulate into copies of.
class Copied {
public:
  Copied(const Param *container, std::vector<const Expr *> fixed, AtomicOp op, ReductionOp reduction,
         const PrivateCopies &copies, SourceRange where, Names &names)
      : container_(container), fixed_(std::move(fixed)), op_(op), reduction_(reduction), copies_(copies), where_(where),
        shared_(names.fresh("own_" + container->name)), first_(names.fresh("place")), last_(names.fresh("place")) {}

  static bool possible(const Build &build, ReductionOp reduction, const Param &container) {
    return neutral(build, reduction, container.type.element()) != nullptr;
  }
  const Param *container() const { return container_; }
  const std::string &shared() const { return shared_; }
  std::size_t fixed() const { return fixed_.size(); }
  /// Elements of a copy.
  const Expr *size(Codelets &make, Arena &arena) const {
    const Expr *none = nullptr, *all = nullptr;
    if (fixed_.empty()) return arena.make<Size>(where_, kSize, make.use(container_), none);
    for (std::size_t d = fixed_.size(); d < container_->type.rank(); ++d) {
      const Expr *extent =
          arena.make<Size>(where_, kSize, make.use(container_), make.build().integer(Scalar::I32, static_cast<Int>(d)));
      all = all ? make.build().mul(all, extent) : extent;
    }
    return all;
  }

  const Stmt *declare(const Build &build, Arena &arena) const {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    return arena.make<Declare>(
        where_, shared_, type(), false, true,
        std::vector<const Expr *>{build.u64(static_cast<std::uint64_t>(copies_.elements * copies_.copies))}, noTunable,
        none);
  }
  /// Lane by lane: the copies' elements before anything is accumulated.
  const Stmt *empty(Codelets &make, Arena &arena, const std::string &lane) const {
    std::vector<const Stmt *> stmts;
    for (std::int64_t copy = 0; copy < copies_.copies; ++copy)
      stmts.push_back(make.build().assign(own(make.build(), first_, copy), neutral(make.build(), reduction_, type())));
    return elementwise(make, arena, first_, lane, std::move(stmts));
  }
  /// Lane by lane: what the copies have accumulated, into the container.
  const Stmt *combine(Codelets &make, Arena &arena, const std::string &lane) const {
    const Build &build = make.build();
    std::vector<const Expr *> indices; // of the element at that place
    const Expr *rest = build.var(last_, kSize);
    for (std::size_t d = container_->type.rank(); d-- > fixed_.size() + 1;) {
      const Expr *extent =
          arena.make<Size>(where_, kSize, make.use(container_), build.integer(Scalar::I32, static_cast<Int>(d)));
      indices.insert(indices.begin(), build.rem(rest, extent));
      rest = build.div(rest, extent);
    }
    indices.insert(indices.begin(), rest);
    indices.insert(indices.begin(), fixed_.begin(), fixed_.end());
    const Expr *all = own(build, last_, 0);
    for (std::int64_t copy = 1; copy < copies_.copies; ++copy)
      all = combined(build, reduction_, all, own(build, last_, copy));
    return elementwise(
        make, arena, last_, lane,
        {arena.make<Evaluate>(where_, arena.make<Atomic>(where_, type(), op_,
                                                         build.element(make.use(container_), indices, type()),
                                                         std::vector<const Expr *>{all}))});
  }

private:
  Type type() const { return container_->type.element(); }
  const Expr *own(const Build &build, const std::string &place, std::int64_t copy) const {
    const Expr *at = build.var(place, kSize);
    if (copy > 0) at = build.add(build.u64(static_cast<std::uint64_t>(copy * copies_.elements)), at);
    return build.element(build.var(shared_, Type::array(1, type())), {at}, type());
  }
  const Stmt *elementwise(Codelets &make, Arena &arena, const std::string &place, const std::string &lane,
                          std::vector<const Stmt *> what) const {
    const Build &build = make.build();
    const Expr *at = build.var(place, kSize), *lanes = build.cast(kSize, arena.make<CoopDim>(where_, kLane));
    return arena.make<For>(where_, build.declare(place, kSize, build.cast(kSize, build.var(lane, kLane)), false),
                           build.less(at, size(make, arena)),
                           arena.make<Assign>(where_, kSize, AssignOp::Add, at, lanes), build.block(std::move(what)));
  }

  const Param *container_;
  std::vector<const Expr *> fixed_; // indices
  AtomicOp op_;
  ReductionOp reduction_;
  PrivateCopies copies_;
  SourceRange where_;
  std::string shared_, first_, last_;
};

} // namespace

std::optional<Privatization> privatization(const Stmts &stmts, std::set<std::string> own, const Captures &captures,
                                           const PrivateCopies &copies, const std::string &lane, SourceRange where,
                                           Names &names, Arena &arena) {
  Codelets make(arena, where, names);
  const Build &build = make.build();
  const std::set<std::string> declared = nest::declaredIn(stmts);
  own.insert(declared.begin(), declared.end());
  for (const Declare *d : captures.own) own.insert(d->name);
  std::vector<Copied> copied;
  for (const Param *p : captures.params) {
    if (!p->type.isArray() || p->access == Access::In || !p->type.element().isScalar()) continue;
    const std::optional<AtomicOp> op = accumulatedOnly(stmts, *p);
    const std::optional<ReductionOp> reduction = op ? reductionOf(*op) : std::nullopt;
    if (reduction && Copied::possible(build, *reduction, *p))
      copied.emplace_back(p, fixedIndices(stmts, own, *p), *op, *reduction, copies, where, names);
  }
  if (copied.empty()) return {};
  // Neighbouring lanes have copies of their own: updates of one element wait for one another.
  const Expr *turn = copies.copies > 1 ? build.mul(build.rem(build.cast(kSize, build.var(lane, kLane)),
                                                             build.u64(static_cast<std::uint64_t>(copies.copies))),
                                                   build.u64(static_cast<std::uint64_t>(copies.elements)))
                                       : nullptr;
  Privatization result;
  for (const Stmt *s : stmts) {
    for (const Copied &c : copied) s = ToShared(arena, c.container(), c.fixed(), c.shared(), turn)(s);
    result.body.push_back(s);
  }
  for (const Copied &c : copied) result.before.push_back(c.declare(build, arena));
  for (const Copied &c : copied) result.before.push_back(c.empty(make, arena, lane));
  for (const Copied &c : copied) result.behind.push_back(c.combine(make, arena, lane));
  for (const Copied &c : copied)
    result.conditions.push_back(
        build.binary(BinaryOp::Le, c.size(make, arena), build.u64(static_cast<std::uint64_t>(copies.elements))));
  return result;
}

const Codelet *privatized(const Band &band, const std::vector<const Param *> &ranges,
                          const std::vector<const Param *> &params, std::size_t byLanes, const PrivateCopies &copies,
                          const std::string &name, Names names, Arena &arena) {
  const SourceRange where = band.ranges[0].where;
  std::set<std::string> own;
  for (const LoopRange &range : band.ranges) {
    own.insert(range.iterator);
    const std::set<std::string> decoded = nest::declaredIn(range.decoded);
    own.insert(decoded.begin(), decoded.end());
  }
  const std::string lane = names.fresh("lane");
  const std::optional<Privatization> made =
      privatization(band.body, std::move(own), band.captures, copies, lane, where, names, arena);
  if (!made) return nullptr;
  Codelets make(arena, where, names);
  const Build &build = make.build();
  const Expr *laneNumber = build.cast(kSize, build.var(lane, kLane)),
             *lanes = build.cast(kSize, arena.make<CoopDim>(where, kLane));
  Stmts body;
  for (const Declare *d : band.captures.own)
    body.push_back(arena.derive(d, [](Declare &copy) {
      copy.init = nullptr;
      copy.isConst = false;
    }));
  body.insert(body.end(), made->body.begin(), made->body.end());
  for (std::size_t i = band.ranges.size(); i-- > 0;) {
    Codelets at(arena, band.ranges[i].where);
    body = {i == byLanes ? at.loop(band.ranges[i], ranges[i], std::move(body), laneNumber, lanes)
                         : at.loop(band.ranges[i], ranges[i], std::move(body))};
  }
  Stmts stmts = {build.declare(lane, kLane, arena.make<CoopIdx>(where, kLane))};
  stmts.insert(stmts.end(), made->before.begin(), made->before.end());
  stmts.insert(stmts.end(), body.begin(), body.end());
  stmts.insert(stmts.end(), made->behind.begin(), made->behind.end());
  const Codelet *codelet = make.codelet(name, params, std::move(stmts), true);
  return arena.derive(codelet, [&](Codelet &c) { c.conditions = made->conditions; });
}

} // namespace tangram::divide
