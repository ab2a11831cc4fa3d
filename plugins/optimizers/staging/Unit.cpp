#include "Unit.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::staging {

using namespace ast;

Unit::Unit(const Context &context, const Addresses &addresses, const Scratchpad &scratchpad, const Loop &loop,
           std::uint64_t rowBytes)
    : context_(context), addresses_(addresses), scratchpad_(scratchpad), loop_(loop),
      b_(context.pass.arena, loop.range), workers_(context.levels.workers(loop.level)), rowBytes_(rowBytes) {}

namespace {

/// The statements of a block, or of a loop.
const Block *around(const Stmt *s) {
  if (const auto *loop = dyn<Loop>(s)) return loop->body;
  if (const auto *loop = dyn<For>(s)) return loop->body;
  return as<Block>(s);
}

const Stmt *withBody(Arena &arena, const Stmt *s, const Block *body) {
  auto change = [&](auto &copy) { copy.body = body; };
  if (const auto *loop = dyn<Loop>(s)) return arena.derive(loop, change);
  if (const auto *loop = dyn<For>(s)) return arena.derive(loop, change);
  return body;
}

} // namespace

// ---- what is staged ----

bool Unit::find(const Stmts &all) {
  bool any = false;
  for (const Stmt *s : all) any |= add(s);
  return any;
}

bool Unit::add(const Stmt *s) {
  if (const auto *block = dyn<Block>(s)) return find(block->stmts);
  std::optional<Counted> loop = counted(b_.arena(), s);
  if (!loop) return false;
  // A loop around others, if all workers go through it together.
  if (addresses_.uniform(loop->begin) && addresses_.uniform(loop->end) && addresses_.uniform(loop->step)) {
    addresses_.enter(loop->variable);
    if (find(loop->body->stmts)) return true;
    addresses_.leave(loop->variable);
  }
  if (!isLiteral(loop->step, 1)) return false;
  const std::optional<Int> begin = loop->begin ? addresses_.known().value(loop->begin) : std::nullopt;
  const std::optional<Int> end = addresses_.known().value(loop->end);
  Staged staged;
  staged.loop = *loop;
  staged.uniform = addresses_.uniform(loop->begin) && addresses_.uniform(loop->end);
  for (Stream &stream : streams(b_.arena(), addresses_, *loop, loop_.var)) {
    // What a worker reads of a row at a time is loaded at a time, anyway.
    if (begin && end && (*end - *begin) * static_cast<Int>(stream.element.bytes()) < static_cast<Int>(kSector))
      continue;
    Tile tile;
    tile.stream = std::move(stream);
    staged.tiles.push_back(std::move(tile));
  }
  // What all workers share is in a cache after the first read: staged beside others, but no reason by itself.
  bool worthwhile =
      std::any_of(staged.tiles.begin(), staged.tiles.end(), [](const Tile &t) { return !t.stream.shared; });
  if (!worthwhile) return false;
  if (!reserve(staged)) {
    ++refused_;
    return false;
  }
  found_.push_back(std::move(staged));
  return true;
}

bool Unit::reserve(Staged &staged) {
  std::uint64_t widest = 1;
  for (const Tile &t : staged.tiles) widest = std::max<std::uint64_t>(widest, t.stream.element.bytes());
  std::uint64_t columns = staged.columns = std::max<std::uint64_t>(1, rowBytes_ / widest);
  std::vector<Scratchpad::Array> wanted;
  for (Tile &t : staged.tiles) {
    const Stream &stream = t.stream;
    t.pitch = stream.shared ? columns : scratchpad_.pitch(stream.element, columns);
    wanted.push_back({"tile", stream.element, stream.shared ? columns : t.pitch * workers_});
    if (!stream.shared && !stream.distance) wanted.push_back({"starts", Scalar::U64, workers_});
  }
  if (!staged.uniform) wanted.push_back({"counts", Scalar::U64, workers_});
  auto names = scratchpad_.reserve(context_.names, loop_.level, wanted);
  if (!names) return false;
  auto next = names->begin();
  for (Tile &t : staged.tiles) {
    t.name = *next++;
    if (!t.stream.shared && !t.stream.distance) t.starts = *next++;
  }
  if (!staged.uniform) staged.counts = *next++;
  return true;
}

/// Whether workers without an iteration of their own can get past it.
bool Unit::transformable(const Stmt *s) const {
  auto isStaged = [&](const Stmt &inner) {
    return std::any_of(found_.begin(), found_.end(), [&](const Staged &f) { return f.loop.loop == &inner; });
  };
  if (const auto *d = dyn<Declare>(s))
    return !d->init || speculable(d->init) || addresses_.uniform(d->init) ||
           (d->extents.empty() && b_.zero(d->type) != nullptr);
  if (const auto *view = dyn<View>(s)) {
    auto harmless = [](const Expr *e) { return speculable(e); };
    return speculable(view->offset) && std::all_of(view->sizes.begin(), view->sizes.end(), harmless) &&
           std::all_of(view->strides.begin(), view->strides.end(), harmless);
  }
  if (isStaged(*s) || !any<Stmt>(s, isStaged)) return true;
  const Block *body = around(s);
  return std::all_of(body->stmts.begin(), body->stmts.end(), [&](const Stmt *inner) { return transformable(inner); });
}

// ---- writing it ----

const Stmt *Unit::sync() const { return b_.arena().make<Sync>(loop_.range, loop_.level); }

const Expr *Unit::at(const std::string &array, const Type &element, const Expr *index) const {
  return b_.element(b_.var(array, Type::array(1, element)), {index}, element);
}

const Stmt *Unit::upTo(const std::string &variable, const Expr *begin, const Expr *end, const Expr *step,
                       Stmts body) const {
  const Type &type = step->type;
  const Expr *v = b_.var(variable, type);
  return b_.arena().make<For>(loop_.range, b_.declare(variable, type, begin, false), b_.less(v, end),
                              b_.arena().make<Assign>(loop_.range, type, AssignOp::Add, v, step),
                              b_.block(std::move(body)));
}

const Stmt *Unit::run() {
  bool possible = find(loop_.body->stmts) && std::all_of(loop_.body->stmts.begin(), loop_.body->stmts.end(),
                                                         [&](const Stmt *s) { return transformable(s); });
  if (!possible) return nullptr;
  Names &names = context_.names;
  lane_ = names.fresh("worker");
  const Type &type = loop_.varType;
  const Expr *worker = b_.cast(type, b_.var(lane_, Scalar::U32));
  const Expr *count = b_.integer(type, static_cast<Int>(workers_));

  std::optional<Int> begin = literal(loop_.begin), end = literal(loop_.end);
  bool once = begin && end && *end >= *begin && static_cast<std::uint64_t>(*end - *begin) <= workers_;
  if (once && *end == *begin) return nullptr; // in each round some worker has an iteration
  bool all = once && static_cast<std::uint64_t>(*end - *begin) == workers_;
  std::string round = once ? "" : names.fresh(loop_.var + "_round");
  first_ = once ? loop_.begin : b_.var(round, type);
  std::string mine = all ? "" : names.fresh("mine");
  mine_ = all ? b_.boolean(true) : b_.var(mine, Scalar::Bool);

  for (Staged &staged : found_) staged.count = names.fresh(staged.loop.variable + "_count");

  Stmts body;
  body.push_back(b_.declare(loop_.var, type, b_.add(first_, worker)));
  if (!all) body.push_back(b_.declare(mine, Scalar::Bool, b_.less(b_.var(loop_.var, type), loop_.end)));
  stmts(loop_.body->stmts, body);
  if (!once) body = {upTo(round, loop_.begin, loop_.end, count, std::move(body))};
  return b_.arena().make<Cooperate>(loop_.range, lane_, b_.integer(Scalar::U32, static_cast<Int>(workers_)),
                                    loop_.level, b_.block(std::move(body)));
}

void Unit::stmts(const Stmts &in, Stmts &out) {
  auto isStaged = [&](const Stmt &s) {
    return std::any_of(found_.begin(), found_.end(), [&](const Staged &f) { return f.loop.loop == &s; });
  };
  for (const Stmt *s : in) {
    auto staged = std::find_if(found_.begin(), found_.end(), [&](const Staged &f) { return f.loop.loop == s; });
    if (staged != found_.end()) {
      walk(*staged, out);
    } else if (const auto *d = dyn<Declare>(s)) {
      declare(d, out);
    } else if (isa<View>(s) || isa<Alloc>(s)) {
      out.push_back(s);
    } else if (any<Stmt>(s, isStaged)) {
      Stmts inner;
      stmts(around(s)->stmts, inner);
      out.push_back(withBody(b_.arena(), s, b_.block(std::move(inner))));
    } else {
      out.push_back(literal(mine_) ? s : b_.when(mine_, {s}));
    }
  }
}

/// What reads memory or may trap is for those who have an iteration; but what all have alike, some worker asks for, and
/// all may.
void Unit::declare(const Declare *d, Stmts &out) {
  if (literal(mine_) || !d->init || speculable(d->init) || addresses_.uniform(d->init)) return out.push_back(d);
  out.push_back(b_.declare(d->name, d->type, b_.zero(d->type), false));
  out.push_back(b_.when(mine_, {b_.assign(b_.var(d->name, d->type), d->init)}));
}

/// The inner loop, as many iterations of all workers at a time as a tile has columns.
void Unit::walk(const Staged &staged, Stmts &out) {
  Stmts outer;
  const Expr *most = counts(staged, outer);
  std::string from = context_.names.fresh(staged.loop.variable + "_from");
  Stmts body;
  for (const Tile &t : staged.tiles)
    if (t.stream.loads)
      body.push_back(t.stream.shared ? row(staged, t, u64(from), most) : rows(staged, t, u64(from), most, true));
  body.push_back(sync());
  body.push_back(compute(staged, u64(from)));
  body.push_back(sync());
  bool seen = false; // what is stored
  for (const Tile &t : staged.tiles) {
    if (!t.stream.stores) continue;
    body.push_back(rows(staged, t, u64(from), most, false));
    seen |= writtenElsewhere(staged, t);
  }
  outer.push_back(upTo(from, b_.u64(0), most, b_.u64(staged.columns), std::move(body)));
  if (seen) outer.push_back(sync());
  out.push_back(b_.block(std::move(outer)));
}

} // namespace tangram::staging
