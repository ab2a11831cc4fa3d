// Values of the interpreter as they lie in memory, for programs that are compiled and run.
#pragma once

#include "Program.h"
#include "Semantics.h"

#include <cstring>
#include <vector>

namespace tangram::test {

using namespace program; // NOLINT: all of it
using ast::AssignOp;
using ast::AtomicOp;
using ast::BinaryOp;
using ast::Kind;

inline const std::vector<Type> kTypes{ast::Scalar::Bool, ast::Scalar::I8,  ast::Scalar::I16, ast::Scalar::I32,
                                      ast::Scalar::I64,  ast::Scalar::U8,  ast::Scalar::U16, ast::Scalar::U32,
                                      ast::Scalar::U64,  ast::Scalar::F32, ast::Scalar::F64};

/// The bits of a value in memory.
inline std::vector<char> bytesOf(const Scalar &s) {
  std::vector<char> out(s.type.bytes());
  float f = static_cast<float>(s.d);
  if (s.type.isFloating())
    std::memcpy(out.data(), out.size() == 4 ? static_cast<const void *>(&f) : &s.d, out.size());
  else
    std::memcpy(out.data(), &s.i, out.size());
  return out;
}
inline Scalar scalarAt(const char *at, const Type &type) {
  if (type == F32) {
    float f;
    std::memcpy(&f, at, 4);
    return real(type, f);
  }
  if (type == F64) {
    double d;
    std::memcpy(&d, at, 8);
    return real(type, d);
  }
  std::int64_t i = 0;
  std::memcpy(&i, at, type.bytes());
  return integer(type, i);
}

} // namespace tangram::test
