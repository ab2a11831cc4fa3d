// Unrolled loops: the iterations, which are independent, are written side by side, statement by statement, so that each
// has registers of its own and the machine has several of them in flight. Loops within them become one loop as long as
// all of them run.
#include "Counted.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::lockstep {

using namespace ast;

namespace {

constexpr Int kMostCopies = 16;
constexpr std::size_t kMostNodes = 4000; // of all copies together

} // namespace

bool Lanes::unroll(const Loop *loop) {
  std::optional<Int> begin = known_(loop->begin), end = known_(loop->end);
  if (!begin || !end || u_.divergent(loop)) return false;
  Int trip = *end > *begin ? *end - *begin : 0;
  if (trip < 1 || trip > kMostCopies || nodeCount(loop->body) * static_cast<std::size_t>(trip) > kMostNodes)
    return false;
  // A jump to the loop itself has nowhere to go.
  if (u_.parts(loop)) return false;
  if (jumpsOut(loop->body)) return false;

  std::vector<Env> copies(static_cast<std::size_t>(trip), env_);
  for (Int u = 0; u < trip; ++u) {
    const Expr *index = b().integer(loop->varType, *begin + u);
    copies[static_cast<std::size_t>(u)][loop->var] = {Binding::Kind::Value, "", index, 0, true, nullptr};
  }
  Stmts stmts = collect([&] { interleaved(loop->body, copies); });
  if (!stmts.empty()) emit(b().block(std::move(stmts)));
  return true;
}

void Lanes::interleaved(const Block *body, std::vector<Env> &copies) {
  Env outer = env_;
  for (const Stmt *s : body->stmts) {
    if (const auto *inner = dyn<Block>(s)) {
      interleaved(inner, copies);
      continue;
    }
    if (fused(s, copies)) continue;
    const auto *d = dyn<Declare>(s);
    bool shareable = d && d->init && d->extents.empty() && u_.fixed(d->name) && !hasEffects(d->init);
    const Declare *first = nullptr;
    Binding common;
    for (Env &copy : copies) {
      std::swap(env_, copy);
      Stmts own = collect([&] { stmt(s); });
      // What is the same in all copies is one.
      const auto *declared = shareable && own.size() == 1 ? dyn<Declare>(own[0]) : nullptr;
      if (declared && first && declared->type == first->type && equal(declared->init, first->init)) {
        env_[d->name] = common;
      } else {
        for (const Stmt *one : own) emit(one);
      }
      if (declared && !first) {
        first = declared;
        common = env_[d->name];
      }
      std::swap(env_, copy);
    }
  }
  env_ = std::move(outer);
}

/// A loop that counts by one from the same start in all copies, to a bound of each copy's own.
bool Lanes::fused(const Stmt *s, std::vector<Env> &copies) {
  if (mask_ || copies.size() < 2 || prefixes_ > 1 || (!isa<For>(s) && !isa<Loop>(s))) return false;
  if (const auto *inner = dyn<Loop>(s); inner && inner->policy == Policy::Unroll) return false;
  Counted c = counted(s);
  const auto *d = dyn<Declare>(c.init);
  if (!d || !d->init || u_.varying(d->name) || !d->extents.empty() || hasEffects(d->init) || !monotone(c)) return false;
  // Break and continue of all lanes of one copy are not those of all copies.
  if (jumpsOut(c.body)) return false;
  auto inEach = [&](auto &&f) {
    for (Env &copy : copies) {
      std::swap(env_, copy);
      f();
      std::swap(env_, copy);
    }
  };
  std::vector<const Expr *> starts;
  inEach([&] { starts.push_back(uniform(d->init)); });
  if (std::any_of(starts.begin(), starts.end(), [&](const Expr *e) { return !equal(e, starts[0]); })) return false;

  const auto *test = as<Binary>(c.cond);
  const Expr *bound = test->op == BinaryOp::Lt ? test->rhs : test->lhs;
  const Type &type = bound->type;
  const Expr *trip = nullptr, *guard = nullptr;
  Assumed assumed;
  std::vector<std::size_t> ends; // of each copy's assumptions
  Stmts before = collect([&] {
    std::vector<const Expr *> bounds;
    inEach([&] {
      const Expr *own = value(bound);
      own = own->type.isVector() ? reduce(ReduceOp::Min, own, type) : own;
      // Most copies run equally often: ask once.
      if (std::any_of(bounds.begin(), bounds.end(), [&](const Expr *e) { return equal(e, own); })) return;
      bounds.push_back(own);
      own = isa<VarRef>(own) || isa<IntLit>(own) ? own : constant("trip", own);
      trip = trip ? constant("trip", b().min(trip, own)) : own;
    });
    inEach([&] {
      if (const Expr *own = contiguous(c, assumed)) guard = guard ? b().both(guard, own) : own;
      ends.push_back(assumed.bindings.size());
    });
  });

  std::string counter = nameFor(d->name);
  emit(b().declare(counter, d->type, starts[0], false));
  for (const Stmt *stmt : before) emit(stmt);
  std::vector<Env> together = copies;
  for (std::size_t u = 0; u < copies.size(); ++u) {
    for (std::size_t i = u ? ends[u - 1] : 0; i < ends[u]; ++i)
      together[u][assumed.bindings[i].first] = assumed.bindings[i].second;
    together[u][d->name] = {Binding::Kind::Scalar, counter, nullptr, 0, false, nullptr};
  }
  ++prefixes_;
  jumping_.push_back({c.owner, nullptr, nullptr, false});
  Stmts body = collect([&] { interleaved(c.body, together); });
  jumping_.pop_back();
  --prefixes_;
  const Expr *i = b().var(counter, d->type);
  const Expr *step = arena_.make<Unary>(here_, d->type, UnaryOp::PreInc, i);
  const Stmt *all = arena_.make<For>(here_, nullptr, b().less(i, trip), step, b().block(std::move(body)));
  emit(guard ? b().when(guard, {all}) : all);

  // What each has left.
  inEach([&] {
    bool apart = u_.varying(bound);
    std::string own = nameFor(d->name);
    env_[d->name] = {Binding::Kind::Scalar, own, nullptr, 0, false, nullptr};
    Stmts rest;
    if (apart) {
      rest = collect([&] { remainder(c); });
    } else {
      jumping_.push_back({c.owner, nullptr, nullptr, false});
      Stmts inside = collect([&] { block(c.body); });
      jumping_.pop_back();
      rest.push_back(arena_.make<For>(here_, nullptr, uniform(c.cond), stepOf(c), b().block(std::move(inside))));
    }
    const Stmt *start = b().declare(own, d->type, i, false);
    // The counter is the loop's own where it is the only statement.
    if (const auto *loop = rest.size() == 1 ? dyn<For>(rest[0]) : nullptr; loop && !loop->init) {
      emit(arena_.derive(loop, [&](For &copy) { copy.init = start; }));
      return;
    }
    rest.insert(rest.begin(), start);
    emit(b().block(std::move(rest)));
  });
  return true;
}

} // namespace tangram::lockstep
