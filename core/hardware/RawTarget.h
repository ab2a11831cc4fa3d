// A target as one file says it: only what is written, and where. Files that extend others are merged in this form and
// checked after that.
#pragma once

#include "Yaml.h"

#include "tangram/hardware/Target.h"

namespace tangram::hardware {

template <class T> struct Given {
  T value{};
  ast::SourceRange range;
  bool given = false;

  void set(T v, ast::SourceRange r) { value = std::move(v), range = r, given = true; }
  void mergeOver(const Given &base) {
    if (!given) *this = base;
  }
};

struct RawMemory {
  std::string name;
  ast::SourceRange range;
  Given<std::uint64_t> bytes, line, banks;
  Given<double> bandwidth, latency;
  Given<std::vector<std::uint64_t>> atomics;
};

struct RawLevel {
  std::string name;
  ast::SourceRange range;
  Given<std::string> symbol, below;
  Given<SyncKind> sync;
  Given<std::vector<bool>> capabilities; // as in kCapabilities
  Given<std::uint64_t> count, multipleOf, max, maxLanes;
  Given<std::vector<std::uint64_t>> choices;
  Given<bool> automatic, shuffle;
  Given<Tiling> tiling;
  std::vector<RawMemory> memories;
};

struct RawPipeline {
  ast::SourceRange range;
  Given<Step> frontend, heuristic, backend;
  Given<std::vector<Step>> expanders, analyses, passes;
  /// `expanders`, `analyses` or `passes` written as a mapping: options for steps of the base.
  std::vector<Step> expanderOptions, analysisOptions, passOptions;
  Given<std::string> use;    // the name or path of a pipeline, which is the base
  std::vector<Step> without; // steps that are taken out of these lists of the base
};

struct RawTarget {
  ast::SourceRange range;
  Given<std::string> extends, summary, order, determinism;
  std::vector<std::string> env; // also what is extended, the nearest first
  Given<std::uint64_t> depth;
  Given<bool> hasLevels;
  std::vector<RawLevel> levels;
  Given<RawPipeline> pipeline;
};

RawTarget readTarget(const Yaml &yaml);
/// `extends`: there is a base without `use`, too.
RawPipeline readPipeline(const Yaml &yaml, bool extends);
/// `pipeline`, completed with what only `base` says.
RawPipeline merge(RawPipeline pipeline, const RawPipeline &base);
/// `target`, completed with what only `base` says.
RawTarget merge(RawTarget target, const RawTarget &base);
/// Checks all that can be checked without plugins.
Target finish(const RawTarget &raw, const std::filesystem::path &path);

} // namespace tangram::hardware
