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
};

/// The pointers of a kernel that go to fields of whole arrays, or of parts of these.
std::map<std::string, Field> fieldPointers(const ast::Block &body, const ast::Module &module);

/// first + lane * step * stride, of indices of 64 bits; signed ones of fewer bits, of lanes that are used, are
/// converted to these.
struct Strided {
  const ast::Expr *first = nullptr; // a scalar; null: 0
  ast::Int step = 0;
  const ast::Expr *stride = nullptr; // a scalar that only the run shows, without effects; null: 1
};
std::optional<Strided> strided(const ast::Expr *index, ast::Arena &arena);

/// first + lanes, of an index of 64 bits of which lanes differ in signed numbers of 32 bits: half as many registers.
struct Near {
  const ast::Expr *first = nullptr; // a scalar
  const ast::Expr *lanes = nullptr; // a vector
};
std::optional<Near> near(const ast::Expr *index, ast::Arena &arena);

} // namespace tangram::openmp
