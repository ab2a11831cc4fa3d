#include "tangram/compose/SizedForest.h"

#include "tangram/compose/OrdinarySizes.h"

#include <algorithm>

namespace tangram {

SizedForest::SizedForest(const Forest &forest) : forest_(&forest) {
  const std::vector<Extents> &told = forest.point(forest.root()).expected.arguments;
  const bool all = !told.empty() && std::all_of(told.begin(), told.end(), [](const Extents &extents) {
    return std::all_of(extents.begin(), extents.end(), [](auto &extent) { return extent.has_value(); });
  });
  if (all || !forest.hasPlans()) return;
  const auto &spectrums = forest.module().spectrums;
  const auto at = std::find_if(spectrums.begin(), spectrums.end(),
                               [&](const ast::Spectrum *spectrum) { return spectrum->name == forest.spectrum(); });
  own_ = std::make_unique<Forest>(forest.module(), forest.hardware(), forest.facts(), forest.spectrum(), forest.depth(),
                                  ordinarySizes(**at, told));
  forest_ = own_.get();
}

} // namespace tangram
