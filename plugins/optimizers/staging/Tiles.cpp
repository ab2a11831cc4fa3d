// What workers do with tiles: filling them, computing on them, emptying them.
#include "Unit.h"

#include "tangram/ast/Substitute.h"

#include <algorithm>

namespace tangram::staging {

using namespace ast;

namespace {
constexpr std::uint64_t kTogether = 8; // loads: what registers hold beside all else
}

bool Unit::writtenElsewhere(const Staged &staged, const Tile &tile) const {
  const std::string &buffer = tile.stream.buffer;
  return !addresses_.storage().readOnly(buffer) && addresses_.touchedOutside(buffer, staged.loop.loop);
}

/// Says how many iterations each worker has, and where it begins; gives the most that one has.
const Expr *Unit::counts(const Staged &staged, Stmts &out) {
  const Counted &loop = staged.loop;
  const Expr *whole = b_.sub(b_.cast(Scalar::U64, loop.end), b_.cast(Scalar::U64, loop.begin));
  const Expr *some = isLiteral(loop.begin, 0) && !loop.end->type.isSigned()
                         ? b_.boolean(true)
                         : b_.less(b_.cast(loop.end->type, loop.begin), loop.end);
  out.push_back(b_.declare(staged.count, Scalar::U64, b_.select(b_.both(mine_, some), whole, b_.u64(0))));
  // Others may still look at the counts of the round before, or have written what is loaded.
  bool open = !staged.uniform;
  for (const Tile &t : staged.tiles) open |= t.stream.loads && writtenElsewhere(staged, t);
  if (open) out.push_back(sync());
  bool told = false;
  auto tell = [&](const std::string &array, const Expr *value) {
    if (array.empty()) return;
    out.push_back(b_.assign(at(array, Scalar::U64, lane()), value));
    told = true;
  };
  tell(staged.counts, u64(staged.count));
  for (const Tile &t : staged.tiles) tell(t.starts, t.stream.start);
  if (told) out.push_back(sync());

  std::string most = context_.names.fresh(loop.variable + "_most");
  if (staged.uniform) {
    out.push_back(b_.declare(most, Scalar::U64, b_.select(some, whole, b_.u64(0))));
    return u64(most);
  }
  std::string other = context_.names.fresh("other");
  const Expr *its = at(staged.counts, Scalar::U64, u64(other));
  out.push_back(b_.declare(most, Scalar::U64, b_.u64(0), false));
  out.push_back(upTo(other, b_.u64(0), b_.u64(workers_), b_.u64(1), {b_.assign(u64(most), b_.max(u64(most), its))}));
  return u64(most);
}

/// A tile's rows, as far as any of them goes: what is left of short rows takes fewer accesses.
const Stmt *Unit::rows(const Staged &staged, const Tile &tile, const Expr *from, const Expr *most, bool load) {
  std::uint64_t fewest = std::min(staged.columns, kTogether);
  const Stmt *result = rows(staged, tile, from, most, load, staged.columns);
  for (std::uint64_t columns = staged.columns / 2; columns >= fewest && columns % 2 == 0; columns /= 2) {
    const Expr *wider = b_.less(b_.u64(columns), b_.sub(most, from));
    result = b_.when(wider, {result}, {rows(staged, tile, from, most, load, columns)});
  }
  return result;
}

/// Element by element of a tile's rows, neighbouring workers along a row: from the container, or to it. Several loads
/// of a worker are under way before the first is waited for.
const Stmt *Unit::rows(const Staged &staged, const Tile &tile, const Expr *from, const Expr *most, bool load,
                       std::uint64_t width) {
  Names &names = context_.names;
  const Stream &stream = tile.stream;
  Type index(Scalar::U32);
  std::uint64_t together = std::min(width, kTogether);
  std::string turn = names.fresh("turn");
  const Expr *batch = b_.integer(index, static_cast<Int>(together));
  const Expr *columns = b_.integer(index, static_cast<Int>(width));
  Stmts out;
  auto each = [&](auto &&body) {
    std::string copy = names.fresh("copy"), place = names.fresh("place"), row = names.fresh("row"),
                column = names.fresh("column");
    const Expr *nth =
        b_.mul(b_.add(b_.var(turn, index), b_.var(copy, index)), b_.integer(index, static_cast<Int>(workers_)));
    Stmts stmts{b_.declare(place, index, b_.add(nth, b_.var(lane_, index))),
                b_.declare(row, index, b_.div(b_.var(place, index), columns)),
                b_.declare(column, index, b_.rem(b_.var(place, index), columns))};
    body(b_.cast(Scalar::U64, b_.var(copy, index)), b_.cast(Scalar::U64, b_.var(row, index)),
         b_.cast(Scalar::U64, b_.var(column, index)), stmts);
    out.push_back(b_.arena().make<Loop>(loop_.range, copy, index, b_.integer(index, 0), batch, Policy::Unroll,
                                        context_.levels.worker->name, Counts{}, b_.block(std::move(stmts))));
  };
  auto inTile = [&](const Expr *row, const Expr *column) {
    return at(tile.name, stream.element, b_.add(b_.mul(row, b_.u64(tile.pitch)), column));
  };
  /// The element of the container, as part of a row; and whether it is there.
  auto inMemory = [&](const Expr *row, const Expr *column, Stmts &stmts) {
    std::string view = names.fresh(stream.buffer + "_row");
    const Expr *its = b_.add(b_.cast(Scalar::U64, first_), row);
    const Expr *count = staged.uniform ? most : at(staged.counts, Scalar::U64, row);
    const Expr *start =
        tile.starts.empty() ? b_.add(stream.first, b_.mul(its, stream.distance)) : at(tile.starts, Scalar::U64, row);
    const Expr *there = b_.less(b_.add(from, column), count);
    if (staged.uniform && !literal(mine_)) there = b_.both(b_.less(its, b_.cast(Scalar::U64, loop_.end)), there);
    stmts.push_back(b_.arena().make<View>(loop_.range, view, stream.element, stream.buffer, !stream.stores, start,
                                          std::vector<const Expr *>{count}, std::vector<const Expr *>{b_.u64(1)}));
    return std::pair{there, at(view, stream.element, b_.add(from, column))};
  };

  if (load) {
    std::string values = names.fresh(stream.buffer + "_values");
    out.push_back(b_.arena().make<Alloc>(loop_.range, values, stream.element,
                                         std::vector<const Expr *>{b_.u64(together)}, context_.levels.worker->name,
                                         "registers"));
    each([&](const Expr *copy, const Expr *row, const Expr *column, Stmts &stmts) {
      auto [there, element] = inMemory(row, column, stmts);
      stmts.push_back(b_.assign(at(values, stream.element, copy), b_.select(there, element, b_.zero(stream.element))));
    });
    each([&](const Expr *copy, const Expr *row, const Expr *column, Stmts &stmts) {
      stmts.push_back(b_.assign(inTile(row, column), at(values, stream.element, copy)));
    });
  } else {
    each([&](const Expr *, const Expr *row, const Expr *column, Stmts &stmts) {
      auto [there, element] = inMemory(row, column, stmts);
      stmts.push_back(b_.when(there, {b_.assign(element, inTile(row, column))}));
    });
  }
  return upTo(turn, b_.integer(index, 0), columns, batch, std::move(out));
}

/// Elements that all workers share.
const Stmt *Unit::row(const Staged &staged, const Tile &tile, const Expr *from, const Expr *most) {
  const Stream &stream = tile.stream;
  std::string column = context_.names.fresh("column"), view = context_.names.fresh(stream.buffer + "_row");
  const Stmt *window = b_.arena().make<View>(loop_.range, view, stream.element, stream.buffer, true, stream.start,
                                             std::vector<const Expr *>{most}, std::vector<const Expr *>{b_.u64(1)});
  const Expr *next = b_.add(from, u64(column));
  const Stmt *load =
      b_.when(b_.less(next, most),
              {window, b_.assign(at(tile.name, stream.element, u64(column)), at(view, stream.element, next))});
  return upTo(column, lane(), b_.u64(staged.columns), b_.u64(workers_), {load});
}

const Stmt *Unit::compute(const Staged &staged, const Expr *from) {
  Names &names = context_.names;
  const Counted &loop = staged.loop;
  std::string turn = names.fresh(loop.variable + "_turn"), here = names.fresh(loop.variable + "_here");
  const Expr *count = u64(staged.count), *columns = b_.u64(staged.columns), *left = b_.sub(count, from);
  const Block *body = substituted(
      b_.arena(), loop.body, [](const VarRef *v) { return v; },
      [&](const Subscript *place) -> const Expr * {
        for (const Tile &t : staged.tiles) {
          const auto &places = t.stream.places;
          if (std::find(places.begin(), places.end(), place) == places.end()) continue;
          const Expr *start = t.stream.shared ? b_.u64(0) : b_.mul(lane(), b_.u64(t.pitch));
          return at(t.name, t.stream.element, b_.add(start, u64(turn)));
        }
        return nullptr;
      });
  Stmts stmts{b_.declare(loop.variable, loop.type,
                         b_.add(b_.cast(loop.type, loop.begin), b_.cast(loop.type, b_.add(from, u64(turn)))))};
  stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
  return b_.block({b_.declare(here, Scalar::U64, b_.select(b_.less(from, count), b_.min(left, columns), b_.u64(0))),
                   upTo(turn, b_.u64(0), u64(here), b_.u64(1), std::move(stmts))});
}

} // namespace tangram::staging
