#include "Host.h"

#include "tangram/ast/Walk.h"
#include "tangram/c-family/DeviceHost.h"

#include <algorithm>

namespace tangram::ptx {

using namespace ast;
using namespace c_family;

namespace {

class Emitter final : public DeviceHost {
public:
  Emitter(const Module &module, const EmitContext &context, const CompiledDevice &device)
      : DeviceHost(module, context, signatures_, style_), module_(module), context_(context), device_(device) {
    for (const Kernel *kernel : module.kernels) signatures_.push_back(signatureOf(module, *kernel));
    for (const DeviceFunction &function : device.functions) functions_[function.launch] = &function;
    style_.stream = "void *";
    style_.memory = "void *";
    style_.data = pointer;
    style_.handle = hostPointer;
    style_.device = "tangram_ptx::kDevice";
    style_.defaultStream = "nullptr";
    style_.addresses = true;
  }

  OutputFile header() {
    return deviceHeader(signatures_, style_, context_,
                        "/* A stream is a CUstream or cudaStream_t; null: the default one. */\n");
  }

private:
  std::vector<std::string> includes() const override {
    std::vector<std::string> all{"<tangram/ptx/program.h>"};
    const auto &kernels = module_.kernels;
    if (std::any_of(kernels.begin(), kernels.end(), [](const Kernel *k) { return contains<Report>(k->body); }))
      all.emplace_back("<tangram/ptx/report.h>");
    return all;
  }
  void function(Writer &w, Expressions &expressions, const Function &f) const override {
    HostStatements(w, expressions, module_, functions_).define(f, "[[maybe_unused]] inline");
  }
  /// The values that the device's code was made with.
  void constants(Writer &w, const Signature &s) const override {
    Expressions expressions;
    for (std::size_t i = 0; i < s.kernel->constants.size(); ++i) {
      const Param &constant = *s.kernel->constants[i];
      w.line(fmt::format("[[maybe_unused]] constexpr {} {} = {};", expressions.type(constant.type), constant.name,
                         expressions.print(s.kernel->defaults.at(i), constant.type)));
    }
    if (!s.kernel->constants.empty()) w.blank();
  }

  void program(Writer &w) const override {
    const Architecture &a = device_.architecture;
    w.comment(fmt::format("What runs on the device, as in {}.ptx.", context_.stem));
    w.directive("constexpr const char *tangram_device_text = R\"ptx(");
    w.verbatim(device_.ptx);
    w.directive(")ptx\";");
    w.blank();
    // The text begins in the second line of its literal.
    w.line(fmt::format(
        "tangram_ptx::Program tangram_program(\"{}.ptx\", tangram_device_text + 1, \"{}\", {}, {}, {}, {});",
        context_.stem, a.name, a.major, a.minor, a.exact, context_.options.flag("line")));
    w.blank();
  }

  void describe(Writer &w, Expressions &expressions, const Signature &s) const override {
    HostStatements statements(w, expressions, module_, functions_);
    for (const DeviceFunction &function : device_.functions)
      if (function.kernel == s.kernel) statements.describe(*function.launch);
  }
  std::string parameter(const Param &p, Expressions &expressions) const override {
    const bool readOnly = p.type.isPointer() && p.access == Access::In && !p.type.toConst();
    return (readOnly ? "const " : "") + expressions.type(p.type) +
           (p.type.isPointer()       ? ""
            : p.access == Access::In ? " "
                                     : " &") +
           p.name;
  }
  std::pair<std::string, std::string> handles() const override { return {"void *", "void *"}; }
  void body(Writer &w, Expressions &expressions, const Signature &s, const DeviceNames &names) const override {
    HostStatements(w, expressions, module_, functions_).kernel(*s.kernel, names.stream, names.workspace);
  }

  const Module &module_;
  const EmitContext &context_;
  const CompiledDevice &device_;
  std::vector<Signature> signatures_;
  DeviceStyle style_;
  Functions functions_;
};

} // namespace

std::vector<OutputFile> writeHost(const Module &module, const EmitContext &context, const CompiledDevice &device) {
  Emitter emitter(module, context, device);
  return {emitter.source(), emitter.header()};
}

} // namespace tangram::ptx
