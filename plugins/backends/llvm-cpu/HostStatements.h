// The statements of a kernel: loops of threads are functions that the OpenMP runtime calls.
#pragma once

#include "HostExpressions.h"

#include "tangram/llvm-ir/Statements.h"

namespace tangram::llvm_cpu {

/// A kernel while it is made.
struct KernelContext {
  const ast::Kernel *kernel = nullptr;
  const ast::KnownValues *known = nullptr;
  llvm::GlobalVariable *lastError = nullptr; // text of the thread's last error
};

class HostStatements final : public llvm_ir::Statements {
public:
  /// Of a function of the module.
  explicit HostStatements(HostExpressions &expressions) : Statements(expressions, nullptr), host_(expressions) {}
  /// Of a kernel, whose function returns a status.
  HostStatements(HostExpressions &expressions, const KernelContext &context);

  /// All of it, with what it returns.
  void kernel();

private:
  /// Of the iterations of a parallel region within `around`.
  HostStatements(HostExpressions &expressions, const HostStatements &around, const hardware::Level &level);

  void other(const ast::Stmt *s) override;
  void alloc(const ast::Alloc &a) override;
  void counted(const ast::Loop &loop) override;
  unsigned copies(const ast::For &loop) const override;
  void forLoop(const ast::For &loop) override;
  llvm::Value *array(const std::string &name, const ast::Type &element, std::uint64_t count,
                     const ast::SourceRange &range) override;

  void parallel(const ast::Loop &loop, const hardware::Level &level);
  /// Calls a function of the runtime with the variables that the loop uses.
  void fork(const ast::Loop &loop, const hardware::Level &below, std::uint64_t threads);
  /// This thread's iterations.
  void share(const ast::Loop &loop, llvm::Value *begin, llvm::Value *end);
  void heap(const ast::Alloc &a);
  void report(const ast::Report &report);
  /// Returns from the kernel.
  void end(int status);
  /// Bytes of a temporary where they are known.
  std::optional<std::uint64_t> bytesOf(const ast::Alloc &a) const;
  bool hasHeap(const ast::Node *node) const;
  llvm::Value *onStack(const std::string &name, const ast::Type &element, std::uint64_t count, unsigned align);
  std::size_t sizeUnrolled(const ast::Node &node) const;

  HostExpressions &host_;
  KernelContext kernel_;
  const hardware::Level *level_ = nullptr; // that the statements run at
  unsigned regions_ = 0;                   // parallel regions around
  llvm::Value *outOfMemory_ = nullptr;     // a byte; null where nothing can set it
};

/// How many parallel regions stand within each other.
unsigned regionsWithin(const ast::Node *tree, const hardware::Hardware &hardware);

} // namespace tangram::llvm_cpu
