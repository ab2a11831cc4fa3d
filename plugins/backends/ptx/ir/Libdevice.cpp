// NVIDIA's math functions as bitcode: what is called is linked in and becomes the module's own.
#include "Compiler.h"

#include "tangram/diag/Diagnostic.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <set>

namespace tangram::ptx {

namespace {

constexpr DiagnosticKind kUnreadable{"ptx.libdevice-unreadable", DiagnosticClass::User, "'{}' cannot be read: {}",
                                     "name the file libdevice.10.bc of a CUDA toolkit by the backend's option "
                                     "'libdevice'"};
constexpr DiagnosticKind kNotThere{"ptx.libdevice-function", DiagnosticClass::Limitation,
                                   "'{}' needs the function '{}', which '{}' does not have",
                                   "name the file libdevice.10.bc of a newer CUDA toolkit by the backend's option "
                                   "'libdevice'"};

/// The library asks how it is to compute.
std::uint32_t reflected(llvm::StringRef question, const Architecture &architecture) {
  if (question == "__CUDA_ARCH") return static_cast<std::uint32_t>(100 * architecture.major + 10 * architecture.minor);
  // Denormals are kept, divisions and square roots are rounded as IEEE says.
  return question == "__CUDA_PREC_DIV" || question == "__CUDA_PREC_SQRT" ? 1 : 0;
}

void answer(llvm::Module &module, const Architecture &architecture) {
  llvm::Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect) return;
  while (!reflect->use_empty()) {
    auto *call = llvm::cast<llvm::CallInst>(reflect->user_back());
    auto *name = llvm::dyn_cast<llvm::GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    llvm::StringRef question;
    if (name && name->hasInitializer())
      if (auto *data = llvm::dyn_cast<llvm::ConstantDataArray>(name->getInitializer())) question = data->getAsCString();
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), reflected(question, architecture)));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
}

} // namespace

void Compiler::link(llvm::Module &module, const std::filesystem::path &libdevice,
                    const std::map<std::string, const ast::Call *> &wanted) const {
  ast::SourceRange where = wanted.empty() ? ast::SourceRange{} : wanted.begin()->second->range;
  auto buffer = llvm::MemoryBuffer::getFile(libdevice.string());
  if (!buffer) fail(kUnreadable, where, libdevice.string(), buffer.getError().message());
  auto library = llvm::getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library) fail(kUnreadable, where, libdevice.string(), llvm::toString(library.takeError()));
  for (const auto &[name, call] : wanted)
    if (!(*library)->getFunction(name)) fail(kNotThere, call->range, call->callee, name, libdevice.string());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  std::set<std::string> own;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration()) own.insert(function.getName().str());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded))
    fail(kUnreadable, where, libdevice.string(), "it does not go with the kernel's code");
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !own.count(function.getName().str()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  answer(module, options_.architecture);
}

} // namespace tangram::ptx
