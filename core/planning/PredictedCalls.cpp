#include "tangram/planning/PredictedCalls.h"

#include "tangram/ast/Walk.h"
#include "tangram/planning/Workload.h"

#include <algorithm>
#include <set>

namespace tangram {

using namespace ast;

namespace {

/// Sites that are come to whenever `root` is.
void certainly(const Node *root, std::set<const Expr *> &found) {
  if (!root) return;
  walk(root, [&](const Node &node) {
    auto only = [&](const Node *first) {
      certainly(first, found);
      return WalkResult::Skip;
    };
    if (const auto *branch = dyn<If>(&node)) return only(branch->cond);
    if (const auto *choice = dyn<Conditional>(&node)) return only(choice->cond);
    if (const auto *loop = dyn<While>(&node)) return only(loop->cond);
    if (const auto *loop = dyn<For>(&node)) {
      certainly(loop->init, found);
      return only(loop->cond);
    }
    if (const auto *binary = dyn<Binary>(&node);
        binary && (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr))
      return only(binary->lhs);
    if (isa<Map>(&node) || isa<SpectrumCall>(&node)) found.insert(static_cast<const Expr *>(&node));
    return WalkResult::Advance;
  });
}

/// Sites of a codelet that every call of it comes to: statements of its own body, before any may leave it.
void unconditional(const Codelet &codelet, std::set<const Expr *> &found) {
  if (!codelet.body) return;
  for (const Stmt *statement : codelet.body->stmts) {
    const bool leaves = contains<Return>(statement) || contains<Break>(statement) || contains<Continue>(statement);
    if (const auto *loop = dyn<DoWhile>(statement); loop && leaves) {
      if (!loop->body->stmts.empty()) certainly(loop->body->stmts.front(), found);
    } else {
      certainly(statement, found);
    }
    if (!isa<Return>(statement) && contains<Return>(statement)) return;
  }
}

} // namespace

double predictedCalls(const Plan &plan, const Module &module, const hardware::Hardware &hardware,
                      const ExpectedSizes &sizes) {
  const Workload work = workload(plan, module, hardware, sizes);
  std::set<const Expr *> certain;
  std::vector<double> times{1}; // by depth: how often what stands there is done
  double all = 0;
  for (const RuleWork &rule : work.rules) {
    times.resize(rule.depth + 1);
    double here = times[rule.depth];
    if (rule.fallback || (rule.site && !certain.count(rule.site))) here = 0;
    double below = here;
    switch (rule.node->rule) {
    case Rule::Select:
      all += here;
      if (rule.codelet) unconditional(*rule.codelet, certain);
      break;
    case Rule::Distribute:
    case Rule::Serialize: below *= static_cast<double>(rule.calls.value_or(1)); break;
    case Rule::Split:
      below *= std::max(1.0, static_cast<double>(Chunks(rule.node->parameters).busy(rule.calls.value_or(1))));
      break;
    default: break;
    }
    times.push_back(below);
  }
  return all;
}

} // namespace tangram
