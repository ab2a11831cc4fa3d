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
  Given<std::uint64_t> bytes, line, banks, copies;
  Given<double> bandwidth, latency;
  Given<std::vector<std::uint64_t>> atomics;
};

struct RawCores {
  Given<std::uint64_t> count, units, workers, registers;
  Given<double> clock, issue, issueDouble, issueDivision, issueFunction, issueAccess, issueAlone, depth, loads,
      transfer, contention, exchange;
};

/// Each number of `cores`: its key, and where it is kept as it was read and in the target.
template <class F> void eachNumber(F &&f) {
  f("count", &RawCores::count, &Cores::count);
  f("clock", &RawCores::clock, &Cores::clock);
  f("issue", &RawCores::issue, &Cores::issue);
  f("issue-double", &RawCores::issueDouble, &Cores::issueDouble);
  f("issue-division", &RawCores::issueDivision, &Cores::issueDivision);
  f("issue-function", &RawCores::issueFunction, &Cores::issueFunction);
  f("issue-access", &RawCores::issueAccess, &Cores::issueAccess);
  f("issue-alone", &RawCores::issueAlone, &Cores::issueAlone);
  f("depth", &RawCores::depth, &Cores::depth);
  f("loads", &RawCores::loads, &Cores::loads);
  f("transfer", &RawCores::transfer, &Cores::transfer);
  f("contention", &RawCores::contention, &Cores::contention);
  f("exchange", &RawCores::exchange, &Cores::exchange);
  f("units", &RawCores::units, &Cores::units);
  f("workers", &RawCores::workers, &Cores::workers);
  f("registers", &RawCores::registers, &Cores::registers);
}

struct RawLevel {
  std::string name;
  ast::SourceRange range;
  Given<std::string> symbol, below;
  Given<SyncKind> sync;
  Given<std::vector<bool>> capabilities; // as in kCapabilities
  Given<std::uint64_t> count, multipleOf, max, maxLanes;
  Given<std::vector<std::uint64_t>> choices;
  Given<bool> automatic, shuffle;
  RawCores cores;
  Given<double> wait;
  Given<Tiling> tiling;
  std::vector<RawMemory> memories;
  Given<std::vector<MatrixShape>> matrices;
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
