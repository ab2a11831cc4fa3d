#include "tangram/loops/Jam.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

namespace tangram::loops {

using namespace ast;

Jam::Stmts Jam::run(const Expr *first, unsigned factor) {
  Build b(arena_, loop_.range);
  renamings_.assign(factor, {});
  for (const std::string &name : declaredIn(loop_.body))
    for (unsigned u = 1; u < factor && copies_.differs(name); ++u) renamings_[u][name] = names_.fresh(name);
  Stmts out;
  for (unsigned u = 0; u < factor; ++u) {
    std::string name = u ? renamings_[u][loop_.var] = names_.fresh(loop_.var) : loop_.var;
    const Expr *start = u ? b.var(loop_.var, loop_.varType) : first;
    out.push_back(b.declare(name, loop_.varType, b.add(start, b.integer(loop_.varType, u))));
  }
  for (const Stmt *s : block(loop_.body)) out.push_back(s);
  return out;
}

Jam::Stmts Jam::block(const Block *body) {
  Stmts out;
  for (const Stmt *s : body->stmts) stmt(s, out);
  return out;
}

void Jam::each(const Stmt *s, Stmts &out) {
  for (const auto &names : renamings_) out.push_back(as<Stmt>(renameVariables(arena_, s, names)));
}

/// Changes nothing but variables that are the same in all copies.
bool Jam::once(const Expr *e) const {
  return walk(e, [&](const Expr &part) {
    const Expr *target = nullptr;
    if (const auto *assign = dyn<Assign>(&part)) target = assign->target;
    if (const auto *unary = dyn<Unary>(&part); unary && hasEffects(unary) && !hasEffects(unary->operand))
      target = unary->operand;
    const auto *v = target ? dyn<VarRef>(target) : nullptr;
    bool other = (target && (!v || copies_.differs(v->name))) || isa<Atomic>(&part) || isa<MatrixMultiply>(&part) ||
                 (isa<Call>(&part) && hasEffects(&part));
    return other ? WalkResult::Stop : WalkResult::Advance;
  });
}

void Jam::stmt(const Stmt *s, Stmts &out) {
  Build b(arena_, s->range);
  switch (stmtKind(*s)) {
  case StmtKind::Declare: {
    if (!copies_.differs(as<Declare>(s)->name)) return out.push_back(s);
    return each(s, out);
  }
  case StmtKind::Evaluate: {
    const Expr *e = as<Evaluate>(s)->expr;
    if (hasEffects(e) && once(e)) return out.push_back(s);
    return each(s, out);
  }
  case StmtKind::Break:
  case StmtKind::Continue: return out.push_back(s);
  case StmtKind::Block: return out.push_back(b.block(block(as<Block>(s))));
  case StmtKind::If: {
    const auto *node = as<If>(s);
    if (!copies_.together(s) || hasEffects(node->cond)) return each(s, out);
    return out.push_back(arena_.derive(node, [&](If &copy) {
      copy.then = b.block(block(node->then));
      if (node->otherwise) copy.otherwise = b.block(block(node->otherwise));
    }));
  }
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::DoWhile:
  case StmtKind::Loop: {
    if (!copies_.together(s)) {
      if (!asLongAsAll(s, out)) each(s, out);
      return;
    }
    auto jammed = [&](const auto *node) {
      return arena_.derive(node, [&](auto &copy) { copy.body = b.block(block(node->body)); });
    };
    if (const auto *counted = dyn<For>(s)) return out.push_back(jammed(counted));
    if (const auto *loop = dyn<While>(s)) return out.push_back(jammed(loop));
    if (const auto *loop = dyn<DoWhile>(s)) return out.push_back(jammed(loop));
    return out.push_back(jammed(as<Loop>(s)));
  }
  case StmtKind::Switch:
  case StmtKind::Return:
  case StmtKind::Sync:
  case StmtKind::Alloc:
  case TANGRAM_LOWERED_STMTS: break;
  }
  return each(s, out);
}

namespace {

/// A loop that counts by one from a start that is the same in all copies.
struct Counting {
  std::string var;
  Type type;
  const Expr *start = nullptr, *bound = nullptr;
  const Block *body = nullptr;
};

bool stepsByOne(const Expr *step, const std::string &var) {
  const auto *unary = dyn<Unary>(step);
  const auto *v = unary ? dyn<VarRef>(unary->operand) : nullptr;
  return v && v->name == var && (unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc);
}

std::optional<Counting> counting(const Stmt *s) {
  if (const auto *loop = dyn<Loop>(s)) return Counting{loop->var, loop->varType, loop->begin, loop->end, loop->body};
  const auto *loop = dyn<For>(s);
  const auto *init = loop ? dyn<Declare>(loop->init) : nullptr;
  const auto *test = loop ? dyn<Binary>(loop->cond) : nullptr;
  if (!init || !init->init || !init->extents.empty() || !test || test->op != BinaryOp::Lt) return {};
  const auto *v = dyn<VarRef>(test->lhs);
  if (!v || v->name != init->name || !stepsByOne(loop->step, v->name)) return {};
  return Counting{init->name, init->type, init->init, test->rhs, loop->body};
}

/// Nothing that a copy might write in between.
bool onlyVariables(const Expr *e) {
  return !any<Expr>(e, [](const Expr &part) {
    const auto *deref = dyn<Unary>(&part);
    return isa<Subscript>(&part) || isa<VectorLoad>(&part) || isa<Call>(&part) ||
           (deref && deref->op == UnaryOp::Deref);
  });
}

bool uses(const Expr *e, const std::set<std::string> &variables) {
  return any<VarRef>(e, [&](const VarRef &v) { return variables.count(v.name) != 0; });
}

} // namespace

/// One loop as long as all copies are in theirs, and what each has left.
bool Jam::asLongAsAll(const Stmt *s, Stmts &out) {
  std::optional<Counting> c = counting(s);
  if (!c || copies_.differs(c->start) || hasEffects(c->start) || hasEffects(c->bound) || jumpsOut(c->body))
    return false;
  std::set<std::string> changed = assignedVariables(c->body);
  if (changed.count(c->var) || uses(c->bound, changed) || uses(c->bound, {c->var}) || !onlyVariables(c->bound))
    return false;

  Build b(arena_, s->range);
  const Type &type = c->bound->type;
  std::vector<const Expr *> bounds;
  const Expr *least = nullptr;
  auto constant = [&](const std::string &hint, const Expr *value) {
    if (isa<IntLit>(value) || isa<VarRef>(value)) return value;
    std::string name = names_.fresh(hint);
    out.push_back(b.declare(name, type, value));
    return b.var(name, type);
  };
  for (const auto &names : renamings_) {
    bounds.push_back(constant(c->var + "_bound", as<Expr>(renameVariables(arena_, c->bound, names))));
    least = least ? constant(c->var + "_all", b.min(least, bounds.back())) : bounds.back();
  }

  const auto outer = renamings_;
  for (auto &names : renamings_) names.erase(c->var);
  const Expr *i = b.var(c->var, c->type);
  out.push_back(b.declare(c->var, c->type, c->start, false));
  auto loop = [&](const std::string &var, const Stmt *init, const Expr *bound, const Block *body) {
    const Expr *counter = b.var(var, c->type);
    const auto *made = arena_.make<For>(s->range, init, b.less(counter, bound),
                                        arena_.make<Unary>(s->range, c->type, UnaryOp::PreInc, counter), body);
    const auto *serial = dyn<For>(s);
    out.push_back(arena_.derive(made, [&](For &copy) { copy.independent = serial ? serial->independent : Flag::No; }));
  };
  loop(c->var, nullptr, least, b.block(block(c->body)));
  for (std::size_t u = 0; u < renamings_.size(); ++u) {
    auto names = outer[u];
    for (const std::string &name : declaredIn(c->body)) names[name] = names_.fresh(name);
    std::string own = names[c->var] = names_.fresh(c->var);
    loop(own, b.declare(own, c->type, i, false), bounds[u], as<Block>(renameVariables(arena_, c->body, names)));
  }
  renamings_ = outer;
  return true;
}

} // namespace tangram::loops
