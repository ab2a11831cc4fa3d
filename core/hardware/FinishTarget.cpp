// RawTarget -> Target: everything that can be checked without plugins.
#include "RawTarget.h"
#include "Words.h"
#include "tangram/hardware/Promises.h"

#include <algorithm>
#include <set>

namespace tangram::hardware {
namespace {

constexpr DiagnosticKind kMissingSection{"target.missing", DiagnosticClass::User, "{0} has no '{1}'", "add {2}"};
constexpr DiagnosticKind kNoLevels{"target.no-levels", DiagnosticClass::User, "'levels' is empty",
                                   "list the levels of the machine, outermost first"};
constexpr DiagnosticKind kUnknownLevel{"target.unknown-level", DiagnosticClass::User,
                                       "level '{0}' has '{1}' below it, which is not a level of this target",
                                       "use {2}"};
constexpr DiagnosticKind kCycle{"target.cycle", DiagnosticClass::User,
                                "the levels stand below each other in a circle: {0}",
                                "leave 'below' out at the innermost of them"};
constexpr DiagnosticKind kTwoAbove{"target.two-above", DiagnosticClass::User,
                                   "level '{0}' stands below both '{1}' and '{2}'",
                                   "give each level one level above it"};
constexpr DiagnosticKind kUnreached{"target.unreached", DiagnosticClass::User,
                                    "nothing reaches level '{0}': '{1}' is the outermost level, and no level has '{0}' "
                                    "below it",
                                    "add 'below: {0}' to the level that distributes to it, or remove it"};
constexpr DiagnosticKind kUseless{
    "target.useless-level", DiagnosticClass::User,
    "level '{0}' has no capability and nothing below it: nothing can run there",
    "give it 'capabilities: [scalar]', or say with 'below' which level it distributes to"};
constexpr DiagnosticKind kNoSync{"target.no-sync", DiagnosticClass::User,
                                 "level '{0}' has '{1}' below it, but no 'sync'", "say how it synchronises '{1}': {2}"};
constexpr DiagnosticKind kSyncOfNothing{"target.sync-of-nothing", DiagnosticClass::User,
                                        "level '{0}' has a 'sync' but nothing below it to synchronise",
                                        "remove 'sync', or say with 'below' which level it synchronises"};
constexpr DiagnosticKind kSameSymbol{"target.same-symbol", DiagnosticClass::User,
                                     "levels '{0}' and '{1}' have the same symbol '{2}'", "give them different ones"};
constexpr DiagnosticKind kAboveMax{"target.above-max", DiagnosticClass::User,
                                   "level '{0}' has {1} workers, more than its 'max' of {2}",
                                   "lower the count or raise 'max'"};
constexpr DiagnosticKind kNotMultiple{"target.not-a-multiple", DiagnosticClass::User,
                                      "{1} of level '{0}' is {2}, which is not a multiple of its 'multiple-of' of {3}",
                                      "use {4}"};
constexpr DiagnosticKind kTopWorkers{"target.top-workers", DiagnosticClass::User,
                                     "level '{0}' is the outermost, of which there is one, but has workers",
                                     "remove 'workers', or add the level that has them below it"};
constexpr DiagnosticKind kMatrixLanes{"target.matrix-lanes", DiagnosticClass::User,
                                      "a unit of level '{0}' has {1} lanes, but {2} multiply matrices together",
                                      "list the shape at the level whose units have {2} lanes"};
constexpr DiagnosticKind kTooManyLanes{"target.too-many-lanes", DiagnosticClass::User,
                                       "a unit of level '{0}' has {1} = {2} lanes, more than its 'max-lanes' of {3}",
                                       "lower the number of workers of {4}, or raise 'max-lanes'"};
constexpr DiagnosticKind kLanesAreIterations{
    "target.lanes-are-iterations", DiagnosticClass::User,
    "lanes of level '{0}' would be iterations of '{1}', which do not run at a time",
    "give '{1}' the capability 'scalar', where it is not the vector itself, or another 'sync' than 'close-loop'"};
constexpr DiagnosticKind kShuffleOfNothing{"target.shuffle-of-nothing", DiagnosticClass::User,
                                           "level '{0}' has a 'shuffle' but nothing below it to exchange registers",
                                           "remove 'shuffle', or say with 'below' which level it is about"};
constexpr DiagnosticKind kMemory{"target.memory", DiagnosticClass::User,
                                 "memory '{0}' of level '{1}' has {2} bytes, but {3}", "correct one of the two"};

void checkReferences(const std::vector<RawLevel> &levels) {
  std::vector<std::string> names;
  for (const RawLevel &level : levels) names.push_back(level.name);
  for (const RawLevel &level : levels) {
    const std::string &below = level.below.value;
    if (below.empty() || std::find(names.begin(), names.end(), below) != names.end()) continue;
    std::vector<std::string> others = names;
    others.erase(std::find(others.begin(), others.end(), level.name));
    fail(kUnknownLevel, level.below.range, level.name, below, suggest(below, others));
  }
}

const RawLevel *find(const std::vector<RawLevel> &levels, const std::string &name) {
  for (const RawLevel &level : levels)
    if (level.name == name) return &level;
  return nullptr;
}

/// The levels from the outside in, whatever their order in the file.
std::vector<const RawLevel *> order(const std::vector<RawLevel> &levels) {
  for (const RawLevel &start : levels) {
    std::string path = start.name;
    const RawLevel *at = &start;
    for (std::size_t i = 0; i < levels.size() && !at->below.value.empty(); ++i) {
      at = find(levels, at->below.value);
      path += " -> " + at->name;
      if (at == &start) fail(kCycle, start.below.range, path);
    }
  }

  std::map<std::string, const RawLevel *> above;
  for (const RawLevel &level : levels) {
    if (level.below.value.empty()) continue;
    auto [found, fresh] = above.emplace(level.below.value, &level);
    if (!fresh) fail(kTwoAbove, level.below.range, level.below.value, found->second->name, level.name);
  }
  const RawLevel *top = nullptr;
  for (const RawLevel &level : levels) {
    if (above.count(level.name)) continue;
    if (top) fail(kUnreached, level.range, level.name, top->name);
    top = &level;
  }

  // Without circles, and with one level that nothing stands above, every level is on the one chain from it.
  std::vector<const RawLevel *> result;
  for (const RawLevel *level = top; level; level = find(levels, level->below.value)) result.push_back(level);
  return result;
}

Workers finishWorkers(const RawLevel &level, bool isTop) {
  Workers workers;
  if (level.count.given) workers.count = level.count.value;
  if (level.automatic.given) workers.automatic = level.automatic.value;
  if (level.multipleOf.given) workers.multipleOf = level.multipleOf.value;
  if (level.max.given) workers.max = level.max.value;
  std::uint64_t multiple = workers.multipleOf;

  if (isTop && (workers.count != 1 || workers.automatic)) fail(kTopWorkers, level.count.range, level.name);
  if (workers.max && workers.max % multiple)
    fail(kNotMultiple, level.max.range, level.name, "'max'", workers.max, multiple,
         workers.max < multiple ? multiple : workers.max / multiple * multiple);
  // `auto` alone says nothing of the count: take the least that is possible.
  if (workers.automatic && workers.count == 1) workers.count = multiple;
  if (workers.count % multiple)
    fail(kNotMultiple, level.count.given ? level.count.range : level.multipleOf.range, level.name,
         "the number of workers", workers.count, multiple, (workers.count + multiple - 1) / multiple * multiple);
  if (workers.max && workers.count > workers.max)
    fail(kAboveMax, level.count.given ? level.count.range : level.max.range, level.name, workers.count, workers.max);
  if (isTop && level.choices.given) fail(kTopWorkers, level.choices.range, level.name);
  for (std::uint64_t count : level.choices.value) {
    if (count % multiple)
      fail(kNotMultiple, level.choices.range, level.name, "a choice", count, multiple,
           (count + multiple - 1) / multiple * multiple);
    if (workers.max && count > workers.max) fail(kAboveMax, level.choices.range, level.name, count, workers.max);
  }
  workers.choices = level.choices.value;
  return workers;
}

Memory finishMemory(const RawMemory &raw, const std::string &level) {
  Memory memory;
  memory.name = raw.name;
  memory.bytes = raw.bytes.value;
  memory.line = raw.line.value;
  memory.banks = raw.banks.value;
  memory.copies = raw.copies.value;
  memory.bandwidth = raw.bandwidth.value;
  memory.latency = raw.latency.value;
  if (raw.atomics.given) memory.atomics = raw.atomics.value;
  if (memory.bytes && memory.line > memory.bytes)
    fail(kMemory, raw.line.range, raw.name, level, memory.bytes, fmt::format("a line of {}", memory.line));
  if (memory.bytes && memory.line && memory.bytes % memory.line)
    fail(kMemory, raw.line.range, raw.name, level, memory.bytes,
         fmt::format("lines of {}, which do not fill it", memory.line));
  if (memory.bytes && memory.banks > memory.bytes)
    fail(kMemory, raw.banks.range, raw.name, level, memory.bytes, fmt::format("{} banks", memory.banks));
  return memory;
}

/// "P", or as much of the name as it takes to differ from the symbols before.
std::string defaultSymbol(const std::string &name, const std::set<std::string> &taken) {
  std::string symbol;
  for (char c : name) {
    if (c == '-') continue;
    symbol += symbol.empty() ? static_cast<char>(std::toupper(c)) : c;
    if (!taken.count(symbol)) return symbol;
  }
  for (unsigned i = 2;; ++i)
    if (std::string numbered = fmt::format("{}{}", symbol, i); !taken.count(numbered)) return numbered;
}

void setSymbols(const std::vector<const RawLevel *> &raw, std::vector<Level> &levels) {
  std::map<std::string, const RawLevel *> written;
  std::set<std::string> taken;
  for (const RawLevel *level : raw) {
    if (!level->symbol.given) continue;
    auto [found, fresh] = written.emplace(level->symbol.value, level);
    if (!fresh) fail(kSameSymbol, level->symbol.range, found->second->name, level->name, level->symbol.value);
    taken.insert(level->symbol.value);
  }
  for (std::size_t i = 0; i < raw.size(); ++i) {
    levels[i].symbol = raw[i]->symbol.given ? raw[i]->symbol.value : defaultSymbol(raw[i]->name, taken);
    taken.insert(levels[i].symbol);
  }
}

Level finishLevel(const RawLevel &raw, bool isTop) {
  Level level;
  level.name = raw.name;
  level.range = raw.range;
  if (raw.capabilities.given) {
    level.scalar = raw.capabilities.value[0];
    level.vector = raw.capabilities.value[1];
    level.matrix = raw.capabilities.value[2];
  }
  level.subordinate = raw.below.value;
  if (raw.sync.given) level.sync = raw.sync.value;
  level.tiling = raw.tiling.value;
  if (!level.computes() && !level.distributes()) fail(kUseless, raw.range, raw.name);
  if (level.distributes() && !raw.sync.given)
    fail(kNoSync, raw.range, raw.name, level.subordinate, suggest("", list(kSyncNames)));
  if (!level.distributes() && level.sync != SyncKind::None) fail(kSyncOfNothing, raw.sync.range, raw.name);
  level.shuffle = raw.shuffle.value;
  if (!level.distributes() && level.shuffle) fail(kShuffleOfNothing, raw.shuffle.range, raw.name);
  level.maxLanes = raw.maxLanes.value;
  level.workers = finishWorkers(raw, isTop);
  eachNumber([&](const char *, auto from, auto to) { level.cores.*to = (raw.cores.*from).value; });
  level.wait = raw.wait.value;
  level.matrices = raw.matrices.value;
  for (const RawMemory &memory : raw.memories) level.memories.push_back(finishMemory(memory, raw.name));
  return level;
}

/// The lanes of units against what a unit may have: `raw` and the levels of `hardware` are in the same order.
void checkLanes(const std::vector<const RawLevel *> &raw, const Hardware &hardware, const std::string *file) {
  for (const Level &level : hardware.levels)
    for (const MatrixShape &shape : level.matrices)
      if (const std::uint64_t lanes = hardware.lanes(level); lanes != MatrixShape::kLanes)
        fail(kMatrixLanes, shape.range, level.name, lanes, std::uint64_t{MatrixShape::kLanes});
  // Lanes are units of the levels below a vector's, down to the one that computes by itself.
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (!hardware.levels[i].vector) continue;
    for (std::size_t j = i; j + 1 < raw.size() && (j == i || !hardware.levels[j].scalar); ++j)
      if (hardware.levels[j].sync == SyncKind::CloseLoop)
        fail(kLanesAreIterations, raw[j]->sync.range, hardware.levels[i].name, hardware.levels[j].name);
  }
  for (std::size_t i = 0; i + 1 < raw.size(); ++i) {
    const Level &level = hardware.levels[i];
    std::uint64_t lanes = hardware.lanes(level);
    if (!level.maxLanes || lanes <= level.maxLanes) continue;
    std::string product, names;
    ast::SourceRange where = raw[i]->maxLanes.range;
    for (std::size_t j = i + 1; j < raw.size(); ++j) {
      product += fmt::format("{}{}", product.empty() ? "" : " x ", hardware.levels[j].workers.count);
      names += fmt::format("{}'{}'", names.empty() ? "" : " or ", raw[j]->name);
      // Said in the file at hand, more likely than in one that it extends.
      if (raw[j]->count.given && raw[j]->count.range.file == file) where = raw[j]->count.range;
      if (hardware.levels[j].scalar) break;
    }
    Diagnostic diagnostic = makeDiagnostic(kTooManyLanes, where, level.name, product, lanes, level.maxLanes, names);
    if (where.line != raw[i]->maxLanes.range.line) diagnostic.notes.push_back({raw[i]->maxLanes.range, "'max-lanes'"});
    throw DiagnosticError(std::move(diagnostic));
  }
}

} // namespace

std::string Target::promise(std::string_view name) const {
  for (const Promise &p : promises)
    if (p.name == name) return p.value;
  return "";
}

const Promise *sameBits(const Target &target) {
  for (const Promise &p : target.promises)
    if ((p.name == "order" && p.value == "preserve") || (p.name == "determinism" && p.value == "everywhere")) return &p;
  return nullptr;
}

Target finish(const RawTarget &raw, const std::filesystem::path &path) {
  Target target;
  target.name = target.hardware.name = path.stem().string();
  target.path = path;
  target.summary = raw.summary.value;
  for (const std::string &name : raw.env)
    if (!target.hardware.is(name)) target.hardware.env.push_back(name);

  if (!raw.hasLevels.given)
    fail(kMissingSection, raw.range, "the target", "levels", "the levels of the machine, outermost first");
  if (raw.levels.empty()) fail(kNoLevels, raw.hasLevels.range);
  checkReferences(raw.levels);
  std::vector<const RawLevel *> levels = order(raw.levels);
  for (const RawLevel *level : levels) target.hardware.levels.push_back(finishLevel(*level, level == levels.front()));
  setSymbols(levels, target.hardware.levels);
  checkLanes(levels, target.hardware, raw.range.file);
  target.depth = raw.depth.value ? static_cast<unsigned>(raw.depth.value) : static_cast<unsigned>(levels.size()) + 2;

  if (raw.order.given) target.promises.push_back({"order", raw.order.value, raw.order.range});
  if (raw.determinism.given) target.promises.push_back({"determinism", raw.determinism.value, raw.determinism.range});

  if (!raw.pipeline.given)
    fail(kMissingSection, raw.range, "the target", "pipeline", "its frontend, analyses, heuristic, passes and backend");
  const RawPipeline &pipeline = raw.pipeline.value;
  auto need = [&](const auto &given, const char *key, const char *advice) {
    if (!given.given) fail(kMissingSection, pipeline.range, "the pipeline", key, advice);
    return given.value;
  };
  target.pipeline.frontend = need(pipeline.frontend, "frontend", "'frontend: NAME'; `tangram plugins` lists them");
  target.pipeline.expanders = pipeline.expanders.value;
  target.pipeline.analyses = need(pipeline.analyses, "analyses", "'analyses: [...]'; `tangram plugins` lists them");
  target.pipeline.heuristic =
      need(pipeline.heuristic, "heuristic", "'heuristic: NAME'; `tangram heuristics` lists them");
  target.pipeline.passes = pipeline.passes.value;
  target.pipeline.backend = pipeline.backend.value;
  return target;
}

} // namespace tangram::hardware
