#include "Affine.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"

#include <algorithm>
#include <fmt/format.h>

#include <isl/set.h>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr unsigned kDeepest = 200;      // of an expression that is looked into
constexpr Int kLargestFactor = 1 << 16; // beyond it integers of 32 bits are there to wrap around, as in hashes
constexpr int kMostPieces = 16;
constexpr unsigned kMostTimes = 3; // remainders of what lies below so many divisors: x - 1 + n, x + 1 + n
const std::string kCommonSize = "64";
const std::string kLargestExtent = "72057594037927936"; // 2^56

bool isInteger(const Type &t) { return t.isInteger() && !t.isBool(); }

bool fits(const Type &from, const Type &to) {
  if (from.isSigned() && !to.isSigned()) return false;
  return from.isSigned() == to.isSigned() ? from.bytes() <= to.bytes() : from.bytes() < to.bytes();
}

} // namespace

Affine::Affine(Nest &nest, const Codelet &codelet, const Module &module)
    : domain(nest.context), nest_(nest), module_(module), ranges_(nest.context) {
  assigned_ = assignedVariables(codelet.body);
  std::set<std::string> written;
  auto writes = [&](const Expr *place) {
    if (const VarRef *root = rootVariable(place)) written.insert(root->name);
  };
  walk(
      codelet.body, [&](const Assign &a) { writes(a.target); }, [&](const Atomic &a) { writes(a.target); },
      [&](const Unary &u) {
        if (u.op != UnaryOp::Plus && u.op != UnaryOp::Minus && u.op != UnaryOp::Not && u.op != UnaryOp::BitNot)
          writes(u.operand);
      });
  for (const Param *p : codelet.params) {
    if (p->type.isArray() ? p->access == ast::Access::In && !written.count(p->name) : !assigned_.count(p->name))
      (p->type.isArray() ? readOnly_ : scalars_).insert(p->name);
  }
}

std::pair<std::string, std::string> Affine::limits(const Type &type) {
  static const char *const signedLimits[][2] = {{"-128", "127"},
                                                {"-32768", "32767"},
                                                {"-2147483648", "2147483647"},
                                                {"-9223372036854775808", "9223372036854775807"}};
  static const char *const unsignedHighest[] = {"255", "65535", "4294967295", "18446744073709551615"};
  unsigned at = type.bytes() == 1 ? 0 : type.bytes() == 2 ? 1 : type.bytes() == 4 ? 2 : 3;
  if (type.isSigned()) return {signedLimits[at][0], signedLimits[at][1]};
  return {"0", unsignedHighest[at]};
}

isl::pw_aff Affine::constant(const std::string &number) const {
  isl::ctx ctx = nest_.isl.get();
  return isl::set::universe(isl::space::unit(ctx)).pw_aff_on_domain(isl::val(ctx, number));
}

isl::pw_aff Affine::parameter(const std::string &id) const {
  isl::ctx ctx = nest_.isl.get();
  return isl::set::universe(isl::space::unit(ctx)).param_pw_aff_on_domain(isl::id(ctx, id));
}

isl::set Affine::within(const std::string &id, const Type &type) const {
  auto [lo, hi] = limits(type);
  isl::pw_aff p = parameter(id);
  return p.ge_set(constant(lo)).intersect(p.le_set(constant(hi)));
}

bool Affine::exclude(const isl::set &bad, bool undefined) {
  isl::set within = bad.intersect(domain).intersect(nest_.assumed);
  if (within.is_empty()) return true;
  std::vector<unsigned> all(nest_.loops.size());
  for (unsigned i = 0; i < all.size(); ++i) all[i] = i;
  isl::set excluded = nest_.without(within, all);
  isl::set left = nest_.assumed.subtract(excluded).coalesce();
  // Where next to nothing is left, it is there to wrap around, or cannot be followed.
  isl::set common = left;
  for (const Parameter &p : nest_.parameters)
    if (p.loops.empty()) common = common.intersect(parameter(p.id).ge_set(constant(kCommonSize)));
  if (common.is_empty()) return false;
  nest_.assumed = left;
  if (undefined) nest_.context = nest_.context.subtract(excluded).coalesce();
  return true;
}

std::optional<isl::pw_aff> Affine::observed(const Integer &v, const Type &type) {
  if (v.exact) return v.value;
  auto [lo, hi] = limits(type);
  isl::set bad = v.value.lt_set(constant(lo)).unite(v.value.gt_set(constant(hi)));
  if (!exclude(bad, false)) return std::nullopt;
  return v.value;
}

std::optional<isl::pw_aff> Affine::observedValue(const Expr *e) {
  std::optional<Integer> v = integer(e);
  if (!v) return std::nullopt;
  return observed(*v, e->type);
}

std::optional<isl::pw_aff> Affine::value(const Expr *e) {
  return transaction([&] { return observedValue(e); });
}

std::optional<isl::pw_aff> Affine::index(const Expr *e) {
  return transaction([&]() -> std::optional<isl::pw_aff> {
    std::optional<Integer> v = integer(e);
    if (!v || v->exact) return v ? std::optional(v->value) : std::nullopt;
    if (e->type.bytes() < 8) return observed(*v, e->type);
    return v->value; // what wraps around there is no index
  });
}

void Affine::choices(const Expr *index, Leaves &leaves) { this->leaves(index, false, leaves); }

void Affine::leaves(const Expr *e, bool chosen, Leaves &all) {
  if (const auto *c = dyn<Cast>(e); c && widens(*c)) return leaves(c->operand, chosen, all);
  if (const auto *c = dyn<Conditional>(e)) {
    for (const Expr *part : {c->cond, c->then, c->otherwise}) leaves(part, true, all);
    return;
  }
  if (const auto *c = dyn<Call>(e); c && functionOfExpression(module_, *c)) {
    for (const Expr *argument : c->args) leaves(argument, true, all);
    return;
  }
  if (const auto *b = dyn<Binary>(e); b && e->type.isBool()) {
    leaves(b->lhs, true, all);
    return leaves(b->rhs, true, all);
  }
  if (!chosen || !isInteger(e->type)) return;
  std::optional<isl::pw_aff> value = transaction([&]() -> std::optional<isl::pw_aff> {
    isl::set before = nest_.assumed;
    std::optional<isl::pw_aff> v = index(e);
    return v && before.intersect(ranges_).is_subset(nest_.assumed) ? v : std::nullopt;
  });
  if (value) all.emplace_back(e, *value);
}

std::optional<isl::set> Affine::condition(const Expr *e) {
  return transaction([&] { return holds(e); });
}

std::optional<isl::set> Affine::conditionAsIs(const Expr *e) {
  return transaction([&]() -> std::optional<isl::set> {
    const isl::set before = nest_.assumed;
    std::optional<isl::set> known = holds(e);
    if (!known || !before.intersect(ranges_).is_subset(nest_.assumed)) return std::nullopt;
    return nest_.followsData(*known, nest_.allLoops()) ? std::nullopt : known;
  });
}

std::optional<isl::set> Affine::comparison(const Binary &e) {
  if (!isInteger(e.lhs->type)) return std::nullopt;
  std::optional<isl::pw_aff> a = observedValue(e.lhs), b = a ? observedValue(e.rhs) : std::nullopt;
  if (!b) return std::nullopt;
  switch (e.op) {
  case BinaryOp::Eq: return a->eq_set(*b).coalesce();
  case BinaryOp::Ne: return a->ne_set(*b).coalesce();
  case BinaryOp::Lt: return a->lt_set(*b).coalesce();
  case BinaryOp::Le: return a->le_set(*b).coalesce();
  case BinaryOp::Gt: return a->gt_set(*b).coalesce();
  case BinaryOp::Ge: return a->ge_set(*b).coalesce();
  default: return std::nullopt;
  }
}

std::optional<isl::set> Affine::holds(const Expr *e) {
  if (depth_ > kDeepest) return std::nullopt;
  if (std::optional<Int> n = literal(e); n && e->type.isBool()) {
    isl::set all = isl::set::universe(isl::space::unit(nest_.isl.get()));
    return *n ? all : all.subtract(all);
  }
  if (const auto *u = dyn<Unary>(e); u && u->op == UnaryOp::Not) {
    std::optional<isl::set> s = holds(u->operand);
    return s ? std::optional(s->complement()) : std::nullopt;
  }
  if (const auto *c = dyn<Cast>(e); c && c->type.isBool() && isInteger(c->operand->type)) {
    std::optional<isl::pw_aff> v = observedValue(c->operand);
    return v ? std::optional(v->ne_set(constant("0"))) : std::nullopt;
  }
  const auto *b = dyn<Binary>(e);
  if (!b) return std::nullopt;
  if (b->op != BinaryOp::LogicalAnd && b->op != BinaryOp::LogicalOr) return comparison(*b);
  std::optional<isl::set> lhs = holds(b->lhs);
  if (!lhs) return std::nullopt;
  bool both = b->op == BinaryOp::LogicalAnd;
  isl::set outer = domain;
  domain = domain.intersect(both ? *lhs : lhs->complement()); // else the right side is not evaluated
  std::optional<isl::set> rhs = holds(b->rhs);
  domain = outer;
  if (!rhs) return std::nullopt;
  return (both ? lhs->intersect(*rhs) : lhs->unite(*rhs)).coalesce();
}

std::optional<Affine::Integer> Affine::cast(const Cast &e) {
  const Type &from = e.operand->type;
  if (!isInteger(from)) return std::nullopt;
  std::optional<Integer> v = integer(e.operand);
  if (!v) return std::nullopt;
  if (v->exact) return Integer{v->value, bool(e.exact) || fits(from, e.type)};
  if (e.type.bytes() <= from.bytes()) return Integer{v->value, false};
  std::optional<isl::pw_aff> exact = observed(*v, from); // widened from what it is
  if (!exact) return std::nullopt;
  return Integer{*exact, fits(from, e.type)};
}

std::optional<Affine::Integer> Affine::remainder(const isl::pw_aff &x, const isl::pw_aff &n, unsigned &times) const {
  const isl::set where = domain.intersect(nest_.context).intersect(nest_.assumed);
  if (!where.is_subset(x.ge_set(constant("0")))) return std::nullopt;
  unsigned most = 1;
  while (most <= kMostTimes && !where.is_subset(x.lt_set(n.scale(static_cast<long>(most))))) ++most;
  if (most > kMostTimes) return std::nullopt;
  isl::pw_aff result = x;
  for (unsigned t = 1; t < most; ++t) {
    const isl::pw_aff all = n.scale(static_cast<long>(t));
    result = x.ge_set(all).indicator_function().cond(x.sub(all), result).coalesce();
  }
  if (result.n_piece() > kMostPieces) return std::nullopt;
  times = most;
  return Integer{result, true};
}

std::optional<Affine::Integer> Affine::binary(const Binary &e) {
  unsigned times = 0;
  if (e.op != BinaryOp::Rem) return arithmetic(e, times);
  // Not known in one place is known in none.
  const auto [entry, fresh] = nest_.remainders.emplace(&e, 0);
  const unsigned before = std::exchange(entry->second, 0);
  std::optional<Integer> result = arithmetic(e, times);
  if (fresh || before > 0) entry->second = times > 0 ? std::max(before, times) : 0;
  return result;
}

std::optional<Affine::Integer> Affine::arithmetic(const Binary &e, unsigned &times) {
  bool sum = e.op == BinaryOp::Add || e.op == BinaryOp::Sub, product = e.op == BinaryOp::Mul;
  bool left = e.op == BinaryOp::Shl, down = e.op == BinaryOp::Div || e.op == BinaryOp::Rem || e.op == BinaryOp::Shr;
  if (!sum && !product && !left && !down) return std::nullopt;
  std::optional<Integer> a = integer(e.lhs), b = a ? integer(e.rhs) : std::nullopt;
  if (!b) return std::nullopt;
  // Signed integers do not overflow, so that their values are what they look like.
  auto combined = [&](const isl::pw_aff &value) -> std::optional<Integer> {
    if (value.n_piece() > kMostPieces) return std::nullopt;
    return Integer{value.coalesce(), e.type.isSigned()};
  };
  auto exactly = [&](Integer &v, const Type &type) {
    std::optional<isl::pw_aff> exact = observed(v, type);
    if (exact) v = {*exact, true};
    return exact.has_value();
  };
  if ((e.type.isSigned() || down) && (!exactly(*a, e.lhs->type) || !exactly(*b, e.rhs->type))) return std::nullopt;
  if (sum) return combined(e.op == BinaryOp::Add ? a->value.add(b->value) : a->value.sub(b->value));

  auto number = [](const isl::pw_aff &v) -> std::optional<Int> {
    if (!v.isa_aff() || !v.as_aff().is_cst()) return std::nullopt;
    isl::val n = v.as_aff().constant_val();
    if (!n.is_int() || n.abs().gt(kLargestFactor)) return std::nullopt;
    return n.num_si();
  };
  std::optional<Int> n = number(b->value);
  if (product && !n) {
    std::swap(a, b);
    n = number(b->value);
  }
  if (!n) return e.op == BinaryOp::Rem ? remainder(a->value, b->value, times) : std::nullopt;
  switch (e.op) {
  case BinaryOp::Mul: return combined(a->value.scale(*n));
  case BinaryOp::Shl:
    // Of a number, also to the bits of a mask.
    return *n >= 0 && *n < (number(a->value) ? 8 * static_cast<Int>(e.type.bytes()) - 2 : 16)
               ? combined(a->value.scale(Int{1} << *n))
               : std::nullopt;
  case BinaryOp::Shr:
    if (*n < 0 || *n >= 16) return std::nullopt;
    return Integer{a->value.scale_down(Int{1} << *n).floor(), true};
  case BinaryOp::Div:
  case BinaryOp::Rem: {
    if (*n <= 0) return std::nullopt;
    isl::pw_aff divisor = constant(std::to_string(*n));
    if (!e.type.isSigned()) {
      isl::pw_aff quotient = a->value.scale_down(*n).floor();
      return Integer{e.op == BinaryOp::Div ? quotient : a->value.sub(quotient.scale(*n)), true};
    }
    return Integer{e.op == BinaryOp::Div ? a->value.tdiv_q(divisor) : a->value.tdiv_r(divisor), true};
  }
  default: return std::nullopt;
  }
}

std::optional<Affine::Integer> Affine::extreme(const Conditional &e) {
  const auto *cond = dyn<Binary>(e.cond);
  if (!cond || cond->op != BinaryOp::Lt || !isInteger(e.type)) return std::nullopt;
  const bool least = equal(cond->lhs, e.then) && equal(cond->rhs, e.otherwise);
  if (!least && !(equal(cond->lhs, e.otherwise) && equal(cond->rhs, e.then))) return std::nullopt;
  const std::optional<isl::pw_aff> a = observedValue(e.then), b = a ? observedValue(e.otherwise) : std::nullopt;
  if (!b) return std::nullopt;
  const isl::pw_aff chosen = (least ? a->min(*b) : a->max(*b)).coalesce();
  if (chosen.n_piece() > kMostPieces) return std::nullopt;
  return Integer{chosen, true};
}

std::optional<Affine::Integer> Affine::choice(const Conditional &e) {
  if (std::optional<Integer> result = extreme(e)) return result;
  std::optional<isl::set> cond = holds(e.cond);
  if (!cond) return std::nullopt;
  isl::set outer = domain;
  domain = outer.intersect(*cond);
  std::optional<isl::pw_aff> then = observedValue(e.then);
  domain = outer.subtract(*cond);
  std::optional<isl::pw_aff> otherwise = then ? observedValue(e.otherwise) : std::nullopt;
  domain = outer;
  if (!otherwise) return std::nullopt;
  isl::pw_aff chosen = cond->indicator_function().cond(*then, *otherwise).coalesce();
  if (chosen.n_piece() > kMostPieces) return std::nullopt;
  return Integer{chosen, true};
}

std::optional<Affine::Integer> Affine::call(const Call &e) {
  const Function *function = functionOfExpression(module_, e);
  if (!function) return std::nullopt;
  std::map<std::string, Integer> given; // a parameter that is not affine may not be needed
  for (std::size_t i = 0; i < e.args.size(); ++i)
    if (std::optional<Integer> v = integer(e.args[i])) given.emplace(function->params[i]->name, *v);
  calls_.push_back(std::move(given));
  std::optional<Integer> result = integer(resultOf(*function));
  calls_.pop_back();
  return result;
}

std::optional<Affine::Integer> Affine::integer(const Expr *e) {
  if (!isInteger(e->type) || depth_ > kDeepest) return std::nullopt;
  struct Deeper {
    unsigned &depth;
    explicit Deeper(unsigned &d) : depth(++d) {}
    ~Deeper() { --depth; }
  } deeper(depth_);
  if (const auto *n = dyn<IntLit>(e)) {
    bool high = !e->type.isSigned() && n->value < 0; // the bit pattern of an u64
    return Integer{constant(high ? std::to_string(static_cast<std::uint64_t>(n->value)) : std::to_string(n->value)),
                   true};
  }
  if (const auto *v = dyn<VarRef>(e)) {
    if (!calls_.empty()) {
      auto it = calls_.back().find(v->name);
      return it == calls_.back().end() ? std::nullopt : std::optional(it->second);
    }
    if (auto it = iterators_.find(v->name); it != iterators_.end())
      return Integer{parameter(nest_.loops[it->second].id), true};
    if (auto it = locals_.find(v->name); it != locals_.end() && it->second.value) return it->second.value;
    return fixed(e);
  }
  if (isa<Size>(e)) return fixed(e);
  const isl::set context = nest_.context, assumed = nest_.assumed, outer = domain;
  std::optional<Integer> result;
  if (const auto *c = dyn<Cast>(e)) {
    result = cast(*c);
  } else if (const auto *u = dyn<Unary>(e); u && (u->op == UnaryOp::Minus || u->op == UnaryOp::Plus)) {
    std::optional<Integer> v = integer(u->operand);
    if (v && e->type.isSigned() && !v->exact) {
      std::optional<isl::pw_aff> exact = observed(*v, e->type);
      v = exact ? std::optional(Integer{*exact, true}) : std::nullopt;
    }
    if (v) result = u->op == UnaryOp::Plus ? *v : Integer{v->value.neg(), e->type.isSigned()};
  } else if (const auto *b = dyn<Binary>(e)) {
    result = binary(*b);
  } else if (const auto *c = dyn<Conditional>(e)) {
    result = choice(*c);
  } else if (const auto *c = dyn<Call>(e)) {
    result = call(*c);
  }
  if (result) return result;
  // As a number of its own it asks nothing of what it is made of, but what parameters that were made meanwhile are.
  nest_.context = context.intersect(ranges_);
  nest_.assumed = assumed.intersect(ranges_);
  domain = outer.intersect(ranges_);
  return fixed(e);
}

bool Affine::standsStill(const Expr *e, std::set<unsigned> &loops) const {
  if (hasEffects(e)) return false;
  return !any<Expr>(e, [&](const Expr &n) {
    switch (exprKind(n)) {
    case ExprKind::VarRef: {
      const std::string &name = as<VarRef>(&n)->name;
      if (auto it = iterators_.find(name); it != iterators_.end()) {
        loops.insert(it->second);
      } else if (auto local = locals_.find(name); local != locals_.end() && !n.type.isArray()) {
        loops.insert(local->second.loops.begin(), local->second.loops.end());
      } else {
        return !scalars_.count(name) && !readOnly_.count(name);
      }
      return false;
    }
    case ExprKind::Call: return !isMathFunction(as<Call>(&n)->callee);
    case ExprKind::IntLit:
    case ExprKind::FloatLit:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Conditional:
    case ExprKind::Cast:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::Size: return false;
    case ExprKind::Assign:
    case ExprKind::InitList:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_DEVICE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    return true;
  });
}

std::string Affine::idOf(const Expr *e, std::vector<unsigned> loops) {
  std::string key = print(e);
  auto [it, fresh] = ids_.try_emplace(key);
  if (!fresh) return it->second;
  // A name that is nobody else's: isl takes what follows an identifier for no part of it.
  std::string id = fmt::format("p{}_", nest_.parameters.size());
  it->second = id;
  nest_.parameters.push_back({id, spelled(e), e, std::move(loops), {}});
  isl::set range = within(id, e->type);
  if (isa<Size>(e)) range = range.intersect(parameter(id).le_set(constant(kLargestExtent)));
  ranges_ = ranges_.intersect(range);
  nest_.context = nest_.context.intersect(range);
  nest_.assumed = nest_.assumed.intersect(range);
  domain = domain.intersect(range);
  return id;
}

std::optional<Affine::Integer> Affine::fixed(const Expr *e) {
  if (!calls_.empty()) return std::nullopt; // names are the function's own
  std::set<unsigned> loops;
  if (const auto *size = dyn<Size>(e)) {
    // Containers have the same size all along; temporary ones that of their declaration.
    const VarRef *container = dyn<VarRef>(size->container);
    if (!container) return std::nullopt;
    if (auto local = locals_.find(container->name); local != locals_.end())
      loops.insert(local->second.loops.begin(), local->second.loops.end());
    else if (std::none_of(nest_.codelet->params.begin(), nest_.codelet->params.end(),
                          [&](const Param *p) { return p->name == container->name; }))
      return std::nullopt;
    if (size->dim && !literal(size->dim)) return std::nullopt;
  } else if (!standsStill(e, loops)) {
    return std::nullopt;
  }
  const std::size_t before = nest_.parameters.size();
  const std::string id = idOf(e, {loops.begin(), loops.end()});
  strides(e, id);
  if (nest_.parameters.size() > before) quotients(e, id);
  return Integer{parameter(id), true};
}

/// x / y of signed integers: no further from 0 than x may be.
void Affine::quotients(const Expr *e, const std::string &id) {
  const auto *quotient = dyn<Binary>(e);
  if (!quotient || quotient->op != BinaryOp::Div || !e->type.isSigned()) return;
  const std::optional<isl::pw_aff> x = value(quotient->lhs);
  if (!x) return;
  const isl::pw_aff within = x->max(x->neg()).intersect_domain(nest_.context);
  const isl::val most = within.max_val();
  if (!most.is_int()) return;
  const isl::pw_aff q = parameter(id),
                    furthest = isl::set::universe(isl::space::unit(nest_.isl.get())).pw_aff_on_domain(most);
  know(q.ge_set(furthest.neg()).intersect(q.le_set(furthest)));
}

/// Of parameters, wherever they are.
void Affine::know(const isl::set &holds) {
  for (isl::set *of : {&ranges_, &nest_.context, &nest_.assumed, &domain}) *of = of->intersect(holds);
}

/// turn * step, of signed integers, which do not wrap around.
void Affine::strides(const Expr *e, const std::string &id) {
  const auto *product = dyn<Binary>(e);
  Parameter &own =
      *std::find_if(nest_.parameters.begin(), nest_.parameters.end(), [&](const Parameter &p) { return p.id == id; });
  if (!product || product->op != BinaryOp::Mul || !e->type.isSigned() || own.stride) return;
  for (const auto &[counts, by] : {std::pair{product->lhs, product->rhs}, std::pair{product->rhs, product->lhs}}) {
    const auto *counter = dyn<VarRef>(counts);
    const auto loop = counter ? iterators_.find(counter->name) : iterators_.end();
    std::set<unsigned> others;
    if (loop == iterators_.end() || nest_.loops[loop->second].step < 1 || !standsStill(by, others) ||
        others.count(loop->second))
      continue;
    const std::optional<isl::pw_aff> step = value(by);
    if (!step) return;
    own.stride = Parameter::Stride{loop->second, *step};
    const isl::pw_aff zero = constant("0");
    const Loop &l = nest_.loops[loop->second];
    const isl::set positive = parameter(l.id).ge_set(zero).intersect(step->ge_set(zero));
    if (l.values.intersect(nest_.context).is_subset(positive)) know(parameter(id).ge_set(zero));
    return;
  }
}

void Affine::enter(unsigned loop) { iterators_[nest_.loops[loop].variable] = loop; }
void Affine::leave(unsigned loop) { iterators_.erase(nest_.loops[loop].variable); }

/// Of data that is clamped, a number of its own within the same range: nothing is known of data that its pieces could
/// be compared with, and they multiply with those of each bound that has it.
isl::pw_aff Affine::withoutPieces(const Expr *e, const isl::pw_aff &value) {
  if (value.n_piece() < 2) return value;
  const isl::ctx ctx = nest_.isl.get();
  std::set<unsigned> loops;
  bool data = false;
  std::vector<std::string> changing; // of what the value is made of
  for (const Parameter &p : nest_.parameters) {
    if (p.loops.empty() || !value.involves_param(isl::id(ctx, p.id))) continue;
    // Numbers that are loaded, or rounded; what counts by steps is bounded together with these.
    data |= !p.stride && any<Expr>(p.expr, [](const Expr &e) { return isa<Subscript>(&e) || e.type.isFloating(); });
    loops.insert(p.loops.begin(), p.loops.end());
    changing.push_back(p.id);
  }
  if (!data) return value;
  for (unsigned l = 0; l < nest_.loops.size(); ++l) {
    if (!value.involves_param(isl::id(ctx, nest_.loops[l].id))) continue;
    loops.insert(l);
    changing.push_back(nest_.loops[l].id);
  }
  isl::set values = value.as_set().intersect_params(nest_.context);
  for (const std::string &id : changing) values = values.project_out_param(isl::id(ctx, id));
  if (values.is_empty()) return value;
  const isl::set range = isl::manage(isl_set_simple_hull(values.release())).to_set();
  const std::string id = idOf(e, {loops.begin(), loops.end()});
  know(range.bind(isl::space::unit(ctx).add_unnamed_tuple(1).multi_id(isl::id(ctx, id).to_list())));
  return parameter(id);
}

void Affine::declare(const Declare &d, const std::vector<unsigned> &loops) {
  if (assigned_.count(d.name) || d.tunable) {
    if (d.tunable && !assigned_.count(d.name)) locals_[d.name] = {};
    return;
  }
  if (!d.extents.empty() && !d.type.isArray()) return; // a local array: its elements change
  Local local{std::nullopt, loops, nullptr};
  if (d.init && isInteger(d.type)) local.init = d.init;
  if (local.init)
    if (std::optional<isl::pw_aff> v = value(d.init)) local.value = Integer{withoutPieces(d.init, *v), true};
  locals_[d.name] = std::move(local);
}

} // namespace tangram::nest
