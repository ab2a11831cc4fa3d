// Types that machines keep but do not all compute with: f16 and bf16 become u16, their bits. What is read of them is
// widened to f32, where all arithmetic is, and each result rounded to the type once. In f32 a sum, difference, product
// or quotient of two such numbers is exact enough for that to be the rounding of the exact result (Figueroa, When is
// double rounding innocuous?, 1995): 24 bits are more than twice the 11 or 8, and two.
#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"
#include "tangram/runtime/float16.h"

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kEffects{"type-legalization.effects", DiagnosticClass::Limitation,
                                  "{0} of a place of type {1} whose index changes something",
                                  "compute the index in front, in a variable of its own"};
constexpr DiagnosticKind kBefore{"type-legalization.value-before", DiagnosticClass::Limitation,
                                 "the value that a variable of type {0} had before {1}",
                                 "keep it in a variable of its own, in front"};
constexpr DiagnosticKind kAtomic{"type-legalization.atomic", DiagnosticClass::Limitation,
                                 "an atomic operation on a number of type {0}",
                                 "collect sums in float, and convert them at the end"};

class Legalizer final : public Mutator {
public:
  explicit Legalizer(Arena &arena) : Mutator(arena) {}

private:
  /// The type with the bits in the place of the number.
  static Type legal(const Type &type) {
    if (type.isHalf()) return Scalar::U16;
    switch (type.kind()) {
    case Type::Kind::Array: return Type::array(type.rank(), legal(type.element()));
    case Type::Kind::Pointer: return Type::pointer(legal(type.element()), type.toConst());
    case Type::Kind::Vector: return Type::vector(legal(type.element()), type.lanes());
    case Type::Kind::Scalar:
    case Type::Kind::Struct: break;
    }
    return type;
  }
  Build at(const Node *node) { return Build(arena(), node->range); }

  /// The value of an expression of the source, to compute with.
  const Expr *wide(const Expr *e) {
    const Type from = e->type;
    if (const auto *literal = dyn<FloatLit>(e); literal && from.isHalf()) return number(e, literal->value);
    const Expr *made = mutateAs(e);
    return from.isHalf() ? widened(made, from) : made;
  }
  const Expr *widened(const Expr *bits, const Type &from) {
    return arena().make<Call>(bits->range, Type(Scalar::F32), std::string(widening(from)),
                              std::vector<const Expr *>{bits});
  }
  const Expr *narrowed(const Expr *value, const Type &to) {
    return arena().make<Call>(value->range, Type(Scalar::U16), std::string(narrowing(to)),
                              std::vector<const Expr *>{at(value).cast(Scalar::F32, value)});
  }
  const Expr *number(const Node *where, double value) {
    return arena().make<FloatLit>(where->range, Type(Scalar::F32), value);
  }

  // ---- what has a type alone ----

  template <class T> const Node *retyped(const T *node) {
    const T *made = rebuild(node);
    Type type = legal(made->type);
    if (type == made->type) return made;
    return arena().derive(made, [&](T &copy) { copy.type = type; });
  }
  template <class T> const Node *withElement(const T *node) {
    const T *made = rebuild(node);
    if (!made->element.leaf().isHalf()) return made;
    return arena().derive(made, [&](T &copy) { copy.element = legal(made->element); });
  }
  template <class T> const Node *withResult(const T *node) {
    const T *made = rebuild(node);
    if (!made->result.leaf().isHalf()) return made;
    return arena().derive(made, [&](T &copy) { copy.result = legal(made->result); });
  }
  const Node *mutateParam(const Param *node) override { return retyped(node); }
  const Node *mutateDeclare(const Declare *node) override { return retyped(node); }
  const Node *mutateView(const View *node) override { return withElement(node); }
  const Node *mutateAlloc(const Alloc *node) override { return withElement(node); }
  const Node *mutateFunction(const Function *node) override { return withResult(node); }
  const Node *mutateKernel(const Kernel *node) override { return withResult(node); }
  const Node *mutateVarRef(const VarRef *node) override { return retyped(node); }
  const Node *mutateSubscript(const Subscript *node) override { return retyped(node); }
  const Node *mutateMember(const Member *node) override { return retyped(node); }
  const Node *mutateConditional(const Conditional *node) override { return retyped(node); }
  const Node *mutateInitList(const InitList *node) override { return retyped(node); }
  const Node *mutateShuffle(const Shuffle *node) override { return retyped(node); }
  const Node *mutateTransfer(const Transfer *node) override { return retyped(node); }
  const Node *mutateCall(const Call *node) override { return retyped(node); }
  // Callers see these: they keep their types.
  const Node *mutateSpectrum(const Spectrum *node) override { return node; }
  const Node *mutateStruct(const Struct *node) override { return node; }

  // ---- what computes ----

  const Node *mutateFloatLit(const FloatLit *node) override {
    if (!node->type.isHalf()) return node;
    float value = static_cast<float>(node->value);
    return at(node).integer(Scalar::U16,
                            node->type == Type(Scalar::F16) ? tangram_f32_to_f16(value) : tangram_f32_to_bf16(value));
  }
  const Node *mutateCast(const Cast *node) override {
    const Type from = node->operand->type, to = node->type;
    if (from == to || (!from.isHalf() && !to.isHalf())) return retyped(node);
    const Expr *value = wide(node->operand);
    return to.isHalf() ? narrowed(value, to) : at(node).cast(to, value);
  }
  const Node *mutateBinary(const Binary *node) override {
    if (node->op == BinaryOp::Comma) {
      const Expr *first = discarded(node->lhs), *then = mutateAs(node->rhs);
      return arena().make<Binary>(node->range, then->type, BinaryOp::Comma, first, then);
    }
    if (!node->lhs->type.isHalf() && !node->rhs->type.isHalf()) return retyped(node);
    const Expr *lhs = wide(node->lhs), *rhs = wide(node->rhs);
    bool truth = isComparison(node->op) || node->op == BinaryOp::LogicalAnd || node->op == BinaryOp::LogicalOr;
    const Expr *made = arena().make<Binary>(node->range, truth ? node->type : Type(Scalar::F32), node->op, lhs, rhs);
    return truth ? made : narrowed(made, node->type);
  }
  const Node *mutateUnary(const Unary *node) override {
    const Type &type = node->operand->type;
    if (!type.isHalf()) return retyped(node);
    switch (node->op) {
    case UnaryOp::Plus: return mutateAs(node->operand);
    case UnaryOp::Not: return arena().make<Unary>(node->range, node->type, UnaryOp::Not, wide(node->operand));
    case UnaryOp::Minus:
      return narrowed(arena().make<Unary>(node->range, Type(Scalar::F32), UnaryOp::Minus, wide(node->operand)), type);
    case UnaryOp::PreInc:
    case UnaryOp::PreDec: return stepped(node);
    case UnaryOp::PostInc:
    case UnaryOp::PostDec: fail(kBefore, node->range, type.text(), symbol(node->op));
    case UnaryOp::BitNot:
    case UnaryOp::Deref:
    case UnaryOp::AddressOf: break;
    }
    return retyped(node);
  }
  const Expr *stepped(const Unary *node) {
    bool up = node->op == UnaryOp::PreInc || node->op == UnaryOp::PostInc;
    return computed(node, node->operand, up ? BinaryOp::Add : BinaryOp::Sub, number(node, 1), symbol(node->op));
  }
  /// place = place op value, of a place that may be evaluated twice.
  const Expr *computed(const Expr *node, const Expr *place, BinaryOp op, const Expr *value, std::string_view how) {
    if (hasEffects(place)) fail(kEffects, node->range, how, place->type.text());
    const Expr *old = wide(place);
    const Type type = value->type == Type(Scalar::F64) ? Scalar::F64 : Scalar::F32;
    const Expr *result =
        arena().make<Binary>(node->range, type, op, at(node).cast(type, old), at(node).cast(type, value));
    return arena().make<Assign>(node->range, Type(Scalar::U16), AssignOp::Set, mutateAs(place),
                                narrowed(result, place->type));
  }
  const Node *mutateAssign(const Assign *node) override {
    if (!node->target->type.isHalf()) {
      if (!node->value->type.isHalf()) return retyped(node);
      return arena().derive(rebuild(node), [&](Assign &copy) { copy.value = wide(node->value); });
    }
    if (node->op == AssignOp::Set) return retyped(node);
    return computed(node, node->target, binaryOf(node->op), wide(node->value), symbol(node->op));
  }
  const Node *mutateAtomic(const Atomic *node) override {
    if (node->target->type.isHalf()) fail(kAtomic, node->range, node->target->type.text());
    return rebuild(node);
  }

  // ---- where the value before is not asked for ----

  const Expr *discarded(const Expr *e) {
    const auto *step = dyn<Unary>(e);
    bool ours = step && changesOperand(step->op) && step->operand->type.isHalf();
    return ours ? stepped(step) : mutateAs(e);
  }
  const Node *mutateEvaluate(const Evaluate *node) override {
    const Expr *made = discarded(node->expr);
    if (made == node->expr) return node;
    return arena().derive(node, [&](Evaluate &copy) { copy.expr = made; });
  }
  const Node *mutateFor(const For *node) override {
    if (!node->step) return rebuild(node);
    const Expr *step = discarded(node->step);
    const For *made = rebuild(arena().derive(node, [&](For &copy) { copy.step = nullptr; }));
    if (step == node->step && made->init == node->init && made->cond == node->cond && made->body == node->body)
      return node;
    return arena().derive(made, [&](For &copy) { copy.step = step; });
  }
};

class TypeLegalization final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return as<Module>(Legalizer(context.arena).mutate(module));
  }
};

} // namespace

TANGRAM_PLUGIN("type-legalization", "0.1", "computes with f16 and bf16 in f32") {
  PassDescriptor pass;
  pass.name = "type-legalization";
  pass.summary = "keeps f16 and bf16 as their bits and computes in f32, rounding each result once";
  pass.kind = PassKind::Preparer;
  pass.before = "y[i] = a * x[i];";
  pass.after = "y[i] = tangram_f32_to_f16(tangram_f16_to_f32(a) * tangram_f16_to_f32(x[i]));";
  pass.requires_ = {"flat"};
  pass.establishes = {"legal-types"};
  pass.create = [](const OptionValues &) { return std::make_unique<TypeLegalization>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("legal-types", "no value is a 16-bit float: its bits are",
                                   [](const ast::Module &module, const hardware::Target &) {
                                     Violations found;
                                     for (const ast::Kernel *kernel : module.kernels)
                                       collect<ast::Expr>(found, kernel->body, [](const ast::Expr &e) {
                                         return e.type.isScalar() && (e.type.scalar() == ast::Scalar::F16 ||
                                                                      e.type.scalar() == ast::Scalar::BF16);
                                       });
                                     return found;
                                   }));
}
