#include "tangram/nest/Switches.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

/// Whether a `break` of the switch around stands in a statement.
bool breaksIn(const Stmt *tree) {
  return !walk(tree, [](const Stmt &s) {
    if (isa<For>(&s) || isa<While>(&s) || isa<DoWhile>(&s) || isa<Switch>(&s)) return WalkResult::Skip;
    return isa<Break>(&s) ? WalkResult::Stop : WalkResult::Advance;
  });
}

class Unswitching final : public Mutator {
public:
  Unswitching(Arena &arena, const Codelet &codelet) : Mutator(arena) { names_.reserveAll(&codelet); }

private:
  const Node *mutateFor(const For *loop) override {
    return inLoop([&] { return rebuild(loop); });
  }
  const Node *mutateWhile(const While *loop) override {
    return inLoop([&] { return rebuild(loop); });
  }
  const Node *mutateDoWhile(const DoWhile *loop) override {
    return inLoop([&] { return rebuild(loop); });
  }
  template <class F> const Node *inLoop(F &&go) {
    ++loops_;
    const Node *result = go();
    --loops_;
    return result;
  }

  const Node *mutateSwitch(const Switch *choice) override {
    const auto *rebuilt = as<Switch>(rebuild(choice));
    const bool branches = loops_ > 0 && std::all_of(rebuilt->cases.begin(), rebuilt->cases.end(), [&](const Case *c) {
                            return endsItself(*c, c == rebuilt->cases.back());
                          });
    if (!branches) return rebuilt;
    const Build b(arena(), choice->range);
    const Expr *value = rebuilt->value;
    if (!isa<VarRef>(value)) {
      const std::string name = names_.fresh("chosen");
      emitBefore(b.declare(name, value->type, value));
      value = b.var(name, value->type);
    }
    Stmts otherwise;
    for (const Case *c : rebuilt->cases)
      if (c->isDefault) otherwise = withoutBreak(*c);
    for (auto c = rebuilt->cases.rbegin(); c != rebuilt->cases.rend(); ++c) {
      if ((*c)->isDefault) continue; // whatever its other labels are
      const Expr *cond = nullptr;
      for (const Expr *label : (*c)->labels) {
        const Expr *equal = b.equal(value, b.cast(value->type, label));
        cond = cond ? b.binary(BinaryOp::LogicalOr, cond, equal) : equal;
      }
      otherwise = {b.when(cond, withoutBreak(**c), std::move(otherwise))};
    }
    return otherwise.size() == 1 ? otherwise[0] : b.block(std::move(otherwise));
  }

  /// Whether its statements go on behind the switch, or jump out of it, and nothing but their end says so.
  static bool endsItself(const Case &c, bool last) {
    const Stmts &body = c.body->stmts;
    if (body.empty()) return last;
    const Stmt *end = body.back();
    const bool ends = last || isa<Break>(end) || isa<Continue>(end) || isa<Return>(end);
    return ends && std::none_of(body.begin(), body.end() - 1, breaksIn) && (isa<Break>(end) || !breaksIn(end));
  }
  static Stmts withoutBreak(const Case &c) {
    Stmts body = c.body->stmts;
    if (!body.empty() && isa<Break>(body.back())) body.pop_back();
    return body;
  }

  Names names_;
  unsigned loops_ = 0;
};

} // namespace

const Codelet *withoutSwitches(const Codelet *codelet, Arena &arena) {
  return contains<Switch>(codelet->body) ? Unswitching(arena, *codelet)(codelet) : codelet;
}

} // namespace tangram::nest
