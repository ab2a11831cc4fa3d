// Expressions and statements of a device's functions.
#pragma once

#include "Device.h"

#include "tangram/llvm-ir/Statements.h"

#include <set>

namespace tangram::ptx {

class DeviceExpressions final : public llvm_ir::Expressions {
public:
  DeviceExpressions(Scope &scope, DeviceUnit &unit) : Expressions(scope), unit_(unit), device_(scope, unit) {}

  DeviceUnit &unit() { return unit_; }
  Device &device() { return device_; }
  /// Elements side by side, which begin at a multiple of the size of all of them.
  void store(const ast::VectorStore &s);

private:
  llvm::Value *other(const ast::Expr *e) override;
  bool hasVectors() const override { return true; } // elements side by side
  llvm::Value *atomic(const ast::Atomic &e, const Place &place, const std::vector<llvm::Value *> &operands) override {
    return device_.atomic(e, place, operands);
  }
  void transfer(const ast::Transfer &t, const Place &target) override {
    llvm::Value *cond = t.cond ? condition(t.cond) : nullptr;
    device_.transfer(t, place(t.source), target, cond);
  }
  llvm::Value *library(const ast::Call &call, const std::vector<llvm::Value *> &args) override {
    return unit_.library.call(call, args, b_);
  }

  llvm::Value *wide(const ast::Expr *base, const ast::Expr *index, const ast::Type &element);

  DeviceUnit &unit_;
  Device device_;
};

class DeviceStatements final : public llvm_ir::Statements {
public:
  /// `assigned`: variables of a launch that it changes.
  DeviceStatements(DeviceExpressions &expressions, const ast::KnownValues *known, std::set<std::string> assigned = {})
      : Statements(expressions, known), device_(expressions), assigned_(std::move(assigned)) {}

private:
  void other(const ast::Stmt *s) override;
  void alloc(const ast::Alloc &a) override;
  void counted(const ast::Loop &loop) override;
  unsigned copies(const ast::For &loop) const override;

  DeviceExpressions &device_;
  std::set<std::string> assigned_, scratchpad_;
};

} // namespace tangram::ptx
