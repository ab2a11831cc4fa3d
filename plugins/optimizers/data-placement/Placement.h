// Decides where what a launch makes lies (dissertation, section 7.1.1): arrays that lanes share and temporaries of a
// group in scratchpad memory, a worker's own in registers, and so what lanes of a subgroup exchange where they can,
// what does not fit in global memory.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

namespace tangram::placement {

class Placement {
public:
  /// `exchanges`: lanes may exchange what they have in registers.
  Placement(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel, bool exchanges)
      : context_(context), levels_(levels), kernel_(kernel), known_(context.analyses.of<ast::KnownValues>(kernel)),
        exchanges_(exchanges) {
    names_.reserveAll(&kernel);
  }
  const ast::Launch *run(const ast::Launch *launch);
  /// Constants of the kernel that decisions rest on.
  const std::set<std::string> &frozen() const { return frozen_; }
  /// What must hold of the kernel's constants so that all fits where it was put.
  const std::vector<const ast::Expr *> &conditions() const { return conditions_; }

private:
  class Shared;
  class Decide;
  /// How many copies of what belongs to `level` one group has; 0: it belongs to a worker.
  std::uint64_t copies(const std::string &level) const;
  std::optional<std::uint64_t> bytes(const ast::Alloc &a) const;
  const ast::Launch *exchanged(const ast::Launch *launch);
  /// No extent may grow where a tunable is set to something else.
  void hold(const ast::Alloc &a);
  std::uint64_t capacity(const hardware::Level &level, std::string_view memory) const;

  PassContext &context_;
  hardware::LaunchLevels levels_; // of the launch at hand
  const ast::Kernel &kernel_;
  const ast::KnownValues &known_;
  const bool exchanges_;
  ast::Names names_;
  std::set<std::string> frozen_, atomic_; // atomic_: buffers of atomic operations
  std::vector<const ast::Expr *> conditions_;
};

} // namespace tangram::placement
