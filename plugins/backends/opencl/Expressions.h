// Expressions in OpenCL C 1.2.
#pragma once

#include "Atomics.h"
#include "Spaces.h"

#include "tangram/c-family/Expressions.h"
#include "tangram/hardware/Launch.h"

namespace tangram::opencl {

class DeviceExpressions final : public c_family::Expressions {
public:
  DeviceExpressions(const ast::Module &module, const hardware::LaunchLevels &levels);
  /// What follows is in a launch of groups of so many work-items.
  void enter(const ast::Launch &launch) { levels_ = levels_.ofGroups(launch.threads); }
  const hardware::LaunchLevels &levels() const { return levels_; }

  /// Of the launch that is being written.
  Spaces spaces;
  bool usesDouble = false;
  Atomics atomics;

  std::string type(const ast::Type &type) override;
  /// Of an element in memory, where bool is a byte.
  std::string stored(const ast::Type &type);
  std::string store(const ast::VectorStore &s);
  /// As an array's extent, in which no function may be called.
  std::string constantExpression(const ast::Expr *e, const ast::Type &wanted);
  std::string converted(const ast::Type &to, const std::string &text) override;
  /// "global const float *".
  std::string pointer(Space space, const ast::Type &type);
  /// What a function of the module is called: OpenCL C has many functions of its own.
  std::string function(const std::string &name) const;

protected:
  std::string least(const ast::Type &type) override;
  std::string most64() override { return "ULONG_MAX"; }
  Text typedLiteral(const ast::Type &type, const std::string &digits, bool wide) override;
  std::string infinity(const ast::Type &type) override;
  std::string notANumber(const ast::Type &type) override;
  Text extremum(bool minimum, const ast::Expr *a, const ast::Expr *b, const ast::Type &type) override;
  Text cast(const ast::Cast *e, const ast::Type &wanted) override;
  Text call(const ast::Call *e) override;
  Text atomic(const ast::Atomic *e) override;
  Text assign(const ast::Assign *e) override;
  Text initList(const ast::InitList *e) override;
  std::string checks() const override { return "tangram_"; }
  Text other(const ast::Expr *e, const ast::Type &wanted) override;

private:
  Text workerIndex(const ast::WorkerIndex *e);
  Text workerCount(const ast::WorkerCount *e);

  std::map<std::string, const ast::Function *> byName_;
  hardware::LaunchLevels levels_; // of the launch at hand
  bool constantExpression_ = false;
};

} // namespace tangram::opencl
