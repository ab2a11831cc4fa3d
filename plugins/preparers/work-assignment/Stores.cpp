// Statements of a unit that write to memory: done once, by the first worker.
#include "Assigner.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::assignment {

using namespace ast;

namespace {
constexpr DiagnosticKind kConditional{"work-assignment.conditional-write", DiagnosticClass::Limitation,
                                      "an operand that is evaluated on condition writes to a container",
                                      "use if and else instead of &&, || or ?:"};

std::set<std::string> assignedOutside(const Stmt *s) {
  std::set<std::string> names = assignedVariables(s);
  for (const std::string &own : declaredIn(s)) names.erase(own);
  return names;
}
} // namespace

/// Takes out of an expression, in the order of evaluation, what writes to memory.
class Assigner::Extract final : public Mutator {
public:
  Extract(Assigner &assigner, Stmts &out) : Mutator(assigner.arena_), assigner_(assigner), out_(out) {}

private:
  const Node *writing(const Expr *e) {
    if (conditional_) fail(kConditional, e->range.valid() ? e->range : assigner_.here_);
    return assigner_.broadcast(e, out_);
  }
  bool writes(const Expr *e) const { return assigner_.storage_.writes(e); }

  const Node *mutateAtomic(const Atomic *e) override { return writes(e) ? writing(rebuild(e)) : rebuild(e); }
  const Node *mutateAssign(const Assign *e) override {
    const Expr *value = mutateAs(e->value), *target = mutateAs(e->target);
    const Assign *result = arena().derive(e, [&](Assign &copy) {
      copy.value = value;
      copy.target = target;
    });
    return writes(result) ? writing(result) : result;
  }
  const Node *mutateUnary(const Unary *e) override {
    const Unary *result = rebuild(e);
    return hasEffects(result) && writes(result) ? writing(result) : result;
  }
  const Node *mutateConditional(const Conditional *e) override {
    const Expr *cond = mutateAs(e->cond);
    bool outer = std::exchange(conditional_, true);
    const Expr *then = mutateAs(e->then), *otherwise = mutateAs(e->otherwise);
    conditional_ = outer;
    return arena().derive(e, [&](Conditional &copy) {
      copy.cond = cond;
      copy.then = then;
      copy.otherwise = otherwise;
    });
  }
  const Node *mutateBinary(const Binary *e) override {
    if (e->op != BinaryOp::LogicalAnd && e->op != BinaryOp::LogicalOr) return rebuild(e);
    const Expr *lhs = mutateAs(e->lhs);
    bool outer = std::exchange(conditional_, true);
    const Expr *rhs = mutateAs(e->rhs);
    conditional_ = outer;
    return arena().derive(e, [&](Binary &copy) {
      copy.lhs = lhs;
      copy.rhs = rhs;
    });
  }

  Assigner &assigner_;
  Stmts &out_;
  bool conditional_ = false;
};

const Expr *Assigner::broadcast(const Expr *value, Stmts &out) {
  const Expr *place = cell("once", value->type, out);
  out.push_back(single(levels_.worker->name, {b().assign(place, value)}));
  std::string name = names_.fresh("value");
  out.push_back(b().declare(name, value->type, place));
  return b().var(name, value->type);
}

/// The statement, with the declarations that only it uses, as one Single. False where others need its variables, or
/// must leave a loop with the first worker.
bool Assigner::whole(const std::vector<const Stmt *> &all, std::size_t at, Stmts &out) {
  Stmts group{all[at]};
  if (isa<Declare>(all[at]) || jumpsOut(all[at])) return false;
  std::set<std::string> open = assignedOutside(all[at]);
  std::size_t taken = 0; // statements right in front that belong to it
  for (std::size_t i = at; i-- > 0 && !open.empty(); ++taken) {
    const auto *d = dyn<Declare>(all[i]);
    if (!d || !open.count(d->name) || out.size() <= taken || out[out.size() - 1 - taken] != d) break;
    for (std::size_t later = at + 1; later < all.size(); ++later)
      if (mentioned(all[later]).count(d->name)) return false;
    open.erase(d->name);
    group.insert(group.begin(), d);
  }
  if (!open.empty()) return false;
  out.resize(out.size() - (group.size() - 1));
  out.push_back(single(levels_.worker->name, std::move(group)));
  return true;
}

void Assigner::store(const std::vector<const Stmt *> &all, std::size_t at, Stmts &out) {
  if (whole(all, at, out)) return;
  const Stmt *s = all[at];
  if (const auto *e = dyn<Evaluate>(s)) return leaf(e->expr, out);
  if (const auto *d = dyn<Declare>(s)) {
    const Expr *init = Extract(*this, out)(d->init);
    return out.push_back(arena_.derive(d, [&](Declare &copy) { copy.init = init; }));
  }
  out.push_back(around(s));
}

void Assigner::leaf(const Expr *e, Stmts &out) {
  if (const auto *comma = dyn<Binary>(e); comma && comma->op == BinaryOp::Comma) {
    leaf(comma->lhs, out);
    return leaf(comma->rhs, out);
  }
  // The value first, then where it goes, as C++ has it; what these change is every worker's own.
  const auto *assign = dyn<Assign>(e);
  const auto *place = assign ? dyn<Subscript>(assign->target) : nullptr;
  const auto *scalar = assign ? dyn<VarRef>(assign->target) : nullptr;
  if (scalar && storage_.kind(scalar->name) == Storage::Kind::None) scalar = nullptr;
  if (place || scalar) {
    Extract extract(*this, out);
    auto kept = [&](const Expr *value, const std::string &hint) {
      if (isa<IntLit>(value)) return value;
      std::string name = names_.fresh(hint);
      out.push_back(b().declare(name, value->type, value));
      return b().var(name, value->type);
    };
    const Expr *value = kept(extract(assign->value), "stored");
    const Expr *target = scalar;
    if (place) {
      std::vector<const Expr *> indices;
      for (const Expr *index : place->indices) indices.push_back(kept(extract(index), "at"));
      target = arena_.derive(place, [&](Subscript &copy) { copy.indices = std::move(indices); });
    }
    const Expr *write = arena_.derive(assign, [&](Assign &copy) {
      copy.target = target;
      copy.value = value;
    });
    return out.push_back(single(levels_.worker->name, {arena_.make<Evaluate>(here_, write)}));
  }
  const Expr *rest = Extract(*this, out)(e);
  if (hasEffects(rest)) out.push_back(arena_.make<Evaluate>(here_, rest));
}

} // namespace tangram::assignment
