// Scalars that hold one value from their declaration on.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <string>

namespace tangram::nest {

class KeptValues {
public:
  explicit KeptValues(const ast::Codelet &codelet);

  /// The expression without casts of integers to no fewer bits, and with what such a scalar was declared to be in
  /// place of the scalar, as far as that goes on.
  const ast::Expr *resolved(const ast::Expr *e) const;

private:
  std::map<std::string, const ast::Expr *> values_;
};

} // namespace tangram::nest
