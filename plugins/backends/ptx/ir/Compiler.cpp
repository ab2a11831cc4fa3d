#include "Compiler.h"

#include "LoadsFirst.h"

#include "tangram/diag/Diagnostic.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
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

namespace {

llvm::OptimizationLevel optimisation(unsigned level) {
  switch (level) {
  case 0: return llvm::OptimizationLevel::O0;
  case 1: return llvm::OptimizationLevel::O1;
  case 2: return llvm::OptimizationLevel::O2;
  default: return llvm::OptimizationLevel::O3;
  }
}

void verify(const llvm::Module &module, const char *when) {
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (llvm::verifyModule(module, &stream)) failBug({}, "ptx", fmt::format("the module {} is broken: {}", when, wrong));
}

} // namespace

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

void Compiler::prepare(llvm::Module &module) const {
  module.setTargetTriple(machine_->getTargetTriple().str());
  module.setDataLayout(machine_->createDataLayout());
}

void Compiler::optimise(llvm::Module &module) const {
  verify(module, "as it is generated");
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine_.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel level = optimisation(options_.level);
  llvm::ModulePassManager passes =
      options_.level == 0 ? builder.buildO0DefaultPipeline(level) : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
  if (options_.level > 0) loadsFirst(module);
  verify(module, "after it was optimised");
}

std::string Compiler::assembly(llvm::Module &module) const {
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    failBug({}, "ptx", "LLVM cannot print assembly for this target");
  passes.run(module);
  return std::string(out);
}

std::string text(const llvm::Module &module) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  module.print(stream, nullptr);
  return out;
}

} // namespace tangram::ptx
