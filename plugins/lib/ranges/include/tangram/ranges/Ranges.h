// What is known of the integers of a launch: upper bounds (Bound.h), and which of two is never below the other.
#pragma once

#include "tangram/ranges/Bound.h"

#include "tangram/hardware/Launch.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tangram::ranges {

/// Without conversions that keep the value.
const ast::Expr *core(const ast::Expr *e);

/// low < high, or low <= high.
struct Order {
  const ast::Expr *low = nullptr, *high = nullptr;
  bool strict = false;
};
/// What a comparison of integers says where it holds, or does not.
std::optional<Order> order(const ast::Expr *cond, bool holds);

/// What all holds where `cond` does.
std::vector<const ast::Expr *> conjuncts(const ast::Expr *cond);

class Ranges {
public:
  Ranges(ast::Arena &arena, const ast::Kernel &kernel, const ast::Launch &launch, const hardware::LaunchLevels &levels);

  /// The value is in 0 .. bound, wherever the conditions that are assumed at the moment hold; nothing: not known.
  /// Bounds hold where nothing that they are made of wraps around: where they are at most what 64 bits have.
  std::optional<Bound> upper(const ast::Expr *e) const;
  /// Of all values that a variable of the launch ever has.
  std::optional<Bound> upper(const std::string &variable) const;
  /// a >= b + k, as numbers.
  bool atLeast(const ast::Expr *a, const ast::Expr *b, ast::Int k) const;

  /// From here to pop(): `cond` is true, or not.
  void assume(const ast::Expr *cond, bool holds);
  /// From here to pop(): the body of this loop.
  void enter(const ast::For &loop);
  void pop();

  /// What a variable that keeps its value was made of, which may have changed since; null for others.
  const ast::Expr *made(const std::string &variable) const;
  /// The same, where that is as it was wherever the variable is mentioned.
  const ast::Expr *initialiser(const std::string &variable) const;

private:
  struct Fact { // greater >= less + k
    const ast::Expr *less, *greater;
    ast::Int k;
  };
  struct Mark {
    std::size_t facts, limits;
  };
  struct Search;

  bool solve();
  void block(const ast::Block *body);
  void stmt(const ast::Stmt *s);
  void becomes(const std::string &variable, std::optional<Bound> bound);
  /// `loop`: of which the expression is the step.
  void effects(const ast::Expr *e, const ast::For *loop = nullptr);
  void changes(const ast::Expr *target, ast::AssignOp op, const ast::Expr *value, const ast::For *loop);
  std::optional<Bound> binary(const ast::Binary *e) const;
  std::optional<Bound> conditional(const ast::Conditional *e) const;
  std::optional<Bound> cast(const ast::Cast *e) const;
  bool stays(const ast::Expr *e) const;
  void addFacts(const ast::Expr *cond, bool holds) const;
  ast::Int lower(const ast::Expr *e, Search &search) const;
  bool atLeast(const ast::Expr *a, const ast::Expr *b, ast::Int k, Search &search) const;

  ast::Build build_;
  hardware::LaunchLevels levels_; // of the launch
  const ast::Launch &launch_;
  std::set<std::string> assigned_, local_, taken_;
  std::map<std::string, const ast::Expr *> initialisers_;
  std::map<std::string, std::optional<Bound>> found_; // in this round: of all that a variable is ever assigned
  std::map<std::string, Bound> bounds_;
  mutable std::vector<Fact> facts_;                   // assumed for a while by atLeast, too
  std::vector<std::pair<std::string, Bound>> limits_; // of loop counters, inside of their loops
  std::vector<Mark> marks_;
};

} // namespace tangram::ranges
