// Statement fusion by shape (the paper's section 3.4): two nests that follow each other become one where the iterations
// of one are a prefix of the other's, and each reads and writes what its own iteration has.
#pragma once

#include "Program.h"

namespace tangram::hidp {

/// What is fused in a list of statements, and in those that stand in them. An array that the list declares, and of
/// which each iteration of one nest alone uses an element of its own, becomes a scalar.
Stmts fused(const Stmts &stmts, Program &program);

/// A scalar that only the suffix reads becomes what it is computed from.
Stmts withInlinedReductions(const Stmts &stmts, Program &program);

/// Calls of functions that are one expression become that: analyses do not look into functions.
Stmts withInlinedCalls(const Stmts &stmts, Program &program);

} // namespace tangram::hidp
