#include "Barriers.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

namespace tangram::barriers {

using namespace ast;

namespace {
bool jumpsOut(const Block *body) { return contains<Break>(body) || contains<Continue>(body); }
} // namespace

Barriers::Barriers(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel, Names &names,
                   const Launch &launch)
    : context_(context), arena_(context.arena), levels_(levels), names_(names), launch_(launch),
      owners_(context.analyses, kernel, launch) {}

const Launch *Barriers::run() {
  here_ = launch_.range;
  Stmts body = unit(levels_.group->name, launch_.body->stmts, false);
  return arena_.derive(&launch_, [&](Launch &copy) { copy.body = Build(arena_, here_).block(std::move(body)); });
}

Barriers::Meets Barriers::meets(const Touches &open, const Stmts &stmts) const {
  for (const Stmt *s : stmts)
    if (Meets met = meets(open, s); met != Meets::Nothing) return met;
  return Meets::Nothing;
}

Barriers::Meets Barriers::meets(const Touches &open, const Stmt *s) const {
  auto conflicts = [&](const Node *tree) { return tree && conflict(open, touches(tree)); };
  // A loop may make no turn, and leave open what was.
  auto turns = [&](std::initializer_list<const Node *> header, const Block *body) {
    bool met = std::any_of(header.begin(), header.end(), conflicts) || meets(open, body) == Meets::Conflict;
    return met ? Meets::Conflict : Meets::Nothing;
  };
  if (isa<Await>(s)) return Meets::Barrier;
  if (const auto *sync = dyn<Sync>(s)) return sync->level == unit_ ? Meets::Barrier : Meets::Nothing;
  if (const auto *node = dyn<Block>(s)) return meets(open, node->stmts);
  if (const auto *node = dyn<Cooperate>(s); node && node->level == unit_) return meets(open, node->body->stmts);
  if (const auto *node = dyn<Loop>(s); node && node->policy != Policy::Distribute)
    return turns({node->begin, node->end}, node->body);
  if (const auto *node = dyn<For>(s)) return turns({node->init, node->cond, node->step}, node->body);
  if (const auto *node = dyn<While>(s)) return turns({node->cond}, node->body);
  if (const auto *node = dyn<If>(s)) {
    if (conflicts(node->cond)) return Meets::Conflict;
    Meets a = meets(open, node->then), c = node->otherwise ? meets(open, node->otherwise) : Meets::Nothing;
    return a == c || a == Meets::Conflict ? a : c == Meets::Conflict ? c : Meets::Nothing;
  }
  return conflicts(s) ? Meets::Conflict : Meets::Nothing;
}

/// Code of a unit of `level`, from a barrier on; where it is repeated and has none that parts the end of an iteration
/// from the start of the next, it ends with one.
Stmts Barriers::unit(const std::string &level, const std::vector<const Stmt *> &stmts, bool repeats) {
  if (levels_.workers(level) <= 1) return stmts;
  std::string outer = std::exchange(unit_, level);
  Owners::Index index = std::exchange(index_, {});
  Touches since = std::exchange(since_, {});
  Stmts out;
  block(stmts, out);
  if (repeats && meets(since_, out) == Meets::Conflict) sync(out);
  since_ = std::move(since);
  index_ = index;
  unit_ = outer;
  return out;
}

void Barriers::sync(Stmts &out) {
  out.push_back(arena_.make<Sync>(here_, unit_));
  since_.clear();
}

void Barriers::before(const Touches &touches, Stmts &out) {
  if (conflict(since_, touches)) sync(out);
  add(since_, touches);
}

void Barriers::block(const std::vector<const Stmt *> &stmts, Stmts &out) {
  for (const Stmt *s : stmts) stmt(s, out);
}

const Block *Barriers::block(const Block *body) {
  Stmts out;
  block(body->stmts, out);
  return Build(arena_, body->range).block(std::move(out));
}

/// Whether there is more in it than what each worker does by itself.
bool Barriers::structured(const Node *tree) const {
  return any<Stmt>(tree, [&](const Stmt &s) {
    if (isa<Single>(&s) || isa<Cooperate>(&s)) return true;
    const auto *loop = dyn<Loop>(&s);
    return loop && loop->policy == Policy::Distribute && levels_.workers(loop->level) != 1;
  });
}

void Barriers::stmt(const Stmt *s, Stmts &out) {
  if (s->range.valid()) here_ = s->range;
  if (isa<Sync>(s)) return;
  if (const auto *loop = dyn<Loop>(s); loop && loop->policy == Policy::Distribute && levels_.workers(loop->level) != 1)
    return distributed(loop, out);
  if (const auto *once = dyn<Single>(s)) return single(once, out);
  if (const auto *node = dyn<Cooperate>(s)) return cooperate(node, out);
  if (structured(s)) return together(s, out);
  before(touches(s), out);
  out.push_back(s);
}

void Barriers::distributed(const Loop *loop, Stmts &out) {
  if (loop->level == levels_.device->name) {
    // Groups do not wait for each other; one that does several iterations does so one after the other.
    const Expr *groups = b().cast(loop->end->type, launch_.groups);
    bool once = equal(groups, loop->end) && isLiteral(loop->begin, 0);
    Stmts body = unit(levels_.group->name, loop->body->stmts, !once);
    return out.push_back(arena_.derive(loop, [&](Loop &copy) { copy.body = b().block(std::move(body)); }));
  }
  const hardware::Level *below = context_.target.hardware.below(*context_.target.hardware.find(loop->level));
  bool workers = levels_.workers(below->name) <= 1;
  Owners::Index index;
  if (workers && isLiteral(loop->begin, 0)) index = {loop->var, loop->level, levels_.workers(loop->level)};
  Touches all = owners_.touches(loop->body, index);
  add(all, touches(loop->begin));
  add(all, touches(loop->end));
  before(all, out);
  // Worker mapping writes no loop where there are as many units as iterations.
  std::uint64_t units = levels_.workers(loop->level) / std::max<std::uint64_t>(1, levels_.workers(below->name));
  bool once = owners_.atMost(*loop, units);
  Stmts body = unit(below->name, loop->body->stmts, !once);
  out.push_back(arena_.derive(loop, [&](Loop &copy) { copy.body = b().block(std::move(body)); }));
}

void Barriers::single(const Single *s, Stmts &out) {
  Touches all = owners_.touches(s->body, {});
  if (levels_.workers(s->to) <= 1)
    for (Touch &t : all) t.owner = "first";
  before(all, out);
  Stmts body = unit(s->to, s->body->stmts, false);
  out.push_back(arena_.derive(s, [&](Single &copy) { copy.body = b().block(std::move(body)); }));
}

const Block *Barriers::repeated(const Touches &header, const Block *body,
                                const std::function<void(const Block *, Stmts &)> &inside) {
  // What the end of an iteration leaves open meets the start of the next one: until nothing new is left open.
  // Where a loop around is tried again, this one goes on from what it found: else each nesting would double the tries.
  Touches entry = since_;
  add(entry, header);
  add(entry, left_[body]);
  std::size_t outside = outside_ ? outside_->size() : 0;
  for (;;) {
    since_ = entry;
    if (outside_) outside_->resize(outside);
    Stmts stmts;
    inside(body, stmts);
    if (conflict(since_, header)) sync(stmts);
    Touches next = entry;
    add(next, withoutPairs(since_));
    if (next.size() == entry.size()) {
      left_[body] = next;
      since_ = std::move(next);
      if (jumpsOut(body)) add(since_, touches(body));
      return Build(arena_, body->range).block(std::move(stmts));
    }
    entry = std::move(next);
  }
}

void Barriers::together(const Stmt *s, Stmts &out) {
  auto inside = [this](const Block *body, Stmts &stmts) { block(body->stmts, stmts); };
  switch (stmtKind(*s)) {
  case StmtKind::Block: return out.push_back(block(as<Block>(s)));
  case StmtKind::If: {
    const auto *node = as<If>(s);
    before(touches(node->cond), out);
    Touches start = since_;
    const Block *then = block(node->then);
    Touches end = std::exchange(since_, start);
    const Block *otherwise = node->otherwise ? block(node->otherwise) : nullptr;
    add(since_, end);
    return out.push_back(arena_.derive(node, [&](If &copy) {
      copy.then = then;
      copy.otherwise = otherwise;
    }));
  }
  case StmtKind::For: {
    const auto *node = as<For>(s);
    Touches header;
    for (const Node *part : {static_cast<const Node *>(node->init), static_cast<const Node *>(node->cond),
                             static_cast<const Node *>(node->step)})
      if (part) add(header, touches(part));
    before(header, out);
    const Block *body = repeated(header, node->body, inside);
    return out.push_back(arena_.derive(node, [&](For &copy) { copy.body = body; }));
  }
  case StmtKind::While: {
    Touches header = touches(as<While>(s)->cond);
    before(header, out);
    const Block *body = repeated(header, as<While>(s)->body, inside);
    return out.push_back(arena_.derive(as<While>(s), [&](While &copy) { copy.body = body; }));
  }
  case StmtKind::DoWhile: {
    const Block *body = repeated(touches(as<DoWhile>(s)->cond), as<DoWhile>(s)->body, inside);
    return out.push_back(arena_.derive(as<DoWhile>(s), [&](DoWhile &copy) { copy.body = body; }));
  }
  case StmtKind::Loop: {
    const auto *loop = as<Loop>(s);
    Touches header = touches(loop->begin);
    add(header, touches(loop->end));
    before(header, out);
    const Block *body = repeated(header, loop->body, inside);
    return out.push_back(arena_.derive(loop, [&](Loop &copy) { copy.body = body; }));
  }
  case StmtKind::Switch: {
    const auto *node = as<Switch>(s);
    before(touches(node->value), out);
    Touches start = since_, end = since_;
    std::vector<const Case *> cases;
    for (const Case *c : node->cases) {
      since_ = start;
      add(since_, end); // a case may fall through to the next
      const Block *body = block(c->body);
      add(end, since_);
      if (jumpsOut(c->body)) add(end, touches(c->body));
      cases.push_back(arena_.derive(c, [&](Case &copy) { copy.body = body; }));
    }
    since_ = std::move(end);
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
  failBug(s->range, "barrier-insertion", fmt::format("a {} around work of others", name(s->kind())));
}

} // namespace tangram::barriers
