// Which variables of around a loop are counters of it that wrap around, and what has to hold for them to be.
#pragma once

#include "CounterSteps.h"
#include "LinearForms.h"

#include "tangram/ast/Node.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::nest {

constexpr std::size_t kNone = static_cast<std::size_t>(-1); // no counter, no statement

/// A counter: in its range, a distance from the end that it is brought back to.
struct WrappedCounter {
  std::string name;
  ast::Type type;
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
  /// The step, and the distance that it begins with, in its direction.
  LinearForm far() const { return direction > 0 ? step : step * -1; }
  LinearForm begun() const { return direction > 0 ? first - least : last() - first; }
};

/// What a loop leaves in counters: all of a block that sets them.
struct CountersLeft {
  std::vector<WrappedCounter> counters;
  std::optional<LinearForm> turns; // nothing: of one or more
};

/// What a variable begins with, and all that other statements of the codelet set it to where it may be that.
struct CounterBegin {
  ast::Type type;
  LinearForm first;
  bool known = false;
  std::optional<std::vector<LinearForm>> elsewhere{}; // nothing: also something unknown
  std::vector<const WrappedCounter *> likewise{};     // other loops leave values of these in it
};

/// How often a loop turns, at most, and as a form where that is known.
struct CountedTurns {
  static constexpr Wide kMost = Wide{1} << 56;
  Wide most = kMost;
  std::optional<LinearForm> length{};
  Wide step = 1;
};

/// The counters among these variables of around a loop, each behind the one that drives it. What has to hold is
/// required of `forms`, within which the loop's variables change. `left`: blocks of the loop that set counters to what
/// inner loops leave.
std::vector<WrappedCounter> countersOf(const ast::For &loop, const std::map<std::string, CounterBegin> &begins,
                                       const CountedTurns &turns, const std::map<const ast::Stmt *, CountersLeft> &left,
                                       LinearForms &forms);

/// The first counter in whose statements a variable of around the loop is changed that is none.
std::optional<std::string> unclearCounter(const std::vector<WrappedCounter> &counters, const ast::For &loop);

} // namespace tangram::nest
