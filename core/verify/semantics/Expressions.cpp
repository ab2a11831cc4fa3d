#include "Interpreter.h"

#include "tangram/ast/Kinds.h"

#include <utility>

namespace tangram::semantics {

using namespace ast;

Scalar Interpreter::evalIn(Frame &frame, const Expr *e) {
  Frame *outer = std::exchange(frame_, &frame);
  Scalar result = scalar(e, 0);
  frame_ = outer;
  return result;
}

const Value &Interpreter::lookup(const std::string &name, std::size_t lane) {
  auto found = frame_->lanes[lane].find(name);
  if (found != frame_->lanes[lane].end()) return found->second;
  auto constant = frame_->constants.find(name);
  if (constant == frame_->constants.end()) throw Failure(fmt::format("'{}' is not declared", name));
  return constant->second;
}

Value Interpreter::place(const Expr *e, std::size_t lane) {
  if (const auto *v = dyn<VarRef>(e)) return lookup(v->name, lane);
  if (const auto *u = dyn<Unary>(e); u && u->op == UnaryOp::Deref) return pointer(u->operand, lane);
  if (const auto *m = dyn<Member>(e)) {
    Value base = place(m->base, lane);
    const Struct *s = structs_.find(m->base->type);
    if (!s || base.kind != Value::Kind::Pointer) throw Failure("a field of what is no struct");
    std::size_t field = 0;
    while (field < s->fields.size() && s->fields[field]->name != m->field) ++field;
    base.path.push_back(field);
    return base;
  }
  const auto *s = dyn<Subscript>(e);
  if (!s) throw Failure(fmt::format("a {} is no place", name(e->kind())));
  Value base = eval(s->base, lane);
  std::vector<std::int64_t> index;
  for (const Expr *i : s->indices) index.push_back(scalar(i, lane).i);
  if (base.kind == Value::Kind::Array) return elementOf(base.array, index);
  if (base.kind != Value::Kind::Pointer || index.size() != 1) throw Failure("a subscript of something else");
  base.offset += index[0];
  return base;
}

Value Interpreter::pointer(const Expr *e, std::size_t lane) {
  Value v = eval(e, lane);
  if (v.kind == Value::Kind::Array) { // decays
    Value p;
    p.kind = Value::Kind::Pointer;
    p.cells = v.array.cells;
    p.offset = v.array.offset;
    return p;
  }
  if (v.kind != Value::Kind::Pointer) throw Failure("not a pointer");
  return v;
}

Scalar Interpreter::scalar(const Expr *e, std::size_t lane) {
  Value v = eval(e, lane);
  if (v.kind != Value::Kind::Scalar) throw Failure(fmt::format("a {} is no scalar", name(e->kind())));
  if (!(v.scalar.type == e->type))
    throw Failure(
        fmt::format("a {} of type {} has a value of type {}", name(e->kind()), e->type.text(), v.scalar.type.text()));
  return std::move(v.scalar);
}

Scalar Interpreter::structure(const InitList *list, std::size_t lane) {
  Scalar result = zero(list->type, structs_);
  for (std::size_t i = 0; i < list->values.size(); ++i)
    result.fields.at(i) = convert(scalar(list->values[i], lane), result.fields.at(i).type);
  return result;
}

Value Interpreter::eval(const Expr *e, std::size_t lane) {
  step(e);
  switch (exprKind(*e)) {
  case ExprKind::IntLit: return scalarValue(integer(e->type, as<IntLit>(e)->value));
  case ExprKind::FloatLit: return scalarValue(real(e->type, as<FloatLit>(e)->value));
  case ExprKind::VarRef: {
    const Value &v = lookup(as<VarRef>(e)->name, lane);
    if (v.kind != Value::Kind::Pointer || e->type.isPointer() || !v.variable) return v;
    return scalarValue(read(v));
  }
  case ExprKind::Unary: return unary(as<Unary>(e), lane);
  case ExprKind::Binary: return binary(as<Binary>(e), lane);
  case ExprKind::Assign: return assign(as<Assign>(e), lane);
  case ExprKind::Conditional: {
    const auto *n = as<Conditional>(e);
    return eval(truth(scalar(n->cond, lane)) ? n->then : n->otherwise, lane);
  }
  case ExprKind::Transfer: { // there at once
    const auto *n = as<Transfer>(e);
    if (n->cond && !truth(scalar(n->cond, lane))) return scalarValue(zero(e->type, structs_));
    return eval(n->source, lane);
  }
  case ExprKind::Cast: {
    Value v = eval(as<Cast>(e)->operand, lane);
    if (e->type.isVoid()) return {};
    return v.kind == Value::Kind::Scalar ? scalarValue(convert(v.scalar, e->type)) : v;
  }
  case ExprKind::Subscript: {
    Value v = place(e, lane);
    return v.kind == Value::Kind::Pointer ? scalarValue(read(v)) : v;
  }
  case ExprKind::Member: {
    const auto *n = as<Member>(e);
    if (isa<VarRef>(n->base) || isa<Subscript>(n->base) || isa<Member>(n->base)) {
      if (Value v = place(e, lane); v.kind == Value::Kind::Pointer) return scalarValue(read(v));
    }
    Value whole = variable(scalar(n->base, lane)); // of what a call returns
    const Struct *s = structs_.find(n->base->type);
    for (std::size_t f = 0; s && f < s->fields.size(); ++f)
      if (s->fields[f]->name == n->field) whole.path = {f};
    return scalarValue(read(whole));
  }
  case ExprKind::InitList: return scalarValue(structure(as<InitList>(e), lane));
  case ExprKind::Size: return size(as<Size>(e), lane);
  case ExprKind::Pitch: {
    const auto *n = as<Pitch>(e);
    const Array a = eval(n->container, lane).array;
    return scalarValue(integer(e->type, a.strides.at(static_cast<std::size_t>(scalar(n->dim, lane).i))));
  }
  case ExprKind::CoopIdx: return scalarValue(integer(e->type, static_cast<std::int64_t>(lane)));
  case ExprKind::CoopDim:
    return scalarValue(
        integer(e->type, static_cast<std::int64_t>(guardLevel_ ? lanesAt(*guardLevel_) : frame_->lanes.size())));
  case ExprKind::Atomic: return atomic(as<Atomic>(e), lane);
  case ExprKind::Check: return check(as<Check>(e), lane);
  case ExprKind::Faulted: return scalarValue(integer(e->type, read(pointer(as<Faulted>(e)->record, lane)).i != 0));
  case ExprKind::Call: return call(as<Call>(e), lane);
  case ExprKind::SpectrumCall: return spectrumCall(as<SpectrumCall>(e), lane);
  case ExprKind::Map: return map(as<Map>(e), lane);
  case ExprKind::Partition: return partition(as<Partition>(e), lane);
  case ExprKind::Sequence: return range(as<Sequence>(e), lane);
  // what devices and vector units have
  case ExprKind::WorkerIndex:
  case ExprKind::WorkerCount:
  case ExprKind::Aligned:
  case ExprKind::Shuffle:
  case ExprKind::MatrixMultiply:
  case ExprKind::LaneIndex:
  case ExprKind::Broadcast:
  case ExprKind::VectorLoad:
  case ExprKind::VectorSelect:
  case ExprKind::VectorReduce:
  case ExprKind::VectorLane: break;
  }
  throw Unknown(fmt::format("a {}", name(e->kind())));
}

Value Interpreter::unary(const Unary *n, std::size_t lane) {
  switch (n->op) {
  case UnaryOp::AddressOf: {
    Value v = place(n->operand, lane);
    v.variable = false;
    return v;
  }
  case UnaryOp::Deref: return scalarValue(read(pointer(n->operand, lane)));
  case UnaryOp::PreInc:
  case UnaryOp::PreDec:
  case UnaryOp::PostInc:
  case UnaryOp::PostDec: {
    const Value p = place(n->operand, lane);
    const Scalar old = read(p), one = convert(integer(ast::Scalar::I32, 1), old.type);
    const bool up = n->op == UnaryOp::PreInc || n->op == UnaryOp::PostInc;
    const Scalar now = arithmetic(up ? BinaryOp::Add : BinaryOp::Sub, old, one);
    write(p, now);
    return scalarValue(n->op == UnaryOp::PreInc || n->op == UnaryOp::PreDec ? now : old);
  }
  case UnaryOp::Plus:
  case UnaryOp::Minus:
  case UnaryOp::Not:
  case UnaryOp::BitNot: break;
  }
  const Scalar v = scalar(n->operand, lane);
  if (n->op == UnaryOp::Plus) return scalarValue(v);
  if (n->op == UnaryOp::Minus)
    return scalarValue(v.type.isFloating()
                           ? real(v.type, -v.d)
                           : integer(v.type, static_cast<std::int64_t>(-static_cast<std::uint64_t>(v.i))));
  if (n->op == UnaryOp::BitNot) return scalarValue(integer(v.type, ~v.i));
  return scalarValue(integer(ast::Scalar::Bool, !truth(v)));
}

Value Interpreter::binary(const Binary *n, std::size_t lane) {
  if (n->op == BinaryOp::LogicalAnd)
    return scalarValue(integer(ast::Scalar::Bool, truth(scalar(n->lhs, lane)) && truth(scalar(n->rhs, lane))));
  if (n->op == BinaryOp::LogicalOr)
    return scalarValue(integer(ast::Scalar::Bool, truth(scalar(n->lhs, lane)) || truth(scalar(n->rhs, lane))));
  if (n->op == BinaryOp::Comma) {
    eval(n->lhs, lane);
    return eval(n->rhs, lane);
  }
  if (n->lhs->type.isPointer()) {
    Value p = pointer(n->lhs, lane);
    p.offset += scalar(n->rhs, lane).i;
    p.variable = false;
    return p;
  }
  const Scalar a = scalar(n->lhs, lane), b = scalar(n->rhs, lane);
  const bool shift = n->op == BinaryOp::Shl || n->op == BinaryOp::Shr;
  if (!shift && !(a.type == b.type)) throw Failure("operands of different types");
  return scalarValue(arithmetic(n->op, a, b));
}

Value Interpreter::assign(const Assign *n, std::size_t lane) {
  if (n->target->type.isArray()) { // the results of a map go into a container
    const Array from = eval(n->value, lane).array, to = eval(n->target, lane).array;
    std::vector<std::int64_t> sizes = sizesOf(to), index(sizes.size(), 0);
    std::int64_t all = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) all *= sizes[d] = std::min(sizes[d], sizesOf(from).at(d));
    for (std::int64_t k = 0; k < all; ++k) {
      std::int64_t rest = k;
      for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
      write(elementOf(to, index), convert(cell(elementOf(from, index)), n->target->type.leaf()));
    }
    return {};
  }
  if (const auto *t = dyn<Transfer>(n->value); t && t->count > 1) throw Unknown("a Transfer of several elements");
  Scalar value = scalar(n->value, lane);
  const Value target = place(n->target, lane);
  if (n->op != AssignOp::Set) value = compound(n->op, read(target), value);
  write(target, convert(value, n->target->type));
  return scalarValue(convert(value, n->type));
}

Value Interpreter::size(const Size *n, std::size_t lane) {
  const std::vector<std::int64_t> sizes = sizesOf(eval(n->container, lane).array);
  std::int64_t result = 1;
  if (n->dim)
    result = sizes.at(static_cast<std::size_t>(scalar(n->dim, lane).i));
  else
    for (std::int64_t s : sizes) result *= s;
  return scalarValue(integer(n->type, result));
}

Value Interpreter::atomic(const Atomic *n, std::size_t lane) {
  const Value target = place(n->target, lane);
  const Scalar old = read(target);
  std::vector<Scalar> operands;
  for (const Expr *operand : n->operands) operands.push_back(scalar(operand, lane));
  write(target, atomically(n->op, old, operands));
  return n->type.isVoid() ? Value{} : scalarValue(convert(old, n->type));
}

Value Interpreter::check(const Check *n, std::size_t lane) {
  const auto index = static_cast<std::uint64_t>(scalar(n->index, lane).i);
  const bool fits = index < static_cast<std::uint64_t>(scalar(n->bound, lane).i);
  if (!n->record) throw Failure("a Check without a record");
  const Value record = pointer(n->record, lane);
  if (!fits && read(record).i == 0) write(record, integer(ast::Scalar::U32, n->site));
  return scalarValue(integer(n->type, fits));
}

} // namespace tangram::semantics
