#include "tangram/nest/CarriedElements.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/FirstIteration.h"
#include "tangram/nest/Neutral.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/ReusedLoads.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

namespace tangram::nest {

using namespace ast;

namespace {

/// The assignment to an element that a statement is; null: it is something else.
const Assign *storeOf(const Stmt *s, const Module &module) {
  const auto *e = dyn<Evaluate>(s);
  const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
  if (!a || !isa<Subscript>(a->target) || !isa<VarRef>(as<Subscript>(a->target)->base)) return nullptr;
  const bool plain = a->op == AssignOp::Set || a->value->type == a->target->type;
  return plain && !changesSomething(a->value, module) && !hasEffects(a->target) ? a : nullptr;
}

/// Innermost, and counting in its own step.
bool isPlain(const For *loop) {
  return isa<Declare>(loop->init) && as<Declare>(loop->init)->init && loop->cond && !hasEffects(loop->cond) &&
         !contains<For>(loop->body) && !contains<While>(loop->body) && !contains<DoWhile>(loop->body);
}

/// Whether an innermost loop stores to an element of a container that it mentions elsewhere.
bool mayCarry(const Codelet *codelet, const Module &module) {
  bool found = false;
  walk(codelet->body, [&](const For &loop) {
    if (!isPlain(&loop)) return;
    for (const Stmt *s : loop.body->stmts)
      if (const Assign *store = storeOf(s, module))
        found |= any<Subscript>(loop.body, [&](const Subscript &other) {
          return equal(other.base, as<Subscript>(store->target)->base) && &other != store->target;
        });
  });
  return found;
}

/// A sum of something and a number; of a number alone, nothing and that.
std::pair<const Expr *, Int> withoutNumber(const Expr *e) {
  e = withoutWidening(e);
  if (const std::optional<Int> number = literal(e)) return {nullptr, *number};
  const auto *b = dyn<Binary>(e);
  if (!b || (b->op != BinaryOp::Add && b->op != BinaryOp::Sub)) return {e, 0};
  const std::optional<Int> number = literal(withoutWidening(b->rhs));
  if (!number) return {e, 0};
  const auto [rest, known] = withoutNumber(b->lhs);
  return {rest, b->op == BinaryOp::Add ? known + *number : known - *number};
}

bool isSameIndex(const Expr *a, const Expr *b) {
  const auto [x, m] = withoutNumber(a);
  const auto [y, n] = withoutNumber(b);
  return m == n && (x && y ? equal(x, y) : x == y);
}

/// What the statements, one after the other, leave in an element, where a store of theirs says so and it is computed
/// from what they do not change behind that; null: unknown.
const Expr *storedIn(const std::vector<const Stmt *> &stmts, const Subscript *element, const Module &module) {
  std::set<std::string> changed;
  for (std::size_t s = stmts.size(); s-- > 0;) {
    const Assign *store = storeOf(stmts[s], module);
    const auto *target = store ? as<Subscript>(store->target) : nullptr;
    const bool same = store && store->op == AssignOp::Set && equal(target->base, element->base) &&
                      std::equal(target->indices.begin(), target->indices.end(), element->indices.begin(),
                                 element->indices.end(), isSameIndex);
    const std::set<std::string> own = mentioned(same ? static_cast<const Node *>(stmts[s]) : element);
    if (std::any_of(own.begin(), own.end(), [&](const std::string &name) { return changed.count(name) != 0; }))
      return nullptr;
    if (same)
      return mentioned(store->value).count(as<VarRef>(target->base)->name) || hasEffects(store->value) ? nullptr
                                                                                                       : store->value;
    if (!isa<Declare>(stmts[s]) && !isa<Evaluate>(stmts[s])) return nullptr;
    if (contains<Call>(stmts[s]) || contains<SpectrumCall>(stmts[s]) || contains<Map>(stmts[s])) return nullptr;
    changed.merge(assignedVariables(stmts[s]));
    changed.merge(writtenIn({stmts[s]}));
    if (const auto *d = dyn<Declare>(stmts[s])) changed.insert(d->name);
  }
  return nullptr;
}

/// Of an element that an iteration stores, and whether it is done in each iteration.
struct Reader {
  bool next = false;   // in the next iteration; else in the same one, behind the store
  bool behind = false; // in the next one, when that has stored its own
  bool always = false;
};

/// What one iteration of a loop stores, and the rest of it or the next one reads.
struct CarriedElement {
  const Stmt *store = nullptr;
  const Subscript *target = nullptr;
  std::map<const Node *, Reader> reads;
};

class Finder {
public:
  explicit Finder(const Nest &nest) : nest_(nest) {}

  /// By loops.
  std::map<const For *, std::vector<CarriedElement>> run() {
    items(nest_.items);
    return std::move(found_);
  }

private:
  void items(const std::vector<Item> &all) {
    for (const Item &item : all) {
      const bool innermost = item.kind == Item::Kind::Loop && std::none_of(item.body.begin(), item.body.end(), hasLoop);
      if (innermost && isPlain(nest_.loops[item.index].node)) {
        std::set<unsigned> always; // carried out in each iteration
        for (const Item &inner : item.body)
          if (inner.kind == Item::Kind::Statement) always.insert(inner.index);
        for (const unsigned s : always) statement(item.index, s, always);
      } else {
        items(item.body);
        items(item.otherwise);
      }
    }
  }

  void statement(unsigned loop, unsigned number, const std::set<unsigned> &always) {
    const Assign *assign = storeOf(nest_.statements[number].node, *nest_.module);
    if (!assign) return;
    const Access *store = nullptr;
    for (const unsigned s : nest_.statementsOf(loop))
      for (const Access &a : nest_.statements[s].accesses)
        if (s == number && a.node == assign->target && a.kind == AccessKind::Write) store = &a;
    if (!store || !isKnown(*store) || !store->certain) return;
    CarriedElement carried{nest_.statements[number].node, as<Subscript>(assign->target), {}};
    std::set<const Node *> other;
    for (const unsigned s : nest_.statementsOf(loop))
      for (const Access &a : nest_.statements[s].accesses) {
        if (a.variable != store->variable || &a == store) continue;
        if (a.kind != AccessKind::Read) return;
        const bool element = isa<Subscript>(a.node) && nest_.statements[s].loops.back() == loop;
        const bool isAlways = a.certain && nest_.statements[s].exact && always.count(s) != 0;
        if (element && s > number && followsInLaterIteration(nest_, a, *store, loop, 0)) {
          carried.reads.emplace(a.node, Reader{false, false, isAlways});
        } else if (element && followsInLaterIteration(nest_, a, *store, loop)) {
          carried.reads.emplace(a.node, Reader{true, s > number, isAlways});
        } else {
          other.insert(a.node);
        }
      }
    for (const Node *node : other) carried.reads.erase(node);
    if (!carried.reads.empty()) found_[nest_.loops[loop].node].push_back(std::move(carried));
  }

  bool isKnown(const Access &a) const {
    const Statement &s = nest_.statements[a.statement];
    if (a.delinearized && !a.delinearized->index.empty() && !nest_.followsData(a.delinearized->elements, s.loops))
      return s.exact;
    return a.exact && a.index && !nest_.followsData(a.elements, s.loops);
  }

  const Nest &nest_;
  std::map<const For *, std::vector<CarriedElement>> found_;
};

/// Conditional expressions as one of their ways.
class WithoutChoices : public Mutator {
public:
  WithoutChoices(const std::map<const Conditional *, const Expr *> &instead, Arena &arena)
      : Mutator(arena), instead_(instead) {}

protected:
  const Node *mutateConditional(const Conditional *c) override {
    const auto found = instead_.find(c);
    return found == instead_.end() ? Mutator::mutateConditional(c) : mutate(found->second);
  }

private:
  const std::map<const Conditional *, const Expr *> &instead_;
};

class Replacement : public Mutator {
public:
  Replacement(const std::map<const For *, std::vector<CarriedElement>> &carried, const Module &module, bool reorder,
              Names &names, Arena &arena)
      : Mutator(arena), carried_(carried), module_(module), reorder_(reorder), names_(names), arena_(arena) {}

private:
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      const auto *loop = dyn<For>(s);
      const auto known = loop ? carried_.find(loop) : carried_.end();
      if (known == carried_.end())
        stmts.push_back(mutateAs(s));
      else
        replaced(loop, known->second, stmts);
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  void replaced(const For *loop, const std::vector<CarriedElement> &all, std::vector<const Stmt *> &out) {
    const Build build(arena(), loop->range);
    const auto *iterator = as<Declare>(loop->init);
    std::vector<const Stmt *> body = loop->body->stmts;
    std::map<std::size_t, std::vector<const Stmt *>> before; // statements of the body
    std::set<std::string> inside;
    walk(loop->body, [&](const Declare &d) { inside.insert(d.name); });
    const auto atFirst = [&](const Expr *e) {
      return substituted(arena(), e, [&](const VarRef *v) -> const Expr * {
        return v->name == iterator->name ? build.cast(v->type, iterator->init) : v;
      });
    };
    for (const CarriedElement &c : all) {
      const Type type = c.target->type;
      const Expr *const zero = build.zero(type);
      const auto at = std::find(loop->body->stmts.begin(), loop->body->stmts.end(), c.store);
      if (!zero || at == loop->body->stmts.end()) continue;
      const auto stored = static_cast<std::size_t>(at - loop->body->stmts.begin());
      const std::string name = names_.fresh(as<VarRef>(c.target->base)->name + "_last");
      const std::optional<FromNothing> sums = fromNothing(c, body, *loop);
      const Expr *first = sums ? sums->nothing : zero, *last = build.var(name, type);
      std::map<const Node *, const Expr *> instead;
      bool isCarried = false;
      std::string previous; // the variable that keeps what is carried beyond the store
      for (const auto &[read, reader] : c.reads) {
        if (!reader.next) {
          instead[read] = last;
          continue;
        }
        isCarried = true;
        const auto *element = as<Subscript>(read);
        const bool always = reader.always;
        if (reader.behind && previous.empty()) previous = names_.fresh(name + "_before");
        const Expr *const carried = reader.behind ? build.var(previous, type) : last;
        const bool known = !any<VarRef>(element, [&](const VarRef &v) { return inside.count(v.name) != 0; });
        if (always && known && !sums)
          first = firstValue(*loop, as<Subscript>(atFirst(element)), atFirst(loop->cond), out);
        const bool anywhere = sums || (always && known) || isReadLater(body, element, *loop);
        instead[read] = anywhere ? carried : build.select(isLater(*iterator, build), carried, element);
      }
      const auto replace = [&](const auto *tree) {
        if (sums) tree = WithoutChoices(sums->all, arena()).mutateAs(tree);
        return substituted(
            arena(), tree, [](const VarRef *v) -> const Expr * { return v; },
            [&](const Subscript *e) -> const Expr * {
              const auto found = instead.find(e);
              return found == instead.end() ? nullptr : found->second;
            });
      };
      const Assign *store = storeOf(body[stored], module_);
      const std::size_t named = declarationOf(store->value, body);
      const Expr *value = named < body.size() ? as<Declare>(body[named])->init : store->value;
      value = build.cast(type, replace(value));
      if (named < body.size()) body[named] = nullptr;
      if (store->op != AssignOp::Set) value = build.binary(binaryOf(store->op), store->target, value);
      for (std::size_t s = 0; s < body.size(); ++s)
        if (s != stored && body[s]) body[s] = replace(body[s]);
      for (auto &[_, all] : before)
        for (const Stmt *&s : all) s = replace(s);
      if (!previous.empty()) before[stored].push_back(build.declare(previous, type, last));
      before[stored].push_back(isCarried ? build.assign(last, value) : build.declare(name, type, value));
      body[stored] = build.assign(store->target, last);
      if (isCarried) out.push_back(build.declare(name, type, first, false));
    }
    std::vector<const Stmt *> stmts;
    for (std::size_t s = 0; s < body.size(); ++s) {
      if (const auto set = before.find(s); set != before.end())
        stmts.insert(stmts.end(), set->second.begin(), set->second.end());
      if (body[s]) stmts.push_back(body[s]);
    }
    out.push_back(arena().derive(loop, [&](For &f) { f.body = build.block(std::move(stmts)); }));
  }

  /// The declaration of what is stored, which nothing else names, and nothing in between changes; else behind the last.
  std::size_t declarationOf(const Expr *value, const std::vector<const Stmt *> &body) const {
    const auto *v = dyn<VarRef>(value);
    std::size_t found = body.size(), mentions = 0;
    for (std::size_t s = 0; v && s < body.size(); ++s) {
      if (!body[s]) continue;
      mentions += mentionsOf(body[s], v->name);
      const auto *d = dyn<Declare>(body[s]);
      if (d && d->name == v->name && d->init && d->type == v->type && d->extents.empty()) found = s;
    }
    if (found == body.size() || mentions != 1 || changesSomething(as<Declare>(body[found])->init, module_))
      return body.size();
    const std::set<std::string> own = mentioned(as<Declare>(body[found])->init);
    for (std::size_t s = found + 1; s < body.size(); ++s) {
      if (!body[s]) continue;
      std::set<std::string> changed = assignedVariables(body[s]);
      const bool isStore = storeOf(body[s], module_) && equal(storeOf(body[s], module_)->value, value);
      if (!isStore) changed.merge(writtenIn({body[s]}));
      if (std::any_of(own.begin(), own.end(), [&](const std::string &name) { return changed.count(name) != 0; }))
        return body.size();
      if (isStore) break;
    }
    return found;
  }

  /// What the first iteration finds in the element, where there is one.
  const Expr *firstValue(const For &loop, const Subscript *element, const Expr *cond,
                         const std::vector<const Stmt *> &before) {
    const Build build(arena(), loop.range);
    const Expr *stored = storedIn(before, element, module_);
    return stored ? build.cast(element->type, stored) : build.select(cond, element, build.zero(element->type));
  }

  static const Expr *isLater(const Declare &iterator, const Build &build) {
    return build.binary(BinaryOp::Ne, build.var(iterator.name, iterator.type),
                        build.cast(iterator.type, iterator.init));
  }

  /// Whether the element is read only where a condition holds that fails in the first iteration.
  static bool isReadLater(const std::vector<const Stmt *> &body, const Subscript *element, const For &loop) {
    std::size_t all = 0, behind = 0;
    for (const Stmt *s : body)
      if (s)
        walk(
            s, [&](const Subscript &e) { all += &e == element; },
            [&](const Conditional &c) {
              if (const Expr *later = laterWay(c, loop))
                walk(later, [&](const Subscript &e) { behind += &e == element; });
            });
    return all == 1 && behind == 1;
  }

  /// Conditional expressions first ? e : c op e, by c op e: what they are where c is nothing in the first iteration.
  struct FromNothing {
    std::map<const Conditional *, const Expr *> all;
    const Expr *nothing = nullptr;
  };
  /// Nothing where the elements are read elsewhere as well, or which zero it is would tell.
  std::optional<FromNothing> fromNothing(const CarriedElement &carried, const std::vector<const Stmt *> &body,
                                         const For &loop) const {
    const Build build(arena_, loop.range);
    FromNothing found;
    std::optional<ReductionOp> op;
    std::set<const Node *> told;
    for (const Stmt *s : body)
      if (s)
        walk(s, [&](const Conditional &c) {
          const Expr *later = laterWay(c, loop);
          const Subscript *read = nullptr;
          std::size_t reads = 0;
          if (later)
            walk(later, [&](const Subscript &e) {
              const auto known = carried.reads.find(&e);
              if (known != carried.reads.end() && known->second.next) read = &e, ++reads;
            });
          if (reads != 1) return;
          const Expr *place = build.var(as<VarRef>(read->base)->name + " before", read->type); // no name of a program's
          const Expr *value = substituted(
              arena_, later, [](const VarRef *v) -> const Expr * { return v; },
              [&](const Subscript *e) -> const Expr * { return e == read ? place : nullptr; });
          const std::optional<Update> update = updateOf(build.assign(place, build.cast(read->type, value)), module_);
          if (!update || !update->value || update->subtracts || (op && *op != update->op)) return;
          if (!equal(withoutWidening(update->value), withoutWidening(otherWay(c, later)))) return;
          op = update->op;
          found.all[&c] = later;
          told.insert(read);
        });
    for (const auto &[read, reader] : carried.reads)
      if (reader.next && !told.count(read)) return {};
    const Type &type = carried.target->type;
    if (!op || (type.isFloating() && *op != ReductionOp::Mul && !reorder_)) return {};
    found.nothing = neutral(build, *op, type);
    return found.nothing ? std::optional(std::move(found)) : std::nullopt;
  }

  const std::map<const For *, std::vector<CarriedElement>> &carried_;
  const Module &module_;
  bool reorder_;
  Names &names_;
  Arena &arena_;
};

} // namespace

const Codelet *withCarriedElements(Nests &nests, const Codelet *codelet, bool reorder, Arena &arena) {
  if (!mayCarry(codelet, nests.module())) return codelet;
  const Nest *const nest = nests.of(*codelet);
  if (!nest) return codelet;
  const auto carried = Finder(*nest).run();
  if (carried.empty()) return codelet;
  Names names;
  names.reserveAll(codelet);
  return as<Codelet>(Replacement(carried, nests.module(), reorder, names, arena).mutate(codelet));
}

} // namespace tangram::nest
