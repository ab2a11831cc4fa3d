#include "Spaces.h"

#include "tangram/ast/Kinds.h"
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
  switch (exprKind(*e)) {
  case ExprKind::VarRef: return of(as<VarRef>(e)->name);
  case ExprKind::Cast: return of(as<Cast>(e)->operand);
  case ExprKind::Aligned: return of(as<Aligned>(e)->pointer);
  case ExprKind::Binary: {
    const auto *b = as<Binary>(e);
    return of(b->lhs->type.isPointer() || !b->rhs->type.isPointer() ? b->lhs : b->rhs);
  }
  case ExprKind::Conditional: return of(as<Conditional>(e)->then);
  case ExprKind::Unary: return of(as<Unary>(e)->operand);
  case ExprKind::Subscript: return of(as<Subscript>(e)->base);
  case ExprKind::Member: return of(as<Member>(e)->base);
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case ExprKind::WorkerIndex:
  case ExprKind::WorkerCount:
  case ExprKind::Shuffle:
  case ExprKind::MatrixMultiply:
  case ExprKind::Transfer:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return Space::Private;
}

} // namespace tangram::opencl
