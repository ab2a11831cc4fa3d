#include "References.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Footprint.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tangram::tile {

using namespace ast;

namespace {

const Node *elementOf(const Node *place) {
  while (const auto *m = dyn<Member>(place)) place = m->base;
  return place;
}

/// The access that a subscript is; null where the nest has none, or not its index.
const nest::Access *accessOf(const nest::Nest &nest, const Subscript *node) {
  for (const nest::Statement &s : nest.statements)
    for (const nest::Access &a : s.accesses)
      if (elementOf(a.node) == node && a.index) return &a;
  return nullptr;
}

/// b - a in each dimension, where these are numbers.
std::optional<std::vector<std::int64_t>> distance(const nest::Nest &nest, const nest::Access &a,
                                                  const nest::Access &b) {
  auto result = nest.isl.limited([&]() -> std::optional<std::vector<std::int64_t>> {
    std::vector<std::int64_t> all;
    for (std::size_t d = 0; d < a.index->size(); ++d) {
      isl::pw_aff between = (*b.index)[d].sub((*a.index)[d]);
      isl::val lo = between.min_val(), hi = between.max_val();
      if (!lo.is_int() || !lo.eq(hi)) return std::nullopt;
      all.push_back(lo.num_si());
    }
    return all;
  });
  return result ? *result : std::nullopt;
}

std::optional<Strides> stridesOf(const nest::Nest &nest, const nest::Access &access,
                                 const std::vector<unsigned> &loops) {
  constexpr std::int64_t kFar = 64; // a box of such strides has hardly anything in it
  Strides result;
  for (unsigned loop : loops) {
    auto along = nest::strides(nest, access, loop);
    if (!along) return std::nullopt;
    for (std::int64_t s : *along)
      if (std::abs(s) > kFar) return std::nullopt;
    result.push_back(*along);
  }
  return result;
}

bool alike(const std::vector<std::optional<Clamp>> &a, const std::vector<std::optional<Clamp>> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto &one, const auto &other) {
    return one.has_value() == other.has_value() && (!one || equal(one->whole, other->whole));
  });
}

/// Each element of the box is read more than once, or lanes would not read neighbours.
bool pays(const Strides &strides, std::size_t dims, bool hasChain, bool lockstep) {
  const std::size_t x = dims - 1, last = strides[0].size() - 1;
  bool elsewhere = false, other = false;
  for (std::size_t d = 0; d < last; ++d) elsewhere |= strides[x][d] != 0;
  for (std::size_t l = 0; l < strides.size(); ++l) other |= l != x && std::abs(strides[l][last]) == 1;
  if (strides[x][last] == 0 && elsewhere && other) return true; // transposed
  if (!hasChain) return false;
  bool inPanel = false;
  for (std::size_t l = dims; l < strides.size(); ++l) inPanel |= moves(strides, l);
  if (!inPanel) return false; // as well kept in registers
  for (std::size_t l = 0; l < dims; ++l)
    if (!moves(strides, l)) return true;   // shared by points along that loop
  if (dims == 1 && lockstep) return false; // vectors are loaded from anywhere
  for (std::size_t d = 0; d <= last; ++d) {
    std::size_t along = 0;
    for (const std::vector<std::int64_t> &of : strides) along += of[d] != 0;
    if (along > 1) return true; // windows of neighbouring points overlap
  }
  return false;
}

/// Lanes read neighbours of a tile: what moves with them is its fastest dimension.
std::vector<unsigned> orderOf(const Strides &strides, std::size_t dims, bool lockstep) {
  std::vector<unsigned> order;
  auto rank = [&](unsigned d) {
    for (std::size_t l = dims; l-- > (lockstep ? dims - 1 : 0);)
      if (strides[l][d] != 0) return l + 1;
    return std::size_t{0};
  };
  for (unsigned d = 0; d < strides[0].size(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  return order;
}

/// The loops of a patch and of its panel, of which the strides of a segment's references speak.
std::vector<unsigned> loopsOf(const std::vector<unsigned> &dims, const Segment &segment) {
  std::vector<unsigned> result = dims;
  for (std::size_t l = segment.panel; l < segment.loops.size(); ++l) result.push_back(segment.loops[l].loop);
  return result;
}

/// Whether positions of the loops are elements one to one, neighbours along each loop next to each other in a dimension
/// of its own, of which the last is not that of neighbouring lanes.
bool areRowsApart(const Strides &strides, std::size_t dims) {
  std::vector<bool> moved(strides[0].size(), false);
  for (const std::vector<std::int64_t> &along : strides) {
    if (std::count(along.begin(), along.end(), 0) + 1 != static_cast<std::ptrdiff_t>(along.size())) return false;
    const auto d = static_cast<std::size_t>(
        std::find_if(along.begin(), along.end(), [](std::int64_t s) { return s != 0; }) - along.begin());
    if (std::abs(along[d]) != 1 || moved[d]) return false;
    moved[d] = true;
  }
  return moved.back() && strides[dims - 1].back() == 0;
}

/// Whether the segment's store to `place` is the only one to its container, of which it reads nothing but that element,
/// in front of it; and where it does, whether nobody touches the container behind the segment.
bool isStoredOnce(const RangeNest &nest, const Segment &segment, std::size_t statement, const Subscript *place) {
  const std::string &name = as<VarRef>(place->base)->name;
  const auto mentions = [&](const Stmt *s) {
    std::size_t count = 0;
    walk(s, [&](const Node &n) {
      count += isa<VarRef>(&n) && as<VarRef>(&n)->name == name;
      return isa<Size>(&n) ? WalkResult::Skip : WalkResult::Advance;
    });
    return count;
  };
  const auto isStored = [&](const Expr *target) {
    const VarRef *root = rootVariable(target);
    return root && root->name == name;
  };
  std::size_t mentioned = 0, same = 0, stores = 0;
  for (std::size_t s = 0; s < segment.body.size(); ++s) {
    mentioned += mentions(segment.body[s]);
    if (s > statement) continue;
    walk(segment.body[s], [&](const Subscript &e) { same += &e != place && equal(&e, place); });
  }
  if (mentioned != 1 + same) return false;
  if (same == 0) return true;
  bool behind = false;
  for (const Stmt *s : nest.body) {
    walk(
        s, [&](const Assign &a) { stores += isStored(a.target); },
        [&](const Atomic &a) { stores += isStored(a.target); });
    if (std::find(segment.source.begin(), segment.source.end(), s) != segment.source.end())
      behind = true;
    else if (behind && mentions(s) != 0)
      return false;
  }
  return behind && stores == 1;
}

/// Tiles of what the segment stores.
std::vector<Tile> storedIn(const RangeNest &nest, const std::vector<unsigned> &dims, const Segment &segment,
                           const std::set<std::string> &declared, Arena &arena) {
  std::vector<Tile> result;
  if (segment.loops.empty() || !segment.around.empty() || segment.guard || nest.guard || !segment.repaired.empty())
    return result;
  std::set<std::string> own = declared; // variables that are not there where tiles are stored
  for (const RangeLoop &l : nest.loops) own.erase(l.iterator->name);
  for (const nest::LoopRange &l : segment.loops) own.erase(l.iterator);
  const Definitions definitions = definitionsIn(segment.body);
  for (std::size_t at = 0; at < segment.body.size(); ++at) {
    const auto *evaluate = dyn<Evaluate>(segment.body[at]);
    const auto *store = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
    const auto *place = store && store->op == AssignOp::Set ? dyn<Subscript>(store->target) : nullptr;
    const auto *base = place ? dyn<VarRef>(place->base) : nullptr;
    if (!base || !place->type.isScalar()) continue;
    const auto &params = nest.nest->codelet->params;
    const auto container =
        std::find_if(params.begin(), params.end(), [&](const Param *p) { return p->name == base->name; });
    if (container == params.end() || place->indices.size() != (*container)->type.rank()) continue;
    const nest::Access *access = accessOf(*nest.nest, place);
    if (!isStoredOnce(nest, segment, at, place) || !access || !access->certain) continue;
    const nest::Statement &statement = nest.nest->statements[access->statement];
    if (!statement.guards.empty() || !statement.exact) continue;
    std::vector<const Expr *> indices;
    for (const Expr *index : place->indices) indices.push_back(spelledOut(index, definitions, arena));
    if (std::any_of(indices.begin(), indices.end(), [&](const Expr *index) {
          return contains<Subscript>(index) ||
                 any<VarRef>(index, [&](const VarRef &v) { return own.count(v.name) != 0; });
        }))
      continue;
    const std::optional<Strides> strides = stridesOf(*nest.nest, *access, loopsOf(dims, segment));
    if (!strides || !areRowsApart(*strides, dims.size())) continue;
    const std::size_t rank = indices.size();
    const std::vector<std::int64_t> zeros(rank, 0);
    const Reference reference{
        place, std::move(indices), *container, strides, true, zeros, std::vector<std::optional<Clamp>>(rank), {}};
    result.push_back({*container, *strides, zeros, zeros, {reference}, orderOf(*strides, dims.size(), false)});
  }
  return result;
}

} // namespace

ZeroPadding zeroPadding(const RangeNest &nest, const Segment &segment, Arena &arena) {
  std::set<std::string> moving, variables = nest::declaredIn(nest.body), written = nest::writtenIn(nest.body);
  for (const RangeLoop &l : nest.loops) moving.insert(l.iterator->name);
  for (const auto *loops : {&segment.around, &segment.loops})
    for (const nest::LoopRange &l : *loops) moving.insert(l.iterator);
  variables.insert(written.begin(), written.end());
  for (const std::string &iterator : moving) variables.erase(iterator);
  return {segment.body, std::move(moving), std::move(variables), arena};
}

References referencesOf(const Module &module, const RangeNest &nest, const std::vector<unsigned> &dims,
                        const Segment &segment, const std::set<std::string> &written,
                        const std::set<std::string> &declared, const ZeroPadding &zeros, bool lockstep, Arena &arena) {
  References result;
  if (!lockstep) result.stored = storedIn(nest, dims, segment, declared, arena); // a vector's lanes store anywhere
  // An element that is stored in place is read from a tile of what was there before.
  const auto isUpdated = [&](const Subscript &e) {
    return std::any_of(result.stored.begin(), result.stored.end(), [&](const Tile &t) {
      const Subscript *place = t.references[0].node;
      return &e != place && equal(&e, place);
    });
  };
  const std::vector<unsigned> loops = loopsOf(dims, segment);
  std::set<std::string> iterators;
  for (const RangeLoop &l : nest.loops) iterators.insert(l.iterator->name);
  for (const auto *loops : {&segment.around, &segment.loops})
    for (const nest::LoopRange &l : *loops) iterators.insert(l.iterator);
  const Definitions definitions = definitionsIn(segment.body);
  std::map<const Subscript *, Padding> paddings;
  for (const Stmt *s : segment.body)
    walk(s, [&](const Conditional &choice) {
      if (const std::optional<Padding> padding = zeros.of(choice)) paddings[as<Subscript>(choice.then)] = *padding;
    });
  std::vector<std::pair<Reference, nest::Access>> found;
  for (const Stmt *s : segment.body)
    walk(s, [&](const Subscript &sub) {
      const auto *base = dyn<VarRef>(sub.base);
      if (!base || !base->type.isArray() || nest.ranges.count(base->name)) return;
      if (written.count(base->name) && !isUpdated(sub)) return;
      const Param *container = nullptr;
      for (const Param *p : nest.nest->codelet->params)
        if (p->name == base->name) container = p;
      if (!container || sub.indices.size() != container->type.rank()) return;
      // Variables of the body are not there where tiles are loaded.
      std::vector<const Expr *> indices;
      for (const Expr *index : sub.indices) indices.push_back(spelledOut(index, definitions, arena));
      for (const Expr *index : indices)
        if (nest::touchesElements(index, written) ||
            any<VarRef>(index, [&](const VarRef &v) { return declared.count(v.name) && !iterators.count(v.name); }))
          return;
      const nest::Access *access = accessOf(*nest.nest, &sub);
      if (!access) return;
      bool certain = access->certain && nest.nest->statements[access->statement].guards.empty() &&
                     nest.nest->statements[access->statement].exact;
      nest::Access free = *access;
      std::vector<std::optional<Clamp>> clamps;
      for (std::size_t d = 0; d < indices.size(); ++d) {
        clamps.push_back(clampOf(module, *nest.nest, *access, indices[d], iterators, arena));
        if (clamps[d]) (*free.index)[d] = clamps[d]->value;
      }
      // Where an index is clamped as well, the choice stays where it is.
      if (std::any_of(clamps.begin(), clamps.end(), [](const auto &c) { return c.has_value(); })) paddings.erase(&sub);
      std::optional<Strides> strides = stridesOf(*nest.nest, free, loops);
      found.push_back(
          {{&sub, std::move(indices), container, std::move(strides), certain, {}, std::move(clamps), paddings[&sub]},
           std::move(free)});
    });

  std::vector<const nest::Access *> firsts; // of tiles
  for (auto &[reference, access] : found) {
    if (!reference.strides || !pays(*reference.strides, dims.size(), !segment.loops.empty(), lockstep)) {
      result.direct.push_back(reference);
      continue;
    }
    bool placed = false;
    for (std::size_t t = 0; t < result.tiles.size() && !placed; ++t) {
      Tile &tile = result.tiles[t];
      if (tile.container != reference.container || tile.strides != *reference.strides) continue;
      if (!alike(tile.references[0].clamps, reference.clamps) || !alike(tile.references[0].padding, reference.padding))
        continue;
      auto offset = distance(*nest.nest, *firsts[t], access);
      constexpr std::int64_t kNear = 16;
      if (!offset || std::any_of(offset->begin(), offset->end(), [](std::int64_t o) { return std::abs(o) > kNear; }))
        continue;
      for (std::size_t d = 0; d < offset->size(); ++d) {
        tile.least[d] = std::min(tile.least[d], (*offset)[d]);
        tile.most[d] = std::max(tile.most[d], (*offset)[d]);
      }
      reference.offset = *offset;
      tile.references.push_back(reference);
      placed = true;
    }
    if (placed) continue;
    const std::size_t rank = reference.node->indices.size();
    reference.offset.assign(rank, 0);
    firsts.push_back(&access);
    result.tiles.push_back({reference.container,
                            *reference.strides,
                            std::vector<std::int64_t>(rank, 0),
                            std::vector<std::int64_t>(rank, 0),
                            {reference},
                            orderOf(*reference.strides, dims.size(), lockstep)});
  }
  return result;
}

void arrangeForReuse(RangeNest &nest, const std::set<std::string> &written) {
  const std::size_t n = nest.loops.size();
  if (n < 3) return;
  auto moved = [&](const nest::Access &a, std::size_t l) { // where that is not known, it is
    const auto along = nest::strides(*nest.nest, a, nest.loops[l].loop);
    return !along || std::any_of(along->begin(), along->end(), [](std::int64_t step) { return step != 0; });
  };
  std::vector<std::size_t> reused(n - 1, 0);
  for (const nest::Statement &s : nest.nest->statements) {
    if (s.loops.size() <= n) continue; // not in a serial loop
    for (const nest::Access &a : s.accesses) {
      const nest::Variable &v = nest.nest->variables[a.variable];
      if (!v.given || !v.container || written.count(v.name) || !a.index || a.index->empty()) continue;
      const bool byLast = moved(a, n - 1);
      for (std::size_t l = 0; l + 1 < n; ++l) reused[l] += !byLast || !moved(a, l);
    }
  }
  std::size_t best = n - 2;
  for (std::size_t l = n - 2; l-- > 0;)
    if (reused[l] > reused[best]) best = l;
  std::rotate(nest.loops.begin() + static_cast<std::ptrdiff_t>(best),
              nest.loops.begin() + static_cast<std::ptrdiff_t>(best) + 1, nest.loops.end() - 1);
}

std::size_t contiguousLoop(const RangeNest &nest, const std::set<std::string> &written) {
  const std::size_t n = nest.loops.size();
  std::size_t best = n - 1;
  if (n < 2) return best;
  std::array<std::array<int, 2>, 2> votes{}; // by loop: of what is written, of what is read
  for (const nest::Statement &s : nest.nest->statements)
    for (const nest::Access &a : s.accesses) {
      const nest::Variable &v = nest.nest->variables[a.variable];
      if (!v.given || !v.container || !a.index || a.index->empty()) continue;
      for (std::size_t l = 0; l < 2; ++l) {
        auto along = nest::strides(*nest.nest, a, nest.loops[n - 2 + l].loop);
        bool contiguous = along && std::abs(along->back()) == 1;
        votes[l][written.count(v.name) ? 0 : 1] += contiguous;
      }
    }
  if (votes[0] > votes[1]) best = n - 2;
  return best;
}

} // namespace tangram::tile
