// Upper bounds of what a launch computes, in terms of what the host knows: polynomials over its sizes and scalars, with
// coefficients that are not negative. So they grow with each of them, and the host can say before it launches whether
// they stay below a limit.
#pragma once

#include "tangram/ast/Build.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::ranges {

class Bound {
public:
  Bound() = default;
  explicit Bound(double constant);
  /// What the host knows by this expression, which is of an integer type and stays as it is.
  static Bound atom(const ast::Expr *e);

  Bound operator+(const Bound &other) const;
  Bound operator*(const Bound &other) const;
  Bound scaled(double factor) const;
  /// Not below either.
  static Bound max(const Bound &a, const Bound &b);
  /// Either of two that both hold: the simpler one.
  static const Bound &min(const Bound &a, const Bound &b);

  std::optional<double> constant() const;
  /// Whether it may be at most this: the host knows the rest.
  bool possible(double most) const;
  /// Each coefficient is at most the other's.
  bool within(const Bound &other) const;
  /// Whether it is at most `most` where others, that have its monomials, are: a mean of them.
  bool follows(const std::vector<Bound> &others, double most) const;
  /// bound <= most, computed in f64: without a wrap, and exact where it holds.
  const ast::Expr *atMost(double most, const ast::Build &b) const;

private:
  std::size_t degree() const;

  using Monomial = std::vector<std::string>; // names of atoms, sorted; of the constant: none
  std::map<Monomial, double> terms_;
  std::map<std::string, const ast::Expr *> atoms_;
};

} // namespace tangram::ranges
