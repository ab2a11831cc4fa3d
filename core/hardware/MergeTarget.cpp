// What a target that `extends` another changes of it.
#include "RawTarget.h"

#include <algorithm>

namespace tangram::hardware {
namespace {

constexpr DiagnosticKind kNoSuchStep{
    "target.no-such-step", DiagnosticClass::User,
    "options are given for {0} '{1}', which the target or pipeline that this one builds on does not have",
    "use {2}, or write all of them as a list"};
constexpr DiagnosticKind kNothingWithout{
    "target.nothing-without", DiagnosticClass::User,
    "'{0}' is to be left out, which is no expander, analysis or pass of the target or pipeline that this one builds on",
    "leave out {1}"};

template <class T> T *findNamed(std::vector<T> &items, const std::string &name) {
  auto found = std::find_if(items.begin(), items.end(), [&](const T &item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

void mergeMemory(RawMemory &memory, const RawMemory &base) {
  memory.bytes.mergeOver(base.bytes);
  memory.line.mergeOver(base.line);
  memory.banks.mergeOver(base.banks);
  memory.copies.mergeOver(base.copies);
  memory.bandwidth.mergeOver(base.bandwidth);
  memory.latency.mergeOver(base.latency);
  memory.atomics.mergeOver(base.atomics);
}

RawLevel mergeLevel(RawLevel level, const RawLevel &base) {
  // Nothing below is nothing to synchronise.
  bool cutOff = level.below.given && level.below.value.empty();
  level.symbol.mergeOver(base.symbol);
  level.below.mergeOver(base.below);
  if (!cutOff) level.sync.mergeOver(base.sync);
  if (!cutOff) level.wait.mergeOver(base.wait);
  level.capabilities.mergeOver(base.capabilities);
  level.count.mergeOver(base.count);
  level.automatic.mergeOver(base.automatic);
  level.multipleOf.mergeOver(base.multipleOf);
  level.max.mergeOver(base.max);
  level.choices.mergeOver(base.choices);
  eachNumber([&](const char *, auto raw, auto) { (level.cores.*raw).mergeOver(base.cores.*raw); });
  level.maxLanes.mergeOver(base.maxLanes);
  if (!cutOff) level.shuffle.mergeOver(base.shuffle);
  level.tiling.mergeOver(base.tiling);
  level.matrices.mergeOver(base.matrices);
  std::vector<RawMemory> memories = base.memories;
  for (RawMemory &memory : level.memories) {
    if (RawMemory *old = findNamed(memories, memory.name)) {
      mergeMemory(memory, *old);
      *old = std::move(memory);
    } else
      memories.push_back(std::move(memory));
  }
  level.memories = std::move(memories);
  return level;
}

void mergeOptions(OptionValues &options, const OptionValues &base) {
  for (const auto &[name, entry] : base.entries())
    if (!options.has(name)) options.set(name, entry.value, entry.range);
}

void mergeStep(Given<Step> &step, const Given<Step> &base) {
  if (step.given && base.given && step.value.name == base.value.name)
    mergeOptions(step.value.options, base.value.options);
  step.mergeOver(base);
}

void mergeSteps(Given<std::vector<Step>> &steps, std::vector<Step> &optionsOnly, const Given<std::vector<Step>> &base,
                std::string_view what) {
  steps.mergeOver(base);
  for (Step &change : optionsOnly) {
    bool found = false;
    for (Step &step : steps.value) {
      if (step.name != change.name) continue;
      OptionValues options = change.options;
      mergeOptions(options, step.options);
      step.options = std::move(options);
      found = true;
    }
    if (found) continue;
    std::vector<std::string> known;
    for (const Step &step : steps.value) known.push_back(step.name);
    fail(kNoSuchStep, change.range, what, shown(change.name), suggest(change.name, known));
  }
  optionsOnly.clear();
}

void leaveOut(RawPipeline &pipeline) {
  for (const Step &step : pipeline.without) {
    auto is = [&](const Step &other) { return other.name == step.name; };
    if (std::erase_if(pipeline.expanders.value, is) + std::erase_if(pipeline.analyses.value, is) +
            std::erase_if(pipeline.passes.value, is) >
        0)
      continue;
    std::vector<std::string> known;
    for (const auto *steps : {&pipeline.expanders.value, &pipeline.analyses.value, &pipeline.passes.value})
      for (const Step &other : *steps) known.push_back(other.name);
    fail(kNothingWithout, step.range, shown(step.name), suggest(step.name, known));
  }
  pipeline.without.clear();
}

} // namespace

RawPipeline merge(RawPipeline pipeline, const RawPipeline &base) {
  mergeStep(pipeline.frontend, base.frontend);
  mergeStep(pipeline.heuristic, base.heuristic);
  mergeStep(pipeline.backend, base.backend);
  mergeSteps(pipeline.expanders, pipeline.expanderOptions, base.expanders, "expander");
  mergeSteps(pipeline.analyses, pipeline.analysisOptions, base.analyses, "analysis");
  mergeSteps(pipeline.passes, pipeline.passOptions, base.passes, "pass");
  leaveOut(pipeline);
  return pipeline;
}

RawTarget merge(RawTarget target, const RawTarget &base) {
  target.summary.mergeOver(base.summary);
  target.env.insert(target.env.end(), base.env.begin(), base.env.end());
  target.depth.mergeOver(base.depth);
  target.order.mergeOver(base.order);
  target.determinism.mergeOver(base.determinism);
  target.hasLevels.mergeOver(base.hasLevels);

  std::vector<RawLevel> levels = base.levels;
  for (RawLevel &level : target.levels) {
    if (RawLevel *old = findNamed(levels, level.name))
      *old = mergeLevel(std::move(level), *old);
    else
      levels.push_back(std::move(level));
  }
  target.levels = std::move(levels);

  if (!target.pipeline.given)
    target.pipeline = base.pipeline;
  else if (base.pipeline.given)
    target.pipeline.value = merge(std::move(target.pipeline.value), base.pipeline.value);
  return target;
}

} // namespace tangram::hardware
