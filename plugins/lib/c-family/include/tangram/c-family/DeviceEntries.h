// The entries of kernels that run on a device: for memory of the device (NAME), for host memory (NAME_host), how large
// a workspace must be (NAME_workspace), and the functions of tangram/runtime/kernel_abi.h.
#pragma once

#include "tangram/c-family/Entries.h"
#include "tangram/pass/Pass.h"

namespace tangram::c_family {

/// What the parameters behind those of the spectrum are called, so that they differ from all of these.
struct DeviceNames {
  std::string workspace, bytes, stream;
};
DeviceNames deviceNames(const Signature &signature);

/// How one backend spells them.
struct DeviceStyle {
  std::string stream;                                // a type: "cl_command_queue"
  std::string memory;                                // the type of the workspace: "cl_mem"
  std::function<std::string(const Argument &)> data; // a parameter: "cl_mem in", "const float *in"
  FromPointer handle;                                // a void * as that type: "static_cast<cl_mem>(p)"
  std::string device;                                // the tangram_device, an lvalue
  std::string defaultStream;                         // that HostCall and tangram_device::wait use
  bool addresses = false;                            // whether handles are addresses, which have an alignment
};

/// The header of all kernels. `include`: lines that declare the types of handles, "#include <CL/cl.h>".
OutputFile deviceHeader(const std::vector<Signature> &signatures, const DeviceStyle &style, const EmitContext &context,
                        const std::string &include);

// ---- in the source

/// The head of a source up to what tangram_fail is for, within an unnamed namespace. `includes`: "<tangram/x.h>";
/// `limits`: whether it uses numeric limits; `directives`: lines behind the includes.
void openDeviceSource(Writer &w, const EmitContext &context, const std::vector<std::string> &includes, bool limits,
                      const std::vector<std::string> &directives = {});
/// Its end: the entries, which call NAME_kernel::run, and the table of descriptors.
void closeDeviceSource(Writer &w, const std::vector<Signature> &signatures, const DeviceStyle &style,
                       const std::string &target);

/// `int check(...)`, inside of namespace NAME_kernel.
void defineCheck(Writer &w, const Signature &signature, const DeviceStyle &style);

/// The Alloc of the kernel's workspace; null where it needs none.
const ast::Alloc *workspaceOf(const ast::Kernel &kernel);

} // namespace tangram::c_family
