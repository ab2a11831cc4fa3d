// What one call of a codelet does by itself, estimated from its source and expected sizes: what models of time start
// from.
#pragma once

#include "tangram/compose/Expected.h"
#include "tangram/compose/Facts.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tangram {

/// Accesses to elements of one container.
struct AccessWork {
  std::optional<std::size_t> parameter; // of the codelet; nothing: a container of its own
  double elements = 0;                  // of a container of its own
  std::uint64_t bytes = 0;              // of an element
  double loads = 0, stores = 0, atomics = 0;
  /// What all of them touch, of all lanes together: so many rows, and of each so many elements side by side. Not known
  /// where data says which elements.
  double rows = 0, run = 0;
  bool anywhere = false; // data says which ...
  /// ... of so many innermost dimensions: those in front do not follow what the call does.
  unsigned dataDimensions = 0;
  /// Places of the source that load elements: all, those in rows of their own, and those that are no constant distance
  /// from others: of a stencil of 7 points 7, 5 and 1. Caches that hold what lies between have the rest.
  unsigned references = 0, streams = 0, origins = 0;
  /// Of an index to which a call's own number is added: how many of its neighbours touch the same elements, of those in
  /// other rows and of those side by side.
  double overlapRows = 1, overlapRun = 1;
  AccessPattern pattern;
  /// Of the loads, such that each turn of a loop repeats, of so few elements that a worker's registers hold them (the
  /// pass register-promotion).
  double repeated = 0;
  double repeatedGathers = 0; // the same of vector-promotion, where lanes gather
  double joined = 0;          // of the loads, such that come with another one in one instruction
  double bounded = 0; // of the loads, such that have an index with bounds: lanes beside each other may have one element
  double ahead = 0;   // of the loads, such that nothing waits for: others are under way at the same time
  double distance = 0; // bytes between neighbouring lanes, where they are a constant distance apart; 0: not known
};

/// Of one call; of one lane of a cooperative codelet. What stands in its maps and calls is theirs. Sums of indices are
/// counted on from turn to turn: they are one operation an access.
struct CodeletWork {
  double operations = 0;                     // of one instruction: a product and the sum that it is added to are one
  double wide = 0;                           // of these, on numbers of 64 bits with a fraction
  double divisions = 0;                      // by what is not constant; remainders and square roots
  double quotients = 0;                      // of numbers with a fraction by what the loops around do not change
  double functions = 0;                      // of the math library
  double matrix = 0;                         // multiplications with additions that lanes do together, a lane's part ...
  ast::Scalar matrixType = ast::Scalar::F64; // ... of such numbers
  double shared = 0;                         // accesses to arrays that the lanes of a cooperative codelet share
  double sharedApart = 0;                    // of these, such that lanes have elements that do not lie side by side
  double sharedAtomics = 0;
  /// Of `shared`, in arrays that lanes which read each other's registers keep there: of the lane's own element, and of
  /// others'.
  double ownOfLane = 0, exchanged = 0;
  double sharedBytes = 0;       // of these arrays
  double fills = 0;             // loops that only load what lanes share
  double exchanges = 0;         // how often lanes wait for what others have stored in these arrays
  double awaits = 0;            // of these, for panels on their way to these arrays ...
  double panelsAhead = 0;       // ... which others, so many, are used meanwhile, all awaits together
  double turns = 0;             // of innermost loops
  double branches = 0;          // back to the begin of a loop that is not unrolled
  double mispredictions = 0;    // of branches that data decides, such that go the other way than a processor foresees
  double dependent = 0;         // of these turns, such that need a value of the turn before
  double scalarTurns = 0;       // of these turns, such that a compiler makes no vectors of by itself
  std::set<std::size_t> bounds; // parameters whose elements say how long a loop is ...
  bool uneven = false;          // ... which differs from lane to lane of a cooperative codelet
  double laneTurns = 0;         // of loops of which lanes have a turn each, side by side, and leave nothing behind
  double values = 0;            // variables, and elements of small arrays: registers of 32 bits that may be needed ...
  double arrays = 0;            // ... and these of arrays alone
  double fractions = 0;         // ... and of arrays and variables with a fraction: what vectors of a processor hold
  double registerStores = 0;    // to elements of arrays that registers may hold
  std::vector<AccessWork> accesses;
  std::map<const ast::Expr *, double> sites; // how often each map and call of a spectrum is come to
  bool guessed = false;                      // how often a loop turns depends on what is not known: kUnknownTurns
};

/// Turns of a loop of which nothing is known.
inline constexpr double kUnknownTurns = 16;

class CodeletSource;

/// What calls of a module's codelets do: each is looked at once.
class CodeletWorks {
public:
  CodeletWorks(const ast::Module &module, const Facts &facts) : module_(module), facts_(facts) {}

  /// `arguments`: expected extents of the codelet's parameters, none of a scalar; `known`: its tunables, and parameters
  /// that are known; `lanes`: of a cooperative codelet, else 1; `abreast`: lanes that go through branches together, of
  /// which one is enough for it to be done. Both ways of a branch are done half as often,
  /// also where it compares numbers that calls of a map differ in, which are alike in the middle; one that brings a
  /// running extreme closer is done as often as a random order does. Where a
  /// loop's bounds are not known it turns as often as what it goes through has elements, else kUnknownTurns.
  const CodeletWork &of(const ast::Codelet &codelet, const std::vector<Extents> &arguments, const Scalars &known,
                        std::uint64_t lanes = 1, std::uint64_t abreast = 1);

private:
  const ast::Module &module_;
  const Facts &facts_;
  std::map<const ast::Codelet *, std::shared_ptr<const CodeletSource>> sources_;
  std::map<std::tuple<const ast::Codelet *, std::vector<Extents>, Scalars, std::uint64_t, std::uint64_t>, CodeletWork>
      works_;
};

} // namespace tangram
