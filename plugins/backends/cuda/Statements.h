// The two halves of a kernel: device functions, and the C++ that launches them.
#pragma once

#include "Expressions.h"

#include "tangram/c-family/Statements.h"

namespace tangram::cuda {

using c_family::Constants;
using c_family::Writer;

/// Bytes of a group's memory beyond which a launch has to ask for it; every device gives as much without.
inline constexpr std::uint64_t kStaticScratchpad = 48 * 1024;

/// Bytes of a group's memory that the arrays of a launch take.
std::uint64_t scratchpadBytes(const ast::Launch &launch, const Constants &constants);
/// The type of all of them, of a launch that asks for its memory.
std::string scratchpadType(const std::string &function);

/// What runs on the device.
class DeviceStatements final : public c_family::Statements {
public:
  DeviceStatements(Writer &writer, DeviceExpressions &expressions, const ast::Module &module,
                   const hardware::LaunchLevels &levels, bool line)
      : c_family::Statements(writer, expressions, module, line), levels_(levels) {}

  /// The kernel function of a launch, under a name of its own.
  void launch(const ast::Launch &launch, const ast::Kernel &kernel, const std::string &name);

private:
  void other(const ast::Stmt *s) override;
  std::optional<std::string> place() const override { return ""; }
  void scratchpad(const ast::Block &body, const std::string &function);
  std::string array(const ast::Alloc &a);
  void alloc(const ast::Alloc &a);
  void loop(const ast::Loop &loop);
  void sync(const ast::Sync &sync);

  const hardware::LaunchLevels &levels_;
  ast::Arena arena_;
  bool asks_ = false; // the launch being written asks for its scratchpad memory
};

/// What runs on the host. `functions` names the device functions of launches.
class HostStatements final : public c_family::Statements {
public:
  HostStatements(Writer &writer, c_family::Expressions &expressions, const ast::Module &module, bool line,
                 const std::map<const ast::Launch *, std::string> &functions)
      : c_family::Statements(writer, expressions, module, line), functions_(functions) {}

  /// The statements of a kernel's host part, which launch on `stream` and end by returning a status.
  void kernel(const ast::Kernel &kernel, const std::string &stream);

private:
  void other(const ast::Stmt *s) override;
  std::optional<std::string> place() const override { return " on the host"; }
  void start(const ast::Launch &launch);

  const std::map<const ast::Launch *, std::string> &functions_;
  std::string entry_, stream_;
};

} // namespace tangram::cuda
