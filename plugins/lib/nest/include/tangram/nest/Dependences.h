// Which iterations of a loop have to wait for which, and why.
//
// Dependences are those of memory: of two accesses to one element the second waits for the first, where one of them
// writes. What a scalar holds from one iteration to the next is asked by value: one that every iteration writes before
// it reads it is the iteration's own (privatization).
#pragma once

#include "tangram/nest/Nest.h"

namespace tangram::nest {

enum class DependenceKind : std::uint8_t { Flow, Anti, Output };
std::string_view name(DependenceKind kind);

/// Of two accesses, one of which writes.
DependenceKind kindOf(const Access &first, const Access &second);

/// Two accesses, of which the second is carried out in a later iteration of a loop.
struct Dependence {
  const Access *first = nullptr, *second = nullptr;
  DependenceKind kind = DependenceKind::Flow;
  /// How many iterations later, where that is always the same.
  std::optional<std::int64_t> distance;
  /// That they meet at all is not certain: something is not affine, or took isl too long.
  bool certain = true;
};

/// What iterations of a loop combine in one place.
struct Reduction {
  unsigned variable = 0;
  ReductionOp op = ReductionOp::Add;
  bool atomic = false; // by atomic operations alone
  /// Any order of the updates has the same result: integers. Floating-point numbers round.
  bool exact = false;
  /// In Nest::selections: one of scalars that are set together. They are exact where of equal values the first, or the
  /// last, in the order of the iterations is kept; `op` says only which way it goes.
  std::optional<unsigned> selection = {};
};

struct Carried {
  enum class Kind : std::uint8_t {
    Nothing,   // iterations are independent: the loop is parallel
    Reduction, // they only update places by associative operators
    Dependence // they have to be carried out one after the other
  } kind = Kind::Nothing;
  std::vector<Reduction> reductions;
  /// One that forbids the loop to be parallel; the first that was found, certain ones before others.
  std::optional<Dependence> dependence;
  /// Scalars declared around the loop of which every iteration may have its own.
  std::vector<unsigned> privatizable;
};

class Dependences {
public:
  explicit Dependences(const Nest &nest) : nest_(nest) {}

  /// What the loop carries. What it does not know it takes for a dependence.
  Carried carried(unsigned loop) const;
  /// All dependences that the loop carries, reductions included.
  std::vector<Dependence> all(unsigned loop) const;

  /// Of how many loops iterations are independent.
  std::size_t parallelLoops() const;
  /// And of how many nothing has to be carried out one after the other, reductions included.
  std::size_t unorderedLoops() const;

  /// Whether every iteration of the loop reads of a variable only what it has written itself, and nobody reads it
  /// behind the loop: each may have one of its own (privatization). Containers are asked for as well as scalars.
  bool isPrivate(unsigned variable, unsigned loop) const;

private:
  struct Meeting;
  isl::map later(isl::map touched, unsigned loop, isl::set &order) const;
  Meeting meeting(const std::optional<isl::map> &first, const std::optional<isl::map> &second, unsigned loop) const;
  std::vector<unsigned> privatizable(unsigned loop, const std::vector<Dependence> &found) const;
  bool isOwn(unsigned variable, unsigned loop) const;
  const Nest &nest_;
};

/// "'a[i - 1]' reads in a later iteration of loop 'i' what 'a[i]' writes"
std::string describe(const Nest &nest, const Dependence &dependence, unsigned loop);

/// When iterations of each statement are carried out in the source: numbers that are compared from left to right.
std::vector<std::vector<isl::pw_aff>> sourceTimes(const Nest &nest);
/// The same as { [loops of the statement...] -> [time...] }, filled up to one length.
std::vector<isl::map> timeMaps(const Nest &nest, std::vector<std::vector<isl::pw_aff>> times);
std::vector<isl::map> sourceOrder(const Nest &nest);

} // namespace tangram::nest
