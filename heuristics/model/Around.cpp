#include "Around.h"

#include <algorithm>

namespace tangram::model {

namespace {

unsigned log2(double number) { return static_cast<unsigned>(std::llround(std::log2(std::max(number, 1.0)))); }

/// As a power of two: with more, all is as with so many.
constexpr unsigned kMostTurns = 5;

} // namespace

Stride through(Stride inner, Stride outer) {
  return inner == Stride::Unit ? outer : inner == Stride::Constant ? std::max(inner, outer) : inner;
}

std::size_t hash_value(const ArgumentAround &argument) {
  std::size_t bits = ((argument.again << 4 | argument.apart) << 4 | argument.distance) << 4 | argument.step;
  for (const Stride stride : {argument.acrossLanes, argument.within, argument.acrossCalls})
    bits = bits << 3 | static_cast<std::size_t>(stride);
  bits = ((bits << 1 | std::size_t{argument.numbered}) << 4 | argument.row) << 4 | argument.wraps;
  return bits << 5 | static_cast<std::size_t>(argument.served) << 3 | std::size_t{argument.revisited} << 2 |
         std::size_t{argument.whole} << 1 | std::size_t{argument.loaded};
}

std::size_t hash_value(const Around &around) {
  std::size_t bits = 0;
  for (const unsigned number : {around.group, around.groups, around.busy, around.idle, around.iterations, around.turns})
    bits = bits << 6 | number;
  bits = bits << 5 | std::size_t{around.anew} << 4 | std::size_t{around.phases} << 3 |
         std::size_t{around.inLanes} << 2 | std::size_t{around.direct} << 1 | std::size_t{around.uneven};
  boost::hash_combine(bits, around.expected);
  boost::hash_combine(bits, around.scratchpad);
  boost::hash_combine(bits, around.arguments);
  return bits;
}

Arounds::Arounds(const Forest &forest, const Machine &machine, const Places &places)
    : forest_(forest), machine_(machine), places_(places) {
  Around root;
  root.expected = places.expectations().root();
  const Place &place = places.at(forest.point(forest.root()), root.expected);
  root.arguments.resize(place.bytes.size());
  double all = 0;
  for (const double bytes : place.bytes) all += bytes;
  if (machine_.fitsOuterCache(all))
    for (ArgumentAround &argument : root.arguments) argument.served = Served::OuterCache;
  number(std::move(root));
}

std::uint64_t Arounds::number(Around around) const {
  auto [it, fresh] = numbers_.try_emplace(std::move(around), known_.size());
  if (fresh) known_.push_back(&it->first);
  return it->second;
}

std::uint64_t Arounds::below(const Point &point, const Alternative &alternative, std::size_t child,
                             const Around &here) const {
  const Place &place = places_.at(point, here.expected);
  Around around;
  switch (alternative.rule) {
  case Rule::Distribute:
    around = here;
    divide(place, alternative, around);
    call(around);
    break;
  case Rule::Split:
    around = here;
    divide(place, alternative, around);
    break;
  case Rule::Serialize:
    around = here;
    repeat(place, places_.calls(place, alternative), around);
    call(around);
    break;
  case Rule::Devolve: {
    around = here;
    const Choice &choice = places_.choice(place, alternative);
    if (choice.lockStep && !around.inLanes) around.idle += log2(choice.units);
    break;
  }
  default: around = belowCodelet(place, places_.choice(place, alternative), child, here);
  }
  if (alternative.rule != Rule::Distribute || !around.direct) around.turns = 0;
  around.expected = places_.expectations().below(point, alternative, child, here.expected);
  const Place &inner = places_.at(forest_.point(alternative.children[child]), around.expected);
  if (!alternative.children.empty() && alternative.codelet) {
    temporaries(places_.choice(place, alternative), child, inner, around);
    repeatCall(places_.choice(place, alternative), child, inner, around);
    touchedBefore(places_.choice(place, alternative), child, place, inner, around);
  }
  if (machine_.areGroups(inner.level->name)) {
    constexpr double kTurns = 4; // with fewer all groups do the same at a time
    around.group = log2(static_cast<double>(inner.lanes));
    if (alternative.rule == Rule::Distribute)
      around.anew =
          !machine_.prefetches() && places_.calls(place, alternative) >= kTurns * machine_.underWay(groups(around));
  }
  forget(inner, around);
  return number(std::move(around));
}

bool Arounds::hasPhases(const Place &place, const Choice &choice) const {
  const auto &passed = forest_.facts().arguments;
  return std::ranges::count_if(*choice.sites, [&](const ast::Expr *site) {
           const auto given = passed.find(site);
           return given != passed.end() && std::ranges::any_of(given->second, [&](const PassedArgument &argument) {
                    return argument.parameter && *argument.parameter < place.spectrum->params.size() &&
                           place.spectrum->params[*argument.parameter]->type.isArray();
                  });
         }) > 1;
}

Around Arounds::belowCodelet(const Place &place, const Choice &choice, std::size_t child, const Around &around) const {
  if (child >= choice.sites->size()) { // the fallback is given the same
    Around result = around;
    result.direct = false;
    return result;
  }
  Around result;
  result.busy = around.busy, result.groups = around.groups, result.group = around.group, result.idle = around.idle,
  result.inLanes = around.inLanes, result.scratchpad = around.scratchpad;
  result.iterations = around.iterations, result.uneven = around.uneven;
  result.anew = around.anew, result.phases = around.phases || (around.anew && hasPhases(place, choice));
  const ast::Expr *site = (*choice.sites)[child];
  auto passed = forest_.facts().arguments.find(site);
  if (passed == forest_.facts().arguments.end()) return result;
  for (const PassedArgument &given : passed->second) {
    ArgumentAround &argument = result.arguments.emplace_back();
    if (given.parameter && *given.parameter < around.arguments.size()) {
      const ArgumentAround &from = around.arguments[*given.parameter];
      argument.acrossLanes = from.acrossLanes, argument.distance = from.distance, argument.served = from.served,
      argument.revisited = from.revisited, argument.numbered = from.numbered, argument.again = from.again,
      argument.row = from.row;
      argument.within = through(given.within, from.within);
      argument.apart = from.apart + (given.within != Stride::Unit);
      argument.acrossCalls = through(given.across, from.within);
      if (given.step && from.within == Stride::Unit) {
        const std::optional<double> inner = place.innermost(*given.parameter, given.stepDimensions);
        if (inner) argument.step = std::min(kFarApart, log2(static_cast<double>(*given.step) * *inner));
      }
    } else {
      argument.within = given.within;
      argument.acrossCalls = given.across;
    }
    if (given.wraps && *given.wraps < place.expected->arguments.size()) {
      const Extents &extents = place.expected->arguments[*given.wraps];
      if (extents.size() == 1 && extents[0])
        argument.wraps = std::min(kFarApart, log2(static_cast<double>(*extents[0])));
    }
    argument.whole = given.whole, argument.loaded = given.loaded;
    argument.numbered |= given.whole && given.across != Stride::Zero;
  }
  if (const auto *map = ast::dyn<ast::Map>(site); map && !map->type.isVoid())
    result.arguments.push_back({.acrossCalls = Stride::Unit, .whole = false, .loaded = true});
  keep(place, choice, child, result);
  return result;
}

void Arounds::keep(const Place &place, const Choice &choice, std::size_t child, Around &around) const {
  if (choice.scratchpad == 0) return;
  const double units = std::max(1.0, std::exp2(around.group) / static_cast<double>(place.lanes));
  const double bytes = units * choice.scratchpad + kScratchpadUnit * around.scratchpad;
  if (!machine_.holds({.scratchpad = bytes})) return;
  around.scratchpad = static_cast<unsigned>(std::ceil(bytes / kScratchpadUnit));
  const auto &passed = forest_.facts().arguments.at((*choice.sites)[child]);
  for (std::size_t i = 0; i < passed.size(); ++i)
    if (!passed[i].parameter && !around.arguments[i].loaded) around.arguments[i].served = Served::Scratchpad;
}

void Arounds::divide(const Place &place, const Alternative &alternative, Around &around) const {
  const Choice &to = places_.choice(place, alternative);
  const double units = places_.units(place, alternative), given = std::min(places_.calls(place, alternative), units);
  // Iterations that have no call are guarded, and take as long.
  around.busy += log2(to.iterations ? units : given);
  const bool lanes = to.lockStep && !to.iterations;
  if (to.iterations) around.iterations += log2(units);
  if (machine_.areGroups(alternative.to)) around.groups += log2(given);
  if (lanes) around.idle += log2(units / given);
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    ArgumentAround &argument = around.arguments[i];
    if (argument.whole && argument.acrossCalls == Stride::Zero)
      argument.served = std::max(argument.served, machine_.fitsInnerCache(place.argumentBytes(i)) ? Served::InnerCache
                                                                                                  : Served::OuterCache);
    else if (argument.whole)
      cache(place.argumentBytes(i), argument);
    // Side by side, parts of a strided partition make up a whole.
    if (!argument.whole && argument.apart > 0) --argument.apart;
    if (lanes && !argument.whole && !argument.loaded) around.uneven |= argument.acrossCalls == Stride::Irregular;
    if (!lanes) continue;
    const bool chunks = alternative.rule == Rule::Split;
    // Calls of each unit, in a row.
    const auto chunk = log2(std::max(chunks ? static_cast<double>(Chunks(alternative.parameters).grain) : 1.0,
                                     places_.calls(place, alternative) / units));
    const auto &params = place.spectrum->params;
    if (argument.acrossCalls == Stride::Constant && i < params.size() && argument.step < kFarApart)
      argument.distance =
          std::min(kFarApart, argument.step + log2(params[i]->type.element().bytes()) + (chunks ? chunk : 0));
    else if (argument.acrossCalls == Stride::Constant && i < params.size() && params[i]->type.rank() == 1)
      argument.distance = std::min(kFarApart, log2(place.argumentBytes(i)));
    argument.acrossLanes = std::max(
        argument.acrossLanes, chunks && argument.acrossCalls == Stride::Unit ? Stride::Constant : argument.acrossCalls);
    if (argument.acrossCalls == Stride::Unit) argument.row = std::min(argument.row, argument.wraps);
    if (chunks && argument.acrossCalls == Stride::Unit) argument.revisited = true;
  }
  around.direct = lanes && alternative.rule == Rule::Distribute;
  if (around.direct) around.turns = std::min(kMostTurns, log2(places_.calls(place, alternative) / units));
  if (lanes) around.inLanes = true;
}

void Arounds::call(Around &around) {
  for (ArgumentAround &argument : around.arguments)
    argument.acrossCalls = Stride::Zero, argument.step = argument.wraps = kFarApart, argument.whole = true;
}

void Arounds::temporaries(const Choice &choice, std::size_t child, const Place &place, Around &around) const {
  if (!around.inLanes || child >= choice.sites->size()) return;
  const auto passed = forest_.facts().arguments.find((*choice.sites)[child]);
  if (passed == forest_.facts().arguments.end()) return;
  const auto &params = place.spectrum->params;
  for (std::size_t i = 0; i < passed->second.size() && i < around.arguments.size() && i < params.size(); ++i) {
    ArgumentAround &argument = around.arguments[i];
    const double bytes = place.argumentBytes(i);
    const bool range = forest_.facts().races.ranges.count({place.spectrum->name, static_cast<unsigned>(i)}) != 0;
    if (passed->second[i].parameter || argument.loaded || range || !params[i]->type.isArray() || !std::isfinite(bytes))
      continue;
    argument.acrossLanes = Stride::Constant, argument.distance = std::min(kFarApart, log2(bytes));
  }
}

void Arounds::repeatCall(const Choice &choice, std::size_t child, const Place &place, Around &around) const {
  if (machine_.prefetches() && child < choice.sites->size()) {
    const ast::Expr *site = (*choice.sites)[child];
    const auto often = choice.work->sites.find(site);
    if (!ast::isa<ast::SpectrumCall>(site) || often == choice.work->sites.end() || often->second < 2) return;
    for (std::size_t i = 0; i < around.arguments.size(); ++i)
      if (machine_.fitsInnerCache(place.argumentBytes(i))) around.arguments[i].again += log2(often->second);
  }
}

Crowd Arounds::groups(const Around &around) {
  constexpr double kUsualRegisters = 40; // of what is below nothing is known yet
  Crowd result;
  result.units = std::exp2(around.busy), result.groups = std::exp2(around.groups);
  result.group = std::exp2(around.group), result.registers = kUsualRegisters;
  return result;
}

void Arounds::touchedBefore(const Choice &choice, std::size_t child, const Place &place, const Place &inner,
                            Around &around) const {
  if (machine_.prefetches() || child == 0 || child >= choice.sites->size()) return;
  const auto &passed = forest_.facts().arguments;
  const auto here = passed.find((*choice.sites)[child]);
  if (here == passed.end()) return;
  Crowd crowd = groups(around);
  if (!place.belowGroups) crowd.groups = HUGE_VAL, crowd.group = 0;
  for (std::size_t i = 0; i < here->second.size() && i < around.arguments.size(); ++i) {
    const std::optional<std::size_t> parameter = here->second[i].parameter;
    if (!parameter || *parameter >= place.bytes.size() || !place.spectrum->params[*parameter]->type.isArray()) continue;
    const auto hasIt = [&](std::size_t site) {
      const auto earlier = passed.find((*choice.sites)[site]);
      return earlier != passed.end() && std::ranges::any_of(earlier->second, [&](const PassedArgument &given) {
               return given.parameter == parameter;
             });
    };
    bool before = false;
    for (std::size_t site = 0; site < child; ++site) before |= hasIt(site);
    Served &served = around.arguments[i].served;
    if (!before) continue;
    const double bytes = ast::isa<ast::Map>((*choice.sites)[child]) ? HUGE_VAL : places_.touched(inner, i);
    served = std::max(served, machine_.keeps(std::min(bytes, places_.touched(place, *parameter)), crowd));
  }
}

void Arounds::repeat(const Place &place, double calls, Around &around) const {
  around.direct = false;
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    ArgumentAround &argument = around.arguments[i];
    if (argument.whole && argument.acrossCalls == Stride::Zero && machine_.prefetches() &&
        machine_.fitsInnerCache(place.argumentBytes(i)))
      argument.again += log2(calls);
    else if (argument.whole)
      cache(place.argumentBytes(i), argument);
    if (argument.acrossCalls == Stride::Unit)
      argument.revisited = argument.loaded || machine_.fitsInnerCache(place.argumentBytes(i) * machine_.line() / 4);
  }
}

void Arounds::cache(double bytes, ArgumentAround &argument) const {
  argument.served = std::max(argument.served, machine_.fitsInnerCache(bytes)   ? Served::InnerCache
                                              : machine_.fitsOuterCache(bytes) ? Served::OuterCache
                                                                               : Served::Memory);
}

void Arounds::forget(const Place &place, Around &around) const {
  for (std::size_t i = 0; i < around.arguments.size(); ++i) {
    ArgumentAround &argument = around.arguments[i];
    if (!machine_.prefetches()) argument.apart = 0;
    // Neighbouring lanes share its lines.
    if (!place.lanesBelow && around.inLanes && argument.acrossLanes <= Stride::Unit) argument.revisited = false;
    const auto &params = place.spectrum->params;
    if (!argument.loaded && i < params.size() && !params[i]->type.isArray()) argument = {};
  }
}

} // namespace tangram::model
