#include "Record.h"

namespace tangram::checks {

using namespace ast;

namespace {

constexpr std::uint64_t kWords = 5;

std::vector<const Expr *> extents(const Build &b) { return {b.u64(kWords)}; }

} // namespace

Record::Record(const hardware::Hardware &hardware, Names &names)
    : name_(names.fresh("faults")), hostName_(names.fresh("host_faults")),
      level_(hardware.levels.empty() ? "" : hardware.top().name), levels_(hardware::launchLevels(hardware)),
      threads_(levels_ ? levels_->groupWorkers : 0) {}

const Expr *Record::pointer(const Build &b, const std::string &name) const {
  return b.var(name, Type::pointer(Scalar::U32));
}

const Expr *Record::pointer(const Build &b) {
  bool host = onDevice() && !inLaunch_;
  (host ? usedByHost_ : used_) = true;
  return pointer(b, host ? hostName_ : name_);
}

const Expr *Record::ofDevice(const Build &b) {
  used_ = true;
  return pointer(b, name_);
}

void Record::makeForDevice(const Build &b, Stmts &front) const {
  const Block *nothing = b.block({});
  SourceRange range = nothing->range;
  std::string memory = onDevice() ? "global" : "";
  front.push_back(b.arena().make<Alloc>(range, name_, Type(Scalar::U32), extents(b), level_, memory));
  const Expr *zero = b.integer(Scalar::U32, 0);
  const Stmt *clear = b.assign(b.element(pointer(b, name_), {b.u64(0)}, Scalar::U32), zero);
  if (onDevice()) { // one worker of one group
    const Expr *worker =
        b.arena().make<WorkerIndex>(range, Type(Scalar::U32), levels_->worker->name, levels_->group->name);
    clear = b.arena().make<Launch>(range, std::string(), levels_->device->name, b.u64(1), static_cast<Int>(threads_),
                                   Int{0}, std::vector<const Param *>{}, std::vector<const Expr *>{},
                                   b.block({b.when(b.equal(worker, zero), {clear})}));
  }
  front.push_back(clear);
}

void Record::makeForHost(const Build &b, Stmts &front) const {
  SourceRange range = b.block({})->range;
  const Expr *zeros =
      b.arena().make<InitList>(range, Type(Scalar::U32), std::vector<const Expr *>{b.integer(Scalar::U32, 0)});
  front.push_back(
      b.arena().make<Declare>(range, hostName_, Type(Scalar::U32), false, false, extents(b), nullptr, zeros));
}

const Block *Record::around(Arena &arena, const Block *body, const std::vector<std::string> &sites) const {
  Build b(arena, body->range);
  Stmts stmts;
  if (used_) makeForDevice(b, stmts);
  if (usedByHost_) makeForHost(b, stmts);
  stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
  if (usedByHost_) stmts.push_back(arena.make<Report>(body->range, pointer(b, hostName_), sites));
  if (used_) stmts.push_back(arena.make<Report>(body->range, pointer(b, name_), sites));
  return arena.make<Block>(body->range, std::move(stmts));
}

} // namespace tangram::checks
