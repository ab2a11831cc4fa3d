#include "tangram/llvm-ir/Optimise.h"

#include "tangram/diag/Diagnostic.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace tangram::llvm_ir {

namespace {

llvm::OptimizationLevel optimisation(unsigned level) {
  switch (level) {
  case 0: return llvm::OptimizationLevel::O0;
  case 1: return llvm::OptimizationLevel::O1;
  case 2: return llvm::OptimizationLevel::O2;
  default: return llvm::OptimizationLevel::O3;
  }
}

std::string emitted(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type) {
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    failBug({}, "llvm-ir", "LLVM cannot write such a file for this machine");
  passes.run(module);
  return std::string(out);
}

} // namespace

void verify(const llvm::Module &module, const char *when) {
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (llvm::verifyModule(module, &stream))
    failBug({}, "llvm-ir", fmt::format("the module {} is broken: {}", when, wrong));
}

void prepare(llvm::Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, unsigned level,
              const llvm::TargetLibraryInfoImpl *library) {
  verify(module, "as it is generated");
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  if (library) functions.registerPass([&] { return llvm::TargetLibraryAnalysis(*library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel how = optimisation(level);
  llvm::ModulePassManager passes =
      level == 0 ? builder.buildO0DefaultPipeline(how) : builder.buildPerModuleDefaultPipeline(how);
  passes.run(module, modules);
  verify(module, "after it was optimised");
}

std::string assembly(llvm::Module &module, llvm::TargetMachine &machine) {
  return emitted(module, machine, llvm::CodeGenFileType::AssemblyFile);
}
std::string object(llvm::Module &module, llvm::TargetMachine &machine) {
  return emitted(module, machine, llvm::CodeGenFileType::ObjectFile);
}

std::string text(const llvm::Module &module) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  module.print(stream, nullptr);
  return out;
}

} // namespace tangram::llvm_ir
