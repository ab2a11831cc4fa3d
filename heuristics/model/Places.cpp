#include "Places.h"

#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"
#include "tangram/compose/Sizes.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/planning/Workload.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::model {

double elementBytes(ast::Type type) {
  while (type.isArray()) type = type.element();
  return type.isScalar() ? static_cast<double>(type.bytes()) : 8;
}

std::optional<double> Place::innermost(std::size_t argument, unsigned dimensions) const {
  double result = 1;
  if (dimensions == 0) return result;
  if (argument >= expected->arguments.size() || expected->arguments[argument].size() < dimensions) return {};
  const Extents &extents = expected->arguments[argument];
  for (auto extent = extents.rbegin(); extent != extents.rbegin() + dimensions; ++extent) {
    if (!*extent) return {};
    result *= static_cast<double>(**extent);
  }
  return result;
}

const Place &Places::at(const Point &point, Expectations::Id expected) const {
  std::unique_ptr<Place> &known = known_[static_cast<std::size_t>(&point - &forest_.point(0))][expected];
  if (known) return *known;
  known = std::make_unique<Place>();
  Place &place = *known;
  place.point = &point;
  place.expected = &expectations_[expected];
  place.choices.resize(point.alternatives.size());
  place.spectrum = &spectrum(point);
  place.level = forest_.hardware().find(point.level);
  place.lanes = lanes(point, *place.level);
  place.lockStep = machine_.inLockStep(point.level);
  for (const hardware::Level *below = place.level; (below = forest_.hardware().below(*below));)
    place.lanesBelow |= machine_.inLockStep(below->name) && !areIterations(forest_.hardware(), below->name);
  for (const hardware::Level *at = &forest_.hardware().top(); at; at = forest_.hardware().below(*at)) {
    place.belowGroups |= machine_.areGroups(at->name);
    if (at == place.level) break;
  }
  const auto &params = place.spectrum->params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::optional<std::uint64_t> all =
        i < place.expected->arguments.size() ? elements(place.expected->arguments[i]) : std::nullopt;
    place.bytes.push_back(!all                        ? HUGE_VAL
                          : params[i]->type.isArray() ? static_cast<double>(*all) * elementBytes(params[i]->type)
                                                      : 0);
  }
  return place;
}

const Choice &Places::choice(const Place &place, const Alternative &alternative) const {
  std::optional<Choice> &known =
      place.choices[static_cast<std::size_t>(&alternative - place.point->alternatives.data())];
  if (!known) known = look(place, alternative);
  return *known;
}

Choice Places::look(const Place &place, const Alternative &alternative) const {
  Choice result;
  if (!alternative.to.empty()) {
    result.units = static_cast<double>(workers(*place.point, alternative, alternative.to));
    result.iterations = areIterations(forest_.hardware(), alternative.to);
    result.lockStep = machine_.inLockStep(alternative.to);
  }
  if (!alternative.codelet) return result;
  auto [it, fresh] = sites_.try_emplace(alternative.codelet);
  if (fresh) it->second = sites(*alternative.codelet);
  result.sites = &it->second;
  result.work = &work(place, alternative);
  result.ordered = ast::any<ast::Atomic>(
      alternative.codelet->body, [](const ast::Atomic &atomic) { return atomic.op == ast::AtomicOp::OrderedAdd; });
  result.scratchpad = scratchpad(place, alternative);
  result.applies = !alternative.guarded || applies(place, alternative);
  return result;
}

double Places::calls(const Place &place, const Alternative &alternative) const {
  if (place.expected->elements) return static_cast<double>(*place.expected->elements);
  return alternative.to.empty() ? kUnknownTurns : choice(place, alternative).units;
}

double Places::units(const Place &place, const Alternative &alternative) const {
  const double units = choice(place, alternative).units;
  if (alternative.rule == Rule::Split) {
    const auto all = static_cast<std::uint64_t>(calls(place, alternative));
    return std::clamp(static_cast<double>(Chunks(alternative.parameters).busy(all)), 1.0, units);
  }
  if (alternative.rule != Rule::Distribute || !machine_.areGroups(alternative.to)) return units;
  return machine_.launched(calls(place, alternative), units);
}

std::uint64_t Places::workers(const Point &point, const Alternative &alternative, const std::string &level) const {
  if (auto asked = alternative.parameters.find(level); asked != alternative.parameters.end())
    return static_cast<std::uint64_t>(asked->second);
  if (auto above = point.units.find(level); above != point.units.end())
    return static_cast<std::uint64_t>(above->second);
  const hardware::Level *found = forest_.hardware().find(level);
  return found ? found->workers.count : 1;
}

std::uint64_t Places::lanes(const Point &point, const hardware::Level &level) const {
  std::uint64_t result = 1;
  for (const hardware::Level *below = forest_.hardware().below(level); below;
       below = forest_.hardware().below(*below)) {
    result *= workers(point, {}, below->name);
    if (below->scalar) break;
  }
  return result;
}

const ast::Spectrum &Places::spectrum(const Point &point) const {
  for (const ast::Spectrum *spectrum : forest_.module().spectrums)
    if (spectrum->name == point.spectrum) return *spectrum;
  failBug({}, "model", fmt::format("no spectrum '{}'", point.spectrum));
}

bool Places::applies(const Place &place, const Alternative &alternative) const {
  const ast::Codelet &codelet = *alternative.codelet;
  auto [it, fresh] = requirements_.try_emplace(&codelet);
  if (fresh) it->second = requirements(codelet, arena_);
  const Arguments of = arguments(place, codelet, alternative.parameters);
  return std::all_of(it->second.begin(), it->second.end(), [&](const ast::Expr *requirement) {
    return holds(*requirement, forest_.module(), codelet, of.extents, of.known, place.lanes);
  });
}

/// Where a plan says how large all containers of a group's codelet are, or of a sub-group's.
double Places::scratchpad(const Place &place, const Alternative &alternative) const {
  const ast::Codelet &codelet = *alternative.codelet;
  if (codelet.coop || !machine_.hasScratchpad() || !place.belowGroups || !place.lanesBelow) return 0;
  Scalars known = alternative.parameters;
  known.insert(place.point->scalars.begin(), place.point->scalars.end());
  std::optional<Sizes> sizes;
  double all = 0;
  ast::walk(codelet.body, [&](const ast::Declare &d) {
    if (d.extents.empty() || d.init) return;
    if (!sizes) sizes.emplace(&forest_.module(), codelet, std::vector<SizeBound>{}, exactly(known));
    double bytes = elementBytes(d.type);
    for (const ast::Expr *extent : d.extents) {
      const Interval value = sizes->value(extent);
      bytes *= value.hi ? static_cast<double>(*value.hi) : HUGE_VAL;
    }
    all += bytes;
  });
  return std::isfinite(all) ? all : 0;
}

double Places::touched(const Place &place, std::size_t argument) const {
  if (place.touched.empty()) {
    place.touched = place.bytes;
    const auto &codelets = place.spectrum->codelets;
    const auto plain = std::ranges::find_if(
        codelets, [](const ast::Codelet *codelet) { return !codelet->coop && sites(*codelet).empty(); });
    if (plain != codelets.end())
      for (const AccessWork &access : work(place, **plain, {}).accesses) {
        if (!access.parameter || *access.parameter >= place.touched.size() || access.anywhere || access.rows == 0)
          continue;
        double &bytes = place.touched[*access.parameter];
        const double row = std::max(access.run * static_cast<double>(access.bytes), machine_.line());
        bytes = std::min(bytes, std::max(1u, access.streams) * access.rows * row);
      }
  }
  return argument < place.touched.size() ? place.touched[argument] : HUGE_VAL;
}

const CodeletWork &Places::work(const Place &place, const Alternative &alternative) const {
  return work(place, *alternative.codelet, alternative.parameters);
}

Places::Arguments Places::arguments(const Place &place, const ast::Codelet &codelet, const Scalars &parameters) const {
  Arguments result{place.expected->arguments, parameters};
  result.extents.resize(codelet.params.size());
  for (std::size_t i = 0; i < result.extents.size(); ++i) result.extents[i].resize(codelet.params[i]->type.rank());
  for (const Scalars *of : {&place.point->scalars, &place.expected->scalars})
    result.known.insert(of->begin(), of->end());
  return result;
}

const CodeletWork &Places::work(const Place &place, const ast::Codelet &codelet, const Scalars &parameters) const {
  const Arguments of = arguments(place, codelet, parameters);
  const auto together = static_cast<std::uint64_t>(machine_.lanes());
  return works_.of(codelet, of.extents, of.known, codelet.coop ? place.lanes : 1,
                   codelet.coop     ? std::min(place.lanes, together)
                   : place.lockStep ? together
                                    : 1);
}

} // namespace tangram::model
