#include "MathLibrary.h"

#include "tangram/ast/Builtins.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/MathFunctions.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <dlfcn.h>
#include <numeric>

namespace tangram::llvm_cpu {

using namespace ast;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr DiagnosticKind kUnknown{"llvm-cpu.unknown-function", DiagnosticClass::Limitation,
                                  "'{}' is no function that kernels on the processor can call",
                                  "call a function of the C math library, or one of the program's own"};

/// glibc's, where it is there and has the function.
bool inVectorLibrary(const std::string &symbol) {
  static void *const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && dlsym(library, symbol.c_str());
}

} // namespace

unsigned lanesOf(const Value *vector) { return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements(); }

Value *part(Value *vector, unsigned first, unsigned count, llvm::IRBuilderBase &b) {
  std::vector<int> lanes(count);
  std::iota(lanes.begin(), lanes.end(), static_cast<int>(first));
  return b.CreateShuffleVector(vector, lanes);
}

Value *joined(Value *low, Value *high, llvm::IRBuilderBase &b) {
  std::vector<int> lanes(std::size_t{2} * lanesOf(low));
  std::iota(lanes.begin(), lanes.end(), 0);
  return b.CreateShuffleVector(low, high, lanes);
}

/// By whole numbers, and additions that are exact or round as they must: see tangram/runtime/float16.h.
Value *MathLibrary::convertHalf(const std::string &name, Value *value, llvm::IRBuilderBase &b) {
  llvm::Type *type = value->getType();
  llvm::Type *word = type->getWithNewType(b.getInt32Ty()), *single = type->getWithNewType(b.getFloatTy()),
             *half = type->getWithNewType(b.getInt16Ty());
  auto number = [&](std::uint32_t n) { return llvm::ConstantInt::get(word, n); };
  auto real = [&](Value *bits) { return b.CreateBitCast(bits, single); };
  if (name == widening(Scalar::BF16)) return real(b.CreateShl(b.CreateZExt(value, word), 16));
  if (name == widening(Scalar::F16)) {
    if (processor_.halfConversion)
      return b.CreateFPExt(b.CreateBitCast(value, type->getWithNewType(b.getHalfTy())), single);
    Value *bits = b.CreateZExt(value, word), *exponent = b.CreateAnd(bits, number(0x7c00u));
    Value *magnitude = b.CreateShl(b.CreateAnd(bits, number(0x7fffu)), number(13));
    Value *normal = b.CreateAdd(magnitude, number(112u << 23)), *special = b.CreateAdd(normal, number(112u << 23));
    Value *subnormal =
        b.CreateBitCast(b.CreateFSub(real(b.CreateAdd(magnitude, number(113u << 23))), real(number(113u << 23))), word);
    Value *finite = b.CreateSelect(b.CreateICmpEQ(exponent, number(0)), subnormal, normal);
    Value *size = b.CreateSelect(b.CreateICmpEQ(exponent, number(0x7c00u)), special, finite);
    return real(b.CreateOr(size, b.CreateShl(b.CreateAnd(bits, number(0x8000u)), number(16))));
  }
  Value *bits = b.CreateBitCast(value, word);
  if (name == narrowing(Scalar::BF16)) {
    Value *high = b.CreateLShr(bits, number(16));
    Value *more = b.CreateAdd(b.CreateAnd(high, number(1)), number(0x7fff));
    Value *rounded = b.CreateLShr(b.CreateAdd(bits, more), number(16)), *quiet = b.CreateOr(high, number(0x40));
    return b.CreateTrunc(b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded), half);
  }
  // No fptrunc: LLVM would compute in half, and then fuse a product, that has been rounded, with a sum.
  if (processor_.halfConversion && processor_.x86 && type->isVectorTy() && lanesOf(value) >= 8) {
    if (lanesOf(value) > 8) {
      const unsigned lanes = lanesOf(value) / 2;
      return joined(convertHalf(name, part(value, 0, lanes, b), b), convertHalf(name, part(value, lanes, lanes, b), b),
                    b);
    }
    constexpr std::uint32_t kNearestQuiet = 8;
    return b.CreateIntrinsic(Intrinsic::x86_vcvtps2ph_256, {}, {value, b.getInt32(kNearestQuiet)});
  }
  Value *sign = b.CreateAnd(bits, number(0x80000000u)), *size = b.CreateXor(bits, sign);
  Value *odd = b.CreateAnd(b.CreateLShr(size, number(13)), number(1));
  Value *normal = b.CreateLShr(b.CreateAdd(b.CreateAdd(size, number(0xfffu - (112u << 23))), odd), number(13));
  // Beside 0.5 floats are as far apart as the smallest halves: the addition rounds.
  Value *beside = b.CreateBitCast(b.CreateFAdd(real(size), real(number(126u << 23))), word);
  Value *subnormal = b.CreateSub(beside, number(126u << 23));
  Value *special = b.CreateSelect(b.CreateICmpUGT(size, number(0x7f800000u)), number(0x7e00u), number(0x7c00u));
  Value *finite = b.CreateSelect(b.CreateICmpULT(size, number(113u << 23)), subnormal, normal);
  Value *result = b.CreateSelect(b.CreateICmpUGE(size, number(143u << 23)), special, finite);
  return b.CreateTrunc(b.CreateOr(result, b.CreateLShr(sign, number(16))), half);
}

Value *MathLibrary::scalar(const std::string &symbol, const Values &args, llvm::IRBuilderBase &b) {
  std::vector<llvm::Type *> params;
  for (Value *arg : args) params.push_back(arg->getType());
  const bool writes = params.size() > 1 && params.back()->isPointerTy(); // sincos
  llvm::Type *result = writes ? b.getVoidTy() : params[0];
  llvm::FunctionCallee callee = module_.getOrInsertFunction(symbol, llvm::FunctionType::get(result, params, false));
  if (auto *function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotThrow();
    function->setWillReturn();
    if (!writes) function->setDoesNotAccessMemory(); // nobody asks for errno
  }
  return b.CreateCall(callee, args);
}

std::string MathLibrary::vectorSymbol(const std::string &name, bool isFloat, unsigned lanes,
                                      std::size_t arguments) const {
  // Names as the x86-64 vector function ABI makes them: b, d, e for SSE2, AVX2, AVX-512; the number of lanes; a v for
  // each argument.
  const unsigned bytes = lanes * (isFloat ? 4 : 8);
  const char kind = bytes == 16 ? 'b' : bytes == 32 ? 'd' : 'e';
  std::string symbol =
      fmt::format("_ZGV{}N{}{}_{}{}", kind, lanes, std::string(arguments, 'v'), name, isFloat ? "f" : "");
  return inVectorLibrary(symbol) ? symbol : std::string();
}

Value *MathLibrary::lanewise(const std::string &symbol, const Values &args, llvm::IRBuilderBase &b) {
  Value *result = llvm::PoisonValue::get(args[0]->getType());
  for (unsigned lane = 0; lane < lanesOf(args[0]); ++lane) {
    Values one;
    for (Value *arg : args) one.push_back(b.CreateExtractElement(arg, lane));
    result = b.CreateInsertElement(result, scalar(symbol, one, b), lane);
  }
  return result;
}

Value *MathLibrary::byRegister(const std::string &name, const Values &args, llvm::IRBuilderBase &b) {
  const bool isFloat = args[0]->getType()->getScalarType()->isFloatTy();
  const unsigned lanes = lanesOf(args[0]), bytes = lanes * (isFloat ? 4 : 8);
  const std::string symbol = name + (isFloat ? "f" : "");
  const unsigned least = processor_.vectorBytes < 32 ? 16 : 32; // SSE code amid AVX code is slow
  const bool there = vectorMath_ && processor_.x86 && name != "fmod" && name != "fdim" &&
                     !vectorSymbol(name, isFloat, least / (isFloat ? 4 : 8), args.size()).empty();
  if (!there) return lanewise(symbol, args, b);
  if (bytes > processor_.vectorBytes) {
    Values low, high;
    for (Value *arg : args) {
      low.push_back(part(arg, 0, lanes / 2, b));
      high.push_back(part(arg, lanes / 2, lanes / 2, b));
    }
    return joined(byRegister(name, low, b), byRegister(name, high, b), b);
  }
  if (bytes < least) { // repeated in a register
    Values twice;
    for (Value *arg : args) twice.push_back(joined(arg, arg, b));
    return part(byRegister(name, twice, b), 0, lanes, b);
  }
  const std::string found = vectorSymbol(name, isFloat, lanes, args.size());
  return found.empty() ? lanewise(symbol, args, b) : scalar(found, args, b);
}

Value *MathLibrary::call(const Call &call, const std::vector<Value *> &args, llvm::IRBuilderBase &b) {
  const bool two = isSineAndCosine(call.callee);
  if ((!isMathFunction(call.callee) && !two) || args.empty() || call.callee == kReciprocalRoot)
    fail(kUnknown, call.range, call.callee);
  if (isHalfConversion(call.callee)) return convertHalf(call.callee, args[0], b);
  llvm::Type *type = args[0]->getType();
  if (call.callee == "abs" || call.callee == "llabs") {
    if (type->isIntOrIntVectorTy()) return b.CreateBinaryIntrinsic(Intrinsic::abs, args[0], b.getFalse());
    return b.CreateUnaryIntrinsic(Intrinsic::fabs, args[0]);
  }
  if (call.callee == "isnan" || call.callee == "isinf" || call.callee == "isfinite") {
    Value *is = llvm_ir::classified(call.callee, args[0], b);
    if (call.type.isBool() || call.type.isVector()) return is;
    return b.CreateZExt(is, b.getIntNTy(8 * call.type.bytes()));
  }
  const std::string name = type->getScalarType()->isFloatTy() ? llvm_ir::doubleName(call.callee) : call.callee;
  if (name == "fmin" || name == "fmax") {
    Value *closer = name == "fmin" ? b.CreateFCmpOLT(args[0], args[1]) : b.CreateFCmpOLT(args[1], args[0]);
    return b.CreateSelect(b.CreateOr(closer, b.CreateFCmpUNO(args[1], args[1])), args[0], args[1]);
  }
  if (name == "round") return b.CreateUnaryIntrinsic(Intrinsic::round, args[0]);
  if (Intrinsic::ID id = llvm_ir::exactIntrinsic(name); id != Intrinsic::not_intrinsic)
    return b.CreateIntrinsic(id, {type}, args);
  if (type->isVectorTy()) return byRegister(name, args, b);
  const bool suffix = type->isFloatTy();
  return scalar(two ? (suffix ? "sincosf" : "sincos") : name + (suffix ? "f" : ""), args, b);
}

} // namespace tangram::llvm_cpu
