#include "Intervals.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"

#include <algorithm>
#include <limits>

namespace tangram::integer_narrowing {

using namespace ast;

namespace {

constexpr Int kFar = Int{1} << 40; // beyond it nothing is told apart from what a type holds
constexpr unsigned kRounds = 8;

bool isCandidate(const Type &type) { return type.isInteger() && type.bytes() == 4; }

Interval times(const Interval &a, const Interval &b) {
  const Int ends[] = {a.from * b.from, a.from * b.to, a.to * b.from, a.to * b.to};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Interval within(const Type &type, const Interval &range) {
  const Interval all = ofType(type);
  return range.from < all.from || range.to > all.to ? all : range; // it wraps around
}

} // namespace

Interval hull(const Interval &a, const Interval &b) { return {std::min(a.from, b.from), std::max(a.to, b.to)}; }

Interval ofType(const Type &type) {
  if (type.isBool()) return {0, 1};
  const unsigned bits = 8 * type.bytes();
  if (bits >= 64) return {-kFar - 1, kFar + 1};
  return type.isSigned() ? Interval{-(Int{1} << (bits - 1)), (Int{1} << (bits - 1)) - 1}
                         : Interval{0, (Int{1} << bits) - 1};
}

std::optional<Type> narrowestFor(const Interval &all) {
  for (Scalar scalar : {Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16}) {
    const Interval held = ofType(scalar);
    if (held.from <= all.from && all.to <= held.to) return Type(scalar);
  }
  return {};
}

Intervals::Intervals(Arena &arena, const Block *body) : arena_(arena) {
  collect(body, 1);
  // Used in another way than this knows of.
  std::map<std::string, std::size_t> known, found;
  for (const auto &[name, updates] : updates_) known[name] = updates.size();
  const std::set<std::string> assigned = assignedVariables(body);
  walk(
      body,
      [&](const Assign &a) {
        if (const auto *v = dyn<VarRef>(a.target)) ++found[v->name];
      },
      [&](const Unary &u) {
        const auto *v = dyn<VarRef>(u.operand);
        if (v && (hasEffects(&u) || u.op == UnaryOp::AddressOf)) ++found[v->name];
      });
  std::erase_if(declared_, [&](const auto &entry) {
    const std::string &name = entry.first;
    return found[name] != known[name] || (assigned.count(name) && !known[name]) || counters_.count(name);
  });
  for (const auto &[name, _] : declared_) {
    const Expr *init = initials_.at(name)->init;
    variables_[name] = init ? of(init) : Interval{};
  }
  for (unsigned round = 0; !settle(round < kRounds); ++round) {
  }
}

/// Whether nothing has changed. Intervals grow until they are what comes out of themselves, or of all that a type
/// holds.
bool Intervals::settle(bool mayGrow) {
  bool same = true;
  for (auto at = variables_.begin(); at != variables_.end();) {
    const std::optional<Interval> now = after(at->first);
    const Interval all = ofType(initials_.at(at->first)->type);
    const bool grows = !now || now->from != at->second.from || now->to != at->second.to;
    same = same && !grows;
    if (!now || now->from < all.from || now->to > all.to || (grows && !mayGrow)) {
      at = variables_.erase(at);
      continue;
    }
    at->second = *now;
    ++at;
  }
  return same;
}

/// Of a variable, after all of its updates.
std::optional<Interval> Intervals::after(const std::string &variable) const {
  const Expr *init = initials_.at(variable)->init;
  Interval start = init ? of(init) : Interval{}, sum, all;
  auto updates = updates_.find(variable);
  if (updates == updates_.end()) return start;
  for (const Update &u : updates->second)
    if (u.op == AssignOp::Set) start = hull(start, of(u.value));
  all = start;
  for (const Update &u : updates->second) {
    if (u.op == AssignOp::Set) continue;
    if (u.times == 0) return {};
    Interval one = u.value ? of(u.value) : Interval{1, 1};
    all = hull(all, one);
    if (u.op == AssignOp::Sub) one = {-one.to, -one.from};
    sum.from += std::min<Int>(0, one.from) * u.times;
    sum.to += std::max<Int>(0, one.to) * u.times;
    if (std::abs(sum.from) > kFar || sum.to > kFar) return {};
  }
  return hull(all, {start.from + sum.from, start.to + sum.to});
}

void Intervals::collect(const Node *node, Int times) {
  auto update = [&](const Expr *target, AssignOp op, const Expr *value) {
    const auto *v = dyn<VarRef>(target);
    auto at = v ? declared_.find(v->name) : declared_.end();
    if (at == declared_.end()) return;
    if (op != AssignOp::Set && op != AssignOp::Add && op != AssignOp::Sub) return;
    updates_[v->name].push_back({value, op, times && at->second ? (times + at->second - 1) / at->second : 0});
  };
  if (const auto *d = dyn<Declare>(node)) {
    if (isCandidate(d->type) && d->extents.empty() && !d->shared && !d->tunable) {
      declared_[d->name] = times;
      initials_[d->name] = d;
    }
  } else if (const auto *s = dyn<Evaluate>(node)) {
    if (const auto *assign = dyn<Assign>(s->expr)) update(assign->target, assign->op, assign->value);
    const auto *unary = dyn<Unary>(s->expr);
    if (unary && (unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc))
      update(unary->operand, AssignOp::Add, nullptr);
    if (unary && (unary->op == UnaryOp::PreDec || unary->op == UnaryOp::PostDec))
      update(unary->operand, AssignOp::Sub, nullptr);
  } else if (const auto *s = dyn<Stmt>(node); s && loops::isLoop(*s)) {
    const std::optional<loops::Counted> loop = loops::counted(arena_, s);
    auto number = [&](const Expr *e, Int other) { return e ? literal(e).value_or(other) : other; };
    const Int begin = number(loop ? loop->begin : nullptr, kFar), end = number(loop ? loop->end : nullptr, kFar),
              step = number(loop ? loop->step : nullptr, 0);
    const bool known = std::abs(begin) < kFar && std::abs(end) < kFar && step > 0;
    const Int trips = known ? std::max<Int>(0, (end - begin + step - 1) / step) : 0;
    if (trips > 0) counters_[loop->variable] = {begin, begin + (trips - 1) * step};
    const auto *counting = dyn<For>(s);
    if (const auto *d = counting ? dyn<Declare>(counting->init) : nullptr; d && !counters_.count(d->name))
      counters_[d->name] = ofType(d->type);
    for (const Node *child : children(*s)) collect(child, trips && times && trips < kFar / times ? times * trips : 0);
    return;
  }
  if (isa<Expr>(node)) return;
  for (const Node *child : children(*node)) collect(child, times);
}

Interval Intervals::of(const Expr *e) const {
  const Interval all = ofType(e->type);
  switch (exprKind(*e)) {
  case ExprKind::IntLit: return {as<IntLit>(e)->value, as<IntLit>(e)->value};
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(e)->name;
    for (const auto *known : {&variables_, &counters_})
      if (auto found = known->find(name); found != known->end()) return found->second;
    return all;
  }
  case ExprKind::Cast: {
    const Expr *from = as<Cast>(e)->operand;
    return from->type.isInteger() ? within(e->type, of(from)) : all;
  }
  case ExprKind::Conditional: return hull(of(as<Conditional>(e)->then), of(as<Conditional>(e)->otherwise));
  case ExprKind::Binary: return e->type.isBool() ? Interval{0, 1} : binary(as<Binary>(e));
  case ExprKind::Unary: {
    const auto *unary = as<Unary>(e);
    if (unary->op != UnaryOp::Minus) return all;
    const Interval of_ = of(unary->operand);
    return within(e->type, {-of_.to, -of_.from});
  }
  case ExprKind::FloatLit:
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
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return all;
}

Interval Intervals::binary(const Binary *e) const {
  const Interval a = of(e->lhs), b = of(e->rhs), all = ofType(e->type);
  for (const Interval &one : {a, b})
    if (one.from < -kFar || one.to > kFar) return all;
  switch (e->op) {
  case BinaryOp::Add: return within(e->type, {a.from + b.from, a.to + b.to});
  case BinaryOp::Sub: return within(e->type, {a.from - b.to, a.to - b.from});
  case BinaryOp::Mul: {
    constexpr Int kRoot = Int{1} << 31;
    for (const Interval &one : {a, b})
      if (one.from <= -kRoot || one.to >= kRoot) return all;
    return within(e->type, times(a, b));
  }
  case BinaryOp::And:
    if (a.from >= 0 && b.from >= 0) return {0, std::min(a.to, b.to)};
    [[fallthrough]];
  case BinaryOp::Or:
  case BinaryOp::Xor: { // of as many bits as both have
    const Interval both = hull(a, b);
    Int most = 1;
    while (most <= both.to || -most > both.from) most *= 2;
    return {both.from < 0 ? -most : 0, most - 1};
  }
  case BinaryOp::Shr: {
    const std::optional<Int> by = literal(e->rhs);
    return by && *by >= 0 && *by < 32 ? Interval{a.from >> *by, a.to >> *by} : all;
  }
  case BinaryOp::Shl: {
    const std::optional<Int> by = literal(e->rhs);
    return by && *by >= 0 && *by < 20 && a.from >= 0 ? within(e->type, {a.from << *by, a.to << *by}) : all;
  }
  case BinaryOp::Div: {
    const std::optional<Int> by = literal(e->rhs);
    return by && *by > 0 ? Interval{a.from / *by, a.to / *by} : all;
  }
  default: return all;
  }
}

} // namespace tangram::integer_narrowing
