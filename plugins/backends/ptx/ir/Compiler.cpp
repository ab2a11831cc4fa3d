#include "Compiler.h"

#include "LoadsFirst.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Optimise.h"

#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>

// As llvm/Support/TargetSelect.h declares them where all targets are asked for.
extern "C" {
void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeNVPTXAsmPrinter(void);
}

namespace tangram::ptx {

const std::vector<Architecture> &architectures() {
  static const std::vector<Architecture> known{
      {"sm_70", 7, 0, false, 60}, {"sm_72", 7, 2, false, 61}, {"sm_75", 7, 5, false, 63},
      {"sm_80", 8, 0, false, 70}, {"sm_86", 8, 6, false, 71}, {"sm_87", 8, 7, false, 74},
      {"sm_89", 8, 9, false, 78}, {"sm_90", 9, 0, false, 78}, {"sm_90a", 9, 0, true, 80}};
  return known;
}

Compiler::Compiler(const CompilerOptions &options) : options_(options) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  const std::string triple = "nvptx64-nvidia-cuda";
  std::string wrong;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, wrong);
  if (!target) failBug({}, "ptx", wrong);
  llvm::TargetOptions how;
  // Products and sums are fused only where that is asked for.
  how.AllowFPOpFusion = options.fma ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  machine_.reset(target->createTargetMachine(triple, options.architecture.name, fmt::format("+ptx{}", options.ptx), how,
                                             llvm::Reloc::PIC_, {},
                                             static_cast<llvm::CodeGenOptLevel>(std::min(options.level, 3u))));
}

Compiler::~Compiler() = default;

void Compiler::prepare(llvm::Module &module) const { llvm_ir::prepare(module, *machine_); }

void Compiler::optimise(llvm::Module &module) const {
  llvm_ir::optimise(module, *machine_, options_.level);
  if (options_.level > 0) loadsFirst(module);
  llvm_ir::verify(module, "after its loads were moved");
}

std::string Compiler::assembly(llvm::Module &module) const { return llvm_ir::assembly(module, *machine_); }

} // namespace tangram::ptx
