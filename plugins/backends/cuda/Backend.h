// The CUDA backend: CUDA C++17, a header to call it by, and a shared library made of it by nvcc.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::cuda {

std::vector<OptionSpec> backendOptions();

/// Words of CUDA C++.
bool isReserved(std::string_view word);

class CudaBackend final : public Backend {
public:
  std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) override;
  std::filesystem::path build(const std::vector<OutputFile> &files, BuildContext &context) override;
  std::vector<std::string> compilerFlags(const OptionValues &options) override;
  Detection detect(hardware::Hardware &hardware) override;
};

} // namespace tangram::cuda
