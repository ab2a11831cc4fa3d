// What lanes gather in each turn of a loop from memory that the loop leaves alone.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"

#include <set>
#include <string>
#include <vector>

namespace tangram::invariant {

/// Moves loads of a loop's body in front of it: gathers and masked loads, which C++ compilers leave in place, of places
/// that are the same in all turns, come to in each, from a container of which the loop stores nothing.
class Gathers {
public:
  Gathers(ast::Arena &arena, const ast::Kernel &kernel);

  /// `turns`: whether there is a turn, null where that is not known in front of the loop; `varying`: variables that
  /// are not there, or change. What is put in front is added to `moved`.
  const ast::Block *without(const ast::Block *body, const ast::Expr *turns, const std::set<std::string> &varying,
                            std::vector<const ast::Stmt *> &moved);

private:
  bool stores(const ast::Block *body) const;

  ast::Arena &arena_;
  ast::Names names_;
  std::set<std::string> given_, arrays_; // containers of the kernel, its own arrays
};

} // namespace tangram::invariant
