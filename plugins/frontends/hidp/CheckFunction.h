// Checks one function.
#pragma once

#include "Program.h"

#include <set>

namespace tangram::hidp {

/// What all functions see.
struct Globals {
  std::set<std::string> names; // of functions and structs
  std::map<std::string, Function *> functions;
  std::map<std::string, const syntax::Struct *> structs;
  std::map<const Function *, std::set<const Function *>> calls;
};

/// Throws where there is no such type.
ast::Type typeOf(const syntax::Declarator &d, const Globals &globals, const Source &source);
/// What a declarator declares, without its extents. Throws where its name does not suit, or it has too many dimensions.
Variable declared(const syntax::Declarator &d, const Globals &globals, const Source &source);

/// Fills in sizes and body of `made`, whose arguments are known.
void checkFunction(const syntax::Function &f, Function &made, Program &program, const Source &source, Globals &globals);

} // namespace tangram::hidp
