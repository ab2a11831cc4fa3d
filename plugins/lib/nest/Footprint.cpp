#include "tangram/nest/Footprint.h"

#include <algorithm>

#include <isl/set.h>

namespace tangram::nest {
namespace {

bool counts(const Access &a, Touched what) {
  if (what == Touched::Both || a.kind == AccessKind::Atomic) return true;
  return (a.kind == AccessKind::Read) == (what == Touched::Reads);
}

bool below(const Nest &nest, const Access &a, unsigned loop) {
  const std::vector<unsigned> &loops = nest.statements[a.statement].loops;
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

isl::id idOf(const Nest &nest, const std::string &name) { return isl::id(nest.isl.get(), name); }

/// Of an affine function without divisions, the same everywhere: most need no look at their domains.
std::optional<std::int64_t> coefficient(const isl::pw_aff &f, const isl::id &of) {
  if (!f.isa_aff()) return std::nullopt;
  const isl::aff affine = f.as_aff();
  if (isl_aff_dim(affine.get(), isl_dim_div) != 0) return std::nullopt;
  const int at = isl_aff_find_dim_by_name(affine.get(), isl_dim_param, of.name().c_str());
  if (at < 0) return 0;
  const isl::val factor = isl::manage(isl_aff_get_coefficient_val(affine.get(), isl_dim_param, at));
  return factor.is_int() ? std::optional<std::int64_t>(factor.num_si()) : std::nullopt;
}

/// f(iterator + change) - f(iterator), where that is one number.
std::optional<std::int64_t> difference(const Nest &nest, const isl::pw_aff &f, unsigned loop, const isl::set &domain) {
  const Loop &l = nest.loops[loop];
  isl::ctx ctx = nest.isl.get();
  if (const std::optional<std::int64_t> factor = coefficient(f, idOf(nest, l.id))) return *factor * l.step;
  isl::multi_id tuple = isl::space::unit(ctx).add_unnamed_tuple(1).multi_id(idOf(nest, l.id).to_list());
  isl::pw_aff of = f.unbind_params_insert_domain(tuple).at(0);
  isl::set points = domain.unbind_params(tuple);
  isl::multi_aff here = points.space().identity_multi_aff_on_domain();
  isl::multi_aff next = here.add_constant(isl::val(ctx, l.step));
  isl::pw_aff change = of.pullback(next).sub(of.pullback(here));
  isl::set both = points.intersect(points.preimage(next));
  if (both.is_empty()) both = points;
  change = change.intersect_domain(both);
  isl::val lo = change.min_val(), hi = change.max_val();
  if (!lo.is_int() || !lo.eq(hi)) return std::nullopt;
  return lo.num_si();
}

} // namespace

std::optional<Footprint> footprint(const Nest &nest, unsigned loop, unsigned variable, Touched what) {
  return nest.isl.limited([&] {
    Footprint result;
    const auto scope = static_cast<unsigned>(nest.variables[variable].scope.size());
    for (const Statement &s : nest.statements)
      for (const Access &a : s.accesses) {
        if (a.variable != variable || !counts(a, what) || !below(nest, a, loop)) continue;
        isl::set elements = nest.without(a.elements.intersect_params(nest.assumed), nest.inner(s, loop));
        if (scope) elements = isl::manage(isl_set_project_out(elements.release(), isl_dim_set, 0, scope));
        result.elements = result.elements.is_null() ? elements : result.elements.unite(elements);
        result.exact &= a.exact && a.certain && !nest.followsData(a.elements, nest.inner(s, loop));
      }
    if (result.elements.is_null())
      result.elements =
          isl::set::empty(isl::space::unit(nest.isl.get())
                              .add_named_tuple(nest.variables[variable].name, nest.variables[variable].rank));
    result.elements = result.elements.coalesce();
    return result;
  });
}

std::string tileSize(const Nest &nest, unsigned loop) { return "tile_of_" + nest.loops[loop].id; }

std::optional<Box> box(const Nest &nest, const std::vector<unsigned> &loops, unsigned variable, Touched what) {
  auto result = nest.isl.limited([&]() -> std::optional<Box> {
    isl::ctx ctx = nest.isl.get();
    isl::set all = isl::set::universe(isl::space::unit(ctx));
    // Iterations start + step * 0, 1, ... of each loop, from a start that may be anywhere.
    isl::set tile = all;
    for (unsigned loop : loops) {
      const Loop &l = nest.loops[loop];
      isl::pw_aff i = all.param_pw_aff_on_domain(idOf(nest, l.id));
      isl::pw_aff count = all.param_pw_aff_on_domain(idOf(nest, tileSize(nest, loop)));
      isl::pw_aff start = all.param_pw_aff_on_domain(idOf(nest, "start_of_" + l.id));
      isl::pw_aff steps = l.step > 0 ? i.sub(start) : start.sub(i);
      std::int64_t step = l.step > 0 ? l.step : -l.step;
      tile = tile.intersect(steps.ge_set(all.pw_aff_on_domain(0))).intersect(steps.lt_set(count.scale(step)));
      if (step > 1) tile = tile.intersect(steps.mod(step).eq_set(all.pw_aff_on_domain(0)));
      tile = tile.intersect(count.ge_set(all.pw_aff_on_domain(1)));
    }
    const Variable &v = nest.variables[variable];
    isl::set touched;
    for (const Statement &s : nest.statements)
      for (const Access &a : s.accesses) {
        bool inside = std::any_of(loops.begin(), loops.end(), [&](unsigned l) { return below(nest, a, l); });
        if (a.variable != variable || !counts(a, what) || !inside) continue;
        if (!a.index) return std::nullopt;
        isl::set at = nest.tuple(*a.index).intersect_params(tile);
        at = nest.without(at, loops);
        touched = touched.is_null() ? at : touched.unite(at);
      }
    if (touched.is_null()) return std::nullopt;
    Box b;
    b.nest = &nest;
    for (unsigned d = 0; d < v.rank; ++d) {
      isl::pw_aff least = isl::manage(isl_set_dim_min(touched.copy(), static_cast<int>(d)));
      isl::pw_aff most = isl::manage(isl_set_dim_max(touched.copy(), static_cast<int>(d)));
      b.extents.push_back(most.sub(least).add_constant(1).coalesce());
    }
    return b;
  });
  return result ? *result : std::nullopt;
}

std::optional<std::int64_t> Box::extent(unsigned dimension, const std::map<unsigned, std::int64_t> &tile) const {
  auto result = nest->isl.limited([&]() -> std::optional<std::int64_t> {
    isl::set all = isl::set::universe(isl::space::unit(nest->isl.get()));
    isl::set chosen = all;
    for (const auto &[loop, size] : tile)
      chosen = chosen.intersect(
          all.param_pw_aff_on_domain(idOf(*nest, tileSize(*nest, loop))).eq_set(all.pw_aff_on_domain(size)));
    isl::pw_aff extent = extents.at(dimension).intersect_params(chosen);
    isl::val most = extent.max_val();
    return most.is_int() ? std::optional(most.num_si()) : std::nullopt;
  });
  return result ? *result : std::nullopt;
}

std::optional<std::vector<std::int64_t>> strides(const Nest &nest, const Access &access, unsigned loop) {
  if (!access.index || !below(nest, access, loop)) return std::nullopt;
  auto result = nest.isl.limited([&]() -> std::optional<std::vector<std::int64_t>> {
    std::vector<std::int64_t> all;
    const Statement &s = nest.statements[access.statement];
    for (const isl::pw_aff &i : *access.index) {
      for (const Parameter &p : nest.parameters)
        if (i.involves_param(idOf(nest, p.id)) && std::find(p.loops.begin(), p.loops.end(), loop) != p.loops.end())
          return std::nullopt;
      std::optional<std::int64_t> d = difference(nest, i, loop, s.domain);
      if (!d) return std::nullopt;
      all.push_back(*d);
    }
    return all;
  });
  return result ? *result : std::nullopt;
}

} // namespace tangram::nest
