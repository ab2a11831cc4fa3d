// A program as an LLVM module for the processor.
#pragma once

#include "Machine.h"

#include "tangram/pass/Pass.h"

namespace llvm {
class Module;
}

namespace tangram::llvm_cpu {

/// Functions, kernels, their entries and the table of tangram/runtime/kernel_abi.h. `module` knows its data layout, and
/// is empty.
void generate(const ast::Module &program, const EmitContext &context, const Processor &processor, llvm::Module &module);

} // namespace tangram::llvm_cpu
