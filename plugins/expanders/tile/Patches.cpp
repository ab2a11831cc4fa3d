#include "PatchWriter.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Statements.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

bool mentions(const Stmts &stmts, const std::string &name) {
  return std::any_of(stmts.begin(), stmts.end(), [&](const Stmt *s) { return mentions(s, name); });
}

PatchWriter::PatchWriter(const Module &module, const Codelet &codelet, const RangeNest &nest, const TileSizes &sizes,
                         const PatchOptions &options, Arena &arena)
    : module_(module), codelet_(codelet), nest_(nest), sizes_(sizes), options_(options), arena_(arena),
      make_(arena, nest.loops[0].where), build_(make_.build()) {
  names_.reserveAll(&codelet);
  for (const Stmt *s : nest.body) names_.reserveAll(s);
  const std::size_t n = nest.loops.size();
  outer_ = n > 2 ? n - 2 : 0;
  written_ = nest::writtenIn(nest.body);
  const std::size_t x = contiguousLoop(nest, written_);
  for (std::size_t i = outer_; i < n; ++i)
    if (i != x) dims_.push_back(&nest.loops[i]);
  dims_.push_back(&nest.loops[x]);
  for (const RangeLoop *d : dims_) loops_.push_back(d->loop);
  containers_ = {};
  for (const Param *p : codelet.params)
    if (p->type.isArray()) containers_.insert(p->name);
}

const Codelet *PatchWriter::run(std::string &why) {
  why = forbidden();
  if (!why.empty()) return nullptr;
  segments_ = segmentsOf(nest_, options_.nested, arena_);
  const auto isNested = [](const Segment &s) { return !s.around.empty(); };
  if (options_.nested && std::none_of(segments_.begin(), segments_.end(), isNested)) {
    why = "no loop has statements beside a loop that all points go through together";
    return nullptr;
  }
  why = keep();
  if (!why.empty()) return nullptr;
  bool tiles = false, chains = false, panels = false, again = true;
  for (Segment &s : segments_) {
    again &= !touchesWritten(s.source) && s.around.empty();
    const ZeroPadding zeros = zeroPadding(nest_, s, arena_);
    if (!s.loops.empty() && again) {
      ZeroPadding::Body body = zeros.withZeros(s.body, keptOfScalars());
      s.body = std::move(body.stmts);
      s.repaired = std::move(body.sums);
    }
    references_.push_back(referencesOf(module_, nest_, loops_, s, written_, nest::declaredIn(nest_.body), zeros,
                                       options_.lockstep, arena_));
    std::set<const Subscript *> padded;
    for (const Tile &t : references_.back().tiles)
      for (const Reference &r : t.references)
        if (!r.padding.empty()) padded.insert(r.node);
    s.body = zeros.withoutChoices(s.body, padded);
    // Lanes find fragments in any order: neighbours of a container stay neighbours, to be copied together.
    if (options_.shape && options_.copies)
      for (Tile &t : references_.back().tiles) std::sort(t.order.begin(), t.order.end());
    tiles |= !references_.back().tiles.empty() || !references_.back().stored.empty();
    chains |= !s.loops.empty();
    panels |= !s.loops.empty() && !isOnePanel(s);
  }
  if (options_.shape && !findContractions()) {
    why = "it has no loop of sums of products of doubles, each of two that are staged";
    return nullptr;
  }
  if (!tiles) {
    why = chains ? "its points share nothing that they read in a loop"
                 : "no loop reads again what neighbouring points read, and they read neighbours";
    return nullptr;
  }
  std::vector<Tiled> tiled;
  for (const RangeLoop *d : dims_) {
    const Param *size = sizes_.at(d->loop);
    names_.reserve(size->name);
    tiled.push_back({d->iterator->name, size->name});
  }
  lanes_.emplace(make_, arena_, nest_.loops[0].where, options_.choices, tiled, panels, options_.shape, names_);

  Stmts body = patch();
  Stmts all(nest_.fixed.begin(), nest_.fixed.end());
  all.insert(all.end(), lanes_->declarations().begin(), lanes_->declarations().end());
  for (const Staged &tile : staged_) all.push_back(tile.declaration());
  all.insert(all.end(), body.begin(), body.end());
  std::vector<const Param *> params;
  for (const auto &[loop, size] : sizes_) params.push_back(size);
  params.insert(params.end(), codelet_.params.begin(), codelet_.params.end());
  const std::string name = options_.shape ? "fragments" : "patches";
  return make_.codelet(options_.nested ? "nested_" + name : name, params, std::move(all), true);
}

std::string PatchWriter::forbidden() const {
  if (!nest_.unconditional()) return "an index may wrap around, for sizes that cannot be asked for here";
  nest::Dependences dependences(*nest_.nest);
  for (const RangeLoop *d : dims_) {
    nest::Carried carried = dependences.carried(d->loop);
    bool atomics = carried.kind == nest::Carried::Kind::Reduction &&
                   std::all_of(carried.reductions.begin(), carried.reductions.end(),
                               [&](const nest::Reduction &r) { return r.atomic && (r.exact || options_.reorder); });
    if (carried.kind == nest::Carried::Kind::Nothing || atomics) continue;
    return carried.dependence ? nest::describe(*nest_.nest, *carried.dependence, d->loop)
                              : fmt::format("points of loop '{}' depend on each other", d->iterator->name);
  }
  for (const Stmt *s : nest_.body)
    if (contains<SpectrumCall>(s) || contains<Map>(s)) return "it calls a spectrum";
  return "";
}

std::string PatchWriter::keep() {
  for (std::size_t q = 0; q < segments_.size(); ++q) {
    if (!segments_[q].loops.empty()) continue;
    for (const Stmt *s : segments_[q].body) {
      const auto *d = dyn<Declare>(s);
      if (!d) continue;
      bool elsewhere = false;
      for (std::size_t other = 0; other < segments_.size(); ++other)
        elsewhere |= other != q && mentions(segments_[other].body, d->name);
      if (!elsewhere) continue;
      if (!d->extents.empty() || !(d->type.isScalar() || d->type.isStruct()))
        return fmt::format("each point has '{}' of its own, which is no scalar", d->name);
      kept_[d->name] = {d, names_.fresh(d->name + "_of"), ""};
    }
  }
  return "";
}

bool PatchWriter::trusting(const Segment &segment, const References &references) const {
  std::set<const Subscript *> known;
  for (const Reference &r : references.direct) known.insert(r.node);
  for (const Tile &t : references.tiles)
    for (const Reference &r : t.references) known.insert(r.node);
  auto divides = [](const Type &type, const Expr *by) { return type.isInteger() && !literal(by); };
  bool found = false;
  for (const Stmt *s : segment.body)
    walk(
        s,
        [&](const Binary &b) { found |= (b.op == BinaryOp::Div || b.op == BinaryOp::Rem) && divides(b.type, b.rhs); },
        [&](const Assign &a) { found |= (a.op == AssignOp::Div || a.op == AssignOp::Rem) && divides(a.type, a.value); },
        [&](const Call &c) {
          for (const Function *f : module_.functions) found |= f->name == c.callee;
        },
        [&](const While &) { found = true; }, [&](const DoWhile &) { found = true; },
        [&](const For &f) { found |= f.cond && contains<Subscript>(f.cond); },
        [&](const Subscript &e) {
          const VarRef *base = rootVariable(&e);
          found |= base && containers_.count(base->name) && !known.count(&e);
        });
  return found;
}

bool PatchWriter::touchesWritten(const Stmts &stmts) const {
  std::set<std::string> containers;
  std::set_intersection(containers_.begin(), containers_.end(), written_.begin(), written_.end(),
                        std::inserter(containers, containers.end()));
  return std::any_of(stmts.begin(), stmts.end(), [&](const Stmt *s) { return nest::touchesElements(s, containers); });
}

std::set<std::string> PatchWriter::keptOfScalars() const {
  std::set<std::string> result;
  for (const auto &[name, kept] : kept_)
    if (kept.declare->type.isScalar()) result.insert(name);
  return result;
}

bool PatchWriter::findContractions() {
  const std::set<std::string> sums = keptOfScalars();
  std::vector<std::string> iterators;
  for (const RangeLoop *d : dims_) iterators.push_back(d->iterator->name);
  for (std::size_t q = 0; q < segments_.size(); ++q)
    if (auto found = contraction(segments_[q], references_[q], sums, iterators, *options_.shape))
      contractions_.emplace(&segments_[q], std::move(*found));
  return !contractions_.empty();
}

Stmts PatchWriter::patch() {
  Stmts before;
  for (const RangeLoop *d : dims_) {
    Origin o;
    o.range = build_.var(d->range->name, d->range->type);
    const Expr *none = nullptr;
    o.size = arena_.make<Size>(d->where, kSize, o.range, none);
    o.first = build_.var(names_.fresh("first_" + d->iterator->name), kSize);
    origins_.push_back(o);
  }
  Stmts stmts;
  for (const auto &[name, kept] : kept_)
    stmts.push_back(array(kept.array, kept.declare->type, pointsOf(std::vector<bool>(dims_.size(), true))));
  for (const Stmt *s : written(0, segments_.size(), 0)) stmts.push_back(s);
  if (nest_.guard)
    if (const Expr *any = nest::holds(build_, nest_.guard, corners(), nest::Quantifier::Some))
      stmts = {build_.when(any, std::move(stmts))};
  for (std::size_t d = dims_.size(); d-- > 0;)
    stmts = {count(as<VarRef>(origins_[d].first)->name, kSize, origins_[d].size, std::move(stmts),
                   build_.cast(kSize, lanes_->size(d)))};
  for (std::size_t i = outer_; i-- > 0;) {
    const RangeLoop &l = nest_.loops[i];
    std::string at = names_.fresh("at_" + l.iterator->name);
    const Expr *none = nullptr;
    stmts.insert(stmts.begin(), build_.declare(l.iterator->name, l.iterator->type, numberAt(l, build_.var(at, kSize))));
    stmts = {count(at, kSize, arena_.make<Size>(l.where, kSize, build_.var(l.range->name, l.range->type), none),
                   std::move(stmts))};
  }
  return stmts;
}

Stmts PatchWriter::written(std::size_t first, std::size_t last, std::size_t depth) {
  Stmts stmts;
  while (first < last) {
    const Segment &segment = segments_[first];
    if (segment.around.size() > depth) { // the segments that its loop holds
      const nest::LoopRange &range = segment.around[depth];
      std::size_t next = first + 1;
      while (next < last && segments_[next].around.size() > depth && segments_[next].around[depth].loop == range.loop)
        ++next;
      for (const Stmt *s : looped(range, written(first, next, depth + 1))) stmts.push_back(s);
      first = next;
      continue;
    }
    for (const Stmts &made :
         {segment.loops.empty() ? plain(segment, references_[first]) : chain(segment, references_[first]),
          repair(first)})
      stmts.insert(stmts.end(), made.begin(), made.end());
    ++first;
  }
  return stmts;
}

Stmts PatchWriter::looped(const nest::LoopRange &range, Stmts body) {
  const std::string numbers = names_.fresh(range.iterator + "_values"), at = names_.fresh("at_" + range.iterator);
  const Expr *container = build_.var(numbers, range.containerType()), *none = nullptr;
  body.insert(
      body.begin(),
      build_.declare(range.iterator, range.iteratorType,
                     build_.cast(range.iteratorType, build_.element(container, {build_.var(at, kSize)}, range.type))));
  return {build_.declare(numbers, range.containerType(), range.range(arena_)),
          count(at, kSize, arena_.make<Size>(range.where, kSize, container, none), std::move(body))};
}

Stmts PatchWriter::repair(std::size_t last) {
  const Segment &segment = segments_[last];
  if (segment.repaired.empty()) return {};
  fragments_.clear();
  return points({}, std::vector<bool>(dims_.size(), true), true,
                [&](const Context &here, const std::vector<const Expr *> &) {
                  const Expr *wrong = nullptr;
                  for (const std::string &sum : segment.repaired) {
                    const Expr *value = here.variables.at(sum), *isNaN = build_.binary(BinaryOp::Ne, value, value);
                    wrong = wrong ? build_.binary(BinaryOp::LogicalOr, wrong, isNaN) : isNaN;
                  }
                  Stmts again;
                  for (std::size_t q = 0; q <= last; ++q)
                    for (const Stmt *s : copy(segments_[q].source, here)) again.push_back(s);
                  return Stmts{build_.when(wrong, std::move(again))};
                });
}

nest::IteratorBox PatchWriter::corners() const {
  nest::IteratorBox box;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const Expr *end = build_.add(origins_[d].first, build_.cast(kSize, lanes_->size(d)));
    const Expr *last = build_.select(build_.less(end, origins_[d].size), end, origins_[d].size);
    box[dims_[d]->iterator->name] = {numberAt(*dims_[d], origins_[d].first),
                                     numberAt(*dims_[d], build_.sub(last, build_.u64(1)))};
  }
  return box;
}

PatchWriter::Context PatchWriter::atFirst() const {
  Context context;
  for (std::size_t d = 0; d < dims_.size(); ++d)
    context.variables[dims_[d]->iterator->name] = numberAt(*dims_[d], origins_[d].first);
  return context;
}

Stmts PatchWriter::plain(const Segment &segment, const References &references) {
  std::deque<Staged *> tiles;
  for (const Tile &t : references.tiles) tiles.push_back(&staged(t, {}));
  Stmts stmts = load(tiles, atFirst());
  bool only =
      touchesWritten(segment.body) || loadsBehindGuard(references) || (!tiles.empty() && trusting(segment, references));
  const std::vector<bool> all(dims_.size(), true);
  if (only) { // what others ask for is something for all points
    bool defines = false;
    for (const Stmt *s : segment.body) defines |= isa<Declare>(s) && kept_.count(as<Declare>(s)->name);
    if (defines)
      for (const Stmt *s : points({}, all, false, [&](const Context &here, const std::vector<const Expr *> &) {
             Stmts zeros;
             for (const Stmt *d : segment.body)
               if (const auto *declare = dyn<Declare>(d); declare && kept_.count(declare->name))
                 zeros.push_back(build_.assign(here.variables.at(declare->name), build_.zero(declare->type)));
             return zeros;
           }))
        stmts.push_back(s);
  }
  fragments_.clear();
  for (const Stmt *s : forAll(segment.body, {}, only, tiles, {})) stmts.push_back(s);
  return stmts;
}

const Codelet *patches(const Module &module, const Codelet &codelet, const RangeNest &nest, const TileSizes &sizes,
                       const PatchOptions &options, Arena &arena, std::string &why) {
  return PatchWriter(module, codelet, nest, sizes, options, arena).run(why);
}

} // namespace tangram::tile
