// The numbers of a target that times are made of. What the target does not say is that of an ordinary machine of its
// kind.
#pragma once

#include "tangram/hardware/Hardware.h"
#include "tangram/planning/CodeletWork.h"

#include <cmath>

namespace tangram::model {

/// What one lane transfers between a core and its first cache at least, in bytes.
inline constexpr double kSector = 32;

/// Workers that run something at a time.
struct Crowd {
  double units = 1;         // of a level, each with a call of its own
  double workers = 1;       // that share each call: lanes of a cooperative codelet
  double groups = HUGE_VAL; // they are in so many groups, each of which runs on one core
  double group = 0;         // workers of one, idle ones too; 0: not known
  double registers = 0;     // of a worker; 0: not known
  double scratchpad = 0;    // bytes of a group
  double iterations = 1;    // side by side in one worker: an unrolled loop's
  double idle = 1;          // lanes that go in lock step with one that is busy, itself among them
  double vector = 1;        // lanes among which a host's compiler divides what one worker does
  double uneven = 1;        // the longest call of those in lock step, beside the mean of them
  double chunk = 1;         // neighbouring iterations that a lane has side by side (the pass thread-coarsening) ...
  double rounds = 1;        // ... and how often it then comes to some, beside how often it comes to one
  double wait = 0;          // seconds of a call's workers for one another
  bool phases = false;      // groups that a core keeps do different things at a time (Around)
  bool exchanges = false;   // workers that share a call read each other's registers
  double all() const { return units * workers / iterations; }
};

/// From where most accesses are served.
enum class Served : std::uint8_t { Memory, OuterCache, InnerCache, Scratchpad };

/// Accesses of one worker to one container.
struct Accesses {
  double bytes = 0; // of an element
  double loads = 0, stores = 0, atomics = 0;
  double joined = 0;   // of the loads, such that come with another one
  double repeated = 0; // of the loads, such that vectors hold where lanes would gather (the pass vector-promotion)
  double bounded = 0;  // of the loads, such that lanes beside each other may have one element
  double ahead = 0;    // part of the loads that nothing waits for
  Stride acrossLanes = Stride::Zero, perIteration = Stride::Zero;
  bool alone = false;         // no other lane does the same beside it
  bool staged = false;        // lanes that walk through memory of their own go together, tile by tile
  double distance = HUGE_VAL; // bytes between lanes, where not beside each other
  double row = 0;             // bytes of a row of a tile
  bool rowsApart = false; // lanes are in rows of their own of one container, which fall into the same set of a cache
  double together = 1;    // neighbouring lanes that share a call
  bool apart = false;     // a worker's accesses lie far from one another
  bool revisited = false; // what lies around an element is touched soon by the same worker
  Served served = Served::Memory;
  double again = 1;            // calls of which one has it from there, and others find it in the core's own cache
  double elements = 0;         // of the container; 0: not known
  double footprint = HUGE_VAL; // bytes of the lines that a worker's call touches in it
  double sharing = 1;          // workers whose call is the same
  double streams = 1;          // rows that one turn loads from
  double ownRow = 1, own = 1;  // of the loads, which are in rows of their own, and at a constant distance from no other
};

/// Seconds, by what they are spent on: where all went on at a time, the longest would be what a call takes.
struct Parts {
  double issue = 0;   // operations, at the rate that all cores start them
  double memory = 0;  // bytes, at the bandwidth of the memory or cache that holds them up most
  double latency = 0; // what waits for what came before it
  double atomics = 0; // what is changed by one at a time
  bool apart = false; // memory is waited for before, or after, operations
  /// What depends on an operation waits while the core goes on with what does not: the longer of both counts.
  bool ahead = false;
  /// Groups that a core keeps do different things at a time: what one waits for another has at its disposal.
  bool overlapped = false;
  double total() const;
};

class Machine {
public:
  explicit Machine(const hardware::Hardware &hardware);

  /// Of one call by each unit of a crowd, all at a time.
  Parts parts(const CodeletWork &work, const std::vector<Accesses> &accesses, const Crowd &crowd) const;
  /// Until what one worker has stored is loaded by another one.
  double exchange() const { return memory_.latency; }
  /// Groups of a launch are dealt to cores one by one: how much more the core has that has most of them than each has
  /// of the power of two that stands for them (Around).
  double imbalance(double groups) const;
  /// Of synchronising the level below.
  double wait(const hardware::Level &level) const;

  /// Of a crowd, how many work at a time for each core.
  double running(const Crowd &crowd) const;
  /// Of calls that are given a group each, how many run at a time.
  double launched(double calls, double units) const;
  /// Whether the scratchpad memory of a core has room for a group.
  bool holds(const Crowd &crowd) const { return !device_ || crowd.scratchpad <= scratchpad_; }
  /// Whether containers of a group's, or of its sub-groups', may be there.
  bool hasScratchpad() const { return device_; }
  /// How many workers of a crowd a core keeps at a time: as it has registers and scratchpad memory for their groups.
  double resident(const Crowd &crowd) const;
  /// Bytes of a row of a tile of so many containers in scratchpad memory (the pass staging); 0: there is no room.
  double stagedRow(double containers, double group) const;
  /// On how many cores a crowd works.
  double cores(const Crowd &crowd) const;
  /// Whether the units of that level are what cores are given, one group of workers each.
  bool areGroups(const std::string &level) const { return level == groups_; }
  bool fitsInnerCache(double bytes) const { return bytes <= inner_.bytes / 2; }
  bool fitsOuterCache(double bytes) const { return bytes <= outer_.bytes / 2; }
  /// How many units of a crowd are under way at a time: as its groups have room.
  double underWay(const Crowd &crowd) const;
  /// Where so many bytes of each unit stay until the unit comes back to them.
  Served keeps(double bytes, const Crowd &crowd) const;
  double line() const { return line_; }
  /// Whether registers hold what all turns of a loop load (the pass register-promotion).
  bool promotes() const { return device_; }
  /// Whether the compiler stages what lanes walk through (the pass staging).
  bool stages() const { return device_ && lanes_ > 1; }
  /// Of iterations of `bytes` that lanes have side by side, `turns` a lane, how many are one chunk and how many rounds
  /// of these there are (the pass thread-coarsening): with `registers` for what lives through a loop in an iteration, 0
  /// where there is none.
  std::pair<double, double> chunks(double turns, double bytes, double registers, double group) const;
  /// Whether a worker's own accesses come sooner where they follow one another.
  bool prefetches() const { return !device_; }
  /// Lanes that go in lock step: units of that level, and of those below it.
  bool inLockStep(const std::string &level) const;
  double lanes() const { return lanes_; }
  /// Whether these read each other's registers.
  bool exchangesRegisters() const { return exchanges_; }

private:
  struct Storage {
    double bytes = 0, bandwidth = 0, latency = 0; // latency in seconds
  };
  struct Traffic {
    double memory = 0, outer = 0, inner = 0; // bytes of one worker
    double waits = 0;                        // seconds that loads of one worker take, one after the other
  };
  Traffic traffic(const Accesses &access, double turns, double running, double streams) const;
  double changes(const Accesses &access, double all) const;
  double unitsOfACore(const Crowd &crowd) const;

  const hardware::Hardware &hardware_;
  hardware::Cores cores_;
  Storage memory_, outer_, inner_; // of a core: inner_
  double line_ = 0, cacheLine_ = 0, lanes_ = 1, registers_ = 0;
  std::map<ast::Scalar, double> matrices_; // rates of engines, by the type of what they multiply
  double launch_ = 0, barrier_ = 0, join_ = 0;
  std::string groups_;
  double scratchpad_ = 0; // bytes of a core
  bool device_ = false, exchanges_ = false;
};

} // namespace tangram::model
