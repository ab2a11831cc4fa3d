// Whole numbers of one iteration of a loop as sums of products: c0 + c1 * i + c2 * row * pitch + ...
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/loops/Copies.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram::loops {

class Sums {
public:
  /// Numbers of factors, in order; none: a constant.
  using Product = std::vector<unsigned>;
  using Sum = std::map<Product, ast::Int>;  // coefficients, none of which is 0
  static constexpr unsigned kIteration = 0; // the factor that is the loop's variable

  Sums(ast::Arena &arena, const ast::Loop &loop, const Copies &copies);

  /// Nothing where an iteration's number is part of it otherwise. Signed arithmetic is taken not to overflow; where a
  /// conversion may change the value, `exact()` says what has to be the same.
  std::optional<Sum> of(const ast::Expr *e);
  /// As a number of 64 bits, `iteration` (of that type) in place of the loop's variable.
  const ast::Expr *written(const Sum &sum, const ast::Expr *iteration) const;
  const ast::Expr *written(const Product &product, const ast::Expr *iteration) const;

  /// From here on, a variable of the iteration that keeps its value is this.
  void becomes(const std::string &variable, const ast::Expr *init);

  /// A variable of a loop inside that counts from one known number to another: the first and the last one it has.
  struct Counter {
    ast::Int first, last;
  };
  /// Null where the factor is none.
  const Counter *counter(unsigned factor) const;
  const std::string &variable(unsigned factor) const; // of a factor that is one
  const ast::Expr *expression(unsigned factor) const { return factors_[factor]; }
  /// Numbers that stand for variables.
  using Values = std::map<std::string, ast::Int>;

  /// The same for all iterations of the loop: made of what is declared outside of it.
  bool invariant(unsigned factor) const;
  bool invariant(const Product &product) const;
  /// Variables of the iteration replaced by what they were made of, and the loop's variable by `iteration`; those of
  /// `counters` by their numbers. Null where that cannot be said outside of the loop.
  const ast::Expr *outside(const ast::Expr *e, const ast::Expr *iteration, const Values &counters = {}) const;

  /// Conversions that sums have gone through, each with the sum that is its value if it keeps that.
  const std::vector<std::pair<const ast::Expr *, Sum>> &exact() const { return exact_; }

  static ast::Int coefficient(const Sum &sum, const Product &product);
  static void add(Sum &to, const Sum &sum, ast::Int times);

private:
  std::optional<Sum> product(const Sum &a, const Sum &b) const;
  Sum factor(const ast::Expr *e);
  const ast::Expr *initialiser(const std::string &variable) const;

  ast::Arena &arena_;
  const ast::Loop &loop_;
  const Copies &copies_;
  std::set<std::string> inside_;                       // declared by an iteration
  std::map<std::string, const ast::Expr *> constants_; // of these, those that keep a value: what it is
  std::map<std::string, Counter> counters_;
  std::vector<const ast::Expr *> factors_;
  std::vector<std::pair<const ast::Expr *, Sum>> exact_;
};

} // namespace tangram::loops
