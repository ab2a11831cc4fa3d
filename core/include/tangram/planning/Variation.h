// Plans made from others: one choice at one point is another, or a part is taken from a second plan. What searches that
// evolve plans have in common.
#pragma once

#include "tangram/compose/Forest.h"

namespace tangram {

class Variation {
public:
  /// `forest` has plans, and outlives this.
  explicit Variation(const Forest &forest);
  ~Variation();
  Variation(const Variation &) = delete;
  Variation &operator=(const Variation &) = delete;

  /// From the top down, shallow plans more often than a uniform draw has them.
  Plan draw(std::mt19937_64 &random) const;
  /// Another alternative at a point of the plan: other values of its rule, or another rule. What is below stays where
  /// it can stand there, and is drawn where it cannot. The plan itself where there is no other.
  Plan mutate(const Plan &plan, std::mt19937_64 &random) const;
  /// A part of `plan` is what `other` has at such a point, as far as it can stand there. The plan itself where they
  /// have no point in common.
  Plan cross(const Plan &plan, const Plan &other, std::mt19937_64 &random) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tangram
