#include "Padding.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"

#include <algorithm>
#include <cmath>

namespace tangram::tile {

using namespace ast;
using Stmts = std::vector<const Stmt *>;

namespace {

/// A sum of multiples, modulo 2^64.
struct Linear {
  std::vector<std::pair<const Expr *, std::uint64_t>> terms;
  std::uint64_t constant = 0;

  void add(const Linear &other, std::uint64_t times) {
    constant += other.constant * times;
    for (const auto &[e, factor] : other.terms) {
      auto known = std::find_if(terms.begin(), terms.end(), [&](const auto &t) { return equal(t.first, e); });
      if (known == terms.end()) known = terms.insert(known, {e, 0});
      known->second += factor * times;
    }
    std::erase_if(terms, [](const auto &t) { return t.second == 0; });
  }
};

/// Nothing where a sum might wrap around before all 64 bits of it are there.
std::optional<Linear> linear(const Expr *e) {
  if (!e->type.isInteger()) return {};
  if (const auto *c = dyn<Cast>(e); c && nest::widens(*c)) {
    if (auto inner = linear(c->operand)) return inner;
    return Linear{{{c->operand, 1}}, 0};
  }
  Linear result;
  if (const std::optional<Int> n = literal(e)) {
    result.constant = static_cast<std::uint64_t>(*n);
    return result;
  }
  const auto *b = dyn<Binary>(e);
  if (!b || (b->op != BinaryOp::Add && b->op != BinaryOp::Sub)) {
    result.terms.emplace_back(e, 1);
    return result;
  }
  if (!e->type.isSigned() && e->type.bytes() < 8) return {};
  const auto left = linear(b->lhs), right = linear(b->rhs);
  if (!left || !right) return {};
  result.add(*left, 1);
  result.add(*right, b->op == BinaryOp::Add ? 1 : ~std::uint64_t{0});
  return result;
}

bool isZero(const Expr *e) {
  e = withoutCasts(e);
  if (const auto *f = dyn<FloatLit>(e)) return f->value == 0 && !std::signbit(f->value);
  return isLiteral(e, 0);
}

const If *plainChoice(const Stmt *s) {
  const auto *choice = dyn<If>(s);
  const bool plain = choice && !choice->otherwise && choice->then->stmts.size() == 1 && !hasEffects(choice->cond) &&
                     !contains<Subscript>(choice->cond);
  return plain ? choice : nullptr;
}

const Assign *assignment(const Stmt *s) {
  const auto *e = dyn<Evaluate>(s);
  return e ? dyn<Assign>(e->expr) : nullptr;
}

} // namespace

Definitions definitionsIn(const Stmts &body) {
  std::set<std::string> changed;
  for (const Stmt *s : body) changed.merge(assignedVariables(s));
  Definitions result;
  for (const Stmt *s : body)
    walk(s, [&](const Declare &d) {
      if (d.init && d.extents.empty() && d.type.isInteger() && !d.type.isBool() && !changed.count(d.name) &&
          !hasEffects(d.init) && !contains<Subscript>(d.init))
        result[d.name] = &d;
    });
  return result;
}

const Expr *spelledOut(const Expr *e, const Definitions &definitions, Arena &arena) {
  return substituted(arena, e, [&](const VarRef *v) -> const Expr * {
    const auto d = definitions.find(v->name);
    return d == definitions.end()
               ? v
               : Build(arena, v->range).cast(v->type, spelledOut(d->second->init, definitions, arena));
  });
}

bool alike(const Padding &a, const Padding &b) {
  auto same = [](const Expr *one, const Expr *other) { return equal(one, other); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const IndexBounds &one, const IndexBounds &other) {
    return std::equal(one.from.begin(), one.from.end(), other.from.begin(), other.from.end(), same) &&
           std::equal(one.to.begin(), one.to.end(), other.to.begin(), other.to.end(), same);
  });
}

ZeroPadding::ZeroPadding(const Stmts &body, std::set<std::string> moving, std::set<std::string> variables, Arena &arena)
    : definitions_(definitionsIn(body)), moving_(std::move(moving)), variables_(std::move(variables)), arena_(arena) {
  for (const auto &[name, declare] : definitions_) variables_.erase(name);
}

bool ZeroPadding::addBounds(const Expr *condition, const std::vector<const Expr *> &indices, Padding &padding) const {
  const auto *node = dyn<Binary>(condition);
  if (!node) return false;
  if (node->op == BinaryOp::LogicalAnd)
    return addBounds(node->lhs, indices, padding) && addBounds(node->rhs, indices, padding);
  if (!isOrdering(node->op)) return false;
  auto mentions = [&](const Expr *e, const std::set<std::string> &names) {
    return any<VarRef>(e, [&](const VarRef &v) { return names.count(v.name) > 0; });
  };
  const bool first = mentions(node->lhs, moving_);
  const Expr *moves = first ? node->lhs : node->rhs, *bound = first ? node->rhs : node->lhs;
  if (mentions(bound, moving_) || mentions(bound, variables_) || !moves->type.isInteger()) return false;
  const std::optional<Linear> value = linear(moves);
  if (!value) return false;
  const bool less = node->op == BinaryOp::Lt || node->op == BinaryOp::Le;
  const bool above = less != first, inclusive = node->op == BinaryOp::Le || node->op == BinaryOp::Ge;
  const Build build(arena_, condition->range);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    std::optional<Linear> apart = linear(indices[d]);
    if (!apart) continue;
    apart->add(*value, ~std::uint64_t{0});
    if (!apart->terms.empty()) continue;
    const auto offset = static_cast<Int>(apart->constant);
    // A number without a sign that wraps around is a large one. Where the index is no larger, it is none of the
    // container's, and may be anything.
    const bool wraps = !moves->type.isSigned();
    if (wraps && above && offset > 0) return false;
    auto at = [&](Int more) {
      return build.add(build.cast(nest::kInteger, bound), build.integer(nest::kInteger, offset + more));
    };
    if (above) {
      padding[d].from.push_back(at(inclusive ? 0 : 1));
    } else {
      padding[d].to.push_back(at(inclusive ? 1 : 0));
      if (wraps) padding[d].from.push_back(build.integer(nest::kInteger, offset));
    }
    return true;
  }
  return false;
}

std::optional<Padding> ZeroPadding::paddingOf(const Expr *condition, const Subscript &element) const {
  const auto *base = dyn<VarRef>(element.base);
  if (!base || !base->type.isArray() || variables_.count(base->name) || element.indices.size() != base->type.rank())
    return {};
  std::vector<const Expr *> indices;
  for (const Expr *index : element.indices) indices.push_back(spelledOut(index, definitions_, arena_));
  Padding result(indices.size());
  if (!addBounds(spelledOut(condition, definitions_, arena_), indices, result)) return {};
  return result;
}

std::optional<Padding> ZeroPadding::of(const Conditional &choice) const {
  const auto *element = dyn<Subscript>(choice.then);
  if (!element || !isZero(choice.otherwise) || hasEffects(choice.cond) || contains<Subscript>(choice.cond)) return {};
  return paddingOf(choice.cond, *element);
}

/// The product with a choice in place of the one factor that is padded; null where there is none.
const Expr *ZeroPadding::paddedFactor(const Expr *product, const Expr *condition) const {
  const Build build(arena_, product->range);
  if (const auto *element = dyn<Subscript>(product))
    return paddingOf(condition, *element) ? build.select(condition, element, build.zero(element->type)) : nullptr;
  if (const auto *c = dyn<Cast>(product)) {
    const Expr *operand = paddedFactor(c->operand, condition);
    return operand ? build.cast(c->type, operand) : nullptr;
  }
  const auto *node = dyn<Binary>(product);
  if (!node || node->op != BinaryOp::Mul) return nullptr;
  if (const Expr *left = paddedFactor(node->lhs, condition)) return build.mul(left, node->rhs);
  const Expr *right = paddedFactor(node->rhs, condition);
  return right ? build.mul(node->lhs, right) : nullptr;
}

const Stmt *ZeroPadding::paddedUpdate(const Stmt *s, const std::set<std::string> &sums, std::string &sum) const {
  const If *choice = plainChoice(s);
  const Assign *update = choice ? assignment(choice->then->stmts[0]) : nullptr;
  const auto *target = update ? dyn<VarRef>(update->target) : nullptr;
  if (!target || !sums.count(target->name) || !target->type.isScalar() ||
      (update->op != AssignOp::Add && update->op != AssignOp::Sub) || hasEffects(update->value) ||
      mentions(update->value, target->name))
    return nullptr;
  const Expr *value = paddedFactor(update->value, choice->cond);
  if (!value) return nullptr;
  sum = target->name;
  return arena_.make<Evaluate>(s->range, arena_.derive(update, [&](Assign &a) { a.value = value; }));
}

const Stmt *ZeroPadding::paddedValue(const Stmt *declaration, const Stmt *s) const {
  const auto *d = dyn<Declare>(declaration);
  const If *choice = d && d->init && d->extents.empty() && isZero(d->init) ? plainChoice(s) : nullptr;
  const Assign *set = choice ? assignment(choice->then->stmts[0]) : nullptr;
  const auto *target = set && set->op == AssignOp::Set ? dyn<VarRef>(set->target) : nullptr;
  const auto *element = target && target->name == d->name ? dyn<Subscript>(set->value) : nullptr;
  if (!element || !paddingOf(choice->cond, *element)) return nullptr;
  const Expr *value = Build(arena_, s->range).select(choice->cond, element, d->init);
  return arena_.derive(d, [&](Declare &made) { made.init = value; });
}

ZeroPadding::Body ZeroPadding::withZeros(const Stmts &body, const std::set<std::string> &sums) const {
  Body result;
  for (const Stmt *s : body) {
    std::string sum;
    if (const Stmt *update = paddedUpdate(s, sums, sum)) {
      if (as<Assign>(as<Evaluate>(update)->expr)->type.isFloating()) result.sums.insert(sum);
      result.stmts.push_back(update);
    } else if (const Stmt *value = result.stmts.empty() ? nullptr : paddedValue(result.stmts.back(), s)) {
      result.stmts.back() = value;
    } else {
      result.stmts.push_back(s);
    }
  }
  return result;
}

Stmts ZeroPadding::withoutChoices(const Stmts &body, const std::set<const Subscript *> &elements) const {
  struct Choices : Mutator {
    Choices(Arena &arena, const std::set<const Subscript *> &elements) : Mutator(arena), elements(elements) {}
    const Node *mutateConditional(const Conditional *c) override {
      const auto *element = dyn<Subscript>(c->then);
      return element && elements.count(element) ? c->then : Mutator::mutateConditional(c);
    }
    const std::set<const Subscript *> &elements;
  } choices(arena_, elements);
  Stmts result;
  for (const Stmt *s : body) result.push_back(as<Stmt>(choices.mutate(s)));
  if (result == body) return result;
  // What only conditions asked for.
  for (std::size_t i = result.size(); i-- > 0;) {
    const auto *d = dyn<Declare>(result[i]);
    if (!d || !definitions_.count(d->name)) continue;
    const bool used = std::any_of(result.begin(), result.end(), [&](const Stmt *s) { return mentions(s, d->name); });
    if (!used) result.erase(result.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return result;
}

} // namespace tangram::tile
