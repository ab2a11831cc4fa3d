// What generated code calls beside the math library: threads of the OpenMP runtime, memory, text of errors. All of it
// is in shared libraries that every system has.
#pragma once

#include "tangram/llvm-ir/Scope.h"

#include <string>
#include <vector>

namespace tangram::llvm_cpu {

using llvm_ir::Scope;

llvm::FunctionCallee runtimeFunction(llvm::Module &module, const std::string &name, llvm::Type *result,
                                     const std::vector<llvm::Type *> &params, bool isVariadic = false);

/// Calls `region` with `data` in so many threads, 0: as many as the runtime says, and waits for them.
void callInThreads(Scope &scope, llvm::Function &region, llvm::Value *data, std::uint64_t threads);
/// In such a region: how many run it, and which this one is.
llvm::Value *threadCount(Scope &scope);
llvm::Value *threadNumber(Scope &scope);
/// Allows at least so many regions within each other.
void allowNested(Scope &scope, unsigned regions);

/// Text of a thread's last error: 512 bytes.
inline constexpr std::uint64_t kErrorBytes = 512;
/// Formats text as printf does.
void print(llvm::IRBuilderBase &b, llvm::Module &module, llvm::Value *to, const std::string &format,
           const std::vector<llvm::Value *> &values);
/// What tangram_checked::report says (tangram/runtime/report.h) of a record with that site.
void sayWhere(Scope &scope, llvm::GlobalVariable &lastError, llvm::Value *record, llvm::Value *site,
              const std::vector<std::string> &sites);
/// This thread's place of a variable that each thread has.
llvm::Value *ofThread(llvm::IRBuilderBase &b, llvm::GlobalVariable &variable);

/// A branch whose first way is rarely gone.
llvm::MDNode *unlikely(llvm::LLVMContext &context);

/// What the code must be linked with, as full paths: those of the libraries above that this machine has. Throws
/// DiagnosticError where it has no OpenMP runtime.
std::vector<std::string> runtimeLibraries();

} // namespace tangram::llvm_cpu
