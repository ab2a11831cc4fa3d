#include "Abi.h"

namespace tangram::llvm_cpu {

using namespace ast;

void ArgumentRegisters::take(const Type &type) {
  unsigned &left = type.isFloating() && !type.isHalf() ? reals_ : integers_;
  if (left > 0) --left;
}

PassedStruct ArgumentRegisters::take(const std::vector<Structs::Leaf> &fields, std::uint64_t bytes) {
  constexpr std::uint64_t kWord = 8;
  if (bytes > 2 * kWord) return {};
  std::vector<llvm::Type *> types;
  unsigned integers = 0, reals = 0;
  for (std::uint64_t at = 0; at < bytes; at += kWord) {
    bool real = true, any = false;
    std::uint64_t end = at; // of what lies there
    for (const Structs::Leaf &f : fields) {
      if (f.offset < at || f.offset >= at + kWord) continue;
      any = true;
      real &= f.type.isFloating() && !f.type.isHalf();
      end = std::max(end, f.offset + f.type.bytes());
    }
    real &= any;
    (real ? reals : integers) += 1;
    const auto bits = static_cast<unsigned>(8 * std::min(kWord, bytes - at));
    llvm::Type *single = llvm::Type::getFloatTy(context_);
    if (!real)
      types.push_back(llvm::Type::getIntNTy(context_, bits));
    else if (end - at == 4)
      types.push_back(single);
    else {
      bool singles = false;
      for (const Structs::Leaf &f : fields) singles |= f.offset == at && f.type.bytes() == 4;
      types.push_back(singles ? static_cast<llvm::Type *>(llvm::FixedVectorType::get(single, 2))
                              : llvm::Type::getDoubleTy(context_));
    }
  }
  if (integers > integers_ || reals > reals_) return {};
  integers_ -= integers;
  reals_ -= reals;
  return {types};
}

} // namespace tangram::llvm_cpu
