// Values that are known when a kernel is compiled: of literals, of the kernel's constants (as they are by default), and
// of variables that keep a value made of these, through launches too.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tangram::ast {

class KnownValues {
public:
  static constexpr std::string_view kAnalysis = "known-values"; // pass/Analyses.h
  explicit KnownValues(const Kernel &kernel);

  /// The value of an integer expression where the kernel's constants have their defaults. `used` gets the names of the
  /// constants that it rests on: code made for the value is right only where these are frozen.
  std::optional<Int> value(const Expr *e, std::set<std::string> *used = nullptr) const;
  /// Never changed behind its declaration.
  bool isFixed(const std::string &variable) const { return !assigned_.count(variable); }
  /// Initialiser of a scalar variable that keeps its value; null for all others.
  const Expr *initialiser(const std::string &variable) const;
  /// A constant expression of C++ too: literals, the kernel's constants, fixed variables made of these.
  bool isConstantExpression(const Expr *e) const;
  /// A constant expression without variables: of literals and the kernel's constants.
  const Expr *inlined(const Expr *e, Arena &arena) const;
  /// A constant expression without variables that an unsigned number is never above, as `room` is of `n < room ? n :
  /// room`, or of 1 more of 1 more; null where that cannot be said.
  const Expr *upperBound(const Expr *e, Arena &arena) const;
  /// The expression over parameters and constants of the kernel alone, initialisers put in for variables; null where
  /// that cannot be said.
  const Expr *overParameters(const Expr *e, Arena &arena) const;

private:
  struct Value {
    std::optional<Int> number;
    std::set<std::string> used;
  };
  std::optional<Int> valueOf(const std::string &variable, std::set<std::string> *used) const;

  std::map<std::string, const Expr *> defaults_, initialisers_;
  std::set<std::string> parameters_, assigned_;
  // Of variables asked for before: one's initialiser names others, and those others again.
  mutable std::map<std::string, Value> values_;
  mutable std::map<std::string, bool> areConstant_;
};

/// The kernel with these of its constants, and variables that are nothing else, put in as numbers: tunables no more.
const Kernel *freeze(Arena &arena, const Kernel *kernel, const std::set<std::string> &constants);

} // namespace tangram::ast
