// Branches and loops that lanes take differently and exchange data in: all lanes go through them, and those that are
// not meant do nothing, so that all get to the barriers.
#include "Barriers.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::barriers {

using namespace ast;

void Barriers::branch(const If *s, Stmts &out) {
  before(touches(s->cond), out);
  auto side = [&](const Block *body, const Expr *guard) {
    const Expr *outer = std::exchange(guard_, guard);
    Owners::Index around = std::exchange(index_, owners_.under(s->cond, body == s->then, index_));
    Stmts stmts;
    lanes(body->stmts, stmts);
    index_ = std::move(around);
    guard_ = outer;
    return stmts;
  };
  if (!uniformity_->varying(s->cond) && !(guard_ && needsGuard(s->cond))) {
    Touches start = since_;
    const Block *then = b().block(side(s->then, guard_));
    Touches end = std::exchange(since_, start);
    const Block *otherwise = s->otherwise ? b().block(side(s->otherwise, guard_)) : nullptr;
    add(since_, end);
    return out.push_back(arena_.derive(s, [&](If &copy) {
      copy.then = then;
      copy.otherwise = otherwise;
    }));
  }
  const Expr *cond = b().cast(Scalar::Bool, s->cond);
  const Expr *taken = variable("taken", Scalar::Bool, both(guard_, cond), out);
  Stmts then = side(s->then, taken), otherwise;
  if (s->otherwise)
    otherwise = side(s->otherwise, guard_ ? both(guard_, b().logicalNot(taken)) : b().logicalNot(taken));
  // A block of its own: the names of both sides end with it.
  out.push_back(b().block(std::move(then)));
  if (s->otherwise) out.push_back(b().block(std::move(otherwise)));
}

void Barriers::laneLoop(const Stmt *s, Stmts &out) {
  auto inside = [this](const Block *body, Stmts &stmts) { lanes(body->stmts, stmts); };
  bool divergent = uniformity_->divergent(s);
  jumping_.push_back({s, nullptr, nullptr, false});
  auto leave = [&] { jumping_.pop_back(); };
  if (const auto *node = dyn<For>(s)) {
    const std::optional<Turns> known = divergent ? turns(node) : std::nullopt;
    if (known && !known->alike) {
      leave();
      return counted(node, *known, out);
    }
    if ((divergent && !known) || (guard_ && needsGuard(node->cond))) {
      leave();
      return apart(s, node->init, node->cond, node->step, node->body, false, out);
    }
    Touches header;
    for (const Node *part : {static_cast<const Node *>(node->init), static_cast<const Node *>(node->cond),
                             static_cast<const Node *>(node->step)})
      if (part) add(header, touches(part));
    before(header, out);
    const Block *body = repeated(header, node->body, inside);
    out.push_back(arena_.derive(node, [&](For &copy) { copy.body = body; }));
  } else if (const auto *loop = dyn<While>(s)) {
    if (divergent || (guard_ && needsGuard(loop->cond))) {
      leave();
      return apart(s, nullptr, loop->cond, nullptr, loop->body, false, out);
    }
    Touches header = touches(loop->cond);
    before(header, out);
    const Block *body = repeated(header, loop->body, inside);
    out.push_back(arena_.derive(loop, [&](While &copy) { copy.body = body; }));
  } else if (const auto *until = dyn<DoWhile>(s)) {
    if (divergent || (guard_ && needsGuard(until->cond))) {
      leave();
      return apart(s, nullptr, until->cond, nullptr, until->body, true, out);
    }
    const Block *body = repeated(touches(until->cond), until->body, inside);
    out.push_back(arena_.derive(until, [&](DoWhile &copy) { copy.body = body; }));
  } else {
    const auto *counted = as<Loop>(s);
    if (divergent) {
      leave();
      const Expr *var = b().var(counted->var, counted->varType);
      return apart(s, b().declare(counted->var, counted->varType, counted->begin, false), b().less(var, counted->end),
                   arena_.make<Unary>(here_, counted->varType, UnaryOp::PreInc, var), counted->body, false, out);
    }
    Touches header = touches(counted->begin);
    add(header, touches(counted->end));
    before(header, out);
    const Block *body = repeated(header, counted->body, inside);
    out.push_back(arena_.derive(counted, [&](Loop &copy) { copy.body = body; }));
  }
  leave();
}

std::optional<Barriers::Turns> Barriers::turns(const For *loop) const {
  const auto *counter = dyn<Declare>(loop->init);
  const auto *cond = loop->cond ? dyn<Binary>(loop->cond) : nullptr;
  const auto *step = loop->step ? dyn<Assign>(loop->step) : nullptr;
  if (!counter || !counter->init || !counter->extents.empty() || !counter->type.isInteger() ||
      counter->type.bytes() < 4 || !cond || cond->op != BinaryOp::Lt || !step || step->op != AssignOp::Add)
    return {};
  auto isCounter = [&](const Expr *e) {
    const auto *v = dyn<VarRef>(withoutWordCasts(e));
    return v && v->name == counter->name;
  };
  auto shared = [&](const Expr *e) { return !uniformity_->varying(e) && !needsGuard(e); };
  if (!isCounter(cond->lhs) || !shared(cond->rhs) || !isCounter(step->target) || !shared(step->value) ||
      assignedVariables(loop->body).count(counter->name) || contains<Break>(loop->body) ||
      contains<Continue>(loop->body))
    return {};
  const std::optional<Owners::OfLane> start = owners_.ofLane(counter->init, index_);
  if (!start) return {};
  const std::optional<Int> bound = owners_.known(cond->rhs), by = owners_.known(step->value);
  const Int last = start->factor * (static_cast<Int>(index_.workers) - 1) + start->offset;
  auto count = [&](Int first) { return first < *bound ? (*bound - first + *by - 1) / *by : Int(0); };
  const bool alike = bound && by && *by > 0 && *bound <= Int(1) << 30 && count(start->offset) == count(last);
  return Turns{counter, cond, step, start->offset, alike};
}

/// The loop by a counter of the first lane, in which the others do nothing in turns that they have not.
void Barriers::counted(const For *loop, const Turns &turns, Stmts &out) {
  Stmts all;
  const Expr *outer = guard_;
  lane(loop->init, all);
  const Type type = turns.counter->type;
  const std::string name = names_.fresh("turn");
  const Expr *turn = b().var(name, type);
  const Expr *more = b().less(b().cast(turns.cond->lhs->type, turn), turns.cond->rhs);
  const Expr *next = arena_.derive(turns.step, [&](Assign &copy) { copy.target = turn; });
  const Block *rounds = repeated({}, loop->body, [&](const Block *inside, Stmts &stmts) {
    const Expr *live = variable("live", Scalar::Bool, both(outer, b().cast(Scalar::Bool, loop->cond)), stmts);
    jumping_.push_back({loop, live, nullptr, false});
    guard_ = live;
    Stmts inner;
    lanes(inside->stmts, inner);
    guard_ = outer;
    jumping_.pop_back();
    stmts.push_back(b().block(std::move(inner)));
    stmts.push_back(arena_.make<Evaluate>(here_, loop->step));
  });
  all.push_back(
      arena_.make<For>(here_, b().declare(name, type, b().integer(type, turns.first), false), more, next, rounds));
  out.push_back(b().block(std::move(all)));
}

/// Whether `live` holds in any lane.
const Expr *Barriers::vote(const Stmt *loop, const Expr *live, Stmts &out) {
  const Type u32 = Scalar::U32;
  auto [known, fresh] = votes_.try_emplace(loop); // the same each time that the loop is tried
  if (fresh) known->second = names_.fresh("any");
  const std::string &name = known->second;
  outside_->push_back(
      arena_.make<Alloc>(here_, name, u32, std::vector<const Expr *>{b().u64(1)}, lanes_->level, "scratchpad"));
  const Expr *flag = b().element(b().var(name, Type::array(1, u32)), {b().u64(0)}, u32);
  const Expr *lane = b().var(lanes_->lane, u32);
  auto touch = [&](bool write, bool atomic) { before({{name, write, atomic, "", {}}}, out); };
  touch(true, false);
  out.push_back(b().when(b().equal(lane, b().integer(u32, 0)), {b().assign(flag, b().integer(u32, 0))}));
  touch(true, true);
  const Expr *set = arena_.make<Atomic>(here_, u32, AtomicOp::Or, flag, std::vector<const Expr *>{b().integer(u32, 1)});
  out.push_back(b().when(live, {arena_.make<Evaluate>(here_, set)}));
  touch(false, false);
  return variable("any_lane", u32, flag, out);
}

void Barriers::apart(const Stmt *owner, const Stmt *init, const Expr *cond, const Expr *step, const Block *body,
                     bool bodyFirst, Stmts &out) {
  Stmts all;
  const Expr *outer = guard_;
  if (init) lane(init, all);
  const Expr *live = variable("live", Scalar::Bool, outer ? outer : b().boolean(true), all, false);
  bool parts = uniformity_->parts(owner);
  auto test = [&](Stmts &stmts) {
    if (!cond) return;
    before(touches(cond), stmts);
    stmts.push_back(b().when(live, {b().assign(live, b().cast(Scalar::Bool, cond))}));
    const Expr *any = vote(owner, live, stmts);
    stmts.push_back(b().when(b().equal(any, b().integer(Scalar::U32, 0)), {arena_.make<Break>(here_)}));
  };
  const Block *rounds = repeated({}, body, [&](const Block *inside, Stmts &stmts) {
    if (!bodyFirst) test(stmts);
    const Expr *run = parts ? variable("run", Scalar::Bool, live, stmts, false) : nullptr;
    jumping_.push_back({owner, live, run, false});
    guard_ = run ? run : live;
    Stmts inner;
    lanes(inside->stmts, inner);
    guard_ = outer;
    jumping_.pop_back();
    stmts.push_back(b().block(std::move(inner)));
    if (step) {
      before(touches(step), stmts);
      stmts.push_back(b().when(live, {arena_.make<Evaluate>(here_, step)}));
    }
    if (bodyFirst) test(stmts);
    if (!cond) {
      const Expr *any = vote(owner, live, stmts);
      stmts.push_back(b().when(b().equal(any, b().integer(Scalar::U32, 0)), {arena_.make<Break>(here_)}));
    }
  });
  add(since_, touches(body));
  all.push_back(arena_.make<For>(here_, nullptr, nullptr, nullptr, rounds));
  out.push_back(b().block(std::move(all)));
}

void Barriers::jump(const Stmt *s, Stmts &out) {
  for (std::size_t i = jumping_.size(); i-- > 0;) {
    const Jumping &owner = jumping_[i];
    if (owner.isSwitch && isa<Continue>(s)) continue;
    if (!owner.run) return guarded(s, out);
    Stmts leave{b().assign(owner.run, b().boolean(false))};
    if (isa<Break>(s)) leave.push_back(b().assign(owner.live, b().boolean(false)));
    // The guard may be one of these: it is asked once.
    return out.push_back(guard_ ? b().when(guard_, std::move(leave)) : b().block(std::move(leave)));
  }
  failBug(s->range, "barrier-insertion", "a jump out of the lanes");
}

} // namespace tangram::barriers
