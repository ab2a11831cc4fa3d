// Loops around the points of a patch, in panels of turns whose elements are loaded together.
#include "PatchWriter.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

const Expr *PatchWriter::hasTurn(const Segment &segment) const {
  const Expr *all = nullptr;
  for (std::size_t l = 0; l < segment.loops.size(); ++l) {
    const nest::LoopRange &r = segment.loops[l];
    for (const nest::LoopRange &o : segment.loops)
      if (mentions(r.begin, o.iterator) || mentions(r.end, o.iterator)) return nullptr;
    const Expr *turn = build_.less(r.begin, r.end);
    all = all ? build_.both(all, turn) : turn;
  }
  return all;
}

bool PatchWriter::followsChain(const Reference &r, const Segment &segment) const {
  return any<VarRef>(r.node, [&](const VarRef &v) {
    return std::any_of(segment.loops.begin(), segment.loops.end(),
                       [&](const nest::LoopRange &l) { return l.iterator == v.name; });
  });
}

Segment PatchWriter::ofPatch(Segment segment) const {
  if (!segment.guard) return segment;
  nest::LoopRange &range = segment.loops[0];
  range.begin = nest::extreme(build_, range.begin, corners(), nest::Extreme::Least);
  range.end = nest::extreme(build_, range.end, corners(), nest::Extreme::Greatest);
  return segment;
}

Stmts PatchWriter::chain(const Segment &of, const References &references) {
  fragments_.clear();
  Stmts stmts;
  Context context;
  const Segment segment = ofPatch(of);
  const Expr *turn = segment.guard ? nullptr : hasTurn(segment);
  // What the loops leave alone is loaded before them.
  for (const Reference &r : references.direct) {
    if (!turn || nest_.guard || !r.certain || !r.strides || followsChain(r, segment)) continue;
    if (const auto *same = sameFragment(r)) {
      use(r, *same, context);
      continue;
    }
    Fragment f{names_.fresh(r.container->name + "_of"), r.node->type, alongOf(r)};
    fragment(f, context, stmts, [&](const Context &here, const std::vector<const Expr *> &) {
      return build_.select(turn, replaced(r.node, here), build_.zero(r.node->type));
    });
    use(r, f, context);
  }
  // Loops around the panels.
  const auto product = contractions_.find(&of);
  Stmts inner = panels(segment, references, context, product == contractions_.end() ? nullptr : &product->second);
  for (std::size_t l = segment.panel; l-- > 0;) inner = looped(segment.loops[l], std::move(inner));
  stmts.insert(stmts.end(), inner.begin(), inner.end());
  return stmts;
}

bool PatchWriter::isOnePanel(const Segment &segment) const {
  const Ints &depths = options_.choices.depth;
  return segment.turns[segment.panel] > 0 &&
         segment.turns[segment.panel] <= *std::max_element(depths.begin(), depths.end());
}

Stmts PatchWriter::panels(const Segment &segment, const References &references, const Context &context,
                          const Contraction *product) {
  const nest::LoopRange &range = segment.loops[segment.panel];
  const std::int64_t known = segment.turns[segment.panel];
  const bool one = isOnePanel(segment);
  const Expr *depth = one ? number(known) : lanes_->depth();
  if (known > 0 && !one) depth = build_.select(build_.less(depth, number(known)), depth, number(known));
  std::vector<const Expr *> extents{depth};
  for (std::size_t l = segment.panel + 1; l < segment.loops.size(); ++l) extents.push_back(number(segment.turns[l]));

  const Expr *numbers = build_.var(names_.fresh(range.iterator + "_values"), range.containerType());
  const Expr *none = nullptr;
  const Expr *from = one ? build_.u64(0) : build_.var(names_.fresh("first_" + range.iterator), kSize);
  const Expr *size =
      known > 0 ? build_.u64(static_cast<std::uint64_t>(known)) : arena_.make<Size>(range.where, kSize, numbers, none);
  auto at = [&](const Expr *position) {
    return build_.cast(range.iteratorType, build_.element(numbers, {position}, range.type));
  };
  std::deque<Staged *> tiles;
  for (const Tile &t : references.tiles) tiles.push_back(&staged(t, extents));
  std::deque<Staged *> stored;
  for (const Tile &t : references.stored) stored.push_back(&staged(t, extents));
  const Expr *wide = build_.cast(kSize, depth);
  auto firstOf = [&](const Expr *panel) {
    Context first = atFirst();
    first.variables[range.iterator] = at(panel);
    for (std::size_t l = segment.panel + 1; l < segment.loops.size(); ++l)
      first.variables[segment.loops[l].iterator] = build_.cast(segment.loops[l].iteratorType, segment.loops[l].begin);
    return first;
  };
  const auto shapeDepth = options_.shape ? static_cast<std::int64_t>(options_.shape->k) : 1;
  const bool engine = product && (known <= 0 || known % shapeDepth == 0);
  std::optional<Stages> stages;
  if (!one) stages = this->stages(tiles, size, wide, from, firstOf);
  Stmts before, stmts;
  // Small numbers take a register each until they are packed.
  const bool ahead = options_.shape && options_.shape->type == options_.shape->sum();
  if (stages && engine && ahead && !segment.guard) {
    stmts = multiplyAhead(*product, tiles, depth, size, wide, from, *stages);
    stmts.insert(stmts.begin(), stages->before.begin(), stages->before.end());
    stmts.insert(stmts.begin(), build_.declare(as<VarRef>(numbers)->name, range.containerType(), range.range(arena_)));
    return stmts;
  }
  if (stages) {
    before = stages->before;
    stmts = {await(stages->ahead)};
    stmts.insert(stmts.end(), stages->next.begin(), stages->next.end());
  } else if (one && copies(tiles)) {
    stmts = {await(number(0))}; // nobody uses what was there before
    for (const Stmt *s : transfers(tiles, firstOf(from))) stmts.push_back(s);
    stmts.push_back(await(number(0)));
  } else {
    stmts = load(tiles, firstOf(from));
  }
  if (!stages && !one && lanes_->stages()) {
    // Software pipelining: the next panel is under way, to registers, while this one is used.
    auto fetch = [&](const Expr *panel) {
      Stmts loads = load(tiles, firstOf(panel), [&](const Staged &t, const Staged::Corner &corner, bool asks) {
        return t.fetch(corner, asks, names_);
      });
      return build_.when(build_.less(panel, size), std::move(loads));
    };
    const Expr *ahead = build_.less(number(1), lanes_->stages());
    for (const Staged *t : tiles) before.push_back(t->ownDeclaration());
    before.push_back(build_.when(ahead, {fetch(build_.u64(0))}));
    Stmts stores;
    for (const Staged *t : tiles) stores.push_back(t->store(names_));
    const Expr *next = build_.var(names_.fresh("next_" + range.iterator), kSize);
    stores.push_back(build_.declare(as<VarRef>(next)->name, kSize, build_.add(from, wide)));
    stores.push_back(fetch(next));
    stmts = {build_.when(ahead, std::move(stores), std::move(stmts))};
  }

  const Expr *left = build_.var(names_.fresh("left_" + range.iterator), kSize);
  const Expr *turns = build_.var(names_.fresh("turns"), kNumber);
  if (!one) {
    stmts.push_back(build_.declare(as<VarRef>(left)->name, kSize, build_.sub(size, from)));
    stmts.push_back(build_.declare(as<VarRef>(turns)->name, kNumber,
                                   build_.cast(kNumber, build_.select(build_.less(left, wide), left, wide))));
  }
  // A whole panel has a known number of turns.
  auto turning = [&](const Expr *many) {
    if (lanes_->inBlocks()) {
      for (const RangeLoop *d : dims_)
        block_.push_back(build_.var(names_.fresh("block_" + d->iterator->name), kNumber));
      for (auto &[name, kept] : kept_) kept.block = names_.fresh(name + "_of");
    }
    const Expr *turn = build_.var(names_.fresh("turn"), kNumber);
    std::vector<const Expr *> all{turn};
    Context here = context;
    std::vector<std::pair<std::string, const Stmt *>> iterators;
    auto iterator = [&](const nest::LoopRange &r, const Expr *value) {
      std::string name = names_.fresh(r.iterator);
      here.variables[r.iterator] = build_.var(name, r.iteratorType);
      iterators.push_back({name, build_.declare(name, r.iteratorType, value)});
    };
    iterator(range, at(build_.add(from, build_.cast(kSize, turn))));
    for (std::size_t l = segment.panel + 1; l < segment.loops.size(); ++l) {
      const nest::LoopRange &r = segment.loops[l];
      all.push_back(build_.var(names_.fresh("turn"), kNumber));
      const Expr *steps = build_.mul(build_.cast(r.iteratorType, all.back()), build_.integer(r.iteratorType, r.step));
      iterator(r, build_.add(build_.cast(r.iteratorType, r.begin), steps));
    }
    auto outside = fragments_;
    Turning turning{all, extents};
    turning.turns[0] = many;
    std::vector<Stmts> windows(all.size()); // loaded in front of each loop
    if (!options_.lockstep)
      for (const Staged *t : tiles)
        if (const std::optional<Sliding> slides = sliding(t->tile(), firstWrittenOut(segment, many == depth)))
          for (const Reference &r : t->tile().references) {
            const Fragment *same = sameFragment(r);
            use(r, same ? *same : window(*t, r, *slides, turning, windows[slides->first]), here);
          }
    Stmts body = innermost(segment, references, here, tiles, stored, all);
    fragments_ = outside;
    for (std::size_t l = all.size(); l-- > 0;) {
      if (mentions(body, iterators[l].first)) body.insert(body.begin(), iterators[l].second);
      body = {count(as<VarRef>(all[l])->name, kNumber, turning.turns[l], std::move(body))};
      body.insert(body.begin(), windows[l].begin(), windows[l].end());
    }
    return inBlocks(segment, std::move(body));
  };
  const Expr *all = one ? build_.boolean(true) : build_.equal(turns, depth);
  if (options_.lockstep)
    for (std::size_t d = 0; d < dims_.size(); ++d)
      all = build_.both(all, build_.binary(BinaryOp::Le, build_.cast(kSize, lanes_->size(d)),
                                           build_.sub(origins_[d].size, origins_[d].first)));
  whole_ = options_.lockstep;
  if (nest_.guard && whole_) {
    const Expr *there = nest::holds(build_, nest_.guard, corners(), nest::Quantifier::All);
    whole_ = there != nullptr;
    if (there) all = build_.both(all, there);
  }
  if (segment.guard) { // all points take all turns of the panel
    nest::IteratorBox box = corners();
    const Expr *last = build_.sub(build_.add(from, build_.cast(kSize, turns)), build_.u64(1));
    box[range.iterator] = {at(from), at(last)};
    const Expr *there = nest::holds(build_, segment.guard, box, nest::Quantifier::All);
    all = there ? build_.both(all, there) : build_.boolean(false);
  }
  Stmts whole;
  if (!isLiteral(all, 0)) whole = engine ? multiply(*product, tiles, depth) : turning(depth);
  whole_ = false;
  Stmts rest;
  if (!isLiteral(all, 1)) {
    const Expr *left = one ? depth : turns;
    guarded_ = segment.guard;
    rest = engine && !guarded_ ? multiply(*product, tiles, left, true) : turning(left);
    guarded_ = nullptr;
    stmts.push_back(build_.when(all, std::move(whole), std::move(rest)));
  } else {
    stmts.insert(stmts.end(), whole.begin(), whole.end());
  }
  for (const Stmt *s : drained(stored, firstOf(from), one ? depth : turns)) stmts.push_back(s);
  if (stages) stmts.insert(stmts.end(), stages->onward.begin(), stages->onward.end());
  before.insert(before.begin(), build_.declare(as<VarRef>(numbers)->name, range.containerType(), range.range(arena_)));
  if (one)
    before.insert(before.end(), stmts.begin(), stmts.end());
  else
    before.push_back(count(as<VarRef>(from)->name, kSize, size, std::move(stmts), wide));
  return before;
}

Stmts PatchWriter::drained(const std::deque<Staged *> &stored, const Context &first, const Expr *turns) {
  Stmts stmts;
  for (const Staged *tile : stored) {
    Staged::Corner corner = tile->corner(replacement(first), names_);
    const Strides &strides = tile->tile().strides;
    for (std::size_t l = 0; l < strides.size(); ++l) {
      const auto moved = std::find_if(strides[l].begin(), strides[l].end(), [](std::int64_t s) { return s != 0; });
      const auto d = static_cast<std::size_t>(moved - strides[l].begin());
      const Expr *count = turns;
      if (l < dims_.size()) {
        const Expr *size = lanes_->size(l), *rest = build_.sub(origins_[l].size, origins_[l].first);
        count = build_.select(build_.less(build_.cast(kSize, size), rest), size, build_.cast(kNumber, rest));
      } else if (l > dims_.size()) { // loops that a panel has in whole
        continue;
      }
      const std::string name = names_.fresh("stored");
      corner.declarations.push_back(build_.declare(name, kNumber, count));
      corner.count[d] = build_.var(name, kNumber);
      corner.begin[d] = *moved > 0 ? number(0) : build_.sub(tile->extent(d), corner.count[d]);
    }
    stmts.insert(stmts.end(), corner.declarations.begin(), corner.declarations.end());
    stmts.push_back(tile->drain(corner, names_));
  }
  return stmts;
}

bool PatchWriter::copies(const std::deque<Staged *> &tiles) const {
  return options_.copies && std::all_of(tiles.begin(), tiles.end(),
                                        [](const Staged *t) { return t->tile().container->type.element().isScalar(); });
}

Stmts PatchWriter::transfers(const std::deque<Staged *> &tiles, const Context &first) {
  return load(tiles, first, [&](const Staged &t, const Staged::Corner &corner, bool asks) {
    return t.transfer(corner, asks, options_.copies, names_);
  });
}

Stmts PatchWriter::inBlocks(const Segment &segment, Stmts body) {
  if (block_.empty()) return body;
  const std::vector<bool> along(dims_.size(), true);
  auto moved = [&](bool back) {
    return points({}, along, false, [&](const Context &here, const std::vector<const Expr *> &point) {
      Stmts moves;
      for (auto &[name, kept] : kept_) {
        if (!mentions(segment.body, name)) continue;
        const Expr *own = here.variables.at(name);
        const Expr *index = build_.add(build_.mul(ofAll(0, point[0]), lanes_->points(1)), ofAll(1, point[1]));
        const Expr *all = element(kept.array, kept.declare->type, index);
        moves.push_back(back ? build_.assign(all, own) : build_.assign(own, all));
      }
      return moves;
    });
  };
  Stmts before, behind;
  if (std::any_of(kept_.begin(), kept_.end(), [&](const auto &k) { return mentions(segment.body, k.first); })) {
    before = moved(false);
    behind = moved(true);
  }
  Stmts arrays;
  for (auto &[name, kept] : kept_)
    if (mentions(segment.body, name)) arrays.push_back(array(kept.block, kept.declare->type, pointsOf(along)));
  const std::vector<const Expr *> block = std::exchange(block_, {});
  arrays.insert(arrays.end(), before.begin(), before.end());
  arrays.insert(arrays.end(), body.begin(), body.end());
  arrays.insert(arrays.end(), behind.begin(), behind.end());
  // What columns share is used by all rows before the next ones.
  for (std::size_t d = 0; d < dims_.size(); ++d)
    arrays = {count(as<VarRef>(block[d])->name, kNumber, lanes_->blocks(d), std::move(arrays))};
  return arrays;
}

std::optional<PatchWriter::Stages> PatchWriter::stages(const std::deque<Staged *> &tiles, const Expr *size,
                                                       const Expr *wide, const Expr *from,
                                                       const std::function<Context(const Expr *)> &firstOf) {
  const Expr *count = lanes_->stages();
  const Ints &choices = options_.choices.stages;
  if (!copies(tiles) || !count || std::any_of(choices.begin(), choices.end(), [](Int n) { return n < 2; })) return {};
  for (Staged *t : tiles) t->buffers(count);
  Stages result;
  result.use = build_.var(names_.fresh("use"), kNumber);
  result.fill = build_.var(names_.fresh("fill"), kNumber);
  result.ahead = build_.sub(count, number(2));
  const Expr *last = build_.sub(count, number(1));
  auto copied = [&](const Expr *panel, const Expr *buffer) {
    for (Staged *t : tiles) t->use(buffer);
    Stmts all = transfers(tiles, firstOf(panel));
    for (Staged *t : tiles) t->use(result.use);
    return build_.when(build_.less(panel, size), std::move(all));
  };
  const Expr *stage = build_.var(names_.fresh("stage"), kNumber);
  const Expr *first = build_.var(names_.fresh("first"), kSize), *next = build_.var(names_.fresh("next"), kSize);
  result.before = {await(number(0)), // nobody uses what was there before
                   counted(stage, last,
                           {build_.declare(as<VarRef>(first)->name, kSize, build_.mul(build_.cast(kSize, stage), wide)),
                            copied(first, stage), await(last)}),
                   build_.declare(as<VarRef>(result.use)->name, kNumber, number(0), false),
                   build_.declare(as<VarRef>(result.fill)->name, kNumber, last, false)};
  result.next = {
      build_.declare(as<VarRef>(next)->name, kSize, build_.add(from, build_.mul(build_.cast(kSize, last), wide))),
      copied(next, result.fill)};
  for (const Expr *buffer : {result.use, result.fill})
    result.onward.push_back(
        build_.assign(buffer, build_.select(build_.equal(buffer, last), number(0), build_.add(buffer, number(1)))));
  return result;
}

Stmts PatchWriter::innermost(const Segment &segment, const References &references, Context context,
                             const std::deque<Staged *> &tiles, const std::deque<Staged *> &stored,
                             const std::vector<const Expr *> &turns) {
  Stmts stmts;
  auto shared = [&](const Reference &r, auto &&value) {
    std::vector<bool> along = alongOf(r);
    if (std::all_of(along.begin(), along.end(), [](bool b) { return b; })) return;
    const Fragment *same = sameFragment(r);
    Fragment f = same ? *same : Fragment{names_.fresh(r.container->name + "_of"), r.node->type, along, true};
    if (!same) fragment(f, context, stmts, value);
    use(r, f, context);
  };
  for (const Staged *t : tiles)
    for (const Reference &r : t->tile().references)
      shared(r, [&](const Context &, const std::vector<const Expr *> &point) {
        std::vector<const Expr *> at = positions(point);
        at.insert(at.end(), turns.begin(), turns.end());
        return t->element(r, at);
      });
  for (const Reference &r : references.direct)
    if (r.certain && r.strides && !nest_.guard && !guarded_ && !context.elements.count(r.node))
      shared(r, [&](const Context &here, const std::vector<const Expr *> &) { return replaced(r.node, here); });
  // Lanes of vectors load neighbours together where no point stands in for another one.
  const bool neighbours =
      options_.lockstep && std::any_of(references.direct.begin(), references.direct.end(), [&](const Reference &r) {
        return r.strides && moves(*r.strides, dims_.size() - 1);
      });
  bool only = touchesWritten(segment.body) || loadsBehindGuard(references) || trusting(segment, references) ||
              (neighbours && !whole_);
  const Stmts body = guarded_ ? Stmts{build_.when(guarded_, segment.body)} : segment.body;
  std::deque<Staged *> all = tiles;
  all.insert(all.end(), stored.begin(), stored.end());
  for (const Stmt *s : forAll(body, context, only || guarded_, all, turns)) stmts.push_back(s);
  return stmts;
}

} // namespace tangram::tile
