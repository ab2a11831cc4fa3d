// Reads the loop nests of an autonomous codelet.
#pragma once

#include "tangram/nest/Nest.h"

#include <map>
#include <memory>

namespace tangram::nest {

/// Of which accesses it is found out whether a dimension of a container is used like several.
enum class Places : std::uint8_t {
  Dependent, // those on which something may depend
  All
};

/// All of the codelet's body. What is not affine is remarked upon and stands for more than it does: an access for its
/// whole container, a loop for all values of its iterator, a statement that cannot be taken apart for all that it
/// mentions. Null for a cooperative codelet.
std::unique_ptr<Nest> read(const ast::Module &module, const ast::Codelet &codelet, Places places = Places::Dependent);

/// Whether a nest knows the loop by its iterator, `for (i = begin; cond; i += number)`, and what leaves it or cuts its
/// passes short.
bool isCounted(const ast::For &loop, const ast::Module &module);

/// The nests of a module's codelets, each of which is read once.
class Nests {
public:
  explicit Nests(const ast::Module &module) : module_(module) {}
  const ast::Module &module() const { return module_; }

  /// What read() makes of a codelet, which lives as long as this and has to do so as well.
  const Nest *of(const ast::Codelet &codelet);

private:
  const ast::Module &module_;
  std::map<const ast::Codelet *, std::unique_ptr<Nest>> nests_;
};

/// Whether evaluating the expression changes anything, where functions that are expressions are known. `depth`: within
/// so many calls.
bool changesSomething(const ast::Expr *e, const ast::Module &module, unsigned depth = 0);

} // namespace tangram::nest
