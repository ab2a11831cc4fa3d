// Temporaries that each of several units has: slices of one that is large enough for all.
#include "Mapper.h"

namespace tangram::mapping {

using namespace ast;

namespace {
constexpr DiagnosticKind kExtent{
    "worker-mapping.extent", DiagnosticClass::Limitation,
    "how long the temporary '{}' of level '{}' is, is known on the device only",
    "make its length depend on sizes and scalar arguments of the spectrum only, or a constant"};
} // namespace

const Stmt *Mapper::slice(const Alloc *a, const std::string &all, const Expr *unit,
                          const std::vector<const Expr *> &extents, const Expr *elements) {
  Build b(arena(), a->range);
  std::vector<const Expr *> strides(extents.size(), b.u64(1));
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = b.mul(strides[d], extents[d]);
  return arena().make<View>(a->range, a->name, a->element, all, false, b.mul(b.cast(Scalar::U64, unit), elements),
                            extents, strides);
}

const Stmt *Mapper::perSubgroup(const Alloc *a) {
  Build b(arena(), a->range);
  const Expr *elements = b.u64(1);
  for (const Expr *extent : a->extents) elements = b.mul(elements, b.cast(Scalar::U64, extent));
  std::string all = names_.fresh(a->name + "_all");
  const Expr *subgroups = b.u64(levels_.groupWorkers / levels_.workers(a->level));
  top_.push_back(arena().make<Alloc>(a->range, all, a->element, std::vector<const Expr *>{b.mul(subgroups, elements)},
                                     levels_.group->name, "scratchpad"));
  return slice(a, all, index(a->level, levels_.group->name, a), a->extents, elements);
}

/// In the workspace: one for each unit of the whole launch, a single one where the whole launch is the unit.
const Stmt *Mapper::perUnit(const Alloc *a) {
  Build b(arena(), a->range);
  std::vector<const Expr *> extents;
  const Expr *elements = b.u64(1);
  for (const Expr *extent : a->extents) {
    const Expr *onHost = known_.overParameters(b.cast(Scalar::U64, extent), arena());
    if (!onHost) fail(kExtent, a->range, a->name, a->level);
    extents.push_back(onHost);
    elements = b.mul(elements, onHost);
  }
  std::string all = names_.fresh(a->name + "_all");
  auto allocate = [&](const Expr *units) {
    host_.push_back(arena().make<Alloc>(a->range, all, a->element, std::vector<const Expr *>{b.mul(units, elements)},
                                        levels_.device->name, "global"));
  };
  if (a->level == levels_.device->name) {
    allocate(b.u64(1));
    return slice(a, all, b.u64(0), extents, elements);
  }
  std::uint64_t each = levels_.workers(a->level);
  std::uint64_t units = levels_.groupWorkers / std::max<std::uint64_t>(1, each);
  const Expr *group = index(levels_.group->name, levels_.device->name, a), *unit = b.cast(Scalar::U64, group);
  if (units > 1) {
    const Expr *within = index(isWorker(a->level) ? levels_.worker->name : a->level, levels_.group->name, a);
    unit = b.add(b.mul(unit, b.u64(units)), b.cast(Scalar::U64, within));
  }
  allocate(b.mul(b.cast(Scalar::U64, launch_->groups), b.u64(units)));
  return slice(a, all, unit, extents, elements);
}

} // namespace tangram::mapping
