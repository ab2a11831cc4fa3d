#include "tangram/nest/StoredElements.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

StoredElements::StoredElements(const Codelet &codelet) {
  walk(codelet.body, [&](const Assign &a) {
    const auto *element = dyn<Subscript>(a.target);
    if (element && isa<VarRef>(element->base)) elements_.push_back(element);
  });
}

bool StoredElements::recurs(const Expr *value, const Expr *cond) const {
  const auto follows = [&](const Expr *index) {
    return any<VarRef>(cond, [&](const VarRef &v) { return mentions(index, v.name); });
  };
  return any<Subscript>(value, [&](const Subscript &read) {
    return std::any_of(elements_.begin(), elements_.end(), [&](const Subscript *stored) {
      return equal(read.base, stored->base) &&
             (read.indices.size() == 1 ||
              std::equal(read.indices.begin(), read.indices.end(), stored->indices.begin(), stored->indices.end(),
                         [&](const Expr *a, const Expr *b) { return equal(a, b) || follows(a); }));
    });
  });
}

} // namespace tangram::nest
