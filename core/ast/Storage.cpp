#include "tangram/ast/Storage.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::ast {

Storage::Storage(const Kernel &kernel) {
  for (const Param *p : kernel.params) {
    if (!p->type.isArray() && !p->type.isPointer() && p->access == ast::Access::In) continue;
    kinds_[p->name] = Kind::Param;
    if (p->access == ast::Access::In) readOnly_.insert(p->name);
  }
  walk(
      kernel.body, [&](const Alloc &a) { kinds_[a.name] = Kind::Alloc; },
      [&](const View &v) { views_[v.name] = v.base; },
      [&](const Declare &d) {
        if (d.extents.empty()) return;
        kinds_[d.name] = d.shared ? Kind::Shared : Kind::Array;
        if (d.isConst && d.init) readOnly_.insert(d.name);
      });
}

Storage::Kind Storage::kind(const std::string &buffer) const {
  auto it = kinds_.find(buffer);
  return it == kinds_.end() ? Kind::None : it->second;
}

std::string Storage::bufferOf(const std::string &name) const {
  std::string at = name;
  for (auto it = views_.find(at); it != views_.end(); it = views_.find(at)) at = it->second;
  return kind(at) == Kind::None ? "" : at;
}

void Storage::place(const Expr *e, bool reads, bool writes, bool atomic, std::vector<Access> &out) const {
  std::vector<const Expr *> indices;
  const Expr *base = e;
  for (;;) {
    if (const auto *subscript = dyn<Subscript>(base)) {
      indices.insert(indices.begin(), subscript->indices.begin(), subscript->indices.end());
      base = subscript->base;
    } else if (const auto *member = dyn<Member>(base)) {
      base = member->base;
    } else {
      break;
    }
  }
  for (const Expr *index : indices) expr(index, out);
  const auto *v = dyn<VarRef>(base);
  if (!v) return expr(base, out);
  std::string buffer = bufferOf(v->name);
  if (buffer.empty()) return;
  Access access{buffer, false, atomic, e, std::move(indices), v->name == buffer};
  if (reads) out.push_back(access);
  access.writes = true;
  if (writes) out.push_back(std::move(access));
}

void Storage::expr(const Expr *e, std::vector<Access> &out) const {
  if (!e) return;
  if (isa<Size>(e) || isa<Pitch>(e)) return; // of the container, not of what it holds
  if (const auto *assign = dyn<Assign>(e)) {
    expr(assign->value, out);
    return place(assign->target, assign->op != AssignOp::Set, true, false, out);
  }
  if (const auto *atomic = dyn<Atomic>(e)) {
    for (const Expr *operand : atomic->operands) expr(operand, out);
    return place(atomic->target, true, true, true, out);
  }
  if (const auto *product = dyn<MatrixMultiply>(e)) {
    for (const auto *operands : {&product->a, &product->b})
      for (const Expr *operand : *operands) expr(operand, out);
    for (const Expr *target : product->c) place(target, true, true, false, out);
    return;
  }
  if (const auto *unary = dyn<Unary>(e)) {
    bool writes = changesOperand(unary->op) || unary->op == UnaryOp::AddressOf;
    return place(unary->operand, true, writes, false, out);
  }
  if (isa<Subscript>(e) || isa<Member>(e) || isa<VarRef>(e)) return place(e, true, false, false, out);
  for (const Node *child : children(*e)) node(child, out);
}

void Storage::node(const Node *n, std::vector<Access> &out) const {
  if (!n) return;
  if (isa<Expr>(n)) return expr(static_cast<const Expr *>(n), out);
  for (const Node *child : children(*n)) node(child, out);
}

std::vector<Storage::Access> Storage::accesses(const Node *tree) const {
  std::vector<Access> out;
  node(tree, out);
  return out;
}

bool Storage::touches(const Node *tree) const {
  std::vector<Access> all = accesses(tree);
  return std::any_of(all.begin(), all.end(), [&](const Access &a) { return kind(a.buffer) != Kind::Array; });
}

bool Storage::writes(const Node *tree) const {
  std::vector<Access> all = accesses(tree);
  return std::any_of(all.begin(), all.end(),
                     [&](const Access &a) { return a.writes && kind(a.buffer) != Kind::Array; });
}

std::set<std::string> mentioned(const Node *tree) {
  std::set<std::string> names;
  walk(tree, [&](const VarRef &v) { names.insert(v.name); }, [&](const View &v) { names.insert(v.base); });
  return names;
}

std::set<std::string> declaredIn(const Node *tree) {
  std::set<std::string> names;
  walk(
      tree, [&](const Declare &n) { names.insert(n.name); }, [&](const Alloc &n) { names.insert(n.name); },
      [&](const View &n) { names.insert(n.name); }, [&](const Loop &n) { names.insert(n.var); },
      [&](const Cooperate &n) { names.insert(n.lane); });
  return names;
}

} // namespace tangram::ast
