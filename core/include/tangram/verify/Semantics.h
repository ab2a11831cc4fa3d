// What the AST means: kernels in any form from composed to linear are run, slowly and checking everything. It is
// written independently of the passes and backends, which are tested by it; `verify` compares the plainest plan with
// it.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/hardware/Hardware.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tangram::semantics {

/// The tree cannot be run to its end.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
  ast::SourceRange range; // of what was being run; may be invalid
};
/// It does what has no meaning: divides by zero, reads what nothing has set.
struct Undefined : Failure {
  using Failure::Failure;
};
/// An index that its container does not have.
struct OutOfRange : Undefined {
  using Undefined::Undefined;
};
/// What the Report of checked code says.
struct Reported : Failure {
  using Failure::Failure;
};
/// Nothing wrong with the tree: it has a node, or calls a function, of which is not said here what it means.
struct Unknown : Failure {
  using Failure::Failure;
};
/// Nothing wrong with the tree: it takes more steps than were allowed.
struct TooLong : Failure {
  using Failure::Failure;
};

/// A number; where the type is a struct, its fields.
struct Scalar {
  ast::Type type;
  std::int64_t i = 0; // integers, wrapped to the type
  double d = 0;       // floating
  bool set = true;    // a variable or an element may be none yet
  std::vector<Scalar> fields;
};
Scalar integer(ast::Type type, std::int64_t value);
Scalar real(ast::Type type, double value); // rounded to the type
/// As C++ converts numbers. Undefined where the value does not fit an integer.
Scalar convert(const Scalar &value, const ast::Type &type);

using Cells = std::shared_ptr<std::vector<Scalar>>;

struct Parts;
/// A container: cells with offset, sizes and strides; or parts; or, without cells, a range of the numbers
/// offset + index * stride.
struct Array {
  Cells cells;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes, strides;
  std::shared_ptr<Parts> parts;
  ast::Scalar number = ast::Scalar::U64; // of a range
};

struct Value {
  enum class Kind : std::uint8_t { None, Scalar, Array, Pointer } kind = Kind::None;
  Scalar scalar;
  Array array;
  Cells cells; // pointer: to one of these ...
  std::int64_t offset = 0;
  std::vector<std::size_t> path; // ... or a field of it, or a field of that
  bool variable = false;         // a variable, not a pointer that the program has
};
Value scalarValue(Scalar s);
Value arrayValue(const std::vector<Scalar> &elements, std::vector<std::int64_t> sizes);

constexpr std::uint64_t kManySteps = 20'000'000;

/// Runs a kernel on the spectrum's arguments. Containers are changed in place, and scalars that are pointers; returns
/// the result, or a scalar of type void. Throws Failure.
Scalar run(const ast::Module &module, const ast::Kernel &kernel, const hardware::Hardware &hardware,
           const std::vector<Value> &args, std::uint64_t steps = kManySteps);
/// Whether the conditions of the kernel hold.
bool accepts(const ast::Module &module, const ast::Kernel &kernel, const hardware::Hardware &hardware,
             const std::vector<Value> &args);

} // namespace tangram::semantics
