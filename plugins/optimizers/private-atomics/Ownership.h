// Which memory nobody else can touch while a statement runs.
#pragma once

#include "tangram/ast/Storage.h"

#include <map>
#include <string>

namespace tangram::private_atomics {

/// Follows a walk through a flat kernel. Memory belongs to whoever runs the statement where nothing between its
/// declaration and the statement runs at once with anything else: then all workers that see it are forked behind the
/// statement or joined before it.
class Ownership {
public:
  Ownership(const ast::Kernel &kernel, const ast::Storage &storage);

  /// The loop's iterations, or what hangs below the node, may run at once.
  static bool forks(const ast::Stmt *s);
  void enter() { ++depth_; }
  void leave() { --depth_; }
  /// Called where it stands. `shared` says that all workers of the region around have one.
  void declare(const std::string &buffer, bool shared);

  /// Whether a place in memory belongs to whoever runs the statement.
  bool owns(const ast::Expr *place) const;
  const ast::Storage &storage() const { return storage_; }

private:
  const ast::Storage &storage_;
  unsigned depth_ = 0;
  std::map<std::string, unsigned> declaredAt_; // of the kernel's parameters: 0
};

} // namespace tangram::private_atomics
