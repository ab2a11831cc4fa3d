// Loops that accumulate into elements of a container, as a histogram does: their updates as atomic operations, and each
// group's own copy of the container (privatization).
#pragma once

#include "Spectrums.h"
#include "tangram/nest/Dependences.h"

namespace tangram::divide {

/// A loop that carries nothing but accumulations into elements of containers, beside such into scalars, and by which
/// operators.
struct Accumulation {
  unsigned loop = 0;
  std::map<std::string, nest::ReductionOp> containers;
  bool outermost = true;
};

/// Outermost ones, and of others such as have no loop in them that tells places apart. Of whole numbers; where
/// floating-point numbers may be added in another order (`reorder`), also of these, where no loop in it does. Of
/// updates that atomic operations could do.
std::vector<Accumulation> accumulations(const nest::Nest &nest, bool reorder, ast::Arena &arena);

/// Updates of elements of these containers, by atomic operations.
std::vector<const ast::Stmt *> withAtomicUpdates(const std::vector<const ast::Stmt *> &stmts, const Accumulation &of,
                                                 const ast::Module &module, ast::Arena &arena);

/// Outermost loops with their updates in containers by atomic operations: iterations may then be carried out in any
/// order. The same codelet where there is none.
const ast::Codelet *withAtomicUpdates(const nest::Nest &nest, bool reorder, ast::Arena &arena);

/// The same for outermost loops whose updates fall on different elements only where sizes are as a condition of the
/// codelet asks, as those of frames that do not overlap, `out[f * hop + k] += x`: for all other sizes.
const ast::Codelet *withAtomicUpdatesAnywhere(const nest::Nest &nest, bool reorder, ast::Arena &arena);

/// What lanes do that accumulate into copies that they share: before and behind their iterations, and in each.
struct Privatization {
  std::vector<const ast::Stmt *> before, body, behind;
  std::vector<const ast::Expr *> conditions; // that containers have no more elements than a copy
};

/// Of a loop's body, for lanes that are counted by the variable `lane`; `own`: iterators. Nothing where no container is
/// only accumulated into.
std::optional<Privatization> privatization(const std::vector<const ast::Stmt *> &stmts, std::set<std::string> own,
                                           const Captures &captures, const PrivateCopies &copies,
                                           const std::string &lane, ast::SourceRange where, ast::Names &names,
                                           ast::Arena &arena);

/// A cooperative codelet of a band whose lanes accumulate into copies that they share, and then add these to the
/// container; usable where the container has no more elements than a copy. They share the iterations of the loop
/// `byLanes`, each in all those of the others. Null where no container is only accumulated into.
const ast::Codelet *privatized(const Band &band, const std::vector<const ast::Param *> &ranges,
                               const std::vector<const ast::Param *> &params, std::size_t byLanes,
                               const PrivateCopies &copies, const std::string &name, ast::Names names,
                               ast::Arena &arena);

} // namespace tangram::divide
