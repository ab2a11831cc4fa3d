#include "Assigner.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::assignment {

using namespace ast;

namespace {
constexpr DiagnosticKind kCondition{"work-assignment.condition", DiagnosticClass::Limitation,
                                    "a condition that writes to a container, around work that is distributed",
                                    "write to the container in a statement of its own"};

/// Barriers are put where they are needed, by what is touched: those of the flat form go.
class WithoutSyncs final : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateSync(const Sync *) override { return nullptr; }
};
} // namespace

Assigner::Assigner(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel)
    : context_(context), arena_(context.arena), levels_(levels), storage_(context.analyses.of<Storage>(kernel)) {
  names_.reserveAll(&kernel);
  walk(kernel.body, [&](const Declare &d) { types_[d.name] = d.type; });
}

const Launch *Assigner::launch(const Launch *launch) {
  here_ = launch->range;
  levels_ = levels_.ofGroups(launch->threads);
  unit_ = levels_.group->name;
  const Block *body = block(WithoutSyncs(arena_)(launch->body));
  return arena_.derive(launch, [&](Launch &copy) { copy.body = body; });
}

std::size_t Assigner::depth(const std::string &level) const {
  const std::vector<hardware::Level> &all = context_.target.hardware.levels;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == level) return i;
  return all.size();
}

bool Assigner::spreads(const Node *tree) const {
  return any<Stmt>(tree, [&](const Stmt &s) {
    if (const auto *c = dyn<Cooperate>(&s)) return !alone(c->level);
    const auto *loop = dyn<Loop>(&s);
    return loop && loop->policy == Policy::Distribute && !alone(loop->level);
  });
}

void Assigner::pure(const Expr *condition) const {
  if (condition && storage_.writes(condition)) fail(kCondition, condition->range.valid() ? condition->range : here_);
}

const Stmt *Assigner::single(const std::string &to, Stmts body) const {
  return arena_.make<Single>(here_, unit_, to, b().block(std::move(body)));
}

/// A place in memory that the unit's workers share.
const Expr *Assigner::cell(const std::string &hint, const Type &type, Stmts &out) {
  std::string name = names_.fresh(hint);
  out.push_back(arena_.make<Alloc>(here_, name, type, std::vector<const Expr *>{b().u64(1)}, unit_, ""));
  return b().element(b().var(name, Type::array(1, type)), {b().u64(0)}, type);
}

const Block *Assigner::block(const Block *body) { return Build(arena_, body->range).block(block(body->stmts)); }

Stmts Assigner::block(const std::vector<const Stmt *> &stmts) {
  if (alone(unit_)) return stmts;
  Stmts out;
  for (std::size_t at = 0; at < stmts.size(); ++at) stmt(stmts, at, out);
  return out;
}

void Assigner::stmt(const std::vector<const Stmt *> &all, std::size_t &at, Stmts &out) {
  const Stmt *s = all[at];
  if (s->range.valid()) here_ = s->range;
  if (const auto *a = dyn<Alloc>(s)) {
    // Of a codelet that was devolved: the unit that runs it here shares it.
    if (depth(a->level) <= depth(unit_)) return out.push_back(s);
    return out.push_back(arena_.derive(a, [&](Alloc &copy) { copy.level = unit_; }));
  }
  if (!spreads(s)) {
    if (storage_.writes(s))
      store(all, at, out);
    else
      out.push_back(s);
    return;
  }
  if (const auto *loop = dyn<Loop>(s); loop && loop->policy == Policy::Distribute && !alone(loop->level))
    return distributed(loop, out);
  if (const auto *node = dyn<Cooperate>(s)) return cooperate(node, out);
  out.push_back(around(s));
}

void Assigner::distributed(const Loop *loop, Stmts &out) {
  const hardware::Level *below = context_.target.hardware.below(*context_.target.hardware.find(loop->level));
  const Block *body = at(below->name, [&] { return block(loop->body); });
  const Stmt *result = arena_.derive(loop, [&](Loop &copy) { copy.body = body; });
  bool deeper = depth(loop->level) > depth(unit_);
  out.push_back(deeper ? single(loop->level, {result}) : result);
}

const Stmt *Assigner::around(const Stmt *s) {
  switch (stmtKind(*s)) {
  case StmtKind::Block: return block(as<Block>(s));
  case StmtKind::If:
    pure(as<If>(s)->cond);
    return arena_.derive(as<If>(s), [&](If &copy) {
      copy.then = block(copy.then);
      if (copy.otherwise) copy.otherwise = block(copy.otherwise);
    });
  case StmtKind::For:
    pure(as<For>(s)->cond);
    pure(as<For>(s)->step);
    if (as<For>(s)->init && storage_.writes(as<For>(s)->init)) fail(kCondition, here_);
    return arena_.derive(as<For>(s), [&](For &copy) { copy.body = block(copy.body); });
  case StmtKind::While:
    pure(as<While>(s)->cond);
    return arena_.derive(as<While>(s), [&](While &copy) { copy.body = block(copy.body); });
  case StmtKind::DoWhile:
    pure(as<DoWhile>(s)->cond);
    return arena_.derive(as<DoWhile>(s), [&](DoWhile &copy) { copy.body = block(copy.body); });
  case StmtKind::Loop: return arena_.derive(as<Loop>(s), [&](Loop &copy) { copy.body = block(copy.body); });
  case StmtKind::Switch:
    pure(as<Switch>(s)->value);
    return arena_.derive(as<Switch>(s), [&](Switch &copy) {
      for (const Case *&c : copy.cases) c = arena_.derive(c, [&](Case &inner) { inner.body = block(inner.body); });
    });
  case StmtKind::Declare:
  case StmtKind::Evaluate:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
  case StmtKind::Sync:
  case StmtKind::Alloc:
  case TANGRAM_LOWERED_STMTS: break;
  }
  failBug(s->range, "work-assignment", fmt::format("a {} around distributed work", name(s->kind())));
}

} // namespace tangram::assignment
