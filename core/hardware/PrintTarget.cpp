// Target -> YAML.
#include "RawTarget.h"
#include "Words.h"

#include "tangram/hardware/Target.h"

#include <utility>
#include <yaml-cpp/yaml.h>

namespace tangram::hardware {
namespace {

void printNumber(YAML::Emitter &out, double value) {
  std::string text = fmt::format("{}", value);
  // A number that reads back as a number with a fraction, not as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  out << text;
}

void printOption(YAML::Emitter &out, const OptionValue &value) {
  if (const auto *flag = std::get_if<bool>(&value))
    out << (*flag ? "true" : "false");
  else if (const auto *integer = std::get_if<std::int64_t>(&value))
    out << *integer;
  else if (const auto *real = std::get_if<double>(&value))
    printNumber(out, *real);
  else if (const auto *text = std::get_if<std::string>(&value))
    out << YAML::DoubleQuoted << *text;
  else {
    out << YAML::Flow << YAML::BeginSeq;
    for (const std::string &item : std::get<std::vector<std::string>>(value)) out << YAML::DoubleQuoted << item;
    out << YAML::EndSeq;
  }
}

void printStep(YAML::Emitter &out, const Step &step) {
  if (step.options.entries().empty()) {
    out << step.name;
    return;
  }
  out << YAML::BeginMap << YAML::Key << step.name << YAML::Value << YAML::BeginMap;
  for (const auto &[name, entry] : step.options.entries()) {
    out << YAML::Key << YAML::DoubleQuoted << name << YAML::Value;
    printOption(out, entry.value);
  }
  out << YAML::EndMap << YAML::EndMap;
}

void printSteps(YAML::Emitter &out, const char *key, const std::vector<Step> &steps) {
  out << YAML::Key << key << YAML::Value;
  if (steps.empty()) out << YAML::Flow;
  out << YAML::BeginSeq;
  for (const Step &step : steps) printStep(out, step);
  out << YAML::EndSeq;
}

void printCores(YAML::Emitter &out, const Cores &cores) {
  bool any = false;
  eachNumber([&](const char *key, auto, auto number) {
    if (cores.*number == 0) return;
    if (!std::exchange(any, true)) out << YAML::Key << "cores" << YAML::Value << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << key << YAML::Value;
    if constexpr (std::is_same_v<decltype(number), double Cores::*>)
      printNumber(out, cores.*number);
    else
      out << cores.*number;
  });
  if (any) out << YAML::EndMap;
}

void printLevel(YAML::Emitter &out, const Level &level, bool isTop) {
  out << YAML::BeginMap;
  out << YAML::Key << "name" << YAML::Value << level.name;
  out << YAML::Key << "symbol" << YAML::Value << YAML::DoubleQuoted << level.symbol;
  out << YAML::Key << "capabilities" << YAML::Value << YAML::Flow << YAML::BeginSeq;
  if (level.scalar) out << "scalar";
  if (level.vector) out << "vector";
  if (level.matrix) out << "matrix";
  out << YAML::EndSeq;
  if (level.distributes())
    out << YAML::Key << "below" << YAML::Value << level.subordinate << YAML::Key << "sync" << YAML::Value
        << std::string(name(level.sync));
  if (!isTop) {
    const Workers &workers = level.workers;
    out << YAML::Key << "workers" << YAML::Value << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << (workers.automatic ? "auto" : "count") << YAML::Value << workers.count;
    out << YAML::Key << "multiple-of" << YAML::Value << workers.multipleOf;
    if (workers.max) out << YAML::Key << "max" << YAML::Value << workers.max;
    if (!workers.choices.empty()) {
      out << YAML::Key << "choices" << YAML::Value << YAML::Flow << YAML::BeginSeq;
      for (std::uint64_t count : workers.choices) out << count;
      out << YAML::EndSeq;
    }
    out << YAML::EndMap;
  }
  printCores(out, level.cores);
  if (!level.matrices.empty()) {
    out << YAML::Key << "matrix" << YAML::Value << YAML::BeginSeq;
    for (const MatrixShape &shape : level.matrices) {
      out << YAML::Flow << YAML::BeginMap << YAML::Key << "m" << YAML::Value << shape.m << YAML::Key << "n"
          << YAML::Value << shape.n << YAML::Key << "k" << YAML::Value << shape.k << YAML::Key << "type" << YAML::Value
          << ast::Type(shape.type).text();
      if (shape.rate > 0) {
        out << YAML::Key << "rate" << YAML::Value;
        printNumber(out, shape.rate);
      }
      out << YAML::EndMap;
    }
    out << YAML::EndSeq;
  }
  if (level.wait != 0) {
    out << YAML::Key << "wait" << YAML::Value;
    printNumber(out, level.wait);
  }
  if (level.maxLanes) out << YAML::Key << "max-lanes" << YAML::Value << level.maxLanes;
  if (level.shuffle) out << YAML::Key << "shuffle" << YAML::Value << "true";
  out << YAML::Key << "tiling" << YAML::Value << std::string(kTilings[static_cast<std::size_t>(level.tiling)]);
  if (!level.memories.empty()) {
    out << YAML::Key << "memory" << YAML::Value << YAML::BeginSeq;
    for (const Memory &memory : level.memories) {
      out << YAML::Flow << YAML::BeginMap << YAML::Key << "name" << YAML::Value << memory.name;
      if (memory.bytes) out << YAML::Key << "bytes" << YAML::Value << memory.bytes;
      if (memory.line) out << YAML::Key << "line" << YAML::Value << memory.line;
      if (memory.banks) out << YAML::Key << "banks" << YAML::Value << memory.banks;
      if (memory.copies) out << YAML::Key << "copies" << YAML::Value << memory.copies;
      if (memory.bandwidth != 0) {
        out << YAML::Key << "bandwidth" << YAML::Value;
        printNumber(out, memory.bandwidth);
      }
      if (memory.latency != 0) {
        out << YAML::Key << "latency" << YAML::Value;
        printNumber(out, memory.latency);
      }
      if (memory.atomics) {
        out << YAML::Key << "atomics" << YAML::Value << YAML::BeginSeq;
        for (std::uint64_t bits : *memory.atomics) out << bits;
        out << YAML::EndSeq;
      }
      out << YAML::EndMap;
    }
    out << YAML::EndSeq;
  }
  out << YAML::EndMap;
}

} // namespace

std::string printTarget(const Target &target) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  if (!target.summary.empty()) out << YAML::Key << "summary" << YAML::Value << YAML::DoubleQuoted << target.summary;
  if (!target.hardware.env.empty()) {
    out << YAML::Key << "env" << YAML::Value << YAML::Flow << YAML::BeginSeq;
    for (const std::string &name : target.hardware.env) out << YAML::DoubleQuoted << name;
    out << YAML::EndSeq;
  }
  out << YAML::Key << "depth" << YAML::Value << target.depth;
  for (const Promise &promise : target.promises) out << YAML::Key << promise.name << YAML::Value << promise.value;
  out << YAML::Key << "levels" << YAML::Value << YAML::BeginSeq;
  for (std::size_t i = 0; i < target.hardware.levels.size(); ++i) printLevel(out, target.hardware.levels[i], i == 0);
  out << YAML::EndSeq;
  const PipelineSpec &pipeline = target.pipeline;
  out << YAML::Key << "pipeline" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "frontend" << YAML::Value;
  printStep(out, pipeline.frontend);
  if (!pipeline.expanders.empty()) printSteps(out, "expanders", pipeline.expanders);
  printSteps(out, "analyses", pipeline.analyses);
  out << YAML::Key << "heuristic" << YAML::Value;
  printStep(out, pipeline.heuristic);
  printSteps(out, "passes", pipeline.passes);
  out << YAML::Key << "backend" << YAML::Value;
  if (pipeline.backend.name.empty())
    out << "none";
  else
    printStep(out, pipeline.backend);
  out << YAML::EndMap << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

std::string printRenamed(Target target) {
  target.hardware.env.insert(target.hardware.env.begin(), target.name);
  return printTarget(target);
}

} // namespace tangram::hardware
