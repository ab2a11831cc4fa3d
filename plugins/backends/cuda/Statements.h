// The two halves of a kernel: device functions, and the C++ that launches them.
#pragma once

#include "Expressions.h"

#include "tangram/ast/Structs.h"
#include "tangram/c-family/Statements.h"

#include <set>

namespace tangram::cuda {

using c_family::Writer;

/// What runs on the device.
class DeviceStatements final : public c_family::Statements {
public:
  DeviceStatements(Writer &writer, DeviceExpressions &expressions, const ast::Module &module, bool line)
      : c_family::Statements(writer, expressions, module, line), device_(expressions), levels_(expressions.levels()),
        structs_(module) {}

  /// The kernel function of a launch, under a name of its own. True: it has to be given its group's memory.
  bool launch(const ast::Launch &launch, const ast::Kernel &kernel, const std::string &name);

private:
  void other(const ast::Stmt *s) override;
  void begins(const ast::Stmt &s) override;
  std::optional<std::string> place() const override { return ""; }
  std::string parameters(const ast::Launch &launch, const ast::Block &written);
  void alignStructs(const ast::Launch &launch, const ast::Block &written);
  std::string array(const ast::Alloc &a, const std::vector<const ast::Expr *> &extents);
  void alloc(const ast::Alloc &a);
  void loop(const ast::Loop &loop);
  void sync(const ast::Sync &sync);

  DeviceExpressions &device_;
  const hardware::LaunchLevels &levels_;
  ast::Structs structs_;
  ast::Arena arena_;
  // Of the launch that is being written.
  std::set<std::string> assigned_, scratchpad_, privates_;
  std::set<std::string> wide_; // arrays of which several elements are accessed together
};

/// What runs on the host. `functions` names the device functions of launches; `asking`: those that are given memory.
class HostStatements final : public c_family::Statements {
public:
  HostStatements(Writer &writer, c_family::Expressions &expressions, const ast::Module &module, bool line,
                 const std::map<const ast::Launch *, std::string> &functions,
                 const std::set<const ast::Launch *> &asking)
      : c_family::Statements(writer, expressions, module, line), functions_(functions), asking_(asking) {}

  /// The statements of a kernel's host part, which launch on `stream` and end by returning a status.
  void kernel(const ast::Kernel &kernel, const std::string &stream);

private:
  void effect(const ast::Expr *e) override;
  void other(const ast::Stmt *s) override;
  std::optional<std::string> place() const override { return " on the host"; }
  void start(const ast::Launch &launch);

  const std::map<const ast::Launch *, std::string> &functions_;
  const std::set<const ast::Launch *> &asking_;
  std::string entry_, stream_;
};

} // namespace tangram::cuda
