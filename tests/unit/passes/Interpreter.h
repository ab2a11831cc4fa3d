// Runs kernels of the AST in any form from composed to linear, slowly and checking everything: the oracle by which
// passes are tested. What a language construct means is written here a second time, independent of the passes.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/hardware/Hardware.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tangram::test {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An index that its container does not have.
struct OutOfRange : Failure {
  using Failure::Failure;
};
/// What the Report of checked code says.
struct Reported : Failure {
  using Failure::Failure;
};

struct Scalar {
  ast::Type type;
  std::int64_t i = 0; // integers, wrapped to the type
  double d = 0;       // floating
};
Scalar integer(ast::Type type, std::int64_t value);
Scalar real(ast::Type type, double value);
Scalar convert(const Scalar &value, const ast::Type &type);

using Storage = std::shared_ptr<std::vector<Scalar>>;

struct Parts;
/// A container: storage with offset, sizes and strides; or parts.
struct Array {
  Storage storage;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes, strides;
  std::shared_ptr<Parts> parts;
};

struct Value {
  enum class Kind { None, Scalar, Array, Pointer } kind = Kind::None;
  Scalar scalar;
  Array array;
  Storage storage; // pointer
  std::int64_t offset = 0;
};
Value scalarValue(Scalar s);
Value arrayValue(const std::vector<Scalar> &elements, std::vector<std::int64_t> sizes);

constexpr std::uint64_t kManySteps = 20'000'000;

/// Runs a kernel on the spectrum's arguments. Containers are changed in place; returns the result, or a scalar of type
/// void. Throws Failure where the tree does what it must not: an access out of bounds, an undeclared name, more than
/// `steps`.
Scalar run(const ast::Module &module, const ast::Kernel &kernel, const hardware::Hardware &hardware,
           const std::vector<Value> &args, std::uint64_t steps = kManySteps);
/// Whether the conditions of the kernel hold.
bool accepts(const ast::Module &module, const ast::Kernel &kernel, const hardware::Hardware &hardware,
             const std::vector<Value> &args);

} // namespace tangram::test
