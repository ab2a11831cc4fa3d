#include "tangram/llvm-ir/Arithmetic.h"

#include "tangram/diag/Diagnostic.h"

namespace tangram::llvm_ir {

using namespace ast;
using llvm::Value;

Type laneType(const Type &type) { return type.isVector() ? type.element() : type; }
Type truthType(const Type &like) { return like.isVector() ? Type::vector(Scalar::Bool, like.lanes()) : Scalar::Bool; }

namespace {
bool isNumber(const Type &type) { return type.isScalar() || type.isVector(); }
} // namespace

Type promoted(const Type &type) { return type.isInteger() && type.bytes() < 4 ? Type(Scalar::I32) : type; }

Type common(const Type &a, const Type &b) {
  if (a.isVector()) return a; // the other is one of the same
  Type left = promoted(a), right = promoted(b);
  if (left.isFloating() || right.isFloating()) {
    if (!left.isFloating()) return right;
    if (!right.isFloating()) return left;
    return left.bytes() >= right.bytes() ? left : right;
  }
  if (left.bytes() != right.bytes()) return left.bytes() > right.bytes() ? left : right;
  return left.isSigned() ? right : left;
}

Value *Arithmetic::convert(Value *value, const Type &from, const Type &to) {
  if (from.isPointer() && to == Type(Scalar::U64)) return b_.CreatePtrToInt(generic(value), types_.value(to));
  if (from == to || !isNumber(from) || !isNumber(to)) return value;
  llvm::Type *type = types_.value(to);
  return convert(value, laneType(from), laneType(to), type);
}

Value *Arithmetic::convert(Value *value, const Type &from, const Type &to, llvm::Type *type) {
  if (to.isBool()) {
    if (from.isFloating()) return b_.CreateFCmpUNE(value, llvm::ConstantFP::get(value->getType(), 0));
    return b_.CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0));
  }
  if (from.isFloating()) {
    if (to.isFloating()) return b_.CreateFPCast(value, type);
    if (to.bytes() < 4) // what does not fit an int is undefined, what does not fit the narrow type need not be
      return b_.CreateTrunc(b_.CreateFPToSI(value, value->getType()->getWithNewType(b_.getInt32Ty())), type);
    return to.isSigned() ? b_.CreateFPToSI(value, type) : b_.CreateFPToUI(value, type);
  }
  bool isSigned = from.isSigned() && !from.isBool();
  if (to.isFloating()) return isSigned ? b_.CreateSIToFP(value, type) : b_.CreateUIToFP(value, type);
  return b_.CreateIntCast(value, type, isSigned);
}

Value *Arithmetic::index(Value *value, const Type &type) {
  Type lane = laneType(type);
  return b_.CreateIntCast(value, value->getType()->getWithNewType(b_.getInt64Ty()), lane.isSigned() && !lane.isBool());
}

Value *Arithmetic::generic(Value *pointer) {
  return b_.CreateAddrSpaceCast(pointer, llvm::PointerType::get(b_.getContext(), kGeneric));
}

Value *Arithmetic::binary(BinaryOp op, Value *lhs, const Type &left, Value *rhs, const Type &right,
                          const Type &result) {
  if (!isNumber(left) || !isNumber(right)) return pointers(op, lhs, left, rhs, right, result);
  if (op == BinaryOp::Shl || op == BinaryOp::Shr) {
    Type type = promoted(left);
    Value *amount = b_.CreateIntCast(rhs, types_.value(type), false); // a negative amount is undefined
    return convert(integers(op, convert(lhs, left, type), amount, type), type, result);
  }
  Type type = common(left, right);
  lhs = convert(lhs, left, type);
  rhs = convert(rhs, right, type);
  if (isComparison(op)) return convert(comparison(op, lhs, rhs, type), truthType(type), result);
  return convert(laneType(type).isFloating() ? floats(op, lhs, rhs) : integers(op, lhs, rhs, type), type, result);
}

Value *Arithmetic::compound(BinaryOp op, Value *target, const Type &to, Value *value, const Type &from) {
  return binary(op, target, to, value, from, to);
}

Value *Arithmetic::negate(Value *value, const Type &type) {
  if (laneType(type).isFloating()) return b_.CreateFNeg(value);
  Type wide = promoted(type);
  Value *operand = convert(value, type, wide);
  bool checked = wide.isSigned() && !wide.isVector();
  return convert(checked ? b_.CreateNSWNeg(operand) : b_.CreateNeg(operand), wide, type);
}

Value *Arithmetic::integers(BinaryOp op, Value *lhs, Value *rhs, const Type &type) {
  bool isSigned = laneType(type).isSigned();
  bool checked = isSigned && !type.isVector(); // it wraps in lanes that a mask leaves out
  switch (op) {
  case BinaryOp::Add: return b_.CreateAdd(lhs, rhs, "", false, checked);
  case BinaryOp::Sub: return b_.CreateSub(lhs, rhs, "", false, checked);
  case BinaryOp::Mul: return b_.CreateMul(lhs, rhs, "", false, checked);
  case BinaryOp::Div: return isSigned ? b_.CreateSDiv(lhs, rhs) : b_.CreateUDiv(lhs, rhs);
  case BinaryOp::Rem: return isSigned ? b_.CreateSRem(lhs, rhs) : b_.CreateURem(lhs, rhs);
  case BinaryOp::Shl: return b_.CreateShl(lhs, rhs);
  case BinaryOp::Shr: return isSigned ? b_.CreateAShr(lhs, rhs) : b_.CreateLShr(lhs, rhs);
  case BinaryOp::And: return b_.CreateAnd(lhs, rhs);
  case BinaryOp::Or: return b_.CreateOr(lhs, rhs);
  case BinaryOp::Xor: return b_.CreateXor(lhs, rhs);
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
  case BinaryOp::Comma: break;
  }
  failBug({}, "llvm-ir", fmt::format("operator {} on integers", symbol(op)));
}

Value *Arithmetic::floats(BinaryOp op, Value *lhs, Value *rhs) {
  switch (op) {
  case BinaryOp::Add: return b_.CreateFAdd(lhs, rhs);
  case BinaryOp::Sub: return b_.CreateFSub(lhs, rhs);
  case BinaryOp::Mul: return b_.CreateFMul(lhs, rhs);
  case BinaryOp::Div: return b_.CreateFDiv(lhs, rhs);
  case BinaryOp::Rem:
  case BinaryOp::Shl:
  case BinaryOp::Shr:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor:
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
  case BinaryOp::Comma: break;
  }
  failBug({}, "llvm-ir", fmt::format("operator {} on floating-point numbers", symbol(op)));
}

Value *Arithmetic::comparison(BinaryOp op, Value *lhs, Value *rhs, const Type &type) {
  using P = llvm::CmpInst::Predicate;
  struct Row {
    P isSigned, isUnsigned, floating;
  };
  static constexpr Row rows[] = {{P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},   {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},
                                 {P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT}, {P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
                                 {P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT}, {P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE}};
  const Row &row = rows[static_cast<std::size_t>(op) - static_cast<std::size_t>(BinaryOp::Eq)];
  const Type lane = laneType(type);
  if (lane.isFloating()) return b_.CreateFCmp(row.floating, lhs, rhs);
  return b_.CreateICmp(lane.isSigned() ? row.isSigned : row.isUnsigned, lhs, rhs);
}

// Without inbounds: a part without elements may start anywhere.
Value *Arithmetic::pointers(BinaryOp op, Value *lhs, const Type &left, Value *rhs, const Type &right,
                            const Type &result) {
  bool both = !left.isScalar() && !right.isScalar();
  if (both && isComparison(op))
    return comparison(op, b_.CreatePtrToInt(generic(lhs), b_.getInt64Ty()),
                      b_.CreatePtrToInt(generic(rhs), b_.getInt64Ty()), Scalar::U64);
  if (both && op == BinaryOp::Sub)
    return convert(b_.CreatePtrDiff(types_.memory(left.element()), generic(lhs), generic(rhs)), Scalar::I64, result);
  if (!both && left.isScalar() && op == BinaryOp::Add)
    return b_.CreateGEP(types_.memory(right.element()), rhs, index(lhs, left));
  if (!both && !left.isScalar() && (op == BinaryOp::Add || op == BinaryOp::Sub)) {
    Value *offset = index(rhs, right);
    return b_.CreateGEP(types_.memory(left.element()), lhs, op == BinaryOp::Sub ? b_.CreateNeg(offset) : offset);
  }
  failBug({}, "llvm-ir", fmt::format("operator {} on {} and {}", symbol(op), left.text(), right.text()));
}

} // namespace tangram::llvm_ir
