// Cooperative functions (`__coop` on a function that is no codelet): what they do is put where a cooperative codelet
// calls them. What such a function shares, its lanes and its barriers are then the codelet's, and nothing that follows
// needs to know of it.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/diag/Diagnostic.h"

#include <map>
#include <string>
#include <vector>

namespace tangram::frontend {

struct CooperativeFunction {
  /// What a parameter is: a variable of the lane's own, or what the caller names, which may be a container or array.
  enum class Pass : std::uint8_t { Value, Reference, Array };
  const ast::Function *made = nullptr;
  std::string called; // as the user has it
  std::vector<Pass> params;
};

/// By the name of the Function.
using CooperativeFunctions = std::map<std::string, CooperativeFunction>;

/// The codelet without calls of such functions; itself where there are none. They do not call themselves. Throws where
/// one, or a spectrum, is called while lanes are apart.
const ast::Codelet *withoutCooperativeCalls(ast::Arena &arena, const ast::Codelet *codelet,
                                            const CooperativeFunctions &functions);

} // namespace tangram::frontend
