// What the processor has beyond scalars: vectors of SIMD lanes, checks of several lanes at once, atomics of C++.
#pragma once

#include "HostUnit.h"

#include "tangram/llvm-ir/Expressions.h"

namespace tangram::llvm_cpu {

using llvm_ir::Place;
using llvm_ir::Scope;

class HostExpressions final : public llvm_ir::Expressions {
public:
  HostExpressions(Scope &scope, HostUnit &unit) : Expressions(scope), unit_(unit) {}

  HostUnit &unit() { return unit_; }
  void store(const ast::VectorStore &store);

private:
  bool hasVectors() const override { return true; }
  llvm::Value *other(const ast::Expr *e) override;
  llvm::Value *atomic(const ast::Atomic &e, const Place &place, const std::vector<llvm::Value *> &operands) override;
  llvm::Value *library(const ast::Call &call, const std::vector<llvm::Value *> &args) override {
    return unit_.library.call(call, args, b_);
  }

  // Vectors.cpp
  llvm::Value *laneIndex(const ast::LaneIndex &e);
  llvm::Value *load(const ast::VectorLoad &e);
  llvm::Value *reduce(const ast::VectorReduce &e);
  llvm::Value *shuffle(const ast::Shuffle &e);
  llvm::Value *check(const ast::Check &e);
  /// Addresses of lanes, or of the first where lanes lie side by side.
  llvm::Value *addresses(const ast::Expr *base, const ast::Expr *index, const ast::Type &lane);
  llvm::Value *splat(llvm::Value *value, unsigned lanes);

  HostUnit &unit_;
};

} // namespace tangram::llvm_cpu
