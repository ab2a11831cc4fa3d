// Makes each access of a kernel, or of a function, one that happens only where its index is in range.
#pragma once

#include "Places.h"
#include "Record.h"
#include "Sites.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/pass/Pass.h"

namespace tangram::checks {

/// The functions that have accesses, or call some that do: they are given the record, as their last parameter.
std::set<std::string> functionsWithAccesses(const ast::Module &module);

class Guard final : public ast::Mutator {
public:
  /// `given`: functionsWithAccesses(). `sites` are those of the kernel, once functions have had theirs.
  Guard(PassContext &context, const ast::Module &module, const std::set<std::string> &given, Sites &sites)
      : Mutator(context.arena), context_(context), module_(module), functions_(given), sites_(sites) {}
  const ast::Kernel *kernel(const ast::Kernel *kernel);
  const ast::Function *function(const ast::Function *function);

private:
  /// An access, and when it may happen; a null condition: always.
  struct Guarded {
    const ast::Expr *condition = nullptr;
    const ast::Expr *element = nullptr;
  };
  Guarded guarded(const ast::Subscript *e, const char *does);
  const ast::Stmt *plain(const ast::Evaluate &s, const ast::Assign &assign, const ast::Transfer &transfer);
  /// Whether index < bound; else `what`, with the numbers filled in, is said of the place of `at`.
  const ast::Expr *check(const ast::Node *at, const ast::Expr *index, const ast::Expr *bound, const std::string &what);
  /// A value to be used more than once: itself, or a variable that `first` sets. What computing it changes is changed
  /// whether or not the access happens.
  const ast::Expr *held(const ast::Expr *value, const ast::Expr *&first, const Guarded &target);
  /// The same where a statement of its own may stand in front.
  const ast::Expr *settled(const ast::Expr *value, const Guarded &target);
  /// `changed` where the target is in range, else `otherwise`.
  const ast::Expr *where(const Guarded &target, const ast::Expr *first, const ast::Expr *changed,
                         const ast::Expr *otherwise);
  /// With the target in place.
  const ast::Atomic *changed(const ast::Atomic *e, const Guarded &target);
  /// The statement with `changed` instead, done where the target is in range.
  const ast::Stmt *when(const Guarded &target, const ast::Evaluate *s, const ast::Expr *changed);
  ast::Build build(const ast::Node *at) { return ast::Build(arena(), at->range); }

  // Loops.cpp

  /// The loop, to end with the first error.
  template <class T> const T *ended(const T *loop);
  /// The body of a loop around launches: the host asks the device whether there is one.
  const ast::Block *untilDeviceFaulted(const ast::Block *body);
  /// The body of a loop in which workers of a device wait for each other: one of them looks for all.
  const ast::Block *untilOneSeesFault(const ast::Block *body);
  /// The condition of a loop that ends with the first error.
  const ast::Expr *untilFaulted(const ast::Expr *cond, const ast::Stmt *loop);
  /// Whether workers of a device wait for each other in it.
  bool waits(const ast::Stmt *s) const;
  /// Whether workers get to the same barriers by what memory holds: they then must see the same, and none ends a loop
  /// before the others.
  bool meetsByData(const ast::Block *body) const;
  /// Whether a loop runs as often as given scalars and sizes say.
  bool counts(const ast::For *loop) const;
  /// Whether a value may depend on what memory holds.
  bool reads(const ast::Expr *e) const;

  const ast::Node *mutateSubscript(const ast::Subscript *e) override;
  const ast::Node *mutateAssign(const ast::Assign *e) override;
  const ast::Node *mutateUnary(const ast::Unary *e) override;
  const ast::Node *mutateAtomic(const ast::Atomic *e) override;
  const ast::Node *mutateCall(const ast::Call *e) override;
  const ast::Node *mutateCheck(const ast::Check *e) override;
  const ast::Node *mutateSize(const ast::Size *e) override { return e; }
  const ast::Node *mutatePitch(const ast::Pitch *e) override { return e; }
  const ast::Node *mutateEvaluate(const ast::Evaluate *s) override;
  const ast::Node *mutateFor(const ast::For *s) override;
  const ast::Node *mutateWhile(const ast::While *s) override;
  const ast::Node *mutateDoWhile(const ast::DoWhile *s) override;
  const ast::Node *mutateView(const ast::View *s) override;
  const ast::Node *mutateAlloc(const ast::Alloc *s) override;
  const ast::Node *mutateDeclare(const ast::Declare *s) override;
  const ast::Node *mutateLaunch(const ast::Launch *s) override;

  void start(const std::vector<const ast::Param *> &params, const std::vector<const ast::Param *> &constants,
             const ast::Block *body);
  const ast::Expr *recordHere(const ast::Build &b);

  PassContext &context_;
  const ast::Module &module_;
  const std::set<std::string> &functions_;
  Sites &sites_;
  ast::Names names_;
  std::optional<Places> places_;
  std::optional<Record> record_;                   // of a kernel
  const ast::Param *parameter_ = nullptr;          // of a function, with the record
  std::map<std::string, const ast::Expr *> fixed_; // initialisers of variables that keep their value
  std::set<std::string> given_;                    // scalars that are the same all the time
  std::vector<const ast::Stmt *> scratchpad_;      // of the launch
  bool stops_ = true;                              // loops may end early where there is an error
};

} // namespace tangram::checks
