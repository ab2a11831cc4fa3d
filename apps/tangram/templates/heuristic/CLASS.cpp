// @NAME@: picks plans by a cost that adds up over a plan.
#include <tangram/planning/PlanCost.h>
#include <tangram/plugin/Plugin.h>

namespace {

using namespace tangram;

/// Fewest rules first. What a production costs may depend on its point (spectrum, level, depth), on the codelet, and on
/// the facts of the analyses: forest.facts().
class @CLASS@ final : public PlanCost {
public:
  explicit @CLASS@(double mapCost) : mapCost_(mapCost) {}

protected:
  double cost(const Forest &, const Point &point, const Alternative &) const override {
    return point.isMap ? mapCost_ : 1;
  }

private:
  double mapCost_;
};

} // namespace

TANGRAM_PLUGIN("@NAME@", "0.1", "picks the plan of least cost") {
  HeuristicDescriptor d;
  d.name = "@NAME@";
  d.summary = "picks the plan with the fewest rules";
  d.options = {{"map-cost", "what a map costs, in rules", 1.0, 0.0, {}, {}}};
  d.create = [](const OptionValues &options) { return std::make_unique<@CLASS@>(options.real("map-cost")); };
  registry.heuristics.add(d);
}
