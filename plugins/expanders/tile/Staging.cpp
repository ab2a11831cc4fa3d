#include "Staging.h"

#include <cstdlib>

namespace tangram::tile {

using namespace ast;

const Expr *Staged::number(std::int64_t n) const { return build_.integer(kNumber, n); }

namespace {
constexpr unsigned kBank = 4; // bytes of a bank of scratchpad memory
}

Staged::Staged(const nest::Codelets &make, Arena &arena, const Arrangement &lanes, const Tile &tile,
               std::vector<const Expr *> extents, bool banks, bool rows, std::uint64_t copied, Names &names)
    : build_(make.build()), arena_(arena), where_(tile.references[0].node->range), lanes_(lanes), tile_(tile),
      rows_(rows), loops_(std::move(extents)), name_(names.fresh(tile.container->name + "_tile")),
      own_(names.fresh(tile.container->name + "_next")) {
  const std::size_t rank = tile.order.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const Expr *extent = number(1 + tile.most[d] - tile.least[d]);
    for (std::size_t l = 0; l < loops_.size(); ++l)
      extent = build_.add(build_.mul(number(std::abs(tile.strides[l][d])), build_.sub(loops_[l], number(1))), extent);
    // s * (n - 1) + 1 is n for neighbours.
    extents_.push_back(extent);
  }
  for (std::size_t d = 0; d < rank; ++d) {
    std::size_t along = 0, only = 0;
    for (std::size_t l = 0; l < loops_.size(); ++l)
      if (tile.strides[l][d] != 0) {
        ++along;
        only = l;
      }
    if (along == 1 && std::abs(tile.strides[only][d]) == 1)
      extents_[d] = build_.add(loops_[only], number(tile.most[d] - tile.least[d]));
  }
  const Type &type = tile.container->type.element();
  const std::int64_t together = type.isScalar() ? static_cast<std::int64_t>(copied / type.bytes()) : 1;
  if (together > 1 && tile.order.back() + 1 == rank && !lanes.isMultiple(extents_.back(), together))
    extents_.back() =
        build_.mul(build_.div(build_.add(extents_.back(), number(together - 1)), number(together)), number(together));
  // Rows begin at whole vectors, and columns are spread over banks.
  pitch_ = extents_[tile.order.back()];
  if (banks) {
    const Expr *v = lanes.vector();
    if (type.isScalar() && type.bytes() < kBank) v = build_.mul(v, number(static_cast<Int>(kBank / type.bytes())));
    const Expr *vectors = build_.div(build_.sub(build_.add(pitch_, v), number(1)), v);
    pitch_ = build_.mul(rank > 1 ? build_.add(vectors, number(1)) : vectors, v);
    pitchMultiple_ = literal(v).value_or(1);
  }
}

const Expr *Staged::bufferSize() const {
  const Expr *all = pitch_;
  for (std::size_t d = 0; d + 1 < tile_.order.size(); ++d) all = build_.mul(extents_[tile_.order[d]], all);
  return all;
}

const Stmt *Staged::declaration() const {
  const Expr *all = bufferSize(), *none = nullptr;
  if (buffers_) all = build_.mul(buffers_, all);
  const Tunable *noTunable = nullptr;
  return arena_.make<Declare>(where_, name_, tile_.container->type.element(), false, true,
                              std::vector<const Expr *>{build_.cast(kSize, lanes_.spelledOut(all))}, noTunable, none);
}

const Expr *Staged::place(const std::vector<const Expr *> &coordinates) const {
  const Expr *at = nullptr;
  for (std::size_t i = 0; i < tile_.order.size(); ++i) {
    const unsigned d = tile_.order[i];
    const Expr *extent = i + 1 == tile_.order.size() ? pitch_ : extents_[d];
    at = at ? build_.add(build_.mul(at, extent), coordinates[d]) : coordinates[d];
  }
  if (buffer_) at = build_.add(build_.mul(buffer_, bufferSize()), at);
  const Type &type = tile_.container->type.element();
  return build_.element(build_.var(name_, Type::array(1, type)), {build_.cast(kSize, at)}, type);
}

Staged::Corner Staged::corner(const ReplaceVariable &first, Names &names) const {
  Corner result;
  for (std::size_t d = 0; d < tile_.order.size(); ++d) {
    const Expr *index = clamp(d) ? clamp(d)->inner : tile_.references[0].indices[d];
    index = build_.cast(kSize, substituted(arena_, index, first));
    index = build_.add(index, build_.integer(kSize, tile_.least[d]));
    for (std::size_t l = 0; l < loops_.size(); ++l) // the box begins where the last position is
      if (std::int64_t s = tile_.strides[l][d]; s < 0)
        index = build_.add(index,
                           build_.mul(build_.integer(kSize, s), build_.cast(kSize, build_.sub(loops_[l], number(1)))));
    std::string name = names.fresh(name_ + "_corner");
    result.declarations.push_back(build_.declare(name, kSize, index));
    result.at.push_back(build_.var(name, kSize));
    const Expr *at = result.at.back(), *size = sizeOf(d), *extent = build_.cast(kSize, extents_[d]), *fits = nullptr;
    result.begin.push_back(nullptr), result.count.push_back(nullptr);
    if (tile_.references[0].padding.empty()) {
      fits = build_.both(build_.less(at, size), build_.binary(BinaryOp::Le, extent, build_.sub(size, at)));
    } else {
      bound(result, d, names);
      fits = build_.equal(result.count[d], extents_[d]);
    }
    if (clamp(d)) // what it leaves alone at both ends it leaves alone
      for (const Expr *end : {at, build_.add(at, build_.sub(extent, build_.u64(1)))})
        fits = build_.both(fits, clamped(clamp(d)->keeps, end));
    result.whole = result.whole ? build_.both(result.whole, fits) : fits;
  }
  return result;
}

const Clamp *Staged::clamp(std::size_t d) const {
  const std::optional<Clamp> &of = tile_.references[0].clamps[d];
  return of ? &*of : nullptr;
}

void Staged::bound(Corner &corner, std::size_t d, Names &names) const {
  const Type &type = nest::kInteger;
  auto declare = [&](const std::string &what, const Expr *value) {
    const std::string name = names.fresh(name_ + what);
    corner.declarations.push_back(build_.declare(name, value->type, value));
    return build_.var(name, value->type);
  };
  const Expr *corner0 = build_.cast(type, corner.at[d]), *extent = build_.cast(type, extents_[d]);
  const Padding &padding = tile_.references[0].padding;
  std::vector<const Expr *> from{build_.integer(type, 0)}, to{build_.cast(type, sizeOf(d))};
  if (!padding.empty()) {
    for (const Expr *e : padding[d].from)
      if (!isLiteral(e, 0)) from.push_back(e);
    to.insert(to.end(), padding[d].to.begin(), padding[d].to.end());
  }
  const Expr *begin = build_.integer(type, 0), *end = extent;
  for (const Expr *e : from) {
    const Expr *first = declare("_from", build_.sub(e, corner0));
    begin = declare("_begin", build_.select(build_.less(begin, first), first, begin));
  }
  for (const Expr *e : to) {
    const Expr *last = declare("_to", build_.sub(e, corner0));
    end = declare("_end", build_.select(build_.less(last, end), last, end));
  }
  // In the tile there are at most `extent`; none where the end is in front of the begin.
  const Expr *none = build_.logicalNot(build_.less(begin, end));
  corner.begin[d] = declare("_first", build_.cast(kNumber, begin));
  corner.count[d] =
      declare("_count", build_.cast(kNumber, build_.select(none, build_.integer(type, 0), build_.sub(end, begin))));
}

const Expr *Staged::clamped(const Expr *e, const Expr *index) const {
  return Clamp::at(e, build_.cast(nest::kInteger, index), arena_);
}

const Expr *Staged::sizeOf(std::size_t d) const {
  const Param &container = *tile_.container;
  const Expr *dim = container.type.rank() > 1 ? build_.integer(Scalar::U32, static_cast<Int>(d)) : nullptr;
  return arena_.make<Size>(where_, kSize, build_.var(container.name, container.type), dim);
}

const Expr *Staged::all() const {
  const Expr *all = nullptr;
  for (const Expr *extent : extents_) all = all ? build_.mul(all, extent) : extent;
  return all;
}

template <class F> const Stmt *Staged::rounds(Names &names, F &&each, std::int64_t together) const {
  const std::size_t rank = tile_.order.size();
  const Expr *lanes = lanes_.lanes();
  auto place = [&] { return build_.var(names.fresh(fmt::format("{}_at", name_)), kNumber); };
  auto count = [&](const Expr *counter, const Expr *end, std::vector<const Stmt *> inside) {
    return arena_.make<For>(where_, build_.declare(as<VarRef>(counter)->name, kNumber, number(0), false),
                            build_.less(counter, end), arena_.make<Unary>(where_, kNumber, UnaryOp::PreInc, counter),
                            build_.block(std::move(inside)));
  };
  auto declareElement = [&](const Expr *e, const Expr *first) {
    return build_.declare(as<VarRef>(e)->name, kNumber, build_.add(first, lanes_.lane()));
  };
  if (rows_) {
    // for (row...) { for (round...) all lanes; what is left of the row for some }
    std::vector<const Expr *> at(rank);
    for (std::size_t d = 0; d + 1 < rank; ++d) at[d] = place();
    const Expr *columns = extents_.back(), *whole = build_.div(columns, lanes);
    auto some = [&](const Expr *round) {
      const Expr *e = at.back() = build_.var(names.fresh("element"), kNumber);
      std::vector<const Stmt *> body;
      each(at, round, body);
      return std::pair(declareElement(e, build_.mul(round, lanes)), std::move(body));
    };
    const Expr *round = build_.var(names.fresh("round"), kNumber);
    auto [element, body] = some(round);
    body.insert(body.begin(), element);
    std::vector<const Stmt *> row{count(round, whole, std::move(body))};
    auto [last, left] = some(whole);
    row.push_back(build_.when(build_.less(number(0), build_.rem(columns, lanes)),
                              {last, build_.when(build_.less(at.back(), columns), std::move(left))}));
    for (std::size_t d = rank - 1; d-- > 0;) row = {count(at[d], extents_[d], std::move(row))};
    return build_.block(std::move(row));
  }
  // for (round...) { e = round * lanes + lane; if (e < all) ... }
  const Expr *all = this->all(), *round = build_.var(names.fresh("round"), kNumber);
  if (together > 1) all = build_.div(all, number(together));
  const Expr *e = build_.var(names.fresh("element"), kNumber);
  const Expr *many = build_.div(build_.sub(build_.add(all, lanes), number(1)), lanes);
  std::vector<const Stmt *> body;
  std::vector<const Expr *> at(rank);
  const Expr *rest = e;
  for (std::size_t d = rank; d-- > 0;) { // neighbours of the container side by side
    const bool groups = together > 1 && d + 1 == rank;
    const Expr *extent = groups ? build_.div(extents_[d], number(together)) : extents_[d];
    const Expr *value = d == 0 ? rest : build_.rem(rest, extent);
    if (d > 0) rest = build_.div(rest, extent);
    if (groups) value = build_.mul(value, number(together));
    at[d] = place();
    body.push_back(build_.declare(as<VarRef>(at[d])->name, kNumber, value));
  }
  each(at, round, body);
  const Expr *even = build_.equal(build_.rem(all, lanes), number(0));
  const Expr *there = build_.binary(BinaryOp::LogicalOr, even, build_.less(e, all));
  return count(round, many, {declareElement(e, build_.mul(round, lanes)), build_.when(there, body)});
}

Staged::There Staged::there(const Corner &corner, const std::vector<const Expr *> &at, bool asks, Names &names,
                            std::vector<const Stmt *> &before) const {
  const Expr *inside = nullptr;
  std::vector<const Expr *> indices;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Expr *index = build_.add(corner.at[d], build_.cast(kSize, at[d]));
    if (asks) {
      std::string name = names.fresh(fmt::format("{}_from", name_));
      before.push_back(build_.declare(name, kSize, index));
      index = build_.var(name, kSize);
      if (clamp(d)) {
        name = names.fresh(fmt::format("{}_clamped", name_));
        before.push_back(build_.declare(name, kSize, build_.cast(kSize, clamped(clamp(d)->whole, index))));
        index = build_.var(name, kSize);
      }
      const Expr *fits = corner.count[d] ? build_.less(build_.sub(at[d], corner.begin[d]), corner.count[d])
                                         : build_.less(index, sizeOf(d));
      inside = inside ? build_.both(inside, fits) : fits;
    }
    indices.push_back(index);
  }
  const Param &container = *tile_.container;
  const Type &type = container.type.element();
  return {build_.element(build_.var(container.name, container.type), indices, type), inside};
}

/// The container's element, or zero.
const Expr *Staged::value(const Corner &corner, const std::vector<const Expr *> &at, bool asks, Names &names,
                          std::vector<const Stmt *> &before) const {
  const There known = there(corner, at, asks, names, before);
  return asks ? build_.select(known.inside, known.element, build_.zero(known.element->type)) : known.element;
}

const Stmt *Staged::transfer(const Corner &corner, bool asks, std::uint64_t bytes, Names &names) const {
  const Type &type = tile_.container->type.element();
  auto copies = [&](std::int64_t together) {
    return rounds(
        names,
        [&](const auto &at, const Expr *, auto &body) {
          const There from = there(corner, at, asks, names, body);
          const Expr *value = arena_.make<Transfer>(where_, type, from.element, together, from.inside);
          body.push_back(build_.assign(place(at), value));
        },
        together);
  };
  const auto together = static_cast<std::int64_t>(bytes / type.bytes());
  const std::size_t fastest = extents_.size() - 1;
  if (asks || together <= 1 || tile_.order.back() != fastest) return copies(1);
  // Neighbours of the container are neighbours in the tile; rows begin where whole groups of them do.
  auto whole = [&](const Expr *extent) { return build_.equal(build_.rem(extent, number(together)), number(0)); };
  const Expr *even = nullptr;
  if (!lanes_.isMultiple(extents_[fastest], together)) even = whole(extents_[fastest]);
  if (pitchMultiple_ % together != 0) even = even ? build_.both(even, whole(pitch_)) : whole(pitch_);
  return even ? build_.when(even, {copies(together)}, {copies(1)}) : copies(together);
}

const Stmt *Staged::load(const Corner &corner, bool asks, Names &names) const {
  return rounds(names, [&](const auto &at, const Expr *, auto &body) {
    const Expr *from = value(corner, at, asks, names, body);
    body.push_back(build_.assign(place(at), from));
  });
}

const Stmt *Staged::drain(const Corner &corner, Names &names) const {
  return rounds(names, [&](const auto &at, const Expr *, auto &body) {
    const There to = there(corner, at, true, names, body);
    body.push_back(build_.when(to.inside, {build_.assign(to.element, place(at))}));
  });
}

const Stmt *Staged::ownDeclaration() const {
  const Expr *lanes = lanes_.lanes(), *none = nullptr, *all = lanes_.spelledOut(this->all());
  const Expr *many = build_.div(build_.sub(build_.add(all, lanes), number(1)), lanes);
  many = build_.select(build_.less(number(1), lanes_.stages()), many, number(1));
  const Tunable *noTunable = nullptr;
  return arena_.make<Declare>(where_, own_, tile_.container->type.element(), false, false,
                              std::vector<const Expr *>{build_.cast(kSize, many)}, noTunable, none);
}

const Expr *Staged::own(const Expr *round) const {
  const Type &type = tile_.container->type.element();
  return build_.element(build_.var(own_, Type::array(1, type)), {build_.cast(kSize, round)}, type);
}

const Stmt *Staged::fetch(const Corner &corner, bool asks, Names &names) const {
  return rounds(names, [&](const auto &at, const Expr *round, auto &body) {
    const Expr *from = value(corner, at, asks, names, body);
    body.push_back(build_.assign(own(round), from));
  });
}

const Stmt *Staged::store(Names &names) const {
  return rounds(names, [&](const auto &at, const Expr *round, auto &body) {
    body.push_back(build_.assign(place(at), own(round)));
  });
}

const Expr *Staged::element(const Reference &reference, const std::vector<const Expr *> &positions) const {
  std::vector<const Expr *> coordinates;
  for (std::size_t d = 0; d < tile_.order.size(); ++d) {
    std::int64_t constant = reference.offset[d] - tile_.least[d];
    const Expr *at = nullptr;
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      std::int64_t s = tile_.strides[l][d];
      if (s == 0) continue;
      const Expr *position = s > 0 ? positions[l] : build_.sub(build_.sub(loops_[l], number(1)), positions[l]);
      position = build_.mul(position, number(std::abs(s)));
      at = at ? build_.add(at, position) : position;
    }
    coordinates.push_back(!at ? number(constant) : constant ? build_.add(at, number(constant)) : at);
  }
  return place(coordinates);
}

} // namespace tangram::tile
