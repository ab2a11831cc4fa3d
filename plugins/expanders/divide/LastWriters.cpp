#include "LastWriters.h"

#include "Captures.h"
#include "Extents.h"
#include "LoopParts.h"
#include "ReplacedLoops.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <optional>

namespace tangram::divide {

using namespace ast;
using Stmts = std::vector<const Stmt *>;
using Exprs = std::vector<const Expr *>;

namespace {

/// `container[...] = value;`
struct Store {
  const Subscript *target = nullptr;
  const Expr *value = nullptr;

  const VarRef *container() const { return as<VarRef>(target->base); }
};

std::optional<Store> storeOf(const Stmt *s) {
  const auto *e = dyn<Evaluate>(s);
  const auto *set = e ? dyn<Assign>(e->expr) : nullptr;
  const auto *target = set && set->op == AssignOp::Set ? dyn<Subscript>(set->target) : nullptr;
  if (!target || !isa<VarRef>(target->base) || hasEffects(set->value) ||
      std::any_of(target->indices.begin(), target->indices.end(), hasEffects))
    return {};
  return Store{target, set->value};
}

/// Stores to containers of these names, and the blocks that they stand in.
std::vector<std::pair<const Block *, Store>> storesIn(const Stmt *tree, const std::set<std::string> &containers) {
  std::vector<std::pair<const Block *, Store>> found;
  walk(tree, [&](const Block &block) {
    for (const Stmt *s : block.stmts)
      if (const auto store = storeOf(s); store && containers.count(store->container()->name))
        found.emplace_back(&block, *store);
  });
  return found;
}

/// A loop with something in place of its stores.
class WithStores final : public Mutator {
public:
  using Change = std::function<const Stmt *(const Evaluate *, const Store &)>;
  WithStores(Arena &arena, const std::set<std::string> &containers, const Change &change)
      : Mutator(arena), containers_(containers), change_(change) {}

private:
  const Node *mutateEvaluate(const Evaluate *e) override {
    const std::optional<Store> store = storeOf(e);
    return store && containers_.count(store->container()->name) ? change_(e, *store) : e;
  }
  const std::set<std::string> &containers_;
  const Change &change_;
};

/// What of statements says whether and where certain others are carried out.
class Slice {
public:
  /// `kept`: those others, which change `containers`.
  Slice(const std::set<const Stmt *> &kept, const std::set<std::string> &containers, Arena &arena)
      : kept_(kept), containers_(containers), arena_(arena) {}

  /// Nothing where that changes what is not declared in the statements: it would be changed twice.
  std::optional<Stmts> of(const Block &body) {
    std::set<std::string> own;
    walk(&body, [&](const Declare &d) { own.insert(d.name); });
    for (;;) {
      const std::size_t before = needed_.size();
      changed_.clear();
      Stmts result = list(body.stmts);
      if (!std::includes(own.begin(), own.end(), changed_.begin(), changed_.end())) return {};
      if (needed_.size() == before) return result;
    }
  }

private:
  void need(const Node *tree) {
    if (tree)
      walk(tree, [&](const VarRef &v) {
        if (!containers_.count(v.name)) needed_.insert(v.name);
      });
  }
  bool computesNeeded(const Stmt *s) const {
    if (const auto *d = dyn<Declare>(s)) return needed_.count(d->name) != 0;
    std::set<std::string> changed = changedBy(s);
    walk(s, [&](const Declare &d) { changed.erase(d.name); });
    return std::any_of(changed.begin(), changed.end(), [&](const std::string &name) { return needed_.count(name); });
  }
  bool holdsKept(const Stmt *s) const {
    bool found = kept_.count(s) != 0;
    walk(s, [&](const Evaluate &e) { found |= kept_.count(&e) != 0; });
    return found;
  }
  Stmts list(const Stmts &stmts) {
    Stmts result;
    for (const Stmt *s : stmts) {
      const bool holds = holdsKept(s);
      const auto *branch = dyn<If>(s);
      const auto *loop = dyn<For>(s);
      if (kept_.count(s) || computesNeeded(s) || !holds) {
        const bool leaves = contains<Continue>(s);
        if (!kept_.count(s) && !computesNeeded(s) && !leaves) continue;
        need(s);
        if (!kept_.count(s)) changed_.merge(changedBy(s));
        result.push_back(s);
      } else if (branch) {
        need(branch->cond);
        const Build build(arena_, s->range);
        result.push_back(arena_.derive(branch, [&](If &other) {
          other.then = build.block(list(branch->then->stmts));
          if (branch->otherwise) other.otherwise = build.block(list(branch->otherwise->stmts));
        }));
      } else if (loop) {
        need(loop->init);
        need(loop->cond);
        need(loop->step);
        result.push_back(arena_.derive(
            loop, [&](For &other) { other.body = Build(arena_, s->range).block(list(loop->body->stmts)); }));
      } else {
        need(s);
        changed_.merge(changedBy(s));
        result.push_back(s);
      }
    }
    return result;
  }

  const std::set<const Stmt *> &kept_;
  const std::set<std::string> &containers_;
  Arena &arena_;
  std::set<std::string> needed_, changed_;
};

class LastWriters final : public ReplacedLoops {
public:
  LastWriters(const nest::Nest &nest, const hardware::Memory *memory, std::int64_t most, Arena &arena)
      : ReplacedLoops(arena), nest_(nest), memory_(memory), most_(most), dependences_(nest) {
    names_.reserveAll(nest.codelet);
    find(nest.items);
  }
  const Codelet *run() {
    if (made.empty()) return nest_.codelet;
    const auto *codelet = as<Codelet>(mutate(nest_.codelet));
    return arena().derive(codelet, [&](Codelet &c) {
      c.assumed.insert(c.assumed.end(), independent_.begin(), independent_.end());
      c.conditions.insert(c.conditions.end(), conditions_.begin(), conditions_.end());
    });
  }

private:
  void find(const std::vector<nest::Item> &items) {
    for (const nest::Item &item : items) {
      if (item.kind == nest::Item::Kind::Loop && replaced(item.index)) continue;
      find(item.body);
      find(item.otherwise);
    }
  }

  /// Containers for whose elements iterations wait because they all write them; nothing where they wait for more.
  std::optional<std::set<std::string>> writtenByAll(unsigned loop) const {
    const nest::Carried carried = dependences_.carried(loop);
    std::set<std::string> containers;
    for (const nest::Dependence &d : dependences_.all(loop)) {
      const unsigned variable = d.first->variable;
      if (std::find(carried.privatizable.begin(), carried.privatizable.end(), variable) != carried.privatizable.end())
        continue;
      for (const nest::Access *a : {d.first, d.second})
        if (a->kind != nest::AccessKind::Write || a->update || a->selection) return {};
      if (!nest_.variables[variable].container) return {};
      containers.insert(nest_.variables[variable].name);
    }
    return containers;
  }

  bool replaced(unsigned index) {
    if (dependences_.carried(index).kind != nest::Carried::Kind::Dependence) return false;
    const std::optional<std::set<std::string>> written = writtenByAll(index);
    if (!written) return false;
    const std::set<std::string> &containers = *written;
    const For *loop = nest_.loops[index].node;
    const auto stores = storesIn(loop, containers);
    std::size_t mentions = 0;
    walk(
        loop, [](const Size &) { return WalkResult::Skip; },
        [&](const VarRef &v) { mentions += containers.count(v.name); });
    if (stores.empty() || stores.size() != mentions) return false; // read as well, or written otherwise
    if (contains<Break>(loop) || contains<Return>(loop) || callsChangeSomething(loop, *nest_.module)) return false;
    if (containers.size() == 1 && hasOneValue(loop, stores)) {
      const WithStores::Change exchange = [&](const Evaluate *e, const Store &store) {
        const Expr *value = Build(arena(), e->range).cast(store.target->type, store.value);
        return arena().make<Evaluate>(e->range, arena().make<Atomic>(e->range, store.target->type, AtomicOp::Exchange,
                                                                     store.target, Exprs{value}));
      };
      made[loop] = {as<Stmt>(WithStores(arena(), containers, exchange).mutate(loop))};
      for (unsigned l = 0; l < nest_.loops.size(); ++l)
        if (const For *inner = nest_.loops[l].node;
            inner == loop || any<For>(loop->body, [&](const For &f) { return &f == inner; }))
          if (const auto others = writtenByAll(l);
              others && std::includes(containers.begin(), containers.end(), others->begin(), others->end()))
            independent_.push_back(nest_.loops[l].variable);
      return true;
    }
    return ownedBy(nest_.loops[index], stores, containers);
  }

  using Stores = std::vector<std::pair<const Block *, Store>>;

  bool canExchange(const Type &type) const {
    if (!type.isScalar() || type.isBool() || type.isHalf()) return false;
    if (!memory_ || !memory_->atomics) return true;
    return std::count(memory_->atomics->begin(), memory_->atomics->end(), type.bytes() * 8) != 0;
  }

  /// Whether all iterations write the same, of a type that devices exchange.
  bool hasOneValue(const For *loop, const Stores &stores) const {
    const Store &first = stores.front().second;
    if (!canExchange(first.target->type)) return false;
    std::set<std::string> changed = changedBy(loop);
    walk(loop, [&](const Declare &d) { changed.insert(d.name); });
    return std::all_of(stores.begin(), stores.end(), [&](const auto &of) {
      return equal(of.second.value, first.value) &&
             !any<VarRef>(of.second.value, [&](const VarRef &v) { return changed.count(v.name) != 0; });
    });
  }

  /// 1 in the first iteration.
  const Expr *numberOf(const nest::Loop &loop, const Expr *begin) {
    const Build build(arena(), loop.node->range);
    const Type number = loop.type.bytes() == 8 && !isShort(loop, begin) ? Scalar::U64 : Scalar::U32;
    const Expr *at = build.cast(number, build.var(loop.variable, loop.type)), *first = build.cast(number, begin);
    return build.add(loop.step > 0 ? build.sub(at, first) : build.sub(first, at), build.integer(number, 1));
  }

  /// Whether numbers of 32 bits are enough, which becomes a condition of the codelet.
  bool isShort(const nest::Loop &loop, const Expr *begin) {
    const auto *compare = dyn<Binary>(loop.node->cond);
    const auto *at = compare ? dyn<VarRef>(nest::withoutWidening(compare->lhs)) : nullptr;
    const std::optional<Int> first = literal(nest::withoutWidening(begin));
    if (loop.step < 0 || !at || at->name != loop.variable || !first || *first < 0) return false;
    if (compare->op != BinaryOp::Lt && compare->op != BinaryOp::Le) return false;
    const Expr *end = resolved(compare->rhs, *nest_.codelet);
    const std::set<std::string> assigned = assignedVariables(nest_.codelet->body);
    if (hasEffects(end) || contains<Subscript>(end) || contains<Call>(end) ||
        any<VarRef>(end, [&](const VarRef &v) { return !isGiven(&v) || assigned.count(v.name) != 0; }))
      return false;
    const Build build(arena(), loop.node->range);
    conditions_.push_back(build.less(build.cast(Scalar::U64, end), build.u64((std::uint64_t{1} << 32) - 1)));
    return true;
  }

  bool isGiven(const VarRef *container) const {
    return std::any_of(nest_.codelet->params.begin(), nest_.codelet->params.end(),
                       [&](const Param *p) { return p->name == container->name; });
  }

  /// Which container's last writers are those of each: what is always written beside another one, at the same place,
  /// is written last by the same.
  static std::map<std::string, const VarRef *> owners(const Stores &stores, const std::set<std::string> &assigned) {
    std::map<std::string, std::size_t> count;
    for (const auto &[block, store] : stores) ++count[store.container()->name];
    std::map<std::string, const VarRef *> result;
    for (const auto &[block, store] : stores) {
      const std::string &name = store.container()->name;
      const auto beside =
          std::find_if(stores.begin(), stores.end(), [&, block = block, &at = store](const auto &other) {
            const auto &indices = other.second.target->indices;
            return other.first == block && count[name] == 1 && count[other.second.container()->name] == 1 &&
                   std::equal(indices.begin(), indices.end(), at.target->indices.begin(), at.target->indices.end(),
                              [&](const Expr *a, const Expr *b) {
                                return equal(a, b) &&
                                       !any<VarRef>(a, [&](const VarRef &v) { return assigned.count(v.name) != 0; });
                              });
          });
      result.emplace(name, (beside == stores.end() ? store : beside->second).container());
    }
    return result;
  }

  bool ownedBy(const nest::Loop &loop, const Stores &stores, const std::set<std::string> &containers) {
    const auto *init = dyn<Declare>(loop.node->init);
    if (!init || !init->init) return false;
    const std::set<std::string> changed = changedBy(loop.node);
    if (any<VarRef>(init->init, [&](const VarRef &v) { return changed.count(v.name) != 0; })) return false;
    const Build build(arena(), loop.node->range);
    const Exprs before = conditions_;
    const Expr *number = numberOf(loop, init->init);
    const std::map<std::string, const VarRef *> owner = owners(stores, assignedVariables(loop.node->body));
    Stmts stmts;
    std::map<std::string, const Expr *> writers; // by the container that has them
    for (const auto &[block, store] : stores) {
      const VarRef *container = store.container();
      if (owner.at(container->name)->name != container->name || writers.count(container->name)) continue;
      writers[container->name] = declareWriters(container, store.target->indices.size(), number->type, build, stmts);
    }
    const auto writerOf = [&](const Store &store) {
      const Expr *of = writers.at(owner.at(store.container()->name)->name);
      return build.element(of, store.target->indices, number->type);
    };
    std::set<const Stmt *> claims;
    const WithStores::Change claim = [&](const Evaluate *, const Store &store) -> const Stmt * {
      if (!writers.count(store.container()->name)) return build.block({});
      const Stmt *latest = build.assign(writerOf(store), build.max(writerOf(store), number));
      claims.insert(latest);
      return latest;
    };
    std::set<std::string> claimed;
    for (const auto &[name, of] : writers) claimed.insert(as<VarRef>(of)->name);
    const For *claiming = as<For>(WithStores(arena(), containers, claim).mutate(loop.node));
    std::optional<Stmts> body = Slice(claims, claimed, arena()).of(*claiming->body);
    if (!body) {
      conditions_ = before;
      return false;
    }
    claiming = arena().derive(claiming, [&](For &f) { f.body = build.block(std::move(*body)); });
    stmts.push_back(as<Stmt>(withOwnNames(arena(), claiming, names_)));
    const WithStores::Change write = [&](const Evaluate *e, const Store &store) {
      return build.when(build.equal(writerOf(store), number), {e});
    };
    const auto *writing =
        as<For>(withOwnNames(arena(), as<Stmt>(WithStores(arena(), containers, write).mutate(loop.node)), names_));
    independent_.push_back(as<Declare>(writing->init)->name);
    stmts.push_back(writing);
    made[loop.node] = std::move(stmts);
    return true;
  }

  /// An array of a number for each element of a container, 0 for a start.
  const Expr *declareWriters(const VarRef *container, std::size_t rank, const Type &type, const Build &build,
                             Stmts &to) {
    Exprs extents;
    const Expr *elements = nullptr;
    for (std::size_t d = 0; d < rank; ++d) {
      const Expr *which = rank > 1 ? build.u64(d) : nullptr;
      extents.push_back(arena().make<Size>(container->range, kSize, container, which));
      if (isGiven(container)) conditions_.push_back(build.less(extents.back(), build.u64(std::uint64_t{1} << 31)));
      elements = elements ? build.mul(elements, extents.back()) : extents.back();
    }
    if (isGiven(container))
      conditions_.push_back(build.binary(BinaryOp::Le, elements, build.u64(static_cast<std::uint64_t>(most_))));
    const Expr *own = build.var(names_.fresh(container->name + "_writer"), Type::array(rank, type));
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    to.push_back(arena().make<Declare>(container->range, as<VarRef>(own)->name, own->type, false, false, extents,
                                       noTunable, none));
    to.push_back(overElements(build, names_, extents, [&](const Exprs &at) -> Stmts {
      return {build.assign(build.element(own, at, type), build.zero(type))};
    }));
    return own;
  }

  const nest::Nest &nest_;
  const hardware::Memory *memory_;
  std::int64_t most_;
  nest::Dependences dependences_;
  Names names_;
  Texts independent_; // variables of loops whose iterations write what no other one writes
  Exprs conditions_;
};

} // namespace

const Codelet *withLastWriters(const nest::Nest &nest, const hardware::Memory *memory, std::int64_t most,
                               Arena &arena) {
  if (hasViews(*nest.codelet)) return nest.codelet; // containers are told apart by their names
  return LastWriters(nest, memory, most, arena).run();
}

} // namespace tangram::divide
