// Memory that the workers of a group share. As much as every device has is laid out by the assembler, variable by
// variable; a launch that needs more is given one piece of memory by the host, cut up here.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/llvm-ir/Types.h"

namespace tangram::ptx {

using llvm_ir::kGeneric;
using llvm_ir::Types;

/// Address spaces of NVPTX beside the generic one. LLVM finds out that stack variables are local.
enum AddressSpace : unsigned { kGlobal = 1, kShared = 3, kConstant = 4 };

class Scratchpad {
public:
  Scratchpad(llvm::Module &module, const Types &types) : module_(module), types_(types) {}

  /// What follows is of this launch; `function`: the name of its device function.
  void begin(const ast::Launch &launch, const ast::KnownValues &known, const std::string &function);
  /// The first element.
  llvm::Constant *place(const ast::Alloc &alloc);
  /// What the host has to give to this launch.
  std::uint64_t dynamicBytes() const { return dynamic_ ? bytes_ : 0; }

private:
  struct Piece {
    std::uint64_t count = 0, offset = 0;
  };

  llvm::Module &module_;
  const Types &types_;
  std::string function_;
  std::map<const ast::Alloc *, Piece> pieces_;
  std::uint64_t bytes_ = 0;
  bool dynamic_ = false;
};

} // namespace tangram::ptx
