#include "TimeSteps.h"
#include "Captures.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Dependences.h"

#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>

namespace tangram::divide {

using namespace ast;
using nest::AccessKind;

namespace {

constexpr std::size_t kMostGridDimensions = 3;
constexpr std::int64_t kFarthestRead = 64; // from the element that is written: tiles have to be larger

/// Of elements that are written and those that are touched with them: where the latter are, by dimension.
struct Distance {
  isl::val least, most;
};

class StepReader {
public:
  StepReader(const nest::Nest &nest, unsigned loop, Arena &arena, std::string &why)
      : nest_(nest), number_(loop), loop_(*nest.loops[loop].node), arena_(arena), why_(why) {}

  std::optional<TimeSteps> run() {
    if (contains<SpectrumCall>(&loop_) || contains<Map>(&loop_) || contains<Return>(&loop_) || jumpsOut(loop_.body) ||
        contains<Atomic>(&loop_))
      return failed("it calls, or leaves, something");
    const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, number_, arena_, why_);
    if (!range || !range->decoded.empty()) return {};
    result_.range = *range;
    std::vector<const For *> loops;
    for (const Stmt *s : loop_.body->stmts) {
      if (const auto *loop = dyn<For>(s)) {
        loops.push_back(loop);
      } else if (const auto *d = dyn<Declare>(s); d && d->type.isScalar() && d->extents.empty()) {
        result_.declarations.push_back(d);
      } else {
        return failed("what stands in it is not loops alone");
      }
    }
    changed_ = changedBy(&loop_);
    for (const For *loop : loops)
      if (!update(loop)) return {};
    for (const Stmt *d : result_.declarations)
      if (mentionsStates(d)) return failed("a scalar of a step follows from the grid");
    if (result_.updates.empty() || !states()) return {};
    result_.reach.assign(result_.rank, 0);
    for (std::size_t u = 0; u < result_.updates.size(); ++u) {
      if (!distances(u)) return {};
      for (std::size_t d = 0; d < result_.rank; ++d) result_.reach[d] += result_.updates[u].reach[d];
    }
    if (std::all_of(result_.reach.begin(), result_.reach.end(), [](std::int64_t r) { return r == 0; }))
      return failed("no step reads beside what it writes");
    return std::move(result_);
  }

private:
  std::optional<TimeSteps> failed(const std::string &why) {
    why_ = why;
    return {};
  }
  bool refuse(const std::string &why) {
    why_ = why;
    return false;
  }

  /// The containers that statements of a loop write, by name.
  std::map<std::string, const Subscript *> writtenBy(const Node *tree) {
    std::map<std::string, const Subscript *> result;
    const auto place = [&](const Expr *target) {
      const auto *element = dyn<Subscript>(target);
      const auto *container = element ? dyn<VarRef>(element->base) : nullptr;
      if (container && container->type.isArray()) result.emplace(container->name, element);
    };
    walk(
        tree, [&](const Assign &a) { place(a.target); },
        [&](const Unary &u) {
          if (hasEffects(&u)) place(u.operand);
        });
    return result;
  }

  bool update(const For *outermost) {
    GridUpdate u;
    u.outermost = outermost;
    const auto written = writtenBy(outermost);
    if (written.empty()) return refuse("one of its loops writes no container");
    const Subscript *target = written.begin()->second;
    if (result_.rank == 0) result_.rank = target->indices.size();
    if (result_.rank > kMostGridDimensions) return refuse("its containers have more than three dimensions");
    for (const auto &[name, element] : written) {
      if (element->indices.size() != result_.rank) return refuse("it writes containers of different dimensions");
      for (std::size_t d = 0; d < result_.rank; ++d)
        if (!equal(nest::withoutWidening(element->indices[d]), nest::withoutWidening(target->indices[d])))
          return refuse("one loop writes elements at different places");
      auto &known = states_[name];
      if (!known) known = as<VarRef>(element->base);
    }
    u.iterators.assign(result_.rank, "");
    u.types.assign(result_.rank, Type());
    u.begin.assign(result_.rank, nullptr);
    u.end.assign(result_.rank, nullptr);
    std::vector<unsigned> chain;
    const Build build(arena_, outermost->range);
    for (const For *loop = outermost; loop;) {
      const auto known =
          std::find_if(nest_.loops.begin(), nest_.loops.end(), [&](const nest::Loop &l) { return l.node == loop; });
      if (known == nest_.loops.end()) return refuse("one of its loops was not read");
      const auto number = static_cast<unsigned>(known - nest_.loops.begin());
      std::size_t dim = 0;
      while (dim < result_.rank) {
        const auto *index = dyn<VarRef>(nest::withoutWidening(target->indices[dim]));
        if (index && index->name == known->variable) break;
        ++dim;
      }
      if (dim == result_.rank) break;
      if (!known->exact || known->step != 1) return refuse("one of its loops does not count up by one");
      if (nest::Dependences(nest_).carried(number).kind != nest::Carried::Kind::Nothing)
        return refuse(fmt::format("loop '{}' is not parallel", known->variable));
      const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, number, arena_, why_);
      if (!range || !range->decoded.empty() || range->step != 1) return refuse("one of its loops has no range");
      u.iterators[dim] = known->variable;
      u.types[dim] = known->type;
      u.begin[dim] = build.cast(nest::kInteger, range->begin);
      u.end[dim] = build.cast(nest::kInteger, range->end);
      chain.push_back(number);
      u.body = loop->body;
      loop = loop->body->stmts.size() == 1 ? dyn<For>(loop->body->stmts[0]) : nullptr;
    }
    if (chain.empty()) return refuse("one of its loops counts no dimension of what it writes");
    for (std::size_t d = 0; d < result_.rank; ++d)
      if (u.iterators[d].empty()) {
        u.begin[d] = build.cast(nest::kInteger, target->indices[d]);
        u.end[d] = build.add(u.begin[d], build.integer(nest::kInteger, 1));
      }
    for (std::size_t d = 0; d < result_.rank; ++d)
      for (const Expr *bound : {u.begin[d], u.end[d]})
        if (!stays(bound)) return refuse("bounds of a loop change from step to step");
    // What it changes beside the grid is its own.
    std::set<std::string> own;
    walk(u.body, [&](const Declare &d) { own.insert(d.name); });
    for (const std::string &name : changedBy(u.body))
      if (!own.count(name) && !written.count(name)) return refuse(fmt::format("it changes '{}'", name));
    chains_.push_back(chain);
    result_.updates.push_back(std::move(u));
    return true;
  }

  /// Whether it is the same in all steps.
  bool stays(const Expr *e) const {
    bool same = !contains<Subscript>(e) && !contains<Call>(e);
    walk(e, [&](const VarRef &v) { same &= v.type.isArray() || (!changed_.count(v.name) && !declaredInside(v.name)); });
    return same;
  }
  bool declaredInside(const std::string &name) const {
    return any<Declare>(&loop_, [&](const Declare &d) { return d.name == name; });
  }
  bool mentionsStates(const Node *tree) const {
    return any<Subscript>(tree, [&](const Subscript &s) {
      const VarRef *root = rootVariable(&s);
      return root && states_.count(root->name);
    });
  }

  bool states() {
    for (const auto &[name, container] : states_) {
      if (!container->type.element().isScalar()) return refuse("its elements are no numbers");
      if (container->type.rank() != result_.rank) return refuse("its containers are parts of others");
      // Each mention is an element, or a size.
      std::size_t mentions = 0, known = 0;
      walk(
          &loop_, [&](const VarRef &v) { mentions += v.name == name; },
          [&](const Subscript &s) {
            const auto *base = dyn<VarRef>(s.base);
            known += base && base->name == name && s.indices.size() == result_.rank;
          },
          [&](const Size &s) {
            const auto *base = dyn<VarRef>(s.container);
            known += base && base->name == name;
          });
      if (mentions != known) return refuse(fmt::format("'{}' is used as a whole, or by rows", name));
      result_.states.push_back({container, overwrittenBy(name)});
    }
    return true;
  }
  std::optional<std::size_t> overwrittenBy(const std::string &name) const {
    std::optional<std::size_t> first;
    for (std::size_t u = 0; u < result_.updates.size(); ++u) {
      bool reads = false, writes = false, always = true;
      for (const unsigned s : nest_.statementsOf(chains_[u].back()))
        for (const nest::Access &a : nest_.statements[s].accesses) {
          if (nest_.variables[a.variable].name != name) continue;
          (a.kind == AccessKind::Read ? reads : writes) = true;
          if (a.kind == AccessKind::Read) continue;
          // In each iteration of the loops, and of no others.
          always &= a.certain && a.exact && a.kind == AccessKind::Write && nest_.statements[s].guards.empty() &&
                    isWholeDomain(u, nest_.statements[s]);
        }
      if (!first) {
        if (reads) return {};
        if (!writes) continue;
        if (!always) return {};
        first = u;
      } else if (writes) {
        return {};
      }
    }
    return first;
  }
  isl::set values(std::size_t u) const {
    isl::set all = nest_.assumed;
    for (const unsigned l : chains_[u]) all = all.intersect(nest_.loops[l].values);
    return all;
  }
  bool isWholeDomain(std::size_t u, const nest::Statement &s) const {
    const auto same = nest_.isl.limited([&] {
      return s.exact &&
             values(u).intersect(nest_.loops[number_].values).is_subset(nest_.without(s.domain, inner(u, s)));
    });
    return same && *same;
  }
  /// Loops of a statement within those of the update.
  std::vector<unsigned> inner(std::size_t u, const nest::Statement &s) const {
    std::vector<unsigned> deeper = nest_.inner(s, chains_[u].back());
    if (!deeper.empty()) deeper.erase(deeper.begin());
    return deeper;
  }

  /// How far touched elements lie from those that are written.
  bool distances(std::size_t u) {
    GridUpdate &update = result_.updates[u];
    update.reach.assign(result_.rank, 0);
    const auto found = nest_.isl.limited([&] {
      const nest::Access *target = nullptr;
      std::vector<const nest::Access *> touched;
      for (const unsigned s : nest_.statementsOf(chains_[u].front()))
        for (const nest::Access &a : nest_.statements[s].accesses) {
          if (!states_.count(nest_.variables[a.variable].name)) continue;
          if (!nest_.variables[a.variable].scope.empty()) return refuse("a container is declared in a step");
          touched.push_back(&a);
          if (!target && a.kind != AccessKind::Read && a.exact) target = &a;
        }
      if (!target) return refuse("what it writes is not known exactly");
      for (const nest::Access *a : touched) {
        const std::vector<Distance> all = between(u, *target, *a, {});
        for (std::size_t d = 0; d < result_.rank; ++d) {
          if (!all[d].least.is_int() || !all[d].most.is_int() || all[d].least.num_si() < -kFarthestRead ||
              all[d].most.num_si() > kFarthestRead)
            return refuse(fmt::format("'{}' may be far from the element that is written", nest::spelled(a->node)));
          update.reach[d] = std::max({update.reach[d], -all[d].least.num_si(), all[d].most.num_si()});
        }
        if (!record(*a, all, update.shifts)) return refuse("one subscript stands for several");
      }
      const isl::set inside = this->inside(u);
      for (const nest::Access *a : touched)
        if (!record(*a, between(u, *target, *a, inside), update.shiftsInside))
          return refuse("one subscript stands for several");
      return true;
    });
    if (!found) return refuse("how far steps reach takes too long to find");
    return *found;
  }
  std::vector<Distance> between(std::size_t u, const nest::Access &target, const nest::Access &touched,
                                const isl::set &inside) const {
    const auto elements = [&](const nest::Access &a) {
      const isl::set here =
          nest_.without(a.elements.intersect_params(nest_.assumed), inner(u, nest_.statements[a.statement]));
      isl::map m = nest_.relation(here, chains_[u]);
      return isl::manage(isl_map_reset_tuple_id(m.release(), isl_dim_out));
    };
    isl::map read = elements(touched);
    if (!inside.is_null()) read = read.intersect_domain(inside);
    const isl::set deltas = elements(target).reverse().apply_range(read).deltas().project_out_all_params();
    std::vector<Distance> result;
    for (std::size_t d = 0; d < result_.rank; ++d) {
      const int at = static_cast<int>(d);
      result.push_back({deltas.dim_min_val(at), deltas.dim_max_val(at)});
    }
    return result;
  }
  static bool record(const nest::Access &a, const std::vector<Distance> &distances,
                     std::map<const Subscript *, GridUpdate::Shift> &shifts) {
    const auto *element = dyn<Subscript>(a.node);
    if (!element) return true;
    GridUpdate::Shift shift;
    for (const Distance &d : distances)
      shift.push_back(d.least.is_int() && d.most.is_int() && d.least.eq(d.most) ? std::optional(d.least.num_si())
                                                                                : std::nullopt);
    const auto [known, fresh] = shifts.emplace(element, shift);
    return fresh || known->second == shift;
  }
  /// Iterations that have as many in front of them, and behind them, as the update reaches.
  isl::set inside(std::size_t u) const {
    const isl::set all = nest_.points(values(u), chains_[u]);
    isl::set result = all;
    for (std::size_t l = 0; l < chains_[u].size(); ++l) {
      const std::string &iterator = nest_.loops[chains_[u][l]].variable;
      const auto &iterators = result_.updates[u].iterators;
      const auto d = std::find(iterators.begin(), iterators.end(), iterator) - iterators.begin();
      for (const std::int64_t by : {-result_.updates[u].reach[d], result_.updates[u].reach[d]}) {
        std::string from, to;
        for (std::size_t k = 0; k < chains_[u].size(); ++k) {
          from += fmt::format("{}i{}", k ? ", " : "", k);
          to += k == l ? fmt::format("{}i{} + ({})", k ? ", " : "", k, by) : fmt::format("{}i{}", k ? ", " : "", k);
        }
        const isl::map moved(nest_.isl.get(), fmt::format("{{ [{}] -> [{}] }}", from, to));
        result = result.intersect(all.apply(moved));
      }
    }
    return result;
  }

  const nest::Nest &nest_;
  unsigned number_;
  const For &loop_;
  Arena &arena_;
  std::string &why_;
  TimeSteps result_;
  std::set<std::string> changed_;
  std::map<std::string, const VarRef *> states_;
  std::vector<std::vector<unsigned>> chains_; // of each update, its loops from the outside
};

} // namespace

std::optional<TimeSteps> timeSteps(const nest::Nest &nest, unsigned loop, Arena &arena, std::string &why) {
  return StepReader(nest, loop, arena, why).run();
}

} // namespace tangram::divide
