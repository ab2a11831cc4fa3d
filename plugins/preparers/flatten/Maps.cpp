#include "MapSite.h"

#include "tangram/ast/Compare.h"

#include <algorithm>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kUnspecialisedMap{"flatten.unspecialised-map", DiagnosticClass::User,
                                           "the map of spectrum '{}' has no {}", "compose the program by a plan first"};
constexpr DiagnosticKind kShape{"flatten.map-shape", DiagnosticClass::User,
                                "map({}, ...): argument {} is {}, which does not fit parameter '{}' of type {}",
                                "pass the same type to give it to every call, or a container of such elements"};
constexpr DiagnosticKind kNothing{"flatten.map-nothing", DiagnosticClass::User,
                                  "map({}, ...) has no container to map over",
                                  "call the spectrum itself, or pass a container of what its parameter is"};
constexpr DiagnosticKind kRanks{"flatten.map-ranks", DiagnosticClass::User,
                                "map({}, ...) is over containers of {} and of {} dimensions",
                                "cut all containers in the same number of dimensions"};
constexpr DiagnosticKind kLengths{"flatten.map-lengths", DiagnosticClass::User,
                                  "map({}, ...) is over containers of {} and of {} elements",
                                  "map over containers of the same length"};

/// How many leading dimensions of `arg` a map over it takes off to come to `param`; nothing where it cannot.
std::optional<unsigned> mappedDims(const Type &arg, const Type &param) {
  if (arg == param) return 0;
  if (!arg.isArray()) return arg.isScalar() && param.isScalar() ? std::optional<unsigned>(0) : std::nullopt;
  if (arg.element() == param || (arg.element().isScalar() && param.isScalar())) return arg.rank();
  if (param.isArray() && param.element() == arg.element() && param.rank() < arg.rank())
    return arg.rank() - param.rank();
  return {};
}
} // namespace

std::optional<Container> Flattener::map(const Map *map, const std::string &hint, const Container *into) {
  MapSite site;
  site.map = map;
  const Map *innermost = map;
  while (!innermost->call && innermost->inner) innermost = innermost->inner;
  site.call = innermost->call;
  if (!site.call) fail(kUnspecialisedMap, map->range, map->spectrum, "specialised call");
  checkSpecialised(site.call, map->args.size());

  const std::vector<const Param *> &params = site.call->codelet->params;
  for (std::size_t i = 0; i < map->args.size(); ++i) {
    const Expr *arg = map->args[i];
    Argument value;
    if (arg->type.isArray())
      value.container = container(arg);
    else
      value.value = keep(expr(arg), params[i]->name);
    const Type &type = arg->type.isArray() ? value.container.type : arg->type;
    std::optional<unsigned> dims = mappedDims(type, params[i]->type);
    if (!dims) fail(kShape, map->range, map->spectrum, i + 1, type.text(), params[i]->name, params[i]->type.text());
    site.args.push_back(std::move(value));
    site.dims.push_back(*dims);
  }
  mapExtents(site, into);

  if (into) {
    site.result = *into;
  } else if (params.size() > map->args.size()) {
    std::string name = hint.empty() ? names_.fresh("ret_" + nextSuffix(site.call->codelet->name)) : named(hint);
    for (const Expr *&extent : site.extents) extent = simple(extent, "count");
    site.result = temporary(name, params.back()->type, site.extents);
  }
  watch(site);
  if (site.extents.size() == 1) {
    mapLoop(map, site, b().u64(0), site.extents[0]);
  } else if (map->policy == Policy::Serialize || map->policy == Policy::Unroll) {
    mapNest(map, site, {});
  } else {
    for (const Expr *&extent : site.extents) extent = simple(extent, "count");
    const Expr *total = site.extents[0];
    for (std::size_t d = 1; d < site.extents.size(); ++d) total = b().mul(total, site.extents[d]);
    mapLoop(map, site, b().u64(0), total);
  }
  return site.result;
}

void Flattener::mapExtents(MapSite &site, const Container *into) {
  auto agree = [&](const std::vector<const Expr *> &own) {
    if (site.extents.empty()) {
      site.extents = own;
      return;
    }
    if (own.size() != site.extents.size())
      fail(kRanks, site.map->range, site.map->spectrum, site.extents.size(), own.size());
    for (std::size_t d = 0; d < own.size(); ++d) {
      const Expr *&common = site.extents[d];
      if (equal(common, own[d])) continue;
      std::optional<Int> a = literal(common), c = literal(own[d]);
      if (a && c) fail(kLengths, site.map->range, site.map->spectrum, *a, *c);
      if (!require(b().equal(common, own[d]))) common = b().min(simple(common, "count"), simple(own[d], "count"));
    }
  };
  for (std::size_t i = 0; i < site.args.size(); ++i) {
    const std::vector<const Expr *> &sizes = site.args[i].container.sizes;
    if (site.dims[i]) agree({sizes.begin(), sizes.begin() + site.dims[i]});
  }
  if (site.extents.empty()) fail(kNothing, site.map->range, site.map->spectrum);
  if (into) agree(into->sizes);
}

void Flattener::loop(const std::string &var, const Expr *lo, const Expr *hi, Policy policy, const Counts &units,
                     const std::function<void(const Expr *)> &inside) {
  const hardware::Configured::Scope scope(machine_, units);
  stable_.insert(var);
  const Expr *index = b().var(var, Scalar::U64);
  const Expr *outer = reached_, *last = overParameters(hi);
  bool known = outer && last && isLiteral(lo, 0);
  bool atOnce = std::exchange(atOnce_, atOnce_ || policy == Policy::Distribute || policy == Policy::Unroll);
  Stmts body = collect([&] {
    if (known) reached_ = b().both(outer, b().less(lo, last));
    inside(index);
  });
  atOnce_ = atOnce;
  emit(arena_.make<Loop>(here_, var, Type(Scalar::U64), lo, hi, policy, level_, units, b().block(std::move(body))));
}

void Flattener::mapLoop(const Map *map, const MapSite &site, const Expr *lo, const Expr *hi) {
  if (map->policy == Policy::Split) return mapSplit(map, site, lo, hi);
  if (map->policy == Policy::None) fail(kUnspecialisedMap, map->range, map->spectrum, "policy");
  bool distributes = map->policy == Policy::Distribute;
  bool unrolls = distributes && hardware::areIterations(levelOf(level_).sync);
  if (distributes) sync(level_);
  loop(named("j"), lo, hi, unrolls ? Policy::Unroll : map->policy, map->units, [&](const Expr *j) {
    if (site.extents.size() == 1) return mapElement(site, {j});
    // One index for all dimensions, the last one running fastest, so that all workers find something to do.
    std::vector<const Expr *> index(site.extents.size());
    const Expr *rest = j;
    for (std::size_t d = index.size(); d-- > 1; rest = b().div(rest, site.extents[d]))
      index[d] = simple(b().rem(rest, site.extents[d]), "j" + std::to_string(d));
    index[0] = simple(rest, "j0");
    mapElement(site, index);
  });
  if (distributes) sync(level_);
}

void Flattener::mapNest(const Map *map, const MapSite &site, std::vector<const Expr *> index) {
  std::size_t d = index.size();
  if (d == site.extents.size()) return mapElement(site, index);
  loop(named("j" + std::to_string(d)), b().u64(0), site.extents[d], map->policy, map->units, [&](const Expr *j) {
    index.push_back(j);
    mapNest(map, site, index);
  });
}

void Flattener::mapSplit(const Map *map, const MapSite &site, const Expr *lo, const Expr *hi) {
  if (!map->inner || !map->factor) fail(kUnspecialisedMap, map->range, map->spectrum, "inner map");
  // Chunks are given to the workers below where the inner map stands at their level.
  const std::string &innerLevel = map->inner->level;
  bool distributes = innerLevel != level_;
  bool unrolls = distributes && hardware::areIterations(levelOf(level_).sync);
  const Expr *chunks = simple(b().cast(Scalar::U64, expr(map->factor)), "chunks");
  chunks = simple(b().max(chunks, b().u64(1)), "chunks");
  const Expr *end = simple(hi, "end");
  const Expr *all = b().sub(end, lo);
  const Expr *chunk = simple(b().div(b().add(all, b().sub(chunks, b().u64(1))), chunks), "chunk");
  if (map->grain) {
    const Expr *grain = expr(map->grain);
    chunk = simple(b().mul(b().div(b().add(chunk, b().sub(grain, b().u64(1))), grain), grain), "chunk");
  }
  if (distributes) sync(level_);
  Policy policy = unrolls ? Policy::Unroll : distributes ? Policy::Distribute : Policy::Serialize;
  loop(named("k"), b().u64(0), chunks, policy, map->units, [&](const Expr *k) {
    const Expr *from = simple(b().add(lo, b().mul(k, chunk)), "from");
    from = simple(b().min(from, end), "from");
    const Expr *to = simple(b().add(from, chunk), "to");
    to = simple(b().min(to, end), "to");
    std::string outer = std::exchange(level_, innerLevel);
    mapLoop(map->inner, site, from, to);
    level_ = outer;
  });
  if (distributes) sync(level_);
}

void Flattener::mapElement(const MapSite &site, const std::vector<const Expr *> &index) {
  const Codelet *codelet = site.call->codelet;
  std::vector<Argument> args;
  const Expr *call = nullptr; // which one this is
  auto inCall = [&](const Container &c) {
    bool watched = !c.watches.empty() || (c.parts && !c.parts->base.watches.empty());
    if (watched && !call) {
      call = index[0];
      for (std::size_t d = 1; d < index.size(); ++d) call = b().add(b().mul(call, site.extents[d]), index[d]);
      call = b().binary(BinaryOp::And, call, b().u64(0x7fffffff));
      call = simple(b().add(b().cast(Scalar::U32, call), b().integer(Scalar::U32, 1)), "call");
    }
    return watched ? within(c, site.map, call) : c;
  };
  for (std::size_t i = 0; i < site.args.size(); ++i) {
    const Param *param = codelet->params[i];
    if (!site.dims[i]) {
      args.push_back({site.args[i].value, inCall(site.args[i].container)});
      continue;
    }
    std::string hint = param->name + "_" + nextSuffix(codelet->name);
    args.push_back(at(inCall(site.args[i].container), index, param->type, param->access == Access::In, hint));
  }
  requireDeclared(site.call, args);
  const Expr *value = run(site.call, std::move(args));
  if (site.result && value)
    emit(b().assign(b().element(reference(*site.result), index, site.result->type.element()), value));
}

} // namespace tangram::flatten
