#include "PrivateAtomics.h"

#include "Ownership.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"

#include <functional>
#include <utility>

namespace tangram::private_atomics {

using namespace ast;

namespace {

/// Atomic operations that are evaluated once, whenever `e` is.
void unconditional(const Expr *e, std::vector<const Atomic *> &found) {
  if (!e) return;
  if (const auto *atomic = dyn<Atomic>(e)) found.push_back(atomic);
  if (const auto *choice = dyn<Conditional>(e)) return unconditional(choice->cond, found);
  const auto *logic = dyn<Binary>(e);
  if (logic && (logic->op == BinaryOp::LogicalAnd || logic->op == BinaryOp::LogicalOr))
    return unconditional(logic->lhs, found);
  for (const Node *child : children(*e))
    if (isa<Expr>(child)) unconditional(static_cast<const Expr *>(child), found);
}

/// Evaluating it does nothing but this operation, and the assignment that may be its root.
bool onlyEffect(const Expr *e, const Atomic *atomic) {
  const auto *root = dyn<Assign>(e);
  return !any<Expr>(e, [&](const Expr &part) {
    if (&part == atomic || &part == root) return false;
    if (isa<Call>(&part)) return hasEffects(&part);
    const auto *unary = dyn<Unary>(&part);
    bool changes = unary && (changesOperand(unary->op) || unary->op == UnaryOp::AddressOf);
    return changes || isa<Assign>(&part) || isa<Atomic>(&part) || isa<Check>(&part);
  });
}

class Replace final : public Mutator {
public:
  Replace(Arena &arena, const Atomic *from, const Expr *to) : Mutator(arena), from_(from), to_(to) {}

private:
  const Node *mutateAtomic(const Atomic *node) override { return node == from_ ? to_ : rebuild(node); }
  const Atomic *from_;
  const Expr *to_;
};

/// What integers of this type are added in, so that a sum wraps around.
Type wrapping(const Type &type) { return type.bytes() == 8 ? Scalar::U64 : Scalar::U32; }

class Lowering final : public Mutator {
public:
  Lowering(PassContext &context, const Kernel &kernel)
      : Mutator(context.arena), ownership_(kernel, context.analyses.of<Storage>(kernel)) {
    names_.reserveAll(&kernel);
  }

private:
  // ---- where the walk is ----
  template <class T> const Node *inside(const T *node) {
    bool forks = Ownership::forks(node);
    if (forks) ownership_.enter();
    const Node *result = rebuild(node);
    if (forks) ownership_.leave();
    return result;
  }
  const Node *mutateLoop(const Loop *node) override { return inside(node); }
  template <class T> const Node *together(const T *node) {
    bool outer = std::exchange(together_, true);
    const Node *result = inside(node);
    together_ = outer;
    return result;
  }
  const Node *mutateCooperate(const Cooperate *node) override { return together(node); }
  const Node *mutateLaunch(const Launch *node) override { return together(node); }
  // In a header there is no room for statements.
  const Node *mutateFor(const For *node) override {
    const Block *body = mutateAs(node->body);
    if (body == node->body) return node;
    return arena().derive(node, [&](For &copy) { copy.body = body; });
  }
  const Node *mutateAlloc(const Alloc *node) override {
    ownership_.declare(node->name, together_);
    return rebuild(node);
  }

  // ---- statements that may do one ----
  const Node *mutateDeclare(const Declare *node) override {
    ownership_.declare(node->name, node->shared);
    const Expr *init = plain(node->init, node->init);
    if (init == node->init) return rebuild(node);
    return arena().derive(node, [&](Declare &copy) { copy.init = init; });
  }
  const Node *mutateEvaluate(const Evaluate *node) override {
    const Expr *e = withoutCasts(node->expr);
    if (const auto *atomic = dyn<Atomic>(e); atomic && mayBePlain(e, atomic)) {
      Places places = placesOf(atomic);
      return update(atomic, places);
    }
    const Expr *result = plain(node->expr, node->expr);
    if (result == node->expr) return rebuild(node);
    return arena().derive(node, [&](Evaluate &copy) { copy.expr = result; });
  }
  const Node *mutateIf(const If *node) override {
    const Expr *cond = plain(node->cond, node->cond);
    const Block *then = mutateAs(node->then), *otherwise = node->otherwise ? mutateAs(node->otherwise) : nullptr;
    if (cond == node->cond && then == node->then && otherwise == node->otherwise) return node;
    return arena().derive(node, [&](If &copy) {
      copy.cond = cond;
      copy.then = then;
      copy.otherwise = otherwise;
    });
  }

  // ---- the operation ----
  /// Whether the operation may stand in front of the statement that evaluates `e` as a plain one.
  bool mayBePlain(const Expr *e, const Atomic *atomic) const {
    if (atomic->op == AtomicOp::OrderedAdd || atomic->type.isBool()) return false;
    if (!ownership_.owns(atomic->target) || !onlyEffect(e, atomic)) return false;
    // What else is read of the same memory may come before or after.
    std::size_t own = 0, all = 0;
    std::string buffer;
    for (const Storage::Access &a : ownership_.storage().accesses(atomic))
      if (a.atomic) buffer = a.buffer;
    for (const Storage::Access &a : ownership_.storage().accesses(atomic)) own += a.buffer == buffer;
    for (const Storage::Access &a : ownership_.storage().accesses(e)) all += a.buffer == buffer;
    return own == all;
  }

  /// `e` with the value that the operation in it finds, where there is one; what it does stands in front.
  const Expr *plain(const Expr *e, const Expr *whole) {
    std::vector<const Atomic *> found;
    unconditional(e, found);
    for (const Atomic *atomic : found) {
      if (!mayBePlain(whole, atomic)) continue;
      Build b(arena(), atomic->range);
      Places places = placesOf(atomic);
      std::string before = names_.fresh("before");
      emitBefore(b.declare(before, atomic->type, places.target));
      emitBefore(update(atomic, places));
      return Replace(arena(), atomic, b.var(before, atomic->type))(e);
    }
    return e;
  }

  struct Places {
    const Expr *target;
    std::vector<const Expr *> operands;
  };
  /// The target and the operands as they may be evaluated twice: from variables in front.
  Places placesOf(const Atomic *atomic) {
    Build b(arena(), atomic->range);
    auto once = [&](const Expr *e, const std::string &hint) -> const Expr * {
      const Expr *bare = withoutCasts(e);
      if (isa<IntLit>(bare) || isa<FloatLit>(bare) || isa<VarRef>(bare)) return e;
      std::string name = names_.fresh(hint);
      emitBefore(b.declare(name, e->type, e));
      return b.var(name, e->type);
    };
    std::function<const Expr *(const Expr *)> place = [&](const Expr *e) -> const Expr * {
      if (const auto *s = dyn<Subscript>(e)) {
        const Expr *base = place(s->base);
        std::vector<const Expr *> indices;
        for (const Expr *index : s->indices) indices.push_back(once(index, "place"));
        return arena().derive(s, [&](Subscript &copy) {
          copy.base = base;
          copy.indices = indices;
        });
      }
      if (const auto *m = dyn<Member>(e)) {
        const Expr *base = place(m->base);
        return arena().derive(m, [&](Member &copy) { copy.base = base; });
      }
      return e;
    };
    Places places{place(atomic->target), {}};
    bool twice = atomic->op == AtomicOp::Min || atomic->op == AtomicOp::Max;
    for (const Expr *operand : atomic->operands) places.operands.push_back(twice ? once(operand, "operand") : operand);
    return places;
  }

  const Stmt *update(const Atomic *atomic, const Places &places) {
    Build b(arena(), atomic->range);
    const Type type = atomic->type;
    const Expr *target = places.target, *operand = places.operands.at(0);
    auto combined = [&](BinaryOp op) {
      const Type in = type.isFloating() ? type : wrapping(type); // an atomic addition never overflows
      return b.assign(target, b.cast(type, b.binary(op, b.cast(in, target), b.cast(in, operand))));
    };
    switch (atomic->op) {
    case AtomicOp::Add: return combined(BinaryOp::Add);
    case AtomicOp::Sub: return combined(BinaryOp::Sub);
    case AtomicOp::And: return combined(BinaryOp::And);
    case AtomicOp::Or: return combined(BinaryOp::Or);
    case AtomicOp::Xor: return combined(BinaryOp::Xor);
    case AtomicOp::Min: return b.when(b.less(operand, target), {b.assign(target, operand)});
    case AtomicOp::Max: return b.when(b.less(target, operand), {b.assign(target, operand)});
    case AtomicOp::Exchange: return b.assign(target, operand);
    case AtomicOp::CompareExchange: return b.when(b.equal(target, operand), {b.assign(target, places.operands.at(1))});
    case AtomicOp::OrderedAdd: break;
    }
    failBug(atomic->range, "private-atomics", "an ordered addition is not plain");
  }

  Ownership ownership_;
  Names names_;
  bool together_ = false; // in what several workers run: a container made there is one for all
};

} // namespace

const Kernel *PrivateAtomics::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  return Lowering(context, *kernel)(kernel);
}

} // namespace tangram::private_atomics
