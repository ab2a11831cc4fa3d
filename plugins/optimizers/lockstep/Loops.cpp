// Loops. Lanes that all run the same iterations run them together. Where lanes leave at different times, the iterations
// that all of them have run first, without masks; what then is left runs for the lanes that still are in the loop.
#include "Counted.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Counted.h"

#include <algorithm>
#include <limits>

namespace tangram::lockstep {

using namespace ast;

namespace {

constexpr unsigned kPrefixDepth = 2;     // loops within each other that are written twice
constexpr std::size_t kPrefixSize = 600; // nodes of a loop that is
constexpr Int kWrittenOut = 4;           // iterations
constexpr std::size_t kWrittenOutSize = 150;

bool isUnsigned(const Type &type) { return type.isInteger() && !type.isSigned(); }

/// The variable below conversions that widen.
const VarRef *counterBelow(const Expr *e, bool &widened) {
  widened = false;
  while (const auto *cast = dyn<Cast>(e)) {
    const Type &from = cast->operand->type;
    if (!from.isInteger() || from.isBool() || !cast->type.isInteger() || from.bytes() > cast->type.bytes())
      return nullptr;
    if (from.bytes() < cast->type.bytes())
      widened = true;
    else if (from.isSigned() != cast->type.isSigned())
      return nullptr;
    e = cast->operand;
  }
  return dyn<VarRef>(e);
}

} // namespace

Lanes::Counted Lanes::counted(const Stmt *s) {
  Counted c;
  c.owner = s;
  if (const auto *node = dyn<For>(s)) {
    c.init = node->init;
    c.cond = node->cond;
    c.step = node->step;
    c.body = node->body;
  } else if (const auto *loop = dyn<While>(s)) {
    c.cond = loop->cond;
    c.body = loop->body;
  } else if (const auto *until = dyn<DoWhile>(s)) {
    c.cond = until->cond;
    c.body = until->body;
    c.bodyFirst = true;
  } else {
    const auto *counted = as<Loop>(s);
    const Expr *var = b().var(counted->var, counted->varType);
    c.init = b().declare(counted->var, counted->varType, counted->begin, false);
    c.cond = b().less(var, counted->end);
    c.step = arena_.make<Unary>(here_, counted->varType, UnaryOp::PreInc, var);
    c.body = counted->body;
  }
  c.assigned = assignedVariables(c.body);
  if (c.step) c.assigned.merge(assignedVariables(arena_.make<Evaluate>(here_, c.step)));
  return c;
}

void Lanes::loop(const Stmt *s) {
  if (const auto *node = dyn<Loop>(s); node && node->policy == Policy::Unroll && unroll(node)) return;
  Counted c = counted(s);
  // Variables of the header live in a block of their own.
  Stmts stmts = collect([&] { u_.divergent(s) ? apart(c) : together(c); });
  bool several = stmts.size() > 1;
  if (several)
    emit(b().block(std::move(stmts)));
  else
    for (const Stmt *one : stmts) emit(one);
}

/// A few iterations that are known, of little each, are written out: the fields of a record, which such a loop goes
/// through, are then next to each other. Whether it is such a loop.
bool Lanes::writtenOut(const Counted &c) {
  const auto *loop = dyn<For>(c.owner);
  const std::optional<loops::Counted> counts = loop ? loops::counted(arena_, loop) : std::nullopt;
  const std::optional<Int> begin = counts && counts->begin ? literal(counts->begin) : std::nullopt,
                           end = begin ? literal(counts->end) : std::nullopt,
                           step = end ? literal(counts->step) : std::nullopt;
  if (!step || *step != 1 || *end <= *begin || *end - *begin > kWrittenOut || jumpsOut(c.body) ||
      nodeCount(c.body) > kWrittenOutSize)
    return false;
  for (Int turn = *begin; turn < *end; ++turn) {
    env_[counts->variable] = {Binding::Kind::Value, "", b().integer(counts->type, turn), 0, false, nullptr};
    block(c.body);
    walk(c.body, [&](const Declare &d) { env_.erase(d.name); }); // the next turn has variables of its own
  }
  return true;
}

void Lanes::together(const Counted &c) {
  if (writtenOut(c)) return;
  if (const auto *node = dyn<Loop>(c.owner)) {
    std::string own = nameFor(node->var);
    const Expr *begin = uniform(node->begin), *end = uniform(node->end);
    env_[node->var] = {Binding::Kind::Scalar, own, nullptr, 0, false, nullptr};
    jumping_.push_back({c.owner, nullptr, nullptr, false});
    Stmts body = collect([&] { block(node->body); });
    jumping_.pop_back();
    Policy policy = node->policy == Policy::Distribute ? Policy::Serialize : node->policy;
    emit(arena_.derive(node, [&](Loop &copy) {
      copy.var = own;
      copy.begin = begin;
      copy.end = end;
      copy.policy = policy;
      copy.body = b().block(std::move(body));
    }));
    return;
  }
  Stmts before = collect([&] { header(c); });
  jumping_.push_back({c.owner, nullptr, nullptr, false});
  Stmts body = collect([&] { block(c.body); });
  jumping_.pop_back();
  const Block *inside = b().block(std::move(body));
  const Expr *cond = c.cond ? uniform(c.cond) : nullptr;
  if (isa<While>(c.owner)) return emit(arena_.make<While>(here_, cond, inside));
  if (isa<DoWhile>(c.owner)) return emit(arena_.make<DoWhile>(here_, inside, cond));
  const Stmt *init = nullptr;
  if (!before.empty()) {
    init = before.back();
    before.pop_back();
    for (const Stmt *s : before) emit(s);
    // One declaration fits a header.
    bool fits = isa<Declare>(init) || isa<Evaluate>(init);
    if (!fits) emit(std::exchange(init, nullptr));
  }
  emit(arena_.make<For>(here_, init, cond, stepOf(c), inside));
}

/// The variables of the header. A counter that starts side by side in the lanes and moves by the same in all of them is
/// one scalar.
void Lanes::header(const Counted &c) {
  if (!c.init) return;
  const auto *d = dyn<Declare>(c.init);
  std::set<std::string> inBody = assignedVariables(c.body);
  auto movesTogether = [&](const std::string &name) {
    if (!c.step || inBody.count(name)) return false;
    bool together = true;
    walk(
        c.step,
        [&](const Assign &a) {
          const auto *v = dyn<VarRef>(a.target);
          if (v && v->name == name)
            together &= (a.op == AssignOp::Add || a.op == AssignOp::Sub) && !u_.varying(a.value);
        },
        [&](const Conditional &) { together = false; });
    return together;
  };
  if (d && u_.varying(d->name) && d->init && d->extents.empty() && movesTogether(d->name)) {
    if (std::optional<Affine> a = affine(d->init)) {
      std::string own = nameFor(d->name);
      emit(b().declare(own, d->type, a->base, false));
      env_[d->name] = {Binding::Kind::Affine, "", b().var(own, d->type), a->step, false, nullptr};
      env_[d->name].exact = d->type.bytes() == 8 || (a->exact && d->type.isSigned());
      return;
    }
  }
  stmt(c.init);
}

const Expr *Lanes::stepOf(const Counted &c) {
  if (!c.step) return nullptr;
  const Expr *step = nullptr;
  for (const Stmt *s : collect([&] { effect(c.step); })) {
    const auto *one = dyn<Evaluate>(s);
    if (!one) unsupported(c.step, "the step of a loop in several statements");
    step = step ? arena_.make<Binary>(here_, one->expr->type, BinaryOp::Comma, step, one->expr) : one->expr;
  }
  return step;
}

void Lanes::apart(const Counted &c) {
  header(c);
  std::map<std::string, Binding> saved = env_;
  bool leftTogether = leavesTogether(c);
  bool anywhere = true;
  if (prefix(c, anywhere)) {
    if (leftTogether && anywhere) return;
    env_ = std::move(saved);
  }
  if (monotone(c))
    remainder(c);
  else
    whileLive(c);
}

/// for (i = begin + lane * k; i < end; i += step) of numbers that are known: whether all lanes make as many iterations.
bool Lanes::leavesTogether(const Counted &c) {
  const auto *d = dyn<Declare>(c.init);
  const auto *test = dyn<Binary>(c.cond);
  if (!d || !d->init || !test || test->op != BinaryOp::Lt || assignedVariables(c.body).count(d->name)) return false;
  bool widened = false;
  const VarRef *counter = counterBelow(test->lhs, widened);
  auto it = counter && counter->name == d->name ? env_.find(d->name) : env_.end();
  if (it == env_.end() || it->second.kind != Binding::Kind::Affine || it->second.step < 0) return false;
  std::optional<Affine> start = affine(d->init);
  std::optional<Int> begin = start ? known_(start->base) : std::nullopt, end = known_(test->rhs), step;
  const auto *unary = dyn<Unary>(c.step);
  const auto *assign = dyn<Assign>(c.step);
  if (unary && (unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc)) step = 1;
  if (assign && assign->op == AssignOp::Add && isa<VarRef>(assign->target)) step = known_(assign->value);
  constexpr Int kFar = 1 << 30; // far from where anything wraps around
  if (!begin || !end || !step || *step <= 0 || *begin < 0 || *begin > kFar || *end > kFar || *step > kFar) return false;
  auto trips = [&](Int first) { return first < *end ? (*end - first + *step - 1) / *step : 0; };
  return it->second.step <= kFar / static_cast<Int>(lanes_) &&
         trips(*begin) == trips(*begin + it->second.step * static_cast<Int>(lanes_ - 1));
}

/// A value that no iteration changes and that costs nothing to ask for early.
bool Lanes::usable(const Expr *bound, const Counted &c) const {
  return !hasEffects(bound) && !contains<Subscript>(bound) && !contains<Call>(bound) &&
         !ast::any<Unary>(bound, [](const Unary &u) { return u.op == UnaryOp::Deref; }) &&
         !ast::any<VarRef>(bound, [&](const VarRef &v) { return c.assigned.count(v.name) != 0; });
}

/// A condition `i < bound` with an `i` that all lanes share and that goes up by one: a lane that is out stays out.
bool Lanes::monotone(const Counted &c) const {
  const auto *test = dyn<Binary>(c.cond);
  if (!test || c.bodyFirst || u_.parts(c.owner) || !c.step) return false;
  const Expr *counter = test->lhs, *bound = test->rhs;
  if (test->op == BinaryOp::Gt)
    std::swap(counter, bound);
  else if (test->op != BinaryOp::Lt)
    return false;
  bool widened = false;
  const VarRef *v = counterBelow(counter, widened);
  if (!v || widened || u_.varying(counter) || !usable(bound, c)) return false;
  const auto *step = dyn<Unary>(c.step);
  bool up = step && (step->op == UnaryOp::PreInc || step->op == UnaryOp::PostInc);
  const auto *moved = up ? dyn<VarRef>(step->operand) : nullptr;
  return moved && moved->name == v->name && !assignedVariables(c.body).count(v->name);
}

void Lanes::remainder(const Counted &c) {
  const Expr *cond = nullptr;
  Stmts before = collect([&] { cond = spread(truth(c.cond)); });
  if (!before.empty()) return whileLive(c);
  const Expr *all = both(mask_, cond);
  Stmts body = collect([&] {
    const Expr *active = constant("active", all);
    jumping_.push_back({c.owner, nullptr, nullptr, false});
    masked(active, [&] { block(c.body); });
    jumping_.pop_back();
  });
  emit(arena_.make<For>(here_, nullptr, any(all), stepOf(c), b().block(std::move(body))));
}

void Lanes::whileLive(const Counted &c) {
  bool parts = u_.parts(c.owner);
  auto mutableMask = [&](const std::string &hint, const Expr *init) {
    std::string name = names_.fresh(hint);
    emit(b().declare(name, maskType(), init, false));
    return b().var(name, maskType());
  };
  const Expr *live = mutableMask("live", mask_ ? mask_ : spread(b().boolean(true)));
  auto test = [&] {
    if (!c.cond) return;
    const Expr *cond = masked(live, [&] { return spread(truth(c.cond)); });
    emit(b().assign(live, both(live, cond)));
    emit(b().when(b().logicalNot(any(live)), {arena_.make<Break>(here_)}));
  };
  const Expr *step = nullptr;
  bool plainContinue = !parts && contains<Continue>(c.body);
  Stmts body = collect([&] {
    if (!c.bodyFirst) test();
    const Expr *run = parts ? mutableMask("run", live) : nullptr;
    jumping_.push_back({c.owner, live, run, false});
    // In a block of its own: its variables end in front of the condition.
    Stmts inside = collect([&] { masked(parts ? run : live, [&] { block(c.body); }); });
    jumping_.pop_back();
    for (const Stmt *s : inside) emit(s);
    if (parts && !c.bodyFirst) // nobody may be left to ask the condition or to step
      emit(b().when(b().logicalNot(any(live)), {arena_.make<Break>(here_)}));
    if (c.bodyFirst) {
      if (plainContinue) unsupported(c.owner, "continue in a do loop");
      test();
    }
    masked(live, [&] { step = stepOf(c); });
  });
  emit(arena_.make<For>(here_, nullptr, nullptr, step, b().block(std::move(body))));
}

/// Conditions under which variables that are used in indices start side by side; null: none is asked for.
const Expr *Lanes::contiguous(const Counted &c, Assumed &assumed) {
  std::set<std::string> inIndices;
  std::function<void(const Expr *)> collectFrom = [&](const Expr *index) {
    walk(index, [&](const VarRef &v) {
      if (!inIndices.insert(v.name).second) return;
      // Variables of the loop itself are made of those in front of it.
      const Expr *init = env_.count(v.name) && !c.assigned.count(v.name) ? nullptr : u_.initialiser(v.name);
      if (init) collectFrom(init);
    });
  };
  walk(c.body, [&](const Subscript &s) {
    for (const Expr *index : s.indices) collectFrom(index);
    if (u_.varying(s.base)) collectFrom(s.base);
  });
  const Expr *condition = nullptr;
  for (const std::string &name : inIndices) {
    auto it = env_.find(name);
    if (it == env_.end() || it->second.kind != Binding::Kind::Vector) continue;
    const Expr *init = u_.fixed(name) ? u_.initialiser(name) : nullptr;
    if (!init || !init->type.isInteger() || init->type.bytes() < 4) continue;
    std::optional<Int> step = likelyStep(init);
    if (!step || *step < 0 || *step > 1) continue;
    const Expr *&first = assumed.asked[it->second.name];
    if (!first) {
      const Expr *all = b().var(it->second.name, vec(init->type));
      first = constant(name + "_0", arena_.make<VectorLane>(here_, init->type, all, b().u64(0)));
      const Expr *expected = materialise({first, *step, true}, init->type);
      const Expr *together = reduce(ReduceOp::All, arithmetic(BinaryOp::Eq, all, expected, init->type), Scalar::Bool);
      condition = condition ? b().both(condition, together) : together;
    }
    assumed.bindings.push_back({name, {Binding::Kind::Affine, "", first, *step, true, nullptr}});
  }
  return condition;
}

bool Lanes::prefix(const Counted &c, bool &anywhere) {
  if (mask_ || c.bodyFirst || !c.cond || u_.parts(c.owner) || prefixes_ >= kPrefixDepth || hasEffects(c.cond) ||
      nodeCount(c.body) > kPrefixSize)
    return false;
  Assumed assumed;
  Stmts before;
  const Expr *guard = nullptr, *cond = nullptr;
  before = collect([&] { guard = contiguous(c, assumed); });
  Stmts bounds = collect([&] {
    const auto *test = dyn<Binary>(c.cond);
    if (test && isOrdering(test->op) && u_.varying(test->lhs) != u_.varying(test->rhs)) {
      bool left = u_.varying(test->lhs);
      const Expr *varying = left ? test->lhs : test->rhs, *same = left ? test->rhs : test->lhs;
      BinaryOp op = left ? test->op : mirrored(test->op); // varying op same
      bool below = op == BinaryOp::Lt || op == BinaryOp::Le;

      // All lanes together know how far they go: as far as the first of them that leaves.
      if (usable(varying, c)) {
        const Expr *bound = reduce(below ? ReduceOp::Max : ReduceOp::Min, vector(varying), varying->type);
        bound = constant("trip", bound);
        cond = arena_.make<Binary>(here_, Type(Scalar::Bool), mirrored(op), uniform(same), bound);
        return;
      }
      // A counter that differs from lane to lane: as far as its last lane goes.
      bool widened = false;
      const VarRef *counter = counterBelow(varying, widened);
      auto it = counter ? env_.find(counter->name) : env_.end();
      if (it != env_.end() && it->second.kind == Binding::Kind::Affine && it->second.step > 0 && below &&
          usable(same, c)) {
        const Type type = same->type;
        const Expr *k = b().integer(type, it->second.step * static_cast<Int>(lanes_ - 1));
        const Expr *bound = uniform(same);
        if (!isa<VarRef>(bound) && !isa<IntLit>(bound)) bound = constant("bound", bound);
        if (widened && isUnsigned(counter->type) && type.bytes() == 8)
          bound = constant("bound", b().min(bound, b().integer(type, Int{1} << 32)));
        bool reached = op == BinaryOp::Le;
        const Expr *least = isUnsigned(type)
                                ? b().integer(type, 0)
                                : b().integer(type, type.bytes() == 8 ? std::numeric_limits<std::int64_t>::min()
                                                                      : std::numeric_limits<std::int32_t>::min());
        const Expr *enough = b().binary(reached ? BinaryOp::Ge : BinaryOp::Gt, bound, b().add(least, k));
        const Expr *full = b().sub(bound, k);
        if (reached) full = b().add(full, b().integer(type, 1));
        full = constant("full", b().select(enough, full, least));
        cond = b().less(b().cast(type, it->second.base), full);
        Binding exact = it->second;
        exact.exact = true;
        assumed.bindings.push_back({counter->name, exact});
        return;
      }
    }
  });
  std::map<std::string, Binding> outer = env_;
  for (const auto &[name, binding] : assumed.bindings) env_[name] = binding;
  Stmts unmasked = collect([&] {
    if (!cond) {
      Stmts none = collect([&] { cond = reduce(ReduceOp::All, spread(truth(c.cond)), Scalar::Bool); });
      if (!none.empty()) cond = nullptr;
      if (!cond) return;
    }
    ++prefixes_;
    jumping_.push_back({c.owner, nullptr, nullptr, false});
    Stmts body = collect([&] { block(c.body); });
    jumping_.pop_back();
    --prefixes_;
    emit(arena_.make<For>(here_, nullptr, cond, stepOf(c), b().block(std::move(body))));
  });
  env_ = std::move(outer);
  if (unmasked.empty()) return true;
  anywhere = !guard;
  for (const Stmt *s : before) emit(s);
  if (guard) {
    bounds.insert(bounds.end(), unmasked.begin(), unmasked.end());
    emit(b().when(guard, std::move(bounds)));
  } else {
    for (const Stmt *s : bounds) emit(s);
    for (const Stmt *s : unmasked) emit(s);
  }
  return true;
}

} // namespace tangram::lockstep
