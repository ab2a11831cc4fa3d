#include "Segments.h"

#include "tangram/nest/Extremes.h"
#include "tangram/nest/Statements.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

namespace {

constexpr std::int64_t kMostTurns = 32; // of a loop that a panel has in whole
constexpr std::int64_t kFewTurns = 16;  // of a loop that is as well done point by point

/// How many turns a loop of the nest has whenever it is come to; 0: they differ, or are not known.
std::int64_t turnsOf(const nest::Nest &nest, unsigned number) {
  const nest::Loop &loop = nest.loops[number];
  if (!loop.begin) return 0;
  const auto turns = nest.isl.limited([&]() -> std::int64_t {
    const isl::set values = nest.points(loop.values, {number});
    const isl::set reached = loop.reached.intersect(nest.assumed);
    if (!reached.is_subset(values.params())) return 0;
    const isl::pw_aff last = isl::manage(isl_set_dim_max(values.copy(), 0));
    const isl::pw_aff length = last.sub(*loop.begin).intersect_params(reached);
    const isl::val least = length.min_val(), most = length.max_val();
    return least.is_int() && least.eq(most) ? least.num_si() / loop.step + 1 : 0;
  });
  return turns.value_or(0);
}

class Finder {
public:
  Finder(const RangeNest &nest, bool nested, Arena &arena)
      : nest_(nest), nested_(nested), arena_(arena), perPoint_(nest::declaredIn(nest.body)),
        written_(nest::writtenIn(nest.body)) {
    const std::size_t n = nest.loops.size();
    for (std::size_t l = n > 2 ? n - 2 : 0; l < n; ++l) { // others are taken number by number
      const Declare &iterator = *nest.loops[l].iterator;
      const Expr *any = Build(arena, nest.loops[l].where).var(iterator.name, iterator.type);
      band_[iterator.name] = {any, any};
      perPoint_.insert(iterator.name);
    }
  }

  std::vector<Segment> run(const std::vector<const Stmt *> &body, const std::vector<nest::LoopRange> &around = {}) {
    std::vector<Segment> segments;
    std::vector<const Stmt *> plain;
    auto flush = [&] {
      if (!plain.empty()) segments.push_back({around, {}, {}, 0, plain, plain});
      plain.clear();
    };
    for (const Stmt *s : body) {
      if (const std::optional<nest::LoopRange> loop = nested_ ? holdsSegments(s, around) : std::nullopt) {
        flush();
        std::vector<nest::LoopRange> loops = around;
        loops.push_back(*loop);
        std::vector<Segment> inner = run(as<For>(s)->body->stmts, loops);
        std::move(inner.begin(), inner.end(), std::back_inserter(segments));
        continue;
      }
      std::optional<Segment> chain = chainOf(s, around);
      if (!chain) {
        plain.push_back(s);
        continue;
      }
      flush();
      segments.push_back(std::move(*chain));
    }
    flush();
    return segments;
  }

private:
  static std::set<std::string> iteratorsOf(const std::vector<nest::LoopRange> &loops) {
    std::set<std::string> result;
    for (const nest::LoopRange &l : loops) result.insert(l.iterator);
    return result;
  }

  /// A loop that all points go through together, with statements beside another such loop, whose turns are not few.
  std::optional<nest::LoopRange> holdsSegments(const Stmt *s, const std::vector<nest::LoopRange> &around) const {
    bool follows = false;
    std::optional<nest::LoopRange> range = together(s, iteratorsOf(around), follows);
    if (!range || follows) return std::nullopt;
    std::vector<nest::LoopRange> loops = around;
    loops.push_back(*range);
    const std::vector<const Stmt *> &body = as<For>(s)->body->stmts;
    for (const Stmt *inner : body) // each variable of a point is kept by its name
      if (const auto *d = dyn<Declare>(inner); d && declarations(d->name) > 1) return std::nullopt;
    const bool holds = std::any_of(body.begin(), body.end(), [&](const Stmt *inner) {
      if (holdsSegments(inner, loops)) return true;
      const std::optional<nest::LoopRange> loop = together(inner, iteratorsOf(loops), follows);
      if (body.size() < 2 || !loop || follows) return false;
      const std::int64_t turns = turnsOf(*nest_.nest, loop->loop);
      return turns == 0 || turns > kFewTurns;
    });
    return holds ? range : std::nullopt;
  }

  std::size_t declarations(const std::string &name) const {
    std::size_t count = 0;
    for (const Stmt *s : nest_.body) walk(s, [&](const Declare &d) { count += d.name == name; });
    return count;
  }

  /// The loop, where all points take the same turns. Iterators of a chain are the same for all points, too.
  std::optional<nest::LoopRange> together(const Stmt *s, const std::set<std::string> &chain, bool &follows) const {
    const auto *loop = dyn<For>(s);
    if (!loop || jumpsOut(loop->body)) return std::nullopt;
    for (unsigned n = 0; n < nest_.nest->loops.size(); ++n) {
      const nest::Loop &l = nest_.nest->loops[n];
      if (l.node != loop || !l.exact) continue;
      std::string why;
      std::optional<nest::LoopRange> range = nest::rangeOf(*nest_.nest, n, arena_, why);
      if (!range || assignedVariables(loop->body).count(l.variable)) return std::nullopt;
      for (const Expr *e : {range->begin, range->end})
        if (hasEffects(e) || nest::touchesElements(e, written_) || any<VarRef>(e, [&](const VarRef &v) {
              return perPoint_.count(v.name) && !chain.count(v.name) && !band_.count(v.name);
            }))
          return std::nullopt;
      const bool begins = mentionsBand(range->begin);
      follows = begins || mentionsBand(range->end);
      if (!follows) return range;
      const Build build(arena_, range->where);
      const bool monotone = nest::extreme(build, range->begin, band_, nest::Extreme::Least) &&
                            nest::extreme(build, range->end, band_, nest::Extreme::Greatest);
      return monotone && chain.empty() && (!begins || range->step == 1) ? range : std::nullopt;
    }
    return std::nullopt;
  }

  bool mentionsBand(const Expr *e) const {
    return any<VarRef>(e, [&](const VarRef &v) { return band_.count(v.name) > 0; });
  }

  /// begin <= iterator && iterator < end
  const Expr *guardOf(const nest::LoopRange &range) const {
    const Build build(arena_, range.where);
    const Expr *iterator = build.cast(range.type, build.var(range.iterator, range.iteratorType));
    return build.both(build.binary(BinaryOp::Le, range.begin, iterator), build.less(iterator, range.end));
  }

  std::optional<Segment> chainOf(const Stmt *s, const std::vector<nest::LoopRange> &around) const {
    Segment result;
    result.around = around;
    result.source = {s};
    std::set<std::string> iterators = iteratorsOf(around);
    bool follows = false;
    for (std::optional<nest::LoopRange> next = together(s, iterators, follows); next;
         next = result.guard ? std::nullopt : together(s, iterators, follows)) {
      if (follows) result.guard = guardOf(*next);
      const auto *loop = as<For>(s);
      std::optional<Int> begin = literal(next->begin), end = literal(next->end);
      std::int64_t turns = begin && end && *end > *begin ? (*end - *begin + next->step - 1) / next->step : 0;
      if (turns == 0 && result.loops.empty() && !follows) turns = turnsOf(*nest_.nest, next->loop);
      result.loops.push_back(*next);
      result.turns.push_back(turns);
      result.body = loop->body->stmts;
      iterators.insert(next->iterator);
      if (loop->body->stmts.size() != 1) break;
      s = loop->body->stmts[0];
    }
    if (result.loops.empty()) return std::nullopt;
    // Panels of a loop keep the order of each point's updates only if the loops inside are done in whole.
    result.panel = result.loops.size() - 1;
    while (result.panel > 0 && result.turns[result.panel] > 0 && result.turns[result.panel] <= kMostTurns)
      --result.panel;
    return result;
  }

  const RangeNest &nest_;
  bool nested_;
  Arena &arena_;
  nest::IteratorBox band_; // iterators of the patch's dimensions
  std::set<std::string> perPoint_, written_;
};

} // namespace

std::vector<Segment> segmentsOf(const RangeNest &nest, bool nested, Arena &arena) {
  return Finder(nest, nested, arena).run(nest.body);
}

} // namespace tangram::tile
