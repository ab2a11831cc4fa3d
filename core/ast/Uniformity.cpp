#include "tangram/ast/Uniformity.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

namespace tangram::ast {

namespace {

/// Arrays whose elements are written, or may be: their address is taken or they are passed on.
std::set<std::string> writtenArrays(const Node *tree) {
  std::set<std::string> names;
  auto root = [&](const Expr *place) {
    if (const auto *deref = dyn<Unary>(place); deref && deref->op == UnaryOp::Deref) place = deref->operand;
    if (const VarRef *v = rootVariable(place)) names.insert(v->name);
  };
  walk(
      tree, [&](const Assign &a) { root(a.target); }, [&](const Atomic &a) { root(a.target); },
      [&](const MatrixMultiply &m) {
        for (const Expr *place : m.c) root(place);
      },
      [&](const Unary &u) {
        if (u.op != UnaryOp::Deref && u.op != UnaryOp::Minus && u.op != UnaryOp::Plus && u.op != UnaryOp::Not &&
            u.op != UnaryOp::BitNot)
          root(u.operand);
      },
      [&](const Call &c) {
        for (const Expr *arg : c.args)
          if (!arg->type.isScalar()) root(arg);
      });
  return names;
}

} // namespace

Uniformity::Uniformity(const Region &region) : region_(region), assigned_(assignedVariables(region.body)) {
  bool several = !region.lane.empty();
  if (several) varying_.insert(region.lane);
  std::set<std::string> written = writtenArrays(region.body);
  walk(
      region.body,
      [&](const Declare &d) {
        bool isArray = !d.extents.empty();
        bool shared = d.shared && region.cooperative;
        // A table that is never written is the same for all lanes.
        if (several && isArray && !shared && (written.count(d.name) || !d.init)) private_.insert(d.name);
        if (!isArray && d.init && !assigned_.count(d.name)) initialisers_[d.name] = d.init;
      },
      [&](const Alloc &a) {
        if (several && (!region.cooperative || a.level != region.level)) private_.insert(a.name);
      });
  do {
    changed_ = false;
    contexts_ = 0;
    block(region.body, ++contexts_);
  } while (changed_);
}

const Expr *Uniformity::initialiser(const std::string &variable) const {
  auto it = initialisers_.find(variable);
  return it == initialisers_.end() ? nullptr : it->second;
}

bool Uniformity::varying(const Expr *e) const {
  return any<Expr>(e, [&](const Expr &part) {
    if (const auto *v = dyn<VarRef>(&part)) return varying_.count(v->name) != 0 || private_.count(v->name) != 0;
    return isa<Atomic>(&part);
  });
}

void Uniformity::mark(const std::string &variable) { changed_ |= varying_.insert(variable).second; }

void Uniformity::assigned(const Expr *target, bool valueVaries, unsigned context) {
  const auto *v = dyn<VarRef>(target);
  if (!v) return;
  auto declared = declaredAt_.find(v->name);
  // Variables from outside, and shared ones, are one for all lanes.
  if (declared == declaredAt_.end() || declared->second == 0) return;
  if (valueVaries || declared->second != context) mark(v->name);
}

void Uniformity::effects(const Expr *e, unsigned context) {
  if (!e) return;
  auto in = [&](const Expr *child, bool parts) { effects(child, parts ? ++contexts_ : context); };
  if (const auto *choice = dyn<Conditional>(e)) {
    bool parts = varying(choice->cond);
    in(choice->cond, false);
    in(choice->then, parts);
    in(choice->otherwise, parts);
    return;
  }
  if (const auto *logic = dyn<Binary>(e);
      logic && (logic->op == BinaryOp::LogicalAnd || logic->op == BinaryOp::LogicalOr)) {
    in(logic->lhs, false);
    in(logic->rhs, varying(logic->lhs));
    return;
  }
  for (const Node *child : children(*e))
    if (const auto *operand = isa<Expr>(child) ? static_cast<const Expr *>(child) : nullptr) effects(operand, context);
  if (const auto *assign = dyn<Assign>(e)) assigned(assign->target, varying(assign->value), context);
  if (const auto *unary = dyn<Unary>(e); unary && changesOperand(unary->op)) assigned(unary->operand, false, context);
}

void Uniformity::block(const Block *body, unsigned context) {
  for (const Stmt *s : body->stmts)
    if (stmt(s, context)) {
      changed_ |= holders_.insert(s).second;
      context = ++contexts_; // some lanes may be gone
    }
}

bool Uniformity::loop(const Stmt *owner, const Stmt *init, const Expr *cond, const Expr *step, const Block *body,
                      unsigned context) {
  // The header's variables live in the body's context: lanes that are in the loop move them together.
  bool apart = divergent_.count(owner) != 0;
  unsigned inside = apart ? ++contexts_ : context;
  if (init) stmt(init, inside);
  if (cond && varying(cond)) changed_ |= divergent_.insert(owner).second;
  effects(cond, inside);
  owners_.push_back({owner, inside, false});
  block(body, inside);
  owners_.pop_back();
  if (jumps_.count(owner)) changed_ |= divergent_.insert(owner).second;
  effects(step, inside);
  return false;
}

bool Uniformity::stmt(const Stmt *s, unsigned context) {
  switch (stmtKind(*s)) {
  case StmtKind::Block: {
    block(as<Block>(s), context);
    for (const Stmt *inner : as<Block>(s)->stmts)
      if (holders_.count(inner)) return true;
    return false;
  }
  case StmtKind::Declare: {
    const auto *d = as<Declare>(s);
    bool one = d->shared && region_.cooperative;
    declaredAt_[d->name] = one ? 0 : context;
    effects(d->init, context);
    if (!one && d->extents.empty() && d->init && varying(d->init)) mark(d->name);
    return false;
  }
  case StmtKind::Alloc: declaredAt_[as<Alloc>(s)->name] = context; return false;
  case StmtKind::Evaluate: effects(as<Evaluate>(s)->expr, context); return false;
  case StmtKind::If: {
    const auto *node = as<If>(s);
    effects(node->cond, context);
    bool parts = varying(node->cond);
    bool jump = stmt(node->then, parts ? ++contexts_ : context);
    if (node->otherwise) jump |= stmt(node->otherwise, parts ? ++contexts_ : context);
    return jump;
  }
  case StmtKind::For: {
    const auto *node = as<For>(s);
    return loop(node, node->init, node->cond, node->step, node->body, context);
  }
  case StmtKind::While: return loop(s, nullptr, as<While>(s)->cond, nullptr, as<While>(s)->body, context);
  case StmtKind::DoWhile: return loop(s, nullptr, as<DoWhile>(s)->cond, nullptr, as<DoWhile>(s)->body, context);
  case StmtKind::Loop: {
    const auto *node = as<Loop>(s);
    if (varying(node->begin) || varying(node->end)) changed_ |= divergent_.insert(node).second;
    unsigned inside = divergent_.count(node) ? ++contexts_ : context;
    declaredAt_[node->var] = inside;
    if (varying(node->begin)) mark(node->var);
    owners_.push_back({node, inside, false});
    block(node->body, inside);
    owners_.pop_back();
    if (jumps_.count(node)) changed_ |= divergent_.insert(node).second;
    return false;
  }
  case StmtKind::Switch: {
    const auto *node = as<Switch>(s);
    effects(node->value, context);
    bool parts = varying(node->value);
    bool jump = false;
    for (const Case *c : node->cases) {
      unsigned inside = parts ? ++contexts_ : context;
      owners_.push_back({node, inside, true});
      jump |= stmt(c->body, inside);
      owners_.pop_back();
    }
    return jump;
  }
  case StmtKind::Break:
  case StmtKind::Continue: {
    for (std::size_t i = owners_.size(); i-- > 0;) {
      if (owners_[i].isSwitch && isa<Continue>(s)) continue;
      if (owners_[i].base == context) return false; // all lanes that are in the loop jump together
      changed_ |= jumps_.insert(owners_[i].owner).second;
      return true;
    }
    return false;
  }
  // Lanes neither part there nor set variables of their own; what other lanes run is not looked into.
  case StmtKind::Return:
  case StmtKind::Cooperate:
  case StmtKind::Sync:
  case StmtKind::View:
  case StmtKind::Launch:
  case StmtKind::Single:
  case StmtKind::Await:
  case StmtKind::Report:
  case StmtKind::VectorStore: break;
  }
  return false;
}

} // namespace tangram::ast
