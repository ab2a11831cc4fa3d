#include "tangram/nest/Tiling.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Codelets.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

/// A `continue` of the loop whose body this is.
bool continues(const Block *body) {
  bool found = false;
  walk(body, [&](const Node &n) {
    found |= isa<Continue>(&n);
    return isa<For>(&n) || isa<While>(&n) || isa<DoWhile>(&n) ? WalkResult::Skip : WalkResult::Advance;
  });
  return found;
}

class Maker {
public:
  Maker(const Tiling &tiling, const Codelet &around, Names &names, Names &spectrumNames, Arena &arena)
      : tiling_(tiling), around_(around), names_(names), spectrumNames_(spectrumNames), arena_(arena),
        build_(arena, tiling.loops.front().loop.node->range) {}

  TiledCode run(const Block *body, const std::string &base) {
    Stmts first;
    for (const TiledLoop &l : tiling_.loops) lengths(l, first);
    Stmts inner = tileLoops(body);
    for (std::size_t g = tiling_.workers.size(); g-- > 0 && result_.problem.empty();) inner = group(g, inner, base);
    first.insert(first.end(), inner.begin(), inner.end());
    result_.stmts = std::move(first);
    return std::move(result_);
  }

private:
  /// What is known of one loop, all in iterations of it.
  struct Cut {
    const Expr *begin = nullptr;
    std::vector<const Expr *> length; // of the piece that each tile cuts up; of those in front of the rest
    std::vector<const Expr *> stride, offset;
    std::size_t rest = 0; // the tile that has the rest; as many as there are: none
    std::size_t bounded = 0;
  };

  const Expr *wide(Int value) const { return build_.integer(kInteger, value); }
  /// A name for a value that is used several times.
  const Expr *named(const std::string &name, const Expr *value, Stmts &out) {
    if (literal(value) || isa<VarRef>(value)) return value;
    std::string fresh = names_.fresh(name);
    out.push_back(build_.declare(fresh, kInteger, value));
    return build_.var(fresh, kInteger);
  }

  void lengths(const TiledLoop &l, Stmts &out) {
    const std::size_t n = l.tiles.size();
    Cut c;
    c.begin = named(l.loop.iterator + "_first", l.loop.begin, out);
    c.stride.assign(n, wide(1));
    c.offset.assign(n, nullptr);
    for (c.rest = 0; c.rest < n && l.tiles[c.rest].kind != Tile::Kind::Rest;) ++c.rest;
    const Expr *length = named(l.loop.iterator + "_turns", l.loop.turns, out);
    if (c.rest == n) {
      const Expr *reached = wide(1);
      for (const Tile &t : l.tiles) reached = build_.mul(reached, t.count);
      result_.conditions.push_back(build_.binary(BinaryOp::Le, l.loop.turns, reached));
    }
    for (std::size_t k = 0; k < std::min(c.rest + 1, n); ++k) {
      c.length.push_back(length);
      if (k == c.rest || k + 1 == n) break;
      const Expr *count = l.tiles[k].count;
      length = build_.div(build_.add(length, build_.sub(count, wide(1))), count);
      length = named(fmt::format("{}_part", l.loop.iterator), length, out);
      c.stride[k] = length;
    }
    for (std::size_t k = n; k-- > c.rest + 1;) c.stride[k - 1] = build_.mul(c.stride[k], l.tiles[k].count);
    cuts_.push_back(std::move(c));
    for (std::size_t k = 0; k < n; ++k) {
      Cut &cut = cuts_.back();
      std::string kind = l.tiles[k].kind == Tile::Kind::Worker ? tiling_.workers[l.tiles[k].workers].name : "tile";
      cut.offset[k] = build_.var(names_.fresh(fmt::format("{}_{}", l.loop.iterator, kind)), kInteger);
    }
  }

  static std::string nameOf(const Expr *variable) { return as<VarRef>(variable)->name; }

  /// What iterations of tiles from `from` on have gone through, but for `without`.
  const Expr *gone(const Cut &c, std::size_t from, std::size_t without) const {
    const Expr *sum = wide(0);
    for (std::size_t k = from; k < c.offset.size(); ++k)
      if (k != without) sum = build_.add(sum, c.offset[k]);
    return sum;
  }

  /// The loops over tiles, and the body in the innermost.
  Stmts tileLoops(const Block *body) {
    // The last of each loop's tiles ends where what the others leave does.
    std::map<std::size_t, std::size_t> last;
    for (std::size_t i = 0; i < tiling_.order.size(); ++i) last[tiling_.order[i].loop] = i;
    Stmts inner;
    const Expr *guard = nullptr;
    for (std::size_t l = 0; l < tiling_.loops.size(); ++l) {
      const CountedLoop &loop = tiling_.loops[l].loop;
      const Cut &c = cuts_[l];
      bool none = !last.count(l);
      std::size_t from = none ? 0 : tiling_.order[last[l]].tile + 1;
      for (std::size_t j = from; j < c.length.size(); ++j) {
        const Expr *inside = build_.less(gone(c, j, c.offset.size()), c.length[j]);
        guard = guard ? build_.both(guard, inside) : inside;
      }
      const Expr *at = build_.add(c.begin, build_.mul(gone(c, 0, c.offset.size()), loop.step));
      inner.push_back(build_.declare(loop.iterator, loop.type, build_.cast(loop.type, at)));
    }
    if (tiling_.order.empty() && continues(body))
      inner.push_back(arena_.make<DoWhile>(body->range, body, build_.boolean(false)));
    else
      inner.insert(inner.end(), body->stmts.begin(), body->stmts.end());
    if (guard) inner = {build_.when(guard, std::move(inner))};

    for (std::size_t i = tiling_.order.size(); i-- > 0;) {
      const auto [l, k] = tiling_.order[i];
      const TiledLoop &loop = tiling_.loops[l];
      const Cut &c = cuts_[l];
      Build build = build_.at(loop.loop.node->range);
      Stmts around;
      const Expr *end = k <= c.rest && k < c.length.size() ? c.length[k] : build.mul(c.stride[k], loop.tiles[k].count);
      if (last[l] == i)
        for (std::size_t j = 0; j <= k && j < c.length.size(); ++j) {
          const Expr *others = gone(c, j, k);
          if (j == k && isLiteral(others, 0)) continue; // its own length
          const Expr *left = build.sub(c.length[j], others);
          left = named(loop.loop.iterator + "_left", left, around);
          end = named(loop.loop.iterator + "_end", build.min(named(loop.loop.iterator + "_end", end, around), left),
                      around);
        }
      const Expr *at = c.offset[k],
                 *step = arena_.make<Assign>(loop.loop.node->range, kInteger, AssignOp::Add, at, c.stride[k]);
      around.push_back(arena_.make<For>(loop.loop.node->range, build.declare(nameOf(at), kInteger, wide(0), false),
                                        build.less(at, end), step, build.block(std::move(inner))));
      inner = std::move(around);
    }
    return inner;
  }

  /// The statements for one of the group's workers, as a spectrum; and the map that runs them all.
  Stmts group(std::size_t g, const Stmts &inner, const std::string &base) {
    const WorkerGroup &workers = tiling_.workers[g];
    std::string worker = names_.fresh(workers.name.substr(0, workers.name.size() - 1));
    const Type number = Scalar::U64;
    Stmts stmts;
    const Expr *left = build_.cast(kInteger, build_.var(worker, number)), *all = wide(1);
    for (std::size_t d = 0; d < workers.counts.size(); ++d) {
      bool outermost = d + 1 == workers.counts.size();
      const Expr *own = outermost ? left : build_.rem(left, workers.counts[d]);
      if (!outermost) left = build_.div(left, workers.counts[d]);
      all = build_.mul(all, workers.counts[d]);
      for (std::size_t l = 0; l < tiling_.loops.size(); ++l)
        for (std::size_t k = 0; k < tiling_.loops[l].tiles.size(); ++k) {
          const Tile &t = tiling_.loops[l].tiles[k];
          if (t.kind != Tile::Kind::Worker || t.workers != g || t.dimension != d) continue;
          stmts.push_back(build_.declare(nameOf(cuts_[l].offset[k]), kInteger, build_.mul(own, cuts_[l].stride[k])));
        }
    }
    stmts.insert(stmts.end(), inner.begin(), inner.end());

    std::vector<const Param *> params{arena_.make<Param>(build_.u64(0)->range, worker, number, ast::Access::In)};
    std::vector<const Expr *> args{range(all)};
    capture(stmts, worker, params, args);
    if (!result_.problem.empty()) return {};
    SourceRange where = tiling_.loops.front().loop.node->range;
    Codelets make(arena_, where);
    const bool maps = std::any_of(stmts.begin(), stmts.end(), [](const Stmt *s) { return contains<Map>(s); });
    const Codelet *codelet = make.codelet("each", params, std::move(stmts), false, maps);
    std::string name = spectrumNames_.fresh(fmt::format("{}_{}", base, workers.name));
    result_.spectrums.insert(result_.spectrums.begin(),
                             arena_.make<Spectrum>(where, name, Type(), params, std::vector<const Expr *>{},
                                                   std::vector<const Codelet *>{codelet}));
    return {make.run(make.map(name, Type(), std::move(args)))};
  }

  const Expr *range(const Expr *count) const {
    const Expr *none = nullptr;
    return arena_.make<Sequence>(count->range, Type::array(1, Scalar::U64), none, build_.u64(0), build_.u64(1),
                                 build_.cast(Scalar::U64, count));
  }

  /// What the statements use of what stands around them, as parameters.
  void capture(Stmts &stmts, const std::string &worker, std::vector<const Param *> &params,
               std::vector<const Expr *> &args) {
    std::set<std::string> declared{worker}, assigned, seen;
    std::vector<const VarRef *> used;
    for (const Stmt *s : stmts) {
      walk(s, [&](const Declare &d) { declared.insert(d.name); });
      for (const std::string &name : assignedVariables(s)) assigned.insert(name);
    }
    for (const Stmt *s : stmts)
      walk(s, [&](const VarRef &v) {
        if (!declared.count(v.name) && seen.insert(v.name).second) used.push_back(&v);
      });
    Stmts tables;
    for (const VarRef *v : used) {
      ast::Access access = ast::Access::In;
      for (const Param *p : around_.params)
        if (p->name == v->name) access = p->access;
      const Declare *local = nullptr;
      walk(around_.body, [&](const Declare &d) {
        if (d.name == v->name) local = &d;
      });
      if (local && !local->extents.empty() && !local->type.isArray()) {
        if (local->isConst && local->init) {
          tables.push_back(local);
          continue;
        }
        result_.problem =
            fmt::format("each worker would need the array '{}', which is declared around the loop: declare "
                        "it in the loop",
                        v->name);
        return;
      }
      if (!v->type.isArray() && assigned.count(v->name)) {
        result_.problem = fmt::format("all workers would change '{}', which is declared around the loop: declare it in "
                                      "the loop, or let one worker do this",
                                      v->name);
        return;
      }
      params.push_back(arena_.make<Param>(v->range, v->name, v->type, access));
      args.push_back(build_.var(v->name, v->type));
    }
    stmts.insert(stmts.begin(), tables.begin(), tables.end());
  }

  const Tiling &tiling_;
  const Codelet &around_;
  Names &names_, &spectrumNames_;
  Arena &arena_;
  Build build_;
  std::vector<Cut> cuts_;
  TiledCode result_;
};

} // namespace

TiledCode tiledCode(const Tiling &tiling, const Block *body, const Codelet &around, const std::string &base,
                    Names &names, Names &spectrumNames, Arena &arena) {
  return Maker(tiling, around, names, spectrumNames, arena).run(body, base);
}

} // namespace tangram::nest
