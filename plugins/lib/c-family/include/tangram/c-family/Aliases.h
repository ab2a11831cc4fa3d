// What else may lead to the memory behind a pointer that a launch is given.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::c_family {

/// Whether workers of a launch exchange values through memory: each reaches it by pointers of its own.
bool exchangesValues(const ast::Module &module, const ast::Launch &launch);

/// Whether no other pointer that the launch is given comes from the same container or array of the host as that
/// parameter. Containers are different ones (docs/language.md).
bool isOnlyPointerTo(const ast::Launch &launch, std::size_t parameter);

} // namespace tangram::c_family
