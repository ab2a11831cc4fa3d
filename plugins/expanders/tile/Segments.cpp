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

class Finder {
public:
  Finder(const RangeNest &nest, const std::vector<const Stmt *> &body, Arena &arena)
      : nest_(nest), arena_(arena), perPoint_(nest::declaredIn(body)), written_(nest::writtenIn(body)) {
    const std::size_t n = nest.loops.size();
    for (std::size_t l = n > 2 ? n - 2 : 0; l < n; ++l) { // others are taken number by number
      const Declare &iterator = *nest.loops[l].iterator;
      const Expr *any = Build(arena, nest.loops[l].where).var(iterator.name, iterator.type);
      band_[iterator.name] = {any, any};
      perPoint_.insert(iterator.name);
    }
  }

  std::vector<Segment> run(const std::vector<const Stmt *> &body) {
    std::vector<Segment> segments;
    std::vector<const Stmt *> plain;
    auto flush = [&] {
      if (!plain.empty()) segments.push_back({{}, {}, 0, plain, plain});
      plain.clear();
    };
    for (const Stmt *s : body) {
      std::optional<Segment> chain = chainOf(s);
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
  /// The loop, where all points take the same turns. Iterators of a chain are the same for all points, too.
  std::optional<nest::LoopRange> together(const Stmt *s, const std::set<std::string> &chain, bool &follows) {
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

  std::optional<Segment> chainOf(const Stmt *s) {
    Segment result;
    result.source = {s};
    std::set<std::string> iterators;
    bool follows = false;
    for (std::optional<nest::LoopRange> next = together(s, iterators, follows); next;
         next = result.guard ? std::nullopt : together(s, iterators, follows)) {
      if (follows) result.guard = guardOf(*next);
      const auto *loop = as<For>(s);
      std::optional<Int> begin = literal(next->begin), end = literal(next->end);
      std::int64_t turns = begin && end && *end > *begin ? (*end - *begin + next->step - 1) / next->step : 0;
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
  Arena &arena_;
  nest::IteratorBox band_; // iterators of the patch's dimensions
  std::set<std::string> perPoint_, written_;
};

} // namespace

std::vector<Segment> segmentsOf(const RangeNest &nest, const std::vector<const Stmt *> &body, Arena &arena) {
  return Finder(nest, body, arena).run(body);
}

} // namespace tangram::tile
