#include "Addresses.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::staging {

using namespace ast;

namespace {

constexpr unsigned kMostVariables = 64; // that others are put in for: each may stand for an expression with several

} // namespace

std::optional<Affine> affine(Arena &arena, const Expr *e, const std::string &variable) {
  Build b(arena, e->range);
  if (!e->type.isInteger() || e->type.isBool()) return {};
  if (!mentions(e, variable)) return Affine{b.cast(Scalar::U64, e), b.u64(0)};
  if (isa<VarRef>(e)) return Affine{b.u64(0), b.u64(1)};
  // Signed arithmetic does not overflow; unsigned arithmetic of fewer bits than 64 may wrap around.
  if (e->type.bytes() < 8 && !e->type.isSigned()) return {};
  if (const auto *cast = dyn<Cast>(e)) {
    const Type &from = cast->operand->type;
    bool keeps = from.isInteger() && from.bytes() <= e->type.bytes() &&
                 (from.isSigned() <= e->type.isSigned() || e->type.bytes() == 8);
    return keeps ? affine(arena, cast->operand, variable) : std::nullopt;
  }
  const auto *binary = dyn<Binary>(e);
  if (!binary) return {};
  std::optional<Affine> l = affine(arena, binary->lhs, variable);
  std::optional<Affine> r = l ? affine(arena, binary->rhs, variable) : std::nullopt;
  if (!r) return {};
  switch (binary->op) {
  case BinaryOp::Add: return Affine{b.add(l->base, r->base), b.add(l->slope, r->slope)};
  case BinaryOp::Sub: return Affine{b.sub(l->base, r->base), b.sub(l->slope, r->slope)};
  case BinaryOp::Mul:
    if (isLiteral(r->slope, 0)) return Affine{b.mul(l->base, r->base), b.mul(l->slope, r->base)};
    if (isLiteral(l->slope, 0)) return Affine{b.mul(l->base, r->base), b.mul(l->base, r->slope)};
    return {};
  default: return {};
  }
}

Addresses::Addresses(PassContext &context, const Kernel &kernel, const Launch &launch)
    : arena_(context.arena), storage_(context.analyses.of<Storage>(kernel)),
      known_(context.analyses.of<KnownValues>(kernel)) {
  for (const Param *p : kernel.params)
    if (p->type.isArray())
      ranks_[p->name] = p->type.rank();
    else if (p->access == ast::Access::In)
      parameters_.insert(p->name);
  for (const Param *p : kernel.constants) parameters_.insert(p->name);
  for (const std::string &name : assignedVariables(kernel.body)) parameters_.erase(name);
  walk(launch.body, [&](const View &v) { views_[v.name] = &v; });
  for (const Storage::Access &access : storage_.accesses(launch.body)) ++touched_[access.buffer];
}

bool Addresses::touchedOutside(const std::string &buffer, const Node *part) const {
  std::size_t here = 0;
  for (const Storage::Access &access : storage_.accesses(part)) here += access.buffer == buffer;
  auto all = touched_.find(buffer);
  return all != touched_.end() && all->second > here;
}

const Expr *Addresses::flat(const Subscript *place) const {
  const auto *v = dyn<VarRef>(place->base);
  if (!v) return nullptr;
  Build b(arena_, place->range);
  const Expr *index = b.u64(0);
  auto add = [&](const Expr *i, const Expr *stride) {
    index = b.add(index, b.mul(b.cast(Scalar::U64, i), b.cast(Scalar::U64, stride)));
  };
  auto view = views_.find(v->name);
  std::string at = v->name;
  if (view == views_.end()) {
    auto rank = ranks_.find(at);
    if (rank == ranks_.end() || rank->second != place->indices.size()) return nullptr;
    for (unsigned d = 0; d < rank->second; ++d) {
      bool last = d + 1 == rank->second;
      add(place->indices[d], last ? b.u64(1) : arena_.make<Pitch>(place->range, Scalar::U64, v, b.u64(d)));
    }
    return index;
  }
  if (view->second->strides.size() != place->indices.size()) return nullptr;
  for (std::size_t d = 0; d < place->indices.size(); ++d) add(place->indices[d], view->second->strides[d]);
  for (; view != views_.end(); view = views_.find(at)) {
    index = b.add(b.cast(Scalar::U64, view->second->offset), index);
    at = view->second->base;
  }
  return ranks_.count(at) ? index : nullptr;
}

bool Addresses::uniform(const Expr *e) const {
  return !any<Expr>(e, [&](const Expr &part) {
    switch (exprKind(part)) {
    case ExprKind::IntLit:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Conditional:
    case ExprKind::Cast: return false;
    case ExprKind::Size:
    case ExprKind::Pitch: return false; // of a container, below
    case ExprKind::VarRef: {
      const std::string &name = as<VarRef>(&part)->name;
      if (parameters_.count(name) || loops_.count(name) || ranks_.count(name)) return false;
      auto asked = uniform_.find(name);
      if (asked == uniform_.end()) {
        const Expr *init = known_.initialiser(name);
        asked = uniform_.emplace(name, init && uniform(init)).first;
      }
      return !asked->second;
    }
    case ExprKind::FloatLit:
    case ExprKind::Assign:
    case ExprKind::Call:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_DEVICE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    return true;
  }) && !hasEffects(e);
}

const Expr *Addresses::over(const Expr *e, const std::string &variable) const {
  struct Inline final : Mutator {
    Inline(const Addresses &addresses, Arena &arena, const std::string &variable)
        : Mutator(arena), addresses(addresses), variable(variable) {}
    const Node *mutateVarRef(const VarRef *v) override {
      if (v->name == variable || !v->type.isScalar() || addresses.uniform(v)) return v;
      const Expr *init = ++variables <= kMostVariables ? addresses.known_.initialiser(v->name) : nullptr;
      possible &= init != nullptr;
      return init && possible ? mutateAs(init) : v;
    }
    const Node *mutateBinary(const Binary *n) override {
      const Binary *result = rebuild(n);
      const Expr *folded = Build(arena(), n->range).binary(n->op, result->lhs, result->rhs);
      return folded->type == n->type ? folded : result;
    }
    const Addresses &addresses;
    const std::string &variable;
    unsigned variables = 0;
    bool possible = true;
  };
  Inline inlining(*this, arena_, variable);
  const Expr *result = inlining(e);
  return inlining.possible ? result : nullptr;
}

} // namespace tangram::staging
