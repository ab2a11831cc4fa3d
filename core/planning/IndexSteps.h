// How indices of a codelet move, where its sizes are as expected and its tunables are known.
#pragma once

#include "ExpectedSites.h"

#include "tangram/ast/Functions.h"

#include <cmath>
#include <functional>

namespace tangram {

/// Numbers of a codelet's body where sizes are as expected: lane 0 of so many.
class Numbers final : public ExpectedSites {
public:
  Numbers(const ast::Module &module, const ast::Codelet &codelet, const std::vector<Extents> &arguments,
          const Scalars &known, std::uint64_t lanes, std::shared_ptr<const CodeletSource> source);
  std::optional<double> operator()(const ast::Expr *expr);
  /// Also where only a bound is known: std::min(8, rest).
  std::optional<double> most(const ast::Expr *expr);
  /// Whether a variable is set other than where it is declared; counters of loops are.
  bool changes(const std::string &name) const { return source().changes(name); }
  /// What a variable that keeps its value begins as; null for another one.
  const ast::Expr *definition(const std::string &name) const;
  /// Of any variable.
  const ast::Expr *beginning(const std::string &name) const;
  /// What a variable stays; else the expression.
  const ast::Expr *resolved(const ast::Expr *e) const;
  /// The function of a call where it is an expression; else null.
  const ast::Function *function(const ast::Call &call) const { return functionOfExpression(module(), call); }
};

class IndexSteps {
public:
  /// `isRange`: whether an element is one of an index range, numbers one after the other.
  IndexSteps(Numbers &numbers, std::function<bool(const ast::Subscript &)> isRange)
      : numbers_(numbers), isRange_(std::move(isRange)) {}

  /// For how many turns of a loop an index stays as it is, or moves on by one.
  struct Run {
    bool moves = false;
    double length = HUGE_VAL;
  };
  Run run(const ast::Expr *index, const std::string &counter);
  /// By how much it grows from lane to lane, but for a few of them; nothing where there is no telling.
  std::optional<double> acrossLanes(const ast::Expr *index);

private:
  Numbers &numbers_;
  std::function<bool(const ast::Subscript &)> isRange_;
  std::map<std::pair<std::string, std::string>, Run> runs_;         // of variables, by a loop's counter
  std::map<std::string, std::optional<double>> steps_;              // of variables
  std::vector<std::map<std::string, std::optional<double>>> calls_; // of functions: steps of their parameters
};

} // namespace tangram
