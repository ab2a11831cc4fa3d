#include "Splitter.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::splitting {

using namespace ast;

namespace {

constexpr DiagnosticKind kDeviceCondition{
    "kernel-splitting.condition", DiagnosticClass::Limitation,
    "whether, or how often, work is distributed at level '{}' depends on the elements of a container",
    "make the condition depend on sizes and scalar arguments only, which the host knows before it launches anything"};
constexpr DiagnosticKind kDeviceCount{
    "kernel-splitting.count", DiagnosticClass::Limitation,
    "how many parts are distributed at level '{}' depends on the elements of a container",
    "make the number of parts depend on sizes and scalar arguments only"};
constexpr DiagnosticKind kSwitch{"kernel-splitting.switch", DiagnosticClass::Limitation,
                                 "work is distributed at level '{}' inside a switch", "use if and else"};

} // namespace

Splitter::Splitter(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel)
    : context_(context), arena_(context.arena), levels_(levels), kernel_(kernel), storage_(kernel), known_(kernel),
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
  out.push_back(launch(Build(arena_).u64(1), std::exchange(pending_, {}), where));
}

const Launch *Splitter::launch(const Expr *groups, Stmts body, SourceRange where) {
  return arena_.make<Launch>(where, "", levels_.device->name, groups, static_cast<Int>(levels_.groupWorkers),
                             std::vector<const Param *>{}, std::vector<const Expr *>{},
                             Build(arena_, where).block(std::move(body)));
}

void Splitter::stmt(const Stmt *s, Stmts &out) {
  if (const auto *sync = dyn<Sync>(s); sync && sync->level == levels_.device->name) return;
  // Containers are there for all; where they are made again is decided later.
  if (isa<View>(s)) return out.push_back(s);
  if (const auto *a = dyn<Alloc>(s)) {
    if (a->level == levels_.device->name)
      out.push_back(s);
    else
      pending_.push_back(s);
    return;
  }
  if (const auto *loop = dyn<Loop>(s);
      loop && loop->policy == Policy::Distribute && loop->level == levels_.device->name)
    return distributed(loop, out);
  if (host_.launches(s)) {
    flush(out);
    return out.push_back(around(s));
  }
  if (!host_.byHost(s) || isa<Sync>(s)) return pending_.push_back(s);
  // What waits to be launched must see the values of before.
  if (!isa<Declare>(s)) flush(out);
  out.push_back(s);
}

void Splitter::distributed(const Loop *loop, Stmts &out) {
  flush(out);
  if (host_.onDevice(loop->begin) || host_.onDevice(loop->end)) fail(kDeviceCount, loop->range, loop->level);
  Build b(arena_, loop->range);
  const Type u64 = Scalar::U64;
  const Expr *begin = b.cast(u64, loop->begin), *end = b.cast(u64, loop->end);
  auto simple = [&](const Expr *e, const std::string &hint) {
    const Expr *core = e;
    while (const auto *cast = dyn<Cast>(core)) core = cast->operand;
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
  out.push_back(launch(simple(count, "_groups"), {loop}, loop->range));
}

/// Host control flow around launches.
const Stmt *Splitter::around(const Stmt *s) {
  Build b(arena_, s->range);
  auto onHost = [&](const Node *n) {
    if (n && host_.onDevice(n)) fail(kDeviceCondition, n->range.valid() ? n->range : s->range, levels_.device->name);
  };
  auto inside = [&](const Block *body) { return b.block(block(body)); };
  switch (s->kind()) {
  case Kind::Block: return inside(as<Block>(s));
  case Kind::If: {
    const auto *node = as<If>(s);
    onHost(node->cond);
    return arena_.derive(node, [&](If &copy) {
      copy.then = inside(node->then);
      if (node->otherwise) copy.otherwise = inside(node->otherwise);
    });
  }
  case Kind::For: {
    const auto *node = as<For>(s);
    onHost(node->init);
    onHost(node->cond);
    onHost(node->step);
    return arena_.derive(node, [&](For &copy) { copy.body = inside(node->body); });
  }
  case Kind::While:
    onHost(as<While>(s)->cond);
    return arena_.derive(as<While>(s), [&](While &copy) { copy.body = inside(copy.body); });
  case Kind::DoWhile:
    onHost(as<DoWhile>(s)->cond);
    return arena_.derive(as<DoWhile>(s), [&](DoWhile &copy) { copy.body = inside(copy.body); });
  case Kind::Loop: {
    const auto *loop = as<Loop>(s);
    onHost(loop->begin);
    onHost(loop->end);
    return arena_.derive(loop, [&](Loop &copy) { copy.body = inside(loop->body); });
  }
  case Kind::Switch: fail(kSwitch, s->range, levels_.device->name);
  default: failBug(s->range, "kernel-splitting", fmt::format("a {} around a launch", name(s->kind())));
  }
}

} // namespace tangram::splitting
