#include "FunctionChecker.h"
#include "Primitives.h"

namespace tangram::hidp {

bool isPrimitive(std::string_view) { return false; }
std::vector<std::string> primitiveNames() { return {}; }

bool FunctionChecker::primitive(const Syntax &, const Syntax *, Stmts &, bool) { return false; }

} // namespace tangram::hidp
