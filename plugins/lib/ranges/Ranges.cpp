#include "tangram/ranges/Ranges.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <limits>

namespace tangram::ranges {

using namespace ast;

namespace {

constexpr unsigned kRounds = 8;  // of bounds that rest on each other
constexpr unsigned kSteps = 400; // of one search for which of two is the greater
constexpr unsigned kDeep = 12;
constexpr Int kNone = std::numeric_limits<Int>::min() / 4;

bool isUnsigned(const Type &type) { return type.isInteger() && !type.isSigned(); }

/// All values of a type that are no more than 32 bits without a sign.
std::optional<Bound> ofType(const Type &type) {
  if (type.isBool()) return Bound(1);
  if (!isUnsigned(type) || type.bytes() > 4) return std::nullopt;
  return Bound(type.bytes() == 4 ? 4294967295.0 : type.bytes() == 2 ? 65535.0 : 255.0);
}

} // namespace

const Expr *core(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) {
    const Type &from = cast->operand->type;
    if (!e->type.isInteger() || e->type.isBool() || !isUnsigned(from) || e->type.bytes() < from.bytes()) break;
    if (e->type.isSigned() && e->type.bytes() == from.bytes()) break;
    e = cast->operand;
  }
  return e;
}

std::optional<Order> order(const Expr *cond, bool holds) {
  const auto *c = dyn<Binary>(cond);
  if (!c || !c->lhs->type.isInteger() || !c->rhs->type.isInteger()) return std::nullopt;
  switch (c->op) {
  case BinaryOp::Lt: return holds ? Order{c->lhs, c->rhs, true} : Order{c->rhs, c->lhs, false};
  case BinaryOp::Le: return holds ? Order{c->lhs, c->rhs, false} : Order{c->rhs, c->lhs, true};
  case BinaryOp::Gt: return holds ? Order{c->rhs, c->lhs, true} : Order{c->lhs, c->rhs, false};
  case BinaryOp::Ge: return holds ? Order{c->rhs, c->lhs, false} : Order{c->lhs, c->rhs, true};
  default: return std::nullopt;
  }
}

std::vector<const Expr *> conjuncts(const Expr *cond) {
  const auto *b = dyn<Binary>(cond);
  if (!b || b->op != BinaryOp::LogicalAnd) return cond ? std::vector{cond} : std::vector<const Expr *>{};
  std::vector<const Expr *> all = conjuncts(b->lhs), more = conjuncts(b->rhs);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// What `variable` is below in an iteration.
static std::optional<Order> limitOf(const Expr *cond, const std::string &variable) {
  for (const Expr *one : conjuncts(cond))
    if (std::optional<Order> o = order(one, true)) {
      const auto *v = dyn<VarRef>(core(o->low));
      if (v && v->name == variable) return o;
    }
  return std::nullopt;
}

/// How far one search may go, and what must not wrap around for its answer to hold.
struct Ranges::Search {
  unsigned steps = kSteps, depth = 0;
  Bound needs;
};

Ranges::Ranges(Arena &arena, const Kernel &kernel, const Launch &launch, const hardware::LaunchLevels &levels)
    : build_(arena), levels_(levels.ofGroups(launch.threads)), launch_(launch),
      assigned_(assignedVariables(kernel.body)), local_(declaredIn(launch.body)) {
  walk(kernel.body, [&](const Declare &d) {
    if (d.init && d.extents.empty() && !assigned_.count(d.name)) initialisers_[d.name] = d.init;
  });
  walk(
      launch.body,
      [&](const Unary &u) {
        const auto *v = dyn<VarRef>(u.operand);
        if (u.op == UnaryOp::AddressOf && v) taken_.insert(v->name);
      },
      [&](const Atomic &a) {
        if (const auto *v = dyn<VarRef>(a.target)) taken_.insert(v->name);
      });
  for (unsigned round = 0; round < kRounds && solve(); ++round) {
  }
}

// ---- variables -----------------------------------------------------------------------------------------

/// One round; whether there is something new of variables that change: others are known when they are declared.
bool Ranges::solve() {
  found_.clear();
  block(launch_.body);
  bool changed = false;
  for (const auto &[variable, bound] : found_)
    if (bound && assigned_.count(variable) && !taken_.count(variable))
      changed |= bounds_.try_emplace(variable, *bound).second;
  return changed;
}

void Ranges::becomes(const std::string &variable, std::optional<Bound> bound) {
  if (bound && !assigned_.count(variable)) bounds_.try_emplace(variable, *bound);
  auto [it, first] = found_.try_emplace(variable, bound);
  if (!first) it->second = it->second && bound ? std::optional(Bound::max(*it->second, *bound)) : std::nullopt;
}

void Ranges::changes(const Expr *target, AssignOp op, const Expr *value, const For *loop) {
  const auto *v = dyn<VarRef>(target);
  if (!v || !v->type.isInteger()) return;
  // In the step of a loop that nothing else changes the variable in, it was below the loop's end.
  std::optional<Bound> before;
  if (loop && !assignedVariables(loop->body).count(v->name))
    if (std::optional<Order> limit = limitOf(loop->cond, v->name)) before = upper(limit->high);
  std::optional<Bound> by = value ? upper(value) : Bound(1);
  switch (op) {
  case AssignOp::Set: return becomes(v->name, by);
  case AssignOp::Add: return becomes(v->name, before && by ? std::optional(*before + *by) : std::nullopt);
  case AssignOp::Mul: return becomes(v->name, before && by ? std::optional(*before * *by) : std::nullopt);
  case AssignOp::Shl: {
    std::optional<Int> by2 = literal(value);
    bool known = before && by2 && *by2 >= 0 && *by2 < 32;
    return becomes(v->name, known ? std::optional(before->scaled(static_cast<double>(Int{1} << *by2))) : std::nullopt);
  }
  case AssignOp::Div:
  case AssignOp::Rem:
  case AssignOp::Shr:
  case AssignOp::And:
    // No greater than before.
    if (!isUnsigned(v->type) || !isa<IntLit>(core(value))) becomes(v->name, std::nullopt);
    return;
  case AssignOp::Sub:
  case AssignOp::Or:
  case AssignOp::Xor: break;
  }
  return becomes(v->name, std::nullopt);
}

void Ranges::effects(const Expr *e, const For *loop) {
  if (!e) return;
  walk(
      e, [&](const Assign &a) { changes(a.target, a.op, a.value, &a == e ? loop : nullptr); },
      [&](const Unary &u) {
        if (u.op == UnaryOp::PreInc || u.op == UnaryOp::PostInc)
          changes(u.operand, AssignOp::Add, nullptr, &u == e ? loop : nullptr);
        if (u.op == UnaryOp::PreDec || u.op == UnaryOp::PostDec) changes(u.operand, AssignOp::Sub, nullptr, nullptr);
      });
}

void Ranges::block(const Block *body) {
  for (const Stmt *s : body->stmts) stmt(s);
}

void Ranges::stmt(const Stmt *s) {
  switch (stmtKind(*s)) {
  case StmtKind::Block: return block(as<Block>(s));
  case StmtKind::Declare: {
    const auto *d = as<Declare>(s);
    effects(d->init);
    if (d->extents.empty() && d->type.isInteger() && d->init) becomes(d->name, upper(d->init));
    return;
  }
  case StmtKind::Evaluate: return effects(as<Evaluate>(s)->expr);
  case StmtKind::If: {
    const auto *n = as<If>(s);
    effects(n->cond);
    assume(n->cond, true);
    block(n->then);
    pop();
    if (!n->otherwise) return;
    assume(n->cond, false);
    block(n->otherwise);
    return pop();
  }
  case StmtKind::For: {
    const auto *n = as<For>(s);
    if (n->init) stmt(n->init);
    effects(n->cond);
    enter(*n);
    block(n->body);
    effects(n->step, n);
    return pop();
  }
  case StmtKind::While:
    effects(as<While>(s)->cond);
    assume(as<While>(s)->cond, true);
    block(as<While>(s)->body);
    return pop();
  case StmtKind::DoWhile: block(as<DoWhile>(s)->body); return effects(as<DoWhile>(s)->cond);
  case StmtKind::Switch:
    effects(as<Switch>(s)->value);
    for (const Case *c : as<Switch>(s)->cases) block(c->body);
    return;
  case StmtKind::Loop: becomes(as<Loop>(s)->var, upper(as<Loop>(s)->end)); return block(as<Loop>(s)->body);
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
  case StmtKind::Sync:
  case StmtKind::Alloc:
  case TANGRAM_LOWERED_STMTS: // what else stands in a launch: its expressions may assign
    for (const Node *child : children(*s)) {
      if (isa<Expr>(child)) effects(as<Expr>(child));
      if (isa<Stmt>(child)) stmt(as<Stmt>(child));
    }
  }
}

std::optional<Bound> Ranges::upper(const std::string &variable) const {
  auto found = bounds_.find(variable);
  return found == bounds_.end() ? std::nullopt : std::optional(found->second);
}

// ---- bounds of expressions -------------------------------------------------------------------------------

std::optional<Bound> Ranges::upper(const Expr *e) const {
  if (!e->type.isInteger()) return std::nullopt;
  switch (exprKind(*e)) {
  case ExprKind::IntLit: {
    Int value = as<IntLit>(e)->value;
    if (e->type.isSigned() && value < 0) return std::nullopt;
    return Bound(static_cast<double>(static_cast<std::uint64_t>(value)));
  }
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(e)->name;
    auto limit = std::find_if(limits_.rbegin(), limits_.rend(), [&](const auto &l) { return l.first == name; });
    if (limit != limits_.rend()) return limit->second;
    if (std::optional<Bound> known = upper(name)) return known;
    if (local_.count(name) || assigned_.count(name) || !isUnsigned(e->type)) return ofType(e->type);
    return e->type.bytes() < 4 ? ofType(e->type) : Bound::atom(e);
  }
  case ExprKind::Binary: {
    std::optional<Bound> bound = binary(as<Binary>(e));
    return bound ? bound : ofType(e->type);
  }
  case ExprKind::Conditional: {
    std::optional<Bound> bound = conditional(as<Conditional>(e));
    return bound ? bound : ofType(e->type);
  }
  case ExprKind::Cast: return cast(as<Cast>(e));
  case ExprKind::WorkerIndex:
  case ExprKind::WorkerCount: {
    bool index = isa<WorkerIndex>(e);
    const std::string &within = index ? as<WorkerIndex>(e)->within : as<WorkerCount>(e)->within;
    const std::string &level = index ? as<WorkerIndex>(e)->level : as<WorkerCount>(e)->level;
    if (within == levels_.device->name) return upper(launch_.groups);
    std::uint64_t all = levels_.workers(within), each = std::max<std::uint64_t>(1, levels_.workers(level));
    return all ? std::optional(Bound(static_cast<double>(all / each - index))) : ofType(e->type);
  }
  case ExprKind::FloatLit:
  case ExprKind::Unary:
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::Subscript:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case ExprKind::Aligned:
  case ExprKind::Shuffle:
  case ExprKind::MatrixMultiply:
  case ExprKind::Transfer:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return ofType(e->type);
}

std::optional<Bound> Ranges::cast(const Cast *e) const {
  const Type &from = e->operand->type, &to = e->type;
  if (!from.isInteger()) return ofType(to);
  std::optional<Bound> bound = upper(e->operand);
  const auto *variable = dyn<VarRef>(e->operand);
  // Of the host's, a negative one is beyond every limit.
  if (!bound && variable && from.isSigned() && to == Type(Scalar::U64) && !local_.count(variable->name) &&
      !assigned_.count(variable->name))
    return Bound::atom(e);
  if (to.isSigned() && to.bytes() <= from.bytes() && bound) {
    std::optional<double> most = bound->constant();
    double last = to.bytes() == 8 ? 9.2e18 : to.bytes() == 4 ? 2147483647.0 : to.bytes() == 2 ? 32767.0 : 127.0;
    return most && *most <= last ? bound : std::nullopt;
  }
  if (!bound || to.bytes() < 4) return ofType(to); // of larger ones the bound says more
  return bound;
}

std::optional<Bound> Ranges::conditional(const Conditional *e) const {
  auto side = [&](const Expr *value, bool holds) {
    std::size_t before = facts_.size();
    addFacts(e->cond, holds);
    std::optional<Bound> bound = upper(value);
    // The lesser of two is at most either.
    std::optional<Order> o = order(e->cond, holds);
    if (o && !hasEffects(e->cond) && equal(core(o->low), core(value)))
      if (std::optional<Bound> other = upper(o->high)) bound = bound ? Bound::min(*bound, *other) : other;
    facts_.resize(before);
    return bound;
  };
  std::optional<Bound> then = side(e->then, true), otherwise = side(e->otherwise, false);
  if (!then || !otherwise) return std::nullopt;
  return Bound::max(*then, *otherwise);
}

std::optional<Bound> Ranges::binary(const Binary *e) const {
  std::optional<Bound> a = upper(e->lhs), b = upper(e->rhs);
  std::optional<Int> by = literal(e->rhs);
  switch (e->op) {
  case BinaryOp::Add: return a && b ? std::optional(*a + *b) : std::nullopt;
  case BinaryOp::Mul: return a && b ? std::optional(*a * *b) : std::nullopt;
  case BinaryOp::Sub: {
    Search search;
    if (!a || !atLeast(e->lhs, e->rhs, 0, search)) return std::nullopt;
    std::optional<double> most = a->constant();
    if (most && by) return Bound::max(Bound(*most - static_cast<double>(*by)), search.needs);
    return Bound::max(*a, search.needs);
  }
  case BinaryOp::Div:
    if (!a || (!isUnsigned(e->type) && !b)) return std::nullopt;
    return by && *by > 0 ? a->scaled(1.0 / static_cast<double>(*by)) : *a;
  case BinaryOp::Rem:
    if (by && *by > 0 && (a || isUnsigned(e->type))) {
      Bound rest(static_cast<double>(*by - 1));
      return a ? Bound::min(*a, rest) : rest;
    }
    return a && b ? std::optional(Bound::min(*a, *b)) : a;
  case BinaryOp::Shl:
    return a && by && *by >= 0 && *by < 32 ? std::optional(a->scaled(static_cast<double>(Int{1} << *by)))
                                           : std::nullopt;
  case BinaryOp::Shr:
    return a && by && *by >= 0 && *by < 63 ? std::optional(a->scaled(1.0 / static_cast<double>(Int{1} << *by))) : a;
  case BinaryOp::And: return a && b ? std::optional(Bound::min(*a, *b)) : a ? a : b;
  case BinaryOp::Or:
  case BinaryOp::Xor: return a && b ? std::optional(*a + *b) : std::nullopt;
  default: return ofType(e->type);
  }
}

// ---- which is the greater --------------------------------------------------------------------------------

/// Keeps its value while it can be mentioned.
bool Ranges::stays(const Expr *e) const {
  return !any<Expr>(e, [&](const Expr &part) {
    switch (exprKind(part)) {
    case ExprKind::IntLit:
    case ExprKind::Binary:
    case ExprKind::Conditional:
    case ExprKind::Cast:
    case ExprKind::WorkerIndex:
    case ExprKind::WorkerCount: return false;
    case ExprKind::VarRef: return assigned_.count(as<VarRef>(&part)->name) != 0;
    case ExprKind::FloatLit:
    case ExprKind::Unary:
    case ExprKind::Assign:
    case ExprKind::Call:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case ExprKind::Aligned:
    case ExprKind::Shuffle:
    case ExprKind::MatrixMultiply:
    case ExprKind::Transfer:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    return true;
  });
}

const Expr *Ranges::made(const std::string &variable) const {
  auto found = initialisers_.find(variable);
  return found == initialisers_.end() ? nullptr : found->second;
}

const Expr *Ranges::initialiser(const std::string &variable) const {
  const Expr *init = made(variable);
  return init && stays(init) ? init : nullptr;
}

void Ranges::addFacts(const Expr *cond, bool holds) const {
  if (const auto *variable = dyn<VarRef>(cond)) {
    if (const Expr *init = initialiser(variable->name)) addFacts(init, holds);
    return;
  }
  if (const auto *no = dyn<Unary>(cond); no && no->op == UnaryOp::Not) return addFacts(no->operand, !holds);
  const auto *b = dyn<Binary>(cond);
  if (!b) return;
  if (b->op == (holds ? BinaryOp::LogicalAnd : BinaryOp::LogicalOr)) {
    addFacts(b->lhs, holds);
    return addFacts(b->rhs, holds);
  }
  if (!stays(cond)) return;
  if (std::optional<Order> o = order(cond, holds)) {
    // A conversion to unsigned of what may be negative is another number.
    return facts_.push_back({core(o->low), core(o->high), o->strict ? 1 : 0});
  }
  if (!b->lhs->type.isInteger()) return;
  if (b->op == (holds ? BinaryOp::Eq : BinaryOp::Ne)) {
    facts_.push_back({core(b->lhs), core(b->rhs), 0});
    facts_.push_back({core(b->rhs), core(b->lhs), 0});
  } else if (b->op == (holds ? BinaryOp::Ne : BinaryOp::Eq) && isLiteral(b->rhs, 0) && isUnsigned(b->lhs->type)) {
    facts_.push_back({b->rhs, core(b->lhs), 1});
  }
}

void Ranges::assume(const Expr *cond, bool holds) {
  marks_.push_back({facts_.size(), limits_.size()});
  addFacts(cond, holds);
}

void Ranges::enter(const For &loop) {
  marks_.push_back({facts_.size(), limits_.size()});
  if (!loop.cond) return;
  addFacts(loop.cond, true);
  std::set<std::string> changed = assignedVariables(loop.body);
  for (const Expr *one : conjuncts(loop.cond)) {
    std::optional<Order> o = order(one, true);
    const auto *v = o ? dyn<VarRef>(core(o->low)) : nullptr;
    if (!v || changed.count(v->name) || taken_.count(v->name) || !isUnsigned(v->type)) continue;
    std::optional<Bound> end = upper(o->high);
    if (!end) continue;
    std::optional<double> most = end->constant();
    limits_.emplace_back(v->name, most && o->strict ? Bound(*most - 1) : *end);
  }
}

void Ranges::pop() {
  facts_.resize(marks_.back().facts);
  limits_.resize(marks_.back().limits, {"", Bound()});
  marks_.pop_back();
}

bool Ranges::atLeast(const Expr *a, const Expr *b, Int k) const {
  Search search;
  return atLeast(a, b, k, search);
}

/// The value is at least this.
Int Ranges::lower(const Expr *e, Search &search) const {
  e = core(e);
  if (std::optional<Int> value = literal(e)) return *value < 0 && !e->type.isSigned() ? 0 : *value;
  Int least = isUnsigned(e->type) ? 0 : kNone;
  if (search.steps == 0 || search.depth > kDeep) return least;
  --search.steps;
  ++search.depth;
  for (const Fact &f : facts_)
    if (std::optional<Int> value = literal(f.less); value && *value >= 0 && equal(f.greater, e))
      least = std::max(least, *value + f.k);
  if (const auto *v = dyn<VarRef>(e)) {
    if (const Expr *init = initialiser(v->name)) least = std::max(least, lower(init, search));
  } else if (const auto *b = dyn<Binary>(e)) {
    if (b->op == BinaryOp::Add) {
      Int sum = lower(b->lhs, search) + lower(b->rhs, search);
      std::optional<Bound> all = upper(e); // must not wrap around
      if (all && sum > least) {
        search.needs = Bound::max(search.needs, *all);
        least = sum;
      }
    }
    if (b->op == BinaryOp::Sub && atLeast(b->lhs, b->rhs, 1, search)) least = std::max<Int>(least, 1);
  } else if (const auto *c = dyn<Conditional>(e)) {
    std::size_t before = facts_.size();
    addFacts(c->cond, true);
    Int then = lower(c->then, search);
    facts_.resize(before);
    addFacts(c->cond, false);
    Int otherwise = lower(c->otherwise, search);
    facts_.resize(before);
    least = std::max(least, std::min(then, otherwise));
  }
  --search.depth;
  return least;
}

bool Ranges::atLeast(const Expr *a, const Expr *b, Int k, Search &search) const {
  a = core(a);
  b = core(b);
  if (k < kNone / 2 || search.steps == 0 || search.depth > kDeep) return false;
  --search.steps;
  if (std::optional<Int> value = literal(b))
    return *value >= 0 && *value < (Int{1} << 40) && lower(a, search) >= *value + k;
  if (equal(a, b) && !hasEffects(a)) return k <= 0 && stays(a);
  struct Deeper {
    Search &search;
    explicit Deeper(Search &s) : search(s) { ++search.depth; }
    ~Deeper() { --search.depth; }
  } deeper(search);
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const Fact f = facts_[i];
    if (!equal(f.greater, a)) continue;
    if (equal(f.less, b) ? f.k >= k : !isa<IntLit>(f.less) && atLeast(f.less, b, k - f.k, search)) return true;
  }
  auto cases = [&](const Conditional *c, auto &&each) {
    if (!stays(c)) return false;
    std::size_t before = facts_.size();
    addFacts(c->cond, true);
    bool holds = each(c->then);
    facts_.resize(before);
    if (!holds) return false;
    addFacts(c->cond, false);
    holds = each(c->otherwise);
    facts_.resize(before);
    return holds;
  };
  if (const auto *c = dyn<Conditional>(b))
    return cases(c, [&](const Expr *value) { return atLeast(a, value, k, search); });
  if (const auto *v = dyn<VarRef>(b))
    if (const Expr *init = initialiser(v->name); init && atLeast(a, init, k, search)) return true;
  if (const auto *d = dyn<Binary>(b); d && isUnsigned(d->type) && stays(d)) {
    if ((d->op == BinaryOp::Div || d->op == BinaryOp::Rem || d->op == BinaryOp::Shr) && atLeast(a, d->lhs, k, search))
      return true;
    if (d->op == BinaryOp::Sub && atLeast(d->lhs, d->rhs, 0, search) && atLeast(a, d->lhs, k, search)) return true;
  }
  if (const auto *c = dyn<Conditional>(a))
    return cases(c, [&](const Expr *value) { return atLeast(value, b, k, search); });
  if (const auto *v = dyn<VarRef>(a))
    if (const Expr *init = initialiser(v->name); init && atLeast(init, b, k, search)) return true;
  if (const auto *sum = dyn<Binary>(a); sum && sum->op == BinaryOp::Add && isUnsigned(sum->type) && stays(sum)) {
    std::optional<Bound> all = upper(a); // must not wrap around
    if (!all) return false;
    if (!atLeast(sum->lhs, b, k - lower(sum->rhs, search), search) &&
        !atLeast(sum->rhs, b, k - lower(sum->lhs, search), search))
      return false;
    search.needs = Bound::max(search.needs, *all);
    return true;
  }
  return false;
}

} // namespace tangram::ranges
