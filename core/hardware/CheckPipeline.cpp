// A target against the plugins: names, options, order.
#include "tangram/hardware/Target.h"
#include "tangram/plugin/Registry.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tangram::hardware {
namespace {

constexpr DiagnosticKind kOrder{"pipeline.order", DiagnosticClass::User,
                                "{0} '{1}' needs {2} '{3}', which it does not find where it stands", "{4}"};

constexpr DiagnosticKind kTooLate{"pipeline.too-late", DiagnosticClass::User,
                                  "pass '{0}' does not understand what '{1}' leaves, which has established '{2}'",
                                  "move '{0}' before '{1}'"};
constexpr DiagnosticKind kUnregistered{
    "pipeline.unregistered", DiagnosticClass::User,
    "pass '{0}' establishes the property '{1}', of which no plugin says how it is checked",
    "register it in the plugin of '{0}': registry.properties.add(property(\"{1}\", ...))"};

/// A step with what it needs and gives; the same for analyses (facts) and passes (properties of the AST).
struct Place {
  const Step *step = nullptr;
  const std::vector<std::string> *needs = nullptr;
  const std::vector<std::string> *gives = nullptr;
  const std::vector<std::string> *destroys = nullptr;
  const std::vector<std::string> *excludes = nullptr;
};

bool contains(const std::vector<std::string> *names, const std::string &name) {
  return names && std::find(names->begin(), names->end(), name) != names->end();
}

/// Who could establish it: all registered components that do.
template <class D> std::vector<std::string> establishing(const Table<D> &table, const std::string &property) {
  std::vector<std::string> result;
  for (const auto &[name, descriptor] : table.all())
    if (contains(&descriptor.establishes, property)) result.push_back(name);
  return result;
}

std::string quoted(const std::vector<std::string> &names) {
  std::string result;
  for (const std::string &name : names) result += (result.empty() ? "'" : " or '") + name + "'";
  return result;
}

[[noreturn]] void failOrder(const std::string &kind, const Step &step, const std::string &noun,
                            const std::string &property, std::size_t position, const std::vector<Place> &places,
                            const std::vector<std::string> &establishers) {
  std::vector<Note> notes;
  std::string advice;
  // Established before, but lost on the way?
  for (std::size_t i = position; i-- > 0 && advice.empty();) {
    if (contains(places[i].gives, property)) break;
    if (!contains(places[i].destroys, property)) continue;
    advice = fmt::format("move '{}' before '{}', which ends '{}'", step.name, places[i].step->name, property);
    notes.push_back({places[i].step->range, fmt::format("'{}' ends '{}' here", places[i].step->name, property)});
  }
  for (std::size_t i = position; i < places.size(); ++i)
    if (contains(places[i].gives, property) && places[i].step != &step) {
      notes.push_back({places[i].step->range, fmt::format("'{}' establishes '{}', but stands here, after '{}'",
                                                          places[i].step->name, property, step.name)});
      if (advice.empty()) advice = fmt::format("move '{}' before '{}'", places[i].step->name, step.name);
      break;
    }
  if (advice.empty() && establishers.empty())
    advice = fmt::format("leave '{}' out, or install the plugin that establishes '{}': none that is loaded does",
                         step.name, property);
  if (advice.empty())
    advice = fmt::format("add {}, which establishes '{}', before '{}'", quoted(establishers), property, step.name);

  Diagnostic diagnostic = makeDiagnostic(kOrder, step.range, kind, step.name, noun, property, advice);
  diagnostic.notes = std::move(notes);
  throw DiagnosticError(std::move(diagnostic));
}

/// At a pass that stands behind what establishes a property that it excludes.
[[noreturn]] void failTooLate(const Step &step, const std::string &property, std::size_t position,
                              const std::vector<Place> &places) {
  while (position > 0) {
    --position;
    if (contains(places[position].gives, property)) break;
  }
  const Step &by = *places[position].step;
  Diagnostic diagnostic = makeDiagnostic(kTooLate, step.range, step.name, by.name, property);
  diagnostic.notes.push_back({by.range, fmt::format("'{}' establishes '{}' here", by.name, property)});
  throw DiagnosticError(std::move(diagnostic));
}

void checkOrder(const std::string &kind, const std::string &noun, const std::vector<Place> &places,
                std::set<std::string> &holds,
                const std::function<std::vector<std::string>(const std::string &)> &establishers) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place &place = places[i];
    for (const std::string &property : *place.needs)
      if (!holds.count(property)) failOrder(kind, *place.step, noun, property, i, places, establishers(property));
    if (place.excludes)
      for (const std::string &property : *place.excludes)
        if (holds.count(property)) failTooLate(*place.step, property, i, places);
    if (place.destroys)
      for (const std::string &property : *place.destroys) holds.erase(property);
    if (place.gives) holds.insert(place.gives->begin(), place.gives->end());
  }
}

template <class D> const D &known(const Table<D> &table, const Step &step) {
  const D &descriptor = table.get(step.name, step.range);
  checkOptions(descriptor.options, step.options, step.name, step.range);
  return descriptor;
}

} // namespace

void checkPipeline(const Target &target, const Registry &registry) {
  const PipelineSpec &pipeline = target.pipeline;
  known(registry.frontends, pipeline.frontend);
  for (const Step &step : pipeline.expanders) known(registry.expanders, step);

  std::vector<Place> analyses;
  for (const Step &step : pipeline.analyses) {
    const AnalysisDescriptor &descriptor = known(registry.analyses, step);
    analyses.push_back({&step, &descriptor.requires_, &descriptor.establishes});
  }
  std::set<std::string> facts;
  checkOrder("analysis", "the facts", analyses, facts,
             [&](const std::string &fact) { return establishing(registry.analyses, fact); });
  known(registry.heuristics, pipeline.heuristic);

  std::vector<Place> passes;
  for (const Step &step : pipeline.passes) {
    const PassDescriptor &descriptor = known(registry.passes, step);
    for (const std::string &property : descriptor.establishes)
      if (!registry.properties.find(property)) fail(kUnregistered, step.range, step.name, property);
    passes.push_back(
        {&step, &descriptor.requires_, &descriptor.establishes, &descriptor.destroys, &descriptor.excludes});
  }
  auto establishers = [&](const std::string &property) { return establishing(registry.passes, property); };
  std::set<std::string> properties = {"composed"}; // by the cloner
  checkOrder("pass", "the property", passes, properties, establishers);

  if (pipeline.backend.name.empty()) return;
  const BackendDescriptor &backend = known(registry.backends, pipeline.backend);
  passes.push_back({&pipeline.backend, &backend.requires_});
  for (const std::string &property : backend.requires_)
    if (!properties.count(property))
      failOrder("backend", pipeline.backend, "the property", property, passes.size() - 1, passes,
                establishers(property));
}

} // namespace tangram::hardware
