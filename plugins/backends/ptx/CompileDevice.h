// The device's code of a module, ready to be embedded.
#pragma once

#include "ir/Compiler.h"
#include "ir/Generate.h"

#include "tangram/pass/Pass.h"

namespace tangram::ptx {

struct CompiledDevice {
  Architecture architecture;
  std::string ptx;                       // text
  std::string ir;                        // LLVM's, where it was asked for
  std::vector<DeviceFunction> functions; // one for each launch
};

CompiledDevice compileDevice(const ast::Module &module, EmitContext &context);

/// Debug directives turned into comments that say which line of which codelet follows; `keep`: they stay, too.
std::string withOrigins(const std::string &ptx, const ast::Module &module, bool keep);

} // namespace tangram::ptx
