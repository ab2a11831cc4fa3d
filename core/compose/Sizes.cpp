#include "tangram/compose/Sizes.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <limits>

namespace tangram {

using namespace ast;

const Spectrum *findSpectrum(const Module &module, const std::string &name) {
  for (const Spectrum *spectrum : module.spectrums)
    if (spectrum->name == name) return spectrum;
  return nullptr;
}

std::set<std::string> changedVariables(const Node *tree) {
  std::set<std::string> changed;
  auto mark = [&](const Expr *target) {
    if (const VarRef *ref = dyn<VarRef>(target)) changed.insert(ref->name);
  };
  walk(
      tree, [&](const Assign &n) { mark(n.target); }, [&](const Atomic &n) { mark(n.target); },
      [&](const Unary &n) {
        bool changes = changesOperand(n.op) || n.op == UnaryOp::AddressOf;
        if (changes) mark(n.operand);
      });
  return changed;
}

namespace {

const VarRef *sizeOf(const Expr *expr) {
  const Size *size = dyn<Size>(withoutCasts(expr));
  return size && !size->dim ? dyn<VarRef>(size->container) : nullptr;
}

/// `condition` says `a.size() == b.size()`: what bounds one bounds the other. True where that was news.
bool equate(const Expr &condition, const Spectrum &spectrum, std::vector<SizeBound> &bounds) {
  const Binary *n = dyn<Binary>(&condition);
  if (!n) return false;
  if (n->op == BinaryOp::LogicalAnd) {
    bool left = equate(*n->lhs, spectrum, bounds);
    return equate(*n->rhs, spectrum, bounds) || left;
  }
  const VarRef *a = sizeOf(n->lhs), *b = sizeOf(n->rhs);
  if (n->op != BinaryOp::Eq || !a || !b) return false;
  std::optional<std::size_t> i, j;
  for (std::size_t p = 0; p < spectrum.params.size(); ++p) {
    if (spectrum.params[p]->type.rank() != 1) continue;
    if (spectrum.params[p]->name == a->name) i = p;
    if (spectrum.params[p]->name == b->name) j = p;
  }
  if (!i || !j || bounds[*i] == bounds[*j]) return false;
  SizeBound least = !bounds[*i] ? bounds[*j] : !bounds[*j] ? bounds[*i] : std::min(bounds[*i], bounds[*j]);
  bounds[*i] = bounds[*j] = least;
  return true;
}

/// `condition` says `param.size() <= number`.
void limit(const Expr &condition, const std::string &param, SizeBound &bound) {
  const Binary *n = dyn<Binary>(&condition);
  if (!n) return;
  if (n->op == BinaryOp::LogicalAnd) {
    limit(*n->lhs, param, bound);
    limit(*n->rhs, param, bound);
    return;
  }
  const VarRef *ref = sizeOf(n->lhs);
  const IntLit *literal = dyn<IntLit>(withoutCasts(n->rhs));
  if (!ref || ref->name != param || !literal || literal->value < 0) return;
  std::uint64_t most = static_cast<std::uint64_t>(literal->value);
  if (n->op == BinaryOp::Lt && most > 0)
    --most;
  else if (n->op != BinaryOp::Le && n->op != BinaryOp::Eq)
    return;
  if (!bound || most < *bound) bound = most;
}

} // namespace

void limitByConditions(const Spectrum &spectrum, std::vector<SizeBound> &bounds) {
  bounds.resize(spectrum.params.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (spectrum.params[i]->type.rank() != 1)
      bounds[i].reset();
    else
      for (const Expr *condition : spectrum.conditions) limit(*condition, spectrum.params[i]->name, bounds[i]);
  }
  for (bool more = true; more;) {
    more = false;
    for (const Expr *condition : spectrum.conditions) more |= equate(*condition, spectrum, bounds);
  }
}

std::map<std::string, Interval> exactly(const Scalars &values) {
  std::map<std::string, Interval> result;
  for (const auto &[name, value] : values) result[name] = Interval::exactly(value);
  return result;
}

Sizes::Sizes(const Module *module, const Codelet &codelet, std::vector<SizeBound> bounds,
             std::map<std::string, Interval> known, std::optional<std::uint64_t> lanes,
             std::shared_ptr<const CodeletSource> source)
    : module_(module), codelet_(codelet), bounds_(std::move(bounds)), given_(std::move(known)), lanes_(lanes),
      source_(source ? std::move(source) : std::make_shared<CodeletSource>(codelet)) {}

Interval Sizes::variable(const std::string &name) {
  if (!calls_.empty()) { // in a function that is called
    auto it = calls_.back().find(name);
    return it == calls_.back().end() ? Interval{} : it->second;
  }
  if (source_->changes(name)) return changing(name);
  if (auto it = given_.find(name); it != given_.end()) return it->second;
  if (auto it = known_.find(name); it != known_.end()) return it->second;
  const Declare *d = source_->declared(name);
  if (!d || d->tunable || !d->init || !d->extents.empty()) return {};
  known_[name] = {}; // while it is being evaluated
  return known_[name] = value(d->init);
}

Interval Sizes::changing(const std::string &) { return {}; }

Interval Sizes::element(const Subscript &) { return {}; }

Interval Sizes::value(const Expr *expr) {
  Interval result;
  switch (exprKind(*expr)) {
  case ExprKind::IntLit: {
    std::int64_t v = as<IntLit>(expr)->value;
    // The bit pattern of a u64 from 2^63 on reads as a negative number.
    if (v < 0 && expr->type == Type(Scalar::U64))
      return Interval::between(std::numeric_limits<std::int64_t>::max(), {});
    return Interval::exactly(v);
  }
  case ExprKind::VarRef: result = variable(as<VarRef>(expr)->name); break;
  case ExprKind::Cast: result = value(as<Cast>(expr)->operand); break;
  case ExprKind::Unary: {
    const Unary *n = as<Unary>(expr);
    Interval operand = value(n->operand);
    if (n->op == UnaryOp::Plus) result = operand;
    if (n->op == UnaryOp::Minus) result = apply(BinaryOp::Sub, Interval::exactly(0), operand);
    if (n->op == UnaryOp::Not)
      if (std::optional<bool> truth = operand.truth()) result = Interval::exactly(!*truth);
    break;
  }
  case ExprKind::Binary: {
    const Binary *n = as<Binary>(expr);
    result = n->op == BinaryOp::Comma ? value(n->rhs) : apply(n->op, value(n->lhs), value(n->rhs));
    break;
  }
  case ExprKind::Conditional: {
    const Conditional *n = as<Conditional>(expr);
    std::optional<bool> truth = value(n->cond).truth();
    const Interval then = value(n->then), otherwise = value(n->otherwise);
    result = truth ? *truth ? then : otherwise : hull(then, otherwise);
    // The lesser of two is at most either of them, the greater at least.
    const auto *compared = dyn<Binary>(withoutCasts(n->cond));
    if (truth || !compared) break;
    const bool less = compared->op == BinaryOp::Lt || compared->op == BinaryOp::Le,
               greater = compared->op == BinaryOp::Gt || compared->op == BinaryOp::Ge;
    const bool straight = equal(compared->lhs, n->then) && equal(compared->rhs, n->otherwise),
               crossed = equal(compared->lhs, n->otherwise) && equal(compared->rhs, n->then);
    if ((less && straight) || (greater && crossed))
      result.hi = then.hi && otherwise.hi ? std::min(then.hi, otherwise.hi) : then.hi ? then.hi : otherwise.hi;
    if ((less && crossed) || (greater && straight))
      result.lo = then.lo && otherwise.lo ? std::max(then.lo, otherwise.lo) : then.lo ? then.lo : otherwise.lo;
    break;
  }
  case ExprKind::Call: {
    const Call *call = as<Call>(expr);
    const Function *function = module_ ? functionOfExpression(*module_, *call) : nullptr;
    if (!function || calls_.size() > kCalls) break;
    std::map<std::string, Interval> given;
    for (std::size_t i = 0; i < call->args.size(); ++i) given[function->params[i]->name] = value(call->args[i]);
    calls_.push_back(std::move(given));
    result = value(resultOf(*function));
    calls_.pop_back();
    break;
  }
  case ExprKind::Size: result = sizeOf(*as<Size>(expr)); break;
  case ExprKind::Subscript: result = element(*as<Subscript>(expr)); break;
  case ExprKind::CoopDim:
    if (lanes_) result = Interval::exactly(static_cast<std::int64_t>(*lanes_));
    break;
  case ExprKind::FloatLit:
  case ExprKind::Assign:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return result.fits(expr->type) ? result : Interval::ofType(expr->type);
}

Interval Sizes::sizeOf(const Size &n) {
  SizeBound bound = n.container->type.rank() == 1 ? size(n.container) : SizeBound{};
  bool small = bound && *bound <= std::uint64_t(std::numeric_limits<std::int64_t>::max());
  return Interval::between(0, small ? std::optional<std::int64_t>(*bound) : std::nullopt);
}

const Declare *Sizes::declaration(const std::string &name) const {
  return source_->changes(name) ? nullptr : declared(name);
}

const Declare *Sizes::declared(const std::string &name) const { return source_->declared(name); }

namespace {
SizeBound upper(const Interval &value) {
  if (!value.hi || *value.hi < 0) return {};
  return static_cast<std::uint64_t>(*value.hi);
}
} // namespace

SizeBound Sizes::size(const Expr *container) {
  switch (exprKind(*container)) {
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(container)->name;
    for (std::size_t i = 0; i < codelet_.params.size(); ++i)
      if (codelet_.params[i]->name == name)
        return i < bounds_.size() && container->type.rank() == 1 && !source_->changes(name) ? bounds_[i] : SizeBound{};
    const Declare *d = declaration(name);
    if (!d) return {};
    if (d->extents.size() == 1) return upper(value(d->extents[0]));
    return d->extents.empty() && d->init && d->type.rank() == 1 ? size(d->init) : SizeBound{};
  }
  case ExprKind::Partition: {
    const Partition *n = as<Partition>(container);
    return n->counts.size() == 1 ? upper(value(n->counts[0])) : SizeBound{};
  }
  case ExprKind::Sequence: { // a range; its numbers do not wrap around
    const Sequence *n = as<Sequence>(container);
    Interval distance = apply(BinaryOp::Sub, value(n->end), value(n->start));
    std::optional<std::int64_t> step = value(n->inc).lo;
    SizeBound most = distance.hi && *distance.hi < 0 ? SizeBound{0} : upper(distance);
    return most && step && *step > 1 ? SizeBound((*most + *step - 1) / *step) : most;
  }
  case ExprKind::Map: {
    // One element for each element of a mapped container.
    const Map *n = as<Map>(container);
    const Spectrum *spectrum = module_ ? findSpectrum(*module_, n->spectrum) : nullptr;
    SizeBound least;
    for (std::size_t i = 0; spectrum && i < n->args.size() && i < spectrum->params.size(); ++i) {
      if (n->args[i]->type == spectrum->params[i]->type || n->args[i]->type.rank() != 1) continue;
      SizeBound bound = size(n->args[i]);
      if (bound && (!least || *bound < *least)) least = bound;
    }
    return least;
  }
  case ExprKind::Cast: return size(as<Cast>(container)->operand);
  case ExprKind::Conditional: {
    SizeBound a = size(as<Conditional>(container)->then), b = size(as<Conditional>(container)->otherwise);
    return a && b ? std::max(a, b) : SizeBound{};
  }
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::Subscript:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::SpectrumCall:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return {};
}

Scalars Sizes::scalars(const Expr *mapOrCall) {
  const auto *map = dyn<Map>(mapOrCall);
  const auto &args = map ? map->args : as<SpectrumCall>(mapOrCall)->args;
  const Spectrum *callee =
      module_ ? findSpectrum(*module_, map ? map->spectrum : as<SpectrumCall>(mapOrCall)->spectrum) : nullptr;
  Scalars result;
  for (std::size_t i = 0; callee && i < args.size() && i < callee->params.size(); ++i) {
    const Param &param = *callee->params[i];
    if (!param.type.isInteger() || param.type.isBool() || args[i]->type != param.type) continue;
    if (const Interval passed = value(args[i]); passed.known()) result[param.name] = *passed.lo;
  }
  return result;
}

SiteBounds Sizes::site(const Expr *mapOrCall) {
  SiteBounds result;
  if (const SpectrumCall *call = dyn<SpectrumCall>(mapOrCall)) {
    for (const Expr *arg : call->args) result.arguments.push_back(arg->type.rank() == 1 ? size(arg) : SizeBound{});
    return result;
  }
  const Map *map = as<Map>(mapOrCall);
  const Spectrum *spectrum = module_ ? findSpectrum(*module_, map->spectrum) : nullptr;
  result.elements = size(map);
  bool bounded = true;
  for (std::size_t i = 0; i < map->args.size(); ++i) {
    const Expr *arg = map->args[i];
    bool passed = spectrum && i < spectrum->params.size() && arg->type == spectrum->params[i]->type;
    if (passed) {
      result.arguments.push_back(arg->type.rank() == 1 ? size(arg) : SizeBound{});
      continue;
    }
    // The parts may also have been named before: `auto parts = partition(...)`.
    const Expr *container = withoutCasts(arg);
    for (const VarRef *ref = dyn<VarRef>(container); ref && !source_->changes(ref->name);
         ref = dyn<VarRef>(container)) {
      const Declare *d = source_->declared(ref->name);
      if (!d || !d->init || !d->extents.empty()) break;
      container = withoutCasts(d->init);
    }
    const Partition *partition = dyn<Partition>(container);
    SizeBound part;
    if (partition && partition->container->type.rank() == 1) part = size(partition->container);
    result.arguments.push_back(part);
    if (!partition && !arg->type.element().isArray()) continue; // one number a call: no work of its own
    // Parts that all start at the same place are no division of the work.
    bool divides = partition && partition->starts.size() == 1 && partition->starts[0]->inc;
    if (!part || !divides)
      bounded = false;
    else
      result.work = std::max(result.work, part);
  }
  if (!bounded) result.work.reset();
  return result;
}

} // namespace tangram
