// What evaluating a tree changes.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>

namespace tangram::ast {

/// Whether the operand is another one afterwards: ++ and --.
bool changesOperand(UnaryOp op);

/// Whether evaluating the expression may change anything or call what does. Reading memory is no effect.
bool hasEffects(const Expr *expr);

/// Whether it may be computed where the program would not: reads no memory, cannot trap, is defined for all values.
bool speculable(const Expr *expr);

/// Whether a statement has a `break` or `continue` of a loop, or a `break` of a switch, that it stands in.
bool jumpsOut(const Stmt *stmt);

/// Straight code that every compiler turns into vector instructions: no branch, no call, no array of its own.
bool isStraightLine(const Block &body);

/// Variables whose own value changes after their declaration: assigned, incremented, their address taken, or passed
/// to an in/out scalar parameter. Writing an element of an array or container does not change the variable.
std::set<std::string> assignedVariables(const Node *tree);

/// The variable at the root of a place: a of a, a.x, a[i].y; null where there is none.
const VarRef *rootVariable(const Expr *place);

} // namespace tangram::ast
