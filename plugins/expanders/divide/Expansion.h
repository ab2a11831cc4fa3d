// Scalar and array expansion: variables of an iteration that have an element for each.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Read.h"

#include <set>
#include <string>

namespace tangram::divide {

/// Gives variables of a loop's iterations, of which several statements of the loop make use, an element for each
/// iteration of a chain of loops that ends with it (scalar and array expansion): `for (...) { T s = e; ... s ... }`  as
/// `Array<1, T> s_of(n); for (...) { s_of[i] = e; ... s_of[i] ... }`.
/// `chain` are loops from the outermost one on; what is expanded has as many elements as a container that is there, or
/// at most `most`, which is a condition of the codelet then. Its last dimension is that along which elements of other
/// containers lie side by side. Indices that follow from iterators are computed anew instead, where they are used.
/// `only`: the variables that are; empty: all. Null where there are none, or that cannot be done.
const ast::Codelet *withVariablesExpanded(const nest::Nest &nest, const std::vector<unsigned> &chain, std::int64_t most,
                                          ast::Names &names, ast::Arena &arena, const std::set<std::string> &only = {});

} // namespace tangram::divide
