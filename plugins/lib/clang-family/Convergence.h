// Convergence: cooperative functions and spectrums are called where no lanes have diverged.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <string>

namespace tangram::frontend {

/// The name of `coopIdx()` as a variable, for the analysis of uniformity.
constexpr const char *kLane = "coopIdx()";

/// Where a call of a cooperative function stood: the key is an empty block in front of what it does.
struct CallSite {
  ast::SourceRange call;
  std::string called;
  const ast::Block *from = nullptr; // the site of the function that has this call, if any
};
using CallSites = std::map<const ast::Block *, CallSite>;

/// Throws where lanes may have diverged at a site or at a call of a spectrum, and where an argument of a spectrum
/// differs between lanes. `body`: of a cooperative codelet, with `coopIdx()` as the variable kLane.
void checkConvergence(const ast::Block *body, const CallSites &sites);

} // namespace tangram::frontend
