// Checkers of properties of the AST (PropertyDescriptor), made of the classes of nodes that contradict them.
#pragma once

#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"

#include <fmt/format.h>

namespace tangram {

using Violations = std::vector<ast::Violation>;

/// A property of that name; `summary` says what then holds.
inline PropertyDescriptor
property(std::string name, std::string summary,
         std::function<Violations(const ast::Module &, const hardware::Target &)> violations) {
  PropertyDescriptor result;
  result.name = std::move(name);
  result.summary = std::move(summary);
  result.violations = std::move(violations);
  return result;
}

/// Nodes of a class below a root of which `test` is true.
template <class N, class Test> void collect(Violations &found, const ast::Node *root, Test &&test) {
  ast::walk(root, [&](const N &node) {
    if (test(node)) found.push_back({&node, fmt::format("there is a {}", ast::name(node.kind()))});
  });
}

/// No node of these classes is below a kernel.
template <class... Nodes> Violations nodesOf(const ast::Module &module, const hardware::Target &) {
  Violations found;
  for ([[maybe_unused]] const ast::Kernel *kernel : module.kernels)
    (collect<Nodes>(found, kernel, [](const Nodes &) { return true; }), ...);
  return found;
}

/// The same of what launches run.
template <class... Nodes> Violations nodesInLaunches(const ast::Module &module, const hardware::Target &) {
  Violations found;
  for (const ast::Kernel *kernel : module.kernels)
    ast::walk(kernel, [&](const ast::Launch &launch) {
      (collect<Nodes>(found, launch.body, [](const Nodes &) { return true; }), ...);
    });
  return found;
}

} // namespace tangram
