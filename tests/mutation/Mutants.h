// Small changes of codelets, as a careless hand makes them: what a check has to find (mutation testing).
#pragma once

#include "tangram/ast/Node.h"

#include <string>

namespace tangram::mutation {

struct Mutant {
  const ast::Codelet *codelet = nullptr;
  std::string what; // "file:12:7: < became <="
};

/// How many small changes of a codelet there are: constants that are off by one or by a thousandth, or of the other
/// sign; operators and functions that are exchanged (+ and -, * and +, < and <=, == and !=, min and max), an operand, a
/// condition, a statement or the last iteration that is missing; operands or arguments in the wrong order; the element
/// before or behind the one that is meant, indices the wrong way round, another loop's variable, another container; the
/// size of another dimension; sequences of partitions that are off by one.
std::size_t mutantsOf(const ast::Codelet &codelet, ast::Arena &arena);

/// The codelet with the change of this number.
Mutant mutant(const ast::Codelet &codelet, std::size_t number, ast::Arena &arena);

} // namespace tangram::mutation
