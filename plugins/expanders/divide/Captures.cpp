#include "Captures.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tangram::divide {

using namespace ast;

namespace {

/// The container behind views: row of `auto row = a[i];`.
std::string rootOf(const Codelet &codelet, std::string name) {
  for (int fuel = 16; fuel > 0; --fuel) {
    const Declare *view = nullptr;
    walk(codelet.body, [&](const Declare &d) {
      if (d.name == name && d.type.isArray() && d.init) view = &d;
    });
    const Expr *e = view ? view->init : nullptr;
    while (const auto *p = dyn<Partition>(e)) e = p->container;
    const VarRef *root = e ? rootVariable(e) : nullptr;
    if (!root) return name;
    name = root->name;
  }
  return name;
}

/// A constant array of the whole codelet, as those outside of functions are.
bool isTable(const Codelet &codelet, const Declare &d) {
  const auto &stmts = codelet.body->stmts;
  return d.isConst && d.init && !d.extents.empty() && !d.type.isArray() &&
         !any<VarRef>(d.init, [](auto &) { return true; }) && std::find(stmts.begin(), stmts.end(), &d) != stmts.end();
}

} // namespace

const Codelet *withTables(const Codelet *made, const Codelet &source, Arena &arena) {
  std::vector<const Stmt *> stmts;
  for (const Stmt *s : source.body->stmts)
    if (const auto *d = dyn<Declare>(s); d && isTable(source, *d))
      if (mentions(made->body, d->name)) stmts.push_back(d);
  if (stmts.empty()) return made;
  stmts.insert(stmts.end(), made->body->stmts.begin(), made->body->stmts.end());
  return arena.derive(made, [&](Codelet &c) { c.body = arena.derive(made->body, [&](Block &b) { b.stmts = stmts; }); });
}

const Codelet *withSizes(const Codelet &codelet, Arena &arena) {
  std::map<std::string, const Expr *> sizes;
  const std::set<std::string> assigned = assignedVariables(codelet.body);
  for (const Stmt *s : codelet.body->stmts)
    if (const auto *d = dyn<Declare>(s);
        d && d->init && d->type == kSize && isa<Size>(d->init) && !assigned.count(d->name))
      sizes[d->name] = d->init;
  if (sizes.empty()) return &codelet;
  const Block *body = as<Block>(substitutedNode(arena, codelet.body,
                                                [&](const VarRef *v) -> const Expr * {
                                                  const auto it = sizes.find(v->name);
                                                  return it == sizes.end() ? v : it->second;
                                                },
                                                {}));
  return arena.derive(&codelet, [&](Codelet &c) { c.body = body; });
}

std::optional<Captures> capturesOf(const nest::Nest &nest, const std::vector<const Stmt *> &statements,
                                   const std::set<std::string> &without, const std::set<std::string> &privates,
                                   Arena &arena, std::string &why) {
  const Codelet &codelet = *nest.codelet;
  std::set<std::string> declared = without, assigned, written;
  std::vector<const VarRef *> used;
  std::set<std::string> seen;
  auto changes = [&](const Expr *place) {
    if (const VarRef *root = rootVariable(place)) written.insert(root->name);
  };
  for (const Stmt *s : statements) {
    for (const std::string &name : assignedVariables(s)) assigned.insert(name);
    walk(
        s, [&](const Declare &d) { declared.insert(d.name); }, [&](const Assign &a) { changes(a.target); },
        [&](const Atomic &a) { changes(a.target); },
        [&](const Unary &u) {
          if (u.op != UnaryOp::Plus && u.op != UnaryOp::Minus && u.op != UnaryOp::Not && u.op != UnaryOp::BitNot)
            changes(u.operand);
        });
  }
  for (const Stmt *s : statements)
    walk(s, [&](const VarRef &v) {
      if (!declared.count(v.name) && seen.insert(v.name).second) used.push_back(&v);
    });

  Captures result;
  std::map<std::string, std::pair<unsigned, bool>> roots; // how often a container is handed over, and written
  for (const VarRef *v : used) {
    const Param *given = nullptr;
    for (const Param *p : codelet.params)
      if (p->name == v->name) given = p;
    const Declare *local = nullptr;
    walk(codelet.body, [&](const Declare &d) {
      if (d.name == v->name) local = &d;
    });
    if (!given && !local) continue;
    if (local && (local->shared || local->tunable)) {
      why = fmt::format("it uses '{}', which cannot be handed over", v->name);
      return std::nullopt;
    }
    if (local && isTable(codelet, *local)) continue; // whoever uses it has it, too
    if (local && !local->extents.empty() && !local->type.isArray()) {
      why = fmt::format("it uses the array '{}' that is declared around it", v->name);
      return std::nullopt;
    }
    if (!v->type.isArray() && assigned.count(v->name)) {
      if (!local || !privates.count(v->name)) {
        why = fmt::format("it changes '{}', which is declared around it", v->name);
        return std::nullopt;
      }
      result.own.push_back(local);
      continue;
    }
    Access access = written.count(v->name) ? Access::InOut : Access::In;
    if (v->type.isArray()) {
      if (!(v->type.element().isScalar() || v->type.element().isStruct())) {
        why = fmt::format("it uses the parts '{}'", v->name);
        return std::nullopt;
      }
      auto &[times, writes] = roots[rootOf(codelet, v->name)];
      ++times;
      writes |= access != Access::In;
      if (times > 1 && writes) {
        why = fmt::format("it writes '{}' by two names", v->name);
        return std::nullopt;
      }
    }
    result.params.push_back(arena.make<Param>(v->range, v->name, v->type, access));
    result.arguments.push_back(arena.make<VarRef>(v->range, v->type, v->name));
  }
  // Later uses of a written container may come first.
  for (const auto &[name, use] : roots)
    if (use.first > 1 && use.second) {
      why = fmt::format("it writes '{}' by two names", name);
      return std::nullopt;
    }
  return result;
}

bool hasViews(const Codelet &codelet) {
  return any<Declare>(codelet.body, [](const Declare &d) { return d.type.isArray() && d.init; });
}

std::set<std::string> changedBy(const Node *tree) {
  std::set<std::string> changed = assignedVariables(tree);
  const auto place = [&](const Expr *target) {
    if (const VarRef *root = rootVariable(target)) changed.insert(root->name);
  };
  walk(
      tree, [&](const Assign &a) { place(a.target); }, [&](const Atomic &a) { place(a.target); },
      [&](const Unary &u) {
        if (hasEffects(&u)) place(u.operand);
      });
  return changed;
}

bool callsChangeSomething(const Node *tree, const Module &module) {
  return contains<SpectrumCall>(tree) || contains<Map>(tree) ||
         any<Call>(tree, [&](const Call &call) { return nest::changesSomething(&call, module); });
}

} // namespace tangram::divide
