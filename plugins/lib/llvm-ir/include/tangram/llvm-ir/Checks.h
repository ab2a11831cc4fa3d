// What checked code asks: see tangram/runtime/checked.h, which says the same in C++.
#pragma once

#include "tangram/llvm-ir/Scope.h"

namespace tangram::llvm_ir {

/// Void keep(record, index, bound, site), which is called where an access is out of range: the first one is kept.
/// `syncScope`: LLVM's name of those that write one record.
llvm::Function *keepFunction(Unit &unit, const char *syncScope);
/// Whether index < bound, of one number each; else the record keeps it.
llvm::Value *inRange(Scope &scope, llvm::Value *record, llvm::Value *index, llvm::Value *bound, ast::Int site,
                     const char *syncScope);
/// Whether the record has something.
llvm::Value *faulted(Scope &scope, llvm::Value *record);

} // namespace tangram::llvm_ir
