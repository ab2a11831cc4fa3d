#include "Scratchpad.h"

#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <llvm/IR/Constants.h>

namespace tangram::ptx {

using namespace ast;

namespace {

constexpr DiagnosticKind kExtent{
    "ptx.extent", DiagnosticClass::Limitation, "the size of '{}' is not known when the kernel is compiled",
    "let it depend on literals and tunables only: a group's memory is laid out beforehand"};
constexpr DiagnosticKind kTooMuch{"ptx.scratchpad", DiagnosticClass::Limitation,
                                  "'{}' and what is allocated before it are more than a group's memory of any device",
                                  "use smaller tunables, or a target whose 'scratchpad' has the device's size"};

constexpr std::uint64_t kStaticBytes = 48 * 1024; // what the assembler lays out at most
constexpr std::uint64_t kMostBytes = 1 << 24;     // far more than any device has
constexpr std::uint64_t kAlignment = 16;

} // namespace

void Scratchpad::begin(const Launch &launch, const KnownValues &known, const std::string &function) {
  function_ = function;
  pieces_.clear();
  bytes_ = 0;
  walk(launch.body, [&](const Alloc &a) {
    if (a.memory != "scratchpad") return;
    Piece piece{1, bytes_};
    for (const Expr *extent : a.extents) {
      std::optional<Int> size = known.value(extent);
      if (!size || *size < 0) fail(kExtent, a.range, a.name);
      std::uint64_t count = static_cast<std::uint64_t>(*size);
      if (count > kMostBytes || (piece.count *= count) > kMostBytes) fail(kTooMuch, a.range, a.name);
    }
    piece.count = std::max<std::uint64_t>(1, piece.count);
    bytes_ += (piece.count * types_.bytes(a.element) + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes_ > kMostBytes) fail(kTooMuch, a.range, a.name);
    pieces_[&a] = piece;
  });
  dynamic_ = bytes_ > kStaticBytes;
}

llvm::Constant *Scratchpad::place(const Alloc &alloc) {
  const Piece &piece = pieces_.at(&alloc);
  auto variable = [&](llvm::Type *type, llvm::GlobalValue::LinkageTypes linkage, const std::string &name) {
    bool here = linkage == llvm::GlobalValue::InternalLinkage;
    auto *made = new llvm::GlobalVariable(module_, type, false, linkage, here ? llvm::UndefValue::get(type) : nullptr,
                                          name, nullptr, llvm::GlobalValue::NotThreadLocal, kShared);
    made->setAlignment(llvm::Align(kAlignment));
    return made;
  };
  if (!dynamic_)
    return variable(llvm::ArrayType::get(types_.memory(alloc.element), piece.count), llvm::GlobalValue::InternalLinkage,
                    function_ + "_" + alloc.name);
  llvm::Type *byte = llvm::Type::getInt8Ty(module_.getContext());
  const char *name = "tangram_scratchpad";
  llvm::GlobalVariable *all = module_.getNamedGlobal(name);
  if (!all) all = variable(llvm::ArrayType::get(byte, 0), llvm::GlobalValue::ExternalLinkage, name);
  return llvm::ConstantExpr::getGetElementPtr(
      byte, all, llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), piece.offset));
}

} // namespace tangram::ptx
