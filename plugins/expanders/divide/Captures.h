// What statements use of the codelet around them: parameters of a spectrum that is made of them.
#pragma once

#include "tangram/nest/Nest.h"

#include <set>

namespace tangram::divide {

inline const ast::Type kSize = ast::Scalar::U64, kLane = ast::Scalar::U32;

struct Captures {
  std::vector<const ast::Param *> params;   // containers and scalars that are read
  std::vector<const ast::Expr *> arguments; // what stands for them in the codelet
  std::vector<const ast::Declare *> own;    // scalars declared around that every iteration has for itself
};

/// Of everything below these statements but the names in `without`; `privates` are variables of which each iteration
/// may have its own. Nothing, with a reason, where something cannot be handed over.
std::optional<Captures> capturesOf(const nest::Nest &nest, const std::vector<const ast::Stmt *> &statements,
                                   const std::set<std::string> &without, const std::set<std::string> &privates,
                                   ast::Arena &arena, std::string &why);

/// Whether a container has a second name: `auto row = m[i];`.
bool hasViews(const ast::Codelet &codelet);

/// Variables that a tree changes, and containers of which it changes elements, by their names.
std::set<std::string> changedBy(const ast::Node *tree);

/// Whether it calls what may change more: functions of users that do so, spectrums, maps.
bool callsChangeSomething(const ast::Node *tree, const ast::Module &module);

/// n of `size_t n = a.size(0);` is a.size(0): a number that nothing is known of would be handed over.
const ast::Codelet *withSizes(const ast::Codelet &codelet, ast::Arena &arena);

/// A codelet that was made of statements of `source`, with the constant arrays of `source` that it uses.
const ast::Codelet *withTables(const ast::Codelet *made, const ast::Codelet &source, ast::Arena &arena);

} // namespace tangram::divide
