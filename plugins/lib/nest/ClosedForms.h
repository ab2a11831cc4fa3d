// Counters as functions of how often a loop has turned.
#pragma once

#include "CountersOfLoop.h"
#include "LinearForms.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Node.h"

#include <cstddef>
#include <vector>

namespace tangram::nest {

class ClosedForms {
public:
  /// Of all counters of the loop; `wide`: the type that distances are computed in.
  ClosedForms(const LinearForms &forms, const std::vector<WrappedCounter> &counters, ast::Arena &arena, ast::Type wide);

  /// Additions, and such that have been brought back, in front of a statement: of as many iterations more than have
  /// been finished. Where isKnown() says so.
  int added(const WrappedCounter &c, std::size_t at) const;
  int brought(const WrappedCounter &c, std::size_t at) const;
  /// Whether the counter's value in front of a statement is one of such a number of iterations.
  bool isKnown(const WrappedCounter &c, std::size_t at) const;
  /// The counter that it counts how often is brought back; null: it is added to in each iteration.
  const WrappedCounter *driverOf(const WrappedCounter &c) const;

  /// The value where `turns` iterations, and so many more, have been finished.
  const ast::Expr *value(const WrappedCounter &c, const ast::Expr *turns, int added, int brought) const;

private:
  /// A number of 63 bits, which none below zero is.
  const ast::Expr *counted(const ast::Type &type, const ast::Expr *number) const;
  /// How often it is added to.
  const ast::Expr *events(const WrappedCounter &c, const ast::Expr *turns, int more, const ast::Type &type) const;
  /// How far it would be in its range were it not brought back, the size of that, and how often it is.
  const ast::Expr *total(const WrappedCounter &c, const ast::Expr *turns, int more) const;
  const ast::Expr *size(const WrappedCounter &c) const;
  const ast::Expr *wraps(const WrappedCounter &c, const ast::Expr *turns, int more) const;
  /// In which nothing leaves the type that does not do so in the source.
  ast::Type typeOf(const WrappedCounter &c, const ast::Expr *turns) const;

  const LinearForms &forms_;
  const std::vector<WrappedCounter> &counters_;
  ast::Build build_;
  ast::Type wide_;
};

} // namespace tangram::nest
