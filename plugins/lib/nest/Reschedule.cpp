// Parallel loops inside of as few serial ones as dependences allow, and bands that may be tiled, by isl's scheduler.
#include "Scheduling.h"
#include "TimeOrder.h"

#include <fmt/format.h>

namespace tangram::nest {

namespace {

using ScheduleNode = Schedule::Node;

/// Units below a node in the order of the source, and those that stand side by side.
void unitsIn(const ScheduleNode &n, std::vector<std::vector<unsigned>> &siblings) {
  std::vector<unsigned> here;
  auto flush = [&] {
    if (!here.empty()) siblings.push_back(std::exchange(here, {}));
  };
  for (const ScheduleNode &c : n.children) {
    if (c.kind == ScheduleNode::Kind::Unit) {
      here.push_back(c.unit);
      continue;
    }
    flush();
    unitsIn(c, siblings);
  }
  flush();
}

} // namespace

std::optional<Refusal> Schedule::reschedule(const Node &top, bool together, std::vector<Node> &made) const {
  return scheduled(top, false, together ? Whole::Bodies : Whole::Units,
                   [&](auto &tree, const isl::schedule_node &root, const auto &groups) {
                     made = tree.nodes(root, groups);
                     return true;
                   });
}

std::optional<Refusal> Schedule::hyperplanes(const Node &top, std::vector<Node> &made) const {
  if (loopsOfTheSource(top).empty())
    return noSchedule(
        fmt::format("loop '{}' no longer counts iterations of an outermost loop of the source", top.name));
  return scheduled(top, false, Whole::Iterations, [&](auto &tree, const isl::schedule_node &root, const auto &groups) {
    made = tree.nodes(root, groups);
    return true;
  });
}

std::optional<Refusal> Schedule::wavefronts(const std::string &loop, TilableBand &band) const {
  for (const Node &top : root_.children) {
    if (top.kind == Node::Kind::Loop && top.name == loop) return tilable(top, band);
  }
  return noSchedule(fmt::format("there is no outermost loop '{}'", loop));
}

std::optional<Refusal> Schedule::tilable(const Node &top, TilableBand &band) const {
  return scheduled(top, true, Whole::Units, [&](auto &tree, const isl::schedule_node &root, const auto &groups) {
    band.when = tree.tilable(root, groups);
    for (const UnitGroup *g : groups) band.together.push_back(g->units);
    return !band.when.empty();
  });
}

Schedule::Problem Schedule::problem(const Node &top, bool together) const {
  std::vector<std::vector<unsigned>> siblings;
  unitsIn(top, siblings);
  Problem result;
  std::vector<UnitGroup> &groups = result.groups;
  std::map<unsigned, std::size_t> groupOf; // of units
  for (const std::vector<unsigned> &side : siblings) {
    std::vector<bool> ends(side.size(), !together);
    ends.back() = true;
    for (unsigned v = 0; v < nest_.variables.size(); ++v) {
      if (nest_.variables[v].scope.empty()) continue;
      std::vector<std::size_t> users;
      for (std::size_t i = 0; i < side.size(); ++i)
        if (std::any_of(units_[side[i]].accesses.begin(), units_[side[i]].accesses.end(),
                        [&](const Access &a) { return a.variable == v; }))
          users.push_back(i);
      for (std::size_t i = users.empty() ? 0 : users.front(); !users.empty() && i < users.back(); ++i) ends[i] = false;
    }
    UnitGroup group;
    for (std::size_t i = 0; i < side.size(); ++i) {
      groupOf[side[i]] = groups.size();
      group.units.push_back(side[i]);
      if (!ends[i]) continue;
      group.tuple = fmt::format("G{}", groups.size());
      groups.push_back(std::exchange(group, {}));
    }
  }
  // A variable of an iteration of the outermost loop that several groups use has one value at a time.
  std::map<unsigned, std::set<std::size_t>> users;
  for (const auto &[u, g] : groupOf)
    for (const Access &a : units_[u].accesses)
      if (nest_.variables[a.variable].scope.size() == 1) users[a.variable].insert(g);
  result.domain = isl::union_set::empty(nest_.isl.get());
  for (const UnitGroup &g : groups)
    for (const unsigned u : g.units)
      result.domain = result.domain.unite(
          isl::manage(
              isl_set_set_tuple_name(nest_.points(units_[u].domain.intersect(assumed_), units_[u].loops).release(),
                                     g.tuple.c_str()))
              .to_union_set());
  auto wait = [&](std::size_t g, std::size_t h, isl::map pairs) {
    if (g == h) pairs = pairs.subtract(isl::manage(isl_map_identity(pairs.space().release())));
    if (pairs.is_empty()) return;
    const auto [entry, fresh] = result.order.emplace(std::pair{g, h}, pairs);
    if (!fresh) entry->second = entry->second.unite(pairs);
  };
  auto inOneVariable = [&](const Access &a, unsigned u) {
    return isl::manage(isl_map_project_out(relation(a.elements, units_[u]).release(), isl_dim_out, 0, 1));
  };
  auto isShared = [&](unsigned variable) {
    const auto known = users.find(variable);
    return known != users.end() && known->second.size() > 1;
  };
  std::set<unsigned> units;
  for (const auto &[u, g] : groupOf) units.insert(u);
  for (const Ordered *const part : orderedAmong(units))
    if (!isShared(part->accesses.front().first->variable) && binding(*part))
      wait(groupOf.at(part->u), groupOf.at(part->v), part->pairs);
  for (const auto &[u, g] : groupOf)
    for (const auto &[v, h] : groupOf) {
      TimeOrder before(*this, u, v, source_);
      for (const Access &a : units_[u].accesses)
        for (const Access &b : units_[v].accesses) {
          if (a.variable != b.variable || !isShared(a.variable) || mayReorder(a, b)) continue;
          if (a.kind == AccessKind::Read && b.kind == AccessKind::Read) continue;
          inOrder(before, inOneVariable(a, u).apply_range(inOneVariable(b, v).reverse()),
                  [&, g = g, h = h](isl::map pairs) { wait(g, h, std::move(pairs)); });
        }
    }
  withoutContext(result);
  return result;
}

/// A schedule whose numbers stand for how large sizes may become would be of no use.
void Schedule::withoutContext(Problem &problem) const {
  const isl::set context = nest_.without(nest_.context, nest_.allLoops());
  problem.domain = isl::manage(isl_union_set_gist_params(problem.domain.release(), context.copy()));
  for (auto &[pair, dependent] : problem.order) dependent = dependent.coalesce().gist_params(context);
}

/// Loops that stand directly in each other from `top` on, as long as each counts, for all units in it, iterations of
/// their loop of the same depth.
std::vector<const Schedule::Node *> Schedule::loopsOfTheSource(const Node &top) const {
  std::vector<const Node *> loops;
  for (const Node *n = &top; n->kind == Node::Kind::Loop; n = &n->children[0].children[0]) {
    const bool counts = std::all_of(n->when.begin(), n->when.end(), [&](const auto &entry) {
      const auto &[unit, when] = entry;
      return loops.size() < units_[unit].loops.size() &&
             when.plain_is_equal(iterationOf(units_[unit].loops[loops.size()]));
    });
    if (!counts) break;
    loops.push_back(n);
    if (n->children[0].children.size() != 1) break;
  }
  return loops;
}

Schedule::Problem Schedule::problemOfIterations(const Node &top) const {
  const std::vector<const Node *> loops = loopsOfTheSource(top);
  const Node *innermost = loops.back();
  const auto depth = static_cast<unsigned>(loops.size());
  Problem result;
  UnitGroup &all = result.groups.emplace_back();
  all.tuple = "G";
  all.body = innermost->children[0].children;
  for (const auto &[unit, when] : innermost->when) all.units.push_back(unit);
  result.domain = isl::union_set::empty(nest_.isl.get());
  for (const unsigned u : all.units) {
    isl::set points = nest_.points(units_[u].domain.intersect(assumed_), units_[u].loops);
    const auto more = static_cast<unsigned>(units_[u].loops.size()) - depth;
    points = isl::manage(isl_set_project_out(points.release(), isl_dim_set, depth, more));
    result.domain =
        result.domain.unite(isl::manage(isl_set_set_tuple_name(points.release(), all.tuple.c_str())).to_union_set());
  }
  isl::map order;
  for (const Ordered *const part : orderedAmong({all.units.begin(), all.units.end()})) {
    if (!binding(*part)) continue;
    isl::map pairs = part->pairs;
    for (const auto &[unit, side] : {std::pair(part->u, isl_dim_in), std::pair(part->v, isl_dim_out)})
      pairs = isl::manage(
          isl_map_project_out(pairs.release(), side, depth, static_cast<unsigned>(units_[unit].loops.size()) - depth));
    pairs = pairs.subtract(isl::manage(isl_map_identity(pairs.space().release())));
    order = order.is_null() ? pairs : order.unite(pairs);
  }
  if (!order.is_null()) result.order.emplace(std::pair<std::size_t, std::size_t>{0, 0}, order);
  withoutContext(result);
  return result;
}

template <class Use>
std::optional<Refusal> Schedule::scheduled(const Node &top, bool bands, Whole whole, const Use &use) const {
  auto look = [&]() -> std::optional<Refusal> {
    const Problem asked = whole == Whole::Iterations ? problemOfIterations(top) : problem(top, whole == Whole::Bodies);
    const SchedulerOptions options(nest_.isl.get().get(), bands ? SchedulerOptions::Algorithm::Tilable
                                                                : SchedulerOptions::Algorithm::Feautrier);
    ScheduleTree::Groups all;
    for (const UnitGroup &g : asked.groups) all.push_back(&g);
    try {
      const isl::schedule schedule = isl::schedule_constraints::on_domain(asked.domain)
                                         .set_validity(asked.validity(nest_.isl.get()))
                                         .compute_schedule();
      if (hasLongStrides(schedule)) return noSchedule("isl finds no other order that could be of use");
      ScheduleTree tree(nest_, units_, top.top);
      if (!use(tree, schedule.root(), all)) return noSchedule("no order of its loops may be tiled");
    } catch (const isl::exception_quota &) {
      throw;
    } catch (const isl::exception &) { // its scheduler gives up on some nests ("unable to carry dependences")
      return noSchedule("isl finds no other order");
    }
    return std::nullopt;
  };
  auto found = nest_.isl.limited(look);
  return found ? *found : noSchedule("finding another order takes too long");
}

} // namespace tangram::nest
