#include "Places.h"

#include <algorithm>

#include <isl/set.h>

namespace tangram::nest {

namespace {

/// The place of an access whose index is in the first row; nothing where it may be elsewhere.
std::optional<Access::Place> firstRow(const Nest &nest, const Access &a, const Access::Place &other) {
  const Statement &s = nest.statements[a.statement];
  const isl::pw_aff &index = a.index->front(), &size = *other.sizes.back();
  const isl::pw_aff zero = isl::set::universe(isl::space::unit(nest.isl.get())).pw_aff_on_domain(0);
  const isl::set when = s.domain.intersect(nest.assumed);
  if (!index.lt_set(zero).unite(index.ge_set(size)).intersect(when).is_empty()) return std::nullopt;
  Access::Place place;
  place.extents = other.extents;
  place.sizes = other.sizes;
  for (const unsigned loop : nest.variables[a.variable].scope)
    place.index.push_back(isl::set::universe(isl::space::unit(nest.isl.get()))
                              .param_pw_aff_on_domain(isl::id(nest.isl.get(), nest.loops[loop].id)));
  for (std::size_t d = 0; d + 1 < other.extents.size(); ++d) place.index.push_back(zero);
  place.index.push_back(index);
  isl::set elements = nest.tuple(place.index);
  elements = isl::manage(
      isl_set_set_tuple_id(elements.release(), isl::id(nest.isl.get(), nest.variables[a.variable].name).release()));
  place.elements = elements.intersect_params(s.domain);
  return place;
}

} // namespace

void completePlaces(Nest &nest) {
  std::map<unsigned, Access::Place> of; // variables of one dimension
  for (const Statement &s : nest.statements)
    for (const Access &a : s.accesses)
      if (a.delinearized && nest.variables[a.variable].rank == 1 && !a.delinearized->sizes.empty() &&
          a.delinearized->sizes.back())
        of.try_emplace(a.variable, *a.delinearized);
  if (of.empty()) return;
  for (Statement &s : nest.statements)
    for (Access &a : s.accesses) {
      const auto known = of.find(a.variable);
      if (known == of.end() || a.delinearized || a.kind == AccessKind::Atomic || !a.index || a.index->size() != 1)
        continue;
      const auto place = nest.isl.limited([&] { return firstRow(nest, a, known->second); });
      if (place && *place) a.delinearized = **place;
    }
}

} // namespace tangram::nest
