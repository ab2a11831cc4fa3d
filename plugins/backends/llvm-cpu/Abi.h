// How C passes a struct by value on this machine.
#pragma once

#include "tangram/llvm-ir/Types.h"

#include "tangram/ast/Structs.h"

#include <vector>

namespace tangram::llvm_cpu {

/// How a struct is passed: in the registers of these types, one behind the other in its memory, or, where there are
/// none, as a copy in memory (LLVM's `byval`).
struct PassedStruct {
  std::vector<llvm::Type *> registers;
};

/// Counts the registers that the arguments of one function take.
class ArgumentRegisters {
public:
  explicit ArgumentRegisters(llvm::LLVMContext &context) : context_(context) {}
  /// A scalar or a pointer.
  void take(const ast::Type &type);
  /// System V, x86-64: a struct of up to 16 bytes goes into registers by eightbytes, if enough are left for all of it.
  PassedStruct take(const std::vector<ast::Structs::Leaf> &fields, std::uint64_t bytes);

private:
  llvm::LLVMContext &context_;
  unsigned integers_ = 6, reals_ = 8;
};

} // namespace tangram::llvm_cpu
