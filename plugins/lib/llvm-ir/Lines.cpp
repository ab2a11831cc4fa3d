#include "tangram/llvm-ir/Lines.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <filesystem>

namespace tangram::llvm_ir {

llvm::DIFile *Lines::file(const ast::SourceRange &range) {
  std::filesystem::path path = *range.file;
  return build_->createFile(path.filename().string(), path.parent_path().string());
}

void Lines::begin(llvm::Function &function, const ast::SourceRange &range, llvm::IRBuilderBase &builder) {
  function_ = nullptr;
  builder.SetCurrentDebugLocation({});
  if (!range.valid()) return;
  if (!build_) {
    build_ = std::make_unique<llvm::DIBuilder>(module_);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    build_->createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, file(range), "tangram", true, "", 0, "",
                              llvm::DICompileUnit::DebugDirectivesOnly);
  }
  llvm::DIFile *where = file(range);
  function_ = build_->createFunction(where, function.getName(), "", where, range.line,
                                     build_->createSubroutineType(build_->getOrCreateTypeArray({})), range.line,
                                     llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition);
  function.setSubprogram(function_);
  at(range, builder);
}

void Lines::at(const ast::SourceRange &range, llvm::IRBuilderBase &builder) {
  if (!function_ || !range.valid()) return;
  llvm::DIFile *where = file(range);
  llvm::DIScope *scope = function_;
  if (where != function_->getFile()) {
    llvm::DIScope *&known = scopes_[{function_, where}];
    if (!known) known = build_->createLexicalBlockFile(function_, where);
    scope = known;
  }
  builder.SetCurrentDebugLocation(llvm::DILocation::get(module_.getContext(), range.line, range.column, scope));
}

void Lines::finish() {
  if (build_) build_->finalize();
}

} // namespace tangram::llvm_ir
