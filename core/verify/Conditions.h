// What a spectrum's conditions (`__requires`) say of a shape: which of them hold, as far as sizes and scalars tell.
#pragma once

#include "tangram/verify/Shapes.h"

namespace tangram::runtime {

class Conditions {
public:
  /// Both live as long as this does. Conditions joined by && are looked at one by one.
  Conditions(const ast::Spectrum &spectrum, const Shape &shape);

  const std::vector<const ast::Expr *> &all() const { return conditions_; }
  const ast::Expr *firstBroken() const;
  std::size_t countBroken() const;

  /// Of an integer, a truth value; nothing where it cannot be told.
  std::optional<std::int64_t> value(const ast::Expr *e) const;
  /// Of any number.
  std::optional<double> real(const ast::Expr *e) const;
  std::optional<std::size_t> param(const std::string &name) const;

private:
  void split(const ast::Expr *condition);
  std::optional<std::int64_t> sizeOf(const ast::Size &size) const;
  std::optional<std::int64_t> binary(const ast::Binary &n) const;
  std::optional<std::int64_t> compared(const ast::Binary &n) const;

  const ast::Spectrum &spectrum_;
  const Shape &shape_;
  std::vector<const ast::Expr *> conditions_;
};

} // namespace tangram::runtime
