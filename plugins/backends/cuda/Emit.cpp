// One translation unit and one header for all kernels of a module.
#include "Backend.h"
#include "Statements.h"

#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/DeviceEntries.h"

#include <algorithm>
#include <utility>

namespace tangram::cuda {

using namespace ast;
using namespace c_family;

namespace {

constexpr DiagnosticKind kNoKernels{"cuda.no-kernels", DiagnosticClass::Bug, "there is no kernel to write",
                                    "compose a plan first"};
constexpr DiagnosticKind kLevels{"cuda.levels", DiagnosticClass::User,
                                 "target '{}' has no level that synchronises by 'relaunch' over one by 'barrier'",
                                 "take the levels of the target 'gpu'"};

class Emitter {
public:
  Emitter(const Module &module, EmitContext &context, const hardware::LaunchLevels &levels)
      : module_(module), context_(context), levels_(levels), line_(context.options.flag("line")) {
    Names taken;
    for (const Kernel *kernel : module.kernels) {
      taken.reserve(kernel->name); // the entry
      signatures_.push_back(signatureOf(module, *kernel));
    }
    for (const Kernel *kernel : module.kernels)
      walk(kernel->body, [&](const Launch &launch) {
        functions_[&launch] = taken.fresh(launch.name);
        launches_[kernel].push_back(&launch);
        return WalkResult::Skip;
      });
    style_.stream = "cudaStream_t";
    style_.memory = "void *";
    style_.data = pointer;
    style_.handle = hostPointer;
    style_.device = "tangram_cuda::Device::abi";
    style_.defaultStream = "nullptr";
    style_.addresses = true;
  }

  OutputFile header() {
    return deviceHeader(signatures_, style_, context_, "typedef struct CUstream_st *cudaStream_t;\n");
  }

  OutputFile source() {
    // What stands in front depends on what the kernels turn out to use, and #line directives count lines.
    std::string body = write(), again = write();
    while (again != body) body = std::exchange(again, write());
    return {context_.stem + ".cu", OutputFile::Role::Source, body};
  }

private:
  std::string write() {
    Writer w(context_.stem + ".cu");
    Expressions host;
    DeviceExpressions device(levels_);
    for (const Function *f : module_.functions) {
      host.functions.insert(f->name);
      device.functions.insert(f->name);
    }
    preamble(w);
    for (const Struct *s : structuresWithin(module_, signatures_)) defineStructure(w, *s, host);
    for (const Function *f : module_.functions) {
      DeviceStatements statements(w, device, module_, line_);
      statements.define(*f, "[[maybe_unused]] __host__ __device__ inline");
    }
    for (const Signature &s : signatures_) kernel(w, s, host, device);
    usesLimits_ |= host.usesLimits;
    usesAtomics_ |= device.usesAtomics;
    usesChecks_ |= device.usesChecks || host.usesChecks;
    usesMatrices_ |= device.usesMatrices;
    usesTransfers_ |= device.usesTransfers;
    usesWideStores_ |= device.usesWideStores;
    usesHalf_ |= device.usesHalf || host.usesHalf;
    closeDeviceSource(w, signatures_, style_, context_.target.name);
    return w.take();
  }

  void preamble(Writer &w) {
    std::vector<std::string> includes{"<tangram/cuda/device.h>"};
    if (usesChecks_) includes.insert(includes.begin(), "<tangram/cuda/checked.h>");
    if (usesHalf_) includes.insert(includes.begin(), "<tangram/cuda/float16.h>");
    if (usesMatrices_) includes.insert(includes.begin(), "<tangram/cuda/matrix.h>");
    if (usesWideStores_) includes.insert(includes.begin(), "<tangram/cuda/wide.h>");
    if (usesTransfers_) includes.insert(includes.begin(), "<tangram/cuda/transfer.h>");
    if (usesAtomics_) includes.insert(includes.begin(), "<tangram/cuda/atomics.h>");
    // Sizes that a plan fixes may be 0, which nvcc finds out, and warns of j < size. The architectures are a list,
    // 800,900.
    openDeviceSource(w, context_, includes, usesLimits_,
                     {"#ifdef __NVCC__", "#pragma nv_diag_suppress 186", "#endif",
                      "#define TANGRAM_TEXT_(...) #__VA_ARGS__",
                      "#define TANGRAM_TEXT(...) TANGRAM_TEXT_(__VA_ARGS__)"});
  }

  void kernel(Writer &w, const Signature &s, Expressions &host, DeviceExpressions &device) {
    w.comment(fmt::format("The plan: {}", s.kernel->plan));
    w.line(fmt::format("namespace {}_kernel {{", s.entry));
    w.blank();
    w.line("thread_local char last_error[4096];");
    w.blank();
    defineConstants(w, s);
    for (const Launch *launch : launches_[s.kernel]) {
      device.enter(*launch);
      DeviceStatements statements(w, device, module_, line_);
      if (statements.launch(*launch, *s.kernel, functions_.at(launch))) asking_.insert(launch);
      w.blank();
      const std::string &function = functions_.at(launch);
      w.line(fmt::format("constexpr tangram_cuda::Launch tangram_launch_{} = {{\"{}\", \"{}\", {}, "
                         "TANGRAM_TEXT(__CUDA_ARCH_LIST__)}};",
                         function, s.entry, function, c_family::stringLiteral(s.kernel->plan)));
      w.blank();
    }
    defineCheck(w, s, style_);
    w.blank();
    DeviceNames extra = deviceNames(s);
    const Alloc *workspace = workspaceOf(*s.kernel);
    std::string params;
    for (const Param *p : s.kernel->params) {
      bool readOnly = p->access == Access::In;
      std::string text = p->type.isPointer()
                             ? host.type(Type::pointer(p->type.element(), readOnly || p->type.toConst()))
                             : host.type(p->type) + (readOnly ? " " : " &");
      params += "[[maybe_unused]] " + text + p->name + ", ";
    }
    w.open(fmt::format("int run({}[[maybe_unused]] void *tangram_memory, [[maybe_unused]] cudaStream_t {})", params,
                       extra.stream));
    if (workspace) w.line(fmt::format("uint8_t *const {} = static_cast<uint8_t *>(tangram_memory);", extra.workspace));
    HostStatements statements(w, host, module_, line_, functions_, asking_);
    statements.kernel(*s.kernel, extra.stream);
    w.close();
    w.blank();
    w.line(fmt::format("}} // namespace {}_kernel", s.entry));
    w.blank();
    host.spelling.clear();
    device.spelling.clear();
  }

  const Module &module_;
  EmitContext &context_;
  const hardware::LaunchLevels &levels_;
  const bool line_;
  std::vector<Signature> signatures_;
  DeviceStyle style_;
  std::map<const Launch *, std::string> functions_;
  std::set<const Launch *> asking_; // for memory of their groups
  std::map<const Kernel *, std::vector<const Launch *>> launches_;
  bool usesLimits_ = false, usesAtomics_ = false, usesChecks_ = false, usesHalf_ = false, usesMatrices_ = false,
       usesTransfers_ = false, usesWideStores_ = false;
};

} // namespace

std::vector<OutputFile> CudaBackend::emit(const Module &module, EmitContext &context) {
  if (module.kernels.empty()) fail(kNoKernels, module.range);
  requireLegalTypes(module);
  std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
  if (!levels) fail(kLevels, {}, context.target.name);
  Emitter emitter(module, context, *levels);
  return {emitter.source(), emitter.header()};
}

} // namespace tangram::cuda
