#include "Exchange.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/ast/Walk.h"

#include <utility>

namespace tangram::placement {

using namespace ast;

namespace {

class Exchange final : public Mutator {
public:
  Exchange(Arena &arena, Names &names, const hardware::LaunchLevels &levels, const KnownValues &known,
           const Alloc &array, std::set<std::string> &frozen)
      : Mutator(arena), arena_(arena), names_(names), levels_(levels), known_(known), array_(array), frozen_(frozen) {}

  const Launch *run(const Launch *launch) {
    const auto *result = (*this)(launch);
    return possible_ ? result : nullptr;
  }

private:
  // ---- where lanes are told apart ----

  const Node *mutateLoop(const Loop *n) override {
    if (n->policy == Policy::Distribute && n->level == array_.level) {
      // What is given to parts of the subgroup is given to several lanes each.
      bool workers = levels_.subgroups.back()->name == n->level;
      std::optional<Int> end = known_.value(n->end, &frozen_);
      bool lanes = workers && isLiteral(n->begin, 0) && end && *end <= static_cast<Int>(levels_.workers(array_.level));
      std::string outer = std::exchange(lane_, lanes ? n->var : "");
      const Node *result = rebuild(n);
      lane_ = outer;
      return result;
    }
    if (!uniformity_) return rebuild(n);
    return loop(n, {n->begin, n->end}, [&] { return rebuild(n); });
  }

  const Node *mutateCooperate(const Cooperate *n) override {
    if (n->level != array_.level) return rebuild(n);
    Uniformity uniformity(Region{n->body, n->lane, true, n->level});
    uniformity_ = &uniformity;
    std::string outer = std::exchange(lane_, n->lane);
    const Node *result = rebuild(n);
    lane_ = outer;
    uniformity_ = nullptr;
    return result;
  }

  /// The lane that asks, whatever it is called.
  bool isOwn(const Expr *index) const {
    for (;;) {
      const auto *cast = dyn<Cast>(index);
      const auto *v = dyn<VarRef>(index);
      if (cast && cast->type.isInteger() && cast->type.bytes() >= 4)
        index = cast->operand;
      else if (v && !lane_.empty() && v->name == lane_)
        return true;
      else if (v && known_.initialiser(v->name))
        index = known_.initialiser(v->name);
      else
        return false;
    }
  }

  // ---- what becomes of the array ----

  const Node *mutateAlloc(const Alloc *a) override {
    if (a->name != array_.name) return rebuild(a);
    Build b(arena(), a->range);
    return b.declare(a->name, a->element, b.zero(a->element), false);
  }
  const Node *mutateSize(const Size *n) override {
    if (!isArray(n->container)) return rebuild(n);
    return Build(arena(), n->range).cast(n->type, array_.extents.at(0));
  }
  const Node *mutateView(const View *n) override {
    possible_ &= n->base != array_.name;
    return rebuild(n);
  }
  const Node *mutateVarRef(const VarRef *n) override {
    possible_ &= n->name != array_.name;
    return n;
  }
  const Node *mutateSubscript(const Subscript *n) override {
    if (!isArray(n->base)) return rebuild(n);
    if (isOwn(n->indices.at(0))) return Build(arena(), n->range).var(array_.name, array_.element);
    return other(n);
  }

  const Node *mutateAssign(const Assign *n) override {
    written(n->target);
    return rebuild(n);
  }
  const Node *mutateAtomic(const Atomic *n) override {
    const auto *place = dyn<Subscript>(n->target);
    possible_ &= !place || !isArray(place->base);
    return rebuild(n);
  }
  const Node *mutateUnary(const Unary *n) override {
    const auto *place = dyn<Subscript>(n->operand);
    if (n->op == UnaryOp::AddressOf) possible_ &= !place || !isArray(place->base);
    if (hasEffects(n)) written(n->operand);
    return rebuild(n);
  }
  const Node *mutateBinary(const Binary *n) override {
    // Not read before the left side is done.
    possible_ &= n->op != BinaryOp::Comma || !readsOthers(n->rhs);
    return rebuild(n);
  }
  void written(const Expr *target) {
    const auto *place = dyn<Subscript>(target);
    if (!place || !isArray(place->base)) return;
    possible_ &= isOwn(place->indices.at(0));
    writes_ = true;
  }
  bool isArray(const Expr *e) const {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == array_.name;
  }

  // ---- reading what another lane has: all lanes do, in front of the branches that they part at ----

  const Expr *other(const Subscript *n) {
    const Expr *index = n->indices[0];
    Build b(arena(), n->range);
    possible_ &= uniformity_ && !apart_ && !changed_ && !hasEffects(index);
    if (!possible_) return n;
    const Expr *lane = low(index);
    bool fixed = !any<VarRef>(lane, [&](const VarRef &v) { return inside_.count(v.name) != 0; });
    possible_ &= fixed && speculable(lane);
    std::string name = names_.fresh(array_.name + "_other");
    const Expr *own = b.var(array_.name, array_.element);
    hoisted_.push_back(
        b.declare(name, array_.element, arena().make<Shuffle>(n->range, array_.element, own, lane, array_.level)));
    return b.var(name, array_.element);
  }
  /// An integer modulo 2^32, which never overflows.
  const Expr *low(const Expr *e) const {
    Build b(arena_, e->range);
    const auto *binary = dyn<Binary>(e);
    const auto *cast = dyn<Cast>(e);
    auto whole = [](const Type &type) { return type.isInteger() && type.bytes() >= 4; };
    if (binary && whole(e->type) &&
        (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub || binary->op == BinaryOp::Mul))
      return b.binary(binary->op, low(binary->lhs), low(binary->rhs));
    if (cast && whole(cast->type) && whole(cast->operand->type)) return low(cast->operand);
    return b.cast(Scalar::U32, e);
  }

  /// A statement whose parts are done at once: what it reads of other lanes is read before it.
  template <class F> const Node *statement(F &&rebuilt) {
    bool outermost = uniformity_ && !branch_;
    const Node *result = rebuilt();
    changed_ |= writes_;
    if (outermost) {
      for (const Stmt *s : hoisted_) emitBefore(s);
      hoisted_.clear();
      changed_ = writes_ = false;
    }
    return result;
  }
  const Node *mutateDeclare(const Declare *n) override {
    return statement([&] { return rebuild(n); });
  }
  const Node *mutateEvaluate(const Evaluate *n) override {
    return statement([&] { return rebuild(n); });
  }
  const Node *mutateIf(const If *n) override {
    if (!uniformity_ || branch_) return rebuild(n);
    if (!uniformity_->varying(n->cond)) {
      // All lanes take the same side: only the condition is asked in front.
      possible_ &= !readsOthers(n->cond);
      return rebuild(n);
    }
    return statement([&] {
      branch_ = true;
      walk(n, [&](const Declare &d) { inside_.insert(d.name); }, [&](const Loop &l) { inside_.insert(l.var); });
      for (const std::string &name : assignedVariables(n)) inside_.insert(name);
      const Node *result = rebuild(n);
      inside_.clear();
      branch_ = false;
      return result;
    });
  }
  const Node *mutateSwitch(const Switch *n) override {
    return within(true, [&] { return rebuild(n); });
  }
  const Node *mutateFor(const For *n) override {
    return loop(n, {n->init, n->cond, n->step}, [&] { return rebuild(n); });
  }
  const Node *mutateWhile(const While *n) override {
    return loop(n, {n->cond}, [&] { return rebuild(n); });
  }
  const Node *mutateDoWhile(const DoWhile *n) override {
    return loop(n, {n->cond}, [&] { return rebuild(n); });
  }
  template <class F> const Node *loop(const Stmt *n, const std::vector<const Node *> &header, F &&rebuilt) {
    for (const Node *part : header) possible_ &= !readsOthers(part);
    bool apart = uniformity_ && (branch_ || uniformity_->divergent(n) || uniformity_->parts(n));
    return within(apart, rebuilt);
  }
  template <class F> const Node *within(bool apart, F &&rebuilt) {
    bool outer = std::exchange(apart_, apart_ || apart);
    const Node *result = rebuilt();
    apart_ = outer;
    return result;
  }
  bool readsOthers(const Node *tree) const {
    return any<Subscript>(tree, [&](const Subscript &s) { return isArray(s.base) && !isOwn(s.indices.at(0)); });
  }

  Arena &arena_;
  Names &names_;
  const hardware::LaunchLevels &levels_;
  const KnownValues &known_;
  const Alloc &array_;
  std::set<std::string> &frozen_;

  std::string lane_; // the variable that tells lanes apart here; empty: nothing does
  const Uniformity *uniformity_ = nullptr;
  bool possible_ = true;
  bool branch_ = false;          // lanes have parted at an if around this
  bool apart_ = false;           // within a loop or switch that lanes go through at their own pace
  bool changed_ = false;         // a statement of the same branch has written the array
  bool writes_ = false;          // this statement does
  std::set<std::string> inside_; // what a branch declares or assigns: not to be asked in front of it
  std::vector<const Stmt *> hoisted_;
};

} // namespace

const Launch *exchange(Arena &arena, Names &names, const hardware::LaunchLevels &levels, const KnownValues &known,
                       const Launch *launch, const Alloc &array, std::set<std::string> &frozen) {
  std::set<std::string> used;
  std::optional<Int> extent = array.extents.size() == 1 ? known.value(array.extents[0], &used) : std::nullopt;
  if (!extent || *extent < 1 || *extent > static_cast<Int>(levels.workers(array.level)) || !array.element.isScalar() ||
      array.element.isBool())
    return nullptr;
  const Launch *result = Exchange(arena, names, levels, known, array, used).run(launch);
  if (result) frozen.insert(used.begin(), used.end());
  return result;
}

} // namespace tangram::placement
