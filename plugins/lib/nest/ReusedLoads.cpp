#include "tangram/nest/ReusedLoads.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/map.h>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr std::size_t kMostRegisters = 32;
constexpr std::int64_t kFarthestStep = 1 << 20;

bool isKnown(const Nest &nest, const Access &a) {
  return a.index && !nest.followsData(a.elements, nest.statements[a.statement].loops);
}

bool hasKnownPlace(const Nest &nest, const Access &a) {
  return a.delinearized && !a.delinearized->index.empty() &&
         !nest.followsData(a.delinearized->elements, nest.statements[a.statement].loops);
}

class Finder {
public:
  Finder(const Nest &nest, unsigned loop) : nest_(nest), loop_(loop) {
    for (const Statement &s : nest.statements)
      for (const Access &a : s.accesses)
        if (a.kind != AccessKind::Read) written_.insert(a.variable);
    for (const Item &item : nest.items) collect(item, {});
  }

  std::vector<ReusedLoad> run() {
    for (const unsigned s : nest_.statementsOf(loop_))
      for (const Access &a : nest_.statements[s].accesses) add(a);
    link();
    return used();
  }

private:
  /// The conditions in front of each statement.
  void collect(const Item &item, const std::vector<Condition> &around) {
    if (item.kind == Item::Kind::Statement) conditions_[item.index] = around;
    std::vector<Condition> inside = around, otherwise = around;
    if (item.kind == Item::Kind::Guard) {
      inside.push_back({nest_.guards[item.index].cond, true});
      otherwise.push_back({nest_.guards[item.index].cond, false});
    }
    for (const Item &inner : item.body) collect(inner, inside);
    for (const Item &inner : item.otherwise) collect(inner, otherwise);
  }

  void add(const Access &a) {
    const Variable &v = nest_.variables[a.variable];
    const auto *element = dyn<Subscript>(a.node);
    if (!element || !v.container || !v.given || written_.count(a.variable) || !v.type.isScalar() || !a.exact ||
        !isKnown(nest_, a))
      return;
    if (!a.certain || !isConditional(a)) return;
    std::vector<Condition> conditions = isAlways(a) ? std::vector<Condition>() : conditions_[a.statement];
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      ReusedLoad &known = loads_[i];
      const bool weaker = conditions.empty() && !known.conditions.empty();
      if (!equal(known.element, element) ||
          !(weaker || known.conditions.empty() || alike(known.conditions, conditions)))
        continue;
      if (weaker) known.conditions.clear(), accesses_[i] = &a;
      return known.places.push_back(element);
    }
    ReusedLoad load;
    load.element = element;
    load.conditions = std::move(conditions);
    load.places = {element};
    loads_.push_back(std::move(load));
    accesses_.push_back(&a);
  }

  static bool alike(const std::vector<Condition> &a, const std::vector<Condition> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Condition &x, const Condition &y) {
      return x.holds == y.holds && equal(x.cond, y.cond);
    });
  }

  /// Whether nothing but its conditions says which iterations come to it, and any iteration may ask these.
  bool isConditional(const Access &a) const {
    const Statement &s = nest_.statements[a.statement];
    const auto known = conditions_.find(a.statement);
    return s.exact && s.guards.empty() && known != conditions_.end() &&
           std::all_of(s.loops.begin(), s.loops.end(), [&](unsigned l) { return nest_.loops[l].exact; }) &&
           std::none_of(known->second.begin(), known->second.end(), [](const Condition &c) {
             return hasEffects(c.cond) || contains<Subscript>(c.cond) || contains<Call>(c.cond);
           });
  }

  /// Whether each iteration comes to its statement.
  bool isAlways(const Access &a) {
    const Statement &s = nest_.statements[a.statement];
    if (conditions_.at(a.statement).empty()) return true;
    const auto [known, fresh] = always_.try_emplace(a.statement, false);
    if (fresh) {
      const auto holds = nest_.isl.limited([&] {
        isl::set all = nest_.context;
        for (const unsigned l : s.loops) all = all.intersect(nest_.loops[l].values);
        return all.is_subset(s.domain.intersect_params(nest_.context));
      });
      known->second = holds.value_or(false);
    }
    return known->second;
  }

  /// Whether it changes with the loop, indices that do not are the same, and others so far apart as the loop goes in
  /// `distance` iterations. What is not found out here, isl is asked: of loops that are written out there are many
  /// pairs.
  bool mayFollow(const Access &a, const Access &b, unsigned distance) const {
    if (a.variable != b.variable || isUnchanged(a) ||
        nest_.statements[a.statement].loops != nest_.statements[b.statement].loops)
      return false;
    const isl::id id(nest_.isl.get(), nest_.loops[loop_].id);
    for (std::size_t d = 0; d < a.index->size(); ++d) {
      const isl::pw_aff &mine = (*a.index)[d], &other = (*b.index)[d];
      if (!involves(mine, id) && !involves(other, id) &&
          isl_pw_aff_plain_is_equal(mine.get(), other.get()) != isl_bool_true)
        return false;
      if (isElsewhere(mine, other, id, distance)) return false;
    }
    return true;
  }

  /// Of indices that are affine as they are: whether the one is another one than the other was so many iterations
  /// before.
  bool isElsewhere(const isl::pw_aff &mine, const isl::pw_aff &other, const isl::id &id, unsigned distance) const {
    if (!mine.isa_aff() || !other.isa_aff()) return false;
    const isl::pw_aff between = mine.sub(other);
    if (!between.isa_aff()) return false;
    const isl::aff before = other.as_aff(), apart = between.as_aff();
    if (isl_aff_dim(apart.get(), isl_dim_div) != 0) return false;
    if (!apart.is_cst()) return true;
    const int at = isl_aff_find_dim_by_name(before.get(), isl_dim_param, id.name().c_str());
    const isl::val along = at < 0 ? isl::val(nest_.isl.get(), 0)
                                  : isl::manage(isl_aff_get_coefficient_val(before.get(), isl_dim_param, at));
    const long gone = static_cast<long>(nest_.loops[loop_].step) * static_cast<long>(distance);
    return !apart.constant_val().add(along.mul(isl::val(nest_.isl.get(), gone))).is_zero();
  }

  static bool involves(const isl::pw_aff &a, const isl::id &id) {
    return isl_pw_aff_involves_param_id(a.get(), id.get()) != isl_bool_false;
  }

  void link() {
    const std::size_t written = loads_.size();
    for (const unsigned distance : {1U, 2U})
      for (std::size_t i = 0; i < written; ++i)
        for (std::size_t k = 0; k < written && !loads_[i].before; ++k)
          if (i != k && mayFollow(*accesses_[i], *accesses_[k], distance) &&
              followsInLaterIteration(nest_, *accesses_[i], *accesses_[k], loop_, distance)) {
            loads_[i].before = k;
            if (distance == 1) continue;
            loads_[i].before = loads_.size();
            ReusedLoad between;
            between.element = loads_[i].element;
            between.conditions = loads_[i].conditions;
            between.ahead = 1;
            between.before = k;
            loads_.push_back(std::move(between));
          }
  }

  /// Those that stand in a chain, and the chains whole.
  std::vector<ReusedLoad> used() {
    std::vector<bool> needed(loads_.size());
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      std::size_t at = i, length = 0;
      for (; loads_[at].before; at = *loads_[at].before)
        if (++length > loads_.size()) return {}; // elements that go round in a circle
      if (loads_[i].before) needed[i] = needed[*loads_[i].before] = true;
    }
    std::vector<std::size_t> number(loads_.size());
    std::vector<ReusedLoad> result;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      number[i] = result.size();
      if (needed[i]) result.push_back(loads_[i]);
    }
    if (result.empty()) return {};
    std::size_t registers = 0;
    for (ReusedLoad &l : result) {
      if (l.before) l.before = number[*l.before];
      registers += (l.element->type.bytes() + 3) / 4;
    }
    if (registers > kMostRegisters) return {};
    for (std::size_t i = 0; i < accesses_.size() && registers <= 2 * kMostRegisters; ++i) {
      if (needed[i] || !isUnchanged(*accesses_[i])) continue;
      result.push_back(loads_[i]);
      result.back().unchanged = true;
      registers += (loads_[i].element->type.bytes() + 3) / 4;
    }
    return result;
  }

  /// Whether each iteration loads the same.
  bool isUnchanged(const Access &a) const {
    const isl::id id(nest_.isl.get(), nest_.loops[loop_].id);
    return std::none_of(a.index->begin(), a.index->end(), [&](const isl::pw_aff &i) { return involves(i, id); });
  }

  const Nest &nest_;
  unsigned loop_;
  std::set<unsigned> written_;
  std::map<unsigned, std::vector<Condition>> conditions_; // of statements
  std::map<unsigned, bool> always_;                       // whether each iteration comes to them
  std::vector<ReusedLoad> loads_;
  std::vector<const Access *> accesses_; // one of each
};

} // namespace

bool followsInLaterIteration(const Nest &nest, const Access &access, const Access &earlier, unsigned loop,
                             unsigned distance) {
  const std::vector<unsigned> &loops = nest.statements[earlier.statement].loops;
  const auto at = std::find(loops.begin(), loops.end(), loop);
  const Loop &l = nest.loops[loop];
  const bool known = haveSameExtents(access, earlier) ? hasKnownPlace(nest, access) : isKnown(nest, access);
  if (!known || nest.statements[access.statement].loops != loops || at == loops.end() || !l.begin ||
      std::abs(l.step) > kFarthestStep)
    return false;
  const auto [mine, other] = comparable(access, earlier);
  const auto holds = nest.isl.limited([&] {
    const auto depth = static_cast<int>(loops.size()), moved = static_cast<int>(at - loops.begin());
    const isl::set sizes = nest.context.intersect(nest.assumed);
    const isl::map now = nest.relation(mine.intersect_params(sizes), loops);
    const isl::map then = nest.relation(other.intersect_params(sizes), loops);
    const isl::pw_aff i =
        isl::set::universe(isl::space::unit(nest.isl.get())).param_pw_aff_on_domain(isl::id(nest.isl.get(), l.id));
    const isl::pw_aff behind = l.begin->add_constant(static_cast<long>(distance) * l.step);
    const isl::set first = nest.points(l.step > 0 ? i.lt_set(behind) : i.gt_set(behind), loops);
    // { [..., i, ...] -> [..., i - distance * step, ...] }
    isl_map *shifted = isl_map_universe(isl_space_map_from_set(first.space().release()));
    for (int d = 0; d < depth; ++d)
      if (d != moved) shifted = isl_map_equate(shifted, isl_dim_in, d, isl_dim_out, d);
    isl_constraint *step = isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(shifted)));
    step = isl_constraint_set_coefficient_si(step, isl_dim_in, moved, 1);
    step = isl_constraint_set_coefficient_si(step, isl_dim_out, moved, -1);
    step = isl_constraint_set_constant_si(step, -static_cast<int>(l.step) * static_cast<int>(distance));
    const isl::map before = isl::manage(isl_map_add_constraint(shifted, step));
    const isl::map later = now.subtract(now.intersect_domain(first));
    return !later.is_empty() && later.is_subset(before.apply_range(then));
  });
  return holds && *holds;
}

std::vector<ReusedLoad> reusedLoads(const Nest &nest, unsigned loop) { return Finder(nest, loop).run(); }

} // namespace tangram::nest
