// What stands around a point of a derivation and makes a difference to the time of what is below.
#pragma once

#include "Places.h"

#include <boost/functional/hash.hpp>

namespace tangram::model {

/// A container within one that something gives it: elements of parts of it.
Stride through(Stride inner, Stride outer);

/// Lanes so many bytes apart (as a power of two), or more, share no line, and hardly a page of memory.
constexpr unsigned kFarApart = 10;

/// How what is above a point has given it one of its spectrum's arguments.
struct ArgumentAround {
  Stride acrossLanes = Stride::Zero; // between calls that lanes make side by side
  Stride within = Stride::Unit;      // between neighbours of a part
  Served served = Served::Memory;
  bool revisited = false;        // a worker's next call touches what lies beside
  unsigned distance = kFarApart; // of lanes whose stride is constant, bytes as a power of two
  bool numbered = false;         // by places that numbers of a range say, and no part of its own
  unsigned apart = 0;            // strided partitions of which a worker goes over several parts, one after the other
  unsigned row = kFarApart;      // lanes side by side, after which others begin anew, as a power of two
  unsigned again = 0;            // calls one after the other that find in a cache what the first of them has loaded
  // Of a map:
  Stride acrossCalls = Stride::Zero;
  unsigned wraps = kFarApart; // calls side by side, after which others begin anew, as a power of two
  unsigned step = kFarApart;  // elements between calls whose stride is constant, as a power of two
  bool whole = true, loaded = false;
  bool operator==(const ArgumentAround &) const = default;
  friend std::size_t hash_value(const ArgumentAround &argument);
};

/// Bytes.
constexpr double kScratchpadUnit = 256;

/// Numbers of workers as powers of two.
struct Around {
  unsigned busy = 0;       // units of its level at a time
  unsigned group = 0;      // workers of a group (Crowd)
  unsigned groups = 0;     // of `busy`, that run on cores of their own
  unsigned idle = 0;       // lanes in lock step with one that is busy
  unsigned iterations = 0; // of `busy`, that are iterations of one worker
  unsigned turns = 0;      // calls that a lane has one after the other, each beside those of other lanes
  unsigned scratchpad = 0; // of a group, for containers of codelets above, in units of kScratchpadUnit
  bool inLanes = false;    // lanes have calls of their own
  bool direct = false;     // and this is one of them
  bool uneven = false;     // data says how much each has to do
  bool anew = false;       // groups have several calls, one after the other ...
  bool phases = false;     // ... and go through containers several times in each: others do something else meanwhile
  Expectations::Id expected = Expectations::kNone;
  std::vector<ArgumentAround> arguments; // behind them one more of a map with results
  bool operator==(const Around &) const = default;
  friend std::size_t hash_value(const Around &around);
};

/// The surroundings of a forest's points, numbered.
class Arounds {
public:
  /// The root's have number 0.
  Arounds(const Forest &forest, const Machine &machine, const Places &places);

  const Around &operator[](std::uint64_t number) const { return *known_[number]; }
  /// Of the alternative's child of that number.
  std::uint64_t below(const Point &point, const Alternative &alternative, std::size_t child,
                      const Around &around) const;

private:
  std::uint64_t number(Around around) const;
  Around belowCodelet(const Place &place, const Choice &choice, std::size_t child, const Around &around) const;
  /// Whether several calls of a group's codelet go through containers that it is given.
  bool hasPhases(const Place &place, const Choice &choice) const;
  void divide(const Place &place, const Alternative &alternative, Around &around) const;
  void repeat(const Place &place, double calls, Around &around) const;
  /// The same of a call that a codelet makes again and again, on a processor.
  void repeatCall(const Choice &choice, std::size_t child, const Place &place, Around &around) const;
  /// Containers of a group's codelet that are in scratchpad memory, where that has room for those of all its
  /// sub-groups.
  void keep(const Place &place, const Choice &choice, std::size_t child, Around &around) const;
  /// On a device: what an earlier call of the codelet has touched is found in a cache that has room for as much of all
  /// units that run.
  /// Containers of the codelet itself: each lane has one of its own.
  void temporaries(const Choice &choice, std::size_t child, const Place &place, Around &around) const;
  void touchedBefore(const Choice &choice, std::size_t child, const Place &place, const Place &inner,
                     Around &around) const;
  /// The groups of a launch, and how many of them a core keeps at a time.
  static Crowd groups(const Around &around);
  /// What differs from call to call is of no use to one call.
  static void call(Around &around);
  /// Of what all calls are given: where it is found again, by how large it is.
  void cache(double bytes, ArgumentAround &around) const;
  /// What makes no difference to a point, nor to those below it.
  void forget(const Place &place, Around &around) const;

  const Forest &forest_;
  const Machine &machine_;
  const Places &places_;
  mutable std::unordered_map<Around, std::uint64_t, boost::hash<Around>> numbers_;
  mutable std::vector<const Around *> known_;
};

} // namespace tangram::model
