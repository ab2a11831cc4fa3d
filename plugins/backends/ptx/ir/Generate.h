// The device's part of a program as an LLVM module: one function for each Launch, and the functions that they call.
#pragma once

#include "Library.h"

#include "tangram/hardware/Launch.h"

namespace tangram::ptx {

struct DeviceFunction {
  const ast::Kernel *kernel = nullptr;
  const ast::Launch *launch = nullptr;
  std::string name;                  // in the module
  std::uint64_t scratchpadBytes = 0; // to be given to it by the host
};

struct DeviceCode {
  std::vector<DeviceFunction> functions;
  std::map<std::string, const ast::Call *> wanted; // of libdevice
};

/// `module` knows its data layout, and is empty.
DeviceCode generate(const ast::Module &program, const hardware::LaunchLevels &levels, llvm::Module &module);

} // namespace tangram::ptx
