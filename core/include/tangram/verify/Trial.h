// Whether a kernel is right for arguments that are given: what it is called with, and what must come out.
#pragma once

#include "tangram/verify/KernelLibrary.h"
#include "tangram/verify/Reference.h"
#include "tangram/verify/Verify.h"
#include "tangram/verify/WholeNumbers.h"

namespace tangram::runtime {

/// What is wrong with the outcome of one call; nothing where all is well. `plain`: what must be met to the last bit.
std::optional<PlanFailure> judge(const tangram_kernel &kernel, const CallResult &result,
                                 const std::vector<Value> &values, const std::vector<Expected> &expected,
                                 const std::vector<Expected> &plain);

std::vector<Value> copies(const std::vector<Value> &values);
bool hasFloating(const std::vector<Value> &values);

/// One set of arguments that a kernel is tried with.
struct Trial {
  std::vector<Value> arguments; // the result last
  bool whole = false;           // whole numbers stand in the place of floating ones
  bool small = false;           // fewer elements than were given (SmallTrials.h)
  std::vector<Expected> expected, plain;
  Undecided undecided;
};

/// What roundings decide in trials of each kind: the worst.
struct UndecidedTrials {
  Undecided given, whole, small;
  void include(const Trial &trial);
  /// Of all kinds.
  Undecided all() const;
  /// In a sentence each, which says the kind.
  std::vector<std::string> sentences() const;
};

/// The arguments as they are and, before that, where there are floating numbers among them, with whole ones in their
/// place, in as many passes as these need (docs/verification.md says why); where all is zero, that as well. No element
/// of an argument that is `neverRead` (Reference.h) is zero then, integers neither, so that one that is not written
/// shows also where zero is right. What is expected is not known yet.
class Trials {
public:
  /// `spectrum`, whose conditions whole numbers meet as well, and `arguments` must live on. `most`: so many passes at
  /// most.
  Trials(const ast::Spectrum &spectrum, const std::vector<Value> &arguments, std::vector<bool> neverRead,
         std::uint64_t seed, std::size_t most = static_cast<std::size_t>(-1));
  std::size_t count() const { return others_ + 1; }
  /// One by one, as all together may need much memory; the last has the arguments as they are.
  Trial make(std::size_t i) const;

private:
  const ast::Spectrum &spectrum_;
  const std::vector<Value> &arguments_;
  std::vector<bool> filled_; // those that are never read, and have zeros
  std::uint64_t seed_;
  std::vector<WholePass> passes_;
  bool zeros_; // nothing else: of these nearly every plan makes the same
  std::size_t others_;
};

/// Fills in what is expected, by calling the reference. What is returned is ok, or says why there is nothing to expect.
CallResult expect(Trial &trial, const Reference &reference);
/// The same of floats that must be the same to the last bit, by calling the plainest plan for the same target.
CallResult expectBits(Trial &trial, const tangram_kernel &plainest);

} // namespace tangram::runtime
