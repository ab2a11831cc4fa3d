// From an LLVM module to PTX: NVPTX's target machine, the optimiser, libdevice.
#pragma once

#include "tangram/ast/Node.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tangram::ptx {

/// "sm_90a" as the driver sees it, and the oldest PTX that can say it.
struct Architecture {
  std::string name;
  int major = 0, minor = 0;
  bool exact = false; // runs on this one only
  unsigned ptx = 0;   // 78 for 7.8
};
const std::vector<Architecture> &architectures();

struct CompilerOptions {
  Architecture architecture;
  unsigned ptx = 0;
  unsigned level = 3;
  bool fma = false;
};

class Compiler {
public:
  explicit Compiler(const CompilerOptions &options);
  ~Compiler();

  /// Triple and data layout; before anything is put into the module.
  void prepare(llvm::Module &module) const;
  /// Adds what is wanted of libdevice, and what that needs.
  void link(llvm::Module &module, const std::filesystem::path &libdevice,
            const std::map<std::string, const ast::Call *> &wanted) const;
  void optimise(llvm::Module &module) const;
  std::string assembly(llvm::Module &module) const;

private:
  CompilerOptions options_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

} // namespace tangram::ptx
