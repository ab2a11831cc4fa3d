// Picks the plan with the fewest maps: the opposite of what is shipped.
#include <tangram/planning/PlanCost.h>
#include <tangram/plugin/Plugin.h>

namespace {

using namespace tangram;

class Narrowest final : public PlanCost {
public:
  explicit Narrowest(double mapCost) : mapCost_(mapCost) {}

protected:
  double cost(const Forest &, const Point &point, const Alternative &) const override {
    return point.isMap ? mapCost_ : 1;
  }

private:
  double mapCost_;
};

} // namespace

TANGRAM_PLUGIN("narrowest", "1.0", "plans with few maps") {
  HeuristicDescriptor d;
  d.name = "narrowest";
  d.summary = "picks the plan with the fewest maps";
  d.options = {{"map-cost", "what a map costs, in rules", 100.0, 0.0, {}, {}}};
  d.create = [](const OptionValues &options) { return std::make_unique<Narrowest>(options.real("map-cost")); };
  registry.heuristics.add(d);
}
