#include "Tiles.h"

#include <fmt/format.h>

namespace tangram::tile {

using namespace ast;

namespace {
const Type kNumber = Scalar::U32, kSize = Scalar::U64;
} // namespace

Tiles tiles(const Spectrum &spectrum, const Codelet &codelet, const RangeNest &nest, const Choices &choices,
            Names &spectrums, Arena &arena) {
  const SourceRange where = nest.loops[0].where;
  nest::Codelets make(arena, where);
  const Build &build = make.build();
  Names names;
  for (const Param *p : codelet.params) names.reserve(p->name);
  const Expr *none = nullptr;
  const std::size_t n = nest.loops.size(), outer = n > 2 ? n - 2 : 0;

  // How many tiles a range has: (size + tile - 1) / tile.
  auto sizeOf = [&](const Param *range) { return arena.make<Size>(where, kSize, make.use(range), none); };
  auto tilesOf = [&](const Param *range, const Expr *tile) {
    return build.div(build.sub(build.add(sizeOf(range), tile), build.u64(1)), tile);
  };
  std::vector<const Stmt *> body;
  std::vector<const Param *> params{make.param(names.fresh("tile"), kSize)}; // of the spectrum of one tile
  std::vector<const Expr *> sizes(n), args{nullptr};
  const Expr *all = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    const RangeLoop &l = nest.loops[i];
    const Expr *size = build.u64(1);
    sizes[i] = size;
    if (i >= outer) {
      std::string own = names.fresh("tile_" + l.iterator->name);
      const auto *any = arena.make<Tunable>(where, Int{1}, Int{0}, Int{1}, choices.sizes);
      body.push_back(arena.make<Declare>(where, own, kNumber, false, false, std::vector<const Expr *>{}, any, none));
      size = build.cast(kSize, build.var(own, kNumber));
      params.push_back(make.param(own, kSize));
      args.push_back(size);
      sizes[i] = make.use(params.back());
    }
    const Expr *count = tilesOf(l.range, size);
    all = all ? build.mul(all, count) : count;
  }
  for (const Param *p : codelet.params) {
    params.push_back(p);
    args.push_back(make.use(p));
  }
  args[0] = arena.make<Sequence>(where, Type::array(1, kSize), none, build.u64(0), build.u64(1), all);
  const std::string one = spectrums.fresh(spectrum.name + "_tile");
  body.push_back(make.run(make.map(one, Type(), args)));

  // The last loop's tiles run fastest.
  std::vector<const Stmt *> part;
  std::vector<const Expr *> parts;
  for (const Param *p : codelet.params) parts.push_back(make.use(p));
  const Expr *rest = make.use(params[0]);
  for (std::size_t i = n; i-- > 0;) {
    const RangeLoop &l = nest.loops[i];
    const Expr *number = rest;
    if (i > 0) {
      std::string across = names.fresh("tiles_" + l.iterator->name);
      part.push_back(build.declare(across, kSize, tilesOf(l.range, sizes[i])));
      number = build.rem(rest, build.var(across, kSize));
      rest = build.div(rest, build.var(across, kSize));
    }
    std::string first = names.fresh("first_" + l.iterator->name);
    part.push_back(build.declare(first, kSize, build.mul(number, sizes[i])));
    const Expr *begin = build.var(first, kSize);
    auto sequence = [&](const Expr *start) { return arena.make<Sequence>(where, Type(), none, start, none, none); };
    const Expr *cut = arena.make<Partition>(
        where, Type::array(1, l.range->type), make.use(l.range), std::vector<const Expr *>{build.u64(1)},
        std::vector<const Sequence *>{sequence(begin)}, std::vector<const Sequence *>{sequence(build.u64(1))},
        std::vector<const Sequence *>{sequence(build.add(begin, sizes[i]))});
    for (std::size_t p = 0; p < codelet.params.size(); ++p)
      if (codelet.params[p] == l.range) parts[p] = build.element(cut, {build.u64(0)}, l.range->type);
  }
  part.push_back(make.run(make.call(spectrum.name, Type(), parts)));

  Tiles result;
  result.codelet = make.codelet("tiles", codelet.params, std::move(body), false, true);
  result.spectrum = arena.make<Spectrum>(where, one, Type(), params, std::vector<const Expr *>{},
                                         std::vector<const Codelet *>{make.codelet("part", params, std::move(part))});
  return result;
}

} // namespace tangram::tile
