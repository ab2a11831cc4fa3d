#include "Tiled.h"

#include "Messages.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Tiling.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::tilek {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

bool isWorker(const TileClause &t) { return t.kind != TileClause::Kind::Static && t.kind != TileClause::Kind::Dynamic; }

class Tiler {
public:
  Tiler(const Kernel &kernel, const Module &module, const Codelet &serial,
        const std::map<std::string, const Expr *> &counts, Names &spectrumNames, Arena &arena, DiagnosticEngine &diags)
      : kernel_(kernel), serial_(serial), counts_(counts), spectrumNames_(spectrumNames), arena_(arena), diags_(diags),
        nest_(nest::read(module, serial)) {
    for (const Param *p : serial.params) names_.reserve(p->name);
    names_.reserveAll(serial.body);
  }

  Tiled run() {
    const Block *body = block(serial_.body);
    for (const auto &[machine, _] : counts_)
      if (!used_.count(machine)) unused(machine);
    Build build(arena_, serial_.range);
    std::vector<const Expr *> conditions = serial_.conditions;
    conditions.insert(conditions.end(), conditions_.begin(), conditions_.end());
    Tiled result;
    result.spectrums = std::move(spectrums_);
    result.codelet = arena_.derive(&serial_, [&](Codelet &c) {
      c.name = c.tag = used_.empty() ? "tiled" : used_.count(countName("threads", 0)) ? "threads" : "gangs";
      c.conditions = conditions;
      c.independent = contains<Map>(body);
      c.body = body;
    });
    return result;
  }

private:
  const LoopDirective *directiveOf(const For *loop) const {
    auto it = kernel_.loops.find({loop->range.line, loop->range.column});
    return it == kernel_.loops.end() ? nullptr : &it->second;
  }

  const Block *block(const Block *b) {
    if (!b) return b;
    Stmts out;
    for (const Stmt *s : b->stmts) statement(s, out);
    return arena_.derive(b, [&](Block &copy) { copy.stmts = std::move(out); });
  }

  void statement(const Stmt *s, Stmts &out) {
    switch (stmtKind(*s)) {
    case StmtKind::Block: out.push_back(block(as<Block>(s))); return;
    case StmtKind::If:
      out.push_back(arena_.derive(as<If>(s), [&](If &copy) {
        copy.then = block(copy.then);
        copy.otherwise = block(copy.otherwise);
      }));
      return;
    case StmtKind::While:
      out.push_back(arena_.derive(as<While>(s), [&](While &copy) { copy.body = block(copy.body); }));
      return;
    case StmtKind::DoWhile:
      out.push_back(arena_.derive(as<DoWhile>(s), [&](DoWhile &copy) { copy.body = block(copy.body); }));
      return;
    case StmtKind::Switch:
      out.push_back(arena_.derive(as<Switch>(s), [&](Switch &copy) {
        for (const Case *&c : copy.cases) c = arena_.derive(c, [&](Case &other) { other.body = block(c->body); });
      }));
      return;
    case StmtKind::For: {
      const auto *loop = as<For>(s);
      if (directiveOf(loop)) return band(loop, out);
      out.push_back(arena_.derive(loop, [&](For &copy) { copy.body = block(copy.body); }));
      return;
    }
    case StmtKind::Declare:
    case StmtKind::Evaluate:
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Return:
    case StmtKind::Loop:
    case StmtKind::Sync:
    case StmtKind::Alloc:
    case TANGRAM_LOWERED_STMTS: out.push_back(s);
    }
  }

  nest::CountedLoop counted(const For *loop) const {
    std::string why;
    std::optional<nest::CountedLoop> c = nest::countedLoop(loop, arena_, why);
    if (c) return *c;
    const auto *iterator = dyn<Declare>(loop->init);
    Diagnostic d = makeDiagnostic(kCannotTile, directiveOf(loop)->range, iterator ? iterator->name : "for", why);
    d.notes.push_back({loop->range, "the loop stands here"});
    throw DiagnosticError(std::move(d));
  }

  static bool mentions(const nest::CountedLoop &loop, const nest::CountedLoop &other) {
    for (const Expr *e : {loop.begin, loop.step, loop.turns})
      if (ast::mentions(e, other.iterator)) return true;
    return false;
  }

  /// A loop with a directive, and those with one that stand in it with nothing beside them.
  void band(const For *outermost, Stmts &out) {
    std::vector<nest::CountedLoop> loops{counted(outermost)};
    const Block *body = nest::withoutBraces(outermost->body);
    while (body->stmts.size() == 1 && isa<For>(body->stmts[0]) && directiveOf(as<For>(body->stmts[0]))) {
      const auto *next = as<For>(body->stmts[0]);
      nest::CountedLoop c = counted(next);
      auto moving = std::find_if(loops.begin(), loops.end(), [&](const auto &l) { return mentions(c, l); });
      if (moving != loops.end()) {
        triangular(loops, c, moving->iterator);
        break;
      }
      loops.push_back(std::move(c));
      body = nest::withoutBraces(next->body);
    }

    nest::Tiling tiling;
    std::vector<std::string> groups;
    for (const nest::CountedLoop &l : loops)
      for (const TileClause &t : directiveOf(l.node)->tiles)
        if (isWorker(t)) machineOf(t); // says what is missing
    addWorkers(loops, TileClause::Kind::Thread, "threads", tiling);
    addWorkers(loops, TileClause::Kind::Gang, "gangs", tiling);
    addWorkers(loops, TileClause::Kind::Worker, "workers", tiling);
    for (const nest::CountedLoop &l : loops) {
      nest::TiledLoop made{l, {}};
      for (const TileClause &t : directiveOf(l.node)->tiles) made.tiles.push_back(tileOf(t, tiling));
      tiling.loops.push_back(std::move(made));
    }
    arrange(loops, tiling);

    if (std::optional<nest::TilingProblem> problem = nest::problemOf(*nest_, tiling)) {
      if (problem->certain) fail(kIllegal, problem->range, problem->message);
      diags_.report(kUnknown, problem->range, problem->message);
    }
    const Block *inner = block(body);
    nest::TiledCode code = nest::tiledCode(tiling, inner, serial_, kernel_.name, names_, spectrumNames_, arena_);
    if (!code.problem.empty()) fail(kOutline, directiveOf(outermost)->range, code.problem);
    std::size_t at = 0;
    for (const nest::TiledLoop &l : tiling.loops) {
      bool rest = std::any_of(l.tiles.begin(), l.tiles.end(),
                              [](const nest::Tile &t) { return t.kind == nest::Tile::Kind::Rest; });
      if (!rest) condition(l, code.conditions[at++]);
    }
    spectrums_.insert(spectrums_.end(), code.spectrums.begin(), code.spectrums.end());
    Build build(arena_, outermost->range);
    out.push_back(build.block(std::move(code.stmts)));
  }

  /// The next loop's bounds move with an outer one of the nest: it is cut up by itself, inside.
  void triangular(const std::vector<nest::CountedLoop> &loops, const nest::CountedLoop &inner,
                  const std::string &outer) const {
    std::int64_t last = -1;
    for (const nest::CountedLoop &l : loops)
      for (const TileClause &t : directiveOf(l.node)->tiles)
        if (t.order) last = std::max(last, *t.order);
    for (const TileClause &t : directiveOf(inner.node)->tiles) {
      if (isWorker(t)) fail(kTriangular, t.range, inner.iterator, outer, "outside of it");
      if (t.order && *t.order < last) fail(kTriangular, t.range, inner.iterator, outer, "outside of some of its tiles");
    }
  }

  static const char *machineName(TileClause::Kind kind) {
    return kind == TileClause::Kind::Thread ? "threads" : kind == TileClause::Kind::Gang ? "gangs" : "workers";
  }

  const Expr *machineOf(const TileClause &t) {
    const std::string machine = machineName(t.kind);
    auto it = counts_.find(countName(machine, t.dimension));
    if (it == counts_.end()) {
      bool thread = t.kind == TileClause::Kind::Thread;
      std::string clause = thread ? "num_threads" : fmt::format("num_{}[{}]", machine, t.dimension);
      std::string tile = thread ? "thread" : fmt::format("{}, {}", machine.substr(0, machine.size() - 1), t.dimension);
      fail(kNoMachine, t.range, tile, clause, fmt::format("{}({})", clause, thread ? 4 : 16));
    }
    used_.insert(it->first);
    return it->second;
  }

  void addWorkers(const std::vector<nest::CountedLoop> &loops, TileClause::Kind kind, const char *name,
                  nest::Tiling &tiling) {
    std::map<std::size_t, const TileClause *> dimensions;
    for (const nest::CountedLoop &l : loops)
      for (const TileClause &t : directiveOf(l.node)->tiles) {
        if (t.kind != kind) continue;
        auto [it, isNew] = dimensions.emplace(t.dimension, &t);
        if (isNew) continue;
        Diagnostic d = makeDiagnostic(kDimensionTwice, t.range,
                                      kind == TileClause::Kind::Thread ? std::string("the threads")
                                                                       : fmt::format("{} {}", name, t.dimension));
        d.notes.push_back({it->second->range, "the first one is here"});
        throw DiagnosticError(std::move(d));
      }
    if (dimensions.empty()) return;
    nest::WorkerGroup group{name, {}};
    for (const auto &[d, t] : dimensions) {
      places_[t] = {tiling.workers.size(), group.counts.size()};
      group.counts.push_back(atLeastOne(machineOf(*t)));
    }
    tiling.workers.push_back(std::move(group));
  }

  const Expr *atLeastOne(const Expr *count) const {
    Build build(arena_, count->range);
    const Expr *one = build.integer(Scalar::I64, 1);
    if (std::optional<Int> number = literal(count)) return build.integer(Scalar::I64, std::max<Int>(*number, 1));
    return build.max(count, one);
  }

  nest::Tile tileOf(const TileClause &t, const nest::Tiling &tiling) const {
    Build build(arena_, t.range);
    nest::Tile tile;
    tile.range = t.range;
    if (t.kind == TileClause::Kind::Dynamic) return tile;
    if (t.kind == TileClause::Kind::Static) {
      tile.kind = nest::Tile::Kind::Counted;
      tile.count = build.integer(Scalar::I64, t.trips);
      return tile;
    }
    tile.kind = nest::Tile::Kind::Worker;
    std::tie(tile.workers, tile.dimension) = places_.at(&t);
    tile.count = tiling.workers[tile.workers].counts[tile.dimension];
    return tile;
  }

  /// Loops over tiles by their orders; where none is said, as they stand.
  void arrange(const std::vector<nest::CountedLoop> &loops, nest::Tiling &tiling) const {
    std::map<std::int64_t, std::pair<nest::Tiling::Place, const TileClause *>> ordered;
    const TileClause *without = nullptr;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const std::vector<TileClause> &tiles = directiveOf(loops[l].node)->tiles;
      for (std::size_t k = 0; k < tiles.size(); ++k) {
        if (isWorker(tiles[k])) continue;
        tiling.order.push_back({l, k});
        if (!tiles[k].order) {
          without = &tiles[k];
          continue;
        }
        auto [it, isNew] = ordered.emplace(*tiles[k].order, std::pair(nest::Tiling::Place{l, k}, &tiles[k]));
        if (isNew) continue;
        Diagnostic d = makeDiagnostic(kEqualOrders, tiles[k].range, *tiles[k].order);
        d.notes.push_back({it->second.second->range, "the first one is here"});
        throw DiagnosticError(std::move(d));
      }
    }
    if (ordered.empty()) return;
    if (without) fail(kMixedOrders, without->range);
    tiling.order.clear();
    for (const auto &[_, place] : ordered) tiling.order.push_back(place.first);
  }

  /// All iterations have to be reached without a dynamic tile.
  void condition(const nest::TiledLoop &l, const Expr *reached) {
    if (std::optional<Int> known = literal(reached)) {
      if (*known) return;
      Build build(arena_);
      const Expr *all = build.integer(Scalar::I64, 1);
      for (const nest::Tile &t : l.tiles) all = build.mul(all, t.count);
      fail(kTooFew, l.tiles.front().range, l.loop.iterator, literal(all).value_or(0),
           literal(l.loop.turns).value_or(0));
    }
    bool said = !any<VarRef>(reached, [&](const VarRef &v) {
      return std::none_of(serial_.params.begin(), serial_.params.end(),
                          [&](const Param *p) { return p->name == v.name; });
    });
    if (!said) fail(kNoRest, l.tiles.front().range, l.loop.iterator);
    conditions_.push_back(reached);
  }

  void unused(const std::string &machine) {
    auto warn = [&](const std::string &name, const Text &text, const std::string &clause, const std::string &tile) {
      if (name == machine) diags_.report(kUnusedMachine, text.range, clause, tile);
    };
    const KernelDirective &k = kernel_.directive;
    if (k.threads) warn(countName("threads", 0), *k.threads, "num_threads", "tile(thread)");
    for (const auto &[d, text] : k.gangs)
      warn(countName("gangs", d), text, fmt::format("num_gangs[{}]", d), fmt::format("tile(gang, {})", d));
    for (const auto &[d, text] : k.workers)
      warn(countName("workers", d), text, fmt::format("num_workers[{}]", d), fmt::format("tile(worker, {})", d));
  }

  const Kernel &kernel_;
  const Codelet &serial_;
  const std::map<std::string, const Expr *> &counts_;
  Names &spectrumNames_;
  Arena &arena_;
  DiagnosticEngine &diags_;
  std::unique_ptr<nest::Nest> nest_;
  Names names_;
  std::set<std::string> used_; // machines
  std::map<const TileClause *, std::pair<std::size_t, std::size_t>> places_;
  std::vector<const Expr *> conditions_;
  std::vector<const Spectrum *> spectrums_;
};

} // namespace

Tiled tiled(const Kernel &kernel, const Module &module, const Codelet &serial,
            const std::map<std::string, const Expr *> &counts, Names &spectrumNames, Arena &arena,
            DiagnosticEngine &diags) {
  return Tiler(kernel, module, serial, counts, spectrumNames, arena, diags).run();
}

} // namespace tangram::tilek
