#include "Memory.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::batching {

using namespace ast;

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
  const auto *sum = dyn<Binary>(pointer);
  bool moved = sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub) && sum->lhs->type.isPointer();
  return moved ? root(sum->lhs) : std::string();
}

} // namespace tangram::batching
