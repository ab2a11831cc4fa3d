#include "LinearForms.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr unsigned kDeepestKept = 8;     // scalars that stand for scalars
constexpr std::size_t kLargestTerm = 48; // in nodes
constexpr Wide kLargestFactorOfTerm = Wide{1} << 32;
constexpr Wide kLargestProduct = Wide{1} << 66;
constexpr Wide kLargestSum = Wide{1} << 100;
constexpr Wide kMostElements = Wide{1} << 56; // of a container along a dimension
constexpr Wide kMostInConditions = 32;        // of such, in a sum of 64 bits

bool isWhole(const Type &type) { return type.isInteger() && !type.isBool(); }

/// Whether products with further numbers can be computed.
bool isModerate(const LinearForm &form) {
  const auto moderate = [](Wide n) { return n < kLargestProduct && n > -kLargestProduct; };
  return moderate(form.constant) &&
         std::all_of(form.terms.begin(), form.terms.end(), [&](const auto &term) { return moderate(term.second); });
}

bool holdsAll(const Type &from, const Type &to) {
  const TypeLimits small = TypeLimits::of(from), large = TypeLimits::of(to);
  return large.least <= small.least && small.greatest <= large.greatest;
}

/// Computes a number of scalars alone, with no effect and no need of memory.
bool isOfScalars(const Expr *e) {
  return !any<Expr>(e, [](const Expr &part) {
    const auto *u = dyn<Unary>(&part);
    const auto *b = dyn<Binary>(&part);
    const bool divides = b && (b->op == BinaryOp::Div || b->op == BinaryOp::Rem);
    const bool known = isa<VarRef>(&part) || isa<IntLit>(&part) || isa<Cast>(&part) || isa<Conditional>(&part) ||
                       isa<Size>(&part) || (u && !changesOperand(u->op) && u->op != UnaryOp::AddressOf) ||
                       (b && b->op != BinaryOp::Comma && (!divides || literal(b->rhs).value_or(0) > 0));
    return !known || part.type.isFloating();
  });
}

} // namespace

Wide LinearForm::factor(const std::string &name) const {
  const auto found = terms.find(name);
  return found == terms.end() ? 0 : found->second;
}

LinearForm LinearForm::without(const std::string &name) const {
  LinearForm result = *this;
  result.terms.erase(name);
  return result;
}

LinearForm operator+(LinearForm a, const LinearForm &b) {
  for (const auto &[name, factor] : b.terms) {
    Wide &own = a.terms[name];
    own += factor;
    if (own == 0) a.terms.erase(name);
  }
  a.constant += b.constant;
  return a;
}

LinearForm operator*(LinearForm a, Wide by) {
  if (by == 0) return {};
  for (auto &[name, factor] : a.terms) factor *= by;
  a.constant *= by;
  return a;
}

TypeLimits TypeLimits::of(const Type &type) {
  const unsigned bits = 8 * type.bytes();
  if (type.isSigned()) return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
  return {0, (Wide{1} << bits) - 1};
}

LinearForms::LinearForms(const Spectrum &spectrum, const Codelet &codelet, Arena &arena) : arena_(arena) {
  const std::set<std::string> assigned = assignedVariables(codelet.body);
  for (const Param *p : codelet.params)
    if (!assigned.count(p->name)) params_.insert(p->name);
  std::map<std::string, unsigned> declared;
  walk(codelet.body, [&](const Declare &d) { ++declared[d.name]; });
  walk(codelet.body, [&](const Declare &d) {
    const bool kept = d.init && d.extents.empty() && !d.shared && !d.tunable && isWhole(d.type) &&
                      d.init->type == d.type && declared[d.name] == 1 && !assigned.count(d.name) &&
                      isOfScalars(d.init) &&
                      !any<VarRef>(d.init, [&](const VarRef &v) { return assigned.count(v.name) != 0; });
    if (kept) kept_[d.name] = d.init;
  });
  within(assigned);
  std::map<std::string, std::string> own;
  for (std::size_t i = 0; i < spectrum.params.size() && i < codelet.params.size(); ++i)
    own[spectrum.params[i]->name] = codelet.params[i]->name;
  for (const Expr *condition : spectrum.conditions) learn(as<Expr>(renameVariables(arena_, condition, own)));
  for (const Expr *condition : codelet.conditions) learn(condition);
}

void LinearForms::within(std::set<std::string> changing) {
  changing_ = std::move(changing);
  values_.clear();
  supposed_.clear();
}

void LinearForms::learn(const Expr *condition) {
  const auto *b = dyn<Binary>(condition);
  if (!b) return;
  if (b->op == BinaryOp::LogicalAnd) {
    learn(b->lhs);
    return learn(b->rhs);
  }
  if (!isComparison(b->op) || !isWhole(b->lhs->type)) return;
  const std::optional<LinearForm> left = form(b->lhs), right = form(b->rhs);
  if (!left || !right) return;
  const LinearForm above = *left - *right, below = *right - *left, one = LinearForm::of(1);
  if (b->op == BinaryOp::Gt) facts_.push_back(above - one);
  if (b->op == BinaryOp::Lt) facts_.push_back(below - one);
  if (b->op == BinaryOp::Ge || b->op == BinaryOp::Eq) facts_.push_back(above);
  if (b->op == BinaryOp::Le || b->op == BinaryOp::Eq) facts_.push_back(below);
}

const Expr *LinearForms::resolved(const Expr *e, unsigned depth) const {
  return substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
    const auto kept = kept_.find(v->name);
    return kept == kept_.end() || depth >= kDeepestKept ? v : resolved(kept->second, depth + 1);
  });
}

bool LinearForms::standsStill(const Expr *e) const {
  return isOfScalars(e) && !any<VarRef>(e, [&](const VarRef &v) { return changing_.count(v.name) != 0; });
}

bool LinearForms::isGiven(const Expr *e) const {
  return !any<VarRef>(e, [&](const VarRef &v) { return params_.count(v.name) == 0; });
}

std::optional<LinearForm> LinearForms::term(const Expr *e) {
  if (!isWhole(e->type)) return std::nullopt;
  const Expr *of = resolved(e);
  if (!standsStill(of) || nodeCount(of) > kLargestTerm) return std::nullopt;
  if (const auto *n = dyn<IntLit>(of))
    return LinearForm::of(n->type.isSigned() ? Wide{n->value} : Wide{static_cast<std::uint64_t>(n->value)});
  const std::string name = print(of);
  const bool isSize = isa<Size>(of);
  terms_[name] = {of, isGiven(of), isSize ? TypeLimits{0, kMostElements} : TypeLimits::of(of->type)};
  LinearForm result = LinearForm::term(name);
  if (const auto *b = dyn<Binary>(of); b && b->op == BinaryOp::Div && literal(b->rhs).value_or(0) > 1)
    if (const std::optional<LinearForm> whole = form(b->lhs)) { // less than the whole, where that is above 0
      const LinearForm one = LinearForm::of(1);
      if (holds(*whole) && !holds(result)) facts_.push_back(result);
      if (holds(*whole - one) && !holds(*whole - result - one)) facts_.push_back(*whole - result - one);
    }
  return result;
}

/// `form`, which is computed in this type, as it is where it does not leave the type.
std::optional<LinearForm> LinearForms::bounded(const LinearForm &form, const Type &type, const Expr *e,
                                               std::vector<LinearNeed> *needs) {
  const TypeLimits limits = TypeLimits::of(type);
  const LinearNeed above{form - LinearForm::of(limits.least), type.bytes()},
      below{LinearForm::of(limits.greatest) - form, type.bytes()};
  const bool still = standsStill(resolved(e));
  for (const LinearNeed *need : {&above, &below}) {
    if (holds(need->form)) continue;
    if (!needs || (still && !isGiven(need->form))) return term(e);
    needs->push_back(*need);
  }
  return form;
}

std::optional<LinearForm> LinearForms::form(const Expr *e, std::vector<LinearNeed> *needs) {
  if (!isWhole(e->type)) return std::nullopt;
  if (const auto *v = dyn<VarRef>(e)) {
    const auto value = values_.find(v->name);
    if (value != values_.end()) return value->second;
    const auto kept = kept_.find(v->name);
    return kept == kept_.end() ? term(e) : form(kept->second, needs);
  }
  if (const auto *c = dyn<Cast>(e); c && isWhole(c->operand->type)) {
    const bool all = holdsAll(c->operand->type, e->type) || bool(c->exact);
    if (!all && standsStill(resolved(e))) {
      const std::optional<LinearForm> operand = form(c->operand);
      const TypeLimits to = TypeLimits::of(e->type);
      const bool same =
          operand && holds(*operand - LinearForm::of(to.least)) && holds(LinearForm::of(to.greatest) - *operand);
      return same ? operand : term(e);
    }
    const std::optional<LinearForm> operand = form(c->operand, needs);
    return !operand || all ? operand : bounded(*operand, e->type, e, needs);
  }
  if (const auto *u = dyn<Unary>(e)) {
    const std::optional<LinearForm> operand = u->op == UnaryOp::Plus || (u->op == UnaryOp::Minus && e->type.isSigned())
                                                  ? form(u->operand, needs)
                                                  : std::nullopt;
    if (operand) return *operand * (u->op == UnaryOp::Plus ? 1 : -1);
  }
  const auto *b = dyn<Binary>(e);
  const bool sum = b && (b->op == BinaryOp::Add || b->op == BinaryOp::Sub);
  if (sum || (b && b->op == BinaryOp::Mul)) {
    const std::optional<LinearForm> left = form(b->lhs, needs), right = left ? form(b->rhs, needs) : std::nullopt;
    std::optional<LinearForm> result;
    if (right && sum) result = b->op == BinaryOp::Add ? *left + *right : *left - *right;
    if (right && !sum && (left->value() || right->value())) {
      const Wide by = left->value() ? *left->value() : *right->value();
      if (by < kLargestFactorOfTerm && by > -kLargestFactorOfTerm) result = (left->value() ? *right : *left) * by;
    }
    if (result && !isModerate(*result)) return term(e);
    // Signed integers do not overflow.
    if (result && e->type.isSigned() && e->type.bytes() >= 4) return result;
    if (result) return bounded(*result, e->type, e, needs);
  }
  return term(e);
}

const Expr *LinearForms::single(const LinearForm &form) const {
  const bool one = form.terms.size() == 1 && form.constant == 0 && form.terms.begin()->second == 1;
  return one ? terms_.at(form.terms.begin()->first).expr : nullptr;
}

bool LinearForms::hasUnsigned64(const LinearForm &form) const {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [&](const auto &term) { return terms_.at(term.first).expr->type == Type(Scalar::U64); });
}

const Expr *LinearForms::expression(const LinearForm &form, const Type &type) const {
  const Build build(arena_);
  const Expr *result = nullptr;
  for (const bool positive : {true, false})
    for (const auto &[name, factor] : form.terms) {
      if ((factor > 0) != positive) continue;
      const Expr *term = build.cast(type, terms_.at(name).expr);
      term = build.mul(term, build.integer(type, static_cast<Int>(positive ? factor : -factor)));
      if (!result)
        result = positive ? term : build.sub(build.integer(type, 0), term);
      else
        result = positive ? build.add(result, term) : build.sub(result, term);
    }
  const Expr *constant = build.integer(type, static_cast<Int>(form.constant));
  if (!result) return constant;
  if (form.constant < 0) return build.sub(result, build.integer(type, static_cast<Int>(-form.constant)));
  return build.add(result, constant);
}

std::optional<TypeLimits> LinearForms::limits(const LinearForm &form) const {
  TypeLimits result{form.constant, form.constant};
  for (const auto &[name, factor] : form.terms) {
    const auto found = terms_.find(name);
    if (found == terms_.end() || factor > kLargestFactorOfTerm || factor < -kLargestFactorOfTerm) return std::nullopt;
    const TypeLimits &of = found->second.limits;
    result.least += factor * (factor > 0 ? of.least : of.greatest);
    result.greatest += factor * (factor > 0 ? of.greatest : of.least);
    if (result.least < -kLargestSum || result.greatest > kLargestSum) return std::nullopt;
  }
  return result;
}

bool LinearForms::holds(const LinearForm &form) const {
  const auto certain = [&](const LinearForm &f) {
    const std::optional<TypeLimits> all = limits(f);
    return all && all->least >= 0;
  };
  if (certain(form)) return true;
  std::vector<LinearForm> known = facts_;
  known.insert(known.end(), supposed_.begin(), supposed_.end());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (certain(form - known[i])) return true;
    for (std::size_t j = 0; j < i; ++j)
      if (certain(form - known[i] - known[j])) return true;
  }
  return false;
}

std::vector<const Expr *> LinearForms::conditions() const {
  std::vector<const Expr *> result;
  for (const Condition &c : conditions_)
    if (c.form.terms.size() > 1 || std::none_of(conditions_.begin(), conditions_.end(), [&](const Condition &other) {
          return other.form.terms == c.form.terms && other.form.constant < c.form.constant;
        }))
      result.push_back(c.expr);
  return result;
}

bool LinearForms::standsStill(const LinearForm &form) const {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto &term) { return standsStill(terms_.at(term.first).expr); });
}

bool LinearForms::isGiven(const LinearForm &form) const {
  return std::all_of(form.terms.begin(), form.terms.end(), [&](const auto &term) {
    const auto found = terms_.find(term.first);
    return found != terms_.end() && found->second.given;
  });
}

bool LinearForms::requireSmall(const LinearForm &form) {
  return std::all_of(form.terms.begin(), form.terms.end(), [&](const auto &term) {
    const LinearForm most = LinearForm::of(kMostElements), own = LinearForm::term(term.first);
    return require(most - own) && require(own + most);
  });
}

bool LinearForms::require(const LinearForm &form) {
  if (holds(form)) return true;
  if (form.terms.empty() || !isGiven(form)) return false;
  const Build build(arena_);
  const auto &[name, factor] = *form.terms.begin();
  if (form.terms.size() == 1 && (factor == 1 || factor == -1)) {
    const Expr *of = terms_.at(name).expr;
    const TypeLimits limits = TypeLimits::of(of->type);
    const Wide bound = factor == 1 ? -form.constant : form.constant;
    if (bound < limits.least || bound > limits.greatest) return false;
    const auto number = [&](Wide n) {
      return build.integer(of->type, static_cast<Int>(static_cast<std::uint64_t>(n)));
    };
    const Expr *condition = factor == -1 ? build.binary(BinaryOp::Le, of, number(bound))
                            : bound == 1 ? build.binary(BinaryOp::Gt, of, number(0))
                                         : build.binary(BinaryOp::Ge, of, number(bound));
    conditions_.push_back({form, condition});
    facts_.push_back(form);
    return true;
  }
  Wide factors = 0;
  LinearForm left, right; // of a comparison
  for (const auto &[term, by] : form.terms) {
    factors += by > 0 ? by : -by;
    (by > 0 ? left : right).terms[term] = by > 0 ? by : -by;
  }
  (form.constant > 0 ? left : right).constant = form.constant > 0 ? form.constant : -form.constant;
  if (factors > kMostInConditions || left.constant > kMostElements || right.constant > kMostElements) return false;
  if (!requireSmall(left) || !requireSmall(right)) return false;
  const Type wide = Scalar::I64;
  const bool most = left.terms.empty();
  conditions_.push_back({form, build.binary(most ? BinaryOp::Le : BinaryOp::Ge, expression(most ? right : left, wide),
                                            expression(most ? left : right, wide))});
  facts_.push_back(form);
  return true;
}

} // namespace tangram::nest
