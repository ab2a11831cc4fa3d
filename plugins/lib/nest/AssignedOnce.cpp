#include "tangram/nest/AssignedOnce.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/StoredElements.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr unsigned kMostCalls = 4; // functions that functions call

/// Whether it may be computed also where the source does not.
bool isSafe(const Expr *e, const Module &module, unsigned depth = 0) {
  return !any<Expr>(e, [&](const Expr &part) {
    if (const auto *call = dyn<Call>(&part)) {
      const Function *function = depth < kMostCalls ? functionOfExpression(module, *call) : nullptr;
      return !function || !isSafe(resultOf(*function), module, depth + 1);
    }
    const auto *b = dyn<Binary>(&part);
    const bool divides = b && (b->op == BinaryOp::Div || b->op == BinaryOp::Rem) && !b->type.isFloating() &&
                         !(literal(b->rhs) && *literal(b->rhs) > 0);
    const bool known = isa<VarRef>(&part) || isa<IntLit>(&part) || isa<FloatLit>(&part) || isa<Binary>(&part) ||
                       isa<Unary>(&part) || isa<Cast>(&part) || isa<Conditional>(&part) || isa<Size>(&part);
    return divides || !known;
  });
}

class Renamer : public Mutator {
public:
  Renamer(const Module &module, const Codelet *codelet, Arena &arena)
      : Mutator(arena), module_(module), stored_(*codelet) {
    names_.reserveAll(codelet);
    walk(codelet->body, [&](const Unary &u) {
      const auto *v = u.op == UnaryOp::AddressOf ? dyn<VarRef>(u.operand) : nullptr;
      if (v) pointedTo_.insert(v->name);
    });
  }

protected:
  const Node *mutateBlock(const Block *block) override {
    std::set<std::string> own;
    std::map<std::string, const Expr *> now;
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      if (const auto *d = dyn<Declare>(s); d && d->type.isScalar() && d->extents.empty() && !d->shared && !d->tunable &&
                                           d->init && !d->isConst && !pointedTo_.count(d->name))
        own.insert(d->name);
      const Stmt *renamed = s;
      if (!now.empty())
        renamed = substituted(arena(), s, [&](const VarRef *v) -> const Expr * {
          const auto found = now.find(v->name);
          return found == now.end() ? v : found->second;
        });
      const Assign *set = assignmentOf(s, own);
      const Expr *value = set ? valueOf(renamed) : nullptr;
      if (!value) {
        stmts.push_back(as<Stmt>(mutate(renamed)));
        continue;
      }
      const std::string &name = as<VarRef>(set->target)->name;
      const Build build(arena(), s->range);
      const Expr *next = build.var(names_.fresh(name), set->target->type);
      stmts.push_back(build.declare(as<VarRef>(next)->name, next->type, build.cast(next->type, value), false));
      now[name] = next;
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

private:
  /// The one assignment of a statement, also of one under a condition, to a variable of `own`. Null: it is none.
  const Assign *assignmentOf(const Stmt *s, const std::set<std::string> &own) const {
    if (const auto *branch = dyn<If>(s))
      return branch->otherwise || branch->then->stmts.size() != 1 || !isSafe(branch->cond, module_)
                 ? nullptr
                 : assignmentOf(branch->then->stmts[0], own);
    const auto *e = dyn<Evaluate>(s);
    const auto *set = e ? dyn<Assign>(e->expr) : nullptr;
    const auto *v = set ? dyn<VarRef>(set->target) : nullptr;
    return v && own.count(v->name) && !changesSomething(set->value, module_) ? set : nullptr;
  }
  /// What the variable is behind the statement; null where that must not be computed everywhere.
  const Expr *valueOf(const Stmt *s) {
    const Build build(arena(), s->range);
    if (const auto *branch = dyn<If>(s)) {
      const auto *set = as<Assign>(as<Evaluate>(branch->then->stmts[0])->expr);
      const Expr *then = valueOf(branch->then->stmts[0]);
      // A recurrence is asked for where the source asks for it.
      return then && (isSafe(then, module_) || stored_.recurs(then, branch->cond))
                 ? build.select(branch->cond, build.cast(set->target->type, then), set->target)
                 : nullptr;
    }
    const auto *set = as<Assign>(as<Evaluate>(s)->expr);
    if (set->op == AssignOp::Set) return set->value;
    // The frontend has made both sides of a compound assignment of one type, or the result is converted by itself.
    return set->value->type == set->target->type ? build.binary(binaryOf(set->op), set->target, set->value) : nullptr;
  }

  const Module &module_;
  StoredElements stored_;
  Names names_;
  std::set<std::string> pointedTo_;
};

} // namespace

const Codelet *withAssignedOnce(const Module &module, const Codelet *codelet, Arena &arena) {
  return as<Codelet>(Renamer(module, codelet, arena).mutate(codelet));
}

} // namespace tangram::nest
