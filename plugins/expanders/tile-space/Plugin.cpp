#include "Versions.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/OwnScalars.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Tiling.h"
#include "tangram/pass/Expander.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace tangram {
namespace {

using namespace ast;
using tilespace::Kind;
using tilespace::Version;

struct Machine {
  std::int64_t threads = 0, gangs = 16, workers = 256, side = 4, workerSide = 16; // threads 0: a plan's choice
};

/// Two loops that stand directly in each other, and nothing around them but declarations.
struct Pair {
  const For *loops[2] = {nullptr, nullptr};
  const Block *parent = nullptr, *body = nullptr;
};

std::optional<Pair> pairOf(const Block *block) {
  Pair p;
  for (const Stmt *s : block->stmts) {
    if (isa<Declare>(s) && !contains<SpectrumCall>(s)) continue;
    if (isa<Return>(s) && !as<Return>(s)->value) continue;
    if (p.loops[0]) return {};
    if (const auto *inner = dyn<Block>(s)) {
      if (block->stmts.back() != s) return {};
      return pairOf(inner);
    }
    p.loops[0] = dyn<For>(s);
    p.parent = block;
    if (!p.loops[0]) return {};
  }
  if (!p.loops[0]) return {};
  const Block *inside = nest::withoutBraces(p.loops[0]->body);
  if (inside->stmts.size() != 1 || !isa<For>(inside->stmts[0])) return {};
  p.loops[1] = as<For>(inside->stmts[0]);
  p.body = p.loops[1]->body;
  return p;
}

/// Replaces one statement below a block.
const Block *replaced(const Block *block, const Stmt *what, const std::vector<const Stmt *> &by, Arena &arena) {
  return arena.derive(block, [&](Block &copy) {
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      if (s == what)
        stmts.insert(stmts.end(), by.begin(), by.end());
      else if (const auto *inner = dyn<Block>(s))
        stmts.push_back(replaced(inner, what, by, arena));
      else
        stmts.push_back(s);
    }
    copy.stmts = std::move(stmts);
  });
}

class TileSpace final : public Expander {
public:
  TileSpace(Machine machine, bool threads, bool gangs) : machine_(machine) {
    if (threads) versions_ = tilespace::threadVersions();
    if (gangs)
      for (Version &v : tilespace::gangVersions()) versions_.push_back(std::move(v));
  }

  const Module *run(const Module *module, ExpandContext &context) override {
    Names names;
    for (const Spectrum *s : module->spectrums) names.reserve(s->name);
    for (const Function *f : module->functions) names.reserve(f->name);
    std::vector<const Spectrum *> spectrums = module->spectrums, added;
    for (const Spectrum *&spectrum : spectrums) {
      std::vector<const Codelet *> codelets = spectrum->codelets;
      for (const Codelet *codelet : spectrum->codelets) {
        if (codelet->coop || contains<Map>(codelet->body) || !contains<For>(codelet->body)) continue;
        expand(*module, *spectrum, codelet, names, context, codelets, added);
      }
      if (codelets.size() != spectrum->codelets.size())
        spectrum = context.arena.derive(spectrum, [&](Spectrum &s) { s.codelets = codelets; });
    }
    if (added.empty()) return module;
    spectrums.insert(spectrums.end(), added.begin(), added.end());
    return context.arena.derive(module, [&](Module &m) { m.spectrums = spectrums; });
  }

private:
  void expand(const Module &module, const Spectrum &spectrum, const Codelet *codelet, Names &names,
              ExpandContext &context, std::vector<const Codelet *> &codelets, std::vector<const Spectrum *> &added) {
    Arena &arena = context.arena;
    auto decline = [&](const std::string &name, SourceRange where, const std::string &why) {
      context.declined.push_back({spectrum.name, name, where, why, {}});
    };
    const Codelet *source = nest::withOwnScalars(module, *codelet, arena);
    std::optional<Pair> pair = pairOf(source->body);
    std::string why = "it is not one loop directly in another one";
    std::optional<nest::CountedLoop> loops[2];
    if (pair)
      for (std::size_t l : {0, 1})
        if (!loops[l]) loops[l] = nest::countedLoop(pair->loops[l], arena, why);
    bool moves = loops[1] && mentions(loops[1]->turns, loops[0]->iterator);
    if (moves) why = "the bounds of the inner loop change with the outer one";
    std::unique_ptr<nest::Nest> nest = loops[0] && loops[1] && !moves ? nest::read(module, *source) : nullptr;
    for (const Version &version : versions_) {
      const std::string name = codelet->name + "_" + version.name;
      if (!nest) {
        decline(name, pair ? pair->loops[0]->range : codelet->range, why);
        continue;
      }
      Names local;
      for (const Param *p : source->params) local.reserve(p->name);
      local.reserveAll(source->body);
      std::vector<const Stmt *> first;
      nest::Tiling tiling = tilingOf(version, *loops[0], *loops[1], local, first, arena);
      if (std::optional<nest::TilingProblem> problem = nest::problemOf(*nest, tiling)) {
        decline(name, pair->loops[0]->range, problem->message);
        continue;
      }
      nest::TiledCode code =
          nest::tiledCode(tiling, pair->body, *source, spectrum.name + "_" + name, local, names, arena);
      if (!code.problem.empty()) {
        decline(name, pair->loops[0]->range, code.problem);
        continue;
      }
      const Block *body = replaced(source->body, pair->loops[0], code.stmts, arena);
      body = arena.derive(body, [&](Block &b) { b.stmts.insert(b.stmts.begin(), first.begin(), first.end()); });
      codelets.push_back(arena.derive(source, [&](Codelet &c) {
        c.name = c.tag = name;
        c.from = codelet->name;
        c.independent = true;
        c.body = body;
      }));
      added.insert(added.end(), code.spectrums.begin(), code.spectrums.end());
    }
  }

  nest::Tiling tilingOf(const Version &version, const nest::CountedLoop &outer, const nest::CountedLoop &inner,
                        Names &names, std::vector<const Stmt *> &first, Arena &arena) const {
    Build build(arena, outer.node->range);
    auto number = [&](std::int64_t n) { return build.integer(Scalar::I64, n); };
    nest::Tiling tiling;
    auto has = [&](Kind kind) {
      return std::any_of(std::begin(version.tiles), std::end(version.tiles),
                         [&](const auto &tiles) { return std::find(tiles.begin(), tiles.end(), kind) != tiles.end(); });
    };
    if (has(Kind::Thread)) tiling.workers.push_back({"threads", {threads(names, first, arena, build)}});
    if (has(Kind::Gang))
      tiling.workers.push_back(
          {"gangs",
           std::vector<const Expr *>(version.flat ? 1 : 2, number(version.flat ? machine_.gangs : machine_.side))});
    if (has(Kind::Worker))
      tiling.workers.push_back(
          {"workers", std::vector<const Expr *>(version.flat ? 1 : 2,
                                                number(version.flat ? machine_.workers : machine_.workerSide))});
    for (std::size_t l : {0, 1}) {
      nest::TiledLoop loop{l == 0 ? outer : inner, {}};
      for (Kind kind : version.tiles[l]) {
        nest::Tile tile;
        tile.range = loop.loop.node->range;
        if (kind == Kind::Rest) {
          tiling.order.push_back({l, loop.tiles.size()});
        } else {
          tile.kind = nest::Tile::Kind::Worker;
          tile.workers = kind == Kind::Worker ? tiling.workers.size() - 1 : 0;
          tile.dimension = version.flat ? 0 : version.dimensions[l];
          tile.count = tiling.workers[tile.workers].counts[tile.dimension];
        }
        loop.tiles.push_back(tile);
      }
      tiling.loops.push_back(std::move(loop));
    }
    if (version.interchanged) std::reverse(tiling.order.begin(), tiling.order.end());
    return tiling;
  }

  /// How many threads there are: what the option says, or what a plan chooses.
  const Expr *threads(Names &names, std::vector<const Stmt *> &first, Arena &arena, const Build &build) const {
    if (machine_.threads > 0) return build.integer(Scalar::I64, machine_.threads);
    std::string name = names.fresh("threads");
    const Type count = Scalar::U32;
    const Expr *none = nullptr;
    const auto *any = arena.make<Tunable>(SourceRange{}, Int{1}, Int{0}, Int{1}, Ints{}, std::string());
    first.push_back(
        arena.make<Declare>(SourceRange{}, name, count, false, false, std::vector<const Expr *>{}, any, none));
    return build.cast(Scalar::I64, build.var(name, count));
  }

  Machine machine_;
  std::vector<Version> versions_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("tile-space", "1.0", "two parallel loops in all the ways in which TileK's version spaces cut them up") {
  tangram::ExpanderDescriptor d;
  d.name = "tile-space";
  d.summary = "for a codelet of two parallel loops, the 8 versions for threads and 40 for gangs and workers of TileK";
  d.before = "void scale(a, f) { for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) a[i][j] *= f; }";
  d.after =
      "void scale(a, f) { part = (n + threads - 1) / threads; map(scale_threads, range(threads), part, a, f); }\n"
      "void scale_threads(thread, part, a, f) {\n"
      "  for (t = 0; t < min(part, n - thread * part); ++t) for (j = 0; j < m; ++j) a[thread * part + t][j] *= f;\n"
      "}";
  d.options = {{"versions", "which of them", std::string("all"), {}, {}, {"threads", "gangs", "all"}},
               {"threads", "how many threads there are; 0: what a plan chooses", std::int64_t{0}, 0, 65536, {}},
               {"gangs", "how many gangs there are, of one dimension", std::int64_t{16}, 1, 65536, {}},
               {"workers", "... and workers in each", std::int64_t{256}, 1, 1024, {}},
               {"gangs-side", "how many gangs there are in each of two dimensions", std::int64_t{4}, 1, 1024, {}},
               {"workers-side", "... and workers in each", std::int64_t{16}, 1, 32, {}}};
  d.create = [](const tangram::OptionValues &options) {
    tangram::Machine machine;
    machine.threads = options.integer("threads");
    machine.gangs = options.integer("gangs");
    machine.workers = options.integer("workers");
    machine.side = options.integer("gangs-side");
    machine.workerSide = options.integer("workers-side");
    const std::string &which = options.text("versions");
    return std::make_unique<tangram::TileSpace>(machine, which != "gangs", which != "threads");
  };
  registry.expanders.add(std::move(d));
}
