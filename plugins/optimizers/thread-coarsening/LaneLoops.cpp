#include "LaneLoops.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Merged.h"

#include <algorithm>

namespace tangram::coarsening {

using namespace ast;
using loops::pointerOf;

LaneLoops::LaneLoops(Arena &arena, const Kernel &kernel, const KnownValues &known, const loops::Memory &memory,
                     const std::set<std::string> &functions)
    : arena_(arena), kernel_(kernel), known_(known), memory_(memory), functions_(functions) {
  for (const Param *p : kernel.params) parameters_.insert(p->name);
  for (const Param *p : kernel.constants) parameters_.insert(p->name);
}

void LaneLoops::enter(const Launch &launch, const hardware::LaunchLevels &levels) {
  launch_ = &launch;
  levels_ = levels.ofGroups(static_cast<std::uint64_t>(launch.threads));
  for (const Param *p : launch.params) parameters_.insert(p->name);
  // What the host computes is the same for all.
  walk(kernel_.body, [&](const Node &n) {
    if (isa<Launch>(&n)) return WalkResult::Skip;
    if (const auto *d = dyn<Declare>(&n)) parameters_.insert(d->name);
    if (const auto *l = dyn<Loop>(&n)) parameters_.insert(l->var);
    return WalkResult::Advance;
  });
  inLaunch_ = touches(launch.body, memory_);
  walk(launch.body, [&](const Alloc &a) {
    if (a.memory != "registers" && !memory_.far(a.name)) scratchpad_.insert(a.name);
  });
}

void LaneLoops::enterAround(const std::string &variable, std::optional<std::vector<const Expr *>> decides) {
  around_.push_back({variable, std::move(decides)});
}

bool LaneLoops::uniform(const Around &around, const std::string &unit) {
  return around.decides &&
         std::all_of(around.decides->begin(), around.decides->end(), [&](const Expr *e) { return uniform(e, unit); });
}

/// Whether a level is `unit`, or outside of it.
bool LaneLoops::outer(const std::string &level, const std::string &unit) const {
  const std::uint64_t own = levels_.workers(level), of = levels_.workers(unit);
  return own == 0 || (of != 0 && own >= of);
}

bool LaneLoops::uniform(const Expr *e, const std::string &unit) {
  return e && walk(e, [&](const Expr &part) {
           switch (exprKind(part)) {
           case ExprKind::VarRef: {
             const std::string &name = as<VarRef>(&part)->name;
             if (parameters_.count(name)) return WalkResult::Advance;
             for (const Around &loop : around_)
               if (loop.variable == name) return uniform(loop, unit) ? WalkResult::Advance : WalkResult::Stop;
             const Expr *init = known_.initialiser(name);
             return init && uniform(init, unit) ? WalkResult::Advance : WalkResult::Stop;
           }
           case ExprKind::WorkerIndex:
             return outer(as<WorkerIndex>(&part)->level, unit) ? WalkResult::Advance : WalkResult::Stop;
           case ExprKind::IntLit:
           case ExprKind::FloatLit:
           case ExprKind::WorkerCount:
           case ExprKind::Binary:
           case ExprKind::Cast:
           case ExprKind::Conditional: return WalkResult::Advance;
           case ExprKind::Unary:
             return hasEffects(&part) || as<Unary>(&part)->op == UnaryOp::Deref ? WalkResult::Stop
                                                                                : WalkResult::Advance;
           case ExprKind::Call: return isMathFunction(as<Call>(&part)->callee) ? WalkResult::Advance : WalkResult::Stop;
           case ExprKind::Subscript: // what no launch writes
             return as<Subscript>(&part)->base->type.toConst() ? WalkResult::Advance : WalkResult::Stop;
           case ExprKind::Assign:
           case ExprKind::Member:
           case ExprKind::InitList:
           case ExprKind::Size:
           case ExprKind::Pitch:
           case ExprKind::CoopIdx:
           case ExprKind::CoopDim:
           case ExprKind::Atomic:
           case ExprKind::Aligned:
           case ExprKind::Shuffle:
           case ExprKind::MatrixMultiply:
           case ExprKind::Transfer:
           case TANGRAM_LANGUAGE_EXPRS:
           case TANGRAM_CHECKED_EXPRS:
           case TANGRAM_VECTOR_EXPRS: break;
           }
           return WalkResult::Stop;
         });
}

/// The first iteration and the lane, of `first + lane`.
bool LaneLoops::divide(const Expr *begin, LaneLoop &found) {
  Build b(arena_, begin->range);
  const Type &type = found.loop.type;
  if (const auto *index = dyn<WorkerIndex>(begin)) {
    if (found.lane || levels_.workers(index->level) != 1 || levels_.workers(index->within) <= 1) return false;
    found.lane = b.cast(type, begin);
    found.lanes = static_cast<Int>(levels_.workers(index->within));
    unit_ = index->within;
    return true;
  }
  if (const auto *sum = dyn<Binary>(begin); sum && sum->op == BinaryOp::Add)
    return divide(sum->lhs, found) && divide(sum->rhs, found);
  if (const auto *cast = dyn<Cast>(begin); cast && cast->type.bytes() >= cast->operand->type.bytes() &&
                                           (isa<WorkerIndex>(cast->operand) || isa<VarRef>(cast->operand)))
    if (divide(cast->operand, found)) return true;
  if (const auto *v = dyn<VarRef>(begin); v && !parameters_.count(v->name)) {
    const Expr *whole = begin; // what the variable is, by way of others
    while (whole && (isa<Cast>(whole) || isa<VarRef>(whole)))
      whole = isa<Cast>(whole) ? as<Cast>(whole)->operand : known_.initialiser(as<VarRef>(whole)->name);
    if (whole && isa<WorkerIndex>(whole) && levels_.workers(as<WorkerIndex>(whole)->level) == 1)
      return divide(whole, found);
  }
  const Expr *part = b.cast(type, begin);
  found.base = found.base ? b.add(found.base, part) : part;
  return true;
}

std::optional<LaneLoop> LaneLoops::of(const Stmt *s) {
  LaneLoop found;
  std::optional<loops::Counted> counted = loops::counted(arena_, s);
  if (!counted || !counted->begin || !launch_) return {};
  found.loop = std::move(*counted);
  const loops::Counted &loop = found.loop;
  if (loop.type.bytes() < 4 || !(loop.type == loop.end->type)) return {};
  if (!divide(loop.begin, found) || !found.lane) return {};
  const std::optional<Int> step = known_.value(loop.step);
  if (step != found.lanes) return {};
  if (!std::all_of(around_.begin(), around_.end(), [&](const Around &a) { return uniform(a, unit_); })) return {};
  if (!found.base) found.base = Build(arena_, s->range).integer(loop.type, 0);
  if (!uniform(found.base, unit_) || !uniform(loop.end, unit_) || !movable(found) || !independent(found) ||
      !alone(found))
    return {};
  return found;
}

/// Whether it does not matter which lane has an iteration: it reads nothing that lanes have different values of.
bool LaneLoops::movable(const LaneLoop &lanes) {
  const Block *body = lanes.loop.body;
  if (!loops::mergeable(body, functions_)) return false;
  const std::set<std::string> declared = declaredIn(body);
  std::map<std::string, bool> known;
  return walk(
      body,
      [&](const VarRef &v) {
        if (v.name == lanes.loop.variable || declared.count(v.name)) return WalkResult::Advance;
        auto [at, isNew] = known.emplace(v.name, true);
        if (isNew && v.type.isPointer())
          at->second = !memory_.root(&v).empty() && (memory_.far(memory_.root(&v)) || scratchpad_.count(v.name) != 0);
        else if (isNew)
          at->second = scratchpad_.count(v.name) != 0 || uniform(&v, unit_);
        return at->second ? WalkResult::Advance : WalkResult::Stop;
      },
      [&](const WorkerIndex &w) { return uniform(&w, unit_) ? WalkResult::Advance : WalkResult::Stop; });
}

std::map<std::string, LaneLoops::Touches> LaneLoops::touches(const Node *tree, const loops::Memory &memory) {
  std::set<const Expr *> written;
  walk(
      tree, [&](const Assign &a) { written.insert(a.target); }, [&](const Atomic &a) { written.insert(a.target); },
      [&](const Unary &u) {
        if (hasEffects(&u) && !hasEffects(u.operand)) written.insert(u.operand);
      });
  std::map<std::string, Touches> all;
  walk(tree, [&](const Expr &e) {
    if (const auto *call = dyn<Call>(&e)) // which may do anything
      for (const Expr *arg : call->args)
        if (arg->type.isPointer()) ++all[memory.root(arg)].all, ++all[memory.root(arg)].writes;
    const Expr *pointer = pointerOf(&e);
    if (!pointer || !pointer->type.isPointer()) return;
    Touches &of = all[memory.root(pointer)];
    ++of.all;
    of.writes += written.count(&e);
  });
  return all;
}

/// Whether an index grows with a variable: other values of it are other places.
bool LaneLoops::isIn(const Expr *index, const std::string &variable) const {
  if (const auto *v = dyn<VarRef>(index)) {
    const Expr *init = v->name == variable ? nullptr : known_.initialiser(v->name);
    return v->name == variable || (init && isIn(init, variable));
  }
  if (const auto *cast = dyn<Cast>(index)) return cast->operand->type.isInteger() && isIn(cast->operand, variable);
  const auto *b = dyn<Binary>(index);
  if (!b || (b->op != BinaryOp::Add && b->op != BinaryOp::Sub && b->op != BinaryOp::Mul)) return false;
  return isIn(b->lhs, variable) != isIn(b->rhs, variable);
}

/// Whether nothing else, no other statement of the launch and no other iteration of a loop around, touches what the
/// loop writes, or writes what it touches: that may wait for no other lane, for elements were the same lane's each
/// time.
bool LaneLoops::alone(const LaneLoop &lanes) const {
  const Block *body = lanes.loop.body;
  if (inLaunch_.count("")) return false;
  for (const auto &[root, inside] : touches(body, memory_)) {
    auto all = inLaunch_.find(root);
    if (all == inLaunch_.end() || !memory_.far(root)) continue; // arrays that lanes share are read at places of none
    const std::size_t others = all->second.all - inside.all, writes = all->second.writes - inside.writes;
    if (writes || (inside.writes && others)) return false;
    if (!inside.writes) continue;
    const bool elsewhere = walk(body, [&](const Subscript &s) {
      if (!s.base->type.isPointer() || memory_.root(s.base) != root) return WalkResult::Advance;
      const bool each =
          std::all_of(serial_.begin(), serial_.end(), [&](const std::string &v) { return isIn(s.indices.at(0), v); });
      return each ? WalkResult::Advance : WalkResult::Stop;
    });
    if (!elsewhere) return false;
  }
  return true;
}

/// Whether iterations may run in any order: what they write only the one that reads it does, or none does.
bool LaneLoops::independent(const LaneLoop &lanes) const {
  const Block *body = lanes.loop.body;
  const std::set<std::string> declared = declaredIn(body);
  for (const std::string &name : assignedVariables(body))
    if (!declared.count(name)) return false;
  struct Touched {
    std::vector<const Expr *> places;
    bool written = false, read = false, onlyAtomic = true;
  };
  std::map<std::string, Touched> touched;        // by container
  std::set<const Expr *> atomics, written, read; // places
  bool known = walk(body, [&](const Expr &e) {
    const Expr *changed = nullptr;
    if (const auto *assign = dyn<Assign>(&e)) changed = assign->target;
    if (const auto *atomic = dyn<Atomic>(&e)) atomics.insert(changed = atomic->target);
    if (const auto *unary = dyn<Unary>(&e); unary && (hasEffects(unary) || unary->op == UnaryOp::AddressOf))
      changed = hasEffects(unary->operand) ? nullptr : unary->operand;
    if (changed) {
      const VarRef *root = rootVariable(changed);
      if (!pointerOf(changed) && !(root && declared.count(root->name))) return WalkResult::Stop;
      written.insert(changed);
      const auto *assign = dyn<Assign>(&e);
      if (!assign || assign->op != AssignOp::Set) read.insert(changed);
    }
    return WalkResult::Advance;
  });
  if (!known) return false;
  walk(body, [&](const Expr &e) {
    const Expr *pointer = pointerOf(&e);
    if (!pointer) return;
    const VarRef *array = rootVariable(&e);
    if (array && declared.count(array->name) && !array->type.isPointer()) return; // an iteration's own
    Touched &of = touched[memory_.root(pointer)];
    of.places.push_back(&e);
    of.written |= written.count(&e) != 0;
    of.read |= !written.count(&e) || read.count(&e) != 0;
    of.onlyAtomic &= atomics.count(&e) != 0;
  });
  return std::all_of(touched.begin(), touched.end(), [&](const auto &entry) {
    const auto &[root, of] = entry;
    if (!of.written) return true;
    if (root.empty() || (!memory_.far(root) && !scratchpad_.count(root))) return false;
    if (of.onlyAtomic) return true;
    const auto *place = dyn<Subscript>(of.places.front());
    const bool same = std::all_of(of.places.begin(), of.places.end(), [&](const Expr *p) { return equal(p, place); });
    return place && !scratchpad_.count(root) && (same || !of.read);
  });
}

} // namespace tangram::coarsening
