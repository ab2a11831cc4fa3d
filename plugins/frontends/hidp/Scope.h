// Names of one function while it is checked.
#pragma once

#include "Program.h"

#include <set>

namespace tangram::hidp {

class Scope {
public:
  Scope(Program &program, const Source &source, const std::set<std::string> &globals)
      : program_(program), source_(source), globals_(globals) {}

  /// Throws where the name is in use. It is forgotten when `level` ends.
  Variable *declare(Variable v, unsigned level);
  Variable *declare(Variable v) { return declare(std::move(v), level_); }
  /// An argument, which stays as long as the program.
  void adopt(Variable *v);
  /// Once more, what was declared in a level that has ended.
  void bring(const Variable *v) { names_.push_back({v, level_}); }
  /// A name that nothing else has.
  std::string fresh(const std::string &wanted) const;
  const Variable *find(const std::string &name) const;
  /// The array that an underscore in front of its name gives an element of.
  const Variable *arrayBehind(const std::string &name) const;

  /// Says what may be meant by a name that there is not.
  [[noreturn]] void unknown(const std::string &name, Piece piece) const;

  class Inner { // what is declared meanwhile is forgotten
  public:
    explicit Inner(Scope &scope) : scope_(scope) { ++scope_.level_; }
    ~Inner() {
      std::erase_if(scope_.names_, [&](const auto &n) { return n.second >= scope_.level_; });
      --scope_.level_;
    }
    Inner(const Inner &) = delete;

  private:
    Scope &scope_;
  };

  /// A map block, or the function's body: what is assigned in it without a declaration is its own.
  struct BlockOf {
    const void *key = nullptr;
    unsigned level = 0, depth = 0;
    std::vector<const Stmt *> *hoisted = nullptr; // declarations in front of its statements
  };
  BlockOf block;
  unsigned level() const { return level_; }

  /// Iterators of the map blocks around, outermost first.
  std::vector<const Variable *> iterators;

private:
  void admit(const Variable &v) const;
  std::string emitted(const Variable &v);

  Program &program_;
  const Source &source_;
  const std::set<std::string> &globals_;
  std::vector<std::pair<const Variable *, unsigned>> names_;
  std::set<std::string> used_; // in what is emitted
  unsigned level_ = 0;
};

} // namespace tangram::hidp
