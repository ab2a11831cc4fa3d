// Statements as basic blocks. What only some machines have is virtual.
#pragma once

#include "tangram/llvm-ir/Expressions.h"

#include "tangram/ast/KnownValues.h"

#include <functional>
#include <set>

namespace tangram::llvm_ir {

class Statements {
public:
  /// `constants`: what is known of the kernel around; null in a function.
  Statements(Expressions &expressions, const ast::KnownValues *known)
      : s_(expressions.scope()), b_(s_.build), e_(expressions), known_(known) {}
  virtual ~Statements() = default;
  Statements(const Statements &) = delete;

  /// The statements, and what must be done where it ends.
  void block(const ast::Block &block);

protected:
  /// How often a loop's body is to be written out: so many times, as LLVM sees fit, or wholly.
  static constexpr unsigned kNoCopies = 0, kAllCopies = ~0u;
  virtual unsigned copies(const ast::For &loop) const;
  virtual void forLoop(const ast::For &loop);
  /// A temporary container.
  virtual void alloc(const ast::Alloc &a) = 0;
  virtual void counted(const ast::Loop &loop) { count(loop, {}); }
  /// What the class itself makes nothing of: waiting, reports, stores of vectors. Refuses all.
  virtual void other(const ast::Stmt *s);
  /// An array of the worker's own, of `count` elements.
  virtual llvm::Value *array(const std::string &name, const ast::Type &element, std::uint64_t count,
                             const ast::SourceRange &range);
  [[noreturn]] static void refuse(const ast::Stmt *s, const std::string &what);

  void stmt(const ast::Stmt *s);
  struct Hints {
    unsigned copies = kNoCopies;
    bool independent = false; // iterations are, and vectors are wanted
  };
  /// A loop that counts from begin to end.
  void count(const ast::Loop &loop, Hints hints);
  /// The same between two values of the loop's type.
  void count(const ast::Loop &loop, llvm::Value *begin, llvm::Value *end, Hints hints);
  /// A loop around `body`: `cond` before each round (but the first, where `bodyFirst`), `step` behind it.
  void loop(const std::function<llvm::Value *()> &cond, const ast::Block &body, const std::function<void()> &step,
            bool bodyFirst, Hints hints);
  /// Jumps to the next round of the loop around.
  void next();
  /// An array of the worker's own.
  void local(const std::string &name, const ast::Type &element, const std::vector<std::uint64_t> &extents,
             const ast::InitList *init, const ast::SourceRange &range);
  std::vector<std::uint64_t> extents(const std::vector<const ast::Expr *> &written, const std::string &name,
                                     const ast::SourceRange &range) const;
  /// What `make` makes is done at the end of the block at hand, and where a jump leaves it.
  void atEnd(std::function<void()> make) { ends_.push_back(std::move(make)); }
  /// In front of a jump out of all blocks, or of those that were entered since `ends_` had that size.
  void leave(std::size_t since = 0);

  Scope &s_;
  llvm::IRBuilder<> &b_;
  Expressions &e_;
  const ast::KnownValues *known_;
  std::set<std::string> arrays_; // a worker's own

private:
  /// Where `break` and `continue` lead.
  struct Exits {
    llvm::BasicBlock *leave = nullptr, *next = nullptr;
    std::size_t leaveEnds = 0, nextEnds = 0; // of what is to be done before
  };

  void declare(const ast::Declare &d);
  void conditional(const ast::If &node);
  void choose(const ast::Switch &node);

  std::vector<Exits> exits_;
  std::vector<std::function<void()>> ends_;
};

} // namespace tangram::llvm_ir
