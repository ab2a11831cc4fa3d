#include "tangram/loops/Copies.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tangram::loops {

using namespace ast;

namespace {

/// A jump that leaves or continues `loop` itself, on a condition that differs from copy to copy.
bool leavesApart(const Copies &copies, const Block *body) {
  return !walk(body, [&](const Stmt &s) {
    if (isa<For>(&s) || isa<While>(&s) || isa<DoWhile>(&s) || isa<Loop>(&s)) return WalkResult::Skip;
    bool parts = (isa<If>(&s) || isa<Switch>(&s)) && !copies.together(&s);
    return parts && (contains<Break>(&s) || contains<Continue>(&s)) ? WalkResult::Stop : WalkResult::Advance;
  });
}

const Expr *baseOf(const Expr *place) {
  if (const auto *subscript = dyn<Subscript>(place)) return subscript->base;
  if (const auto *load = dyn<VectorLoad>(place)) return load->base;
  if (const auto *deref = dyn<Unary>(place); deref && deref->op == UnaryOp::Deref) return deref->operand;
  return nullptr;
}

} // namespace

Copies::Copies(const Loop &loop, const std::set<std::string> &shared) {
  differing_.insert(loop.var);
  local_.insert(loop.var);
  walk(
      loop.body, [&](const Declare &d) { local_.insert(d.name); }, [&](const Alloc &a) { local_.insert(a.name); },
      [&](const Loop &inner) { local_.insert(inner.var); });
  walk(loop.body, [&](const Stmt &s) {
    if (isa<Sync>(&s) || isa<Await>(&s) || isa<Cooperate>(&s) || isa<Launch>(&s) || isa<Single>(&s) ||
        isa<Return>(&s) || isa<View>(&s))
      possible_ = false;
  });
  for (const std::string &variable : assignedVariables(loop.body))
    if (!local_.count(variable)) possible_ = false;
  if (takesTurns(loop.body, shared)) possible_ = false;
  if (!possible_) return;
  do {
    changed_ = false;
    block(loop.body, false);
  } while (changed_);
}

/// Whether an iteration writes to an array that lies outside of it and reads what is there: one iteration's own
/// temporary, which was moved to where a device can have it. Results of a map are only written.
bool Copies::takesTurns(const Block *body, const std::set<std::string> &shared) const {
  std::map<std::string, std::string> arrayOf; // also of pointers into it
  for (const std::string &name : shared)
    if (!local_.count(name)) arrayOf[name] = name;
  std::map<std::string, std::size_t> named, aliased, stored; // how often
  auto count = [&](const Expr *e, std::map<std::string, std::size_t> &into) {
    std::string array;
    if (e)
      walk(e, [&](const VarRef &v) {
        auto it = arrayOf.find(v.name);
        if (it == arrayOf.end()) return;
        array = it->second;
        ++into[array];
      });
    return array;
  };
  walk(
      body,
      [&](const Declare &d) {
        if (!d.type.isPointer() || !d.extents.empty()) return;
        if (std::string array = count(d.init, aliased); !array.empty()) arrayOf[d.name] = array;
      },
      [&](const Assign &a) {
        if (a.op == AssignOp::Set) count(baseOf(a.target), stored);
      },
      [&](const VarRef &v) { count(&v, named); });
  return std::any_of(stored.begin(), stored.end(),
                     [&](const auto &entry) { return named[entry.first] > aliased[entry.first] + entry.second; });
}

bool Copies::differs(const Expr *e) const {
  return e && any<Expr>(e, [&](const Expr &part) {
           if (const auto *v = dyn<VarRef>(&part)) return differing_.count(v->name) != 0;
           if (isa<Atomic>(&part) || isa<MatrixMultiply>(&part)) return true;
           // What is only read stays as it is; anything else a copy in between may have written.
           const Expr *base = baseOf(&part);
           return base && !(base->type.isPointer() && base->type.toConst());
         });
}

std::size_t Copies::carried(const Stmt *inner) const {
  std::set<std::string> local;
  walk(inner, [&](const Declare &d) { local.insert(d.name); });
  const std::set<std::string> assigned = assignedVariables(inner);
  return static_cast<std::size_t>(std::count_if(
      assigned.begin(), assigned.end(), [&](const std::string &name) { return differs(name) && !local.count(name); }));
}

std::size_t Copies::live(const Stmt *inner) const {
  std::set<std::string> local;
  std::map<std::string, std::size_t> used; // their registers
  walk(inner, [&](const Declare &d) { local.insert(d.name); });
  walk(inner, [&](const VarRef &v) {
    if (differs(v.name) && !local.count(v.name)) used[v.name] = std::max<std::size_t>(1, v.type.bytes() / 4);
  });
  return std::accumulate(used.begin(), used.end(), std::size_t{0},
                         [](std::size_t sum, const auto &variable) { return sum + variable.second; });
}

void Copies::effects(const Expr *e, bool apart) {
  if (!e) return;
  auto assigned = [&](const Expr *target, bool valueDiffers) {
    if (const auto *v = dyn<VarRef>(target); v && (valueDiffers || apart)) mark(v->name);
  };
  // Operands of && and ?: are few and small: a copy that skips one counts as apart.
  bool conditional =
      any<Conditional>(e, [](const Conditional &c) { return hasEffects(&c); }) || any<Binary>(e, [](const Binary &b) {
        return (b.op == BinaryOp::LogicalAnd || b.op == BinaryOp::LogicalOr) && hasEffects(&b);
      });
  walk(
      e, [&](const Assign &a) { assigned(a.target, conditional || differs(a.value)); },
      [&](const Unary &u) {
        if (changesOperand(u.op)) assigned(u.operand, conditional);
        if (u.op == UnaryOp::AddressOf) assigned(u.operand, true);
      });
}

void Copies::block(const Block *body, bool apart) {
  for (const Stmt *s : body->stmts) stmt(s, apart);
}

void Copies::inner(const Stmt *loop, const Expr *cond, const Expr *step, const Block *body, bool apart) {
  if (apart || differs(cond) || leavesApart(*this, body)) changed_ |= apart_.insert(loop).second;
  bool inside = !together(loop);
  effects(cond, inside);
  block(body, inside);
  effects(step, inside);
}

void Copies::stmt(const Stmt *s, bool apart) {
  switch (stmtKind(*s)) {
  case StmtKind::Block: return block(as<Block>(s), apart);
  case StmtKind::Declare: {
    const auto *d = as<Declare>(s);
    effects(d->init, apart);
    bool table = !d->extents.empty() && d->isConst && d->init;
    if (apart || (!d->extents.empty() && !table) || differs(d->init)) mark(d->name);
    return;
  }
  case StmtKind::Alloc: return mark(as<Alloc>(s)->name);
  case StmtKind::Evaluate: return effects(as<Evaluate>(s)->expr, apart);
  case StmtKind::If: {
    const auto *node = as<If>(s);
    if (apart || differs(node->cond)) changed_ |= apart_.insert(s).second;
    effects(node->cond, apart);
    block(node->then, !together(s));
    if (node->otherwise) block(node->otherwise, !together(s));
    return;
  }
  case StmtKind::For: {
    const auto *node = as<For>(s);
    if (node->init) stmt(node->init, apart || !together(s));
    return inner(s, node->cond, node->step, node->body, apart);
  }
  case StmtKind::While: return inner(s, as<While>(s)->cond, nullptr, as<While>(s)->body, apart);
  case StmtKind::DoWhile: return inner(s, as<DoWhile>(s)->cond, nullptr, as<DoWhile>(s)->body, apart);
  case StmtKind::Loop: {
    const auto *node = as<Loop>(s);
    if (differs(node->begin) || differs(node->end)) changed_ |= apart_.insert(s).second;
    inner(s, nullptr, nullptr, node->body, apart);
    if (!together(s)) mark(node->var);
    return;
  }
  case StmtKind::Switch: {
    // Not written side by side: its jumps would be.
    changed_ |= apart_.insert(s).second;
    effects(as<Switch>(s)->value, true);
    for (const Case *c : as<Switch>(s)->cases) block(c->body, true);
    return;
  }
  // Jumps (leavesApart), and what keeps a loop from being copied at all.
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
  case StmtKind::Cooperate:
  case StmtKind::Sync:
  case StmtKind::View:
  case StmtKind::Launch:
  case StmtKind::Single:
  case StmtKind::Await:
  case StmtKind::Report:
  case StmtKind::VectorStore: return;
  }
}

} // namespace tangram::loops
