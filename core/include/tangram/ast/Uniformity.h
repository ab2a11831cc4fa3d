// Which values lanes in lock step share (uniform) and which differ from lane to lane (varying), and where lanes part:
// the analysis that decides what becomes a vector, and where lanes can wait for each other.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <set>
#include <string>

namespace tangram::ast {

/// What the lanes of one loop or cooperative codelet run.
struct Region {
  const Block *body = nullptr;
  std::string lane;         // the variable that tells lanes apart; empty: there is one lane
  bool cooperative = false; // lanes exchange data; else they are independent
  std::string level;
};

class Uniformity {
public:
  explicit Uniformity(const Region &region);

  bool varying(const Expr *e) const;
  bool varying(const std::string &variable) const { return varying_.count(variable) != 0; }
  /// Declared in the region.
  bool local(const std::string &variable) const { return declaredAt_.count(variable) != 0; }
  /// An array that each lane has for itself.
  bool isPrivate(const std::string &array) const { return private_.count(array) != 0; }
  /// Never changed behind its declaration.
  bool fixed(const std::string &variable) const { return !assigned_.count(variable); }
  /// Initialiser of a fixed local variable; null for all others.
  const Expr *initialiser(const std::string &variable) const;
  /// A loop that lanes leave at different times, by its condition or a jump.
  bool divergent(const Stmt *loop) const { return divergent_.count(loop) != 0; }
  /// A loop, or switch, in which some lanes break or continue while others go on.
  bool parts(const Stmt *loop) const { return jumps_.count(loop) != 0; }
  /// The statement holds a break or continue by which lanes of a loop around it part.
  bool holdsPart(const Stmt *stmt) const { return holders_.count(stmt) != 0; }

private:
  struct Jump {
    const Stmt *owner;
    unsigned base; // the context in which all its lanes are together
    bool isSwitch;
  };
  void block(const Block *block, unsigned context);
  bool stmt(const Stmt *stmt, unsigned context); // true: lanes may part here
  bool loop(const Stmt *loop, const Stmt *init, const Expr *cond, const Expr *step, const Block *body,
            unsigned context);
  void effects(const Expr *e, unsigned context);
  void assigned(const Expr *target, bool valueVaries, unsigned context);
  void mark(const std::string &variable);

  const Region &region_;
  std::set<std::string> varying_, private_, assigned_;
  std::map<std::string, unsigned> declaredAt_;
  std::map<std::string, const Expr *> initialisers_;
  std::set<const Stmt *> divergent_, jumps_, holders_;
  std::vector<Jump> owners_;
  unsigned contexts_ = 0;
  bool changed_ = false;
};

} // namespace tangram::ast
