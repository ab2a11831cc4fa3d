// Fresh names for variables that passes make.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>

namespace tangram::ast {

/// The names in use in one body, so that new ones differ from them all.
class Names {
public:
  void reserve(const std::string &name) { used_.insert(name); }
  /// Every name that the tree declares or refers to. The codelets of calls in it have names of their own and are
  /// left out.
  void reserveAll(const Node *tree);
  bool taken(const std::string &name) const { return used_.count(name) != 0; }
  /// `wanted`, or where it is taken `wanted_1`, `wanted_2`, ...; taken from then on.
  std::string fresh(const std::string &wanted);

private:
  std::set<std::string> used_;
};

} // namespace tangram::ast
