// The OpenMP backend: C++17 with #pragma omp, a header to call it by, and a shared library made of it.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::openmp {

std::vector<OptionSpec> backendOptions();

/// Words of C++ and OpenMP.
bool isReserved(std::string_view word);

class OpenMPBackend final : public Backend {
public:
  std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) override;
  std::filesystem::path build(const std::vector<OutputFile> &files, BuildContext &context) override;
  std::vector<std::string> compilerFlags(const OptionValues &options) override;
  Detection detect(hardware::Hardware &hardware) override;
};

} // namespace tangram::openmp
