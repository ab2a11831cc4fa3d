// The source of a host whose kernels run on a device as a text that it hands to the device's driver.
#pragma once

#include "tangram/c-family/DeviceEntries.h"
#include "tangram/c-family/Expressions.h"

namespace tangram::c_family {

/// What such sources have in common; a backend says what its driver is called by.
class DeviceHost {
public:
  /// All live as long as this does.
  DeviceHost(const ast::Module &module, const EmitContext &context, const std::vector<Signature> &signatures,
             const DeviceStyle &style)
      : module_(module), context_(context), signatures_(signatures), style_(style) {}
  virtual ~DeviceHost() = default;
  OutputFile source();

protected:
  const ast::Module &module() const { return module_; }
  const EmitContext &context() const { return context_; }
  const std::vector<Signature> &signatures() const { return signatures_; }

private:
  /// "<tangram/x/program.h>", and what else the backend's own text needs.
  virtual std::vector<std::string> includes() const = 0;
  virtual void function(Writer &w, Expressions &expressions, const ast::Function &function) const = 0;
  /// Tunables, within the namespace of the entry.
  virtual void constants(Writer &w, const Signature &s) const = 0;
  /// The text of what runs on the device, and who hands it over.
  virtual void program(Writer &w) const = 0;
  /// What a launch is called by.
  virtual void describe(Writer &w, Expressions &expressions, const Signature &s) const = 0;
  virtual std::string parameter(const ast::Param &param, Expressions &expressions) const = 0;
  /// Types of the workspace and the stream, with what stands in front of a name: "void *".
  virtual std::pair<std::string, std::string> handles() const = 0;
  virtual void body(Writer &w, Expressions &expressions, const Signature &s, const DeviceNames &names) const = 0;

  void kernel(Writer &w, Expressions &expressions, const Signature &s) const;

  const ast::Module &module_;
  const EmitContext &context_;
  const std::vector<Signature> &signatures_;
  const DeviceStyle &style_;
};

} // namespace tangram::c_family
