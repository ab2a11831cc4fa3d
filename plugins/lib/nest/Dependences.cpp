#include "tangram/nest/Dependences.h"

#include "tangram/nest/Exchanges.h"
#include "tangram/nest/Segments.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include <isl/map.h>

namespace tangram::nest {

std::string_view name(DependenceKind kind) {
  switch (kind) {
  case DependenceKind::Flow: return "flow";
  case DependenceKind::Anti: return "anti";
  case DependenceKind::Output: return "output";
  }
  return "";
}

DependenceKind kindOf(const Access &first, const Access &second) {
  if (first.kind == AccessKind::Read) return DependenceKind::Anti;
  return second.kind == AccessKind::Read ? DependenceKind::Flow : DependenceKind::Output;
}

namespace {

bool writes(const Access &a) { return a.kind != AccessKind::Read; }

/// Both are parts of updates by one operator.
bool combine(const Access &a, const Access &b) {
  return (a.update && b.update && *a.update == *b.update) ||
         (a.selection && b.selection && *a.selection == *b.selection);
}

} // namespace

/// All dependences of a loop, of those loops of which none is unknown; and what they are computed of.
struct KnownDependences {
  std::map<unsigned, std::vector<Dependence>> ofLoops;
  std::map<std::pair<unsigned, unsigned>, bool> isPrivate;      // of variables and loops
  std::vector<isl::map> order;                                  // of statements: sourceOrder()
  std::map<const Access *, isl::map> relations;                 // { [loops of the statement...] -> element }
  std::map<std::pair<const Access *, bool>, isl::set> elements; // delinearized or not, where all is as it is assumed
};

/// Whether an iteration touches what an earlier one touched, and how many iterations later.
struct Dependences::Meeting {
  bool meets = true, known = false; // known: it has been found out
  std::optional<std::int64_t> distance;
};

/// What a later iteration touches, by parameters that grow with the loop as it has them; `order`: by how much more.
isl::map Dependences::later(isl::map touched, unsigned loop, isl::set &order) const {
  const isl::ctx ctx = nest_.isl.get();
  const isl::set all = isl::set::universe(isl::space::unit(ctx));
  for (const Parameter &p : nest_.parameters) {
    if (!p.stride || p.stride->loop != loop) continue;
    const int at = isl_map_find_dim_by_id(touched.get(), isl_dim_param, isl::id(ctx, p.id).get());
    if (at < 0) continue;
    const isl::id now(ctx, p.id), then(ctx, p.id + "later");
    touched = isl::manage(
        isl_map_set_dim_id(touched.release(), isl_dim_param, static_cast<unsigned>(at), isl::id(then).release()));
    const isl::pw_aff before = all.param_pw_aff_on_domain(now), behind = all.param_pw_aff_on_domain(then);
    const isl::pw_aff &by = p.stride->by, zero = all.pw_aff_on_domain(0);
    order = order.intersect(behind.ge_set(before.add(by)).unite(by.lt_set(zero)));
  }
  return touched;
}

Dependences::Meeting Dependences::meeting(const std::optional<isl::map> &first, const std::optional<isl::map> &second,
                                          unsigned loop) const {
  if (!first || !second) return {};
  const std::int64_t step = nest_.loops[loop].step;
  auto distances = nest_.isl.limited([&]() -> std::optional<isl::set> {
    isl::set order = isl::set::universe(isl::space::unit(nest_.isl.get()));
    isl::map pairs = first->apply_range(later(*second, loop, order).reverse()).intersect_params(order);
    pairs = isl::manage(step > 0 ? isl_map_order_lt(pairs.release(), isl_dim_in, 0, isl_dim_out, 0)
                                 : isl_map_order_gt(pairs.release(), isl_dim_in, 0, isl_dim_out, 0));
    if (pairs.is_empty()) return std::nullopt;
    return pairs.deltas();
  });
  if (!distances) return {};
  if (!*distances) return {false, true, std::nullopt};
  auto fixed = nest_.isl.limited([&]() -> std::optional<std::int64_t> {
    isl::set any = (*distances)->project_out_all_params();
    isl::val lo = any.dim_min_val(0), hi = any.dim_max_val(0);
    if (!lo.is_int() || !lo.eq(hi)) return std::nullopt;
    return lo.num_si() / step;
  });
  return {true, true, fixed ? *fixed : std::nullopt};
}

std::vector<Dependence> Dependences::all(unsigned loop) const {
  if (!nest_.dependences) nest_.dependences = std::make_shared<KnownDependences>();
  auto &known = nest_.dependences->ofLoops;
  if (const auto before = known.find(loop); before != known.end()) return before->second;
  std::map<unsigned, std::vector<const Access *>> byVariable;
  for (unsigned s : nest_.statementsOf(loop))
    for (const Access &a : nest_.statements[s].accesses) {
      const std::vector<unsigned> &around = nest_.statements[s].loops;
      const auto depth = static_cast<unsigned>(std::find(around.begin(), around.end(), loop) - around.begin());
      if (!a.controls || *a.controls > depth) byVariable[a.variable].push_back(&a);
    }
  const ast::Assumed &assumed = nest_.codelet->assumed;
  const bool isIndependent = std::find(assumed.begin(), assumed.end(), nest_.loops[loop].variable) != assumed.end();
  const Exchanges exchanges(nest_, loop);
  std::vector<Dependence> found;
  bool allKnown = true;
  for (const auto &[variable, accesses] : byVariable) {
    const std::vector<unsigned> &scope = nest_.variables[variable].scope;
    if (std::find(scope.begin(), scope.end(), loop) != scope.end()) continue; // each iteration has one of its own
    if (std::none_of(accesses.begin(), accesses.end(), [](const Access *a) { return writes(*a); })) continue;
    if (isIndependent && nest_.variables[variable].container) continue;
    const bool several = std::all_of(accesses.begin(), accesses.end(), [&](const Access *a) {
      return a->delinearized && a->delinearized->extents == accesses[0]->delinearized->extents;
    });
    // { [iteration] -> element }, once for all accesses that touch the same.
    std::vector<std::optional<isl::map>> touched;
    std::vector<std::size_t> which;
    std::vector<bool> certain;
    for (const Access *a : accesses) {
      const isl::set &place = several ? a->delinearized->elements : a->elements;
      std::vector<unsigned> deeper = nest_.inner(nest_.statements[a->statement], loop);
      certain.push_back(a->exact && !nest_.followsData(place, deeper));
      deeper.erase(deeper.begin());
      const auto elements = nest_.isl.limited([&] {
        isl::set &assumed = nest_.dependences->elements[{a, several}];
        if (assumed.is_null()) assumed = place.intersect_params(nest_.assumed);
        return nest_.relationByStrides(nest_.without(assumed, deeper), loop);
      });
      const auto same = std::find_if(touched.begin(), touched.end(), [&](const std::optional<isl::map> &other) {
        return elements && other && isl_map_plain_is_equal(other->get(), elements->get()) == isl_bool_true;
      });
      which.push_back(static_cast<std::size_t>(same - touched.begin()));
      if (same == touched.end()) touched.push_back(elements);
    }
    std::map<std::pair<std::size_t, std::size_t>, Meeting> meetings;
    for (std::size_t i = 0; i < accesses.size(); ++i)
      for (std::size_t j = 0; j < accesses.size(); ++j) {
        if (!writes(*accesses[i]) && !writes(*accesses[j])) continue;
        if (inOwnSegments(nest_, *accesses[i], *accesses[j], loop) || exchanges.apart(*accesses[i], *accesses[j]))
          continue;
        const auto [entry, fresh] = meetings.try_emplace({which[i], which[j]});
        if (fresh) entry->second = meeting(touched[which[i]], touched[which[j]], loop);
        const Meeting &m = entry->second;
        allKnown &= m.known;
        if (m.meets)
          found.push_back({accesses[i], accesses[j], kindOf(*accesses[i], *accesses[j]), m.distance,
                           m.known && certain[i] && certain[j]});
      }
  }
  if (allKnown) known.emplace(loop, found); // a limit around this question may be why something is not
  return found;
}

std::vector<unsigned> Dependences::privatizable(unsigned loop, const std::vector<Dependence> &found) const {
  std::set<unsigned> candidates;
  for (const Dependence &d : found) {
    const Variable &v = nest_.variables[d.first->variable];
    if (v.rank == 0 && !v.container) candidates.insert(d.first->variable);
  }
  std::vector<unsigned> result;
  for (unsigned variable : candidates)
    if (isPrivate(variable, loop)) result.push_back(variable);
  return result;
}

bool Dependences::isPrivate(unsigned variable, unsigned loop) const {
  if (!nest_.dependences) nest_.dependences = std::make_shared<KnownDependences>();
  auto &known = nest_.dependences->isPrivate;
  if (const auto before = known.find({variable, loop}); before != known.end()) return before->second;
  const std::optional<bool> own = nest_.isl.limited([&] { return isOwn(variable, loop); });
  // A limit around this question may be why it is not.
  if (own || isl_ctx_get_max_operations(nest_.isl.get().get()) == 0)
    known.emplace(std::pair(variable, loop), own.value_or(false));
  return own.value_or(false);
}

bool Dependences::isOwn(unsigned variable, unsigned loop) const {
  isl::ctx ctx = nest_.isl.get();
  isl::union_map none = isl::union_map::empty(ctx), readsInside = none, readsOutside = none, certain = none,
                 certainInside = none, possible = none, possibleInside = none, schedule = none, sameIteration = none;
  isl::union_set inside = isl::union_set::empty(ctx);
  const std::vector<unsigned> mine = nest_.statementsOf(loop);
  std::vector<unsigned> accessing; // statements of the loop that access the variable
  auto named = [](unsigned statement) { return fmt::format("S{}", statement); };
  std::vector<isl::map> &order = nest_.dependences->order;
  if (order.empty()) order = sourceOrder(nest_);
  for (unsigned s = 0; s < nest_.statements.size(); ++s) {
    const Statement &st = nest_.statements[s];
    if (std::none_of(st.accesses.begin(), st.accesses.end(), [&](const Access &a) { return a.variable == variable; }))
      continue;
    const bool within = std::find(mine.begin(), mine.end(), s) != mine.end();
    // Accesses have the domain. Once more in the schedule, each piece of a domain meets each, which takes minutes.
    const isl::map when = order[s].set_domain_tuple(named(s));
    schedule = schedule.unite(when.to_union_map());
    if (within) {
      accessing.push_back(s);
      inside = inside.unite(isl::set::universe(when.space().domain()).to_union_set());
    }
    for (const Access &a : st.accesses) {
      if (a.variable != variable) continue;
      isl::map &relation = nest_.dependences->relations[&a];
      if (relation.is_null()) relation = nest_.relation(a.elements.intersect_params(nest_.assumed), st.loops);
      const isl::union_map m = relation.set_domain_tuple(named(s)).to_union_map();
      if (a.kind != AccessKind::Write)
        (within ? readsInside : readsOutside) = (within ? readsInside : readsOutside).unite(m);
      if (a.kind == AccessKind::Read) continue;
      const bool surely = a.exact && a.certain && !nest_.followsData(st.domain, st.loops);
      (surely ? certain : possible) = (surely ? certain : possible).unite(m);
      if (within) (surely ? certainInside : possibleInside) = (surely ? certainInside : possibleInside).unite(m);
    }
  }
  // What is read and no iteration surely writes comes from elsewhere: that takes no computation of flows.
  if (!readsInside.is_empty() && certainInside.is_empty()) return false;
  for (unsigned s : accessing)
    for (unsigned t : accessing) {
      const std::vector<unsigned> &loops = nest_.statements[s].loops, &others = nest_.statements[t].loops;
      auto depth = static_cast<unsigned>(std::find(loops.begin(), loops.end(), loop) - loops.begin()) + 1;
      isl::map equal = isl::map::universe(isl::manage(
          isl_space_alloc(ctx.get(), 0, static_cast<unsigned>(loops.size()), static_cast<unsigned>(others.size()))));
      for (unsigned d = 0; d < depth; ++d)
        equal = isl::manage(
            isl_map_equate(equal.release(), isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d)));
      sameIteration = sameIteration.unite(equal.set_domain_tuple(named(s)).set_range_tuple(named(t)).to_union_map());
    }
  auto flow = [&](const isl::union_map &reads, const isl::union_map &sure, const isl::union_map &maybe) {
    return isl::union_access_info(reads)
        .set_must_source(sure)
        .set_may_source(maybe)
        .set_schedule_map(schedule)
        .compute_flow();
  };
  // What an iteration reads it has written, and nobody reads it behind the loop.
  isl::union_flow own = flow(readsInside, certainInside, possibleInside);
  if (!own.may_no_source().is_empty() || !own.may_dependence().is_subset(sameIteration)) return false;
  return flow(readsOutside, certain, possible).may_dependence().intersect_domain(inside).is_empty();
}

Carried Dependences::carried(unsigned loop) const {
  Carried result;
  std::vector<Dependence> found = all(loop);
  std::vector<Dependence> forbidding;
  for (const Dependence &d : found)
    if (!combine(*d.first, *d.second)) forbidding.push_back(d);
  if (!forbidding.empty()) result.privatizable = privatizable(loop, forbidding);
  auto privatized = [&](unsigned variable) {
    return std::find(result.privatizable.begin(), result.privatizable.end(), variable) != result.privatizable.end();
  };
  std::erase_if(forbidding, [&](const Dependence &d) { return privatized(d.first->variable); });
  if (!forbidding.empty()) {
    result.kind = Carried::Kind::Dependence;
    auto sure = std::find_if(forbidding.begin(), forbidding.end(),
                             [](const Dependence &d) { return d.certain && d.kind == DependenceKind::Flow; });
    if (sure == forbidding.end())
      sure = std::find_if(forbidding.begin(), forbidding.end(), [](const Dependence &d) { return d.certain; });
    result.dependence = sure == forbidding.end() ? forbidding.front() : *sure;
    return result;
  }
  const auto combined = [&](const Access &a, bool atomic) {
    if (privatized(a.variable)) return;
    auto known = std::find_if(result.reductions.begin(), result.reductions.end(),
                              [&](const Reduction &r) { return r.variable == a.variable; });
    if (known != result.reductions.end()) {
      known->atomic &= atomic;
    } else if (a.selection) {
      const ast::BinaryOp compare = nest_.selections[*a.selection].compare;
      const bool greatest = compare == ast::BinaryOp::Gt || compare == ast::BinaryOp::Ge;
      result.reductions.push_back(
          {a.variable, greatest ? ReductionOp::Max : ReductionOp::Min, false, true, a.selection});
    } else {
      result.reductions.push_back({a.variable, *a.update, atomic, nest_.variables[a.variable].type.isInteger()});
    }
  };
  for (const Dependence &d : found)
    combined(*d.first, d.first->kind == AccessKind::Atomic && d.second->kind == AccessKind::Atomic);
  // Scalars that no more than one iteration updates, as of a condition c == place.
  for (unsigned s : nest_.statementsOf(loop))
    for (const Access &a : nest_.statements[s].accesses) {
      const Variable &v = nest_.variables[a.variable];
      const bool own = std::find(v.scope.begin(), v.scope.end(), loop) != v.scope.end();
      if (v.rank == 0 && !v.container && !own && writes(a) && (a.update || a.selection))
        combined(a, a.kind == AccessKind::Atomic);
    }
  if (!result.reductions.empty()) result.kind = Carried::Kind::Reduction;
  return result;
}

std::size_t Dependences::parallelLoops() const {
  std::size_t all = 0;
  for (unsigned loop = 0; loop < nest_.loops.size(); ++loop) all += carried(loop).kind == Carried::Kind::Nothing;
  return all;
}

std::size_t Dependences::unorderedLoops() const {
  std::size_t all = 0;
  for (unsigned loop = 0; loop < nest_.loops.size(); ++loop) all += carried(loop).kind != Carried::Kind::Dependence;
  return all;
}

std::string describe(const Nest &nest, const Dependence &d, unsigned loop) {
  auto shown = [](const Access &a) {
    const ast::SourceRange &range = a.node->range;
    std::string place = range.line ? fmt::format(" ({}:{})", range.line, range.column) : "";
    return fmt::format("'{}'{}", spelled(a.node), place);
  };
  std::string when = "an earlier iteration";
  if (d.distance)
    when = *d.distance == 1 ? "the iteration before" : fmt::format("the iteration {} before", *d.distance);
  std::string verb, before;
  switch (d.kind) {
  case DependenceKind::Flow: verb = "reads", before = "writes"; break;
  case DependenceKind::Anti: verb = "writes", before = "reads"; break;
  case DependenceKind::Output: verb = "writes", before = "writes"; break;
  }
  return fmt::format("in loop '{}', {} {}{} what {} {} as {}", nest.loops[loop].variable, shown(*d.second),
                     d.certain ? "" : "may ", d.certain ? verb : verb.substr(0, verb.size() - 1), when, before,
                     shown(*d.first));
}

namespace {

/// Positions and iterators from the outside in, one statement each.
void order(const Nest &nest, const std::vector<Item> &items, std::vector<isl::pw_aff> &prefix, long &position,
           std::vector<std::vector<isl::pw_aff>> &times) {
  isl::set all = isl::set::universe(isl::space::unit(nest.isl.get()));
  auto constant = [&](long n) { return all.pw_aff_on_domain(n); };
  for (const Item &item : items) {
    switch (item.kind) {
    case Item::Kind::Statement:
      times[item.index] = prefix;
      times[item.index].push_back(constant(position++));
      break;
    case Item::Kind::Guard:
      order(nest, item.body, prefix, position, times);
      order(nest, item.otherwise, prefix, position, times);
      break;
    case Item::Kind::Loop: {
      const Loop &l = nest.loops[item.index];
      isl::pw_aff i = all.param_pw_aff_on_domain(isl::id(nest.isl.get(), l.id));
      prefix.push_back(constant(position++));
      prefix.push_back(l.step > 0 ? i : i.neg());
      long inner = 0;
      order(nest, item.body, prefix, inner, times);
      prefix.resize(prefix.size() - 2);
      break;
    }
    }
  }
}

} // namespace

std::vector<std::vector<isl::pw_aff>> sourceTimes(const Nest &nest) {
  std::vector<std::vector<isl::pw_aff>> times(nest.statements.size());
  std::vector<isl::pw_aff> prefix;
  long position = 0;
  order(nest, nest.items, prefix, position, times);
  return times;
}

std::vector<isl::map> timeMaps(const Nest &nest, std::vector<std::vector<isl::pw_aff>> times) {
  std::size_t longest = 0;
  for (const auto &t : times) longest = std::max(longest, t.size());
  isl::pw_aff zero = isl::set::universe(isl::space::unit(nest.isl.get())).pw_aff_on_domain(0);
  std::vector<isl::map> maps;
  for (std::size_t s = 0; s < times.size(); ++s) {
    times[s].resize(longest, zero);
    maps.push_back(nest.relation(nest.tuple(times[s]), nest.statements[s].loops));
  }
  return maps;
}

std::vector<isl::map> sourceOrder(const Nest &nest) { return timeMaps(nest, sourceTimes(nest)); }

} // namespace tangram::nest
