// The processor that code is for, as LLVM knows it.
#pragma once

#include "tangram/pass/Options.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace tangram::llvm_cpu {

/// By the backend's options `cpu` and `fma`; `level`: how hard code is optimised. Throws DiagnosticError where LLVM has
/// no such processor.
std::unique_ptr<llvm::TargetMachine> makeMachine(const OptionValues &options, unsigned level);
/// The level of the options `opt` and `quick`.
unsigned optimisationLevel(const OptionValues &options);

/// What the code generator has to know of it.
struct Processor {
  bool x86 = false;            // 64 bits
  unsigned vectorBytes = 16;   // of a register
  bool halfConversion = false; // instructions between f16 and f32
};
Processor processorOf(const llvm::TargetMachine &machine);

} // namespace tangram::llvm_cpu
