#include "tangram/loops/Memory.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::loops {

using namespace ast;

const Expr *pointerOf(const Expr *place) {
  if (const auto *subscript = dyn<Subscript>(place)) return subscript->base;
  const auto *unary = dyn<Unary>(place);
  return unary && unary->op == UnaryOp::Deref ? unary->operand : nullptr;
}

Memory::Memory(const Kernel &kernel) {
  std::set<std::string> assigned = assignedVariables(kernel.body);
  for (const Param *p : kernel.params)
    if (p->type.isPointer()) far_.insert(p->name);
  walk(
      kernel.body,
      [&](const Declare &d) {
        if (d.type.isPointer() && d.extents.empty()) pointers_[d.name] = assigned.count(d.name) ? nullptr : d.init;
      },
      [&](const Alloc &a) {
        if (a.memory == "global") far_.insert(a.name);
      });
}

std::string Memory::root(const Expr *pointer) const {
  if (!pointer) return {};
  if (const auto *v = dyn<VarRef>(pointer)) {
    auto made = pointers_.find(v->name);
    return made == pointers_.end() ? v->name : root(made->second);
  }
  if (const auto *cast = dyn<Cast>(pointer)) return root(cast->operand);
  if (const auto *same = dyn<Aligned>(pointer)) return root(same->pointer);
  const auto *sum = dyn<Binary>(pointer);
  bool moved = sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub) && sum->lhs->type.isPointer();
  return moved ? root(sum->lhs) : std::string();
}

} // namespace tangram::loops
