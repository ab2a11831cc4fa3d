#include "Streams.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/ConstantTrips.h"
#include "tangram/loops/Counted.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Codelets.h"
#include "tangram/nest/Read.h"

namespace tangram::divide {

using namespace ast;

namespace {

constexpr std::size_t kMostCopies = 64; // of bodies of loops, in all
constexpr Int kFarthest = Int{1} << 30; // of iterators

/// The values that the iterator of a loop takes, where its ends and its step are numbers, or it has so many iterations
/// wherever it begins; none: they are not, or many.
std::vector<const Expr *> valuesOf(Arena &arena, const For &loop) {
  const std::optional<loops::Counted> c = loops::counted(arena, &loop);
  std::vector<const Expr *> values;
  if (contains<Return>(loop.body)) return values;
  const auto number = [](const Expr *e) { return e ? literal(nest::withoutWidening(e)) : std::nullopt; };
  const std::optional<Int> begin = c ? number(c->begin) : std::nullopt;
  if (!begin) {
    const auto trips = static_cast<unsigned>(loops::constantTrips(&loop).value_or(0));
    const auto *iterator = dyn<Declare>(loop.init);
    const Build build(arena, loop.range);
    for (unsigned i = 0; trips <= kMostCopies && i < trips; ++i)
      values.push_back(build.add(iterator->init, build.integer(iterator->type, i)));
    return values;
  }
  const std::optional<Int> end = number(c->end), step = number(c->step);
  if (!end || !step || *step <= 0 || *step > kFarthest) return values;
  // A number below 0 is another one without a sign.
  if (*begin < (c->type.isSigned() ? -kFarthest : 0) || *end > kFarthest) return values;
  for (Int i = *begin; i < *end; i += *step) {
    if (values.size() == kMostCopies) return {};
    values.push_back(Build(arena, loop.range).integer(c->type, i));
  }
  return values;
}

/// Writes out loops of few turns in one loop.
class WritingOut final : public Mutator {
public:
  WritingOut(Arena &arena, const Codelet *codelet, const For *outer, const For *inner)
      : Mutator(arena), outer_(outer), inner_(inner) {
    names_.reserveAll(codelet);
  }
  const For *outer() const { return madeOuter_; }
  const For *inner() const { return madeInner_; }

private:
  /// j - 1, where it is j + 2^64 - 1.
  const Node *mutateBinary(const Binary *sum) override {
    const auto *e = as<Binary>(rebuild(sum));
    const auto *number = dyn<IntLit>(e->rhs);
    if (!inside_ || e->op != BinaryOp::Add || e->type != Type(Scalar::U64) || !number || number->value >= 0) return e;
    const Build build(arena(), e->range);
    return build.sub(e->lhs, build.u64(0 - static_cast<std::uint64_t>(number->value)));
  }
  /// What is known for numbers in the place of iterators.
  const Node *mutateIf(const If *choice) override {
    const auto known = inside_ ? literal(choice->cond) : std::nullopt;
    if (!known) return rebuild(choice);
    if (*known != 0) return mutate(choice->then);
    return choice->otherwise ? mutate(choice->otherwise) : Build(arena(), choice->range).block({});
  }
  const Node *mutateFor(const For *loop) override {
    if (loop == outer_) return madeOuter_ = as<For>(rebuild(loop));
    if (loop == inner_) {
      inside_ = true;
      madeInner_ = as<For>(rebuild(loop));
      inside_ = false;
      return madeInner_;
    }
    const std::vector<const Expr *> values = inside_ ? valuesOf(arena(), *loop) : std::vector<const Expr *>();
    copies_ += values.size();
    if (values.empty() || copies_ > kMostCopies) return rebuild(loop);
    const auto *iterator = as<Declare>(loop->init);
    const Build build(arena(), loop->range);
    std::vector<const Stmt *> stmts;
    for (const Expr *value : values) {
      const Block *copy = substituted(
          arena(), loop->body, [&](const VarRef *v) -> const Expr * { return v->name == iterator->name ? value : v; });
      if (value != values.front()) copy = as<Block>(withOwnNames(arena(), copy, names_));
      stmts.push_back(mutateAs(copy));
    }
    return build.block(std::move(stmts));
  }

  Names names_;
  const For *outer_, *inner_, *madeOuter_ = nullptr, *madeInner_ = nullptr;
  std::size_t copies_ = 0;
  bool inside_ = false;
};

/// Expressions with what a body's constants are made of in their places.
class Resolved {
public:
  Resolved(const Block *body, Arena &arena) : arena_(arena), assigned_(assignedVariables(body)) {
    walk(body, [&](const Declare &d) { inside_[d.name] = &d; });
  }

  /// Null where it is made of what the body computes in other ways.
  const Expr *operator()(const Expr *e) const {
    bool known = true;
    const Expr *result = substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
      const auto declared = inside_.find(v->name);
      if (declared == inside_.end()) return v;
      const Declare &d = *declared->second;
      const bool constant = d.init && d.extents.empty() && d.type.isScalar() && !assigned_.count(d.name);
      const bool plain = constant && !hasEffects(d.init) && !contains<Subscript>(d.init) && !contains<Call>(d.init);
      const Expr *value = plain ? (*this)(d.init) : nullptr;
      known &= value != nullptr;
      return value ? value : v;
    });
    return known ? result : nullptr;
  }

private:
  Arena &arena_;
  std::set<std::string> assigned_;
  std::map<std::string, const Declare *> inside_;
};

/// Loads on conditions: what has the same one stands in one branch, so that neighbours may become vectors.
class Branches {
public:
  void add(const Expr *condition, const Stmt *load) {
    auto same = std::find_if(all_.begin(), all_.end(), [&](const auto &b) { return equal(b.first, condition); });
    if (same == all_.end()) same = all_.insert(all_.end(), {condition, {}});
    same->second.push_back(load);
  }
  void addTo(std::vector<const Stmt *> &stmts, const Build &build) const {
    for (const auto &[condition, loads] : all_) stmts.push_back(build.when(condition, loads));
  }

private:
  std::vector<std::pair<const Expr *, std::vector<const Stmt *>>> all_;
};

/// Whether there is such an element.
const Expr *isElement(const Build &build, Arena &arena, const Subscript *element) {
  const Expr *all = nullptr;
  for (std::size_t d = 0; d < element->indices.size(); ++d) {
    const Expr *index = element->indices[d];
    const Expr *none = nullptr, *number = build.integer(Scalar::I32, static_cast<Int>(d));
    const Expr *dimension = element->indices.size() == 1 ? none : number;
    const Expr *size = arena.make<Size>(element->range, Scalar::U64, element->base, dimension);
    // A number below 0 is a large one without a sign.
    const Expr *in = build.less(build.cast(Scalar::U64, index), size);
    all = all ? build.both(all, in) : in;
  }
  return all;
}

} // namespace

std::optional<Stream> streamOf(nest::Nests &nests, const nest::Nest &nest, unsigned outer, unsigned inner,
                               Arena &arena) {
  WritingOut writing(arena, nest.codelet, nest.loops[outer].node, nest.loops[inner].node);
  const auto *codelet = as<Codelet>(writing.mutate(nest.codelet));
  if (!writing.inner() || contains<Continue>(writing.inner()->body)) return std::nullopt;
  const nest::Nest *const read = nests.of(*codelet);
  if (!read) return std::nullopt;
  const auto loop = std::find_if(read->loops.begin(), read->loops.end(),
                                 [&](const nest::Loop &l) { return l.node == writing.outer(); });
  if (loop == read->loops.end()) return std::nullopt;
  std::vector<nest::ReusedLoad> loads = nest::reusedLoads(*read, static_cast<unsigned>(loop - read->loops.begin()));
  if (loads.empty()) return std::nullopt;
  const Resolved resolved(writing.inner()->body, arena);
  for (nest::ReusedLoad &l : loads) {
    const Expr *element = resolved(l.element);
    if (!element) return std::nullopt;
    l.element = as<Subscript>(element);
    for (nest::Condition &c : l.conditions)
      if (c.cond = resolved(c.cond); !c.cond) return std::nullopt;
  }
  return Stream{writing.inner()->body->stmts, std::move(loads)};
}

std::vector<const Stmt *> streamed(const Stream &stream, const nest::LoopRange &iterator, const Param *range,
                                   const std::vector<const Stmt *> &own, Arena &arena) {
  const nest::Codelets make(arena, iterator.where);
  const Build &build = make.build();
  Names names;
  for (const Stmt *s : stream.body) names.reserveAll(s);
  for (const Stmt *s : own) names.reserveAll(s);
  names.reserve(range->name);
  names.reserve(iterator.iterator);
  names.reserve(iterator.position);
  std::vector<const Stmt *> stmts, body = own;
  const Expr *none = nullptr;
  const auto isThere = [&](unsigned iteration) {
    return build.less(build.u64(iteration), arena.make<Size>(iterator.where, Scalar::U64, make.use(range), none));
  };
  std::map<unsigned, std::string> firsts; // the iterator's first values
  const auto at = [&](unsigned iteration) {
    auto [known, made] = firsts.try_emplace(iteration);
    if (made) {
      known->second = names.fresh("first_" + iterator.iterator);
      const Expr *value = build.element(make.use(range), {build.u64(iteration)}, iterator.type);
      value = build.select(isThere(iteration), value, build.zero(iterator.type));
      stmts.push_back(build.declare(known->second, iterator.iteratorType, build.cast(iterator.iteratorType, value)));
    }
    return known->second;
  };
  std::vector<const Expr *> values;
  Branches atFirst, inEach;
  for (const nest::ReusedLoad &l : stream.loads) {
    const Subscript *element = l.element;
    const Expr *zero = build.zero(element->type);
    const auto *container = dyn<VarRef>(element->base);
    const std::string name = names.fresh((container ? container->name : std::string("element")) + "_again");
    const auto holds = [&](const Expr *all) { // and the conditions of the load
      for (const nest::Condition &c : l.conditions) {
        const Expr *one = c.holds ? c.cond : build.logicalNot(c.cond);
        all = all ? build.both(all, one) : one;
      }
      return all;
    };
    const auto load = [&](const Expr *condition, const Expr *value, Branches &branches, std::vector<const Stmt *> &to) {
      to.push_back(build.declare(name, element->type, zero, false));
      branches.add(condition, build.assign(build.var(name, element->type), value));
    };
    values.push_back(build.var(name, element->type));
    if (l.unchanged) {
      // Iterations that do not meet the conditions may come first: then nothing says that there is such an element.
      load(l.conditions.empty() ? isThere(0) : isElement(build, arena, element), element, atFirst, stmts);
      continue;
    }
    if (!l.before) {
      if (const Expr *condition = holds(nullptr))
        load(condition, element, inEach, body);
      else
        body.push_back(build.declare(name, element->type, element));
      continue;
    }
    const std::string first = at(l.ahead);
    const auto before = [&](const Expr *e) {
      return substituted(arena, e, [&](const VarRef *v) -> const Expr * {
        return v->name == iterator.iterator ? build.var(first, v->type) : v;
      });
    };
    load(before(holds(isThere(l.ahead))), before(element), atFirst, stmts);
  }
  atFirst.addTo(stmts, build);
  inEach.addTo(body, build);
  std::map<const Node *, const Expr *> instead;
  for (std::size_t i = 0; i < stream.loads.size(); ++i)
    for (const Subscript *place : stream.loads[i].places) instead[place] = values[i];
  for (const Stmt *s : stream.body)
    body.push_back(substituted(
        arena, s, [](const VarRef *v) -> const Expr * { return v; },
        [&](const Subscript *e) -> const Expr * {
          const auto known = instead.find(e);
          return known == instead.end() ? nullptr : known->second;
        }));
  // Of chains those first that have their value for the longest.
  std::vector<std::size_t> age(stream.loads.size()), order;
  for (std::size_t i = 0; i < age.size(); ++i) {
    for (std::size_t at = i; stream.loads[at].before; at = *stream.loads[at].before) ++age[i];
    if (stream.loads[i].before) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return age[a] > age[b]; });
  for (const std::size_t i : order) body.push_back(build.assign(values[i], values[*stream.loads[i].before]));
  stmts.push_back(make.loop(iterator, range, std::move(body)));
  return stmts;
}

} // namespace tangram::divide
