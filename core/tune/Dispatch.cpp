#include "tangram/tune/Dispatch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace tangram::tune {
namespace {

constexpr double kRegion = 0.02;       // what one more region has to gain, as the logarithm of times at one point
constexpr double kUnusable = 1e3;      // the same of a plan that cannot be used at a point
constexpr double kSearched = 4e6;      // splits that are looked at
constexpr double kSignificant = 1e3;   // digits of a bound that is no whole number
constexpr std::size_t kDeepest = 1000; // regions within each other, where one feature makes all of them cheap

double fastest(const GridTimes &point) {
  return point.seconds.empty() ? HUGE_VAL : *std::min_element(point.seconds.begin(), point.seconds.end());
}

/// The logarithm of how many times as long as the fastest plan takes.
double regret(const GridTimes &point, std::size_t plan) {
  const double least = fastest(point);
  if (!std::isfinite(least)) return 0; // nobody is to blame
  if (!std::isfinite(point.seconds[plan])) return kUnusable;
  return std::log(point.seconds[plan] / least);
}

// ---- the smallest set --------------------------------------------------------------------------------------------

class Cover {
public:
  Cover(const std::vector<GridTimes> &points, double tolerance) : points_(points) {
    for (const GridTimes &point : points) {
      const double least = fastest(point);
      if (!std::isfinite(least)) continue;
      std::vector<std::size_t> good;
      for (std::size_t plan = 0; plan < point.seconds.size(); ++plan)
        if (point.seconds[plan] <= (1 + tolerance) * least) good.push_back(plan);
      needs_.push_back(std::move(good));
    }
  }

  std::vector<std::size_t> run() {
    for (std::size_t most = needs_.empty() ? 0 : 1; best_.empty() && most <= needs_.size() && !needs_.empty(); ++most) {
      least_ = HUGE_VAL;
      seen_.clear();
      take({}, most);
    }
    return best_;
  }

private:
  /// Of the points that nothing covers yet, that with the fewest plans: one of these has to be in the set.
  void take(std::vector<std::size_t> chosen, std::size_t left) {
    const std::vector<std::size_t> *need = nullptr;
    for (const std::vector<std::size_t> &good : needs_) {
      const bool covered = std::any_of(good.begin(), good.end(), [&](std::size_t plan) {
        return std::find(chosen.begin(), chosen.end(), plan) != chosen.end();
      });
      if (!covered && (!need || good.size() < need->size())) need = &good;
    }
    if (!need) return consider(std::move(chosen));
    if (left == 0) return;
    for (std::size_t plan : *need) {
      std::vector<std::size_t> more = chosen;
      more.push_back(plan);
      std::sort(more.begin(), more.end());
      if (seen_.insert(more).second) take(std::move(more), left - 1);
    }
  }

  void consider(std::vector<std::size_t> chosen) {
    double sum = 0;
    for (const GridTimes &point : points_) {
      double least = kUnusable;
      for (std::size_t plan : chosen) least = std::min(least, regret(point, plan));
      sum += least;
    }
    if (best_.empty() || sum < least_ - 1e-12 || (sum <= least_ + 1e-12 && chosen < best_)) {
      best_ = std::move(chosen);
      least_ = sum;
    }
  }

  const std::vector<GridTimes> &points_;
  std::vector<std::vector<std::size_t>> needs_; // of each point, plans that are fast enough there
  std::set<std::vector<std::size_t>> seen_;
  std::vector<std::size_t> best_;
  double least_ = HUGE_VAL;
};

// ---- regions -----------------------------------------------------------------------------------------------------

using Points = std::vector<std::size_t>;

/// A plan for some points, or a switch between two of these.
struct Tree {
  double cost = 0;
  std::size_t plan = 0;
  std::shared_ptr<const Tree> below, above; // null: a plan
  Switch at;
};
using TreePtr = std::shared_ptr<const Tree>;

class Splitter {
public:
  Splitter(const std::vector<GridTimes> &points, const std::vector<std::size_t> &plans, const std::vector<bool> &whole)
      : points_(points), plans_(plans), whole_(whole) {
    double splits = 0;
    for (std::size_t f = 0; f < whole.size(); ++f) {
      std::set<double> values;
      for (const GridTimes &point : points) values.insert(point.features[f]);
      splits += static_cast<double>(values.size());
    }
    const double work = std::max(2.0, splits * static_cast<double>(points.size() * plans.size()));
    depth_ = whole.size() == 1
                 ? kDeepest
                 : 1 + static_cast<std::size_t>(std::log(kSearched / work) / std::log(std::max(2.0, splits)));
    depth_ = std::clamp<std::size_t>(depth_, 1, kDeepest);
  }

  TreePtr run() {
    Points all(points_.size());
    std::iota(all.begin(), all.end(), 0);
    return best(all, depth_);
  }

  /// The plan of a tree at one of its points.
  std::size_t planOf(const Tree &tree, std::size_t point) const {
    if (!tree.below) return tree.plan;
    return planOf(points_[point].features[tree.at.feature] <= tree.at.atMost ? *tree.below : *tree.above, point);
  }

private:
  TreePtr leaf(const Points &points) const {
    auto result = std::make_shared<Tree>();
    result->cost = HUGE_VAL;
    for (std::size_t plan : plans_) {
      double cost = kRegion;
      for (std::size_t point : points) cost += regret(points_[point], plan);
      if (cost < result->cost - 1e-12) result->cost = cost, result->plan = plan;
    }
    return result;
  }

  TreePtr best(const Points &points, std::size_t depth) {
    auto known = known_.find({points, depth});
    if (known != known_.end()) return known->second;
    TreePtr result = leaf(points);
    // Where every point has its fastest plan nothing can be gained.
    if (result->cost > kRegion + 1e-12)
      for (std::size_t f = 0; f < whole_.size(); ++f) {
        Points order = points;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return points_[a].features[f] < points_[b].features[f]; });
        for (std::size_t i = 1; i < order.size(); ++i) {
          if (points_[order[i - 1]].features[f] == points_[order[i]].features[f]) continue;
          Points left(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i));
          Points right(order.begin() + static_cast<std::ptrdiff_t>(i), order.end());
          std::sort(left.begin(), left.end());
          std::sort(right.begin(), right.end());
          // Deeper than it is searched, regions are split one by one.
          const bool deeper = depth > 1;
          TreePtr below = deeper ? best(left, depth - 1) : leaf(left),
                  above = deeper ? best(right, depth - 1) : leaf(right);
          if (below->cost + above->cost >= result->cost - 1e-9) continue;
          auto split = std::make_shared<Tree>();
          split->cost = below->cost + above->cost;
          split->at.feature = f;
          split->at.below = order[i - 1], split->at.above = order[i];
          split->at.atMost = points_[order[i - 1]].features[f];
          split->below = std::move(below), split->above = std::move(above);
          result = std::move(split);
        }
      }
    if (depth <= 1 && result->below) {
      auto split = std::make_shared<Tree>(*result);
      Points left, right;
      for (std::size_t point : points)
        (points_[point].features[split->at.feature] <= split->at.atMost ? left : right).push_back(point);
      split->below = best(left, 1), split->above = best(right, 1);
      split->cost = split->below->cost + split->above->cost;
      result = std::move(split);
    }
    known_[{points, depth}] = result;
    return result;
  }

  const std::vector<GridTimes> &points_;
  const std::vector<std::size_t> &plans_;
  const std::vector<bool> &whole_;
  std::size_t depth_ = 1;
  std::map<std::pair<Points, std::size_t>, TreePtr> known_;
};

/// Where, between two values of a feature, two plans are as fast: they go from one time to the other as powers do.
double between(double low, double high, double lowGain, double highLoss, bool whole) {
  const double from = std::log(std::max(low, whole ? 0.5 : low > 0 ? low : high * 1e-3)), to = std::log(high);
  double share = 0.5;
  if (std::isfinite(lowGain) && std::isfinite(highLoss) && lowGain >= 0 && highLoss >= 0 && lowGain + highLoss > 1e-9)
    share = lowGain / (lowGain + highLoss);
  double at = std::exp(from + share * (to - from));
  if (whole) return std::clamp(std::floor(at), low, high - 1);
  const double unit = std::pow(10, std::floor(std::log10(at))) / kSignificant * 10;
  at = std::round(at / unit) * unit;
  return at >= high || at < low ? low : at;
}

void flatten(const Splitter &splitter, const std::vector<GridTimes> &points, const std::vector<bool> &whole,
             const Tree &tree, std::vector<Switch> path, std::vector<Region> &regions) {
  if (!tree.below) {
    regions.push_back({std::move(path), tree.plan});
    return;
  }
  Switch at = tree.at;
  const GridTimes &low = points[at.below], &high = points[at.above];
  const std::size_t one = splitter.planOf(*tree.below, at.below), other = splitter.planOf(*tree.above, at.above);
  at.atMost =
      between(low.features[at.feature], high.features[at.feature], std::log(low.seconds[other] / low.seconds[one]),
              std::log(high.seconds[one] / high.seconds[other]), whole[at.feature]);
  std::vector<Switch> inside = path;
  inside.push_back(at);
  flatten(splitter, points, whole, *tree.below, std::move(inside), regions);
  // Where none of these is taken, the switch does not hold: there is no need to say so.
  flatten(splitter, points, whole, *tree.above, std::move(path), regions);
}

void judge(const std::vector<GridTimes> &points, const std::function<std::size_t(const GridTimes &)> &plan,
           double &mean, double &worst) {
  double sum = 0, most = 0;
  std::size_t counted = 0;
  for (const GridTimes &point : points) {
    if (!std::isfinite(fastest(point))) continue;
    const double own = regret(point, plan(point));
    sum += own, most = std::max(most, own);
    ++counted;
  }
  mean = counted ? std::exp(sum / static_cast<double>(counted)) : 1;
  worst = std::exp(std::min(most, kUnusable / 2));
}

} // namespace

std::vector<std::size_t> bundle(const std::vector<GridTimes> &points, double tolerance) {
  return Cover(points, tolerance).run();
}

std::size_t planAt(const DispatchFit &fit, const std::vector<double> &features) {
  for (const Region &region : fit.regions)
    if (std::all_of(region.switches.begin(), region.switches.end(),
                    [&](const Switch &s) { return features[s.feature] <= s.atMost; }))
      return region.plan;
  return fit.regions.back().plan;
}

DispatchFit fitDispatch(const std::vector<GridTimes> &points, const std::vector<std::size_t> &plans,
                        const std::vector<bool> &whole) {
  DispatchFit fit;
  if (plans.empty() || points.empty()) return fit;
  Splitter splitter(points, plans, whole);
  const TreePtr tree = splitter.run();
  flatten(splitter, points, whole, *tree, {}, fit.regions);
  judge(points, [&](const GridTimes &point) { return planAt(fit, point.features); }, fit.mean, fit.worst);
  for (std::size_t plan = 0; plan < points[0].seconds.size(); ++plan) {
    if (std::any_of(points.begin(), points.end(), [&](const GridTimes &p) { return regret(p, plan) >= kUnusable; }))
      continue;
    double mean = 1, worst = 1;
    judge(points, [&](const GridTimes &) { return plan; }, mean, worst);
    if (fit.single && mean >= fit.singleMean - 1e-12) continue;
    fit.single = plan, fit.singleMean = mean, fit.singleWorst = worst;
  }
  return fit;
}

} // namespace tangram::tune
