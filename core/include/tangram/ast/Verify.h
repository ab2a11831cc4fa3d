// The verifier that runs between passes: what every tree must satisfy whoever made it.
#pragma once

#include "tangram/ast/Node.h"

#include <string>
#include <vector>

namespace tangram::ast {

struct Violation {
  const Node *node = nullptr;
  std::string message;
};

/// Checks that required children are there, every expression has a type, every VarRef names a declaration in
/// scope, no name is declared twice in one body, operators fit their operands, called functions and spectrums
/// exist, Break and Continue stand in a loop or switch. Empty: the tree is sound.
std::vector<Violation> verify(const Module &module);

} // namespace tangram::ast
