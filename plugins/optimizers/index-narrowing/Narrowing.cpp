#include "Narrowing.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::narrowing {

using namespace ast;

namespace {

constexpr unsigned kDivision = 8; // costs as much as so many other operations
constexpr unsigned kIterations = 4;

bool isWide(const Type &type) { return type == Type(Scalar::U64); }
bool divides(BinaryOp op) { return op == BinaryOp::Div || op == BinaryOp::Rem; }

} // namespace

Narrowing::Narrowing(Arena &arena, Ranges &ranges, const Launch &launch, unsigned bits)
    : Mutator(arena), ranges_(ranges), launch_(launch), type_(bits == 16 ? Scalar::I16 : Scalar::I32),
      unsigned_(bits == 16 ? Scalar::U16 : Scalar::U32), most_(bits == 16 ? 32767 : 2147483647),
      local_(declaredIn(launch.body)) {
  std::set<std::string> extents; // stay what they are: sizes of arrays
  auto extent = [&](const Expr *e) {
    for (const std::string &name : mentioned(e)) extents.insert(name);
  };
  walk(
      launch.body,
      [&](const Alloc &a) {
        for (const Expr *e : a.extents) extent(e);
      },
      [&](const Declare &d) {
        for (const Expr *e : d.extents) extent(e);
      });
  auto variable = [&](const std::string &name, const Type &type) {
    std::optional<Bound> bound = ranges.upper(name);
    if (!isWide(type) || extents.count(name) || !bound || !bound->possible(most_)) return;
    narrow_.insert(name);
  };
  walk(
      launch.body,
      [&](const Declare &d) {
        if (d.extents.empty() && !d.shared) variable(d.name, d.type);
      },
      [&](const Loop &l) { variable(l.var, l.varType); });
}

const Block *Narrowing::run() {
  const Block *body = nullptr;
  do {
    failed_.clear();
    needs_.clear();
    saved_ = 0;
    for (const std::string &name : narrow_) need(*ranges_.upper(name));
    body = mutateAs(launch_.body);
    for (const std::string &name : failed_) narrow_.erase(name);
  } while (!failed_.empty());
  body = withoutUnused(body);
  for (std::size_t i = 0; i < needs_.size();) {
    if (needs_[i].follows(needs_, most_))
      needs_.erase(needs_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return body;
}

void Narrowing::need(const Bound &bound) {
  if (bound.constant()) return;
  if (std::any_of(needs_.begin(), needs_.end(), [&](const Bound &known) { return bound.within(known); })) return;
  std::erase_if(needs_, [&](const Bound &known) { return known.within(bound); });
  needs_.push_back(bound);
}

bool Narrowing::fits(const Expr *e) {
  std::optional<Bound> bound = ranges_.upper(e);
  if (!bound || !bound->possible(most_)) return false;
  need(*bound);
  return true;
}

bool Narrowing::isNarrow(const Expr *e) const {
  const auto *v = dyn<VarRef>(e);
  return v && narrow_.count(v->name);
}

void Narrowing::saves(unsigned operations) {
  for (unsigned loop = 0; loop < std::min(depth_, 3u); ++loop) operations *= kIterations;
  saved_ += operations;
}

// ---- expressions -----------------------------------------------------------------------------------------

const Expr *Narrowing::narrow(const Expr *e) {
  if (!e->type.isInteger() || e->type.isBool() || hasEffects(e)) return nullptr;
  Build b = build(e);
  if (isNarrow(e)) return b.var(as<VarRef>(e)->name, type_);
  if (!fits(e)) return nullptr;
  if (isa<IntLit>(e)) return b.cast(type_, e);
  if (const auto *cast = dyn<Cast>(e)) {
    const Expr *from = cast->operand;
    if (const Expr *operand = narrow(from)) return operand;
    if (from->type.isInteger() && from->type.bytes() <= 4) return b.cast(type_, mutateAs(from));
  }
  if (const auto *c = dyn<Conditional>(e); c && isWide(e->type)) {
    const Expr *cond = mutateAs(c->cond);
    ranges_.assume(c->cond, true);
    const Expr *then = narrow(c->then);
    ranges_.pop();
    ranges_.assume(c->cond, false);
    const Expr *otherwise = narrow(c->otherwise);
    ranges_.pop();
    if (then && otherwise) return b.select(cond, then, otherwise);
  }
  if (const auto *binary = dyn<Binary>(e); binary && isWide(e->type))
    if (const Expr *result = narrowBinary(binary)) return result;
  // What is 64 bits wide to its end is not cut here, but for what the host has found to fit.
  if (isWide(e->type) && (!isa<VarRef>(e) || local_.count(as<VarRef>(e)->name))) return nullptr;
  return b.cast(type_, wide(e));
}

const Expr *Narrowing::narrowFor(const std::string &variable, const Expr *value) {
  if (const Expr *result = narrow(value)) return result;
  failed_.insert(variable); // what is made now is thrown away
  return build(value).cast(type_, mutateAs(value));
}

const Expr *Narrowing::narrowBinary(const Binary *e) {
  Build b = build(e);
  switch (e->op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mul:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor: {
    const Expr *lhs = narrow(e->lhs), *rhs = lhs ? narrow(e->rhs) : nullptr;
    if (!rhs) return nullptr;
    saves(1);
    return b.binary(e->op, lhs, rhs);
  }
  case BinaryOp::Div:
  case BinaryOp::Rem:
  case BinaryOp::Shr: { // cheaper without a sign, which is never there
    const Expr *lhs = narrow(e->lhs), *rhs = lhs ? narrow(e->rhs) : nullptr;
    if (!rhs) return nullptr;
    saves(divides(e->op) && !isa<IntLit>(rhs) ? kDivision : 1);
    return b.cast(type_, b.binary(e->op, b.cast(unsigned_, lhs), b.cast(unsigned_, rhs)));
  }
  default: return nullptr;
  }
}

const Expr *Narrowing::wide(const Expr *e) {
  switch (exprKind(*e)) {
  case ExprKind::Binary: {
    const auto *binary = as<Binary>(e);
    if (binary->op != BinaryOp::LogicalAnd && binary->op != BinaryOp::LogicalOr) return as<Expr>(rebuild(binary));
    // What is on the right is asked where the left holds, or does not.
    const Expr *lhs = mutateAs(binary->lhs);
    ranges_.assume(binary->lhs, binary->op == BinaryOp::LogicalAnd);
    const Expr *rhs = mutateAs(binary->rhs);
    ranges_.pop();
    return lhs == binary->lhs && rhs == binary->rhs ? e : build(e).binary(binary->op, lhs, rhs);
  }
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(e);
    const Expr *cond = mutateAs(c->cond);
    ranges_.assume(c->cond, true);
    const Expr *then = mutateAs(c->then);
    ranges_.pop();
    ranges_.assume(c->cond, false);
    const Expr *otherwise = mutateAs(c->otherwise);
    ranges_.pop();
    if (cond == c->cond && then == c->then && otherwise == c->otherwise) return e;
    return arena().make<Conditional>(e->range, e->type, cond, then, otherwise);
  }
  case ExprKind::VarRef: return isNarrow(e) ? build(e).cast(e->type, build(e).var(as<VarRef>(e)->name, type_)) : e;
  case ExprKind::Cast: return as<Expr>(rebuild(as<Cast>(e)));
  case ExprKind::Unary: return as<Expr>(rebuild(as<Unary>(e)));
  case ExprKind::Subscript: return as<Expr>(mutateSubscript(as<Subscript>(e)));
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::Member:
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
  return mutateAs(e);
}

const Expr *Narrowing::withoutDivision(const Binary *e) {
  const auto *count = dyn<VarRef>(e->rhs);
  if (e->op != BinaryOp::Lt || !count || !isWide(count->type)) return nullptr;
  if (!local_.count(count->name)) return nullptr; // the host's: it has divided
  const auto *any = dyn<Conditional>(ranges_.initialiser(count->name));
  const auto *before = any && isLiteral(any->otherwise, 0) ? dyn<Binary>(any->cond) : nullptr;
  if (!before || before->op != BinaryOp::Lt) return nullptr;
  const Expr *start = before->lhs, *end = before->rhs, *steps = any->then, *inc = nullptr;
  Build b = build(e);
  // Of a step of 0, all are the start itself.
  if (const auto *moving = dyn<Conditional>(steps)) {
    const auto *still = dyn<Binary>(moving->cond);
    if (!still || still->op != BinaryOp::Eq || !isLiteral(still->rhs, 0) || !isLiteral(moving->then, -1))
      return nullptr;
    inc = still->lhs;
    steps = moving->otherwise;
  }
  const auto *plusOne = dyn<Binary>(steps);
  if (!plusOne || plusOne->op != BinaryOp::Add || !isLiteral(plusOne->rhs, 1)) return nullptr;
  const auto *quotient = dyn<Binary>(plusOne->lhs);
  if (!quotient || quotient->op != BinaryOp::Div) return nullptr;
  if (inc ? !equal(inc, quotient->rhs) : !isa<IntLit>(quotient->rhs)) return nullptr;
  inc = quotient->rhs;
  if (isLiteral(inc, 0) || !equal(quotient->lhs, b.sub(b.sub(end, start), b.u64(1)))) return nullptr;
  const Expr *element = b.add(start, b.mul(e->lhs, inc));
  if (!fits(element) || !fits(end)) return nullptr;
  const Expr *lhs = narrow(element), *rhs = narrow(end);
  return lhs && rhs ? b.less(lhs, rhs) : nullptr;
}

const Node *Narrowing::mutateVarRef(const VarRef *e) { return wide(e); }

const Node *Narrowing::mutateBinary(const Binary *e) {
  Build b = build(e);
  if (isComparison(e->op) && isWide(e->lhs->type) && isWide(e->rhs->type)) {
    if (const Expr *direct = withoutDivision(e)) return direct;
    const Expr *lhs = narrow(e->lhs), *rhs = lhs ? narrow(e->rhs) : nullptr;
    if (!rhs) return wide(e);
    saves(1);
    return b.binary(e->op, lhs, rhs);
  }
  if (e->type.isPointer() && e->op == BinaryOp::Add && isWide(e->rhs->type)) {
    const Expr *offset = narrow(e->rhs);
    if (!offset) return wide(e);
    return b.add(mutateAs(e->lhs), offset);
  }
  if (isWide(e->type))
    if (const Expr *result = fits(e) ? narrowBinary(e) : nullptr) return b.cast(e->type, result);
  return wide(e);
}

const Node *Narrowing::mutateConditional(const Conditional *e) {
  if (isWide(e->type))
    if (const Expr *result = narrow(e)) return build(e).cast(e->type, result);
  return wide(e);
}

const Node *Narrowing::mutateCast(const Cast *e) {
  if (isWide(e->operand->type))
    if (const Expr *operand = narrow(e->operand)) return build(e).cast(e->type, operand);
  return wide(e);
}

const Node *Narrowing::mutateSubscript(const Subscript *e) {
  const Expr *base = mutateAs(e->base);
  std::vector<const Expr *> indices;
  for (const Expr *index : e->indices) {
    const Expr *less = isWide(index->type) ? narrow(index) : nullptr;
    indices.push_back(less ? less : mutateAs(index));
  }
  return arena().derive(e, [&](Subscript &copy) {
    copy.base = base;
    copy.indices = std::move(indices);
  });
}

// ---- changes of variables --------------------------------------------------------------------------------

const Assign *Narrowing::assignment(const Assign *e) {
  Build b = build(e);
  if (!isNarrow(e->target)) return as<Assign>(rebuild(e));
  const Expr *value = narrowFor(as<VarRef>(e->target)->name, e->value);
  saves(1);
  return arena().make<Assign>(e->range, type_, e->op, b.var(as<VarRef>(e->target)->name, type_), value);
}

const Node *Narrowing::mutateAssign(const Assign *e) {
  const Assign *result = assignment(e);
  return build(e).cast(e->type, result);
}

const Node *Narrowing::mutateUnary(const Unary *e) {
  bool changes = e->op >= UnaryOp::PreInc && e->op <= UnaryOp::PostDec;
  return changes && isNarrow(e->operand) ? build(e).cast(e->type, statement(e)) : wide(e);
}

const Expr *Narrowing::statement(const Expr *e) {
  if (const auto *assign = dyn<Assign>(e)) return assignment(assign);
  const auto *unary = dyn<Unary>(e);
  if (!unary || !isNarrow(unary->operand)) return mutateAs(e);
  saves(1);
  return arena().make<Unary>(e->range, type_, unary->op, build(e).var(as<VarRef>(unary->operand)->name, type_));
}

const Node *Narrowing::mutateEvaluate(const Evaluate *s) {
  const Expr *e = statement(s->expr);
  return e == s->expr ? s : arena().make<Evaluate>(s->range, e);
}

const Node *Narrowing::mutateDeclare(const Declare *s) {
  if (!narrow_.count(s->name)) return rebuild(s);
  const Expr *init = s->init ? narrowFor(s->name, s->init) : nullptr;
  return arena().derive(s, [&](Declare &copy) {
    copy.type = type_;
    copy.init = init;
  });
}

// ---- control flow ----------------------------------------------------------------------------------------

const Node *Narrowing::mutateIf(const If *s) {
  const Expr *cond = mutateAs(s->cond);
  ranges_.assume(s->cond, true);
  const Block *then = mutateAs(s->then);
  ranges_.pop();
  const Block *otherwise = nullptr;
  if (s->otherwise) {
    ranges_.assume(s->cond, false);
    otherwise = mutateAs(s->otherwise);
    ranges_.pop();
  }
  return arena().derive(s, [&](If &copy) {
    copy.cond = cond;
    copy.then = then;
    copy.otherwise = otherwise;
  });
}

const Node *Narrowing::mutateFor(const For *s) {
  const Stmt *init = s->init ? mutateAs(s->init) : nullptr;
  ++depth_;
  const Expr *cond = s->cond ? mutateAs(s->cond) : nullptr;
  ranges_.enter(*s);
  const Block *body = mutateAs(s->body);
  const Expr *step = s->step ? statement(s->step) : nullptr;
  ranges_.pop();
  --depth_;
  return arena().derive(s, [&](For &copy) {
    copy.init = init;
    copy.cond = cond;
    copy.step = step;
    copy.body = body;
  });
}

template <class T> const Node *Narrowing::inLoop(const T *n) {
  ++depth_;
  const T *result = rebuild(n);
  --depth_;
  return result;
}

const Node *Narrowing::mutateWhile(const While *s) { return inLoop(s); }
const Node *Narrowing::mutateDoWhile(const DoWhile *s) { return inLoop(s); }

const Node *Narrowing::mutateLoop(const Loop *s) {
  if (!narrow_.count(s->var)) return inLoop(s);
  const Expr *begin = narrowFor(s->var, s->begin), *end = narrowFor(s->var, s->end);
  ++depth_;
  const Block *body = mutateAs(s->body);
  --depth_;
  return arena().derive(s, [&](Loop &copy) {
    copy.varType = type_;
    copy.begin = begin;
    copy.end = end;
    copy.body = body;
  });
}

// ---- what nobody asks any more ---------------------------------------------------------------------------

namespace {
class Unused final : public Mutator {
public:
  Unused(Arena &arena, const Block *body) : Mutator(arena) {
    walk(body, [&](const VarRef &v) { used_.insert(v.name); });
  }

private:
  const Node *mutateDeclare(const Declare *s) override {
    bool unused = s->init && s->isConst && s->extents.empty() && s->type.isInteger() && !used_.count(s->name);
    return unused && !hasEffects(s->init) ? nullptr : s;
  }
  std::set<std::string> used_;
};
} // namespace

const Block *Narrowing::withoutUnused(const Block *body) {
  for (;;) {
    const Block *less = Unused(arena(), body)(body);
    if (less == body) return body;
    body = less;
  }
}

} // namespace tangram::narrowing
