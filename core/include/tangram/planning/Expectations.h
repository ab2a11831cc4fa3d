// What is expected at a forest's points, followed on demand from sizes of the spectrum's arguments: of the few
// derivations that a heuristic looks at, a forest of many.
#pragma once

#include "tangram/compose/Forest.h"

#include <memory>

namespace tangram {

class Expectations {
public:
  /// By number.
  using Id = std::uint32_t;
  /// Nothing is expected.
  static constexpr Id kNone = 0;

  /// `forest` outlives this. A name that its spectrum has not says nothing of it.
  Expectations(const Forest &forest, const ExpectedSizes &sizes);
  ~Expectations();
  Expectations(const Expectations &) = delete;
  Expectations &operator=(const Expectations &) = delete;

  Id root() const { return root_; }
  const Expected &operator[](Id id) const;
  /// At the alternative's child of that number, where `here` is expected at the point.
  Id below(const Point &point, const Alternative &alternative, std::size_t child, Id here) const;

private:
  struct Known;
  const std::vector<Id> &sites(const Point &point, const Alternative &alternative, Id here) const;

  const Forest &forest_;
  std::unique_ptr<Known> known_; // found so far
  Id root_ = kNone;
};

/// Whether a requirement of a codelet (compose/Requirement.h) holds where its parameters have these extents and values;
/// false, too, where that does not follow, but for numbers that nobody told: of these it is taken to hold.
bool holds(const ast::Expr &requirement, const ast::Module &module, const ast::Codelet &codelet,
           std::vector<Extents> arguments, const Scalars &known, std::optional<std::uint64_t> lanes);

/// A point of a forest that is come to with something expected.
class SizedPoint {
public:
  SizedPoint(const Forest &forest, const Expectations &expectations)
      : SizedPoint(forest, expectations, forest.root(), expectations.root()) {}

  GoalId id() const { return id_; }
  const Point &operator*() const { return forest_->point(id_); }
  const Point *operator->() const { return &forest_->point(id_); }
  Expectations::Id expectation() const { return expected_; }
  const Expected &expected() const { return (*expectations_)[expected_]; }
  SizedPoint child(const Alternative &alternative, std::size_t i) const {
    return {*forest_, *expectations_, alternative.children[i], expectations_->below(**this, alternative, i, expected_)};
  }

private:
  SizedPoint(const Forest &forest, const Expectations &expectations, GoalId id, Expectations::Id expected)
      : forest_(&forest), expectations_(&expectations), id_(id), expected_(expected) {}

  const Forest *forest_;
  const Expectations *expectations_;
  GoalId id_;
  Expectations::Id expected_;
};

} // namespace tangram
