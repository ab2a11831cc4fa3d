// How the work of a plan spreads over a machine: how many units of each level have something to do, in each part of the
// plan, and how much that is. It follows from the plan and the target, and from expected sizes where there are any.
#pragma once

#include "tangram/compose/Expected.h"
#include "tangram/compose/Plan.h"

namespace tangram {

/// Of the units of a level that one unit of the level above has, those that are given work.
struct UnitShare {
  std::string level;
  std::uint64_t workers = 1;         // there are
  std::optional<std::uint64_t> busy; // nothing: as many as the calls of a map, of which nothing is known
};

/// A rule of a plan, with what it is applied to.
struct RuleWork {
  const PlanNode *node = nullptr;
  unsigned depth = 0;                    // rules above it in the plan
  const ast::Codelet *codelet = nullptr; // Select
  const ast::Expr *site = nullptr;       // the map or call that it composes; null at the root and of a fallback
  bool fallback = false;                 // where the codelet above does not fit what it is given
  ast::SourceRange loop;                 // of a codelet above, which does this once a turn; invalid: none
  hardware::Units units;                 // that this rule and those above ask for
  std::vector<Extents> arguments;        // of one call; without dimensions for a scalar
  Scalars scalars;                       // parameters that are known
  std::optional<std::uint64_t> calls;    // Distribute, Serialize, Split: of the map
  /// One for each level from below the top to where this is composed; of a cooperative codelet also its lanes' levels.
  std::vector<UnitShare> shares;
  std::optional<std::uint64_t> turns; // how often a busy unit does this for one call of the plan, or turn of `loop`

  /// An atomic codelet, where all composition ends.
  bool computes() const { return node->rule == Rule::Select && node->capability != ast::Capability::None; }
  bool numbered = false;           // numbers say which elements of containers, that all calls are given, are the call's
  std::vector<std::size_t> ranges; // arguments that are index ranges

  /// Elements of its largest argument, of index ranges their product; nothing where that is not known, or all are
  /// scalars.
  std::optional<std::uint64_t> elements() const;
  /// Of a cooperative codelet: how many run it together.
  std::optional<std::uint64_t> lanes() const;
  /// computes(): elements for each busy unit, or lane, in all its turns.
  std::optional<std::uint64_t> elementsEach() const;
};

struct Workload {
  std::vector<RuleWork> rules; // in the order of the plan's lines
  std::size_t widest = 0;      // the computing rule that keeps the most workers busy, the first of them

  /// The level whose one worker does everything that the plan says; nothing where several may have something to do.
  std::optional<std::string> alone;
};

/// `plan` has been checked, and outlives the result.
Workload workload(const Plan &plan, const ast::Module &module, const hardware::Hardware &hardware,
                  const ExpectedSizes &expected);

/// True where units of a level are iterations of an unrolled loop of the level above, and no workers of their own.
bool areIterations(const hardware::Hardware &hardware, const std::string &level);

/// Codelets by which a call of the spectrum may be divided among workers: compound ones with a map and cooperative
/// ones, of all spectrums that it reaches.
std::vector<const ast::Codelet *> dividing(const ast::Module &module, const std::string &spectrum);

/// Loops of a codelet that stand in no other loop.
std::vector<ast::SourceRange> outermostLoops(const ast::Codelet &codelet);

} // namespace tangram
