// Loops end once there is an error, where they may: what they wait for may never be read.
#include "Guard.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::checks {

using namespace ast;

bool Guard::reads(const Expr *e) const {
  return any<Expr>(e, [&](const Expr &part) {
    if (isa<Subscript>(&part) || isa<Call>(&part) || isa<Atomic>(&part) || isa<Shuffle>(&part)) return true;
    const auto *variable = dyn<VarRef>(&part);
    if (!variable || !variable->type.isScalar() || given_.count(variable->name)) return false;
    auto fixed = fixed_.find(variable->name);
    return fixed == fixed_.end() || reads(fixed->second);
  });
}

bool Guard::counts(const For *loop) const {
  const auto *test = dyn<Binary>(loop->cond);
  if (!test || test->op < BinaryOp::Eq || test->op > BinaryOp::Ge || !loop->step || reads(test->rhs)) return false;
  const Expr *lhs = withoutCasts(test->lhs);
  const auto *counter = dyn<VarRef>(lhs);
  return counter && !assignedVariables(loop->body).count(counter->name) && !contains<Subscript>(loop->step);
}

bool Guard::waits(const Stmt *s) const {
  return record_ && record_->inLaunch() && (contains<Sync>(s) || contains<Shuffle>(s));
}

bool Guard::meetsByData(const Block *body) const {
  return any<Stmt>(body, [&](const Stmt &s) {
    if (!waits(&s)) return false;
    if (const auto *branch = dyn<If>(&s)) return reads(branch->cond);
    if (const auto *loop = dyn<Loop>(&s)) return reads(loop->begin) || reads(loop->end);
    if (const auto *choice = dyn<Switch>(&s)) return reads(choice->value);
    if (const auto *loop = dyn<For>(&s)) return !counts(loop);
    return isa<While>(&s) || isa<DoWhile>(&s);
  });
}

const Expr *Guard::untilFaulted(const Expr *cond, const Stmt *loop) {
  if (!stops_) return cond;
  Build b = build(loop);
  const Expr *goOn = b.logicalNot(arena().make<Faulted>(loop->range, Type(Scalar::Bool), recordHere(b)));
  return cond ? b.both(cond, goOn) : goOn;
}

const Block *Guard::untilDeviceFaulted(const Block *body) {
  Build b = build(body);
  std::string name = names_.fresh("fault");
  const Expr *fault = b.var(name, Scalar::U32), *site = b.element(record_->ofDevice(b), {b.u64(0)}, Scalar::U32);
  const Stmt *leave =
      b.when(b.binary(BinaryOp::Ne, fault, b.integer(Scalar::U32, 0)), {arena().make<Break>(body->range)});
  std::vector<const Stmt *> stmts{b.declare(name, Scalar::U32, nullptr, false), b.assign(fault, site), leave};
  stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
  return b.block(std::move(stmts));
}

const Block *Guard::untilOneSeesFault(const Block *body) {
  Build b = build(body);
  const hardware::LaunchLevels &levels = record_->levels();
  // All workers of the unit do what the body does: of the largest that waits in it.
  auto waits = [&](const std::string &level) {
    return any<Sync>(body, [&](const Sync &s) { return s.level == level; });
  };
  std::string unit = levels.group->name;
  if (!levels.subgroups.empty() && !waits(unit)) {
    auto widest = std::find_if(levels.subgroups.begin(), levels.subgroups.end() - 1,
                               [&](const hardware::Level *level) { return waits(level->name); });
    unit = (*widest)->name;
  }
  std::uint64_t units = levels.groupWorkers / levels.workers(unit);
  std::string name = names_.fresh("seen");
  scratchpad_.push_back(arena().make<Alloc>(body->range, name, Type(Scalar::U32),
                                            std::vector<const Expr *>{b.u64(units)}, levels.group->name,
                                            std::string("scratchpad")));
  auto index = [&](const std::string &of, const std::string &within) -> const Expr * {
    if (of == within) return b.integer(Scalar::U32, 0);
    return arena().make<WorkerIndex>(body->range, Type(Scalar::U32), of, within);
  };
  const Expr *zero = b.integer(Scalar::U32, 0);
  const Expr *seen =
      b.element(b.var(name, Type::array(1, Scalar::U32)), {index(unit, levels.group->name)}, Scalar::U32);
  const Expr *faulted = arena().make<Faulted>(body->range, Type(Scalar::Bool), recordHere(b));
  const Stmt *sync = arena().make<Sync>(body->range, unit);
  std::vector<const Stmt *> stmts{
      sync, b.when(b.equal(index(levels.worker->name, unit), zero), {b.assign(seen, b.cast(Scalar::U32, faulted))}),
      sync, b.when(b.binary(BinaryOp::Ne, seen, zero), {arena().make<Break>(body->range)})};
  stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
  return b.block(std::move(stmts));
}

template <class T> const T *Guard::ended(const T *loop) {
  const T *result = rebuild(loop);
  bool host = record_ && record_->onDevice() && !record_->inLaunch();
  bool launches = host && contains<Launch>(loop);
  auto checks = [&](const Call &call) { return functions_.count(call.callee) != 0; };
  if (host && !launches && !any<Call>(loop, checks)) return result; // scalars end it
  return arena().derive(result, [&](T &copy) {
    if (launches)
      copy.body = untilDeviceFaulted(copy.body);
    else if (waits(loop))
      copy.body = untilOneSeesFault(copy.body);
    else
      copy.cond = untilFaulted(copy.cond, loop);
  });
}

const Node *Guard::mutateFor(const For *s) { return counts(s) ? rebuild(s) : ended(s); }

const Node *Guard::mutateWhile(const While *s) { return ended(s); }

const Node *Guard::mutateDoWhile(const DoWhile *s) { return ended(s); }

const Node *Guard::mutateLaunch(const Launch *s) {
  record_->enter(*s);
  stops_ = !meetsByData(s->body);
  scratchpad_.clear();
  const Launch *result = rebuild(s);
  record_->leaveLaunch();
  stops_ = true;
  if (scratchpad_.empty()) return result;
  std::vector<const Stmt *> stmts = std::move(scratchpad_);
  stmts.insert(stmts.end(), result->body->stmts.begin(), result->body->stmts.end());
  return arena().derive(result, [&](Launch &copy) { copy.body = build(s).block(std::move(stmts)); });
}

} // namespace tangram::checks
