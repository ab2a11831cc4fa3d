#include "CountersOfLoop.h"

#include "tangram/ast/Effects.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

constexpr Wide kMostTotal = (Wide{1} << 63) - 1;
constexpr Wide kFewTurns = Wide{1} << 31; // where steps are large

/// A list of statements that is carried out whenever a counter is brought back, or in each iteration.
struct CountedRegion {
  Stmts stmts;
  std::size_t driver = kNone;
  std::size_t at = kNone;                // the loop's statement that it stands in
  std::size_t around = kNone, index = 0; // the region around, and its statement
};

/// Whether it is in its range then, however far outside it was.
bool bringsAllBack(CounterStep::Back back) {
  return back == CounterStep::Back::Repeated || back == CounterStep::Back::Remainder;
}

std::size_t numberIn(const std::vector<WrappedCounter> &counters, const std::string &name) {
  const auto found = std::find_if(counters.begin(), counters.end(), [&](const auto &c) { return c.name == name; });
  return found == counters.end() ? kNone : static_cast<std::size_t>(found - counters.begin());
}

/// The counters of one loop.
class CountersOfLoop {
public:
  CountersOfLoop(LinearForms &forms, const For &loop, const CountedTurns &turns,
                 const std::map<const Stmt *, CountersLeft> &left)
      : forms_(forms), left_(left), turns_(turns) {
    regions_.push_back({loop.body->stmts, kNone, kNone, kNone, 0});
  }

  std::vector<WrappedCounter> find(const std::map<std::string, CounterBegin> &begins) {
    for (bool more = true; more;) {
      more = false;
      for (const auto &[name, begin] : begins) {
        if (numberOf(name) != kNone) continue;
        const LinearForms::Mark mark = forms_.mark();
        const CountedTurns before = turns_;
        if (recognize(name, begin))
          more = true;
        else
          forms_.undo(mark), turns_ = before;
      }
    }
    return counters_;
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

  std::size_t numberOf(const std::string &name) const { return numberIn(counters_, name); }

  /// Whether a statement changes a variable only in the block that it carries out where a counter is brought back.
  bool onlyWithin(const Stmt *s, const std::string &name) const {
    const auto found = owned_.find(s);
    if (found == owned_.end()) return false;
    if (const auto *loop = dyn<While>(s)) return !changesVariable(loop->cond, name);
    const auto *choice = as<If>(s);
    const Block *other = choice->then == found->second ? choice->otherwise : choice->then;
    return !changesVariable(choice->cond, name) && !(other && changesVariable(other, name));
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
      const Wide number = by ? *by : times.value_or(CountedTurns::kMost);
      if (number > 2 * kFewTurns || number < -2 * kFewTurns) return std::nullopt;
      result.step = by ? *left.turns * *by : c.step * *times;
      return result;
    }
    return std::nullopt;
  }

  bool recognize(const std::string &name, const CounterBegin &begin) {
    std::vector<Found> found;
    for (std::size_t r = 0; r < regions_.size(); ++r)
      for (std::size_t i = 0; i < regions_[r].stmts.size(); ++i) {
        const Stmt *s = regions_[r].stmts[i];
        if (!changesVariable(s, name)) continue;
        if (owned_.count(s)) {
          if (!onlyWithin(s, name)) return false;
          continue;
        }
        Found f{r, i, r == 0 ? i : regions_[r].at, {}, {}};
        if (left_.count(s)) {
          if (r == 0) f.ready = leftIn(s, name, i);
          if (!f.ready) return false;
        } else {
          f.step = counterStep(s, name, begin.type, forms_);
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
    counter.type = begin.type;
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
    const bool often = bringsAllBack(wraps.step->back);
    while (region != wraps.region) {
      if (region == 0) return false;
      const WrappedCounter &driver = counters_[regions_[region].driver];
      if (bringsAllBack(driver.back) && !often) return false;
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

  bool isInRange(WrappedCounter &c, const CounterStep &add, const CounterStep &wrap, Order order,
                 const CounterBegin &begin) {
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
      const std::optional<Wide> size = c.size.value(), first = c.begun().value();
      if (!begin.known || !size || !first || *size % *number != 0 || *first % *number != 0) return false;
    }
    const LinearForm far = c.far();
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
      const bool repeated = bringsAllBack(c.back), all = where == Where::All;
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
  bool begins(WrappedCounter &c, const CounterBegin &begin) {
    const auto within = [&](const LinearForm &value) {
      if (c.units) return value == c.least;
      return forms_.require(value - c.least) && forms_.require(c.last() - value);
    };
    const LinearForm far = c.far();
    c.early = begin.known && c.driver == kNone && c.late == kNone && c.added <= c.brought && !c.units &&
              c.begun() + far == LinearForm{} && !(far == LinearForm{});
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
    const std::optional<TypeLimits> first = c.units ? TypeLimits{} : forms_.limits(c.begun()),
                                    size = forms_.limits(c.size);
    const std::optional<TypeLimits> by = c.units ? TypeLimits{1, 1} : forms_.limits(c.step);
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
    if (step > 2 * kFewTurns) {
      if (!forms_.require(LinearForm::of(2 * kFewTurns - 1) - c.far())) return false;
      step = 2 * kFewTurns - 1;
    }
    if (turns_.most > few) {
      if (!forms_.require(LinearForm::of(few * turns_.step) - *turns_.length)) return false;
      turns_.most = few;
    }
    return fits();
  }

  LinearForms &forms_;
  const std::map<const Stmt *, CountersLeft> &left_;
  std::vector<CountedRegion> regions_;
  std::map<const Stmt *, const Block *> owned_; // the block of what is carried out where a counter is brought back
  std::vector<WrappedCounter> counters_;
  std::map<std::string, Wide> totals_;
  CountedTurns turns_;
};

} // namespace

std::vector<WrappedCounter> countersOf(const For &loop, const std::map<std::string, CounterBegin> &begins,
                                       const CountedTurns &turns, const std::map<const Stmt *, CountersLeft> &left,
                                       LinearForms &forms) {
  return CountersOfLoop(forms, loop, turns, left).find(begins);
}

std::optional<std::string> unclearCounter(const std::vector<WrappedCounter> &counters, const For &loop) {
  for (const WrappedCounter &c : counters) {
    if (!c.wraps) continue;
    const Stmt *s = loop.body->stmts[c.brought];
    std::set<std::string> changed = assignedVariables(s);
    for (const std::string &own : declaredIn({s})) changed.erase(own);
    for (const std::string &name : changed)
      if (numberIn(counters, name) == kNone) return c.name;
  }
  return std::nullopt;
}

} // namespace tangram::nest
