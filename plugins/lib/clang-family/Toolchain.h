// Where the files lie that every run needs.
#pragma once

#include <string>

namespace tangram::frontend {

/// The folder with tangram/tangram.h: $TANGRAM_INCLUDE, or found from where this plugin lies. Throws DiagnosticError.
std::string languageInclude();
/// Clang's own headers (stddef.h, ...): $TANGRAM_CLANG_RESOURCE_DIR, the one that the build found, or the one beside
/// the Clang library in use. Throws DiagnosticError.
std::string clangResources();

} // namespace tangram::frontend
