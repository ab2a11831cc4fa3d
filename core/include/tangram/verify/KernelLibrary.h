// A library that a backend has built: the kernels in it, read from their descriptors (kernel_abi.h).
#pragma once

#include "tangram/verify/Value.h"

#include <filesystem>
#include <memory>
#include <span>

namespace tangram::runtime {

/// Keeps the library loaded as long as it lives.
class KernelLibrary {
public:
  /// Throws DiagnosticError that says the path and the reason: not there, not a library, no kernels, another ABI.
  explicit KernelLibrary(const std::filesystem::path &path);
  ~KernelLibrary();
  KernelLibrary(KernelLibrary &&) noexcept;
  KernelLibrary &operator=(KernelLibrary &&) noexcept;

  std::span<const tangram_kernel *const> kernels() const { return kernels_; }
  /// By the name of the entry; throws DiagnosticError where there is none.
  const tangram_kernel &get(std::string_view name) const;
  /// The address of a function that the library exports beside its kernels; null where there is none.
  void *symbol(const char *name) const;

private:
  struct Handle;
  std::filesystem::path path_;
  std::unique_ptr<Handle> handle_;
  std::vector<const tangram_kernel *> kernels_;
};

struct CallResult {
  int status = TANGRAM_OK;
  std::string message;
  bool ok() const { return status == TANGRAM_OK; }
};

/// Calls a kernel. `arguments` fit its parameters in number, element and rank; class Bug otherwise.
CallResult call(const tangram_kernel &kernel, std::vector<Value> &arguments);

/// From now on what this process allocates holds large numbers, not what was there before, and so does now the stack of
/// this thread, as far as what is called next may reach: an element of a temporary that a kernel reads and never wrote,
/// often that of the call before, shows. For children that check; not while something is timed.
void perturbMemory(bool on = true);

} // namespace tangram::runtime
