// An outermost loop in blocks of its iterations: what a block needs of itself, and what it does beyond itself, apart.
#include "Scheduling.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tangram::nest {

namespace {

using ScheduleNode = Schedule::Node;
using When = std::map<unsigned, isl::pw_aff>; // by unit

/// One way to do it.
struct Blocks {
  std::deque<Schedule::Unit> units;
  std::vector<unsigned> from;      // the unit that each is a part of
  std::vector<ScheduleNode> nodes; // of one block
  When number;                     // of the block
  unsigned serial = 0;             // loops of units that are not parallel, and longer than a block
};

class Blocking {
public:
  Blocking(const Nest &nest, const Schedule::Problem &problem, const std::deque<Schedule::Unit> &units,
           const isl::set &assumed, std::int64_t size, std::size_t top)
      : nest_(nest), problem_(problem), units_(units), assumed_(assumed), size_(size), top_(top),
        all_(isl::set::universe(isl::space::unit(nest.isl.get()))), id_(nest.isl.get(), "number of the block"),
        number_(all_.param_pw_aff_on_domain(id_)), begin_(number_.scale(isl::val(nest.isl.get(), size))),
        end_(begin_.add_constant(isl::val(nest.isl.get(), size))) {}

  /// Blocks of as many neighbours among the numbers that `when` says; nothing where parallel loops are not what is left
  /// of the deepest ones then.
  std::optional<Blocks> by(const When &when) {
    Blocks result;
    result.units = units_;
    result.from.resize(units_.size());
    std::iota(result.from.begin(), result.from.end(), 0U);
    std::vector<Part> parts;
    std::vector<UnitGroup> groups;
    for (std::size_t g = 0; g < problem_.groups.size(); ++g)
      if (!split(g, when, result, parts, groups)) return std::nullopt;
    isl::union_set domain = isl::union_set::empty(nest_.isl.get());
    for (const Part &p : parts) domain = domain.unite(p.points.to_union_set());
    isl::union_map order = isl::union_map::empty(nest_.isl.get());
    for (const Part &p : parts)
      for (const Part &q : parts) {
        const auto dependent = problem_.order.find({p.group, q.group});
        if (dependent == problem_.order.end()) continue;
        isl::map here = isl::manage(
            isl_map_set_tuple_name(isl_map_set_tuple_name(dependent->second.copy(), isl_dim_in, p.tuple.c_str()),
                                   isl_dim_out, q.tuple.c_str()));
        here = here.intersect_domain(p.points).intersect_range(q.points);
        if (!here.is_empty()) order = order.unite(here.coalesce().to_union_map());
      }
    const SchedulerOptions options(nest_.isl.get().get(), SchedulerOptions::Algorithm::Parallel);
    ScheduleTree::Groups all;
    for (const UnitGroup &g : groups) all.push_back(&g);
    const isl::schedule schedule =
        isl::schedule_constraints::on_domain(domain).set_validity(order).set_coincidence(order).compute_schedule();
    result.nodes = ScheduleTree(nest_, result.units, top_).nodes(schedule.root(), all);
    std::size_t deepest = 0;
    for (const auto &[u, number] : result.number) deepest = std::max(deepest, result.units[u].loops.size());
    bool parallel = false;
    for (ScheduleNode &n : result.nodes) finish(n, result, deepest, false, parallel);
    if (!parallel) return std::nullopt;
    return result;
  }

private:
  /// Some iterations of a group of units.
  struct Part {
    std::size_t group = 0;
    std::string tuple;
    isl::set points; // { tuple[loops...] }
  };

  /// Iterators that in a block are those of the block and either before or behind it tell parts of a group.
  bool split(std::size_t group, const When &when, Blocks &result, std::vector<Part> &parts,
             std::vector<UnitGroup> &groups) const {
    const UnitGroup &whole = problem_.groups[group];
    const auto number = when.find(whole.units.front());
    if (number == when.end()) return false;
    const std::vector<unsigned> &loops = units_[whole.units.front()].loops;
    isl::set domain = units_[whole.units.front()].domain;
    for (const unsigned u : whole.units) domain = domain.unite(units_[u].domain);
    domain = domain.intersect(assumed_);
    std::vector<isl::set> places{number->second.ge_set(begin_).intersect(number->second.lt_set(end_))};
    for (const unsigned l : loops) {
      const isl::pw_aff x = all_.param_pw_aff_on_domain(isl::id(nest_.isl.get(), nest_.loops[l].id));
      std::vector<isl::set> choices;
      for (const isl::set &c : {x.lt_set(begin_), x.ge_set(begin_).intersect(x.lt_set(end_)), x.ge_set(end_)})
        if (!domain.intersect(places.front()).intersect(c).is_empty() || // most often
            std::any_of(places.begin(), places.end(),
                        [&](const isl::set &p) { return !domain.intersect(p).intersect(c).is_empty(); }))
          choices.push_back(c);
      if (choices.size() != 2) continue;
      std::vector<isl::set> finer;
      for (const isl::set &p : places)
        for (const isl::set &c : choices)
          if (isl::set both = p.intersect(c); !domain.intersect(both).is_empty()) finer.push_back(both);
      places = std::move(finer);
    }
    for (std::size_t p = 0; p < places.size(); ++p) {
      UnitGroup part;
      part.tuple = fmt::format("{}P{}", whole.tuple, p);
      isl::set points;
      for (const unsigned u : whole.units) {
        unsigned own = u;
        if (p > 0) {
          own = static_cast<unsigned>(result.units.size());
          result.units.push_back(units_[u]);
          result.from.push_back(u);
        }
        Schedule::Unit &unit = result.units[own];
        const isl::pw_aff block = when.at(u).scale_down(isl::val(nest_.isl.get(), size_)).floor();
        const isl::set place = withoutBlock(places[p], block);
        result.number.emplace(own, block);
        unit.domain = unit.domain.intersect(place);
        for (Access &a : unit.accesses) a.elements = a.elements.intersect_params(place);
        part.units.push_back(own);
        const isl::set here = nest_.points(units_[u].domain.intersect(assumed_).intersect(places[p]), loops);
        points = points.is_null() ? here : points.unite(here);
      }
      points = isl::manage(isl_set_set_tuple_name(points.coalesce().release(), part.tuple.c_str()));
      parts.push_back({group, part.tuple, points});
      groups.push_back(std::move(part));
    }
    return true;
  }

  /// With the number of the block in place of what stands for it.
  isl::set withoutBlock(const isl::set &set, const isl::pw_aff &block) const {
    return projected(set.intersect(number_.eq_set(block)));
  }
  isl::pw_aff withoutBlock(const isl::pw_aff &value, const isl::pw_aff &block) const {
    if (!value.involves_param(id_)) return value;
    return isl::manage(isl_set_dim_max(projected(value.as_set().intersect_params(number_.eq_set(block))).release(), 0));
  }
  isl::set projected(isl::set set) const {
    const int at = isl_set_find_dim_by_id(set.get(), isl_dim_param, id_.get());
    return at < 0 ? set : isl::manage(isl_set_project_out(set.release(), isl_dim_param, static_cast<unsigned>(at), 1));
  }

  void finish(ScheduleNode &n, Blocks &result, std::size_t deepest, bool inLoop, bool &parallel) const {
    if (n.kind == ScheduleNode::Kind::Loop) {
      for (auto &[u, when] : n.when) {
        const bool isLong = !bounded(when.sub(begin_), result.units[u], result.number.at(u));
        result.serial += isLong && !n.parallel;
        parallel |= isLong && n.parallel && !inLoop && result.units[u].loops.size() == deepest;
        when = withoutBlock(when, result.number.at(u));
      }
      inLoop = true;
    }
    for (ScheduleNode &c : n.children) finish(c, result, deepest, inLoop, parallel);
  }

  /// Whether it is one of the block's own numbers, counted from its first.
  bool bounded(const isl::pw_aff &value, const Schedule::Unit &unit, const isl::pw_aff &number) const {
    const isl::pw_aff here = value.intersect_params(
        unit.domain.intersect(assumed_).intersect(nest_.context).intersect(number_.eq_set(number)));
    const isl::val most = here.max_val(), least = here.min_val(); // sizes have a largest value, too
    return most.is_int() && least.is_int() && most.lt(isl::val(nest_.isl.get(), size_)) && least.is_nonneg();
  }

  const Nest &nest_;
  const Schedule::Problem &problem_;
  const std::deque<Schedule::Unit> &units_;
  isl::set assumed_;
  std::int64_t size_;
  std::size_t top_;
  isl::set all_;
  isl::id id_;         // of a parameter, as no name of the source can be
  isl::pw_aff number_; // of the block
  isl::pw_aff begin_, end_;
};

} // namespace

std::optional<Refusal> Schedule::block(const Node &top, const Step &step, std::vector<Node> &made) {
  auto look = [&]() -> std::optional<Refusal> {
    const Problem asked = problem(top);
    TilableBand band;
    tilable(top, band);
    band.when.push_back(top.when); // the order of the source
    Blocking blocking(nest_, asked, units_, assumed_, step.size, top.top);
    std::optional<Blocks> best;
    for (const When &when : band.when) {
      try {
        std::optional<Blocks> blocks = blocking.by(when);
        if (blocks && (!best || blocks->serial < best->serial)) best = std::move(blocks);
      } catch (const isl::exception_quota &) {
        throw;
      } catch (const isl::exception &) { // its scheduler gives up
      }
      if (best && best->serial == 0) break;
    }
    if (!best) return noSchedule(fmt::format("blocks of '{}' leave no loop parallel that goes beyond them", top.name));
    units_ = std::move(best->units);
    for (std::size_t u = source_.size(); u < units_.size(); ++u) source_.push_back(source_[best->from[u]]);
    Node loop, body;
    loop.kind = Node::Kind::Loop;
    loop.name = step.name;
    loop.when = std::move(best->number);
    loop.top = body.top = top.top;
    loop.changed = body.changed = true;
    body.children = std::move(best->nodes);
    loop.children.push_back(std::move(body));
    made.push_back(std::move(loop));
    return std::nullopt;
  };
  auto found = nest_.isl.limited(look);
  return found ? *found : noSchedule("finding another order takes too long");
}

} // namespace tangram::nest
