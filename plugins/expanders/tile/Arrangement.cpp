#include "Arrangement.h"

#include "tangram/ast/Substitute.h"

namespace tangram::tile {

using namespace ast;

namespace {
const Type kNumber = Scalar::U32;
} // namespace

const Expr *Arrangement::tunable(const std::string &name, const Ints &values, const std::string &follows) {
  const auto *any = arena_.make<Tunable>(where_, Int{1}, Int{0}, Int{1}, values, follows);
  const Expr *none = nullptr;
  std::string own = names_.fresh(name);
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

const Expr *Arrangement::spelledOut(const Expr *e) const {
  return substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
    auto value = values_.find(v->name);
    return value == values_.end() ? v : spelledOut(value->second);
  });
}

Arrangement::Arrangement(const nest::Codelets &make, Arena &arena, SourceRange where, const Choices &choices,
                         const std::vector<Tiled> &dims, bool hasDepth, Names &names)
    : build_(make.build()), arena_(arena), where_(where), names_(names), dims_(dims.size()) {
  const Expr *one = build_.integer(kNumber, 1);
  lanes_ = arena_.make<CoopDim>(where_, kNumber);
  const Expr *along = dims.size() > 1 ? tunable("lanes", choices.lanes) : nullptr;
  for (std::size_t d = 0; d < dims.size(); ++d)
    dims_[d].size = tunable("tile_" + dims[d].iterator, choices.of(dims.size()), dims[d].size);
  const Expr *blocks = along && choices.blocks != Ints{1} ? tunable("blocks", choices.blocks) : nullptr;
  const Expr *vector = tunable("vector", choices.vector);
  if (hasDepth) depth_ = tunable("depth", choices.depth);

  Dim &x = dims_.back();
  const Expr *index = arena_.make<CoopIdx>(where_, kNumber);
  lane_ = variable("lane", index);
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
    if (blocks && d == 0) {
      dim.points =
          variable("block_" + name, build_.select(even(dim.all, blocks), build_.div(dim.all, blocks), dim.all));
      blocks_ = variable("blocks_" + name, build_.div(dim.all, dim.points));
    }
    // Groups have to come out even.
    dim.vector = variable("vector_" + name, build_.select(even(dim.points, vector), vector, one));
    dim.size = variable("patch_" + name, build_.mul(dim.lanes, dim.all));
  }
}

const Expr *Arrangement::position(std::size_t dim, const Expr *point) const {
  const Dim &d = dims_[dim];
  const Expr *group = build_.mul(build_.div(point, d.vector), build_.mul(d.lanes, d.vector));
  return build_.add(build_.add(group, build_.mul(d.lane, d.vector)), build_.rem(point, d.vector));
}

} // namespace tangram::tile
