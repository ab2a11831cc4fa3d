// How often branches of a codelet are taken.
#pragma once

#include "CodeletIndices.h"

#include <optional>

namespace tangram {

class BranchOdds {
public:
  BranchOdds(const CodeletContainers &containers, Numbers &numbers, LoopsAround &loops, CodeletIndices &indices)
      : containers_(containers), numbers_(numbers), loops_(loops), indices_(indices) {}

  /// Where a branch brings a running extreme closer, how often that is done, of all times.
  std::optional<double> partAmongLeast(const ast::If &branch) const;
  /// By something loaded, or computed of fractions.
  bool isDecidedByData(const ast::Expr *cond) const;
  /// How often a condition holds, of all times; nothing where that is not known. A number that calls of a map differ in
  /// is expected to be that in the middle, and to be less than one alike as often as not.
  std::optional<double> holds(const ast::Expr *e);
  /// What a condition is but for few iterations at the end, or the begin, of what there is; nothing of others.
  std::optional<bool> mostlyHolds(const ast::Expr *e) const;

private:
  /// A container's size, or what is left of it.
  bool isEnd(const ast::Expr *e) const;
  /// Whether `e` is `most`, or what is left where that is less.
  bool isLeft(const ast::Expr *e, const ast::Expr *most) const;

  const CodeletContainers &containers_;
  Numbers &numbers_;
  LoopsAround &loops_;
  CodeletIndices &indices_;
};

} // namespace tangram
