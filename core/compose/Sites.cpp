#include "tangram/compose/Plan.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

namespace tangram {

using namespace ast;

namespace {

/// Nodes in the order of evaluation: operands first, the step of a loop behind its body, and what is assigned before
/// the place it is assigned to. Specialised codelets are not looked into.
void collect(const Node *node, std::vector<const Expr *> &out) {
  if (!node) return;
  if (const auto *map = dyn<Map>(node)) {
    for (const Expr *arg : map->args) collect(arg, out);
    out.push_back(map);
  } else if (const auto *call = dyn<SpectrumCall>(node)) {
    for (const Expr *arg : call->args) collect(arg, out);
    out.push_back(call);
  } else if (const auto *loop = dyn<For>(node)) {
    collect(loop->init, out);
    collect(loop->cond, out);
    collect(loop->body, out);
    collect(loop->step, out);
  } else if (const auto *assign = dyn<Assign>(node)) {
    collect(assign->value, out);
    collect(assign->target, out);
  } else {
    for (const Node *child : children(*node)) collect(child, out);
    if (const auto *partition = dyn<Partition>(node)) out.push_back(partition);
  }
}

} // namespace

std::vector<const Expr *> compositions(const Codelet &codelet) {
  std::vector<const Expr *> result;
  collect(codelet.body, result);
  return result;
}

std::vector<const Expr *> sites(const Codelet &codelet) {
  std::vector<const Expr *> result = compositions(codelet);
  std::erase_if(result, [](const Expr *e) { return isa<Partition>(e); });
  return result;
}

std::uint64_t sourceHash(const Module &module, const std::string &spectrum) {
  const Spectrum *found = findSpectrum(module, spectrum);
  if (!found) return 0;
  std::uint64_t result = hash(found);
  std::vector<const Node *> todo{found};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < todo.size(); ++i)
    walk(todo[i], [&](const Call &call) {
      if (!seen.insert(call.callee).second) return;
      for (const Function *f : module.functions)
        if (f->name == call.callee) {
          todo.push_back(f);
          result = (result ^ hash(f)) * 0x9e3779b97f4a7c15ull;
        }
    });
  return result;
}

} // namespace tangram
