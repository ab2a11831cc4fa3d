#include "Qualifiers.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>

namespace tangram::frontend {
namespace {

constexpr llvm::StringLiteral kPrefix = "tangram.";

std::vector<std::string> listed(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, false);
  std::vector<std::string> result;
  for (llvm::StringRef part : parts)
    if (!part.trim().empty()) result.push_back(part.trim().str());
  return result;
}

/// diagnose_if(false && (condition), ...): the condition.
const clang::Expr *conditionOf(const clang::DiagnoseIfAttr &attribute) {
  if (!attribute.getMessage().starts_with("tangram.requires=")) return nullptr;
  const clang::Expr *whole = attribute.getCond()->IgnoreParenImpCasts();
  if (const auto *constant = clang::dyn_cast<clang::ConstantExpr>(whole))
    whole = constant->getSubExpr()->IgnoreParens();
  const auto *both = clang::dyn_cast<clang::BinaryOperator>(whole);
  return both ? both->getRHS() : nullptr;
}

} // namespace

FunctionQualifiers qualifiersOf(const clang::FunctionDecl &function) {
  FunctionQualifiers result;
  for (const clang::Attr *attribute : function.attrs()) {
    if (const auto *check = clang::dyn_cast<clang::DiagnoseIfAttr>(attribute)) {
      if (const clang::Expr *condition = conditionOf(*check)) result.conditions.push_back(condition);
      continue;
    }
    const auto *annotation = clang::dyn_cast<clang::AnnotateAttr>(attribute);
    if (!annotation) continue;
    llvm::StringRef text = annotation->getAnnotation();
    if (!text.consume_front(kPrefix)) continue;
    if (text == "spectrum")
      result.spectrum = true;
    else if (text == "codelet")
      result.codelet = true;
    else if (text == "coop")
      result.coop = true, result.coopAt = attribute;
    else if (text == "independent")
      result.independent = true, result.independentAt = attribute;
    else if (text.consume_front("tag="))
      result.tag = text.trim().str(), result.tagged = attribute;
    else if (text.consume_front("env="))
      result.env = listed(text), result.envAt = attribute;
    else if (text.consume_front("at="))
      result.levels = listed(text), result.levelsAt = attribute;
  }
  return result;
}

std::string primitiveOf(const clang::FunctionDecl &function) {
  for (const clang::FunctionDecl *f = &function; f;) {
    for (const auto *annotation : f->specific_attrs<clang::AnnotateAttr>()) {
      llvm::StringRef text = annotation->getAnnotation();
      if (text.consume_front(kPrefix) && text.consume_front("primitive=")) return text.str();
    }
    const clang::FunctionDecl *pattern = f->getTemplateInstantiationPattern(false);
    if (!pattern) pattern = f->getInstantiatedFromMemberFunction();
    if (!pattern && f->getPrimaryTemplate()) pattern = f->getPrimaryTemplate()->getTemplatedDecl();
    f = pattern == f ? nullptr : pattern;
  }
  return "";
}

const clang::AnnotateAttr *findQualifier(const clang::Decl &declaration, llvm::StringRef qualifier) {
  for (const auto *annotation : declaration.specific_attrs<clang::AnnotateAttr>()) {
    llvm::StringRef text = annotation->getAnnotation();
    if (text.consume_front(kPrefix) && text == qualifier) return annotation;
  }
  return nullptr;
}

std::string qualifierName(const clang::AnnotateAttr &attribute) {
  llvm::StringRef text = attribute.getAnnotation();
  if (!text.consume_front(kPrefix)) return "";
  llvm::StringRef word = text.take_until([](char c) { return c == '='; });
  return "__" + (word == "range" ? llvm::StringRef("tunable") : word).str();
}

} // namespace tangram::frontend
