// Functions of the C math library: LLVM's intrinsics where a processor has exact instructions for them, else those of
// the library; of vectors those of the vector math library, glibc's libmvec, where it is there, else lane by lane.
#pragma once

#include "Machine.h"

#include "tangram/ast/Node.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace tangram::llvm_cpu {

class MathLibrary {
public:
  MathLibrary(llvm::Module &module, const Processor &processor, bool vectorMath)
      : module_(module), processor_(processor), vectorMath_(vectorMath) {}

  llvm::Value *call(const ast::Call &call, const std::vector<llvm::Value *> &args, llvm::IRBuilderBase &builder);

private:
  using Values = std::vector<llvm::Value *>;
  llvm::Value *convertHalf(const std::string &name, llvm::Value *value, llvm::IRBuilderBase &b);
  llvm::Value *scalar(const std::string &symbol, const Values &args, llvm::IRBuilderBase &b);
  /// Of vectors, by registers.
  llvm::Value *byRegister(const std::string &name, const Values &args, llvm::IRBuilderBase &b);
  llvm::Value *lanewise(const std::string &symbol, const Values &args, llvm::IRBuilderBase &b);
  /// The symbol of the vector math library for so many lanes; empty where it has none.
  std::string vectorSymbol(const std::string &name, bool isFloat, unsigned lanes, std::size_t arguments) const;

  llvm::Module &module_;
  Processor processor_;
  bool vectorMath_;
};

/// Lanes `first` and those behind it, as a vector of `count`.
llvm::Value *part(llvm::Value *vector, unsigned first, unsigned count, llvm::IRBuilderBase &b);
llvm::Value *joined(llvm::Value *low, llvm::Value *high, llvm::IRBuilderBase &b);
unsigned lanesOf(const llvm::Value *vector);

} // namespace tangram::llvm_cpu
