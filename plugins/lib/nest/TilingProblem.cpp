#include "tangram/nest/Schedule.h"
#include "tangram/nest/Tiling.h"

#include "tangram/ast/Build.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::nest {

namespace {

/// Turns that stand for a number that is not known, and the share of a loop that an outer tile has of it: so much more
/// than any inner tile has that it holds for all numbers.
constexpr std::int64_t kSomeTurns = 5, kManyTurns = 97;

std::string nameOf(const TiledLoop &loop, std::size_t tile) {
  return tile + 1 == loop.tiles.size() ? loop.loop.iterator : fmt::format("{}/{}", loop.loop.iterator, tile);
}

/// Iterations of the loop in one turn of each tile.
std::vector<std::int64_t> strides(const TiledLoop &loop) {
  std::vector<std::int64_t> result(loop.tiles.size(), 1);
  bool inner = true; // all tiles further in have known strides
  for (std::size_t k = loop.tiles.size(); k-- > 1;) {
    const Tile &t = loop.tiles[k];
    inner &= t.kind != Tile::Kind::Rest;
    std::optional<ast::Int> number = inner ? ast::literal(t.count) : std::nullopt;
    std::int64_t turns = inner ? number.value_or(kSomeTurns) : kManyTurns;
    result[k - 1] = result[k] * std::clamp<std::int64_t>(turns, 1, 1 << 12);
    result[k - 1] = std::min<std::int64_t>(result[k - 1], std::int64_t{1} << 30);
  }
  return result;
}

} // namespace

std::optional<TilingProblem> problemOf(const Nest &nest, const Tiling &tiling) {
  ast::SourceRange where;
  for (const TiledLoop &l : tiling.loops)
    if (!l.tiles.empty() && !where.valid()) where = l.tiles.front().range;
  for (const TiledLoop &l : tiling.loops) {
    bool known =
        std::any_of(nest.loops.begin(), nest.loops.end(), [&](const Loop &other) { return other.node == l.loop.node; });
    if (known) continue;
    std::string why = "it stands in something that is not analysed";
    for (const Remark &r : nest.remarks)
      if (r.range.line == l.loop.node->range.line && r.range.column == l.loop.node->range.column) why = r.message;
    return TilingProblem{false, where, fmt::format("loop '{}': {}", l.loop.iterator, why)};
  }

  // The tiles in the order of the source, and as they shall be.
  Schedule schedule(nest);
  std::vector<std::string> source, wanted;
  for (const TiledLoop &l : tiling.loops) {
    std::vector<std::int64_t> size = strides(l);
    for (std::size_t k = 0; k < l.tiles.size(); ++k) {
      source.push_back(nameOf(l, k));
      if (k + 1 == l.tiles.size()) continue;
      if (auto refusal = schedule.apply({Step::Kind::Tile, {l.loop.iterator}, size[k], nameOf(l, k), l.tiles[k].range}))
        return TilingProblem{false, l.tiles[k].range, refusal->message};
    }
  }
  std::vector<std::pair<std::string, const Tile *>> workers;
  for (std::size_t group = 0; group < tiling.workers.size(); ++group)
    for (const TiledLoop &l : tiling.loops)
      for (std::size_t k = 0; k < l.tiles.size(); ++k)
        if (l.tiles[k].kind == Tile::Kind::Worker && l.tiles[k].workers == group)
          workers.emplace_back(nameOf(l, k), &l.tiles[k]);
  for (const auto &[name, tile] : workers) wanted.push_back(name);
  for (const Tiling::Place &p : tiling.order) wanted.push_back(nameOf(tiling.loops[p.loop], p.tile));

  auto problem = [&](const Refusal &refusal, const ast::SourceRange &range) {
    bool sure = refusal.why == Refusal::Why::Scalar ||
                (refusal.why == Refusal::Why::Dependence && refusal.dependence && refusal.dependence->certain);
    std::string message = refusal.message;
    if (refusal.dependence && refusal.loop) message = describe(nest, *refusal.dependence, *refusal.loop);
    return TilingProblem{sure, range, message};
  };
  if (wanted != source)
    if (auto refusal = schedule.apply({Step::Kind::Order, wanted, 0, "", where})) return problem(*refusal, where);
  for (const auto &[name, tile] : workers)
    if (auto refusal = schedule.carried(name)) return problem(*refusal, tile->range);
  return std::nullopt;
}

} // namespace tangram::nest
