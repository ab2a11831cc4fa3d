// Qualifiers of declarations, read back from the attributes that the language's macros leave.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <optional>
#include <string>
#include <vector>

namespace tangram::frontend {

struct FunctionQualifiers {
  bool spectrum = false, codelet = false, coop = false, independent = false;
  const clang::Attr *tagged = nullptr, *coopAt = nullptr, *envAt = nullptr, *independentAt = nullptr,
                    *levelsAt = nullptr;
  std::string tag;
  std::vector<std::string> env, levels;
  std::vector<const clang::Expr *> conditions; // as written in __requires
};
FunctionQualifiers qualifiersOf(const clang::FunctionDecl &function);

/// "map", "atomic:add", ...: which primitive of the language a function is; empty for any other.
std::string primitiveOf(const clang::FunctionDecl &function);

/// The attribute that `qualifier` ("shared", "tunable", ...) leaves.
const clang::AnnotateAttr *findQualifier(const clang::Decl &declaration, llvm::StringRef qualifier);

/// "__shared" of the attribute "tangram.shared"; empty where it is not one of the language.
std::string qualifierName(const clang::AnnotateAttr &attribute);

} // namespace tangram::frontend
