// Atomic operations of OpenCL C 1.2: what is built in, and functions for what is not.
#pragma once

#include "Spaces.h"

#include <map>
#include <set>

namespace tangram::opencl {

class Atomics {
public:
  /// The function that does `e` in a space; remembered, so that functions() defines it. Throws for elements that no
  /// device has atomic operations for.
  std::string use(const ast::Atomic &e, Space space);
  /// Definitions of the functions used that are not built in.
  std::string functions() const;
  /// Extension, and what needs it.
  const std::map<std::string, std::string> &extensions() const { return extensions_; }

private:
  std::map<std::string, std::string> functions_, extensions_;
};

} // namespace tangram::opencl
