#include "Iteration.h"
#include "Loaded.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>

namespace tangram::batching {

using namespace ast;
using loops::pointerOf;

namespace {

/// Of neighbouring elements (load-store-vectorization).
bool isVectorLoad(const Expr *e) {
  const auto *load = dyn<VectorLoad>(e);
  return load && !load->mask && !load->index->type.isVector();
}

/// By what an expression reads memory; null: it does not.
const Expr *placeOf(const Expr *e) {
  const auto *load = dyn<VectorLoad>(e);
  return load ? load->base : pointerOf(e);
}

/// Code whose copies may stand one behind the other; where lanes exchange registers, they do so in each.
bool plain(const Block *body) {
  return walk(body, [](const Node &n) {
    if (const auto *call = dyn<Call>(&n)) {
      bool pointers = std::any_of(call->args.begin(), call->args.end(),
                                  [](const Expr *arg) { return arg->type.isPointer() || arg->type.isArray(); });
      return pointers ? WalkResult::Stop : WalkResult::Advance;
    }
    bool other = isa<Stmt>(&n) ? !(isa<Block>(&n) || isa<Declare>(&n) || isa<Evaluate>(&n) || isa<If>(&n) ||
                                   isa<For>(&n) || isa<VectorStore>(&n))
                               : isa<MatrixMultiply>(&n) || isa<Transfer>(&n) || isa<Check>(&n) || isa<Faulted>(&n);
    return other ? WalkResult::Stop : WalkResult::Advance;
  });
}

void inOrder(const Block *block, std::vector<const Stmt *> &out) {
  for (const Stmt *s : block->stmts)
    if (const auto *inner = dyn<Block>(s))
      inOrder(inner, out);
    else
      out.push_back(s);
}

/// An assignment that its statement ends with.
const Assign *lastAssign(const Stmt *s) {
  const auto *evaluate = dyn<Evaluate>(s);
  return evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
}

class Splitting {
public:
  Splitting(Arena &arena, Names &names, const Memory &memory, const loops::Counted &loop)
      : arena_(arena), names_(names), memory_(memory), variable_(loop.variable),
        assigned_(assignedVariables(loop.body)), declared_(declaredIn(loop.body)) {
    inOrder(loop.body, stmts_);
    possible_ = plain(loop.body) && !loopsLoad(loop.body) && accesses();
  }

  std::optional<Iteration> run() {
    if (!possible_) return {};
    for (at_ = 0; at_ < stmts_.size(); ++at_) {
      const Stmt *s = stmts_[at_];
      collect(s, "");
      const auto *d = dyn<Declare>(s);
      if (!d || !d->init || !d->extents.empty() || d->shared || assigned_.count(d->name) || !movable(d->init)) continue;
      movable_[d->name] = d;
      if (depends(d->init)) depending_.insert(d->name);
    }
    if (loads_.empty()) return {};
    return written();
  }

private:
  struct Load {
    const Expr *e = nullptr;
    std::string name;  // of the variable that has it
    std::string guard; // the variable of a condition that it is done on
    std::size_t at = 0;
    bool waits = true; // for memory; else it is such a condition
  };
  struct Touched {
    std::vector<const Expr *> places;
    std::size_t firstWrite = static_cast<std::size_t>(-1); // the statement
    bool writes = false, last = true;                      // last: all writes end their statements
  };

  /// False where it is not known what a write changes.
  bool accesses() {
    for (at_ = 0; at_ < stmts_.size(); ++at_) {
      const Assign *last = lastAssign(stmts_[at_]);
      bool known = walk(stmts_[at_], [&](const Expr &e) {
        const Expr *changed = nullptr;
        if (const Expr *pointer = placeOf(&e)) touched_[memory_.root(pointer)].places.push_back(&e);
        if (const auto *assign = dyn<Assign>(&e)) changed = assign->target;
        if (const auto *atomic = dyn<Atomic>(&e)) changed = atomic->target;
        if (const auto *unary = dyn<Unary>(&e); unary && (hasEffects(unary) || unary->op == UnaryOp::AddressOf))
          changed = hasEffects(unary->operand) ? nullptr : unary->operand;
        if (!changed || isa<VarRef>(changed)) return WalkResult::Advance;
        const Expr *pointer = pointerOf(changed);
        if (!pointer) return WalkResult::Stop;
        Touched &touched = touched_[memory_.root(pointer)];
        touched.firstWrite = std::min(touched.firstWrite, at_);
        touched.writes = true;
        touched.last &= last == &e;
        return WalkResult::Advance;
      });
      if (!known) return false;
      walk(stmts_[at_], [&](const VectorStore &store) {
        Touched &touched = touched_[memory_.root(store.base)];
        touched.writes = true;
        touched.last = false; // which elements are read again is not looked at
      });
    }
    auto unknown = touched_.find("");
    return unknown == touched_.end() || !unknown->second.writes;
  }

  /// Whether different iterations have different values of it.
  bool injective(const Expr *e) const {
    if (const auto *v = dyn<VarRef>(e)) return v->name == variable_;
    if (const auto *cast = dyn<Cast>(e))
      return cast->type.bytes() >= cast->operand->type.bytes() && injective(cast->operand);
    const auto *binary = dyn<Binary>(e);
    if (!binary) return false;
    bool left = injective(binary->lhs);
    const Expr *moving = left ? binary->lhs : binary->rhs, *other = left ? binary->rhs : binary->lhs;
    if (!injective(moving) || mentioned(other).count(variable_) || !movable(other) || depends(other)) return false;
    if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) return true;
    std::optional<Int> factor = literal(other);
    return binary->op == BinaryOp::Mul && factor && *factor > 0 && (e->type.isSigned() || e->type.bytes() == 8);
  }

  /// What it reads no iteration writes, but for its own that does so later.
  bool readable(const Expr *place) const {
    auto found = touched_.find(memory_.root(placeOf(place)));
    if (found == touched_.end() || found->first.empty()) return false;
    const Touched &touched = found->second;
    if (!touched.writes) return true;
    const auto *mine = dyn<Subscript>(place);
    return touched.last && at_ <= touched.firstWrite && mine && !depends(mine->base) &&
           injective(mine->indices.at(0)) &&
           std::all_of(touched.places.begin(), touched.places.end(), [&](const Expr *p) { return equal(p, place); });
  }

  /// Whether it has the same value in front of the iterations before it.
  bool movable(const Expr *e) const {
    switch (exprKind(*e)) {
    case ExprKind::IntLit:
    case ExprKind::FloatLit:
    case ExprKind::WorkerIndex:
    case ExprKind::WorkerCount: return true;
    case ExprKind::VarRef: {
      const std::string &name = as<VarRef>(e)->name;
      return declared_.count(name) ? movable_.count(name) != 0 : !assigned_.count(name);
    }
    case ExprKind::Unary:
      if (as<Unary>(e)->op == UnaryOp::AddressOf || (pointerOf(e) && !readable(e))) return false;
      break;
    case ExprKind::Subscript:
      if (!readable(e)) return false;
      break;
    case ExprKind::VectorLoad:
      if (!isVectorLoad(e) || !readable(e)) return false;
      break;
    case ExprKind::Call:
      if (!isMathFunction(as<Call>(e)->callee)) return false;
      break;
    case ExprKind::Aligned:
    case ExprKind::Binary:
    case ExprKind::Cast:
    case ExprKind::Conditional: break;
    case ExprKind::Assign:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case ExprKind::Shuffle:
    case ExprKind::MatrixMultiply:
    case ExprKind::Transfer:
    case ExprKind::LaneIndex:
    case ExprKind::Broadcast:
    case ExprKind::VectorSelect:
    case ExprKind::VectorReduce:
    case ExprKind::VectorLane:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_CHECKED_EXPRS: return false;
    }
    if (hasEffects(e)) return false;
    std::vector<const Node *> parts = children(*e);
    return std::all_of(parts.begin(), parts.end(), [&](const Node *part) { return movable(as<Expr>(part)); });
  }

  bool depends(const Expr *e) const {
    return any<VarRef>(e, [&](const VarRef &v) { return v.name == variable_ || depending_.count(v.name) != 0; });
  }
  /// Whether a loop in the iteration loads from far: such a one has enough under way by itself.
  bool loopsLoad(const Block *body) const {
    return any<For>(body, [&](const For &loop) { return loadsFar(&loop); });
  }
  bool loadsFar(const Node *e) const {
    return any<Expr>(e, [&](const Expr &part) {
      const Expr *pointer = placeOf(&part);
      return pointer && memory_.far(memory_.root(pointer));
    });
  }

  /// Loads among what evaluating the expression evaluates, each on the condition that it is done on (`guard`: a
  /// variable that has it; empty: in any case).
  void collect(const Expr *e, const std::string &guard) {
    if (!e) return;
    if (const auto *choice = dyn<Conditional>(e)) {
      collect(choice->cond, guard);
      collectOn(choice->cond, true, guard, [&](const std::string &on) { collect(choice->then, on); });
      return collectOn(choice->cond, false, guard, [&](const std::string &on) { collect(choice->otherwise, on); });
    }
    if (const auto *logic = dyn<Binary>(e);
        logic && (logic->op == BinaryOp::LogicalAnd || logic->op == BinaryOp::LogicalOr)) {
      collect(logic->lhs, guard);
      return collectOn(logic->lhs, logic->op == BinaryOp::LogicalAnd, guard,
                       [&](const std::string &on) { collect(logic->rhs, on); });
    }
    if (const auto *assign = dyn<Assign>(e)) {
      collect(assign->value, guard);
      target(assign->target, guard);
      return updates(assign) ? add(assign->target, guard) : void();
    }
    if (const auto *atomic = dyn<Atomic>(e)) {
      for (const Expr *operand : atomic->operands) collect(operand, guard);
      return target(atomic->target, guard);
    }
    if (const auto *unary = dyn<Unary>(e); unary && hasEffects(unary) && !hasEffects(unary->operand))
      return target(unary->operand, guard);
    for (const Node *part : children(*e)) collect(as<Expr>(part), guard);
    if (isa<Subscript>(e) || isVectorLoad(e)) add(e, guard);
  }
  void target(const Expr *place, const std::string &guard) {
    if (const auto *subscript = dyn<Subscript>(place))
      for (const Expr *index : subscript->indices) collect(index, guard);
  }
  void collect(const Stmt *s, const std::string &guard) {
    if (const auto *d = dyn<Declare>(s)) return collect(d->init, guard);
    if (const auto *evaluate = dyn<Evaluate>(s)) return collect(evaluate->expr, guard);
    if (const auto *block = dyn<Block>(s)) {
      for (const Stmt *one : block->stmts) collect(one, guard);
      return;
    }
    if (const auto *store = dyn<VectorStore>(s)) {
      collect(store->index, guard);
      return collect(store->value, guard);
    }
    const auto *choice = dyn<If>(s);
    if (!choice) return; // a loop, in which nothing is loaded from far
    collect(choice->cond, guard);
    collectOn(choice->cond, true, guard, [&](const std::string &on) { collect(choice->then, on); });
    if (choice->otherwise)
      collectOn(choice->cond, false, guard, [&](const std::string &on) { collect(choice->otherwise, on); });
  }
  /// What is done where a condition holds, or does not: nothing can be said where earlier iterations decide it.
  template <class F> void collectOn(const Expr *cond, bool holds, const std::string &guard, F &&collected) {
    if (!movable(cond)) return;
    const std::size_t before = loads_.size();
    Build b(arena_, cond->range);
    const std::string on = load(holds ? cond : b.logicalNot(cond), guard, "taken", false);
    const std::size_t made = loads_.size();
    collected(on);
    if (loads_.size() == made) loads_.resize(before); // nothing is loaded on it
  }

  void add(const Expr *e, const std::string &guard) {
    if ((!e->type.isScalar() && !isVectorLoad(e)) || !loadsFar(e) || !depends(e) || !movable(e)) return;
    if (isVectorLoad(e) && !guard.empty()) return; // there is no vector of zeros to take in its place
    const auto *v = dyn<VarRef>(placeOf(e));
    load(e, guard, (v ? v->name : "loaded") + "_at", true);
  }

  /// The variable that has its value.
  std::string load(const Expr *e, const std::string &guard, const std::string &hint, bool waits) {
    auto same = std::find_if(loads_.begin(), loads_.end(), [&](const Load &l) {
      return (l.guard.empty() || l.guard == guard) && l.waits == waits && equal(l.e, e);
    });
    loads_.push_back({e, same == loads_.end() ? names_.fresh(hint) : same->name, guard, at_, waits});
    return loads_.back().name;
  }

  /// Local variables that addresses are made of.
  void need(const Expr *e) {
    for (const std::string &name : mentioned(e)) {
      auto found = movable_.find(name);
      if (found != movable_.end() && needed_.insert(name).second) need(found->second->init);
    }
  }

  /// Where the statement may load, but need not, what was loaded.
  void again(std::map<const Expr *, std::string> &here) const {
    std::set<const Expr *> targets;
    walk(stmts_[at_], [&](const Assign &a) { targets.insert(a.target); });
    walk(stmts_[at_], [&](const Subscript &s) {
      if (targets.count(&s) || here.count(&s)) return;
      auto same = std::find_if(loads_.begin(), loads_.end(), [&](const Load &l) {
        return l.waits && l.guard.empty() && l.at <= at_ && equal(l.e, &s);
      });
      if (same != loads_.end() && movable(&s)) here[&s] = same->name;
    });
  }

  /// What is in its index was loaded before.
  const Stmt *declared(const Load &load, const std::map<const Expr *, std::string> &loaded) const {
    Build b(arena_, load.e->range);
    const Expr *value = WithLoaded(arena_, loaded)(load.e);
    if (!load.guard.empty()) value = b.select(b.var(load.guard, Scalar::Bool), value, b.zero(load.e->type));
    return b.declare(load.name, load.e->type, value);
  }

  std::optional<Iteration> written() {
    Iteration result;
    for (const Load &load : loads_) need(load.e);
    std::size_t next = 0;
    std::set<std::string> loaded;
    for (at_ = 0; at_ < stmts_.size(); ++at_) {
      std::map<const Expr *, std::string> here;
      for (; next < loads_.size() && loads_[next].at == at_; ++next) {
        const Load &load = loads_[next];
        if (loaded.insert(load.name).second) {
          result.loads.push_back(declared(load, here));
          result.declared.insert(load.name);
        }
        // The same node in two places, on two conditions: no pass makes that, and it could not be told apart.
        if (load.waits && here.emplace(load.e, load.name).first->second != load.name) return {};
      }
      again(here);
      const Stmt *s = WithLoaded(arena_, std::move(here))(stmts_[at_]);
      const auto *d = dyn<Declare>(s);
      (d && needed_.count(d->name) ? result.loads : result.rest).push_back(s);
    }
    result.declared.merge(declared_);
    std::set<std::string> used; // others only say where to load from
    for (const Stmt *s : result.rest) used.merge(mentioned(s));
    for (const Load &load : loads_)
      if (load.waits && used.count(load.name) && loaded.erase(load.name))
        result.registers += (load.e->type.bytes() + 3) / 4;
    for (const Load &load : loads_) result.lanes = std::max(result.lanes, load.e->type.lanes());
    return result;
  }

  Arena &arena_;
  Names &names_;
  const Memory &memory_;
  const std::string &variable_;
  std::set<std::string> assigned_, declared_;
  std::vector<const Stmt *> stmts_;
  bool possible_ = false;
  std::size_t at_ = 0;                             // the statement that is looked at
  std::map<std::string, Touched> touched_;         // by root
  std::map<std::string, const Declare *> movable_; // variables of the iteration
  std::set<std::string> depending_;                // of these, those that differ from iteration to iteration
  std::vector<Load> loads_;                        // as they stand
  std::set<std::string> needed_;
};

} // namespace

std::optional<Iteration> takenApart(Arena &arena, Names &names, const Memory &memory, const loops::Counted &loop) {
  return Splitting(arena, names, memory, loop).run();
}

} // namespace tangram::batching
