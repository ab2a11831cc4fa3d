#include "Expressions.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/diag/Diagnostic.h"

namespace tangram::opencl {

using namespace ast;
using Base = c_family::Expressions;

namespace {

constexpr DiagnosticKind kMatrix{"opencl.matrix", DiagnosticClass::Limitation,
                                 "lanes of '{}' multiply matrices together, for which OpenCL C has nothing",
                                 "leave out 'matrix' at that level of the target"};
constexpr DiagnosticKind kShuffle{"opencl.shuffle", DiagnosticClass::Limitation,
                                  "lanes of '{}' exchange registers, which OpenCL C 1.2 cannot",
                                  "use a target without a level that synchronises by 'warp', such as opencl-gpu"};

std::string_view spelled(Scalar s) {
  static constexpr std::string_view names[] = {"void",   "bool", "char",  "short", "int",    "long",   "uchar",
                                               "ushort", "uint", "ulong", "float", "double", "ushort", "ushort"};
  return names[static_cast<std::size_t>(s)];
}

} // namespace

DeviceExpressions::DeviceExpressions(const Module &module, const hardware::LaunchLevels &levels) : levels_(levels) {
  for (const Function *f : module.functions) {
    functions.insert(f->name);
    byName_[f->name] = f;
  }
}

std::string DeviceExpressions::type(const Type &t) {
  if (t.isPointer()) return pointer(Space::Private, t);
  if (t.isStruct()) return "struct " + t.name() + "_t"; // no word of the language, whatever its name
  if (t.element() == Type(Scalar::F64)) usesDouble = true;
  if (t.isVector()) return type(t.element()) + std::to_string(t.lanes());
  return t.kind() == Type::Kind::Scalar ? std::string(spelled(t.scalar())) : Expressions::type(t);
}

std::string DeviceExpressions::stored(const Type &t) { return t.isBool() ? "uchar" : type(t); }

std::string DeviceExpressions::pointer(Space space, const Type &t) {
  return fmt::format("{}{}{} *", space == Space::Private ? "" : std::string(name(space)) + " ",
                     t.toConst() ? "const " : "", stored(t.element()));
}

std::string DeviceExpressions::converted(const Type &to, const std::string &text) {
  return fmt::format("({})({})", type(to), text);
}

std::string DeviceExpressions::function(const std::string &name) const { return name + "_f"; }

std::string DeviceExpressions::least(const Type &t) { return t.bytes() == 8 ? "LONG_MIN" : "INT_MIN"; }

Base::Text DeviceExpressions::typedLiteral(const Type &t, const std::string &digits, bool) {
  bool negative = digits[0] == '-';
  if (t.bytes() == 8) return {digits + (t.isSigned() ? "L" : "UL"), negative ? kPrefix : kPrimary};
  return {fmt::format("({}){}", type(t), digits), kPrefix};
}

std::string DeviceExpressions::infinity(const Type &t) { return t.bytes() == 8 ? "HUGE_VAL" : "INFINITY"; }

std::string DeviceExpressions::notANumber(const Type &t) { return t.bytes() == 8 ? "nan(0UL)" : "NAN"; }

std::string DeviceExpressions::constantExpression(const Expr *e, const Type &wanted) {
  constantExpression_ = true;
  std::string text = print(e, wanted);
  constantExpression_ = false;
  return text;
}

Base::Text DeviceExpressions::extremum(bool minimum, const Expr *a, const Expr *b, const Type &t) {
  // min and max are overloaded: both sides are spelled in their type, which for narrow ones arithmetic leaves.
  if (t.bytes() >= 4 && !constantExpression_)
    return {fmt::format("{}({}, {})", minimum ? "min" : "max", print(a), print(b))};
  std::string lhs = operand(a, kLess + 1, {}), rhs = operand(b, kLess + 1, {});
  return {fmt::format("{} {} {} ? {} : {}", lhs, minimum ? "<" : ">", rhs, lhs, rhs), kTernary};
}

Base::Text DeviceExpressions::cast(const Cast *e, const Type &wanted) {
  const Type &to = e->type;
  if (to.isPointer()) {
    const Expr *from = e->operand;
    return {fmt::format("({}){}", pointer(spaces.of(from), to), operand(from, kPrefix, {})), kPrefix};
  }
  Text whole = Expressions::cast(e, wanted);
  if (to.isVoid() || !whole.text.starts_with("(" + type(to) + ")(")) return whole;
  return {fmt::format("({}){}", type(to), operand(e->operand, kPrefix, to == e->operand->type ? to : Type())), kPrefix};
}

Base::Text DeviceExpressions::call(const Call *e) {
  auto known = byName_.find(e->callee);
  if (known != byName_.end()) {
    std::string args;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const Param *p = i < known->second->params.size() ? known->second->params[i] : nullptr;
      // What C++ passes by reference.
      bool place = p && p->access != Access::In && !p->type.isPointer();
      args += (args.empty() ? "" : ", ") +
              (place ? "&" + operand(e->args[i], kPrefix, {}) : operand(e->args[i], kAssign, {}));
    }
    return {fmt::format("{}({})", function(e->callee), args)};
  }
  // Functions are overloaded; abs is unsigned.
  if (e->callee == "abs") return {fmt::format("(int)abs({})", arguments(e)), kPrefix};
  if (e->callee == "llabs") return {fmt::format("(long)abs({})", arguments(e)), kPrefix};
  if (isSineAndCosine(e->callee) && e->args.size() == 3) // of which one is what it returns
    return {fmt::format("{} = sincos({}, {})", operand(as<Unary>(e->args[1])->operand, kPrefix, {}),
                        operand(e->args[0], kAssign, {}), operand(e->args[2], kAssign, {})),
            kAssign};
  usesHalf |= isHalfConversion(e->callee);
  std::string name = e->callee, shorter = name.substr(0, name.size() - 1);
  if (name.ends_with('f') && (isMathFunction(shorter) || name == kReciprocalRoot)) name = shorter;
  return {fmt::format("{}({})", name, arguments(e))};
}

Base::Text DeviceExpressions::atomic(const Atomic *e) {
  std::string args = "&" + operand(e->target, kPrefix, {});
  for (const Expr *value : e->operands) args += ", " + operand(value, kAssign, {});
  return {fmt::format("{}({})", atomics.use(*e, spaces.of(e->target)), args)};
}

Base::Text DeviceExpressions::initList(const InitList *e) {
  Text plain = Expressions::initList(e);
  if (e->type.isVector()) // in parentheses, not braces
    return {fmt::format("({})({})", type(e->type), plain.text.substr(1, plain.text.size() - 2)), kPostfix};
  if (!e->type.isStruct()) return plain;
  return {fmt::format("({}){}", type(e->type), plain.text), kPostfix};
}

/// What other devices copy on their way is loaded and stored.
Base::Text DeviceExpressions::assign(const Assign *e) {
  const auto *transfer = dyn<Transfer>(e->value);
  if (!transfer) return Expressions::assign(e);
  const std::string to = operand(e->target, kPrefix, {}), from = operand(transfer->source, kPrefix, {});
  if (transfer->cond)
    return {fmt::format("{} = {} ? {} : 0", to, operand(transfer->cond, kTernary + 1, {}), from), kAssign};
  std::string all = fmt::format("{} = {}", to, from);
  for (Int i = 1; i < transfer->count; ++i) all += fmt::format(", (&{0})[{2}] = (&{1})[{2}]", to, from, i);
  return {all, transfer->count > 1 ? 0 : kAssign};
}

Base::Text DeviceExpressions::workerIndex(const WorkerIndex *e) {
  std::uint64_t unit = levels_.workers(e->level), whole = levels_.workers(e->within);
  // A unit's number within its group: by the workers in front of it.
  auto inGroup = [&](std::uint64_t width) -> Text {
    std::string text = "(uint)get_local_id(0)";
    if (width && width < levels_.groupWorkers) text += fmt::format(" % {}u", width);
    if (unit > 1)
      text = text.find('%') == std::string::npos ? text + fmt::format(" / {}u", unit)
                                                 : "(" + text + fmt::format(") / {}u", unit);
    return {text, text.starts_with("(uint)get_local_id(0)") && text.size() == 21 ? kPrefix : 13};
  };
  if (whole) return unit < whole ? inGroup(whole) : Text{"0u"};
  if (unit == levels_.groupWorkers) return {"(uint)get_group_id(0)", kPrefix};
  return {fmt::format("(uint)get_group_id(0) * {}u + {}", levels_.groupWorkers / unit, inGroup(0).text), 12};
}

Base::Text DeviceExpressions::workerCount(const WorkerCount *e) {
  std::uint64_t unit = levels_.workers(e->level), whole = levels_.workers(e->within);
  if (whole) return {std::to_string(whole / unit) + "u"};
  if (unit == levels_.groupWorkers) return {"(uint)get_num_groups(0)", kPrefix};
  return {fmt::format("(uint)get_num_groups(0) * {}u", levels_.groupWorkers / unit), 13};
}

std::string DeviceExpressions::store(const VectorStore &s) {
  return fmt::format("vstore{}({}, 0, {});", s.value->type.lanes(), print(s.value), address(s.base, s.index));
}

Base::Text DeviceExpressions::other(const Expr *e, const Type &wanted) {
  if (const auto *n = dyn<WorkerIndex>(e)) return workerIndex(n);
  if (const auto *n = dyn<WorkerCount>(e)) return workerCount(n);
  if (const auto *n = dyn<Shuffle>(e)) fail(kShuffle, e->range, n->level);
  if (const auto *n = dyn<MatrixMultiply>(e)) fail(kMatrix, e->range, n->level);
  if (const auto *n = dyn<VectorLoad>(e))
    return {fmt::format("vload{}(0, {})", e->type.lanes(), address(n->base, n->index))};
  if (const auto *n = dyn<VectorLane>(e))
    return {fmt::format("{}.s{:x}", operand(n->operand, kPostfix, {}), ast::literal(n->lane).value_or(0)), kPostfix};
  return Expressions::other(e, wanted);
}

} // namespace tangram::opencl
