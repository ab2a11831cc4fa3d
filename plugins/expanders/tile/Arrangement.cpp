#include "Arrangement.h"

#include "tangram/ast/Substitute.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

const Expr *Arrangement::tunable(const std::string &name, const Ints &values, const std::string &follows) {
  const auto *any = arena_.make<Tunable>(where_, Int{1}, Int{0}, Int{1}, values, follows);
  const Expr *none = nullptr;
  std::string own = names_.fresh(name);
  choices_[own] = values;
  declarations_.push_back(
      arena_.make<Declare>(where_, own, kNumber, false, false, std::vector<const Expr *>{}, any, none));
  return build_.var(own, kNumber);
}

const Expr *Arrangement::variable(const std::string &name, const Expr *value) {
  if (isa<IntLit>(value) || isa<VarRef>(value)) return value;
  std::string own = names_.fresh(name);
  declarations_.push_back(build_.declare(own, kNumber, value));
  values_[own] = value;
  return build_.var(own, kNumber);
}

bool Arrangement::isMultiple(const Expr *e, std::int64_t of) const {
  if (std::optional<Int> known = literal(e)) return *known % of == 0;
  if (const auto *choice = dyn<Conditional>(e))
    return isMultiple(choice->then, of) && isMultiple(choice->otherwise, of);
  if (const auto *node = dyn<Binary>(e)) {
    if (node->op == BinaryOp::Mul) return isMultiple(node->lhs, of) || isMultiple(node->rhs, of);
    return node->op == BinaryOp::Add && isMultiple(node->lhs, of) && isMultiple(node->rhs, of);
  }
  const auto *v = dyn<VarRef>(e);
  if (!v) return false;
  if (auto value = values_.find(v->name); value != values_.end()) return isMultiple(value->second, of);
  auto choices = choices_.find(v->name);
  return choices != choices_.end() &&
         std::all_of(choices->second.begin(), choices->second.end(), [&](Int value) { return value % of == 0; });
}

const Expr *Arrangement::spelledOut(const Expr *e) const {
  return substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
    auto value = values_.find(v->name);
    return value == values_.end() ? v : spelledOut(value->second);
  });
}

Arrangement::Arrangement(const nest::Codelets &make, Arena &arena, SourceRange where, const Choices &choices,
                         const std::vector<Tiled> &dims, bool hasDepth, const hardware::MatrixShape *shape,
                         Names &names)
    : build_(make.build()), arena_(arena), where_(where), names_(names), shape_(shape), dims_(dims.size()) {
  lanes_ = arena_.make<CoopDim>(where_, kNumber);
  const Expr *along = shape             ? tunable("units", choices.units)
                      : dims.size() > 1 ? tunable("lanes", choices.lanes)
                                        : nullptr;
  for (std::size_t d = 0; d < dims.size(); ++d)
    dims_[d].size = tunable("tile_" + dims[d].iterator, choices.of(dims.size()), dims[d].size);
  if (!shape) {
    if (along && choices.blocks != Ints{1}) blocks_ = tunable("blocks", choices.blocks);
    if (along && choices.columns != Ints{1}) columns_ = tunable("columns", choices.columns);
    wanted_ = tunable("vector", choices.vector);
  }
  if (hasDepth) depth_ = tunable("depth", choices.depth);
  if (hasDepth && choices.stages != Ints{1}) stages_ = tunable("stages", choices.stages);
  const Expr *index = arena_.make<CoopIdx>(where_, kNumber);
  lane_ = variable("lane", index);
  if (shape)
    dealFragments(dims, along);
  else
    deal(dims, along);
}

/// Each lane's points, in groups of neighbours.
void Arrangement::deal(const std::vector<Tiled> &dims, const Expr *along) {
  const Expr *one = build_.integer(kNumber, 1), *vector = wanted_;
  const Expr *blocks[] = {blocks_, columns_};
  inBlocks_ = blocks_ || columns_;
  Dim &x = dims_.back();
  x.lanes = along ? variable("across", build_.select(build_.less(along, lanes_), along, lanes_)) : lanes_;
  x.lane = along ? build_.rem(lane_, x.lanes) : lane_;
  if (along) {
    Dim &y = dims_.front();
    y.lanes = variable("down", build_.div(lanes_, x.lanes));
    y.lane = build_.div(lane_, x.lanes);
    // Lanes that are left over do what the last row does.
    working_ = build_.less(lane_, build_.mul(x.lanes, y.lanes));
    y.lane = build_.select(working_, y.lane, build_.sub(y.lanes, one));
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    Dim &dim = dims_[d];
    const std::string &name = dims[d].iterator;
    auto even = [&](const Expr *n, const Expr *by) {
      return build_.equal(build_.rem(n, by), build_.integer(kNumber, 0));
    };
    dim.lane = variable("lane_" + name, dim.lane);
    dim.all = variable("points_" + name,
                       build_.select(build_.less(dim.size, dim.lanes), one, build_.div(dim.size, dim.lanes)));
    dim.points = dim.all;
    dim.blocks = one;
    if (const Expr *in = dims.size() > 1 ? blocks[d] : nullptr) {
      dim.points = variable("block_" + name, build_.select(even(dim.all, in), build_.div(dim.all, in), dim.all));
      dim.blocks = variable("blocks_" + name, build_.div(dim.all, dim.points));
    }
    // Groups have to come out even.
    dim.vector = variable("vector_" + name, build_.select(even(dim.points, vector), vector, one));
    dim.size = variable("patch_" + name, build_.mul(dim.lanes, dim.all));
  }
}

/// Whole units along both dimensions, each with fragments one unit's width apart.
void Arrangement::dealFragments(const std::vector<Tiled> &dims, const Expr *along) {
  using Shape = hardware::MatrixShape;
  auto number = [&](std::uint64_t n) { return build_.integer(kNumber, static_cast<Int>(n)); };
  const Expr *one = number(1);
  Dim &y = dims_.front(), &x = dims_.back();
  const Expr *units = variable("all_units", build_.div(lanes_, number(Shape::kLanes)));
  const Expr *unit = variable("unit", build_.div(lane_, number(Shape::kLanes)));
  x.lanes = variable("across", build_.select(build_.less(along, units), along, units));
  x.lane = build_.rem(unit, x.lanes);
  y.lanes = variable("down", build_.div(units, x.lanes));
  y.lane = build_.div(unit, x.lanes);
  // Units that are left over do what those of the last row do.
  working_ = build_.less(unit, build_.mul(x.lanes, y.lanes));
  y.lane = build_.select(working_, y.lane, build_.sub(y.lanes, one));
  const Expr *inUnit = variable("in_unit", build_.rem(lane_, number(Shape::kLanes)));
  matrixRow_ = variable("matrix_row", build_.div(inUnit, number(Shape::kDepth)));
  matrixDepth_ = variable("matrix_depth", build_.rem(inUnit, number(Shape::kDepth)));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    Dim &dim = dims_[d];
    const std::string &name = dims[d].iterator;
    const Expr *width = variable("units_" + name, build_.mul(dim.lanes, number(d == 0 ? shape_->m : shape_->n)));
    dim.lane = variable("unit_" + name, dim.lane);
    dim.fragments =
        variable("fragments_" + name, build_.select(build_.less(dim.size, width), one, build_.div(dim.size, width)));
    dim.all = dim.points =
        variable("points_" + name, build_.mul(dim.fragments, number(d == 0 ? shape_->rowBlocks() : 2)));
    dim.vector = number(Shape::kDepth); // rows of a tile that lanes read together are that far apart
    dim.size = variable("patch_" + name, build_.mul(dim.fragments, width));
  }
}

const Expr *Arrangement::matrixColumn(const Expr *fragment) const {
  const Dim &d = dims_.back();
  const Expr *n = build_.integer(kNumber, static_cast<Int>(shape_->n));
  return build_.add(build_.mul(build_.add(build_.mul(fragment, d.lanes), d.lane), n), matrixRow_);
}

const Expr *Arrangement::position(std::size_t dim, const Expr *point) const {
  const Dim &d = dims_[dim];
  if (shape_) {
    auto number = [&](std::uint64_t n) { return build_.integer(kNumber, static_cast<Int>(n)); };
    const Expr *each = number(dim == 0 ? shape_->rowBlocks() : 2);
    const Expr *first = build_.mul(build_.add(build_.mul(build_.div(point, each), d.lanes), d.lane),
                                   number(dim == 0 ? shape_->m : shape_->n));
    const Expr *inside = build_.rem(point, each);
    return build_.add(first, dim == 0 ? build_.add(build_.mul(inside, number(hardware::MatrixShape::kRows)), matrixRow_)
                                      : build_.add(build_.mul(matrixDepth_, number(2)), inside));
  }
  const Expr *group = build_.mul(build_.div(point, d.vector), build_.mul(d.lanes, d.vector));
  return build_.add(build_.add(group, build_.mul(d.lane, d.vector)), build_.rem(point, d.vector));
}

} // namespace tangram::tile
