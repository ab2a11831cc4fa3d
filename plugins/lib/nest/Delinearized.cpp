// x[(i * n + j) * m + k] as an element of a container of three dimensions (Grosser, Ramanujam, Pouchet, Sadayappan and
// Pop, Optimistic Delinearization of Parametrically Sized Arrays, ICS 2015): products of what is no number are affine
// in none, but two such indices are equal where all three are, as j is below n and k below m.
#include "Affine.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"

#include <algorithm>

#include <isl/set.h>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr std::size_t kMostTerms = 16;
constexpr unsigned kMostExtents = 8;
constexpr unsigned kDeepestTerm = 32; // of sums within sums, and of variables that stand for them

/// A product of which neither factor is a number; null of others.
const Binary *productOf(const Expr *e) {
  const auto *n = dyn<Binary>(e);
  const bool product = n && n->op == BinaryOp::Mul && !literal(withoutCasts(n->lhs)) && !literal(withoutCasts(n->rhs));
  return product ? n : nullptr;
}

bool hasProduct(const Expr *e) {
  return any<Binary>(e, [](const Binary &n) { return productOf(&n) != nullptr; });
}

/// A number times something with a product in it, as (i * n + j) * 4; null of others.
const Binary *multipleOf(const Expr *e) {
  const auto *n = dyn<Binary>(e);
  return n && n->op == BinaryOp::Mul && !productOf(n) && hasProduct(n) ? n : nullptr;
}

std::string textOf(const Expr *e) { return print(withoutWidening(e)); }

/// What a loop ends below: of the least of several, each.
void endsOf(const Expr *e, std::vector<const Expr *> &ends) {
  e = withoutWidening(e);
  ends.push_back(e);
  if (const auto *call = dyn<Call>(e); call && call->callee.starts_with("min_"))
    for (const Expr *argument : call->args) endsOf(argument, ends);
  const auto *choice = dyn<Conditional>(e);
  const auto *cond = choice ? dyn<Binary>(choice->cond) : nullptr;
  if (!cond || cond->op != BinaryOp::Lt) return;
  if (!equal(cond->lhs, choice->then) || !equal(cond->rhs, choice->otherwise)) return;
  endsOf(choice->then, ends);
  endsOf(choice->otherwise, ends);
}

} // namespace

bool Affine::isExtent(const Expr *e) const {
  std::set<unsigned> loops;
  e = withoutWidening(e);
  return e->type.isInteger() && !e->type.isBool() && !literal(e) && standsStill(e, loops) && loops.empty();
}

bool Affine::addTerms(const Expr *e, int sign, std::vector<Term> &terms, unsigned depth) {
  if (const auto *c = dyn<Cast>(e); c && bool(c->exact)) { // what a loop counts by steps: no dimension of a container
    terms.push_back({e, sign});
    return true;
  }
  e = withoutWidening(e); // a number that is none below zero where it is an index
  if (terms.size() >= kMostTerms || depth >= kDeepestTerm || !e->type.isInteger()) return false;
  const auto namesProduct = [&](const VarRef &v) { // size_t row = i * n;
    const auto local = locals_.find(v.name);
    return local != locals_.end() && local->second.init && hasProduct(local->second.init);
  };
  if (const auto *n = dyn<Binary>(e);
      n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub) && (hasProduct(n) || any<VarRef>(n, namesProduct)))
    return addTerms(n->lhs, sign, terms, depth + 1) &&
           addTerms(n->rhs, n->op == BinaryOp::Add ? sign : -sign, terms, depth + 1);
  if (const auto *v = dyn<VarRef>(e)) {
    if (auto loop = iterators_.find(v->name); loop != iterators_.end())
      return addTerms(loop->second, v, sign, terms, depth + 1);
    if (namesProduct(*v)) return addTerms(locals_.find(v->name)->second.init, sign, terms, depth + 1);
  }
  terms.push_back({e, sign});
  return true;
}

/// Of a loop from a multiple of an extent to at most the next one: the multiple, and how far the iterator is from it.
bool Affine::addTerms(unsigned number, const VarRef *iterator, int sign, std::vector<Term> &terms, unsigned depth) {
  const Loop &loop = nest_.loops[number];
  const Expr *begin = as<Declare>(loop.node->init)->init;
  const auto *cond = dyn<Binary>(loop.node->cond);
  std::vector<Term> first;
  const bool counts = loop.begin && loop.step > 0 && cond && cond->op == BinaryOp::Lt;
  if (counts && hasProduct(begin) && addTerms(begin, 1, first, depth) && first.size() == 1) {
    const Binary *product = productOf(first[0].expr);
    const auto *compared = dyn<VarRef>(withoutWidening(cond->lhs));
    std::vector<const Expr *> ends;
    if (product && compared && compared->name == loop.variable) endsOf(cond->rhs, ends);
    for (const Expr *extent : product ? std::vector{product->rhs, product->lhs} : std::vector<const Expr *>{}) {
      if (!isExtent(extent)) continue;
      const Expr *block = extent == product->rhs ? product->lhs : product->rhs;
      const bool below =
          std::any_of(ends.begin(), ends.end(), [&](const Expr *end) { return isNextMultiple(end, block, extent); });
      if (!below) continue;
      terms.push_back({first[0].expr, sign});
      terms.push_back({iterator, sign, parameter(loop.id).sub(*loop.begin), textOf(extent)});
      return true;
    }
  }
  terms.push_back({iterator, sign});
  return true;
}

/// (block + 1) * extent, or block * extent + extent.
bool Affine::isNextMultiple(const Expr *end, const Expr *block, const Expr *extent) {
  const auto *n = dyn<Binary>(end);
  if (!n) return false;
  auto alike = [&](const Expr *e, const Expr *as) { return textOf(e) == textOf(as); };
  if (n->op == BinaryOp::Add)
    for (const auto &[first, second] : {std::pair(n->lhs, n->rhs), std::pair(n->rhs, n->lhs)}) {
      const Binary *product = productOf(withoutWidening(first));
      if (!product || !alike(second, extent)) continue;
      if ((alike(product->lhs, block) && alike(product->rhs, extent)) ||
          (alike(product->rhs, block) && alike(product->lhs, extent)))
        return true;
    }
  if (n->op != BinaryOp::Mul) return false;
  for (const auto &[next, by] : {std::pair(n->lhs, n->rhs), std::pair(n->rhs, n->lhs)}) {
    const auto *sum = dyn<Binary>(withoutWidening(next));
    if (!alike(by, extent) || !sum || sum->op != BinaryOp::Add) continue;
    for (const auto &[first, one] : {std::pair(sum->lhs, sum->rhs), std::pair(sum->rhs, sum->lhs)})
      if (alike(first, block) && literal(withoutCasts(one)) == Int{1}) return true;
  }
  return false;
}

const Expr *Affine::timesExtent(const Expr *term, const Expr *extent) const {
  const std::string text = textOf(extent);
  term = withoutWidening(term);
  if (const auto *n = dyn<Binary>(term); n && n->op == BinaryOp::Mul) {
    if (textOf(n->rhs) == text) return n->lhs;
    if (textOf(n->lhs) == text) return n->rhs;
  }
  return !literal(withoutCasts(extent)) && textOf(term) == text ? Build(nest_.arena, term->range).integer(term->type, 1)
                                                                : nullptr;
}

const Expr *Affine::sumOf(const std::vector<Term> &terms, const Type &type) const {
  const Build b(nest_.arena, nest_.codelet->range);
  const Expr *sum = nullptr;
  for (const int sign : {1, -1})
    for (const Term &t : terms) {
      if (t.value) return nullptr;
      if (t.sign != sign) continue;
      const Expr *e = b.cast(type, t.expr);
      if (sign < 0)
        sum = b.sub(sum ? sum : b.integer(type, 0), e);
      else
        sum = sum ? b.add(sum, e) : e;
    }
  return sum ? sum : b.integer(type, 0);
}

std::optional<Delinearized> Affine::delinearized(const std::vector<Term> &terms, const Type &type, unsigned depth) {
  if (depth >= kMostExtents) return std::nullopt;
  const auto product = [](const Term &t) -> const Binary * {
    if (t.value) return nullptr;
    const Binary *of = productOf(t.expr);
    return of ? of : multipleOf(t.expr);
  };
  const Expr *extent = nullptr;
  for (const Term &t : terms) {
    const Binary *of = product(t);
    if (!of) continue;
    for (const Expr *factor : {of->rhs, of->lhs})
      if (!extent && (isExtent(factor) || literal(withoutCasts(factor)).value_or(0) > 0)) extent = factor;
    if (!extent) return std::nullopt;
  }
  isl::pw_aff inner = constant("0");
  if (!extent) {
    for (const Term &t : terms) {
      const std::optional<isl::pw_aff> v = t.value ? t.value : value(t.expr);
      if (!v) return std::nullopt;
      inner = t.sign > 0 ? inner.add(*v) : inner.sub(*v);
    }
    return Delinearized{{}, {inner}, {}, {{}, {sumOf(terms, type)}}};
  }
  const std::string text = textOf(extent);
  std::vector<Term> outer, rest;
  bool wraps = false; // may, in its type
  for (const Term &t : terms) {
    const Expr *times = t.value ? nullptr : timesExtent(t.expr, extent);
    if (!times) {
      if (product(t)) return std::nullopt;
      rest.push_back(t);
      continue;
    }
    wraps |= product(t) && !t.expr->type.isSigned() && t.expr->type.bytes() < 8;
    if (!addTerms(times, t.sign, outer, depth)) return std::nullopt;
  }
  for (const Term &t : rest) {
    const std::optional<isl::pw_aff> v = t.value ? t.value : value(t.expr);
    if (!v) return std::nullopt;
    inner = t.sign > 0 ? inner.add(*v) : inner.sub(*v);
  }
  const bool known = rest.size() == 1 && rest[0].sign > 0 && rest[0].below == text;
  const std::optional<isl::pw_aff> most = value(extent);
  if (!known) {
    if (!most || !exclude(inner.lt_set(constant("0")).unite(inner.ge_set(*most)), false)) return std::nullopt;
  }
  std::optional<Delinearized> result = delinearized(outer, type, depth + 1);
  if (!result) return std::nullopt;
  if (wraps && !excludeProduct(result->index, extent)) return std::nullopt;
  result->extents.push_back(text);
  result->sizes.push_back(most);
  result->index.push_back(inner);
  result->written.extents.push_back(extent);
  result->written.index.push_back(sumOf(rest, type));
  return result;
}

/// Sizes for which rows of so many columns, all together, have more than 2^32 elements.
bool Affine::excludeProduct(const std::vector<isl::pw_aff> &rows, const Expr *columns) {
  if (rows.size() != 1) return false;
  std::vector<unsigned> all(nest_.loops.size());
  for (unsigned i = 0; i < all.size(); ++i) all[i] = i;
  const isl::set values = nest_.without(rows[0].as_set().intersect_params(domain), all);
  if (values.is_empty()) return true;
  if (isl_set_dim_has_upper_bound(values.get(), isl_dim_set, 0) != isl_bool_true) return false;
  const isl::pw_aff last = isl::manage(isl_set_dim_max(values.copy(), 0)).coalesce();
  const std::string text = textOf(columns);
  const bool isNew = std::none_of(nest_.products.begin(), nest_.products.end(), [&](const Nest::Product &p) {
    return p.text == text && isl_pw_aff_plain_is_equal(p.rows.get(), last.get()) == isl_bool_true;
  });
  if (isNew) nest_.products.push_back({last, columns, text});
  return true;
}

std::optional<Delinearized> Affine::delinearized(const Expr *index) {
  if (!calls_.empty()) return std::nullopt;
  const auto products = nest_.products;
  auto result = transaction([&]() -> std::optional<Delinearized> {
    std::vector<Term> terms;
    if (!addTerms(index, 1, terms, 0)) return std::nullopt;
    std::optional<Delinearized> several = delinearized(terms, withoutWidening(index)->type, 0);
    return several && several->index.size() > 1 ? several : std::nullopt;
  });
  if (!result) nest_.products = products;
  return result;
}

} // namespace tangram::nest
