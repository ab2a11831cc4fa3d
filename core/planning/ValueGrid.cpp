#include "tangram/planning/ValueGrid.h"

#include <limits>
#include <set>
#include <unordered_map>

namespace tangram {
namespace {

/// Of so many, each is looked at.
constexpr std::size_t kFew = 8;

std::int64_t valueOf(const Scalars &point, const std::string &name) {
  const auto found = point.find(name);
  return found == point.end() ? std::numeric_limits<std::int64_t>::min() : found->second;
}

} // namespace

ValueGrid::ValueGrid(const std::vector<const Scalars *> &points) : count_(points.size()) {
  if (count_ <= kFew) return;
  std::map<std::string, std::set<std::int64_t>> values;
  for (const Scalars *point : points)
    for (const auto &[name, value] : *point) values[name];
  for (auto &[name, of] : values)
    for (const Scalars *point : points) of.insert(valueOf(*point, name));
  std::erase_if(values, [](const auto &of) { return of.second.size() < 2; });
  for (const auto &[name, of] : values) extents_.push_back(of.size());
  for (std::size_t i = 0; i < count_; ++i) {
    std::vector<std::size_t> at;
    for (const auto &[name, of] : values)
      at.push_back(static_cast<std::size_t>(std::distance(of.begin(), of.find(valueOf(*points[i], name)))));
    points_.emplace(at, i);
    coordinates_.push_back(std::move(at));
  }
}

std::size_t ValueGrid::least(const std::function<double(std::size_t)> &cost, std::size_t start) const {
  std::size_t best = coordinates_.empty() ? 0 : start;
  double least = cost(best);
  auto take = [&](std::size_t point, double its) {
    if (its < least || (its == least && point < best)) best = point, least = its;
  };
  if (coordinates_.empty()) {
    for (std::size_t i = 1; i < count_; ++i) take(i, cost(i));
    return best;
  }
  std::unordered_map<std::size_t, double> known{{best, least}};
  for (std::size_t before = count_; before != best;) {
    before = best;
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      std::vector<std::size_t> at = coordinates_[best];
      for (at[d] = 0; at[d] < extents_[d]; ++at[d]) {
        const auto point = points_.find(at);
        if (point == points_.end()) continue;
        const auto [seen, fresh] = known.try_emplace(point->second);
        if (fresh) seen->second = cost(point->second);
        take(point->second, seen->second);
      }
    }
  }
  return best;
}

} // namespace tangram
