#include "Types.h"

#include "Messages.h"
#include "Program.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/CharInfo.h>

namespace tangram::frontend {
namespace {

const clang::CXXRecordDecl *languageClass(clang::QualType type, llvm::StringRef name) {
  const clang::CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier() || record->getName() != name) return nullptr;
  const auto *space = clang::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
  if (!space || !space->getParent()->isTranslationUnit() || space->getName() != "tangram") return nullptr;
  return record;
}

std::string adviceFor(clang::QualType type) {
  if (type->isReferenceType()) {
    if (arrayType(type->getPointeeType())) return "drop the &: an Array is passed by value and never copied";
    if (type->getPointeeType().isConstQualified()) return "drop the &: keep the value";
    return "keep the value, and assign to the element itself, a[i].x = ...; a function may have a parameter by "
           "reference, a "
           "spectrum changes elements of an Array";
  }
  if (type->isFunctionPointerType() || type->isFunctionType()) return "call a function or spectrum by its name";
  if (type->isPointerType()) return "use an Array<1, T>, or a local array, and subscripts";
  if (type->isSpecificBuiltinType(clang::BuiltinType::LongDouble)) return "use double";
  if (type->isArrayType()) return "use an Array<N, T>";
  if (type->isRecordType())
    return "use scalars, Arrays, or a struct of your own that has arithmetic fields and nothing else";
  return "use bool, an integer type of at most 64 bits, float, double, f16 or bf16";
}

} // namespace

std::optional<ast::Type> scalarType(clang::QualType type, const clang::ASTContext &context) {
  using ast::Scalar;
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto *enumeration = type->getAs<clang::EnumType>()) {
    clang::QualType under = enumeration->getDecl()->getIntegerType();
    return under.isNull() ? std::nullopt : scalarType(under, context);
  }
  if (type->isBooleanType()) return ast::Type(Scalar::Bool);
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float)) return ast::Type(Scalar::F32);
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double)) return ast::Type(Scalar::F64);
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float16)) return ast::Type(Scalar::F16);
  if (type->isSpecificBuiltinType(clang::BuiltinType::BFloat16)) return ast::Type(Scalar::BF16);
  if (!type->isBuiltinType() || !type->isIntegerType()) return {};
  bool isSigned = type->isSignedIntegerType();
  switch (context.getTypeSize(type)) {
  case 8: return ast::Type(isSigned ? Scalar::I8 : Scalar::U8);
  case 16: return ast::Type(isSigned ? Scalar::I16 : Scalar::U16);
  case 32: return ast::Type(isSigned ? Scalar::I32 : Scalar::U32);
  case 64: return ast::Type(isSigned ? Scalar::I64 : Scalar::U64);
  default: return {};
  }
}

std::optional<ArrayType> arrayType(clang::QualType type) {
  const auto *array = clang::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(languageClass(type, "Array"));
  if (!array) return {};
  const clang::TemplateArgumentList &args = array->getTemplateArgs();
  if (args.size() != 2 || args[0].getKind() != clang::TemplateArgument::Integral ||
      args[1].getKind() != clang::TemplateArgument::Type)
    return {};
  return ArrayType{static_cast<unsigned>(args[0].getAsIntegral().getZExtValue()), args[1].getAsType()};
}

bool isSequence(clang::QualType type) { return languageClass(type, "Sequence") != nullptr; }

ast::Type readType(clang::QualType type, Program &program, ast::SourceRange where, const std::string &what) {
  const clang::ASTContext &context = program.context();
  if (std::optional<ast::Type> scalar = scalarType(type, context)) return *scalar;
  if (std::optional<ArrayType> array = arrayType(type)) {
    if (array->element.hasQualifiers())
      fail(kQualifiedElement, where, spelled(type, context), spelled(array->element.getUnqualifiedType(), context),
           array->rank);
    return ast::Type::array(array->rank, readType(array->element, program, where, "the element of " + what));
  }
  if (isSequence(type)) fail(kSequencePlace, where);
  if (std::optional<ast::Type> structure = program.structure(type, where)) return *structure;
  fail(kUnsupportedType, where, what, spelled(type, context), adviceFor(type));
}

std::string spelled(clang::QualType type, const clang::ASTContext &context) {
  clang::PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  policy.FullyQualifiedName = false;
  policy.SuppressScope = arrayType(type).has_value();
  return inOurWords(type.getAsString(policy));
}

std::string inOurWords(std::string text) {
  for (const auto &[theirs, ours] : {std::pair<std::string, std::string>{"_Float16", "f16"}, {"__bf16", "bf16"}})
    for (std::size_t at = 0; (at = text.find(theirs, at)) != std::string::npos;) {
      bool starts = at == 0 || !clang::isAsciiIdentifierContinue(text[at - 1]);
      std::size_t end = at + theirs.size();
      bool whole = starts && (end == text.size() || !clang::isAsciiIdentifierContinue(text[end]));
      if (whole) text.replace(at, theirs.size(), ours);
      at += whole ? ours.size() : theirs.size();
    }
  return text;
}

std::string qualifiedName(const clang::NamedDecl &declaration) {
  std::string result = declaration.getDeclName().getAsString();
  for (const clang::DeclContext *scope = declaration.getDeclContext(); scope; scope = scope->getParent()) {
    const auto *named = clang::dyn_cast<clang::NamedDecl>(scope);
    if (!named || !named->getIdentifier()) continue;
    if (const auto *space = clang::dyn_cast<clang::NamespaceDecl>(scope); space && space->isInline()) continue;
    result = named->getName().str() + "::" + result;
  }
  return result;
}

} // namespace tangram::frontend
