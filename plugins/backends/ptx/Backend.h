// The PTX backend: device code through LLVM, C++ for the host that loads it through the driver, a header to call it by.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::ptx {

std::vector<OptionSpec> backendOptions();

/// Words of C++ and of the driver's API.
bool isReserved(std::string_view word);

class PtxBackend final : public Backend {
public:
  std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) override;
  std::filesystem::path build(const std::vector<OutputFile> &files, BuildContext &context) override;
  std::vector<std::string> compilerFlags(const OptionValues &options) override;
  Detection detect(hardware::Hardware &hardware) override;
};

} // namespace tangram::ptx
