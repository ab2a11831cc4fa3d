#include "Host.h"

#include "tangram/ast/Functions.h"
#include "tangram/ast/Walk.h"

namespace tangram::ptx {

using namespace ast;
using namespace c_family;

namespace {

class Emitter {
public:
  Emitter(const Module &module, const EmitContext &context, const CompiledDevice &device)
      : module_(module), context_(context), device_(device) {
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

  OutputFile source() {
    Expressions expressions;
    for (const Function *f : module_.functions) expressions.functions.insert(f->name);
    Writer body(context_.stem + ".cpp");
    for (const Function *f : hostFunctions(module_))
      HostStatements(body, expressions, module_, functions_).define(*f, "[[maybe_unused]] inline");
    for (const Signature &s : signatures_) kernel(body, s, expressions);

    Writer w(context_.stem + ".cpp");
    std::vector<std::string> includes{"<tangram/ptx/program.h>"};
    for (const Kernel *kernel : module_.kernels)
      if (contains<Report>(kernel->body) && includes.size() == 1) includes.emplace_back("<tangram/ptx/report.h>");
    if (expressions.usesHalf) includes.emplace_back("<tangram/runtime/float16.h>");
    if (expressions.usesChecks) includes.emplace_back("<tangram/runtime/checked.h>");
    openDeviceSource(w, context_, includes, expressions.usesLimits);
    for (const Struct *s : structuresWithin(module_, signatures_)) defineStructure(w, *s, expressions);
    for (const Signature &s : signatures_) constants(w, s);
    program(w);
    w.verbatim(body.take());
    closeDeviceSource(w, signatures_, style_, context_.target.name);
    return {context_.stem + ".cpp", OutputFile::Role::Source, w.take()};
  }

private:
  /// Tunables have the values that the device's code was made with.
  void constants(Writer &w, const Signature &s) {
    Expressions expressions;
    w.line(fmt::format("namespace {}_kernel {{", s.entry));
    w.blank();
    w.line("thread_local char last_error[4096];");
    w.blank();
    for (std::size_t i = 0; i < s.kernel->constants.size(); ++i) {
      const Param &constant = *s.kernel->constants[i];
      w.line(fmt::format("[[maybe_unused]] constexpr {} {} = {};", expressions.type(constant.type), constant.name,
                         expressions.print(s.kernel->defaults.at(i), constant.type)));
    }
    if (!s.kernel->constants.empty()) w.blank();
    w.line(fmt::format("}} // namespace {}_kernel", s.entry));
    w.blank();
  }

  void program(Writer &w) {
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

  void kernel(Writer &w, const Signature &s, Expressions &expressions) {
    HostStatements statements(w, expressions, module_, functions_);
    w.comment(fmt::format("The plan: {}", s.kernel->plan));
    w.line(fmt::format("namespace {}_kernel {{", s.entry));
    w.blank();
    for (const DeviceFunction &function : device_.functions)
      if (function.kernel == s.kernel) statements.describe(*function.launch);
    w.blank();
    defineCheck(w, s, style_);
    w.blank();
    DeviceNames extra = deviceNames(s);
    std::string params;
    for (const Param *p : s.kernel->params) {
      bool readOnly = p->type.isPointer() && p->access == Access::In && !p->type.toConst();
      std::string type = (readOnly ? "const " : "") + expressions.type(p->type);
      params += "[[maybe_unused]] " + type +
                (p->type.isPointer()       ? ""
                 : p->access == Access::In ? " "
                                           : " &") +
                p->name + ", ";
    }
    w.open(fmt::format("int run({}[[maybe_unused]] void *{}, [[maybe_unused]] void *{})", params, extra.workspace,
                       extra.stream));
    statements.kernel(*s.kernel, extra.stream, extra.workspace);
    w.close();
    w.blank();
    w.line(fmt::format("}} // namespace {}_kernel", s.entry));
    w.blank();
    expressions.spelling.clear();
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
