// Which container or array a pointer leads to: two of them never share an element.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <set>
#include <string>

namespace tangram::loops {

/// The pointer by which a place is accessed, of p[i] and *p; null for other expressions.
const ast::Expr *pointerOf(const ast::Expr *place);

class Memory {
public:
  explicit Memory(const ast::Kernel &kernel);

  /// The name of the container or array; empty where that cannot be said.
  std::string root(const ast::Expr *pointer) const;
  /// Whether it lies where a load takes long: neither in scratchpad memory nor in registers.
  bool far(const std::string &root) const { return far_.count(root) != 0; }

private:
  std::map<std::string, const ast::Expr *> pointers_; // what each was made of; null: of several
  std::set<std::string> far_;
};

} // namespace tangram::loops
