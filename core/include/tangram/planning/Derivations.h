// Derivations of a forest that are chosen for what they show: the simplest plan, the simplest with a given rule, plans
// drawn at random with shallow ones more often, and plans that are simpler than a given one. For whoever checks plans.
#pragma once

#include "tangram/compose/Forest.h"

#include <set>

namespace tangram {

/// What single plans stand for when a space is too large to check: "codelet kog of sum", "codelet kog of sum at block",
/// "distribute from block to thread".
struct PlanRules {
  std::set<std::string> codelets; // wherever they stand
  std::set<std::string> rules;    // at a level
  void add(const PlanRules &other);
};
PlanRules rulesOf(const Plan &plan);

/// How simple a plan is: its rules, those that divide counted more. Less is simpler.
unsigned complexity(const PlanNode &node);

class Derivations {
public:
  /// `forest` has plans, and outlives this.
  explicit Derivations(const Forest &forest);

  Plan simplest() const;
  /// A plan for each codelet, then for each rule at a level, that some plan has and none before: of those that have it,
  /// the simplest one.
  std::vector<Plan> cover() const;
  /// All of them.
  const PlanRules &rules() const { return rules_; }
  /// Drawn from the top down: each rule that may stand at a point alike, whatever values it has, but one that divides
  /// the work the less likely the more often it has been divided above. Each plan may be drawn; of a uniform draw
  /// almost all are nested as deep as the search depth allows.
  Plan draw(std::mt19937_64 &random) const;
  /// The same of a point that has derivations.
  PlanPtr draw(GoalId id, std::mt19937_64 &random) const { return drawn(id, 0, random); }
  /// Whether an alternative of a point has derivations.
  bool isComplete(GoalId id, std::size_t alternative) const;
  /// The plan with one part in place of another: the simplest that may stand there, the simplest that starts with a
  /// codelet from further below, or a part from there. None is more complex than `plan`, and taking one for it again
  /// and again comes to an end; the simplest first. Nothing where it is not of this forest.
  std::vector<Plan> simpler(const Plan &plan) const;
  /// Nodes in whose place the simplest derivation starts with another rule, and below which there is none of these:
  /// what is peculiar about a plan.
  std::vector<const PlanNode *> peculiar(const Plan &plan) const;

private:
  struct Context { // of a point: the simplest plan around it
    unsigned cost = 0;
    GoalId parent = 0;
    std::size_t alternative = 0, child = 0;
  };
  PlanPtr simplest(GoalId id) const;
  PlanPtr simplest(GoalId id, std::size_t alternative) const;
  Plan around(GoalId id, std::size_t alternative) const;
  PlanPtr drawn(GoalId id, unsigned divided, std::mt19937_64 &random) const;
  /// Whether the whole of it is a derivation of the point.
  bool fits(GoalId id, const PlanNode &node) const;
  /// It, below as many devolve as it takes to stand at the point; null where it cannot.
  PlanPtr lifted(GoalId id, const PlanPtr &node) const;
  void replace(GoalId id, const PlanPtr &node, const std::function<void(PlanPtr)> &found) const;
  bool peculiar(GoalId id, const PlanNode &node, std::vector<const PlanNode *> &found) const;

  const Forest &forest_;
  std::vector<unsigned> cost_;                      // of each point's simplest derivation
  std::vector<std::size_t> choice_;                 // what it starts with
  std::vector<std::vector<unsigned>> alternatives_; // the cost of each alternative with the simplest below it
  std::vector<std::optional<Context>> contexts_;
  PlanRules rules_;
};

} // namespace tangram
