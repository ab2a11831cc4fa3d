// What all functions of a module for the processor share while it is made.
#pragma once

#include "Machine.h"
#include "MathLibrary.h"

#include "tangram/hardware/Hardware.h"
#include "tangram/llvm-ir/Unit.h"

namespace tangram::llvm_cpu {

struct HostUnit : llvm_ir::Unit {
  HostUnit(const ast::Module &program, const hardware::Hardware &hardware, llvm::Module &module,
           const Processor &processor, std::uint64_t stackBytes, bool vectorMath)
      : Unit(program, module), hardware(hardware), library(module, processor, vectorMath), stackBytes(stackBytes) {}

  const hardware::Hardware &hardware;
  MathLibrary library;
  std::uint64_t stackBytes; // temporaries up to this size are arrays on the stack
};

/// Functions of the program stand beside those of C's libraries.
inline constexpr const char *kFunctionPrefix = "tangram.";

} // namespace tangram::llvm_cpu
