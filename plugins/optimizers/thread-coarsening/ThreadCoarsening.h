// The pass `thread-coarsening`: a lane has several neighbouring iterations of a loop that lanes share, by wide
// accesses.
#pragma once

#include "Widened.h"

#include "tangram/pass/LaunchPass.h"

#include <set>
#include <string>

namespace tangram::coarsening {

class ThreadCoarsening final : public LaunchPass {
public:
  explicit ThreadCoarsening(const Limits &limits) : limits_(limits) {}

private:
  void start(const ast::Module &module) override;
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override;
  Limits limits_;
  const ast::Module *module_ = nullptr;
  std::set<std::string> functions_; // of the module, that only compute a number from numbers
};

} // namespace tangram::coarsening
