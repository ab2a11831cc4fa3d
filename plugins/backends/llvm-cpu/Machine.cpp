#include "Machine.h"

#include "tangram/diag/Diagnostic.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

namespace tangram::llvm_cpu {

namespace {

constexpr DiagnosticKind kNoTarget{"llvm-cpu.no-target", DiagnosticClass::Limitation,
                                   "LLVM writes no code for this machine: {}",
                                   "use a backend that has a compiler of C++, as openmp"};
constexpr DiagnosticKind kUnknownCpu{"llvm-cpu.unknown-cpu", DiagnosticClass::User,
                                     "'{}' is no processor that LLVM knows",
                                     "leave the option 'cpu' out for the one at hand, or name one, such as x86-64-v3"};

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

std::string hostFeatures() {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  return features;
}

} // namespace

unsigned optimisationLevel(const OptionValues &options) {
  return options.flag("quick") ? 1 : static_cast<unsigned>(options.integer("opt"));
}

std::unique_ptr<llvm::TargetMachine> makeMachine(const OptionValues &options, unsigned level) {
  initialise();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string wrong;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, wrong);
  if (!target) fail(kNoTarget, {}, wrong);
  std::string cpu = options.text("cpu"), features;
  if (cpu == "native") {
    cpu = llvm::sys::getHostCPUName().str();
    features = hostFeatures();
  } else {
    std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
    auto it = options.entries().find("cpu");
    if (!known || !known->isCPUStringValid(cpu))
      fail(kUnknownCpu, it == options.entries().end() ? ast::SourceRange{} : it->second.range, shown(cpu));
  }
  llvm::TargetOptions how;
  // Products and sums are fused only where that is asked for.
  how.AllowFPOpFusion = options.flag("fma") ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(
      triple, cpu, features, how, llvm::Reloc::PIC_, {}, static_cast<llvm::CodeGenOptLevel>(std::min(level, 3u))));
  if (!made) fail(kNoTarget, {}, triple);
  return made;
}

Processor processorOf(const llvm::TargetMachine &machine) {
  Processor found;
  found.x86 = machine.getTargetTriple().getArch() == llvm::Triple::x86_64;
  if (!found.x86) return found;
  const llvm::MCSubtargetInfo &has = *machine.getMCSubtargetInfo();
  if (has.checkFeatures("+avx2")) found.vectorBytes = 32;
  if (has.checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq")) found.vectorBytes = 64;
  found.halfConversion = has.checkFeatures("+f16c");
  return found;
}

} // namespace tangram::llvm_cpu
