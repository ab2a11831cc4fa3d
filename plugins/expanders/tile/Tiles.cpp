#include "Tiles.h"

#include "tangram/nest/Statements.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/RangeParameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tangram::tile {

using namespace ast;

TileSizes tileSizes(const Codelet &codelet, const RangeNest &nest, Arena &arena) {
  nest::Codelets make(arena, nest.loops[0].where);
  Names names;
  names.reserveAll(&codelet);
  const std::size_t n = nest.loops.size();
  TileSizes result;
  for (std::size_t i = n > 2 ? n - 2 : 0; i < n; ++i)
    result[nest.loops[i].loop] = make.param(names.fresh("size_" + nest.loops[i].iterator->name), kSize);
  return result;
}

Tiles tiles(const Spectrum &spectrum, const Codelet &codelet, const RangeNest &nest, const TileSizes &tileSizes,
            const std::vector<const Codelet *> &inTile, const Choices &choices, Names &spectrums, Arena &arena) {
  const SourceRange where = nest.loops[0].where;
  nest::Codelets make(arena, where);
  const Build &build = make.build();
  Names names;
  for (const Codelet *c : inTile)
    for (const Param *p : c->params) names.reserve(p->name);
  const Expr *none = nullptr;
  const std::size_t n = nest.loops.size();

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
    if (auto param = tileSizes.find(l.loop); param != tileSizes.end()) {
      std::string own = names.fresh("tile_" + l.iterator->name);
      const auto *any = arena.make<Tunable>(where, Int{1}, Int{0}, Int{1}, choices.of(tileSizes.size()), std::string());
      body.push_back(arena.make<Declare>(where, own, kNumber, false, false, std::vector<const Expr *>{}, any, none));
      size = build.cast(kSize, build.var(own, kNumber));
      params.push_back(param->second);
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
  for (std::size_t p = 1; p < params.size(); ++p) parts.push_back(make.use(params[p]));
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
    for (std::size_t p = 1; p < params.size(); ++p)
      if (params[p] == l.range) parts[p - 1] = build.element(cut, {build.u64(0)}, l.range->type);
  }
  const std::string inside = spectrums.fresh(spectrum.name + "_in_tile");
  part.push_back(make.run(make.call(inside, Type(), parts)));

  const std::vector<const Param *> insideParams(params.begin() + 1, params.end());
  std::vector<const Expr *> same;
  for (const Param *p : codelet.params) same.push_back(make.use(p));
  const Codelet *whole =
      make.codelet("whole", codelet.params, {make.run(make.call(spectrum.name, Type(), std::move(same)))});
  const Codelet *tiles = make.codelet("tiles", codelet.params, std::move(body), false, true);
  auto made = [&](const std::string &name, const std::vector<const Param *> &of,
                  std::vector<const Codelet *> codelets) {
    return make.spectrum(name, Type(), of, std::move(codelets));
  };
  return {{made(spectrums.fresh(spectrum.name + "_tiled"), codelet.params, {whole, tiles}),
           made(one, params, {make.codelet("part", params, std::move(part))}),
           made(inside, {params.begin() + 1, params.end()}, inTile)}};
}

namespace {

/// Calls of spectrums that are given whole ranges.
class WholeRanges {
public:
  void declared(const Declare &d) {
    if (declaresRange(d)) ranges_.insert(d.name);
  }
  bool given(const SpectrumCall &call) const {
    return std::any_of(call.args.begin(), call.args.end(), [&](const Expr *arg) {
      const auto *v = dyn<VarRef>(arg);
      return isa<Sequence>(arg) || (v && ranges_.count(v->name));
    });
  }

private:
  std::set<std::string> ranges_;
};

class Redirection : public Mutator {
public:
  Redirection(Arena &arena, const std::map<std::string, std::string> &tiled) : Mutator(arena), tiled_(tiled) {}

  const Node *mutateSpectrumCall(const SpectrumCall *call) override {
    const auto to = tiled_.find(call->spectrum);
    if (to == tiled_.end() || !whole_.given(*call)) return call;
    return arena().derive(call, [&](SpectrumCall &c) { c.spectrum = to->second; });
  }
  const Node *mutateDeclare(const Declare *d) override {
    whole_.declared(*d);
    return Mutator::mutateDeclare(d);
  }

private:
  const std::map<std::string, std::string> &tiled_;
  WholeRanges whole_;
};

} // namespace

std::set<std::string> overWholeRanges(const Module &module) {
  std::set<std::string> result;
  for (const Spectrum *spectrum : module.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      WholeRanges whole;
      walk(
          codelet->body, [&](const Declare &d) { whole.declared(d); },
          [&](const SpectrumCall &call) {
            if (whole.given(call)) result.insert(call.spectrum);
          });
    }
  return result;
}

const Module *withTiles(const Module &module, const std::map<std::string, std::string> &tiled,
                        const std::vector<const Spectrum *> &added, Arena &arena) {
  std::vector<const Spectrum *> spectrums;
  for (const Spectrum *spectrum : module.spectrums) {
    std::vector<const Codelet *> codelets = spectrum->codelets;
    Names names;
    for (const Codelet *codelet : codelets) names.reserve(codelet->name);
    for (const Codelet *codelet : spectrum->codelets) {
      const auto *other = as<Codelet>(Redirection(arena, tiled).mutate(codelet));
      if (other == codelet) continue;
      const std::string name = names.fresh(codelet->name + "_tiled");
      codelets.push_back(arena.derive(other, [&](Codelet &c) {
        c.name = c.tag = name;
        c.from = codelet->name;
        c.body = Build(arena, other->body->range).block(nest::copied(other->body->stmts, arena));
      }));
    }
    const bool same = codelets.size() == spectrum->codelets.size();
    spectrums.push_back(same ? spectrum : arena.derive(spectrum, [&](Spectrum &s) { s.codelets = codelets; }));
  }
  spectrums.insert(spectrums.end(), added.begin(), added.end());
  return arena.derive(&module, [&](Module &m) { m.spectrums = spectrums; });
}

} // namespace tangram::tile
