#include "ScanLoops.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <functional>

namespace tangram::divide {

using namespace ast;

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

/// Whether a statement is in a block in which `update` comes behind it.
bool isFollowedBy(const Stmts &block, const Stmt *statement, const Stmt *update) {
  const auto at = std::find(block.begin(), block.end(), statement);
  if (at != block.end()) return std::find(at, block.end(), update) != block.end();
  return std::any_of(block.begin(), block.end(), [&](const Stmt *s) {
    const auto *branch = dyn<If>(s);
    return branch && (isFollowedBy(branch->then->stmts, statement, update) ||
                      (branch->otherwise && isFollowedBy(branch->otherwise->stmts, statement, update)));
  });
}

/// Whether a container is only written, where a scalar says, which is larger each time (compaction): so no two
/// iterations write one element. `update`: the only one of the scalar.
bool isCompacted(const nest::Nest &nest, unsigned loop, unsigned container, const nest::Variable &scalar,
                 const Stmt *update, const Stmts &body) {
  const std::optional<nest::Update> how = nest::updateOf(update, *nest.module);
  if (!how || how->op != nest::ReductionOp::Add || how->subtracts || !scalar.type.isInteger()) return false;
  const std::optional<Int> by = how->value ? literal(nest::withoutCasts(how->value)) : std::optional<Int>(1);
  if (!by || *by < 1) return false;
  if (!scalar.type.isSigned() && scalar.type.bytes() < 8) return false; // it may wrap around
  for (const unsigned s : nest.statementsOf(loop))
    for (const nest::Access &a : nest.statements[s].accesses) {
      if (a.variable != container) continue;
      const auto *element = dyn<Subscript>(a.node);
      const auto *index =
          element && element->indices.size() == 1 ? dyn<VarRef>(nest::withoutCasts(element->indices[0])) : nullptr;
      if (a.kind != nest::AccessKind::Write || !index || index->name != scalar.name ||
          !isFollowedBy(body, nest.statements[s].node, update))
        return false;
    }
  return true;
}

/// The statements of the body, and of branches in it, that update a scalar: `sum += next; if (full) sum -= last;`. None
/// where it is not by one operator.
Stmts updatesOf(const Stmts &body, const std::string &scalar, const Module &module) {
  Stmts found;
  std::set<nest::ReductionOp> ops;
  auto look = [&](auto &&self, const Stmts &stmts) -> void {
    for (const Stmt *s : stmts) {
      const std::optional<nest::Update> u = nest::updateOf(s, module);
      const auto *target = u ? dyn<VarRef>(u->target) : nullptr;
      if (target && target->name == scalar) {
        found.push_back(s);
        ops.insert(u->op);
      } else if (const auto *branch = dyn<If>(s)) {
        self(self, branch->then->stmts);
        if (branch->otherwise) self(self, branch->otherwise->stmts);
      }
    }
  };
  look(look, body);
  return ops.size() == 1 ? found : Stmts{};
}

bool isOneOf(const Stmts &stmts, const Stmt *s) { return std::find(stmts.begin(), stmts.end(), s) != stmts.end(); }

/// The one scalar that the loop carries; null where it is something else.
const nest::Variable *carriedScalar(const nest::Nest &nest, unsigned loop, const nest::Dependences &dependences,
                                    const Stmts &body) {
  const std::vector<unsigned> own = dependences.carried(loop).privatizable;
  std::optional<unsigned> found;
  std::set<unsigned> containers;
  for (const nest::Dependence &d : dependences.all(loop)) {
    const unsigned variable = d.first->variable;
    if (std::find(own.begin(), own.end(), variable) != own.end()) continue;
    if (nest.variables[variable].container) {
      containers.insert(variable);
      continue;
    }
    if (found && *found != variable) return nullptr;
    found = variable;
  }
  if (!found) return nullptr;
  const Stmts updates = updatesOf(body, nest.variables[*found].name, *nest.module);
  for (const unsigned container : containers)
    if (updates.size() != 1 || !isCompacted(nest, loop, container, nest.variables[*found], updates[0], body))
      return nullptr;
  const nest::Variable &v = nest.variables[*found];
  return v.rank == 0 && !v.container && v.type.isScalar() ? &v : nullptr;
}

/// The updates alone, and the branches that they stand in; null where they stand elsewhere.
const Stmt *alone(const Stmt *s, const Stmts &updates, Arena &arena) {
  if (isOneOf(updates, s)) return s;
  const auto *branch = dyn<If>(s);
  if (!branch) return nullptr;
  const Build build(arena, branch->range);
  auto inside = [&](const Block *block) {
    Stmts found;
    for (const Stmt *inner : block ? block->stmts : Stmts{})
      if (const Stmt *update = alone(inner, updates, arena)) found.push_back(update);
    return found;
  };
  const Stmts then = inside(branch->then), otherwise = inside(branch->otherwise);
  if (then.empty() && otherwise.empty()) return nullptr;
  return then.empty() ? build.when(build.logicalNot(branch->cond), otherwise)
                      : build.when(branch->cond, then, otherwise);
}

/// Declarations of the body that the updates need, and the updates; nothing where these need what the loop writes.
std::optional<Stmts> slice(const Stmts &body, const Stmts &updates, const std::string &scalar,
                           const std::set<std::string> &written, Arena &arena) {
  std::set<std::string> needed, inside; // inside: declared in branches around the updates
  auto needs = [&](const Node *node) { walk(node, [&](const VarRef &v) { needed.insert(v.name); }); };
  Stmts kept;
  for (const Stmt *s : body)
    if (const Stmt *update = alone(s, updates, arena)) {
      kept.push_back(update);
      needs(update);
      inside.merge(nest::declaredIn({s}));
    }
  for (auto s = body.rbegin(); s != body.rend(); ++s) {
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
      if (name != scalar && needed.count(name)) return {};
  // Nor is anything of a branch that an update needs.
  if (std::any_of(inside.begin(), inside.end(), [&](const std::string &name) { return needed.count(name) > 0; }))
    return {};
  return kept;
}

} // namespace

std::optional<ScanLoop> scanLoop(const nest::Nest &nest, const nest::Item &loop, const nest::Dependences &dependences,
                                 Stmts body, Arena &arena) {
  // Where an iteration may end before an update, branches around it do not tell whether it is done.
  if (std::any_of(body.begin(), body.end(), jumpsOut)) return {};
  const nest::Variable *v = carriedScalar(nest, loop.index, dependences, body);
  const Stmts updates = v ? updatesOf(body, v->name, *nest.module) : Stmts{};
  if (updates.empty()) return {};
  const std::optional<nest::Update> how = nest::updateOf(updates[0], *nest.module);
  std::set<std::string> written;
  for (unsigned s : nest.statementsOf(loop.index))
    for (const nest::Access &a : nest.statements[s].accesses) {
      if (a.kind == nest::AccessKind::Read) continue;
      const nest::Variable &other = nest.variables[a.variable];
      if (&other == v && !isOneOf(updates, nest.statements[s].node)) return {};
      if (other.container) written.insert(other.name);
    }
  const std::optional<Stmts> kept = slice(body, updates, v->name, written, arena);
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
                              std::vector<const Codelet *>{loops(), lanes(), parts(total[0]->name, starts)}),
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

  /// The statements with what each iteration has for itself.
  Stmts withOwn(const Captures &captures, const Stmts &statements) const {
    Stmts body;
    for (const Declare *d : captures.own)
      body.push_back(arena_.derive(d, [](Declare &copy) {
        copy.init = nullptr;
        copy.isConst = false;
      }));
    body.insert(body.end(), statements.begin(), statements.end());
    return body;
  }
  /// An inclusive scan of what each lane has in an array (Hillis and Steele): `of` is the element of a lane, `distance`
  /// a variable for how far apart those are that are combined.
  const Stmt *scannedByLanes(const Expr *lane, const Expr *lanes, const Expr *distance,
                             const std::function<const Expr *(const Expr *)> &of) const {
    const Expr *twice = arena_.make<Assign>(where_, kLane, AssignOp::Mul, distance, build_.integer(kLane, 2));
    const Expr *in = build_.binary(BinaryOp::Ge, lane, distance);
    const Stmt *combines = build_.assign(of(lane), both(of(build_.sub(lane, distance)), of(lane)));
    return arena_.make<For>(where_, build_.declare(as<VarRef>(distance)->name, kLane, build_.integer(kLane, 1), false),
                            build_.less(distance, lanes), twice, build_.block({build_.when(in, {combines})}));
  }

  const Codelet *loops() const {
    return make_.codelet("loops", params_,
                         {build_.declare(value_.name, value_.type, make_.use(before_), false),
                          make_.loop(loop_.total.range, range_, withOwn(loop_.captures, loop_.body)),
                          returned(value())});
  }

  /// Lanes have an iteration each of as many as they are: what each adds is scanned, and each goes through its own from
  /// what those in front of it have added.
  const Codelet *lanes() {
    auto number = [&](const char *hint, const Type &type) { return build_.var(local_.fresh(hint), type); };
    auto declared = [&](const Expr *v, const Expr *init, bool isConst = true) {
      return build_.declare(as<VarRef>(v)->name, v->type, init, isConst);
    };
    const Expr *lane = number("lane", kLane), *lanes = number("lanes", kLane), *d = number("distance", kLane);
    const Expr *first = number("first", kSize), *at = build_.var(loop_.total.range.position, kSize);
    const Expr *behind = number("behind", value_.type), *none = nullptr;
    const Expr *size = arena_.make<Size>(where_, kSize, make_.use(range_), none);
    const std::string shared = local_.fresh("shared");
    auto of = [&](const Expr *index) {
      return build_.element(build_.var(shared, Type::array(1, value_.type)), {wide(index)}, value_.type);
    };
    auto iteration = [&](const Captures &captures, const Stmts &statements) {
      return build_.when(build_.less(at, size),
                         make_.iteration(loop_.total.range, range_, withOwn(captures, statements)));
    };
    const Tunable *noTunable = nullptr;
    const Expr *one = build_.integer(kLane, 1);
    Stmts tile{declared(at, build_.add(first, wide(lane))), build_.declare(value_.name, value_.type, nothing_, false),
               // what it declares is declared by the other one as well
               as<Stmt>(withOwnNames(arena_, iteration(loop_.total.captures, loop_.total.body), local_)),
               build_.assign(of(lane), value()), scannedByLanes(lane, lanes, d, of), build_.assign(value(), behind),
               build_.when(build_.less(build_.integer(kLane, 0), lane),
                           {build_.assign(value(), both(behind, of(build_.sub(lane, one))))}),
               iteration(loop_.captures, loop_.body), build_.assign(behind, both(behind, of(build_.sub(lanes, one))))};
    const Expr *onward = arena_.make<Assign>(where_, kSize, AssignOp::Add, first, wide(lanes));
    return make_.codelet("lanes", params_,
                         {declared(lane, arena_.make<CoopIdx>(where_, kLane)),
                          declared(lanes, arena_.make<CoopDim>(where_, kLane)),
                          arena_.make<Declare>(where_, shared, value_.type, false, true,
                                               Exprs{wide(arena_.make<CoopDim>(where_, kLane))}, noTunable, none),
                          declared(behind, make_.use(before_), false),
                          arena_.make<For>(where_, declared(first, build_.u64(0), false), build_.less(first, size),
                                           onward, build_.block(std::move(tile))),
                          returned(behind)},
                         true);
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
        scannedByLanes(lane, lanes, d, of),
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
