#include "Backend.h"
#include "Host.h"

#include "tangram/c-family/Compiler.h"
#include "tangram/c-family/Signature.h"

namespace tangram::ptx {

namespace {
constexpr DiagnosticKind kNoKernels{"ptx.no-kernels", DiagnosticClass::Bug, "there is no kernel to write",
                                    "compose a plan first"};
} // namespace

std::vector<OutputFile> PtxBackend::emit(const ast::Module &module, EmitContext &context) {
  if (module.kernels.empty()) fail(kNoKernels, module.range);
  c_family::requireLegalTypes(module);
  CompiledDevice device = compileDevice(module, context);
  std::vector<OutputFile> files = writeHost(module, context, device);
  files.push_back({context.stem + ".ptx", OutputFile::Role::Other, device.ptx});
  if (!device.ir.empty()) files.push_back({context.stem + ".ll", OutputFile::Role::Other, device.ir});
  return files;
}

std::vector<std::string> PtxBackend::compilerFlags(const OptionValues &options) {
  return c_family::optionFlags(options, "tangram/ptx/program.h", TANGRAM_PTX_SOURCE_INCLUDE);
}

// Only the host's half is built here; the driver makes code of the device's when it first runs.
std::filesystem::path PtxBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  // Never unloaded: the driver keeps what it was given. What it calls of its own is its own, also where a library of
  // the process has a function of the name.
  c_family::CompilerCall call{"C++",
                              {"-std=" + context.options.text("standard"), "-fPIC", "-shared", "-Wl,-z,nodelete",
                               "-Wl,-Bsymbolic", "-I" + context.folder.string()},
                              ""};
  for (const std::string &flag : compilerFlags(context.options)) call.args.push_back(flag);
  call.linking = {"-ldl"};
  return c_family::compileLibrary(files, context, call);
}

} // namespace tangram::ptx
