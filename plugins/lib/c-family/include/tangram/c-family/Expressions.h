// Expressions as text. The class itself speaks C++; what another language of the family spells otherwise is virtual.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/diag/Diagnostic.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace tangram::c_family {

/// A node that passes should have lowered.
inline constexpr DiagnosticKind kLanguageNode{
    "c-family.language-node", DiagnosticClass::User, "a {} reached the backend",
    "the passes of the target must lower it first: compare its pipeline with those in hw/"};

class Expressions {
public:
  Expressions() = default;
  virtual ~Expressions() = default;

  /// What variables are called that do not print under their own name; "(*x)" for one that is passed by address.
  std::map<std::string, std::string> spelling;
  /// Set where the text needs <cmath>, <limits>, <algorithm>, atomic operations, in_range() and faulted(), conversions
  /// of f16 and bf16.
  bool usesMath = false, usesLimits = false, usesAlgorithm = false, usesAtomics = false, usesChecks = false,
       usesHalf = false;
  /// Functions of the module; all others are the math library's.
  std::set<std::string> functions;

  /// `wanted`: what the place converts to by itself, so that literals and widening casts need no spelling.
  std::string print(const ast::Expr *e, const ast::Type &wanted = {});
  /// In parentheses where it binds less than `strength`.
  std::string operand(const ast::Expr *e, int strength, const ast::Type &wanted);

  virtual std::string type(const ast::Type &type);
  /// A statement as one expression, where the language has one that says more.
  virtual std::optional<std::string> update(const ast::If &) { return std::nullopt; }
  /// `text` converted to a type: "int(text)".
  virtual std::string converted(const ast::Type &to, const std::string &text);

  /// Binding strengths: a primary expression, a postfix one, a prefix one, < and its like, ?:, an assignment, a comma.
  static constexpr int kPrimary = 16, kPostfix = 15, kPrefix = 14, kLess = 9, kTernary = 2, kAssign = 2, kComma = 1;

protected:
  struct Text {
    std::string text;
    int strength = kPrimary;
  };
  Text at(const ast::Expr *e, const ast::Type &wanted);

  // What languages spell differently, as C++ does.
  virtual std::string boolean(bool value);
  /// The least value of a signed type, which has no literal.
  virtual std::string least(const ast::Type &type);
  virtual std::string most64();
  /// A literal of a type that has none of its own: "int64_t(5)"; `wide`: beyond 32 bits.
  virtual Text typedLiteral(const ast::Type &type, const std::string &digits, bool wide);
  virtual std::string infinity(const ast::Type &type);
  virtual std::string notANumber(const ast::Type &type);
  /// The minimum or maximum of two integers of one type.
  virtual Text extremum(bool minimum, const ast::Expr *a, const ast::Expr *b, const ast::Type &type);
  virtual Text assign(const ast::Assign *e);
  virtual Text choice(const ast::Conditional *e, const ast::Type &wanted);
  virtual Text cast(const ast::Cast *e, const ast::Type &wanted);
  virtual Text call(const ast::Call *e);
  virtual Text atomic(const ast::Atomic *e);
  virtual Text initList(const ast::InitList *e);
  /// What stands in front of in_range() and faulted().
  virtual std::string checks() const { return "tangram_checked::"; }
  /// Of a kind that only some languages have.
  virtual Text other(const ast::Expr *e, const ast::Type &wanted);

  std::string arguments(const ast::Call *e);
  /// "base + index".
  std::string address(const ast::Expr *base, const ast::Expr *index);

private:
  Text literal(const ast::IntLit *e, const ast::Type &wanted);
  Text real(const ast::FloatLit *e);
  Text unary(const ast::Unary *e);
  Text binary(const ast::Binary *e);
  Text check(const ast::Check *e);
  Text faulted(const ast::Faulted *e);
};

} // namespace tangram::c_family
