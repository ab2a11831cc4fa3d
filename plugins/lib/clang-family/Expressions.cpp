#include "Body.h"
#include "Messages.h"
#include "Types.h"

#include "tangram/ast/Effects.h"
#include "tangram/runtime/float16.h"

#include <clang/AST/ExprConcepts.h>
#include <cmath>
#include <limits>

namespace tangram::frontend {

using namespace ast;

namespace {

constexpr unsigned kMaxNesting = 512; // expressions in expressions
constexpr unsigned kMaxFilled = 4096; // elements of an array that initialisers of fields make

double rounded(const Type &type, double value) {
  switch (type.scalar()) {
  case Scalar::F32: return static_cast<float>(value);
  case Scalar::F16: return tangram_f16(static_cast<float>(value));
  case Scalar::BF16: return tangram_bf16(static_cast<float>(value));
  default: return value;
  }
}

} // namespace

const ast::Expr *Body::expr(const clang::Expr *e) {
  if (++nesting_ > kMaxNesting) fail(kTooDeep, range(e->getSourceRange()), "expressions", kMaxNesting);
  const Expr *result = exprOf(e);
  --nesting_;
  return result;
}

const ast::Expr *Body::exprOf(const clang::Expr *e) {
  using S = clang::Stmt;
  ast::SourceRange where = range(e->getSourceRange());
  switch (e->getStmtClass()) {
  // ---- what means only what is inside ----
  case S::ParenExprClass: return expr(clang::cast<clang::ParenExpr>(e)->getSubExpr());
  case S::ExprWithCleanupsClass: return expr(clang::cast<clang::ExprWithCleanups>(e)->getSubExpr());
  case S::MaterializeTemporaryExprClass: return expr(clang::cast<clang::MaterializeTemporaryExpr>(e)->getSubExpr());
  case S::CXXBindTemporaryExprClass: return expr(clang::cast<clang::CXXBindTemporaryExpr>(e)->getSubExpr());
  case S::ConstantExprClass: return expr(clang::cast<clang::ConstantExpr>(e)->getSubExpr());
  case S::SubstNonTypeTemplateParmExprClass:
    return expr(clang::cast<clang::SubstNonTypeTemplateParmExpr>(e)->getReplacement());
  case S::CXXDefaultInitExprClass: return expr(clang::cast<clang::CXXDefaultInitExpr>(e)->getExpr());
  case S::CXXDefaultArgExprClass: return expr(clang::cast<clang::CXXDefaultArgExpr>(e)->getExpr());
  case S::GenericSelectionExprClass: return expr(clang::cast<clang::GenericSelectionExpr>(e)->getResultExpr());
  case S::ChooseExprClass: return expr(clang::cast<clang::ChooseExpr>(e)->getChosenSubExpr());

  // ---- constants ----
  case S::IntegerLiteralClass:
  case S::CharacterLiteralClass:
  case S::CXXBoolLiteralExprClass:
  case S::FloatingLiteralClass:
  case S::UnaryExprOrTypeTraitExprClass:
  case S::TypeTraitExprClass:
  case S::ConceptSpecializationExprClass:
  case S::RequiresExprClass:
  case S::CXXNoexceptExprClass:
  case S::SizeOfPackExprClass: {
    type(e->getType(), where, "this constant");
    if (const Expr *value = folded(e)) return value;
    fail(kUnsupported, where, "the size of a variable-length array", "multiply its extent");
  }
  case S::ImplicitValueInitExprClass:
  case S::CXXScalarValueInitExprClass: {
    const Expr *zero = build(where).zero(type(e->getType(), where, "this value"));
    if (!zero) failBug(where, "frontend-clang", "a value without a zero");
    return zero;
  }
  case S::InitListExprClass: {
    const auto *list = clang::cast<clang::InitListExpr>(e);
    Type read = type(e->getType(), where, "this value");
    if (list->isTransparent()) return expr(list->getInit(0));
    if (read.isStruct()) return fields(list, read);
    if (list->getNumInits() == 0) return build(where).zero(read);
    return convert(read, expr(list->getInit(0)), where);
  }

  // ---- operators ----
  case S::ImplicitCastExprClass:
  case S::CStyleCastExprClass:
  case S::CXXFunctionalCastExprClass:
  case S::CXXStaticCastExprClass:
  case S::CXXConstCastExprClass: return cast(clang::cast<clang::CastExpr>(e));
  case S::CXXReinterpretCastExprClass:
  case S::CXXDynamicCastExprClass:
  case S::BuiltinBitCastExprClass:
    fail(kNotInLanguage, where, "a cast between unrelated types", "convert values with static_cast");
  case S::DeclRefExprClass: return reference(clang::cast<clang::DeclRefExpr>(e));
  case S::UnaryOperatorClass: return unary(clang::cast<clang::UnaryOperator>(e));
  case S::BinaryOperatorClass: return binary(clang::cast<clang::BinaryOperator>(e));
  case S::CompoundAssignOperatorClass: return compound(clang::cast<clang::CompoundAssignOperator>(e));
  case S::ConditionalOperatorClass: {
    const auto *choice = clang::cast<clang::ConditionalOperator>(e);
    const Expr *cond = expr(choice->getCond()), *then = expr(choice->getTrueExpr()),
               *otherwise = expr(choice->getFalseExpr());
    if (then->type.isArray())
      fail(kUnsupported, where, "a choice between containers", "write if and else with a call in each");
    if (!(then->type == otherwise->type)) fail(kUnsupported, where, "a ?: with throw", "write an if");
    return arena().make<Conditional>(where, then->type, cond, then, otherwise);
  }
  case S::BinaryConditionalOperatorClass: fail(kNotInLanguage, where, "the ?: without its middle", "write a ? a : b");
  case S::ArraySubscriptExprClass: return localSubscript(clang::cast<clang::ArraySubscriptExpr>(e));
  case S::CallExprClass:
  case S::CXXMemberCallExprClass:
  case S::CXXOperatorCallExprClass:
  case S::UserDefinedLiteralClass: return call(clang::cast<clang::CallExpr>(e));
  case S::CXXRewrittenBinaryOperatorClass:
    return expr(clang::cast<clang::CXXRewrittenBinaryOperator>(e)->getSemanticForm());

  case S::CXXConstructExprClass:
  case S::CXXTemporaryObjectExprClass: {
    const auto *construct = clang::cast<clang::CXXConstructExpr>(e);
    if (arrayType(e->getType()) && construct->getConstructor()->isCopyOrMoveConstructor())
      return expr(construct->getArg(0));
    if (arrayType(e->getType()))
      fail(kUnsupported, where, "a container without a name", "declare it as a variable: Array<1, T> t(n);");
    Type read = type(e->getType(), where, "this value");
    if (construct->getConstructor()->isCopyOrMoveConstructor()) return expr(construct->getArg(0));
    bool plain = construct->getConstructor()->isTrivial() || construct->getConstructor()->isUserProvided();
    return plain ? build(where).zero(read) : defaults(construct, read); // Pair()
  }
  case S::CXXParenListInitExprClass: {
    Type read = type(e->getType(), where, "this value");
    Exprs values; // those left out are zero
    for (const clang::Expr *value : clang::cast<clang::CXXParenListInitExpr>(e)->getUserSpecifiedInitExprs())
      values.push_back(expr(value));
    return arena().make<InitList>(where, read, std::move(values));
  }
  case S::MemberExprClass: return member(clang::cast<clang::MemberExpr>(e));

  // ---- what the language leaves out ----
  case S::LambdaExprClass: fail(kNotInLanguage, where, "a lambda", "write a function, or a spectrum to map");
  case S::CXXNewExprClass:
  case S::CXXDeleteExprClass:
  case S::CXXPseudoDestructorExprClass:
    fail(kNotInLanguage, where, "memory from new", "declare a temporary container: Array<1, T> t(n);");
  case S::CXXThrowExprClass: fail(kNotInLanguage, where, "an exception", "return a value that says what went wrong");
  case S::StringLiteralClass:
  case S::PredefinedExprClass: fail(kNotInLanguage, where, "text", "use numbers");
  case S::CXXNullPtrLiteralExprClass:
  case S::GNUNullExprClass: fail(kNotInLanguage, where, "a pointer", "use an Array and an index");
  case S::StmtExprClass: fail(kNotInLanguage, where, "a statement inside an expression", "write a function");
  case S::CXXThisExprClass: return object(where);
  case S::CXXTypeidExprClass: fail(kNotInLanguage, where, "typeid", "choose by overloads or templates");
  default:
    fail(kUnsupported, where, fmt::format("this expression ({})", e->getStmtClassName()),
         "use arithmetic, calls and subscripts");
  }
}

// ---- constants ----------------------------------------------------------------------------------------------

const ast::Expr *Body::constant(const clang::APValue &value, clang::QualType valueType, ast::SourceRange where) {
  if (value.isArray()) {
    Exprs values;
    clang::QualType element = context().getAsArrayType(valueType)->getElementType();
    for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
      values.push_back(constant(value.getArrayInitializedElt(i), element, where));
    bool filled = value.hasArrayFiller();
    for (unsigned i = value.getArrayInitializedElts(); filled && i < value.getArraySize(); ++i)
      values.push_back(constant(value.getArrayFiller(), element, where));
    while (context().getAsArrayType(element)) element = context().getAsArrayType(element)->getElementType();
    return arena().make<InitList>(where, type(element, where, "this constant"), std::move(values));
  }
  Type read = type(valueType, where, "this constant");
  if (value.isStruct() && read.isStruct()) {
    Exprs values;
    for (const clang::FieldDecl *field : valueType->getAsCXXRecordDecl()->fields())
      values.push_back(constant(value.getStructField(field->getFieldIndex()), field->getType(), where));
    return arena().make<InitList>(where, read, std::move(values));
  }
  if (value.isInt()) {
    llvm::APSInt number = value.getInt();
    return build(where).integer(read,
                                number.isUnsigned() ? static_cast<Int>(number.getZExtValue()) : number.getSExtValue());
  }
  if (value.isFloat()) {
    llvm::APFloat number = value.getFloat();
    bool lost = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return arena().make<FloatLit>(where, read, number.convertToDouble());
  }
  fail(kUnsupported, where, "this constant", "use numbers");
}

const ast::Expr *Body::folded(const clang::Expr *e) {
  if (e->isValueDependent()) return nullptr;
  clang::Expr::EvalResult result;
  if (!e->EvaluateAsRValue(result, context()) || result.HasSideEffects) return nullptr;
  if (!result.Val.isInt() && !result.Val.isFloat()) return nullptr;
  return constant(result.Val, e->getType(), range(e->getSourceRange()));
}

/// What stands behind the = of a variable, or in the braces of a local array.
const ast::Expr *Body::initialiser(const clang::Expr *e, clang::QualType type_) {
  ast::SourceRange where = range(e->getSourceRange());
  if (const auto *array = context().getAsArrayType(type_)) {
    const auto *list = clang::dyn_cast<clang::InitListExpr>(e->IgnoreParens());
    clang::QualType element = array->getElementType(), leaf = element;
    while (const auto *inner = context().getAsArrayType(leaf)) leaf = inner->getElementType();
    Type read = type(leaf, where, "this array");
    if (clang::isa<clang::ImplicitValueInitExpr>(e)) return arena().make<InitList>(where, read, Exprs{});
    std::uint64_t count = 0;
    if (const auto *constant = clang::dyn_cast<clang::ConstantArrayType>(array))
      count = constant->getSize().getLimitedValue();
    auto fill = [&](Exprs &values, const clang::Expr *with) {
      if (count > kMaxFilled) fail(kUnsupported, where, "initialisers of the fields of so many elements", "use a loop");
      const auto *made = clang::dyn_cast<clang::CXXConstructExpr>(with);
      bool each = made && !element->isArrayType();
      while (values.size() < count) values.push_back(each ? defaults(made, read) : initialiser(with, element));
    };
    if (clang::isa<clang::CXXConstructExpr>(e)) { // initialisers of fields
      Exprs values;
      fill(values, e);
      return arena().make<InitList>(where, read, std::move(values));
    }
    if (!list) fail(kUnsupported, where, "this initialiser of an array", "write the values in braces");
    Exprs values; // those left out are zero
    for (const clang::Expr *value : list->inits()) values.push_back(initialiser(value, element));
    const clang::Expr *filler = list->hasArrayFiller() ? list->getArrayFiller() : nullptr;
    if (filler && read.isStruct() && !clang::isa<clang::ImplicitValueInitExpr>(filler)) {
      fill(values, filler);
      return arena().make<InitList>(where, read, std::move(values));
    }
    while (!values.empty() && clang::isa<clang::ImplicitValueInitExpr>(list->getInit(values.size() - 1)))
      values.pop_back();
    return arena().make<InitList>(where, read, std::move(values));
  }
  return expr(e);
}

// ---- conversions ----------------------------------------------------------------------------------------------

const ast::Expr *Body::convert(const ast::Type &to, const ast::Expr *operand, ast::SourceRange where) {
  if (operand->type == to) return operand;
  if (const auto *number = dyn<IntLit>(operand)) {
    if (to.isInteger()) return build(where).integer(to, number->value);
    if (to.isFloating()) {
      double value = operand->type.scalar() == Scalar::U64
                         ? static_cast<double>(static_cast<std::uint64_t>(number->value))
                         : static_cast<double>(number->value);
      // Not through double where the target is float, or is rounded from it: that would round twice.
      if (to.scalar() != Scalar::F64)
        value = operand->type.scalar() == Scalar::U64 ? static_cast<float>(static_cast<std::uint64_t>(number->value))
                                                      : static_cast<float>(number->value);
      return arena().make<FloatLit>(where, to, rounded(to, value));
    }
  }
  if (const auto *number = dyn<FloatLit>(operand); number && to.isFloating())
    return arena().make<FloatLit>(where, to, rounded(to, number->value));
  // Numbers of 16 bits are values of f32 that are kept in memory: all else is converted by way of it.
  const Type single = Scalar::F32;
  bool half = to.isHalf() || operand->type.isHalf();
  if (half && !(to == single) && !(operand->type == single)) operand = arena().make<Cast>(where, single, operand);
  return arena().make<Cast>(where, to, operand);
}

const ast::Expr *Body::cast(const clang::CastExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const clang::Expr *inner = e->getSubExpr();
  switch (e->getCastKind()) {
  case clang::CK_LValueToRValue:
  case clang::CK_NoOp:
  case clang::CK_ConstructorConversion: return expr(inner);
  case clang::CK_IntegralCast:
  case clang::CK_BooleanToSignedIntegral:
  case clang::CK_IntegralToBoolean:
  case clang::CK_IntegralToFloating:
  case clang::CK_FloatingToIntegral:
  case clang::CK_FloatingToBoolean:
  case clang::CK_FloatingCast: {
    Type to = type(e->getType(), where, "this value");
    return convert(to, expr(inner), where);
  }
  case clang::CK_ToVoid: {
    const Expr *value = expr(inner);
    if (value->type.isVoid()) return value;
    return arena().make<Cast>(where, Type(Scalar::Void), value);
  }
  case clang::CK_FunctionToPointerDecay:
    fail(kNotInLanguage, where, "a pointer to a function", "call the function or spectrum by its name");
  case clang::CK_ArrayToPointerDecay: {
    // Text, or a local array as a whole.
    const clang::Expr *array = inner->IgnoreParens();
    if (clang::isa<clang::StringLiteral>(array) || clang::isa<clang::PredefinedExpr>(array)) return expr(array);
    fail(kNotInLanguage, where, "a local array as a whole",
         "use its elements, or a temporary container: Array<1, T> t(n);");
  }
  case clang::CK_UserDefinedConversion: return expr(inner); // a call
  default: {
    Type to = type(e->getType(), where, "this value");
    fail(kNotInLanguage, where, fmt::format("a conversion to {} ({})", to.text(), e->getCastKindName()),
         "convert between scalars");
  }
  }
}

// ---- names ------------------------------------------------------------------------------------------------------

const ast::Expr *Body::reference(const clang::DeclRefExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const clang::ValueDecl *declared = e->getDecl();
  if (clang::isa<clang::EnumConstantDecl>(declared)) return folded(e);
  if (clang::isa<clang::FunctionDecl>(declared))
    fail(kNotInLanguage, where, fmt::format("'{}' as a value", declared->getNameAsString()),
         "call it; a spectrum can also be mapped: map(f, c)");
  const auto *named = clang::dyn_cast<clang::VarDecl>(declared);
  if (!named) fail(kNotInLanguage, where, fmt::format("'{}'", declared->getNameAsString()), "declare a variable");
  if (named->isLocalVarDeclOrParm()) {
    // A constant of an enclosing function cannot be meant: bodies do not nest.
    const Variable &known = lookup(named, where);
    return build(where).var(known.name, known.type);
  }
  if (named->isInStdNamespace() && named->getIdentifier()) {
    llvm::StringRef stream = named->getName();
    if (stream == "cout" || stream == "cerr" || stream == "clog") fail(kOutput, where, "std::" + stream.str());
  }
  // Outside the body: a constant, or nothing that a codelet may touch.
  clang::QualType declaredType = named->getType();
  if (declaredType->isReferenceType()) type(declaredType, where, fmt::format("'{}'", named->getNameAsString()));
  if (!declaredType.isConstQualified() && !named->isConstexpr()) fail(kGlobal, where, named->getNameAsString());
  type(declaredType, where, fmt::format("'{}'", named->getNameAsString()));
  const clang::VarDecl *definition = nullptr;
  const clang::Expr *init = named->getAnyInitializer(definition);
  clang::APValue *value = init && !init->isValueDependent() ? definition->evaluateValue() : nullptr;
  if (!value) fail(kGlobal, where, named->getNameAsString());
  return constant(*value, declaredType, where);
}

/// What a[i] of an Array takes: the integer as it is, whatever the operator's parameter converts it to.
const ast::Expr *Body::index(const clang::Expr *e) {
  const clang::Expr *inner = e->IgnoreParens();
  while (const auto *wrapped = clang::dyn_cast<clang::MaterializeTemporaryExpr>(inner)) inner = wrapped->getSubExpr();
  if (const auto *converted = clang::dyn_cast<clang::ImplicitCastExpr>(inner);
      converted && converted->getCastKind() == clang::CK_IntegralCast)
    inner = converted->getSubExpr();
  const Expr *result = expr(inner);
  if (!result->type.isInteger()) result = convert(Scalar::U64, result, result->range);
  if (const auto *number = dyn<IntLit>(result); number && number->value < 0 && result->type.isSigned())
    fail(kNegativeIndex, result->range, number->value);
  return result;
}

const ast::Expr *Body::localSubscript(const clang::ArraySubscriptExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  std::vector<const clang::Expr *> written;
  const clang::Expr *base = e;
  while (const auto *subscript = clang::dyn_cast<clang::ArraySubscriptExpr>(base)) {
    written.push_back(subscript->getIdx());
    base = subscript->getBase()->IgnoreParenImpCasts();
  }
  const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(base);
  const auto *named = reference ? clang::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  auto parameter = named ? variables_.find(named) : variables_.end();
  bool isArray =
      named && (named->getType()->isArrayType() || (parameter != variables_.end() && parameter->second.isArray));
  if (!isArray) {
    const clang::Expr *pointer = base;
    fail(kNotInLanguage, where, fmt::format("a subscript of '{}'", spelled(pointer->getType(), context())),
         "use an Array, or a local array by its name");
  }
  if (e->getType()->isArrayType()) fail(kNotInLanguage, where, "a row of a local array as a whole", "use its elements");
  const Expr *variable = nullptr;
  if (named->isLocalVarDeclOrParm()) {
    const Variable &known = lookup(named, where);
    variable = build(range(reference->getSourceRange())).var(known.name, known.type);
  } else {
    if (!named->getType().isConstQualified() && !named->isConstexpr() &&
        !context().getBaseElementType(named->getType()).isConstQualified())
      fail(kGlobal, where, named->getNameAsString());
    variable = table(named, range(reference->getSourceRange()));
  }
  Exprs indices;
  for (auto it = written.rbegin(); it != written.rend(); ++it) indices.push_back(index(*it));
  return arena().make<Subscript>(where, variable->type, variable, std::move(indices));
}

} // namespace tangram::frontend
