// The elements that a codelet stores to, by how they are written.
#pragma once

#include "tangram/ast/Node.h"

#include <vector>

namespace tangram::nest {

class StoredElements {
public:
  explicit StoredElements(const ast::Codelet &codelet);
  /// Whether a value is computed of an element that an earlier iteration may have stored, one of a loop of which a
  /// condition asks the iterator: `x[i][j - 1]` for `x[i][j]` and `j > 0`, but not `x[i - 1][j - 1]`.
  bool recurs(const ast::Expr *value, const ast::Expr *cond) const;

private:
  std::vector<const ast::Subscript *> elements_;
};

} // namespace tangram::nest
