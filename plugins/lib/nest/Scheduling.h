// What isl's scheduler is asked about the loops of a schedule, and the loops that its answers are.
#pragma once

#include "tangram/nest/Schedule.h"

#include <isl/schedule.h>
#include <isl/schedule_node.h>

namespace tangram::nest {

/// Units that are carried out one after the other in each iteration: they share variables of it. Or else all that
/// stands in a loop, `body`, and is carried out as it is.
struct UnitGroup {
  std::vector<unsigned> units;
  std::vector<Schedule::Node> body;
  std::string tuple; // of isl
};

/// Groups of units by their iterations, and which of these have to wait for which.
struct Schedule::Problem {
  std::vector<UnitGroup> groups;
  isl::union_set domain;
  std::map<std::pair<std::size_t, std::size_t>, isl::map> order; // of two groups: { [loops] -> [loops] }

  isl::union_map validity(const isl::ctx &ctx) const;
};

/// How isl's scheduler goes about it, until the end of the scope.
class SchedulerOptions {
public:
  enum class Algorithm : std::uint8_t {
    Feautrier, // few serial loops; statements that depend on each other in both directions together, others apart
    Tilable,   // bands that may be tiled, for all statements together where that is possible
    Parallel   // parallel loops outside; statements that depend on each other in both directions together, others apart
  };
  SchedulerOptions(isl_ctx *ctx, Algorithm algorithm);
  ~SchedulerOptions();
  SchedulerOptions(const SchedulerOptions &) = delete;
  SchedulerOptions &operator=(const SchedulerOptions &) = delete;

private:
  void set(int algorithm, int serialize, int coincidence);
  isl_ctx *ctx_;
  int algorithm_, serialize_, coincidence_;
};

/// Makes nodes of isl's tree.
class ScheduleTree {
public:
  using Groups = std::vector<const UnitGroup *>;
  using When = std::map<unsigned, isl::pw_aff>; // of units
  /// Of loops that may change places, parallel ones are outside, and then the one that counts what `early` says.
  ScheduleTree(const Nest &nest, const std::deque<Schedule::Unit> &units, std::size_t top, When early = {})
      : nest_(nest), units_(units), top_(top), early_(std::move(early)) {}

  /// When each unit runs, by each member of the band that isl's tree begins with; nothing where that may not be tiled.
  std::vector<When> tilable(isl::schedule_node n, const Groups &groups) const;
  std::vector<Schedule::Node> nodes(const isl::schedule_node &n, const Groups &groups);

private:
  Schedule::Node made(Schedule::Node::Kind kind) const;
  std::vector<Schedule::Node> leaf(const Groups &groups) const;
  Groups inFilter(const isl::schedule_node &n, const Groups &groups) const;
  std::vector<Schedule::Node> band(const isl::schedule_node_band &n, const std::vector<unsigned> &members,
                                   std::size_t next, const Groups &groups);
  std::vector<unsigned> order(const isl::schedule_node_band &n, const Groups &groups) const;
  When whens(const isl::schedule_node_band &n, unsigned member, const Groups &groups) const;
  isl::pw_aff ofIterators(const isl::pw_aff &when, std::vector<unsigned> loops) const;

  const Nest &nest_;
  const std::deque<Schedule::Unit> &units_;
  std::size_t top_;
  When early_;
  unsigned loops_ = 0;
};

/// Whether iterations that a loop of the source takes one behind the other would be very far from each other.
bool hasLongStrides(const isl::schedule &schedule);
Refusal noSchedule(std::string message);

} // namespace tangram::nest
