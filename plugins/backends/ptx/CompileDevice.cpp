#include "CompileDevice.h"

#include "ir/Compiler.h"
#include "ir/Generate.h"

#include "tangram/hardware/Launch.h"
#include "tangram/llvm-ir/Optimise.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cstdlib>

namespace tangram::ptx {

namespace {

constexpr DiagnosticKind kNoLaunchLevels{
    "ptx.no-launch", DiagnosticClass::User, "target '{}' has no level that launches kernels on a device",
    "its outermost level synchronises by 'relaunch', and the level below by 'barrier'"};
constexpr DiagnosticKind kVersion{"ptx.version", DiagnosticClass::User, "'{}' is no version of PTX that LLVM writes",
                                  "leave the option 'ptx' out, or name one from {1} to 8.5, such as 8.0"};
constexpr DiagnosticKind kTooOld{"ptx.version-too-old", DiagnosticClass::User, "PTX {} cannot be written for {}",
                                 "leave the option 'ptx' out, or name {2} or newer"};
constexpr DiagnosticKind kNoLibdevice{
    "ptx.no-libdevice", DiagnosticClass::User, "'{}' needs libdevice, which {}",
    "install a CUDA toolkit (package cuda-nvvm) and name it by CUDA_HOME, or name the file libdevice.10.bc by the "
    "backend's option 'libdevice'; fabs, sqrt, fma, fmin, fmax, copysign, ceil, floor, trunc and rint do without"};

SourceRange rangeOf(const OptionValues &options, const std::string &name) {
  auto it = options.entries().find(name);
  return it == options.entries().end() ? SourceRange{} : it->second.range;
}

std::string versionText(unsigned version) { return fmt::format("{}.{}", version / 10, version % 10); }

/// 78 for "7.8".
unsigned ptxVersion(const OptionValues &options, const Architecture &architecture) {
  static constexpr unsigned known[] = {60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74,
                                       75, 76, 77, 78, 80, 81, 82, 83, 84, 85};
  const std::string &asked = options.text("ptx");
  if (asked.empty()) return architecture.ptx;
  SourceRange where = rangeOf(options, "ptx");
  for (unsigned version : known) {
    if (asked != versionText(version)) continue;
    if (version < architecture.ptx) fail(kTooOld, where, asked, architecture.name, versionText(architecture.ptx));
    return version;
  }
  fail(kVersion, where, shown(asked), versionText(architecture.ptx));
}

std::filesystem::path libdevice(const OptionValues &options, const ast::Call &wanted) {
  std::error_code ignored;
  if (const std::string &named = options.text("libdevice"); !named.empty()) {
    if (std::filesystem::is_regular_file(named, ignored)) return named;
    fail(kNoLibdevice, wanted.range, wanted.callee, fmt::format("is not at '{}'", shown(named)));
  }
  std::string searched;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", ""}) {
    const char *folder = *variable ? std::getenv(variable) : "/usr/local/cuda";
    if (!folder || !*folder) continue;
    std::filesystem::path file = std::filesystem::path(folder) / "nvvm/libdevice/libdevice.10.bc";
    if (std::filesystem::is_regular_file(file, ignored)) return file;
    searched += (searched.empty() ? "'" : ", '") + file.string() + "'";
  }
  fail(kNoLibdevice, wanted.range, wanted.callee, "is not at " + searched);
}

} // namespace

CompiledDevice compileDevice(const ast::Module &module, EmitContext &context) {
  std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
  if (!levels) fail(kNoLaunchLevels, context.target.pipeline.backend.range, context.target.name);
  const OptionValues &options = context.options;
  CompiledDevice made;
  for (const Architecture &architecture : architectures())
    if (architecture.name == options.text("arch")) made.architecture = architecture;
  Compiler compiler({made.architecture, ptxVersion(options, made.architecture),
                     static_cast<unsigned>(options.integer("opt")), options.flag("fma")});

  llvm::LLVMContext llvm;
  llvm::Module code(context.stem, llvm);
  compiler.prepare(code);
  DeviceCode generated = generate(module, *levels, code);
  const std::string &ir = options.text("ir");
  if (ir == "generated") made.ir = llvm_ir::text(code);
  if (!generated.wanted.empty())
    compiler.link(code, libdevice(options, *generated.wanted.begin()->second), generated.wanted);
  compiler.optimise(code);
  if (ir == "optimised") made.ir = llvm_ir::text(code);
  made.ptx = withOrigins(compiler.assembly(code), module, options.flag("line"));
  made.functions = std::move(generated.functions);
  return made;
}

} // namespace tangram::ptx
