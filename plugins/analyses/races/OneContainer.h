// Spectrums of which expanders' codelets are no use, since a call passes one container for several of their parameters.
#pragma once

#include "Aliases.h"

namespace tangram::races {

/// By spectrum, the call that matters. What an expander made of loops it made for different containers. That holds for
/// one container, too, where each iteration touches one element of it, the same by all names.
std::map<std::string, Alias> oneContainer(const ast::Module &module, const Summaries &summaries, const Aliases &aliases,
                                          const Symbols &symbols);

} // namespace tangram::races
