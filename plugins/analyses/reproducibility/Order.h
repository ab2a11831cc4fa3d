// Which codelets add floating-point numbers in another order than one after the other (dissertation, section 8.2.2:
// plans that preserve the sequential order, and those that do not).
//
// What counts is what the code does, not its name: parts of a container whose results are then combined by arithmetic,
// lanes that do arithmetic with what others have put into shared memory, atomic additions. Comparisons have no order,
// nor have integers. The analysis is conservative: what it cannot tell is left out too.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>

namespace tangram::reproducibility {

/// Spectrums that do floating-point arithmetic, by themselves or through others that they call.
std::set<std::string> spectrumsWithArithmetic(const ast::Module &module);

/// What it does in another order, with the line; empty: nothing.
std::string otherOrder(const ast::Module &module, const ast::Codelet &codelet, const std::set<std::string> &arithmetic);

} // namespace tangram::reproducibility
