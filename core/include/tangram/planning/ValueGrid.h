// Values that a rule may be applied with (of tunables, factors, units): points of a grid, on which a search goes line
// by line where there are too many to look at each.
#pragma once

#include "tangram/compose/Expected.h"

#include <functional>
#include <map>
#include <vector>

namespace tangram {

class ValueGrid {
public:
  /// Values by name, the default ones first. A name that is not given is a value of its own.
  explicit ValueGrid(const std::vector<const Scalars *> &points);

  std::size_t size() const { return count_; }
  /// The number of the point of least cost, of those that cost the same the first; `cost` is asked at most once of
  /// each: of all where they are few, else by coordinate descent from `start`, along whole lines, until no line through
  /// the best has a better one.
  std::size_t least(const std::function<double(std::size_t)> &cost, std::size_t start = 0) const;

private:
  std::size_t count_;
  std::vector<std::size_t> extents_;                       // in each direction
  std::vector<std::vector<std::size_t>> coordinates_;      // of each point; empty: they are few
  std::map<std::vector<std::size_t>, std::size_t> points_; // by their coordinates
};

} // namespace tangram
