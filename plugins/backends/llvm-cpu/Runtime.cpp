#include "Runtime.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/report.h"

#include <llvm/IR/MDBuilder.h>

#include <dlfcn.h>
#include <link.h>

namespace tangram::llvm_cpu {

using llvm::Value;

namespace {

constexpr DiagnosticKind kNoThreads{"llvm-cpu.no-openmp", DiagnosticClass::User,
                                    "there is no OpenMP runtime: libgomp.so.1 cannot be loaded ({})",
                                    "install it (package libgomp1): its threads run the code that this backend makes"};

/// Where the system's loader finds a library; empty: nowhere.
std::string pathOf(const char *name, std::string *why = nullptr) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    if (why) *why = dlerror();
    return {};
  }
  link_map *map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name ? map->l_name : std::string();
}

} // namespace

std::vector<std::string> runtimeLibraries() {
  std::vector<std::string> paths;
  std::string why;
  paths.push_back(pathOf("libgomp.so.1", &why));
  if (paths.back().empty()) fail(kNoThreads, {}, why);
  for (const char *name : {"libmvec.so.1", "libm.so.6", "libc.so.6"})
    if (std::string path = pathOf(name); !path.empty()) paths.push_back(path);
  return paths;
}

llvm::FunctionCallee runtimeFunction(llvm::Module &module, const std::string &name, llvm::Type *result,
                                     const std::vector<llvm::Type *> &params, bool isVariadic) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, params, isVariadic));
  if (auto *function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) function->setDoesNotThrow();
  return callee;
}

void callInThreads(Scope &scope, llvm::Function &region, Value *data, std::uint64_t threads) {
  llvm::IRBuilder<> &b = scope.build;
  llvm::FunctionCallee call = runtimeFunction(scope.unit.module, "GOMP_parallel", b.getVoidTy(),
                                              {b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()});
  b.CreateCall(call, {&region, data, b.getInt32(static_cast<std::uint32_t>(threads)), b.getInt32(0)});
}

namespace {
Value *ask(Scope &scope, const char *what) {
  llvm::IRBuilder<> &b = scope.build;
  return b.CreateCall(runtimeFunction(scope.unit.module, what, b.getInt32Ty(), {}), {});
}
} // namespace

Value *threadCount(Scope &scope) { return ask(scope, "omp_get_num_threads"); }
Value *threadNumber(Scope &scope) { return ask(scope, "omp_get_thread_num"); }

void allowNested(Scope &scope, unsigned regions) {
  llvm::IRBuilder<> &b = scope.build;
  llvm::BasicBlock *few = scope.block("few"), *done = scope.block("nested");
  Value *allowed = ask(scope, "omp_get_max_active_levels");
  b.CreateCondBr(b.CreateICmpSLT(allowed, b.getInt32(regions)), few, done);
  b.SetInsertPoint(few);
  b.CreateCall(runtimeFunction(scope.unit.module, "omp_set_max_active_levels", b.getVoidTy(), {b.getInt32Ty()}),
               {b.getInt32(regions)});
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

Value *ofThread(llvm::IRBuilderBase &b, llvm::GlobalVariable &variable) {
  // LLVM 19 counts on __tls_get_addr to leave vector registers 16 to 31 alone, which the first call in a thread does
  // not: it allocates. A function that is called is known to change them.
  llvm::Module &module = *variable.getParent();
  const std::string name = (variable.getName() + ".of_thread").str();
  llvm::Function *address = module.getFunction(name);
  if (!address) {
    address = llvm::Function::Create(llvm::FunctionType::get(b.getPtrTy(), false), llvm::GlobalValue::InternalLinkage,
                                     name, module);
    address->addFnAttr(llvm::Attribute::NoInline);
    address->setDoesNotThrow();
    llvm::IRBuilder<> own(llvm::BasicBlock::Create(module.getContext(), "entry", address));
    own.CreateRet(own.CreateThreadLocalAddress(&variable));
  }
  return b.CreateCall(address);
}

void print(llvm::IRBuilderBase &b, llvm::Module &module, Value *to, const std::string &format,
           const std::vector<Value *> &values) {
  std::vector<Value *> args{to, b.getInt64(kErrorBytes), b.CreateGlobalString(format, "text", 0, &module)};
  args.insert(args.end(), values.begin(), values.end());
  llvm::FunctionCallee call =
      runtimeFunction(module, "snprintf", b.getInt32Ty(), {b.getPtrTy(), b.getInt64Ty(), b.getPtrTy()}, true);
  b.CreateCall(call, args);
}

void sayWhere(Scope &scope, llvm::GlobalVariable &lastError, Value *record, Value *site,
              const std::vector<std::string> &sites) {
  llvm::IRBuilder<> &b = scope.build;
  auto word = [&](unsigned which) -> Value * {
    Value *at = b.CreateConstGEP1_32(b.getInt32Ty(), record, which);
    return b.CreateZExt(b.CreateAlignedLoad(b.getInt32Ty(), at, llvm::Align(4)), b.getInt64Ty());
  };
  using namespace tangram_checked;
  Value *index = b.CreateOr(word(kIndexLow), b.CreateShl(word(kIndexHigh), 32));
  Value *bound = b.CreateOr(word(kBoundLow), b.CreateShl(word(kBoundHigh), 32));
  constexpr std::uint64_t calls = 0x7fffffff;
  const std::pair<std::string, Value *> numbers[] = {{"{index}", index},
                                                     {"{bound}", bound},
                                                     {"{last}", b.CreateSub(bound, b.getInt64(1))},
                                                     {"{call}", b.CreateAnd(b.CreateLShr(index, 31), calls)},
                                                     {"{other}", b.CreateAnd(index, calls)}};
  llvm::BasicBlock *none = scope.block("no_site"), *done = scope.block("said");
  llvm::SwitchInst *which = b.CreateSwitch(site, none, static_cast<unsigned>(sites.size()));
  Value *message = nullptr;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    std::string format;
    std::vector<Value *> values;
    for (std::size_t at = 0; at < sites[i].size();) {
      std::size_t taken = 0;
      for (const auto &[name, value] : numbers)
        if (sites[i].compare(at, name.size(), name) == 0) {
          format += "%lld";
          values.push_back(value);
          taken = name.size();
        }
      if (taken == 0) format += sites[i][at] == '%' ? "%%" : std::string(1, sites[i][at]);
      at += std::max<std::size_t>(1, taken);
    }
    llvm::BasicBlock *here = scope.block("site");
    which->addCase(b.getInt32(static_cast<std::uint32_t>(i + 1)), here);
    b.SetInsertPoint(here);
    message = ofThread(b, lastError);
    print(b, scope.unit.module, message, format, values);
    b.CreateBr(done);
  }
  b.SetInsertPoint(none);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

llvm::MDNode *unlikely(llvm::LLVMContext &context) { return llvm::MDBuilder(context).createBranchWeights(1, 2000); }

} // namespace tangram::llvm_cpu
