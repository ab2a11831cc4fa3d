#include "tangram/c-family/Aliases.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::c_family {

using namespace ast;

namespace {

template <class... Kinds> bool containsAny(const Node *tree) { return (contains<Kinds>(tree) || ...); }

/// The variable of the host that a pointer comes from; empty: not known.
std::string rootOf(const Launch &launch, std::size_t parameter) {
  if (parameter >= launch.args.size()) return {};
  const Expr *e = withoutCasts(launch.args[parameter]);
  const auto *variable = dyn<VarRef>(e);
  return variable ? variable->name : std::string();
}

} // namespace

bool exchangesValues(const Module &module, const Launch &launch) {
  return containsAny<Sync, Await, Atomic, Check>(launch.body) ||
         std::any_of(module.functions.begin(), module.functions.end(),
                     [](const Function *f) { return containsAny<Atomic, Check>(f->body); });
}

bool isOnlyPointerTo(const Launch &launch, std::size_t parameter) {
  const std::string root = rootOf(launch, parameter);
  if (root.empty()) return false;
  for (std::size_t i = 0; i < launch.params.size(); ++i) {
    if (i == parameter || !launch.params[i]->type.isPointer()) continue;
    const std::string other = rootOf(launch, i);
    if (other.empty() || other == root) return false;
  }
  return true;
}

} // namespace tangram::c_family
