#include "tangram/llvm-ir/Expressions.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/diag/Diagnostic.h"

namespace tangram::llvm_ir {

using namespace ast;
using llvm::Value;

namespace {

constexpr DiagnosticKind kVectors{"llvm-ir.vectors", DiagnosticClass::Limitation,
                                  "vector code ({} of type {}) cannot be made for workers of a device",
                                  "leave out the pass that makes vectors: workers run in step by themselves"};

} // namespace

Value *Expressions::value(const Expr *e, const Type &type) { return s_.arithmetic.convert(value(e), e->type, type); }

Value *Expressions::value(const Expr *e) {
  if (e->type.isVector() && !hasVectors()) refuseVector(e);
  const Types &types = s_.unit.types;
  switch (exprKind(*e)) {
  case ExprKind::IntLit:
    return llvm::ConstantInt::get(types.value(e->type), static_cast<std::uint64_t>(as<IntLit>(e)->value), true);
  case ExprKind::FloatLit: return llvm::ConstantFP::get(types.value(e->type), as<FloatLit>(e)->value);
  case ExprKind::VarRef: {
    const Variable &v = s_.variable(as<VarRef>(e)->name, e->range);
    return v.kind == Variable::Kind::Place ? s_.load({v.value, v.type}) : v.value;
  }
  case ExprKind::Unary: return unary(as<Unary>(e));
  case ExprKind::Binary: return binary(as<Binary>(e));
  case ExprKind::Assign:
    if (isa<Transfer>(as<Assign>(e)->value)) return assign(as<Assign>(e)).value; // none
    return s_.arithmetic.convert(assign(as<Assign>(e)).value, as<Assign>(e)->target->type, e->type);
  case ExprKind::Conditional: return choose(as<Conditional>(e), [&](const Expr *side) { return value(side, e->type); });
  case ExprKind::Cast: {
    Value *operand = value(as<Cast>(e)->operand);
    return e->type.isVoid() ? nullptr : s_.arithmetic.convert(operand, as<Cast>(e)->operand->type, e->type);
  }
  case ExprKind::Call: return call(as<Call>(e));
  case ExprKind::Subscript:
  case ExprKind::Member: return s_.load(place(e));
  case ExprKind::InitList: {
    if (!e->type.isVector()) return s_.load(temporary(e));
    Value *lanes = llvm::Constant::getNullValue(types.value(e->type));
    for (std::uint64_t k = 0; k < as<InitList>(e)->values.size(); ++k)
      lanes = b_.CreateInsertElement(lanes, value(as<InitList>(e)->values[k], e->type.element()), k);
    return lanes;
  }
  case ExprKind::Atomic: {
    const auto *a = as<Atomic>(e);
    if (a->op == AtomicOp::OrderedAdd) fail(kLanguageNode, e->range, "orderedAdd");
    Place target = place(a->target);
    std::vector<Value *> operands;
    for (const Expr *operand : a->operands) operands.push_back(value(operand, target.type));
    return s_.arithmetic.convert(atomic(*a, target, operands), target.type, e->type);
  }
  case ExprKind::Aligned: return value(as<Aligned>(e)->pointer);
  case ExprKind::WorkerIndex:
  case ExprKind::WorkerCount:
  case ExprKind::Shuffle:
  case ExprKind::MatrixMultiply:
  case ExprKind::Transfer:
  case ExprKind::Check:
  case ExprKind::Faulted: return other(e);
  case ExprKind::LaneIndex:
  case ExprKind::Broadcast:
  case ExprKind::VectorLoad:
  case ExprKind::VectorSelect:
  case ExprKind::VectorReduce:
  case ExprKind::VectorLane:
    if (!hasVectors()) refuseVector(e);
    return other(e);
  // The language's own, which passes have made others of.
  case ExprKind::SpectrumCall:
  case ExprKind::Map:
  case ExprKind::Partition:
  case ExprKind::Sequence:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim: break;
  }
  fail(kLanguageNode, e->range, name(e->kind()));
}

Value *Expressions::other(const Expr *e) { fail(kLanguageNode, e->range, name(e->kind())); }

// ---- places ----------------------------------------------------------------------------------------------

void Expressions::refuseVector(const Expr *e) { fail(kVectors, e->range, name(e->kind()), e->type.text()); }

Place Expressions::place(const Expr *e) {
  switch (exprKind(*e)) {
  case ExprKind::VarRef: {
    const Variable &v = s_.variable(as<VarRef>(e)->name, e->range);
    if (v.kind == Variable::Kind::Value) return temporary(e); // is only read
    return {v.value, v.type};
  }
  case ExprKind::Unary:
    if (as<Unary>(e)->op == UnaryOp::Deref) return {value(as<Unary>(e)->operand), e->type};
    if (changesOperand(as<Unary>(e)->op)) return step(as<Unary>(e)).place;
    return temporary(e);
  case ExprKind::Subscript: return element(as<Subscript>(e));
  case ExprKind::Member: return member(as<Member>(e));
  case ExprKind::Assign: return assign(as<Assign>(e)).place;
  case ExprKind::Conditional:
    return {choose(as<Conditional>(e), [&](const Expr *side) { return s_.arithmetic.generic(place(side).address); }),
            e->type};
  case ExprKind::Binary:
    if (as<Binary>(e)->op != BinaryOp::Comma) return temporary(e);
    value(as<Binary>(e)->lhs);
    return place(as<Binary>(e)->rhs);
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Cast:
  case ExprKind::Call:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return temporary(e);
}

Place Expressions::temporary(const Expr *e) {
  Place made{s_.stack(e->type, 1, ""), e->type};
  if (const auto *list = dyn<InitList>(e))
    initialise(*list, made, {});
  else
    s_.store(made, value(e));
  return made;
}

Place Expressions::element(const Subscript *e) {
  if (e->indices.size() != 1) fail(kLanguageNode, e->range, fmt::format("Subscript of {} indices", e->indices.size()));
  Value *base = value(e->base), *index = value(e->indices[0]);
  Value *address = b_.CreateGEP(s_.unit.types.memory(e->type), base, s_.arithmetic.index(index, e->indices[0]->type));
  return {address, e->type};
}

Place Expressions::member(const Member *e) {
  Place base = place(e->base);
  auto [number, type] = s_.unit.types.field(base.type, e->field);
  return {b_.CreateStructGEP(s_.unit.types.memory(base.type), base.address, number), type};
}

void Expressions::initialise(const InitList &list, const Place &place, const std::vector<std::uint64_t> &extents) {
  const Types &types = s_.unit.types;
  std::uint64_t count = 1;
  for (std::uint64_t extent : extents) count *= extent;
  b_.CreateMemSet(place.address, b_.getInt8(0), count * types.bytes(place.type), types.alignment(place.type));
  auto fill = [&](auto &self, const InitList &from, std::size_t dim, std::uint64_t at, Value *address,
                  const Type &type) -> void {
    std::uint64_t inner = 1;
    for (std::size_t d = dim + 1; d < extents.size(); ++d) inner *= extents[d];
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      const auto *nested = dyn<InitList>(from.values[i]);
      if (nested && dim + 1 < extents.size()) {
        self(self, *nested, dim + 1, at + i * inner, address, type);
        continue;
      }
      Place to{address, type};
      if (!extents.empty()) {
        to.address = b_.CreateConstGEP1_64(types.memory(type), address, at + i);
      } else if (type.isStruct()) {
        const auto number = static_cast<unsigned>(i);
        to = {b_.CreateStructGEP(types.memory(type), address, number), types.fieldType(type, number)};
      }
      if (nested)
        initialise(*nested, to, {});
      else
        s_.store(to, value(from.values[i], to.type));
    }
  };
  fill(fill, list, 0, 0, place.address, place.type);
}

// ---- operators -------------------------------------------------------------------------------------------

Value *Expressions::unary(const Unary *e) {
  if (changesOperand(e->op)) return step(e).value;
  switch (e->op) {
  case UnaryOp::Plus: return value(e->operand, e->type);
  case UnaryOp::Minus: return s_.arithmetic.negate(value(e->operand, e->type), e->type);
  case UnaryOp::Not: {
    const Type truth = truthType(e->operand->type);
    return s_.arithmetic.convert(b_.CreateNot(value(e->operand, truth)), truth, e->type);
  }
  case UnaryOp::BitNot: {
    Type wide = promoted(e->type);
    return s_.arithmetic.convert(b_.CreateNot(value(e->operand, wide)), wide, e->type);
  }
  case UnaryOp::Deref: return s_.load(place(e));
  case UnaryOp::AddressOf: return place(e->operand).address;
  case UnaryOp::PreInc:
  case UnaryOp::PreDec:
  case UnaryOp::PostInc:
  case UnaryOp::PostDec: break; // step()
  }
  failBug(e->range, "llvm-ir", fmt::format("operator {}", symbol(e->op)));
}

Expressions::Assigned Expressions::step(const Unary *e) {
  Place target = place(e->operand);
  Value *before = s_.load(target);
  bool up = e->op == UnaryOp::PreInc || e->op == UnaryOp::PostInc;
  Type one = target.type.isFloating() ? target.type : Type(Scalar::I32);
  Value *after = s_.arithmetic.binary(up ? BinaryOp::Add : BinaryOp::Sub, before, target.type,
                                      s_.arithmetic.convert(b_.getInt32(1), Scalar::I32, one), one, target.type);
  s_.store(target, after);
  bool prefix = e->op == UnaryOp::PreInc || e->op == UnaryOp::PreDec;
  return {target, prefix ? after : before};
}

Value *Expressions::binary(const Binary *e) {
  if (e->op == BinaryOp::LogicalAnd || e->op == BinaryOp::LogicalOr) return logical(e);
  Value *lhs = value(e->lhs);
  if (e->op == BinaryOp::Comma) return value(e->rhs);
  Value *rhs = value(e->rhs);
  return s_.arithmetic.binary(e->op, lhs, e->lhs->type, rhs, e->rhs->type, e->type);
}

Value *Expressions::logical(const Binary *e) {
  bool isAnd = e->op == BinaryOp::LogicalAnd;
  Value *lhs = condition(e->lhs);
  llvm::BasicBlock *first = b_.GetInsertBlock(), *more = s_.block(isAnd ? "and" : "or"), *done = s_.block("decided");
  b_.CreateCondBr(lhs, isAnd ? more : done, isAnd ? done : more);
  b_.SetInsertPoint(more);
  Value *rhs = condition(e->rhs);
  more = b_.GetInsertBlock();
  s_.enter(done);
  llvm::PHINode *result = b_.CreatePHI(b_.getInt1Ty(), 2);
  result->addIncoming(b_.getInt1(!isAnd), first);
  result->addIncoming(rhs, more);
  return s_.arithmetic.convert(result, Scalar::Bool, e->type);
}

Value *Expressions::choose(const Conditional *e, const std::function<Value *(const Expr *)> &make) {
  Value *cond = condition(e->cond);
  llvm::BasicBlock *then = s_.block("then"), *otherwise = s_.block("else"), *done = s_.block("chosen");
  b_.CreateCondBr(cond, then, otherwise);
  b_.SetInsertPoint(then);
  Value *a = make(e->then);
  if (e->type.isPointer()) a = s_.arithmetic.generic(a);
  then = b_.GetInsertBlock();
  s_.enter(done);
  b_.SetInsertPoint(otherwise);
  Value *b = make(e->otherwise);
  if (e->type.isPointer()) b = s_.arithmetic.generic(b);
  otherwise = b_.GetInsertBlock();
  s_.enter(done);
  if (!a || a->getType()->isVoidTy()) return nullptr;
  llvm::PHINode *result = b_.CreatePHI(a->getType(), 2);
  result->addIncoming(a, then);
  result->addIncoming(b, otherwise);
  return result;
}

Expressions::Assigned Expressions::assign(const Assign *e) {
  if (const auto *t = dyn<Transfer>(e->value)) {
    Place target = place(e->target);
    transfer(*t, target);
    return {target, nullptr};
  }
  // The value first, then the place, as C++17 does.
  if (const auto *list = dyn<InitList>(e->value); list && e->op == AssignOp::Set) {
    Value *made = s_.load(temporary(list));
    Place target = place(e->target);
    s_.store(target, made);
    return {target, made};
  }
  Value *given = value(e->value);
  Place target = place(e->target);
  Value *result = e->op == AssignOp::Set ? s_.arithmetic.convert(given, e->value->type, target.type)
                                         : s_.arithmetic.binary(binaryOf(e->op), s_.load(target), target.type, given,
                                                                e->value->type, target.type);
  s_.store(target, result);
  return {target, result};
}

void Expressions::transfer(const Transfer &t, const Place &) { fail(kLanguageNode, t.range, name(t.kind())); }

// ---- calls -----------------------------------------------------------------------------------------------

Value *Expressions::argument(const Param &param, const Expr *arg) {
  if (param.type.isPointer() || param.type.isArray()) return s_.arithmetic.generic(value(arg));
  if (param.access != Access::In) return s_.arithmetic.generic(place(arg).address);
  return value(arg, param.type);
}

Value *Expressions::call(const Call *e) {
  std::vector<Value *> args;
  auto known = s_.unit.functions.find(e->callee);
  if (known == s_.unit.functions.end()) {
    for (const Expr *arg : e->args) args.push_back(value(arg));
    return library(*e, args);
  }
  const auto &[definition, function] = known->second;
  if (definition->params.size() != e->args.size())
    failBug(e->range, "llvm-ir", fmt::format("a call of '{}' with {} arguments", e->callee, e->args.size()));
  for (std::size_t i = 0; i < e->args.size(); ++i) args.push_back(argument(*definition->params[i], e->args[i]));
  Value *result = b_.CreateCall(function, args);
  return e->type.isVoid() ? nullptr : s_.arithmetic.convert(result, definition->result, e->type);
}

} // namespace tangram::llvm_ir
