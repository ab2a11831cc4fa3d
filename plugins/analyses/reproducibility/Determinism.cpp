#include "Determinism.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Walk.h"

#include <fmt/format.h>
#include <functional>
#include <set>

namespace tangram::reproducibility {

using namespace ast;

namespace {

/// The codelet's body and those of the functions that it reaches.
void eachBody(const Module &module, const Codelet &codelet, const std::function<void(const Block &)> &visit) {
  std::set<std::string> seen;
  std::function<void(const Block &)> reach = [&](const Block &body) {
    visit(body);
    walk(&body, [&](const Call &call) {
      for (const Function *f : module.functions)
        if (f->name == call.callee && seen.insert(f->name).second) reach(*f->body);
    });
  };
  reach(*codelet.body);
}

std::string line(const Node &node) { return node.range.valid() ? fmt::format(" in line {}", node.range.line) : ""; }

} // namespace

std::string dependsOnTiming(const Module &module, const Codelet &codelet) {
  std::string found;
  eachBody(module, codelet, [&](const Block &body) {
    std::set<const Expr *> unused; // whose value nobody looks at
    walk(&body, [&](const Evaluate &e) { unused.insert(e.expr); });
    walk(&body, [&](const Atomic &a) {
      if (!found.empty()) return;
      bool floating = a.type.isFloating();
      if (floating && (a.op == AtomicOp::Add || a.op == AtomicOp::Sub))
        found = fmt::format("the atomic addition{} rounds in the order in which workers come", line(a));
      else if (a.op == AtomicOp::Exchange || a.op == AtomicOp::CompareExchange)
        found = fmt::format("the atomic exchange{} keeps what the last worker to come has", line(a));
      else if (!unused.count(&a))
        found = fmt::format("what the atomic operation{} finds there depends on who came before", line(a));
    });
  });
  return found;
}

std::string dependsOnDevice(const Module &module, const Codelet &codelet) {
  // Those that IEEE 754 defines to the last bit.
  static const std::set<std::string> exact = {"fabs",     "sqrt",    "fma",   "fmin", "fmax",      "copysign", "ceil",
                                              "floor",    "trunc",   "round", "rint", "nearbyint", "isnan",    "isinf",
                                              "isfinite", "signbit", "abs",   "fmod", "remainder"};
  std::string found;
  eachBody(module, codelet, [&](const Block &body) {
    walk(&body, [&](const Call &call) {
      if (!found.empty() || !isMathFunction(call.callee)) return;
      std::string name = call.callee;
      if (!exact.count(name) && name.ends_with("f")) name.pop_back();
      if (!exact.count(name))
        found = fmt::format("'{}'{} is rounded differently by different math libraries", call.callee, line(call));
    });
  });
  return found;
}

} // namespace tangram::reproducibility
