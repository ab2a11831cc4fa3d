// Parameters of a spectrum that some call of the program gives the same container, or parts of one that overlap.
#pragma once

#include "Summary.h"

namespace tangram::races {

struct Alias {
  bool alike = false; // the same elements at the same indices
  // Who passes it.
  ast::SourceRange place;
  const ast::Spectrum *spectrum = nullptr;
  const ast::Codelet *codelet = nullptr;
};

/// By spectrum and two of its parameters, the first one first. Of programs alone: whoever calls an entry passes
/// different containers.
using Aliases = std::map<std::string, std::map<std::pair<unsigned, unsigned>, Alias>>;

Aliases aliases(const ast::Module &module, const Summaries &summaries, Symbols &symbols);

} // namespace tangram::races
