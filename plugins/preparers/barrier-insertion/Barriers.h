// Puts barriers into a launch where, and only where, a worker must see what another one did (docs/lowering.md, "On a
// GPU"). Walks the code of a unit and remembers what was touched since its last barrier; what conflicts with that
// waits.
#pragma once

#include "Owners.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

#include <map>
#include <memory>
#include <utility>

namespace tangram::barriers {

using Stmts = std::vector<const ast::Stmt *>;

class Barriers {
public:
  Barriers(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel, ast::Names &names,
           const ast::Launch &launch);
  const ast::Launch *run();
  std::set<std::string> frozen() const { return owners_.frozen(); }

private:
  // ---- code of a unit (Barriers.cpp) ----
  Stmts unit(const std::string &level, const std::vector<const ast::Stmt *> &stmts, bool repeats);
  void block(const std::vector<const ast::Stmt *> &stmts, Stmts &out);
  const ast::Block *block(const ast::Block *body);
  void stmt(const ast::Stmt *s, Stmts &out);
  void distributed(const ast::Loop *loop, Stmts &out);
  void single(const ast::Single *s, Stmts &out);
  /// What comes first in code: a barrier of the unit, what must not meet `open` without one, or neither on some way.
  enum class Meets : std::uint8_t { Nothing, Barrier, Conflict };
  Meets meets(const Touches &open, const Stmts &stmts) const;
  Meets meets(const Touches &open, const ast::Stmt *s) const;
  /// Control flow that all workers of the unit take together.
  void together(const ast::Stmt *s, Stmts &out);
  /// `body` run again and again, `header` asked in between; leaves what may have been touched when it ends.
  const ast::Block *repeated(const Touches &header, const ast::Block *body,
                             const std::function<void(const ast::Block *, Stmts &)> &inside);
  /// Waits where it must before `touches`, which then have happened.
  void before(const Touches &touches, Stmts &out);
  Touches touches(const ast::Node *tree) const { return owners_.touches(tree, index_); }
  bool structured(const ast::Node *tree) const;
  void sync(Stmts &out);

  // ---- lanes (Lanes.cpp, Predication.cpp) ----
  void cooperate(const ast::Cooperate *node, Stmts &out);
  void lanes(const std::vector<const ast::Stmt *> &stmts, Stmts &out);
  void lane(const ast::Stmt *s, Stmts &out);
  void simple(const ast::Stmt *s, Stmts &out);
  void update(const ast::Assign *e, Stmts &out);
  void guarded(const ast::Stmt *s, Stmts &out);
  void branch(const ast::If *s, Stmts &out);
  void laneLoop(const ast::Stmt *s, Stmts &out);
  /// for (i = c * lane + k; i < bound; i += step), of which lanes share bound and step: the first lane takes the most
  /// turns, so that how many there are need not be asked of all.
  struct Turns {
    const ast::Declare *counter;
    const ast::Binary *cond;
    const ast::Assign *step;
    ast::Int first; // where the first lane starts
    bool alike;     // all lanes take as many
  };
  std::optional<Turns> turns(const ast::For *loop) const;
  void counted(const ast::For *loop, const Turns &turns, Stmts &out);
  void apart(const ast::Stmt *owner, const ast::Stmt *init, const ast::Expr *cond, const ast::Expr *step,
             const ast::Block *body, bool bodyFirst, Stmts &out);
  void jump(const ast::Stmt *s, Stmts &out);
  const ast::Expr *vote(const ast::Stmt *loop, const ast::Expr *live, Stmts &out);
  bool needsGuard(const ast::Expr *e) const;
  const ast::Expr *both(const ast::Expr *a, const ast::Expr *c) const { return a ? b().both(a, c) : c; }
  const ast::Expr *variable(const std::string &hint, const ast::Type &type, const ast::Expr *init, Stmts &out,
                            bool isConst = true);

  ast::Build b() const { return ast::Build(arena_, here_); }

  PassContext &context_;
  ast::Arena &arena_;
  hardware::LaunchLevels levels_; // of the launch at hand
  ast::Names &names_;
  const ast::Launch &launch_;
  Owners owners_;
  std::string unit_;
  Owners::Index index_;
  Touches since_;                                  // the unit's last barrier
  std::map<const ast::Block *, Touches> left_;     // open at the ends of bodies that are repeated
  std::map<const ast::Stmt *, std::string> votes_; // flags of loops that lanes leave one by one
  ast::SourceRange here_;

  // Of the cooperative codelet that is being written.
  const ast::Cooperate *lanes_ = nullptr;
  const ast::Uniformity *uniformity_ = nullptr;
  const ast::Expr *guard_ = nullptr; // of the lanes that do this; null: all do
  Stmts *outside_ = nullptr;         // in front of the codelet
  struct Jumping {
    const ast::Stmt *owner;
    const ast::Expr *live, *run; // null: lanes leave together
    bool isSwitch;
  };
  std::vector<Jumping> jumping_;
};

} // namespace tangram::barriers
