// Functions of the C math library: LLVM's intrinsics where NVPTX has exact instructions for them, else functions of
// libdevice, NVIDIA's bitcode library.
#pragma once

#include "tangram/ast/Node.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>

namespace tangram::ptx {

class Library {
public:
  explicit Library(llvm::Module &module) : module_(module) {}

  llvm::Value *call(const ast::Call &call, const std::vector<llvm::Value *> &args, llvm::IRBuilderBase &builder);

  /// Functions that must be linked from libdevice, and the calls that first asked for them.
  const std::map<std::string, const ast::Call *> &wanted() const { return wanted_; }

private:
  llvm::Module &module_;
  std::map<std::string, const ast::Call *> wanted_;
};

} // namespace tangram::ptx
