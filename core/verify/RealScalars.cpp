// Floating scalars for which a spectrum's conditions hold.
#include "Conditions.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <cmath>

namespace tangram::runtime {
namespace {

using namespace ast;

class RealSolver {
public:
  RealSolver(const Spectrum &spectrum, Shape &shape, const std::vector<bool> &fixed)
      : shape_(shape), fixed_(fixed), conditions_(spectrum, shape) {}

  bool solve() {
    constexpr int kRounds = 50;
    for (int round = 0; round < kRounds; ++round) {
      const Expr *broken = conditions_.firstBroken();
      if (!broken) return true;
      if (!repair(*broken, round)) return false;
    }
    return false;
  }

private:
  double &now(std::size_t param) { return *shape_.arguments[param].real; }

  std::vector<std::size_t> unknowns(const Expr &condition) const {
    std::vector<std::size_t> all;
    walk(&condition, [&](const Expr &e) {
      const VarRef *ref = dyn<VarRef>(&e);
      const std::optional<std::size_t> i = ref ? conditions_.param(ref->name) : std::nullopt;
      if (i && shape_.arguments[*i].real && !(*i < fixed_.size() && fixed_[*i]) &&
          std::find(all.begin(), all.end(), *i) == all.end())
        all.push_back(*i);
    });
    std::sort(all.rbegin(), all.rend()); // the later parameter gives way
    return all;
  }

  /// One scalar is changed such that the condition holds, and as few others as can be do not.
  bool repair(const Expr &condition, int round) {
    std::vector<std::size_t> all = unknowns(condition);
    if (!all.empty()) std::rotate(all.begin(), all.begin() + round % static_cast<int>(all.size()), all.end());
    std::optional<std::pair<std::size_t, double>> best;
    std::size_t fewest = 0;
    for (const std::size_t param : all) {
      const double before = now(param);
      for (const double candidate : candidates(condition, param)) {
        if (!std::isfinite(candidate)) continue;
        now(param) = candidate;
        if (!conditions_.value(&condition).value_or(1)) continue;
        const std::size_t left = conditions_.countBroken();
        if (best && left >= fewest) continue;
        best = {param, candidate};
        fewest = left;
      }
      now(param) = before;
    }
    if (best) now(best->first) = best->second;
    return best.has_value();
  }

  /// What may do: beside where both sides of a comparison are equal, if the scalar is linear in it, as far from there
  /// as it is now first, so that numbers drawn by chance stay such; and numbers that are anything's bounds.
  std::vector<double> candidates(const Expr &condition, std::size_t param) {
    const double x = now(param);
    std::vector<double> all;
    const auto around = [&](double at) {
      for (const double step : {0.0, 1.0, 0.5, 0.25, 0.0625, 0x1p-10}) {
        all.push_back(at + step);
        all.push_back(at - step);
      }
    };
    if (const Binary *n = dyn<Binary>(withoutCasts(&condition))) {
      const std::optional<double> here = difference(*n);
      for (const double step : {1.0, 8.0}) { // of what is made a whole number the first one may show nothing
        now(param) = x + step;
        const std::optional<double> there = difference(*n);
        now(param) = x;
        if (!here || !there || *here == *there) continue;
        const double root = x - *here / (*there - *here) * step;
        all.push_back(2 * root - x);
        around(root);
        around(std::round(root));
      }
    }
    all.push_back(-x);
    around(0);
    for (const double scale : {0.5, 2.0, 4.0, 16.0}) all.push_back(x * scale);
    return all;
  }

  std::optional<double> difference(const Binary &n) const {
    const std::optional<double> a = conditions_.real(n.lhs), b = conditions_.real(n.rhs);
    return a && b ? std::optional(*a - *b) : std::nullopt;
  }

  Shape &shape_;
  const std::vector<bool> &fixed_;
  const Conditions conditions_; // of it
};

} // namespace

bool meetByReals(const Spectrum &spectrum, Shape &shape, const std::vector<bool> &fixed) {
  const Shape before = shape;
  const bool met = RealSolver(spectrum, shape, fixed).solve();
  if (!met) shape = before;
  return met;
}

} // namespace tangram::runtime
