#include "Time.h"

#include "tangram/compose/Requirement.h"
#include "tangram/compose/Workload.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tangram::model {

namespace {

double rounds(double all, double each) { return std::ceil(std::max(all, 1.0) / std::max(each, 1.0)); }

unsigned log2(double number) { return static_cast<unsigned>(std::llround(std::log2(std::max(number, 1.0)))); }

/// Of calls that data divides among lanes, the longest beside the mean.
constexpr double kUneven = 2;

/// Seconds that no plan takes whose codelets fit their arguments.
constexpr double kUnsuited = 1e6;

Stride through(Stride inner, Stride outer) {
  return inner == Stride::Unit ? outer : inner == Stride::Constant ? std::max(inner, outer) : inner;
}

double elementBytes(ast::Type type) {
  while (type.isArray()) type = type.element();
  return type.isScalar() ? static_cast<double>(type.bytes()) : 8;
}

} // namespace

Time::Time(const Forest &forest) : forest_(forest), machine_(forest.hardware()) {
  // The root's surroundings are 0.
  Around root;
  const Point &point = forest.point(forest.root());
  root.arguments.resize(spectrum(point).params.size());
  double all = 0;
  for (std::size_t i = 0; i < root.arguments.size(); ++i) all += bytes(point, i);
  if (machine_.fitsOuterCache(all))
    for (ArgumentAround &argument : root.arguments) argument.served = Served::OuterCache;
  known(std::move(root));
}

Cost::Surroundings Time::known(Around around) const {
  auto [it, fresh] = numbers_.try_emplace(std::move(around), arounds_.size());
  if (fresh) arounds_.push_back(&it->first);
  return it->second;
}

std::uint64_t Time::workers(const Point &point, const Alternative &alternative, const std::string &level) const {
  if (auto asked = alternative.parameters.find(level); asked != alternative.parameters.end())
    return static_cast<std::uint64_t>(asked->second);
  if (auto above = point.units.find(level); above != point.units.end())
    return static_cast<std::uint64_t>(above->second);
  const hardware::Level *found = forest_.hardware().find(level);
  return found ? found->workers.count : 1;
}

std::uint64_t Time::lanes(const Point &point, const hardware::Level &level) const {
  std::uint64_t result = 1;
  for (const hardware::Level *below = forest_.hardware().below(level); below;
       below = forest_.hardware().below(*below)) {
    result *= workers(point, {}, below->name);
    if (below->scalar) break;
  }
  return result;
}

double Time::calls(const Point &point, const Alternative &alternative) const {
  if (point.expected.elements) return static_cast<double>(*point.expected.elements);
  return alternative.to.empty() ? kUnknownTurns : static_cast<double>(workers(point, alternative, alternative.to));
}

const std::vector<const ast::Expr *> &Time::sitesOf(const ast::Codelet &codelet) const {
  auto [it, fresh] = sites_.try_emplace(&codelet);
  if (fresh) it->second = sites(codelet);
  return it->second;
}

double Time::bytes(const Point &point, std::size_t argument) const {
  if (argument >= point.expected.arguments.size()) return HUGE_VAL;
  const std::optional<std::uint64_t> all = elements(point.expected.arguments[argument]);
  if (!all) return HUGE_VAL;
  const ast::Type &type = spectrum(point).params[argument]->type;
  return type.isArray() ? static_cast<double>(*all) * elementBytes(type) : 0;
}

double Time::footprint(const Point &point, std::size_t argument, const ArgumentAround &around) const {
  const double all = bytes(point, argument);
  if (!std::isfinite(all) || all == 0 || around.within != Stride::Unit) return HUGE_VAL;
  const double row = static_cast<double>(*point.expected.arguments[argument].back()) *
                     elementBytes(spectrum(point).params[argument]->type);
  return all / row * std::max(row, machine_.line());
}

const ast::Spectrum &Time::spectrum(const Point &point) const {
  for (const ast::Spectrum *spectrum : forest_.module().spectrums)
    if (spectrum->name == point.spectrum) return *spectrum;
  failBug({}, "model", fmt::format("no spectrum '{}'", point.spectrum));
}

// ---- surroundings --------------------------------------------------------------------------------------

Cost::Surroundings Time::below(const Point &point, const Alternative &alternative, std::size_t child,
                               Surroundings surroundings) const {
  Around around = *arounds_[surroundings];
  switch (alternative.rule) {
  case Rule::Distribute:
    divide(point, alternative, around);
    call(around);
    break;
  case Rule::Split: divide(point, alternative, around); break;
  case Rule::Serialize:
    repeat(point, around);
    call(around);
    break;
  case Rule::Devolve:
    if (machine_.inLockStep(alternative.to) && !around.inLanes)
      around.idle += log2(static_cast<double>(workers(point, alternative, alternative.to)));
    break;
  default: around = belowCodelet(alternative, child, around);
  }
  return known(std::move(around));
}

Around Time::belowCodelet(const Alternative &alternative, std::size_t child, const Around &around) const {
  Around result;
  result.busy = around.busy, result.idle = around.idle, result.inLanes = around.inLanes;
  result.iterations = around.iterations, result.uneven = around.uneven;
  const std::vector<const ast::Expr *> &order = sitesOf(*alternative.codelet);
  if (child >= order.size()) { // the fallback is given the same
    result.arguments = around.arguments;
    return result;
  }
  auto passed = forest_.facts().arguments.find(order[child]);
  if (passed == forest_.facts().arguments.end()) return result;
  for (const PassedArgument &given : passed->second) {
    ArgumentAround &argument = result.arguments.emplace_back();
    if (given.parameter && *given.parameter < around.arguments.size()) {
      const ArgumentAround &from = around.arguments[*given.parameter];
      argument.acrossLanes = from.acrossLanes, argument.served = from.served, argument.revisited = from.revisited;
      argument.within = through(given.within, from.within);
      argument.apart = from.apart + (given.within != Stride::Unit);
      argument.acrossCalls = through(given.across, from.within);
    } else {
      argument.within = given.within;
      argument.acrossCalls = given.across;
    }
    argument.whole = given.whole, argument.loaded = given.loaded;
  }
  if (const auto *map = dyn<ast::Map>(order[child]); map && !map->type.isVoid())
    result.arguments.push_back({.acrossCalls = Stride::Unit, .whole = false, .loaded = true});
  return result;
}

void Time::divide(const Point &point, const Alternative &alternative, Around &around) const {
  const double units = static_cast<double>(workers(point, alternative, alternative.to));
  const double given = std::min(calls(point, alternative), units);
  around.busy += log2(given);
  const bool lanes = machine_.inLockStep(alternative.to),
             iterations = areIterations(forest_.hardware(), alternative.to);
  if (iterations) around.iterations += log2(given);
  if (lanes && !iterations) around.idle += log2(units / given);
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    ArgumentAround &argument = around.arguments[i];
    if (argument.whole && argument.acrossCalls == Stride::Zero)
      argument.served =
          std::max(argument.served, machine_.fitsInnerCache(bytes(point, i)) ? Served::InnerCache : Served::OuterCache);
    else if (argument.whole)
      cache(point, i, argument);
    // Side by side, parts of a strided partition make up a whole.
    if (!argument.whole && argument.apart > 0) --argument.apart;
    if (lanes && !iterations && !argument.whole && !argument.loaded)
      around.uneven |= argument.acrossCalls == Stride::Irregular;
    if (!lanes || iterations) continue;
    const bool chunks = alternative.rule == Rule::Split;
    argument.acrossLanes = std::max(
        argument.acrossLanes, chunks && argument.acrossCalls == Stride::Unit ? Stride::Constant : argument.acrossCalls);
    if (chunks && argument.acrossCalls == Stride::Unit) argument.revisited = true;
  }
  around.direct = lanes && !iterations && alternative.rule == Rule::Distribute;
  if (lanes && !iterations) around.inLanes = true;
}

void Time::call(Around &around) {
  for (ArgumentAround &argument : around.arguments) argument.acrossCalls = Stride::Zero, argument.whole = true;
}

void Time::repeat(const Point &point, Around &around) const {
  around.direct = false;
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    ArgumentAround &argument = around.arguments[i];
    if (argument.whole) cache(point, i, argument);
    if (argument.acrossCalls == Stride::Unit)
      argument.revisited = argument.loaded || machine_.fitsInnerCache(bytes(point, i) * machine_.line() / 4);
  }
}

void Time::cache(const Point &point, std::size_t i, ArgumentAround &argument) const {
  const double all = bytes(point, i);
  argument.served = std::max(argument.served, machine_.fitsInnerCache(all)   ? Served::InnerCache
                                              : machine_.fitsOuterCache(all) ? Served::OuterCache
                                                                             : Served::Memory);
}

// ---- cost ----------------------------------------------------------------------------------------------

double Time::of(const Point &point, const Alternative &alternative, Surroundings surroundings,
                const std::vector<double> &parts) const {
  const hardware::Level &level = *forest_.hardware().find(point.level);
  switch (alternative.rule) {
  case Rule::Devolve: return parts[0] + machine_.wait(level);
  case Rule::Serialize: return calls(point, alternative) * parts[0];
  case Rule::Distribute:
  case Rule::Split: {
    double given = calls(point, alternative);
    if (auto factor = alternative.parameters.find("factor"); factor != alternative.parameters.end())
      given = std::min(given, static_cast<double>(factor->second));
    return rounds(given, static_cast<double>(workers(point, alternative, alternative.to))) * parts[0] +
           machine_.wait(level);
  }
  default: break;
  }
  if (alternative.guarded && !applies(point, alternative)) return parts.back() + kUnsuited;
  double sum = own(point, alternative, surroundings).total();
  const std::vector<const ast::Expr *> &order = sitesOf(*alternative.codelet);
  const CodeletWork &work = this->work(point, alternative);
  for (std::size_t i = 0; i < order.size() && i < parts.size(); ++i) {
    auto often = work.sites.find(order[i]);
    sum += (often == work.sites.end() ? 1 : often->second) * parts[i];
  }
  return sum;
}

bool Time::applies(const Point &point, const Alternative &alternative) const {
  auto [it, fresh] = requirements_.try_emplace(alternative.codelet);
  if (fresh) it->second = requirements(*alternative.codelet, arena_);
  std::vector<std::optional<std::uint64_t>> sizes;
  for (const Extents &extents : point.expected.arguments) sizes.push_back(elements(extents));
  sizes.resize(alternative.codelet->params.size());
  const std::uint64_t lanes = this->lanes(point, *forest_.hardware().find(point.level));
  return std::all_of(it->second.begin(), it->second.end(), [&](const ast::Expr *requirement) {
    return provable(*requirement, *alternative.codelet, sizes, lanes);
  });
}

const CodeletWork &Time::work(const Point &point, const Alternative &alternative) const {
  const CodeletWork *&known = worksOf_[&alternative];
  if (known) return *known;
  const hardware::Level &level = *forest_.hardware().find(point.level);
  std::vector<Extents> arguments = point.expected.arguments;
  arguments.resize(alternative.codelet->params.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].resize(alternative.codelet->params[i]->type.rank());
  const std::uint64_t lanes = alternative.codelet->coop ? this->lanes(point, level) : 1;
  auto [it, fresh] = works_.try_emplace(std::tuple(alternative.codelet, arguments, alternative.parameters, lanes));
  if (fresh)
    it->second =
        codeletWork(forest_.module(), *alternative.codelet, forest_.facts(), arguments, alternative.parameters, lanes);
  return *(known = &it->second);
}

bool Time::vectorizes(const hardware::Level &level, const CodeletWork &work) const {
  if (level.sync != hardware::SyncKind::LockStep || work.turns == 0 || work.dependent > 0 || work.functions > 0)
    return false;
  return std::all_of(work.accesses.begin(), work.accesses.end(), [](const AccessWork &access) {
    return access.pattern.perIteration <= Stride::Unit && !access.pattern.indirect && access.atomics == 0;
  });
}

Parts Time::own(const Point &point, const Alternative &alternative, Surroundings surroundings) const {
  const hardware::Level &level = *forest_.hardware().find(point.level);
  const Around &around = *arounds_[surroundings];
  const CodeletWork &work = this->work(point, alternative);
  const ast::Codelet &codelet = *alternative.codelet;
  Crowd crowd;
  crowd.units = std::exp2(around.busy);
  crowd.idle = std::exp2(around.idle);
  if (codelet.coop)
    crowd.workers = static_cast<double>(lanes(point, level));
  else if (!machine_.inLockStep(point.level))
    crowd.idle = machine_.lanes(), crowd.vector = vectorizes(level, work) ? crowd.idle : 1;
  crowd.wait = machine_.wait(level);
  crowd.iterations = std::exp2(around.iterations);

  if (!codelet.coop && around.uneven) crowd.uneven = kUneven;

  std::vector<Accesses> accesses;
  for (const AccessWork &of : work.accesses) {
    Accesses &access = accesses.emplace_back();
    access.bytes = static_cast<double>(of.bytes);
    access.loads = of.loads, access.stores = of.stores, access.atomics = of.atomics;
    access.perIteration = of.pattern.perIteration;
    if (!of.parameter) { // a copy for each worker, which lie side by side
      access.acrossLanes = of.pattern.indirect ? Stride::Irregular : Stride::Unit;
      access.together = machine_.lanes();
      const double all = of.elements * access.bytes;
      access.served = machine_.fitsInnerCache(all * machine_.running(crowd))   ? Served::InnerCache
                      : machine_.fitsOuterCache(all * machine_.running(crowd)) ? Served::OuterCache
                                                                               : Served::Memory;
      continue;
    }
    if (*of.parameter >= around.arguments.size()) continue;
    const ArgumentAround &argument = around.arguments[*of.parameter];
    const double all = bytes(point, *of.parameter);
    access.elements = std::isfinite(all) ? all / access.bytes : 0;
    access.footprint =
        std::min(footprint(point, *of.parameter, argument),
                 of.anywhere || of.rows == 0
                     ? HUGE_VAL
                     : of.rows * (argument.within == Stride::Unit ? std::max(of.run * access.bytes, machine_.line())
                                                                  : of.run * machine_.line())) /
        crowd.workers;
    access.perIteration = through(access.perIteration, argument.within);
    access.acrossLanes = codelet.coop ? through(of.pattern.perLane, argument.within) : argument.acrossLanes;
    access.alone = !codelet.coop && !around.inLanes;
    if (of.pattern.indirect) access.acrossLanes = access.perIteration = Stride::Irregular;
    access.together = codelet.coop ? crowd.workers : machine_.lanes();
    access.staged = machine_.stages() && !codelet.coop && around.direct && work.turns > 0 &&
                    access.perIteration == Stride::Unit && access.acrossLanes == Stride::Constant;
    access.revisited = argument.revisited, access.apart = argument.apart > 0;
    access.served = argument.served;
  }
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    const ArgumentAround &argument = around.arguments[i];
    if (!argument.loaded) continue;
    const bool result = i >= codelet.params.size();
    Accesses &access = accesses.emplace_back();
    access.bytes = elementBytes(result ? spectrum(point).result : codelet.params[i]->type);
    (result ? access.stores : access.loads) = 1 / crowd.workers;
    access.acrossLanes = argument.acrossLanes;
    access.together = machine_.lanes();
    access.alone = !codelet.coop && !around.inLanes;
    access.served = argument.served, access.revisited = argument.revisited;
  }
  return machine_.parts(work, accesses, crowd);
}

} // namespace tangram::model
