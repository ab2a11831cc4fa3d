#include "HostValues.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::splitting {

using namespace ast;

HostValues::HostValues(const Kernel &kernel, const Storage &storage, std::string device)
    : storage_(storage), level_(std::move(device)) {
  do {
    changed_ = false;
    block(kernel.body, false);
  } while (changed_);
}

bool HostValues::launches(const Node *tree) const {
  return any<Loop>(tree, [&](const Loop &l) { return l.policy == Policy::Distribute && l.level == level_; });
}

bool HostValues::controls(const Stmt *s) const { return launches(s) || jumpsOut(s); }

bool HostValues::onDevice(const Node *tree) const {
  if (!storage_.accesses(tree).empty()) return true;
  return any<Node>(tree, [&](const Node &n) {
    if (const auto *v = dyn<VarRef>(&n)) return device_.count(v->name) != 0;
    if (const auto *loop = dyn<Loop>(&n)) return loop->policy == Policy::Distribute;
    if (const auto *d = dyn<Declare>(&n)) return !d->extents.empty() || device_.count(d->name) != 0;
    return isa<Cooperate>(&n);
  });
}

void HostValues::expr(const Expr *e, bool device) {
  if (!e) return;
  auto assigned = [&](const Expr *target, const Expr *value) {
    const auto *v = dyn<VarRef>(target);
    if (v && (device || (value && onDevice(value)))) mark(v->name);
  };
  walk(
      e, [&](const Assign &a) { assigned(a.target, a.value); },
      [&](const Unary &u) {
        if (hasEffects(&u)) assigned(u.operand, nullptr);
      });
}

void HostValues::block(const Block *body, bool device) {
  for (const Stmt *s : body->stmts) stmt(s, device);
}

void HostValues::stmt(const Stmt *s, bool device) {
  if (isa<Block>(s)) return block(as<Block>(s), device);
  if (const auto *d = dyn<Declare>(s)) {
    if (device || !d->extents.empty() || (d->init && onDevice(d->init))) mark(d->name);
    return expr(d->init, onDevice(d->name)); // one side makes it, with all effects
  }
  if (const auto *e = dyn<Evaluate>(s)) return expr(e->expr, device || onDevice(e->expr));
  if (isa<View>(s) || isa<Alloc>(s) || isa<Sync>(s)) return;
  // A statement that does not launch is done as a whole by one side.
  bool inside = device || !byHost(s);
  if (const auto *loop = dyn<Loop>(s)) {
    bool spreads = loop->policy == Policy::Distribute;
    if (inside || spreads) mark(loop->var);
    return block(loop->body, inside || spreads);
  }
  for (const Node *child : children(*s)) {
    if (const auto *b = isa<Block>(child) ? as<Block>(child) : nullptr)
      block(b, inside);
    else if (isa<Stmt>(child))
      stmt(static_cast<const Stmt *>(child), inside);
    else if (isa<Expr>(child)) // what the device is asked, it does with all its effects
      expr(static_cast<const Expr *>(child), inside || onDevice(child));
    else if (const auto *c = dyn<Case>(child))
      block(c->body, inside);
  }
}

} // namespace tangram::splitting
