#include "tangram/nest/Increments.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::nest {

using namespace ast;

namespace {

bool isIncrement(const Expr *e) {
  const auto *u = dyn<Unary>(e);
  return u && u->op != UnaryOp::Plus && u->op != UnaryOp::Minus && hasEffects(u) && isa<VarRef>(u->operand);
}

class Apart : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    bool changed = false;
    for (const Stmt *s : block->stmts) {
      const Unary *increment = incrementIn(s);
      if (!increment) {
        stmts.push_back(s);
        continue;
      }
      changed = true;
      const bool behind = increment->op == UnaryOp::PostInc || increment->op == UnaryOp::PostDec;
      const auto *own = arena().make<Evaluate>(increment->range, arena().derive(increment, [&](Unary &u) {
        u.op = up(*increment) ? UnaryOp::PreInc : UnaryOp::PreDec;
      }));
      if (!behind) stmts.push_back(own);
      stmts.push_back(as<Stmt>(Without(arena(), increment).mutate(s)));
      if (behind) stmts.push_back(own);
    }
    return Mutator::mutateBlock(changed ? arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); }) : block);
  }

  static bool up(const Unary &u) { return u.op == UnaryOp::PreInc || u.op == UnaryOp::PostInc; }

  /// The one increment of a variable that the statement mentions nowhere else, done whatever its values are.
  static const Unary *incrementIn(const Stmt *s) {
    const auto *e = dyn<Evaluate>(s);
    const auto *d = dyn<Declare>(s);
    if ((!e || isIncrement(e->expr)) && (!d || !d->init)) return nullptr;
    const Unary *found = nullptr;
    std::size_t increments = 0;
    bool certain = true;
    walk(
        s,
        [&](const Unary &u) {
          if (isIncrement(&u)) found = &u, ++increments;
        },
        [&](const Conditional &) { certain = false; },
        [&](const Binary &b) {
          certain &= b.op != BinaryOp::LogicalAnd && b.op != BinaryOp::LogicalOr && b.op != BinaryOp::Comma;
        },
        [&](const Call &) { certain = false; }, [&](const SpectrumCall &) { certain = false; },
        [&](const Map &) { certain = false; });
    if (increments != 1 || !certain) return nullptr;
    std::size_t mentions = 0;
    walk(s, [&](const VarRef &v) { mentions += v.name == as<VarRef>(found->operand)->name; });
    return mentions == 1 ? found : nullptr;
  }

  class Without : public Mutator {
  public:
    Without(Arena &arena, const Unary *increment) : Mutator(arena), increment_(increment) {}

  private:
    const Node *mutateUnary(const Unary *u) override { return u == increment_ ? u->operand : Mutator::mutateUnary(u); }
    const Unary *increment_;
  };
};

} // namespace

const Codelet *withIncrementsApart(const Codelet *codelet, Arena &arena) {
  return as<Codelet>(Apart(arena).mutate(codelet));
}

} // namespace tangram::nest
