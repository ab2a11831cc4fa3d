#include "tangram/ast/Returns.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"

namespace tangram::ast {

namespace {

/// Whether control can come to the end of the statements: every path that does not is a return.
bool alwaysReturns(const Stmt *stmt);
bool alwaysReturns(const std::vector<const Stmt *> &stmts) {
  for (const Stmt *stmt : stmts)
    if (alwaysReturns(stmt)) return true;
  return false;
}
bool alwaysReturns(const Stmt *stmt) {
  if (isa<Return>(stmt)) return true;
  if (const auto *block = dyn<Block>(stmt)) return alwaysReturns(block->stmts);
  if (const auto *branch = dyn<If>(stmt))
    return branch->otherwise && alwaysReturns(branch->then) && alwaysReturns(branch->otherwise);
  return false;
}

/// One body. A return inside a loop or switch leaves it by break; whoever stands around it asks the flag.
class Rewriter {
public:
  Rewriter(Arena &arena, Names &names, const Expr *result) : build_(arena), names_(names), result_(result) {}

  const Block *run(const Block *body) {
    std::vector<const Stmt *> stmts = list(body->stmts, {false, false});
    if (!flag_.empty())
      stmts.insert(stmts.begin(), build_.at(body->range).declare(flag_, Scalar::Bool, build_.boolean(false), false));
    return build_.at(body->range).block(std::move(stmts));
  }

private:
  /// What stands around the statements.
  struct Around {
    bool breakable; // a loop or switch of this body
    bool follows;   // something behind them would run after a return
  };
  using Stmts = std::vector<const Stmt *>;

  static bool returns(const Node *node) { return contains<Return>(node); }
  static Stmts rest(const Stmts &stmts, std::size_t from) { return {stmts.begin() + from, stmts.end()}; }
  static Stmts joined(const Block *first, const Stmts &second) {
    Stmts all = first ? first->stmts : Stmts{};
    all.insert(all.end(), second.begin(), second.end());
    return all;
  }

  const Expr *flag() {
    if (flag_.empty()) flag_ = names_.fresh("returned");
    return build_.var(flag_, Scalar::Bool);
  }
  const Block *block(const Stmt *like, const Stmts &stmts, Around around) {
    return build_.at(like->range).block(list(stmts, around));
  }

  Stmts list(const Stmts &stmts, Around around) {
    Stmts out;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const Stmt *stmt = stmts[i];
      if (!returns(stmt)) {
        out.push_back(stmt);
        continue;
      }
      Stmts after = rest(stmts, i + 1);
      if (const auto *ret = dyn<Return>(stmt)) {
        leave(*ret, around, out);
        return out;
      }
      if (const auto *inner = dyn<Block>(stmt)) {
        // Names are unique in a body, so that a block's statements may join those behind it.
        Stmts all = list(joined(inner, alwaysReturns(inner) ? Stmts{} : after), around);
        out.insert(out.end(), all.begin(), all.end());
        return out;
      }
      if (const auto *branch = dyn<If>(stmt)) {
        if (branches(*branch, after, around, out)) return out;
        continue;
      }
      out.push_back(breakable(stmt, {true, around.follows || around.breakable || !after.empty()}));
      if (skip(after, around, out)) return out;
    }
    return out;
  }

  void leave(const Return &ret, Around around, Stmts &out) {
    Build here = build_.at(ret.range);
    if (ret.value && result_)
      out.push_back(here.assign(result_, ret.value));
    else if (ret.value)
      out.push_back(build_.arena().make<Evaluate>(ret.range, ret.value));
    if (around.follows) out.push_back(here.assign(flag(), here.boolean(true)));
    if (around.breakable) out.push_back(build_.arena().make<Break>(ret.range));
  }

  /// True where everything behind the branch has been taken care of.
  bool branches(const If &branch, const Stmts &after, Around around, Stmts &out) {
    bool thenLeaves = alwaysReturns(branch.then), otherLeaves = branch.otherwise && alwaysReturns(branch.otherwise);
    auto put = [&](const Stmts &then, const Stmts &otherwise, Around inner) {
      const Block *thenBlock = block(branch.then, then, inner);
      Stmts other = list(otherwise, inner);
      const Block *otherBlock = other.empty() ? nullptr : build_.at(branch.range).block(std::move(other));
      const Expr *cond = branch.cond;
      if (thenBlock->stmts.empty() && otherBlock) { // `if (c) return;` in front of the rest
        cond = build_.at(branch.range).logicalNot(cond);
        std::swap(thenBlock, otherBlock);
        otherBlock = nullptr;
      }
      out.push_back(build_.arena().make<If>(branch.range, cond, thenBlock, otherBlock));
    };
    // Inside a loop or switch a return breaks out, and what is behind the branch needs no else.
    if (around.breakable) {
      put(branch.then->stmts, joined(branch.otherwise, {}), around);
      return thenLeaves && otherLeaves;
    }
    if (thenLeaves || otherLeaves || after.empty()) {
      put(thenLeaves ? branch.then->stmts : joined(branch.then, otherLeaves ? after : Stmts{}),
          otherLeaves ? branch.otherwise->stmts : joined(branch.otherwise, thenLeaves ? after : Stmts{}), around);
      return true;
    }
    put(branch.then->stmts, joined(branch.otherwise, {}), {false, true});
    return skip(after, around, out);
  }

  /// Behind a statement that may have returned. True where `after` was dealt with.
  bool skip(const Stmts &after, Around around, Stmts &out) {
    if (around.breakable) {
      const SourceRange range = out.back()->range;
      out.push_back(build_.at(range).when(flag(), {build_.arena().make<Break>(range)}));
      return false;
    }
    if (after.empty()) return true;
    Build here = build_.at(after.front()->range);
    out.push_back(here.when(here.logicalNot(flag()), list(after, around)));
    return true;
  }

  const Stmt *breakable(const Stmt *stmt, Around inner) {
    auto body = [&](const auto *loop) {
      return build_.arena().derive(loop, [&](auto &copy) { copy.body = block(loop->body, loop->body->stmts, inner); });
    };
    if (const auto *loop = dyn<For>(stmt)) return body(loop);
    if (const auto *loop = dyn<While>(stmt)) return body(loop);
    if (const auto *loop = dyn<DoWhile>(stmt)) return body(loop);
    const auto *choice = dyn<Switch>(stmt);
    if (!choice) failBug(stmt->range, "returns", fmt::format("a return inside a {}", name(stmt->kind())));
    return build_.arena().derive(choice, [&](Switch &copy) {
      for (const Case *&c : copy.cases) c = body(c);
    });
  }

  Build build_;
  Names &names_;
  const Expr *result_;
  std::string flag_;
};

} // namespace

const Block *withoutReturns(Arena &arena, Names &names, const Block *body, const Expr *result) {
  return contains<Return>(body) ? Rewriter(arena, names, result).run(body) : body;
}

} // namespace tangram::ast
