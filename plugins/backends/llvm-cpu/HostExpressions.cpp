#include "HostExpressions.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Checks.h"

namespace tangram::llvm_cpu {

using namespace ast;
using llvm::Value;

Value *HostExpressions::other(const Expr *e) {
  if (const auto *lanes = dyn<LaneIndex>(e)) return laneIndex(*lanes);
  if (const auto *same = dyn<Broadcast>(e)) return splat(value(same->operand, e->type.element()), e->type.lanes());
  if (const auto *l = dyn<VectorLoad>(e)) return load(*l);
  if (const auto *select = dyn<VectorSelect>(e)) {
    Value *mask = value(select->mask), *then = value(select->then, e->type);
    return b_.CreateSelect(mask, then, value(select->otherwise, e->type));
  }
  if (const auto *r = dyn<VectorReduce>(e)) return reduce(*r);
  if (const auto *lane = dyn<VectorLane>(e)) {
    Value *vector = value(lane->operand);
    return b_.CreateExtractElement(vector, value(lane->lane, Scalar::U64));
  }
  if (const auto *s = dyn<Shuffle>(e); s && s->level.empty() && s->operand->type.isVector()) return shuffle(*s);
  if (const auto *c = dyn<Check>(e)) return check(*c);
  if (const auto *asked = dyn<Faulted>(e)) return llvm_ir::faulted(s_, value(asked->record));
  return Expressions::other(e);
}

/// Relaxed, as in what is generated in C++.
Value *HostExpressions::atomic(const Atomic &e, const Place &place, const std::vector<Value *> &operands) {
  constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;
  const Type &type = place.type;
  if (!type.isScalar()) return Expressions::other(&e);
  const llvm::Align align(type.bytes());
  const bool integer = type.isInteger() && !type.isBool();
  if (integer && (e.op == AtomicOp::Add || e.op == AtomicOp::Sub))
    return b_.CreateAtomicRMW(e.op == AtomicOp::Add ? llvm::AtomicRMWInst::Add : llvm::AtomicRMWInst::Sub,
                              place.address, operands[0], align, relaxed);
  // Again until nobody came between.
  llvm::Type *word = b_.getIntNTy(8 * type.bytes());
  auto toBits = [&](Value *v) { return type.isBool() ? b_.CreateZExt(v, word) : b_.CreateBitCast(v, word); };
  llvm::LoadInst *first = b_.CreateAlignedLoad(word, place.address, align);
  first->setAtomic(relaxed);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *again = s_.block("update"), *change = s_.block("change"),
                   *done = s_.block("updated");
  s_.enter(again);
  llvm::PHINode *seen = b_.CreatePHI(word, 2);
  seen->addIncoming(first, before);
  Value *old = type.isBool() ? b_.CreateICmpNE(seen, b_.getInt8(0)) : b_.CreateBitCast(seen, s_.unit.types.value(type));
  Value *next = operands.back();
  auto less = [&](Value *a, Value *b) { return s_.arithmetic.binary(BinaryOp::Lt, a, type, b, type, Scalar::Bool); };
  auto made = [&](BinaryOp op) { return s_.arithmetic.binary(op, old, type, next, type, type); };
  switch (e.op) {
  case AtomicOp::Add: next = made(BinaryOp::Add); break;
  case AtomicOp::Sub: next = made(BinaryOp::Sub); break;
  case AtomicOp::Min: next = b_.CreateSelect(less(next, old), next, old); break;
  case AtomicOp::Max: next = b_.CreateSelect(less(old, next), next, old); break;
  case AtomicOp::And: next = made(BinaryOp::And); break;
  case AtomicOp::Or: next = made(BinaryOp::Or); break;
  case AtomicOp::Xor: next = made(BinaryOp::Xor); break;
  case AtomicOp::Exchange: break;
  case AtomicOp::CompareExchange:
    next = b_.CreateSelect(s_.arithmetic.binary(BinaryOp::Eq, old, type, operands[0], type, Scalar::Bool), next, old);
    break;
  case AtomicOp::OrderedAdd: failBug(e.range, "llvm-cpu", "an ordered atomic");
  }
  Value *bits = toBits(next);
  // What stays as it is needs no write, which would take the line from all others.
  b_.CreateCondBr(b_.CreateICmpEQ(bits, seen), done, change);
  b_.SetInsertPoint(change);
  llvm::AtomicCmpXchgInst *tried = b_.CreateAtomicCmpXchg(place.address, seen, bits, align, relaxed, relaxed);
  tried->setWeak(true);
  seen->addIncoming(b_.CreateExtractValue(tried, 0), change);
  b_.CreateCondBr(b_.CreateExtractValue(tried, 1), done, again);
  b_.SetInsertPoint(done);
  return old;
}

} // namespace tangram::llvm_cpu
