#include "Patches.h"
#include "Contraction.h"
#include "Staging.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Extremes.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <deque>

namespace tangram::tile {

using namespace ast;
using Stmts = std::vector<const Stmt *>;

namespace {

bool mentions(const Stmts &stmts, const std::string &name) {
  return std::any_of(stmts.begin(), stmts.end(),
                     [&](const Stmt *s) { return any<VarRef>(s, [&](const VarRef &v) { return v.name == name; }); });
}

class Writer {
public:
  Writer(const Module &module, const Codelet &codelet, const RangeNest &nest, const TileSizes &sizes,
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

  const Codelet *run(std::string &why) {
    why = forbidden();
    if (!why.empty()) return nullptr;
    segments_ = segmentsOf(nest_, nest_.body, arena_);
    why = keep();
    if (!why.empty()) return nullptr;
    bool tiles = false, chains = false, panels = false, again = true;
    for (Segment &s : segments_) {
      again &= !touchesWritten(s.source);
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
      tiles |= !references_.back().tiles.empty();
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
    return make_.codelet(options_.shape ? "fragments" : "patches", params, std::move(all), true);
  }

private:
  struct Origin {
    const Expr *first = nullptr; // of the patch, a position in the range
    const Expr *range = nullptr, *size = nullptr;
  };
  /// What stands for variables and elements where a copy of statements is written.
  struct Context {
    std::map<std::string, const Expr *> variables;
    std::map<const Subscript *, const Expr *> elements;
  };

  // ---- may it be done ----

  std::string forbidden() const {
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

  /// Scalars that outlive their segment are kept for each point.
  std::string keep() {
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

  /// Whether statements might trap, or not end, on elements that are not there.
  bool trusting(const Segment &segment, const References &references) const {
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
          [&](const Assign &a) {
            found |= (a.op == AssignOp::Div || a.op == AssignOp::Rem) && divides(a.type, a.value);
          },
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

  /// Points that the guard leaves out need not have the elements that others read.
  bool loadsBehindGuard(const References &references) const { return nest_.guard && !references.direct.empty(); }

  bool touchesWritten(const Stmts &stmts) const {
    std::set<std::string> containers;
    std::set_intersection(containers_.begin(), containers_.end(), written_.begin(), written_.end(),
                          std::inserter(containers, containers.end()));
    return std::any_of(stmts.begin(), stmts.end(), [&](const Stmt *s) { return nest::touchesElements(s, containers); });
  }

  std::set<std::string> keptOfScalars() const {
    std::set<std::string> result;
    for (const auto &[name, kept] : kept_)
      if (kept.declare->type.isScalar()) result.insert(name);
    return result;
  }

  bool findContractions() {
    const std::set<std::string> sums = keptOfScalars();
    std::vector<std::string> iterators;
    for (const RangeLoop *d : dims_) iterators.push_back(d->iterator->name);
    for (std::size_t q = 0; q < segments_.size(); ++q)
      if (auto found = contraction(segments_[q], references_[q], sums, iterators, options_.shape->type))
        contractions_.emplace(&segments_[q], std::move(*found));
    return !contractions_.empty();
  }

  // ---- copies of the body ----

  const Expr *number(std::int64_t n) const { return build_.integer(kNumber, n); }

  const Stmt *count(const std::string &name, const Type &type, const Expr *end, Stmts body,
                    const Expr *by = nullptr) const {
    const Expr *v = build_.var(name, type);
    const Expr *step = by ? static_cast<const Expr *>(arena_.make<Assign>(SourceRange{}, type, AssignOp::Add, v, by))
                          : arena_.make<Unary>(SourceRange{}, type, UnaryOp::PreInc, v);
    return arena_.make<For>(nest_.loops[0].where, build_.declare(name, type, build_.integer(type, 0), false),
                            build_.less(v, end), step, build_.block(std::move(body)));
  }

  Stmts copy(const Stmts &stmts, const Context &context) {
    Stmts result;
    std::map<std::string, std::string> renamed;
    for (const std::string &name : nest::declaredIn(stmts))
      if (!kept_.count(name)) renamed[name] = names_.fresh(name);
    auto variable = [&](const VarRef *v) -> const Expr * {
      if (auto r = renamed.find(v->name); r != renamed.end()) return v;
      auto known = context.variables.find(v->name);
      return known == context.variables.end() ? v : known->second;
    };
    auto element = [&](const Subscript *e) -> const Expr * {
      auto known = context.elements.find(e);
      return known == context.elements.end() ? nullptr : known->second;
    };
    for (const Stmt *s : stmts) {
      const Stmt *made = nullptr;
      if (const auto *d = dyn<Declare>(s); d && kept_.count(d->name)) {
        if (d->init)
          made = build_.at(d->range).assign(context.variables.at(d->name),
                                            substituted(arena_, d->init, variable, element));
      } else {
        made = substituted(arena_, s, variable, element);
      }
      if (made)
        result.push_back(as<Stmt>(renameVariables(arena_, made, [&](const std::string &name) {
          auto r = renamed.find(name);
          return r == renamed.end() ? name : r->second;
        })));
    }
    return result;
  }

  const Expr *replaced(const Expr *e, const Context &context) const {
    return substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
      auto known = context.variables.find(v->name);
      return known == context.variables.end() ? v : known->second;
    });
  }

  /// Loops over a lane's points along some dimensions. `inside` is given their numbers (null along the others) and
  /// says what is done; `only` leaves out points that are not there.
  template <class F> Stmts points(Context context, const std::vector<bool> &along, bool only, F &&inside) {
    std::vector<const Expr *> point(dims_.size()), at(dims_.size());
    std::vector<std::string> place(dims_.size()), iterator(dims_.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (!along[d]) continue;
      const RangeLoop &l = *dims_[d];
      point[d] = build_.var(names_.fresh("point"), kNumber);
      place[d] = names_.fresh("at_" + l.iterator->name);
      at[d] = build_.var(place[d], kSize);
      iterator[d] = names_.fresh(l.iterator->name);
      context.variables[l.iterator->name] = build_.var(iterator[d], l.iterator->type);
    }
    if (std::all_of(along.begin(), along.end(), [](bool all) { return all; }))
      for (const auto &[name, kept] : kept_) {
        const Expr *index = point[0];
        if (dims_.size() > 1) index = build_.add(build_.mul(point[0], many(1)), point[1]);
        context.variables[name] = element(block_.empty() ? kept.array : kept.block, kept.declare->type, index);
      }
    Stmts stmts = inside(context, point);
    auto declare = [&](std::size_t d, const Expr *position) {
      const RangeLoop &l = *dims_[d];
      if (along[d] && mentions(stmts, iterator[d]))
        stmts.insert(stmts.begin(), build_.declare(iterator[d], l.iterator->type, numberAt(l, position)));
    };
    if (only) {
      if (nest_.guard && !whole_) stmts = {build_.when(replaced(nest_.guard, context), std::move(stmts))};
      const Expr *there = lanes_->working();
      for (std::size_t d = dims_.size(); d-- > 0;) declare(d, at[d]);
      for (std::size_t d = 0; d < dims_.size() && !whole_; ++d) {
        const Expr *fits = build_.less(at[d], origins_[d].size);
        there = there ? build_.both(there, fits) : fits;
      }
      if (there) stmts = {build_.when(there, std::move(stmts))};
    }
    for (std::size_t d = dims_.size(); d-- > 0;) {
      if (!along[d]) continue;
      // Points that are not there do what the last one does.
      const Expr *last = build_.sub(origins_[d].size, build_.u64(1));
      if (!only) declare(d, whole_ ? at[d] : build_.select(build_.less(at[d], origins_[d].size), at[d], last));
      if (mentions(stmts, place[d])) {
        const Expr *position = build_.cast(kSize, lanes_->position(d, ofAll(d, point[d])));
        stmts.insert(stmts.begin(), build_.declare(place[d], kSize, build_.add(origins_[d].first, position)));
      }
      stmts = {count(as<VarRef>(point[d])->name, kNumber, many(d), std::move(stmts))};
    }
    return stmts;
  }

  /// How many points a loop goes through here, and which of all a point is.
  const Expr *many(std::size_t d) const { return block_.empty() ? lanes_->points(d) : lanes_->blockPoints(d); }
  const Expr *ofAll(std::size_t d, const Expr *point) const {
    return block_.empty() || !point ? point : build_.add(build_.mul(block_[d], lanes_->blockPoints(d)), point);
  }

  const Expr *numberAt(const RangeLoop &l, const Expr *at) const {
    return build_.cast(l.iterator->type,
                       build_.element(build_.var(l.range->name, l.range->type), {at}, l.range->type.element()));
  }

  const Expr *element(const std::string &array, const Type &type, const Expr *index) const {
    return build_.element(build_.var(array, Type::array(1, type)), {build_.cast(kSize, index)}, type);
  }

  const Stmt *array(const std::string &name, const Type &type, const Expr *extent) const {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    return arena_.make<Declare>(nest_.loops[0].where, name, type, false, false,
                                std::vector<const Expr *>{build_.cast(kSize, extent)}, noTunable, none);
  }

  const Expr *pointsOf(const std::vector<bool> &along) const {
    const Expr *all = number(1);
    for (std::size_t d = 0; d < dims_.size(); ++d)
      if (along[d]) all = build_.mul(all, many(d));
    return all;
  }

  // ---- the patch ----

  /// Loops over the band's ranges in steps of the patch, and what is done for each.
  Stmts patch() {
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
    for (std::size_t q = 0; q < segments_.size(); ++q) {
      Stmts made =
          segments_[q].loops.empty() ? plain(segments_[q], references_[q]) : chain(segments_[q], references_[q]);
      stmts.insert(stmts.end(), made.begin(), made.end());
      made = repair(q);
      stmts.insert(stmts.end(), made.begin(), made.end());
    }
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
      stmts.insert(stmts.begin(),
                   build_.declare(l.iterator->name, l.iterator->type, numberAt(l, build_.var(at, kSize))));
      stmts = {count(at, kSize, arena_.make<Size>(l.where, kSize, build_.var(l.range->name, l.range->type), none),
                     std::move(stmts))};
    }
    return stmts;
  }

  /// Points whose sums are no numbers do all up to here once more, as it is written: a factor may have been none, or
  /// infinite, of something that counts as zero.
  Stmts repair(std::size_t last) {
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

  /// What iterators lie between in the patch.
  nest::IteratorBox corners() const {
    nest::IteratorBox box;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const Expr *end = build_.add(origins_[d].first, build_.cast(kSize, lanes_->size(d)));
      const Expr *last = build_.select(build_.less(end, origins_[d].size), end, origins_[d].size);
      box[dims_[d]->iterator->name] = {numberAt(*dims_[d], origins_[d].first),
                                       numberAt(*dims_[d], build_.sub(last, build_.u64(1)))};
    }
    return box;
  }

  /// Iterators of the patch's dimensions at its first position.
  Context atFirst() const {
    Context context;
    for (std::size_t d = 0; d < dims_.size(); ++d)
      context.variables[dims_[d]->iterator->name] = numberAt(*dims_[d], origins_[d].first);
    return context;
  }

  Staged &staged(const Tile &tile, const std::vector<const Expr *> &panel) {
    std::vector<const Expr *> extents;
    for (std::size_t d = 0; d < dims_.size(); ++d) extents.push_back(lanes_->size(d));
    extents.insert(extents.end(), panel.begin(), panel.end());
    staged_.emplace_back(make_, arena_, *lanes_, tile, extents, options_.banks, options_.lockstep, options_.copies,
                         names_);
    return staged_.back();
  }

  ReplaceVariable replacement(const Context &context) const {
    return [&context](const VarRef *v) -> const Expr * {
      auto known = context.variables.find(v->name);
      return known == context.variables.end() ? v : known->second;
    };
  }

  /// Loads tiles together, so that all loads are under way at a time; whole ones without asking for each element.
  Stmts load(const std::deque<Staged *> &tiles, const Context &first) {
    return load(tiles, first,
                [&](const Staged &t, const Staged::Corner &corner, bool asks) { return t.load(corner, asks, names_); });
  }

  template <class F> Stmts load(const std::deque<Staged *> &tiles, const Context &first, F &&each) {
    Stmts stmts, whole, parts;
    const Expr *all = nullptr;
    for (const Staged *t : tiles) {
      Staged::Corner corner = t->corner(replacement(first), names_);
      stmts.insert(stmts.end(), corner.declarations.begin(), corner.declarations.end());
      all = all ? build_.both(all, corner.whole) : corner.whole;
      whole.push_back(each(*t, corner, false));
      parts.push_back(each(*t, corner, true));
    }
    if (all) stmts.push_back(build_.when(all, std::move(whole), std::move(parts)));
    return stmts;
  }

  std::vector<const Expr *> positions(const std::vector<const Expr *> &point) const {
    std::vector<const Expr *> result;
    for (std::size_t d = 0; d < dims_.size(); ++d)
      result.push_back(point[d] ? lanes_->position(d, ofAll(d, point[d])) : number(0));
    return result;
  }

  /// Statements for all points.
  Stmts forAll(const Stmts &body, const Context &context, bool only, const std::deque<Staged *> &tiles,
               const std::vector<const Expr *> &turns) {
    const std::vector<bool> all(dims_.size(), true);
    return points(context, all, only, [&](Context here, const std::vector<const Expr *> &point) {
      for (const Staged *t : tiles)
        for (const Reference &r : t->tile().references)
          if (!here.elements.count(r.node)) {
            std::vector<const Expr *> at = positions(point);
            at.insert(at.end(), turns.begin(), turns.end());
            here.elements[r.node] = t->element(r, at);
          }
      for (auto &[node, e] : here.elements) // those of fragments speak of points
        if (auto fragment = fragments_.find(node); fragment != fragments_.end() && !e)
          e = ofFragment(fragment->second, point);
      return copy(body, here);
    });
  }

  Stmts plain(const Segment &segment, const References &references) {
    std::deque<Staged *> tiles;
    for (const Tile &t : references.tiles) tiles.push_back(&staged(t, {}));
    Stmts stmts = load(tiles, atFirst());
    bool only = touchesWritten(segment.body) || loadsBehindGuard(references) ||
                (!tiles.empty() && trusting(segment, references));
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

  // ---- chains of loops ----

  struct Fragment {
    std::string array;
    Type type;
    std::vector<bool> along;
    bool ofBlock = false; // else of all points
    /// Of each dimension, the loop whose turns move along it as points do, if there is one: neighbours of a lane read
    /// elements of one window, in which each turn goes on by one.
    std::vector<const Expr *> turn{}, turns{};
    bool slides(std::size_t d) const { return !turn.empty() && turn[d]; }
  };

  /// How many elements a fragment has along a dimension, and where a lane's point finds its own.
  const Expr *windowOf(const Fragment &f, std::size_t d) const {
    return build_.sub(build_.add(lanes_->vector(d), f.turns[d]), number(1));
  }
  const Expr *extentOf(const Fragment &f, std::size_t d) const {
    if (!f.slides(d)) return f.ofBlock ? many(d) : lanes_->points(d);
    return build_.mul(build_.div(many(d), lanes_->vector(d)), windowOf(f, d));
  }
  const Expr *placeIn(const Fragment &f, std::size_t d, const Expr *point) const {
    if (!f.slides(d)) return f.ofBlock ? point : ofAll(d, point);
    const Expr *group = build_.mul(build_.div(point, lanes_->vector(d)), windowOf(f, d));
    return build_.add(group, build_.add(build_.rem(point, lanes_->vector(d)), f.turn[d]));
  }

  const Expr *ofFragment(const Fragment &f, const std::vector<const Expr *> &point) const {
    const Expr *index = nullptr;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (!f.along[d]) continue;
      const Expr *own = placeIn(f, d, point[d]);
      index = index ? build_.add(build_.mul(index, extentOf(f, d)), own) : own;
    }
    return index ? element(f.array, f.type, index) : build_.var(f.array, f.type);
  }

  /// Declares a fragment of what `value` says for each point along its dimensions.
  template <class F> void fragment(const Fragment &f, const Context &context, Stmts &out, F &&value) {
    bool one = std::none_of(f.along.begin(), f.along.end(), [](bool b) { return b; });
    if (one) {
      out.push_back(build_.declare(f.array, f.type, value(context, std::vector<const Expr *>(dims_.size()))));
      return;
    }
    out.push_back(array(f.array, f.type, pointsOf(f.along)));
    for (const Stmt *s :
         points(context, f.along, false, [&](const Context &here, const std::vector<const Expr *> &point) {
           return Stmts{build_.assign(ofFragment(f, point), value(here, point))};
         }))
      out.push_back(s);
  }

  // ---- windows of neighbouring points ----

  /// The turns of a loop of a panel that go through one window, from outermost to innermost.
  struct Turning {
    std::vector<const Expr *> turn, turns; // counters, and how many
  };

  /// From which loop of a panel on all are short and of a known length, so that what they count may name registers; two
  /// loops only where their window stays small. `whole`: the panel's own length is known.
  static std::size_t firstWrittenOut(const Segment &segment, bool whole) {
    constexpr std::int64_t kLong = 16, kShort = 4;
    std::size_t first = segment.loops.size() - segment.panel;
    auto isAtMost = [&](std::size_t l, std::int64_t most) {
      const std::int64_t turns = segment.turns[segment.panel + l];
      return l > 0 ? turns <= most : whole && (turns > 0 ? turns <= most : most == kLong);
    };
    if (!isAtMost(first - 1, kLong)) return first;
    for (--first; first > 0 && isAtMost(first - 1, kShort);) --first;
    return first;
  }

  /// Of a tile and each dimension of the patch, the loop of the panel that moves along the same dimension of the
  /// container as far as points do; from loop `first` on, all loops but such leave it alone.
  struct Sliding {
    std::vector<std::optional<std::size_t>> loop;
    std::size_t first = 0;
  };
  std::optional<Sliding> sliding(const Tile &tile, std::size_t least) const {
    const std::size_t dims = dims_.size();
    auto only = [&](std::size_t l) -> std::optional<std::size_t> { // the dimension of the container that it moves along
      std::optional<std::size_t> found;
      for (std::size_t c = 0; c < tile.strides[l].size(); ++c) {
        if (tile.strides[l][c] == 0) continue;
        if (found) return {};
        found = c;
      }
      return found;
    };
    Sliding result{std::vector<std::optional<std::size_t>>(dims), tile.strides.size() - dims};
    while (result.first > least) {
      const std::size_t l = result.first - 1, of = dims + l;
      if (moves(tile.strides, of)) {
        std::optional<std::size_t> along;
        for (std::size_t d = 0; d < dims; ++d)
          if (const auto c = only(of); c && only(d) == c && tile.strides[d][*c] == tile.strides[of][*c]) along = d;
        if (!along || result.loop[*along]) break;
        result.loop[*along] = l;
      }
      --result.first;
    }
    const bool any = std::any_of(result.loop.begin(), result.loop.end(), [](const auto &l) { return l.has_value(); });
    return any ? std::optional(result) : std::nullopt;
  }

  /// A window of a tile's elements in a lane's registers, as far as all turns of its loops together need it.
  Fragment window(const Staged &tile, const Reference &r, const Sliding &sliding, const Turning &turning, Stmts &out) {
    Fragment f{names_.fresh(r.container->name + "_of"), r.node->type, alongOf(r), true, {}, {}};
    std::vector<const Expr *> at(dims_.size(), number(0)), turns = turning.turn;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const auto &loop = sliding.loop[d];
      f.turn.push_back(loop ? turning.turn[*loop] : nullptr);
      f.turns.push_back(loop ? turning.turns[*loop] : nullptr);
      if (loop) turns[*loop] = number(0);
    }
    const Expr *index = nullptr, *all = number(1);
    std::vector<std::pair<const Expr *, const Expr *>> counters;
    auto counter = [&](const Expr *end) {
      counters.emplace_back(build_.var(names_.fresh("point"), kNumber), end);
      return counters.back().first;
    };
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (!f.along[d]) continue;
      const Expr *own = nullptr;
      if (f.slides(d)) {
        const Expr *group = counter(build_.div(many(d), lanes_->vector(d))), *place = counter(windowOf(f, d));
        own = build_.add(build_.mul(group, windowOf(f, d)), place);
        at[d] = build_.add(lanes_->position(d, ofAll(d, build_.mul(group, lanes_->vector(d)))), place);
      } else {
        own = counter(many(d));
        at[d] = lanes_->position(d, ofAll(d, own));
      }
      index = index ? build_.add(build_.mul(index, extentOf(f, d)), own) : own;
      all = build_.mul(all, extentOf(f, d));
    }
    at.insert(at.end(), turns.begin(), turns.end());
    Stmts fill{build_.assign(element(f.array, f.type, index), tile.element(r, at))};
    for (std::size_t c = counters.size(); c-- > 0;)
      fill = {counted(counters[c].first, counters[c].second, std::move(fill))};
    out.push_back(array(f.array, f.type, all));
    out.insert(out.end(), fill.begin(), fill.end());
    return f;
  }

  /// Whether the chain has a turn, where that can be asked in front of it; null where not.
  const Expr *hasTurn(const Segment &segment) const {
    const Expr *all = nullptr;
    for (std::size_t l = 0; l < segment.loops.size(); ++l) {
      const nest::LoopRange &r = segment.loops[l];
      for (const nest::LoopRange &o : segment.loops)
        if (any<VarRef>(r.begin, [&](const VarRef &v) { return v.name == o.iterator; }) ||
            any<VarRef>(r.end, [&](const VarRef &v) { return v.name == o.iterator; }))
          return nullptr;
      const Expr *turn = build_.less(r.begin, r.end);
      all = all ? build_.both(all, turn) : turn;
    }
    return all;
  }

  bool followsChain(const Reference &r, const Segment &segment) const {
    return any<VarRef>(r.node, [&](const VarRef &v) {
      return std::any_of(segment.loops.begin(), segment.loops.end(),
                         [&](const nest::LoopRange &l) { return l.iterator == v.name; });
    });
  }

  std::vector<bool> alongOf(const Reference &r) const {
    std::vector<bool> along;
    for (std::size_t d = 0; d < dims_.size(); ++d) along.push_back(moves(*r.strides, d));
    return along;
  }

  /// A fragment of the same element that is there already.
  const Fragment *sameFragment(const Reference &r) const {
    for (const auto &[node, fragment] : fragments_)
      if (equal(node, r.node)) return &fragment;
    return nullptr;
  }

  void use(const Reference &r, const Fragment &f, Context &context) {
    fragments_[r.node] = f;
    context.elements[r.node] = nullptr; // as the point says
  }

  /// The turns that any point of the patch takes.
  Segment ofPatch(Segment segment) const {
    if (!segment.guard) return segment;
    nest::LoopRange &range = segment.loops[0];
    range.begin = nest::extreme(build_, range.begin, corners(), nest::Extreme::Least);
    range.end = nest::extreme(build_, range.end, corners(), nest::Extreme::Greatest);
    return segment;
  }

  Stmts chain(const Segment &of, const References &references) {
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
    for (std::size_t l = segment.panel; l-- > 0;) {
      const nest::LoopRange &range = segment.loops[l];
      std::string numbers = names_.fresh(range.iterator + "_values"), at = names_.fresh("at_" + range.iterator);
      const Expr *container = build_.var(numbers, range.containerType()), *none = nullptr;
      inner.insert(inner.begin(),
                   build_.declare(range.iterator, range.iteratorType,
                                  build_.cast(range.iteratorType,
                                              build_.element(container, {build_.var(at, kSize)}, range.type))));
      inner = {build_.declare(numbers, range.containerType(), range.range(arena_)),
               count(at, kSize, arena_.make<Size>(range.where, kSize, container, none), std::move(inner))};
    }
    stmts.insert(stmts.end(), inner.begin(), inner.end());
    return stmts;
  }

  /// Whether all turns are one panel, of which none is deeper.
  bool isOnePanel(const Segment &segment) const {
    const Ints &depths = options_.choices.depth;
    return segment.turns[segment.panel] > 0 &&
           segment.turns[segment.panel] <= *std::max_element(depths.begin(), depths.end());
  }

  Stmts panels(const Segment &segment, const References &references, const Context &context,
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
    const Expr *size = known > 0 ? build_.u64(static_cast<std::uint64_t>(known))
                                 : arena_.make<Size>(range.where, kSize, numbers, none);
    auto at = [&](const Expr *position) {
      return build_.cast(range.iteratorType, build_.element(numbers, {position}, range.type));
    };
    std::deque<Staged *> tiles;
    for (const Tile &t : references.tiles) tiles.push_back(&staged(t, extents));
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
    if (stages && engine && !segment.guard) {
      stmts = multiplyAhead(*product, tiles, depth, size, wide, from, *stages);
      stmts.insert(stmts.begin(), stages->before.begin(), stages->before.end());
      stmts.insert(stmts.begin(),
                   build_.declare(as<VarRef>(numbers)->name, range.containerType(), range.range(arena_)));
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
      Stmts body = innermost(segment, references, here, tiles, all);
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
    if (stages) stmts.insert(stmts.end(), stages->onward.begin(), stages->onward.end());
    before.insert(before.begin(),
                  build_.declare(as<VarRef>(numbers)->name, range.containerType(), range.range(arena_)));
    if (one)
      before.insert(before.end(), stmts.begin(), stmts.end());
    else
      before.push_back(count(as<VarRef>(from)->name, kSize, size, std::move(stmts), wide));
    return before;
  }

  // ---- panels that are copied while others are used ----

  /// Tiles have as many buffers as there are stages: `use` has the panel at hand, `fill` the one that comes last of
  /// those under way.
  struct Stages {
    const Expr *use = nullptr, *fill = nullptr;
    const Expr *ahead = nullptr; // groups of copies that may be under way while a panel is used
    Stmts before, next, onward;  // first panels; the one behind those under way; the next one is the one at hand
  };

  /// Whether tiles are copied while lanes do something else; else lanes load elements themselves.
  bool copies(const std::deque<Staged *> &tiles) const {
    return options_.copies && std::all_of(tiles.begin(), tiles.end(), [](const Staged *t) {
             return t->tile().container->type.element().isScalar();
           });
  }
  Stmts transfers(const std::deque<Staged *> &tiles, const Context &first) {
    return load(tiles, first, [&](const Staged &t, const Staged::Corner &corner, bool asks) {
      return t.transfer(corner, asks, options_.copies, names_);
    });
  }

  const Stmt *await(const Expr *pending) const { return arena_.make<Await>(nest_.loops[0].where, pending); }

  /// Nothing where lanes load elements themselves.
  template <class F>
  std::optional<Stages> stages(const std::deque<Staged *> &tiles, const Expr *size, const Expr *wide, const Expr *from,
                               F &&firstOf) {
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
    result.before = {
        await(number(0)), // nobody uses what was there before
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
  const Stmt *counted(const Expr *counter, const Expr *end, Stmts body) const {
    return count(as<VarRef>(counter)->name, kNumber, end, std::move(body));
  }

  // ---- matrix engines ----

  /// Arrays of a lane's fragments.
  struct Operands {
    std::string a, b;
  };
  Operands operands(Stmts &declarations, const char *a, const char *b) {
    const Type type = options_.shape->type;
    Operands result{names_.fresh(a), names_.fresh(b)};
    const auto deep = static_cast<Int>(options_.shape->depthBlocks());
    declarations.push_back(array(result.a, type, build_.mul(lanes_->points(0), number(deep))));
    declarations.push_back(array(result.b, type, build_.mul(lanes_->fragments(1), number(deep))));
    return result;
  }
  /// Elements of a: all depths of one block of rows after those of the block before.
  const Expr *ofA(const Operands &of, const Expr *fragment, Int block, Int row) const {
    const auto rows = static_cast<Int>(options_.shape->rowBlocks()),
               deep = static_cast<Int>(options_.shape->depthBlocks());
    return element(of.a, options_.shape->type,
                   build_.add(build_.mul(fragment, number(rows * deep)), number(block * rows + row)));
  }
  const Expr *ofB(const Operands &of, const Expr *fragment, Int block) const {
    const auto deep = static_cast<Int>(options_.shape->depthBlocks());
    return element(of.b, options_.shape->type, build_.add(build_.mul(fragment, number(deep)), number(block)));
  }

  /// Fragments at `turn` of a panel, scaled by what else is multiplied; `turns`: zeros behind so many, or null.
  Stmts loadOperands(const Contraction &product, const Operands &to, const std::deque<Staged *> &tiles,
                     const Expr *turn, const Expr *turns) {
    const hardware::MatrixShape &shape = *options_.shape;
    const auto rows = static_cast<Int>(shape.rowBlocks()), deep = static_cast<Int>(shape.depthBlocks());
    auto value = [&](const std::vector<const Expr *> &factors, const std::vector<const Expr *> &at) {
      std::map<const Subscript *, const Expr *> elements;
      for (const Staged *t : tiles)
        for (const Reference &r : t->tile().references) elements[r.node] = t->element(r, at);
      const Expr *all = nullptr;
      for (const Expr *factor : factors) {
        const Expr *one = substituted(
            arena_, factor, [](const VarRef *v) -> const Expr * { return v; },
            [&](const Subscript *e) -> const Expr * { return elements.at(e); });
        all = all ? build_.mul(all, one) : one;
      }
      return turns ? build_.select(build_.less(at.back(), turns), all, build_.zero(shape.type)) : all;
    };
    auto depthOf = [&](Int block) {
      return build_.add(turn, build_.add(number(block * hardware::MatrixShape::kDepth), lanes_->matrixDepth()));
    };
    const Expr *f = build_.var(names_.fresh("fragment"), kNumber), *g = build_.var(names_.fresh("fragment"), kNumber);
    Stmts ofRows, ofColumns;
    for (Int s = 0; s < deep; ++s)
      for (Int r = 0; r < rows; ++r) {
        const Expr *point = build_.add(build_.mul(f, number(rows)), number(r));
        ofRows.push_back(
            build_.assign(ofA(to, f, s, r), value(product.a, {lanes_->position(0, point), number(0), depthOf(s)})));
      }
    for (Int s = 0; s < deep; ++s)
      ofColumns.push_back(
          build_.assign(ofB(to, g, s), value(product.b, {number(0), lanes_->matrixColumn(g), depthOf(s)})));
    return {counted(f, lanes_->fragments(0), std::move(ofRows)),
            counted(g, lanes_->fragments(1), std::move(ofColumns))};
  }

  /// Each pair of fragments for its block of points.
  const Stmt *multiplyOperands(const Contraction &product, const Operands &of) {
    const hardware::MatrixShape &shape = *options_.shape;
    const auto rows = static_cast<Int>(shape.rowBlocks()), deep = static_cast<Int>(shape.depthBlocks());
    const Expr *i = build_.var(names_.fresh("fragment"), kNumber), *j = build_.var(names_.fresh("fragment"), kNumber);
    std::vector<const Expr *> c, left, right;
    const Kept &kept = kept_.at(product.sum->name);
    for (Int r = 0; r < rows; ++r)
      for (Int h = 0; h < 2; ++h) {
        const Expr *row = build_.add(build_.mul(i, number(rows)), number(r));
        const Expr *column = build_.add(build_.mul(j, number(2)), number(h));
        c.push_back(element(kept.array, shape.type, build_.add(build_.mul(row, lanes_->points(1)), column)));
      }
    for (Int s = 0; s < deep; ++s) {
      for (Int r = 0; r < rows; ++r) left.push_back(ofA(of, i, s, r));
      right.push_back(ofB(of, j, s));
    }
    const Expr *engine = arena_.make<MatrixMultiply>(nest_.loops[0].where, Type(), static_cast<Int>(shape.m),
                                                     static_cast<Int>(shape.n), static_cast<Int>(shape.k), std::move(c),
                                                     std::move(left), std::move(right), options_.engine->name);
    const Stmt *columns = counted(j, lanes_->fragments(1), {arena_.make<Evaluate>(nest_.loops[0].where, engine)});
    return counted(i, lanes_->fragments(0), {columns});
  }

  /// The product of a panel: fragments are loaded and multiplied. In a panel that is not whole there are zeros behind
  /// its turns.
  Stmts multiply(const Contraction &product, const std::deque<Staged *> &tiles, const Expr *turns, bool part = false) {
    const Expr *turn = build_.var(names_.fresh("turn"), kNumber);
    Stmts body;
    const Operands all = operands(body, "a_of", "b_of");
    for (const Stmt *s : loadOperands(product, all, tiles, turn, part ? turns : nullptr)) body.push_back(s);
    body.push_back(multiplyOperands(product, all));
    return {
        count(as<VarRef>(turn)->name, kNumber, turns, std::move(body), number(static_cast<Int>(options_.shape->k)))};
  }

  /// The products of all panels, one after the other: fragments of the next turn, also of the next panel, are loaded
  /// while those at hand are multiplied.
  Stmts multiplyAhead(const Contraction &product, const std::deque<Staged *> &tiles, const Expr *depth,
                      const Expr *size, const Expr *wide, const Expr *from, const Stages &stages) {
    const auto k = static_cast<Int>(options_.shape->k), deep = static_cast<Int>(options_.shape->depthBlocks());
    Stmts stmts{await(stages.ahead)};
    const Operands now = operands(stmts, "a_of", "b_of"), next = operands(stmts, "a_ahead", "b_ahead");
    for (const Stmt *s : loadOperands(product, now, tiles, number(0), nullptr)) stmts.push_back(s);
    auto step = [&](const Expr *turn) {
      Stmts all = loadOperands(product, next, tiles, turn, nullptr);
      all.push_back(multiplyOperands(product, now));
      auto onward = [&](const std::string &to, const std::string &of, const Expr *many) {
        const Expr *f = build_.var(names_.fresh("fragment"), kNumber);
        const Type type = options_.shape->type;
        all.push_back(
            counted(f, build_.mul(many, number(deep)), {build_.assign(element(to, type, f), element(of, type, f))}));
      };
      onward(now.a, next.a, lanes_->points(0));
      onward(now.b, next.b, lanes_->fragments(1));
      return all;
    };
    const Expr *turn = build_.var(names_.fresh("turn"), kNumber);
    const Expr *whole = build_.var(names_.fresh("whole"), kSize);
    Stmts panel = stages.next;
    panel.push_back(count(as<VarRef>(turn)->name, kNumber, build_.sub(depth, number(k)),
                          step(build_.add(turn, number(k))), number(k)));
    panel.push_back(await(stages.ahead));
    panel.insert(panel.end(), stages.onward.begin(), stages.onward.end());
    for (const Stmt *s : step(number(0))) panel.push_back(s);
    stmts.push_back(build_.declare(as<VarRef>(whole)->name, kSize, build_.mul(build_.div(size, wide), wide)));
    stmts.push_back(count(as<VarRef>(from)->name, kSize, whole, std::move(panel), wide));
    const Expr *turns = build_.var(names_.fresh("turns"), kNumber);
    Stmts rest{build_.declare(as<VarRef>(turns)->name, kNumber, build_.cast(kNumber, build_.sub(size, whole)))};
    for (const Stmt *s : multiply(product, tiles, turns, true)) rest.push_back(s);
    stmts.push_back(build_.when(build_.less(whole, size), std::move(rest)));
    return stmts;
  }

  /// `body` for each block of points, whose kept scalars are in registers meanwhile.
  Stmts inBlocks(const Segment &segment, Stmts body) {
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

  /// One turn of all loops: what several points share is read once, then each point goes on.
  Stmts innermost(const Segment &segment, const References &references, Context context,
                  const std::deque<Staged *> &tiles, const std::vector<const Expr *> &turns) {
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
    for (const Stmt *s : forAll(body, context, only || guarded_, tiles, turns)) stmts.push_back(s);
    return stmts;
  }

  struct Kept {
    const Declare *declare = nullptr;
    std::string array, block; // of all points, and of those of a block
  };

  const Module &module_;
  const Codelet &codelet_;
  const RangeNest &nest_;
  const TileSizes &sizes_;
  const PatchOptions &options_;
  Arena &arena_;
  nest::Codelets make_;
  const Build &build_;
  Names names_;
  std::size_t outer_ = 0;
  std::vector<const RangeLoop *> dims_; // of the patch; lanes are neighbours along the last
  std::vector<unsigned> loops_;
  std::set<std::string> written_, containers_;
  std::vector<Segment> segments_;
  std::vector<References> references_;
  std::map<const Segment *, Contraction> contractions_;
  std::map<std::string, Kept> kept_;
  std::optional<Arrangement> lanes_;
  std::vector<Origin> origins_;
  std::deque<Staged> staged_;
  std::map<const Subscript *, Fragment> fragments_;
  std::vector<const Expr *> block_; // whose points are being gone through; empty: all are
  bool whole_ = false;              // what is written is for patches all of whose points are there
  const Expr *guarded_ = nullptr;   // under which a point takes a turn of what is written
};

} // namespace

const Codelet *patches(const Module &module, const Codelet &codelet, const RangeNest &nest, const TileSizes &sizes,
                       const PatchOptions &options, Arena &arena, std::string &why) {
  return Writer(module, codelet, nest, sizes, options, arena).run(why);
}

} // namespace tangram::tile
