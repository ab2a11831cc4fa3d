// Expanders: module -> module with more codelets of the same spectrums, between the frontend and the analyses.
//
// What an expander adds competes with what the user wrote: in the forest, in heuristics, in the tuner, and before
// `verify`, which compares it with the plainest codelet as it does all others.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram {

/// A codelet that an expander would have added, and what forbids it. `explain --why-not` answers from these.
struct NotExpanded {
  std::string spectrum;
  std::string codelet; // the name that it would have, as `explain` is asked for it
  ast::SourceRange range;
  std::string reason;
  std::string expander; // filled in by the session
};

struct ExpandContext {
  ast::Arena &arena;
  DiagnosticEngine &diags;
  const hardware::Target &target;
  std::vector<NotExpanded> &declined;
};

class Expander {
public:
  virtual ~Expander() = default;
  /// The same module where there is nothing to add. All spectrums, codelets, functions and structs stay as they are and
  /// in their order; what is added stands behind them: codelets behind those of their spectrum, and spectrums of their
  /// own. An added codelet has the result of the others of its spectrum for all arguments that satisfy its conditions;
  /// where that holds only up to the order of operations, what the target promises (`order`, `determinism`) decides.
  /// What is made of somebody's code carries its source range; a codelet that is made of another one of its spectrum
  /// names it (`from`), and touches no element of a container that that does not. No state is kept from run to run.
  virtual const ast::Module *run(const ast::Module *module, ExpandContext &context) = 0;
};

struct ExpanderDescriptor : Descriptor {
  std::string before, after; // an example, as pseudo-code
  std::function<std::unique_ptr<Expander>(const OptionValues &)> create;
};

/// What of `before` is gone or changed in `after`: "codelet 'a' of 'sum' was changed"; empty: nothing.
std::string lostByExpansion(const ast::Module &before, const ast::Module &after);

} // namespace tangram
