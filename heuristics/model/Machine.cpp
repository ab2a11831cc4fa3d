#include "Machine.h"

#include "tangram/hardware/Registers.h"

#include <algorithm>
#include <cmath>

namespace tangram::model {

using hardware::SyncKind;

namespace {

double or_(double said, double otherwise) { return said > 0 ? said : otherwise; }

/// Lanes in lock step that change an element at random wait for one another, about so often.
constexpr double kConflicts = 2;

/// Addresses and intermediate results, beside a codelet's variables; of a processor, whose vectors hold no addresses.
constexpr double kTemporaries = 4, kVectorTemporaries = 2;

/// Cycles that a processor's core works in vain for a branch that goes the other way than it foresaw.
constexpr double kMisprediction = 18;

/// Turns of a loop that a processor has at hand at a time.
constexpr double kWindow = 128;

/// Times longer: what no prefetcher follows.
constexpr double kFar = 4;

/// Accesses for each lane whose element a processor gathers, or scatters.
constexpr double kGathered = 3;

/// Accesses by which lanes find out that they have neighbouring elements, as those of a clamped index have but for its
/// bounds.
constexpr double kAsked = 6;

/// Accesses for each vector that elements side by side are loaded to of which every other, third or fourth is wanted: a
/// load and shuffles.
constexpr double kShuffled = 3, kShuffledApart = 4;

/// Accesses of a processor for each operation on what no register holds: a load, and a store, which takes twice as
/// long.
constexpr double kSpilled = 3;

/// Times longer.
constexpr double kUnrolledLoops = 1.25;

/// Operations by which staging begins each call.
constexpr double kStaging = 800;

/// Bytes of a group that staging uses at most, and of a worker: beside a row of each container, and once.
constexpr double kStagedBytes = 48 * 1024, kStagedExtra = 12, kStagedCount = 8;

/// Loads that staging has under way at a time, of each lane.
constexpr double kBatch = 8;

/// Lanes of a device that touch less than a line each, farther apart, have a part of the bandwidth.
constexpr double kPage = 512, kScattered = 2;

/// Vectors of so many lanes are those of instruction sets with twice the registers.
constexpr double kWideLanes = 16;

/// Registers of a core, for each worker that it may keep.
constexpr std::uint64_t kRegisters = 32;

/// Cycles in which a core's first cache finds a line, where it would transfer one in each.
constexpr double kLookup = 0.95;

/// Operations between two branches, of which enough are independent for one worker to start one in each cycle.
constexpr double kStraight = 64;

/// Of a row of so many elements in tiles, how much more is moved than there is: what a tile has left is rounded up to a
/// power of two (the pass staging).
double padding(double elements, double columns) {
  constexpr double kFewest = 8;
  if (columns <= 0 || elements <= 0) return 1;
  const double tiles = std::floor(elements / columns), left = elements - tiles * columns;
  const double rest = left > 0 ? std::exp2(std::ceil(std::log2(std::max(left, std::min(kFewest, columns))))) : 0;
  return (tiles * columns + std::min(rest, columns)) / elements;
}

} // namespace

double Parts::total() const {
  if (overlapped) {
    const double work = std::max(issue, memory), both = std::max({work, latency, 1e-30});
    return std::hypot(both * std::pow(std::pow(work / both, 4) + std::pow(latency / both, 4), 0.25), atomics);
  }
  const double work = ahead ? std::max(issue, latency) : std::hypot(issue, latency);
  return std::hypot(apart ? work + memory : std::hypot(work, memory), atomics);
}

Machine::Machine(const hardware::Hardware &hardware) : hardware_(hardware) {
  // Without a word on cores, the units of the second level are them.
  if (hardware.levels.size() > 1) groups_ = hardware.levels[1].name;
  for (const hardware::Level &level : hardware.levels) {
    device_ |= level.sync == SyncKind::Relaunch, exchanges_ |= level.shuffle;
    const bool said = cores_.clock > 0 || cores_.issue > 0;
    if (!said && (level.cores.clock > 0 || level.cores.issue > 0)) cores_ = level.cores, groups_ = level.name;
    if (areLanes(level.sync)) lanes_ = std::max(lanes_, static_cast<double>(hardware.lanes(level)));
    for (const hardware::MatrixShape &shape : level.matrices) {
      double &rate = matrices_[shape.type];
      rate = std::max(rate, shape.rate);
    }
  }
  if (!cores_.count) cores_.count = hardware.levels.size() > 1 ? hardware.levels[1].workers.count : 1;
  cores_.clock = or_(cores_.clock, device_ ? 1.5e9 : 3e9);
  cores_.issue = or_(cores_.issue, device_ ? 100 : 2 * lanes_);
  cores_.issueDouble = or_(cores_.issueDouble, cores_.issue / 2);
  for (const ast::Scalar type : hardware::MatrixShape::kTypes) // also of engines that are not said to be there
    matrices_[type] = or_(matrices_[type], type == ast::Scalar::F64 ? 2 * cores_.issueDouble : 4 * cores_.issue);
  cores_.issueDivision = or_(cores_.issueDivision, cores_.issue / 16);
  cores_.issueFunction = or_(cores_.issueFunction, cores_.issue / 16);
  cores_.issueAccess = or_(cores_.issueAccess, device_ ? 16 : cores_.issue);
  cores_.issueAlone = or_(cores_.issueAlone, device_ ? 0.5 : cores_.issue / lanes_);
  cores_.depth = or_(cores_.depth, 4);
  if (!cores_.workers) cores_.workers = device_ ? 2048 : static_cast<std::uint64_t>(lanes_);
  if (!cores_.registers) cores_.registers = kRegisters * cores_.workers;
  cores_.loads = or_(cores_.loads, device_ ? 4 : 10);
  cores_.transfer = or_(cores_.transfer, 64);
  cores_.contention = or_(cores_.contention, 2);
  cores_.exchange = or_(cores_.exchange, 0.25);

  const double cores = static_cast<double>(cores_.count);
  memory_ = {1e18, device_ ? 1e12 : 2e10, device_ ? 600. : 250.};
  outer_ = {device_ ? 4e6 : 1.6e7, 3 * memory_.bandwidth, device_ ? 300. : 40.};
  inner_ = {device_ ? 1.28e5 : 2.56e5, cores * cores_.clock * 64, device_ ? 30. : 5.};
  auto take = [](Storage &storage, const hardware::Memory &said) {
    storage.bytes = or_(static_cast<double>(said.bytes), storage.bytes);
    storage.bandwidth = or_(said.bandwidth, storage.bandwidth);
    storage.latency = or_(said.latency, storage.latency);
  };
  for (const hardware::Level &level : hardware.levels)
    for (const hardware::Memory &memory : level.memories) {
      if (memory.name == "global" || memory.name == "memory")
        take(memory_, memory), line_ = or_(line_, static_cast<double>(memory.line));
      else if (memory.name == "scratchpad")
        scratchpad_ = static_cast<double>(memory.bytes);
      else if (memory.name == (device_ ? "l2" : "l3"))
        take(outer_, memory);
      else if (memory.name == (device_ ? "l1" : "l2"))
        take(inner_, memory);
    }
  for (Storage *storage : {&memory_, &outer_, &inner_}) storage->latency /= cores_.clock;
  cacheLine_ = or_(line_, device_ ? 128 : 64);
  line_ = device_ ? kSector : cacheLine_;
  registers_ = device_ ? 255 : lanes_ >= kWideLanes ? 32 : 16;
  scratchpad_ = or_(scratchpad_, kStagedBytes);
  launch_ = 4e-6, barrier_ = 2e-8, join_ = 4e-6;
}

bool Machine::inLockStep(const std::string &level) const {
  bool inside = false;
  for (const hardware::Level *at = &hardware_.top(); at; at = hardware_.below(*at)) {
    if (inside && at->name == level) return true;
    inside |= areLanes(at->sync);
  }
  return false;
}

double Machine::cores(const Crowd &crowd) const {
  const double slots = std::max(1.0, crowd.all()) * crowd.idle;
  return std::max(1.0, std::min({slots / lanes_, crowd.groups, static_cast<double>(cores_.count)}));
}

double Machine::launched(double calls, double units) const {
  const double most = static_cast<double>(cores_.count * std::max<std::uint64_t>(1, cores_.units));
  return device_ ? std::min(calls, std::max(units, most)) : units;
}

double Machine::imbalance(double groups) const {
  if (!device_ || groups < 1) return 1;
  const double cores = static_cast<double>(cores_.count);
  return std::ceil(groups / cores) / std::max(1.0, std::exp2(std::round(std::log2(groups))) / cores);
}

double Machine::resident(const Crowd &crowd) const {
  const double most = static_cast<double>(cores_.workers);
  if (!device_ || crowd.group <= 0) return most;
  double groups = std::floor(most / crowd.group);
  if (cores_.units) groups = std::min(groups, static_cast<double>(cores_.units));
  if (crowd.registers > 0)
    groups = std::min(groups, std::floor(static_cast<double>(cores_.registers) / (crowd.registers * crowd.group)));
  if (crowd.scratchpad > 0) groups = std::min(groups, std::floor(scratchpad_ / crowd.scratchpad));
  return std::max(1.0, groups) * crowd.group;
}

double Machine::stagedRow(double containers, double group) const {
  if (!device_ || lanes_ <= 1) return 0;
  for (double row = cacheLine_; row >= kSector; row /= 2)
    if (group * (containers * (row + kStagedExtra) + kStagedCount) <= kStagedBytes) return row;
  return 0;
}

std::pair<double, double> Machine::chunks(double turns, double bytes, double registers, double group) const {
  constexpr double kIterations = 4, kBytes = 16, kRegisters = 96; // the pass's defaults
  const std::pair<double, double> none{1, turns};
  if (!device_ || lanes_ <= 1 || bytes <= 0 || bytes >= kBytes) return none;
  const auto limit =
      static_cast<double>(hardware::registersForValues(hardware_, static_cast<std::uint64_t>(std::max(1.0, group))));
  double size = std::min(kIterations, kBytes / bytes);
  while (size > 1 && size * registers > std::min(kRegisters, limit)) size /= 2;
  // Iterations in front of the first chunk and behind the last one take a round of their own.
  const double rounds = std::ceil(turns / size) + 1;
  const bool fewer = registers > 0 ? turns >= 0.75 * size && rounds < turns : turns >= size / 2;
  return size > 1 && fewer ? std::pair(size, std::min(turns, rounds)) : none;
}

double Machine::unitsOfACore(const Crowd &crowd) const {
  double groups = crowd.groups / std::min(crowd.groups, static_cast<double>(cores_.count));
  if (crowd.group > 0) groups = std::min(groups, resident(crowd) / crowd.group);
  return groups * std::max(1.0, crowd.units / crowd.groups);
}

double Machine::underWay(const Crowd &crowd) const {
  if (!std::isfinite(crowd.groups)) return crowd.units;
  return std::min(crowd.units, unitsOfACore(crowd) * static_cast<double>(cores_.count));
}

Served Machine::keeps(double bytes, const Crowd &crowd) const {
  // Units above groups are on many cores, and the next launch on others.
  if (std::isfinite(crowd.groups) && fitsInnerCache(bytes * unitsOfACore(crowd))) return Served::InnerCache;
  return fitsOuterCache(bytes * underWay(crowd)) ? Served::OuterCache : Served::Memory;
}

double Machine::running(const Crowd &crowd) const {
  return std::clamp(crowd.all() / cores(crowd), 1.0, resident(crowd));
}

Machine::Traffic Machine::traffic(const Accesses &access, double turns, double running, double streams) const {
  const double count = access.loads + access.stores;
  Traffic result;
  if (count == 0) return result;
  double near = std::max(kSector, access.bytes), far = std::max(line_, access.bytes), times = count;
  // What lies beside is used soon, and is there yet where the lines of all workers have room.
  const bool onward = access.perIteration == Stride::Unit || access.revisited;
  const double lines = streams * cacheLine_, room = inner_.bytes / (device_ ? 2 : 1);
  const bool walked = onward && !access.rowsApart && running * lines <= room;
  if (access.alone || lanes_ <= 1) {
    if (walked) far = access.bytes;
  } else if (access.acrossLanes == Stride::Zero) {
    near /= lanes_, far /= lanes_;
    if (onward && running / lanes_ * lines <= room) far = access.bytes / lanes_;
  } else if (access.staged) { // in tiles as wide as there are lanes
    far = std::max(access.bytes, kSector / turns);
    near = 2 * access.bytes * padding(turns, access.row / access.bytes);
  } else if (access.acrossLanes == Stride::Unit) {
    // The next calls of a processor go on in a line that is wider than its vectors.
    near = far =
        std::max(access.bytes, (device_ ? std::max(kSector, line_) : kSector) / std::max(1.0, access.together));
  } else {
    // One line after another.
    near = std::max(access.bytes, kLookup * std::min(cacheLine_, access.distance));
    if (walked) far = access.bytes;
    far = std::min(far, std::max(access.bytes, access.distance));
    // Fields of a record, which a call has one after the other, are in the same lines.
    if (device_ && access.distance < line_ && count * access.bytes <= access.distance) times = std::min(count, 1.0);
  }
  if (device_ && access.perIteration == Stride::Zero && turns > 1) times = std::max(1.0, count / turns);
  result.inner = count * near;
  double bytes = times * far / access.again;
  // What was touched once is found again where all that workers touch has room.
  if (std::max(access.footprint, cacheLine_ / access.sharing) * running <= inner_.bytes / 2)
    bytes = std::min(bytes, access.footprint);
  // Of loads that are a constant distance apart the first one finds the element farther away.
  // A processor loads lines before it stores to them.
  const double stores = access.stores + (device_ ? 0 : std::max(0.0, access.stores - access.loads));
  const auto part = [&](double own) { return (access.loads * own + stores) / count; };
  if (access.served <= Served::OuterCache) result.outer = part(access.ownRow) * bytes;
  // The first cache of a device does not gather what is stored.
  if (device_ && access.served <= Served::OuterCache && !access.staged && access.acrossLanes > Stride::Unit)
    result.outer = std::max(result.outer, access.stores * std::max(std::min(kSector, access.distance), access.bytes));
  if (access.footprint * running * static_cast<double>(cores_.count) <= outer_.bytes / 2)
    bytes = std::min(bytes, access.footprint);
  // Pages of memory of which little is read at a time.
  const bool scattered = device_ && !access.alone && access.acrossLanes > Stride::Unit && access.distance > kPage &&
                         !(access.staged && access.row >= cacheLine_);
  bytes *= part(access.own);
  if (access.served == Served::Memory) result.memory = scattered ? kScattered * bytes : bytes;
  const Storage &from = access.served == Served::Memory       ? memory_
                        : access.served == Served::OuterCache ? outer_
                                                              : inner_;
  // Lanes of a device wait together; a processor fetches line by line.
  double misses = device_ ? std::min(times, bytes / std::min(far, line_)) : bytes / line_;
  // Lanes that walk through lines of their own come to the next ones at different times, a few in what a core has at
  // hand.
  const bool rows = !access.alone && lanes_ > 1 && access.acrossLanes == Stride::Constant && access.distance >= line_ &&
                    access.perIteration <= Stride::Unit && access.footprint > line_;
  if (!device_ && (access.apart || rows)) misses *= kFar;
  if (access.staged) misses *= cores_.loads / kBatch;
  // Of a batch that is under way all is waited for, as long as for one.
  const double waiting = device_ ? access.loads / count * std::min(1.0, (1 - access.ahead) * cores_.loads) : 1;
  double waits = misses * waiting;
  result.waits = waits * from.latency;
  // Each turn waits for its own loads, which are in other rows than those before, all of them at a time: for memory
  // where it comes to an element for the first time, or where a core's own cache has no room for what all workers come
  // to.
  if (device_ && access.ahead == 0 && access.loads > 0 && access.acrossLanes == Stride::Unit &&
      access.perIteration == Stride::Constant && turns > 1) {
    const double all = std::min(turns, access.loads);
    const bool kept = access.footprint * running <= inner_.bytes / 2;
    const double first = kept ? std::min(all, access.footprint / access.bytes) : all;
    result.waits = cores_.loads * (first * cores_.contention * from.latency + (all - first) * inner_.latency);
  }
  return result;
}

double Machine::changes(const Accesses &access, double all) const {
  if (access.atomics == 0) return 0;
  // One at a time in a line, as many lines at a time as there are.
  const double most = device_ ? 75 : static_cast<double>(cores_.count);
  double ways = access.elements > 0 ? std::clamp(access.elements * access.bytes / line_, 1.0, most) : most;
  if (access.acrossLanes == Stride::Zero) ways = 1;
  if (device_ && access.acrossLanes == Stride::Unit) ways *= 8; // which come together; a processor's lanes one by one
  const double each = (device_ ? 1.4 : 20) / cores_.clock;
  return access.atomics * all * each / ways;
}

Parts Machine::parts(const CodeletWork &work, const std::vector<Accesses> &accesses, const Crowd &crowd) const {
  Parts result;
  const double all = std::max(1.0, crowd.all());
  const double slots = all * crowd.idle;
  const double cores = this->cores(crowd);
  // Workers of a group that do nothing take up room, too.
  const double active = device_ && crowd.group > 0 && std::isfinite(crowd.groups)
                            ? std::min(1.0, slots / (crowd.groups * crowd.group))
                            : 1;
  const double running = std::min(slots, cores * std::max(1.0, resident(crowd) * active));
  const double rounds = slots / running;
  const double workers = all * crowd.iterations;
  double count = 0, touched = 0, indexed = 0; // indexed: operations that chunks have once
  bool staged = false;
  Traffic bytes;
  double streams = 0;
  for (const Accesses &access : accesses) streams += access.streams;
  const double turns = std::max(work.turns, 1.0);
  for (Accesses access : accesses) {
    // Lanes of a processor gather one by one what does not lie side by side.
    const bool apart = !device_ && !access.alone && access.acrossLanes > Stride::Unit;
    if (apart) count += access.repeated, access.loads -= access.repeated;
    staged |= access.staged;
    touched += access.loads + access.stores + access.atomics;
    const double instructions = apart           ? kGathered * lanes_
                                : access.staged ? 2 * padding(turns, access.row / access.bytes)
                                                : 1;
    const double step = access.distance / access.bytes;
    const double loads = apart && step >= 2 && step <= kShuffledApart ? kShuffled * step : instructions;
    const double each = access.acrossLanes <= Stride::Unit ? crowd.chunk : 1;
    count += ((access.loads - access.joined) * loads + access.stores * instructions) / each +
             2 * access.atomics * instructions;
    indexed += (1 - 1 / each) * (access.loads + access.stores);
    // Also where they are, but for those at a bound.
    if (!device_ && !access.alone && !apart && lanes_ > 1 && access.acrossLanes == Stride::Unit)
      count += access.bounded * kAsked;
    // Lanes that stand idle touch nothing.
    const Traffic more = traffic(access, turns, running / cores / crowd.idle * crowd.iterations, streams);
    bytes.memory += more.memory, bytes.outer += more.outer, bytes.inner += more.inner;
    // A worker of a device has loads of several containers under way at a time.
    bytes.waits = device_ ? std::max(bytes.waits, more.waits) : bytes.waits + more.waits;
    result.atomics += changes(access, all * crowd.iterations);
  }
  // What registers do not hold is stored, and loaded again. Of a processor, vectors: an array is kept in them as a
  // whole or not at all.
  const double values = (device_ ? work.values * (work.turns > 0 ? crowd.chunk : 1) + kTemporaries
                                 : work.fractions + kVectorTemporaries) *
                        crowd.iterations;
  // Workers of a large group have fewer registers each.
  const double held = device_ && crowd.group > 0
                          ? std::min(registers_, static_cast<double>(cores_.registers) / crowd.group)
                          : registers_;
  double outside = std::max(0.0, 1 - held / values);
  if (!device_ && outside > 0) outside = std::max(outside, work.arrays * crowd.iterations / values);
  const double spilled = work.operations * outside * (device_ ? 1 : kSpilled);
  const double gathered = device_ || lanes_ <= 1 ? 0 : (kGathered * lanes_ - 1) * work.sharedApart;
  // A C++ compiler has an array's elements in other registers behind a loop's body than in front of it.
  const double moves = device_ ? 0 : work.registerStores;
  const double conflicts = kConflicts * (device_ ? 1 : lanes_ / 2);
  // Unrolled loops with loops in them rarely become vectors of a processor.
  const double unrolled = !device_ && crowd.iterations > 1 && work.turns > 0 ? kUnrolledLoops : 1;
  // Units of a processor that load and store find out addresses as well.
  const double addresses =
      device_ ? 0 : std::min(touched + work.shared + work.sharedAtomics, work.operations - work.wide);
  // What lanes keep in registers costs nothing.
  const double kept = crowd.exchanges ? work.ownOfLane : 0, exchanged = crowd.exchanges ? work.exchanged : 0;
  // Matrix engines go on by themselves while lanes load what they are given next.
  const double engine = work.matrix > 0 ? work.matrix / matrices_.at(work.matrixType) : 0;
  // Scratchpad memory is accessed while other workers compute.
  const double computes = (work.operations - work.wide - std::min(indexed, work.operations - work.wide) - addresses +
                           moves + (staged ? kStaging : 0) - kept - exchanged) /
                              cores_.issue +
                          work.wide / cores_.issueDouble;
  const double shares = (work.shared - kept - (1 - cores_.exchange) * exchanged) / cores_.issueAccess;
  const double lanes = ((device_ ? std::hypot(computes, shares) : computes + shares) +
                        (count + gathered + spilled + conflicts * work.sharedAtomics) / cores_.issueAccess +
                        (device_ ? 2 * work.quotients / cores_.issue : work.quotients / cores_.issueDivision) +
                        work.divisions / cores_.issueDivision + work.functions / cores_.issueFunction) *
                       crowd.uneven * unrolled / crowd.vector;
  // One round of a lane's has single iterations, in front of its chunks and behind them.
  const double single = crowd.chunk > 1 && crowd.workers > 1 ? lanes / std::max(1.0, work.laneTurns) : 0;
  const double cycles = std::hypot(lanes + single, engine);
  // One worker by itself does not fill a core; few of them now and then leave it nothing to start. Operations between
  // two branches rarely wait for one another.
  const double straight = std::min(1.0, (work.operations + work.matrix) / std::max(1.0, work.branches) / kStraight);
  const double rate = device_ ? cores_.issueAlone + std::max(0.0, 1 - cores_.issueAlone) * straight : cores_.issueAlone;
  const double alone = cycles * cores_.issue / rate * rounds, shared = cycles * slots / cores;
  const double both = straight * std::hypot(shared, alone) + (1 - straight) * (shared + alone);
  result.issue = crowd.iterations * (device_ ? both : std::max(shared, alone)) / cores_.clock;
  // Vectors have masks in the place of branches.
  if (!device_ && crowd.workers == 1 && crowd.idle > 1)
    result.issue += rounds * crowd.iterations * work.mispredictions * kMisprediction / cores_.clock;
  if (work.awaits > 0) {
    // What is copied takes as long as a load while much else is; what is used meanwhile has taken as long as it does.
    const double panel = result.issue / (rounds * work.awaits), ahead = work.panelsAhead / work.awaits;
    result.issue += rounds * work.awaits * std::max(0.0, cores_.contention * memory_.latency - ahead * panel);
  }
  // A core of a device by itself does not come to the bandwidth of what all share.
  const double reached = device_ ? cores * cores_.clock * cores_.transfer : HUGE_VAL;
  result.memory = std::max(bytes.memory * workers / std::min(memory_.bandwidth, reached),
                           bytes.outer * workers / std::min(outer_.bandwidth, reached));
  // What a processor's core loads from its first cache is what it issues.
  if (device_)
    result.memory =
        std::max(result.memory, bytes.inner * workers / (inner_.bandwidth * cores / static_cast<double>(cores_.count)));
  // A processor goes on with the next call while a short chain of dependent operations ends.
  const double chain = crowd.rounds * work.dependent * (device_ ? 1 : std::min(1.0, work.dependent / kWindow));
  double wait = chain * cores_.depth / cores_.clock;
  // All workers of a processor's core share what it keeps under way: that is the bandwidth that it reaches.
  if (device_)
    wait += crowd.rounds * bytes.waits / cores_.loads;
  else
    result.memory = std::max(result.memory, crowd.uneven * bytes.waits * workers / cores / cores_.loads);
  const double once = crowd.workers > 1 ? 1 : crowd.rounds; // a call of its own is an iteration
  // Groups that find no room wait until others are done.
  const double waves = device_ && crowd.group > 0 ? std::ceil(rounds) : rounds;
  result.latency = waves * (crowd.uneven * wait + (device_ && bytes.waits > 0 ? memory_.latency * once : 0) +
                            work.exchanges * crowd.wait);
  // A core of a processor has nothing else to do while lanes load what they share.
  result.apart = !device_ && work.fills > 0;
  result.ahead = !device_;
  result.overlapped = device_ && crowd.phases && crowd.group > 0 && resident(crowd) >= 2 * crowd.group;
  // While a group waits for its own lanes a core works for the others that it keeps; a group by itself waits and works
  // one after the other.
  if (device_ && work.exchanges > 1 && crowd.group > 0) {
    const double groups = resident(crowd) / crowd.group;
    result.latency = std::sqrt(result.latency * (result.latency + 2 * result.issue / (groups * groups)));
  }
  return result;
}

double Machine::wait(const hardware::Level &level) const {
  if (level.wait > 0) return level.wait;
  switch (level.sync) {
  case SyncKind::Relaunch: return launch_;
  case SyncKind::Join: return join_;
  case SyncKind::Barrier: return barrier_;
  case SyncKind::Warp: return barrier_ * 2.5; // a register of another lane, and what is done with it
  case SyncKind::LockStep:
  case SyncKind::CloseLoop:
  case SyncKind::None: return 0;
  }
  return 0;
}

} // namespace tangram::model
