#include "ParallelismFirst.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram {
namespace {

using namespace ast;

std::string words(const Alternative &alternative) {
  return alternative.codelet ? fmt::format("codelet '{}'", alternative.codelet->name)
                             : fmt::format("'{}'", name(alternative.rule));
}

bool computes(const Alternative &alternative) { return alternative.capability != Capability::None; }

bool tunable(const Forest &forest, const Alternative &alternative) {
  if (!alternative.codelet) return false;
  auto it = forest.facts().codelets.find(alternative.codelet);
  return it != forest.facts().codelets.end() && it->second.hasTunable;
}

/// The smaller one of those that are known.
template <class T> std::optional<T> less(std::optional<T> a, std::optional<T> b) {
  return !a || (b && *b < *a) ? b : a;
}

/// Whether nothing is known of how the calls of a map differ in what they touch. Where some take much longer than
/// others, lanes with a call each wait for the longest.
bool uneven(const Point &point) { return point.acrossCalls == Stride::Irregular; }

/// Why an element of a map is expected not to fill the level that it is distributed to; empty: nothing says so.
std::string tooSmall(const Forest &forest, const SizedPoint &point, const std::string &to) {
  std::optional<std::uint64_t> elements = point.expected().largest();
  // Of what calls read by indices out of a container, most is not for this one.
  if (const Expected &e = point.expected(); uneven(*point) && e.work && e.elements && *e.elements > 0)
    elements = *e.work / *e.elements;
  const hardware::Level *level = forest.hardware().find(to);
  if (!elements || !level) return "";
  std::uint64_t lanes = forest.hardware().lanes(*level);
  return *elements < lanes ? fmt::format("about {} elements are too few for the {} lanes of '{}'", *elements, lanes, to)
                           : "";
}

/// Whether the calls of a map are expected to be enough for all lanes below the level that it stands at, so that no two
/// have to share one; empty: no.
std::string enoughForEachLane(const Forest &forest, const SizedPoint &point, const std::string &to) {
  const hardware::Level *level = forest.hardware().find(point->level), *below = forest.hardware().find(to);
  const std::optional<std::uint64_t> calls = point.expected().elements;
  if (!calls || !level || !below || below->scalar || uneven(*point)) return "";
  std::uint64_t lanes = forest.hardware().lanes(*level);
  return *calls >= lanes
             ? fmt::format("about {} calls are enough for each of the {} lanes of '{}'", *calls, lanes, point->level)
             : "";
}

constexpr std::uint64_t kTurns = 4; // of an unrolled loop; with fewer, what is left over costs more than it brings

bool synchronises(const Forest &forest, const Point &point, hardware::SyncKind how) {
  const hardware::Level *level = forest.hardware().find(point.level);
  return level && level->sync == how;
}

/// Whether workers below, each with a call of a map, would touch memory one by one.
bool scatters(const Forest &forest, const Point &point) {
  return synchronises(forest, point, hardware::SyncKind::LockStep) && point.acrossCalls > Stride::Unit;
}

/// Whether lanes that make this call side by side each walk through memory of their own. They walk together, tile by
/// tile, where each does so element by element.
bool walksAlone(const Forest &forest, const Point &call) {
  return call.acrossCalls > Stride::Unit && synchronises(forest, call, hardware::SyncKind::CloseLoop);
}

/// Whether all partitions of a codelet suit the workers of a level.
bool tilingMatches(const Forest &forest, const Codelet &codelet, const std::string &level) {
  const hardware::Level *at = forest.hardware().find(level);
  if (!at || at->tiling == hardware::Tiling::Any) return false;
  bool some = false, all = true;
  walk(codelet.body, [&](const Partition &partition) {
    auto it = forest.facts().partitions.find(&partition);
    if (it == forest.facts().partitions.end()) return;
    some = true;
    all &= it->second.tiling == at->tiling;
  });
  return some && all;
}

/// Whether data says how much each call of a codelet's maps has to do: what a container bounds is a part that a callee
/// reads or writes.
bool boundByData(const Forest &forest, const Codelet &codelet) {
  auto bound = [](const Expr *arg) { return any<Sequence>(arg, [](const Sequence &s) { return s.container; }); };
  auto uses = [](std::size_t i, const Spectrum *callee) {
    return std::any_of(callee->codelets.begin(), callee->codelets.end(), [&](const Codelet *of) {
      return any<VarRef>(of->body, [&](const VarRef &ref) { return ref.name == of->params[i]->name; });
    });
  };
  return any<Map>(codelet.body, [&](const Map &map) {
    for (std::size_t i = 0; i < map.args.size(); ++i)
      for (const Spectrum *callee : forest.module().spectrums)
        if (callee->name == map.spectrum && bound(map.args[i]) && uses(i, callee)) return true;
    return false;
  });
}

/// Whether a codelet keeps something in containers of its own.
bool stores(const Codelet &codelet) {
  return any<Declare>(codelet.body, [](const Declare &d) { return d.type.isArray() && !d.extents.empty(); });
}

/// Whether workers change something that others change, too.
bool changesTogether(const Codelet &codelet) {
  return any<Atomic>(codelet.body, [](const Atomic &atomic) { return atomic.op != AtomicOp::OrderedAdd; });
}

} // namespace

std::vector<Plan> ParallelismFirst::choose(const Forest &forest, HeuristicContext &context) {
  known_.clear();
  std::vector<Plan> plans = RuleComparison::choose(forest, context);
  known_.clear();
  return plans;
}

const ParallelismFirst::Properties &ParallelismFirst::properties(const Forest &forest, const SizedPoint &point,
                                                                 const Alternative &alternative) const {
  if (auto it = known_.find({&alternative, point.expectation()}); it != known_.end()) return it->second;
  Properties result;
  if (alternative.rule == Rule::Distribute || alternative.rule == Rule::Split) {
    const hardware::Level *below = forest.hardware().find(alternative.to);
    std::uint64_t workers = below ? below->workers.count : 1;
    std::optional<std::uint64_t> work = less(point->work, point.expected().work),
                                 calls = less(point->elements, point.expected().elements);
    // Chunks of a map begin far apart.
    const hardware::Level *level = forest.hardware().find(point->level);
    bool far = scatters(forest, *point) ||
               (alternative.rule == Rule::Split && level && level->tiling == hardware::Tiling::Strided);
    bool few = work && (*work <= workers ||
                        (synchronises(forest, *point, hardware::SyncKind::CloseLoop) && *work < kTurns * workers));
    // Rows of which most workers would have none.
    few |= point.expected().units && *point.expected().units <= workers / 2;
    result.distributes = !few && (!calls || *calls > 1) && !far;
    result.enough = !calls || *calls > workers / 2;
    if (const SizedPoint call = point.child(alternative, 0); !call->isMap)
      for (std::size_t i : rulesAt(*call)) {
        const Alternative &with = call->alternatives[i];
        result.tiles |= with.codelet && with.codelet->coop && properties(forest, call, with).tiles;
        result.together |= with.codelet && changesTogether(*with.codelet);
      }
  } else if (alternative.rule == Rule::Serialize && scatters(forest, *point)) {
    const SizedPoint call = point.child(alternative, 0);
    for (std::size_t i : rulesAt(*call)) {
      const Properties &inner = properties(forest, call, call->alternatives[i]);
      result.leads = less(result.leads, inner.distributes || inner.vectorizes ? 0u : inner.leads);
    }
  } else if (alternative.codelet) {
    std::size_t own = alternative.children.size() - (alternative.guarded ? 1 : 0);
    bool hasMap = false;
    for (std::size_t i = 0; i < own; ++i) hasMap |= forest.point(alternative.children[i]).isMap;
    for (std::size_t i = 0; i < own; ++i) {
      const SizedPoint child = point.child(alternative, i);
      if (child->isMap != hasMap) continue;
      for (std::size_t b : rulesAt(*child)) {
        const Alternative &below = child->alternatives[b];
        if (!hasMap && below.rule != Rule::Select) continue;
        const Properties &inner = properties(forest, child, below);
        if (inner.leads) result.leads = less(result.leads, std::optional(*inner.leads + 1));
        result.distributes |= inner.distributes;
        result.vectorizes |= !hasMap && inner.vectorizes;
        result.matches |= inner.distributes && inner.matches;
        result.tiles |= hasMap && inner.distributes && inner.tiles;
        result.together |= hasMap && inner.distributes && inner.together;
        result.enough |= hasMap && inner.distributes && inner.enough;
      }
    }
    if (hasMap && walksAlone(forest, *point)) result.distributes = false;
    if (hasMap) result.matches = result.distributes && tilingMatches(forest, *alternative.codelet, point->level);
    result.vectorizes |= alternative.capability == Capability::Vector || alternative.capability == Capability::Matrix;
    const hardware::Level *level = forest.hardware().find(point->level);
    result.tiles |= level && level->memory("scratchpad") && forest.facts().onTiles.count(alternative.codelet);
    result.boundByData = boundByData(forest, *alternative.codelet);
    result.stores = stores(*alternative.codelet);
    result.idle = hasMap && !result.distributes && !result.leads;
  }
  return known_.emplace(std::pair(&alternative, point.expectation()), result).first->second;
}

bool ParallelismFirst::parallel(const Forest &forest, const SizedPoint &point) const {
  const std::vector<std::size_t> rules = rulesAt(*point);
  return std::any_of(rules.begin(), rules.end(), [&](std::size_t i) {
    const Properties &p = properties(forest, point, point->alternatives[i]);
    return p.distributes || p.vectorizes || p.leads;
  });
}

std::string ParallelismFirst::preferMapRule(const Forest &forest, const SizedPoint &point, const Alternative &a,
                                            const Properties &pa, const Alternative &b, const Properties &pb) const {
  if (pa.distributes != pb.distributes) return pa.distributes ? fmt::format("{} extracts parallelism", words(a)) : "";
  if (!pa.distributes && pa.leads != pb.leads)
    return less(pa.leads, pb.leads) == pa.leads
               ? fmt::format("lanes in lock step would touch memory far apart, and {} leads to those that do not",
                             words(a))
               : "";
  auto rank = [](const Alternative &x) { return x.rule == Rule::Distribute ? 0 : x.rule == Rule::Serialize ? 1 : 2; };
  bool split =
      (a.rule == Rule::Distribute && b.rule == Rule::Split) || (a.rule == Rule::Split && b.rule == Rule::Distribute);
  if (pa.distributes && split) {
    const Alternative &whole = a.rule == Rule::Distribute ? a : b, &halved = a.rule == Rule::Distribute ? b : a;
    std::string small = tooSmall(forest, point, whole.to);
    if (small.empty()) small = enoughForEachLane(forest, point, whole.to);
    bool element = parallel(forest, point.child(whole, 0)), chunk = parallel(forest, point.child(halved, 0));
    bool wantsSplit = (!element || !small.empty()) && chunk;
    if (wantsSplit != (a.rule == Rule::Split)) return "";
    if (wantsSplit && element) return small + ", and 'split' gives it many calls";
    return wantsSplit ? "'split' brings parallelism to the level below, where an element has none"
           : element  ? "an element of the map is parallel itself"
                      : "'split' would bring no more parallelism";
  }
  return rank(a) < rank(b) ? fmt::format("neither extracts parallelism, and {} is simpler", words(a)) : "";
}

std::string ParallelismFirst::prefer(const Forest &forest, const SizedPoint &point, const Alternative &a,
                                     const Alternative &b, unsigned iteration, unsigned iterations) const {
  const Properties &pa = properties(forest, point, a), &pb = properties(forest, point, b);
  if (point->isMap) return preferMapRule(forest, point, a, pa, b, pb);

  // The reason where a has something that b has not; "no" where it is the other way round.
  std::string verdict;
  auto differ = [&](bool inA, bool inB, auto reason) {
    if (inA == inB) return false;
    if (inA) verdict = reason();
    return true;
  };
  auto says = [&](std::string_view what) {
    return [&a, &b, what] { return fmt::format("{} {}, {} does not", words(a), what, words(b)); };
  };

  if (iteration < iterations) {
    // Lanes that each walk through a tile of their own cost more than they bring where lanes can work together.
    const hardware::Level *level = forest.hardware().find(point->level);
    auto misfit = [&](const Properties &p, const Properties &other) {
      return p.distributes && !p.matches && !other.distributes && other.vectorizes && level &&
             level->tiling != hardware::Tiling::Any;
    };
    if (misfit(pa, pb)) return "";
    if (misfit(pb, pa))
      return fmt::format("{} vectorizes, and the tiling of {} does not suit level '{}'", words(a), words(b),
                         point->level);
    if (differ(pa.distributes, pb.distributes, says("distributes work"))) return verdict;
    if (pa.distributes) {
      if (differ(pa.tiles, pb.tiles, [&] {
            return fmt::format("calls of the map of {} compute on tiles in scratchpad memory, those of {} do not",
                               words(a), words(b));
          }))
        return verdict;
      // Lanes in lock step wait for the longest call among them; fewer workers take calls as they come to an end.
      if (synchronises(forest, *point, hardware::SyncKind::Relaunch)) {
        if (differ(!pa.boundByData, !pb.boundByData, [&] {
              return fmt::format(
                  "the calls of the map of {} have as much to do each, of those of {} data says how much", words(a),
                  words(b));
            }))
          return verdict;
      } else if (differ(!pa.together, !pb.together, [&] {
                   return fmt::format("calls of the map of {} change by atomic operations what others change, too",
                                      words(b));
                 })) {
        return verdict;
      }
      if (differ(pa.enough, pb.enough, [&] {
            return fmt::format("no map of {} has calls for more than half of the workers, one of {} has", words(b),
                               words(a));
          }))
        return verdict;
      if (differ(!pa.stores, !pb.stores, [&] {
            return fmt::format("{} stores in a container of its own what {} does not need", words(b), words(a));
          }))
        return verdict;
      if (differ(pa.matches, pb.matches, [&] {
            return fmt::format("the tiling of {} suits level '{}', that of {} does not", words(a), point->level,
                               words(b));
          }))
        return verdict;
    } else {
      if (differ(pa.vectorizes, pb.vectorizes, says("vectorizes"))) return verdict;
      if (pa.leads != pb.leads)
        return less(pa.leads, pb.leads) == pa.leads ? fmt::format("{} leads to parallelism further down, {} {}",
                                                                  words(a), words(b), pb.leads ? "later" : "does not")
                                                    : "";
      if (differ(computes(a), computes(b), says("computes"))) return verdict;
      if (differ(!pa.idle, !pb.idle, [&] { return fmt::format("the map of {} brings no parallelism", words(b)); }))
        return verdict;
    }
  } else {
    if (differ(computes(a), computes(b), says("computes"))) return verdict;
    if (computes(a) && differ(pa.vectorizes, pb.vectorizes, says("vectorizes"))) return verdict;
  }
  if (differ(tunable(forest, a), tunable(forest, b), says("has a tunable"))) return verdict;
  if (differ(!a.guarded, !b.guarded, [&] { return fmt::format("{} needs a check at run time", words(b)); }))
    return verdict;
  return "";
}

} // namespace tangram
