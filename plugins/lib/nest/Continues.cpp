#include "tangram/nest/Continues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

bool isLoop(const Node &n) { return isa<For>(&n) || isa<While>(&n) || isa<DoWhile>(&n); }

/// Whether a `continue` of the loop around stands in a statement.
bool continuesIn(const Node *tree) {
  return !walk(tree, [](const Stmt &s) {
    if (isLoop(s)) return WalkResult::Skip;
    return isa<Continue>(&s) ? WalkResult::Stop : WalkResult::Advance;
  });
}

bool continuesInSwitch(const Block *body) {
  return !walk(body, [](const Stmt &s) {
    if (isLoop(s)) return WalkResult::Skip;
    return isa<Switch>(&s) && continuesIn(&s) ? WalkResult::Stop : WalkResult::Advance;
  });
}

/// Whether nothing behind a statement is carried out.
bool endsPass(const Stmt *s) {
  const auto ends = [](const Block *block) {
    return block && std::any_of(block->stmts.begin(), block->stmts.end(), endsPass);
  };
  if (const auto *block = dyn<Block>(s)) return ends(block);
  if (const auto *choice = dyn<If>(s)) return ends(choice->then) && ends(choice->otherwise);
  return isa<Continue>(s) || isa<Break>(s) || isa<Return>(s);
}

/// Whether a nest reads a loop's passes that are cut short as they are.
bool isReadAsWritten(const For &loop) {
  const auto *assign = dyn<Assign>(loop.step);
  const bool byNumber = !assign || assign->op == AssignOp::Set || literal(assign->value).has_value();
  return isa<Declare>(loop.init) && byNumber &&
         std::all_of(loop.body->stmts.begin(), loop.body->stmts.end(),
                     [](const Stmt *s) { return continueIf(s) || !jumpsOut(s); });
}

class Branching final : public Mutator {
public:
  Branching(Arena &arena, const Codelet &codelet) : Mutator(arena) { names_.reserveAll(&codelet); }

private:
  const Node *mutateFor(const For *loop) override {
    if (isBranched(loop->body) && !isReadAsWritten(*loop))
      loop = arena().derive(loop, [&](For &copy) { copy.body = branched(loop->body); });
    return rebuild(loop);
  }
  const Node *mutateWhile(const While *loop) override {
    if (isBranched(loop->body) && any<Stmt>(loop->body, isLoop))
      loop = arena().derive(loop, [&](While &copy) { copy.body = branched(loop->body); });
    return rebuild(loop);
  }

  static bool isBranched(const Block *body) { return continuesIn(body) && !continuesInSwitch(body); }
  const Block *branched(const Block *body) { return Build(arena(), body->range).block(toTheEnd(body->stmts, nullptr)); }

  /// Statements that are the last ones of a pass, or where there is a flag, of what sets it where the pass ends.
  Stmts toTheEnd(const Stmts &stmts, const Expr *flag) {
    Stmts result;
    for (auto s = stmts.begin(); s != stmts.end(); ++s) {
      if (!continuesIn(*s)) {
        result.push_back(*s);
        continue;
      }
      const Build b(arena(), (*s)->range);
      const auto with = [&](const Block *first, bool more) {
        Stmts all = first ? first->stmts : Stmts{};
        if (more) all.insert(all.end(), s + 1, stmts.end());
        return all;
      };
      if (isa<Continue>(*s)) {
        if (flag) result.push_back(b.assign(flag, b.boolean(true)));
      } else if (const auto *block = dyn<Block>(*s)) {
        const Stmts rest = toTheEnd(with(block, true), flag);
        result.insert(result.end(), rest.begin(), rest.end());
      } else {
        const auto *choice = as<If>(*s);
        const bool then = !endsPass(choice->then), otherwise = !choice->otherwise || !endsPass(choice->otherwise);
        const bool both = then && otherwise && s + 1 != stmts.end();
        const Expr *skipped = flag;
        if (both && !flag) {
          skipped = b.var(names_.fresh("skipped"), Scalar::Bool);
          result.push_back(b.declare(as<VarRef>(skipped)->name, Scalar::Bool, b.boolean(false), false));
        }
        addChoice(result, *choice, toTheEnd(with(choice->then, then && !both), skipped),
                  toTheEnd(with(choice->otherwise, otherwise && !both), skipped));
        if (both) result.push_back(b.when(b.logicalNot(skipped), toTheEnd(Stmts(s + 1, stmts.end()), flag)));
      }
      return result;
    }
    return result;
  }

  void addChoice(Stmts &out, const If &choice, Stmts then, Stmts otherwise) {
    const Build b(arena(), choice.range);
    if (!then.empty())
      out.push_back(b.when(choice.cond, std::move(then), std::move(otherwise)));
    else if (!otherwise.empty())
      out.push_back(b.when(b.logicalNot(choice.cond), std::move(otherwise)));
    else if (hasEffects(choice.cond))
      out.push_back(arena().make<Evaluate>(choice.range, choice.cond));
  }

  Names names_;
};

} // namespace

const Codelet *withoutContinues(const Codelet *codelet, Arena &arena) { return Branching(arena, *codelet)(codelet); }

} // namespace tangram::nest
