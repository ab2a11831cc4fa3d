#include "ScanLoops.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace tangram::divide {

using namespace ast;

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

/// The one scalar that the loop carries; null where it is something else.
const nest::Variable *carriedScalar(const nest::Nest &nest, unsigned loop, const nest::Dependences &dependences) {
  const std::vector<unsigned> own = dependences.carried(loop).privatizable;
  std::optional<unsigned> found;
  for (const nest::Dependence &d : dependences.all(loop)) {
    const unsigned variable = d.first->variable;
    if (std::find(own.begin(), own.end(), variable) != own.end()) continue;
    if (found && *found != variable) return nullptr;
    found = variable;
  }
  if (!found) return nullptr;
  const nest::Variable &v = nest.variables[*found];
  return v.rank == 0 && !v.container && v.type.isScalar() ? &v : nullptr;
}

/// Declarations of the body that the update needs, and the update; nothing where these need what the loop writes.
std::optional<Stmts> slice(const Stmts &body, const Stmt *update, const std::set<std::string> &written) {
  std::set<std::string> needed;
  auto needs = [&](const Node *node) { walk(node, [&](const VarRef &v) { needed.insert(v.name); }); };
  needs(update);
  Stmts kept{update};
  for (auto s = std::find(body.rbegin(), body.rend(), update); s != body.rend(); ++s) {
    const auto *d = dyn<Declare>(*s);
    if (!d || !needed.count(d->name)) continue;
    if (!d->extents.empty() || d->shared || d->tunable || !d->init || hasEffects(d->init)) return {};
    needs(d->init);
    kept.insert(kept.begin(), d);
  }
  for (const std::string &name : written)
    if (needed.count(name)) return {};
  for (const Stmt *s : body) // what is kept is nowhere set again
    for (const std::string &name : assignedVariables(s))
      if (s != update && needed.count(name)) return {};
  return kept;
}

} // namespace

std::optional<ScanLoop> scanLoop(const nest::Nest &nest, const nest::Item &loop, const nest::Dependences &dependences,
                                 Stmts body, Arena &arena) {
  const nest::Variable *v = carriedScalar(nest, loop.index, dependences);
  if (!v) return {};
  const Stmt *update = nullptr;
  std::optional<nest::Update> how;
  for (const Stmt *s : body)
    if (std::optional<nest::Update> u = nest::updateOf(s)) {
      const auto *target = dyn<VarRef>(u->target);
      if (!target || target->name != v->name) continue;
      if (update) return {};
      update = s;
      how = u;
    }
  std::set<std::string> written;
  for (unsigned s : nest.statementsOf(loop.index))
    for (const nest::Access &a : nest.statements[s].accesses) {
      if (a.kind == nest::AccessKind::Read) continue;
      const nest::Variable &other = nest.variables[a.variable];
      if (&other == v && nest.statements[s].node != update) return {};
      if (other.container) written.insert(other.name);
    }
  if (!update) return {};
  const std::optional<Stmts> kept = slice(body, update, written);
  std::string why;
  const std::optional<LoopRange> range = rangeOf(nest, loop.index, arena, why);
  if (!kept || !range) return {};
  std::set<std::string> own;
  for (unsigned p : dependences.carried(loop.index).privatizable) own.insert(nest.variables[p].name);
  const std::set<std::string> without{range->iterator, v->name};
  std::optional<Captures> all = capturesOf(nest, body, without, own, arena, why),
                          some = capturesOf(nest, *kept, without, own, arena, why);
  if (!all || !some) return {};
  ScanLoop scan;
  scan.total = {*range, *kept, *some, {{v->name, v->type, how->op}}, nullptr, true};
  scan.body = std::move(body);
  scan.captures = *all;
  return scan;
}

namespace {

class ScanMaker {
public:
  ScanMaker(ScanLoop loop, const std::string &base, Names &names, Arena &arena)
      : loop_(std::move(loop)), value_(loop_.total.scalars[0]), arena_(arena), where_(loop_.total.range.where),
        local_(localNames()), make_(arena, where_, local_), build_(make_.build()), names_(names),
        base_(fmt::format("{}_{}", base, loop_.total.range.iterator)), scan_(names.fresh(base_ + "_scan")) {
    nothing_ = neutral(build_, value_.op, value_.type);
    range_ = make_.param(local_.fresh(loop_.total.range.iterator + "_range"), loop_.total.range.containerType());
    before_ = make_.param(local_.fresh(value_.name + "_before"), value_.type);
    params_ = {range_, before_};
    params_.insert(params_.end(), loop_.captures.params.begin(), loop_.captures.params.end());
  }

  std::vector<const Spectrum *> run(const std::string &base) {
    const std::vector<const Spectrum *> total = spectrumsOf(loop_.total, base + "_total", names_, arena_);
    if (!nothing_ || total.size() < 2) return {};
    const std::string starts = names_.fresh(base_ + "_starts");
    std::vector<const Spectrum *> made{
        arena_.make<Spectrum>(where_, scan_, value_.type, params_, Exprs{},
                              std::vector<const Codelet *>{loops(), parts(total[0]->name, starts)}),
        startsOf(starts)};
    made.insert(made.end(), total.begin(), total.end());
    return made;
  }

private:
  Names localNames() {
    Names local;
    local.reserve(loop_.total.range.iterator);
    local.reserve(value_.name);
    for (const Param *p : loop_.captures.params) local.reserve(p->name);
    for (const Stmt *s : loop_.body) local.reserveAll(s);
    loop_.total.range.position = local.fresh("at_" + loop_.total.range.iterator);
    return local;
  }
  const Expr *value() const { return build_.var(value_.name, value_.type); }
  const Expr *wide(const Expr *e) const { return build_.cast(kSize, e); }
  const Expr *both(const Expr *a, const Expr *b) const { return combined(build_, value_.op, a, b); }
  const Stmt *returned(const Expr *e) const { return arena_.make<Return>(where_, e); }
  const Stmt *container(const std::string &name, Exprs extents, const Expr *init) const {
    const Tunable *none = nullptr;
    return arena_.make<Declare>(where_, name, Type::array(1, value_.type), false, false, std::move(extents), none,
                                init);
  }

  const Codelet *loops() const {
    Stmts body;
    for (const Declare *d : loop_.captures.own)
      body.push_back(arena_.derive(d, [](Declare &copy) {
        copy.init = nullptr;
        copy.isConst = false;
      }));
    body.insert(body.end(), loop_.body.begin(), loop_.body.end());
    return make_.codelet("loops", params_,
                         {build_.declare(value_.name, value_.type, make_.use(before_), false),
                          make_.loop(loop_.total.range, range_, std::move(body)), returned(value())});
  }

  /// auto totals = map(total, parts, nothing, ...); starts(totals, before, begins); map(scan, parts, begins, ...)
  const Codelet *parts(const std::string &total, const std::string &starts) {
    const std::string totals = local_.fresh("totals"), begins = local_.fresh("begins"), ends = local_.fresh("ends");
    const Type values = Type::array(1, value_.type);
    Stmts body = make_.tiling(range_);
    const Expr *count = wide(build_.var(as<Declare>(body[0])->name, Scalar::U32));
    Exprs each{make_.parts(range_), nothing_};
    for (const Param *p : loop_.total.captures.params) each.push_back(make_.use(p));
    body.push_back(container(totals, {}, make_.map(total, value_.type, std::move(each))));
    body.push_back(container(begins, {count}, nullptr));
    body.push_back(make_.run(
        make_.call(starts, Type(), {build_.var(totals, values), make_.use(before_), build_.var(begins, values)})));
    Exprs again{make_.parts(range_), build_.var(begins, values)};
    for (const Param *p : loop_.captures.params) again.push_back(make_.use(p));
    body.push_back(container(ends, {}, make_.map(scan_, value_.type, std::move(again))));
    body.push_back(returned(build_.element(build_.var(ends, values), {build_.sub(count, build_.u64(1))}, value_.type)));
    return make_.codelet("over_" + loop_.total.range.iterator, params_, std::move(body), false, true);
  }

  /// What each part begins with: an exclusive scan of what they add.
  const Spectrum *startsOf(const std::string &name) {
    const Type values = Type::array(1, value_.type);
    const Param *totals = make_.param("totals", values), *before = make_.param("before", value_.type);
    const Param *begins = arena_.make<Param>(where_, "begins", values, Access::InOut);
    const std::vector<const Param *> params{totals, before, begins};
    const Expr *none = nullptr, *size = arena_.make<Size>(where_, kSize, make_.use(totals), none);
    const Expr *running = build_.var("running", value_.type);
    auto at = [&](const Param *of, const Expr *index) { return build_.element(make_.use(of), {index}, value_.type); };
    auto each = [&](const char *iterator, const Expr *from, const Expr *to,
                    const std::function<Stmts(const Expr *)> &body) {
      const Expr *k = build_.var(iterator, kSize);
      return arena_.make<For>(where_, build_.declare(iterator, kSize, from, false), build_.less(k, to),
                              arena_.make<Unary>(where_, kSize, UnaryOp::PreInc, k), build_.block(body(k)));
    };
    auto begin = [&](const Expr *k) {
      return Stmts{build_.assign(at(begins, k), running), build_.assign(running, both(running, at(totals, k)))};
    };
    const Codelet *loops = make_.codelet(
        "loops", params,
        {build_.declare("running", value_.type, make_.use(before), false), each("k", build_.u64(0), size, begin)});

    // Lanes have neighbours each, and add up what those in front of them have.
    const Expr *lane = build_.var("lane", kLane), *lanes = build_.var("lanes", kLane), *d = build_.var("d", kLane);
    const Expr *tile = build_.var("tile", kSize), *from = build_.var("from", kSize), *to = build_.var("to", kSize);
    const Expr *own = build_.var("own", value_.type), *shared = build_.var("shared", values);
    auto of = [&](const Expr *index) { return build_.element(shared, {wide(index)}, value_.type); };
    auto least = [&](const Expr *e) { return build_.select(build_.less(e, size), e, size); };
    const Tunable *noTunable = nullptr;
    const Expr *twice = arena_.make<Assign>(where_, kLane, AssignOp::Mul, d, build_.integer(kLane, 2));
    const Expr *first = build_.equal(lane, build_.integer(kLane, 0)), *one = build_.integer(kLane, 1);
    const Stmts body{
        build_.declare("lane", kLane, arena_.make<CoopIdx>(where_, kLane)),
        build_.declare("lanes", kLane, arena_.make<CoopDim>(where_, kLane)),
        build_.declare("tile", kSize,
                       build_.div(build_.sub(build_.add(size, wide(lanes)), build_.u64(1)), wide(lanes))),
        build_.declare("from", kSize, least(build_.mul(wide(lane), tile))),
        build_.declare("to", kSize, least(build_.add(from, tile))),
        build_.declare("own", value_.type, nothing_, false),
        each("k", from, to, [&](const Expr *k) { return Stmts{build_.assign(own, both(own, at(totals, k)))}; }),
        arena_.make<Declare>(where_, "shared", value_.type, false, true,
                             Exprs{wide(arena_.make<CoopDim>(where_, kLane))}, noTunable, none),
        build_.assign(of(lane), own),
        arena_.make<For>(
            where_, build_.declare("d", kLane, one, false), build_.less(d, lanes), twice,
            build_.block({build_.when(build_.binary(BinaryOp::Ge, lane, d),
                                      {build_.assign(of(lane), both(of(build_.sub(lane, d)), of(lane)))})})),
        build_.declare("running", value_.type, make_.use(before), false),
        build_.when(build_.logicalNot(first),
                    {build_.assign(running, both(make_.use(before), of(build_.sub(lane, one))))}),
        each("l", from, to, begin)};
    return arena_.make<Spectrum>(where_, name, Type(), params, Exprs{},
                                 std::vector<const Codelet *>{loops, make_.codelet("lanes", params, body, true)});
  }

  ScanLoop loop_;
  Reduced value_;
  Arena &arena_;
  SourceRange where_;
  Names local_; // of what stands in codelets
  Codelets make_;
  const Build &build_;
  Names &names_; // of spectrums
  std::string base_, scan_;
  const Expr *nothing_ = nullptr; // what parts begin with
  const Param *range_ = nullptr, *before_ = nullptr;
  std::vector<const Param *> params_;
};

} // namespace

std::vector<const Spectrum *> spectrumsOf(ScanLoop loop, const std::string &base, Names &names, Arena &arena) {
  return ScanMaker(std::move(loop), base, names, arena).run(base);
}

} // namespace tangram::divide
