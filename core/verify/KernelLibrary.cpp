#include "tangram/verify/KernelLibrary.h"

#include "tangram/diag/Diagnostic.h"

#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <malloc.h>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kMissing{"kernels.missing", DiagnosticClass::User, "there is no library '{0}'",
                                  "check the path"};
constexpr DiagnosticKind kNotLoadable{"kernels.not-loadable", DiagnosticClass::User,
                                      "'{0}' cannot be loaded as a library: {1}",
                                      "compile it again for this machine with `tangram compile --emit library`"};
constexpr DiagnosticKind kNoKernels{"kernels.no-kernels", DiagnosticClass::User,
                                    "'{0}' is not a kernel library: it does not export 'tangram_kernel_table'",
                                    "make one with `tangram compile --emit library`"};
constexpr DiagnosticKind kAbi{"kernels.abi", DiagnosticClass::User,
                              "kernel {1} of '{0}' has ABI version {2} in {3} bytes, but this is version {4} with {5}",
                              "compile it again with this version of tangram"};
constexpr DiagnosticKind kBadDescriptor{"kernels.bad-descriptor", DiagnosticClass::User,
                                        "kernel {1} of '{0}' does not describe itself: {2}",
                                        "compile it again with this version of tangram"};
/// What every version has; what was appended later is looked for by the size.
constexpr std::size_t kLeast = offsetof(tangram_kernel, invoke) + sizeof(tangram_kernel::invoke);

constexpr DiagnosticKind kUnknownKernel{"kernels.unknown", DiagnosticClass::User, "'{0}' has no kernel '{1}'",
                                        "use {2}"};

std::string wrongWith(const tangram_kernel &k) {
  if (!k.name || !k.spectrum || !k.plan || !k.target) return "a name is missing";
  if (!k.invoke) return "it has no entry";
  if (k.num_params && !k.params) return "its parameters are missing";
  for (std::uint32_t i = 0; i < k.num_params; ++i) {
    const tangram_param &p = k.params[i];
    if (!p.name) return fmt::format("parameter {} has no name", i);
    if (p.element == TANGRAM_STRUCT) {
      bool older = k.struct_size < offsetof(tangram_kernel, structs) + sizeof k.structs;
      const tangram_struct *made = older || !k.structs ? nullptr : k.structs[i];
      if (!made || !made->bytes || !made->num_fields || !made->fields)
        return fmt::format("parameter '{}' is a struct of which nothing is said", p.name);
      for (const tangram_field *f = made->fields; f != made->fields + made->num_fields; ++f)
        if (!f->name || !isNumber(f->element) || f->offset >= made->bytes)
          return fmt::format("a field of parameter '{}' is none", p.name);
    } else if (!isNumber(p.element))
      return fmt::format("parameter '{}' has the unknown element type {}", p.name, p.element);
    if (p.rank > TANGRAM_MAX_RANK) return fmt::format("parameter '{}' has {} dimensions", p.name, p.rank);
  }
  if (k.struct_size < offsetof(tangram_kernel, launch) + sizeof k.launch || !k.device) return "";
  const tangram_device &d = *k.device;
  if (!k.workspace || !k.launch) return "it has a device and no way to launch it there";
  if (d.struct_size < sizeof(tangram_device) || !d.open || !d.describe || !d.allocate || !d.release || !d.upload ||
      !d.download || !d.wait || !d.time)
    return "its device lacks a function";
  return "";
}

} // namespace

struct KernelLibrary::Handle {
  boost::dll::shared_library library;
};

KernelLibrary::KernelLibrary(KernelLibrary &&) noexcept = default;
KernelLibrary &KernelLibrary::operator=(KernelLibrary &&) noexcept = default;
KernelLibrary::~KernelLibrary() = default;

KernelLibrary::KernelLibrary(const std::filesystem::path &path) : path_(path), handle_(std::make_unique<Handle>()) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) fail(kMissing, {}, path.string());
  try {
    // rtld_now: an undefined symbol is an error here rather than in the middle of a run.
    handle_->library.load(std::filesystem::absolute(path).string(), boost::dll::load_mode::rtld_now);
  } catch (const boost::system::system_error &e) {
    fail(kNotLoadable, {}, path.string(), e.what());
  }
  if (!handle_->library.has("tangram_kernel_table")) fail(kNoKernels, {}, path.string());
  auto kernels = handle_->library.get<const tangram_kernel *const *(std::uint32_t *)>("tangram_kernel_table");
  std::uint32_t count = 0;
  const tangram_kernel *const *list = kernels(&count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!list || !list[i]) fail(kBadDescriptor, {}, path.string(), i, "it is null");
    const tangram_kernel &k = *list[i];
    if (k.abi != TANGRAM_KERNEL_ABI || k.struct_size < kLeast)
      fail(kAbi, {}, path.string(), i, k.abi, k.struct_size, TANGRAM_KERNEL_ABI, kLeast);
    if (std::string wrong = wrongWith(k); !wrong.empty()) fail(kBadDescriptor, {}, path.string(), i, wrong);
    kernels_.push_back(&k);
  }
}

const tangram_kernel &KernelLibrary::get(std::string_view name) const {
  std::vector<std::string> names;
  for (const tangram_kernel *k : kernels_) {
    if (k->name == name) return *k;
    names.emplace_back(k->name);
  }
  fail(kUnknownKernel, {}, path_.string(), name, suggest(name, names));
}

void *KernelLibrary::symbol(const char *name) const {
  return handle_->library.has(name) ? reinterpret_cast<void *>(&handle_->library.get<void()>(name)) : nullptr;
}

CallResult call(const tangram_kernel &kernel, std::vector<Value> &arguments) {
  auto bug = [&](const std::string &what) { failBug({}, fmt::format("call of kernel '{}'", kernel.name), what); };
  if (arguments.size() != kernel.num_params)
    bug(fmt::format("{} arguments for {} parameters", arguments.size(), kernel.num_params));
  std::vector<void *> pointers;
  for (std::uint32_t i = 0; i < kernel.num_params; ++i) {
    const tangram_param &p = kernel.params[i];
    if (arguments[i].rank() != p.rank || arguments[i].type() != Element::of(kernel, i))
      bug(fmt::format("argument '{}' is {} of rank {}, not {} of rank {}", p.name, arguments[i].type().text(),
                      arguments[i].rank(), Element::of(kernel, i).text(), p.rank));
    pointers.push_back(arguments[i].argument());
  }
  tangram_error error{};
  CallResult result;
  result.status = kernel.invoke(pointers.data(), &error);
  error.message[sizeof error.message - 1] = 0;
  if (!result.ok()) result.message = *error.message ? error.message : "the kernel does not say why";
  return result;
}

namespace {
constexpr int kPerturbed = 0x7f; // in each byte

/// Below the frame of the caller.
[[gnu::noinline]] void perturbStack() {
  constexpr std::size_t kFrames = 128 << 10; // small temporaries of all lanes, and what calls them
  char below[kFrames];
  std::memset(below, kPerturbed, sizeof below);
  asm volatile("" : : "r"(below) : "memory"); // it is of use to somebody
}
} // namespace

void perturbMemory(bool on) {
  mallopt(M_PERTURB, on ? ~kPerturbed & 0xff : 0);
  if (on) perturbStack();
}

} // namespace tangram::runtime
