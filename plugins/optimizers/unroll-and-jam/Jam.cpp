#include "Jam.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::jam {

using namespace ast;

namespace {

std::vector<std::string> declared(const Block *body) {
  std::vector<std::string> names;
  walk(
      body, [&](const Declare &d) { names.push_back(d.name); }, [&](const Alloc &a) { names.push_back(a.name); },
      [&](const Loop &l) { names.push_back(l.var); });
  return names;
}

template <class T> const T *rename(Arena &arena, const T *tree, const std::map<std::string, std::string> &names) {
  return static_cast<const T *>(renameVariables(arena, tree, [&](const std::string &name) {
    auto it = names.find(name);
    return it == names.end() ? name : it->second;
  }));
}

} // namespace

const Loop *Jam::renamed(Arena &arena, Names &names, const Loop *loop) {
  std::map<std::string, std::string> fresh{{loop->var, names.fresh(loop->var)}};
  for (const std::string &name : declared(loop->body)) fresh[name] = names.fresh(name);
  return rename(arena, loop, fresh);
}

Jam::Stmts Jam::run(const Expr *first, unsigned factor) {
  Build b(arena_, loop_.range);
  renamings_.assign(factor, {});
  for (const std::string &name : declared(loop_.body))
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
  for (const auto &names : renamings_) out.push_back(rename(arena_, s, names));
}

/// Changes nothing but variables that are the same in all copies.
bool Jam::once(const Expr *e) const {
  return walk(e, [&](const Expr &part) {
    const Expr *target = nullptr;
    if (const auto *assign = dyn<Assign>(&part)) target = assign->target;
    if (const auto *unary = dyn<Unary>(&part); unary && hasEffects(unary) && !hasEffects(unary->operand))
      target = unary->operand;
    const auto *v = target ? dyn<VarRef>(target) : nullptr;
    bool other =
        (target && (!v || copies_.differs(v->name))) || isa<Atomic>(&part) || (isa<Call>(&part) && hasEffects(&part));
    return other ? WalkResult::Stop : WalkResult::Advance;
  });
}

void Jam::stmt(const Stmt *s, Stmts &out) {
  Build b(arena_, s->range);
  switch (s->kind()) {
  case Kind::Declare: {
    if (!copies_.differs(as<Declare>(s)->name)) return out.push_back(s);
    return each(s, out);
  }
  case Kind::Evaluate: {
    const Expr *e = as<Evaluate>(s)->expr;
    if (hasEffects(e) && once(e)) return out.push_back(s);
    return each(s, out);
  }
  case Kind::Break:
  case Kind::Continue: return out.push_back(s);
  case Kind::Block: return out.push_back(b.block(block(as<Block>(s))));
  case Kind::If: {
    const auto *node = as<If>(s);
    if (!copies_.together(s) || hasEffects(node->cond)) return each(s, out);
    return out.push_back(arena_.derive(node, [&](If &copy) {
      copy.then = b.block(block(node->then));
      if (node->otherwise) copy.otherwise = b.block(block(node->otherwise));
    }));
  }
  case Kind::For:
  case Kind::While:
  case Kind::DoWhile:
  case Kind::Loop: {
    if (!copies_.together(s)) return each(s, out);
    auto jammed = [&](const auto *node) {
      return arena_.derive(node, [&](auto &copy) { copy.body = b.block(block(node->body)); });
    };
    if (const auto *counted = dyn<For>(s)) return out.push_back(jammed(counted));
    if (const auto *loop = dyn<While>(s)) return out.push_back(jammed(loop));
    if (const auto *loop = dyn<DoWhile>(s)) return out.push_back(jammed(loop));
    return out.push_back(jammed(as<Loop>(s)));
  }
  default: return each(s, out);
  }
}

} // namespace tangram::jam
