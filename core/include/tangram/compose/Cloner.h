// Makes the composed AST of a plan (section 6.6.1): the program's AST plus one Kernel whose body calls the spectrum,
// every SpectrumCall and Map below specialised with the plan's choice.
#pragma once

#include "tangram/compose/Facts.h"
#include "tangram/compose/Plan.h"

namespace tangram {

struct ClonedKernel {
  const Plan *plan = nullptr;
  std::string name; // C identifier of the entry
};

/// A module with one Kernel a plan; structs, functions and spectrums are shared with `module`, which must outlive
/// `arena`. Plans have been checked.
///
/// The kernel's parameters are the spectrum's, its conditions the spectrum's __requires, and its body one
/// `return call;` (or `call;` for void); of a plan with cases `if (condition) { return call; } else { ... }` for each.
/// Where call is the specialised SpectrumCall:
///  - level: where it was composed; devolved: levels passed through; codelet: a copy of the chosen codelet in which
///    the calls and maps are specialised in turn and a tunable's `init` is the plan's value;
///  - guard and fallback where the plan says so: the guard is the codelet's requirement (Requirement.h), over the
///    codelet's parameters. The fallback has the same arguments as the call, node for node: they are evaluated once.
///  - a Map has policy, level (the one that distributes, loops or splits), and call (or factor and inner for split).
///    Its call has no arguments: what the map becomes hands it one element. A map that is distributed at a level whose
///    sync is close-loop has policy unroll.
const ast::Module *clone(const ast::Module &module, const hardware::Hardware &hardware, const Facts &facts,
                         const std::vector<ClonedKernel> &kernels, ast::Arena &arena);

} // namespace tangram
