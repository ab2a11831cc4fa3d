// Locality (section 6.5.2): how neighbouring iterations, lanes and map elements touch containers. Subscripts say it of
// a codelet's own accesses; partitions say how parts lie in their container; calls carry both from callee to caller,
// until nothing changes: strides only ever get weaker, so recursive spectrums converge.
#include "Indirection.h"
#include "RangeSteps.h"
#include "Tiles.h"
#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>
#include <utility>

namespace tangram {
namespace {

using namespace ast;

/// Distance between neighbours of sequence(start, inc, end): 0 where it is one value, irregular through a container.
Stride acrossOf(const Sequence *sequence, const Strides &strides) {
  if (!sequence || sequence->container) return Stride::Irregular;
  if (!sequence->inc) return Stride::Zero;
  std::optional<std::int64_t> inc = strides.number(sequence->inc);
  return inc ? Step::of(*inc).stride() : Stride::Constant;
}

/// Stride within a part. Where every part has its own, each is still constant in itself. 0 counts as 1.
Stride withinOf(const Sequence *sequence, const Strides &strides) {
  if (!sequence || sequence->container) return sequence ? Stride::Constant : Stride::Irregular;
  std::optional<std::int64_t> first = strides.number(sequence->start);
  bool same = !sequence->inc || strides.number(sequence->inc) == 0;
  return same && first && *first >= 0 && *first <= 1 ? Stride::Unit : Stride::Constant;
}

hardware::Tiling tilingOf(Stride within, Stride across) {
  if (within == Stride::Unit && across == Stride::Constant) return hardware::Tiling::Adjacent;
  if (within == Stride::Constant && across == Stride::Unit) return hardware::Tiling::Strided;
  return hardware::Tiling::Any;
}

PartitionPattern patternOf(const Partition &partition, const Strides &strides) {
  PartitionPattern result;
  std::size_t cut = std::min({partition.starts.size(), partition.incs.size()});
  if (cut == 0) return result;
  unsigned rank = std::max(partition.container->type.rank(), 1u);
  result.withinPart = Stride::Unit;
  result.acrossParts = Stride::Zero;
  bool divided = false;
  for (std::size_t d = 0; d < cut; ++d) {
    Stride within = withinOf(partition.incs[d], strides), across = acrossOf(partition.starts[d], strides);
    if (d >= partition.counts.size() || !isLiteral(partition.counts[d], 1)) {
      hardware::Tiling tiling = tilingOf(within, across);
      result.tiling = !divided || result.tiling == tiling ? tiling : hardware::Tiling::Any;
      divided = true;
    }
    // Neighbours in memory are those of the last dimension; steps in the others are whole rows.
    bool contiguous = d + 1 == rank;
    if (contiguous)
      result.withinPart = within;
    else if (across == Stride::Unit)
      across = Stride::Constant;
    result.acrossParts = weakest(result.acrossParts, across);
  }
  return result;
}

class LocalityAnalysis final : public Analysis {
public:
  void run(const Module &module, const hardware::Hardware &, Facts &facts, DiagnosticEngine &) override {
    strides_.clear();
    byScalar_.clear();
    indirections_.clear();
    origins_.clear();
    rangeSteps_.clear();
    for (const auto &[range, step] : rangeSteps(module))
      for (const Codelet *codelet : findSpectrum(module, range.first)->codelets) {
        facts.ranges.insert({{codelet, codelet->params[range.second]->name}, step.number});
        rangeSteps_.emplace(std::pair(codelet, range.second), step);
      }
    for (const Spectrum *spectrum : module.spectrums)
      for (const Codelet *codelet : spectrum->codelets) {
        std::map<std::string, Step> ranges;
        for (std::size_t p = 0; p < codelet->params.size(); ++p)
          if (auto it = rangeSteps_.find({codelet, p}); it != rangeSteps_.end())
            ranges[codelet->params[p]->name] = it->second;
        const Strides &own = strides_.try_emplace(codelet, module, *codelet, ranges).first->second;
        if (computesOnTiles(*codelet)) facts.onTiles.insert(codelet);
        for (const Param *param : codelet->params)
          if (param->type.isArray()) facts.accesses[{codelet, param->name}];
        for (const IndexedAccess &access : own.accesses()) {
          AccessPattern &pattern = facts.accesses[{codelet, access.container}];
          pattern.perIteration = weakest(pattern.perIteration, access.perIteration);
          pattern.perLane = weakest(pattern.perLane, access.perLane);
          for (const auto &[scalar, step] : access.perScalar)
            weaken(byScalar_[{codelet, access.container}][scalar], step);
        }
        walk(codelet->body, [&](const Partition &p) { facts.partitions[&p] = patternOf(p, own); });
        std::set<std::string> names;
        for (const auto &[name, step] : ranges) names.insert(name);
        const Indirection &indirection = indirections_.try_emplace(codelet, *codelet, names).first->second;
        for (const auto &[container, origin] : indirection.accesses()) origins_[{codelet, container}].add(origin);
      }
    for (bool converged = false; !converged;) {
      converged = true;
      for (const Spectrum *spectrum : module.spectrums)
        for (const Codelet *codelet : spectrum->codelets) converged &= propagate(module, *codelet, facts);
    }
    for (auto &[access, pattern] : facts.accesses) {
      auto origin = origins_.find(access);
      pattern.indirect = origin != origins_.end() && origin->second.data;
    }
    for (const Spectrum *spectrum : module.spectrums)
      for (const Codelet *codelet : spectrum->codelets)
        walk(
            codelet->body,
            [&](const Map &map) {
              if (const Spectrum *callee = findSpectrum(module, map.spectrum))
                facts.arguments[&map] = passed(*callee, map.args, *codelet, true, facts);
            },
            [&](const SpectrumCall &call) {
              if (const Spectrum *callee = findSpectrum(module, call.spectrum))
                facts.arguments[&call] = passed(*callee, call.args, *codelet, false, facts);
            });
  }

private:
  /// How codelets of a spectrum touch its i-th argument: the weakest of them.
  static AccessPattern calleePattern(const Spectrum &spectrum, std::size_t argument, const Facts &facts) {
    AccessPattern result;
    for (const Codelet *codelet : spectrum.codelets) {
      if (argument >= codelet->params.size()) continue;
      auto it = facts.accesses.find({codelet, codelet->params[argument]->name});
      if (it == facts.accesses.end()) continue;
      result.perIteration = weakest(result.perIteration, it->second.perIteration);
      result.perLane = weakest(result.perLane, it->second.perLane);
    }
    return result;
  }

  /// What a container argument is made of: a parameter or a range, and the partition between, if any.
  struct Source {
    const Partition *partition = nullptr;
    std::string parameter;
    const Sequence *range = nullptr;
  };
  /// Whether it is numbers that are computed: a range, a parameter that is one in all calls, or a part of these.
  static bool isRange(const Source &source, const Codelet &codelet, const Facts &facts) {
    return source.range || facts.ranges.count({&codelet, source.parameter});
  }
  static Source sourceOf(const Expr *expr, const Codelet &codelet) {
    Source result;
    for (int fuel = 16; expr && fuel > 0; --fuel) {
      if (const Cast *cast = dyn<Cast>(expr)) {
        expr = cast->operand;
      } else if (const Subscript *some = dyn<Subscript>(expr)) { // a row, or some of the parts
        expr = some->base;
      } else if (const Partition *partition = dyn<Partition>(expr); partition && !result.partition) {
        result.partition = partition;
        expr = partition->container;
      } else if (const Sequence *range = dyn<Sequence>(expr)) {
        result.range = range;
        break;
      } else if (const VarRef *ref = dyn<VarRef>(expr)) {
        for (const Param *param : codelet.params)
          if (param->name == ref->name && param->type.isArray()) result.parameter = ref->name;
        const Expr *init = nullptr;
        walk(codelet.body, [&](const Declare &d) {
          if (d.name == ref->name) init = d.init;
        });
        expr = init; // a name for something else
      } else {
        break;
      }
    }
    return result;
  }

  /// What the indices come from by which a call touches its i-th argument, as the caller sees it.
  Origin originOf(const Spectrum &callee, std::size_t argument, const std::vector<const Expr *> &args,
                  const Codelet &caller, const Facts &facts) const {
    Origin result;
    for (const Codelet *codelet : callee.codelets) {
      if (argument >= codelet->params.size()) continue;
      auto inner = origins_.find({codelet, codelet->params[argument]->name});
      if (inner == origins_.end()) continue;
      result.data |= inner->second.data;
      for (std::size_t i = 0; i < args.size() && i < codelet->params.size(); ++i) {
        if (!inner->second.scalars.count(codelet->params[i]->name)) continue;
        if (args[i]->type.isArray()) // of a map: an element each, or its number
          result.data |= !isRange(sourceOf(args[i], caller), caller, facts);
        else
          result.add(indirections_.at(&caller).of(args[i]));
      }
    }
    return result;
  }

  /// How far apart neighbouring calls of a map touch what all are given, or the same place of their parts, by the
  /// numbers or parts of a range that each gets one of.
  Step counted(const Spectrum &callee, std::size_t argument, const std::vector<const Expr *> &args,
               const Codelet &caller, const Facts &facts) const {
    Step result;
    for (const auto &[scalar, step] : scalarSteps(callee, argument)) {
      if (scalar >= args.size() || args[scalar]->type == callee.params[scalar]->type) continue;
      const Source source = sourceOf(args[scalar], caller);
      if (!isRange(source, caller, facts)) continue;
      Step numbers = Step::some(); // of neighbours in the range
      if (source.range) {
        std::optional<std::int64_t> by = strides_.at(&caller).number(source.range->inc);
        if (by) numbers = Step::of(*by);
      } else {
        for (std::size_t p = 0; p < caller.params.size(); ++p)
          if (caller.params[p]->name == source.parameter) numbers = ofRange(caller, p);
      }
      const auto parts = facts.partitions.find(source.partition);
      const Stride across = parts == facts.partitions.end() ? Stride::Unit : parts->second.acrossParts;
      result = weakest(result, through(step, through(stepOf(across), numbers)));
    }
    return result;
  }
  Step ofRange(const Codelet &codelet, std::size_t parameter) const {
    auto it = rangeSteps_.find({&codelet, parameter});
    return it == rangeSteps_.end() ? Step::some() : it->second;
  }

  /// How codelets of a spectrum move in their i-th argument as each scalar one, by its place, grows by one.
  std::map<std::size_t, Step> scalarSteps(const Spectrum &callee, std::size_t argument) const {
    std::map<std::size_t, Step> result;
    for (const Codelet *codelet : callee.codelets) {
      if (argument >= codelet->params.size()) continue;
      auto steps = byScalar_.find({codelet, codelet->params[argument]->name});
      if (steps == byScalar_.end()) continue;
      for (std::size_t i = 0; i < codelet->params.size(); ++i)
        if (auto it = steps->second.find(codelet->params[i]->name); it != steps->second.end())
          weaken(result[i], it->second);
    }
    return result;
  }

  /// Whether calls of a map differ in nothing but numbers of ranges, which say what each touches: also where these say
  /// what is loaded to find that.
  static bool onlyCounted(const Spectrum &callee, const std::vector<const Expr *> &args, const Codelet &codelet,
                          const Facts &facts) {
    for (std::size_t i = 0; i < args.size() && i < callee.params.size(); ++i)
      if (args[i]->type != callee.params[i]->type && !isRange(sourceOf(args[i], codelet), codelet, facts)) return false;
    return true;
  }

  std::vector<PassedArgument> passed(const Spectrum &callee, const std::vector<const Expr *> &args,
                                     const Codelet &codelet, bool map, const Facts &facts) const {
    std::vector<PassedArgument> result;
    for (std::size_t i = 0; i < args.size() && i < callee.params.size(); ++i) {
      const Type &type = callee.params[i]->type;
      const Source source = sourceOf(args[i], codelet);
      const auto pattern = facts.partitions.find(source.partition);
      PassedArgument &argument = result.emplace_back();
      for (std::size_t p = 0; p < codelet.params.size(); ++p)
        if (codelet.params[p]->name == source.parameter) argument.parameter = p;
      if (pattern != facts.partitions.end()) argument.within = pattern->second.withinPart;
      argument.whole = !map || args[i]->type == type;
      if (!map || isRange(source, codelet, facts)) continue; // a range is computed, not loaded
      argument.loaded = !argument.whole && !type.isArray();
      const Step counts = type.isArray() ? counted(callee, i, args, codelet, facts) : Step::none();
      argument.across = counts.stride();
      Stride own = Stride::Zero;
      if (originOf(callee, i, args, codelet, facts).data &&
          !(argument.whole && onlyCounted(callee, args, codelet, facts)))
        own = Stride::Irregular;
      else if (argument.whole)
        own = Stride::Zero;
      else if (args[i]->type.element().isArray())
        own = pattern == facts.partitions.end() ? Stride::Irregular : pattern->second.acrossParts;
      else
        own = type.isArray() ? Stride::Constant : Stride::Unit; // a row, an element
      argument.across = weakest(argument.across, own);
      if (own == Stride::Zero && counts.number)
        argument.step = std::abs(*counts.number), argument.stepDimensions = counts.dimensions;
      const std::string wraps = passedAs(counts.wraps, callee, args, codelet);
      for (std::size_t p = 0; p < codelet.params.size(); ++p)
        if (own == Stride::Zero && codelet.params[p]->name == wraps) argument.wraps = p;
    }
    return result;
  }

  static bool weaken(Step &known, const Step &step) {
    const Step before = std::exchange(known, weakest(known, step));
    return before != known;
  }

  /// The codelet's parameter that stands behind a parameter of what it calls; empty: there is none.
  static std::string passedAs(const std::string &parameter, const Spectrum &callee,
                              const std::vector<const Expr *> &args, const Codelet &codelet) {
    for (std::size_t i = 0; i < args.size() && i < callee.params.size(); ++i)
      if (callee.params[i]->name == parameter && !sourceOf(args[i], codelet).partition)
        return sourceOf(args[i], codelet).parameter;
    return {};
  }

  /// By how much the row or part that an argument is moves with a scalar of the caller.
  static Step moved(const Expr *argument, const Strides &strides, const Param &scalar) {
    Step result;
    walk(argument, [&](const Expr &e) { // which part or row, and where parts begin
      if (!e.type.isInteger()) return;
      const Step by = strides.withScalar(&e, scalar.name);
      result = weakest(result, by.zero() || by.irregular ? by : Step::some());
    });
    return result;
  }

  /// Where the i-th argument of a call begins, and the scalars beside it, may move with a scalar of the caller.
  bool passScalars(const Codelet &codelet, const Spectrum &callee, std::size_t argument,
                   const std::vector<const Expr *> &args, const Facts &facts) {
    Source source = sourceOf(args[argument], codelet);
    if (source.parameter.empty()) return false;
    const Strides &strides = strides_.at(&codelet);
    const std::map<std::size_t, Step> inner = scalarSteps(callee, argument);
    bool news = false;
    for (const Param *param : codelet.params) {
      const bool range = facts.ranges.count({&codelet, param->name}) != 0;
      if (!param->type.isInteger() && !range) continue;
      Step all;
      for (const auto &[scalar, own] : inner) {
        if (scalar >= args.size()) continue;
        const Step step = own.wrapping(passedAs(own.wraps, callee, args, codelet));
        const Expr *value = args[scalar];
        if (value->type.isArray()) {
          Source mapped = sourceOf(value, codelet);
          if (!isRange(mapped, codelet, facts)) continue; // an element each: data says where
          if (range && mapped.parameter == param->name) all = weakest(all, step);
          if (mapped.partition || !mapped.range) { // which part, and where parts begin
            all = weakest(all, through(step, moved(value, strides, *param)));
            continue;
          }
          value = mapped.range->start;
        }
        all = weakest(all, through(step, strides.withScalar(value, param->name)));
      }
      all = weakest(all, moved(args[argument], strides, *param));
      news |= weaken(byScalar_[{&codelet, source.parameter}][param->name], all);
    }
    return news;
  }

  bool propagate(const Module &module, const Codelet &codelet, Facts &facts) {
    bool same = true;
    auto touch = [&](const std::string &parameter, const Spectrum &callee, std::size_t argument,
                     const std::vector<const Expr *> &args) {
      if (!parameter.empty())
        same &= !origins_[{&codelet, parameter}].add(originOf(callee, argument, args, codelet, facts));
    };
    auto add = [&](const std::string &parameter, Stride perIteration, Stride perLane) {
      if (parameter.empty()) return;
      AccessPattern &pattern = facts.accesses[{&codelet, parameter}];
      AccessPattern before = pattern;
      pattern.perIteration = weakest(pattern.perIteration, perIteration);
      pattern.perLane = weakest(pattern.perLane, perLane);
      same &= before.perIteration == pattern.perIteration && before.perLane == pattern.perLane;
    };
    walk(
        codelet.body,
        [&](const SpectrumCall &call) {
          const Spectrum *callee = findSpectrum(module, call.spectrum);
          for (std::size_t i = 0; callee && i < call.args.size(); ++i) {
            AccessPattern inner = calleePattern(*callee, i, facts);
            std::string parameter = sourceOf(call.args[i], codelet).parameter;
            add(parameter, inner.perIteration, inner.perLane);
            touch(parameter, *callee, i, call.args);
            same &= !passScalars(codelet, *callee, i, call.args, facts);
          }
        },
        [&](const Map &map) {
          const Spectrum *callee = findSpectrum(module, map.spectrum);
          for (std::size_t i = 0; callee && i < map.args.size() && i < callee->params.size(); ++i) {
            Source source = sourceOf(map.args[i], codelet);
            AccessPattern inner = calleePattern(*callee, i, facts);
            touch(source.parameter, *callee, i, map.args);
            same &= !passScalars(codelet, *callee, i, map.args, facts);
            bool passed = map.args[i]->type == callee->params[i]->type;
            if (passed) { // every element gets the same
              add(source.parameter, inner.perIteration, Stride::Zero);
              continue;
            }
            if (!source.partition) { // one element each
              add(source.parameter, inner.perIteration, Stride::Unit);
              continue;
            }
            auto pattern = facts.partitions.find(source.partition);
            if (pattern == facts.partitions.end()) continue;
            add(source.parameter, through(inner.perIteration, pattern->second.withinPart), pattern->second.acrossParts);
          }
        });
    return same;
  }

  std::map<std::pair<const Codelet *, std::size_t>, Step> rangeSteps_; // of parameters that are index ranges
  std::map<const Codelet *, Strides> strides_;
  /// Of each container parameter: how far accesses move as a scalar parameter grows by one.
  std::map<std::pair<const Codelet *, std::string>, std::map<std::string, Step>> byScalar_;
  std::map<const Codelet *, Indirection> indirections_;
  std::map<std::pair<const Codelet *, std::string>, Origin> origins_; // of the indices by which parameters are touched
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("locality", "1.0", "how codelets touch their containers") {
  tangram::AnalysisDescriptor descriptor;
  descriptor.name = "locality";
  descriptor.summary = "finds zero, unit, constant and irregular strides of accesses, and the tiling of partitions";
  descriptor.establishes = {"locality"};
  descriptor.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::LocalityAnalysis>(); };
  registry.analyses.add(descriptor);
}
