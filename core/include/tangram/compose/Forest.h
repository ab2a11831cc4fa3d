// All plans of a spectrum on a machine: compose(spectrum, level) is a nonterminal, each specialised rule a
// production (Figures 5.5 to 5.7), all plans are the derivations. Held as a shared packed forest (an AND/OR
// graph), bounded by the search depth N: it grows with rules times levels times N, not with plans.
#pragma once

#include "tangram/compose/Expected.h"
#include "tangram/compose/Facts.h"
#include "tangram/compose/Plan.h"
#include "tangram/hardware/Units.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>

namespace tangram {

class Count; // compose/Count.h
using GoalId = std::size_t;

/// One production at one point.
struct Alternative {
  Rule rule = Rule::Select;              // Select, Devolve; for a map Distribute, Serialize, Split
  const ast::Codelet *codelet = nullptr; // Select
  ast::Capability capability = ast::Capability::None;
  std::string to;        // Devolve, Distribute, Split
  bool guarded = false;  // the last of `children` is the fallback; it has exactly one derivation
  std::string condition; // guarded: the requirement in words
  std::map<std::string, std::int64_t> parameters;
  std::vector<GoalId> children;
};

/// Whether two alternatives of a point apply the same rule, with other values of tunables, factors or units at most.
bool sameRule(const Alternative &a, const Alternative &b);

/// A production that was not allowed here, and why: `explain --why-not` answers from it.
struct Rejection {
  Rule rule = Rule::Select;
  std::string codelet;
  std::string reason;
};

/// A nonterminal: compose(spectrum, level), or of a map over it, with at most `depth` rules below.
struct Point {
  bool isMap = false;
  std::string spectrum;
  std::string level;
  unsigned depth = 0;
  hardware::Units units; // of levels below, where not as many as the target says
  /// Of each argument's size, where provable; of one element's arguments for a map. Rounded up to the next size that
  /// makes a difference on this machine, so that goals are shared.
  std::vector<std::optional<std::uint64_t>> bounds;
  std::optional<std::uint64_t> elements; // of a map: how many calls it makes at most
  std::optional<std::uint64_t> work;     // of a map over partitions: how many elements all its parts have at most
  Scalars scalars;                       // parameters of the spectrum that are known here
  /// Of a map: how far apart neighbouring calls touch memory (Facts::acrossCalls). Of a call that lanes of a unit make
  /// side by side: the same of the map that gives it to them.
  Stride acrossCalls = Stride::Zero;
  bool plain = false; // restricted to the plainest derivation: a fallback, or plainest()
  /// In a stable order: declaration order of codelets, of a rule the default values first (TunableChoice.h, Units.h).
  std::vector<Alternative> alternatives;
};

class ForestBuilder;

class Forest {
public:
  /// Needs the facts of the parallelism and level-matching analyses. `depth` is N of Figure 6.4. `expected` is for
  /// heuristics: plans are the same whatever it says.
  Forest(const ast::Module &module, const hardware::Hardware &hardware, const Facts &facts, const std::string &spectrum,
         unsigned depth, ExpectedSizes expected = {});
  ~Forest();
  Forest(const Forest &) = delete;
  Forest &operator=(const Forest &) = delete;

  const Point &point(GoalId id) const { return points_[id]; }
  GoalId root() const { return root_; }
  std::size_t size() const { return points_.size(); }
  bool hasPlans() const { return !points_[root_].alternatives.empty(); }
  /// How many plans there are: exact, without listing them. Counted when first asked for; a limitation where the number
  /// has too many digits.
  const Count &count() const { return count(root_); }
  /// How many derivations a point, and one of its alternatives, has.
  const Count &count(GoalId id) const;
  Count count(const Alternative &alternative) const;
  /// What is not allowed at a point, and why: found when it is asked for.
  std::vector<Rejection> rejections(GoalId id) const;
  /// N of Figure 6.4, and the least N for which there can be a plan; nothing where no N is enough.
  unsigned depth() const { return points_[root_].depth; }
  std::optional<unsigned> depthNeeded() const { return depthNeeded_; }

  /// Visits plans in a stable order until `visit` returns false.
  void enumerate(const std::function<bool(const Plan &)> &visit) const;
  /// Uniform over all plans.
  Plan sample(std::mt19937_64 &random) const;
  /// The plan number `index` (0 .. count()-1) of the stable order.
  Plan nth(const Count &index) const;
  /// Makes a plan by choosing at every point, top down.
  Plan derive(const std::function<std::size_t(GoalId, const Point &)> &choose) const;
  /// The plan that a derivation of the root is.
  Plan plan(PlanPtr root) const;
  /// The plainest plan: the one against which others are verified. Devolves to the first level that runs autonomous
  /// codelets, serialises every map, as deep as it takes. Nothing where no depth is enough.
  std::optional<Plan> plainest() const;

  const ast::Module &module() const { return module_; }
  const hardware::Hardware &hardware() const { return hardware_; }
  const Facts &facts() const { return facts_; }
  const std::string &spectrum() const { return spectrum_; }
  const ExpectedSizes &expected() const { return expected_; }

private:
  friend class ForestBuilder;
  PlanPtr derived(GoalId id, const std::function<std::size_t(GoalId, const Point &)> &choose) const;
  const ast::Module &module_;
  const hardware::Hardware &hardware_;
  const Facts &facts_;
  std::string spectrum_;
  ExpectedSizes expected_;
  std::vector<Point> points_;
  GoalId root_ = 0, plainRoot_ = 0;
  std::optional<unsigned> depthNeeded_;
  std::map<std::string, std::uint64_t> hashes_; // of the spectrums that plans may compose
  std::unique_ptr<ForestBuilder> builder_;
  mutable std::once_flag counted_;
  mutable std::vector<Count> counts_; // of each point
};

/// Each rule of a point once, with its default values.
std::vector<std::size_t> rulesAt(const Point &point);

/// The alternative of a point that a plan's node is: with its values, else (a plan file may have values between those
/// that are tried) with the default ones. Nothing where none applies its rule.
std::optional<std::size_t> find(const Point &point, const PlanNode &node);

/// The plan node of a production at a point.
PlanPtr makePlanNode(const Point &point, const Alternative &alternative, std::vector<PlanPtr> children);

/// Where no plan exists: throws DiagnosticError (user error) that says, per codelet, why not.
void requirePlans(const Forest &forest);

} // namespace tangram
