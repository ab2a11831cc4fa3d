// C++ types as ours.
#pragma once

#include "tangram/clang-family/Ranges.h"

#include "tangram/ast/Type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <optional>
#include <string>

namespace tangram::frontend {

/// Of an arithmetic or enumeration type; nothing for any other, void included.
std::optional<ast::Type> scalarType(clang::QualType type, const clang::ASTContext &context);

/// tangram::Array<rank, element>.
struct ArrayType {
  unsigned rank = 0;
  clang::QualType element;
};
std::optional<ArrayType> arrayType(clang::QualType type);
bool isSequence(clang::QualType type);

class Program;

/// A scalar, struct or container type; throws DiagnosticError that says `what` has it and what to write instead.
ast::Type readType(clang::QualType type, Program &program, ast::SourceRange where, const std::string &what);

/// As the user would write it.
std::string spelled(clang::QualType type, const clang::ASTContext &context);
/// Text of Clang's with the language's names of types.
std::string inOurWords(std::string text);

/// The namespaces that a reader would write, and the name.
std::string qualifiedName(const clang::NamedDecl &declaration);
/// The same as an identifier.
std::string plainName(const clang::NamedDecl &declaration);

} // namespace tangram::frontend
