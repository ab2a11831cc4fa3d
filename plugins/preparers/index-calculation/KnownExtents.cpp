#include "KnownExtents.h"

#include "tangram/ast/Build.h"
#include "tangram/ranges/Ranges.h"

#include <vector>

namespace tangram {

using namespace ast;

namespace {

constexpr Int kMostElements = 64; // of what is taken for a record

/// The container and the dimension of a.size(1); of a.size() where it has but one.
std::optional<std::pair<std::string, unsigned>> extent(const Expr *e) {
  const auto *size = dyn<Size>(e);
  const auto *container = size ? dyn<VarRef>(size->container) : nullptr;
  if (!container) return {};
  if (!size->dim) return container->type.rank() == 1 ? std::optional(std::pair(container->name, 0U)) : std::nullopt;
  const std::optional<Int> dim = literal(size->dim);
  if (!dim || *dim < 0 || *dim >= Int{container->type.rank()}) return {};
  return std::pair(container->name, static_cast<unsigned>(*dim));
}

} // namespace

KnownExtents::KnownExtents(const Kernel &kernel) {
  std::vector<const Binary *> all;
  for (const Expr *condition : kernel.conditions)
    for (const Expr *one : ranges::conjuncts(condition))
      if (const auto *b = dyn<Binary>(one); b && b->op == BinaryOp::Eq) all.push_back(b);
  for (bool more = true; more;) {
    more = false;
    for (const Binary *b : all)
      for (const auto &[size, value] : {std::pair{b->lhs, b->rhs}, std::pair{b->rhs, b->lhs}}) {
        const auto place = extent(size), other = extent(value);
        if (!place || extents_.count(*place)) continue;
        std::optional<Int> number = literal(value);
        if (!number && other)
          if (auto known = extents_.find(*other); known != extents_.end()) number = known->second;
        if (number && *number >= 0) more |= extents_.emplace(*place, *number).second;
      }
  }
}

std::optional<Int> KnownExtents::of(const std::string &container, unsigned dim) const {
  auto found = extents_.find({container, dim});
  return found == extents_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Int> KnownExtents::packedStride(const Param &container, unsigned dim) const {
  Int stride = 1;
  for (unsigned d = dim + 1; d < container.type.rank(); ++d) {
    const std::optional<Int> extent = of(container.name, d);
    if (!extent || *extent < 1 || *extent > kMostElements / stride) return {};
    stride *= *extent;
  }
  return dim + 1 < container.type.rank() ? std::optional(stride) : std::nullopt;
}

} // namespace tangram
