#include "Body.h"
#include "Forward.h"
#include "Messages.h"
#include "Types.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <set>

namespace tangram::frontend {

using namespace ast;

namespace {

bool inStd(const clang::FunctionDecl *function) { return function->isInStdNamespace(); }

/// Cheap to evaluate twice, and nothing changes: variables, literals, and conversions and elements of such.
bool isPlain(const Expr *e) {
  if (isa<VarRef>(e) || isa<IntLit>(e) || isa<FloatLit>(e)) return true;
  if (const auto *cast = dyn<Cast>(e)) return isPlain(cast->operand);
  if (const auto *member = dyn<Member>(e)) return isPlain(member->base);
  if (const auto *element = dyn<Subscript>(e)) {
    if (!isPlain(element->base)) return false;
    for (const Expr *i : element->indices)
      if (!isPlain(i)) return false;
    return true;
  }
  return false;
}

} // namespace

const ast::Expr *Body::call(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const clang::FunctionDecl *callee = e->getDirectCallee();
  if (!callee) fail(kNotInLanguage, where, "a call through a value", "call a function or spectrum by its name");
  if (std::string which = primitiveOf(*callee); !which.empty()) return primitive(e, which);
  if (arrayType(e->getNumArgs() > 0 ? e->getArg(0)->getType() : clang::QualType()) &&
      clang::isa<clang::CXXOperatorCallExpr>(e))
    return mapInto(e);
  if (const Expr *assign = structAssign(e)) return assign;
  if (std::optional<std::string> name = program_.spectrum(callee, where)) return spectrumCall(e, *name);
  if (const Expr *known = libraryCall(e, callee)) return known;

  // Constants of the standard library: std::numeric_limits<float>::max() and the like.
  if (callee->isConstexpr() && !program_.ranges().isUsers(callee->getLocation()))
    if (const Expr *value = folded(e)) return value;

  if (const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(callee)) {
    if (method->isVirtual()) fail(kNotInLanguage, where, "a virtual call", "call a plain function");
    if (method->getParent()->isLambda())
      fail(kNotInLanguage, where, "a lambda", "write a function, or a spectrum to map");
    if (method->getParent()->getName() == "basic_ostream") fail(kOutput, where, "std::ostream");
    if (!program_.ranges().isUsers(method->getLocation()))
      fail(kUnsupported, where,
           fmt::format("the member function '{}' of a library", method->getQualifiedNameAsString()),
           "write a plain function, or a struct of your own");
  }
  if (inCondition_ && !callee->isConstexpr()) fail(kConditionCall, where, callee->getNameAsString());
  if (callee->getIdentifier() && isOutput(callee->getName())) fail(kOutput, where, callee->getNameAsString());
  if (callee->isVariadic()) fail(kVariadic, where, callee->getNameAsString());
  if (callee->isNoReturn())
    fail(kNotInLanguage, where, fmt::format("'{}', which never returns,", callee->getNameAsString()), "return a value");
  return functionCall(e, callee);
}

const ast::Expr *Body::mapInto(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const auto *results =
      clang::dyn_cast<clang::CallExpr>(e->getNumArgs() == 2 ? e->getArg(1)->IgnoreUnlessSpelledInSource() : nullptr);
  const clang::FunctionDecl *callee = results ? results->getDirectCallee() : nullptr;
  if (!callee || primitiveOf(*callee) != "map") fail(kContainerAssign, where);
  const Expr *target = expr(e->getArg(0));
  if (!isa<VarRef>(target)) fail(kContainerAssign, where);
  const std::string &name = as<VarRef>(target)->name;
  if (isConstContainer(e->getArg(0))) fail(kWriteConst, where, fmt::format("'{}'", name));
  const Expr *value = expr(results);
  if (!(value->type == target->type)) {
    auto shape = [&](const Type &t) {
      return t.isVoid() ? std::string("nothing")
                        : fmt::format("{} of {} in {} dimension{}", t.element().isArray() ? "containers" : "elements",
                                      t.element().text(), t.rank(), t.rank() == 1 ? "" : "s");
    };
    fail(kMapIntoType, where, as<Map>(value)->spectrum, shape(value->type), name, shape(target->type));
  }
  bool reads = false; // its elements, or passes it on
  walk(
      value, [](const Size &size) { return isa<VarRef>(size.container) ? WalkResult::Skip : WalkResult::Advance; },
      [&](const VarRef &read) { reads |= read.name == name; });
  if (reads) fail(kMapIntoArgument, where, name);
  return arena().make<Assign>(where, target->type, AssignOp::Set, target, value);
}

const ast::Expr *Body::primitive(const clang::CallExpr *e, const std::string &which) {
  ast::SourceRange where = range(e->getSourceRange());
  if (which == "size") return size(e);
  if (which == "subscript") return element(e);
  if (which == "map") return map(e);
  if (which == "partition") return partition(e);
  if (which == "sequence") fail(kSequencePlace, where);
  if (which == "range") return indexRange(e);
  if (which == "coopIdx" || which == "coopDim") {
    bool lanes = role_ != Role::Spectrum && qualifiers_.coop;
    if (!lanes && role_ == Role::Function) fail(kCoopInFunction, where, which, title_);
    if (!lanes) fail(kCoopPlace, where, which, title_);
    if (inCondition_ && which == "coopIdx") fail(kConditionLane, where);
    if (which == "coopIdx") return arena().make<CoopIdx>(where, Type(Scalar::U32));
    return arena().make<CoopDim>(where, Type(Scalar::U32));
  }
  if (which.rfind("atomic:", 0) == 0) return atomic(e, which.substr(7));
  failBug(where, "frontend-clang", fmt::format("primitive '{}' is not known", which));
}

// ---- spectrums ------------------------------------------------------------------------------------------------

void Body::checkCompound(ast::SourceRange where, const std::string &what, bool byLanes) {
  if (inCondition_) fail(kConditionCall, where, what);
  if (byLanes && qualifiers_.coop) return;
  if (role_ != Role::Codelet) fail(kSpectrumInFunction, where, what, title_);
  if (qualifiers_.coop) fail(kCoopCompound, where, what, title_);
}

void Body::checkWritten(const clang::Expr *argument, const clang::ParmVarDecl *parameter, const std::string &callee) {
  if (parameter->getType().isConstQualified() || !arrayType(parameter->getType())) return;
  if (isRange(argument)) fail(kPassRange, range(argument->getSourceRange()), callee, parameter->getNameAsString());
  if (isConstContainer(argument))
    fail(kPassConst, range(argument->getSourceRange()), callee, parameter->getNameAsString());
}

const ast::Expr *Body::spectrumCall(const clang::CallExpr *e, const std::string &name) {
  ast::SourceRange where = range(e->getSourceRange());
  checkCompound(where, fmt::format("'{}'", name), true);
  const clang::FunctionDecl *callee = e->getDirectCallee();
  Exprs args;
  for (unsigned i = 0; i < e->getNumArgs(); ++i) {
    checkWritten(e->getArg(i), callee->getParamDecl(i), fmt::format("spectrum '{}'", name));
    args.push_back(expr(e->getArg(i)));
  }
  clang::QualType returned = callee->getReturnType();
  Type result =
      returned->isVoidType() ? Type(Scalar::Void) : type(returned, where, fmt::format("the result of '{}'", name));
  return arena().make<SpectrumCall>(where, result, name, std::move(args), Text(), Texts(), Counts(), Capability::None,
                                    nullptr, Exprs(), nullptr);
}

const ast::Expr *Body::map(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  checkCompound(where, "map");
  const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(stripped(e->getArg(0)));
  const auto *function = reference ? clang::dyn_cast<clang::FunctionDecl>(reference->getDecl()) : nullptr;
  ast::SourceRange at = range(e->getArg(0)->getSourceRange());
  std::optional<std::string> name = function ? program_.spectrum(function, at) : std::nullopt;
  if (!name) fail(kMapFunction, at, function ? fmt::format("'{}'", function->getNameAsString()) : "this");
  unsigned count = e->getNumArgs() - 1;
  if (count != function->getNumParams()) fail(kMapCount, where, *name, function->getNumParams(), count);

  Exprs args;
  unsigned depth = 0;
  for (unsigned i = 0; i < count; ++i) {
    const clang::Expr *written = e->getArg(i + 1);
    const clang::ParmVarDecl *parameter = function->getParamDecl(i);
    ast::SourceRange here = range(written->getSourceRange());
    Type wanted = type(parameter->getType(), here, "this parameter");
    checkWritten(written, parameter, fmt::format("spectrum '{}'", *name));
    const Expr *arg = expr(written);
    const Type &given = arg->type;
    unsigned over = 0;
    if (given.isArray() && given.element() == wanted)
      over = given.rank();
    else if (given.isArray() && wanted.isArray() && given.rank() == wanted.rank() + 1 &&
             given.element() == wanted.element())
      over = 1;
    else if (given.isScalar() && wanted.isScalar())
      arg = convert(wanted, arg, here);
    else if (!(given == wanted) && wanted.isInteger() && isRange(written))
      fail(kMapRange, here, i + 1, given.element().cName(), *name, wanted.cName());
    else if (!(given == wanted))
      fail(kMapArgument, here, i + 1, spelled(written->getType().getUnqualifiedType(), context()), *name,
           spelled(parameter->getType().getUnqualifiedType(), context()));
    if (over && depth && over != depth) fail(kMapDepth, here, depth, over);
    if (over) depth = over;
    args.push_back(arg);
  }
  if (!depth) fail(kMapNothing, where, *name);
  clang::QualType returned = function->getReturnType();
  Type result = Scalar::Void;
  if (!returned->isVoidType())
    result = Type::array(depth, type(returned, where, fmt::format("the result of '{}'", *name)));
  return arena().make<Map>(where, result, *name, std::move(args), Policy::None, Text(), Counts(), nullptr, nullptr,
                           nullptr, nullptr);
}

const ast::Expr *Body::partition(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  checkCompound(where, "partition");
  const Expr *whole = expr(e->getArg(0));
  Exprs counts;
  std::vector<const Sequence *> starts, incs, ends;
  for (unsigned i = 1; i + 3 < e->getNumArgs(); i += 4) {
    const Expr *count = expr(e->getArg(i));
    if (const auto *number = dyn<IntLit>(count); number && number->value < 0)
      fail(kPartCount, count->range, number->value);
    counts.push_back(convert(Scalar::U64, count, count->range));
    starts.push_back(sequence(e->getArg(i + 1)));
    incs.push_back(sequence(e->getArg(i + 2)));
    ends.push_back(sequence(e->getArg(i + 3)));
  }
  Type result = Type::array(static_cast<unsigned>(counts.size()), whole->type);
  return arena().make<Partition>(where, result, whole, std::move(counts), std::move(starts), std::move(incs),
                                 std::move(ends));
}

const ast::Sequence *Body::sequence(const clang::Expr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const auto *written = clang::dyn_cast<clang::CallExpr>(stripped(e));
  if (!written || !written->getDirectCallee() || primitiveOf(*written->getDirectCallee()) != "sequence")
    fail(kSequenceArgument, where);
  const Expr *container = nullptr;
  Exprs numbers;
  for (const clang::Expr *arg : written->arguments()) {
    const Expr *value = expr(arg);
    if (value->type.isArray())
      container = value;
    else
      numbers.push_back(convert(Scalar::U64, value, value->range));
  }
  if (container && !container->type.element().isInteger()) fail(kSequenceContainer, container->range);
  return arena().make<Sequence>(where, Type(Scalar::U64), container, numbers[0],
                                numbers.size() > 1 ? numbers[1] : nullptr, numbers.size() > 2 ? numbers[2] : nullptr);
}

/// A sequence of its own: the numbers as a container.
const ast::Expr *Body::indexRange(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  if (role_ == Role::Function && !qualifiers_.coop) fail(kSpectrumInFunction, where, "range", title_);
  if (inCondition_) fail(kConditionCall, where, "range");
  Type result = type(e->getType(), where, "a range");
  Type element = result.element();
  if (!element.isInteger() || element.isBool())
    fail(kRangeType, where, fmt::format("range<{}>", spelled(arrayType(e->getType())->element, context())));
  Exprs numbers;
  for (const clang::Expr *arg : e->arguments()) {
    if (clang::isa<clang::CXXDefaultArgExpr>(arg)) break;
    const clang::Expr *written = arg->IgnoreImplicit();
    ast::SourceRange here = range(arg->getSourceRange());
    if (written->getType()->isRealFloatingType())
      fail(kRangeFloat, here, spelled(written->getType().getUnqualifiedType(), context()));
    const Type wanted = numbers.size() < 2 ? element : Type(Scalar::U64);
    clang::Expr::EvalResult known;
    if (written->getType()->isIntegerType() && !wanted.isSigned() && written->EvaluateAsInt(known, context()) &&
        known.Val.getInt().isNegative())
      fail(kRangeCount, here, wanted.cName(), known.Val.getInt().getExtValue());
    const Expr *value = expr(arg);
    numbers.push_back(convert(wanted, value, value->range));
  }
  if (numbers.size() == 1) numbers.insert(numbers.begin(), build(where).integer(element, 0));
  if (numbers.size() == 2) numbers.push_back(build(where).u64(1));
  return arena().make<Sequence>(where, result, nullptr, numbers[0], numbers[2], numbers[1]);
}

// ---- containers -----------------------------------------------------------------------------------------------

const ast::Expr *Body::size(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const Expr *whole = expr(clang::cast<clang::CXXMemberCallExpr>(e)->getImplicitObjectArgument());
  const Expr *dim = nullptr;
  if (e->getNumArgs() > 0) {
    dim = expr(e->getArg(0));
    clang::Expr::EvalResult value;
    if (e->getArg(0)->EvaluateAsInt(value, context())) {
      Int number = value.Val.getInt().getExtValue();
      if (number < 0 || number >= static_cast<Int>(whole->type.rank()))
        fail(kDimension, dim->range, number, whole->type.rank());
      dim = build(dim->range).integer(Scalar::U32, number);
    }
  }
  return arena().make<Size>(where, Type(Scalar::U64), whole, dim);
}

const ast::Expr *Body::element(const clang::CallExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  if (e->getNumArgs() < 2) fail(kNotInLanguage, where, "an operator called by its name", "write a[i]");
  const Expr *base = expr(e->getArg(0));
  Exprs indices;
  for (unsigned i = 1; i < e->getNumArgs(); ++i) indices.push_back(index(e->getArg(i)));
  Type whole = base->type;
  if (!whole.isArray()) failBug(where, "frontend-clang", "a subscript of no container");
  auto given = static_cast<unsigned>(indices.size());
  Type result = given == whole.rank() ? whole.element() : Type::array(whole.rank() - given, whole.element());
  // a[i][j] is one access.
  if (const auto *row = dyn<Subscript>(base)) {
    Exprs all = row->indices;
    all.insert(all.end(), indices.begin(), indices.end());
    return arena().make<Subscript>(where, result, row->base, std::move(all));
  }
  return arena().make<Subscript>(where, result, base, std::move(indices));
}

const ast::Expr *Body::atomic(const clang::CallExpr *e, const std::string &operation) {
  ast::SourceRange where = range(e->getSourceRange());
  static const std::map<std::string, AtomicOp> known{{"add", AtomicOp::Add},
                                                     {"sub", AtomicOp::Sub},
                                                     {"min", AtomicOp::Min},
                                                     {"max", AtomicOp::Max},
                                                     {"and", AtomicOp::And},
                                                     {"or", AtomicOp::Or},
                                                     {"xor", AtomicOp::Xor},
                                                     {"exchange", AtomicOp::Exchange},
                                                     {"compare-exchange", AtomicOp::CompareExchange},
                                                     {"ordered-add", AtomicOp::OrderedAdd}};
  auto op = known.find(operation);
  if (op == known.end()) failBug(where, "frontend-clang", fmt::format("atomic operation '{}'", operation));
  if (role_ == Role::Function && !qualifiers_.coop) fail(kAtomicTarget, where);
  checkWritable(e->getArg(0), where);
  const Expr *target = expr(e->getArg(0));
  const VarRef *root = rootVariable(target);
  const Expr *place = target;
  while (const auto *member = dyn<Member>(place)) place = member->base;
  bool seen = false; // by others
  if (root)
    for (const auto &[declared, known_] : variables_)
      if (known_.name == root->name) seen = known_.shared || (known_.type.isArray() && isa<Subscript>(place));
  if (!seen) fail(kAtomicTarget, where);
  bool bitwise = op->second == AtomicOp::And || op->second == AtomicOp::Or || op->second == AtomicOp::Xor;
  if (target->type.isHalf()) fail(kAtomicHalf, where, e->getDirectCallee()->getNameAsString(), target->type.text());
  if (!target->type.isScalar() || target->type.isBool() || (bitwise && !target->type.isInteger()))
    fail(kAtomicType, where, e->getDirectCallee()->getNameAsString(),
         target->type.isArray() ? "container" : target->type.cName());
  Exprs operands;
  for (unsigned i = 1; i < e->getNumArgs(); ++i) operands.push_back(convert(target->type, expr(e->getArg(i)), where));
  return arena().make<Atomic>(where, target->type, op->second, target, std::move(operands));
}

// ---- the standard library -----------------------------------------------------------------------------------------

/// std::min(a, b) is b < a ? b : a; where that would evaluate more than variables twice, a function of ours.
const ast::Expr *Body::choose(const ast::Expr *a, const ast::Expr *b, bool smaller, ast::SourceRange where) {
  auto pick = [&](const ast::Build &make, const Expr *x, const Expr *y) {
    const Expr *cond = smaller ? make.binary(BinaryOp::Lt, y, x) : make.binary(BinaryOp::Lt, x, y);
    return make.select(cond, y, x);
  };
  if (isPlain(a) && isPlain(b)) return pick(build(where), a, b);
  Type of = a->type;
  std::string name =
      program_.synthesized(fmt::format("{}_{}", smaller ? "min" : "max", of.text()), [&](const std::string &made) {
        ast::Build make(arena(), where);
        std::vector<const Param *> params{arena().make<Param>(where, "a", of, Access::In),
                                          arena().make<Param>(where, "b", of, Access::In)};
        const Stmt *give = arena().make<Return>(where, pick(make, make.var("a", of), make.var("b", of)));
        return arena().make<Function>(where, made, of, std::move(params), make.block({give}));
      });
  return arena().make<Call>(where, of, name, Exprs{a, b});
}

/// What a function rounds by that gives an integer: lround, llroundf, lrint, ...; empty: it is none.
static std::string toInteger(std::string_view name) {
  if (name.ends_with('f')) name.remove_suffix(1);
  if (name == "lround" || name == "llround") return "round";
  if (name == "lrint" || name == "llrint") return "rint";
  return "";
}

const ast::Expr *Body::libraryCall(const clang::CallExpr *e, const clang::FunctionDecl *callee) {
  ast::SourceRange where = range(e->getSourceRange());
  bool standard = inStd(callee) && !program_.ranges().isUsers(callee->getLocation());
  bool c = callee->isExternC() || callee->getBuiltinID() != 0;
  if (!callee->getIdentifier() || clang::isa<clang::CXXMethodDecl>(callee) || !(standard || c)) return nullptr;
  if (!standard && program_.ranges().isUsers(callee->getLocation()) && callee->hasBody()) return nullptr;
  llvm::StringRef name = callee->getName();
  name.consume_front("__builtin_");

  if (standard && (name == "min" || name == "max" || name == "clamp")) {
    unsigned wanted = name == "clamp" ? 3 : 2;
    bool plain = e->getNumArgs() == wanted;
    for (const clang::Expr *arg : e->arguments()) plain &= scalarType(arg->getType(), context()).has_value();
    if (!plain)
      fail(kNotInLanguage, where, fmt::format("this form of std::{}", name.str()),
           fmt::format("write std::{} of {} numbers", name.str(), wanted));
    const Expr *a = expr(e->getArg(0)), *b = expr(e->getArg(1));
    if (name != "clamp") return choose(a, b, name == "min", where);
    const Expr *hi = expr(e->getArg(2));
    return choose(choose(a, b, false, where), hi, true, where);
  }

  clang::QualType returned = callee->getReturnType();
  std::optional<Type> result = scalarType(returned, context());
  // Somebody's own clz may be something else.
  if (result && (standard || callee->getName().starts_with("__builtin_")))
    if (const Expr *bits = bitFunction(e, name.str(), standard)) return build(where).cast(*result, bits);
  if (name == "labs") name = "llabs";
  std::string base = name.str();
  if (const std::string rounds = toInteger(base); !rounds.empty() && result && e->getNumArgs() == 1) {
    const Expr *x = expr(e->getArg(0));
    if (!x->type.isScalar()) return nullptr;
    const bool isFloat = base.ends_with('f') || (standard && x->type == Type(Scalar::F32));
    const Type compute = isFloat ? Scalar::F32 : Scalar::F64;
    const Expr *rounded =
        arena().make<Call>(where, compute, rounds + (isFloat ? "f" : ""), Exprs{convert(compute, x, where)});
    return build(where).cast(*result, rounded);
  }
  bool isAbs = base == "abs" || base == "llabs";
  bool classify = base == "isnan" || base == "isinf" || base == "isfinite";
  bool known = isMathFunction(base) && base != ast::kReciprocalRoot; // which hosts do not have
  if (!known || !result || e->getNumArgs() == 0) {
    if (returned->isSpecificBuiltinType(clang::BuiltinType::LongDouble))
      fail(kUnsupportedType, where, fmt::format("the result of '{}'", base), "long double", "use double");
    // huge_val, inff, ...: constants
    if (c && callee->getBuiltinID())
      if (const Expr *value = folded(e)) return value;
    return nullptr;
  }
  Exprs args;
  for (const clang::Expr *arg : e->arguments()) {
    const Expr *value = expr(arg);
    if (!value->type.isScalar()) return nullptr;
    args.push_back(value);
  }
  // By its C name: for float with an f. What std:: overloads for integers computes in double.
  Type compute = *result;
  if (isAbs) {
    if (compute.isFloating())
      base = compute.scalar() == Scalar::F32 ? "fabsf" : "fabs";
    else
      base = compute.bytes() == 8 ? "llabs" : "abs";
  } else if (classify) {
    compute = args[0]->type.isHalf()       ? Type(Scalar::F32)
              : args[0]->type.isFloating() ? args[0]->type
                                           : Type(Scalar::F64);
  } else if (standard && compute.scalar() == Scalar::F32 &&
             !(base.ends_with('f') && isMathFunction(base.substr(0, base.size() - 1)))) {
    base += "f";
  }
  if (!isMathFunction(base)) return nullptr;
  for (const Expr *&arg : args) arg = convert(compute, arg, arg->range);
  return arena().make<Call>(where, *result, base, std::move(args));
}

} // namespace tangram::frontend
