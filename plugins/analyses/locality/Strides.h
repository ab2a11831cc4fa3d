// How an index moves: per iteration of the innermost loop around it, from lane to lane, and with an integer parameter
// that a map counts up.
#pragma once

#include "tangram/compose/Facts.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram {

/// The difference between neighbours: a known number, some number that stays the same, or none that does.
struct Step {
  std::optional<std::int64_t> number = 0;
  bool irregular = false;
  unsigned dimensions = 0; // what the number counts: elements, or all of so many innermost dimensions (rows, planes)
  std::string wraps = {};  // a parameter, after as many neighbours as it has elements they begin anew; empty: none

  static Step none() { return {}; }
  static Step of(std::int64_t n, unsigned dimensions = 0) { return {n, false, n == 0 ? 0 : dimensions, {}}; }
  static Step some() { return {std::nullopt, false, 0, {}}; }
  static Step anything() { return {std::nullopt, true, 0, {}}; }
  Step wrapping(std::string parameter) const {
    Step result = *this;
    result.wraps = zero() ? std::string() : std::move(parameter);
    return result;
  }
  bool zero() const { return number == 0; }
  bool operator==(const Step &) const = default;
  Stride stride() const;
};

Step operator+(const Step &a, const Step &b);
Step operator-(const Step &a, const Step &b);
/// What moves by `inner` with something that moves by `outer` itself.
Step through(const Step &inner, const Step &outer);
/// The one of which less is known, or neighbours are farther apart.
Step weakest(const Step &a, const Step &b);
Step stepOf(Stride stride);

/// The stride of an access through a part or a callee: neighbours `inner` apart in a container whose own neighbours are
/// `outer` apart.
Stride through(Stride inner, Stride outer);
Stride weakest(Stride a, Stride b);

/// One access of a codelet's body.
struct IndexedAccess {
  const ast::Subscript *subscript = nullptr;
  std::string container;
  Stride perIteration = Stride::Zero, perLane = Stride::Zero;
  /// As an integer parameter of the codelet grows by one, or a range that it is given begins one later.
  std::map<std::string, Step> perScalar;
};

class Strides {
public:
  /// `ranges`: parameters that are index ranges, and by how much their elements grow from one to the next.
  Strides(const ast::Module &module, const ast::Codelet &codelet, std::map<std::string, Step> ranges);

  const std::vector<IndexedAccess> &accesses() const { return accesses_; }
  /// By how much an expression grows with an integer parameter of the codelet, or with the begin of a range.
  Step withScalar(const ast::Expr *expr, const std::string &scalar) const;
  /// A number that an expression is known to be.
  std::optional<std::int64_t> number(const ast::Expr *expr) const;

private:
  /// Something that moves: a loop, the lane, or a parameter; and by how much each variable moves with it.
  struct Mover {
    std::map<std::string, Step> variables;
    bool lane = false;
    std::string range;   // whose begin it is
    unsigned inCall = 0; // of functions, whose parameters the variables are
  };

  void visit(const ast::Node *node);
  void loop(const ast::Expr *step, const ast::Block *body);
  /// Under which conditions each change and declaration is made: of branches, and of loops around it.
  void findConditions(const ast::Node *node, std::vector<const ast::Expr *> &branches,
                      std::vector<const ast::Expr *> &loops);
  bool differs(const std::vector<const ast::Expr *> &conditions, const Mover &mover) const;
  /// Scalar parameters that an index is divided by, or what it is computed of.
  void divisors(const ast::Expr *index, ast::BinaryOp op, std::set<std::string> &result, unsigned depth) const;
  void findInterleaved();
  Mover settled(Mover mover) const;
  Step of(const ast::Expr *expr, const Mover &mover) const;
  Step ofDeclared(const ast::Declare &declare, const Mover &mover) const;
  Step ofAccess(const ast::Subscript &subscript, const Mover &mover) const;

  const ast::Module &module_;
  const ast::Codelet &codelet_;
  std::map<std::string, const ast::Declare *> declared_;
  std::vector<const ast::Declare *> inOrder_; // of the text
  std::set<std::string> parameters_;
  std::map<std::string, std::vector<const ast::Expr *>> changes_; // Assign, Unary or Atomic of each variable
  struct Conditions {
    std::vector<const ast::Expr *> branches, loops;
  };
  /// Of a change: those that stand between the variable's declaration and it. Who comes to both meets the others alike.
  Conditions between(const ast::Declare &declare, const ast::Expr &change) const;
  std::map<const ast::Node *, Conditions> conditions_; // of changes and declarations
  std::set<std::string> interleaved_;                  // scalar parameters: planes that neighbours are in by turns
  std::vector<Mover> loops_;
  Mover lane_;
  std::map<std::string, Step> ranges_;
  std::map<std::string, Mover> scalars_; // integer parameters of the codelet, and ranges
  std::vector<IndexedAccess> accesses_;
};

} // namespace tangram
