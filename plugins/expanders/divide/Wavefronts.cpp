#include "Wavefronts.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::Schedule;
using Stmts = std::vector<const Stmt *>;

namespace {

/// Of tiles. Those of three dimensions, as of factorizations, would have to keep copies of what they only read.
constexpr std::size_t kMostDimensions = 2;
const Type kInteger = Scalar::I64, kTile = Scalar::I32;
constexpr std::int64_t kMostTiles = std::int64_t{1} << 28; // along a dimension

const Stmt *nodeOf(const nest::Nest &nest, const Item &item) {
  switch (item.kind) {
  case Item::Kind::Statement: return nest.statements[item.index].node;
  case Item::Kind::Loop: return nest.loops[item.index].node;
  case Item::Kind::Guard: return nest.guards[item.index].node;
  }
  return nullptr;
}

/// Puts conditions around statements that stand side by side.
class Guarding final : public Mutator {
public:
  struct Group {
    std::vector<const Stmt *> statements;
    const Expr *condition = nullptr;
  };
  Guarding(Arena &arena, const std::vector<Group> &groups) : Mutator(arena), groups_(groups) {}
  std::size_t guarded() const { return guarded_; }

private:
  const Node *mutateBlock(const Block *node) override {
    Stmts stmts;
    for (std::size_t i = 0; i < node->stmts.size();) {
      const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group &g) {
        return holds(*node->stmts[i], g) && std::any_of(node->stmts.begin(), node->stmts.end(), [&](const Stmt *s) {
                 return std::find(g.statements.begin(), g.statements.end(), s) != g.statements.end();
               });
      });
      if (group == groups_.end()) {
        stmts.push_back((*this)(node->stmts[i++]));
        continue;
      }
      // From the first of its statements to the last one: some may be in branches between.
      Stmts together;
      std::size_t found = 0;
      for (; i < node->stmts.size() && found < group->statements.size(); ++i) {
        together.push_back(node->stmts[i]);
        for (const Stmt *s : group->statements) found += isIn(*node->stmts[i], *s);
      }
      guarded_ += found == group->statements.size();
      stmts.push_back(Build(arena(), together.front()->range).when(group->condition, std::move(together)));
    }
    return arena().derive(node, [&](Block &copy) { copy.stmts = std::move(stmts); });
  }

  static bool isIn(const Stmt &tree, const Stmt &s) {
    return any<Stmt>(&tree, [&](const Stmt &inner) { return &inner == &s; });
  }
  static bool holds(const Stmt &tree, const Group &group) {
    return std::any_of(group.statements.begin(), group.statements.end(), [&](const Stmt *s) { return isIn(tree, *s); });
  }

  const std::vector<Group> &groups_;
  std::size_t guarded_ = 0;
};

/// Calls one spectrum in place of another one, of the same parameters.
class Calling final : public Mutator {
public:
  Calling(Arena &arena, const std::string &from, const std::string &to) : Mutator(arena), from_(from), to_(to) {}

private:
  const Node *mutateMap(const Map *node) override {
    if (node->spectrum != from_) return rebuild(node);
    return arena().derive(node, [&](Map &copy) { copy.spectrum = to_; });
  }
  const std::string &from_, &to_;
};

class Writer {
public:
  Writer(nest::Nests &nests, const Spectrum &spectrum, const nest::Nest &nest, const Item &loop,
         const std::string &name, std::int64_t size, Names &names, Arena &arena)
      : nests_(nests), spectrum_(spectrum), nest_(nest), schedule_(nest), loop_(nest.loops[loop.index]), name_(name),
        size_(size), names_(names), arena_(arena), build_(arena, loop_.node->range) {
    own_.reserveAll(nest.codelet);
  }

  std::optional<Wavefronts> run(std::string &why) {
    const auto conditions = nest::conditions(nest_, arena_);
    if (!conditions) {
      why = "what the sizes have to be for nothing to wrap around cannot be said";
      return std::nullopt;
    }
    if (const auto refusal = schedule_.wavefronts(loop_.variable, band_)) {
      why = refusal->message;
      return std::nullopt;
    }
    dims_ = band_.when.size();
    if (dims_ > kMostDimensions) {
      why = fmt::format("its tiles would have {} dimensions, more than {}", dims_, kMostDimensions);
      return std::nullopt;
    }
    for (std::size_t d = 0; d < dims_; ++d) tiles_.push_back(own_.fresh(fmt::format("tile_{}", d + 1)));
    diagonal_ = own_.fresh("diagonal");
    Wavefronts result;
    const Stmt *inTile = guarded(why);
    if (!inTile) return std::nullopt;
    std::set<std::string> without(tiles_.begin(), tiles_.end());
    without.insert(diagonal_);
    std::optional<Captures> captures = capturesOf(nest_, {inTile}, without, {}, arena_, why);
    if (!captures) return std::nullopt;
    captures->params.push_back(arena_.make<Param>(loop_.node->range, diagonal_, kTile, Access::In));
    captures->arguments.push_back(build_.var(diagonal_, kTile));
    result.tile = tile(inTile, *captures, why);
    if (!result.tile) return std::nullopt;
    Stmts stmts;
    if (!extremes(stmts)) {
      why = "where its tiles begin and end cannot be said";
      return std::nullopt;
    }
    needed_.insert(needed_.end(), conditions->begin(), conditions->end());
    if (!saidByParameters()) {
      why = "what it asks of sizes cannot be said by its parameters";
      return std::nullopt;
    }
    stmts.push_back(diagonals(*captures, *result.tile, result.spectrums));
    result.codelet = arena_.derive(nest_.codelet, [&](Codelet &c) {
      c.name = c.tag = name_;
      c.conditions.insert(c.conditions.end(), needed_.begin(), needed_.end());
    });
    result.loop = loop_.variable;
    result.diagonals = std::move(stmts);
    return result;
  }

private:
  const Expr *number(std::int64_t n) const { return build_.integer(kInteger, n); }
  const Expr *tileAt(std::size_t d) const { return build_.var(tiles_[d], kTile); }
  const Expr *diagonal() const { return build_.var(diagonal_, kTile); }

  /// The loop, each statement only where it is in the tile.
  const Stmt *guarded(std::string &why) {
    std::vector<Guarding::Group> groups;
    for (const std::vector<unsigned> &units : band_.together) {
      Guarding::Group group;
      for (const unsigned u : units) group.statements.push_back(nodeOf(nest_, *schedule_.units()[u].item));
      const Expr *all = nullptr;
      const Expr *last = diagonal(); // the last coordinate is what is left of the sum
      for (std::size_t d = 0; d < dims_; ++d) {
        const Expr *when = nest::written(nest_, band_.when[d].at(units.front()), arena_);
        if (!when) {
          why = "when its statements run cannot be said";
          return nullptr;
        }
        const Expr *first = build_.mul(build_.cast(kInteger, d + 1 < dims_ ? tileAt(d) : last), number(size_));
        const Expr *inside =
            build_.both(build_.binary(BinaryOp::Ge, when, first), build_.less(when, build_.add(first, number(size_))));
        all = all ? build_.both(all, inside) : inside;
        if (d + 1 < dims_) last = build_.sub(last, tileAt(d));
      }
      group.condition = all;
      groups.push_back(std::move(group));
    }
    Guarding guarding(arena_, groups);
    const Stmt *result = guarding(static_cast<const Stmt *>(loop_.node));
    if (guarding.guarded() == groups.size()) return result;
    why = "its statements do not stand side by side";
    return nullptr;
  }

  const Spectrum *tile(const Stmt *inTile, const Captures &captures, std::string &why) {
    nest::Codelets make(arena_, loop_.node->range, own_);
    std::vector<const Param *> params;
    for (std::size_t d = 0; d + 1 < dims_; ++d) params.push_back(make.param(tiles_[d], kTile));
    params.insert(params.end(), captures.params.begin(), captures.params.end());
    const Codelet *codelet = make.codelet("loops", params, {inTile});
    codelet = withTables(codelet, *nest_.codelet, arena_);
    // Bounds instead of conditions.
    const nest::Nest *const asked = nests_.of(*codelet);
    if (!asked) {
      why = "its tiles are no nests";
      return nullptr;
    }
    Schedule schedule(*asked);
    schedule.regenerate();
    const nest::Written written = nest::write(schedule, arena_);
    if (!written.body) {
      why = written.problem;
      return nullptr;
    }
    needed_.insert(needed_.end(), written.conditions.begin(), written.conditions.end());
    codelet = arena_.derive(codelet, [&](Codelet &c) { c.body = written.body; });
    return make.spectrum(names_.fresh(spectrum_.name + "_" + name_ + "_tile"), Type(), params, {codelet});
  }

  /// Declares the first and the last tile along each dimension.
  bool extremes(Stmts &stmts) {
    const auto found = nest_.isl.limited([&] {
      const isl::set context = nest_.context;
      for (std::size_t d = 0; d < dims_; ++d) {
        isl::set values;
        for (const auto &[unit, when] : band_.when[d]) {
          const isl::set own = isl::manage(isl_set_reset_tuple_id(schedule_.timeMap(unit, {when}).range().release()));
          values = values.is_null() ? own : values.unite(own);
        }
        values = values.coalesce();
        for (const bool last : {false, true}) {
          isl::pw_aff extreme =
              isl::manage(last ? isl_set_dim_max(values.copy(), 0) : isl_set_dim_min(values.copy(), 0));
          extreme = isl::manage(isl_pw_aff_gist_params(extreme.release(), nest_.without(context, all()).release()));
          const Expr *whole = nest::written(nest_, extreme, arena_);
          const Expr *value =
              nest::written(nest_, extreme.scale_down(isl::val(nest_.isl.get(), size_)).floor(), arena_);
          if (!whole || !value) return false;
          if (!isa<IntLit>(whole)) // tiles are counted in 32 bits
            needed_.push_back(last ? build_.binary(BinaryOp::Le, whole, number(kMostTiles * size_))
                                   : build_.binary(BinaryOp::Ge, whole, number(-kMostTiles * size_)));
          std::string name = own_.fresh((last ? "last_" : "first_") + tiles_[d]);
          stmts.push_back(build_.declare(name, kTile, build_.cast(kTile, value)));
          (last ? last_ : first_).push_back(build_.var(name, kTile));
        }
      }
      return true;
    });
    return found && *found;
  }
  bool saidByParameters() const {
    const auto &params = nest_.codelet->params;
    return std::all_of(needed_.begin(), needed_.end(), [&](const Expr *e) {
      return !any<VarRef>(e, [&](const VarRef &v) {
        return std::none_of(params.begin(), params.end(), [&](const Param *p) { return p->name == v.name; });
      });
    });
  }
  std::vector<unsigned> all() const {
    std::vector<unsigned> result(nest_.loops.size());
    for (unsigned i = 0; i < result.size(); ++i) result[i] = i;
    return result;
  }

  /// for (diagonal...) each tile of it that there may be.
  const Stmt *diagonals(const Captures &captures, const Spectrum &tile, std::vector<const Spectrum *> &made) {
    Band band;
    band.captures = captures;
    auto sum = [&](const std::vector<const Expr *> &bounds, std::size_t without) {
      const Expr *result = build_.integer(kTile, 0);
      for (std::size_t d = 0; d < dims_; ++d)
        if (d != without) result = build_.add(result, bounds[d]);
      return result;
    };
    for (std::size_t d = 0; d + 1 < dims_; ++d) {
      nest::LoopRange range;
      range.iterator = tiles_[d];
      range.iteratorType = range.type = kTile;
      range.where = loop_.node->range;
      range.begin = build_.max(first_[d], build_.sub(diagonal(), sum(last_, d)));
      range.end = build_.add(build_.min(last_[d], build_.sub(diagonal(), sum(first_, d))), build_.integer(kTile, 1));
      band.ranges.push_back(range);
    }
    nest::Codelets make(arena_, loop_.node->range);
    std::vector<const Expr *> args;
    for (std::size_t d = 0; d + 1 < dims_; ++d) args.push_back(tileAt(d));
    args.insert(args.end(), captures.arguments.begin(), captures.arguments.end());
    band.body = {make.run(make.call(tile.name, Type(), args))};
    std::vector<const Expr *> ranges;
    for (const nest::LoopRange &r : band.ranges) ranges.push_back(r.range(arena_));
    ranges.insert(ranges.end(), captures.arguments.begin(), captures.arguments.end());
    made = spectrumsOf(band, spectrum_.name + "_" + name_, names_, arena_);
    // The last one is of one tile, too.
    Calling calling(arena_, made.back()->name, tile.name);
    for (const Spectrum *&s : made) {
      std::vector<const Codelet *> codelets;
      for (const Codelet *c : s->codelets) codelets.push_back(calling(c));
      s = arena_.derive(s, [&](Spectrum &copy) { copy.codelets = codelets; });
    }
    made.pop_back();
    const Stmt *each = make.run(make.call(made.front()->name, Type(), std::move(ranges)));
    const Expr *step = arena_.make<Unary>(loop_.node->range, kTile, UnaryOp::PreInc, diagonal());
    return arena_.make<For>(loop_.node->range, build_.declare(diagonal_, kTile, sum(first_, dims_), false),
                            build_.binary(BinaryOp::Le, diagonal(), sum(last_, dims_)), step, build_.block({each}));
  }

  nest::Nests &nests_;
  const Spectrum &spectrum_;
  const nest::Nest &nest_;
  Schedule schedule_;
  const nest::Loop &loop_;
  const std::string &name_;
  std::int64_t size_;
  Names &names_;
  Arena &arena_;
  Build build_;
  Names own_;
  Schedule::TilableBand band_;
  std::size_t dims_ = 0;
  std::vector<std::string> tiles_;
  std::string diagonal_;
  std::vector<const Expr *> first_, last_;
  std::vector<const Expr *> needed_; // of the codelet's parameters
};

/// Whether a statement does nothing but accumulate into scalars that are declared around the nest.
bool accumulates(const nest::Nest &nest, const Item &item) {
  if (item.kind != Item::Kind::Statement) return false;
  bool any = false;
  for (const nest::Access &a : nest.statements[item.index].accesses) {
    if (a.kind == nest::AccessKind::Read && !a.update) continue;
    const nest::Variable &v = nest.variables[a.variable];
    if (!a.update || v.container || !v.scope.empty()) return false;
    any = true;
  }
  return any;
}

/// The best score of `s[i][j] = ...; best = max(best, s[i][j]);` is found by loops behind the ones of the scores, where
/// a perfect nest ends with such. The codelet itself where it does not.
const Codelet *withAccumulationsApart(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return &codelet;
  const nest::Dependences dependences(*nest);
  for (const Item &outermost : nest->items) {
    if (outermost.kind != Item::Kind::Loop || dependences.carried(outermost.index).kind != Carried::Kind::Dependence)
      continue;
    std::vector<std::string> loops{nest->loops[outermost.index].variable};
    const Item *innermost = &outermost;
    while (innermost->body.size() == 1 && innermost->body[0].kind == Item::Kind::Loop) {
      innermost = &innermost->body[0];
      loops.push_back(nest->loops[innermost->index].variable);
    }
    std::size_t first = innermost->body.size();
    while (first > 0 && accumulates(*nest, innermost->body[first - 1])) --first;
    if (first == 0 || first == innermost->body.size() || loops.size() < 2) continue;
    Schedule schedule(*nest);
    std::vector<std::size_t> parts{first, innermost->body.size() - first};
    bool apart = true;
    for (std::size_t l = loops.size(); l-- > 0 && apart; parts = {1, 1})
      apart = !schedule.apply(
          {nest::Step::Kind::Distribute, {loops[l]}, 0, "", nest->loops[outermost.index].node->range, parts});
    const nest::Written written = apart ? nest::write(schedule, arena) : nest::Written{};
    if (!written.body) continue;
    return nest::withWritten(&codelet, written, arena);
  }
  return &codelet;
}

/// Whether all loops that stand next in it are parallel, so that nothing is to be gained by diagonals.
bool isParallelInside(const nest::Dependences &dependences, const std::vector<Item> &items) {
  return std::all_of(items.begin(), items.end(), [&](const Item &item) {
    if (item.kind == Item::Kind::Guard)
      return isParallelInside(dependences, item.body) && isParallelInside(dependences, item.otherwise);
    return item.kind != Item::Kind::Loop || dependences.carried(item.index).kind == Carried::Kind::Nothing;
  });
}

bool skips(const nest::Nest &nest) {
  return std::any_of(nest.guards.begin(), nest.guards.end(), [](const nest::Guard &g) { return g.skips; });
}

} // namespace

const Codelet *withDiagonals(const Codelet *codelet, const Wavefronts &wavefronts, Arena &arena) {
  Stmts stmts;
  std::size_t replaced = 0;
  for (const Stmt *s : codelet->body->stmts) {
    const auto *loop = dyn<For>(s);
    const auto *iterator = loop ? dyn<Declare>(loop->init) : nullptr;
    if (!iterator || iterator->name != wavefronts.loop) {
      stmts.push_back(s);
      continue;
    }
    stmts.insert(stmts.end(), wavefronts.diagonals.begin(), wavefronts.diagonals.end());
    ++replaced;
  }
  if (replaced != 1) return nullptr;
  return arena.derive(codelet, [&](Codelet &c) {
    c.name = c.tag = wavefronts.codelet->name;
    c.body = arena.derive(codelet->body, [&](Block &b) { b.stmts = std::move(stmts); });
  });
}

std::optional<Wavefronts> wavefronts(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                                     const std::string &name, std::int64_t size, Names &names, Arena &arena,
                                     std::vector<nest::Remark> &refused) {
  const Codelet *apart = withAccumulationsApart(nests, *withSizes(codelet, arena), arena);
  const nest::Nest *const nest = nests.of(*apart);
  if (!nest || skips(*nest)) return std::nullopt;
  const nest::Dependences dependences(*nest);
  for (const Item &item : nest->items) {
    if (item.kind != Item::Kind::Loop || std::none_of(item.body.begin(), item.body.end(), nest::hasLoop)) continue;
    if (dependences.carried(item.index).kind != Carried::Kind::Dependence) continue;
    if (isParallelInside(dependences, item.body)) continue;
    std::string why;
    if (auto made = Writer(nests, spectrum, *nest, item, name, size, names, arena).run(why)) return made;
    refused.push_back({nest->loops[item.index].node->range, why});
  }
  return std::nullopt;
}

} // namespace tangram::divide
