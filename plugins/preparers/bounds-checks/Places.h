// The containers and arrays of a flat kernel, and what each index of an access must be below.
#pragma once

#include "tangram/ast/Build.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::checks {

/// An element by its container's name and one index a dimension.
struct Element {
  const ast::VarRef *base = nullptr;
  std::vector<const ast::Expr *> indices;
};

/// Nothing where the base is no variable.
std::optional<Element> elementOf(const ast::Subscript *e);

class Places {
public:
  explicit Places(ast::Arena &arena) : arena_(arena) {}
  void declare(const ast::Param *param);
  void declare(const ast::View *view);
  void declare(const ast::Alloc *alloc);
  void declare(const ast::Declare *array);

  /// How many elements each dimension has, as u64; null where the name is no container, or of other dimensions.
  const std::vector<const ast::Expr *> *sizes(const Element &access) const;

private:
  void array(const ast::Node *at, const std::string &name, const std::vector<const ast::Expr *> &extents);
  void container(const ast::Node *at, const std::string &name, const ast::Type &element, unsigned rank);

  ast::Arena &arena_;
  std::map<std::string, std::vector<const ast::Expr *>> sizes_;
};

} // namespace tangram::checks
