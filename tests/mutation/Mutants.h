// Small changes of codelets, as a careless hand makes them: what a check has to find (mutation testing).
#pragma once

#include "tangram/ast/Node.h"

#include <string>
#include <vector>

namespace tangram::mutation {

struct Mutant {
  const ast::Codelet *codelet = nullptr;
  std::string what; // "file:12:7: < became <="
};

/// All changes of one codelet, one each: constants that are off by one or by a thousandth, operators that are exchanged
/// (+ and -, * and +, < and <=, == and !=), an operand or a statement that is missing, a bound or an index off by one.
std::vector<Mutant> mutantsOf(const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::mutation
