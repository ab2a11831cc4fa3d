#include "Splitter.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kEffects{"flatten.struct-effects", DiagnosticClass::Limitation,
                                  "a value in the braces of '{}', an array of structs, changes something",
                                  "compute it in a variable before"};

/// An index that stays the same while fields are stored: made of variables, sizes and literals.
bool isSteady(const Expr *index) {
  return !hasEffects(index) && !any<Expr>(index, [](const Expr &e) {
    return isa<Subscript>(&e) || isa<Member>(&e) || isa<Call>(&e) || isa<Check>(&e);
  });
}

Type containerOf(const Type &like, const Type &leaf) { return like.isArray() ? Type::array(like.rank(), leaf) : leaf; }
} // namespace

// ---- names ---------------------------------------------------------------------------------------------

Splitter::Fields &Splitter::enter(const std::string &name, const Type &type) {
  Fields fields;
  for (const Structs::Leaf &leaf : leaves(type)) {
    fields.names.push_back(names_.fresh(name + "_" + leaf.name("_")));
    fields.steps.push_back(1);
  }
  return split_[name] = std::move(fields);
}

const Splitter::Fields &Splitter::fieldsOf(const std::string &name, const Node *at) const {
  auto found = split_.find(name);
  if (found == split_.end()) failBug(at->range, "flatten", fmt::format("'{}' is no variable of a struct", name));
  return found->second;
}

const Splitter::Fields &Splitter::fieldsOf(const Expr *variable) const {
  const auto *v = dyn<VarRef>(variable);
  if (!v) failBug(variable->range, "flatten", fmt::format("a {} of a struct is no variable", name(variable->kind())));
  return fieldsOf(v->name, v);
}

std::size_t Splitter::first(const Type &type, const std::string &field) const {
  std::size_t at = 0;
  for (const Param *candidate : structs_.find(type)->fields) {
    if (candidate->name == field) return at;
    at += leaves(candidate->type).size();
  }
  failBug({}, "flatten", fmt::format("struct '{}' has no field '{}'", type.name(), field));
}

const Stmt *Splitter::sequence(const std::vector<const Stmt *> &stmts) {
  for (std::size_t i = 0; i + 1 < stmts.size(); ++i) emitBefore(stmts[i]);
  return stmts.back();
}

// ---- what the kernel is given --------------------------------------------------------------------------

void Splitter::parameter(const Param *param, std::vector<const Stmt *> &prologue) {
  Type type = param->type.leaf();
  if (!type.isStruct()) return;
  Build b = this->b(param);
  const Expr *self = b.var(param->name, param->type);
  Fields &fields = enter(param->name, type);
  fields.given = param->type.isArray();
  fields.result = !fields.given && param->access != Access::In;
  for (std::size_t k = 0; k < fields.names.size(); ++k) {
    const Structs::Leaf &leaf = leaves(type)[k];
    if (!fields.given && !fields.result) {
      const Expr *value = self;
      Type at = type;
      for (const std::string &field : leaf.path) {
        for (const Param *candidate : structs_.find(at)->fields)
          if (candidate->name == field) value = arena().make<Member>(param->range, candidate->type, value, field);
        at = value->type;
      }
      prologue.push_back(b.declare(fields.names[k], leaf.type, value));
      continue;
    }
    // What C++ lays out is aligned: offset and size of a struct are multiples of the size of each field.
    fields.steps[k] = structs_.bytes(type) / leaf.type.bytes();
    const Expr *step = b.u64(fields.steps[k]);
    std::vector<const Expr *> sizes, strides;
    unsigned rank = param->type.rank();
    if (fields.result) sizes = strides = {b.u64(1)};
    for (unsigned d = 0; d < rank; ++d) {
      const Expr *dim = rank == 1 ? nullptr : b.u64(d);
      sizes.push_back(arena().make<Size>(param->range, Type(Scalar::U64), self, dim));
      strides.push_back(d + 1 == rank ? step
                                      : b.mul(arena().make<Pitch>(param->range, Type(Scalar::U64), self, dim), step));
    }
    prologue.push_back(arena().make<View>(param->range, fields.names[k], leaf.type, param->name,
                                          param->access == Access::In, b.u64(leaf.offset / leaf.type.bytes()),
                                          std::move(sizes), std::move(strides)));
  }
}

const Kernel *Splitter::run(const Kernel *kernel) {
  names_.reserveAll(kernel->body);
  for (const Param *param : kernel->params) names_.reserve(param->name);
  for (const Param *constant : kernel->constants) names_.reserve(constant->name);
  std::vector<const Stmt *> stmts;
  for (const Param *param : kernel->params) parameter(param, stmts);
  const Block *body = mutateAs(kernel->body);
  if (body == kernel->body) return kernel;
  std::set<std::string> used = mentioned(body);
  std::erase_if(stmts, [&](const Stmt *stmt) {
    return !used.count(isa<View>(stmt) ? as<View>(stmt)->name : as<Declare>(stmt)->name);
  });
  stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
  return arena().derive(kernel, [&](Kernel &copy) { copy.body = arena().make<Block>(body->range, std::move(stmts)); });
}

// ---- values --------------------------------------------------------------------------------------------

const Expr *Splitter::leaf(const Expr *e, std::size_t k) {
  if (!e->type.isStruct()) return mutateAs(e);
  const Structs::Leaf &field = leaves(e->type)[k];
  switch (exprKind(*e)) {
  case ExprKind::VarRef: {
    const Fields &fields = fieldsOf(e);
    if (!fields.result) return b(e).var(fields.names[k], field.type);
    return b(e).element(b(e).var(fields.names[k], Type::array(1, field.type)), {b(e).u64(0)}, field.type);
  }
  case ExprKind::Subscript: {
    const auto *subscript = as<Subscript>(e);
    std::vector<const Expr *> indices;
    for (const Expr *index : subscript->indices) indices.push_back(mutateAs(index));
    const std::string &name = fieldsOf(subscript->base).names.at(k);
    return arena().make<Subscript>(e->range, field.type, b(e).var(name, containerOf(subscript->base->type, field.type)),
                                   std::move(indices));
  }
  case ExprKind::Member: {
    const auto *member = as<Member>(e);
    return leaf(member->base, first(member->base->type, member->field) + k);
  }
  case ExprKind::InitList: {
    const auto *list = as<InitList>(e);
    const std::vector<const Param *> &fields = structs_.find(e->type)->fields;
    for (std::size_t i = 0; i < list->values.size() && i < fields.size(); ++i) {
      std::size_t count = leaves(fields[i]->type).size();
      if (k < count) return leaf(list->values[i], k);
      k -= count;
    }
    return b(e).zero(field.type);
  }
  case ExprKind::Conditional: {
    const auto *choice = as<Conditional>(e);
    return b(e).select(mutateAs(choice->cond), leaf(choice->then, k), leaf(choice->otherwise, k));
  }
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::Assign:
  case ExprKind::Cast:
  case ExprKind::Call:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  failBug(e->range, "flatten", fmt::format("a {} as the value of a struct", name(e->kind())));
}

const Expr *Splitter::elements(const Expr *init, std::size_t rank, const Type &type, std::size_t k) {
  if (rank == 0) return leaf(init, k);
  std::vector<const Expr *> values;
  for (const Expr *value : as<InitList>(init)->values) values.push_back(elements(value, rank - 1, type, k));
  return arena().make<InitList>(init->range, type, std::move(values));
}

const Expr *Splitter::steady(const Expr *e) {
  if (!e->type.isStruct()) return e;
  if (const auto *member = dyn<Member>(e)) {
    const Expr *base = steady(member->base);
    return base == member->base ? e : arena().derive(member, [&](Member &copy) { copy.base = base; });
  }
  if (const auto *list = dyn<InitList>(e))
    return arena().derive(list, [&](InitList &copy) {
      for (const Expr *&value : copy.values) value = steady(value);
    });
  const auto *subscript = dyn<Subscript>(e);
  if (!subscript) return e; // in a ?: an index may be one only where it is chosen
  return arena().derive(subscript, [&](Subscript &copy) {
    for (const Expr *&index : copy.indices) {
      if (isSteady(index)) continue;
      std::string name = names_.fresh("at");
      emitBefore(b(index).declare(name, index->type, mutateAs(index)));
      index = b(index).var(name, index->type);
    }
  });
}

/// Whether storing one field may change what the value of another is made of. A copy reads of each field what it
/// writes of it.
bool Splitter::disturbed(const Expr *value, const Expr *target) const {
  if (const auto *choice = dyn<Conditional>(value))
    return disturbed(choice->then, target) || disturbed(choice->otherwise, target);
  if (isa<VarRef>(value)) return false;
  const VarRef *root = rootVariable(target);
  bool element = root && root->type.isArray();
  auto reads = [&](const Expr &e) {
    const auto *v = dyn<VarRef>(&e);
    return v && ((root && v->name == root->name) || (element && v->type.isArray()));
  };
  if (!isa<InitList>(value)) { // a place: its indices alone
    const Expr *place = value;
    while (const auto *member = dyn<Member>(place)) place = member->base;
    const auto *subscript = dyn<Subscript>(place);
    return subscript && std::any_of(subscript->indices.begin(), subscript->indices.end(),
                                    [&](const Expr *index) { return any<Expr>(index, reads); });
  }
  return hasEffects(value) || any<Expr>(value, reads);
}

const Node *Splitter::mutateMember(const Member *e) { return leaf(e->base, first(e->base->type, e->field)); }

const Node *Splitter::mutateSize(const Size *e) {
  if (!e->container->type.leaf().isStruct() || fieldsOf(e->container).given) return e;
  const Type &type = e->container->type;
  Type of = containerOf(type, leaves(type.leaf())[0].type);
  return arena().derive(e, [&](Size &copy) {
    copy.container = b(e).var(fieldsOf(e->container).names[0], of);
    copy.dim = mutateAs(e->dim);
  });
}

const Node *Splitter::mutatePitch(const Pitch *e) {
  if (!e->container->type.leaf().isStruct() || fieldsOf(e->container).given) return e;
  failBug(e->range, "flatten", "the pitch of a container that is not the kernel's");
}

// ---- statements ----------------------------------------------------------------------------------------

const Node *Splitter::mutateDeclare(const Declare *stmt) {
  if (!stmt->type.isStruct()) return rebuild(stmt);
  const Expr *init = stmt->init;
  if (init && !stmt->extents.empty() && hasEffects(init)) fail(kEffects, init->range, stmt->name);
  if (init && stmt->extents.empty()) init = steady(init);
  Fields fields = enter(stmt->name, stmt->type);
  std::vector<const Stmt *> stmts;
  for (std::size_t k = 0; k < fields.names.size(); ++k)
    stmts.push_back(arena().derive(stmt, [&](Declare &copy) {
      copy.name = fields.names[k];
      copy.type = leaves(stmt->type)[k].type;
      for (const Expr *&extent : copy.extents) extent = mutateAs(extent);
      if (init) copy.init = elements(init, stmt->extents.size(), copy.type, k);
    }));
  return sequence(stmts);
}

const Node *Splitter::mutateAlloc(const Alloc *stmt) {
  if (!stmt->element.isStruct()) return rebuild(stmt);
  Fields fields = enter(stmt->name, stmt->element);
  std::vector<const Stmt *> stmts;
  for (std::size_t k = 0; k < fields.names.size(); ++k)
    stmts.push_back(arena().derive(stmt, [&](Alloc &copy) {
      copy.name = fields.names[k];
      copy.element = leaves(stmt->element)[k].type;
      for (const Expr *&extent : copy.extents) extent = mutateAs(extent);
    }));
  return sequence(stmts);
}

const Node *Splitter::mutateView(const View *stmt) {
  if (!stmt->element.isStruct()) return rebuild(stmt);
  Fields base = fieldsOf(stmt->base, stmt);
  Fields &fields = enter(stmt->name, stmt->element);
  fields.steps = base.steps;
  std::vector<const Stmt *> stmts;
  for (std::size_t k = 0; k < base.names.size(); ++k)
    stmts.push_back(arena().derive(stmt, [&](View &copy) {
      const Expr *step = b(stmt).u64(base.steps[k]);
      copy.name = fields.names[k];
      copy.base = base.names[k];
      copy.element = leaves(stmt->element)[k].type;
      copy.offset = b(stmt).mul(mutateAs(stmt->offset), step);
      for (const Expr *&size : copy.sizes) size = mutateAs(size);
      for (const Expr *&stride : copy.strides) stride = b(stmt).mul(mutateAs(stride), step);
    }));
  return sequence(stmts);
}

const Node *Splitter::mutateEvaluate(const Evaluate *stmt) {
  const auto *assign = dyn<Assign>(stmt->expr);
  if (!assign || !assign->type.isStruct()) return rebuild(stmt);
  // The value comes first, as in C++.
  const Expr *value = steady(assign->value);
  bool first = disturbed(value, assign->target) || hasEffects(assign->target);
  std::vector<const Expr *> values;
  for (std::size_t k = 0; k < leaves(assign->type).size(); ++k) {
    values.push_back(leaf(value, k));
    if (!first || isa<IntLit>(values.back()) || isa<FloatLit>(values.back())) continue;
    std::string name = names_.fresh("new_" + leaves(assign->type)[k].name("_"));
    emitBefore(b(stmt).declare(name, values.back()->type, values.back()));
    values.back() = b(stmt).var(name, values.back()->type);
  }
  const Expr *target = steady(assign->target);
  std::vector<const Stmt *> stmts;
  for (std::size_t k = 0; k < values.size(); ++k) stmts.push_back(b(stmt).assign(leaf(target, k), values[k]));
  return sequence(stmts);
}

} // namespace tangram::flatten
