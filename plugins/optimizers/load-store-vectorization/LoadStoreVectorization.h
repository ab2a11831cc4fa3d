// The pass `load-store-vectorization`: short loops of one worker, written out, access neighbours in memory as vectors.
#pragma once

#include "tangram/pass/LaunchPass.h"

namespace tangram::load_store_vectorization {

struct Limits {
  unsigned bytes;      // of an access, a power of two
  ast::Int iterations; // of a loop
  std::size_t nodes;   // of all iterations' trees
};

class LoadStoreVectorization final : public LaunchPass {
public:
  explicit LoadStoreVectorization(const Limits &limits) : limits_(limits) {}

private:
  void start(const ast::Module &module) override;
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override;
  Limits limits_;
  const ast::Module *module_ = nullptr;
};

} // namespace tangram::load_store_vectorization
