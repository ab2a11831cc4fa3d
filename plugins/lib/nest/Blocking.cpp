// An outermost loop in blocks of its iterations: what a block needs of itself, and what it does beyond itself, apart.
#include "Scheduling.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Substitute.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace tangram::nest {

namespace {

using ScheduleNode = Schedule::Node;

/// Factorizations need fewer; where nothing is found, as for shortest paths, more would be minutes.
constexpr unsigned long kOperations = 700'000;
using When = std::map<unsigned, isl::pw_aff>; // by unit

/// One way to do it.
struct Blocks {
  std::deque<Schedule::Unit> units;
  std::vector<unsigned> from;                   // the unit that each is a part of
  std::vector<std::vector<isl::pw_aff>> source; // when the source has each
  std::vector<ScheduleNode> nodes;              // of one block
  When number;                                  // of the block
  unsigned serial = 0;                          // loops of units that are not parallel, and longer than a block
};

class Blocking {
public:
  Blocking(const Nest &nest, const Schedule::Problem &problem, const std::deque<Schedule::Unit> &units,
           const std::vector<std::vector<isl::pw_aff>> &source, const isl::set &assumed, std::int64_t size,
           std::size_t top)
      : nest_(nest), problem_(problem), units_(units), source_(source), assumed_(assumed), size_(size), top_(top),
        all_(isl::set::universe(isl::space::unit(nest.isl.get()))), id_(nest.isl.get(), "number of the block"),
        number_(all_.param_pw_aff_on_domain(id_)), begin_(number_.scale(isl::val(nest.isl.get(), size))),
        end_(begin_.add_constant(isl::val(nest.isl.get(), size))),
        context_(nest.without(nest.context, nest.allLoops())) {}

  /// Blocks of as many neighbours among the numbers that `when` says; nothing where parallel loops are not what is left
  /// of the deepest ones then.
  std::optional<Blocks> by(const When &when) {
    Blocks result;
    result.units = units_;
    result.source = source_;
    result.from.resize(units_.size());
    std::iota(result.from.begin(), result.from.end(), 0U);
    std::vector<Part> parts;
    std::vector<UnitGroup> groups;
    for (std::size_t g = 0; g < problem_.groups.size(); ++g)
      if (!split(g, when, result, parts, groups)) return std::nullopt;
    join(result, parts, groups);
    isl::union_set domain = isl::union_set::empty(nest_.isl.get());
    for (const Part &p : parts) domain = domain.unite(p.points.gist_params(context_).to_union_set());
    isl::union_map order = isl::union_map::empty(nest_.isl.get());
    for (const Part &p : parts)
      for (const Part &q : parts)
        for (const auto &[first, before] : p.of)
          for (const auto &[second, behind] : q.of) {
            const auto dependent = problem_.order.find({first, second});
            if (dependent == problem_.order.end()) continue;
            isl::map here = isl::manage(
                isl_map_set_tuple_name(isl_map_set_tuple_name(dependent->second.copy(), isl_dim_in, p.tuple.c_str()),
                                       isl_dim_out, q.tuple.c_str()));
            here = here.intersect_domain(before).intersect_range(behind);
            if (!here.is_empty()) order = order.unite(here.coalesce().gist_params(context_).to_union_map());
          }
    const SchedulerOptions options(nest_.isl.get().get(), SchedulerOptions::Algorithm::Parallel);
    ScheduleTree::Groups all;
    for (const UnitGroup &g : groups) all.push_back(&g);
    const isl::schedule schedule =
        isl::schedule_constraints::on_domain(domain).set_validity(order).set_coincidence(order).compute_schedule();
    When early;
    for (const auto &[u, number] : result.number) early.emplace(u, when.at(result.from[u]));
    result.nodes = ScheduleTree(nest_, result.units, top_, std::move(early)).nodes(schedule.root(), all);
    std::size_t deepest = 0;
    for (const auto &[u, number] : result.number) deepest = std::max(deepest, result.units[u].loops.size());
    bool parallel = false;
    for (ScheduleNode &n : result.nodes) finish(n, result, deepest, false, parallel);
    if (!parallel) return std::nullopt;
    return result;
  }

  /// Whether a loop of the deepest ones begins or ends where another one around it is: else no part of it lies apart
  /// from a block. Loops whose ranges lie apart, as those over three neighbours and over rows but the first, tell
  /// nothing.
  bool triangular() const {
    std::size_t deepest = 0;
    for (const UnitGroup &g : problem_.groups) deepest = std::max(deepest, units_[g.units.front()].loops.size());
    for (const UnitGroup &g : problem_.groups) {
      const Schedule::Unit &unit = units_[g.units.front()];
      if (unit.loops.size() < deepest) continue;
      const isl::set domain = unit.domain.intersect(assumed_);
      auto rangeOf = [&](unsigned loop) {
        std::vector<unsigned> others = unit.loops;
        std::erase(others, loop);
        return nest_.without(domain, others);
      };
      for (std::size_t l = 0; l < unit.loops.size(); ++l)
        for (std::size_t m = 0; m < l; ++m) {
          const isl::pw_aff inner = iterator(unit.loops[l]), outer = iterator(unit.loops[m]);
          for (const isl::set &side : {inner.lt_set(outer), inner.gt_set(outer)})
            if (domain.intersect(side).is_empty() &&
                !rangeOf(unit.loops[l]).intersect(rangeOf(unit.loops[m])).intersect(side).is_empty())
              return true;
        }
    }
    return false;
  }

  /// How many loops have iterations before those of a block.
  std::size_t before(const When &when) const {
    std::size_t result = 0;
    for (const UnitGroup &g : problem_.groups) {
      const Schedule::Unit &unit = units_[g.units.front()];
      const auto number = when.find(g.units.front());
      for (const unsigned l : unit.loops)
        if (number == when.end() ||
            !iterator(l).lt_set(number->second).intersect(unit.domain.intersect(assumed_)).is_empty())
          ++result;
    }
    return result;
  }

private:
  /// Of a block's own numbers, those of one of the loops.
  enum class Side : std::uint8_t { Before, Inside, Behind, Anywhere };
  using Sides = std::vector<Side>; // of each loop

  /// Some iterations of a group of units, or of several that do the same.
  struct Part {
    std::string tuple;
    Sides sides;
    isl::set points;                                  // { tuple[loops...] }
    std::vector<std::pair<std::size_t, isl::set>> of; // which of these each group has
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
    using Place = std::pair<isl::set, Sides>;
    std::vector<Place> places{{number->second.ge_set(begin_).intersect(number->second.lt_set(end_)), {}}};
    for (const unsigned l : loops) {
      const isl::pw_aff x = iterator(l);
      const std::array<isl::set, 3> sides{x.lt_set(begin_), x.ge_set(begin_).intersect(x.lt_set(end_)), x.ge_set(end_)};
      std::vector<Place> finer;
      std::set<Side> seen;
      for (const auto &[place, known] : places)
        for (const Side side : {Side::Before, Side::Inside, Side::Behind}) {
          const isl::set both = place.intersect(sides[static_cast<std::size_t>(side)]);
          if (domain.intersect(both).is_empty()) continue;
          seen.insert(side);
          finer.emplace_back(both, known);
          finer.back().second.push_back(side);
        }
      if (seen.size() < 3) {
        places = std::move(finer);
        continue;
      }
      for (auto &[place, known] : places) known.push_back(Side::Anywhere); // it has nothing to do with the block
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
          result.source.push_back(source_[u]);
        }
        Schedule::Unit &unit = result.units[own];
        const isl::pw_aff block = when.at(u).scale_down(isl::val(nest_.isl.get(), size_)).floor();
        const isl::set place = withoutBlock(places[p].first, block);
        result.number.emplace(own, block);
        unit.domain = unit.domain.intersect(place);
        for (Access &a : unit.accesses) {
          a.elements = a.elements.intersect_params(place);
          a.delinearized.reset();
        }
        part.units.push_back(own);
        const isl::set here = nest_.points(units_[u].domain.intersect(assumed_).intersect(places[p].first), loops);
        points = points.is_null() ? here : points.unite(here);
      }
      points = isl::manage(isl_set_set_tuple_name(points.coalesce().release(), part.tuple.c_str()));
      parts.push_back({part.tuple, places[p].second, points, {{group, points}}});
      groups.push_back(std::move(part));
    }
    return true;
  }

  /// What two statements with the same text do, each under other conditions, is one where all iterations together are
  /// convex: left and right of the diagonal of what is left of a matrix.
  void join(Blocks &result, std::vector<Part> &parts, std::vector<UnitGroup> &groups) const {
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (std::size_t q = p + 1; q < parts.size(); ++q) {
        if (groups[p].units.size() != 1 || groups[q].units.size() != 1) continue;
        const unsigned u = groups[p].units[0], v = groups[q].units[0];
        Schedule::Unit &one = result.units[u], &other = result.units[v];
        if (parts[p].sides != parts[q].sides || !same(one, other)) continue;
        isl::set points = isl::manage(isl_set_set_tuple_name(parts[q].points.copy(), parts[p].tuple.c_str()));
        isl::set both = parts[p].points.unite(points).coalesce();
        if (isl_set_n_basic_set(both.get()) != 1) continue;
        const isl::set domain = asIterations(other.domain, other.loops, one.loops);
        for (std::size_t t = 0; t < source_.front().size(); ++t) {
          isl::pw_aff &here = result.source[u][t];
          const isl::pw_aff there = isl::manage(
              isl_set_dim_max(asIterations(result.source[v][t].as_set(), other.loops, one.loops).release(), 0));
          if (isl_pw_aff_plain_is_equal(here.get(), there.get()) != isl_bool_true)
            here = here.intersect_params(one.domain).union_add(there.intersect_params(domain));
        }
        for (std::size_t a = 0; a < one.accesses.size(); ++a)
          one.accesses[a].elements =
              one.accesses[a].elements.unite(asIterations(other.accesses[a].elements, other.loops, one.loops));
        one.domain = one.domain.unite(domain).coalesce();
        other.domain = other.domain.subtract(other.domain);
        other.accesses.clear();
        result.number.erase(v);
        parts[p].points = both;
        for (const auto &[group, its] : parts[q].of)
          parts[p].of.emplace_back(group, isl::manage(isl_set_set_tuple_name(its.copy(), parts[p].tuple.c_str())));
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(q));
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(q));
        --q;
      }
  }

  /// Whether two units are one statement, but for the names of iterators.
  bool same(const Schedule::Unit &one, const Schedule::Unit &other) const {
    if (one.loops.size() != other.loops.size() || one.accesses.size() != other.accesses.size()) return false;
    if (one.item->kind != Item::Kind::Statement || other.item->kind != Item::Kind::Statement) return false;
    if (nest_.followsData(one.domain, one.loops) || nest_.followsData(other.domain, other.loops)) return false;
    const auto *a = ast::dyn<ast::Evaluate>(nest_.statements[one.item->index].node);
    const auto *b = ast::dyn<ast::Evaluate>(nest_.statements[other.item->index].node);
    if (!a || !b) return false;
    std::map<std::string, const Loop *> names;
    for (std::size_t l = 0; l < one.loops.size(); ++l) {
      const Loop &to = nest_.loops[one.loops[l]], &from = nest_.loops[other.loops[l]];
      if (to.type != from.type) return false;
      names[from.variable] = &to;
    }
    ast::Arena arena;
    return ast::equal(a->expr, ast::substituted(arena, b->expr, [&](const ast::VarRef *v) -> const ast::Expr * {
                        const auto name = names.find(v->name);
                        return name == names.end() ? v
                                                   : arena.make<ast::VarRef>(v->range, v->type, name->second->variable);
                      }));
  }

  isl::pw_aff iterator(unsigned loop) const {
    return all_.param_pw_aff_on_domain(isl::id(nest_.isl.get(), nest_.loops[loop].id));
  }

  /// A set over iterators of some loops as one over those of others.
  isl::set asIterations(isl::set set, const std::vector<unsigned> &from, const std::vector<unsigned> &to) const {
    for (std::size_t l = 0; l < from.size(); ++l) {
      if (from[l] == to[l]) continue;
      const isl::id old(nest_.isl.get(), nest_.loops[from[l]].id), now(nest_.isl.get(), nest_.loops[to[l]].id);
      set = set.intersect_params(all_.param_pw_aff_on_domain(old).eq_set(all_.param_pw_aff_on_domain(now)));
      set = isl::manage(
          isl_set_project_out(set.copy(), isl_dim_param,
                              static_cast<unsigned>(isl_set_find_dim_by_id(set.get(), isl_dim_param, old.get())), 1));
    }
    return set;
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
  const std::vector<std::vector<isl::pw_aff>> &source_;
  isl::set assumed_;
  std::int64_t size_;
  std::size_t top_;
  isl::set all_;
  isl::id id_;         // of a parameter, as no name of the source can be
  isl::pw_aff number_; // of the block
  isl::pw_aff begin_, end_;
  isl::set context_; // of parameters: how large sizes may become is no number for a schedule
};

Refusal useless(const std::string &message) { return {Refusal::Why::NoSuchLoop, message, std::nullopt, std::nullopt}; }

} // namespace

std::optional<Refusal> Schedule::block(const Node &top, const Step &step, std::vector<Node> &made) {
  auto look = [&]() -> std::optional<Refusal> {
    // Where data tells which rows change, as of pivots, any may, and isl looks for an order in vain for a long time.
    for (const auto &[u, when] : top.when)
      for (const Access &a : units_[u].accesses)
        if (a.kind != AccessKind::Read && nest_.followsData(a.elements, units_[u].loops))
          return useless(fmt::format("data tells which elements of '{}' loop '{}' changes",
                                     nest_.variables[a.variable].name, top.name));
    const Problem asked = problem(top, false);
    Blocking blocking(nest_, asked, units_, source_, assumed_, step.size, top.top);
    if (!blocking.triangular())
      return useless(fmt::format("no loop in '{}' begins or ends where another one is", top.name));
    TilableBand band;
    tilable(top, band);
    band.when.push_back(top.when); // the order of the source
    // Where nothing lies before a block, what is behind it is changed once all of the block is known (right-looking).
    std::stable_sort(band.when.begin(), band.when.end(),
                     [&](const When &a, const When &b) { return blocking.before(a) < blocking.before(b); });
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
    if (!best) return useless(fmt::format("blocks of '{}' leave no loop parallel that goes beyond them", top.name));
    units_ = std::move(best->units);
    source_ = std::move(best->source);
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
  auto found = nest_.isl.limited(kOperations, look);
  return found ? *found : noSchedule("finding another order takes too long");
}

} // namespace tangram::nest
