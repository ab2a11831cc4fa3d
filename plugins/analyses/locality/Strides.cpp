#include "Strides.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/RangeParameters.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tangram {

using namespace ast;

Stride Step::stride() const {
  if (irregular) return Stride::Irregular;
  if (number == 0) return Stride::Zero;
  if (dimensions == 0 && (number == 1 || number == -1)) return Stride::Unit;
  return Stride::Constant;
}

namespace {

constexpr std::int64_t kFew = 2; // planes that neighbours are in by turns

bool small(const Step &s) { return s.number && *s.number > -(1ll << 40) && *s.number < (1ll << 40); }

Step scaled(const Step &step, std::optional<std::int64_t> factor) {
  if (step.irregular || step.zero()) return step;
  if (factor == 0) return Step::none();
  if (small(step) && factor && *factor > -(1 << 20) && *factor < (1 << 20))
    return Step::of(*step.number * *factor, step.dimensions).wrapping(step.wraps);
  return Step::some();
}

/// Of a number with a fraction that becomes an index: neighbours less than one apart have one element, or neighbours.
Step scaledBy(const Step &step, double factor) {
  constexpr double kMost = 1 << 20;
  if (step.irregular || step.zero()) return step;
  if (!small(step) || std::abs(factor) > kMost) return Step::some();
  const double number = static_cast<double>(*step.number) * factor;
  if (std::abs(number) < 1) return number == 0 ? Step::none() : Step::of(number < 0 ? -1 : 1);
  return number == std::floor(number) ? Step::of(static_cast<std::int64_t>(number)) : Step::some();
}

/// Of a quotient, remainder, shift to the right or mask; nothing where there is no telling. Neighbours beside each
/// other are in the same row of many, but for a few; of rows of few they are in the same or the next one, and have all
/// places in turn.
std::optional<Step> divided(const Binary &n, const Step &a, std::optional<std::int64_t> by) {
  constexpr std::int64_t kMany = 8;
  bool rest = n.op == BinaryOp::Rem;
  if (n.op == BinaryOp::And && by && *by >= 0) {
    if ((*by & (*by + 1)) != 0) return {};
    ++*by;
    rest = true;
  } else if (n.op == BinaryOp::Shr && by && *by >= 0 && *by < 40) {
    by = 1ll << *by;
  } else if (n.op != BinaryOp::Div && !rest) {
    return {};
  }
  if (a.irregular || !a.number || by == 0) return {};
  if (by && *a.number % *by == 0) return rest ? Step::none() : Step::of(*a.number / *by);
  const std::int64_t apart = std::abs(*a.number);
  if (!by && apart != 1) return {};
  if (by && apart * kMany > std::abs(*by)) {
    if (rest) return std::abs(*by) < kMany ? Step::none() : Step::some();
    return apart < std::abs(*by) ? Step::of((*a.number < 0) == (*by < 0) ? 1 : -1) : Step::some();
  }
  if (!rest) return Step::none();
  const Expr *count = withoutCasts(n.rhs);
  const auto *size = dyn<Size>(count);
  const auto *of = size ? dyn<VarRef>(size->container) : nullptr;
  return of ? a.wrapping(of->name) : a;
}

const VarRef *variable(const Expr *expr) {
  expr = withoutCasts(expr);
  return dyn<VarRef>(expr);
}

} // namespace

Step operator+(const Step &a, const Step &b) {
  if (a.irregular || b.irregular) return Step::anything();
  if (a.zero() || b.zero()) return a.zero() ? b : a;
  if (small(a) && small(b) && a.dimensions == b.dimensions) return Step::of(*a.number + *b.number, a.dimensions);
  return Step::some();
}

Step operator-(const Step &a, const Step &b) { return a + scaled(b, -1); }

Stride weakest(Stride a, Stride b) { return std::max(a, b); }

Step stepOf(Stride stride) {
  switch (stride) {
  case Stride::Zero: return Step::none();
  case Stride::Unit: return Step::of(1);
  case Stride::Constant: return Step::some();
  case Stride::Irregular: return Step::anything();
  }
  return Step::anything();
}

Step through(const Step &inner, const Step &outer) {
  if (inner.zero() || outer.zero()) return Step::none();
  if (inner.irregular || outer.irregular) return Step::anything();
  return outer.number ? scaled(inner, outer.number).wrapping(outer.wraps.empty() ? inner.wraps : outer.wraps)
                      : Step::some();
}

Step weakest(const Step &a, const Step &b) {
  constexpr std::int64_t kFarthest = 1 << 10; // calls in a circle would go farther and farther
  if (a.irregular || b.irregular) return Step::anything();
  if (a == b || b.zero()) return a;
  if (a.zero()) return b;
  if (!a.number || !b.number || a.dimensions != b.dimensions) return Step::some();
  const std::int64_t farther = std::max(std::abs(*a.number), std::abs(*b.number));
  return farther > kFarthest ? Step::some() : Step::of(farther, a.dimensions);
}

Stride through(Stride inner, Stride outer) {
  if (inner == Stride::Zero) return Stride::Zero;
  if (inner == Stride::Irregular || outer == Stride::Irregular) return Stride::Irregular;
  if (outer == Stride::Zero) return Stride::Zero;
  return inner == Stride::Unit ? outer : Stride::Constant;
}

Strides::Strides(const Module &module, const Codelet &codelet, std::map<std::string, Step> ranges)
    : module_(module), codelet_(codelet), ranges_(std::move(ranges)) {
  for (const Param *param : codelet.params) parameters_.insert(param->name);
  auto change = [&](const Expr *target, const Expr *by) {
    if (const VarRef *ref = dyn<VarRef>(target)) changes_[ref->name].push_back(by);
  };
  walk(
      codelet.body,
      [&](const Declare &d) {
        if (declared_.emplace(d.name, &d).second) inOrder_.push_back(&d);
        if (declaresRange(d)) {
          const auto *range = as<Sequence>(d.init);
          const auto *by = range->inc ? dyn<IntLit>(range->inc) : nullptr;
          ranges_[d.name] = !range->inc ? Step::of(1) : by ? Step::of(by->value) : Step::some();
        }
      },
      [&](const Assign &n) { change(n.target, &n); }, [&](const Atomic &n) { change(n.target, &n); },
      [&](const Unary &n) {
        bool changes = changesOperand(n.op) || n.op == UnaryOp::AddressOf;
        if (changes) change(n.operand, &n);
      });
  findInterleaved();
  std::vector<const Expr *> branches, loops;
  findConditions(codelet.body, branches, loops);
  if (codelet.coop) lane_ = settled({{}, true, {}, 0});
  for (const Param *param : codelet.params)
    if (param->type.isInteger())
      scalars_[param->name] =
          settled({{{param->name, changes_.count(param->name) ? Step::anything() : Step::of(1)}}, {}, {}, 0});
    else if (ranges_.count(param->name))
      scalars_[param->name] = settled({{}, {}, param->name, 0});
  visit(codelet.body);
}

void Strides::divisors(const Expr *index, BinaryOp op, std::set<std::string> &result, unsigned depth) const {
  constexpr unsigned kDeepest = 8;
  if (depth == kDeepest) return;
  walk(
      index,
      [&](const VarRef &v) {
        const auto declared = declared_.find(v.name);
        if (declared != declared_.end() && !changes_.count(v.name) && declared->second->init)
          divisors(declared->second->init, op, result, depth + 1);
      },
      [&](const Binary &n) {
        const VarRef *by = n.op == op ? variable(n.rhs) : nullptr;
        if (by && parameters_.count(by->name)) result.insert(by->name);
      });
}

/// Of in[i % f][i / f] neighbours are in planes beside each other, which are few: of many rows one would have the place
/// in the row last.
void Strides::findInterleaved() {
  walk(codelet_.body, [&](const Subscript &s) {
    std::set<std::string> planes;
    for (std::size_t i = 0; i < s.indices.size(); ++i) {
      std::set<std::string> places;
      divisors(s.indices[i], BinaryOp::Div, places, 0);
      std::set_intersection(places.begin(), places.end(), planes.begin(), planes.end(),
                            std::inserter(interleaved_, interleaved_.end()));
      divisors(s.indices[i], BinaryOp::Rem, planes, 0);
    }
  });
}

void Strides::findConditions(const Node *node, std::vector<const Expr *> &branches, std::vector<const Expr *> &loops) {
  if (!node) return;
  auto below = [&](const Expr *condition, std::vector<const Expr *> &conditions, std::vector<const Node *> bodies) {
    if (condition) conditions.push_back(condition);
    for (const Node *body : bodies) findConditions(body, branches, loops);
    if (condition) conditions.pop_back();
  };
  if (const auto *n = dyn<If>(node)) return below(n->cond, branches, {n->then, n->otherwise});
  if (const auto *n = dyn<Conditional>(node)) return below(n->cond, branches, {n->then, n->otherwise});
  if (const auto *n = dyn<While>(node)) return below(n->cond, loops, {n->body});
  if (const auto *n = dyn<DoWhile>(node)) return below(n->cond, loops, {n->body});
  if (const auto *n = dyn<For>(node)) {
    findConditions(n->init, branches, loops);
    return below(n->cond, loops, {n->step, n->body});
  }
  if (isa<Assign>(node) || isa<Unary>(node) || isa<Atomic>(node) || isa<Declare>(node))
    conditions_[node] = {branches, loops};
  for (const Node *child : children(*node)) findConditions(child, branches, loops);
}

Strides::Conditions Strides::between(const Declare &declare, const Expr &change) const {
  auto found = conditions_.find(&change), outer = conditions_.find(&declare);
  Conditions result = found == conditions_.end() ? Conditions{} : found->second;
  if (outer == conditions_.end()) return result;
  const auto drop = [](std::vector<const Expr *> &all, const std::vector<const Expr *> &shared) {
    all.erase(all.begin(), std::mismatch(all.begin(), all.end(), shared.begin(), shared.end()).first);
  };
  drop(result.branches, outer->second.branches);
  drop(result.loops, outer->second.loops);
  return result;
}

bool Strides::differs(const std::vector<const Expr *> &conditions, const Mover &mover) const {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const Expr *condition) { return !of(condition, mover).zero(); });
}

Step Strides::withScalar(const Expr *expr, const std::string &scalar) const {
  auto mover = scalars_.find(scalar);
  return mover == scalars_.end() ? Step::none() : of(expr, mover->second);
}

std::optional<std::int64_t> Strides::number(const Expr *expr) const {
  for (int fuel = 64; expr && fuel > 0; --fuel) {
    if (const IntLit *literal = dyn<IntLit>(expr)) return literal->value;
    if (const Cast *cast = dyn<Cast>(expr)) {
      expr = cast->operand;
      continue;
    }
    const VarRef *ref = dyn<VarRef>(expr);
    auto it = ref ? declared_.find(ref->name) : declared_.end();
    if (it == declared_.end() || changes_.count(ref->name) || it->second->tunable || !it->second->extents.empty())
      return {};
    expr = it->second->init;
  }
  return {};
}

/// By how much a variable grows in a change of itself; nothing where that is no sum.
static std::optional<std::pair<const Expr *, int>> growth(const Expr *change, const std::string &name) {
  static const std::pair<const Expr *, int> up{nullptr, 1}, down{nullptr, -1};
  if (const Unary *n = dyn<Unary>(change)) {
    if (n->op == UnaryOp::PreInc || n->op == UnaryOp::PostInc) return up;
    if (n->op == UnaryOp::PreDec || n->op == UnaryOp::PostDec) return down;
    return {};
  }
  const Assign *n = dyn<Assign>(change);
  if (!n) return {};
  if (n->op == AssignOp::Add) return std::pair{n->value, 1};
  if (n->op == AssignOp::Sub) return std::pair{n->value, -1};
  const Expr *value = withoutCasts(n->value);
  const Binary *sum = dyn<Binary>(value);
  if (n->op != AssignOp::Set || !sum) return {};
  const VarRef *left = variable(sum->lhs), *right = variable(sum->rhs);
  if (sum->op == BinaryOp::Add && left && left->name == name) return std::pair{sum->rhs, 1};
  if (sum->op == BinaryOp::Add && right && right->name == name) return std::pair{sum->lhs, 1};
  if (sum->op == BinaryOp::Sub && left && left->name == name) return std::pair{sum->rhs, -1};
  return {};
}

void Strides::loop(const Expr *step, const Block *body) {
  // What the loop changes, inner loops included.
  std::set<std::string> changed;
  std::map<std::string, std::vector<const Expr *>> here;
  auto collect = [&](const Node *tree) {
    walk(tree, [&](const Expr &e) {
      for (const auto &[name, changes] : changes_)
        if (std::find(changes.begin(), changes.end(), &e) != changes.end()) here[name].push_back(&e);
    });
  };
  collect(step);
  collect(body);
  // A variable that is declared within starts anew each turn: what it does in an inner loop is not this loop's.
  std::set<std::string> inner;
  walk(body, [&](const Declare &d) { inner.insert(d.name); });

  // Changed in an inner loop or on condition: a turn moves it who knows how far.
  std::set<const Node *> plain{step};
  for (const Stmt *stmt : body->stmts)
    if (const Evaluate *evaluate = dyn<Evaluate>(stmt)) plain.insert(evaluate->expr);

  Mover mover;
  for (const auto &[name, changes] : here) {
    if (inner.count(name)) continue;
    mover.variables[name] = Step::anything();
  }
  const Mover before = settled(mover);
  for (const auto &[name, changes] : here) {
    if (inner.count(name) || changes.size() != 1 || !plain.count(changes[0])) continue;
    auto grows = growth(changes[0], name);
    if (!grows) continue;
    if (!grows->first) {
      mover.variables[name] = Step::of(grows->second);
      continue;
    }
    if (of(grows->first, before).zero()) { // by the same each turn
      std::optional<std::int64_t> by = number(grows->first);
      mover.variables[name] = by ? Step::of(*by * grows->second) : Step::some();
    }
  }
  loops_.push_back(settled(std::move(mover)));
  if (step) visit(step);
  visit(body);
  loops_.pop_back();
}

void Strides::visit(const Node *node) {
  if (!node) return;
  // What is done for NaNs says little of how memory is accessed.
  if (const auto *n = dyn<If>(node); n && holdsForNaNs(n->cond)) return visit(n->otherwise);
  if (const auto *n = dyn<For>(node)) {
    visit(n->init);
    visit(n->cond);
    return loop(n->step, n->body);
  }
  if (const auto *n = dyn<While>(node)) {
    visit(n->cond);
    return loop(nullptr, n->body);
  }
  if (const auto *n = dyn<DoWhile>(node)) {
    loop(nullptr, n->body);
    return visit(n->cond);
  }
  if (const auto *n = dyn<Subscript>(node)) {
    const VarRef *base = dyn<VarRef>(n->base);
    if (base && parameters_.count(base->name) && !ranges_.count(base->name)) {
      IndexedAccess access{n, base->name, Stride::Zero, Stride::Zero, {}};
      if (!loops_.empty()) access.perIteration = ofAccess(*n, loops_.back()).stride();
      if (codelet_.coop) access.perLane = ofAccess(*n, lane_).stride();
      for (const auto &[scalar, mover] : scalars_) access.perScalar[scalar] = ofAccess(*n, mover);
      accesses_.push_back(std::move(access));
    }
  }
  for (const Node *child : children(*node)) visit(child);
}

Step Strides::ofAccess(const Subscript &subscript, const Mover &mover) const {
  Step result;
  for (std::size_t i = 0; i < subscript.indices.size(); ++i) {
    Step step = of(subscript.indices[i], mover);
    if (step.number && !step.irregular) // all but the last dimension move by whole rows
      step = Step::of(*step.number, static_cast<unsigned>(subscript.indices.size() - 1 - i)).wrapping(step.wraps);
    result = weakest(result, step);
  }
  return result;
}

/// How far apart neighbours leave a variable that is declared here, as far as is known of the other ones.
Step Strides::ofDeclared(const Declare &declare, const Mover &mover) const {
  Step start = declare.init && declare.extents.empty() ? of(declare.init, mover) : Step::none();
  auto changed = changes_.find(declare.name);
  if (changed == changes_.end()) return start;
  // Where each change adds the same in every turn, or every lane, neighbours stay as far apart as they started; unless
  // only some of them make it.
  for (const Expr *change : changed->second) {
    const Conditions conditions = between(declare, *change);
    if (differs(conditions.branches, mover)) return Step::anything();
    auto grows = growth(change, declare.name);
    if (!grows || (grows->first && !of(grows->first, mover).zero())) {
      const Assign *set = dyn<Assign>(change);
      bool same = set && set->op == AssignOp::Set && start.zero() && of(set->value, mover).zero() &&
                  !differs(conditions.loops, mover);
      if (!same) return Step::anything();
    }
  }
  return start;
}

/// Adds all variables that the mover does not know. They may depend on each other in a circle, so none is taken to move
/// until another one that does makes it; each is found to move further three times at most.
Strides::Mover Strides::settled(Mover mover) const {
  std::vector<const Declare *> open; // what stands further up mostly decides
  for (const Declare *declare : inOrder_)
    if (mover.variables.emplace(declare->name, Step::none()).second) open.push_back(declare);
  for (bool moved = true; moved;) {
    moved = false;
    for (const Declare *declare : open) {
      Step &known = mover.variables[declare->name], found = ofDeclared(*declare, mover);
      Step next = known.zero() || found.irregular ? found : found == known ? known : Step::some();
      if (known.irregular || next == known) continue;
      known = next;
      moved = true;
    }
  }
  return mover;
}

Step Strides::of(const Expr *expr, const Mover &mover) const {
  if (!expr) return Step::none();
  auto sub = [&](const Expr *e) { return of(e, mover); };
  auto number = [&](const Expr *e) { // names are the function's own
    const bool known = !mover.inCall || !any<VarRef>(e, [](const VarRef &) { return true; });
    return known ? this->number(e) : std::nullopt;
  };
  switch (exprKind(*expr)) {
  case ExprKind::CoopIdx: return mover.lane ? Step::of(1) : Step::none();
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(expr)->name;
    auto known = mover.variables.find(name);
    if (known != mover.variables.end()) return known->second;
    return mover.inCall || changes_.count(name) ? Step::anything() : Step::none();
  }
  case ExprKind::Call: { // std::min(i, n - 1) is i, but for a few
    constexpr unsigned kCalls = 8;
    const auto *n = as<Call>(expr);
    const Function *function = functionOfExpression(module_, *n);
    if (!function || mover.inCall == kCalls) break;
    Mover inside;
    inside.inCall = mover.inCall + 1;
    for (std::size_t i = 0; i < n->args.size(); ++i) inside.variables[function->params[i]->name] = sub(n->args[i]);
    return of(resultOf(*function), inside);
  }
  case ExprKind::Cast: return sub(as<Cast>(expr)->operand);
  case ExprKind::Subscript: { // of a range: a number that moves with its place
    const auto *n = as<Subscript>(expr);
    const VarRef *base = dyn<VarRef>(n->base);
    auto range = base ? ranges_.find(base->name) : ranges_.end();
    if (range == ranges_.end() || n->indices.size() != 1) break;
    const Step place = sub(n->indices[0]);
    const Step moved = range->second.number ? scaled(place, range->second.number)
                       : place.zero()       ? place
                                            : range->second;
    return mover.range == base->name ? moved + Step::of(1) : moved;
  }
  case ExprKind::Conditional: { // i < n ? i : n - 1 is i, but for a few
    const auto *n = as<Conditional>(expr);
    const Step then = sub(n->then), otherwise = sub(n->otherwise);
    if (then == otherwise || otherwise.zero()) return then;
    if (then.zero()) return otherwise;
    break;
  }
  case ExprKind::Unary: {
    const Unary *n = as<Unary>(expr);
    if (n->op == UnaryOp::Plus) return sub(n->operand);
    if (n->op == UnaryOp::Minus) return scaled(sub(n->operand), -1);
    bool counts =
        n->op == UnaryOp::PostInc || n->op == UnaryOp::PreInc || n->op == UnaryOp::PostDec || n->op == UnaryOp::PreDec;
    if (counts) return sub(n->operand);
    break;
  }
  case ExprKind::Binary: {
    const Binary *n = as<Binary>(expr);
    Step a = sub(n->lhs), b = sub(n->rhs);
    if (n->op == BinaryOp::Add) return a + b;
    if (n->op == BinaryOp::Sub) return a - b;
    // By a mask that all have in common neighbours change places within a block of them: x[i ^ m].
    if ((n->op == BinaryOp::Xor || n->op == BinaryOp::Or) && (a.zero() || b.zero())) return a.zero() ? b : a;
    if (const auto *by = dyn<FloatLit>(n->rhs); by && n->op == BinaryOp::Mul) return scaledBy(a, by->value);
    if (const auto *by = dyn<FloatLit>(n->lhs); by && n->op == BinaryOp::Mul) return scaledBy(b, by->value);
    if (n->op == BinaryOp::Mul && b.zero()) return scaled(a, number(n->rhs));
    if (n->op == BinaryOp::Mul && a.zero()) return scaled(b, number(n->lhs));
    if (n->op == BinaryOp::Shl && b.zero()) {
      std::optional<std::int64_t> by = number(n->rhs);
      return scaled(a, by && *by >= 0 && *by < 20 ? std::optional<std::int64_t>(1ll << *by) : std::nullopt);
    }
    if (b.zero()) {
      std::optional<std::int64_t> by = number(n->rhs);
      const VarRef *few = by || mover.inCall ? nullptr : variable(n->rhs);
      if (few && interleaved_.count(few->name)) by = kFew;
      if (std::optional<Step> step = divided(*n, a, by)) return *step;
    }
    break;
  }
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Assign:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  // Anything else does not move where none of its parts does; where one does, there is no telling how.
  for (const Node *child : children(*expr))
    if (const Expr *e = isa<Expr>(child) ? static_cast<const Expr *>(child) : nullptr)
      if (!sub(e).zero()) return Step::anything();
  return Step::none();
}

} // namespace tangram
