#include "tangram/ast/Names.h"

#include "tangram/ast/Walk.h"

namespace tangram::ast {

void Names::reserveAll(const Node *tree) {
  walk(
      tree, [&](const Codelet &n) { return &n == tree ? WalkResult::Advance : WalkResult::Skip; },
      [&](const Param &n) { reserve(n.name); }, [&](const Declare &n) { reserve(n.name); },
      [&](const Loop &n) { reserve(n.var); }, [&](const Cooperate &n) { reserve(n.lane); },
      [&](const View &n) { reserve(n.name); }, [&](const Alloc &n) { reserve(n.name); },
      [&](const VarRef &n) { reserve(n.name); });
}

std::string Names::fresh(const std::string &wanted) {
  std::string name = wanted;
  for (unsigned i = 1; !used_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

} // namespace tangram::ast
