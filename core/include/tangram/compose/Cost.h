// Costs of plans from which the best ones are found without listing them all (Forest::best).
#pragma once

#include <cstdint>
#include <vector>

namespace tangram {

struct Alternative;
struct Point;

/// A cost that is decomposable over the forest: a derivation's follows from its first rule and from the costs of the
/// derivations below it, and grows with each of these.
class Cost {
public:
  /// What stands above a point and makes a difference to what is below, as a number; the root's is 0. The best
  /// derivations of a point are kept for each of them: they should be few.
  using Surroundings = std::uint64_t;

  virtual ~Cost() = default;
  /// Of the alternative's child of that number.
  virtual Surroundings below(const Point &, const Alternative &, std::size_t, Surroundings) const { return 0; }
  /// `parts`: of each child. Infinite: not to be chosen.
  virtual double of(const Point &point, const Alternative &alternative, Surroundings surroundings,
                    const std::vector<double> &parts) const = 0;
};

} // namespace tangram
