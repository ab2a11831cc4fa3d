#include "Places.h"

#include <algorithm>

namespace tangram::checks {

using namespace ast;

std::optional<Element> elementOf(const Subscript *e) {
  Element access;
  const Expr *base = e;
  while (const auto *subscript = dyn<Subscript>(base)) {
    access.indices.insert(access.indices.begin(), subscript->indices.begin(), subscript->indices.end());
    base = subscript->base;
  }
  access.base = dyn<VarRef>(base);
  return access.base ? std::optional(std::move(access)) : std::nullopt;
}

void Places::container(const Node *at, const std::string &name, const Type &element, unsigned rank) {
  Build b(arena_, at->range);
  std::vector<const Expr *> sizes;
  for (unsigned d = 0; d < rank; ++d)
    sizes.push_back(arena_.make<Size>(at->range, Type(Scalar::U64), b.var(name, Type::array(rank, element)),
                                      rank == 1 ? nullptr : b.u64(d)));
  sizes_[name] = std::move(sizes);
}

void Places::declare(const Param *p) {
  if (p->type.isArray()) container(p, p->name, p->type.element(), p->type.rank());
}

void Places::declare(const View *v) { container(v, v->name, v->element, static_cast<unsigned>(v->sizes.size())); }

void Places::declare(const Alloc *a) {
  bool known =
      std::all_of(a->extents.begin(), a->extents.end(), [](const Expr *extent) { return isa<IntLit>(extent); });
  if (!known) return container(a, a->name, a->element, static_cast<unsigned>(a->extents.size()));
  array(a, a->name, a->extents);
}

void Places::declare(const Declare *d) {
  if (!d->extents.empty()) array(d, d->name, d->extents);
}

void Places::array(const Node *at, const std::string &name, const std::vector<const Expr *> &extents) {
  std::vector<const Expr *> sizes;
  for (const Expr *extent : extents) sizes.push_back(Build(arena_, at->range).cast(Scalar::U64, extent));
  sizes_[name] = std::move(sizes);
}

const std::vector<const Expr *> *Places::sizes(const Element &access) const {
  auto found = sizes_.find(access.base->name);
  bool known = found != sizes_.end() && found->second.size() == access.indices.size();
  return known ? &found->second : nullptr;
}

} // namespace tangram::checks
