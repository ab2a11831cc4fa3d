// Values of the interpreter, and what the operators of the language do with them.
#pragma once

#include "tangram/ast/Structs.h"
#include "tangram/verify/Semantics.h"

#include <fmt/format.h>

namespace tangram::semantics {

using Wide = __int128;

/// Parts of a container, as a partition says them.
struct Parts {
  /// The number for part i: see "partition and sequence" in docs/language.md.
  struct Sequence {
    Array through;
    bool hasThrough = false, moves = false;
    Wide start = 0, inc = 0, end = 0;
    Wide at(std::int64_t i) const;
  };
  Array base;
  std::vector<Sequence> starts, incs, ends;
  std::vector<std::int64_t> counts;

  Array part(const std::vector<std::int64_t> &index) const;
};

/// What nobody has set; 0, where somebody asks all the same.
Scalar unset(const ast::Type &type, const ast::Structs &structs);
/// 0, or fields that are.
Scalar zero(const ast::Type &type, const ast::Structs &structs);

Wide number(const Scalar &s);
/// As C++ converts to the type of sizes.
Wide sizeNumber(const Scalar &s);
bool truth(const Scalar &s);
/// Both of a type.
Scalar arithmetic(ast::BinaryOp op, const Scalar &a, const Scalar &b);
/// `old op= value`, in the type that C++ computes in.
Scalar compound(ast::AssignOp op, const Scalar &old, const Scalar &value);
/// What an atomic operation leaves. `operands`: those of the node.
Scalar atomically(ast::AtomicOp op, const Scalar &old, const std::vector<Scalar> &operands);
/// Of a function of the C library, or another that every backend knows (ast/Builtins.h).
Scalar mathFunction(const std::string &name, const ast::Type &type, const std::vector<Scalar> &args);

/// A variable with this value.
Value variable(Scalar s);
Scalar &cell(const Value &place);
/// The number at a place. Undefined where there is none yet.
Scalar read(const Value &place);
void write(const Value &place, const Scalar &s);
/// A subscript with the leading dimensions taken off: a place, a container, or a number of a range.
Value elementOf(const Array &a, const std::vector<std::int64_t> &index);
std::vector<std::int64_t> sizesOf(const Array &a);

} // namespace tangram::semantics
