#include "Splitter.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

namespace tangram::splitting {

using namespace ast;

namespace {

constexpr DiagnosticKind kSwitch{"kernel-splitting.switch", DiagnosticClass::Limitation,
                                 "work is distributed at level '{}' inside a switch", "use if and else"};

} // namespace

Splitter::Splitter(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel)
    : context_(context), arena_(context.arena), levels_(levels), kernel_(kernel),
      storage_(context.analyses.of<Storage>(kernel)), known_(context.analyses.of<KnownValues>(kernel)),
      host_(kernel, storage_, levels.device->name) {
  names_.reserveAll(&kernel);
  conditions_ = kernel.conditions;
}

const Kernel *Splitter::run() {
  Stmts body = block(kernel_.body);
  Build b(arena_, kernel_.body->range);
  const Kernel *split = arena_.derive(&kernel_, [&](Kernel &copy) {
    copy.body = b.block(std::move(body));
    copy.conditions = conditions_;
  });
  return sink(arena_, split, levels_.device->name);
}

Splitter::Stmts Splitter::block(const Block *body) {
  Stmts out, outer = std::exchange(pending_, {});
  for (const Stmt *s : body->stmts) stmt(s, out);
  flush(out);
  pending_ = std::move(outer);
  return out;
}

void Splitter::flush(Stmts &out) {
  if (pending_.empty()) return;
  SourceRange where = pending_.front()->range;
  out.push_back(launch(Build(arena_).u64(1), std::exchange(pending_, {}), {}, where));
}

const Launch *Splitter::launch(const Expr *groups, Stmts body, const Counts &units, SourceRange where) {
  const hardware::Hardware machine = hardware::with(context_.target.hardware, units);
  return arena_.make<Launch>(
      where, "", levels_.device->name, groups, static_cast<Int>(hardware::launchLevels(machine)->groupWorkers), Int{0},
      std::vector<const Param *>{}, std::vector<const Expr *>{}, Build(arena_, where).block(std::move(body)));
}

void Splitter::stmt(const Stmt *s, Stmts &out) {
  // Containers are there for all; where they are made again is decided later.
  if (const auto *v = dyn<View>(s)) {
    if (!launched_.count(v->base)) return out.push_back(s);
    launched_.insert(v->name);
    return pending_.push_back(s);
  }
  if (const auto *a = dyn<Alloc>(s)) {
    if (a->level == levels_.device->name) return out.push_back(s);
    launched_.insert(a->name);
    return pending_.push_back(s);
  }
  if (const auto *loop = dyn<Loop>(s);
      loop && loop->policy == Policy::Distribute && loop->level == levels_.device->name)
    return distributed(loop, out);
  if (host_.controls(s)) return around(s, out);
  if (!host_.byHost(s) || isa<Sync>(s)) return pending_.push_back(s);
  // What waits to be launched must see the values of before.
  if (!isa<Declare>(s)) flush(out);
  out.push_back(s);
}

/// What the host asks of the device: one launch puts the value into a temporary, from which the host fetches it.
const Expr *Splitter::told(const Expr *e, Stmts &out) {
  if (!host_.onDevice(e)) {
    flush(out);
    return e;
  }
  Build b(arena_, e->range);
  Type type = e->type.isBool() ? Type(Scalar::I32) : e->type;
  std::string cell = names_.fresh("told_cell"), value = names_.fresh("told");
  const Expr *place = b.element(b.var(cell, Type::array(1, type)), {b.u64(0)}, type);
  out.push_back(
      arena_.make<Alloc>(e->range, cell, type, std::vector<const Expr *>{b.u64(1)}, levels_.device->name, ""));
  pending_.push_back(b.assign(place, b.cast(type, e)));
  flush(out);
  out.push_back(b.declare(value, type, nullptr, false));
  out.push_back(b.assign(b.var(value, type), place));
  return b.cast(e->type, b.var(value, type));
}

void Splitter::distributed(const Loop *loop, Stmts &out) {
  Build b(arena_, loop->range);
  const Type u64 = Scalar::U64;
  const Expr *begin = b.cast(u64, told(loop->begin, out)), *end = b.cast(u64, told(loop->end, out));
  auto simple = [&](const Expr *e, const std::string &hint) {
    const Expr *core = withoutCasts(e);
    if (isa<IntLit>(core) || isa<VarRef>(core)) return e;
    std::string name = names_.fresh(loop->var + hint);
    out.push_back(b.declare(name, u64, e));
    return b.var(name, u64);
  };
  const Expr *count = end;
  if (!isLiteral(begin, 0)) {
    begin = simple(begin, "_first");
    end = simple(end, "_end");
    count = b.select(b.less(begin, end), b.sub(end, begin), b.u64(0));
  }
  // A tunable number of groups is as it is set; of any other, each group does several where there are too many.
  if (std::uint64_t most = levels_.group->workers.max) {
    std::optional<Int> value = known_.value(count);
    if (!value)
      count = b.min(simple(count, "_count"), b.u64(most));
    else if (const Expr *set = known_.overParameters(count, arena_); set && contains<VarRef>(set))
      conditions_.push_back(b.binary(BinaryOp::Le, set, b.u64(std::max(most, static_cast<std::uint64_t>(*value)))));
  }
  // Nothing to do is no launch; the host asks at the launch.
  const Expr *groups = simple(count, "_groups");
  // What it runs over is the host's to know by now.
  if (host_.onDevice(loop->begin) || host_.onDevice(loop->end))
    loop = arena_.derive(loop, [&](Loop &copy) {
      copy.begin = b.cast(loop->begin->type, begin);
      copy.end = b.cast(loop->end->type, end);
    });
  out.push_back(launch(groups, {loop}, loop->units, loop->range));
}

/// Host control flow around launches, and out of loops around launches.
void Splitter::around(const Stmt *s, Stmts &out) {
  Build b(arena_, s->range);
  auto inside = [&](const Block *body) { return b.block(block(body)); };
  switch (stmtKind(*s)) {
  case StmtKind::Block: {
    flush(out);
    return out.push_back(inside(as<Block>(s)));
  }
  case StmtKind::If: {
    const auto *node = as<If>(s);
    const Expr *cond = told(node->cond, out);
    return out.push_back(arena_.derive(node, [&](If &copy) {
      copy.cond = cond;
      copy.then = inside(node->then);
      if (node->otherwise) copy.otherwise = inside(node->otherwise);
    }));
  }
  case StmtKind::For: {
    const auto *node = as<For>(s);
    auto onDevice = [&](const Node *n) { return n && host_.onDevice(n); };
    if (!onDevice(node->init) && !onDevice(node->cond) && !onDevice(node->step)) {
      flush(out);
      return out.push_back(arena_.derive(node, [&](For &copy) { copy.body = inside(node->body); }));
    }
    if (node->init) stmt(node->init, out);
    return loop(s, node->cond, node->step, node->body, true, out);
  }
  case StmtKind::While: {
    const auto *node = as<While>(s);
    if (host_.onDevice(node->cond)) return loop(s, node->cond, nullptr, node->body, true, out);
    flush(out);
    return out.push_back(arena_.derive(node, [&](While &copy) { copy.body = inside(node->body); }));
  }
  case StmtKind::DoWhile: {
    const auto *node = as<DoWhile>(s);
    if (host_.onDevice(node->cond)) return loop(s, node->cond, nullptr, node->body, false, out);
    flush(out);
    return out.push_back(arena_.derive(node, [&](DoWhile &copy) { copy.body = inside(node->body); }));
  }
  case StmtKind::Loop: {
    const auto *loop = as<Loop>(s);
    const Expr *begin = told(loop->begin, out), *end = told(loop->end, out);
    return out.push_back(arena_.derive(loop, [&](Loop &copy) {
      copy.begin = begin;
      copy.end = end;
      copy.body = inside(loop->body);
    }));
  }
  case StmtKind::Break:
  case StmtKind::Continue: {
    flush(out);
    return out.push_back(s);
  }
  case StmtKind::Switch: fail(kSwitch, s->range, levels_.device->name);
  case StmtKind::Declare:
  case StmtKind::Evaluate:
  case StmtKind::Return:
  case StmtKind::Sync:
  case StmtKind::Alloc:
  case TANGRAM_LOWERED_STMTS: break;
  }
  failBug(s->range, "kernel-splitting", fmt::format("a {} around a launch", name(s->kind())));
}

/// A loop of the host that may ask the device whether it goes on. What a Continue must not skip, the step and a
/// condition behind the body, then stands in front of it and is left out once.
void Splitter::loop(const Stmt *s, const Expr *cond, const Expr *step, const Block *body, bool asksFirst, Stmts &out) {
  Build b(arena_, s->range);
  flush(out);
  Stmts repeated, outer = std::exchange(pending_, {});
  auto ask = [&](Stmts &to) {
    if (!cond) return;
    const Expr *go = told(cond, to);
    to.push_back(b.when(b.logicalNot(b.cast(Scalar::Bool, go)), {arena_.make<Break>(s->range)}));
  };
  auto advance = [&](Stmts &to) {
    if (!step) return;
    stmt(arena_.make<Evaluate>(s->range, step), to);
    flush(to);
  };
  bool skips = contains<Continue>(body) && (step || !asksFirst);
  if (skips) {
    std::string first = names_.fresh("first");
    out.push_back(b.declare(first, Scalar::Bool, b.boolean(true), false));
    Stmts again;
    advance(again);
    if (!asksFirst) ask(again);
    repeated.push_back(b.when(b.logicalNot(b.var(first, Scalar::Bool)), std::move(again)));
    repeated.push_back(b.assign(b.var(first, Scalar::Bool), b.boolean(false)));
  }
  if (asksFirst) ask(repeated);
  for (const Stmt *inner : block(body)) repeated.push_back(inner);
  if (!skips) {
    advance(repeated);
    if (!asksFirst) ask(repeated);
  }
  out.push_back(arena_.make<While>(s->range, b.boolean(true), b.block(std::move(repeated))));
  pending_ = std::move(outer);
}

} // namespace tangram::splitting
