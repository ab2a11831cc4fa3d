#include "tangram/nest/WrappedCounters.h"

#include "LinearForms.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Increments.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Tiling.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

const std::string kSelf = "self"; // the counter's value before a statement, as a term
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr Wide kMostTurns = Wide{1} << 56;
constexpr Wide kMostTotal = (Wide{1} << 63) - 1;
constexpr Wide kFewTurns = Wide{1} << 31; // where steps are large

/// What a statement does to a counter.
struct CounterStep {
  enum class Kind { Add, Wrap, Both } kind = Kind::Add;
  enum class Back { Once, Reset, Repeated, Remainder } back = Back::Once;
  int direction = 0;             // that it is brought back from: 1 above, -1 below, 0 at one value
  LinearForm by;                 // added, where it is not brought back
  LinearForm edge;               // brought back from here on
  LinearForm amount;             // added where it is brought back, or the value that it is set to; the divisor
  const Block *region = nullptr; // carried out where it is brought back
  struct Need {
    LinearNeed need;
    enum class Where { All, Same, Back } where = Where::All;
  };
  std::vector<Need> needs;
};

/// A counter: in its range, a distance from the end that it is brought back to.
struct WrappedCounter {
  std::string name;
  Type type;
  bool wraps = false;
  int direction = 1;
  LinearForm step;        // what is added each time, with its sign
  LinearForm least, size; // of the range
  bool units = false;     // it counts by steps from the least value, to which it is set back
  CounterStep::Back back = CounterStep::Back::Once;
  bool supposed = false;              // that the range is not empty, as each iteration divides by its size
  std::size_t driver = kNone;         // that it counts how often is brought back
  std::size_t added = 0, brought = 0; // the loop's statements in which that happens
  std::size_t late = kNone;           // in which it is added only, where both is taken for one
  bool early = false;                 // it begins one step in front of its range
  LinearForm first;                   // what it begins with; its own name where that is not known

  LinearForm last() const { return least + size - LinearForm::of(1); }
};

/// What a loop leaves in counters: all of a block that sets them.
struct CountersLeft {
  const For *loop = nullptr;
  std::vector<WrappedCounter> counters;
  std::optional<LinearForm> turns; // nothing: of one or more
};

/// A list of statements that is carried out whenever a counter is brought back, or in each iteration.
struct CountedRegion {
  Stmts stmts;
  std::size_t driver = kNone;
  std::size_t at = kNone;                // the loop's statement that it stands in
  std::size_t around = kNone, index = 0; // the region around, and its statement
};

bool changes(const Node *tree, const std::string &name) { return assignedVariables(tree).count(name) != 0; }

/// Reads statements as steps of one counter.
class CounterSteps {
public:
  CounterSteps(LinearForms &forms, const std::string &name, const Type &type)
      : forms_(forms), name_(name), type_(type) {}

  std::optional<CounterStep> of(const Stmt *s) {
    take(LinearForm::term(kSelf));
    if (const auto *e = dyn<Evaluate>(s)) return ofExpression(e->expr);
    if (const auto *c = dyn<If>(s)) return ofChoice(*c);
    if (const auto *w = dyn<While>(s)) return ofLoop(*w);
    return std::nullopt;
  }

private:
  using Where = CounterStep::Need::Where;
  using Needs = std::vector<LinearNeed>;
  /// Where it is brought back: at least, at most, or exactly at a value.
  struct Relation {
    BinaryOp op = BinaryOp::Eq;
    LinearForm edge;
  };

  void take(const LinearForm &value) { forms_.take({{name_, value}}); }

  static void add(CounterStep &step, const Needs &needs, Where where) {
    for (const LinearNeed &n : needs) step.needs.push_back({n, where});
  }

  /// A value as the counter's type holds it.
  std::optional<LinearForm> kept(std::optional<LinearForm> value, Needs &needs) const {
    if (!value) return value;
    const TypeLimits limits = TypeLimits::of(type_);
    for (const LinearForm &need : {*value - LinearForm::of(limits.least), LinearForm::of(limits.greatest) - *value})
      if (!forms_.holds(need)) needs.push_back({need, type_.bytes()});
    return value;
  }

  /// What an expression that sets the counter, and does nothing else, sets it to.
  std::optional<LinearForm> valueOf(const Expr *e, const LinearForm &now, Needs &needs) {
    const bool overflows = !type_.isSigned() || type_.bytes() < 4;
    const auto own = [&](const std::optional<LinearForm> &v) { return overflows ? kept(v, needs) : v; };
    if (const auto *u = dyn<Unary>(e)) {
      if (!isSelf(u->operand) || !changesOperand(u->op)) return std::nullopt;
      const bool up = u->op == UnaryOp::PreInc || u->op == UnaryOp::PostInc;
      return own(now + LinearForm::of(up ? 1 : -1));
    }
    const auto *a = dyn<Assign>(e);
    if (!a || !isSelf(a->target) || hasEffects(a->value)) return std::nullopt;
    if (a->op == AssignOp::Set) return forms_.form(a->value, &needs);
    if ((a->op != AssignOp::Add && a->op != AssignOp::Sub) || a->value->type != type_) return std::nullopt;
    const std::optional<LinearForm> by = forms_.form(a->value, &needs);
    return by ? own(a->op == AssignOp::Add ? now + *by : now - *by) : std::nullopt;
  }

  std::optional<CounterStep> ofExpression(const Expr *e) {
    CounterStep step;
    Needs needs;
    const auto *a = dyn<Assign>(e);
    if (a && isSelf(a->target) && !hasEffects(a->value)) {
      if (a->op == AssignOp::Set) {
        const Expr *value = a->value;
        while (const auto *c = dyn<Cast>(value)) {
          const Type &from = c->operand->type;
          if (!from.isInteger() || from.isBool() || c->type.isBool() || c->type.bytes() < type_.bytes())
            return std::nullopt;
          value = c->operand;
        }
        if (const auto *c = dyn<Conditional>(value)) {
          Needs first, second;
          return ofBranches(c->cond, kept(forms_.form(c->then, &first), first), first,
                            kept(forms_.form(c->otherwise, &second), second), second, nullptr, nullptr);
        }
        if (const auto *b = dyn<Binary>(value); b && (b->op == BinaryOp::Rem || b->op == BinaryOp::And))
          return ofRemainder(b->lhs, b->rhs, b->op == BinaryOp::And, b->type);
      }
      if ((a->op == AssignOp::Rem || a->op == AssignOp::And) && a->value->type == type_)
        return ofRemainder(a->target, a->value, a->op == AssignOp::And, type_);
    }
    const std::optional<LinearForm> value = valueOf(e, LinearForm::term(kSelf), needs);
    if (!value || value->factor(kSelf) != 1) return std::nullopt;
    step.by = value->without(kSelf);
    add(step, needs, Where::All);
    return step;
  }

  std::optional<CounterStep> ofRemainder(const Expr *of, const Expr *by, bool masked, const Type &type) {
    CounterStep step;
    Needs needs;
    const std::optional<LinearForm> value = forms_.form(of, &needs), divisor = forms_.form(by, &needs);
    if (!value || !divisor || value->factor(kSelf) != 1 || divisor->factor(kSelf) != 0 || !type.isInteger())
      return std::nullopt;
    step.amount = masked ? *divisor + LinearForm::of(1) : *divisor;
    const std::optional<Wide> bits = step.amount.value();
    if (masked && (!bits || *bits < 1 || (*bits & (*bits - 1)) != 0)) return std::nullopt;
    step.back = CounterStep::Back::Remainder;
    step.by = value->without(kSelf);
    step.kind = step.by == LinearForm{} ? CounterStep::Kind::Wrap : CounterStep::Kind::Both;
    step.direction = 1;
    needs.push_back({*value, 0});
    // The remainder, which is converted to the counter's type.
    kept(step.amount - LinearForm::of(1), needs);
    add(step, needs, Where::All);
    return step;
  }

  std::optional<CounterStep> ofChoice(const If &c) {
    Needs first, second;
    const auto then = straight(c.then, first);
    const auto otherwise = c.otherwise ? straight(c.otherwise, second) : LinearForm::term(kSelf);
    take(LinearForm::term(kSelf));
    return ofBranches(c.cond, then, first, otherwise, second, c.then, c.otherwise);
  }

  std::optional<CounterStep> ofLoop(const While &loop) {
    Needs needs, inside;
    const auto next = straight(loop.body, inside);
    take(LinearForm::term(kSelf));
    const std::optional<Relation> relation = next ? relationOf(loop.cond, needs) : std::nullopt;
    if (!relation || next->factor(kSelf) != 1 || jumps(loop.body)) return std::nullopt;
    if (relation->op != BinaryOp::Ge && relation->op != BinaryOp::Le) return std::nullopt;
    CounterStep step;
    step.kind = CounterStep::Kind::Wrap;
    step.back = CounterStep::Back::Repeated;
    step.direction = relation->op == BinaryOp::Ge ? 1 : -1;
    step.edge = relation->edge;
    step.amount = next->without(kSelf);
    step.region = loop.body;
    add(step, needs, Where::All);
    add(step, inside, Where::Back);
    return step;
  }

  /// Of two values, one where a condition holds.
  std::optional<CounterStep> ofBranches(const Expr *cond, std::optional<LinearForm> then, const Needs &thenNeeds,
                                        std::optional<LinearForm> otherwise, const Needs &otherwiseNeeds,
                                        const Block *thenBlock, const Block *otherwiseBlock) {
    CounterStep step;
    Needs needs;
    std::optional<Relation> relation = then && otherwise ? relationOf(cond, needs) : std::nullopt;
    if (!relation) return std::nullopt;
    // That the counter is brought back in the first branch, by the condition as it is.
    bool first = true;
    const bool sets = then->factor(kSelf) == 0, other = otherwise->factor(kSelf) == 0;
    if (sets == other) {
      if (sets || then->factor(kSelf) != 1 || otherwise->factor(kSelf) != 1) return std::nullopt;
      const bool above = relation->op == BinaryOp::Ge;
      const LinearForm thenBy = then->without(kSelf), otherwiseBy = otherwise->without(kSelf), none;
      if (relation->op == BinaryOp::Eq || relation->op == BinaryOp::Ne)
        first = relation->op == BinaryOp::Eq;
      else if (thenBy == none || otherwiseBy == none)
        first = otherwiseBy == none;
      else {
        const std::optional<Wide> upper = (above ? thenBy : otherwiseBy).value(),
                                  lower = (above ? otherwiseBy : thenBy).value();
        const bool up = lower ? *lower > 0 : !upper || *upper > 0; // counts up, and is brought back from above
        first = up == above;
      }
    } else {
      first = sets;
    }
    if (!first) {
      std::swap(then, otherwise);
      const LinearForm one = LinearForm::of(1);
      switch (relation->op) {
      case BinaryOp::Ge: *relation = {BinaryOp::Le, relation->edge - one}; break;
      case BinaryOp::Le: *relation = {BinaryOp::Ge, relation->edge + one}; break;
      default: relation->op = relation->op == BinaryOp::Eq ? BinaryOp::Ne : BinaryOp::Eq;
      }
    }
    if (relation->op == BinaryOp::Ne || otherwise->factor(kSelf) != 1 || then->factor(kSelf) > 1 ||
        then->factor(kSelf) < 0)
      return std::nullopt;
    step.by = otherwise->without(kSelf);
    step.kind = step.by == LinearForm{} ? CounterStep::Kind::Wrap : CounterStep::Kind::Both;
    step.direction = relation->op == BinaryOp::Eq ? 0 : relation->op == BinaryOp::Ge ? 1 : -1;
    step.edge = relation->edge;
    const bool reset = then->factor(kSelf) == 0;
    step.back = reset ? CounterStep::Back::Reset : CounterStep::Back::Once;
    step.amount = then->without(kSelf);
    step.region = first ? thenBlock : otherwiseBlock;
    if (step.region && jumps(step.region)) return std::nullopt;
    add(step, needs, Where::All);
    add(step, first ? thenNeeds : otherwiseNeeds, Where::Back);
    add(step, first ? otherwiseNeeds : thenNeeds, Where::Same);
    return step;
  }

  /// What the counter is behind statements that change it one after the other.
  std::optional<LinearForm> straight(const Block *block, Needs &needs) {
    LinearForm now = LinearForm::term(kSelf);
    for (const Stmt *s : block->stmts) {
      if (!changes(s, name_)) continue;
      const auto *e = dyn<Evaluate>(s);
      take(now);
      const std::optional<LinearForm> next = e ? valueOf(e->expr, now, needs) : std::nullopt;
      if (!next) return std::nullopt;
      now = *next;
    }
    return now;
  }

  std::optional<Relation> relationOf(const Expr *cond, Needs &needs) {
    bool negated = false;
    for (const auto *n = dyn<Unary>(cond); n && n->op == UnaryOp::Not; n = dyn<Unary>(cond))
      cond = n->operand, negated = !negated;
    const auto *b = dyn<Binary>(cond);
    std::optional<LinearForm> left, right;
    BinaryOp op = BinaryOp::Ne;
    if (b && isComparison(b->op)) {
      op = b->op;
      left = forms_.form(b->lhs, &needs), right = forms_.form(b->rhs, &needs);
    } else if (const auto *c = dyn<Cast>(cond); c && c->type.isBool()) {
      left = forms_.form(c->operand, &needs), right = LinearForm{};
    }
    if (!left || !right) return std::nullopt;
    LinearForm apart = *left - *right;
    if (apart.factor(kSelf) == -1) apart = apart * -1, op = mirrored(op);
    if (apart.factor(kSelf) != 1) return std::nullopt;
    const LinearForm edge = apart.without(kSelf) * -1, one = LinearForm::of(1);
    Relation result;
    switch (op) {
    case BinaryOp::Ge: result = {BinaryOp::Ge, edge}; break;
    case BinaryOp::Gt: result = {BinaryOp::Ge, edge + one}; break;
    case BinaryOp::Le: result = {BinaryOp::Le, edge}; break;
    case BinaryOp::Lt: result = {BinaryOp::Le, edge - one}; break;
    default: result = {op, edge};
    }
    if (!negated) return result;
    switch (result.op) {
    case BinaryOp::Ge: return Relation{BinaryOp::Le, result.edge - one};
    case BinaryOp::Le: return Relation{BinaryOp::Ge, result.edge + one};
    default: return Relation{result.op == BinaryOp::Eq ? BinaryOp::Ne : BinaryOp::Eq, result.edge};
    }
  }

  bool isSelf(const Expr *e) const {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == name_;
  }
  static bool jumps(const Block *block) {
    return contains<Break>(block) || contains<Continue>(block) || contains<Return>(block);
  }

  LinearForms &forms_;
  const std::string &name_;
  const Type &type_;
};

/// The counters of one loop.
class CountersOfLoop {
public:
  CountersOfLoop(LinearForms &forms, const For &loop, const std::map<std::string, Type> &types,
                 const std::map<const Stmt *, CountersLeft> &left, const std::set<std::string> &banned)
      : forms_(forms), loop_(loop), types_(types), left_(left), banned_(banned) {
    regions_.push_back({loop.body->stmts, kNone, kNone, kNone, 0});
  }

  /// What each begins with, and all that other statements of the codelet set it to where it may be that.
  struct Begin {
    LinearForm first;
    bool known = false;
    std::optional<std::vector<LinearForm>> elsewhere; // nothing: also something unknown
    std::vector<const WrappedCounter *> likewise;     // other loops leave values of these in it
  };
  /// How often the loop turns, at most, and as a form where that is known.
  struct Turns {
    Wide most = kMostTurns;
    std::optional<LinearForm> length;
    Wide step = 1;
  };

  std::vector<WrappedCounter> find(const std::map<std::string, Begin> &begins, Turns turns) {
    turns_ = std::move(turns);
    for (bool more = true; more;) {
      more = false;
      for (const auto &[name, begin] : begins) {
        if (banned_.count(name) || numberOf(name) != kNone) continue;
        const LinearForms::Mark mark = forms_.mark();
        const Turns before = turns_;
        if (recognize(name, begin))
          more = true;
        else
          forms_.undo(mark), turns_ = before;
      }
    }
    return counters_;
  }

  /// The first of these counters in whose statements a variable of around the loop is changed that is none.
  std::optional<std::string> unclear() const {
    for (const WrappedCounter &c : counters_) {
      if (!c.wraps) continue;
      const Stmt *s = loop_.body->stmts[c.brought];
      std::set<std::string> changed = assignedVariables(s);
      for (const std::string &own : declaredIn({s})) changed.erase(own);
      for (const std::string &name : changed)
        if (numberOf(name) == kNone) return c.name;
    }
    return std::nullopt;
  }

private:
  /// Of a statement that adds and one that brings back. Late: what is brought back is so before it is added to, and
  /// both are taken for one step.
  enum class Order { Together, Directly, Apart, Late };

  struct Found {
    std::size_t region = 0, index = 0, at = 0;
    std::optional<CounterStep> step;
    std::optional<WrappedCounter> ready;
  };

  std::size_t numberOf(const std::string &name) const {
    for (std::size_t i = 0; i < counters_.size(); ++i)
      if (counters_[i].name == name) return i;
    return kNone;
  }

  /// Whether a statement changes a variable only in the block that it carries out where a counter is brought back.
  bool onlyWithin(const Stmt *s, const std::string &name) const {
    const auto found = owned_.find(s);
    if (found == owned_.end()) return false;
    if (const auto *loop = dyn<While>(s)) return !changes(loop->cond, name);
    const auto *choice = as<If>(s);
    const Block *other = choice->then == found->second ? choice->otherwise : choice->then;
    return !changes(choice->cond, name) && !(other && changes(other, name));
  }

  std::optional<WrappedCounter> leftIn(const Stmt *s, const std::string &name, std::size_t at) const {
    const CountersLeft &left = left_.at(s);
    for (const WrappedCounter &c : left.counters) {
      if (c.name != name) continue;
      WrappedCounter result = c;
      result.added = result.brought = at;
      result.late = kNone;
      result.back = CounterStep::Back::Repeated;
      if (c.units || !forms_.standsStill(c.step) || !forms_.standsStill(c.least) || !forms_.standsStill(c.size))
        return std::nullopt;
      if (c.driver != kNone) {
        result.driver = numberOf(left.counters[c.driver].name);
        if (result.driver == kNone || counters_[result.driver].brought != at) return std::nullopt;
        return result;
      }
      if (!left.turns || !forms_.standsStill(*left.turns)) return std::nullopt;
      const std::optional<Wide> by = c.step.value(), times = left.turns->value();
      const Wide number = by ? *by : times.value_or(kMostTurns);
      if (number > 2 * kFewTurns || number < -2 * kFewTurns) return std::nullopt;
      result.step = by ? *left.turns * *by : c.step * *times;
      return result;
    }
    return std::nullopt;
  }

  bool recognize(const std::string &name, const Begin &begin) {
    const Type &type = types_.at(name);
    std::vector<Found> found;
    for (std::size_t r = 0; r < regions_.size(); ++r)
      for (std::size_t i = 0; i < regions_[r].stmts.size(); ++i) {
        const Stmt *s = regions_[r].stmts[i];
        if (!changes(s, name)) continue;
        if (owned_.count(s)) {
          if (!onlyWithin(s, name)) return false;
          continue;
        }
        Found f{r, i, r == 0 ? i : regions_[r].at, {}, {}};
        if (left_.count(s)) {
          if (r == 0) f.ready = leftIn(s, name, i);
          if (!f.ready) return false;
        } else {
          f.step = CounterSteps(forms_, name, type).of(s);
          forms_.take({});
          if (!f.step) return false;
        }
        if (found.size() == 2) return false;
        found.push_back(std::move(f));
      }
    if (found.empty()) return false;
    WrappedCounter counter;
    if (found.size() == 1 && found[0].ready) {
      counter = *found[0].ready;
      counter.first = begin.first;
      if (counter.wraps && !(begins(counter, begin) && addsUp(counter))) return false;
      counters_.push_back(std::move(counter));
      return true;
    }
    if (std::any_of(found.begin(), found.end(), [](const Found &f) { return f.ready.has_value(); })) return false;
    counter.name = name;
    counter.type = type;
    counter.first = begin.first;
    using Kind = CounterStep::Kind;
    const Found *adds = nullptr, *wraps = nullptr;
    for (const Found &f : found) {
      if (f.step->kind != Kind::Wrap && std::exchange(adds, &f)) return false;
      if (f.step->kind != Kind::Add && std::exchange(wraps, &f)) return false;
    }
    if (!adds) return false;
    counter.step = adds->step->by;
    counter.driver = regions_[adds->region].driver;
    counter.added = counter.brought = adds->at;
    if (!wraps) {
      if (!isLinear(counter, *adds->step)) return false;
      counters_.push_back(std::move(counter));
      return true;
    }
    counter.brought = wraps->at;
    Order order = Order::Together;
    if (adds != wraps && !follows(*adds, *wraps, order)) return false;
    const WrappedCounter plain = counter;
    const LinearForms::Mark mark = forms_.mark();
    if (!isInRange(counter, *adds->step, *wraps->step, order, begin)) {
      if (order != Order::Apart || adds->region != 0 || wraps->region != 0 || adds->index < wraps->index) return false;
      forms_.undo(mark);
      counter = plain;
      counter.added = counter.brought;
      counter.late = adds->at;
      if (!isInRange(counter, *adds->step, *wraps->step, Order::Late, begin)) return false;
    }
    if (!addsUp(counter)) return false;
    if (const Block *region = wraps->step->region) {
      const Stmt *s = regions_[wraps->region].stmts[wraps->index];
      owned_[s] = region;
      regions_.push_back({region->stmts, counters_.size(), wraps->at, wraps->region, wraps->index});
    }
    counters_.push_back(std::move(counter));
    return true;
  }

  /// Whether each addition is followed by a statement that brings back, before the next one.
  bool follows(const Found &adds, const Found &wraps, Order &order) const {
    order = adds.region == wraps.region && adds.index < wraps.index ? Order::Directly : Order::Apart;
    if (adds.region == wraps.region) return order == Order::Directly || adds.region == 0;
    std::size_t region = adds.region, index = adds.index;
    const bool often =
        wraps.step->back == CounterStep::Back::Repeated || wraps.step->back == CounterStep::Back::Remainder;
    while (region != wraps.region) {
      if (region == 0) return false;
      const WrappedCounter &driver = counters_[regions_[region].driver];
      const bool once = driver.back != CounterStep::Back::Repeated && driver.back != CounterStep::Back::Remainder;
      if (!once && !often) return false;
      index = regions_[region].index;
      region = regions_[region].around;
    }
    return index < wraps.index || region == 0;
  }

  /// Additions are modulo what the type holds.
  bool isLinear(const WrappedCounter &counter, const CounterStep &step) {
    return std::all_of(step.needs.begin(), step.needs.end(), [&](const CounterStep::Need &n) {
      if (n.need.form.factor(kSelf) == 0) return forms_.require(n.need.form);
      return n.need.bytes >= counter.type.bytes();
    });
  }

  bool isInRange(WrappedCounter &c, const CounterStep &add, const CounterStep &wrap, Order order, const Begin &begin) {
    using Back = CounterStep::Back;
    const bool late = order == Order::Late, both = order == Order::Together || late;
    if (late && wrap.back != Back::Once && wrap.back != Back::Reset) return false;
    const LinearForm amount = late ? wrap.amount + c.step : wrap.amount;
    const LinearForm one = LinearForm::of(1), none;
    c.wraps = true;
    c.back = wrap.back;
    c.direction = wrap.direction;
    const std::optional<Wide> number = c.step.value();
    const bool meets = c.direction == 0; // one value
    if (meets) {
      if (!number || *number == 0) return false;
      c.direction = *number > 0 ? 1 : -1;
    }
    const LinearForm beyond = both ? c.step : none; // the edge, behind the addition
    if (c.back == Back::Remainder) {
      c.size = wrap.amount;
      if (both) { // n - 1 more is 1 less
        const std::optional<Wide> less = (c.step - c.size).value();
        if (!number && less && *less < 0) {
          c.direction = -1;
          c.step = LinearForm::of(*less);
        }
      }
      const std::optional<TypeLimits> limits = forms_.limits(c.size);
      if (!forms_.require(c.size - one)) {
        if (!limits || limits->least < 0) return false;
        forms_.suppose(c.size - one);
        c.supposed = true;
      }
    } else if (c.direction > 0) {
      const LinearForm end = wrap.edge + beyond;
      c.size = c.back == Back::Reset ? end - amount : beyond - amount;
      c.least = end - c.size;
    } else {
      c.least = wrap.edge + one + beyond;
      c.size = c.back == Back::Reset ? amount + one - c.least : amount - beyond;
    }
    c.units = c.back == Back::Reset && c.direction > 0 && number != Wide{1};
    if (c.back == Back::Reset && c.direction < 0 && number != Wide{-1}) return false;
    if (meets && number != Wide{c.direction}) { // or is passed by
      const LinearForm begun = c.direction > 0 ? begin.first - c.least : c.last() - begin.first;
      const std::optional<Wide> size = c.size.value(), first = begun.value();
      if (!begin.known || !size || !first || *size % *number != 0 || *first % *number != 0) return false;
    }
    const LinearForm far = c.direction > 0 ? c.step : c.step * -1;
    if (!forms_.require(c.size - one) || !forms_.require(c.units ? far - one : far)) return false;
    if (c.back == Back::Once && !forms_.require(c.size - far)) return false;
    if (!begins(c, begin)) return false;
    // Values in front of each statement.
    const bool up = c.direction > 0;
    const LinearForm least = c.early && up ? c.least - far : c.least, last = c.early && !up ? c.last() + far : c.last();
    struct Values {
      LinearForm least, last;
    };
    const auto ofWrap = [&](CounterStep::Need::Where where) -> Values {
      using Where = CounterStep::Need::Where;
      if (both && (where == Where::All || c.back == Back::Remainder)) return {least, last};
      const LinearForm end = c.last() + one; // behind the range
      if (where == Where::Back) {
        const LinearForm most = both ? none : far;
        return up ? Values{end - far + most, end - one + most} : Values{c.least - most, c.least - one + far - most};
      }
      if (both) return up ? Values{least, last - far} : Values{least + far, last};
      const LinearForm by = order == Order::Directly ? far : none;
      const bool repeated = c.back == Back::Repeated || c.back == Back::Remainder;
      const bool all = where == Where::All;
      return up ? Values{repeated ? c.least : least + by, all ? end - one + far : end - one}
                : Values{all ? c.least - far : c.least, repeated ? c.last() : last - by};
    };
    const auto holds = [&](const CounterStep &step, const auto &values) {
      return std::all_of(step.needs.begin(), step.needs.end(), [&](const CounterStep::Need &n) {
        const Wide factor = n.need.form.factor(kSelf);
        const Values v = values(n.where);
        return forms_.require(n.need.form.without(kSelf) + (factor > 0 ? v.least : v.last) * factor);
      });
    };
    const LinearForm before = late ? c.step : none;
    if (order != Order::Together && !holds(add, [&](auto) { return Values{least - before, last - before}; }))
      return false;
    return holds(wrap, ofWrap);
  }

  /// Whether the counter is in its range in front of the loop.
  bool begins(WrappedCounter &c, const Begin &begin) {
    const auto within = [&](const LinearForm &value) {
      if (c.units) return value == c.least;
      return forms_.require(value - c.least) && forms_.require(c.last() - value);
    };
    const LinearForm begun = c.direction > 0 ? begin.first - c.least : c.last() - begin.first;
    const LinearForm far = c.direction > 0 ? c.step : c.step * -1;
    c.early = begin.known && c.driver == kNone && c.late == kNone && c.added <= c.brought && !c.units &&
              begun + far == LinearForm{} && !(far == LinearForm{});
    if (c.early) return true;
    if (begin.known) return within(begin.first);
    // The loop may have run before, with the same range, and others with it: they leave values that are brought back.
    const auto leaves = [](const WrappedCounter &of) { return of.wraps && !of.units && of.added <= of.brought; };
    const auto alike = [&](const WrappedCounter *other) {
      return leaves(*other) && other->least == c.least && other->size == c.size;
    };
    return begin.elsewhere && leaves(c) && forms_.isGiven(c.least) && forms_.isGiven(c.size) &&
           std::all_of(begin.elsewhere->begin(), begin.elsewhere->end(), within) &&
           std::all_of(begin.likewise.begin(), begin.likewise.end(), alike);
  }

  /// Whether all that it has been moved by is a number of 63 bits.
  bool addsUp(WrappedCounter &c) {
    const LinearForm begun = c.direction > 0 ? c.first - c.least : c.last() - c.first;
    std::optional<TypeLimits> first = c.units ? TypeLimits{} : forms_.limits(begun), size = forms_.limits(c.size);
    std::optional<TypeLimits> by = c.units ? TypeLimits{1, 1} : forms_.limits(c.step);
    if (!size || !by || c.size.value().value_or(0) > kMostTotal) return false;
    const Wide begins = std::max<Wide>(0, first ? std::min(first->greatest, size->greatest) : size->greatest);
    Wide step = c.direction > 0 ? by->greatest : -by->least;
    const auto fits = [&] {
      const Wide times = c.driver == kNone ? turns_.most : totals_[counters_[c.driver].name];
      Wide total = 0;
      if (__builtin_mul_overflow(times, step, &total) || total > kMostTotal - begins) return false;
      totals_[c.name] = total + begins;
      return true;
    };
    if (begins > kMostTotal) return false;
    if (fits()) return true;
    if (c.driver != kNone || !turns_.length) return false;
    const Wide few = begins == 0 ? kFewTurns : kFewTurns / 2;
    const LinearForm far = c.direction > 0 ? c.step : c.step * -1;
    if (step > 2 * kFewTurns) {
      if (!forms_.require(LinearForm::of(2 * kFewTurns - 1) - far)) return false;
      step = 2 * kFewTurns - 1;
    }
    if (turns_.most > few) {
      if (!forms_.require(LinearForm::of(few * turns_.step) - *turns_.length)) return false;
      turns_.most = few;
    }
    return fits();
  }

  LinearForms &forms_;
  const For &loop_;
  const std::map<std::string, Type> &types_;
  const std::map<const Stmt *, CountersLeft> &left_;
  const std::set<std::string> &banned_;
  std::vector<CountedRegion> regions_;
  std::map<const Stmt *, const Block *> owned_; // the block of what is carried out where a counter is brought back
  std::vector<WrappedCounter> counters_;
  std::map<std::string, Wide> totals_;
  Turns turns_;
};

/// Counters as functions of how often a loop has turned.
class ClosedForms {
public:
  ClosedForms(const LinearForms &forms, const std::vector<WrappedCounter> &counters, Arena &arena, Type wide)
      : forms_(forms), counters_(counters), build_(arena), wide_(std::move(wide)) {}

  static constexpr int kUnknown = -2;

  /// Additions, and such that have been brought back, in front of a statement: of as many iterations more than have
  /// been finished.
  int added(const WrappedCounter &c, std::size_t at) const {
    return c.driver == kNone ? at > c.added : brought(counters_[c.driver], at);
  }
  int brought(const WrappedCounter &c, std::size_t at) const {
    if (at > c.brought) return added(c, c.brought + 1);
    return c.added <= c.brought ? added(c, 0) : kUnknown;
  }
  bool isKnown(const WrappedCounter &c, std::size_t at) const {
    const int least = std::min(added(c, at), c.wraps ? brought(c, at) : added(c, at));
    for (const WrappedCounter *d = &c; d; d = driverOf(*d))
      if ((d->early && least < 1) || (d == &c && d->late != kNone && at > d->brought && at <= d->late)) return false;
    return least != kUnknown;
  }
  /// The counter that it counts how often is brought back.
  const WrappedCounter *driverOf(const WrappedCounter &c) const {
    return c.driver == kNone ? nullptr : &counters_[c.driver];
  }

  /// The value where `turns` iterations, and so many more, have been finished.
  const Expr *value(const WrappedCounter &c, const Expr *turns, int added, int brought) const {
    if (!c.wraps) {
      const Type type = typeOf(c, turns);
      const Expr *by = build_.mul(events(c, turns, added, type), forms_.expression(c.step, type));
      const Expr *result = c.first.value() == Wide{0} ? by : build_.add(forms_.expression(c.first, type), by);
      // Signed integers that are not converted do not overflow.
      const bool fits = c.type.isSigned() && c.type.bytes() >= 4;
      return fits ? build_.exactCast(c.type, result) : build_.cast(c.type, result);
    }
    const Expr *distance = build_.rem(total(c, turns, brought), size(c));
    if (c.units) distance = build_.mul(distance, forms_.expression(c.step, wide_));
    const Expr *result = c.direction < 0              ? build_.sub(forms_.expression(c.last(), wide_), distance)
                         : c.least.value() == Wide{0} ? distance
                                                      : build_.add(forms_.expression(c.least, wide_), distance);
    if (added != brought) {
      const Expr *step = forms_.expression(c.step, wide_);
      const Expr *more =
          c.driver == kNone ? nullptr : build_.sub(events(c, turns, added, wide_), events(c, turns, brought, wide_));
      result = build_.add(result, more ? build_.mul(more, step) : step);
    }
    return build_.exactCast(c.type, result);
  }

private:
  /// A number of 63 bits, which none below zero is.
  const Expr *counted(const Type &type, const Expr *number) const {
    return type.bytes() == 8 ? build_.exactCast(type, number) : build_.cast(type, number);
  }
  /// How often it is added to.
  const Expr *events(const WrappedCounter &c, const Expr *turns, int more, const Type &type) const {
    if (c.driver != kNone) return counted(type, wraps(counters_[c.driver], turns, more));
    const Expr *k = counted(type, turns);
    return more < 0 ? build_.sub(k, build_.integer(type, -more)) : build_.add(k, build_.integer(type, more));
  }
  const Expr *total(const WrappedCounter &c, const Expr *turns, int more) const {
    if (c.units) return events(c, turns, more, wide_);
    const LinearForm begun = c.direction > 0 ? c.first - c.least : c.last() - c.first;
    const LinearForm step = c.direction > 0 ? c.step : c.step * -1;
    const Expr *by = nullptr;
    LinearForm before = begun;
    if (c.driver == kNone) { // constants together
      by = counted(wide_, turns);
      if (step.value() || more == 0)
        before = begun + step * more;
      else
        by = events(c, turns, more, wide_);
    } else {
      by = events(c, turns, more, wide_);
    }
    by = build_.mul(by, forms_.expression(step, wide_));
    if (before == LinearForm{}) return by;
    const std::optional<Wide> number = before.value();
    if (number && *number < 0) return build_.sub(by, build_.integer(wide_, static_cast<Int>(-*number)));
    return number ? build_.add(by, forms_.expression(before, wide_)) : build_.add(forms_.expression(before, wide_), by);
  }
  const Expr *size(const WrappedCounter &c) const {
    if (!c.units) return forms_.expression(c.size, wide_);
    return build_.div(forms_.expression(c.size + c.step - LinearForm::of(1), wide_), forms_.expression(c.step, wide_));
  }
  const Expr *wraps(const WrappedCounter &c, const Expr *turns, int more) const {
    return build_.div(total(c, turns, more), size(c));
  }
  /// In which nothing leaves the type that does not do so in the source.
  Type typeOf(const WrappedCounter &c, const Expr *turns) const {
    if (c.type.bytes() < 4) return c.type.isSigned() ? Scalar::I64 : Scalar::U64;
    if (!c.type.isSigned() || c.type.bytes() == 8) return c.type;
    const Type &counts = c.driver == kNone ? turns->type : wide_;
    const std::optional<TypeLimits> by = forms_.limits(c.step);
    const bool rises =
        by && by->least >= 0 && by->greatest <= TypeLimits::of(c.type).greatest && c.first.value().value_or(-1) >= 0;
    return counts == c.type && (rises || c.step.value() == Wide{1}) ? c.type : Type(Scalar::I64);
  }

  const LinearForms &forms_;
  const std::vector<WrappedCounter> &counters_;
  Build build_;
  Type wide_;
};

class Wrapping final : public Mutator {
public:
  Wrapping(const Spectrum &spectrum, const Codelet &codelet, Arena &arena)
      : Mutator(arena), codelet_(codelet), forms_(spectrum, codelet, arena),
        assigned_(assignedVariables(codelet.body)) {
    names_.reserveAll(&codelet);
    std::map<std::string, unsigned> declared;
    walk(codelet.body, [&](const Declare &d) { ++declared[d.name]; });
    walk(codelet.body, [&](const Declare &d) {
      if (d.type.isScalar() && d.type.isInteger() && !d.type.isBool() && d.extents.empty() && !d.shared && !d.tunable &&
          declared[d.name] == 1)
        types_[d.name] = d.type;
    });
    walk(codelet.body, [&](const Unary &u) {
      const VarRef *v = u.op == UnaryOp::AddressOf ? rootVariable(u.operand) : nullptr;
      if (v) types_.erase(v->name);
    });
  }

  const Codelet *made() {
    const auto *body = as<Block>(mutate(codelet_.body));
    if (done_.empty()) return nullptr;
    return arena().derive(&codelet_, [&](Codelet &c) {
      c.body = withoutUnused(body);
      const std::vector<const Expr *> conditions = forms_.conditions();
      c.conditions.insert(c.conditions.end(), conditions.begin(), conditions.end());
    });
  }

private:
  struct Done {
    const For *loop = nullptr; // of the codelet
    std::vector<WrappedCounter> counters;
  };

  const Node *mutateFor(const For *loop) override {
    return inside([&] { return Mutator::mutateFor(loop); });
  }
  const Node *mutateWhile(const While *loop) override {
    return inside([&] { return Mutator::mutateWhile(loop); });
  }
  const Node *mutateDoWhile(const DoWhile *loop) override {
    return inside([&] { return Mutator::mutateDoWhile(loop); });
  }
  template <class Mutate> const Node *inside(Mutate &&mutate) {
    ++depth_;
    const Node *const result = mutate();
    --depth_;
    return result;
  }

  const Node *mutateBlock(const Block *block) override {
    Stmts stmts;
    for (std::size_t i = 0; i < block->stmts.size(); ++i) {
      blocks_.emplace_back(block, i);
      const auto *s = as<Stmt>(mutate(block->stmts[i]));
      const auto *loop = dyn<For>(s);
      if (!loop || !replace(*as<For>(block->stmts[i]), *loop, stmts)) stmts.push_back(s);
      blocks_.pop_back();
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  /// Puts a loop without its counters behind `stmts`; false where it has none. `original`: as the codelet has it.
  bool replace(const For &original, const For &loop, Stmts &stmts) {
    std::string why;
    const std::optional<CountedLoop> counted = countedLoop(&loop, arena(), why);
    const std::optional<Int> step = counted ? literal(counted->step) : std::nullopt;
    const auto *first = counted ? as<Declare>(loop.init)->init : nullptr;
    const Stmts &body = loop.body->stmts;
    if (!step || std::any_of(body.begin(), body.end(), jumpsOut)) return false;
    std::set<std::string> changing = assignedVariables(loop.body), inside = declaredIn(body);
    std::map<std::string, CountersOfLoop::Begin> begins;
    for (const std::string &name : changing)
      if (types_.count(name) && !inside.count(name)) begins[name] = beginOf(name, original, stmts);
    changing.insert(inside.begin(), inside.end());
    changing.insert(counted->iterator);
    if (begins.empty()) return false;

    const LinearForms::Mark mark = forms_.mark();
    std::set<std::string> banned;
    std::vector<WrappedCounter> counters;
    CountersOfLoop::Turns turns;
    for (bool again = true; again;) {
      forms_.undo(mark);
      forms_.within(changing);
      if (!forms_.term(first)) return false;
      turns = turnsOf(loop, *counted, *step);
      CountersOfLoop found(forms_, loop, types_, left_, banned);
      counters = found.find(begins, turns);
      const std::optional<std::string> unclear = found.unclear();
      again = unclear.has_value();
      if (unclear) banned.insert(*unclear);
      for (const WrappedCounter &c : counters)
        if (!again && !c.wraps && c.driver == kNone && !isRead(c, body)) again = banned.insert(c.name).second;
    }
    if (counters.empty() || !rewrite(original, loop, *counted, *step, counters, turns, stmts)) {
      forms_.undo(mark);
      return false;
    }
    done_.push_back({&original, counters});
    return true;
  }

  /// Whether other statements of the loop read it; what they do not may be a sum.
  static bool isRead(const WrappedCounter &c, const Stmts &body) {
    for (std::size_t i = 0; i < body.size(); ++i)
      if (i != c.added && mentions(body[i], c.name)) return true;
    return false;
  }

  CountersOfLoop::Turns turnsOf(const For &loop, const CountedLoop &counted, Int step) {
    CountersOfLoop::Turns turns;
    turns.step = step > 0 ? step : -step;
    if (counted.type.bytes() <= 4) turns.most = Wide{1} << 32;
    const auto *cond = as<Binary>(loop.cond);
    const bool left = mentions(cond->lhs, counted.iterator);
    const BinaryOp op = left ? cond->op : mirrored(cond->op);
    const std::optional<LinearForm> begin = forms_.form(as<Declare>(loop.init)->init),
                                    end = forms_.form(left ? cond->rhs : cond->lhs);
    if (!begin || !end) return turns;
    turns.length = step > 0 ? *end - *begin : *begin - *end;
    if (op == BinaryOp::Le || op == BinaryOp::Ge) turns.length = *turns.length + LinearForm::of(1);
    return turns;
  }

  /// `original`: a loop of the codelet. `before`: what stands in front of it in its block.
  CountersOfLoop::Begin beginOf(const std::string &name, const For &original, const Stmts &before) {
    CountersOfLoop::Begin begin;
    const Build build(arena());
    forms_.within({});
    begin.first = *forms_.term(build.var(name, types_.at(name)));
    forms_.within(assigned_);
    for (auto s = before.rbegin(); s != before.rend(); ++s) {
      const auto *d = dyn<Declare>(*s);
      const bool declares = d && d->name == name;
      if (!declares && !changes(*s, name)) continue;
      const Expr *value = declares ? d->init : setTo(*s, name);
      const std::optional<LinearForm> form = value && !hasEffects(value) ? forms_.form(value) : std::nullopt;
      if (form) begin.first = *form, begin.known = true;
      break;
    }
    if (begin.known) return begin;
    // What all others set it to.
    begin.elsewhere.emplace();
    const auto add = [&](const Expr *value) {
      const std::optional<LinearForm> form = value && !hasEffects(value) ? forms_.form(value) : std::nullopt;
      if (!form)
        begin.elsewhere.reset();
      else if (begin.elsewhere)
        begin.elsewhere->push_back(*form);
    };
    walk(codelet_.body, [&](const Node &n) {
      if (&n == &original) return WalkResult::Skip;
      if (const auto *loop = dyn<For>(&n))
        for (const Done &done : done_)
          for (const WrappedCounter &c : done.counters)
            if (done.loop == loop && c.name == name) {
              begin.likewise.push_back(&c);
              return WalkResult::Skip;
            }
      const auto *d = dyn<Declare>(&n);
      if (d && d->name == name) add(d->init);
      const auto *s = dyn<Evaluate>(&n);
      if (s && changes(s, name)) add(setTo(s, name));
      const auto *e = dyn<Expr>(&n);
      if (e && !s && changes(e, name)) { // in statements of another kind
        const auto *a = dyn<Assign>(e);
        const auto *v = a ? dyn<VarRef>(a->target) : nullptr;
        if (!a || a->op != AssignOp::Set || !v || v->name != name) begin.elsewhere.reset();
      }
      return WalkResult::Advance;
    });
    return begin;
  }

  /// The value of `name = value;`; null: it is something else.
  static const Expr *setTo(const Stmt *s, const std::string &name) {
    const auto *e = dyn<Evaluate>(s);
    const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
    const auto *v = a && a->op == AssignOp::Set ? dyn<VarRef>(a->target) : nullptr;
    return v && v->name == name ? a->value : nullptr;
  }

  /// Nothing but changes of these counters.
  static bool isOfCounters(const Stmt *s, const std::vector<WrappedCounter> &counters) {
    if (const auto *b = dyn<Block>(s))
      return std::all_of(b->stmts.begin(), b->stmts.end(), [&](const Stmt *in) { return isOfCounters(in, counters); });
    if (const auto *c = dyn<If>(s))
      return !hasEffects(c->cond) && isOfCounters(c->then, counters) &&
             (!c->otherwise || isOfCounters(c->otherwise, counters));
    if (const auto *w = dyn<While>(s)) return !hasEffects(w->cond) && isOfCounters(w->body, counters);
    const auto *e = dyn<Evaluate>(s);
    const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
    const auto *u = e ? dyn<Unary>(e->expr) : nullptr;
    const auto *v = dyn<VarRef>(a ? a->target : u ? u->operand : nullptr);
    return v && (a ? !hasEffects(a->value) : changesOperand(u->op)) &&
           std::any_of(counters.begin(), counters.end(), [&](const WrappedCounter &c) { return c.name == v->name; });
  }

  bool rewrite(const For &original, const For &loop, const CountedLoop &counted, Int step,
               std::vector<WrappedCounter> &counters, const CountersOfLoop::Turns &turns, Stmts &stmts) {
    const Build build(arena(), loop.range);
    // The number of the iteration.
    const Expr *i = build.var(counted.iterator, counted.type), *first = as<Declare>(loop.init)->init;
    const bool plain = step == 1 && isLiteral(first, 0);
    const Expr *number = i;
    if (!plain) {
      const Type type = counted.type == Type(Scalar::U64) ? Scalar::U64 : Scalar::I64;
      const Expr *here = build.cast(type, i), *begin = build.cast(type, first);
      number = build.div(step > 0 ? build.sub(here, begin) : build.sub(begin, here),
                         build.integer(type, step > 0 ? step : -step));
    }
    const ClosedForms closed(forms_, counters, arena(), wideOf(counters, counted.type, plain));
    Stmts body;
    std::map<std::tuple<std::string, int, int>, std::string> named;
    const Stmts &old = loop.body->stmts;
    for (std::size_t p = 0; p < old.size(); ++p) {
      const bool steps = std::any_of(counters.begin(), counters.end(), [&](const WrappedCounter &c) {
        return c.added == p || c.brought == p || c.late == p;
      });
      if (steps && isOfCounters(old[p], counters)) continue;
      std::map<std::string, std::string> renamed;
      for (const WrappedCounter &c : counters) {
        if (!mentions(old[p], c.name)) continue;
        if (!closed.isKnown(c, p)) return false;
        const int added = closed.added(c, p), brought = c.wraps ? closed.brought(c, p) : added;
        const auto declare = [&] {
          const std::string name = names_.fresh(c.name);
          body.push_back(build.declare(name, c.type, closed.value(c, number, added, brought), !steps));
          return name;
        };
        if (steps) { // goes on from there, within the statement
          renamed[c.name] = declare();
          continue;
        }
        auto &name = named[{c.name, added, brought}];
        if (name.empty()) name = declare();
        renamed[c.name] = name;
      }
      body.push_back(renamed.empty() ? old[p] : as<Stmt>(renameVariables(arena(), old[p], renamed)));
    }
    const auto *made =
        arena().derive(&loop, [&](For &f) { f.body = arena().derive(loop.body, [&](Block &b) { b.stmts = body; }); });
    stmts.push_back(made);
    leave(original, *made, counted, plain, counters, turns, closed, old.size(), stmts);
    return true;
  }

  /// What the loop leaves in counters that somebody reads behind it. `behind`: all statements of its body.
  void leave(const For &original, const For &made, const CountedLoop &counted, bool plain,
             const std::vector<WrappedCounter> &counters, const CountersOfLoop::Turns &turns, const ClosedForms &closed,
             std::size_t behind, Stmts &stmts) {
    const Build build(arena(), made.range);
    std::vector<const WrappedCounter *> left;
    for (const WrappedCounter &c : counters)
      if (isReadBehind(c, original, made)) left.push_back(&c);
    if (left.empty()) return;
    CountersLeft all{&original, {}, {}};
    const Expr *count = nullptr;
    const Type wide = counted.type == Type(Scalar::U64) ? Scalar::U64 : Scalar::I64;
    if (turns.length && turns.step == 1 &&
        (forms_.holds(*turns.length) || (depth_ > 0 && forms_.require(*turns.length)))) {
      all.turns = turns.length;
      const Expr *end = forms_.single(*turns.length);
      count = plain && end ? end : forms_.expression(*turns.length, wide);
    } else {
      const std::string name = names_.fresh("turns");
      stmts.push_back(build.declare(name, counted.turns->type, counted.turns));
      count = build.var(name, counted.turns->type);
    }
    // Also where there is no iteration.
    bool always = std::none_of(counters.begin(), counters.end(), [](const WrappedCounter &c) { return c.supposed; });
    Stmts sets;
    for (auto c = left.rbegin(); c != left.rend(); ++c) { // what drives others behind these
      const int added = closed.added(**c, behind) - 1, brought = (*c)->wraps ? closed.brought(**c, behind) - 1 : added;
      always &= added == 0 && brought == 0;
      for (const WrappedCounter *d = *c; d; d = closed.driverOf(*d)) always &= !d->early;
      sets.push_back(build.assign(build.var((*c)->name, (*c)->type), closed.value(**c, count, added, brought)));
    }
    if (!always) {
      stmts.push_back(build.when(build.binary(BinaryOp::Gt, count, build.integer(count->type, 0)), std::move(sets)));
    } else if (depth_ > 0) {
      all.counters = counters;
      stmts.push_back(build.block(std::move(sets)));
      left_[stmts.back()] = std::move(all);
    } else {
      stmts.insert(stmts.end(), sets.begin(), sets.end());
    }
  }

  /// Whether a counter is read behind the loop that the last of `blocks_` is at.
  bool isReadBehind(const WrappedCounter &c, const For &original, const For &made) const {
    for (auto around = blocks_.rbegin(); around != blocks_.rend(); ++around) {
      const auto &[block, at] = *around;
      for (std::size_t i = at + 1; i < block->stmts.size(); ++i) {
        if (!mentions(block->stmts[i], c.name)) continue;
        const Expr *value = setTo(block->stmts[i], c.name);
        return !value || mentions(value, c.name);
      }
      if (depth_ > 0) break; // what stands in front comes again
    }
    if (depth_ == 0) return false;
    if (mentions(&made, c.name)) return true;
    std::size_t reads = 0;
    walk(codelet_.body, [&](const Node &n) {
      if (&n == &original) return WalkResult::Skip;
      const auto *v = dyn<VarRef>(&n);
      reads += v && v->name == c.name;
      const auto *e = dyn<Evaluate>(&n);
      if (e && setTo(e, c.name)) --reads;
      return WalkResult::Advance;
    });
    return reads > 0;
  }

  /// The type that distances are computed in: that of the iterator where they are its values.
  Type wideOf(const std::vector<WrappedCounter> &counters, const Type &iterator, bool plain) const {
    bool large = iterator == Type(Scalar::U64), same = plain && iterator.bytes() >= 4;
    for (const WrappedCounter &c : counters) {
      for (const LinearForm *f : {&c.size, &c.step, &c.first, &c.least}) large |= forms_.hasUnsigned64(*f);
      if (!c.wraps) continue;
      const LinearForm begun = c.direction > 0 ? c.first - c.least : c.last() - c.first;
      const std::optional<TypeLimits> size = forms_.limits(c.size);
      same &= !c.units && c.step == LinearForm::of(c.direction) && begun == LinearForm{} && c.least == LinearForm{} &&
              (c.size.value() || forms_.single(c.size)) && size && size->greatest <= TypeLimits::of(iterator).greatest;
    }
    return same ? iterator : large ? Type(Scalar::U64) : Type(Scalar::I64);
  }

  /// Without counters that nobody reads any more, and with what loops leave as plain statements.
  const Block *withoutUnused(const Block *body) {
    std::map<std::string, std::size_t> reads;
    walk(body, [&](const VarRef &v) { ++reads[v.name]; });
    walk(body, [&](const Evaluate &e) {
      const auto *a = dyn<Assign>(e.expr);
      const auto *v = a && a->op == AssignOp::Set && !hasEffects(a->value) ? dyn<VarRef>(a->target) : nullptr;
      if (v) --reads[v->name];
    });
    std::set<std::string> unused;
    for (const Done &done : done_)
      for (const WrappedCounter &c : done.counters)
        if (reads[c.name] == 0) unused.insert(c.name);
    return as<Block>(Cleaning(arena(), unused, left_).mutate(body));
  }

  class Cleaning final : public Mutator {
  public:
    Cleaning(Arena &arena, const std::set<std::string> &unused, const std::map<const Stmt *, CountersLeft> &left)
        : Mutator(arena), unused_(unused), left_(left) {}

  private:
    const Node *mutateBlock(const Block *block) override {
      Stmts stmts;
      const auto add = [&](const Stmt *s) {
        const auto *d = dyn<Declare>(s);
        const auto *e = dyn<Evaluate>(s);
        const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
        const auto *v = dyn<VarRef>(a ? a->target : nullptr);
        const bool drops = (d && unused_.count(d->name) && !(d->init && hasEffects(d->init))) ||
                           (v && unused_.count(v->name) && !hasEffects(a->value));
        if (!drops) stmts.push_back(as<Stmt>(mutate(s)));
      };
      for (const Stmt *s : block->stmts)
        if (left_.count(s))
          for (const Stmt *in : as<Block>(s)->stmts) add(in);
        else
          add(s);
      return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
    }

    const std::set<std::string> &unused_;
    const std::map<const Stmt *, CountersLeft> &left_;
  };

  const Codelet &codelet_;
  LinearForms forms_;
  std::set<std::string> assigned_;
  std::map<std::string, Type> types_; // of scalars that are declared in one place
  std::map<const Stmt *, CountersLeft> left_;
  std::vector<Done> done_;
  Names names_;
  std::vector<std::pair<const Block *, std::size_t>>
      blocks_;         // around, as the codelet has them, and statements of these
  unsigned depth_ = 0; // loops around
};

} // namespace

const Codelet *withWrappedCounters(const Spectrum &spectrum, const Codelet *codelet, Arena &arena) {
  if (const Codelet *made = Wrapping(spectrum, *withIncrementsApart(codelet, arena), arena).made()) return made;
  return codelet;
}

} // namespace tangram::nest
