// How indices of a codelet are made up: constants, what clamps them, and the numbers that calls differ in.
#pragma once

#include "LoopsAround.h"

#include <utility>
#include <vector>

namespace tangram {

class CodeletIndices {
public:
  CodeletIndices(const ast::Codelet &codelet, const CodeletSource &source, Numbers &numbers, LoopsAround &loops)
      : codelet_(codelet), source_(source), numbers_(numbers), loops_(loops) {}

  /// i + 1 of std::min(i + 1, n - 1) and of (i + 1) % n, which it is but for the last: what an index chooses that
  /// moves, where that is one expression; else the index.
  const ast::Expr *unclamped(const ast::Expr *index);
  /// i + 1 as i and 1; null for an index that is a constant.
  std::pair<const ast::Expr *, std::int64_t> apartFromConstant(const ast::Expr *index);
  /// Whether it has anything to do with a parameter.
  bool followsParameter(const ast::Expr *e) const;
  /// Whether it has anything to do with one that is a number.
  bool followsNumber(const ast::Expr *e) const;

  /// Places that load elements of one container whose indices differ by constants.
  struct References {
    std::vector<const ast::Expr *> indices;      // without the constants
    std::vector<std::vector<std::int64_t>> rows; // the constants of all dimensions but the last
  };
  /// One more place that loads, beside those that are `known` of the container.
  void refer(AccessWork &access, std::vector<References> &known, const ast::Expr *place);
  /// What an access touches in all turns of the loops around it.
  void touch(AccessWork &access, const ast::Expr *place);

private:
  /// Whether its result is one of its arguments, as that of std::min is.
  bool chooses(const ast::Call &call) const;
  /// Of a variable that stays i + 1, or another one, which is an integer; else null.
  const ast::Expr *definedAsSum(const ast::Expr *e);
  /// Whether a sum has one of the codelet's parameters: calls with other numbers touch what lies beside.
  bool addsNumber(const ast::Expr *e) const;
  bool isNumber(const std::string &name) const;

  const ast::Codelet &codelet_;
  const CodeletSource &source_;
  Numbers &numbers_;
  LoopsAround &loops_;
};

} // namespace tangram
