// Where instructions come from: debug locations, which become .loc directives and nothing else.
#pragma once

#include "tangram/ast/Node.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>

namespace tangram::llvm_ir {

class Lines {
public:
  explicit Lines(llvm::Module &module) : module_(module) {}

  /// All that follows belongs to this function, which stands at `range`.
  void begin(llvm::Function &function, const ast::SourceRange &range, llvm::IRBuilderBase &builder);
  /// What is built next comes from there; from where the last came where the range says nothing.
  void at(const ast::SourceRange &range, llvm::IRBuilderBase &builder);
  /// Once everything is made.
  void finish();

private:
  llvm::DIFile *file(const ast::SourceRange &range);

  llvm::Module &module_;
  std::unique_ptr<llvm::DIBuilder> build_;
  llvm::DISubprogram *function_ = nullptr;
  std::map<std::pair<const llvm::DISubprogram *, const llvm::DIFile *>, llvm::DIScope *> scopes_;
};

} // namespace tangram::llvm_ir
