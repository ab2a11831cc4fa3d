#include "Time.h"

#include "tangram/hardware/Registers.h"

#include <algorithm>

namespace tangram::model {

namespace {

double rounds(double all, double each) { return std::ceil(std::max(all, 1.0) / std::max(each, 1.0)); }

/// Of calls that data divides among lanes, the longest beside the mean: of 32 lengths that are exponentially
/// distributed.
constexpr double kUneven = 4;

/// Of any kernel, for what is no variable of a codelet.
constexpr double kOwnRegisters = 24;

/// What it takes to find out a call's part of a container.
constexpr double kPart = 8;

/// What it takes to find out a lane's chunk of the calls of a map.
constexpr double kChunk = 20;

/// Operations of a loop that calls one after the other.
constexpr double kTurn = 2;

/// What a target says of its units suits most kernels: others have to be better by more than a model's error.
constexpr double kDoubt = 1.05;

/// Of plans that take about as long, those that divide work once more have more that is not counted.
constexpr double kDivision = 1.01;

/// Vectors in a row from which on a host's compiler gains by its loops of vectors: it asks first whether containers
/// overlap, and has loops for what is left over.
constexpr double kLongRows = 4;

/// Part of the lanes that C++ compilers use of a loop that they make vectors of, where they do.
constexpr double kCompilers = 0.5;

/// Loads that a worker keeps under way at most.
constexpr double kUnderWay = 16;

/// Seconds that no plan takes whose codelets fit their arguments.
constexpr double kUnsuited = 1e6;

/// From calls by one to seconds of all.
void spread(Prediction &node, double calls) {
  node.all = calls * node.seconds;
  for (Prediction &child : node.children) spread(child, calls * child.all);
}

} // namespace

Cost::Surroundings Time::below(const Point &point, const Alternative &alternative, std::size_t child,
                               Surroundings surroundings) const {
  return arounds_.below(point, alternative, child, arounds_[surroundings]);
}

Charge Time::of(const Point &point, const Alternative &alternative, Surroundings surroundings) const {
  const Around &around = arounds_[surroundings];
  const Place &place = places_.at(point, around.expected);
  const hardware::Level &level = *place.level;
  switch (alternative.rule) {
  case Rule::Devolve: {
    const double more = doubt(alternative);
    return {machine_.wait(level) * more, {more}};
  }
  case Rule::Serialize: {
    const double calls = kDivision * places_.calls(place, alternative);
    return {calls * divided(point, alternative, surroundings), {calls}};
  }
  case Rule::Distribute:
  case Rule::Split: {
    double given = places_.calls(place, alternative);
    if (alternative.rule == Rule::Split)
      given = static_cast<double>(Chunks(alternative.parameters).busy(static_cast<std::uint64_t>(given)));
    const double units = places_.units(place, alternative), more = kDivision * doubt(alternative);
    const double calls = more * rounds(given, units) *
                         (machine_.areGroups(alternative.to) ? machine_.imbalance(std::min(given, units)) : 1);
    return {calls * divided(point, alternative, surroundings) + more * machine_.wait(level), {calls}};
  }
  default: break;
  }
  const Choice &choice = places_.choice(place, alternative);
  Charge charge;
  charge.times.resize(alternative.children.size(), 0);
  if (!choice.applies) { // what it falls back on is called
    charge.own = kUnsuited;
    if (!charge.times.empty()) charge.times.back() = 1;
    return charge;
  }
  charge.own = own(point, alternative, surroundings).total();
  // A unit looks back over as many words at a time as it has lanes that read each other's registers (the pass sliding);
  // meanwhile those nearer say all, so that of many units under way few are waited for.
  if (choice.ordered) {
    const double words = std::sqrt(machine_.underWay(crowd(place, around)));
    charge.own += std::max(1.0, words / (machine_.exchangesRegisters() ? machine_.lanes() : 1)) * machine_.exchange();
  }
  for (std::size_t i = 0; i < choice.sites->size() && i < charge.times.size(); ++i) {
    auto often = choice.work->sites.find((*choice.sites)[i]);
    charge.times[i] = often == choice.work->sites.end() ? 0 : often->second; // 0: behind a condition that does not hold
  }
  return charge;
}

Cost::Surroundings Time::alike(Surroundings surroundings) const {
  constexpr unsigned kTimes = 6; // as a power of two: on a device, with so many more units another plan is best
  const Around &around = arounds_[surroundings];
  if (!machine_.prefetches()) return around.busy / kTimes;
  // A processor has few units; what counts is how lanes and iterations go through memory.
  std::size_t result = around.busy;
  for (const ArgumentAround &argument : around.arguments) {
    boost::hash_combine(result, argument.acrossLanes);
    boost::hash_combine(result, argument.within);
  }
  return result;
}

double Time::doubt(const Alternative &alternative) {
  const auto &values = alternative.parameters;
  return values.size() > values.count("factor") + values.count("grain") ? kDoubt : 1;
}

double Time::divided(const Point &point, const Alternative &alternative, Surroundings surroundings) const {
  const Around &around = arounds_[surroundings];
  const Place &place = places_.at(point, around.expected);
  const auto parts = std::count_if(around.arguments.begin(), around.arguments.end(),
                                   [](const ArgumentAround &argument) { return !argument.whole && !argument.loaded; });
  const bool turns = alternative.rule == Rule::Serialize,
             chunks = alternative.rule == Rule::Split && machine_.inLockStep(alternative.to);
  if (parts == 0 && !turns && !chunks) return 0;
  CodeletWork work;
  work.operations = kPart * static_cast<double>(parts) + (turns ? kTurn : 0) + (chunks ? kChunk : 0);
  Crowd crowd = this->crowd(place, around);
  if (alternative.rule != Rule::Serialize) {
    crowd.units *= std::min(places_.calls(place, alternative), places_.units(place, alternative));
    if (machine_.areGroups(alternative.to)) crowd.groups = crowd.units;
  }
  return machine_.parts(work, {}, crowd).issue;
}

Crowd Time::crowd(const Place &place, const Around &around) const {
  Crowd result;
  result.units = std::exp2(around.busy);
  result.idle = std::exp2(around.idle);
  result.iterations = std::exp2(around.iterations);
  result.phases = around.phases;
  result.scratchpad = kScratchpadUnit * around.scratchpad;
  if (place.belowGroups) result.groups = std::exp2(around.groups), result.group = std::exp2(around.group);
  return result;
}

bool Time::vectorizes(const hardware::Level &level, const CodeletWork &work) const {
  if (level.sync != hardware::SyncKind::LockStep || work.turns == 0 || work.scalarTurns > 0 || work.functions > 0)
    return false;
  return std::all_of(work.accesses.begin(), work.accesses.end(), [&](const AccessWork &access) {
    const bool longRows =
        access.pattern.perIteration == Stride::Zero || access.rows == 0 || access.run >= kLongRows * machine_.lanes();
    return access.pattern.perIteration <= Stride::Unit && !access.pattern.indirect && access.atomics == 0 &&
           access.bounded == 0 && longRows;
  });
}

double Time::footprint(const Place &place, std::size_t argument, const ArgumentAround &around) const {
  const double all = place.argumentBytes(argument);
  if (!std::isfinite(all) || all == 0 || around.within != Stride::Unit) return HUGE_VAL;
  const double row = static_cast<double>(*place.expected->arguments[argument].back()) *
                     elementBytes(place.spectrum->params[argument]->type);
  return all / row * std::max(row, machine_.line());
}

bool Time::fallTogether(const Place &place, std::size_t argument) const {
  if (place.spectrum->params[argument]->type.rank() < 2) return false;
  if (!machine_.prefetches()) return true;
  constexpr double kSets = 4096; // bytes from a line to the next one of the same set
  const std::optional<double> row = place.innermost(argument, 1);
  return row && std::fmod(*row * elementBytes(place.spectrum->params[argument]->type), kSets) == 0;
}

/// Seconds: of what the device has no room for, so that everything else is better.
constexpr double kNever = 1e6;

/// Of an element in scratchpad memory, by lanes side by side.
static double transfers(const Accesses &access) {
  constexpr double kWidth = 4, kAnywhere = 3; // bytes of a lane at a time; lanes of a bank, where these are anyhow
  return std::max(1.0, access.bytes / kWidth) * (access.acrossLanes == Stride::Irregular ? kAnywhere : 1);
}

Parts Time::own(const Point &point, const Alternative &alternative, Surroundings surroundings) const {
  const Around &around = arounds_[surroundings];
  const Place &place = places_.at(point, around.expected);
  const hardware::Level &level = *place.level;
  const CodeletWork &work = *places_.choice(place, alternative).work;
  const ast::Codelet &codelet = *alternative.codelet;
  Crowd crowd = this->crowd(place, around);
  if (codelet.coop)
    crowd.workers = static_cast<double>(place.lanes);
  else if (!place.lockStep)
    crowd.idle = machine_.lanes(), crowd.vector = vectorizes(level, work) ? kCompilers * crowd.idle : 1;
  crowd.wait = machine_.wait(level);
  crowd.exchanges = codelet.coop && level.shuffle;
  if (codelet.coop) // each unit of the level has its own, those that idle, too
    crowd.scratchpad += work.sharedBytes * std::max(1.0, crowd.group / std::max(1.0, static_cast<double>(place.lanes)));
  // Addresses have two.
  crowd.registers = kOwnRegisters + 2 * static_cast<double>(work.accesses.size()) + work.values * crowd.iterations;
  // Compilers are told to leave room for as many groups as arrays do (kernel-configuration).
  if (work.arrays > 0)
    crowd.registers =
        std::min(crowd.registers, static_cast<double>(hardware::workerRegisters(
                                      forest_.hardware(), static_cast<std::uint64_t>(work.arrays * crowd.iterations))));

  const bool ofCall = place.lockStep && std::any_of(work.bounds.begin(), work.bounds.end(), [&](std::size_t i) {
                        return i < around.arguments.size() && around.arguments[i].acrossLanes != Stride::Zero;
                      });
  if (codelet.coop ? work.uneven : around.uneven || ofCall) crowd.uneven = kUneven;

  std::optional<CodeletWork> near; // with what is in scratchpad memory
  std::vector<Accesses> accesses;
  for (const AccessWork &of : work.accesses) {
    Accesses &access = accesses.emplace_back();
    access.bytes = static_cast<double>(of.bytes);
    const double left = machine_.promotes() && of.loads > 0 ? 1 - of.repeated / of.loads : 1;
    if (!machine_.promotes()) access.repeated = of.repeatedGathers;
    access.loads = left * of.loads, access.stores = of.stores, access.atomics = of.atomics;
    access.joined = left * of.joined, access.bounded = left * of.bounded;
    if (of.loads > 0) access.ahead = of.ahead / of.loads;
    // Iterations side by side share the registers that hold what is under way.
    if (crowd.iterations > 1)
      access.ahead = std::clamp(access.ahead, 0.0, std::max(0.0, 1 - crowd.iterations / kUnderWay));
    access.perIteration = of.pattern.perIteration;
    access.streams = std::max(1u, of.streams);
    if (of.references > 0) {
      access.ownRow = static_cast<double>(of.streams) / of.references;
      access.own = static_cast<double>(of.origins) / of.references;
      // Calls beside one another come soon after one another on a processor, and find what they share; lanes of a
      // device that stand side by side do so at a time.
      const bool beside = of.parameter && *of.parameter < around.arguments.size() && !codelet.coop &&
                          around.arguments[*of.parameter].acrossLanes == Stride::Unit;
      if (machine_.prefetches() || beside) {
        access.ownRow /= of.overlapRun;
        access.own /= of.overlapRun * of.overlapRows;
      }
    }
    if (!of.parameter) { // a copy for each worker, which lie side by side
      access.acrossLanes = of.pattern.indirect ? Stride::Irregular : Stride::Unit;
      access.together = machine_.lanes();
      const double all = of.elements * access.bytes;
      access.footprint = all, access.sharing = machine_.lanes();
      access.served = machine_.fitsInnerCache(all * machine_.running(crowd))   ? Served::InnerCache
                      : machine_.fitsOuterCache(all * machine_.running(crowd)) ? Served::OuterCache
                                                                               : Served::Memory;
      continue;
    }
    if (*of.parameter >= around.arguments.size()) continue;
    const ArgumentAround &argument = around.arguments[*of.parameter];
    const double all = place.argumentBytes(*of.parameter);
    access.elements = std::isfinite(all) ? all / access.bytes : 0;
    // Lanes side by side have a line together.
    const bool side = !codelet.coop && argument.acrossLanes == Stride::Unit;
    const std::optional<double> found = place.innermost(*of.parameter, of.dataDimensions); // among so many
    const double row = of.run * access.bytes, line = machine_.line();
    const double touched = of.anywhere    ? found.value_or(HUGE_VAL) * access.bytes
                           : of.rows == 0 ? HUGE_VAL
                                          : access.streams * of.rows *
                                                (argument.within == Stride::Unit ? std::max(row, line)
                                                 : side                          ? row
                                                                                 : of.run * line);
    access.footprint = std::min(footprint(place, *of.parameter, argument), touched / crowd.workers);
    access.sharing = crowd.workers;
    access.perIteration = through(access.perIteration, argument.within);
    access.acrossLanes = codelet.coop ? through(of.pattern.perLane, argument.within) : argument.acrossLanes;
    access.alone = !codelet.coop && !around.inLanes;
    // Lanes beside each other in a row that data tells stay so.
    if (of.pattern.indirect && !codelet.coop && access.acrossLanes != Stride::Unit)
      access.acrossLanes = Stride::Irregular;
    access.together = codelet.coop ? crowd.workers : std::min(machine_.lanes(), std::exp2(argument.row));
    access.staged = machine_.stages() && of.bounded == 0 && !argument.numbered && !codelet.coop && around.direct &&
                    work.turns * access.bytes >= kSector && access.perIteration == Stride::Unit &&
                    access.acrossLanes == Stride::Constant;
    access.rowsApart = access.acrossLanes == Stride::Constant && !codelet.coop && fallTogether(place, *of.parameter);
    if (access.acrossLanes == Stride::Constant && codelet.coop && of.distance > 0 && argument.within == Stride::Unit)
      access.distance = of.distance;
    else if (access.acrossLanes == Stride::Constant && argument.distance < kFarApart)
      access.distance = std::exp2(argument.distance);
    access.revisited = argument.revisited, access.apart = argument.apart > 0;
    access.served = argument.served, access.again = std::exp2(argument.again);
    if (argument.served == Served::Scratchpad) {
      if (!near) near = work;
      near->shared += transfers(access) * (access.loads + access.stores), near->sharedAtomics += access.atomics;
      accesses.pop_back();
    }
  }
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    const ArgumentAround &argument = around.arguments[i];
    if (!argument.loaded) continue;
    const bool result = i >= codelet.params.size();
    Accesses &access = accesses.emplace_back();
    access.bytes = elementBytes(result ? place.spectrum->result : codelet.params[i]->type);
    (result ? access.stores : access.loads) = 1 / crowd.workers;
    access.acrossLanes = argument.acrossLanes;
    access.together = machine_.lanes();
    access.alone = !codelet.coop && !around.inLanes;
    access.served = argument.served, access.revisited = argument.revisited;
  }
  chunk(around, codelet, work, accesses, crowd);
  stage(accesses, crowd);
  Parts parts = machine_.parts(near ? *near : work, accesses, crowd);
  if (!machine_.holds(crowd)) parts.latency += kNever;
  return parts;
}

void Time::chunk(const Around &around, const ast::Codelet &codelet, const CodeletWork &work,
                 std::vector<Accesses> &accesses, Crowd &crowd) const {
  const double turns = codelet.coop ? work.laneTurns : around.turns > 0 ? std::exp2(around.turns) : 0;
  if (turns <= 1 || work.shared > 0 || crowd.iterations > 1) return;
  double widest = 0;
  for (const Accesses &access : accesses) {
    if (access.acrossLanes == Stride::Unit) widest = std::max(widest, access.bytes);
    if (access.acrossLanes > Stride::Unit && access.stores > 0) return;
  }
  const bool loops = codelet.coop ? work.turns > work.laneTurns : work.turns > 0;
  constexpr double kLive = 0.7; // of variables, what lives through a loop
  const double live = loops ? std::max(1.0, kLive * work.values) : 0;
  const auto [size, rounds] = machine_.chunks(turns, widest, live, crowd.group);
  if (size <= 1) return;
  crowd.chunk = size, crowd.rounds = rounds / turns;
  if (!loops) return;
  constexpr double kTogether = 0.75; // of what an iteration loads, what is in registers at a time
  for (const AccessWork &access : work.accesses)
    crowd.registers += kTogether * size * access.references * std::min(1.0, static_cast<double>(access.bytes) / 4);
  crowd.registers += (size - 1) * work.values;
  for (Accesses &access : accesses) // registers hold what iterations side by side load, not that of turns ahead
    access.ahead = 1 - std::min(1.0, (1 - access.ahead) * size);
}

void Time::stage(std::vector<Accesses> &accesses, Crowd &crowd) const {
  const auto staged = static_cast<double>(
      std::count_if(accesses.begin(), accesses.end(), [](const Accesses &access) { return access.staged; }));
  if (staged == 0) return;
  const double row = machine_.stagedRow(staged, crowd.group);
  crowd.scratchpad += staged * row * crowd.group;
  for (Accesses &access : accesses) access.row = row, access.staged &= row > 0;
}

std::optional<Prediction> Time::predict(const Plan &plan) const {
  std::optional<Prediction> result = predict(*plan.root, forest_.root(), 0);
  if (result) spread(*result, 1);
  return result;
}

std::optional<Prediction> Time::predict(const PlanNode &node, GoalId id, Surroundings surroundings) const {
  const Point &point = forest_.point(id);
  const std::optional<std::size_t> which = find(point, node);
  if (!which || point.alternatives[*which].parameters != node.parameters) return {};
  const Alternative &alternative = point.alternatives[*which];
  Prediction result;
  std::vector<double> parts;
  for (std::size_t i = 0; i < alternative.children.size(); ++i) {
    std::optional<Prediction> part =
        predict(*node.children[i], alternative.children[i], below(point, alternative, i, surroundings));
    if (!part) return {};
    parts.push_back(part->seconds);
    result.children.push_back(std::move(*part));
  }
  const Charge charge = of(point, alternative, surroundings);
  result.seconds = charge.total(parts);
  if (alternative.codelet) {
    const Parts own = this->own(point, alternative, surroundings);
    result.parts = {{"issue", own.issue}, {"memory", own.memory}, {"latency", own.latency}, {"atomics", own.atomics}};
  }
  for (std::size_t i = 0; i < parts.size(); ++i) result.children[i].all = charge.times[i];
  return result;
}

} // namespace tangram::model
