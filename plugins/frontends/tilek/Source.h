// A file of C or C++ with directives: Clang reads it as what it is, and the language reads what is made of its kernels.
#pragma once

#include "Directives.h"
#include "tangram/clang-family/Rewritten.h"
#include "tangram/pass/Pass.h"

#include <optional>
#include <utility>

namespace tangram::tilek {

struct Kernel {
  std::string name; // of its function, and the spectrum
  KernelDirective directive;
  /// By line and column of the `for` that a directive stands before.
  std::map<std::pair<unsigned, unsigned>, LoopDirective> loops;
};

struct Source {
  std::vector<Kernel> kernels;
  /// The file in the language: a spectrum for each kernel, with its loops as the codelet `serial`.
  std::optional<frontend::Rewritten> text;
};

/// How the number of `threads`, and of `gangs` and `workers` of a dimension, is called in the codelet `serial`, which
/// declares it.
std::string countName(const std::string &machine, std::size_t dimension);

/// Nothing, with errors reported, where the file is not C or C++, or its directives make no sense.
std::optional<Source> readSource(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags);

} // namespace tangram::tilek
