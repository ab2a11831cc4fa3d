#include "tangram/nest/Nest.h"

#include <algorithm>
#include <numeric>

#include <isl/set.h>

namespace tangram::nest {
namespace {

isl::multi_id iterators(const Nest &nest, const std::vector<unsigned> &loops) {
  isl::ctx ctx = nest.isl.get();
  isl::id_list ids(ctx, static_cast<int>(loops.size()));
  for (unsigned loop : loops) ids = ids.add(isl::id(ctx, nest.loops[loop].id));
  return isl::space::unit(ctx).add_unnamed_tuple(static_cast<unsigned>(loops.size())).multi_id(ids);
}

bool follows(const Parameter &p, const std::vector<unsigned> &loops) {
  return std::any_of(p.loops.begin(), p.loops.end(),
                     [&](unsigned l) { return std::find(loops.begin(), loops.end(), l) != loops.end(); });
}

/// Without parameters that differ between iterations of the loops.
isl::set withoutDependent(const Nest &nest, isl::set set, const std::vector<unsigned> &loops) {
  for (const Parameter &p : nest.parameters)
    if (follows(p, loops)) set = set.project_out_param(isl::id(nest.isl.get(), p.id));
  return set;
}

} // namespace

bool hasLoop(const Item &item) {
  if (item.kind == Item::Kind::Loop) return true;
  return std::any_of(item.body.begin(), item.body.end(), hasLoop) ||
         std::any_of(item.otherwise.begin(), item.otherwise.end(), hasLoop);
}

std::vector<unsigned> statementsIn(const Item &item) {
  if (item.kind == Item::Kind::Statement) return {item.index};
  std::vector<unsigned> result;
  for (const auto *items : {&item.body, &item.otherwise})
    for (const Item &inner : *items) {
      const std::vector<unsigned> below = statementsIn(inner);
      result.insert(result.end(), below.begin(), below.end());
    }
  return result;
}

std::vector<unsigned> Nest::allLoops() const {
  std::vector<unsigned> result(loops.size());
  std::iota(result.begin(), result.end(), 0U);
  return result;
}

isl::map Nest::relation(const isl::set &elements, const std::vector<unsigned> &of) const {
  return withoutDependent(*this, elements, of).unbind_params_insert_domain(iterators(*this, of));
}

isl::map Nest::relationByStrides(const isl::set &elements, unsigned loop) const {
  isl::set kept = elements;
  for (const Parameter &p : parameters)
    if (follows(p, {loop}) && !(p.stride && p.stride->loop == loop))
      kept = kept.project_out_param(isl::id(isl.get(), p.id));
  return kept.unbind_params_insert_domain(iterators(*this, {loop}));
}

isl::set Nest::points(const isl::set &domain, const std::vector<unsigned> &of) const {
  return withoutDependent(*this, domain, of).unbind_params(iterators(*this, of));
}

isl::set Nest::without(isl::set set, const std::vector<unsigned> &of) const {
  set = withoutDependent(*this, std::move(set), of);
  for (unsigned loop : of) set = set.project_out_param(isl::id(isl.get(), loops[loop].id));
  return set;
}

bool Nest::followsData(const isl::set &set, const std::vector<unsigned> &of) const {
  for (const Parameter &p : parameters) {
    if (!follows(p, of)) continue;
    int at = isl_set_find_dim_by_id(set.get(), isl_dim_param, isl::id(isl.get(), p.id).get());
    if (at >= 0 && isl_set_involves_dims(set.get(), isl_dim_param, static_cast<unsigned>(at), 1) != isl_bool_false)
      return true;
  }
  return false;
}

isl::set Nest::tuple(const std::vector<isl::pw_aff> &values) const {
  isl::set result = isl::set::universe(isl::space::unit(isl.get()).add_unnamed_tuple(0));
  for (const isl::pw_aff &v : values)
    result = isl::manage(isl_set_flat_product(result.release(), v.as_set().release()));
  return result;
}

bool haveSameExtents(const Access &one, const Access &other) {
  return one.delinearized && other.delinearized && one.delinearized->extents == other.delinearized->extents;
}

std::pair<const isl::set &, const isl::set &> comparable(const Access &one, const Access &other) {
  if (haveSameExtents(one, other)) return {one.delinearized->elements, other.delinearized->elements};
  return {one.elements, other.elements};
}

bool goesAlong(const Nest &nest, const Access &access, unsigned loop) {
  const isl::pw_aff *last = nullptr;
  if (access.delinearized && !access.delinearized->index.empty())
    last = &access.delinearized->index.back();
  else if (access.index && !access.index->empty())
    last = &access.index->back();
  return last &&
         isl_pw_aff_involves_param_id(last->get(), isl::id(nest.isl.get(), nest.loops[loop].id).get()) == isl_bool_true;
}

std::vector<unsigned> Nest::statementsOf(unsigned loop) const {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < statements.size(); ++i) {
    const auto &chain = statements[i].loops;
    if (std::find(chain.begin(), chain.end(), loop) != chain.end()) result.push_back(i);
  }
  return result;
}

std::vector<unsigned> Nest::inner(const Statement &statement, unsigned loop) const {
  auto at = std::find(statement.loops.begin(), statement.loops.end(), loop);
  return {at, statement.loops.end()};
}

} // namespace tangram::nest
