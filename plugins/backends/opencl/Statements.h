// The two halves of a kernel: device functions in OpenCL C, and the C++ that launches them.
#pragma once

#include "Expressions.h"

#include "tangram/c-family/Statements.h"

namespace tangram::opencl {

using c_family::Writer;

/// Where lines of the device's text come from: from this one on, "sum.tg.cpp:12". In order.
using Origins = std::vector<std::pair<unsigned, std::string>>;

/// What runs on the device.
class DeviceStatements final : public c_family::Statements {
public:
  DeviceStatements(Writer &writer, DeviceExpressions &expressions, const ast::Module &module, Origins &origins)
      : c_family::Statements(writer, expressions, module, false), device_(expressions), levels_(expressions.levels()),
        origins_(origins) {}

  /// The kernel function of a launch, under a name of its own.
  void launch(const ast::Launch &launch, const ast::Kernel &kernel, const std::string &name);
  /// A function that codelets call.
  void callee(const ast::Function &function);

private:
  void other(const ast::Stmt *s) override;
  void begins(const ast::Stmt &s) override;
  std::optional<std::string> place() const override { return ""; }
  std::string unused() const override { return ""; }
  std::string constant() const override { return "const "; }
  std::string fallsThrough() const override { return "// falls through"; }
  std::string variableType(const ast::Declare &d) override;
  std::string extent(const ast::Expr *e) override;
  void alloc(const ast::Alloc &a, const std::string &space);
  void loop(const ast::Loop &loop);
  void sync(const ast::Sync &sync);

  DeviceExpressions &device_;
  const hardware::LaunchLevels &levels_;
  Origins &origins_;
  ast::Arena arena_;
};

/// What runs on the host. `functions` names the device functions of launches.
class HostStatements final : public c_family::Statements {
public:
  HostStatements(Writer &writer, c_family::Expressions &expressions, const ast::Module &module,
                 const std::map<const ast::Launch *, std::string> &functions)
      : c_family::Statements(writer, expressions, module, false), functions_(functions) {}

  /// The constant that describes a launch to the runtime.
  void describe(const ast::Launch &launch, const ast::Kernel &kernel);
  /// The statements of its host part, which launch on `stream` and end by returning a status.
  void kernel(const ast::Kernel &kernel, const std::string &stream);

private:
  void effect(const ast::Expr *e) override;
  void other(const ast::Stmt *s) override;
  std::optional<std::string> place() const override { return " on the host"; }
  void start(const ast::Launch &launch);
  std::string argument(const ast::Expr *value, const ast::Type &type);

  const std::map<const ast::Launch *, std::string> &functions_;
  std::string entry_, stream_;
};

} // namespace tangram::opencl
