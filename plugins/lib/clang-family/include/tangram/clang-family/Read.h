// The Tangram language, read by Clang: one run for each file, whose AST becomes ours.
#pragma once

#include "tangram/clang-family/Rewritten.h"
#include "tangram/pass/Pass.h"

#include <string>
#include <vector>

namespace tangram::frontend {

/// Null, with errors reported, where the file, or `instead` in its place, is no program of the language. `more`: words
/// of Clang's command line.
const ast::Module *readLanguage(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags,
                                const Rewritten *instead = nullptr, const std::vector<std::string> &more = {});

} // namespace tangram::frontend
