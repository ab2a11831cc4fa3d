#include "Spaces.h"

#include "tangram/ast/Walk.h"

namespace tangram::opencl {

using namespace ast;

std::string_view name(Space space) {
  static constexpr std::string_view names[] = {"private", "global", "local"};
  return names[static_cast<std::size_t>(space)];
}

Spaces::Spaces(const Launch &launch) {
  for (const Param *p : launch.params)
    if (p->type.isPointer()) known_[p->name] = Space::Global;
  // Declarations stand in front of what uses them.
  walk(
      launch.body, [&](const Alloc &a) { known_[a.name] = a.memory == "registers" ? Space::Private : Space::Local; },
      [&](const Declare &d) {
        if (d.type.isPointer() && d.extents.empty() && d.init) known_[d.name] = of(d.init);
      });
}

Space Spaces::of(const std::string &variable) const {
  auto it = known_.find(variable);
  return it == known_.end() ? Space::Private : it->second;
}

Space Spaces::of(const Expr *e) const {
  switch (e->kind()) {
  case Kind::VarRef: return of(as<VarRef>(e)->name);
  case Kind::Cast: return of(as<Cast>(e)->operand);
  case Kind::Aligned: return of(as<Aligned>(e)->pointer);
  case Kind::Binary: {
    const auto *b = as<Binary>(e);
    return of(b->lhs->type.isPointer() || !b->rhs->type.isPointer() ? b->lhs : b->rhs);
  }
  case Kind::Conditional: return of(as<Conditional>(e)->then);
  case Kind::Unary: return of(as<Unary>(e)->operand);
  case Kind::Subscript: return of(as<Subscript>(e)->base);
  case Kind::Member: return of(as<Member>(e)->base);
  default: return Space::Private;
  }
}

} // namespace tangram::opencl
