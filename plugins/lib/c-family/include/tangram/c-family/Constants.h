// What is known of a kernel's variables when its text is written.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace tangram::c_family {

class Constants {
public:
  explicit Constants(const ast::Kernel &kernel);

  /// Never changed behind its declaration.
  bool isFixed(const std::string &variable) const { return !assigned_.count(variable); }
  /// A constant expression of C++ too: literals, the kernel's constants, fixed variables made of these.
  bool isConstantExpression(const ast::Expr *e) const;
  /// The value it has where the kernel's constants have their defaults.
  std::optional<std::int64_t> value(const ast::Expr *e) const;
  /// Initialiser of a fixed variable; null for all others.
  const ast::Expr *initialiser(const std::string &variable) const;

  /// How often `for (i = A; i < B; ++i)` turns, where that is known and little, and it goes through some of these
  /// arrays: a worker's own arrays are in registers where it goes through them without a loop.
  std::optional<std::int64_t> turnsThrough(const ast::For &loop, const std::set<std::string> &arrays) const;

  /// Whether `for (i = A; i < B; ++i)` with loops in it is to be written out: it goes through some of these arrays,
  /// which are shared, so that what the next turn reads of them is loaded while this one computes; each loop's turns
  /// are known, and all of it is not too much.
  bool isWrittenOut(const ast::For &loop, const std::set<std::string> &arrays) const;

  /// A constant expression without variables: of literals and the kernel's constants. `arena` takes it.
  const ast::Expr *inlined(const ast::Expr *e, ast::Arena &arena) const;

private:
  std::optional<std::int64_t> turns(const ast::For &loop) const;
  std::optional<std::int64_t> statements(const ast::Stmt *s) const;

  std::set<std::string> assigned_;
  std::map<std::string, const ast::Expr *> defaults_, initialisers_;
  // Of variables asked for before: one's initialiser names others, and those others again.
  mutable std::map<std::string, bool> areConstant_;
  mutable std::map<std::string, std::optional<std::int64_t>> values_;
};

} // namespace tangram::c_family
