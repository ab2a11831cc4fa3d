// What only a device has: who a worker is, waiting for each other, exchanging registers, memory of a group, atomics.
#pragma once

#include "DeviceUnit.h"

#include "tangram/llvm-ir/Scope.h"

namespace tangram::ptx {

using llvm_ir::Place;
using llvm_ir::Scope;

class Device {
public:
  Device(Scope &scope, const DeviceUnit &unit) : s_(scope), unit_(unit) {}

  llvm::Value *index(const ast::WorkerIndex &e);
  llvm::Value *count(const ast::WorkerCount &e);
  void sync(const ast::Sync &sync);
  /// Of a scalar.
  llvm::Value *shuffle(const ast::Shuffle &e, llvm::Value *value, llvm::Value *lane);
  /// Starts copies to a group's memory; `cond`: null, or whether there is anything to copy.
  void transfer(const ast::Transfer &t, const Place &from, const Place &to, llvm::Value *cond);
  void await(std::uint64_t pending);
  /// c += a * b, by the warp together.
  void multiply(const ast::MatrixMultiply &e, const std::vector<Place> &c, const std::vector<llvm::Value *> &a,
                const std::vector<llvm::Value *> &b);
  /// The value before.
  llvm::Value *atomic(const ast::Atomic &e, const Place &place, const std::vector<llvm::Value *> &operands);

private:
  llvm::Value *special(llvm::Intrinsic::ID id);
  std::uint64_t workers(const std::string &level, const ast::SourceRange &range) const;
  llvm::Value *unitMask(std::uint64_t together);
  llvm::Value *shuffleWord(llvm::Value *word, llvm::Value *lane, std::uint64_t together);
  llvm::Value *update(const ast::Atomic &e, const Place &place, const std::vector<llvm::Value *> &operands);

  Scope &s_;
  const DeviceUnit &unit_;
};

/// Units of 32 workers are what the hardware keeps together.
inline constexpr std::uint64_t kWarp = 32;

} // namespace tangram::ptx
