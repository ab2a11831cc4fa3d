#include "ScanLoops.h"

#include "Recurrences.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <functional>
#include <map>

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

/// By parameters of the codelet, and what is computed of them once; null: these do not say.
const Expr *byParameters(const Codelet &codelet, const Expr *e, Arena &arena) {
  const std::set<std::string> assigned = assignedVariables(codelet.body);
  bool said = !hasEffects(e) && !contains<Subscript>(e);
  const Expr *result = substituted(arena, e, [&](const VarRef *v) -> const Expr * {
    const bool given =
        std::any_of(codelet.params.begin(), codelet.params.end(), [&](const Param *p) { return p->name == v->name; });
    const Declare *once = nullptr;
    walk(codelet.body, [&](const Declare &d) {
      if (d.name == v->name && d.type.isScalar() && d.extents.empty() && !d.tunable && !d.shared) once = &d;
    });
    const Expr *value = given || !once || !once->init ? nullptr : byParameters(codelet, once->init, arena);
    said &= !assigned.count(v->name) && (given || value);
    return value && said ? Build(arena, v->range).cast(v->type, value) : v;
  });
  return said ? result : nullptr;
}

/// How many elements a container has; null: that is not known in front of the codelet.
const Expr *lengthOf(const nest::Nest &nest, const nest::Variable &container, Arena &arena) {
  const Expr *none = nullptr;
  for (const Param *p : nest.codelet->params)
    if (p->name == container.name && p->type.isArray() && p->type.rank() == 1)
      return arena.make<Size>(p->range, kSize, arena.make<VarRef>(p->range, p->type, p->name), none);
  const Declare *d = container.declaration;
  if (!d || d->init || d->extents.size() != 1) return nullptr;
  return byParameters(*nest.codelet, Build(arena, d->range).cast(kSize, d->extents[0]), arena);
}

/// That a number, which at most each iteration adds `by` to, stays below `numbers`, as a condition of how many
/// iterations there are; null: that is not known in front of the codelet.
const Expr *fewIterations(const nest::Nest &nest, unsigned loop, const nest::Variable &scalar, Int by, Int numbers,
                          Arena &arena) {
  std::size_t around = 0, changes = 0;
  for (auto parent = nest.loops[loop].parent; parent; parent = nest.loops[*parent].parent) ++around;
  const auto changed = [&](const Node *n) { changes += assignedVariables(n).count(scalar.name); };
  walk(
      nest.codelet->body, [&](const Assign &a) { changes += isa<VarRef>(a.target) && mentions(a.target, scalar.name); },
      [&](const Unary &u) { changes += hasEffects(&u) && mentions(u.operand, scalar.name); },
      [&](const Atomic &a) { changed(&a); }, [&](const SpectrumCall &c) { changed(&c); });
  const Declare *d = scalar.declaration;
  const std::optional<Int> begin = d && d->init ? literal(nest::withoutWidening(d->init)) : std::nullopt;
  if (!begin || *begin < 0 || scalar.scope.size() != around || changes != 1) return nullptr;
  std::string why;
  const std::optional<LoopRange> range = rangeOf(nest, loop, arena, why);
  const std::optional<Int> first = range ? literal(nest::withoutWidening(range->begin)) : std::nullopt;
  if (!first || *first < 0 || range->step < 1 || !range->decoded.empty()) return nullptr;
  const Expr *end = byParameters(*nest.codelet, range->end, arena);
  const Build build(arena, range->where);
  return end ? build.binary(BinaryOp::Le, build.cast(kSize, end),
                            build.u64(static_cast<std::uint64_t>((numbers - 1 - *begin) / by)))
             : nullptr;
}

/// Whether a container is only written, where a scalar says, which is larger each time (compaction): so no two
/// iterations write one element. `update`: the only one of the scalar. One without a sign might wrap around: that it
/// counts all elements of the container, where each step comes with a write, or all iterations, is a condition.
bool isCompacted(const nest::Nest &nest, unsigned loop, unsigned container, const nest::Variable &scalar,
                 const Stmt *update, const Stmts &body, Arena &arena, Exprs &conditions) {
  const std::optional<nest::Update> how = nest::updateOf(update, *nest.module);
  if (!how || how->op != nest::ReductionOp::Add || how->subtracts || !scalar.type.isInteger()) return false;
  const std::optional<Int> by = how->value ? literal(nest::withoutWidening(how->value)) : std::optional<Int>(1);
  if (!by || *by < 1) return false;
  if (scalar.type.bytes() < 4) return false; // arithmetic is of more bits, of which a few are kept
  bool certain = true;                       // of a write at each step
  for (const unsigned s : nest.statementsOf(loop))
    for (const nest::Access &a : nest.statements[s].accesses) {
      if (a.variable != container) continue;
      const auto *element = dyn<Subscript>(a.node);
      const auto *index =
          element && element->indices.size() == 1 ? dyn<VarRef>(nest::withoutWidening(element->indices[0])) : nullptr;
      if (a.kind != nest::AccessKind::Write || !index || index->name != scalar.name ||
          !isFollowedBy(body, nest.statements[s].node, update))
        return false;
      certain &= a.certain;
    }
  // A sum of more bits, of which these are kept, wraps around with a sign as well.
  const bool wider = how->value && how->value->type.bytes() > scalar.type.bytes(), isSigned = scalar.type.isSigned();
  if ((isSigned && !wider) || scalar.type.bytes() == 8) return true;
  const Int numbers = Int(1) << (8 * scalar.type.bytes() - (isSigned ? 1 : 0));
  if (*by >= numbers) return false;
  const Build build(arena, update->range);
  const Expr *length = certain ? lengthOf(nest, nest.variables[container], arena) : nullptr;
  const Expr *enough = length ? build.binary(BinaryOp::Le, length, build.u64(static_cast<std::uint64_t>(numbers - *by)))
                              : fewIterations(nest, loop, scalar, *by, numbers, arena);
  if (enough) conditions.push_back(enough);
  return enough != nullptr;
}

bool isOneOf(const Stmts &stmts, const Stmt *s) { return std::find(stmts.begin(), stmts.end(), s) != stmts.end(); }

/// The scalars that the loop carries, in the order of their declarations; none where it carries something else.
std::vector<const nest::Variable *> carriedScalars(const nest::Nest &nest, unsigned loop,
                                                   const nest::Dependences &dependences, const Stmts &body,
                                                   Arena &arena, Exprs &conditions) {
  const std::vector<unsigned> own = dependences.carried(loop).privatizable;
  std::set<unsigned> found, containers;
  for (const nest::Dependence &d : dependences.all(loop)) {
    const unsigned variable = d.first->variable;
    if (std::find(own.begin(), own.end(), variable) != own.end()) continue;
    (nest.variables[variable].container ? containers : found).insert(variable);
  }
  std::vector<const nest::Variable *> scalars;
  for (const unsigned variable : found) scalars.push_back(&nest.variables[variable]);
  const bool all = std::all_of(scalars.begin(), scalars.end(),
                               [](const nest::Variable *v) { return v->rank == 0 && v->type.isScalar(); });
  const bool compacted = std::all_of(containers.begin(), containers.end(), [&](unsigned container) {
    return std::any_of(scalars.begin(), scalars.end(), [&](const nest::Variable *v) {
      const std::optional<Recurrence> counts = recurrenceOf(body, v->name, v->type, *nest.module);
      return counts && counts->kind == Recurrence::Kind::Combined && counts->updates.size() == 1 &&
             isCompacted(nest, loop, container, *v, counts->updates[0], body, arena, conditions);
    });
  });
  return all && compacted ? scalars : std::vector<const nest::Variable *>{};
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

/// What updates of scalars need, where it stands in the body.
class Needs {
public:
  Needs(const Codelet &codelet, const Stmts &body) : codelet_(codelet) {
    for (const Stmt *s : body) walk(s, [&](const Stmt &inner) { order_.emplace(&inner, order_.size()); });
  }

  /// `itself`: the scalar that it is about.
  void add(const Stmt *where, const Node *what, const std::string &itself = "") {
    walk(what, [&](const VarRef &v) {
      if (v.name != itself) names_[v.name] = std::max(names_[v.name], order_.at(where));
    });
  }
  bool has(const std::string &name) const { return names_.count(name) > 0; }
  /// Whether what is found in a container may be of the loop's own: an iteration writes it before the last use, or it
  /// is not known that only the same iteration does.
  bool mayBeWritten(const std::string &container, const Stmts &writes) const {
    return std::any_of(names_.begin(), names_.end(), [&](const auto &use) {
      const bool isIt = nest::withViewed({use.first}, codelet_.body).count(container) != 0;
      return isIt && (writes.empty() || std::any_of(writes.begin(), writes.end(), [&](const Stmt *write) {
                        const auto at = order_.find(write);
                        return at == order_.end() || at->second <= use.second;
                      }));
    });
  }

private:
  const Codelet &codelet_;
  std::map<const Stmt *, std::size_t> order_; // of the source
  std::map<std::string, std::size_t> names_;  // the last use of each
};

/// What the loop writes beside its running values: the statements that do, by containers; none where another iteration
/// touches what one writes.
using Written = std::map<std::string, Stmts>;

/// Declarations of the body that the updates of scalars need, and the updates; nothing where these need the scalars
/// themselves, `if (n < most) out[n++] = x;`, or what the loop writes, unless an iteration reads it before it writes
/// it, and no other one does: `sum += c[i]; c[i] = sum;`.
std::optional<Stmts> slice(const nest::Nest &nest, const Stmts &body, const std::vector<Recurrence> &recurrences,
                           const std::vector<Reduced> &scalars, const Written &written, Arena &arena) {
  Stmts updates;
  for (const Recurrence &r : recurrences) updates.insert(updates.end(), r.updates.begin(), r.updates.end());
  Needs needed(*nest.codelet, body);
  std::set<std::string> inside; // declared in branches around the updates
  auto needsOf = [&](auto &&self, const Stmt *s) -> void {
    if (isOneOf(updates, s)) {
      for (std::size_t k = 0; k < recurrences.size(); ++k)
        if (isOneOf(recurrences[k].updates, s))
          for (const Expr *e : operandsOf(s, scalars[k].name, *nest.module)) needed.add(s, e, scalars[k].name);
    } else if (const auto *branch = dyn<If>(s); branch && alone(s, updates, arena)) {
      needed.add(branch, branch->cond);
      for (const Block *block : {branch->then, branch->otherwise})
        for (const Stmt *inner : block ? block->stmts : Stmts{}) self(self, inner);
    }
  };
  Stmts kept;
  for (const Stmt *s : body)
    if (const Stmt *update = alone(s, updates, arena)) {
      kept.push_back(update);
      needsOf(needsOf, s);
      inside.merge(nest::declaredIn({update}));
    }
  for (auto s = body.rbegin(); s != body.rend(); ++s) {
    const auto *d = dyn<Declare>(*s);
    if (!d || !needed.has(d->name)) continue;
    if (!d->extents.empty() || d->shared || d->tunable || !d->init || hasEffects(d->init)) return {};
    needed.add(d, d->init);
    kept.insert(kept.begin(), d);
  }
  auto isNeeded = [&](const std::string &name) { return needed.has(name); };
  if (std::any_of(scalars.begin(), scalars.end(), [&](const Reduced &r) { return isNeeded(r.name); })) return {};
  for (const auto &[container, writes] : written)
    if (needed.mayBeWritten(container, writes)) return {};
  for (const Stmt *s : body) { // what is kept is nowhere set again
    const std::set<std::string> set = assignedVariables(s);
    if (std::any_of(set.begin(), set.end(), isNeeded)) return {};
  }
  // Nor is anything of a branch that an update needs.
  if (std::any_of(inside.begin(), inside.end(), isNeeded)) return {};
  return kept;
}

} // namespace

namespace {

/// Scalars beside those that begin anew, or are scaled, which say so of what is left of the loop.
void addCompanions(ReductionLoop &total, const std::vector<Recurrence> &recurrences, Names &names, const Module &module,
                   Arena &arena) {
  for (std::size_t k = 0; k < recurrences.size(); ++k) {
    if (recurrences[k].kind == Recurrence::Kind::Combined) continue;
    const bool restarts = recurrences[k].kind == Recurrence::Kind::Restarted;
    const std::string scalar = total.scalars[k].name;
    const Type type = restarts ? Type(Scalar::Bool) : recurrences[k].factorType;
    const Reduced companion{names.fresh(scalar + (restarts ? "_anew" : "_factor")), type,
                            restarts ? nest::ReductionOp::Or : nest::ReductionOp::Mul};
    (restarts ? total.scalars[k].restartedBy : total.scalars[k].scaledBy) = total.scalars.size();
    const Expr *own = Build(arena, total.range.where).var(companion.name, type);
    total.body = withCompanion(total.body, recurrences[k], scalar, own, module, arena);
    total.scalars.push_back(companion);
  }
}

} // namespace

std::optional<ScanLoop> scanLoop(const nest::Nest &nest, const nest::Item &loop, const nest::Dependences &dependences,
                                 Stmts body, Names &codeletNames, Arena &arena) {
  // Where an iteration may end before an update, branches around it do not tell whether it is done.
  if (std::any_of(body.begin(), body.end(), jumpsOut)) return {};
  ScanLoop scan;
  const std::vector<const nest::Variable *> scalars =
      carriedScalars(nest, loop.index, dependences, body, arena, scan.conditions);
  if (scalars.empty()) return {};
  std::vector<Recurrence> recurrences;
  std::set<std::string> names;
  Written written;
  for (const nest::Variable *v : scalars) {
    const std::optional<Recurrence> own = recurrenceOf(body, v->name, v->type, *nest.module);
    if (!own) return {};
    scan.total.scalars.push_back({v->name, v->type, own->op});
    names.insert(v->name);
    recurrences.push_back(*own);
  }
  for (unsigned s : nest.statementsOf(loop.index))
    for (const nest::Access &a : nest.statements[s].accesses) {
      const nest::Variable &other = nest.variables[a.variable];
      if (a.kind != nest::AccessKind::Read && other.container) written[other.name].push_back(nest.statements[s].node);
    }
  scan.onlyTotal = written.empty();
  for (const nest::Dependence &d : dependences.all(loop.index))
    if (const auto shared = written.find(nest.variables[d.first->variable].name); shared != written.end())
      shared->second.clear();
  std::optional<Stmts> kept = slice(nest, body, recurrences, scan.total.scalars, written, arena);
  std::string why;
  const std::optional<LoopRange> range = rangeOf(nest, loop.index, arena, why);
  if (!kept || !range) return {};
  std::set<std::string> own, without = names;
  without.insert(range->iterator);
  for (unsigned p : dependences.carried(loop.index).privatizable) own.insert(nest.variables[p].name);
  std::optional<Captures> all = capturesOf(nest, body, without, own, arena, why),
                          some = capturesOf(nest, *kept, without, own, arena, why);
  if (!all || !some) return {};
  scan.total.range = *range, scan.total.body = std::move(*kept), scan.total.captures = *some;
  addCompanions(scan.total, recurrences, codeletNames, *nest.module, arena);
  scan.body = std::move(body);
  scan.captures = *all;
  return scan;
}

namespace {

class ScanMaker {
public:
  ScanMaker(ScanLoop loop, const std::string &base, Names &names, Arena &arena)
      : loop_(std::move(loop)), scalars_(loop_.total.scalars), arena_(arena), where_(loop_.total.range.where),
        local_(localNames()), make_(arena, where_, local_), build_(make_.build()), names_(names),
        base_(fmt::format("{}_{}", base, loop_.total.range.iterator)), scan_(names.fresh(base_ + "_scan")) {
    range_ = make_.param(local_.fresh(loop_.total.range.iterator + "_range"), loop_.total.range.containerType());
    params_ = {range_};
    for (const Reduced &scalar : scalars_) {
      nothing_.push_back(neutral(build_, scalar.op, scalar.type));
      before_.push_back(make_.param(local_.fresh(scalar.name + "_before"), scalar.type));
    }
    params_.insert(params_.end(), before_.begin(), before_.end());
    params_.insert(params_.end(), loop_.captures.params.begin(), loop_.captures.params.end());
  }

  std::vector<const Spectrum *> run(const std::string &base) {
    const std::vector<const Spectrum *> total = spectrumsOf(loop_.total, base + "_total", names_, arena_);
    if (std::find(nothing_.begin(), nothing_.end(), nullptr) != nothing_.end() || total.size() < 2) return {};
    const std::string starts = names_.fresh(base_ + "_starts");
    std::vector<const Spectrum *> made{
        arena_.make<Spectrum>(where_, scan_, loop_.total.result(), params_, Exprs{},
                              std::vector<const Codelet *>{loops(), lanes(), parts(total[0]->name, starts)}),
        startsOf(starts)};
    made.insert(made.end(), total.begin(), total.end());
    return made;
  }

private:
  /// An element of what has one for each scalar: by the number of the scalar, and an index.
  using Element = std::function<const Expr *(std::size_t, const Expr *)>;

  Names localNames() {
    Names local;
    local.reserve(loop_.total.range.iterator);
    for (const Reduced &scalar : scalars_) local.reserve(scalar.name);
    for (const Param *p : loop_.captures.params) local.reserve(p->name);
    for (const Stmt *s : loop_.body) local.reserveAll(s);
    loop_.total.range.position = local.fresh("at_" + loop_.total.range.iterator);
    return local;
  }
  std::size_t count() const { return scalars_.size(); }
  const Expr *value(std::size_t k) const { return build_.var(scalars_[k].name, scalars_[k].type); }
  const Expr *wide(const Expr *e) const { return build_.cast(kSize, e); }
  /// Scalar `k` of two values each, the second of which is from later iterations.
  const Expr *both(std::size_t k, const Exprs &a, const Exprs &b) const { return combined(build_, scalars_, k, a, b); }
  Exprs values() const {
    return each([&](std::size_t k) { return value(k); });
  }
  Exprs elements(const Element &of, const Expr *index) const {
    return each([&](std::size_t k) { return of(k, index); });
  }
  Exprs each(const std::function<const Expr *(std::size_t)> &of) const {
    Exprs all;
    for (std::size_t k = 0; k < count(); ++k) all.push_back(of(k));
    return all;
  }
  void add(Stmts &out, const std::function<const Stmt *(std::size_t)> &of) const {
    for (std::size_t k = 0; k < count(); ++k) out.push_back(of(k));
  }
  const Stmt *returned(const Expr *e) const { return arena_.make<Return>(where_, e); }
  const Stmt *returned(Exprs values) const {
    return returned(count() == 1 ? values[0] : arena_.make<InitList>(where_, loop_.total.result(), std::move(values)));
  }
  const Stmt *container(const std::string &name, const Type &type, Exprs extents, const Expr *init) const {
    const Tunable *none = nullptr;
    return arena_.make<Declare>(where_, name, Type::array(1, type), false, false, std::move(extents), none, init);
  }
  const Stmt *shared(const std::string &name, const Type &type) const {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    return arena_.make<Declare>(where_, name, type, false, true, Exprs{wide(arena_.make<CoopDim>(where_, kLane))},
                                noTunable, none);
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
  /// An inclusive scan of what each lane has in arrays (Hillis and Steele): `of` is the element of a lane, `distance` a
  /// variable for how far apart those are that are combined.
  const Stmt *scannedByLanes(const Expr *lane, const Expr *lanes, const Expr *distance, const Element &of) const {
    const Expr *twice = arena_.make<Assign>(where_, kLane, AssignOp::Mul, distance, build_.integer(kLane, 2));
    const Expr *in = build_.binary(BinaryOp::Ge, lane, distance);
    Stmts combines;
    const Exprs mine = elements(of, lane), earlier = elements(of, build_.sub(lane, distance));
    add(combines, [&](std::size_t k) { return build_.assign(mine[k], both(k, earlier, mine)); });
    return arena_.make<For>(where_, build_.declare(as<VarRef>(distance)->name, kLane, build_.integer(kLane, 1), false),
                            build_.less(distance, lanes), twice, build_.block({build_.when(in, std::move(combines))}));
  }

  const Codelet *loops() const {
    Stmts body;
    add(body, [&](std::size_t k) {
      return build_.declare(scalars_[k].name, scalars_[k].type, make_.use(before_[k]), false);
    });
    body.push_back(make_.loop(loop_.total.range, range_, withOwn(loop_.captures, loop_.body)));
    body.push_back(returned(values()));
    return make_.codelet("loops", params_, std::move(body));
  }

  /// Lanes have an iteration each of as many as they are: what each adds is scanned, and each goes through its own from
  /// what those in front of it have added.
  const Codelet *lanes() {
    auto number = [&](const std::string &hint, const Type &type) { return build_.var(local_.fresh(hint), type); };
    auto declared = [&](const Expr *v, const Expr *init, bool isConst = true) {
      return build_.declare(as<VarRef>(v)->name, v->type, init, isConst);
    };
    const Expr *lane = number("lane", kLane), *lanes = number("lanes", kLane), *d = number("distance", kLane);
    const Expr *first = number("first", kSize), *at = build_.var(loop_.total.range.position, kSize);
    const Exprs behind = each([&](std::size_t k) { return number("behind", scalars_[k].type); });
    const Expr *none = nullptr;
    const Expr *size = arena_.make<Size>(where_, kSize, make_.use(range_), none);
    std::vector<std::string> arrays;
    for (std::size_t k = 0; k < count(); ++k) arrays.push_back(local_.fresh("shared"));
    const Element of = [&](std::size_t k, const Expr *index) {
      const Type &type = scalars_[k].type;
      return build_.element(build_.var(arrays[k], Type::array(1, type)), {wide(index)}, type);
    };
    auto iteration = [&](const Captures &captures, const Stmts &statements) {
      return build_.when(build_.less(at, size),
                         make_.iteration(loop_.total.range, range_, withOwn(captures, statements)));
    };
    const Expr *one = build_.integer(kLane, 1);
    Stmts tile{declared(at, build_.add(first, wide(lane)))}, others;
    add(tile, [&](std::size_t k) { return build_.declare(scalars_[k].name, scalars_[k].type, nothing_[k], false); });
    // What it declares is declared by the other one as well.
    tile.push_back(as<Stmt>(withOwnNames(arena_, iteration(loop_.total.captures, loop_.total.body), local_)));
    add(tile, [&](std::size_t k) { return build_.assign(of(k, lane), value(k)); });
    tile.push_back(scannedByLanes(lane, lanes, d, of));
    add(tile, [&](std::size_t k) { return build_.assign(value(k), behind[k]); });
    const Exprs inFront = elements(of, build_.sub(lane, one)), last = elements(of, build_.sub(lanes, one));
    add(others, [&](std::size_t k) { return build_.assign(value(k), both(k, behind, inFront)); });
    tile.push_back(build_.when(build_.less(build_.integer(kLane, 0), lane), std::move(others)));
    tile.push_back(iteration(loop_.captures, loop_.body));
    add(tile, [&](std::size_t k) { return build_.assign(behind[k], both(k, behind, last)); });
    const Expr *onward = arena_.make<Assign>(where_, kSize, AssignOp::Add, first, wide(lanes));
    Stmts body{declared(lane, arena_.make<CoopIdx>(where_, kLane)),
               declared(lanes, arena_.make<CoopDim>(where_, kLane))};
    add(body, [&](std::size_t k) { return shared(arrays[k], scalars_[k].type); });
    add(body, [&](std::size_t k) { return declared(behind[k], make_.use(before_[k]), false); });
    body.push_back(arena_.make<For>(where_, declared(first, build_.u64(0), false), build_.less(first, size), onward,
                                    build_.block(std::move(tile))));
    body.push_back(returned(behind));
    return make_.codelet("lanes", params_, std::move(body), true);
  }

  /// auto totals = map(total, parts, nothing, ...); starts(totals, before, begins); map(scan, parts, begins, ...)
  const Codelet *parts(const std::string &total, const std::string &starts) {
    const Type whole = loop_.total.result();
    const std::string totals = local_.fresh("totals");
    std::vector<std::string> begins;
    for (std::size_t k = 0; k < this->count(); ++k) begins.push_back(local_.fresh("begins"));
    const std::string ends = local_.fresh("ends");
    auto begin = [&](std::size_t k) { return build_.var(begins[k], Type::array(1, scalars_[k].type)); };
    Stmts body = make_.tiling(range_);
    const Expr *count = wide(build_.var(as<Declare>(body[0])->name, Scalar::U32));
    Exprs first{make_.parts(range_)};
    first.insert(first.end(), nothing_.begin(), nothing_.end());
    for (const Param *p : loop_.total.captures.params) first.push_back(make_.use(p));
    body.push_back(container(totals, whole, {}, make_.map(total, whole, std::move(first))));
    add(body, [&](std::size_t k) { return container(begins[k], scalars_[k].type, {count}, nullptr); });
    Exprs given{build_.var(totals, Type::array(1, whole))};
    for (const Param *p : before_) given.push_back(make_.use(p));
    for (std::size_t k = 0; k < this->count(); ++k) given.push_back(begin(k));
    body.push_back(make_.run(make_.call(starts, Type(), std::move(given))));
    Exprs again{make_.parts(range_)};
    for (std::size_t k = 0; k < this->count(); ++k) again.push_back(begin(k));
    for (const Param *p : loop_.captures.params) again.push_back(make_.use(p));
    body.push_back(container(ends, whole, {}, make_.map(scan_, whole, std::move(again))));
    body.push_back(
        returned(build_.element(build_.var(ends, Type::array(1, whole)), {build_.sub(count, build_.u64(1))}, whole)));
    return make_.codelet("over_" + loop_.total.range.iterator, params_, std::move(body), false, true);
  }

  /// What each part begins with: an exclusive scan of what they add.
  const Spectrum *startsOf(const std::string &name) {
    auto named = [&](const char *what, std::size_t k) {
      return count() == 1 ? what : fmt::format("{}_{}", what, scalars_[k].name);
    };
    const Param *totals = make_.param("totals", Type::array(1, loop_.total.result()));
    std::vector<const Param *> before, begins;
    for (std::size_t k = 0; k < count(); ++k) {
      before.push_back(make_.param(named("before", k), scalars_[k].type));
      begins.push_back(arena_.make<Param>(where_, named("begins", k), Type::array(1, scalars_[k].type), Access::InOut));
    }
    std::vector<const Param *> params{totals};
    params.insert(params.end(), before.begin(), before.end());
    params.insert(params.end(), begins.begin(), begins.end());
    const Expr *none = nullptr, *size = arena_.make<Size>(where_, kSize, make_.use(totals), none);
    auto running = [&](std::size_t k) { return build_.var(named("running", k), scalars_[k].type); };
    auto own = [&](std::size_t k) { return build_.var(named("own", k), scalars_[k].type); };
    auto declared = [&](const Expr *v, const Expr *init) {
      return build_.declare(as<VarRef>(v)->name, v->type, init, false);
    };
    const Element total = [&](std::size_t k, const Expr *index) {
      return valueOf(loop_.total, k, build_.element(make_.use(totals), {index}, loop_.total.result()), arena_);
    };
    const Exprs allRunning = each(running), allOwn = each(own);
    auto loop = [&](const char *iterator, const Expr *from, const Expr *to,
                    const std::function<Stmts(const Expr *)> &body) {
      const Expr *k = build_.var(iterator, kSize);
      return arena_.make<For>(where_, build_.declare(iterator, kSize, from, false), build_.less(k, to),
                              arena_.make<Unary>(where_, kSize, UnaryOp::PreInc, k), build_.block(body(k)));
    };
    auto begin = [&](const Expr *at) {
      Stmts body;
      add(body, [&](std::size_t k) {
        return build_.assign(build_.element(make_.use(begins[k]), {at}, scalars_[k].type), running(k));
      });
      const Exprs next = elements(total, at);
      add(body, [&](std::size_t k) { return build_.assign(running(k), both(k, allRunning, next)); });
      return body;
    };
    Stmts serial;
    add(serial, [&](std::size_t k) { return declared(running(k), make_.use(before[k])); });
    serial.push_back(loop("k", build_.u64(0), size, begin));
    const Codelet *loops = make_.codelet("loops", params, std::move(serial));

    // Lanes have neighbours each, and add up what those in front of them have.
    const Expr *lane = build_.var("lane", kLane), *lanes = build_.var("lanes", kLane), *d = build_.var("d", kLane);
    const Expr *tile = build_.var("tile", kSize), *from = build_.var("from", kSize), *to = build_.var("to", kSize);
    const Element of = [&](std::size_t k, const Expr *index) {
      const Type &type = scalars_[k].type;
      return build_.element(build_.var(named("shared", k), Type::array(1, type)), {wide(index)}, type);
    };
    auto least = [&](const Expr *e) { return build_.select(build_.less(e, size), e, size); };
    const Expr *isFirst = build_.equal(lane, build_.integer(kLane, 0)), *one = build_.integer(kLane, 1);
    Stmts body{build_.declare("lane", kLane, arena_.make<CoopIdx>(where_, kLane)),
               build_.declare("lanes", kLane, arena_.make<CoopDim>(where_, kLane)),
               build_.declare("tile", kSize,
                              build_.div(build_.sub(build_.add(size, wide(lanes)), build_.u64(1)), wide(lanes))),
               build_.declare("from", kSize, least(build_.mul(wide(lane), tile))),
               build_.declare("to", kSize, least(build_.add(from, tile)))},
        others;
    add(body, [&](std::size_t k) { return declared(own(k), nothing_[k]); });
    body.push_back(loop("k", from, to, [&](const Expr *at) {
      Stmts sums;
      const Exprs next = elements(total, at);
      add(sums, [&](std::size_t k) { return build_.assign(own(k), both(k, allOwn, next)); });
      return sums;
    }));
    add(body, [&](std::size_t k) { return shared(named("shared", k), scalars_[k].type); });
    add(body, [&](std::size_t k) { return build_.assign(of(k, lane), own(k)); });
    body.push_back(scannedByLanes(lane, lanes, d, of));
    add(body, [&](std::size_t k) { return declared(running(k), make_.use(before[k])); });
    const Exprs inFront = elements(of, build_.sub(lane, one)),
                first = each([&](std::size_t k) { return make_.use(before[k]); });
    add(others, [&](std::size_t k) { return build_.assign(running(k), both(k, first, inFront)); });
    body.push_back(build_.when(build_.logicalNot(isFirst), std::move(others)));
    body.push_back(loop("l", from, to, begin));
    return arena_.make<Spectrum>(
        where_, name, Type(), params, Exprs{},
        std::vector<const Codelet *>{loops, make_.codelet("lanes", params, std::move(body), true)});
  }

  ScanLoop loop_;
  std::vector<Reduced> scalars_;
  Arena &arena_;
  SourceRange where_;
  Names local_; // of what stands in codelets
  Codelets make_;
  const Build &build_;
  Names &names_; // of spectrums
  std::string base_, scan_;
  Exprs nothing_; // what parts begin with
  const Param *range_ = nullptr;
  std::vector<const Param *> before_, params_;
};

} // namespace

std::vector<const Spectrum *> spectrumsOf(ScanLoop loop, const std::string &base, Names &names, Arena &arena) {
  return ScanMaker(std::move(loop), base, names, arena).run(base);
}

} // namespace tangram::divide
