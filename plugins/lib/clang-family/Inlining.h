// Functions that are put where they are called: cooperative ones (Cooperative.h), and those that are given containers
// or arrays. Analyses of loops then see what such a function accesses, and no backend has to pass a container.
#pragma once

#include "Convergence.h"

#include "tangram/ast/Node.h"

#include <map>
#include <string>
#include <vector>

namespace tangram::frontend {

struct InlinedFunction {
  /// What a parameter is: a variable of its own, or what the caller names, which may be a container or array.
  enum class Pass : std::uint8_t { Value, Reference, Array };
  const ast::Function *made = nullptr;
  std::string called; // as the user has it
  std::vector<Pass> params;
  bool cooperative = false;
};

/// By the name of the Function.
using InlinedFunctions = std::map<std::string, InlinedFunction>;

struct InlinedBody {
  const ast::Block *body = nullptr;
  CallSites sites; // of cooperative functions: empty blocks in the body
};

/// A body without calls of such functions; itself where there are none. They do not call themselves.
InlinedBody withCallsInlined(ast::Arena &arena, const std::vector<const ast::Param *> &params, const ast::Block *body,
                             const InlinedFunctions &functions);

} // namespace tangram::frontend
