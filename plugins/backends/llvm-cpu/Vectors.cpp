// Vectors of SIMD lanes, of any power of two: LLVM makes registers of them. What tangram/runtime/vec.h is to C++.
#include "HostExpressions.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Checks.h"

namespace tangram::llvm_cpu {

using namespace ast;
using llvm::Value;

namespace {

llvm::FixedVectorType *vectorOf(llvm::Type *lane, unsigned lanes) { return llvm::FixedVectorType::get(lane, lanes); }

/// The number of the lowest lane that is set, where one is.
Value *firstLane(Value *mask, llvm::IRBuilderBase &b) {
  Value *bits = b.CreateBitCast(mask, b.getIntNTy(lanesOf(mask)));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getFalse());
}

/// Whether so many elements from there on lie within an array of the function's own: what a mask leaves out of them may
/// be read and written back, and the array still be registers.
bool isOwn(const Value *from, llvm::Type *element, unsigned lanes, const llvm::DataLayout &layout) {
  llvm::APInt offset(64, 0);
  const auto *array = llvm::dyn_cast<llvm::AllocaInst>(from->stripAndAccumulateConstantOffsets(layout, offset, true));
  if (!array || offset.isNegative()) return false;
  std::optional<llvm::TypeSize> size = array->getAllocationSize(layout);
  const std::uint64_t bytes = layout.getTypeAllocSize(element).getFixedValue() * lanes;
  return size && offset.getZExtValue() + bytes <= size->getFixedValue();
}

} // namespace

Value *HostExpressions::splat(Value *value, unsigned lanes) { return b_.CreateVectorSplat(lanes, value); }

Value *HostExpressions::laneIndex(const LaneIndex &e) {
  llvm::Type *lane = s_.unit.types.value(e.type.element());
  std::vector<llvm::Constant *> numbers;
  for (unsigned i = 0; i < e.type.lanes(); ++i)
    numbers.push_back(lane->isFloatingPointTy() ? llvm::ConstantFP::get(lane, i)
                                                : static_cast<llvm::Constant *>(llvm::ConstantInt::get(lane, i)));
  return llvm::ConstantVector::get(numbers);
}

Value *HostExpressions::addresses(const Expr *base, const Expr *index, const Type &lane) {
  Value *pointer = value(base);
  return b_.CreateGEP(s_.unit.types.memory(lane), pointer, s_.arithmetic.index(value(index), index->type));
}

Value *HostExpressions::load(const VectorLoad &e) {
  const Type lane = e.type.element();
  const llvm::Align align = s_.unit.types.alignment(lane);
  llvm::FixedVectorType *type = vectorOf(s_.unit.types.memory(lane), e.type.lanes());
  Value *from = addresses(e.base, e.index, lane), *mask = e.mask ? value(e.mask) : nullptr, *result = nullptr;
  llvm::Constant *nothing = llvm::Constant::getNullValue(type); // in lanes that the mask leaves out
  if (e.index->type.isVector())
    result = b_.CreateMaskedGather(type, from, align, mask, nothing);
  else if (mask && isOwn(from, type->getElementType(), e.type.lanes(), s_.unit.module.getDataLayout()))
    result = b_.CreateSelect(mask, b_.CreateAlignedLoad(type, from, align), nothing);
  else if (mask)
    result = b_.CreateMaskedLoad(type, from, align, mask, nothing);
  else
    result = b_.CreateAlignedLoad(type, from, align);
  return lane.isBool() ? b_.CreateICmpNE(result, nothing) : result;
}

void HostExpressions::store(const VectorStore &s) {
  const Type lane = s.value->type.element();
  const llvm::Align align = s_.unit.types.alignment(lane);
  Value *to = addresses(s.base, s.index, lane), *stored = value(s.value), *mask = s.mask ? value(s.mask) : nullptr;
  if (lane.isBool()) stored = b_.CreateZExt(stored, vectorOf(b_.getInt8Ty(), lanesOf(stored)));
  if (s.index->type.isVector()) // lower lanes first
    b_.CreateMaskedScatter(stored, to, align, mask);
  else if (auto *type = llvm::cast<llvm::FixedVectorType>(stored->getType());
           mask && isOwn(to, type->getElementType(), type->getNumElements(), s_.unit.module.getDataLayout()))
    b_.CreateAlignedStore(b_.CreateSelect(mask, stored, b_.CreateAlignedLoad(type, to, align)), to, align);
  else if (mask)
    b_.CreateMaskedStore(stored, to, align, mask);
  else
    b_.CreateAlignedStore(stored, to, align);
}

Value *HostExpressions::reduce(const VectorReduce &e) {
  Value *v = value(e.operand);
  const Type &lane = e.operand->type.element();
  auto halves = [&](auto &&combine) {
    // Pairwise: the order is part of what floating-point sums are.
    for (unsigned lanes = lanesOf(v); lanes > 1; lanes /= 2)
      v = combine(part(v, 0, lanes / 2, b_), part(v, lanes / 2, lanes / 2, b_), Type::vector(lane, lanes / 2));
    return s_.arithmetic.convert(b_.CreateExtractElement(v, std::uint64_t{0}), lane, e.type);
  };
  switch (e.op) {
  case ReduceOp::Add:
    return halves(
        [&](Value *a, Value *b, const Type &t) { return s_.arithmetic.binary(BinaryOp::Add, a, t, b, t, t); });
  case ReduceOp::Min:
    return halves([&](Value *a, Value *b, const Type &t) {
      return b_.CreateSelect(s_.arithmetic.binary(BinaryOp::Lt, b, t, a, t, llvm_ir::truthType(t)), b, a);
    });
  case ReduceOp::Max:
    return halves([&](Value *a, Value *b, const Type &t) {
      return b_.CreateSelect(s_.arithmetic.binary(BinaryOp::Lt, a, t, b, t, llvm_ir::truthType(t)), b, a);
    });
  case ReduceOp::Any: return s_.arithmetic.convert(b_.CreateOrReduce(v), Scalar::Bool, e.type);
  case ReduceOp::All: return s_.arithmetic.convert(b_.CreateAndReduce(v), Scalar::Bool, e.type);
  case ReduceOp::First: return b_.CreateZExtOrTrunc(firstLane(v, b_), s_.unit.types.value(e.type));
  }
  failBug(e.range, "llvm-cpu", "an unknown reduction");
}

/// Numbers of lanes count modulo how many there are.
Value *HostExpressions::shuffle(const Shuffle &e) {
  Value *v = value(e.operand), *from = value(e.lane), *result = llvm::PoisonValue::get(v->getType());
  const unsigned lanes = lanesOf(v);
  Value *within = b_.CreateAnd(from, llvm::ConstantInt::get(from->getType(), lanes - 1));
  for (unsigned i = 0; i < lanes; ++i)
    result = b_.CreateInsertElement(result, b_.CreateExtractElement(v, b_.CreateExtractElement(within, i)), i);
  return result;
}

Value *HostExpressions::check(const Check &e) {
  const bool vector = e.type.isVector();
  auto number = [&](const Expr *of) {
    if (of->type.isVector()) return value(of, Type::vector(Scalar::U64, of->type.lanes()));
    Value *one = value(of, Scalar::U64);
    return vector ? splat(one, e.type.lanes()) : one;
  };
  Value *index = number(e.index), *bound = number(e.bound), *record = value(e.record);
  if (!vector) return llvm_ir::inRange(s_, record, index, bound, e.site, "");
  Value *fits = b_.CreateICmpULT(index, bound), *mask = e.mask ? value(e.mask) : nullptr;
  Value *wrong = b_.CreateNot(fits);
  if (mask) wrong = b_.CreateAnd(mask, wrong);
  llvm::BasicBlock *outside = s_.block("out_of_range"), *done = s_.block("checked");
  b_.CreateCondBr(b_.CreateOrReduce(wrong), outside, done);
  b_.SetInsertPoint(outside);
  Value *lane = firstLane(wrong, b_);
  b_.CreateCall(llvm_ir::keepFunction(s_.unit, ""),
                {record, b_.CreateExtractElement(index, lane), b_.CreateExtractElement(bound, lane),
                 b_.getInt32(static_cast<std::uint32_t>(e.site))});
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  return mask ? b_.CreateAnd(mask, fits) : fits;
}

} // namespace tangram::llvm_cpu
