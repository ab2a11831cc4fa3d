#include "Body.h"
#include "Messages.h"
#include "Types.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>

namespace tangram::frontend {

using namespace ast;

namespace {

constexpr std::uint64_t kMaxArrayBytes = 1 << 20; // of a worker's stack or registers

} // namespace

Body::Body(Program &program, const clang::FunctionDecl *function, Role role, const FunctionQualifiers &qualifiers,
           std::string title, const Passing *passing)
    : program_(program), function_(function), role_(role), qualifiers_(qualifiers), title_(std::move(title)),
      passing_(passing) {}

Body::Scope::~Scope() {
  for (std::size_t i = mark_; i < body_.open_.size(); ++i) body_.variables_.at(body_.open_[i]).open = false;
  body_.open_.resize(mark_);
  --body_.depth_;
}

ast::Type Body::type(clang::QualType t, ast::SourceRange where, const std::string &what) {
  return readType(t, program_, where, what);
}

Body::Variable &Body::enter(const clang::VarDecl *declared, const std::string &name, const ast::Type &type) {
  open_.push_back(declared);
  Variable &variable = variables_[declared];
  variable = {};
  variable.name = names_.fresh(name);
  variable.type = type;
  return variable;
}

const Body::Variable &Body::lookup(const clang::VarDecl *declared, ast::SourceRange use) {
  auto it = variables_.find(declared);
  // C++ has the name from its declarator on, in front of the initialiser.
  if (it == variables_.end()) fail(kOwnInitialiser, use, declared->getNameAsString());
  if (!it->second.open) fail(kOtherCase, use, declared->getNameAsString());
  return it->second;
}

std::vector<const ast::Param *> Body::params() {
  if (passing_) return passedParams();
  std::vector<const Param *> result;
  for (const clang::ParmVarDecl *param : function_->parameters()) {
    ast::SourceRange where = range(param->getSourceRange());
    std::string name = param->getName().empty() ? fmt::format("arg{}", result.size()) : param->getNameAsString();
    std::string what =
        param->getName().empty() ? fmt::format("parameter {}", result.size() + 1) : fmt::format("parameter '{}'", name);
    Type read = type(param->getType(), where, what);
    if (read.isArray() && read.element().isArray()) fail(kNestedParameter, where, name);
    bool writes = read.isArray() && !param->getType().isConstQualified();
    Variable &variable = enter(param, name, read);
    result.push_back(arena().make<Param>(where, variable.name, read, writes ? Access::InOut : Access::In));
  }
  return result;
}

ast::Type Body::result() {
  if (passing_) return passing_->made;
  clang::QualType returned = function_->getReturnType();
  ast::SourceRange where = range(function_->getReturnTypeSourceRange());
  if (!where.valid()) where = range(function_->getLocation());
  if (returned->isVoidType()) return Scalar::Void;
  if (arrayType(returned)) fail(kContainerResult, where, title_, spelled(returned, context()));
  return type(returned, where, "the result of " + title_);
}

std::vector<const ast::Expr *> Body::conditions() {
  Exprs result;
  inCondition_ = true;
  for (const clang::Expr *condition : qualifiers_.conditions) {
    const clang::Expr *bare = condition->IgnoreParenImpCasts();
    if (const auto *comma = clang::dyn_cast<clang::BinaryOperator>(bare); comma && comma->isCommaOp())
      fail(kCommaCondition, range(bare->getSourceRange()));
    result.push_back(expr(condition));
  }
  inCondition_ = false;
  return result;
}

void Body::declaration(const clang::Decl *declared, Stmts &out) {
  ast::SourceRange where = range(declared->getSourceRange());
  if (const auto *decomposed = clang::dyn_cast<clang::DecompositionDecl>(declared))
    fail(kNotInLanguage, range(decomposed->getSourceRange()), "a structured binding", "declare each variable");
  if (const auto *local = clang::dyn_cast<clang::VarDecl>(declared)) {
    out.push_back(variable(local));
    return;
  }
  using D = clang::Decl;
  switch (declared->getKind()) {
  case D::Typedef:
  case D::TypeAlias:
  case D::StaticAssert:
  case D::Using:
  case D::UsingDirective:
  case D::UsingShadow:
  case D::UsingEnum:
  case D::NamespaceAlias:
  case D::Enum:
  case D::Empty: return;
  case D::CXXRecord:
  case D::Record: fail(kUnsupported, where, "a class inside a body", "declare the struct outside of functions");
  case D::Function: fail(kUnsupported, where, "a function declared inside a body", "declare it outside");
  default:
    fail(kUnsupported, where, fmt::format("this declaration ({})", declared->getDeclKindName()),
         "declare variables, types and constants");
  }
}

void checkExtents(const ast::Block *body) {
  std::set<std::string> assigned = assignedVariables(body), known;
  auto isKnown = [&](const Expr *e) {
    return !any<Expr>(e, [&](const Expr &part) {
      switch (exprKind(part)) {
      case ExprKind::VarRef: return known.count(as<VarRef>(&part)->name) == 0;
      case ExprKind::IntLit:
      case ExprKind::FloatLit:
      case ExprKind::CoopDim:
      case ExprKind::Cast:
      case ExprKind::Unary:
      case ExprKind::Binary:
      case ExprKind::Conditional: return false;
      case ExprKind::Assign:
      case ExprKind::Call:
      case ExprKind::Subscript:
      case ExprKind::Member:
      case ExprKind::InitList:
      case ExprKind::Size:
      case ExprKind::Pitch:
      case ExprKind::CoopIdx:
      case ExprKind::Atomic:
      case TANGRAM_LANGUAGE_EXPRS:
      case TANGRAM_DEVICE_EXPRS:
      case TANGRAM_CHECKED_EXPRS:
      case TANGRAM_VECTOR_EXPRS: break;
      }
      return true;
    });
  };
  walk(body, [&](const Declare &d) {
    for (const Expr *extent : d.extents)
      if (!d.type.isArray() && !isKnown(extent)) // a container has any
        fail(kLaneExtent, extent->range.valid() ? extent->range : d.range, d.name);
    bool fixed = d.init && d.extents.empty() && !assigned.count(d.name) && isKnown(d.init);
    if (d.tunable || fixed) known.insert(d.name);
  });
}

/// Peels the extents off a local array's type.
std::vector<const ast::Expr *> Body::extents(clang::QualType &type, const clang::VarDecl *declared) {
  Exprs result;
  while (const clang::ArrayType *array = context().getAsArrayType(type)) {
    ast::SourceRange where = range(declared->getSourceRange());
    if (const auto *constant = clang::dyn_cast<clang::ConstantArrayType>(array)) {
      result.push_back(build(where).u64(constant->getSize().getZExtValue()));
    } else if (const auto *variable = clang::dyn_cast<clang::VariableArrayType>(array)) {
      const clang::Expr *size = variable->getSizeExpr();
      if (role_ != Role::Codelet && !qualifiers_.coop)
        fail(kVariableExtent, range(size->getSourceRange()), declared->getNameAsString());
      result.push_back(expr(size));
    } else {
      fail(kUnsupported, where, "a local array without an extent", "write the number of elements");
    }
    type = array->getElementType();
  }
  return result;
}

namespace {

/// `Pair p;`, `Pair p[4];`: the constructor that does nothing, or, of what lanes share, would do nothing for all of it.
bool isDefault(const clang::Expr *init, bool shared) {
  const auto *made = clang::dyn_cast_or_null<clang::CXXConstructExpr>(init);
  return made && made->getConstructor()->isDefaultConstructor() && (made->getConstructor()->isTrivial() || shared) &&
         !made->requiresZeroInitialization();
}

} // namespace

const ast::Stmt *Body::variable(const clang::VarDecl *declared) {
  ast::SourceRange where = range(declared->getSourceRange());
  std::string name = declared->getNameAsString();
  if (declared->isStaticLocal())
    fail(kNotInLanguage, where, "a static local variable",
         declared->getType().isConstQualified() || declared->getType()->isConstantArrayType()
             ? "drop static: a const table is made once anyway; pass what must live on as an Array"
             : "pass what must live on as an Array");
  if (declared->hasExternalStorage() || declared->getTSCSpec() != clang::TSCS_unspecified)
    fail(kNotInLanguage, where, "a variable that is shared with other code", "pass it as a parameter");

  bool shared = findQualifier(*declared, "shared") != nullptr;
  const clang::AnnotateAttr *tuned = findQualifier(*declared, "tunable");
  if (shared && !qualifiers_.coop) fail(kSharedPlace, where, name, title_);
  if (shared && tuned) fail(kSharedTunable, where, name);
  clang::QualType declaredType = declared->getType();
  if (isSequence(declaredType)) fail(kSequencePlace, where);
  bool isConst = declaredType.isConstQualified() || declared->isConstexpr();

  // Not the pointer or class is the point, but what it is made of.
  if (const clang::Expr *init = declared->getInit()) {
    const clang::Expr *made = init->IgnoreUnlessSpelledInSource();
    if (clang::isa<clang::CXXNewExpr>(made) || clang::isa<clang::LambdaExpr>(made)) expr(made);
  }

  if (arrayType(declaredType)) {
    if (shared) fail(kSharedContainer, where, name);
    if (tuned) fail(kTunableType, where, name, spelled(declaredType, context()));
    return container(declared, type(declaredType, where, fmt::format("'{}'", name)));
  }

  clang::QualType elementType = declaredType;
  Exprs sizes = extents(elementType, declared);
  Type read = type(elementType, where, fmt::format("'{}'", name));
  if (declaredType->isConstantArrayType()) {
    std::uint64_t bytes = static_cast<std::uint64_t>(context().getTypeSizeInChars(declaredType).getQuantity());
    if (bytes > kMaxArrayBytes) fail(kLargeArray, where, name, bytes);
  }
  if (!sizes.empty() && read.isArray())
    fail(kUnsupported, where, "a local array of Arrays", "declare one Array of more dimensions");
  const Tunable *choices = nullptr;
  if (tuned) {
    if (!sizes.empty()) fail(kTunableType, where, name, spelled(declaredType, context()));
    choices = tunable(declared, read);
  }
  const Expr *init = nullptr;
  const clang::Expr *written = declared->getInit();
  // An array without initialiser of a class type has one all the same; of a scalar it has none.
  if (read.isStruct() && isDefault(written, shared || declaredType->isVariableArrayType())) written = nullptr;
  if (written && !choices) init = initialiser(written, declaredType);

  isConst |= sizes.empty() ? false : elementType.isConstQualified();
  Variable &variable = enter(declared, name, read);
  variable.isArray = !sizes.empty();
  variable.shared = shared;
  variable.tunable = choices != nullptr;
  return arena().make<Declare>(where, variable.name, read, isConst, shared, std::move(sizes), choices, init);
}

const ast::Stmt *Body::container(const clang::VarDecl *declared, const ast::Type &type) {
  ast::SourceRange where = range(declared->getSourceRange());
  std::string name = declared->getNameAsString();
  if (role_ == Role::Function && !qualifiers_.coop) fail(kHelperContainer, where, name, title_);
  const clang::Expr *init = declared->getInit();
  Exprs sizes;
  const Expr *value = nullptr;
  const clang::Expr *bare = init ? init->IgnoreUnlessSpelledInSource() : nullptr;
  if (const auto *cleanup = clang::dyn_cast_or_null<clang::ExprWithCleanups>(init)) bare = cleanup->getSubExpr();
  const auto *construct = clang::dyn_cast_or_null<clang::CXXConstructExpr>(bare);
  if (construct && !construct->getConstructor()->isCopyOrMoveConstructor()) {
    if (type.element().isArray())
      fail(kUnsupported, where, "a temporary container of containers", "declare one Array of more dimensions");
    for (const clang::Expr *size : construct->arguments()) {
      const Expr *extent = expr(size);
      sizes.push_back(convert(Scalar::U64, extent, extent->range));
    }
  } else if (init) {
    value = expr(init);
  } else {
    fail(kContainerExtents, where, name);
  }
  Variable &variable = enter(declared, name, type);
  return arena().make<Declare>(where, variable.name, type, declared->getType().isConstQualified(), false,
                               std::move(sizes), nullptr, value);
}

// ---- tunables -----------------------------------------------------------------------------------------------

std::int64_t Body::tunableNumber(const clang::Expr *e, const ast::Type &type) {
  ast::SourceRange where = range(e->getSourceRange());
  clang::Expr::EvalResult result;
  if (e->isValueDependent() || !e->getType()->isIntegerType() || !e->EvaluateAsInt(result, context()))
    fail(kTunableValue, where, "a value that is no integer constant");
  llvm::APSInt number = result.Val.getInt();
  unsigned bits = type.bytes() * 8;
  bool fits = type.isSigned()
                  ? number.isRepresentableByInt64() && (bits >= 64 || llvm::isIntN(bits, number.getExtValue()))
                  : number.isNonNegative() && number.getActiveBits() <= std::min(bits, 63u);
  if (!fits)
    fail(kTunableValue, where,
         fmt::format("{}, which does not fit its type {}", llvm::toString(number, 10), type.cName()));
  return number.getExtValue();
}

const ast::Tunable *Body::tunable(const clang::VarDecl *declared, const ast::Type &type) {
  ast::SourceRange where = range(declared->getSourceRange());
  std::string name = declared->getNameAsString();
  if (role_ != Role::Codelet) fail(kTunablePlace, where, name, title_);
  if (depth_ != 1) fail(kTunableNested, where, name);
  if (!type.isInteger() || type.isBool()) fail(kTunableType, where, name, spelled(declared->getType(), context()));
  if (declared->getInit()) fail(kTunableInit, range(declared->getInit()->getSourceRange()), name);

  Int lo = 1, hi = 0, step = 1;
  Ints values;
  if (const clang::AnnotateAttr *chosen = findQualifier(*declared, "range")) {
    std::vector<const clang::Expr *> args(chosen->args_begin(), chosen->args_end());
    for (const clang::Expr *&arg : args) {
      arg = arg->IgnoreParenImpCasts();
      if (const auto *constant = clang::dyn_cast<clang::ConstantExpr>(arg))
        arg = constant->getSubExpr()->IgnoreParenImpCasts();
    }
    ast::SourceRange at = range(chosen->getLocation());
    const auto *list = args.size() == 1 ? clang::dyn_cast<clang::CallExpr>(args[0]) : nullptr;
    if (list && list->getDirectCallee() && list->getDirectCallee()->getDeclName().getAsString() == "values") {
      for (const clang::Expr *value : list->arguments()) values.push_back(tunableNumber(value, type));
      if (values.empty()) fail(kTunableValue, at, "no value at all");
      lo = *std::min_element(values.begin(), values.end());
      hi = *std::max_element(values.begin(), values.end());
    } else if (args.size() == 2 || args.size() == 3) {
      lo = tunableNumber(args[0], type);
      hi = tunableNumber(args[1], type);
      if (args.size() == 3) step = tunableNumber(args[2], type);
      if (hi < lo) fail(kTunableValue, at, fmt::format("the empty range {} to {}", lo, hi));
      if (hi == 0) fail(kTunableValue, at, "a range that ends at 0");
      if (step < 1) fail(kTunableValue, at, fmt::format("the step {}", step));
    } else {
      fail(kTunableForm, at);
    }
  }
  return arena().make<Tunable>(where, lo, hi, step, std::move(values), std::string());
}

// ---- constants outside --------------------------------------------------------------------------------------

/// A constant array of the file becomes a constant array of each body that looks something up in it.
const ast::Expr *Body::table(const clang::VarDecl *global, ast::SourceRange use) {
  clang::QualType element = global->getType();
  Exprs sizes;
  while (const auto *array = context().getAsConstantArrayType(element)) {
    sizes.push_back(build(use).u64(array->getSize().getZExtValue()));
    element = array->getElementType();
  }
  Type read = type(element, use, fmt::format("'{}'", global->getNameAsString()));
  auto [it, isNew] = tables_.try_emplace(global);
  if (isNew) {
    const clang::VarDecl *definition = nullptr;
    const clang::Expr *init = global->getAnyInitializer(definition);
    clang::APValue *value = init && !init->isValueDependent() ? definition->evaluateValue() : nullptr;
    if (!value || inCondition_) fail(kGlobal, use, global->getNameAsString());
    it->second = names_.fresh(global->getNameAsString());
    prologue_.push_back(arena().make<Declare>(range(global->getSourceRange()), it->second, read, true, false, sizes,
                                              nullptr, constant(*value, global->getType(), use)));
  }
  return build(use).var(it->second, read);
}

} // namespace tangram::frontend
