#include "tangram/ast/Functions.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::ast {

std::vector<const Function *> reached(const Module &module, const std::vector<const Node *> &from) {
  std::set<std::string> names;
  std::vector<const Node *> open = from;
  while (!open.empty()) {
    const Node *next = open.back();
    open.pop_back();
    walk(next, [&](const Call &call) {
      if (!names.insert(call.callee).second) return;
      for (const Function *f : module.functions)
        if (f->name == call.callee) open.push_back(f->body);
    });
  }
  std::vector<const Function *> result;
  for (const Function *f : module.functions)
    if (names.count(f->name)) result.push_back(f);
  return result;
}

const Expr *resultOf(const Function &function) {
  const auto &stmts = function.body->stmts;
  const auto *only = stmts.size() == 1 ? dyn<Return>(stmts[0]) : nullptr;
  return only ? only->value : nullptr;
}

const Function *functionOfExpression(const Module &module, const Call &call) {
  for (const Function *f : module.functions)
    if (f->name == call.callee && f->params.size() == call.args.size()) return resultOf(*f) ? f : nullptr;
  return nullptr;
}

namespace {

constexpr std::size_t kModerate = 500; // nodes of a body

bool computesWithNumbers(const Function &f, const std::set<std::string> &others) {
  std::size_t nodes = 0;
  const bool other = any<Node>(f.body, [&](const Node &n) {
    ++nodes;
    if (const auto *call = dyn<Call>(&n)) return !others.count(call->callee) && !isMathFunction(call->callee);
    if (const auto *declared = dyn<Declare>(&n)) return !declared->type.isScalar() || !declared->extents.empty();
    if (const auto *e = isa<Expr>(&n) ? static_cast<const Expr *>(&n) : nullptr)
      return isa<Subscript>(e) || isa<Atomic>(e) || !(e->type.isScalar() || e->type.isVoid());
    return isa<Switch>(&n) || isa<DoWhile>(&n);
  });
  return !other && nodes <= kModerate && (f.result.isScalar() || f.result.isVoid()) &&
         std::all_of(f.params.begin(), f.params.end(), [](const Param *p) { return p->type.isScalar(); });
}

} // namespace

std::set<std::string> functionsOfNumbers(const Module &module) {
  std::set<std::string> found;
  for (bool more = true; more;) { // callees may stand behind their callers; what calls itself is never found
    more = false;
    for (const Function *f : module.functions)
      more |= !found.count(f->name) && computesWithNumbers(*f, found) && found.insert(f->name).second;
  }
  return found;
}

std::vector<const Function *> hostFunctions(const Module &module) {
  std::vector<const Node *> roots;
  for (const Kernel *kernel : module.kernels) {
    roots.insert(roots.end(), kernel->conditions.begin(), kernel->conditions.end());
    walk(
        kernel->body, [&](const Call &call) { roots.push_back(&call); },
        [&](const Launch &launch) {
          roots.push_back(launch.groups);
          roots.insert(roots.end(), launch.args.begin(), launch.args.end());
          return WalkResult::Skip;
        });
  }
  return reached(module, roots);
}

} // namespace tangram::ast
