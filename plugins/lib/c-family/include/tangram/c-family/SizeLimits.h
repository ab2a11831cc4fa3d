// Sizes that a kernel cannot hold: codelets count in 32 bits (`unsigned len = in.size()`), and a container that is
// larger must be refused at the call, not wrapped.
#pragma once

#include "tangram/ast/KnownValues.h"

#include <vector>

namespace tangram::c_family {

struct SizeLimit {
  const ast::Expr *value = nullptr; // over the kernel's parameters
  std::uint64_t most = 0;
};

/// `sizes`: the parameters that are sizes of containers. Values that a narrowing conversion reaches only through parts
/// are bounded by the sizes of the containers that they are parts of. `arena` owns the expressions.
std::vector<SizeLimit> sizeLimits(const ast::Kernel &kernel, const std::set<std::string> &sizes, ast::Arena &arena);

} // namespace tangram::c_family
