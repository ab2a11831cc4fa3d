#include "RangeSteps.h"

#include "tangram/ast/Build.h"
#include "tangram/compose/RangeParameters.h"
#include "tangram/compose/Sizes.h"

#include <optional>
#include <set>
#include <vector>

namespace tangram::tile {

using namespace ast;

namespace {

/// By how much the numbers of a range grow; nothing where it is none, or that is not known.
std::optional<std::int64_t> stepOf(const ArgumentOrigin &o) {
  if (!o.range || !o.neighbours || o.range->container) return {};
  return o.range->inc ? literal(withoutCasts(o.range->inc)) : 1;
}

} // namespace

std::map<SpectrumParameter, std::int64_t> rangeSteps(const Module &module) {
  const std::map<SpectrumParameter, std::vector<ArgumentOrigin>> given = argumentOrigins(module);
  // From calls that make a range to those that pass it on; what is not the same everywhere is not known.
  std::map<SpectrumParameter, std::int64_t> steps;
  std::set<SpectrumParameter> unknown;
  for (bool more = true; more;) {
    more = false;
    for (const auto &[parameter, origins] : given)
      for (const ArgumentOrigin &o : origins) {
        if (unknown.count(parameter)) break;
        std::optional<std::int64_t> step = stepOf(o);
        const bool passedOn = o.parameter && o.neighbours;
        bool lost = !step && (!passedOn || unknown.count(*o.parameter));
        if (passedOn)
          if (auto known = steps.find(*o.parameter); known != steps.end()) step = known->second;
        if (step && *step < 1) lost = true;
        if (!lost && !step) continue;
        auto known = steps.find(parameter);
        if (lost || (known != steps.end() && known->second != *step)) {
          unknown.insert(parameter);
          steps.erase(parameter);
          more = true;
        } else if (known == steps.end()) {
          steps[parameter] = *step;
          more = true;
        }
      }
  }
  return steps;
}

} // namespace tangram::tile
