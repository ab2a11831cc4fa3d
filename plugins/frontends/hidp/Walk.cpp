#include "Walk.h"

#include <algorithm>

namespace tangram::hidp {
namespace {

void reads(const Expr *e, const std::function<void(const Expr &, Use)> &f) {
  if (e->variable) f(*e, Use::Read);
  for (const Expr *a : e->args) reads(a, f);
}

/// A place that is assigned: what its indices read, and itself.
void written(const Expr *e, Use use, const std::function<void(const Expr &, Use)> &f) {
  const Expr *base = e;
  while (base->kind == Expr::Kind::Member) base = base->args[0];
  for (const Expr *a : base->args) reads(a, f);
  f(*base, use);
}

} // namespace

void uses(const Stmt &s, const std::function<void(const Expr &, Use)> &f) {
  for (const Loop &l : s.loops) {
    reads(l.low, f);
    reads(l.high, f);
  }
  if (s.kind == Stmt::Kind::Declare && s.variable)
    for (const Expr *e : s.variable->extents) reads(e, f);
  if (s.init) uses(*s.init, f);
  if (s.value) reads(s.value, f);
  for (std::size_t i = 0; i < s.args.size(); ++i) {
    const bool changed = i < s.changes.size() && s.changes[i];
    if (changed)
      written(s.args[i], Use::ReadWrite, f);
    else
      reads(s.args[i], f);
  }
  uses(s.body, f);
  uses(s.otherwise, f);
  if (s.step) uses(*s.step, f);
  if (s.reduction) {
    reads(s.reduction->value, f);
    written(s.reduction->target, Use::Write, f);
  }
  if (s.target) written(s.target, s.kind == Stmt::Kind::Assign && s.op != "=" ? Use::ReadWrite : Use::Write, f);
}

void uses(const Stmts &stmts, const std::function<void(const Expr &, Use)> &f) {
  for (const Stmt *s : stmts) uses(*s, f);
}

void statements(const Stmt &s, const std::function<void(const Stmt &)> &f) {
  f(s);
  if (s.init) statements(*s.init, f);
  if (s.step) statements(*s.step, f);
  for (const Stmt *b : s.body) statements(*b, f);
  for (const Stmt *b : s.otherwise) statements(*b, f);
}

bool any(const Stmts &stmts, const std::function<bool(const Stmt &)> &f) {
  bool found = false;
  for (const Stmt *s : stmts) statements(*s, [&](const Stmt &x) { found = found || f(x); });
  return found;
}

const Expr *reference(const Variable *v, Piece piece, Program &program) {
  Expr e;
  e.kind = Expr::Kind::Variable;
  e.type = v->type;
  e.piece = piece;
  e.variable = v;
  return program.make(std::move(e));
}

const Expr *rewritten(const Expr *e, const Rewrite &f, Program &program) {
  if (!e) return e;
  Expr changed = *e;
  bool any = false;
  for (const Expr *&a : changed.args) {
    const Expr *b = rewritten(a, f, program);
    any |= a != b;
    a = b;
  }
  if (any) e = program.make(std::move(changed));
  const Expr *other = f(e);
  return other ? other : e;
}

const Stmt *rewritten(const Stmt *s, const Rewrite &f, Program &program) {
  if (!s) return s;
  Stmt changed = *s;
  for (Loop &l : changed.loops) {
    l.low = rewritten(l.low, f, program);
    l.high = rewritten(l.high, f, program);
  }
  changed.value = rewritten(s->value, f, program);
  changed.target = rewritten(s->target, f, program);
  changed.init = rewritten(s->init, f, program);
  changed.step = rewritten(s->step, f, program);
  changed.body = rewritten(s->body, f, program);
  changed.otherwise = rewritten(s->otherwise, f, program);
  for (const Expr *&a : changed.args) a = rewritten(a, f, program);
  if (changed.reduction) {
    changed.reduction->target = rewritten(changed.reduction->target, f, program);
    changed.reduction->value = rewritten(changed.reduction->value, f, program);
  }
  return program.make(std::move(changed));
}

Stmts rewritten(const Stmts &stmts, const Rewrite &f, Program &program) {
  Stmts result;
  for (const Stmt *s : stmts) result.push_back(rewritten(s, f, program));
  return result;
}

namespace {

Rewrite by(const Replacement &replacement) {
  return [&](const Expr *e) -> const Expr * {
    auto found = e->variable ? replacement.find(e->variable) : replacement.end();
    return found == replacement.end() ? nullptr : found->second;
  };
}

} // namespace

const Expr *replaced(const Expr *e, const Replacement &r, Program &program) { return rewritten(e, by(r), program); }
const Stmt *replaced(const Stmt *s, const Replacement &r, Program &program) { return rewritten(s, by(r), program); }

} // namespace tangram::hidp
