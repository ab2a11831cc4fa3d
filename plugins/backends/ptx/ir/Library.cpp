#include "Library.h"

#include "tangram/ast/Builtins.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/MathFunctions.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tangram::ptx {

using namespace ast;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr DiagnosticKind kUnknown{"ptx.unknown-function", DiagnosticClass::Limitation,
                                  "'{}' is no function that kernels on a device can call",
                                  "call a function of the C math library, or one of the program's own"};

/// Of f16 and bf16, which are kept as their bits.
Value *convertHalf(const std::string &name, Value *value, llvm::IRBuilderBase &b) {
  llvm::Type *single = b.getFloatTy(), *word = b.getInt32Ty();
  if (name == widening(Scalar::F16)) return b.CreateFPExt(b.CreateBitCast(value, b.getHalfTy()), single);
  // No fptrunc: LLVM would compute in half, and then fuse a product, that has been rounded, with a sum.
  if (name == narrowing(Scalar::F16)) return b.CreateIntrinsic(Intrinsic::nvvm_f2h_rn, {}, {value});
  if (name == widening(Scalar::BF16)) return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, word), 16), single);
  // By whole numbers: devices before sm_80 have no instruction for it.
  Value *bits = b.CreateBitCast(value, word), *high = b.CreateLShr(bits, 16);
  Value *more = b.CreateAdd(b.CreateAnd(high, b.getInt32(1)), b.getInt32(0x7fff));
  Value *rounded = b.CreateLShr(b.CreateAdd(bits, more), 16), *quiet = b.CreateOr(high, b.getInt32(0x40));
  return b.CreateTrunc(b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded), b.getInt16Ty());
}

} // namespace

Value *Library::call(const Call &call, const std::vector<Value *> &args, llvm::IRBuilderBase &b) {
  bool two = isSineAndCosine(call.callee);
  if ((!isMathFunction(call.callee) && !two) || args.empty()) fail(kUnknown, call.range, call.callee);
  if (isHalfConversion(call.callee)) return convertHalf(call.callee, args[0], b);
  llvm::Type *type = args[0]->getType();
  if (call.callee == "abs" || call.callee == "llabs") {
    if (type->isIntegerTy()) return b.CreateBinaryIntrinsic(Intrinsic::abs, args[0], b.getTrue());
    return b.CreateUnaryIntrinsic(Intrinsic::fabs, args[0]);
  }
  if (call.callee == "isnan" || call.callee == "isinf" || call.callee == "isfinite") {
    Value *is = llvm_ir::classified(call.callee, args[0], b);
    return call.type.isBool() ? is : b.CreateZExt(is, b.getIntNTy(8 * call.type.bytes()));
  }
  // Not the form with .ftz, to which what is subnormal is zero.
  if (call.callee == kReciprocalRoot) return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_f, {}, args);
  std::string name = two ? "sincos" : type->isFloatTy() ? llvm_ir::doubleName(call.callee) : call.callee;
  if (name == "fmin" || name == "fmax")
    return b.CreateBinaryIntrinsic(name == "fmin" ? Intrinsic::minnum : Intrinsic::maxnum, args[0], args[1]);
  if (Intrinsic::ID id = llvm_ir::exactIntrinsic(name); id != Intrinsic::not_intrinsic)
    return b.CreateIntrinsic(id, {type}, args);

  std::vector<llvm::Type *> params;
  for (Value *arg : args) params.push_back(arg->getType());
  std::string symbol = "__nv_" + name + (type->isFloatTy() ? "f" : "");
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(symbol, llvm::FunctionType::get(two ? b.getVoidTy() : type, params, false));
  wanted_.try_emplace(symbol, &call);
  return b.CreateCall(callee, args);
}

} // namespace tangram::ptx
