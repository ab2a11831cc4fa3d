#include "tangram/llvm-ir/Functions.h"

#include "tangram/ast/Build.h"

namespace tangram::llvm_ir {

using namespace ast;

llvm::Type *parameterType(const Unit &unit, const Param &p) {
  bool reference = p.type.isPointer() || p.type.isArray() || p.access != Access::In;
  return reference ? llvm::PointerType::get(unit.module.getContext(), kGeneric) : unit.types.value(p.type);
}

void declareFunctions(Unit &unit, const std::function<void(llvm::Function &)> &attribute, const std::string &prefix) {
  for (const Function *f : unit.program.functions) {
    std::vector<llvm::Type *> params;
    for (const Param *p : f->params) params.push_back(parameterType(unit, *p));
    auto *type = llvm::FunctionType::get(unit.types.value(f->result), params, false);
    auto *made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, prefix + f->name, unit.module);
    attribute(*made);
    unit.functions[f->name] = {f, made};
  }
}

void defineFunctions(Unit &unit, const std::function<void(Scope &, const Function &)> &body) {
  for (const Function *f : unit.program.functions) {
    llvm::Function &function = *unit.functions.at(f->name).second;
    Scope scope(unit, function, *f->body);
    unit.lines.begin(function, f->range, scope.build);
    for (std::size_t i = 0; i < f->params.size(); ++i) {
      const Param &p = *f->params[i];
      llvm::Argument *arg = function.getArg(static_cast<unsigned>(i));
      arg->setName(p.name);
      if (p.access != Access::In && !p.type.isPointer() && !p.type.isArray())
        scope.define(p.name, {Variable::Kind::Place, arg, p.type});
      else
        scope.declare(p.name, p.type, arg);
    }
    body(scope, *f);
    if (scope.isClosed()) continue;
    if (f->result.isVoid())
      scope.build.CreateRetVoid();
    else
      scope.build.CreateUnreachable(); // flowing off the end is undefined
  }
}

llvm::GlobalVariable *constantTable(Unit &unit, const Declare &table, const std::string &name, unsigned addressSpace,
                                    const std::function<llvm::Value *(const Expr *, const Type &)> &value) {
  std::vector<llvm::Constant *> values;
  for (const Expr *e : as<InitList>(table.init)->values)
    values.push_back(llvm::cast<llvm::Constant>(value(e, table.type)));
  llvm::Type *element = unit.types.memory(table.type);
  std::uint64_t count = static_cast<std::uint64_t>(literal(table.extents.at(0)).value());
  while (values.size() < count) values.push_back(llvm::Constant::getNullValue(element));
  auto *type = llvm::ArrayType::get(element, count);
  return new llvm::GlobalVariable(unit.module, type, true, llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantArray::get(type, values), name, nullptr,
                                  llvm::GlobalValue::NotThreadLocal, addressSpace);
}

} // namespace tangram::llvm_ir
