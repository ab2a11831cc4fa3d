// From which number to which one integers are, of all values that they have in an iteration of a loop.
#pragma once

#include "tangram/ast/Build.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::integer_narrowing {

struct Interval {
  ast::Int from = 0, to = 0; // both of them are in it
};
Interval hull(const Interval &a, const Interval &b);
/// Of all that a type holds; of 8 bytes: more than anything is looked into.
Interval ofType(const ast::Type &type);
/// The integer type of 1 or 2 bytes that holds all, with a sign where it does; nothing where none does.
std::optional<ast::Type> narrowestFor(const Interval &all);

class Intervals {
public:
  Intervals(ast::Arena &arena, const ast::Block *body);

  Interval of(const ast::Expr *e) const;
  /// Variables of the body that hold integers of four bytes, are assigned by statements of their own, and count no
  /// loop: what is ever in them, or added to them.
  const std::map<std::string, Interval> &variables() const { return variables_; }

private:
  struct Update {
    const ast::Expr *value; // null: by one
    ast::AssignOp op;       // Set, Add or Sub
    ast::Int times;         // that it is done between two declarations of the variable, at most; 0: not known
  };
  void collect(const ast::Node *node, ast::Int times);
  bool settle(bool mayGrow);
  std::optional<Interval> after(const std::string &variable) const;
  Interval binary(const ast::Binary *e) const;

  ast::Arena &arena_;
  std::map<std::string, std::vector<Update>> updates_; // of candidates
  std::map<std::string, ast::Int> declared_;           // how often a candidate is, in an iteration
  std::map<std::string, const ast::Declare *> initials_;
  std::map<std::string, Interval> variables_, counters_;
};

} // namespace tangram::integer_narrowing
