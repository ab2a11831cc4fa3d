// The body of a kernel as C++ text with OpenMP directives.
#pragma once

#include "Expressions.h"
#include "RecordStores.h"

#include "tangram/c-family/Statements.h"
#include "tangram/hardware/Hardware.h"

#include <set>
#include <string>

namespace tangram::openmp {

using c_family::Writer;

struct StatementOptions {
  bool line = false;                // #line back to the codelets
  std::uint64_t stackBytes = 16384; // temporaries up to this size are arrays on the stack
};

class Statements final : public c_family::Statements {
public:
  Statements(Writer &writer, VectorExpressions &expressions, const ast::Module &module,
             const hardware::Hardware &hardware, StatementOptions options);

  /// The statements of a kernel and its last `return`. `arena` takes what is simplified.
  void kernel(const ast::Kernel &kernel, ast::Arena &arena);
  /// static_asserts that temporaries on the stack stay as small as they are when -D sets tunables.
  void assertStack(const ast::Kernel &kernel, ast::Arena &arena);

  /// Set where a temporary came from the heap: the text needs the buffer class, and may run out of memory.
  bool usesHeap = false;
  bool usesThreads = false, usesSimd = false, usesIndependent = false;
  /// Whether a kernel can fail: its function returns a status.
  static bool canFail(const ast::Kernel &kernel, const StatementOptions &options);

private:
  void other(const ast::Stmt *s) override;
  void begins(const ast::Stmt &s) override;
  /// Nodes of it and below, with all copies that unrolling would make.
  std::size_t sizeUnrolled(const ast::Node &node) const;
  std::optional<std::string> place() const override {
    return level_ ? std::optional(" at " + level_->name) : std::nullopt;
  }
  void declare(const ast::Declare &d) override;
  void alloc(const ast::Alloc &a);
  void loop(const ast::Loop &loop);
  void parallel(const ast::Loop &loop, const hardware::Level &level);
  void store(const ast::VectorStore &store);
  void storeRecord(const std::vector<const ast::VectorStore *> &fields);

  VectorExpressions &vectors_;
  const hardware::Hardware &hardware_;
  StatementOptions options_;
  std::set<std::string> arrays_;    // of a worker's own, with constant extents
  std::set<std::string> ofVectors_; // arrays and pointers from which vectors are loaded, or to which they are stored
  RecordStores records_;
  const hardware::Level *level_ = nullptr; // that the statements run at
  unsigned regions_ = 0;                   // parallel regions around
};

} // namespace tangram::openmp
