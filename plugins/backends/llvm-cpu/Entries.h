// How kernels are called: their entries in C, and what tangram/runtime/kernel_abi.h says of them. The same as
// c_family::defineEntry() and those beside it write in C++.
#pragma once

#include "HostExpressions.h"

#include "tangram/c-family/Entries.h"

#include <list>

namespace tangram::llvm_cpu {

/// A kernel's functions.
struct Entry {
  c_family::Signature signature;
  llvm::Function *run = nullptr;             // its statements, of the kernel's parameters; returns a status
  llvm::GlobalVariable *lastError = nullptr; // text, for each thread
  llvm::Function *call = nullptr;            // checks, then runs; of the signature's, structs by address
  llvm::Constant *descriptor = nullptr;
};

/// The kernel's tunables with the values that they have been given, in the function that is being made.
void defineConstants(const ast::Kernel &kernel, HostExpressions &expressions);

class Entries {
public:
  Entries(HostUnit &unit, std::string target);

  /// Declares what the statements of the kernel need.
  Entry &begin(const ast::Kernel &kernel);
  /// Defines all but `run`.
  void define(Entry &entry);
  /// tangram_kernel_table().
  void table();
  /// What a reference exports beside it (tangram/runtime/error_analysis.h): no number has a bound, nothing is
  /// undecided.
  void referenceOfWholeNumbers();

private:
  llvm::Function *function(const std::string &name, llvm::Type *result, const std::vector<llvm::Type *> &params,
                           bool isPublic);
  llvm::Constant *text(const std::string &text);
  llvm::Constant *constant(llvm::Type *type, llvm::Constant *value);
  void defineCall(Entry &entry);
  void check(Scope &scope, HostExpressions &expressions, const Entry &entry);
  /// The function of C.
  void defineTyped(Entry &entry);
  void defineError(const Entry &entry);
  llvm::Function *defineInvoke(Entry &entry);
  llvm::Constant *params(const c_family::Signature &s);
  llvm::Constant *structs(const c_family::Signature &s);

  HostUnit &unit_;
  llvm::LLVMContext &context_;
  llvm::Type *pointer_, *word_, *status_, *byte_;
  std::string target_;
  std::list<Entry> entries_;
};

} // namespace tangram::llvm_cpu
