#include "TimeTiles.h"
#include "Captures.h"
#include "TimeSteps.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Codelets.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tangram::divide {

using namespace ast;
using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

namespace {

const Type kLocal = Scalar::I32; // coordinates within a tile, and origins of tiles
const Type kWide = Scalar::I64;
constexpr std::int64_t kLargest = std::int64_t{1} << 30; // extents, so that these do not overflow
constexpr std::int64_t kNoLane = 1 << 15;                // behind each tile's end

/// Scalars that are declared in front of a loop, keep their value and follow from sizes and other scalars alone, as far
/// as the loop mentions them: whoever does its work may compute them anew.
Stmts scalarsInFront(const Codelet &codelet, const For *loop) {
  const std::set<std::string> assigned = assignedVariables(codelet.body);
  std::vector<const Declare *> found;
  for (const Stmt *s : codelet.body->stmts) {
    if (s == loop) break;
    const auto *d = dyn<Declare>(s);
    if (d && d->init && d->type.isScalar() && d->extents.empty() && !d->tunable && !assigned.count(d->name) &&
        !hasEffects(d->init) && !contains<Subscript>(d->init) && !contains<Call>(d->init))
      found.push_back(d);
  }
  std::set<const Declare *> needed;
  for (std::size_t i = found.size(); i-- > 0;) {
    bool used = mentions(loop, found[i]->name);
    for (const Declare *other : needed) used |= mentions(other->init, found[i]->name);
    if (used) needed.insert(found[i]);
  }
  Stmts result;
  for (const Declare *d : found)
    if (needed.count(d)) result.push_back(d);
  return result;
}

/// What codelets of steps have in common.
class StepCode {
public:
  StepCode(const nest::Nest &nest, const TimeSteps &steps, const Captures &captures, const Stmts &inFront, Arena &arena)
      : steps_(steps), captures_(captures), inFront_(inFront), arena_(arena), build_(arena, steps.range.where),
        rank_(steps.rank) {
    names_.reserveAll(nest.codelet);
  }

protected:
  const Expr *local(std::int64_t n) const { return build_.integer(kLocal, n); }
  const Expr *wide(std::int64_t n) const { return build_.integer(kWide, n); }
  const Expr *constant(Stmts &to, const std::string &name, const Type &type, const Expr *value) {
    const std::string own = names_.fresh(name);
    to.push_back(build_.declare(own, type, value));
    return build_.var(own, type);
  }
  const Expr *tunable(Stmts &to, const std::string &name, const Ints &values, const std::string &follows = "") {
    const std::string own = names_.fresh(name);
    const auto *any = arena_.make<Tunable>(steps_.range.where, Int{1}, Int{0}, Int{1}, values, follows);
    const Expr *none = nullptr;
    to.push_back(arena_.make<Declare>(steps_.range.where, own, kLocal, false, false, Exprs{}, any, none));
    return build_.var(own, kLocal);
  }
  const Expr *sizeOf(const VarRef *container, std::size_t d) const {
    const Expr *none = nullptr;
    return arena_.make<Size>(steps_.range.where, kSize, static_cast<const Expr *>(container),
                             rank_ == 1 ? none : build_.u64(d));
  }
  /// The extent of the grid: of all containers whose elements move from one to another.
  const Expr *gridSize(Stmts &to, std::size_t d) {
    const Expr *all = nullptr;
    for (const GridState &s : steps_.states) {
      if (s.overwrittenBy) continue;
      const Expr *one = constant(to, "extent", kWide, build_.cast(kWide, sizeOf(s.container, d)));
      all = all ? constant(to, "extent", kWide, build_.max(all, one)) : one;
    }
    return all;
  }
  /// Elements beside a tile, on both sides.
  const Expr *beside(std::size_t d, const Expr *depth) const { return build_.mul(local(2 * steps_.reach[d]), depth); }
  /// Elements of a tile along a dimension: `wished`, with those beside it, unless these are more than half of that. So
  /// rows that lanes go through are as long as they are many.
  const Expr *ownSize(std::size_t d, const Expr *wished, const Expr *depth) const {
    const Expr *more = beside(d, depth);
    return build_.select(build_.less(build_.mul(more, local(2)), wished), build_.sub(wished, more), wished);
  }
  const Expr *tilesAlong(const Expr *size, const Expr *tile) const {
    const Expr *width = build_.cast(kWide, tile);
    return build_.div(build_.sub(build_.add(size, width), wide(1)), width);
  }
  const Stmt *loop(const Expr *counter, const Expr *from, const Expr *to, const Expr *by, Stmts body) const {
    const Expr *step =
        isLiteral(by, 1)
            ? static_cast<const Expr *>(arena_.make<Unary>(steps_.range.where, counter->type, UnaryOp::PreInc, counter))
            : arena_.make<Assign>(steps_.range.where, counter->type, AssignOp::Add, counter, by);
    return arena_.make<For>(steps_.range.where, build_.declare(as<VarRef>(counter)->name, counter->type, from, false),
                            build_.less(counter, to), step, build_.block(std::move(body)));
  }
  const GridState *stateOf(const std::string &name) const {
    for (const GridState &s : steps_.states)
      if (s.container->name == name) return &s;
    return nullptr;
  }

  const TimeSteps &steps_;
  const Captures &captures_;
  const Stmts &inFront_;
  Arena &arena_;
  Build build_;
  Names names_;
  std::size_t rank_;
};

/// The cooperative codelet of a tile.
class TileWriter final : public StepCode {
public:
  using StepCode::StepCode;

  struct Params {
    const Param *tile = nullptr;
    std::vector<const Param *> sizes;
    const Param *depth = nullptr, *first = nullptr, *count = nullptr, *last = nullptr;
    std::map<std::string, const Param *> next; // where elements of containers go to
    std::vector<const Param *> all;
  };

  const Params &params() {
    const auto add = [&](const std::string &name, const Type &type, Access access = Access::In) {
      p_.all.push_back(arena_.make<Param>(steps_.range.where, names_.fresh(name), type, access));
      return p_.all.back();
    };
    p_.tile = add("tile", kSize);
    for (std::size_t d = 0; d < rank_; ++d) p_.sizes.push_back(add(fmt::format("size_{}", d), kLocal));
    p_.depth = add("depth", kLocal);
    p_.first = add("first", kWide);
    p_.count = add("count", kLocal);
    p_.last = add("last", Scalar::Bool);
    for (const Param *c : captures_.params) {
      const GridState *state = stateOf(c->name);
      if (!state || state->overwrittenBy) {
        p_.all.push_back(c);
        continue;
      }
      p_.all.push_back(arena_.derive(c, [](Param &copy) { copy.access = Access::In; }));
      p_.next[c->name] = add("next_" + c->name, c->type, Access::InOut);
    }
    return p_;
  }

  const Codelet *run(const TimeTileChoices &choices) {
    const nest::Codelets make(arena_, steps_.range.where);
    columns_ = !choices.lockstep;
    Exprs wishes;
    for (std::size_t d = 0; d < rank_; ++d) {
      const Ints &sizes = choices.of(rank_);
      wishes.push_back(tunable(stmts_, fmt::format("tile_{}", d), sizes, p_.sizes[d]->name));
    }
    depth_ = tunable(stmts_, "steps", choices.steps, p_.depth->name);
    const Expr *wished = rank_ > 1 && columns_ ? tunable(stmts_, "lanes", choices.lanes) : nullptr;
    stmts_.insert(stmts_.end(), inFront_.begin(), inFront_.end());
    Exprs extents;
    for (std::size_t d = 0; d < rank_; ++d) {
      const Expr *own = ownSize(d, wishes[d], depth_);
      extents.push_back(build_.add(own, beside(d, depth_)));
      tile_.push_back(constant(stmts_, fmt::format("own_{}", d), kLocal, own));
    }
    Exprs arrays = extents;
    if (!columns_)
      for (std::size_t d = 1; d < rank_; ++d) arrays = {build_.mul(arrays[0], extents[d])};
    for (const GridState &s : steps_.states) {
      const std::string own = names_.fresh(s.container->name + "_tile");
      const Tunable *noTunable = nullptr;
      const Expr *none = nullptr;
      stmts_.push_back(arena_.make<Declare>(steps_.range.where, own, s.container->type.element(), false, true, arrays,
                                            noTunable, none));
      tiles_[s.container->name] = own;
    }
    for (std::size_t d = 0; d < rank_; ++d) {
      halo_.push_back(constant(stmts_, fmt::format("halo_{}", d), kLocal, build_.mul(local(steps_.reach[d]), depth_)));
      extent_.push_back(constant(stmts_, fmt::format("extent_{}", d), kLocal, extents[d]));
      skipped_.push_back(constant(
          stmts_, fmt::format("skipped_{}", d), kLocal,
          build_.mul(local(steps_.reach[d]), build_.sub(depth_, make.use(p_.count))))); // where fewer steps are done
    }
    lanes(wished);
    origins();
    bounds();
    for (const GridState &s : steps_.states) load(s);
    steps();
    for (const GridState &s : steps_.states) store(s);
    return make.codelet("steps", p_.all, std::move(stmts_), true);
  }

private:
  void lanes(const Expr *wished) {
    const Expr *lane = constant(stmts_, "lane", kLocal, build_.cast(kLocal, arena_.make<CoopIdx>(where(), kLane)));
    const Expr *all = constant(stmts_, "all_lanes", kLocal, build_.cast(kLocal, arena_.make<CoopDim>(where(), kLane)));
    if (!wished) {
      lane_ = {local(0), lane};
      lanes_ = {local(1), all};
      return;
    }
    const Expr *across = constant(stmts_, "across", kLocal, build_.min(wished, all));
    const Expr *down = constant(stmts_, "down", kLocal, build_.div(all, across));
    // Lanes that are left over have nothing.
    const Expr *row =
        build_.select(build_.less(lane, build_.mul(across, down)), build_.div(lane, across), local(kNoLane));
    lane_ = {constant(stmts_, "lane_down", kLocal, row),
             constant(stmts_, "lane_across", kLocal, build_.rem(lane, across))};
    lanes_ = {down, across};
  }

  void origins() {
    const nest::Codelets make(arena_, where());
    const Expr *rest = constant(stmts_, "rest", kWide, build_.cast(kWide, make.use(p_.tile)));
    origin_.resize(rank_);
    for (std::size_t d = rank_; d-- > 0;) {
      const Expr *number = rest;
      if (d > 0) {
        const Expr *tiles =
            constant(stmts_, fmt::format("tiles_{}", d), kWide, tilesAlong(gridSize(stmts_, d), tile_[d]));
        number = build_.rem(rest, tiles);
        rest = constant(stmts_, "rest", kWide, build_.div(rest, tiles));
      }
      const Expr *begin = build_.mul(build_.cast(kLocal, number), tile_[d]);
      origin_[d] = constant(stmts_, fmt::format("origin_{}", d), kLocal, build_.sub(begin, halo_[d]));
    }
  }

  /// A coordinate of the grid within the tile, or that of its nearest end.
  const Expr *inTile(const std::string &name, std::size_t d, const Expr *coordinate) {
    for (const auto &[dimension, before, known] : coordinates_)
      if (dimension == d && equal(before, coordinate)) return known;
    const Expr *at = constant(stmts_, name, kWide, build_.sub(coordinate, build_.cast(kWide, origin_[d])));
    const Expr *end = constant(stmts_, name, kWide, build_.min(at, build_.cast(kWide, extent_[d])));
    const Expr *result = constant(stmts_, name, kLocal, build_.cast(kLocal, build_.max(end, wide(0))));
    coordinates_.emplace_back(d, coordinate, result);
    return result;
  }
  /// Where updates, and containers, begin and end.
  void bounds() {
    for (const GridUpdate &u : steps_.updates) {
      updates_.emplace_back();
      for (std::size_t d = 0; d < rank_; ++d)
        updates_.back().push_back({inTile("begin", d, u.begin[d]), inTile("end", d, u.end[d])});
    }
    for (const GridState &s : steps_.states)
      for (std::size_t d = 0; d < rank_; ++d)
        containers_[s.container->name].push_back(
            {inTile("begin", d, wide(0)), inTile("end", d, build_.cast(kWide, sizeOf(s.container, d)))});
  }

  using Bounds = std::vector<std::pair<const Expr *, const Expr *>>;
  Bounds narrowed(Stmts &to, const Bounds &of, const Exprs &margin) {
    Bounds result;
    for (std::size_t d = 0; d < rank_; ++d) {
      const Expr *behind = constant(to, "behind", kLocal, build_.sub(extent_[d], margin[d]));
      const Expr *begin = constant(to, "from", kLocal, build_.max(of[d].first, margin[d]));
      result.emplace_back(begin, constant(to, "until", kLocal, build_.min(of[d].second, behind)));
    }
    return result;
  }

  Exprs coordinates() {
    Exprs result;
    for (std::size_t d = 0; d < rank_; ++d) result.push_back(build_.var(names_.fresh(fmt::format("at_{}", d)), kLocal));
    return result;
  }
  /// A loop of which each iteration, of each lane, has elements of its own.
  const Stmt *apart(const Stmt *s) const {
    return arena_.derive(as<For>(s), [](For &copy) { copy.independentLanes = Flag::Yes; });
  }
  /// Lanes along rows, neighbours side by side. A device's lanes go down columns, where rows are as long as there are
  /// lanes along them, so that several loads are under way; a processor goes on along rows.
  const Stmt *byRows(const Bounds &bounds, const Exprs &at, Stmts body) {
    const std::size_t last = rank_ - 1;
    const auto along = [&](Stmts inner) {
      return loop(at[last], build_.add(bounds[last].first, lane_.back()), bounds[last].second, lanes_.back(),
                  std::move(inner));
    };
    if (rank_ == 1) return apart(along(std::move(body)));
    const auto down = [&](Stmts inner) {
      return loop(at[last - 1], build_.add(bounds[last - 1].first, lane_[0]), bounds[last - 1].second, lanes_[0],
                  std::move(inner));
    };
    const Stmt *s = columns_ ? along({down(std::move(body))}) : down({along(std::move(body))});
    return apart(rank_ > 2 ? loop(at[0], bounds[0].first, bounds[0].second, local(1), {s}) : s);
  }
  /// Each lane down the first dimension, so that it finds in registers what the last element was computed from.
  const Stmt *byColumns(Stmts &to, const Bounds &bounds, const Exprs &at, Stmts body) {
    if (rank_ == 1 || !columns_) return byRows(bounds, at, std::move(body));
    const Expr *begin = bounds[0].first, *end = bounds[0].second;
    if (rank_ == 2) {
      const Expr *rows = build_.sub(build_.add(build_.sub(end, begin), lanes_[0]), local(1));
      const Expr *band = constant(to, "band", kLocal, build_.div(rows, lanes_[0]));
      begin = constant(to, "top", kLocal, build_.add(begin, build_.mul(lane_[0], band)));
      const Expr *under = constant(to, "under", kLocal, build_.add(begin, band));
      end = constant(to, "bottom", kLocal, build_.min(end, under));
    }
    const std::size_t last = rank_ - 1;
    const Stmt *s = loop(at[0], begin, end, local(1), std::move(body));
    s = loop(at[last], build_.add(bounds[last].first, lane_.back()), bounds[last].second, lanes_.back(), {s});
    if (rank_ > 2) s = loop(at[1], build_.add(bounds[1].first, lane_[0]), bounds[1].second, lanes_[0], {s});
    return apart(s);
  }

  const Expr *inTile(const VarRef *container, const Exprs &at) const {
    const Type element = container->type.element();
    const Expr *array =
        build_.var(tiles_.at(container->name), Type::array(static_cast<unsigned>(dimensions()), element));
    if (columns_) return build_.element(array, at, element);
    const Expr *place = nullptr;
    for (std::size_t d = 0; d < rank_; ++d) place = place ? build_.add(build_.mul(place, extent_[d]), at[d]) : at[d];
    return build_.element(array, {place}, element);
  }
  /// Of arrays: lanes of vectors gather from those of one dimension.
  std::size_t dimensions() const { return columns_ ? rank_ : 1; }
  const Expr *inGrid(const std::string &name, const Type &type, const Exprs &at) const {
    Exprs indices;
    for (std::size_t d = 0; d < rank_; ++d) indices.push_back(build_.cast(kSize, build_.add(origin_[d], at[d])));
    return build_.element(build_.var(name, type), indices, type.element());
  }

  void load(const GridState &s) {
    Stmts stmts;
    const Bounds bounds = narrowed(stmts, containers_[s.container->name], skipped_);
    const Exprs at = coordinates();
    const Stmt *copy = build_.assign(inTile(s.container, at), inGrid(s.container->name, s.container->type, at));
    if (!s.overwrittenBy) {
      stmts.push_back(byRows(bounds, at, {copy}));
      stmts_.push_back(build_.block(std::move(stmts)));
      return;
    }
    // Only what stays as it is, where there is such.
    const auto outside = [&](auto &&from, auto &&until) {
      const Expr *any = nullptr;
      for (std::size_t d = 0; d < rank_; ++d) {
        const auto &[begin, end] = updates_[*s.overwrittenBy][d];
        for (const Expr *one : {build_.less(from(d), begin), build_.less(end, until(d))})
          any = any ? build_.binary(BinaryOp::LogicalOr, any, one) : one;
      }
      return any;
    };
    const auto here = [&](std::size_t d) { return at[d]; };
    const auto behind = [&](std::size_t d) { return build_.add(at[d], local(1)); };
    const Stmt *all = byRows(bounds, at, {build_.when(outside(here, behind), {copy})});
    stmts.push_back(build_.when(
        outside([&](std::size_t d) { return bounds[d].first; }, [&](std::size_t d) { return bounds[d].second; }),
        {all}));
    stmts_.push_back(build_.block(std::move(stmts)));
  }

  void store(const GridState &s) {
    Stmts stmts;
    const Bounds bounds =
        narrowed(stmts, s.overwrittenBy ? updates_[*s.overwrittenBy] : containers_[s.container->name], halo_);
    const Exprs at = coordinates();
    const std::string &to = s.overwrittenBy ? s.container->name : p_.next.at(s.container->name)->name;
    stmts.push_back(byRows(bounds, at, {build_.assign(inGrid(to, s.container->type, at), inTile(s.container, at))}));
    const nest::Codelets make(arena_, where());
    stmts_.push_back(s.overwrittenBy ? build_.when(make.use(p_.last), std::move(stmts))
                                     : build_.block(std::move(stmts)));
  }

  /// All steps of the tile; where it is far from the ends of all loops, no index is clamped.
  void steps() {
    const auto same = [](const GridUpdate &u) { return u.shifts == u.shiftsInside; };
    const bool dense = std::all_of(steps_.updates.begin(), steps_.updates.end(), [](const GridUpdate &u) {
      return std::none_of(u.iterators.begin(), u.iterators.end(), [](const std::string &i) { return i.empty(); });
    });
    if (!dense || std::all_of(steps_.updates.begin(), steps_.updates.end(), same)) {
      stmts_.push_back(step(false));
      return;
    }
    const Expr *inside = nullptr;
    for (const GridUpdate &u : steps_.updates)
      for (std::size_t d = 0; d < rank_; ++d) {
        const Expr *first = build_.cast(kWide, origin_[d]), *end = build_.add(first, build_.cast(kWide, extent_[d]));
        for (const Expr *left : {build_.sub(first, u.begin[d]), build_.sub(u.end[d], end)}) {
          const Expr *one = build_.binary(BinaryOp::Ge, left, wide(0));
          inside = inside ? build_.both(inside, one) : one;
        }
      }
    const Stmt *with = step(false), *without = step(true);
    stmts_.push_back(build_.when(inside, {without}, {with}));
  }

  const Stmt *step(bool inside) {
    const nest::Codelets make(arena_, where());
    const Expr *number = build_.var(names_.fresh("step"), kLocal);
    Stmts body;
    const std::string time = names_.fresh(steps_.range.iterator);
    const Expr *now = build_.add(make.use(p_.first), build_.mul(build_.cast(kWide, number), wide(steps_.range.step)));
    body.push_back(build_.declare(time, steps_.range.iteratorType, build_.exactCast(steps_.range.iteratorType, now)));
    const auto renamed = [&](const Stmt *s) {
      return substituted(arena_, s, [&](const VarRef *v) -> const Expr * {
        return v->name == steps_.range.iterator ? build_.var(time, v->type) : v;
      });
    };
    Stmts updates = steps_.declarations;
    Exprs margin = skipped_;
    for (std::size_t d = 0; d < rank_; ++d)
      margin[d] = build_.add(skipped_[d], build_.mul(number, local(steps_.reach[d])));
    std::vector<std::int64_t> done(rank_);
    for (std::size_t u = 0; u < steps_.updates.size(); ++u) {
      Stmts stmts;
      Exprs own;
      for (std::size_t d = 0; d < rank_; ++d) {
        done[d] += steps_.updates[u].reach[d];
        own.push_back(constant(stmts, "margin", kLocal, build_.add(margin[d], local(done[d]))));
      }
      const Bounds bounds = narrowed(stmts, updates_[u], own);
      const Exprs at = coordinates();
      stmts.push_back(byColumns(stmts, bounds, at, updated(steps_.updates[u], at, inside)));
      updates.push_back(build_.block(std::move(stmts)));
    }
    for (const Stmt *s : updates) body.push_back(renamed(s));
    const Stmt *all = loop(number, local(0), make.use(p_.count), local(1), std::move(body));
    return as<Stmt>(withOwnNames(arena_, all, names_));
  }

  /// The body of an update, with elements of the tile.
  Stmts updated(const GridUpdate &u, const Exprs &at, bool inside) {
    Stmts stmts;
    for (std::size_t d = 0; d < rank_; ++d)
      if (!u.iterators[d].empty() && mentions(u.body, u.iterators[d]))
        stmts.push_back(
            build_.declare(u.iterators[d], u.types[d], build_.exactCast(u.types[d], build_.add(origin_[d], at[d]))));
    const auto &shifts = inside ? u.shiftsInside : u.shifts;
    for (const Stmt *s : u.body->stmts) stmts.push_back(replaced(s, shifts, at));
    return stmts;
  }
  const Stmt *replaced(const Stmt *s, const std::map<const Subscript *, GridUpdate::Shift> &shifts, const Exprs &at) {
    const auto same = [](const VarRef *v) -> const Expr * { return v; };
    const std::function<const Expr *(const Subscript *)> element = [&](const Subscript *e) -> const Expr * {
      const auto *container = dyn<VarRef>(e->base);
      if (!container || !tiles_.count(container->name)) return nullptr;
      const auto known = shifts.find(e);
      Exprs place;
      for (std::size_t d = 0; d < rank_; ++d) {
        if (known != shifts.end() && known->second[d]) {
          place.push_back(build_.add(at[d], local(*known->second[d])));
          continue;
        }
        const Expr *index = substituted(arena_, e->indices[d], same, element);
        place.push_back(build_.sub(build_.cast(kLocal, index), origin_[d]));
      }
      return inTile(container, place);
    };
    return substituted(arena_, s, same, element);
  }

  SourceRange where() const { return steps_.range.where; }

  Params p_;
  bool columns_ = false;
  Stmts stmts_;
  Exprs tile_, halo_, extent_, skipped_, origin_, lane_, lanes_;
  const Expr *depth_ = nullptr;
  std::map<std::string, std::string> tiles_;
  std::vector<Bounds> updates_;
  std::map<std::string, Bounds> containers_;
  std::vector<std::tuple<std::size_t, const Expr *, const Expr *>> coordinates_; // of the grid, and in the tile
};

/// The compound codelet: pairs of maps over all tiles, from the containers to others and back.
class StepsWriter final : public StepCode {
public:
  using StepCode::StepCode;

  const Codelet *run(const std::string &tile, const TimeTileChoices &choices) {
    const nest::Codelets make(arena_, steps_.range.where);
    Stmts stmts;
    Exprs sizes;
    for (std::size_t d = 0; d < rank_; ++d) {
      sizes.push_back(tunable(stmts, fmt::format("tile_{}", d), choices.of(rank_)));
    }
    const Expr *depth = tunable(stmts, "steps", choices.steps);
    stmts.insert(stmts.end(), inFront_.begin(), inFront_.end());
    const nest::LoopRange &range = steps_.range;
    const Expr *begin = constant(stmts, "begin", kWide, build_.cast(kWide, range.begin));
    const Expr *end = constant(stmts, "end", kWide, build_.cast(kWide, range.end));
    const Expr *by = wide(range.step), *zero = wide(0), *one = wide(1), *two = wide(2);
    const Expr *length = build_.add(build_.sub(end, begin), build_.sub(by, one));
    const Expr *turns =
        constant(stmts, "turns", kWide, build_.select(build_.less(begin, end), build_.div(length, by), zero));
    // An even number of times, so that results end where they began.
    const Expr *most = build_.mul(build_.cast(kWide, depth), two);
    const Expr *pairs = constant(stmts, "pairs", kWide, build_.div(build_.sub(build_.add(turns, most), one), most));
    const Expr *halves = constant(stmts, "halves", kWide, build_.mul(build_.max(pairs, one), two));
    const Expr *each = constant(stmts, "each", kWide, build_.div(build_.sub(build_.add(turns, halves), one), halves));
    std::map<std::string, const Expr *> others;
    for (const GridState &s : steps_.states) {
      if (s.overwrittenBy) continue;
      const std::string own = names_.fresh("other_" + s.container->name);
      Exprs extents;
      for (std::size_t d = 0; d < rank_; ++d) extents.push_back(sizeOf(s.container, d));
      const Tunable *noTunable = nullptr;
      const Expr *none = nullptr;
      stmts.push_back(
          arena_.make<Declare>(range.where, own, s.container->type, false, false, extents, noTunable, none));
      others[s.container->name] = build_.var(own, s.container->type);
    }
    const Expr *tiles = nullptr;
    for (std::size_t d = 0; d < rank_; ++d) {
      const Expr *along = tilesAlong(gridSize(stmts, d), ownSize(d, sizes[d], depth));
      tiles = tiles ? build_.mul(tiles, along) : along;
    }
    tiles = constant(stmts, "tiles", kSize, build_.cast(kSize, tiles));
    const Expr *pair = build_.var(names_.fresh("pair"), kWide);
    Stmts body;
    for (const bool back : {false, true}) {
      const Expr *before = build_.mul(build_.add(build_.mul(pair, two), back ? one : zero), each);
      before = constant(body, "done", kWide, before);
      const Expr *left = constant(body, "left", kWide, build_.sub(turns, before));
      left = constant(body, "left", kWide, build_.max(build_.min(left, each), zero));
      const Expr *none = nullptr;
      Exprs args{arena_.make<Sequence>(range.where, Type::array(1, kSize), none, build_.u64(0), build_.u64(1), tiles)};
      args.insert(args.end(), sizes.begin(), sizes.end());
      args.push_back(depth);
      args.push_back(build_.add(begin, build_.mul(before, by)));
      args.push_back(build_.cast(kLocal, left));
      args.push_back(build_.both(build_.less(zero, left), build_.equal(build_.add(before, left), turns)));
      for (std::size_t i = 0; i < captures_.params.size(); ++i) {
        const std::string &name = captures_.params[i]->name;
        const auto other = others.find(name);
        const Expr *own = make.use(captures_.params[i]);
        if (other == others.end()) {
          args.push_back(own);
          continue;
        }
        args.push_back(back ? other->second : own);
        args.push_back(back ? own : other->second);
      }
      body.push_back(make.run(make.map(tile, Type(), args)));
    }
    stmts.push_back(loop(pair, zero, pairs, one, std::move(body)));
    const Codelet *codelet = make.codelet("tiles", captures_.params, std::move(stmts), false, true);
    Exprs conditions;
    for (const GridState &s : steps_.states)
      for (std::size_t d = 0; d < rank_; ++d)
        conditions.push_back(build_.binary(BinaryOp::Le, sizeOf(s.container, d), build_.u64(kLargest)));
    return arena_.derive(codelet, [&](Codelet &c) { c.conditions = conditions; });
  }
};

} // namespace

std::optional<TimeTiles> timeTiles(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                                   const std::string &name, const TimeTileChoices &choices, Names &names, Arena &arena,
                                   std::vector<nest::Remark> &refused) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return std::nullopt;
  for (const nest::Item &item : nest->items) {
    if (item.kind != nest::Item::Kind::Loop || std::none_of(item.body.begin(), item.body.end(), nest::hasLoop))
      continue;
    const For *loop = nest->loops[item.index].node;
    const auto &stmts = nest->codelet->body->stmts;
    if (std::find(stmts.begin(), stmts.end(), loop) == stmts.end()) continue;
    std::string why;
    const std::optional<TimeSteps> steps = timeSteps(*nest, item.index, arena, why);
    if (steps && choices.of(steps->rank).empty()) {
      refused.push_back({loop->range, fmt::format("there are no tiles of {} dimensions (time-tile-...)", steps->rank)});
      continue;
    }
    const auto conditions = nest::conditions(*nest, arena);
    if (steps && !conditions) why = "what the sizes have to be for nothing to wrap around cannot be said";
    const Stmts inFront = scalarsInFront(*nest->codelet, loop);
    Stmts together = inFront;
    together.push_back(loop);
    const std::optional<Captures> captures =
        steps && conditions ? capturesOf(*nest, together, {}, {}, arena, why) : std::nullopt;
    if (!captures || !captures->own.empty()) {
      refused.push_back({loop->range, why});
      continue;
    }
    const nest::Codelets make(arena, loop->range);
    TileWriter tile(*nest, *steps, *captures, inFront, arena);
    const TileWriter::Params &params = tile.params();
    const std::string prefix = spectrum.name + "_" + name, tileName = names.fresh(prefix + "_tile");
    TimeTiles result;
    const Codelet *loops = withTables(make.codelet("loops", captures->params, together), *nest->codelet, arena);
    const Codelet *tiles = StepsWriter(*nest, *steps, *captures, inFront, arena).run(tileName, choices);
    result.spectrums.push_back(make.spectrum(names.fresh(prefix + "_steps"), Type(), captures->params, {loops, tiles}));
    const Codelet *cooperative = withTables(tile.run(choices), *nest->codelet, arena);
    result.spectrums.push_back(make.spectrum(tileName, Type(), params.all, {cooperative}));
    Stmts all;
    for (const Stmt *s : stmts)
      all.push_back(s == loop ? make.run(make.call(result.spectrums[0]->name, Type(), captures->arguments)) : s);
    result.codelet = arena.derive(nest->codelet, [&](Codelet &c) {
      c.name = c.tag = name;
      c.body = arena.derive(nest->codelet->body, [&](Block &b) { b.stmts = std::move(all); });
      c.conditions.insert(c.conditions.end(), conditions->begin(), conditions->end());
    });
    return result;
  }
  return std::nullopt;
}

} // namespace tangram::divide
