// A program in another precision: what two of its plans differ by shrinks with the roundings where they differ by
// nothing else, and stays where one of them is wrong.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/verify/Compare.h"

namespace tangram::mutation {

/// Whether a program has numbers of f32.
bool hasSingle(const ast::Module &module);

/// The program with f64 in the place of f32, and doubles' functions in that of floats'; or the other way round.
const ast::Module *inOtherPrecision(const ast::Module &module, bool toDouble, ast::Arena &arena);

/// The largest difference of any number, by the largest of its container; infinite where integers differ, or what is no
/// number.
double distance(const std::vector<runtime::Value> &got, const std::vector<runtime::Expected> &expected);

} // namespace tangram::mutation
