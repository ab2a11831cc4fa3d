// Expressions in CUDA C++, of device code.
#pragma once

#include "tangram/c-family/Expressions.h"
#include "tangram/hardware/Launch.h"

namespace tangram::cuda {

inline constexpr std::uint64_t kWarp = 32; // threads that the device keeps together
/// Threads of the warp that are of this thread's unit of a level, a warp or a part of one: as __shfl_sync takes them.
std::string unitMask(const hardware::LaunchLevels &levels, const std::string &level, const ast::SourceRange &range);

class DeviceExpressions final : public c_family::Expressions {
public:
  explicit DeviceExpressions(const hardware::LaunchLevels &levels) : levels_(levels) {}
  /// What follows is in a launch of groups of so many threads.
  void enter(const ast::Launch &launch) { levels_ = levels_.ofGroups(launch.threads); }
  const hardware::LaunchLevels &levels() const { return levels_; }
  bool usesMatrices = false, usesTransfers = false, usesWideStores = false;
  std::string type(const ast::Type &type) override;
  std::string await(const ast::Await &s);
  std::string store(const ast::VectorStore &s);

protected:
  // std::numeric_limits and std::min are functions of the host.
  std::string least(const ast::Type &type) override { return type.bytes() == 8 ? "INT64_MIN" : "INT32_MIN"; }
  std::string infinity(const ast::Type &type) override;
  std::string notANumber(const ast::Type &type) override;
  Text extremum(bool minimum, const ast::Expr *a, const ast::Expr *b, const ast::Type &type) override;
  Text call(const ast::Call *e) override;
  Text atomic(const ast::Atomic *e) override;
  Text assign(const ast::Assign *e) override;
  Text initList(const ast::InitList *e) override;
  Text other(const ast::Expr *e, const ast::Type &wanted) override;

private:
  Text workerIndex(const ast::WorkerIndex *e);
  Text workerCount(const ast::WorkerCount *e);
  Text shuffle(const ast::Shuffle *e);
  Text matrixMultiply(const ast::MatrixMultiply *e);

  hardware::LaunchLevels levels_; // of the launch at hand
};

} // namespace tangram::cuda
