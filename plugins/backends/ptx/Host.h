// The host's half: entries, and the statements between launches.
#pragma once

#include "CompileDevice.h"

#include "tangram/c-family/DeviceEntries.h"
#include "tangram/c-family/Statements.h"

namespace tangram::ptx {

using Functions = std::map<const ast::Launch *, const DeviceFunction *>;

/// What a kernel does on the host.
class HostStatements final : public c_family::Statements {
public:
  HostStatements(c_family::Writer &writer, c_family::Expressions &expressions, const ast::Module &module,
                 const Functions &functions)
      : c_family::Statements(writer, expressions, module, false), functions_(functions) {}

  /// The constant that describes a launch to the runtime.
  void describe(const ast::Launch &launch);
  /// The statements, which launch in `stream` and end by returning a status.
  void kernel(const ast::Kernel &kernel, const std::string &stream, const std::string &workspace);

private:
  void effect(const ast::Expr *e) override;
  void other(const ast::Stmt *s) override;
  std::optional<std::string> place() const override { return " on the host"; }
  void start(const ast::Launch &launch);

  const Functions &functions_;
  std::string entry_, stream_, workspace_;
};

/// The header, and the source that holds the device's code.
std::vector<OutputFile> writeHost(const ast::Module &module, const EmitContext &context, const CompiledDevice &device);

} // namespace tangram::ptx
