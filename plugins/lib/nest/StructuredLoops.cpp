#include "tangram/nest/StructuredLoops.h"

#include "SymbolicSteps.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/nest/Continues.h"
#include "tangram/nest/Switches.h"

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

bool hasLoops(const Node *n) { return contains<For>(n) || contains<While>(n) || contains<DoWhile>(n); }

/// if (cond) { ...; break; }
const If *breakIf(const Stmt *s) {
  const auto *choice = dyn<If>(s);
  if (!choice || choice->otherwise || choice->then->stmts.empty() || !isa<Break>(choice->then->stmts.back()))
    return nullptr;
  const Stmts &then = choice->then->stmts;
  return std::none_of(then.begin(), then.end() - 1, [](const Stmt *inner) { return jumpsOut(inner); }) ? choice
                                                                                                       : nullptr;
}

/// Whether something else leaves a body, or cuts a pass of it short.
bool jumpsElsewhere(const Block *body) {
  return std::any_of(body->stmts.begin(), body->stmts.end(), [](const Stmt *s) { return !breakIf(s) && jumpsOut(s); });
}

/// Whether a loop with loops in it counts other than a nest's: by a factor, by what is no number, or by a variable that
/// is there behind it.
bool isIrregular(const For &loop) {
  if (!loop.cond || !loop.step || !hasLoops(loop.body)) return false;
  const bool plain = !loop.init || isa<Declare>(loop.init) || isa<Evaluate>(loop.init);
  if (!plain || jumpsElsewhere(loop.body)) return false;
  if (!isa<Declare>(loop.init)) return true;
  const auto *assign = dyn<Assign>(loop.step);
  const bool byNumber =
      assign && (assign->op == AssignOp::Add || assign->op == AssignOp::Sub) && literal(assign->value).has_value();
  return assign && !byNumber && isa<VarRef>(assign->target) &&
         as<VarRef>(assign->target)->name == as<Declare>(loop.init)->name;
}

class Structuring final : public Mutator {
public:
  Structuring(Arena &arena, const Codelet &codelet) : Mutator(arena), assigned_(assignedVariables(codelet.body)) {
    names_.reserveAll(&codelet);
    walk(codelet.body, [&](const Declare &d) {
      if (d.type.isScalar() && d.type.isInteger() && !d.type.isBool() && d.extents.empty() && !d.shared && !d.tunable)
        integers_[d.name] = d.type;
    });
    walk(codelet.body, [&](const For &loop) { // iterators are known by their loops
      if (const auto *d = dyn<Declare>(loop.init); d && !isIrregular(loop)) integers_.erase(d->name);
    });
  }

private:
  const Node *mutateWhile(const While *loop) override {
    if (!hasLoops(loop->body) || jumpsElsewhere(loop->body)) return rebuild(loop);
    return mutateFor(turning(loop->range, loop->cond, loop->body));
  }

  const Node *mutateDoWhile(const DoWhile *loop) override {
    if (!hasLoops(loop->body) || jumpsElsewhere(loop->body)) return rebuild(loop);
    const Build b(arena(), loop->range);
    const Expr *again = b.var(names_.fresh("again"), Scalar::Bool);
    emitBefore(b.declare(as<VarRef>(again)->name, Scalar::Bool, b.boolean(true), false));
    Stmts body = loop->body->stmts;
    body.push_back(b.assign(again, loop->cond));
    return mutateFor(turning(loop->range, again, b.block(std::move(body))));
  }

  /// for (size_t turn = 0; cond; ++turn) body
  const For *turning(SourceRange where, const Expr *cond, const Block *body) {
    Build b(arena(), where);
    const std::string turn = names_.fresh("turn");
    const Type type = Scalar::U64;
    return arena().make<For>(where, b.declare(turn, type, b.u64(0), false), cond,
                             arena().make<Unary>(where, type, UnaryOp::PreInc, b.var(turn, type)), body);
  }

  const Node *mutateFor(const For *loop) override {
    if (Names unused = names_; !jumpsElsewhere(loop->body) && countedBySteps(*loop, unused, arena())) {
      const auto counted = countedBySteps(*withConstants(loop), names_, arena());
      for (const Stmt *s : counted->before) emitBefore(s);
      return mutateFor(counted->loop);
    }
    if (isIrregular(*loop)) {
      if (loop->init) emitBefore(loop->init);
      Stmts body = loop->body->stmts;
      body.push_back(arena().make<Evaluate>(loop->range, loop->step));
      return mutateFor(turning(loop->range, loop->cond, Build(arena(), loop->range).block(std::move(body))));
    }
    const auto *made = as<For>(rebuild(withConstants(loop)));
    const Stmts &body = made->body->stmts;
    const bool left = std::any_of(body.begin(), body.end(), [](const Stmt *s) { return breakIf(s) != nullptr; });
    if (!left || jumpsElsewhere(made->body) || !hasLoops(made->body) || !isa<Declare>(made->init) || !made->cond)
      return made;
    Build b(arena(), loop->range);
    const Expr *flag = b.var(names_.fresh("left"), Scalar::Bool);
    emitBefore(b.declare(as<VarRef>(flag)->name, Scalar::Bool, b.boolean(false), false));
    const Block *inside = b.block(withFlag(body, 0, flag));
    return arena().derive(made, [&](For &copy) {
      copy.cond = b.both(b.logicalNot(flag), made->cond);
      copy.body = inside;
    });
  }

  /// Integers that change elsewhere and stay as they are in the loop have names of their own there: they are known as
  /// numbers that stand still with the loops around.
  const For *withConstants(const For *loop) {
    const std::set<std::string> changed = assignedVariables(loop);
    std::map<std::string, std::string> renamed;
    walk(loop, [&](const VarRef &v) {
      const auto found = integers_.find(v.name);
      if (found == integers_.end() || !assigned_.count(v.name) || changed.count(v.name) || renamed.count(v.name) ||
          any<Declare>(loop, [&](const Declare &d) { return d.name == v.name; }))
        return;
      Build b(arena(), loop->range);
      renamed[v.name] = names_.fresh(v.name + "_now");
      emitBefore(b.declare(renamed[v.name], found->second, b.var(v.name, found->second)));
    });
    return renamed.empty() ? loop : as<For>(renameVariables(arena(), loop, renamed));
  }

  Stmts withFlag(const Stmts &stmts, std::size_t from, const Expr *flag) {
    Stmts result;
    for (std::size_t i = from; i < stmts.size(); ++i) {
      const If *leaving = breakIf(stmts[i]);
      if (!leaving) {
        result.push_back(stmts[i]);
        continue;
      }
      Build b(arena(), leaving->range);
      Stmts then(leaving->then->stmts.begin(), leaving->then->stmts.end() - 1);
      then.push_back(b.assign(flag, b.boolean(true)));
      result.push_back(b.when(leaving->cond, std::move(then), withFlag(stmts, i + 1, flag)));
      break;
    }
    return result;
  }

  std::set<std::string> assigned_;
  std::map<std::string, Type> integers_; // scalars of the codelet's own, no iterators
  Names names_;
};

} // namespace

const Codelet *withStructuredLoops(const Codelet *codelet, Arena &arena) {
  codelet = withoutContinues(withoutSwitches(codelet, arena), arena);
  return Structuring(arena, *codelet)(codelet);
}

} // namespace tangram::nest
