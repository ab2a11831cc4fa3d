// How far the tunables of a plan may be changed in the code that is made of it. A cooperative codelet stands without a
// check where the sizes of its containers are proved to fit, and sizes may follow from tunables: code in which such a
// tunable is set to more would be wrong without a word.
#pragma once

#include "tangram/compose/Interval.h"
#include "tangram/compose/Plan.h"
#include "tangram/compose/Sizes.h"

namespace tangram {

class TunableRanges {
public:
  TunableRanges(const Plan &plan, const ast::Module &module, const hardware::Hardware &hardware);

  /// Of what the declaration of this tunable in the codelet that `node` selects allows, the values for which the plan
  /// holds, whatever values other tunables take within their own ranges; null where that is all of them.
  const ast::Tunable *narrowed(const PlanNode &node, const ast::Declare &tunable, ast::Arena &arena) const;

private:
  using Bounds = std::vector<SizeBound>;
  struct Selected {
    const ast::Spectrum *spectrum = nullptr;
    const ast::Codelet *codelet = nullptr;
    const PlanNode *node = nullptr;
  };
  Selected selected(const PlanNode &call) const;
  const std::vector<const ast::Expr *> &requirementsOf(const ast::Codelet &codelet);
  bool takesForGranted(const PlanNode &node);
  std::map<std::string, Interval> values(const PlanNode &select) const;
  bool holds(const PlanNode &node, Bounds bounds);
  void widen(const PlanNode &node, Bounds bounds);

  const ast::Module &module_;
  hardware::Configured machine_;
  ast::Arena arena_; // of inferred requirements
  std::map<const ast::Codelet *, std::vector<const ast::Expr *>> requirements_;
  std::map<const PlanNode *, bool> takesForGranted_;
  std::map<std::pair<const PlanNode *, std::string>, Interval> ranges_; // where not what the plan says
};

} // namespace tangram
