// The backend for the processor at hand through LLVM: LLVM's code as text, a header to call it by, and a shared library
// made of it in this process, without a compiler of C++.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::llvm_cpu {

std::vector<OptionSpec> backendOptions();

class CpuBackend final : public Backend {
public:
  std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) override;
  std::filesystem::path build(const std::vector<OutputFile> &files, BuildContext &context) override;
  Detection detect(hardware::Hardware &hardware) override;
};

} // namespace tangram::llvm_cpu
