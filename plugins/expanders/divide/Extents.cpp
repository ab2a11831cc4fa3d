#include "Extents.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <vector>

namespace tangram::divide {

using namespace ast;

const Expr *resolved(const Expr *e, const Codelet &codelet) {
  for (int fuel = 16; fuel > 0; --fuel) {
    e = withoutCasts(e);
    const auto *v = dyn<VarRef>(e);
    const Declare *found = nullptr;
    if (v && !assignedVariables(codelet.body).count(v->name))
      for (const Stmt *s : codelet.body->stmts)
        if (const auto *d = dyn<Declare>(s); d && d->name == v->name && d->extents.empty()) found = d;
    if (!found || !found->init) return e;
    e = found->init;
  }
  return e;
}

const Expr *byParameters(const Codelet &codelet, const Expr *e, Arena &arena) {
  const std::set<std::string> assigned = assignedVariables(codelet.body);
  bool said = !hasEffects(e) && !contains<Subscript>(e);
  const Expr *result = substituted(arena, e, [&](const VarRef *v) -> const Expr * {
    const bool given =
        std::any_of(codelet.params.begin(), codelet.params.end(), [&](const Param *p) { return p->name == v->name; });
    const Declare *once = nullptr;
    walk(codelet.body, [&](const Declare &d) {
      if (d.name == v->name && d.type.isScalar() && d.extents.empty() && !d.tunable && !d.shared) once = &d;
    });
    const Expr *value = given || !once || !once->init ? nullptr : byParameters(codelet, once->init, arena);
    said &= !assigned.count(v->name) && (given || value);
    return value && said ? Build(arena, v->range).cast(v->type, value) : v;
  });
  return said ? result : nullptr;
}

std::optional<GivenExtent> givenExtent(const Expr *extent, const Codelet &codelet) {
  const auto *size = dyn<Size>(resolved(extent, codelet));
  const auto *of = size ? dyn<VarRef>(size->container) : nullptr;
  const auto *dim = size && size->dim ? dyn<IntLit>(resolved(size->dim, codelet)) : nullptr;
  for (const Param *p : codelet.params)
    if (of && p->name == of->name && p->type.isArray() && (dim || p->type.rank() == 1))
      return GivenExtent{p, dim ? static_cast<std::size_t>(dim->value) : 0};
  return {};
}

namespace {

using Sides = std::pair<GivenExtent, GivenExtent>;

std::optional<GivenExtent> extentOf(const Expr *e, const Spectrum &spectrum) {
  const auto *size = dyn<Size>(withoutCasts(e));
  const auto *of = size ? dyn<VarRef>(size->container) : nullptr;
  const auto *dim = size && size->dim ? dyn<IntLit>(size->dim) : nullptr;
  for (const Param *p : spectrum.params)
    if (of && p->name == of->name && (dim || p->type.rank() == 1))
      return GivenExtent{p, dim ? static_cast<std::size_t>(dim->value) : 0};
  return {};
}

void collect(const Expr *condition, const Spectrum &spectrum, std::vector<Sides> &equal) {
  const auto *b = dyn<Binary>(condition);
  if (b && b->op == BinaryOp::LogicalAnd) {
    collect(b->lhs, spectrum, equal);
    collect(b->rhs, spectrum, equal);
  } else if (b && b->op == BinaryOp::Eq) {
    const auto left = extentOf(b->lhs, spectrum), right = extentOf(b->rhs, spectrum);
    if (left && right) equal.emplace_back(*left, *right);
  }
}

} // namespace

std::optional<Int> requiredExtent(const Spectrum &spectrum, GivenExtent extent) {
  std::optional<Int> found;
  const auto look = [&](const auto &self, const Expr *condition) -> void {
    const auto *b = dyn<Binary>(condition);
    if (!b) return;
    if (b->op == BinaryOp::LogicalAnd) {
      self(self, b->lhs);
      self(self, b->rhs);
    } else if (const std::optional<Int> number = literal(withoutCasts(b->rhs)); b->op == BinaryOp::Eq && number) {
      const auto left = extentOf(b->lhs, spectrum);
      if (left && left->container == extent.container && left->dimension == extent.dimension) found = number;
    }
  };
  for (const Expr *condition : spectrum.conditions) look(look, condition);
  return found;
}

bool requiresEqual(const Spectrum &spectrum, GivenExtent one, GivenExtent other) {
  std::vector<Sides> equal;
  for (const Expr *condition : spectrum.conditions) collect(condition, spectrum, equal);
  const auto same = [](const GivenExtent &a, const GivenExtent &b) {
    return a.container == b.container && a.dimension == b.dimension;
  };
  std::vector<GivenExtent> reached = {one};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const auto &[left, right] : equal)
      for (const auto &[from, to] : {std::pair(left, right), std::pair(right, left)})
        if (same(from, reached[i]) &&
            std::none_of(reached.begin(), reached.end(), [&, to = to](const GivenExtent &r) { return same(r, to); }))
          reached.push_back(to);
  return std::any_of(reached.begin(), reached.end(), [&](const GivenExtent &r) { return same(r, other); });
}

} // namespace tangram::divide
