// What all functions of one LLVM module share while it is made.
#pragma once

#include "Library.h"
#include "Lines.h"
#include "Scratchpad.h"
#include "Types.h"

#include "tangram/hardware/Launch.h"

namespace tangram::ptx {

struct Unit {
  Unit(const ast::Module &program, const hardware::LaunchLevels &levels, llvm::Module &module)
      : program(program), levels(levels), module(module), types(module, program), library(module), lines(module),
        scratchpad(module, types) {}

  const ast::Module &program;
  hardware::LaunchLevels levels; // of the launch at hand
  llvm::Module &module;
  Types types;
  Library library;
  Lines lines;
  Scratchpad scratchpad;
  /// The module's functions by name, as they are called.
  std::map<std::string, std::pair<const ast::Function *, llvm::Function *>> functions;
};

} // namespace tangram::ptx
