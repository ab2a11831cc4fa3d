// The codelet that a kernel's directives ask for.
#pragma once

#include "Source.h"
#include "tangram/ast/Names.h"
#include "tangram/nest/Nest.h"

#include <functional>

namespace tangram::tilek {

struct Tiled {
  const ast::Codelet *codelet = nullptr;
  std::vector<const ast::Spectrum *> spectrums; // that it maps
};

/// `serial`: the kernel's loops as they are; `counts`: how many threads, gangs and workers there are, by countName().
/// Throws DiagnosticError; warnings go to `diags`.
Tiled tiled(const Kernel &kernel, const ast::Module &module, const ast::Codelet &serial,
            const std::map<std::string, const ast::Expr *> &counts, ast::Names &spectrumNames, ast::Arena &arena,
            DiagnosticEngine &diags);

} // namespace tangram::tilek
