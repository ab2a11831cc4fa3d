// How often loops of a codelet turn, where sizes are as expected.
#pragma once

#include "CodeletIndices.h"

#include <optional>
#include <string>
#include <vector>

namespace tangram {

/// The variable that a loop declares and counts; empty: none.
std::string counterOf(const ast::For &loop);
/// The variable that a loop's step changes; empty: none.
std::string movedBy(const ast::For &loop);
/// By how much a loop's counter grows; null where that is one.
const ast::Expr *strideOf(const ast::For &loop);

class LoopTurns {
public:
  /// `arguments`: expected extents of the codelet's parameters.
  LoopTurns(const CodeletSource &source, const CodeletContainers &containers, Numbers &numbers, LoopsAround &loops,
            CodeletIndices &indices, const std::vector<Extents> &arguments)
      : source_(source), containers_(containers), numbers_(numbers), loops_(loops), indices_(indices),
        arguments_(arguments) {}

  /// Nothing where that is not known. Of a loop around that multiplies what this one counts by, in the mean over its
  /// turns, as often as loops between them turn in each.
  std::optional<double> of(const ast::Stmt *loop, const ast::Expr *condition);
  /// Of what a loop goes through by its counter, the extent; nothing where none is known.
  std::optional<double> extentBy(const std::string &counter, const ast::Block *body);
  /// Of a loop from one number of a container to the next, row[i] to row[i + 1], which are bounds of parts of what it
  /// goes through: the elements of a part, in the mean.
  std::optional<double> meanPart(const ast::For &loop, const std::string &counter);

  /// How often loops around turn in each of Numbers::stages(); to be put back behind a loop.
  const std::vector<double> &stageWeights() const { return stageWeights_; }
  void setStageWeights(std::vector<double> weights) { stageWeights_ = std::move(weights); }

private:
  /// As long as `condition` holds.
  std::optional<double> now(const ast::Stmt *loop, const ast::Expr *condition);
  std::optional<double> counted(const ast::Declare &begins, const ast::Binary &condition, const ast::Expr *steps);
  /// A number, or what it is in the mean.
  std::optional<double> usual(const ast::Expr *e);
  /// Where bounds follow from loops around, whose counters are half of the way.
  std::optional<double> meanDistance(const ast::Expr *begin, const ast::Expr *end);
  /// What an expression may be, each by itself: of a minimum, both.
  void possible(const ast::Expr *e, std::vector<const ast::Expr *> &all) const;
  /// What is left of a sum without the numbers that are known, and these.
  std::pair<const ast::Expr *, double> apartFromNumbers(const ast::Expr *e);
  /// The least known distance from what `begin` may be to what `end` may be: 8 from i to min(i + 8, n), 2 from
  /// max(c - 1, 0) to min(c + 1, n - 1).
  std::optional<double> apart(const ast::Expr *begin, const ast::Expr *end);

  const CodeletSource &source_;
  const CodeletContainers &containers_;
  Numbers &numbers_;
  LoopsAround &loops_;
  CodeletIndices &indices_;
  const std::vector<Extents> &arguments_;
  std::vector<double> stageWeights_;
};

} // namespace tangram
