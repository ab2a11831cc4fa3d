#include "tangram/llvm-ir/MathFunctions.h"

#include "tangram/ast/Builtins.h"

#include <map>

namespace tangram::llvm_ir {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Intrinsic::ID exactIntrinsic(const std::string &name) {
  static const std::map<std::string, Intrinsic::ID> known{
      {"fabs", Intrinsic::fabs},   {"sqrt", Intrinsic::sqrt},        {"ceil", Intrinsic::ceil},
      {"floor", Intrinsic::floor}, {"trunc", Intrinsic::trunc},      {"rint", Intrinsic::rint},
      {"fma", Intrinsic::fma},     {"copysign", Intrinsic::copysign}};
  auto it = known.find(name);
  return it == known.end() ? Intrinsic::not_intrinsic : it->second;
}

std::string doubleName(const std::string &name) {
  bool suffixed = name.ends_with('f') && ast::isMathFunction(name.substr(0, name.size() - 1));
  return suffixed ? name.substr(0, name.size() - 1) : name;
}

Value *classified(const std::string &name, Value *value, llvm::IRBuilderBase &build) {
  if (name == "isnan") return build.CreateFCmpUNO(value, value);
  Value *size = build.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *infinity = llvm::ConstantFP::getInfinity(value->getType());
  return name == "isinf" ? build.CreateFCmpOEQ(size, infinity) : build.CreateFCmpOLT(size, infinity);
}

} // namespace tangram::llvm_ir
