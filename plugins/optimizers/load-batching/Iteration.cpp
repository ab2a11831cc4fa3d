#include "Iteration.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>

namespace tangram::batching {

using namespace ast;

namespace {

/// Code of one worker, without loops and whatever else makes copies long.
bool plain(const Block *body) {
  return walk(body, [](const Node &n) {
    if (const auto *call = dyn<Call>(&n)) {
      bool pointers = std::any_of(call->args.begin(), call->args.end(),
                                  [](const Expr *arg) { return arg->type.isPointer() || arg->type.isArray(); });
      return pointers ? WalkResult::Stop : WalkResult::Advance;
    }
    bool other = isa<Stmt>(&n) ? !(isa<Block>(&n) || isa<Declare>(&n) || isa<Evaluate>(&n) || isa<If>(&n))
                               : isa<Shuffle>(&n) || isa<Check>(&n) || isa<Faulted>(&n);
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

const Expr *pointerOf(const Expr *place) {
  if (const auto *subscript = dyn<Subscript>(place)) return subscript->base;
  const auto *unary = dyn<Unary>(place);
  return unary && unary->op == UnaryOp::Deref ? unary->operand : nullptr;
}

/// An assignment that its statement ends with.
const Assign *lastAssign(const Stmt *s) {
  const auto *evaluate = dyn<Evaluate>(s);
  return evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
}

/// An operation on a place, in the place's own type, that may be written as an assignment.
bool updates(const Assign *assign) {
  const Type &type = assign->target->type;
  return assign->op != AssignOp::Set && type == assign->value->type && type.bytes() >= 4;
}

class Splitting {
public:
  Splitting(Arena &arena, Names &names, const Memory &memory, const loops::Counted &loop)
      : arena_(arena), names_(names), memory_(memory), variable_(loop.variable),
        assigned_(assignedVariables(loop.body)), declared_(declaredIn(loop.body)) {
    inOrder(loop.body, stmts_);
    possible_ = plain(loop.body) && accesses();
  }

  std::optional<Iteration> run() {
    if (!possible_) return {};
    for (at_ = 0; at_ < stmts_.size(); ++at_) {
      const Stmt *s = stmts_[at_];
      if (const auto *d = dyn<Declare>(s)) {
        collect(d->init);
        if (d->init && d->extents.empty() && !d->shared && !assigned_.count(d->name) && movable(d->init)) {
          movable_[d->name] = d;
          if (depends(d->init)) depending_.insert(d->name);
        }
      } else if (const auto *evaluate = dyn<Evaluate>(s)) {
        collect(evaluate->expr);
      } else {
        collect(as<If>(s)->cond);
      }
    }
    if (loads_.empty()) return {};
    return written();
  }

private:
  struct Load {
    const Expr *e = nullptr;
    std::string name; // of the variable that has it
    std::size_t at = 0;
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
        if (const Expr *pointer = pointerOf(&e)) touched_[memory_.root(pointer)].places.push_back(&e);
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
    auto found = touched_.find(memory_.root(pointerOf(place)));
    if (found == touched_.end() || found->first.empty()) return false;
    const Touched &touched = found->second;
    if (!touched.writes) return true;
    const auto *mine = dyn<Subscript>(place);
    return touched.last && at_ <= touched.firstWrite && mine && injective(mine->indices.at(0)) &&
           std::all_of(touched.places.begin(), touched.places.end(), [&](const Expr *p) { return equal(p, place); });
  }

  /// Whether it has the same value in front of the iterations before it.
  bool movable(const Expr *e) const {
    switch (e->kind()) {
    case Kind::IntLit:
    case Kind::FloatLit:
    case Kind::WorkerIndex:
    case Kind::WorkerCount: return true;
    case Kind::VarRef: {
      const std::string &name = as<VarRef>(e)->name;
      return declared_.count(name) ? movable_.count(name) != 0 : !assigned_.count(name);
    }
    case Kind::Unary:
      if (as<Unary>(e)->op == UnaryOp::AddressOf || (pointerOf(e) && !readable(e))) return false;
      break;
    case Kind::Subscript:
      if (!readable(e)) return false;
      break;
    case Kind::Call:
      if (!isMathFunction(as<Call>(e)->callee)) return false;
      break;
    case Kind::Binary:
    case Kind::Cast:
    case Kind::Conditional: break;
    default: return false;
    }
    if (hasEffects(e)) return false;
    std::vector<const Node *> parts = children(*e);
    return std::all_of(parts.begin(), parts.end(), [&](const Node *part) { return movable(as<Expr>(part)); });
  }

  bool depends(const Expr *e) const {
    return any<VarRef>(e, [&](const VarRef &v) { return v.name == variable_ || depending_.count(v.name) != 0; });
  }
  bool loadsFar(const Expr *e) const {
    return any<Expr>(e, [&](const Expr &part) {
      const Expr *pointer = pointerOf(&part);
      return pointer && memory_.far(memory_.root(pointer));
    });
  }

  /// Loads among what evaluating the expression evaluates in any case.
  void collect(const Expr *e) {
    if (!e) return;
    if (const auto *choice = dyn<Conditional>(e)) {
      collect(choice->cond);
      return add(e);
    }
    if (const auto *logic = dyn<Binary>(e);
        logic && (logic->op == BinaryOp::LogicalAnd || logic->op == BinaryOp::LogicalOr))
      return collect(logic->lhs);
    if (const auto *assign = dyn<Assign>(e)) {
      collect(assign->value);
      target(assign->target);
      return updates(assign) ? add(assign->target) : void();
    }
    if (const auto *atomic = dyn<Atomic>(e)) {
      for (const Expr *operand : atomic->operands) collect(operand);
      return target(atomic->target);
    }
    if (const auto *unary = dyn<Unary>(e); unary && hasEffects(unary) && !hasEffects(unary->operand))
      return target(unary->operand);
    for (const Node *part : children(*e)) collect(as<Expr>(part));
    if (isa<Subscript>(e)) add(e);
  }
  void target(const Expr *place) {
    if (const auto *subscript = dyn<Subscript>(place))
      for (const Expr *index : subscript->indices) collect(index);
  }

  void add(const Expr *e) {
    if (!e->type.isScalar() || !loadsFar(e) || !depends(e) || !movable(e)) return;
    auto same = std::find_if(loads_.begin(), loads_.end(), [&](const Load &l) { return equal(l.e, e); });
    if (same != loads_.end()) return loads_.push_back({e, same->name, at_});
    const auto *v = dyn<VarRef>(pointerOf(e));
    loads_.push_back({e, names_.fresh((v ? v->name : "loaded") + "_at"), at_});
  }

  /// Puts loaded values into one statement.
  class Put final : public Mutator {
  public:
    Put(Arena &arena, std::map<const Expr *, std::string> loaded) : Mutator(arena), loaded_(std::move(loaded)) {}

  private:
    const Expr *variable(const Expr *e) {
      auto found = loaded_.find(e);
      return found == loaded_.end() ? nullptr : Build(arena(), e->range).var(found->second, e->type);
    }
    const Node *mutateSubscript(const Subscript *e) override {
      const Expr *loaded = variable(e);
      return loaded ? loaded : rebuild(e);
    }
    const Node *mutateConditional(const Conditional *e) override {
      const Expr *loaded = variable(e);
      return loaded ? loaded : rebuild(e);
    }
    const Node *mutateAssign(const Assign *e) override {
      const Expr *before = updates(e) ? variable(e->target) : nullptr, *value = mutateAs(e->value);
      const auto *place = dyn<Subscript>(e->target);
      const Expr *target = place ? as<Expr>(rebuild(place)) : e->target;
      if (!before && target == e->target && value == e->value) return e;
      return arena().derive(e, [&](Assign &copy) {
        copy.target = target;
        copy.value = value;
        if (!before) return;
        copy.op = AssignOp::Set;
        copy.value = Build(arena(), e->range).binary(binaryOf(e->op), before, value);
      });
    }
    std::map<const Expr *, std::string> loaded_;
  };

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
      auto same =
          std::find_if(loads_.begin(), loads_.end(), [&](const Load &l) { return l.at <= at_ && equal(l.e, &s); });
      if (same != loads_.end() && movable(&s)) here[&s] = same->name;
    });
  }

  Iteration written() {
    Iteration result;
    for (const Load &load : loads_) need(load.e);
    std::size_t next = 0;
    std::set<std::string> loaded;
    for (at_ = 0; at_ < stmts_.size(); ++at_) {
      std::map<const Expr *, std::string> here;
      for (; next < loads_.size() && loads_[next].at == at_; ++next) {
        const Load &load = loads_[next];
        Build b(arena_, load.e->range);
        if (loaded.insert(load.name).second) {
          // Those in its index stand before it.
          result.loads.push_back(b.declare(load.name, load.e->type, Put(arena_, here)(load.e)));
          result.declared.insert(load.name);
          result.registers += (load.e->type.bytes() + 3) / 4;
        }
        here[load.e] = load.name;
      }
      again(here);
      const Stmt *s = Put(arena_, std::move(here))(stmts_[at_]);
      const auto *d = dyn<Declare>(s);
      (d && needed_.count(d->name) ? result.loads : result.rest).push_back(s);
    }
    result.declared.merge(declared_);
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
