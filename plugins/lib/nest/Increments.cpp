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
      if (const auto *branch = dyn<If>(s)) { // is decided before either side begins
        const Build build(arena(), increment->range);
        const Expr *now = increment->operand, *one = build.integer(now->type, 1);
        const Expr *before = up(*increment) ? build.sub(now, one) : build.add(now, one);
        stmts.push_back(own);
        stmts.push_back(arena().derive(branch, [&](If &copy) {
          copy.cond =
              as<Expr>(Instead(arena(), increment, behind ? build.cast(now->type, before) : now).mutate(branch->cond));
        }));
        continue;
      }
      if (!behind) stmts.push_back(own);
      stmts.push_back(as<Stmt>(Instead(arena(), increment, increment->operand).mutate(s)));
      if (behind) stmts.push_back(own);
    }
    return Mutator::mutateBlock(changed ? arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); }) : block);
  }

  static bool up(const Unary &u) { return u.op == UnaryOp::PreInc || u.op == UnaryOp::PostInc; }

  /// The one increment of a variable that the statement mentions nowhere else, done whatever its values are.
  static const Unary *incrementIn(const Stmt *s) {
    const auto *e = dyn<Evaluate>(s);
    const auto *d = dyn<Declare>(s);
    const auto *branch = dyn<If>(s);
    if ((!e || isIncrement(e->expr)) && (!d || !d->init) && !branch) return nullptr;
    const Node *looked = branch ? static_cast<const Node *>(branch->cond) : s;
    const Unary *found = nullptr;
    std::size_t increments = 0;
    bool certain = true;
    walk(
        looked,
        [&](const Unary &u) {
          if (isIncrement(&u)) found = &u, ++increments;
        },
        [&](const Assign &) { certain &= !branch; }, [&](const Conditional &) { certain = false; },
        [&](const Binary &b) { // the first side is computed in any case
          const bool isLogical = b.op == BinaryOp::LogicalAnd || b.op == BinaryOp::LogicalOr;
          certain &= b.op != BinaryOp::Comma &&
                     (!isLogical || !any<Unary>(b.rhs, [](const Unary &u) { return isIncrement(&u); }));
        },
        [&](const Call &) { certain = false; }, [&](const SpectrumCall &) { certain = false; },
        [&](const Map &) { certain = false; });
    if (increments != 1 || !certain) return nullptr;
    std::size_t mentions = 0;
    walk(looked, [&](const VarRef &v) { mentions += v.name == as<VarRef>(found->operand)->name; });
    return mentions == 1 ? found : nullptr;
  }

  class Instead : public Mutator {
  public:
    Instead(Arena &arena, const Unary *increment, const Expr *value)
        : Mutator(arena), increment_(increment), value_(value) {}

  private:
    const Node *mutateUnary(const Unary *u) override { return u == increment_ ? value_ : Mutator::mutateUnary(u); }
    const Unary *increment_;
    const Expr *value_;
  };
};

} // namespace

const Codelet *withIncrementsApart(const Codelet *codelet, Arena &arena) {
  return as<Codelet>(Apart(arena).mutate(codelet));
}

} // namespace tangram::nest
