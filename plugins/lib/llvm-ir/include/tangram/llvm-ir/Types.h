// Types of the AST as LLVM's: as they are computed with, and as they lie in memory.
#pragma once

#include "tangram/ast/Node.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Alignment.h>

#include <map>

namespace tangram::llvm_ir {

/// The address space that all pointers can be converted to, and stack variables are made in. A device has others.
inline constexpr unsigned kGeneric = 0;

class Types {
public:
  Types(llvm::Module &module, const ast::Module &program);

  /// In a register: bool is one bit, also as a lane of a vector; a pointer, to which an array decays, is generic.
  llvm::Type *value(const ast::Type &type) const;
  /// In memory: bool is a byte.
  llvm::Type *memory(const ast::Type &type) const;
  llvm::Align alignment(const ast::Type &type) const;
  std::uint64_t bytes(const ast::Type &type) const;
  /// Number and type of a struct's field.
  std::pair<unsigned, ast::Type> field(const ast::Type &structure, const std::string &name) const;
  ast::Type fieldType(const ast::Type &structure, unsigned number) const;

private:
  llvm::LLVMContext &context_;
  const llvm::DataLayout &layout_;
  std::map<std::string, std::pair<const ast::Struct *, llvm::StructType *>> structs_;
};

} // namespace tangram::llvm_ir
