// Lanes of a cooperative codelet: statement by statement, and within one, every lane reads before any lane writes.
#include "Barriers.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

namespace tangram::barriers {

using namespace ast;

namespace {
constexpr DiagnosticKind kUpdate{"barrier-insertion.update", DiagnosticClass::Limitation,
                                 "lanes read and write '{}' within one expression, in elements of each other",
                                 "read into a variable in a statement of its own, and write in the next"};
constexpr DiagnosticKind kSwitch{"barrier-insertion.switch", DiagnosticClass::Limitation,
                                 "lanes exchange data in different cases of a switch", "use if and else"};
} // namespace

void Barriers::cooperate(const Cooperate *node, Stmts &out) {
  Uniformity uniformity(Region{node->body, node->lane, true, node->level});
  const Cooperate *outer = std::exchange(lanes_, node);
  const Uniformity *outerUniformity = std::exchange(uniformity_, &uniformity);
  Owners::Index index = std::exchange(index_, {node->lane, node->level, levels_.workers(node->level), &uniformity});
  Stmts *outside = std::exchange(outside_, &out);
  guard_ = nullptr;
  Stmts body;
  lanes(node->body->stmts, body);
  since_ = withoutPairs(std::move(since_));
  outside_ = outside;
  index_ = index;
  uniformity_ = outerUniformity;
  lanes_ = outer;
  out.push_back(arena_.derive(node, [&](Cooperate &copy) { copy.body = Build(arena_, node->range).block(body); }));
}

void Barriers::lanes(const std::vector<const Stmt *> &stmts, Stmts &out) {
  for (std::size_t i = 0; i < stmts.size(); ++i) {
    lane(stmts[i], out);
    forgetPairs(since_, assignedVariables(stmts[i]));
    if (!uniformity_->holdsPart(stmts[i]) || i + 1 == stmts.size()) continue;
    // Some lanes have left a loop; the others go on.
    const Expr *outer = guard_, *run = nullptr;
    for (const Jumping &owner : jumping_)
      if (!owner.isSwitch && owner.run) run = owner.run;
    if (run) guard_ = outer && outer != run ? b().both(outer, run) : run;
    lanes({stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1, stmts.end()}, out);
    guard_ = outer;
    return;
  }
}

void Barriers::lane(const Stmt *s, Stmts &out) {
  if (s->range.valid()) here_ = s->range;
  if (isa<Sync>(s)) return;
  if (isa<Alloc>(s) || isa<View>(s)) return out.push_back(s);
  if (isa<Break>(s) || isa<Continue>(s)) return jump(s, out);
  if (isa<Declare>(s) || isa<Evaluate>(s)) return simple(s, out);
  if (isa<Await>(s)) {
    if (guard_) failBug(s->range, "barrier-insertion", "an Await that some lanes do not get to");
    out.push_back(s);
    return sync(out);
  }
  const bool waits = contains<Await>(s);
  // What lanes can do at their own pace is one statement. One that holds a jump to a loop outside of it is not.
  Touches all = touches(s);
  const auto *loop = dyn<For>(s);
  const bool apart = (loop && loop->independentLanes == Flag::Yes) || !conflictWithin(all);
  if (!waits && apart && !uniformity_->holdsPart(s)) {
    before(all, out);
    return guarded(s, out);
  }
  switch (stmtKind(*s)) {
  case StmtKind::Block: {
    Stmts inner;
    lanes(as<Block>(s)->stmts, inner);
    return out.push_back(b().block(std::move(inner)));
  }
  case StmtKind::If: return branch(as<If>(s), out);
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::DoWhile:
  case StmtKind::Loop: return laneLoop(s, out);
  case StmtKind::Switch: {
    const auto *node = as<Switch>(s);
    if (guard_ || uniformity_->varying(node->value) || uniformity_->parts(node)) fail(kSwitch, s->range);
    before(touches(node->value), out);
    Touches start = since_, end = since_;
    std::vector<const Case *> cases;
    jumping_.push_back({s, nullptr, nullptr, true});
    for (const Case *c : node->cases) {
      since_ = start;
      add(since_, end);
      Stmts body;
      lanes(c->body->stmts, body);
      add(end, since_);
      cases.push_back(arena_.derive(c, [&](Case &copy) { copy.body = b().block(std::move(body)); }));
    }
    jumping_.pop_back();
    since_ = std::move(end);
    add(since_, touches(s));
    return out.push_back(arena_.derive(node, [&](Switch &copy) { copy.cases = std::move(cases); }));
  }
  case StmtKind::Declare:
  case StmtKind::Evaluate:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
  case StmtKind::Sync:
  case StmtKind::Alloc:
  case TANGRAM_LOWERED_STMTS: break;
  }
  failBug(s->range, "barrier-insertion", fmt::format("a {} among lanes", name(s->kind())));
}

void Barriers::simple(const Stmt *s, Stmts &out) {
  Touches all = touches(s);
  if (!conflictWithin(all)) {
    before(all, out);
    return guarded(s, out);
  }
  const auto *e = dyn<Evaluate>(s);
  if (const auto *comma = e ? dyn<Binary>(e->expr) : nullptr; comma && comma->op == BinaryOp::Comma) {
    simple(arena_.make<Evaluate>(s->range, comma->lhs), out);
    return simple(arena_.make<Evaluate>(s->range, comma->rhs), out);
  }
  const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
  bool plain = assign && isa<Subscript>(assign->target) && !conflictWithin(touches(assign->value));
  if (plain) return update(assign, out);
  fail(kUpdate, s->range, all.empty() ? "" : all.front().buffer);
}

/// target op= value, where lanes read what other lanes write: all read, wait, and then write.
void Barriers::update(const Assign *e, Stmts &out) {
  const auto *place = as<Subscript>(e->target);
  std::vector<const Expr *> indices;
  Stmts reading;
  for (const Expr *index : place->indices)
    indices.push_back(hasEffects(index) ? variable("at", index->type, index, reading) : index);
  const Type type = place->type;
  const Expr *target = arena_.derive(place, [&](Subscript &copy) { copy.indices = indices; });
  const Expr *value = e->value;
  if (e->op != AssignOp::Set) {
    bool shifts = e->op == AssignOp::Shl || e->op == AssignOp::Shr;
    const Type common = shifts ? type : value->type;
    const Expr *old = b().cast(common, target);
    value = arena_.make<Binary>(here_, common, binaryOf(e->op), old, shifts ? b().cast(type, value) : value);
  }
  value = b().cast(type, value);
  std::string name = names_.fresh("next");
  reading.push_back(b().declare(name, type, value));
  for (const Stmt *s : reading) {
    before(touches(s), out);
    guarded(s, out);
  }
  const Stmt *write = b().assign(target, b().var(name, type));
  before(touches(write), out);
  guarded(write, out);
}

const Expr *Barriers::variable(const std::string &hint, const Type &type, const Expr *init, Stmts &out, bool isConst) {
  std::string name = names_.fresh(hint);
  out.push_back(b().declare(name, type, init, isConst));
  return b().var(name, type);
}

/// May trap, or touch what is not there, in a lane that should not do it.
bool Barriers::needsGuard(const Expr *e) const {
  return e && (hasEffects(e) || contains<Subscript>(e) || contains<Call>(e) || contains<Check>(e) ||
               ast::any<Binary>(e, [](const Binary &n) {
                 return (n.op == BinaryOp::Div || n.op == BinaryOp::Rem) && n.type.isInteger();
               }));
}

void Barriers::guarded(const Stmt *s, Stmts &out) {
  if (!guard_) return out.push_back(s);
  const auto *d = dyn<Declare>(s);
  if (!d) return out.push_back(b().when(guard_, {s}));
  if (!d->init || !needsGuard(d->init)) return out.push_back(s);
  if (!d->extents.empty() || d->type.isPointer() || !b().zero(d->type))
    failBug(s->range, "barrier-insertion", fmt::format("'{}' is declared for some lanes only", d->name));
  out.push_back(b().declare(d->name, d->type, b().zero(d->type), false));
  out.push_back(b().when(guard_, {b().assign(b().var(d->name, d->type), d->init)}));
}

} // namespace tangram::barriers
