#include "Mapper.h"

#include "Interleaving.h"

#include "tangram/ast/Compare.h"

namespace tangram::mapping {

using namespace ast;

Mapper::Mapper(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel)
    : Mutator(context.arena), context_(context), levels_(levels), known_(context.analyses.of<KnownValues>(kernel)) {
  names_.reserveAll(&kernel);
}

/// The level that single workers are told apart at stands for all below it.
bool Mapper::isWorker(const std::string &level) const { return levels_.workers(level) == 1; }

const Expr *Mapper::index(const std::string &level, const std::string &within, const Node *at) {
  return arena().make<WorkerIndex>(at->range, Type(Scalar::U32), isWorker(level) ? levels_.worker->name : level,
                                   within);
}

const Expr *Mapper::count(const std::string &level, const std::string &within, const Node *at) {
  if (within == levels_.device->name) return arena().make<WorkerCount>(at->range, Type(Scalar::U32), level, within);
  std::uint64_t all = levels_.workers(within), each = levels_.workers(level);
  return Build(arena(), at->range).integer(Scalar::U32, static_cast<Int>(all / each));
}

const Node *Mapper::mutateLaunch(const Launch *launch) {
  launch_ = launch;
  levels_ = levels_.ofGroups(launch->threads);
  top_.clear();
  host_.clear();
  const Block *body = mutateAs(launch->body);
  for (const Stmt *s : host_) emitBefore(s);
  std::vector<const Stmt *> stmts = std::move(top_);
  stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
  launch_ = nullptr;
  return arena().derive(launch,
                        [&](Launch &copy) { copy.body = Build(arena(), launch->range).block(std::move(stmts)); });
}

/// Lanes of all units of a group side by side: what one of them loads its neighbours find in the group's cache, and
/// whole units have nothing to do before any of their lanes have not.
const Loop *Mapper::interleaved(const Loop *loop) {
  const hardware::Level *level = context_.target.hardware.find(loop->level);
  const hardware::Level *unit = level ? context_.target.hardware.below(*level) : nullptr;
  if (!launch_ || loop->policy != Policy::Distribute || !unit || loop->level == levels_.device->name) return nullptr;
  const std::uint64_t all = levels_.workers(level->name), each = levels_.workers(unit->name);
  const hardware::Level *lane = context_.target.hardware.below(*unit);
  if (each <= 1 || all <= each || !lane || levels_.workers(lane->name) != 1) return nullptr;
  const std::optional<Iterations> found = iterationsOf(*loop, all / each, arena(), known_);
  if (!found || found->inner->level != unit->name) return nullptr;
  return arena().derive(found->inner, [&](Loop &copy) {
    copy.level = loop->level;
    copy.begin = found->begin;
    copy.end = found->end;
  });
}

const Node *Mapper::mutateLoop(const Loop *loop) {
  if (const Loop *lanes = interleaved(loop)) return shared(rebuild(lanes), lanes, levels_.worker->name);
  const Loop *result = rebuild(loop);
  bool spreads = launch_ && loop->policy == Policy::Distribute && levels_.workers(loop->level) != 1;
  if (!spreads) {
    // What is left of distribution below a worker is for instruction-level parallelism.
    if (!launch_ || loop->policy != Policy::Distribute) return result;
    const hardware::Level *level = context_.target.hardware.find(loop->level);
    Policy policy = level && hardware::areIterations(level->sync) ? Policy::Unroll : Policy::Serialize;
    return arena().derive(result, [&](Loop &copy) { copy.policy = policy; });
  }
  return shared(result, loop, context_.target.hardware.below(*context_.target.hardware.find(loop->level))->name);
}

const Node *Mapper::shared(const Loop *result, const Loop *loop, const std::string &unit) {
  Build b(arena(), loop->range);
  const Type &type = loop->varType;
  const Expr *own = b.cast(type, index(unit, loop->level, loop));
  const Expr *first = b.add(result->begin, own);
  bool device = loop->level == levels_.device->name;
  // As many units as iterations: each does one.
  bool one = device && isLiteral(result->begin, 0) && equal(b.cast(type, launch_->groups), result->end);
  std::set<std::string> used;
  std::optional<Int> begin = known_.value(loop->begin, &used), end = known_.value(loop->end, &used);
  if (!device && begin && end && *end >= *begin) {
    Int units = static_cast<Int>(levels_.workers(loop->level) / levels_.workers(unit));
    Int trip = *end - *begin;
    if (trip <= units) {
      frozen_.merge(used);
      std::vector<const Stmt *> stmts{b.declare(loop->var, type, first)};
      stmts.insert(stmts.end(), result->body->stmts.begin(), result->body->stmts.end());
      if (trip == units) return b.block(std::move(stmts));
      return b.when(b.less(own, b.integer(type, trip)), std::move(stmts));
    }
  }
  if (one) {
    std::vector<const Stmt *> stmts{b.declare(loop->var, type, first)};
    stmts.insert(stmts.end(), result->body->stmts.begin(), result->body->stmts.end());
    return b.block(std::move(stmts));
  }
  const Expr *var = b.var(loop->var, type);
  const Expr *step =
      arena().make<Assign>(loop->range, type, AssignOp::Add, var, b.cast(type, count(unit, loop->level, loop)));
  return arena().make<For>(loop->range, b.declare(loop->var, type, first, false), b.less(var, result->end), step,
                           result->body);
}

const Node *Mapper::mutateSingle(const Single *s) {
  const Single *result = rebuild(s);
  Build b(arena(), s->range);
  const Expr *first = b.equal(index(s->to, s->level, s), b.integer(Scalar::U32, 0));
  return b.when(first, result->body->stmts);
}

const Node *Mapper::mutateCooperate(const Cooperate *node) {
  const Cooperate *result = rebuild(node);
  Build b(arena(), node->range);
  std::vector<const Stmt *> stmts{b.declare(node->lane, Scalar::U32, index(levels_.worker->name, node->level, node))};
  stmts.insert(stmts.end(), result->body->stmts.begin(), result->body->stmts.end());
  return b.block(std::move(stmts));
}

const Node *Mapper::mutateAlloc(const Alloc *a) {
  const Alloc *result = rebuild(a);
  if (!launch_) return result;
  if (a->memory == "global") return perUnit(result);
  if (a->memory != "scratchpad") return result;
  if (levels_.subgroup(a->level)) return perSubgroup(result);
  // One for the group, however deep it stands: in front of what its extents were computed from.
  top_.push_back(arena().derive(result, [&](Alloc &one) {
    for (const Expr *&extent : one.extents)
      if (const Expr *constant = known_.overParameters(extent, arena())) extent = constant;
  }));
  return nullptr;
}

} // namespace tangram::mapping
