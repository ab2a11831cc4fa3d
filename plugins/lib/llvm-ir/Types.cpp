#include "tangram/llvm-ir/Types.h"

#include "tangram/diag/Diagnostic.h"

namespace tangram::llvm_ir {

using namespace ast;

Types::Types(llvm::Module &module, const Module &program)
    : context_(module.getContext()), layout_(module.getDataLayout()) {
  for (const Struct *s : program.structs) structs_[s->name] = {s, llvm::StructType::create(context_, s->name)};
  for (const Struct *s : program.structs) {
    std::vector<llvm::Type *> fields;
    for (const Param *field : s->fields) fields.push_back(memory(field->type));
    structs_.at(s->name).second->setBody(fields);
  }
}

llvm::Type *Types::value(const Type &type) const {
  if (type.isBool()) return llvm::Type::getInt1Ty(context_);
  switch (type.kind()) {
  case Type::Kind::Scalar:
    if (type.isVoid()) return llvm::Type::getVoidTy(context_);
    if (type.isFloating() && !type.isHalf()) // kept as bits
      return type.bytes() == 4 ? llvm::Type::getFloatTy(context_) : llvm::Type::getDoubleTy(context_);
    return llvm::Type::getIntNTy(context_, 8 * type.bytes());
  case Type::Kind::Struct:
    if (auto known = structs_.find(type.name()); known != structs_.end()) return known->second.second;
    failBug({}, "llvm-ir", fmt::format("struct '{}' is not in the module", type.name()));
  case Type::Kind::Array:
  case Type::Kind::Pointer: return llvm::PointerType::get(context_, kGeneric);
  case Type::Kind::Vector: return llvm::FixedVectorType::get(value(type.element()), type.lanes());
  }
  failBug({}, "llvm-ir", fmt::format("a value of type {}", type.text()));
}

llvm::Type *Types::memory(const Type &type) const {
  return type.isBool() ? llvm::Type::getInt8Ty(context_) : value(type);
}

llvm::Align Types::alignment(const Type &type) const { return layout_.getABITypeAlign(memory(type)); }

std::uint64_t Types::bytes(const Type &type) const { return layout_.getTypeAllocSize(memory(type)).getFixedValue(); }

std::pair<unsigned, Type> Types::field(const Type &structure, const std::string &name) const {
  auto known = structs_.find(structure.name());
  if (known != structs_.end()) {
    const std::vector<const Param *> &fields = known->second.first->fields;
    for (unsigned i = 0; i < fields.size(); ++i)
      if (fields[i]->name == name) return {i, fields[i]->type};
  }
  failBug({}, "llvm-ir", fmt::format("{} has no field '{}'", structure.text(), name));
}

Type Types::fieldType(const Type &structure, unsigned number) const {
  auto known = structs_.find(structure.name());
  if (known != structs_.end() && number < known->second.first->fields.size())
    return known->second.first->fields[number]->type;
  failBug({}, "llvm-ir", fmt::format("{} has no field number {}", structure.text(), number));
}

} // namespace tangram::llvm_ir
