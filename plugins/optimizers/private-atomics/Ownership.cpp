#include "Ownership.h"

#include "tangram/ast/Effects.h"

namespace tangram::private_atomics {

using namespace ast;

Ownership::Ownership(const Kernel &kernel, const Storage &storage) : storage_(storage) {
  for (const Param *p : kernel.params) declaredAt_[p->name] = 0;
}

bool Ownership::forks(const Stmt *s) {
  if (isa<Cooperate>(s) || isa<Launch>(s)) return true;
  const auto *loop = dyn<Loop>(s);
  return loop && (loop->policy == Policy::Distribute || loop->policy == Policy::Unroll);
}

void Ownership::declare(const std::string &buffer, bool shared) {
  if (shared)
    declaredAt_.erase(buffer);
  else
    declaredAt_[buffer] = depth_;
}

bool Ownership::owns(const Expr *place) const {
  const VarRef *root = rootVariable(place);
  if (!root) return false;
  auto declared = declaredAt_.find(storage_.bufferOf(root->name));
  return declared != declaredAt_.end() && declared->second == depth_;
}

} // namespace tangram::private_atomics
