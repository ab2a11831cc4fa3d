// Elements that neighbouring iterations access side by side, and what has to hold for several of them to be one access.
#pragma once

#include "LaneLoops.h"

#include "tangram/loops/Sums.h"

namespace tangram::coarsening {

constexpr unsigned kMostElements = 4; // of an access: vectors of device languages have as many

/// base[sum + offset], by an iteration.
struct Access {
  const ast::Subscript *place = nullptr;
  loops::Sums::Sum sum;
  ast::Int step = 0;   // how many elements the next iteration is further
  ast::Int offset = 0; // the constant of the index
  unsigned bytes = 0;  // of an element
  bool written = false;
};

class Accesses {
public:
  Accesses(const ast::Loop &loop, const loops::Memory &memory, loops::Sums &sums);

  /// Whether what iterations write is known to be different places, and nothing is against copies side by side.
  bool possible() const { return possible_; }
  const std::vector<Access> &list() const { return list_; }
  /// The widest element of those that lie side by side; 0: there are none.
  unsigned widest() const { return widest_; }

private:
  std::vector<Access> list_;
  bool possible_ = true;
  unsigned widest_ = 0;
};

/// Iterations in chunks of `factor`, such that the first elements of all accesses of a chunk lie at multiples of as
/// many bytes as are accessed at a time: of an access, at most `bytes`.
class Alignment {
public:
  Alignment(ast::Arena &arena, const Accesses &accesses, const loops::Sums &sums, const ast::Expr *base,
            unsigned factor, unsigned bytes);

  /// What the element `origin(access)` of a chunk's first iteration lies at a multiple of, in bytes; 0: no more than
  /// any element.
  unsigned of(const Access &access) const;
  /// The constant of an index by which iterations are counted: of a[i + 1] = b[i] + b[i + 2] that is 1, so that what is
  /// written is aligned.
  ast::Int origin(const Access &access) const { return origin_ * access.step; }
  /// How many iterations stand in front of the first chunk: a number of 64 bits below `factor`.
  const ast::Expr *peel() const { return peel_; }
  /// Whether all chunks are aligned then, `peel` being that number; null: they are.
  const ast::Expr *holds(const ast::Expr *peel) const;
  bool any() const { return any_; }

private:
  const ast::Expr *shift(const Access &access) const;
  unsigned elements(const Access &access) const;

  ast::Arena &arena_;
  const Accesses &accesses_;
  const loops::Sums &sums_;
  const ast::Expr *base_;
  unsigned factor_, bytes_;
  ast::Int origin_ = 0;
  std::map<loops::Sums::Product, unsigned> multiples_; // what has to be a multiple of so many elements
  std::set<const Access *> left_;                      // of which that cannot be said
  const ast::Expr *peel_ = nullptr;
  bool any_ = false;
};

} // namespace tangram::coarsening
