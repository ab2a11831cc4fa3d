#include "tangram/nest/Selections.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

/// `variable = e;` without further effects.
const Assign *settingOf(const Stmt *s) {
  const auto *evaluate = dyn<Evaluate>(s);
  const auto *set = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
  const bool plain = set && set->op == AssignOp::Set && isa<VarRef>(set->target) && set->target->type.isScalar();
  return plain && !hasEffects(set->value) ? set : nullptr;
}

/// Every value of one type is one of the other, and compares with others as it did.
bool keepsValues(const Type &from, const Type &to) {
  if (from == to) return true;
  if (!from.isScalar() || !to.isScalar() || from.isBool() || from.isHalf() || to.isHalf()) return false;
  if (from.isFloating()) return to.isFloating() && to.bytes() >= from.bytes();
  if (to.isFloating()) return to.bytes() > from.bytes();
  return from.isSigned() ? to.isSigned() && to.bytes() >= from.bytes()
                         : to.bytes() > from.bytes() || (!to.isSigned() && to.bytes() == from.bytes());
}

/// Without conversions for which comparisons come out the same.
const Expr *compared(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) {
    if (!keepsValues(cast->operand->type, cast->type)) break;
    e = cast->operand;
  }
  return e;
}

struct Comparison {
  const Expr *candidate = nullptr;
  const VarRef *value = nullptr;
  BinaryOp op = BinaryOp::Gt; // candidate op value
};

/// The comparison as one with this variable.
std::optional<Comparison> comparisonWith(const std::string &name, const Expr *cond) {
  const auto *compare = dyn<Binary>(cond);
  if (!compare || !isOrdering(compare->op)) return std::nullopt;
  const Expr *left = compared(compare->lhs), *right = compared(compare->rhs);
  auto is = [&](const Expr *e) {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == name;
  };
  if (is(right)) return Comparison{left, as<VarRef>(right), compare->op};
  if (is(left)) return Comparison{right, as<VarRef>(left), mirrored(compare->op)};
  return std::nullopt;
}

bool mentionsOneOf(const Expr *e, const std::set<std::string> &names) {
  return any<VarRef>(e, [&](const VarRef &v) { return names.count(v.name) != 0; });
}

} // namespace

std::optional<Selection> selectionOf(const Stmt *statement) {
  const auto *choice = dyn<If>(statement);
  if (!choice || choice->otherwise || choice->then->stmts.size() < 2) return std::nullopt;
  std::vector<const Assign *> sets;
  std::set<std::string> names;
  for (const Stmt *s : choice->then->stmts) {
    sets.push_back(settingOf(s));
    if (!sets.back() || !names.insert(as<VarRef>(sets.back()->target)->name).second) return std::nullopt;
  }
  Selection result;
  const Expr *candidate = nullptr;
  for (const Assign *set : sets) {
    const auto *target = as<VarRef>(set->target);
    if (mentionsOneOf(set->value, names)) return std::nullopt;
    const std::optional<Comparison> compare = result.value ? std::nullopt : comparisonWith(target->name, choice->cond);
    // What is compared is what the scalar is set to, as it is.
    if (compare && equal(compare->candidate, compared(set->value)) &&
        keepsValues(compare->candidate->type, target->type)) {
      result.value = target;
      result.compare = compare->op;
      candidate = compare->candidate;
    } else {
      result.followers.push_back(target);
    }
  }
  if (!result.value || mentionsOneOf(candidate, names) || hasEffects(choice->cond)) return std::nullopt;
  return result;
}

namespace {

/// What a statement sets where a condition holds, and leaves as it is elsewhere: at = cond ? i : at, if (cond) at = i.
struct Conditionally {
  const Expr *cond = nullptr;
  const Stmt *set = nullptr;
};

std::optional<Conditionally> conditionally(const Stmt *s, Arena &arena) {
  if (const auto *choice = dyn<If>(s)) {
    if (choice->otherwise || choice->then->stmts.size() != 1 || !settingOf(choice->then->stmts[0])) return std::nullopt;
    return Conditionally{choice->cond, choice->then->stmts[0]};
  }
  const Assign *set = settingOf(s);
  const auto *value = set ? dyn<Conditional>(set->value) : nullptr;
  if (!value || !equal(value->otherwise, set->target)) return std::nullopt;
  return Conditionally{value->cond, Build(arena, s->range).assign(set->target, value->then)};
}

/// Whether two comparisons are one: e > m and m < e.
bool sameComparison(const Expr *a, const Expr *b) {
  if (equal(a, b)) return true;
  const auto *left = dyn<Binary>(a), *right = dyn<Binary>(b);
  return left && right && isOrdering(left->op) && mirrored(left->op) == right->op && equal(left->lhs, right->rhs) &&
         equal(left->rhs, right->lhs);
}

class ToSelections final : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    bool changed = false;
    for (std::size_t i = 0; i < block->stmts.size();) {
      std::size_t length = 0;
      const Stmt *selection = selectionFrom(block->stmts, i, length);
      if (!selection) {
        selection = block->stmts[i];
        length = 1;
      } else {
        changed = true;
      }
      stmts.push_back(selection);
      i += length;
    }
    return Mutator::mutateBlock(changed ? arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); }) : block);
  }

  /// The selection that statements from `first` on are, the last of which sets what the others compare with.
  const Stmt *selectionFrom(const std::vector<const Stmt *> &stmts, std::size_t first, std::size_t &length) {
    std::vector<const Stmt *> sets;
    const Expr *cond = nullptr;
    for (std::size_t i = first; i < stmts.size(); ++i) {
      const std::optional<Conditionally> each = conditionally(stmts[i], arena());
      if (!each || hasEffects(each->cond) || (cond && !sameComparison(cond, each->cond))) return nullptr;
      if (!cond) cond = each->cond;
      sets.push_back(each->set);
      const std::string &name = as<VarRef>(settingOf(each->set)->target)->name;
      if (!mentionsOneOf(cond, {name})) continue;
      const Stmt *whole = Build(arena(), stmts[first]->range).when(cond, std::move(sets));
      length = i + 1 - first;
      return selectionOf(whole) ? whole : nullptr;
    }
    return nullptr;
  }

  /// if (a && e > most) { ... }  as  if (a) if (e > most) { ... }
  const Node *mutateIf(const If *node) override {
    const auto *both = dyn<Binary>(node->cond);
    if (both && both->op == BinaryOp::LogicalAnd && !node->otherwise && !hasEffects(node->cond)) {
      const Build build(arena(), node->range);
      auto apart = [&](const Expr *around, const Expr *compare) -> const Stmt * {
        const Stmt *inner = build.when(compare, node->then->stmts);
        return selectionOf(inner) ? build.when(around, {inner}) : nullptr;
      };
      if (const Stmt *s = apart(both->lhs, both->rhs)) return s;
      // What stands behind is evaluated without asking in front.
      if (speculable(both->rhs))
        if (const Stmt *s = apart(both->rhs, both->lhs)) return s;
    }
    return Mutator::mutateIf(node);
  }
};

class SelectingMore final : public Mutator {
public:
  SelectingMore(Arena &arena, const std::string &value, const std::vector<const Stmt *> &more)
      : Mutator(arena), value_(value), more_(more) {}

private:
  const Node *mutateIf(const If *node) override {
    const std::optional<Selection> selection = selectionOf(node);
    if (!selection || selection->value->name != value_) return Mutator::mutateIf(node);
    const Block *then =
        arena().derive(node->then, [&](Block &b) { b.stmts.insert(b.stmts.end(), more_.begin(), more_.end()); });
    return arena().derive(node, [&](If &i) { i.then = then; });
  }
  const std::string &value_;
  const std::vector<const Stmt *> &more_;
};

} // namespace

const Codelet *withSelections(const Codelet *codelet, Arena &arena) {
  return as<Codelet>(ToSelections(arena).mutate(codelet));
}

std::vector<const Stmt *> withMoreSelected(const std::vector<const Stmt *> &statements, const std::string &value,
                                           const std::vector<const Stmt *> &more, Arena &arena) {
  SelectingMore mutator(arena, value, more);
  std::vector<const Stmt *> result;
  for (const Stmt *s : statements) result.push_back(mutator(s));
  return result;
}

} // namespace tangram::nest
