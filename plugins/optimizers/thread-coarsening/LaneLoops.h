// Loops that lanes share: lane l of n has the iterations l, l + n, l + 2 n, ... of them.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/hardware/Launch.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Memory.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace tangram::coarsening {

struct LaneLoop {
  loops::Counted loop;
  const ast::Expr *base = nullptr; // the first iteration, in the type of the loop's variable
  const ast::Expr *lane = nullptr; // which lane this is
  ast::Int lanes = 0;
};

class LaneLoops {
public:
  /// `functions`: of the module, that only compute a number from numbers.
  LaneLoops(ast::Arena &arena, const ast::Kernel &kernel, const ast::KnownValues &known, const loops::Memory &memory,
            const std::set<std::string> &functions);

  /// From now on, what stands in this launch.
  void enter(const ast::Launch &launch, const hardware::LaunchLevels &levels);
  /// A statement around: workers that have the same values of `decides` do the same in it, and count its variable, if
  /// any, alike; nothing: even they may part.
  void enterAround(const std::string &variable, std::optional<std::vector<const ast::Expr *>> decides);
  void leaveAround() { around_.pop_back(); }
  /// A loop around whose iterations run one after the other, and may touch the same elements; empty: it ends.
  void enterSerial(const std::string &variable) { serial_.push_back(variable); }
  void leaveSerial() { serial_.pop_back(); }

  /// Nothing where lanes do anything else with it, or where it matters which of them has an iteration, or in which
  /// order: iterations do not wait for each other, exchange nothing, and leave nothing behind in a lane.
  std::optional<LaneLoop> of(const ast::Stmt *s);

private:
  struct Around {
    std::string variable;
    std::optional<std::vector<const ast::Expr *>> decides;
  };
  /// Whether all workers of a unit have the same value of it.
  bool uniform(const ast::Expr *e, const std::string &unit);
  bool uniform(const Around &around, const std::string &unit);
  bool outer(const std::string &level, const std::string &unit) const;
  bool divide(const ast::Expr *begin, LaneLoop &found);
  bool movable(const LaneLoop &loop);
  bool independent(const LaneLoop &loop) const;
  bool alone(const LaneLoop &loop) const;
  bool isIn(const ast::Expr *index, const std::string &variable) const;

  ast::Arena &arena_;
  const ast::Kernel &kernel_;
  const ast::KnownValues &known_;
  const loops::Memory &memory_;
  const std::set<std::string> &functions_;
  hardware::LaunchLevels levels_;
  const ast::Launch *launch_ = nullptr;
  std::string unit_; // the one whose lanes share the loop that is looked at
  std::set<std::string> parameters_, scratchpad_;
  std::vector<Around> around_;
  std::vector<std::string> serial_; // variables of loops around
  struct Touches {
    std::size_t all = 0, writes = 0;
  };
  static std::map<std::string, Touches> touches(const ast::Node *tree, const loops::Memory &memory);
  std::map<std::string, Touches> inLaunch_; // by container
};

} // namespace tangram::coarsening
