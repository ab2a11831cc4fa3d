// YAML -> RawTarget: keys, types and words.
#include "RawTarget.h"
#include "Words.h"

#include <algorithm>
#include <limits>

namespace tangram::hardware {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxWorkers = (std::uint64_t{1} << 31) - 1; // counts are 32-bit integers in plans and code
constexpr std::uint64_t kMaxDepth = 64;
constexpr std::size_t kMaxItems = 64; // levels, memories, steps

constexpr DiagnosticKind kTwice{"target.twice", DiagnosticClass::User, "{0} '{1}' is given twice",
                                "rename or remove one of the two"};
constexpr DiagnosticKind kNoName{"target.no-name", DiagnosticClass::User, "{0} has no name", "add 'name: ...'"};
constexpr DiagnosticKind kTooMany{"target.too-many", DiagnosticClass::User, "there are {0} {1}, more than {2}",
                                  "leave some out"};
constexpr DiagnosticKind kBothCounts{
    "target.both-counts", DiagnosticClass::User, "the workers of level '{0}' have both a 'count' and 'auto'",
    "keep 'count' for a fixed number, 'auto' for one that the machine at hand decides"};
constexpr DiagnosticKind kBadSymbol{"target.bad-symbol", DiagnosticClass::User,
                                    "the symbol of level '{0}' cannot be '{1}'",
                                    "use one to eight letters or digits, such as {2}"};
constexpr DiagnosticKind kBadWidth{"target.bad-width", DiagnosticClass::User,
                                   "{0} has {1}, which is not the width of an element in bits", "use {2}"};
constexpr DiagnosticKind kMatrixExtent{"target.matrix-extent", DiagnosticClass::User,
                                       "{0} is {1}, which is no multiple of the {2} that lanes have elements of",
                                       "write a multiple, such as {3}"};
constexpr DiagnosticKind kMatrixIncomplete{"target.matrix-incomplete", DiagnosticClass::User, "{0} has no '{1}'",
                                           "write rows, columns and depth: {{m: 16, n: 8, k: 8, type: f64}}"};
constexpr DiagnosticKind kMatrixColumns{"target.matrix-columns", DiagnosticClass::Limitation,
                                        "{0} has {1} columns, and only 8 are known", "write n: 8"};
constexpr DiagnosticKind kStepForm{"target.step-form", DiagnosticClass::User, "{0} is {1}",
                                   "write a name, or 'name: {{option: value}}' with one name"};
constexpr DiagnosticKind kOptionsOfNothing{
    "target.options-of-nothing", DiagnosticClass::User, "{0} is a mapping, but this target extends none",
    "write a list of steps; a mapping changes the options of steps of the target that is extended"};
constexpr DiagnosticKind kWithoutBase{"target.without-base", DiagnosticClass::User,
                                      "'without' takes steps out of a pipeline, and there is none to take them out of",
                                      "name one by 'use', or leave the steps out of the lists"};

[[noreturn]] void failTwice(const std::string &what, const std::string &name, ast::SourceRange second,
                            ast::SourceRange first) {
  Diagnostic diagnostic = makeDiagnostic(kTwice, second, what, name);
  diagnostic.notes.push_back({first, "it stands here first"});
  throw DiagnosticError(std::move(diagnostic));
}

std::vector<Yaml> items(const Yaml &yaml, const std::string &what) {
  std::vector<Yaml> result = yaml.items(what);
  if (result.size() > kMaxItems) fail(kTooMany, yaml.range(), result.size(), what, kMaxItems);
  return result;
}

std::vector<Yaml::Entry> named(const Yaml &yaml, const std::string &what, const std::vector<std::string> &known,
                               std::string &name, ast::SourceRange &range) {
  std::vector<Yaml::Entry> entries = yaml.entries(what, known);
  for (const Yaml::Entry &entry : entries)
    if (entry.key == "name") name = entry.value.name("the name of " + what), range = entry.value.range();
  if (name.empty()) fail(kNoName, yaml.range(), what);
  return entries;
}

std::vector<std::uint64_t> readAtomics(const Yaml &yaml, const std::string &what) {
  std::vector<std::uint64_t> widths;
  for (const Yaml &item : items(yaml, what)) {
    std::uint64_t bits = item.integer("a width in " + what, 8, 64);
    if (std::find(kAtomicBits.begin(), kAtomicBits.end(), bits) == kAtomicBits.end())
      fail(kBadWidth, item.range(), what, bits, fmt::format("{}", fmt::join(kAtomicBits, ", ")));
    if (std::find(widths.begin(), widths.end(), bits) != widths.end())
      failTwice("width in " + what, std::to_string(bits), item.range(), yaml.range());
    widths.push_back(bits);
  }
  return widths;
}

RawMemory readMemory(const Yaml &yaml, const std::string &level) {
  RawMemory memory;
  auto entries =
      named(yaml, fmt::format("a memory of level '{}'", level),
            {"name", "bytes", "line", "banks", "copies", "bandwidth", "latency", "atomics"}, memory.name, memory.range);
  for (const auto &[key, range, value] : entries) {
    std::string what = fmt::format("'{}' of memory '{}'", key, memory.name);
    if (key == "bytes") memory.bytes.set(value.bytes(what), value.range());
    if (key == "line") memory.line.set(value.bytes(what), value.range());
    if (key == "banks") memory.banks.set(value.integer(what, 1, kAny), value.range());
    if (key == "copies") memory.copies.set(value.bytes(what), value.range());
    if (key == "bandwidth") memory.bandwidth.set(value.number(what), value.range());
    if (key == "latency") memory.latency.set(value.number(what), value.range());
    if (key == "atomics") memory.atomics.set(readAtomics(value, what), value.range());
  }
  return memory;
}

void readWorkers(const Yaml &yaml, RawLevel &level) {
  std::string what = fmt::format("'workers' of level '{}'", level.name);
  auto setCount = [&](std::uint64_t count, bool automatic, ast::SourceRange range) {
    if (level.count.given || level.automatic.given) fail(kBothCounts, range, level.name);
    level.count.set(count, range);
    level.automatic.set(automatic, range);
  };
  if (yaml.isScalar() && yaml.text(what) == "auto") return setCount(1, true, yaml.range());
  if (!yaml.isMapping()) {
    if (!yaml.isScalar()) yaml.wrongType(what, "a count, 'auto', or a mapping");
    return setCount(yaml.integer(what, 1, kMaxWorkers), false, yaml.range());
  }
  for (const auto &[key, range, value] : yaml.entries(what, {"count", "auto", "multiple-of", "max", "choices"})) {
    std::string which = fmt::format("'{}' of the workers of level '{}'", key, level.name);
    if (key == "count") {
      if (value.isScalar() && value.text(which) == "auto")
        setCount(1, true, value.range());
      else
        setCount(value.integer(which, 1, kMaxWorkers), false, value.range());
    }
    if (key == "auto") setCount(value.integer(which, 1, kMaxWorkers), true, value.range());
    if (key == "multiple-of") level.multipleOf.set(value.integer(which, 1, kMaxWorkers), value.range());
    if (key == "max") level.max.set(value.integer(which, 1, kMaxWorkers), value.range());
    if (key == "choices") {
      std::vector<std::uint64_t> counts;
      for (const Yaml &item : items(value, which)) {
        counts.push_back(item.integer("a count in " + which, 1, kMaxWorkers));
        if (std::find(counts.begin(), counts.end() - 1, counts.back()) != counts.end() - 1)
          failTwice("count in " + which, std::to_string(counts.back()), item.range(), value.range());
      }
      level.choices.set(std::move(counts), value.range());
    }
  }
}

void readCores(const Yaml &yaml, const std::string &level, RawCores &cores) {
  std::vector<std::string> keys;
  eachNumber([&](const char *key, auto, auto) { keys.push_back(key); });
  for (const auto &entry : yaml.entries(fmt::format("'cores' of level '{}'", level), keys))
    eachNumber([&](const char *key, auto raw, auto) {
      if (entry.key != key) return;
      const std::string what = fmt::format("'{}' of the cores of level '{}'", key, level);
      if constexpr (std::is_same_v<decltype(raw), Given<double> RawCores::*>)
        (cores.*raw).set(entry.value.number(what), entry.value.range());
      else
        (cores.*raw).set(entry.value.integer(what, 1, kMaxWorkers), entry.value.range());
    });
}

/// Whole blocks of the layout that lanes have (MatrixShape).
std::uint64_t readExtent(const Yaml &yaml, const std::string &what, std::uint64_t of) {
  const std::uint64_t extent = yaml.integer(what, of, 256);
  if (extent % of != 0) fail(kMatrixExtent, yaml.range(), what, extent, of, extent / of * of);
  return extent;
}

MatrixShape readMatrix(const Yaml &yaml, const std::string &level) {
  MatrixShape shape;
  shape.range = yaml.range();
  const std::string one = fmt::format("a shape in 'matrix' of level '{}'", level);
  for (const auto &[key, range, value] : yaml.entries(one, {"m", "n", "k", "type", "rate"})) {
    const std::string what = fmt::format("'{}' of {}", key, one);
    if (key == "m") shape.m = readExtent(value, what, MatrixShape::kRows);
    if (key == "n") shape.n = readExtent(value, what, MatrixShape::kColumns);
    if (key == "k") shape.k = readExtent(value, what, MatrixShape::kDepth);
    if (key == "type") {
      std::vector<std::string> names;
      for (ast::Scalar type : MatrixShape::kTypes) names.push_back(ast::Type(type).text());
      shape.type = MatrixShape::kTypes[value.word(what, names)];
    }
    if (key == "rate") shape.rate = value.number(what);
  }
  for (const auto &[key, extent] : {std::pair("m", shape.m), {"n", shape.n}, {"k", shape.k}})
    if (extent == 0) fail(kMatrixIncomplete, yaml.range(), one, key);
  if (shape.n != MatrixShape::kColumns) fail(kMatrixColumns, yaml.range(), one, shape.n);
  return shape;
}

std::vector<bool> readCapabilities(const Yaml &yaml, const std::string &level) {
  std::vector<bool> result(kCapabilities.size());
  for (const Yaml &item : items(yaml, fmt::format("'capabilities' of level '{}'", level))) {
    std::size_t which = item.word(fmt::format("a capability of level '{}'", level), list(kCapabilities));
    if (result[which]) failTwice("capability", std::string(kCapabilities[which]), item.range(), yaml.range());
    result[which] = true;
  }
  return result;
}

RawLevel readLevel(const Yaml &yaml) {
  RawLevel level;
  auto entries = named(yaml, "a level",
                       {"name", "symbol", "capabilities", "below", "sync", "wait", "workers", "cores", "max-lanes",
                        "shuffle", "tiling", "matrix", "memory"},
                       level.name, level.range);
  for (const auto &[key, range, value] : entries) {
    std::string what = fmt::format("'{}' of level '{}'", key, level.name);
    if (key == "symbol") {
      std::string symbol = value.text(what);
      bool good = !symbol.empty() && symbol.size() <= 8;
      for (char c : symbol) good = good && std::isalnum(static_cast<unsigned char>(c));
      if (!good) fail(kBadSymbol, value.range(), level.name, shown(symbol), std::toupper(level.name[0], std::locale()));
      level.symbol.set(symbol, value.range());
    }
    if (key == "capabilities") level.capabilities.set(readCapabilities(value, level.name), value.range());
    if (key == "below") {
      std::string below = value.isNull() ? "none" : value.name(what);
      level.below.set(below == "none" ? "" : below, value.range());
    }
    if (key == "sync") level.sync.set(static_cast<SyncKind>(value.word(what, list(kSyncNames))), value.range());
    if (key == "wait") level.wait.set(value.number(what), value.range());
    if (key == "workers") readWorkers(value, level);
    if (key == "cores") readCores(value, level.name, level.cores);
    if (key == "max-lanes") level.maxLanes.set(value.integer(what, 1, kMaxWorkers), value.range());
    if (key == "shuffle") level.shuffle.set(value.word(what, {"false", "true"}) == 1, value.range());
    if (key == "tiling") level.tiling.set(static_cast<Tiling>(value.word(what, list(kTilings))), value.range());
    if (key == "matrix") {
      std::vector<MatrixShape> shapes;
      for (const Yaml &item : items(value, what)) {
        shapes.push_back(readMatrix(item, level.name));
        for (std::size_t i = 0; i + 1 < shapes.size(); ++i)
          if (shapes[i] == shapes.back())
            failTwice("shape in " + what, fmt::format("{0} x {1} x {2}", shapes[i].m, shapes[i].n, shapes[i].k),
                      item.range(), shapes[i].range);
      }
      level.matrices.set(std::move(shapes), value.range());
    }
    if (key == "memory")
      for (const Yaml &item : items(value, what)) {
        RawMemory memory = readMemory(item, level.name);
        for (const RawMemory &other : level.memories)
          if (other.name == memory.name)
            failTwice(fmt::format("memory of level '{}'", level.name), memory.name, memory.range, other.range);
        level.memories.push_back(std::move(memory));
      }
  }
  return level;
}

OptionValues readOptions(const Yaml &yaml, const std::string &step) {
  OptionValues options;
  if (yaml.isNull()) return options;
  for (const auto &[key, range, value] : yaml.entries(fmt::format("the options of '{}'", step), {})) {
    ast::SourceRange where = value.range().line ? value.range() : range;
    options.set(key, value.option(fmt::format("option '{}' of '{}'", shown(key), step)), where);
  }
  return options;
}

/// `name`, `{name: {option: value}}` or `{name: NAME, option: value}`.
Step readStep(const Yaml &yaml, const std::string &what) {
  Step step;
  step.range = yaml.range();
  if (yaml.isScalar()) {
    step.name = yaml.name(what);
    return step;
  }
  if (!yaml.isMapping()) yaml.wrongType(what, "a name, or 'name: {option: value}'");
  std::vector<Yaml::Entry> entries = yaml.entries(what, {});
  for (const Yaml::Entry &entry : entries)
    if (entry.key == "name" && entry.value.isScalar()) {
      step.name = entry.value.name("the name of " + what);
      step.range = entry.value.range();
      for (const Yaml::Entry &option : entries)
        if (option.key != "name")
          step.options.set(option.key,
                           option.value.option(fmt::format("option '{}' of '{}'", shown(option.key), step.name)),
                           option.value.range());
      return step;
    }
  if (entries.size() != 1)
    fail(kStepForm, yaml.range(), what, fmt::format("a mapping with {} keys, none of them 'name'", entries.size()));
  step.name = shown(entries[0].key);
  step.range = entries[0].range;
  step.options = readOptions(entries[0].value, step.name);
  return step;
}

void readSteps(const Yaml &yaml, const std::string &key, bool extends, Given<std::vector<Step>> &steps,
               std::vector<Step> &optionsOnly) {
  std::string what = fmt::format("'{}' of the pipeline", key);
  if (yaml.isMapping()) {
    if (!extends) fail(kOptionsOfNothing, yaml.range(), what);
    for (const auto &[name, range, value] : yaml.entries(what, {}))
      optionsOnly.push_back({name, readOptions(value, shown(name)), range});
    return;
  }
  std::vector<Step> result;
  for (const Yaml &item : items(yaml, what)) result.push_back(readStep(item, "a step of " + what));
  steps.set(std::move(result), yaml.range());
}

} // namespace

RawPipeline readPipeline(const Yaml &yaml, bool extends) {
  RawPipeline pipeline;
  pipeline.range = yaml.range();
  auto entries = yaml.entries(
      "the pipeline", {"use", "without", "frontend", "expanders", "analyses", "heuristic", "passes", "backend"});
  for (const auto &[key, range, value] : entries)
    if (key == "use") pipeline.use.set(value.text("'use' of the pipeline"), value.range());
  extends |= pipeline.use.given;
  for (const auto &[key, range, value] : entries) {
    std::string what = fmt::format("'{}' of the pipeline", key);
    if (key == "frontend") pipeline.frontend.set(readStep(value, what), value.range());
    if (key == "heuristic") pipeline.heuristic.set(readStep(value, what), value.range());
    if (key == "backend") {
      Step step = value.isNull() ? Step{} : readStep(value, what);
      if (step.name == "none") step.name.clear();
      pipeline.backend.set(std::move(step), value.range());
    }
    if (key == "expanders") readSteps(value, key, extends, pipeline.expanders, pipeline.expanderOptions);
    if (key == "analyses") readSteps(value, key, extends, pipeline.analyses, pipeline.analysisOptions);
    if (key == "passes") readSteps(value, key, extends, pipeline.passes, pipeline.passOptions);
    if (key == "without") {
      if (!extends) fail(kWithoutBase, value.range());
      for (const Yaml &item : items(value, what))
        pipeline.without.push_back({item.name("a step of " + what), {}, item.range()});
    }
  }
  return pipeline;
}

RawTarget readTarget(const Yaml &yaml) {
  RawTarget target;
  target.range = yaml.range();
  auto entries =
      yaml.entries("a target", {"summary", "extends", "env", "depth", "order", "determinism", "levels", "pipeline"});
  for (const auto &[key, range, value] : entries)
    if (key == "extends") target.extends.set(value.text("'extends'"), value.range());
  for (const auto &[key, range, value] : entries) {
    if (key == "summary") target.summary.set(value.text("'summary'"), value.range());
    if (key == "env")
      for (const Yaml &item : items(value, "'env'")) target.env.push_back(item.text("a name in 'env'"));
    if (key == "depth") target.depth.set(value.integer("'depth'", 0, kMaxDepth), value.range());
    if (key == "order") target.order.set(std::string(kOrders.at(value.word("'order'", list(kOrders)))), value.range());
    if (key == "determinism")
      target.determinism.set(std::string(kDeterminisms.at(value.word("'determinism'", list(kDeterminisms)))),
                             value.range());
    if (key == "levels") {
      target.hasLevels.set(true, value.range());
      for (const Yaml &item : items(value, "'levels'")) {
        RawLevel level = readLevel(item);
        for (const RawLevel &other : target.levels)
          if (other.name == level.name) failTwice("level", level.name, level.range, other.range);
        target.levels.push_back(std::move(level));
      }
    }
    if (key == "pipeline") target.pipeline.set(readPipeline(value, target.extends.given), value.range());
  }
  return target;
}

} // namespace tangram::hardware
