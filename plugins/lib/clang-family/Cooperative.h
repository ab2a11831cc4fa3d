// Cooperative functions (`__coop` on a function that is no codelet): what they do is put where a cooperative codelet
// calls them. What such a function shares, its lanes and its barriers are then the codelet's, and nothing that follows
// needs to know of it.
#pragma once

#include "Inlining.h"

namespace tangram::frontend {

/// The codelet without calls of inlined functions; itself where there are none. Throws where a cooperative one, or a
/// spectrum, is called while lanes are apart.
const ast::Codelet *withCallsInlined(ast::Arena &arena, const ast::Codelet *codelet, const InlinedFunctions &functions);

} // namespace tangram::frontend
