// Staging through scratchpad memory (dissertation, 7.1.1, Figure 7.1): where workers each walk through elements of
// their own that lie one behind the other, the elements of neighbouring workers lie apart, and a load of them all
// touches as many lines of memory as there are workers. So the workers of a unit load a tile of each one's next
// elements together, neighbours along a row of it, and then read it by columns; what they write goes the other way.
// Elements that all of them read are loaded once.
#pragma once

#include "Streams.h"

#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

namespace tangram::staging {

struct Context {
  PassContext &pass;
  const hardware::LaunchLevels &levels;
  const ast::Kernel &kernel;
  ast::Names &names;
};

const ast::Launch *staged(const Context &context, const ast::Launch *launch, std::uint64_t most);

} // namespace tangram::staging
