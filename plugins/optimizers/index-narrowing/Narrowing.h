// Writes a launch's body with narrow integers where bounds allow.
#pragma once

#include "tangram/ast/Mutator.h"
#include "tangram/ranges/Ranges.h"

namespace tangram::narrowing {

using ranges::Bound;
using ranges::Ranges;

class Narrowing final : public ast::Mutator {
public:
  /// `bits`: of the narrow integers, which have a sign.
  Narrowing(ast::Arena &arena, Ranges &ranges, const ast::Launch &launch, unsigned bits);

  /// The body, right where all of needs() are at most most().
  const ast::Block *run();
  const std::vector<Bound> &needs() const { return needs_; }
  double most() const { return most_; }
  /// What was saved: operations on 64 bits, each as often as loops around it tell; divisions count more.
  unsigned saved() const { return saved_; }

private:
  bool fits(const ast::Expr *e);
  void need(const Bound &bound);
  bool isNarrow(const ast::Expr *variable) const;
  ast::Build build(const ast::Node *at) { return ast::Build(arena(), at->range); }
  void saves(unsigned operations);

  /// The same value, narrow; null where that is not known to be possible.
  const ast::Expr *narrow(const ast::Expr *e);
  /// What a narrow variable becomes.
  const ast::Expr *narrowFor(const std::string &variable, const ast::Expr *value);
  const ast::Expr *narrowBinary(const ast::Binary *e);
  /// As it was, of its own type.
  const ast::Expr *wide(const ast::Expr *e);
  /// j < the number of elements of a sequence below its end: that one of them is.
  const ast::Expr *withoutDivision(const ast::Binary *e);
  const ast::Assign *assignment(const ast::Assign *e);
  const ast::Expr *statement(const ast::Expr *e);
  const ast::Block *withoutUnused(const ast::Block *body);
  template <class T> const ast::Node *inLoop(const T *n);

  const ast::Node *mutateVarRef(const ast::VarRef *e) override;
  const ast::Node *mutateUnary(const ast::Unary *e) override;
  const ast::Node *mutateBinary(const ast::Binary *e) override;
  const ast::Node *mutateAssign(const ast::Assign *e) override;
  const ast::Node *mutateConditional(const ast::Conditional *e) override;
  const ast::Node *mutateCast(const ast::Cast *e) override;
  const ast::Node *mutateSubscript(const ast::Subscript *e) override;
  const ast::Node *mutateEvaluate(const ast::Evaluate *s) override;
  const ast::Node *mutateDeclare(const ast::Declare *s) override;
  const ast::Node *mutateIf(const ast::If *s) override;
  const ast::Node *mutateFor(const ast::For *s) override;
  const ast::Node *mutateWhile(const ast::While *s) override;
  const ast::Node *mutateDoWhile(const ast::DoWhile *s) override;
  const ast::Node *mutateLoop(const ast::Loop *s) override;

  Ranges &ranges_;
  const ast::Launch &launch_;
  ast::Type type_, unsigned_;
  double most_;
  std::set<std::string> local_;
  std::set<std::string> narrow_, failed_; // variables
  std::vector<Bound> needs_;
  unsigned saved_ = 0, depth_ = 0;
};

} // namespace tangram::narrowing
