// Which memory a pointer leads to: OpenCL C says it in every pointer's type.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <string>

namespace tangram::opencl {

enum class Space : std::uint8_t { Private, Global, Local };
std::string_view name(Space space); // "private", "global", "local"

class Spaces {
public:
  Spaces() = default;
  /// Of one launch: its parameters lead to global memory, its Allocs say where they lie, all other pointers are
  /// followed to what they were made from.
  explicit Spaces(const ast::Launch &launch);

  Space of(const std::string &variable) const;
  /// Of what a pointer, array or place leads to.
  Space of(const ast::Expr *e) const;

private:
  std::map<std::string, Space> known_;
};

} // namespace tangram::opencl
