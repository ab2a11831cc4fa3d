#include "tangram/planning/CodeletWork.h"

#include "Branches.h"
#include "IndexSteps.h"
#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/RangeParameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tangram {

using namespace ast;

namespace {

/// Loops of so many turns cost nothing by themselves, and of so many where they count elements of an array that
/// registers hold.
constexpr double kUnrolled = 16, kUnrolledPlaces = 64;

/// Elements that the passes register-promotion and vector-promotion hold.
constexpr double kHeldByRegisters = 32, kHeldByVectors = 64;

/// Arrays of so many elements may be kept in registers.
constexpr double kSmall = 128;

class Counter {
public:
  Counter(const Module &module, const Codelet &codelet, const Facts &facts, const std::vector<Extents> &arguments,
          const Scalars &known, std::uint64_t lanes, std::uint64_t abreast, std::shared_ptr<const CodeletSource> source)
      : module_(module), codelet_(codelet), source_(*source),
        numbers_(module, codelet, arguments, known, lanes, std::move(source)),
        steps_(numbers_, [this](const Subscript &s) { return isRange(s); }), arguments_(arguments), lanes_(lanes),
        abreast_(static_cast<double>(abreast)) {
    for (std::size_t i = 0; i < codelet.params.size(); ++i) {
      const Type &type = codelet.params[i]->type;
      if (!type.isArray()) continue;
      if (auto range = facts.ranges.find({&codelet, codelet.params[i]->name}); range != facts.ranges.end()) {
        rangeSteps_[codelet.params[i]->name] = std::abs(static_cast<double>(range->second.value_or(1)));
        ranges_.emplace(codelet.params[i]->name, i);
        continue;
      }
      AccessWork access;
      access.parameter = i;
      access.bytes = elementBytes(type);
      auto pattern = facts.accesses.find({&codelet, codelet.params[i]->name});
      if (pattern != facts.accesses.end()) access.pattern = pattern->second;
      index_[codelet.params[i]->name] = work_.accesses.size();
      work_.accesses.push_back(access);
    }
    for (const Declare *declaration : source_.declarations()) {
      const Declare &d = *declaration;
      if (declaresRange(d)) ownRanges_.insert(d.name);
      if (d.shared) {
        shared_.emplace(d.name, elementBytes(d.type));
        auto bytes = static_cast<double>(elementBytes(d.type));
        for (const Expr *extent : d.extents) bytes *= numbers_(extent).value_or(0);
        work_.sharedBytes += bytes;
        continue;
      }
      if (d.extents.empty() && loads(d.init)) loaded_.insert(d.name);
      if (!d.extents.empty()) {
        AccessWork own;
        own.bytes = elementBytes(d.type);
        own.elements = 1;
        for (const Expr *extent : d.extents) own.elements *= numbers_(extent).value_or(kUnknownTurns);
        wide_ |= own.elements <= kSmall && own.bytes > 4;
        own.pattern.perIteration = Stride::Unit;
        index_[d.name] = work_.accesses.size();
        work_.accesses.push_back(own);
      }
      // A row or part of a container, or the container by another name.
      if (!d.extents.empty() || !d.init || !d.type.isArray()) continue;
      if (const std::string *of = container(d.init); of && index_.count(*of)) index_[d.name] = index_[*of];
    }
  }

  CodeletWork take() && {
    statement(codelet_.body, 1);
    if (wide_) findDifferingArrays();
    const Values values = this->values(codelet_.body);
    work_.values = values.all, work_.arrays = values.arrays, work_.fractions = values.fractions;
    for (const auto &[i, across] : acrossLanes_) {
      AccessWork &access = work_.accesses[i];
      const std::optional<double> step = farthest(across);
      if (!step || access.pattern.perLane == Stride::Irregular) continue;
      access.distance = *step * static_cast<double>(access.bytes);
      access.pattern.perLane = step == 0.0 ? Stride::Zero : step == 1.0 ? Stride::Unit : Stride::Constant;
    }
    return std::move(work_);
  }

private:
  static std::uint64_t elementBytes(const Type &type) {
    Type element = type;
    while (element.isArray()) element = element.element();
    return element.isScalar() ? element.bytes() : 8;
  }

  /// Whether an element of a container is asked for; those of ranges are computed.
  bool loads(const Expr *expr) const {
    return any<Subscript>(expr, [&](const Subscript &s) { return !isRange(s); });
  }
  bool isRange(const Subscript &s) const {
    const auto *base = dyn<VarRef>(s.base);
    return base && (ranges_.count(base->name) || ownRanges_.count(base->name));
  }

  /// The name of the container that an element, row or part is of; null where that is not a variable.
  static const std::string *container(const Expr *expr) {
    for (;;) {
      expr = withoutCasts(expr);
      if (const auto *v = dyn<VarRef>(expr)) return &v->name;
      if (const auto *s = dyn<Subscript>(expr))
        expr = s->base;
      else if (const auto *m = dyn<Member>(expr))
        expr = m->base;
      else if (const auto *p = dyn<Partition>(expr))
        expr = p->container;
      else
        return nullptr;
    }
  }

  /// Registers of 32 bits for variables that are there at a time, and for elements of small arrays: what stands in
  /// branches and loops one after the other is not.
  struct Values {
    double all = 0, arrays = 0, fractions = 0;
    void add(const Values &more) { all += more.all, arrays += more.arrays, fractions += more.fractions; }
    void atLeast(const Values &other) {
      all = std::max(all, other.all), arrays = std::max(arrays, other.arrays);
      fractions = std::max(fractions, other.fractions);
    }
  };
  Values values(const Declare &d) const {
    if (d.shared) return {};
    if (d.extents.empty())
      return {d.type.isArray() ? 0.0 : 1, 0, d.type.isFloating() ? static_cast<double>(d.type.bytes()) / 4 : 0};
    const double elements = work_.accesses[index_.at(d.name)].elements;
    const double words = std::max(1.0, static_cast<double>(d.type.bytes()) / 4);
    const double all = elements <= kSmall ? elements * words : 0;
    // What is the same in all lanes is in one vector, however wide it is.
    return {all, all, differing_.contains(d.name) ? all : all / words};
  }

  /// Arrays of the codelet's own, elements of which are not the same in all lanes.
  void findDifferingArrays() {
    for (bool more = true; more;) {
      const std::size_t before = differing_.size();
      for (const Assign *a : source_.stores())
        if (const std::string *of = container(a->target); of && !differing_.contains(*of) && !sameInAllLanes(a->value))
          differing_.insert(*of);
      more = differing_.size() > before;
    }
  }
  bool sameInAllLanes(const Expr *e) {
    if (!e || isa<CoopIdx>(e)) return !e;
    if (const auto *s = dyn<Subscript>(e)) {
      const std::string *of = container(s);
      const bool own = of && index_.contains(*of) && !work_.accesses[index_.at(*of)].parameter;
      return own ? !differing_.contains(*of) : std::all_of(s->indices.begin(), s->indices.end(), [&](const Expr *i) {
        return steps_.acrossLanes(i) == 0.0;
      });
    }
    if (const auto *v = dyn<VarRef>(e)) {
      if (v->type.isInteger()) return steps_.acrossLanes(e) == 0.0;
      const Expr *value = numbers_.definition(v->name);
      return value && sameInAllLanes(value);
    }
    const std::vector<const Node *> operands = children(*e);
    return std::all_of(operands.begin(), operands.end(), [&](const Node *operand) {
      return isa<Expr>(operand) && sameInAllLanes(static_cast<const Expr *>(operand));
    });
  }
  Values values(const Stmt *s) const {
    if (const auto *d = dyn<Declare>(s)) return values(*d);
    Values own, inner;
    for (const Node *child : children(*s))
      if (const auto *stmt = isa<Stmt>(child) ? static_cast<const Stmt *>(child) : nullptr)
        isa<Declare>(stmt) ? own.add(values(stmt)) : inner.atLeast(values(stmt));
    own.add(inner);
    return own;
  }

  // ---- statements ----

  void statements(const std::vector<const Stmt *> &all, double times) {
    for (const Stmt *s : all) statement(s, times);
  }

  void statement(const Stmt *s, double times) {
    if (!s || times == 0) return;
    switch (s->kind()) {
    case Kind::Block: return statements(as<Block>(s)->stmts, times);
    case Kind::Declare:
      for (const Expr *extent : as<Declare>(s)->extents) expression(extent, times);
      return expression(as<Declare>(s)->init, times);
    case Kind::Evaluate: return expression(as<Evaluate>(s)->expr, times);
    case Kind::Return: return expression(as<Return>(s)->value, times);
    case Kind::Await: {
      constexpr double kPart = 0.5; // of the panel at hand is used behind the copies, and in front of the next Await
      work_.exchanges += times;
      if (loops_.empty()) return;
      work_.awaits += times;
      work_.panelsAhead += times * (numbers_(as<Await>(s)->pending).value_or(0) + kPart);
      return;
    }
    case Kind::If: {
      const auto *branch = as<If>(s);
      expression(branch->cond, times);
      if (holdsForNaNs(branch->cond)) return statement(branch->otherwise, times);
      double then = branch->otherwise ? times / 2 : times, otherwise = times / 2;
      if (const std::optional<double> part = partAmongLeast(*branch)) {
        then = std::min(1.0, *part * abreast_) * times;
        work_.mispredictions += isConverted(*branch) ? 0 : *part * times;
      } else if (const std::optional<double> part = holds(branch->cond)) {
        then = *part * times, otherwise = times - then;
      } else if (const std::optional<bool> mostly = branch->otherwise ? mostlyHolds(branch->cond) : std::nullopt) {
        then = *mostly ? times : 0, otherwise = times - then;
      } else if (isDecidedByData(branch->cond) && !isConverted(*branch)) {
        constexpr double kAsForeseen = 0.5;
        work_.mispredictions += (1 - kAsForeseen) * times;
      }
      const std::vector<const Expr *> before = atHand_;
      statement(branch->then, then);
      atHand_ = before;
      statement(branch->otherwise, otherwise);
      return atHand_.clear();
    }
    case Kind::For: {
      const auto *loop = as<For>(s);
      statement(loop->init, times);
      const std::string counter = counterOf(*loop);
      const std::vector<double> weights = stageWeights_;
      std::optional<double> turns = this->turns(*loop);
      const Expr *step = strideOf(*loop);
      const bool byLanes = step && isa<CoopDim>(withoutCasts(step));
      const double stride = std::max(1.0, std::abs(numbers_(step).value_or(1)));
      if (!turns && !counter.empty()) findBounds(loop->cond);
      if (!turns) turns = meanPart(*loop, counter);
      if (!turns && !counter.empty())
        if (const std::optional<double> extent = extentBy(counter, loop->body)) turns = std::ceil(*extent / stride);
      if (!turns && counter.empty() && !loops_.empty()) {
        // What was there before the loop around goes on where it was: both together turn less often than that one. What
        // begins anew in each of its turns goes half through what there is.
        const std::string moved = movedBy(*loop);
        if (!any<Declare>(loops_.back().body, [&](const Declare &d) { return d.name == moved; }))
          turns = 0.5;
        else if (const std::optional<double> extent = extentBy(moved, loops_.back().body))
          turns = *extent / 2;
      }
      const std::unordered_map<std::string, double> outer = spans_;
      const Declare *begins = source_.declared(counter);
      const double begin = begins && begins->init ? span(begins->init).value_or(0) : 0;
      variableSpans_.clear();
      spans_[counter] = begin + (std::max(1.0, turns.value_or(kUnknownTurns)) - 1) * stride;
      const double all = turns.value_or(kUnknownTurns);
      // Compilers unroll what they can count.
      const bool fixed = turns && !followsParameter(loop->cond);
      if (byLanes && !loopOf(loop->body).carries) work_.laneTurns = std::max(work_.laneTurns, all);
      loops_.push_back({counter, all, loopOf(loop->body).storesElsewhere, loop->body, isa<Unary>(loop->step), fixed,
                        fixed && isWrittenOut(counter, all, loop->body)});
      repeated(turns, times, loop->body, {loop->cond, loop->step}, loops_.back().writtenOut);
      loops_.pop_back();
      stageWeights_ = weights;
      spans_ = outer;
      variableSpans_.clear();
      return;
    }
    case Kind::While: {
      const auto *loop = as<While>(s);
      work_.mispredictions += times; // the last turn
      const std::vector<double> weights = stageWeights_;
      repeated(turns(loop, loop->cond), times, loop->body, {loop->cond});
      stageWeights_ = weights;
      return;
    }
    case Kind::DoWhile:
      work_.mispredictions += times;
      return repeated({}, times, as<DoWhile>(s)->body, {as<DoWhile>(s)->cond});
    case Kind::Switch: {
      const auto *choice = as<Switch>(s);
      expression(choice->value, times);
      const double each = times / static_cast<double>(std::max<std::size_t>(1, choice->cases.size()));
      for (const Case *one : choice->cases) {
        atHand_.clear();
        statement(one->body, each);
      }
      return atHand_.clear();
    }
    default: return; // jumps; what the cloner makes does not stand in a codelet
    }
  }

  /// Where a branch brings a running extreme closer, how often that is done, of all times.
  std::optional<double> partAmongLeast(const If &branch) const {
    const std::string *value = runningExtreme(branch);
    if (!value) return {};
    auto isChanged = [&](const Block *block) {
      std::size_t count = 0;
      walk(block, [&](const Assign &a) {
        const std::string *target = container(a.target);
        count += target && *target == *value;
      });
      return count;
    };
    const std::size_t own = isChanged(branch.then);
    double times = 1;
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      const bool begins = any<Declare>(loop->body, [&](const Declare &d) { return d.name == *value; });
      if (begins || isChanged(loop->body) != own) break;
      times *= std::max(1.0, loop->turns);
    }
    const auto array = index_.find(*value);
    const double kept = array == index_.end() ? 1 : std::max(1.0, work_.accesses[array->second].elements);
    return times > 1 ? std::optional(timesAmongLeast(kept, times) / times) : std::nullopt;
  }

  /// By something loaded, or computed of fractions.
  bool isDecidedByData(const Expr *cond) const {
    return isData(cond) || any<VarRef>(cond, [](const VarRef &v) { return v.type.isFloating(); });
  }

  /// How often a condition holds, of all times; nothing where that is not known. A number that calls of a map differ in
  /// is expected to be that in the middle, and to be less than one alike as often as not.
  std::optional<double> holds(const Expr *e) {
    constexpr double kAlike = 4, kEqual = 0.125;
    e = withoutCasts(e);
    const std::optional<double> known = numbers_(e);
    if (!followsNumber(e)) return known ? std::optional(*known != 0 ? 1.0 : 0.0) : std::nullopt;
    if (const auto *n = dyn<Unary>(e); n && n->op == UnaryOp::Not) {
      const std::optional<double> inner = holds(n->operand);
      return inner ? std::optional(1 - *inner) : std::nullopt;
    }
    const auto *n = dyn<Binary>(e);
    if (!known || !n) return {};
    if (n->op == BinaryOp::LogicalAnd || n->op == BinaryOp::LogicalOr) {
      const std::optional<double> left = holds(n->lhs), right = holds(n->rhs);
      if (!left || !right) return {};
      return n->op == BinaryOp::LogicalAnd ? *left * *right : 1 - (1 - *left) * (1 - *right);
    }
    const std::optional<double> left = numbers_(n->lhs), right = numbers_(n->rhs);
    const bool same = n->op == BinaryOp::Eq || n->op == BinaryOp::Ne;
    if (!left || !right ||
        !(same || n->op == BinaryOp::Lt || n->op == BinaryOp::Le || n->op == BinaryOp::Gt || n->op == BinaryOp::Ge))
      return *known != 0 ? 1 : 0;
    const bool alike = std::abs(*left - *right) * kAlike <= std::max(std::abs(*left), std::abs(*right));
    if (!alike) return *known != 0 ? 1 : 0;
    return !same ? 0.5 : n->op == BinaryOp::Eq ? kEqual : 1 - kEqual;
  }

  /// What a condition is but for few iterations at the end, or the begin, of what there is; nothing of others.
  std::optional<bool> mostlyHolds(const Expr *e) const {
    e = withoutCasts(e);
    if (const auto *n = dyn<Unary>(e); n && n->op == UnaryOp::Not) {
      const std::optional<bool> inner = mostlyHolds(n->operand);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    const auto *n = dyn<Binary>(e);
    if (!n) return {};
    if (n->op == BinaryOp::LogicalAnd || n->op == BinaryOp::LogicalOr) {
      const std::optional<bool> left = mostlyHolds(n->lhs), right = mostlyHolds(n->rhs);
      if (!left || !right) return {};
      return n->op == BinaryOp::LogicalAnd ? *left && *right : *left || *right;
    }
    if (n->op == BinaryOp::Eq) return isLeft(n->lhs, n->rhs) ? std::optional(true) : std::nullopt;
    const bool less = n->op == BinaryOp::Lt || n->op == BinaryOp::Le;
    if (!less && n->op != BinaryOp::Gt && n->op != BinaryOp::Ge) return {};
    const Expr *lower = less ? n->lhs : n->rhs, *upper = less ? n->rhs : n->lhs;
    if (isLiteral(withoutCasts(upper), 0)) return false;
    if (isLiteral(withoutCasts(lower), 0)) return true;
    const bool ofLower = isEnd(lower), ofUpper = isEnd(upper);
    return ofLower != ofUpper ? std::optional(ofUpper) : std::nullopt;
  }
  /// What a variable stays; else the expression.
  const Expr *resolved(const Expr *e) const {
    for (unsigned fuel = 8; fuel > 0; --fuel) {
      e = withoutCasts(e);
      const auto *v = dyn<VarRef>(e);
      const Expr *value = v ? numbers_.definition(v->name) : nullptr;
      if (!value) break;
      e = value;
    }
    return e;
  }
  /// A container's size, or what is left of it.
  bool isEnd(const Expr *e) const {
    e = resolved(e);
    const auto *n = dyn<Binary>(e);
    return isa<Size>(e) || (n && n->op == BinaryOp::Sub && isEnd(n->lhs));
  }
  /// Whether `e` is `most`, or what is left where that is less.
  bool isLeft(const Expr *e, const Expr *most) const {
    const auto *choice = dyn<Conditional>(resolved(e));
    return choice && (equal(withoutCasts(choice->otherwise), withoutCasts(most)) ||
                      equal(withoutCasts(choice->then), withoutCasts(most)));
  }

  void repeated(std::optional<double> turns, double times, const Block *body, std::vector<const Expr *> each,
                bool writtenOut = true) {
    if (!turns) work_.guessed = true;
    const double all = times * turns.value_or(kUnknownTurns);
    // Compilers unroll what turns a few times.
    if (writtenOut) each = {};
    if (!turns || !writtenOut) work_.branches += all;
    // A loop that only fills what lanes share is waited for once.
    const CodeletSource::Loop &loop = loopOf(body);
    const bool fills = !filling_ && loop.storesShared && !loop.loadsShared;
    if (fills) work_.exchanges += times, work_.fills += times;
    filling_ |= fills;
    atHand_.clear();
    for (const Expr *expr : each) expression(expr, all);
    const double before = work_.turns;
    statement(body, all);
    atHand_.clear();
    if (work_.turns == before) {
      work_.turns += all;
      if (loop.carries) work_.dependent += all;
      if (loop.carries || !mayBeVectors(body)) work_.scalarTurns += all;
    }
    if (fills) filling_ = false;
  }

  /// Whether a compiler finds by itself neighbouring elements in the turns of an innermost loop, and converts them
  /// together: it does not see that quotients of neighbours are the same, and knows nothing of f16.
  bool mayBeVectors(const Block *body) const {
    const std::string counter = !loops_.empty() && loops_.back().body == body ? loops_.back().counter : "";
    const auto divided = [&](const Binary &b) {
      return (b.op == BinaryOp::Div || b.op == BinaryOp::Rem || b.op == BinaryOp::Shr) && dependsOn(&b, counter);
    };
    return !any<Cast>(body, [](const Cast &c) { return c.type.isHalf() || c.operand->type.isHalf(); }) &&
           !any<Subscript>(body, [&](const Subscript &element) {
             return std::any_of(element.indices.begin(), element.indices.end(),
                                [&](const Expr *index) { return any<Binary>(index, divided); });
           });
  }

  /// Whether a loop with this body changes a variable of before it, or a field of one.
  static bool carries(const Block *body) {
    std::set<std::string> own;
    walk(body, [&](const Declare &d) { own.insert(d.name); });
    return any<Assign>(body, [&](const Assign &a) {
      const Expr *target = withoutCasts(a.target);
      while (const auto *m = dyn<Member>(target)) target = withoutCasts(m->base);
      const auto *v = dyn<VarRef>(target);
      return v && !own.count(v->name);
    });
  }

  /// Whether a loop changes memory that what is loaded in it might be of.
  bool storesElsewhere(const Node *body) const {
    auto elsewhere = [&](const Expr *place) {
      const std::string *name = isa<VarRef>(withoutCasts(place)) ? nullptr : container(place);
      auto at = name ? index_.find(*name) : index_.end();
      return name && (shared_.count(*name) || (at != index_.end() && work_.accesses[at->second].parameter));
    };
    return any<Assign>(body, [&](const Assign &a) { return elsewhere(a.target); }) ||
           any<Atomic>(body, [&](const Atomic &a) { return elsewhere(a.target); });
  }

  /// Whether an element's place is another one in each turn of a loop that counts `counter`.
  bool dependsOn(const Expr *e, const std::string &counter) const {
    if (counter.empty()) return true;
    const std::vector<std::string> &reached = source_.reached(e).variables;
    // A counter of another loop stays where it is.
    return std::any_of(reached.begin(), reached.end(), [&](const std::string &name) {
      return name == counter || (source_.changes(name) && !spans_.count(name));
    });
  }

  const CodeletSource::Loop &loopOf(const Block *body) const {
    return source_.loop(body, [&] {
      return CodeletSource::Loop{storesElsewhere(body), storesShared(body), loadsShared(body), carries(body),
                                 turnsInBatch(body),    written(body),      places(body)};
    });
  }

  std::unordered_set<std::string> places(const Node *body) const {
    std::unordered_set<std::string> result;
    walk(body, [&](const Subscript &s) {
      const auto *base = dyn<VarRef>(s.base);
      const auto at = base ? index_.find(base->name) : index_.end();
      if (at == index_.end() || work_.accesses[at->second].parameter || work_.accesses[at->second].elements > kSmall)
        return;
      for (const Expr *index : s.indices) walk(index, [&](const VarRef &v) { result.insert(v.name); });
    });
    return result;
  }

  bool isWrittenOut(const std::string &counter, double turns, const Block *body) const {
    return turns <= kUnrolled || (turns <= kUnrolledPlaces && loopOf(body).places.count(counter));
  }

  /// Where containers are changed, by name.
  std::unordered_map<std::string, std::vector<const Expr *>> written(const Node *body) const {
    std::unordered_map<std::string, std::vector<const Expr *>> result;
    auto changed = [&](const Expr *place) {
      if (const std::string *name = isa<VarRef>(withoutCasts(place)) ? nullptr : container(place))
        result[*name].push_back(place);
    };
    walk(body, [&](const Assign &a) { changed(a.target); }, [&](const Atomic &a) { changed(a.target); });
    return result;
  }

  /// Of a loop with this body, of how many turns compilers for devices load at a time (the pass load-batching, with its
  /// defaults).
  unsigned turnsInBatch(const Block *body) const {
    constexpr unsigned kTurns = 8, kRegisters = 16;
    constexpr std::size_t kNodes = 1000;
    std::uint64_t registers = 0;
    auto far = [&](const Node *node, std::uint64_t &count) {
      walk(node, [&](const Subscript &s) {
        const std::string *name = container(&s);
        const auto at = name ? index_.find(*name) : index_.end();
        if (at != index_.end() && work_.accesses[at->second].parameter) count += (elementBytes(s.type) + 3) / 4;
      });
    };
    far(body, registers);
    const bool possible = walk(body, [&](const Node &n) {
      std::uint64_t inner = 0;
      if (isa<For>(&n)) far(&n, inner);
      const auto *s = dyn<Subscript>(&n);
      const std::string *name = s ? container(s) : nullptr;
      const bool waits = name && shared_.count(*name) && !source_.hasElementForEachLane(*name);
      const bool other = isa<While>(&n) || isa<DoWhile>(&n) || isa<Switch>(&n) || isa<Map>(&n) ||
                         isa<SpectrumCall>(&n) || isa<MatrixMultiply>(&n) || isa<Transfer>(&n);
      return inner > 0 || waits || other ? WalkResult::Stop : WalkResult::Advance;
    });
    unsigned batch = possible && registers > 0 ? kTurns : 1;
    while (batch > 1 && (batch * registers > kRegisters || std::size_t{2} * batch * nodeCount(body) > kNodes))
      batch /= 2;
    return batch;
  }

  /// Part of what the innermost loop loads from a container that nothing waits for.
  double inBatches(const std::string &name, const Expr *place) const {
    if (loops_.empty() || loops_.back().counter.empty() || !dependsOn(place, loops_.back().counter)) return 0;
    const std::vector<std::string> &reached = source_.reached(place).variables;
    const bool chained = std::any_of(reached.begin(), reached.end(), [&](const std::string &variable) {
      return source_.changes(variable) && !spans_.count(variable);
    });
    const CodeletSource::Loop &loop = loopOf(loops_.back().body);
    // An element that all turns change is in a register.
    const auto written = loop.written.find(name);
    const bool stored = written != loop.written.end() &&
                        std::any_of(written->second.begin(), written->second.end(),
                                    [&](const Expr *at) { return dependsOn(at, loops_.back().counter); });
    return chained || stored ? 0 : 1 - 1 / std::clamp<double>(loops_.back().turns, 1, loop.batch);
  }

  bool isShared(const Expr *place) const {
    const std::string *name = container(place);
    return name && shared_.count(*name);
  }
  bool storesShared(const Node *body) const {
    return any<Assign>(body, [&](const Assign &a) { return isShared(a.target) && !isa<Transfer>(a.value); }) ||
           any<Atomic>(body, [&](const Atomic &a) { return isShared(a.target); });
  }
  bool loadsShared(const Node *body) const {
    std::size_t accesses = 0, stores = 0;
    walk(
        body, [&](const Subscript &s) { accesses += isShared(&s); },
        [&](const Assign &a) { stores += a.op == AssignOp::Set && isShared(a.target); },
        [&](const Atomic &a) { stores += isShared(a.target); });
    return accesses > stores;
  }

  // ---- how often a loop turns ----

  /// The variable that a loop declares and counts; empty: none.
  static std::string counterOf(const For &loop) {
    const Stmt *first = loop.init;
    if (const auto *block = dyn<Block>(first); block && block->stmts.size() == 1) first = block->stmts[0];
    const auto *begins = dyn<Declare>(first);
    return begins ? begins->name : "";
  }

  /// The variable that a loop's step changes; empty: none.
  static std::string movedBy(const For &loop) {
    const Expr *target = nullptr;
    if (const auto *assign = dyn<Assign>(loop.step)) target = assign->target;
    if (const auto *unary = dyn<Unary>(loop.step)) target = unary->operand;
    const auto *v = target ? dyn<VarRef>(withoutCasts(target)) : nullptr;
    return v ? v->name : "";
  }

  /// By how much a loop's counter grows; null where that is one.
  static const Expr *strideOf(const For &loop) {
    const auto *step = dyn<Assign>(loop.step);
    return step && (step->op == AssignOp::Add || step->op == AssignOp::Sub) ? step->value : nullptr;
  }

  /// Whether an index is computed of a counter, not found by it.
  bool follows(const Expr *index, const std::string &counter) const {
    if (loads(index)) return false;
    const CodeletSource::Parts &parts = source_.parts(index);
    if (std::any_of(parts.variables.begin(), parts.variables.end(), [&](auto *v) { return v->name == counter; }))
      return true;
    const std::vector<std::string> &reached = source_.reached(index).variables;
    // A place that is looked for by halves moves otherwise.
    const bool steady = std::all_of(reached.begin(), reached.end(), [&](const std::string &name) {
      return name == counter || !source_.changes(name) || spans_.count(name);
    });
    return steady && !isData(index) && std::find(reached.begin(), reached.end(), counter) != reached.end();
  }
  /// Containers whose elements say how long a loop is; of a cooperative codelet, whether these are others for each
  /// lane.
  void findBounds(const Expr *condition) {
    const auto *n = dyn<Binary>(withoutCasts(condition));
    if (!n) return;
    const std::vector<std::string> &reached = source_.reached(n->rhs).variables;
    std::vector<const Expr *> loads{n->rhs};
    for (const std::string &name : reached)
      if (const Declare *d = loaded_.count(name) ? source_.declared(name) : nullptr) loads.push_back(d->init);
    bool any = false;
    for (const Expr *e : loads)
      walk(e, [&](const Subscript &s) {
        const std::string *name = container(&s);
        const auto at = name ? index_.find(*name) : index_.end();
        if (at == index_.end() || !work_.accesses[at->second].parameter) return;
        any = true;
        work_.bounds.insert(*work_.accesses[at->second].parameter);
      });
    work_.uneven |= any && codelet_.coop &&
                    (source_.reached(n->rhs).lane ||
                     std::any_of(reached.begin(), reached.end(), [&](const std::string &name) { // they begin apart
                       const Declare *counter = source_.counting(name) ? source_.declared(name) : nullptr;
                       return counter && counter->init && source_.reached(counter->init).lane;
                     }));
  }

  /// Of what a loop goes through by its counter, the extent; nothing where none is known.
  std::optional<double> extentBy(const std::string &counter, const Block *body) {
    std::optional<double> result;
    walk(body, [&](const Subscript &s) {
      const std::string *name = container(&s);
      auto at = name ? index_.find(*name) : index_.end();
      const auto range = name ? ranges_.find(*name) : ranges_.end();
      if (range == ranges_.end() && (at == index_.end() || !work_.accesses[at->second].parameter)) return;
      const Extents &extents =
          arguments_[range == ranges_.end() ? *work_.accesses[at->second].parameter : range->second];
      for (std::size_t d = 0; d < s.indices.size() && d < extents.size(); ++d)
        if (extents[d] && follows(s.indices[d], counter))
          result = std::min(result.value_or(HUGE_VAL), static_cast<double>(*extents[d]));
    });
    return result;
  }

  /// Of a loop from one number of a container to the next, row[i] to row[i + 1], which are bounds of parts of what it
  /// goes through: the elements of a part, in the mean.
  std::optional<double> meanPart(const For &loop, const std::string &counter) {
    const Declare *begins = source_.declared(counter);
    const auto *cond = dyn<Binary>(withoutCasts(loop.cond));
    if (!begins || !begins->init || !cond || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Ne)) return {};
    const auto *from = dyn<Subscript>(resolved(begins->init)), *to = dyn<Subscript>(resolved(cond->rhs));
    const std::string *bounds = from ? container(from) : nullptr, *same = to ? container(to) : nullptr;
    const auto at = bounds ? index_.find(*bounds) : index_.end();
    if (at == index_.end() || !same || *same != *bounds || !work_.accesses[at->second].parameter) return {};
    if (from->indices.size() != 1 || to->indices.size() != 1) return {};
    const auto [first, constant] = apartFromConstant(from->indices[0]);
    const auto [second, next] = apartFromConstant(to->indices[0]);
    if (next != constant + 1 || !(first == second || (first && second && equal(first, second)))) return {};
    const Extents &parts = arguments_[*work_.accesses[at->second].parameter];
    const std::optional<double> all = extentBy(counter, loop.body);
    if (!all || parts.size() != 1 || !parts[0] || *parts[0] < 2) return {};
    return *all / static_cast<double>(*parts[0] - 1);
  }

  /// How far apart the least and the greatest value are that an index has in a call; nothing where data says.
  std::optional<double> span(const Expr *e) {
    e = withoutCasts(e);
    switch (e->kind()) {
    case Kind::VarRef: {
      const std::string &name = as<VarRef>(e)->name;
      if (auto it = spans_.find(name); it != spans_.end()) return it->second;
      if (loaded_.count(name)) return {};
      if (auto known = variableSpans_.find(name); known != variableSpans_.end()) return known->second;
      const Declare *d = source_.declared(name);
      variableSpans_[name] = 0; // while it is being found
      return variableSpans_[name] = d && d->init ? span(d->init) : 0;
    }
    case Kind::CoopIdx: return std::max(1.0, static_cast<double>(lanes_)) - 1;
    case Kind::Binary: {
      const auto *n = as<Binary>(e);
      const std::optional<double> left = span(n->lhs), right = span(n->rhs);
      if (!left || !right) return {};
      switch (n->op) {
      case BinaryOp::Add:
      case BinaryOp::Sub: return *left + *right;
      case BinaryOp::Mul:
        return *right == 0 ? *left * std::abs(numbers_(n->rhs).value_or(1))
                           : *right * std::abs(numbers_(n->lhs).value_or(1));
      case BinaryOp::Div: return std::floor(*left / std::max(1.0, std::abs(numbers_(n->rhs).value_or(1))));
      case BinaryOp::Rem: return std::min(*left, std::max(1.0, std::abs(numbers_(n->rhs).value_or(HUGE_VAL))) - 1);
      default: return *left + *right;
      }
    }
    case Kind::Subscript: {
      if (!isRange(*as<Subscript>(e))) return {};
      const std::optional<double> index = span(as<Subscript>(e)->indices[0]);
      const auto step = rangeSteps_.find(*container(e));
      return index && step != rangeSteps_.end() ? *index * step->second : index;
    }
    default: {
      double widest = 0;
      for (const Node *child : children(*e))
        if (const auto *part = dyn<Expr>(child)) {
          const std::optional<double> inner = span(part);
          if (!inner) return {};
          widest = std::max(widest, *inner);
        }
      return widest;
    }
    }
  }

  /// Places that load elements of one container whose indices differ by constants.
  struct References {
    std::vector<const Expr *> indices;           // without the constants
    std::vector<std::vector<std::int64_t>> rows; // the constants of all dimensions but the last
  };

  void refer(AccessWork &access, std::vector<References> &known, const Expr *place) {
    References fresh;
    std::vector<std::int64_t> constants;
    for (const Expr *at = withoutCasts(place); at;) {
      if (const auto *m = dyn<Member>(at)) {
        at = withoutCasts(m->base);
        continue;
      }
      const auto *s = dyn<Subscript>(at);
      if (!s) break;
      for (auto index = s->indices.rbegin(); index != s->indices.rend(); ++index) {
        const auto [base, constant] = apartFromConstant(*index);
        fresh.indices.push_back(base);
        constants.push_back(constant);
      }
      at = withoutCasts(s->base);
    }
    if (!constants.empty()) constants.erase(constants.begin()); // of the last dimension
    ++access.references;
    auto same = std::find_if(known.begin(), known.end(), [&](const References &r) {
      return std::equal(r.indices.begin(), r.indices.end(), fresh.indices.begin(), fresh.indices.end(),
                        [](const Expr *a, const Expr *b) { return a == b || (a && b && equal(a, b)); });
    });
    if (same == known.end()) {
      ++access.origins;
      same = known.insert(known.end(), fresh);
    }
    if (std::find(same->rows.begin(), same->rows.end(), constants) != same->rows.end()) return;
    same->rows.push_back(constants);
    ++access.streams;
  }

  /// i + 1 of std::min(i + 1, n - 1) and of (i + 1) % n, which it is but for the last: what an index chooses that
  /// moves, where that is one expression; else the index.
  const Expr *unclamped(const Expr *index) {
    constexpr unsigned kDeepest = 8;
    for (unsigned depth = 0; depth < kDeepest; ++depth) {
      const Expr *e = withoutCasts(index);
      std::vector<const Expr *> among;
      if (const auto *choice = dyn<Conditional>(e)) among = {choice->then, choice->otherwise};
      if (const auto *call = dyn<Call>(e); call && chooses(*call)) among = call->args;
      if (const auto *wraps = dyn<Binary>(e); wraps && wraps->op == BinaryOp::Rem) among = {wraps->lhs, wraps->rhs};
      // Loops move it, or else calls do.
      auto moving = [&](auto &&moves) {
        const auto first = std::find_if(among.begin(), among.end(), moves);
        return first == among.end() || std::any_of(first + 1, among.end(), moves) ? nullptr : *first;
      };
      const Expr *only = moving([&](const Expr *one) { return span(one) != 0.0; });
      if (!only) only = moving([&](const Expr *one) { return followsNumber(one); });
      if (!only) break;
      index = only;
    }
    return index;
  }
  /// Whether its result is one of its arguments, as that of std::min is.
  bool chooses(const Call &call) const {
    const Function *function = numbers_.function(call);
    const Expr *result = function ? withoutCasts(resultOf(*function)) : nullptr;
    const auto *choice = dyn<Conditional>(result);
    if (const auto *inner = dyn<Call>(result)) return chooses(*inner);
    return choice && isa<VarRef>(withoutCasts(choice->then)) && isa<VarRef>(withoutCasts(choice->otherwise));
  }

  /// Of a variable that stays i + 1, or another one, which is an integer; else null.
  const Expr *definedAsSum(const Expr *e) {
    const auto *v = dyn<VarRef>(e);
    const Expr *value = v && v->type.isInteger() ? numbers_.definition(v->name) : nullptr;
    if (!value) return nullptr;
    const Expr *chosen = withoutCasts(unclamped(value));
    const auto *n = dyn<Binary>(chosen);
    const bool sum = n && n->type.isInteger() && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub);
    return sum || (isa<VarRef>(chosen) && chosen->type.isInteger()) ? value : nullptr;
  }

  /// i + 1 as i and 1; null for an index that is a constant.
  std::pair<const Expr *, std::int64_t> apartFromConstant(const Expr *index) {
    std::int64_t constant = 0;
    for (;;) {
      index = withoutCasts(unclamped(index));
      while (const Expr *sum = definedAsSum(index)) index = withoutCasts(unclamped(sum));
      const auto *n = dyn<Binary>(index);
      if (!n || (n->op != BinaryOp::Add && n->op != BinaryOp::Sub)) break;
      if (const auto *by = dyn<IntLit>(withoutCasts(n->rhs))) {
        constant += n->op == BinaryOp::Add ? by->value : -by->value;
        index = n->lhs;
      } else if (const auto *first = dyn<IntLit>(withoutCasts(n->lhs)); first && n->op == BinaryOp::Add) {
        constant += first->value;
        index = n->rhs;
      } else {
        break;
      }
    }
    if (const auto *only = dyn<IntLit>(index)) return {nullptr, constant + only->value};
    return {index, constant};
  }

  /// What an access touches in all turns of the loops around it.
  void touch(AccessWork &access, const Expr *place) {
    std::vector<const Expr *> indices;
    for (const Expr *at = withoutCasts(place); at;) {
      if (const auto *m = dyn<Member>(at)) {
        at = withoutCasts(m->base);
      } else if (const auto *s = dyn<Subscript>(at)) {
        indices.insert(indices.begin(), s->indices.begin(), s->indices.end());
        at = withoutCasts(s->base);
      } else {
        break;
      }
    }
    double rows = 1, run = 1;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const std::optional<double> width = span(indices[d]);
      if (!width) { // anywhere
        access.rows = access.run = 0;
        access.anywhere = true;
        return;
      }
      (d + 1 == indices.size() ? run : rows) *= *width + 1;
      if (*width > 0 && addsNumber(unclamped(indices[d]))) {
        double &overlap = d + 1 == indices.size() ? access.overlapRun : access.overlapRows;
        overlap = std::max(overlap, *width + 1);
      }
    }
    if (access.anywhere) return;
    access.rows = std::max(access.rows, rows);
    access.run = std::max(access.run, run);
  }

  /// Whether a sum has one of the codelet's parameters: calls with other numbers touch what lies beside.
  bool addsNumber(const Expr *e) const {
    e = withoutCasts(e);
    if (const auto *n = dyn<Binary>(e))
      return (n->op == BinaryOp::Add && (addsNumber(n->lhs) || addsNumber(n->rhs))) ||
             (n->op == BinaryOp::Sub && addsNumber(n->lhs));
    const auto *v = dyn<VarRef>(e);
    return v && isNumber(v->name);
  }
  bool isNumber(const std::string &name) const {
    return std::any_of(codelet_.params.begin(), codelet_.params.end(),
                       [&](const Param *p) { return p->name == name && p->type.isInteger(); });
  }
  /// Whether it has anything to do with a parameter.
  bool followsParameter(const Expr *e) const {
    const std::vector<std::string> &reached = source_.reached(e).variables;
    return std::any_of(codelet_.params.begin(), codelet_.params.end(), [&](const Param *p) {
      return std::find(reached.begin(), reached.end(), p->name) != reached.end();
    });
  }
  /// Whether it has anything to do with one that is a number.
  bool followsNumber(const Expr *e) const {
    const std::vector<std::string> &reached = source_.reached(e).variables;
    return std::any_of(reached.begin(), reached.end(), [&](const std::string &name) { return isNumber(name); });
  }

  /// Nothing where that is not known. Of a loop around that multiplies what this one counts by, in the mean over its
  /// turns, as often as loops between them turn in each.
  std::optional<double> turns(const Stmt *loop, const Expr *condition) {
    const std::optional<double> usual = turnsNow(loop, condition);
    const std::size_t stages = numbers_.stages().size();
    if (!usual || stages < 2) return usual;
    const CodeletSource::Progress *progress = source_.progress(source_.stage());
    if (progress->loop == loop) return usual;
    std::vector<double> each;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      numbers_.atStage(stage);
      if (const std::optional<double> now = turnsNow(loop, condition)) each.push_back(*now);
    }
    numbers_.atStage({});
    if (each.size() != stages || std::all_of(each.begin(), each.end(), [&](double t) { return t == each[0]; }))
      return usual;
    stageWeights_.resize(stages, 1);
    double all = 0, weights = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      all += stageWeights_[stage] * each[stage], weights += stageWeights_[stage];
      stageWeights_[stage] *= each[stage];
    }
    return weights > 0 ? all / weights : 0;
  }
  std::optional<double> turns(const For &loop) { return turns(&loop, loop.cond); }

  /// As long as `condition` holds.
  std::optional<double> turnsNow(const Stmt *loop, const Expr *condition) {
    const auto *cond = dyn<Binary>(withoutCasts(condition));
    if (!cond) return {};
    if (cond->op == BinaryOp::LogicalAnd || cond->op == BinaryOp::LogicalOr) {
      const std::optional<double> left = turnsNow(loop, cond->lhs), right = turnsNow(loop, cond->rhs);
      const bool both = cond->op == BinaryOp::LogicalAnd;
      if (!left || !right) { // what nothing is known of ends it half of the way
        const std::optional<double> known = left ? left : right;
        return both && known ? std::optional(std::max(1.0, *known / 2)) : known;
      }
      return both ? std::min(*left, *right) : std::max(*left, *right);
    }
    const auto *own = dyn<For>(loop);
    if (const Declare *begins = own ? source_.declared(counterOf(*own)) : nullptr; begins && begins->init)
      if (const std::optional<double> result = turns(*begins, *cond, own->step)) return result;
    for (const Expr *side : {cond->lhs, cond->rhs}) {
      const auto *v = dyn<VarRef>(withoutCasts(side));
      const CodeletSource::Progress *progress = v ? source_.progress(v->name) : nullptr;
      if (progress && progress->loop == loop) return turns(*progress->begins, *cond, progress->step);
    }
    return {};
  }

  /// A number, or what it is in the mean.
  std::optional<double> usual(const Expr *e) {
    if (const std::optional<double> known = numbers_(e)) return known;
    const Interval mean = numbers_.mean(e);
    return mean.known() ? std::optional(static_cast<double>(*mean.lo)) : std::nullopt;
  }

  std::optional<double> turns(const Declare &begins, const Binary &condition, const Expr *steps) {
    const Binary *cond = &condition;
    if (cond->op == BinaryOp::Eq) return {};
    double ahead = 0; // `i + 1 < n`
    auto isCounter = [&](const Expr *e) {
      e = withoutCasts(e);
      if (const auto *n = dyn<Binary>(e); n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub))
        if (const std::optional<double> more = numbers_(n->rhs)) {
          ahead = n->op == BinaryOp::Add ? *more : -*more;
          e = withoutCasts(n->lhs);
        }
      const auto *v = dyn<VarRef>(e);
      return v && v->name == begins.name;
    };
    const bool left = isCounter(cond->lhs);
    if (!left && !isCounter(cond->rhs)) return {};
    std::optional<double> end = numbers_.most(left ? cond->rhs : cond->lhs);
    if (end) *end -= ahead;
    // Lanes that begin apart turn about as often as the first of them.
    const std::optional<double> known = numbers_(begins.init);
    const bool bounded = end && (known || source_.reached(begins.init).lane);
    const double begin = known.value_or(0);
    std::optional<double> apart =
        bounded ? std::abs(*end - begin) : this->apart(begins.init, left ? cond->rhs : cond->lhs);
    if (bounded && !known) // a lane's own tile may end long before what there is
      if (const std::optional<double> own = this->apart(begins.init, left ? cond->rhs : cond->lhs))
        apart = std::min(*apart, *own);
    if (!apart) apart = meanDistance(begins.init, left ? cond->rhs : cond->lhs);
    if (!apart) return {};
    // A last turn where the counter is equal to the bound.
    const double distance = *apart + (cond->op == BinaryOp::Le || cond->op == BinaryOp::Ge ? 1 : 0);
    if (const auto *unary = dyn<Unary>(steps); unary && isCounter(unary->operand)) return std::ceil(distance);
    const auto *step = dyn<Assign>(steps);
    if (!step || !isCounter(step->target)) return {};
    std::optional<double> by = usual(step->value);
    if (!by || *by <= 0) return {};
    switch (step->op) {
    case AssignOp::Add:
    case AssignOp::Sub: return std::ceil(distance / *by);
    case AssignOp::Shl:
    case AssignOp::Shr: by = std::exp2(*by); [[fallthrough]];
    case AssignOp::Mul:
    case AssignOp::Div: {
      if (!bounded) return {};
      const double low = std::max(1.0, std::min(begin, *end)), high = std::max(begin, *end) + distance - *apart;
      return *by > 1 && high > low ? std::ceil(std::log2(high / low) / std::log2(*by)) : 0;
    }
    default: return {};
    }
  }

  /// Where bounds follow from loops around, whose counters are half of the way.
  std::optional<double> meanDistance(const Expr *begin, const Expr *end) {
    const Interval first = numbers_.mean(begin), last = numbers_.mean(end);
    if (!first.known() || !last.known()) return {};
    return std::abs(static_cast<double>(*last.lo) - static_cast<double>(*first.lo));
  }

  /// What an expression may be, each by itself: of a minimum, both.
  void possible(const Expr *e, std::vector<const Expr *> &all) const {
    constexpr std::size_t kMost = 16;
    e = withoutCasts(e);
    if (!e || all.size() >= kMost) return;
    all.push_back(e);
    if (const auto *v = dyn<VarRef>(e)) {
      const Declare *d = source_.declared(v->name);
      if (d && d->extents.empty() && !source_.changes(v->name)) possible(d->init, all);
    } else if (const auto *choice = dyn<Conditional>(e)) {
      possible(choice->then, all);
      possible(choice->otherwise, all);
    } else if (const auto *c = dyn<Call>(e); c && (c->callee.starts_with("min_") || c->callee.starts_with("max_"))) {
      for (const Expr *argument : c->args) possible(argument, all);
    }
  }

  /// The least known distance from what `begin` may be to what `end` may be: 8 from i to min(i + 8, n).
  std::optional<double> apart(const Expr *begin, const Expr *end) {
    std::vector<const Expr *> begins, ends;
    possible(begin, begins);
    possible(end, ends);
    std::optional<double> result;
    for (const Expr *to : ends)
      if (const auto *sum = dyn<Binary>(to); sum && sum->op == BinaryOp::Add)
        for (const auto &[from, by] : {std::pair{sum->lhs, sum->rhs}, std::pair{sum->rhs, sum->lhs}}) {
          const std::optional<double> number = numbers_(by);
          if (number && std::any_of(begins.begin(), begins.end(),
                                    [&](const Expr *known) { return equal(known, withoutCasts(from)); }))
            result = std::min(result.value_or(HUGE_VAL), *number);
        }
    return result;
  }

  // ---- expressions ----

  /// How often what is computed from variables alone is: before the loops that do not change it, never where it is a
  /// constant of loops that are unrolled.
  double hoisted(const Expr *e, double times) {
    if (source_.reached(e).calls) return times;
    if (e->type.isInteger() && isUnrolled(e)) return 0;
    for (auto loop = loops_.rbegin(); loop != loops_.rend() && !dependsOn(e, loop->counter); ++loop)
      times /= std::max(1.0, loop->turns);
    return times;
  }

  /// The part of loads to an element that nothing waits for: all to a worker's own array that is there in the next turn
  /// of a loop, and all but the first of some that are kept in arrays one after the other without a branch.
  double underWay(const Expr *place) const {
    constexpr double kMost = 8;
    const auto *element = dyn<Subscript>(place);
    const auto *array = element ? dyn<VarRef>(element->base) : nullptr;
    const auto at = array ? index_.find(array->name) : index_.end();
    const bool own = at != index_.end() && !work_.accesses[at->second].parameter;
    if (!own && !(array && shared_.count(array->name))) return 0;
    if (own)
      for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop)
        if (!dependsOn(element->indices.back(), loop->counter)) {
          const bool outlives =
              loop->turns > 1 && !any<Declare>(loop->body, [&](const Declare &d) { return d.name == array->name; });
          if (outlives) return 1;
          break;
        }
    if (loops_.empty() || !loops_.back().writtenOut) return 0;
    return 1 - 1 / std::clamp(loops_.back().turns, 1.0, kMost);
  }

  void expression(const Expr *e, double times) {
    if (e && (isa<Binary>(e) || isa<Conditional>(e))) times = hoisted(e, times);
    if (!e || times == 0) return;
    switch (e->kind()) {
    case Kind::Subscript: return element(e, times, &AccessWork::loads);
    case Kind::Assign: {
      const auto *assign = as<Assign>(e);
      if (const auto *transfer = dyn<Transfer>(assign->value)) return this->transfer(*transfer, assign->target, times);
      if (assign->op == AssignOp::Set) ahead_ = underWay(assign->target);
      expression(assign->value, times);
      ahead_ = 0;
      if (assign->op != AssignOp::Set) {
        if (!isProduct(assign->value)) // else in one instruction with the sum
          operation(assign->op == AssignOp::Div || assign->op == AssignOp::Rem, *assign->target, assign->value, times);
        place(assign->target, times, &AccessWork::loads);
      }
      return place(assign->target, times, &AccessWork::stores);
    }
    case Kind::Atomic: {
      for (const Expr *operand : as<Atomic>(e)->operands) expression(operand, times);
      return place(as<Atomic>(e)->target, times, &AccessWork::atomics);
    }
    case Kind::MatrixMultiply: {
      const auto *product = as<MatrixMultiply>(e);
      for (const auto *operands : {&product->a, &product->b, &product->c})
        for (const Expr *operand : *operands) expression(operand, times);
      work_.matrixType = product->operand.scalar();
      work_.matrix += times * static_cast<double>(product->m * product->n * product->k) / hardware::MatrixShape::kLanes;
      return;
    }
    case Kind::Unary: {
      const auto *unary = as<Unary>(e);
      work_.operations += times;
      return expression(unary->operand, times);
    }
    case Kind::Binary: {
      const auto *binary = as<Binary>(e);
      const bool sums = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
      if (!sums || (!isProduct(binary->lhs) && !isProduct(binary->rhs)))
        operation(binary->op == BinaryOp::Div || binary->op == BinaryOp::Rem, *binary, binary->rhs, times);
      expression(binary->lhs, times);
      return expression(binary->rhs, times);
    }
    case Kind::Conditional: {
      const auto *choice = as<Conditional>(e);
      work_.operations += times;
      expression(choice->cond, times);
      expression(choice->then, times / 2);
      return expression(choice->otherwise, times / 2);
    }
    case Kind::Cast: return expression(as<Cast>(e)->operand, times);
    case Kind::Member: return expression(as<Member>(e)->base, times);
    case Kind::Call: return call(*as<Call>(e), times);
    case Kind::InitList:
      for (const Expr *value : as<InitList>(e)->values) expression(value, times);
      return;
    case Kind::Map: return site(e, as<Map>(e)->args, times);
    case Kind::SpectrumCall: return site(e, as<SpectrumCall>(e)->args, times);
    default: return; // literals, variables, sizes
    }
  }

  /// One instruction for all neighbours, for which no lane waits before the Await.
  void transfer(const Transfer &t, const Expr *target, double times) {
    const auto count = static_cast<double>(t.count);
    expression(t.cond, times);
    const double operations = work_.operations, shared = work_.shared;
    ahead_ = 1;
    together_ = count;
    element(t.source, times * count, &AccessWork::loads);
    together_ = 1;
    ahead_ = 0;
    const bool filling = std::exchange(filling_, true); // lanes wait at the Await
    place(target, times * count, &AccessWork::stores);
    filling_ = filling;
    work_.operations = operations + (work_.operations - operations) / count;
    work_.shared = shared + (work_.shared - shared) / count;
  }

  static bool isProduct(const Expr *e) {
    const auto *n = dyn<Binary>(withoutCasts(e));
    return n && n->op == BinaryOp::Mul && n->type.isFloating();
  }

  /// A division by a constant is a product.
  void operation(bool divides, const Expr &result, const Expr *by, double times) {
    if (divides && !isConstant(by)) {
      work_.divisions += times;
      return;
    }
    if (divides) times *= 2;
    work_.operations += times;
    if (result.type == Type(Scalar::F64)) work_.wide += times;
  }
  bool isConstant(const Expr *e) {
    e = withoutCasts(e);
    if (const auto *v = dyn<VarRef>(e)) {
      auto [known, fresh] = constants_.try_emplace(v->name, false);
      const Declare *d = source_.declared(v->name);
      if (!fresh || !d) return known->second;
      if (d->tunable) return known->second = true; // of the code that is made of it
      if (!d->init || source_.changes(v->name)) return false;
      return constants_[v->name] = isConstant(d->init);
    }
    if (const auto *n = dyn<Binary>(e)) return isConstant(n->lhs) && isConstant(n->rhs);
    if (const auto *n = dyn<Conditional>(e))
      return isConstant(n->cond) && isConstant(n->then) && isConstant(n->otherwise);
    return isa<IntLit>(e) || isa<FloatLit>(e) || isa<CoopDim>(e);
  }
  /// Whether it is a constant in each turn of loops that are unrolled.
  bool isUnrolled(const Expr *e) {
    const CodeletSource::Parts &parts = source_.parts(e);
    return !parts.lane && !parts.loads && std::all_of(parts.variables.begin(), parts.variables.end(), [&](auto *v) {
      if (isConstant(v)) return true;
      auto loop = std::find_if(loops_.begin(), loops_.end(), [&](const Loop &l) { return l.counter == v->name; });
      return loop != loops_.end() && loop->writtenOut;
    });
  }

  void site(const Expr *e, const std::vector<const Expr *> &arguments, double times) {
    work_.sites[e] += times;
    for (const Expr *argument : arguments)
      if (!argument->type.isArray() || isa<Map>(argument) || isa<SpectrumCall>(argument)) expression(argument, times);
  }

  void call(const Call &c, double times) {
    for (const Expr *argument : c.args) expression(argument, times);
    if (isMathFunction(c.callee)) {
      (isSquareRoot(c.callee)    ? work_.divisions
       : isInstruction(c.callee) ? work_.operations
                                 : work_.functions) += times;
      return;
    }
    // What functions that call others many times over do beyond that is not counted.
    if (calls_ == kCalls) return;
    ++calls_;
    const std::vector<const Expr *> before = std::exchange(atHand_, {}); // it has names of its own
    for (const Function *function : module_.functions)
      if (function->name == c.callee) statement(function->body, times);
    atHand_ = before;
    --calls_;
  }

  static bool isSquareRoot(std::string_view name) { return name == "sqrt" || name == "sqrtf"; }
  /// What machines have an instruction for.
  static bool isInstruction(std::string_view name) {
    static const std::set<std::string_view> names{"abs",   "llabs", "fabs",  "fmin", "fmax",    "fma",
                                                  "floor", "ceil",  "trunc", "rint", "copysign"};
    return isHalfConversion(name) || names.count(name) ||
           (name.ends_with('f') && names.count(name.substr(0, name.size() - 1)));
  }

  void place(const Expr *target, double times, double AccessWork::*what) {
    target = withoutCasts(target);
    const bool isElement = isa<Subscript>(target) || isa<Member>(target);
    if (isElement) element(target, times, what);
    if (what == &AccessWork::loads) return;
    // What was loaded may be another value from here on.
    const std::string *changed = isElement ? nullptr : container(target);
    std::erase_if(atHand_, [&](const Expr *e) { return !changed || mentions(e, *changed); });
    if (isElement && what == &AccessWork::stores) atHand_.push_back(target);
  }

  /// Whether an element was loaded or stored before, and is in a register.
  bool isAtHand(const Expr *e) {
    if (std::any_of(atHand_.begin(), atHand_.end(), [&](const Expr *known) { return equal(known, e); })) return true;
    atHand_.push_back(e);
    return false;
  }

  /// Sums and products of indices are counted on from turn to turn: what is left is one operation an access, divisions,
  /// bounds, and what is loaded.
  void index(const Expr *e, double times) {
    for (const Expr *inner = nullptr; (inner = unclamped(e)) != e; e = inner) work_.operations += 2 * times;
    walk(
        e,
        [&](const Subscript &s) {
          element(&s, times, &AccessWork::loads);
          return WalkResult::Skip;
        },
        [&](const Binary &n) {
          const bool divides = n.op == BinaryOp::Div || n.op == BinaryOp::Rem;
          if (divides && !isUnrolled(&n) && numbers_(n.rhs) != 1.0) operation(true, n, n.rhs, times);
        });
  }

  void element(const Expr *e, double times, double AccessWork::*what) {
    for (const Expr *at = e; at;) {
      if (const auto *s = dyn<Subscript>(at)) {
        for (const Expr *each : s->indices) index(each, times);
        at = s->base;
      } else if (const auto *m = dyn<Member>(at)) {
        at = m->base;
      } else {
        break;
      }
    }
    const std::string *name = container(e);
    if (!name || ranges_.count(*name) || ownRanges_.count(*name)) return;
    if (isRegister(*name, e)) {
      if (what == &AccessWork::stores) work_.registerStores += times;
      return;
    }
    if (what == &AccessWork::loads && isAtHand(e)) return;
    // Loaded before the loop, and what the loop accumulates is stored behind it.
    if (what != &AccessWork::atomics)
      for (auto loop = loops_.rbegin(); loop != loops_.rend() && !dependsOn(e, loop->counter); ++loop) {
        const bool sum = accumulates(loop->body, *name, e);
        if (!sum && (what == &AccessWork::stores || loop->stores)) break;
        times /= std::max(1.0, loop->turns);
      }
    auto array = shared_.find(*name);
    if (array != shared_.end() && what != &AccessWork::atomics) times *= transfers(e, array->second);
    work_.operations += times;
    if (array != shared_.end()) {
      (what == &AccessWork::atomics ? work_.sharedAtomics : work_.shared) += times;
      if (what != &AccessWork::loads && !filling_) work_.exchanges += times;
      if (source_.hasElementForEachLane(*name))
        (source_.isLane(as<Subscript>(withoutCasts(e))->indices[0]) ? work_.ownOfLane : work_.exchanged) += times;
      if (what != &AccessWork::atomics && liesApart(e)) work_.sharedApart += times;
    } else if (auto it = index_.find(*name); it != index_.end()) {
      AccessWork &access = work_.accesses[it->second];
      access.*what += times;
      if (what == &AccessWork::loads) {
        if (!foundByData(e)) {
          access.repeated += times - once(e, times, kHeldByRegisters);
          access.repeatedGathers += times - once(e, times, kHeldByVectors);
        }
        access.joined += times * (1 - 1 / together_);
        const auto *s = dyn<Subscript>(withoutCasts(e));
        if (s && unclamped(s->indices.back()) != s->indices.back()) access.bounded += times;
        access.ahead += (access.parameter ? std::max(ahead_, inBatches(*name, e)) : ahead_) * times;
      }
      if (what == &AccessWork::loads) refer(access, references_[it->second], e);
      touch(access, e);
      if (codelet_.coop && access.parameter)
        acrossLanes_[it->second][stepAcrossLanes(e, arguments_.at(*access.parameter))] += times;
      if (!access.parameter && byData(e)) access.pattern = {Stride::Irregular, Stride::Zero, true};
    }
  }

  /// Whether all that a loop changes in containers is what it accumulates in this element of one.
  bool accumulates(const Block *loop, const std::string &name, const Expr *place) const {
    const auto &written = loopOf(loop).written;
    return !shared_.count(name) && written.size() == 1 && written.begin()->first == name &&
           std::all_of(written.begin()->second.begin(), written.begin()->second.end(),
                       [&](const Expr *at) { return equal(at, place); }) &&
           !any<Assign>(loop, [&](const Assign &a) { return a.op == AssignOp::Set && equal(a.target, place); });
  }

  /// Whether data says which element it is.
  bool foundByData(const Expr *e) const {
    const auto *element = dyn<Subscript>(withoutCasts(e));
    return element && std::any_of(element->indices.begin(), element->indices.end(),
                                  [&](const Expr *index) { return isData(index); });
  }
  bool isData(const Expr *index) const {
    return loads(index) || any<VarRef>(index, [&](const VarRef &v) { return loaded_.count(v.name) != 0; });
  }

  /// How many of the loads are left where what all turns of a loop load, by short loops in it, is held: so many
  /// elements at most.
  double once(const Expr *e, double times, double most) {
    double elements = 1;
    for (auto loop = loops_.rbegin(); loop != loops_.rend() && !loop->stores; ++loop)
      if (dependsOn(e, loop->counter)) {
        elements *= std::max(1.0, loop->turns);
        if (!loop->fixed || elements > most) break;
      } else if (elements > 1) {
        times /= std::max(1.0, loop->turns);
      }
    return times;
  }

  /// Of scratchpad memory, for each element: several go together, and lanes with different ones share its width.
  double transfers(const Expr *place, std::uint64_t bytes) {
    constexpr double kWidth = 8; // bytes of a lane in the time that an access takes to start
    const double together = loadedTogether(place, bytes);
    const auto *s = dyn<Subscript>(withoutCasts(place));
    const bool same = s && steps_.acrossLanes(s->indices.back()) == 0.0;
    return (same ? 1 : std::max(1.0, together * static_cast<double>(bytes) / kWidth)) / together;
  }

  /// Whether neighbouring lanes are known to have elements that are neither the same nor beside each other.
  bool liesApart(const Expr *place) {
    const auto *s = dyn<Subscript>(withoutCasts(place));
    const std::optional<double> step = s ? steps_.acrossLanes(s->indices.back()) : std::nullopt;
    return step && std::abs(*step) > 1;
  }

  /// Elements that one instruction accesses: neighbours that an unrolled loop goes through.
  double loadedTogether(const Expr *place, std::uint64_t bytes) {
    constexpr double kBytes = 16;
    const auto *s = dyn<Subscript>(withoutCasts(place));
    if (!s || loops_.empty() || !loops_.back().byOne || !loops_.back().writtenOut) return 1;
    const IndexSteps::Run run = steps_.run(s->indices.back(), loops_.back().counter);
    if (!run.moves) return 1;
    return std::max(1.0, std::min({run.length, loops_.back().turns, kBytes / static_cast<double>(bytes)}));
  }

  /// How often neighbouring lanes are so many elements apart; nothing: that is not known.
  using AcrossLanes = std::map<std::optional<double>, double>;
  /// The greatest distance, but for that of few accesses; nothing where it is not known of more than few.
  static std::optional<double> farthest(const AcrossLanes &across) {
    constexpr double kFew = 0.1;
    double few = 0;
    for (const auto &[step, times] : across) few += kFew * times;
    const auto unknown = across.find(std::nullopt);
    if (unknown != across.end()) few -= unknown->second;
    for (auto known = across.rbegin(); few >= 0 && known != across.rend() && known->first; ++known)
      if (few -= known->second; few <= 0) return known->first;
    return {};
  }
  /// How many elements apart neighbouring lanes access a container of these extents; nothing where that is not known.
  std::optional<double> stepAcrossLanes(const Expr *place, const Extents &extents) {
    const auto *s = dyn<Subscript>(withoutCasts(place));
    std::optional<double> step;
    if (s && isa<VarRef>(s->base)) {
      step = 0;
      double inner = 1; // elements of what the dimension counts: itself, rows, planes
      for (std::size_t d = s->indices.size(); d-- > 0 && step;) {
        const std::optional<double> own = steps_.acrossLanes(s->indices[d]);
        step = own && (*own == 0 || inner > 0) ? std::optional(*step + *own * inner) : std::nullopt;
        inner *= d < extents.size() && extents[d] ? static_cast<double>(*extents[d]) : 0; // 0: not known
      }
    }
    return step ? std::optional(std::abs(*step) / together_) : std::nullopt; // a lane has these side by side
  }

  /// Whether it is an element of a small array of the codelet's own whose indices unrolled loops count.
  bool isRegister(const std::string &name, const Expr *e) {
    auto at = index_.find(name);
    if (at == index_.end() || work_.accesses[at->second].parameter || work_.accesses[at->second].elements > kSmall)
      return false;
    const auto *s = dyn<Subscript>(withoutCasts(e));
    return s && std::all_of(s->indices.begin(), s->indices.end(), [&](const Expr *index) { return isUnrolled(index); });
  }

  /// Whether the place depends on an element of a container.
  bool byData(const Expr *place) const {
    for (const Expr *at = withoutCasts(place); at;) {
      if (const auto *m = dyn<Member>(at)) {
        at = withoutCasts(m->base);
      } else if (const auto *s = dyn<Subscript>(at)) {
        for (const Expr *index : s->indices)
          if (isData(index)) return true;
        at = withoutCasts(s->base);
      } else {
        return false;
      }
    }
    return false;
  }

  const Module &module_;
  const Codelet &codelet_;
  const CodeletSource &source_;
  Numbers numbers_;
  std::vector<double> stageWeights_; // how often loops around turn in each of Numbers::stages()
  IndexSteps steps_;
  std::set<std::string> differing_; // arrays (findDifferingArrays)
  bool wide_ = false;               // there are small arrays of which that matters
  const std::vector<Extents> arguments_;
  std::uint64_t lanes_;
  double abreast_;
  struct Loop {
    std::string counter;
    double turns = 1;
    bool stores = false;
    const Block *body = nullptr;
    bool byOne = false; // is how its counter grows
    bool fixed = false; // its turns are the same in all calls
    bool writtenOut = false;
  };
  std::vector<Loop> loops_;                                              // around, the innermost last
  std::unordered_map<std::string, double> spans_;                        // of counters of the loops around
  std::unordered_map<std::string, std::optional<double>> variableSpans_; // of others, in these loops
  static constexpr unsigned kCalls = 8;                                  // within calls
  unsigned calls_ = 0;
  std::unordered_map<std::string, bool> constants_;     // variables that are
  std::vector<const Expr *> atHand_;                    // elements that registers hold
  std::unordered_set<std::string> loaded_;              // variables that begin as something loaded
  bool filling_ = false;                                // what lanes share, in a loop that was counted
  double together_ = 1;                                 // elements that one instruction loads
  double ahead_ = 0;                                    // part of what is loaded that nothing waits for
  std::unordered_map<std::string, std::size_t> ranges_; // parameters that are index ranges, by their place
  std::unordered_map<std::string, double> rangeSteps_;  // between neighbours of these
  std::unordered_set<std::string> ownRanges_;           // that the codelet makes
  std::unordered_map<std::string, std::size_t> index_;  // in work_.accesses, by name of a container, or of a part of it
  std::map<std::size_t, std::vector<References>> references_; // of each of work_.accesses
  std::unordered_map<std::string, std::uint64_t> shared_;     // bytes of an element
  std::map<std::size_t, AcrossLanes> acrossLanes_;            // of each of work_.accesses
  CodeletWork work_;
};

} // namespace

const CodeletWork &CodeletWorks::of(const Codelet &codelet, const std::vector<Extents> &arguments, const Scalars &known,
                                    std::uint64_t lanes, std::uint64_t abreast) {
  auto [it, fresh] = works_.try_emplace(std::tuple(&codelet, arguments, known, lanes, abreast));
  if (!fresh) return it->second;
  std::shared_ptr<const CodeletSource> &source = sources_[&codelet];
  if (!source) source = std::make_shared<CodeletSource>(codelet);
  return it->second = Counter(module_, codelet, facts_, arguments, known, lanes, abreast, source).take();
}

} // namespace tangram
