// Fields of structs that neighbouring lanes have of neighbouring elements.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <optional>
#include <string>

namespace tangram::openmp {

/// Where a pointer to a field of an array of structs points to, in elements of the field's type.
struct Field {
  ast::Int structure = 0; // from one struct to the next
  ast::Int offset = 0;    // from the beginning of a struct
  std::string array;      // of which structs; of a part: the pointer's own name
};

/// The pointers of a kernel that go to fields of whole arrays, or of parts of these.
std::map<std::string, Field> fieldPointers(const ast::Block &body, const ast::Module &module);

} // namespace tangram::openmp
