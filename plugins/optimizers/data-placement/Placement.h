// Decides where what a launch makes lies (dissertation, section 7.1.1): arrays that lanes share and temporaries of a
// group in scratchpad memory, a worker's own in registers, what does not fit in global memory.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

namespace tangram::placement {

class Placement {
public:
  Placement(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel)
      : context_(context), levels_(levels), kernel_(kernel), known_(kernel) {}
  const ast::Launch *run(const ast::Launch *launch);

private:
  class Shared;
  class Decide;
  /// How many copies of what belongs to `level` one group has; 0: it belongs to a worker.
  std::uint64_t copies(const std::string &level) const;
  std::optional<std::uint64_t> bytes(const ast::Alloc &a) const;
  std::uint64_t capacity(const hardware::Level &level, std::string_view memory) const;

  PassContext &context_;
  const hardware::LaunchLevels &levels_;
  const ast::Kernel &kernel_;
  ast::KnownValues known_;
};

} // namespace tangram::placement
