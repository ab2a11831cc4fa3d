// What a codelet's source says of its variables, whatever its sizes and tunables are: found once, asked for every plan.
#pragma once

#include "tangram/ast/Node.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tangram {

class CodeletSource {
public:
  explicit CodeletSource(const ast::Codelet &codelet);

  /// Null for what is no variable of its body.
  const ast::Declare *declared(const std::string &name) const;
  /// In the order in which they stand: all declarations, and all assignments to elements.
  const std::vector<const ast::Declare *> &declarations() const { return declarations_; }
  const std::vector<const ast::Assign *> &stores() const { return stores_; }
  /// Whether a variable is set other than by its declaration; counters of loops are.
  bool changes(const std::string &name) const { return changed_.count(name) != 0; }
  /// The loop that declares a variable; null where none does.
  const ast::For *counting(const std::string &name) const;
  /// How a variable that changes at one place goes on: `for (n = 1; n < end; n *= 2)`, or a `while` in whose body it
  /// does.
  struct Progress {
    const ast::Stmt *loop = nullptr;
    const ast::Declare *begins = nullptr;
    const ast::Expr *cond = nullptr, *step = nullptr;
    /// Whether it is multiplied or divided: it goes through few values, of all magnitudes.
    bool byFactor() const;
  };
  /// Of a variable that the condition of a loop mentions; null where it changes in other ways.
  const Progress *progress(const std::string &name) const;
  /// The variable of the outermost loop that multiplies one; empty: there is none.
  const std::string &stage() const { return stage_; }
  struct Parts {
    std::vector<const ast::VarRef *> variables; // each once
    bool lane = false;                          // it asks for coopIdx()
    bool loads = false;                         // elements of containers
  };
  /// What an expression is made of itself.
  const Parts &parts(const ast::Expr *e) const;
  struct Reached {
    std::vector<std::string> variables; // that it is made of, and those that the ones that keep their value are made of
    bool lane = false;                  // it follows from coopIdx(), itself or through these
    bool calls = false;                 // it loads, or calls something, itself
  };
  /// What an expression depends on.
  const Reached &reached(const ast::Expr *e) const;

  struct Loop {
    bool storesElsewhere = false; // to memory that what is loaded in it might be of
    bool storesShared = false, loadsShared = false;
    bool carries = false; // changes a variable of before it
    unsigned batch = 1;   // turns of which what they load is under way together
    std::unordered_map<std::string, std::vector<const ast::Expr *>> written; // places of containers, by name
    std::unordered_set<std::string> places; // variables that say which element of an array of a worker's own
  };
  /// Of a loop's body, as `look` finds when it is first asked for.
  const Loop &loop(const ast::Block *body, const std::function<Loop()> &look) const;

  /// Whether it is coopIdx(), by whatever name.
  bool isLane(const ast::Expr *e) const;
  /// Whether it is an array that lanes share, with one element for each, which no other writes: lanes that can read
  /// each other's registers keep it there.
  bool hasElementForEachLane(const std::string &array) const { return ofLanes_.count(array) != 0; }

private:
  void findArraysOfLanes(const ast::Codelet &codelet);
  void findProgress(const ast::Codelet &codelet);

  std::vector<const ast::Declare *> declarations_;
  std::vector<const ast::Assign *> stores_;
  std::unordered_map<std::string, const ast::Declare *> declared_;
  std::unordered_map<std::string, const ast::For *> counting_;
  std::unordered_map<std::string, Progress> progress_;
  std::string stage_;
  std::unordered_set<std::string> ofLanes_;
  std::unordered_set<std::string> changed_;
  mutable std::unordered_map<const ast::Expr *, Parts> parts_;
  mutable std::unordered_map<const ast::Expr *, Reached> reached_;
  mutable std::unordered_map<const ast::Block *, Loop> loops_;
};

} // namespace tangram
