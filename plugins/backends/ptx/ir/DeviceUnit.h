// What all functions of a module of a device share while it is made.
#pragma once

#include "Library.h"
#include "Scratchpad.h"

#include "tangram/hardware/Launch.h"
#include "tangram/llvm-ir/Unit.h"

namespace tangram::ptx {

struct DeviceUnit : llvm_ir::Unit {
  DeviceUnit(const ast::Module &program, const hardware::LaunchLevels &levels, llvm::Module &module)
      : Unit(program, module), levels(levels), library(module), scratchpad(module, types) {}

  hardware::LaunchLevels levels; // of the launch at hand
  Library library;
  Scratchpad scratchpad;
};

} // namespace tangram::ptx
