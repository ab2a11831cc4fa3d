// Loops of a worker that walk through containers element by element: what staging is for (dissertation, Figure 7.1).
#pragma once

#include "Addresses.h"
#include "tangram/loops/Counted.h"

#include <vector>

namespace tangram::staging {

using loops::Counted;
/// A loop that may be staged; nothing for others.
std::optional<Counted> counted(ast::Arena &arena, const ast::Stmt *s);

/// Elements of a container that the iterations of a loop touch one behind the other.
struct Stream {
  std::string buffer;
  ast::Type element;
  const ast::Expr *start = nullptr; // index in the buffer of the first iteration's element
  bool shared = false;              // all workers of a unit walk through the same elements (stride zero)
  /// Worker j begins at `first` + j * `distance`, both uniform; null: nothing is known.
  const ast::Expr *first = nullptr, *distance = nullptr;
  bool loads = false, stores = false;
  std::vector<const ast::Subscript *> places;
};

/// Streams of the loop for which staging does something: workers' elements lie apart, or all share them. `worker` is
/// the variable that tells workers apart.
std::vector<Stream> streams(ast::Arena &arena, const Addresses &addresses, const Counted &loop,
                            const std::string &worker);

} // namespace tangram::staging
