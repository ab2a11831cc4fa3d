#include "tangram/llvm-ir/Checks.h"

namespace tangram::llvm_ir {

using llvm::Value;

namespace {

constexpr const char *kKeep = "tangram_keep";
const llvm::Align kWordAlign(4);

} // namespace

llvm::Function *keepFunction(Unit &unit, const char *syncScope) {
  llvm::Module &module = unit.module;
  if (llvm::Function *made = module.getFunction(kKeep)) return made;
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *params[] = {b.getPtrTy(kGeneric), b.getInt64Ty(), b.getInt64Ty(), b.getInt32Ty()};
  auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), params, false),
                                          llvm::GlobalValue::InternalLinkage, kKeep, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::Cold);
  Value *record = function->getArg(0), *site = function->getArg(3);
  auto *entry = llvm::BasicBlock::Create(context, "entry", function);
  auto *first = llvm::BasicBlock::Create(context, "first", function);
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;
  Value *tried = b.CreateAtomicCmpXchg(record, b.getInt32(0), site, kWordAlign, relaxed, relaxed,
                                       context.getOrInsertSyncScopeID(syncScope));
  b.CreateCondBr(b.CreateExtractValue(tried, 1), first, done);
  b.SetInsertPoint(first);
  unsigned word = 0;
  for (unsigned which : {1u, 2u})
    for (unsigned shift : {0u, 32u}) {
      Value *half = b.CreateTrunc(b.CreateLShr(function->getArg(which), shift), b.getInt32Ty());
      b.CreateAlignedStore(half, b.CreateConstGEP1_32(b.getInt32Ty(), record, ++word), kWordAlign);
    }
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

Value *inRange(Scope &scope, Value *record, Value *index, Value *bound, ast::Int site, const char *syncScope) {
  llvm::IRBuilder<> &b = scope.build;
  Value *fits = b.CreateICmpULT(index, bound);
  llvm::BasicBlock *wrong = scope.block("out_of_range"), *done = scope.block("checked");
  b.CreateCondBr(fits, done, wrong);
  b.SetInsertPoint(wrong);
  b.CreateCall(keepFunction(scope.unit, syncScope),
               {scope.arithmetic.generic(record), index, bound, b.getInt32(static_cast<std::uint32_t>(site))});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  return fits;
}

Value *faulted(Scope &scope, Value *record) {
  llvm::IRBuilder<> &b = scope.build;
  llvm::LoadInst *site = b.CreateAlignedLoad(b.getInt32Ty(), record, kWordAlign);
  site->setVolatile(true); // others write it
  return b.CreateICmpNE(site, b.getInt32(0));
}

} // namespace tangram::llvm_ir
