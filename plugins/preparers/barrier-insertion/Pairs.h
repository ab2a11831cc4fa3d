// Lanes that have two elements of an array each, in steps of sorting networks and tree reductions: no other lane
// touches them under the condition of the step, so that they are read and written at the lane's own pace.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Uniformity.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram::barriers {

/// What a condition says of lane i, with an s that all lanes share:
/// - of i and i ^ s which is the greater: each pair then has one lane;
/// - that i < s: i is then below s and i + s is not, so that the lane has both for itself.
/// What an index says by itself, of a number x that is the lane's own:
/// - b = x / s * 2 * s + x % s, however that is written, or b + s: in blocks of 2 * s elements, x counts those of the
/// first half, or of the second.
struct Pair {
  std::string tag;             // names the condition
  const ast::Expr *partner;    // i ^ s, or
  const ast::Expr *distance;   // the s of i + s
  std::set<std::string> rests; // variables: another value of them makes other pairs
};

class Pairs {
public:
  Pairs(const ast::KnownValues &known, const ast::Launch &launch);

  using IsLane = std::function<bool(const ast::Expr *)>;
  /// The pairs of lanes for which `cond` is `holds`.
  std::vector<Pair> of(const ast::Expr *cond, bool holds, const ast::Uniformity &uniformity, const IsLane &lane) const;
  /// The pairs of an index that counts them in blocks. `own`: whether a number is the lane's own.
  std::optional<Pair> inBlocks(const ast::Expr *index, const ast::Uniformity &uniformity, const IsLane &own) const;
  /// Whether an index is one of the lane's two.
  static bool has(const Pair &pair, const ast::Expr *index, const IsLane &lane);
  /// Constants of the kernel that answers rest on.
  const std::set<std::string> &frozen() const { return frozen_; }

private:
  const ast::Expr *exchanged(const ast::Expr *e, const ast::Uniformity &uniformity, const IsLane &lane) const;
  bool shared(const ast::Expr *e, const ast::Uniformity &uniformity) const;
  std::vector<const ast::Expr *> terms(const ast::Expr *e) const;
  bool powerOrZero(const ast::Expr *e, std::set<std::string> &assumed) const;
  struct Half {
    const ast::Expr *number, *size; // x, s
  };
  std::optional<Half> half(const std::vector<const ast::Expr *> &terms, std::vector<const ast::Expr *> &rest) const;
  std::optional<ast::Int> multiple(const ast::Expr *e, const ast::Expr *x, const ast::Expr *s) const;
  bool atLeast(const ast::Expr *e, ast::Int least) const;
  bool small(const ast::Expr *e, std::set<std::string> &assumed) const;
  bool smallVariable(const std::string &name, std::set<std::string> &assumed) const;

  struct Change {
    ast::AssignOp op;
    const ast::Expr *value; // null: changed in some other way
  };
  const ast::KnownValues &known_;
  std::map<std::string, std::vector<Change>> changes_;
  std::map<std::string, const ast::Expr *> bounds_; // of variables that a loop's step alone changes: below this within
  mutable std::set<std::string> frozen_;
};

/// Casts between integers that keep the numbers of lanes and of elements.
const ast::Expr *withoutWordCasts(const ast::Expr *e);

} // namespace tangram::barriers
