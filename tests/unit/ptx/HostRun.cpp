#include "HostRun.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include <barrier>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>

namespace tangram::test {

namespace {

constexpr unsigned kWarp = 32;

/// One group while it runs.
struct Group {
  explicit Group(unsigned threads) : all(threads), values(threads) {
    for (unsigned first = 0; first < threads; first += kWarp)
      warps.emplace_back(std::make_unique<std::barrier<>>(std::min(kWarp, threads - first)));
  }
  std::barrier<> all;
  std::vector<std::unique_ptr<std::barrier<>>> warps;
  std::vector<std::uint32_t> values; // what is shuffled
};

thread_local Group *group = nullptr;
thread_local std::uint32_t worker = 0;
std::uint32_t groupNumber = 0, groupCount = 0;
alignas(16) char scratchpad[1 << 18];

extern "C" {
static std::uint32_t readTid() { return worker; }
static std::uint32_t readCtaid() { return groupNumber; }
static std::uint32_t readNctaid() { return groupCount; }
static float reciprocalRoot(float x) { return 1 / std::sqrt(x); }
static void barrier() { group->all.arrive_and_wait(); }
static void warpBarrier(std::uint32_t) { group->warps[worker / kWarp]->arrive_and_wait(); }
static std::uint32_t shuffle(std::uint32_t, std::uint32_t value, std::uint32_t lane, std::uint32_t) {
  group->values[worker] = value;
  warpBarrier(0);
  unsigned from = worker / kWarp * kWarp + lane % kWarp;
  std::uint32_t result = from < group->values.size() ? group->values[from] : value;
  warpBarrier(0);
  return result;
}
}

const std::map<std::string, void *> &symbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  using F1 = float (*)(float);
  using D1 = double (*)(double);
  using D2 = double (*)(double, double);
  static const std::map<std::string, void *> known{
      {"llvm.nvvm.read.ptx.sreg.tid.x", at(readTid)},       {"llvm.nvvm.read.ptx.sreg.ctaid.x", at(readCtaid)},
      {"llvm.nvvm.read.ptx.sreg.nctaid.x", at(readNctaid)}, {"llvm.nvvm.barrier0", at(barrier)},
      {"llvm.nvvm.bar.warp.sync", at(warpBarrier)},         {"llvm.nvvm.shfl.sync.idx.i32", at(shuffle)},
      {"llvm.nvvm.rsqrt.approx.f", at(reciprocalRoot)},     {"__nv_sinf", at(static_cast<F1>(std::sin))},
      {"__nv_exp", at(static_cast<D1>(std::exp))},          {"__nv_pow", at(static_cast<D2>(std::pow))},
      {"__nv_fmod", at(static_cast<D2>(std::fmod))},        {"tangram_scratchpad", scratchpad}};
  return known;
}

[[noreturn]] void failed(llvm::Error error) { throw std::runtime_error(llvm::toString(std::move(error))); }

std::string plain(std::string name) {
  for (char &c : name)
    if (c == '.') c = '_';
  return "host_" + name;
}

/// For this processor: what only a device has becomes calls, and each kernel is callable with the places of its
/// arguments.
void retarget(llvm::Module &module, const llvm::DataLayout &layout, const std::string &triple) {
  module.setDataLayout(layout);
  module.setTargetTriple(triple);
  std::vector<llvm::Function *> kernels, intrinsics;
  for (llvm::Function &f : module) {
    if (f.getCallingConv() == llvm::CallingConv::PTX_Kernel) kernels.push_back(&f);
    if (f.getName().starts_with("llvm.nvvm.")) intrinsics.push_back(&f);
  }
  for (llvm::Function *f : intrinsics) {
    auto *call = llvm::Function::Create(f->getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                        plain(f->getName().str()), module);
    f->replaceAllUsesWith(call);
    f->eraseFromParent();
  }
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  for (llvm::Function *f : kernels) {
    f->setCallingConv(llvm::CallingConv::C);
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
    auto *wrapper =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "run_" + f->getName().str(), module);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", wrapper));
    std::vector<llvm::Value *> args;
    for (llvm::Argument &arg : f->args()) {
      llvm::Value *place = b.CreateLoad(pointer, b.CreateConstGEP1_32(pointer, wrapper->getArg(0), arg.getArgNo()));
      args.push_back(b.CreateLoad(arg.getType(), place));
    }
    b.CreateCall(f, args);
    b.CreateRetVoid();
  }
  for (llvm::NamedMDNode &node : llvm::make_early_inc_range(module.named_metadata()))
    if (node.getName() == "nvvm.annotations") module.eraseNamedMetadata(&node);
}

} // namespace

struct HostRun::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

HostRun::HostRun(const std::string &ir) : impl_(std::make_unique<Impl>()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic wrong;
  std::unique_ptr<llvm::Module> module = llvm::parseIR(llvm::MemoryBufferRef(ir, "device"), wrong, *context);
  if (!module) throw std::runtime_error(wrong.getMessage().str() + ": " + wrong.getLineContents().str());
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) failed(jit.takeError());
  impl_->jit = std::move(*jit);
  retarget(*module, impl_->jit->getDataLayout(), impl_->jit->getTargetTriple().str());
  llvm::orc::SymbolMap map;
  for (const auto &[name, place] : symbols()) {
    std::string mangled = name.rfind("llvm.", 0) == 0 ? plain(name) : name;
    map[impl_->jit->mangleAndIntern(mangled)] = {llvm::orc::ExecutorAddr::fromPtr(place),
                                                 llvm::JITSymbolFlags::Exported};
  }
  if (auto error = impl_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(map))))
    failed(std::move(error));
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      impl_->jit->getDataLayout().getGlobalPrefix()); // libm, which the processor's code calls
  if (!process) failed(process.takeError());
  impl_->jit->getMainJITDylib().addGenerator(std::move(*process));
  if (auto error = impl_->jit->addIRModule({std::move(module), std::move(context)})) failed(std::move(error));
}

HostRun::~HostRun() = default;

void HostRun::launch(const std::string &function, unsigned groups, unsigned threads, std::vector<void *> args) {
  auto found = impl_->jit->lookup("run_" + function);
  if (!found) failed(found.takeError());
  auto *run = found->toPtr<void (*)(void **)>();
  groupCount = groups;
  for (groupNumber = 0; groupNumber < groups; ++groupNumber) {
    Group together(threads);
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        group = &together;
        worker = i;
        run(args.data());
      });
    for (std::thread &t : workers) t.join();
  }
}

} // namespace tangram::test
