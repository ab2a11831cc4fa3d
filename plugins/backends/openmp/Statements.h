// The body of a kernel as C++ text with OpenMP directives.
#pragma once

#include "Constants.h"
#include "Expressions.h"
#include "Writer.h"

#include "tangram/hardware/Hardware.h"

namespace tangram::openmp {

struct StatementOptions {
  bool line = false;                // #line back to the codelets
  std::uint64_t stackBytes = 16384; // temporaries up to this size are arrays on the stack
};

class Statements {
public:
  Statements(Writer &writer, Expressions &expressions, const ast::Module &module, const hardware::Hardware &hardware,
             StatementOptions options);

  /// The statements of a function.
  void function(const ast::Function &function);
  /// The statements of a kernel and its last `return`. `arena` takes what is simplified.
  void kernel(const ast::Kernel &kernel, ast::Arena &arena);

  /// Set where a temporary came from the heap: the text needs the buffer class, and may run out of memory.
  bool usesHeap = false;
  bool usesThreads = false, usesAtomics = false, usesSimd = false;
  /// Whether a kernel can fail: its function returns a status.
  static bool canFail(const ast::Kernel &kernel, const StatementOptions &options);

private:
  struct Origin {
    const ast::Spectrum *spectrum;
    const ast::Codelet *codelet;
  };

  void block(const ast::Block &block);
  void stmt(const ast::Stmt *stmt);
  void origin(const ast::Stmt *stmt);
  void declare(const ast::Declare &d);
  std::string declaration(const ast::Declare &d);
  void alloc(const ast::Alloc &a);
  void loop(const ast::Loop &loop);
  void parallel(const ast::Loop &loop, const hardware::Level &level);
  void conditional(const ast::If &node);
  void forLoop(const ast::For &loop);
  void choose(const ast::Switch &node);
  void store(const ast::VectorStore &store);
  std::string header(const ast::Loop &loop);
  void effect(const ast::Expr *e);

  Writer &w_;
  Expressions &e_;
  const ast::Module &module_;
  const hardware::Hardware &hardware_;
  StatementOptions options_;
  const Constants *constants_ = nullptr;
  const hardware::Level *level_ = nullptr; // that the statements run at
  unsigned regions_ = 0;                   // parallel regions around
  std::map<std::string, unsigned> reads_, writes_;
  std::string told_; // the last comment on where statements come from
};

} // namespace tangram::openmp
