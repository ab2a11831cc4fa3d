#include "tangram/nest/FirstPlaces.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Statements.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

/// `place < 0 || compare`, or `place == -1 || compare`, behind all that is joined to it by &&.
struct NoPlace {
  const Binary *either = nullptr;
  std::string place;

  static std::optional<NoPlace> in(const Expr *cond) {
    const auto *b = dyn<Binary>(cond);
    if (b && b->op == BinaryOp::LogicalAnd) return in(b->rhs);
    const auto *none = b && b->op == BinaryOp::LogicalOr ? dyn<Binary>(b->lhs) : nullptr;
    const auto *v = none ? dyn<VarRef>(withoutWidening(none->lhs)) : nullptr;
    const std::optional<Int> bound = none ? literal(withoutWidening(none->rhs)) : std::nullopt;
    const bool isNone = v && bound && v->type.isInteger() && v->type.isSigned() &&
                        ((none->op == BinaryOp::Lt && *bound == 0) || (none->op == BinaryOp::Eq && *bound == -1));
    return isNone ? std::optional(NoPlace{b, v->name}) : std::nullopt;
  }
};

/// A loop, nothing but branches in each other, and what the innermost one does.
struct FirstPlace {
  const For *loop = nullptr;
  const Declare *iterator = nullptr;
  const If *choice = nullptr;
  NoPlace none;

  static std::optional<FirstPlace> of(const Stmt *s) {
    FirstPlace found;
    found.loop = dyn<For>(s);
    found.iterator = found.loop ? dyn<Declare>(found.loop->init) : nullptr;
    if (!found.iterator || !found.iterator->init) return {};
    const std::optional<Int> begin = literal(withoutWidening(found.iterator->init));
    const auto *step = dyn<Unary>(found.loop->step);
    const bool up = step && (step->op == UnaryOp::PreInc || step->op == UnaryOp::PostInc);
    if (!begin || *begin < 0 || !up || mentionsOf(step, found.iterator->name) != 1) return {};
    const Block *body = found.loop->body;
    for (;;) {
      const bool skips = body->stmts.size() > 1 && std::all_of(body->stmts.begin(), body->stmts.end() - 1, continueIf);
      const auto *branch = body->stmts.size() == 1 || skips ? dyn<If>(body->stmts.back()) : nullptr;
      if (!branch || branch->otherwise || hasEffects(branch->cond)) return {};
      found.choice = branch;
      body = branch->then;
      if (const std::optional<NoPlace> none = NoPlace::in(branch->cond)) {
        found.none = *none;
        return found.setsPlace() ? std::optional(found) : std::nullopt;
      }
    }
  }

private:
  /// To the iterator, there alone, and only the comparison asks for it.
  bool setsPlace() const {
    const Assign *set = choice->then->stmts.size() == 1 ? variableSet(choice->then->stmts[0]) : nullptr;
    const auto *target = set ? as<VarRef>(set->target) : nullptr;
    if (!target || target->name != none.place) return false;
    const auto *value = dyn<VarRef>(withoutCasts(set->value));
    return value && value->name == iterator->name && target->type.bytes() >= 4 &&
           mentionsOf(loop, none.place) == 1 + mentionsOf(none.either, none.place) &&
           !assignedVariables(loop->body).count(iterator->name) && writtenIn({loop}).empty();
  }
};

class FirstPlaces final : public Mutator {
public:
  FirstPlaces(const Codelet &codelet, Arena &arena) : Mutator(arena) { names_.reserveAll(&codelet); }

private:
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    std::set<std::string> none; // places that are -1 here
    for (const Stmt *s : block->stmts) {
      if (const std::optional<FirstPlace> found = FirstPlace::of(s); found && none.count(found->none.place)) {
        none.erase(found->none.place);
        apart(*found, stmts);
        continue;
      }
      remember(s, none);
      stmts.push_back(mutateAs(s));
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  static void remember(const Stmt *s, std::set<std::string> &none) {
    const auto *d = dyn<Declare>(s);
    const Assign *set = variableSet(s);
    const auto *target = set ? as<VarRef>(set->target) : nullptr;
    for (const std::string &name : assignedVariables(s)) none.erase(name);
    const Expr *value = d ? d->init : target ? set->value : nullptr;
    if (value && literal(withoutWidening(value)) == Int{-1}) none.insert(d ? d->name : target->name);
  }

  void apart(const FirstPlace &found, std::vector<const Stmt *> &to) {
    const Build build(arena(), found.loop->range);
    const Type &type = found.iterator->type;
    const unsigned bits = 8 * type.bytes() - (type.isSigned() ? 1 : 0);
    const Expr *most = build.integer(type, bits == 64 ? Int{-1} : static_cast<Int>((std::uint64_t{1} << bits) - 1));
    const Expr *first = build.var(names_.fresh("first_" + found.none.place), type);
    const Expr *at = build.var(found.iterator->name, type);
    to.push_back(build.declare(as<VarRef>(first)->name, type, most, false));
    const Stmt *search = Changed(arena(), found, build.boolean(true),
                                 build.assign(first, build.min(first, at)))(static_cast<const Stmt *>(found.loop));
    to.push_back(as<Stmt>(withOwnNames(arena(), search, names_)));
    const auto *set = as<Assign>(as<Evaluate>(found.choice->then->stmts[0])->expr);
    to.push_back(
        build.when(build.less(first, most), {build.assign(set->target, build.cast(set->target->type, first))}));
    to.push_back(Changed(arena(), found, found.none.either->rhs, nullptr)(static_cast<const Stmt *>(found.loop)));
  }

  /// The loop with another condition in place of `place < 0 || ...`, and another statement behind it.
  class Changed final : public Mutator {
  public:
    Changed(Arena &arena, const FirstPlace &of, const Expr *cond, const Stmt *then)
        : Mutator(arena), of_(of), cond_(cond), then_(then) {}

  private:
    const Node *mutateIf(const If *node) override {
      if (node != of_.choice) return Mutator::mutateIf(node);
      const Expr *cond = replaced(node->cond);
      return arena().derive(node, [&](If &copy) {
        copy.cond = cond;
        if (then_) copy.then = Build(arena(), node->range).block({then_});
      });
    }
    const Expr *replaced(const Expr *cond) {
      if (cond == of_.none.either) return cond_;
      const auto *b = dyn<Binary>(cond);
      if (!b || b->op != BinaryOp::LogicalAnd) return cond;
      const Expr *right = replaced(b->rhs);
      return right == b->rhs ? cond : Build(arena(), b->range).both(b->lhs, right);
    }

    const FirstPlace &of_;
    const Expr *cond_;
    const Stmt *then_;
  };

  Names names_;
};

} // namespace

const Codelet *withFirstPlaces(const Codelet *codelet, Arena &arena) {
  return as<Codelet>(FirstPlaces(*codelet, arena).mutate(codelet));
}

} // namespace tangram::nest
