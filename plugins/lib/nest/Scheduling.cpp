#include "Scheduling.h"

#include <algorithm>
#include <numeric>

#include <isl/options.h>

namespace tangram::nest {

namespace {

using ScheduleNode = Schedule::Node;

std::string tupleOf(const isl::set &s) {
  const char *name = isl_set_get_tuple_name(s.get());
  return name ? name : "";
}

/// Where the sizes of a nest are hardly known the scheduler may take the limits of their types for distances between
/// iterations. Such loops would run through all numbers between.
constexpr long kFarthest = 1L << 16;

bool hasLongStrides(const isl::aff &a) {
  bool longer = false;
  for (unsigned i = 0; i < static_cast<unsigned>(isl_aff_dim(a.get(), isl_dim_in)); ++i)
    longer |= isl::manage(isl_aff_get_coefficient_val(a.get(), isl_dim_in, static_cast<int>(i))).abs().gt(kFarthest);
  return longer;
}

bool isParallel(const isl::schedule_node_band &n, unsigned member) {
  return isl_schedule_node_band_member_get_coincident(n.get(), static_cast<int>(member)) == isl_bool_true;
}

} // namespace

isl::union_map Schedule::Problem::validity(const isl::ctx &ctx) const {
  isl::union_map all = isl::union_map::empty(ctx);
  for (const auto &[pair, dependent] : order)
    all = all.unite(isl::manage(isl_map_set_tuple_name(isl_map_set_tuple_name(dependent.copy(), isl_dim_in,
                                                                              groups[pair.first].tuple.c_str()),
                                                       isl_dim_out, groups[pair.second].tuple.c_str()))
                        .to_union_map());
  return all.coalesce();
}

SchedulerOptions::SchedulerOptions(isl_ctx *ctx, Algorithm algorithm)
    : ctx_(ctx), algorithm_(isl_options_get_schedule_algorithm(ctx)),
      serialize_(isl_options_get_schedule_serialize_sccs(ctx)),
      coincidence_(isl_options_get_schedule_outer_coincidence(ctx)) {
  set(algorithm == Algorithm::Feautrier ? ISL_SCHEDULE_ALGORITHM_FEAUTRIER : ISL_SCHEDULE_ALGORITHM_ISL,
      algorithm != Algorithm::Tilable, algorithm == Algorithm::Parallel);
}

SchedulerOptions::~SchedulerOptions() { set(algorithm_, serialize_, coincidence_); }

void SchedulerOptions::set(int algorithm, int serialize, int coincidence) {
  isl_options_set_schedule_algorithm(ctx_, algorithm);
  isl_options_set_schedule_serialize_sccs(ctx_, serialize);
  isl_options_set_schedule_outer_coincidence(ctx_, coincidence);
}

bool hasLongStrides(const isl::schedule &schedule) {
  return !schedule.root().every_descendant([](const isl::schedule_node &n) {
    if (!n.isa<isl::schedule_node_band>()) return true;
    const auto band = n.as<isl::schedule_node_band>();
    bool longer = false;
    for (unsigned member = 0; member < band.n_member(); ++member) {
      const isl::union_pw_aff all = band.partial_schedule().at(static_cast<int>(member));
      const isl::pw_aff_list parts = isl::manage(isl_union_pw_aff_get_pw_aff_list(all.get()));
      for (int i = 0; i < static_cast<int>(parts.size()); ++i)
        parts.at(i).foreach_piece(
            [&](const isl::set &, const isl::multi_aff &when) { longer |= hasLongStrides(when.at(0)); });
    }
    return !longer;
  });
}

std::vector<ScheduleTree::When> ScheduleTree::tilable(isl::schedule_node n, const Groups &groups) const {
  while (n.isa<isl::schedule_node_domain>() || n.isa<isl::schedule_node_context>()) n = n.child(0);
  std::vector<std::map<unsigned, isl::pw_aff>> result;
  if (!n.isa<isl::schedule_node_band>()) return result;
  const auto band = n.as<isl::schedule_node_band>();
  if (band.n_member() < 2 || !band.permutable()) return result;
  for (unsigned member = 0; member < band.n_member(); ++member) result.push_back(whens(band, member, groups));
  return result;
}

std::vector<ScheduleNode> ScheduleTree::nodes(const isl::schedule_node &n, const Groups &groups) {
  if (n.isa<isl::schedule_node_leaf>()) return leaf(groups);
  if (n.isa<isl::schedule_node_band>()) {
    const auto here = n.as<isl::schedule_node_band>();
    return band(here, order(here, groups), 0, groups);
  }
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

ScheduleNode ScheduleTree::made(ScheduleNode::Kind kind) const {
  ScheduleNode node;
  node.kind = kind;
  node.top = top_;
  node.changed = true;
  return node;
}

std::vector<ScheduleNode> ScheduleTree::leaf(const Groups &groups) const {
  std::vector<ScheduleNode> all;
  for (const UnitGroup *g : groups) {
    for (ScheduleNode node : g->body) {
      node.changed = true; // also where no loop of isl's is around it
      all.push_back(std::move(node));
    }
    if (!g->body.empty()) continue;
    for (const unsigned u : g->units) {
      all.push_back(made(ScheduleNode::Kind::Unit));
      all.back().unit = u;
    }
  }
  return all;
}

ScheduleTree::Groups ScheduleTree::inFilter(const isl::schedule_node &n, const Groups &groups) const {
  if (!n.isa<isl::schedule_node_filter>()) return groups;
  const isl::union_set filter = n.as<isl::schedule_node_filter>().filter();
  Groups result;
  for (const UnitGroup *g : groups) {
    bool in = false;
    filter.foreach_set([&](const isl::set &s) { in |= tupleOf(s) == g->tuple; });
    if (in) result.push_back(g);
  }
  return result;
}

std::vector<unsigned> ScheduleTree::order(const isl::schedule_node_band &n, const Groups &groups) const {
  std::vector<unsigned> members(n.n_member());
  std::iota(members.begin(), members.end(), 0U);
  if (!n.permutable() || early_.empty()) return members;
  auto rank = [&](unsigned member) {
    if (isParallel(n, member)) return 0;
    const When when = whens(n, member, groups);
    const bool early = std::all_of(when.begin(), when.end(), [&](const auto &of) {
      const auto known = early_.find(of.first);
      return known != early_.end() && known->second.ne_set(of.second).is_empty();
    });
    return early ? 1 : 2;
  };
  std::stable_sort(members.begin(), members.end(), [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  return members;
}

std::vector<ScheduleNode> ScheduleTree::band(const isl::schedule_node_band &n, const std::vector<unsigned> &members,
                                             std::size_t next, const Groups &groups) {
  if (next == members.size()) return nodes(n.child(0), groups);
  ScheduleNode loop = made(ScheduleNode::Kind::Loop), body = made(ScheduleNode::Kind::Sequence);
  loop.name = fmt::format("t{}", ++loops_);
  loop.when = whens(n, members[next], groups);
  loop.parallel = isParallel(n, members[next]);
  body.children = band(n, members, next + 1, groups);
  loop.children.push_back(std::move(body));
  return {std::move(loop)};
}

ScheduleTree::When ScheduleTree::whens(const isl::schedule_node_band &n, unsigned member, const Groups &groups) const {
  std::map<unsigned, isl::pw_aff> result;
  const isl::union_pw_aff all = n.partial_schedule().at(static_cast<int>(member));
  const isl::pw_aff_list parts = isl::manage(isl_union_pw_aff_get_pw_aff_list(all.get()));
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    const isl::pw_aff when = parts.at(i);
    const std::string tuple = tupleOf(when.domain());
    for (const UnitGroup *g : groups)
      if (g->tuple == tuple)
        for (const unsigned u : g->units) result.emplace(u, ofIterators(when, units_[u].loops));
  }
  // Units that never run have no iterations for which the schedule could say something.
  const isl::pw_aff any = isl::set::universe(isl::space::unit(nest_.isl.get())).pw_aff_on_domain(0);
  for (const UnitGroup *g : groups)
    for (const unsigned u : g->units) result.emplace(u, any);
  return result;
}

/// A function of a group's iterations, by the outermost of `loops`, as one of the parameters that stand for the nest's
/// iterators.
isl::pw_aff ScheduleTree::ofIterators(const isl::pw_aff &when, std::vector<unsigned> loops) const {
  const isl::ctx ctx = nest_.isl.get();
  loops.resize(static_cast<std::size_t>(isl_set_dim(when.domain().get(), isl_dim_set)));
  const isl::set all = isl::set::universe(isl::space::unit(ctx));
  isl::pw_aff_list values(ctx, static_cast<int>(loops.size()));
  for (const unsigned l : loops) values = values.add(all.param_pw_aff_on_domain(isl::id(ctx, nest_.loops[l].id)));
  return when.pullback(isl::multi_pw_aff(when.domain().space(), values));
}

Refusal noSchedule(std::string message) {
  return {Refusal::Why::Unknown, std::move(message), std::nullopt, std::nullopt};
}

} // namespace tangram::nest
