// LLVM's passes over a module, and what it makes of it for a machine.
#pragma once

#include <string>

namespace llvm {
class Module;
class TargetMachine;
class TargetLibraryInfoImpl;
} // namespace llvm

namespace tangram::llvm_ir {

/// Triple and data layout; before anything is put into the module.
void prepare(llvm::Module &module, const llvm::TargetMachine &machine);
/// The passes of -O0 to -O3. `library`: what is known of functions beside the module's own, where not what a machine of
/// the module's kind has. A module that is broken before or behind them is our bug.
void optimise(llvm::Module &module, llvm::TargetMachine &machine, unsigned level,
              const llvm::TargetLibraryInfoImpl *library = nullptr);
/// A broken module is our bug; `when`: "after it was read".
void verify(const llvm::Module &module, const char *when);

/// Assembly for the machine.
std::string assembly(llvm::Module &module, llvm::TargetMachine &machine);
/// An object file's bytes.
std::string object(llvm::Module &module, llvm::TargetMachine &machine);
/// Text that LLVM reads back.
std::string text(const llvm::Module &module);

} // namespace tangram::llvm_ir
