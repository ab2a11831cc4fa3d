#include "ExpectedSites.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/planning/Expectations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tangram {

using namespace ast;

// ---- conditions ----------------------------------------------------------------------------------------

namespace {

/// The extent that `expr` names: `a.size(1)`, or `a.size()` of one dimension; null for another expression.
std::optional<std::uint64_t> *extentOf(const Expr *expr, const Spectrum &spectrum, std::vector<Extents> &arguments) {
  const auto *size = dyn<Size>(withoutCasts(expr));
  const auto *container = size ? dyn<VarRef>(size->container) : nullptr;
  if (!container) return nullptr;
  std::size_t dim = 0;
  if (size->dim) {
    const auto *literal = dyn<IntLit>(withoutCasts(size->dim));
    if (!literal || literal->value < 0) return nullptr;
    dim = static_cast<std::size_t>(literal->value);
  } else if (container->type.rank() != 1) {
    return nullptr;
  }
  for (std::size_t i = 0; i < spectrum.params.size(); ++i)
    if (spectrum.params[i]->name == container->name && dim < arguments[i].size()) return &arguments[i][dim];
  return nullptr;
}

struct Term {
  std::optional<std::uint64_t> *extent = nullptr;
  std::int64_t more = 0;
};

/// An extent and a literal; without an extent for another expression.
Term termOf(const Expr *expr, const Spectrum &spectrum, std::vector<Extents> &arguments) {
  expr = withoutCasts(expr);
  Term term{extentOf(expr, spectrum, arguments)};
  const auto *n = dyn<Binary>(expr);
  if (!n || (n->op != BinaryOp::Add && n->op != BinaryOp::Sub)) return term;
  const auto *left = dyn<IntLit>(withoutCasts(n->lhs)), *right = dyn<IntLit>(withoutCasts(n->rhs));
  if (right) {
    term = termOf(n->lhs, spectrum, arguments);
    if (n->op == BinaryOp::Add ? __builtin_add_overflow(term.more, right->value, &term.more)
                               : __builtin_sub_overflow(term.more, right->value, &term.more))
      return {};
  } else if (left && n->op == BinaryOp::Add) {
    term = termOf(n->rhs, spectrum, arguments);
    if (__builtin_add_overflow(term.more, left->value, &term.more)) return {};
  }
  return term;
}

/// The value of a literal, whose conversions were made explicit.
std::optional<std::int64_t> literalOf(const Expr *expr) {
  const auto *literal = dyn<IntLit>(withoutCasts(expr));
  return literal && literal->value >= 0 ? std::optional(literal->value) : std::nullopt;
}

/// True where that was news.
bool equate(const Expr *condition, const Spectrum &spectrum, std::vector<Extents> &arguments) {
  const auto *n = dyn<Binary>(condition);
  if (!n) return false;
  if (n->op == BinaryOp::LogicalAnd) {
    bool left = equate(n->lhs, spectrum, arguments);
    return equate(n->rhs, spectrum, arguments) || left;
  }
  if (n->op != BinaryOp::Eq) return false;
  Term known = termOf(n->lhs, spectrum, arguments), other = termOf(n->rhs, spectrum, arguments);
  for (const auto &[term, side] : {std::pair(known, n->rhs), std::pair(other, n->lhs)})
    if (std::optional<std::int64_t> literal = literalOf(side); literal && term.extent) {
      std::int64_t value;
      if (*term.extent || __builtin_sub_overflow(*literal, term.more, &value)) return false;
      *term.extent = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
      return true;
    }
  if (!known.extent || !other.extent || known.extent->has_value() == other.extent->has_value()) return false;
  if (!*known.extent) std::swap(known, other);
  std::int64_t value;
  if (**known.extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
      __builtin_add_overflow(static_cast<std::int64_t>(**known.extent), known.more, &value) ||
      __builtin_sub_overflow(value, other.more, &value))
    return false;
  *other.extent = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  return true;
}

} // namespace

void equateByConditions(const Spectrum &spectrum, std::vector<Extents> &arguments) {
  for (bool more = true; more;) {
    more = false;
    for (const Expr *condition : spectrum.conditions) more |= equate(condition, spectrum, arguments);
  }
}

std::vector<Extents> expectedArguments(const Spectrum &spectrum, const ExpectedSizes &sizes) {
  std::vector<Extents> arguments;
  for (const Param *param : spectrum.params) {
    Extents &own = arguments.emplace_back(param->type.rank());
    auto given = sizes.find(param->name);
    if (given == sizes.end() || given->second.size() != own.size()) continue;
    std::copy(given->second.begin(), given->second.end(), own.begin());
  }
  equateByConditions(spectrum, arguments);
  return arguments;
}

namespace {

/// Of the scalar that the condition says is a size that is known.
void addScalar(const Expr *condition, const Spectrum &spectrum, std::vector<Extents> &arguments, Scalars &scalars) {
  const auto *n = dyn<Binary>(condition);
  if (!n) return;
  if (n->op == BinaryOp::LogicalAnd) {
    addScalar(n->lhs, spectrum, arguments, scalars);
    addScalar(n->rhs, spectrum, arguments, scalars);
  }
  if (n->op != BinaryOp::Eq) return;
  for (const auto &[size, scalar] : {std::pair(n->lhs, n->rhs), std::pair(n->rhs, n->lhs)}) {
    const auto *param = dyn<VarRef>(withoutCasts(scalar));
    const Term known = termOf(size, spectrum, arguments);
    std::int64_t value;
    if (!param || !param->type.isInteger() || !known.extent || !*known.extent) continue;
    if (**known.extent <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) &&
        !__builtin_add_overflow(static_cast<std::int64_t>(**known.extent), known.more, &value))
      scalars.emplace(param->name, value);
  }
}

} // namespace

Scalars expectedScalars(const Spectrum &spectrum, std::vector<Extents> arguments, const ExpectedSizes &sizes) {
  Scalars scalars;
  for (const Param *param : spectrum.params) {
    auto given = param->type.isInteger() ? sizes.find(param->name) : sizes.end();
    if (given != sizes.end() && given->second.size() == 1 &&
        given->second[0] <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      scalars.emplace(param->name, static_cast<std::int64_t>(given->second[0]));
  }
  for (const Expr *condition : spectrum.conditions) addScalar(condition, spectrum, arguments, scalars);
  return scalars;
}

// ---- sites ---------------------------------------------------------------------------------------------

ExpectedSites::ExpectedSites(const Module &module, const Codelet &codelet, std::vector<Extents> arguments,
                             const Scalars &known, std::optional<std::uint64_t> lanes,
                             std::shared_ptr<const CodeletSource> source)
    : Sizes(&module, codelet, {}, exactly(known), lanes, std::move(source)), arguments_(std::move(arguments)),
      known_(known) {}

bool holds(const Expr &requirement, const Module &module, const Codelet &codelet, std::vector<Extents> arguments,
           const Scalars &known, std::optional<std::uint64_t> lanes) {
  // What a check said, whose answer nobody knows before: it is made for the case that it holds.
  const auto *answer = dyn<VarRef>(&requirement);
  if (answer && answer->type.isBool() && !known.count(answer->name)) return true;
  const std::optional<bool> truth =
      ExpectedSites(module, codelet, std::move(arguments), known, lanes).value(&requirement).truth();
  // So it is with numbers that nobody told.
  return truth.value_or(any<VarRef>(&requirement, [&](const VarRef &v) {
    return v.type.isInteger() && !known.count(v.name) &&
           std::any_of(codelet.params.begin(), codelet.params.end(), [&](const Param *p) { return p->name == v.name; });
  }));
}

std::optional<std::uint64_t> ExpectedSites::number(const Expr *expr) {
  if (!expr) return {};
  Interval interval = value(expr);
  const Interval usual = interval.known() ? interval : mean(expr);
  if (!usual.known() && interval.lo && *interval.lo >= 0 && interval.hi &&
      *interval.hi < std::numeric_limits<std::int32_t>::max())
    return static_cast<std::uint64_t>(*interval.hi); // as many as there may be, of std::min(length[i], n)
  interval = usual;
  if (!interval.known() || *interval.lo < 0) return {};
  return static_cast<std::uint64_t>(*interval.lo);
}

namespace {
/// Between the first value and the last one: what is multiplied is mostly small.
std::optional<std::int64_t> middleOf(std::int64_t first, std::int64_t end, const CodeletSource::Progress &progress) {
  if (progress.byFactor())
    return std::llround(std::sqrt(static_cast<double>(std::max<std::int64_t>(1, first)) *
                                  static_cast<double>(std::max<std::int64_t>(1, end))));
  std::int64_t way;
  if (__builtin_sub_overflow(end, first, &way)) return {};
  return first + way / 2;
}

} // namespace

Interval ExpectedSites::mean(const Expr *expr) {
  if (inTheMean_) return value(expr);
  const Values &most = atMost();
  std::swap(values(), means_);
  if (values().empty()) values() = most;
  inTheMean_ = true;
  const Interval result = value(expr);
  inTheMean_ = false;
  std::swap(values(), means_);
  return result;
}

const Sizes::Values &ExpectedSites::atMost() {
  if (atMost_) return *atMost_;
  atMost_.emplace(); // while they are being found
  Values found;
  walk(codelet().body, [&](const Declare &d) {
    if (!d.init || !d.extents.empty() || !d.type.isInteger() || !contains<Subscript>(d.init) ||
        source().changes(d.name) || known_.count(d.name))
      return;
    const Interval bounds = value(d.init);
    if (mean(d.init).known() || !bounds.lo || *bounds.lo < 0 || !bounds.hi ||
        *bounds.hi >= std::numeric_limits<std::int32_t>::max())
      return;
    found[d.name] = Interval::exactly(*bounds.hi);
  });
  means_.clear();
  atMost_ = std::move(found);
  return *atMost_;
}

/// From the first value of a variable to the last one, as long as it, more or less than it by a number, or its square
/// is below or above something.
std::optional<std::pair<std::int64_t, std::int64_t>> ExpectedSites::goes(const CodeletSource::Progress &progress) {
  const auto *cond = dyn<Binary>(progress.cond);
  const Expr *compared = cond ? withoutCasts(cond->lhs) : nullptr;
  std::int64_t ahead = 0;
  if (const auto *sum = dyn<Binary>(compared); sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub))
    if (const std::optional<Int> by = literal(withoutCasts(sum->rhs)); by && std::abs(*by) < (Int{1} << 31)) {
      ahead = sum->op == BinaryOp::Add ? *by : -*by;
      compared = withoutCasts(sum->lhs);
    }
  const auto *product = dyn<Binary>(compared);
  const bool squared =
      product && product->op == BinaryOp::Mul && equal(withoutCasts(product->lhs), withoutCasts(product->rhs));
  const auto *counter = dyn<VarRef>(squared ? withoutCasts(product->lhs) : compared);
  const std::string &name = progress.begins->name;
  if (!counter || counter->name != name || !isOrdering(cond->op) || !asked_.insert(name).second) return {};
  const Interval begin = value(progress.begins->init), end = value(cond->rhs);
  asked_.erase(name);
  if (!begin.known() || !end.known()) return {};
  const std::int64_t beside = cond->op == BinaryOp::Lt ? -1 : cond->op == BinaryOp::Gt ? 1 : 0;
  const bool up = cond->op == BinaryOp::Lt || cond->op == BinaryOp::Le;
  std::int64_t last;
  if (__builtin_add_overflow(*end.lo, beside - ahead, &last)) return {};
  if (squared) last = std::llround(std::floor(std::sqrt(static_cast<double>(std::max<std::int64_t>(0, last)))));
  return std::pair(*begin.lo, up ? std::max(last, *begin.lo) : std::min(last, *begin.lo));
}

Interval ExpectedSites::changing(const std::string &name) {
  const CodeletSource::Progress *progress = inTheMean_ ? source().progress(name) : nullptr;
  if (!progress) return {};
  if (stage_ && name == source().stage()) return Interval::exactly((*stages_)[*stage_]);
  const auto way = goes(*progress);
  const std::optional<std::int64_t> middle = way ? middleOf(way->first, way->second, *progress) : std::nullopt;
  return middle ? Interval::exactly(*middle) : Interval{};
}

/// In the mean that of a range is the one in the middle.
Interval ExpectedSites::element(const Subscript &subscript) {
  if (!inTheMean_ || subscript.indices.size() != 1 || !subscript.type.isInteger()) return {};
  const std::optional<std::int64_t> number = middle(subscript.base);
  return number ? Interval::exactly(*number) : Interval{};
}

const std::vector<std::int64_t> &ExpectedSites::stages() {
  if (stages_) return *stages_;
  stages_.emplace();
  const CodeletSource::Progress *progress = source().progress(source().stage());
  const auto *step = progress ? as<Assign>(progress->step) : nullptr;
  const auto way = progress ? goes(*progress) : std::nullopt;
  const Interval by = step ? value(step->value) : Interval{};
  if (!way || !by.known() || *by.lo < 1 || *by.lo > 62) return *stages_;
  const bool shifts = step->op == AssignOp::Shl || step->op == AssignOp::Shr;
  const bool up = step->op == AssignOp::Mul || step->op == AssignOp::Shl;
  const std::int64_t factor = shifts ? std::int64_t{1} << *by.lo : *by.lo;
  if (factor < 2) return *stages_;
  for (std::int64_t at = way->first; up ? at > 0 && at <= way->second : at > 0 && at >= way->second;) {
    stages_->push_back(at);
    if (!up)
      at /= factor;
    else if (__builtin_mul_overflow(at, factor, &at))
      break;
  }
  return *stages_;
}

void ExpectedSites::atStage(std::optional<std::size_t> stage) {
  stage_ = stage;
  means_.clear();
}

Interval ExpectedSites::sizeOf(const Size &size) {
  Extents all = extents(size.container);
  std::optional<std::uint64_t> result;
  if (size.dim) {
    std::optional<std::uint64_t> dim = number(size.dim);
    if (dim && *dim < all.size()) result = all[*dim];
  } else {
    result = elements(all);
  }
  if (!result || *result > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
  return Interval::exactly(static_cast<std::int64_t>(*result));
}

const Expr *ExpectedSites::origin(const Expr *container) const {
  for (container = withoutCasts(container);;) {
    const auto *ref = dyn<VarRef>(container);
    const Declare *d = ref ? declaration(ref->name) : nullptr;
    if (!d || !d->init || !d->extents.empty()) return container;
    container = withoutCasts(d->init);
  }
}

namespace {
/// What is added to `first`; null for another expression.
const Expr *addedTo(const Expr *first, const Expr *e) {
  const auto *sum = dyn<Binary>(withoutCasts(e));
  if (!sum || sum->op != BinaryOp::Add) return nullptr;
  first = withoutCasts(first);
  return equal(withoutCasts(sum->lhs), first) ? sum->rhs : equal(withoutCasts(sum->rhs), first) ? sum->lhs : nullptr;
}

/// Of what goes from `start` to `start + n`, or from k * n to (k + 1) * n, n; null for another one.
const Expr *lengthOf(const Expr *start, const Expr *end) {
  if (const Expr *length = addedTo(start, end)) return length;
  const auto *from = dyn<Binary>(withoutCasts(start)), *to = dyn<Binary>(withoutCasts(end));
  if (!from || !to || from->op != BinaryOp::Mul || to->op != BinaryOp::Mul) return nullptr;
  for (const auto &[first, length] : {std::pair(from->lhs, from->rhs), std::pair(from->rhs, from->lhs)})
    for (const auto &[next, same] : {std::pair(to->lhs, to->rhs), std::pair(to->rhs, to->lhs)}) {
      const Expr *more = equal(withoutCasts(length), withoutCasts(same)) ? addedTo(first, next) : nullptr;
      if (more && literal(withoutCasts(more)) == 1) return length;
    }
  return nullptr;
}
} // namespace

std::optional<std::int64_t> ExpectedSites::signedNumber(const Expr *e) {
  e = withoutCasts(origin(e));
  if (const std::optional<Int> value = literal(e)) return value;
  if (const std::optional<std::uint64_t> value = number(e)) return static_cast<std::int64_t>(*value);
  if (const auto *minus = dyn<Unary>(e); minus && minus->op == UnaryOp::Minus) {
    const std::optional<std::int64_t> value = signedNumber(minus->operand);
    std::int64_t result;
    return value && !__builtin_sub_overflow(std::int64_t{0}, *value, &result) ? std::optional(result) : std::nullopt;
  }
  const auto *sum = dyn<Binary>(e);
  if (!sum || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub)) return std::nullopt;
  const std::optional<std::int64_t> a = signedNumber(sum->lhs), b = signedNumber(sum->rhs);
  std::int64_t result;
  const auto overflows = [&] {
    return sum->op == BinaryOp::Add ? __builtin_add_overflow(*a, *b, &result) : __builtin_sub_overflow(*a, *b, &result);
  };
  return a && b && !overflows() ? std::optional(result) : std::nullopt;
}

Extents ExpectedSites::extents(const Expr *container) {
  Extents unknown(container->type.rank());
  container = origin(container);
  switch (exprKind(*container)) {
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(container)->name;
    for (std::size_t i = 0; i < codelet().params.size() && i < arguments_.size(); ++i)
      if (codelet().params[i]->name == name && arguments_[i].size() == unknown.size()) return arguments_[i];
    const Declare *d = declaration(name);
    if (!d || d->extents.size() != unknown.size()) return unknown;
    for (std::size_t i = 0; i < unknown.size(); ++i) unknown[i] = number(d->extents[i]);
    return unknown;
  }
  case ExprKind::Partition: {
    const auto *n = as<Partition>(container);
    if (n->counts.size() != unknown.size()) return unknown;
    for (std::size_t i = 0; i < unknown.size(); ++i) unknown[i] = number(n->counts[i]);
    return unknown;
  }
  case ExprKind::Sequence: { // a range
    const auto *n = as<Sequence>(container);
    std::optional<std::uint64_t> start = number(n->start), end = number(n->end), inc = number(n->inc);
    std::int64_t length;
    if (const auto from = signedNumber(n->start), to = signedNumber(n->end);
        (!start || !end) && from && to && !__builtin_sub_overflow(*to, *from, &length))
      start = 0, end = static_cast<std::uint64_t>(std::max<std::int64_t>(0, length));        // from below 0
    if (!start || !end) start = 0, end = number(lengthOf(origin(n->start), origin(n->end))); // wherever it begins
    if (!end || !inc || unknown.size() != 1) return unknown;
    std::uint64_t step = std::max<std::uint64_t>(1, *inc);
    return {*start < *end ? (*end - *start - 1) / step + 1 : 0};
  }
  case ExprKind::Map: {
    // As many results as calls, in the shape of what it runs over.
    const auto *n = as<Map>(container);
    const Spectrum *spectrum = findSpectrum(module(), n->spectrum);
    for (std::size_t i = 0; spectrum && i < n->args.size() && i < spectrum->params.size(); ++i) {
      if (n->args[i]->type == spectrum->params[i]->type) continue;
      Extents own = extents(n->args[i]);
      if (own.size() < unknown.size()) continue;
      own.resize(unknown.size());
      return own;
    }
    return unknown;
  }
  case ExprKind::Subscript: {
    const auto *n = as<Subscript>(container);
    if (n->indices.size() == n->base->type.rank() && n->base->type.element().isArray()) return part(n->base);
    Extents base = extents(n->base);
    if (base.size() != n->indices.size() + unknown.size()) return unknown;
    return {base.end() - static_cast<std::ptrdiff_t>(unknown.size()), base.end()};
  }
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::Assign:
  case ExprKind::Conditional:
  case ExprKind::Cast:
  case ExprKind::Call:
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
  return unknown;
}

const Partition *ExpectedSites::partition(const Expr *parts) const {
  const Expr *container = origin(parts);
  while (const auto *row = dyn<Subscript>(container)) container = origin(row->base);
  return dyn<Partition>(container);
}

std::optional<std::uint64_t> ExpectedSites::units(const Expr *parts, const Extents &each) {
  const Partition *made = partition(parts);
  if (!made) return {};
  Extents counts = extents(made), whole = extents(made->container);
  std::optional<std::uint64_t> result = 1;
  for (std::size_t d = 0; d < counts.size() && d < each.size() && d < whole.size() && result; ++d) {
    if (counts[d] == 1) continue;
    std::optional<std::uint64_t> all = elements({counts[d], each[d]});
    // The last parts may be shorter.
    if (all && whole[d]) all = std::min(all, whole[d]);
    result = elements({result, all});
  }
  return result;
}

Extents ExpectedSites::part(const Expr *parts) {
  Extents unknown(parts->type.element().rank());
  const Partition *partition = this->partition(parts);
  if (!partition) return unknown;
  Extents base = extents(partition->container), counts = extents(partition);
  if (base.size() != unknown.size() || partition->starts.size() > base.size()) return unknown;
  for (std::size_t d = 0; d < partition->starts.size(); ++d) {
    const Sequence *starts = partition->starts[d], *incs = partition->incs[d], *ends = partition->ends[d];
    if (!base[d]) continue;
    if (starts->container || incs->container || ends->container) {
      // Wherever data says that parts begin: they share what there is.
      if (d < counts.size() && counts[d] && *counts[d]) base[d] = (*base[d] + *counts[d] - 1) / *counts[d];
      continue;
    }
    std::optional<std::uint64_t> start = number(starts->start), inc = number(incs->start), end = number(ends->start);
    if (!start || !end) { // from wherever it begins
      end = number(lengthOf(starts->start, ends->start));
      start = 0;
    }
    if (!start || !inc || !end) {
      base[d].reset();
      continue;
    }
    std::uint64_t stop = std::min(*end, *base[d]), step = std::max<std::uint64_t>(1, *inc);
    base[d] = *start < stop ? (stop - *start + step - 1) / step : 0;
  }
  return base;
}

std::optional<std::int64_t> ExpectedSites::middle(const Expr *range) {
  range = origin(range);
  if (const auto *v = dyn<VarRef>(range)) {
    auto known = known_.find(v->name);
    return known == known_.end() ? std::nullopt : std::optional(known->second);
  }
  if (const auto *n = dyn<Sequence>(range)) {
    const std::optional<std::uint64_t> start = number(n->start), end = number(n->end);
    if (!start || !end || *end < *start) return {};
    return static_cast<std::int64_t>(*start + (*end - *start) / 2);
  }
  if (const auto *n = dyn<Partition>(range)) return middle(n->container);
  if (const auto *n = dyn<Subscript>(range)) return middle(n->base);
  return {};
}

namespace {
std::vector<double> extentsOf(const Expected &site) {
  std::vector<double> result;
  for (const Extents &of : site.arguments)
    for (const std::optional<std::uint64_t> &extent : of) result.push_back(extent ? static_cast<double>(*extent) : 0);
  return result;
}
} // namespace

/// Where extents are others in each stage of a loop around, those of the stage in the middle, and as many elements in
/// all of these as there are in the mean.
Expected ExpectedSites::site(const Expr *mapOrCall) {
  Expected result = siteNow(mapOrCall);
  const std::size_t count = stages().size();
  if (count < 2) return result;
  std::vector<std::vector<double>> all;
  for (std::size_t stage = 0; stage < count; ++stage) {
    atStage(stage);
    all.push_back(extentsOf(siteNow(mapOrCall)));
  }
  atStage({});
  const std::vector<double> usual = extentsOf(result);
  std::vector<bool> differs(usual.size());
  double product = 1, mean = 0;
  std::size_t many = 0;
  for (std::size_t e = 0; e < usual.size(); ++e) {
    differs[e] = std::any_of(all.begin(), all.end(), [&](const auto &stage) {
      return stage.size() == usual.size() && stage[e] != all.front()[e];
    });
    if (differs[e]) product *= usual[e], ++many;
  }
  if (many == 0 || product == 0) return result;
  for (const std::vector<double> &stage : all) {
    double elements = 1;
    for (std::size_t e = 0; e < usual.size(); ++e)
      if (differs[e]) elements *= e < stage.size() ? stage[e] : 0;
    mean += elements / static_cast<double>(count);
  }
  const double more = std::pow(mean / product, 1 / static_cast<double>(many));
  std::size_t e = 0;
  for (Extents &of : result.arguments)
    for (std::optional<std::uint64_t> &extent : of)
      if (differs[e++])
        extent = static_cast<std::uint64_t>(std::llround(std::max(1.0, static_cast<double>(*extent) * more)));
  return result;
}

namespace {
/// Whether an index is a number of the range `param`, or of a spectrum that is called for each of them, with what is
/// added.
bool isNumberOf(const Param &param, const Expr *index, const CodeletSource &source) {
  index = withoutCasts(index);
  if (const auto *v = dyn<VarRef>(index)) {
    if (v->name == param.name) return !param.type.isArray();
    const Declare *d = source.declared(v->name);
    return d && d->init && !source.changes(v->name) && isNumberOf(param, d->init, source);
  }
  if (const auto *sum = dyn<Binary>(index); sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub))
    return isNumberOf(param, sum->lhs, source) || isNumberOf(param, sum->rhs, source);
  const auto *element = dyn<Subscript>(index);
  const auto *range = element ? dyn<VarRef>(element->base) : nullptr;
  return range && range->name == param.name;
}
} // namespace

constexpr unsigned kDeepestCalls = 4; // through which a range is followed

std::optional<std::uint64_t> ExpectedSites::counted(const Spectrum &callee, std::size_t param,
                                                    const std::vector<Extents> &arguments, unsigned depth) {
  std::optional<std::uint64_t> all;
  const auto least = [&](std::optional<std::uint64_t> n) {
    if (n) all = std::min(all.value_or(*n), *n);
  };
  for (const Codelet *codelet : callee.codelets) {
    const auto parameter = [&](const Expr *e) -> std::optional<std::size_t> {
      const auto *v = dyn<VarRef>(e);
      for (std::size_t i = 0; v && i < codelet->params.size(); ++i)
        if (codelet->params[i]->name == v->name) return i;
      return std::nullopt;
    };
    const CodeletSource source(*codelet);
    walk(
        codelet->body,
        [&](const Subscript &element) {
          const std::optional<std::size_t> container = parameter(element.base);
          for (std::size_t d = 0; container && *container < arguments.size() && d < element.indices.size(); ++d)
            if (d < arguments[*container].size() && isNumberOf(*codelet->params[param], element.indices[d], source))
              least(arguments[*container][d]);
        },
        [&](const SpectrumCall &call) { // that it is handed on to
          const Spectrum *next = depth > 0 ? findSpectrum(module(), call.spectrum) : nullptr;
          std::vector<Extents> passed;
          for (const Expr *arg : call.args) {
            const std::optional<std::size_t> from = parameter(arg);
            passed.push_back(from && *from < arguments.size() ? arguments[*from] : Extents(arg->type.rank()));
          }
          for (std::size_t i = 0; next && i < call.args.size() && i < next->params.size(); ++i)
            if (parameter(call.args[i]) == param) least(counted(*next, i, passed, depth - 1));
        });
  }
  return all;
}

std::optional<std::uint64_t> ExpectedSites::segment(const Expr *range, const Spectrum &callee, std::size_t param,
                                                    const std::vector<Extents> &arguments) {
  const auto *numbers = dyn<Sequence>(origin(range));
  const auto *from = numbers ? dyn<Subscript>(origin(numbers->start)) : nullptr,
             *to = numbers ? dyn<Subscript>(origin(numbers->end)) : nullptr;
  if (!from || !to || from->indices.size() != 1 || to->indices.size() != 1 || !equal(from->base, to->base)) return {};
  const Expr *next = addedTo(from->indices[0], to->indices[0]);
  const Extents bounds = extents(from->base);
  if (!next || literal(withoutCasts(next)) != 1 || bounds.size() != 1 || bounds[0].value_or(0) < 2) return {};
  const std::optional<std::uint64_t> all = counted(callee, param, arguments, kDeepestCalls);
  return all ? std::optional((*all + *bounds[0] - 2) / (*bounds[0] - 1)) : std::nullopt;
}

Expected ExpectedSites::siteNow(const Expr *mapOrCall) {
  Expected result = siteBySizes(mapOrCall);
  const auto *call = dyn<SpectrumCall>(mapOrCall);
  const Map *map = call ? nullptr : as<Map>(mapOrCall);
  const Spectrum *callee = findSpectrum(module(), map ? map->spectrum : call->spectrum);
  const auto &args = map ? map->args : call->args;
  for (std::size_t i = 0; callee && i < args.size() && i < callee->params.size(); ++i) {
    if (args[i]->type.rank() != 1 || !args[i]->type.leaf().isInteger() || i >= result.arguments.size()) continue;
    const bool called = !callee->params[i]->type.isArray();
    if (called ? result.elements.has_value() : result.arguments[i].empty() || result.arguments[i][0].has_value())
      continue;
    const std::optional<std::uint64_t> length = segment(args[i], *callee, i, result.arguments);
    (called ? result.elements : result.arguments[i][0]) = length;
  }
  return result;
}

Expected ExpectedSites::siteBySizes(const Expr *mapOrCall) {
  Expected result;
  result.scalars = scalars(mapOrCall);
  auto passed = [&](const Spectrum *spectrum, std::size_t i, const Expr *arg) {
    if (!spectrum || i >= spectrum->params.size() || !arg->type.leaf().isInteger() || arg->type.leaf().isBool()) return;
    const std::string &name = spectrum->params[i]->name;
    if (!arg->type.isArray()) {
      if (const Interval number = mean(arg); number.known()) result.scalars.emplace(name, *number.lo);
    } else if (std::optional<std::int64_t> number = middle(arg)) {
      result.scalars.emplace(name, *number);
    }
  };
  if (const auto *call = dyn<SpectrumCall>(mapOrCall)) {
    const Spectrum *spectrum = findSpectrum(module(), call->spectrum);
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      result.arguments.push_back(extents(call->args[i]));
      passed(spectrum, i, call->args[i]);
    }
    return result;
  }
  const auto *map = as<Map>(mapOrCall);
  const Spectrum *spectrum = findSpectrum(module(), map->spectrum);
  for (std::size_t i = 0; i < map->args.size(); ++i) passed(spectrum, i, map->args[i]);
  bool divided = true;
  for (std::size_t i = 0; i < map->args.size(); ++i) {
    const Expr *arg = map->args[i];
    Extents all = extents(arg);
    const Type &type = arg->type;
    bool has = spectrum && i < spectrum->params.size();
    if (has && type == spectrum->params[i]->type) {
      result.arguments.push_back(all);
      continue;
    }
    std::size_t rows = has && !type.element().isArray() ? spectrum->params[i]->type.rank() : 0;
    if (rows > all.size()) rows = 0;
    Extents calls(all.begin(), all.end() - static_cast<std::ptrdiff_t>(rows));
    if (!result.elements) result.elements = elements(calls);
    if (!type.element().isArray()) {
      result.arguments.emplace_back(all.end() - static_cast<std::ptrdiff_t>(rows), all.end());
      continue;
    }
    result.arguments.push_back(part(arg));
    result.units = std::max(result.units, units(arg, result.arguments.back()));
    std::optional<std::uint64_t> each = elements(result.arguments.back()), count = elements(calls), work;
    if (each && count && !__builtin_mul_overflow(*each, *count, &work.emplace()))
      result.work = std::max(result.work, work);
    else
      divided = false;
  }
  if (!divided) result.work.reset(), result.units.reset();
  return result;
}

} // namespace tangram
