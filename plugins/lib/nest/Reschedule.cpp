// Parallel loops inside of as few serial ones as dependences allow, by isl's scheduler.
#include "TimeOrder.h"

#include "tangram/ast/Walk.h"

#include <fmt/format.h>
#include <numeric>

#include <isl/options.h>

namespace tangram::nest {

namespace {

using ScheduleNode = Schedule::Node;

/// Units that are carried out one after the other in each iteration: they share variables of it.
struct Group {
  std::vector<unsigned> units;
  std::string tuple; // of isl
};

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

std::string tupleOf(const isl::set &s) {
  const char *name = isl_set_get_tuple_name(s.get());
  return name ? name : "";
}

/// Feautrier's algorithm, for statements that depend on each other in both directions, others have loops of their own;
/// or isl's, whose bands may be tiled, for all statements together where that is possible.
class Options {
public:
  Options(isl_ctx *ctx, bool bands)
      : ctx_(ctx), algorithm_(isl_options_get_schedule_algorithm(ctx)),
        serialize_(isl_options_get_schedule_serialize_sccs(ctx)) {
    set(bands ? ISL_SCHEDULE_ALGORITHM_ISL : ISL_SCHEDULE_ALGORITHM_FEAUTRIER, bands ? 0 : 1);
  }
  ~Options() { set(algorithm_, serialize_); }
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;

private:
  void set(int algorithm, int serialize) {
    isl_options_set_schedule_algorithm(ctx_, algorithm);
    isl_options_set_schedule_serialize_sccs(ctx_, serialize);
  }
  isl_ctx *ctx_;
  int algorithm_, serialize_;
};

/// Makes nodes of isl's tree.
class Tree {
public:
  Tree(const Nest &nest, const std::deque<Schedule::Unit> &units, std::size_t top)
      : nest_(nest), units_(units), top_(top) {}

  /// When each unit runs, by each member of the band that isl's tree begins with; nothing where that may not be tiled.
  std::vector<std::map<unsigned, isl::pw_aff>> tilable(isl::schedule_node n,
                                                       const std::vector<const Group *> &groups) const {
    while (n.isa<isl::schedule_node_domain>() || n.isa<isl::schedule_node_context>()) n = n.child(0);
    std::vector<std::map<unsigned, isl::pw_aff>> result;
    if (!n.isa<isl::schedule_node_band>()) return result;
    const auto band = n.as<isl::schedule_node_band>();
    if (band.n_member() < 2 || !band.permutable()) return result;
    for (unsigned member = 0; member < band.n_member(); ++member) result.push_back(whens(band, member, groups));
    return result;
  }

  std::vector<ScheduleNode> nodes(const isl::schedule_node &n, const std::vector<const Group *> &groups) {
    if (n.isa<isl::schedule_node_leaf>()) return leaf(groups);
    if (n.isa<isl::schedule_node_band>()) return band(n.as<isl::schedule_node_band>(), 0, groups);
    if (n.isa<isl::schedule_node_sequence>() || n.isa<isl::schedule_node_set>()) {
      std::vector<ScheduleNode> all;
      for (unsigned i = 0; i < static_cast<unsigned>(n.n_children()); ++i) {
        ScheduleNode part = made(ScheduleNode::Kind::Sequence);
        const isl::schedule_node child = n.child(static_cast<int>(i));
        part.children = nodes(child, inFilter(child, groups));
        all.push_back(std::move(part));
      }
      return all;
    }
    return nodes(n.child(0), groups); // the domain, a filter
  }

private:
  ScheduleNode made(ScheduleNode::Kind kind) const {
    ScheduleNode node;
    node.kind = kind;
    node.top = top_;
    node.changed = true;
    return node;
  }

  std::vector<ScheduleNode> leaf(const std::vector<const Group *> &groups) const {
    std::vector<ScheduleNode> all;
    for (const Group *g : groups)
      for (const unsigned u : g->units) {
        all.push_back(made(ScheduleNode::Kind::Unit));
        all.back().unit = u;
      }
    return all;
  }

  std::vector<const Group *> inFilter(const isl::schedule_node &n, const std::vector<const Group *> &groups) const {
    if (!n.isa<isl::schedule_node_filter>()) return groups;
    const isl::union_set filter = n.as<isl::schedule_node_filter>().filter();
    std::vector<const Group *> result;
    for (const Group *g : groups) {
      bool in = false;
      filter.foreach_set([&](const isl::set &s) { in |= tupleOf(s) == g->tuple; });
      if (in) result.push_back(g);
    }
    return result;
  }

  std::vector<ScheduleNode> band(const isl::schedule_node_band &n, unsigned member,
                                 const std::vector<const Group *> &groups) {
    if (member == n.n_member()) return nodes(n.child(0), groups);
    ScheduleNode loop = made(ScheduleNode::Kind::Loop), body = made(ScheduleNode::Kind::Sequence);
    loop.name = fmt::format("t{}", ++loops_);
    loop.when = whens(n, member, groups);
    body.children = band(n, member + 1, groups);
    loop.children.push_back(std::move(body));
    return {std::move(loop)};
  }

  std::map<unsigned, isl::pw_aff> whens(const isl::schedule_node_band &n, unsigned member,
                                        const std::vector<const Group *> &groups) const {
    std::map<unsigned, isl::pw_aff> result;
    const isl::union_pw_aff all = n.partial_schedule().at(static_cast<int>(member));
    const isl::pw_aff_list parts = isl::manage(isl_union_pw_aff_get_pw_aff_list(all.get()));
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
      const isl::pw_aff when = parts.at(i);
      const std::string tuple = tupleOf(when.domain());
      for (const Group *g : groups)
        if (g->tuple == tuple)
          for (const unsigned u : g->units) result.emplace(u, ofIterators(when, units_[u].loops));
    }
    return result;
  }

  /// A function of a group's iterations as one of the parameters that stand for the nest's iterators.
  isl::pw_aff ofIterators(const isl::pw_aff &when, const std::vector<unsigned> &loops) const {
    const isl::ctx ctx = nest_.isl.get();
    const isl::set all = isl::set::universe(isl::space::unit(ctx));
    isl::pw_aff_list values(ctx, static_cast<int>(loops.size()));
    for (const unsigned l : loops) values = values.add(all.param_pw_aff_on_domain(isl::id(ctx, nest_.loops[l].id)));
    return when.pullback(isl::multi_pw_aff(when.domain().space(), values));
  }

  const Nest &nest_;
  const std::deque<Schedule::Unit> &units_;
  std::size_t top_;
  unsigned loops_ = 0;
};

Refusal noSchedule(std::string message) {
  return {Refusal::Why::Unknown, std::move(message), std::nullopt, std::nullopt};
}

} // namespace

std::optional<Refusal> Schedule::reschedule(const Node &top, std::vector<Node> &made) const {
  return scheduled(top, false, [&](auto &tree, const isl::schedule_node &root, const auto &groups) {
    made = tree.nodes(root, groups);
    return true;
  });
}

std::optional<Refusal> Schedule::wavefronts(const std::string &loop, TilableBand &band) const {
  for (const Node &top : root_.children) {
    if (top.kind != Node::Kind::Loop || top.name != loop) continue;
    return scheduled(top, true, [&](auto &tree, const isl::schedule_node &root, const auto &groups) {
      band.when = tree.tilable(root, groups);
      for (const Group *g : groups) band.together.push_back(g->units);
      return !band.when.empty();
    });
  }
  return noSchedule(fmt::format("there is no outermost loop '{}'", loop));
}

template <class Use> std::optional<Refusal> Schedule::scheduled(const Node &top, bool bands, const Use &use) const {
  std::vector<std::vector<unsigned>> siblings;
  unitsIn(top, siblings);
  std::vector<Group> groups;
  std::map<unsigned, std::size_t> groupOf; // of units
  for (const std::vector<unsigned> &side : siblings) {
    std::vector<bool> ends(side.size(), true);
    for (unsigned v = 0; v < nest_.variables.size(); ++v) {
      if (nest_.variables[v].scope.empty()) continue;
      std::vector<std::size_t> users;
      for (std::size_t i = 0; i < side.size(); ++i)
        if (std::any_of(units_[side[i]].accesses.begin(), units_[side[i]].accesses.end(),
                        [&](const Access &a) { return a.variable == v; }))
          users.push_back(i);
      for (std::size_t i = users.empty() ? 0 : users.front(); !users.empty() && i < users.back(); ++i) ends[i] = false;
    }
    Group group;
    for (std::size_t i = 0; i < side.size(); ++i) {
      groupOf[side[i]] = groups.size();
      group.units.push_back(side[i]);
      if (!ends[i]) continue;
      group.tuple = fmt::format("G{}", groups.size());
      groups.push_back(std::exchange(group, {}));
    }
  }
  auto writes = [](const Access &a) { return a.kind != AccessKind::Read; };
  auto look = [&]() -> std::optional<Refusal> {
    isl::union_set domain = isl::union_set::empty(nest_.isl.get());
    isl::union_map order = isl::union_map::empty(nest_.isl.get());
    for (const Group &g : groups)
      for (const unsigned u : g.units)
        domain =
            domain.unite(isl::manage(isl_set_set_tuple_name(
                                         nest_.points(units_[u].domain.intersect(assumed_), units_[u].loops).release(),
                                         g.tuple.c_str()))
                             .to_union_set());
    for (const auto &[u, g] : groupOf)
      for (const auto &[v, h] : groupOf) {
        TimeOrder before(*this, u, v, source_);
        for (const Access &a : units_[u].accesses)
          for (const Access &b : units_[v].accesses) {
            if (a.variable != b.variable || (!writes(a) && !writes(b))) continue;
            if (a.update && b.update && *a.update == *b.update && reduced_.count(a.variable)) continue;
            isl::map pairs = relation(a, units_[u]).apply_range(relation(b, units_[v]).reverse());
            for (std::size_t t = 0; t < before.size() && !pairs.is_empty(); ++t) {
              isl::map dependent = before.earlier(pairs, t);
              if (g == h) dependent = dependent.subtract(isl::manage(isl_map_identity(dependent.space().release())));
              if (!dependent.is_empty())
                order = order.unite(
                    isl::manage(isl_map_set_tuple_name(
                                    isl_map_set_tuple_name(dependent.release(), isl_dim_in, groups[g].tuple.c_str()),
                                    isl_dim_out, groups[h].tuple.c_str()))
                        .to_union_map());
              pairs = before.equal(pairs, t);
            }
          }
      }
    // A schedule whose numbers stand for how large sizes may become would be of no use.
    std::vector<unsigned> iterators(nest_.loops.size());
    std::iota(iterators.begin(), iterators.end(), 0U);
    const isl::set context = nest_.without(nest_.context, iterators);
    domain = isl::manage(isl_union_set_gist_params(domain.release(), context.copy()));
    order = isl::manage(isl_union_map_gist_params(order.coalesce().release(), context.copy()));
    const Options options(nest_.isl.get().get(), bands);
    std::vector<const Group *> all;
    for (const Group &g : groups) all.push_back(&g);
    try {
      const isl::schedule schedule =
          isl::schedule_constraints::on_domain(domain).set_validity(order).compute_schedule();
      Tree tree(nest_, units_, top.top);
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
