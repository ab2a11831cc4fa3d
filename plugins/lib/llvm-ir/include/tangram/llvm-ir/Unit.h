// What all functions of one LLVM module share while it is made.
#pragma once

#include "tangram/llvm-ir/Lines.h"
#include "tangram/llvm-ir/Types.h"

#include <map>
#include <string>

namespace tangram::llvm_ir {

struct Unit {
  /// `module` knows its data layout.
  Unit(const ast::Module &program, llvm::Module &module)
      : program(program), module(module), types(module, program), lines(module) {}

  const ast::Module &program;
  llvm::Module &module;
  Types types;
  Lines lines;
  /// The module's functions by name, as they are called.
  std::map<std::string, std::pair<const ast::Function *, llvm::Function *>> functions;
};

} // namespace tangram::llvm_ir
