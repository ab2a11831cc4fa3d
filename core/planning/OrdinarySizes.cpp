#include "tangram/planning/OrdinarySizes.h"

#include "ExpectedSites.h"

#include <algorithm>
#include <bit>

namespace tangram {

namespace {
constexpr unsigned kElements = 22;         // as a power of two
constexpr std::uint64_t kNumber = 1 << 20; // where no container says how much there is to do
} // namespace

ExpectedSizes ordinarySizes(const ast::Spectrum &spectrum, std::vector<Extents> known) {
  known.resize(spectrum.params.size());
  for (std::size_t i = 0; i < known.size(); ++i) known[i].resize(spectrum.params[i]->type.rank());
  equateByConditions(spectrum, known);
  for (Extents &extents : known)
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (extents[d]) continue;
      // What the other dimensions leave of the elements.
      unsigned left = kElements, open = 0;
      for (const std::optional<std::uint64_t> &extent : extents)
        extent ? left -= std::min(left, static_cast<unsigned>(std::bit_width(*extent | 1)) - 1) : ++open;
      extents[d] = std::uint64_t{1} << (left / open);
      equateByConditions(spectrum, known);
    }
  ExpectedSizes result;
  for (std::size_t i = 0; i < known.size(); ++i)
    for (const std::optional<std::uint64_t> &extent : known[i]) result[spectrum.params[i]->name].push_back(*extent);
  return result;
}

ExpectedSizes ordinarySizes(const Forest &forest) {
  const ast::Spectrum *spectrum = findSpectrum(forest.module(), forest.spectrum());
  if (!spectrum) return forest.expected();
  ExpectedSizes sizes = ordinarySizes(*spectrum, expectedArguments(*spectrum, forest.expected()));
  const bool alone = std::none_of(spectrum->params.begin(), spectrum->params.end(),
                                  [](const ast::Param *p) { return p->type.rank() > 0; });
  for (const ast::Param *p : spectrum->params) {
    auto given = p->type.isInteger() ? forest.expected().find(p->name) : forest.expected().end();
    if (given != forest.expected().end())
      sizes[p->name] = given->second;
    else if (alone && p->type.isInteger())
      sizes[p->name] = {kNumber};
  }
  return sizes;
}

} // namespace tangram
