// Variables of structs as a variable for each field: what loops carry from one iteration to the next is numbers then,
// `s += a * b` of complex ones two sums, and `if (d < best.distance) best = {d, i};` a selection.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// The codelet with its own variables of structs, none of them an array, taken apart, and what functions compute of
/// structs written out. The codelet itself where there are none, or where one is used as a whole in a way that no
/// fields stand for.
const ast::Codelet *withFieldsOfStructs(const ast::Codelet *codelet, const ast::Module &module, ast::Arena &arena);

/// The codelet with what functions do to an element that they are given to change, `add(force[i], f);` or `sums[k] =
/// sums[k]
/// + f;` of structs, written out where that is an update of each field that changes, `force[i].x = force[i].x + f.x;`.
const ast::Codelet *withUpdatesByField(const ast::Codelet *codelet, const ast::Module &module, ast::Arena &arena);

} // namespace tangram::nest
