// The OpenCL backend: OpenCL C 1.2 for the device, and C++17 that launches it through the OpenCL API.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::opencl {

std::vector<OptionSpec> backendOptions();

/// Words of OpenCL C, and those of the host.
bool isReserved(std::string_view word);
/// Words of C++ and of OpenCL's API.
bool isReservedOnHost(std::string_view word);

class OpenCLBackend final : public Backend {
public:
  std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) override;
  std::filesystem::path build(const std::vector<OutputFile> &files, BuildContext &context) override;
  std::vector<std::string> compilerFlags(const OptionValues &options) override;
  Detection detect(hardware::Hardware &hardware) override;

  explicit OpenCLBackend(std::string device) : device_(std::move(device)) {}

private:
  std::string device_; // cpu, gpu, any
};

} // namespace tangram::opencl
