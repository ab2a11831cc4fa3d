#include "ScanLoops.h"

#include "Extents.h"
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

struct RunningValue {
  Reduced scalar;
  Recurrence recurrence;
};

/// Declarations of the body that the updates of scalars need, and the updates; nothing where these need what is in
/// `without`, `if (n < most) out[n++] = x;`, or what the loop writes, unless an iteration reads it before it writes
/// it, and no other one does: `sum += c[i]; c[i] = sum;`.
std::optional<Stmts> slice(const nest::Nest &nest, const Stmts &body, const std::vector<RunningValue> &running,
                           const std::set<std::string> &without, const Written &written, Arena &arena) {
  Stmts updates;
  std::set<std::string> names;
  for (const RunningValue &r : running) {
    updates.insert(updates.end(), r.recurrence.updates.begin(), r.recurrence.updates.end());
    names.insert(r.scalar.name);
  }
  Needs needed(*nest.codelet, body);
  std::set<std::string> inside; // declared in branches around the updates
  auto needsOf = [&](auto &&self, const Stmt *s) -> void {
    if (isOneOf(updates, s)) {
      for (const auto &[scalar, recurrence] : running)
        if (isOneOf(recurrence.updates, s))
          for (const Expr *e : operandsOf(s, scalar.name, *nest.module)) needed.add(s, e, scalar.name);
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
      inside.merge(nest::declaredIn({s}));
    }
  for (auto s = body.rbegin(); s != body.rend(); ++s) {
    const auto *d = dyn<Declare>(*s);
    if (!d || !needed.has(d->name)) continue;
    if (!d->extents.empty() || d->shared || d->tunable || !d->init || hasEffects(d->init)) return {};
    needed.add(d, d->init);
    kept.insert(kept.begin(), d);
  }
  auto isNeeded = [&](const std::string &name) { return needed.has(name); };
  if (std::any_of(without.begin(), without.end(), isNeeded)) return {};
  for (const auto &[container, writes] : written)
    if (needed.mayBeWritten(container, writes)) return {};
  for (const Stmt *s : body) { // what is kept is nowhere set again
    const std::set<std::string> set = assignedVariables(s);
    if (std::any_of(set.begin(), set.end(), [&](const auto &n) { return isNeeded(n) && !names.count(n); })) return {};
  }
  // Nor is anything of a branch that an update needs.
  if (std::any_of(inside.begin(), inside.end(), isNeeded)) return {};
  return kept;
}

/// Scalars beside those that begin anew, or are scaled, which say so of what is left of the loop.
void addCompanions(ReductionLoop &total, const std::vector<RunningValue> &running, Names &names, const Module &module,
                   Arena &arena) {
  for (std::size_t k = 0; k < running.size(); ++k) {
    const Recurrence &recurrence = running[k].recurrence;
    if (recurrence.kind == Recurrence::Kind::Combined) continue;
    const bool restarts = recurrence.kind == Recurrence::Kind::Restarted;
    const std::string scalar = total.scalars[k].name;
    const Type type = restarts ? Type(Scalar::Bool) : recurrence.factorType;
    const Reduced companion{names.fresh(scalar + (restarts ? "_anew" : "_factor")), type,
                            restarts ? nest::ReductionOp::Or : nest::ReductionOp::Mul};
    (restarts ? total.scalars[k].restartedBy : total.scalars[k].scaledBy) = total.scalars.size();
    const Expr *own = Build(arena, total.range.where).var(companion.name, type);
    total.body = withCompanion(total.body, recurrence, scalar, own, module, arena);
    total.scalars.push_back(companion);
  }
}

/// Running values in an order in which each needs those of stages before it alone: `inside = !inside`, and `if
/// (!inside)
/// ++fields`. With the body that is left for each stage.
struct Stage {
  std::vector<RunningValue> running;
  Stmts body; // of this and earlier stages
};
std::vector<Stage> stagesOf(const nest::Nest &nest, const Stmts &body, std::vector<RunningValue> running,
                            const Written &written, Arena &arena) {
  std::vector<Stage> stages;
  std::vector<RunningValue> before;
  while (!running.empty()) {
    Stage stage;
    std::vector<RunningValue> later;
    std::set<std::string> without;
    for (const RunningValue &r : running) without.insert(r.scalar.name);
    for (const RunningValue &r : running) {
      std::vector<RunningValue> tried = before;
      tried.push_back(r);
      (slice(nest, body, tried, without, written, arena) ? stage.running : later).push_back(r);
    }
    if (stage.running.empty()) return {};
    before.insert(before.end(), stage.running.begin(), stage.running.end());
    const std::optional<Stmts> kept = slice(nest, body, before, without, written, arena);
    if (!kept) return {};
    stage.body = *kept;
    stages.push_back(std::move(stage));
    running = std::move(later);
  }
  return stages;
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
  std::vector<RunningValue> running;
  std::set<std::string> names;
  Written written;
  for (const nest::Variable *v : scalars) {
    const std::optional<Recurrence> own = recurrenceOf(body, v->name, v->type, *nest.module);
    if (!own) return {};
    running.push_back({{v->name, v->type, own->op}, *own});
    names.insert(v->name);
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
  std::string why;
  const std::optional<LoopRange> range = rangeOf(nest, loop.index, arena, why);
  const std::vector<Stage> stages = stagesOf(nest, body, std::move(running), written, arena);
  if (stages.empty() || !range) return {};
  std::set<std::string> own, without = names;
  without.insert(range->iterator);
  for (unsigned p : dependences.carried(loop.index).privatizable) own.insert(nest.variables[p].name);
  auto loopOf = [&](const Stmts &stmts) {
    ReductionLoop result;
    std::optional<Captures> captures = capturesOf(nest, stmts, without, own, arena, why);
    result.range = *range, result.body = stmts;
    if (captures) result.captures = std::move(*captures);
    return captures ? std::optional(std::move(result)) : std::nullopt;
  };
  std::optional<ReductionLoop> all = loopOf(body);
  if (!all) return {};
  scan.all = std::move(*all);
  for (const Stage &stage : stages) {
    std::optional<ReductionLoop> total = loopOf(stage.body);
    if (!total) return {};
    for (const RunningValue &r : stage.running) total->scalars.push_back(r.scalar);
    addCompanions(*total, stage.running, codeletNames, *nest.module, arena);
    const std::size_t first = scan.all.scalars.size();
    for (Reduced scalar : total->scalars) {
      if (scalar.restartedBy) *scalar.restartedBy += first;
      if (scalar.scaledBy) *scalar.scaledBy += first;
      scan.all.scalars.push_back(scalar);
    }
    scan.totals.push_back(std::move(*total));
  }
  scan.onlyTotal &= scan.totals.size() == 1;
  return scan;
}

} // namespace tangram::divide
