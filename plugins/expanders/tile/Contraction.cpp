#include "Contraction.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

namespace {

void factorsOf(const Expr *e, const Type &type, std::vector<const Expr *> &out) {
  if (const auto *product = dyn<Binary>(e); product && product->op == BinaryOp::Mul && product->type == type) {
    factorsOf(product->lhs, type, out);
    factorsOf(product->rhs, type, out);
  } else {
    out.push_back(e);
  }
}

/// Whether every number of a type is one of another.
bool hasAllOf(const Type &to, const Type &from) {
  if (to == from) return true;
  if (from.isBool() || to.isBool() || from.isFloating() != to.isFloating() || to.bytes() <= from.bytes()) return false;
  return from.isFloating() || to.isSigned() || !from.isSigned();
}

/// The element of a type that is converted to the type of the sum, by way of others or not, and stays the same number;
/// null for others.
const Expr *narrow(const Expr *e, const Type &type) {
  for (const auto *cast = dyn<Cast>(e); cast; cast = dyn<Cast>(e)) {
    if (!hasAllOf(cast->type, cast->operand->type)) return nullptr;
    e = cast->operand;
  }
  return isa<Subscript>(e) && e->type == type ? e : nullptr;
}

} // namespace

std::optional<Contraction> contraction(const Segment &segment, const References &references,
                                       const std::set<std::string> &sums, const std::vector<std::string> &iterators,
                                       const hardware::MatrixShape &shape) {
  const Type type = shape.sum();
  if (segment.loops.size() != 1 || segment.body.size() != 1 || iterators.size() != 2) return {};
  const auto *statement = dyn<Evaluate>(segment.body[0]);
  const auto *update = statement ? dyn<Assign>(statement->expr) : nullptr;
  const auto *sum = update ? dyn<VarRef>(update->target) : nullptr;
  if (!sum || update->op != AssignOp::Add || !sums.count(sum->name) || !(sum->type == type) ||
      !(update->value->type == type))
    return {};
  std::map<const Subscript *, const Strides *> staged;
  for (const Tile &tile : references.tiles)
    for (const Reference &reference : tile.references) staged[reference.node] = &tile.strides;

  std::vector<const Expr *> factors;
  factorsOf(update->value, type, factors);
  if (shape.type != shape.sum()) // products are of one element each
    for (const Expr *&factor : factors)
      if (factor = narrow(factor, shape.type); !factor) return {};
  Contraction result{sum, {}, {}};
  bool alongRows = false, alongColumns = false;
  for (const Expr *factor : factors) {
    bool known = !hasEffects(factor), rows = false, columns = false;
    walk(factor, [&](const Expr &e) {
      if (const auto *element = dyn<Subscript>(&e)) {
        const auto strides = staged.find(element);
        known &= strides != staged.end();
        if (known) rows |= moves(*strides->second, 0), columns |= moves(*strides->second, 1);
        return WalkResult::Skip;
      }
      if (const auto *v = dyn<VarRef>(&e))
        known &= !sums.count(v->name) && v->name != segment.loops[0].iterator && v->name != iterators[0] &&
                 v->name != iterators[1];
      return WalkResult::Advance;
    });
    if (!known || (rows && columns)) return {};
    (columns ? result.b : result.a).push_back(factor);
    alongRows |= rows, alongColumns |= columns;
  }
  if (!alongRows || !alongColumns) return {};
  if (shape.type != shape.sum() && (result.a.size() != 1 || result.b.size() != 1)) return {};
  return result;
}

} // namespace tangram::tile
