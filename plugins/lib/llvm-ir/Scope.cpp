#include "tangram/llvm-ir/Scope.h"

#include "tangram/ast/Effects.h"
#include "tangram/diag/Diagnostic.h"

namespace tangram::llvm_ir {

using namespace ast;
using llvm::Value;

Scope::Scope(Unit &unit, llvm::Function &function, const Node &body)
    : unit(unit), function(function), build(function.getContext()), arithmetic(build, unit.types),
      assigned_(assignedVariables(&body)) {
  build.SetInsertPoint(llvm::BasicBlock::Create(context(), "entry", &function));
}

const Variable &Scope::variable(const std::string &name, const SourceRange &range) const {
  auto it = variables_.find(name);
  if (it == variables_.end())
    failBug(range, "llvm-ir",
            fmt::format("'{}' is used in '{}', which does not know it", name, function.getName().str()));
  return it->second;
}

const Variable *Scope::find(const std::string &name) const {
  auto it = variables_.find(name);
  return it == variables_.end() ? nullptr : &it->second;
}

void Scope::mark(llvm::Instruction *access) const {
  if (accesses) access->setMetadata(llvm::LLVMContext::MD_access_group, accesses);
}

Value *Scope::stack(const Type &element, std::uint64_t count, const std::string &name) {
  llvm::BasicBlock &entry = function.getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  llvm::Type *type = unit.types.memory(element);
  llvm::AllocaInst *made = at.CreateAlloca(llvm::ArrayType::get(type, count), nullptr, name);
  made->setAlignment(unit.types.alignment(element));
  return made;
}

void Scope::declare(const std::string &name, const Type &type, Value *value) {
  if (type.isPointer() && value && !isAssigned(name)) return define(name, {Variable::Kind::Value, value, type});
  Place place{stack(type, 1, name), type};
  if (value) store(place, value);
  define(name, {Variable::Kind::Place, place.address, type});
}

Value *Scope::load(const Place &place) {
  llvm::LoadInst *value =
      build.CreateAlignedLoad(unit.types.memory(place.type), place.address, unit.types.alignment(place.type));
  mark(value);
  if (place.type.isBool()) return build.CreateICmpNE(value, build.getInt8(0));
  return value;
}

void Scope::store(const Place &place, Value *value) {
  if (place.type.isBool()) value = build.CreateZExt(value, build.getInt8Ty());
  if (place.type.isPointer()) value = arithmetic.generic(value);
  mark(build.CreateAlignedStore(value, place.address, unit.types.alignment(place.type)));
}

void Scope::enter(llvm::BasicBlock *next) {
  if (!isClosed()) build.CreateBr(next);
  build.SetInsertPoint(next);
}

} // namespace tangram::llvm_ir
