#include "Divide.h"

#include "Accumulations.h"
#include "Columns.h"
#include "ScanLoops.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Selections.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;

namespace {

constexpr std::size_t kDeepestBand = 4;

std::string identifierOf(const std::string &name) {
  std::string result;
  for (char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

class Divider {
public:
  Divider(nest::Nests &nests, const nest::Nest &nest, const Spectrum &spectrum, const DivideOptions &options,
          Names &names, Arena &arena)
      : nests_(nests), nest_(nest), options_(options), names_(names), arena_(arena), dependences_(nest),
        base_(identifierOf(spectrum.name) + "_" + identifierOf(nest.codelet->name)) {
    own_.reserveAll(nest.codelet);
    for (Accumulation &a : accumulations(nest, options.reorder, arena))
      if (!a.outermost) accumulations_.emplace(a.loop, std::move(a));
  }

  Division run() {
    bool changed = false;
    std::vector<const Stmt *> body = statements(nest_.items, changed);
    if (!changed) return std::move(result_);
    std::vector<const Expr *> conditions = nest_.codelet->conditions;
    conditions.insert(conditions.end(), conditions_.begin(), conditions_.end());
    auto needed = nest::conditions(nest_, arena_);
    bool said = needed.has_value();
    for (const Expr *e : needed.value_or(std::vector<const Expr *>{})) {
      said &= !any<VarRef>(e, [&](const VarRef &v) {
        return std::none_of(nest_.codelet->params.begin(), nest_.codelet->params.end(),
                            [&](const Param *p) { return p->name == v.name; });
      });
      conditions.push_back(e);
    }
    if (!said) {
      decline("", nest_.codelet->range, "for which sizes no index wraps around cannot be said by its parameters");
      result_.spectrums.clear();
      result_.structs.clear();
      return std::move(result_);
    }
    Build build(arena_, nest_.codelet->body->range);
    result_.codelet = arena_.derive(nest_.codelet, [&](Codelet &c) {
      c.name = c.tag = nest_.codelet->name + "_divided";
      c.conditions = conditions;
      c.body = build.block(std::move(body));
    });
    return std::move(result_);
  }

private:
  void decline(const std::string &iterator, SourceRange where, std::string why) {
    result_.refused.push_back({iterator, where, std::move(why)});
  }

  /// The statements of a block, with loops that can be divided replaced by calls.
  std::vector<const Stmt *> statements(const std::vector<Item> &items, bool &changed) {
    std::vector<const Stmt *> out;
    for (const Item &item : items) {
      switch (item.kind) {
      case Item::Kind::Statement: out.push_back(nest_.statements[item.index].node); break;
      case Item::Kind::Guard: out.push_back(guard(item, changed)); break;
      case Item::Kind::Loop: loop(item, out, changed); break;
      }
    }
    return out;
  }

  const Stmt *guard(const Item &item, bool &changed) {
    const nest::Guard &g = nest_.guards[item.index];
    Build build(arena_, g.node->range);
    bool inside = false;
    std::vector<const Stmt *> then = statements(item.body, inside), otherwise = statements(item.otherwise, inside);
    if (!inside && !g.skips) return g.node;
    changed |= inside;
    return g.skips ? build.when(build.logicalNot(g.cond), std::move(otherwise))
                   : build.when(g.cond, std::move(then), std::move(otherwise));
  }

  void loop(const Item &item, std::vector<const Stmt *> &out, bool &changed) {
    const nest::Loop &l = nest_.loops[item.index];
    Carried carried = dependences_.carried(item.index);
    std::string why;
    const auto found = accumulations_.find(item.index);
    const Accumulation *atomically = found == accumulations_.end() ? nullptr : &found->second;
    bool independent = carried.kind == Carried::Kind::Nothing || combinesAtomically(carried, atomically);
    bool done = independent                                ? band(item, out, why, atomically)
                : carried.kind == Carried::Kind::Reduction ? reduction(item, carried, out, why, atomically)
                                                           : scan(item, out);
    if (done) {
      changed = true;
      return;
    }
    if (why.empty()) why = nest::describe(nest_, *carried.dependence, item.index);
    decline(l.variable, l.node->range, fmt::format("loop '{}' is not divided: {}", l.variable, why));
    // What is in it may be.
    bool inside = false;
    std::vector<const Stmt *> body = statements(item.body, inside);
    if (!inside) {
      out.push_back(l.node);
      return;
    }
    changed = true;
    out.push_back(arena_.derive(
        l.node, [&](For &f) { f.body = arena_.derive(l.node->body, [&](Block &b) { b.stmts = std::move(body); }); }));
  }

  /// `atomically`: also what is not, and will be.
  bool combinesAtomically(const Carried &carried, const Accumulation *atomically) const {
    return carried.kind == Carried::Kind::Reduction &&
           std::all_of(carried.reductions.begin(), carried.reductions.end(),
                       [&](const nest::Reduction &r) { return combinesAtomically(r, atomically); });
  }

  bool combinesAtomically(const nest::Reduction &r, const Accumulation *atomically) const {
    const bool atomic = r.atomic || (atomically && atomically->containers.count(nest_.variables[r.variable].name));
    return atomic && (r.exact || options_.reorder);
  }

  std::set<std::string> privatesOf(const Carried &carried) const {
    std::set<std::string> result;
    for (unsigned v : carried.privatizable) result.insert(nest_.variables[v].name);
    return result;
  }

  static bool mentionsAny(const LoopRange &r, const std::vector<LoopRange> &others) {
    auto in = [&](const Expr *e) {
      return any<VarRef>(e, [&](const VarRef &v) {
        return std::any_of(others.begin(), others.end(), [&](const LoopRange &o) { return o.iterator == v.name; });
      });
    };
    return in(r.begin) || in(r.end);
  }

  bool band(const Item &outermost, std::vector<const Stmt *> &out, std::string &why, const Accumulation *atomically) {
    Band band;
    std::optional<LoopRange> first = rangeOf(nest_, outermost.index, arena_, why, true);
    if (!first) return false;
    band.ranges.push_back(*first);
    std::set<std::string> privates = privatesOf(dependences_.carried(outermost.index));
    const Item *innermost = &outermost;
    while (band.ranges.size() < kDeepestBand && innermost->body.size() == 1 &&
           innermost->body[0].kind == Item::Kind::Loop) {
      const Item &next = innermost->body[0];
      Carried carried = dependences_.carried(next.index);
      if (carried.kind != Carried::Kind::Nothing && !combinesAtomically(carried, atomically)) break;
      std::string ignored;
      std::optional<LoopRange> range = rangeOf(nest_, next.index, arena_, ignored, true);
      if (!range || mentionsAny(*range, band.ranges)) break;
      std::set<std::string> both, inner = privatesOf(carried);
      std::set_intersection(privates.begin(), privates.end(), inner.begin(), inner.end(),
                            std::inserter(both, both.end()));
      privates = both;
      band.ranges.push_back(*range);
      innermost = &next;
    }
    band.body = nest::sourceOf(nest_, innermost->body, arena_);
    if (atomically) band.body = withAtomicUpdates(band.body, *atomically, *nest_.module, arena_);
    std::set<std::string> iterators;
    for (const LoopRange &r : band.ranges) iterators.insert(r.iterator);
    std::optional<Captures> captures = capturesOf(nest_, band.body, iterators, privates, arena_, why);
    if (!captures) return false;
    band.captures = std::move(*captures);
    band.privates = options_.privates;
    band.collapse = options_.collapse;
    band.bySteps = std::any_of(nest_.parameters.begin(), nest_.parameters.end(), [&](const nest::Parameter &p) {
      return p.stride && std::any_of(band.ranges.begin(), band.ranges.end(),
                                     [&](const LoopRange &r) { return r.loop == p.stride->loop; });
    });
    if (!atomically) {
      if (band.ranges.size() == 1 && band.captures.own.empty()) band.reduction = pointReduction(*innermost);
      bool inside = false;
      std::vector<const Stmt *> divided = statements(innermost->body, inside);
      if (inside) band.divided = std::move(divided);
    }
    if (const std::size_t n = band.ranges.size(); options_.streams && n >= 2)
      band.stream = streamOf(nests_, nest_, band.ranges[n - 2].loop, band.ranges[n - 1].loop, arena_);
    std::vector<const Spectrum *> made = spectrumsOf(band, base_, names_, arena_);
    result_.spectrums.insert(result_.spectrums.end(), made.begin(), made.end());

    Codelets make(arena_, first->where);
    std::vector<const Expr *> args;
    for (const LoopRange &r : band.ranges) args.push_back(r.range(arena_));
    args.insert(args.end(), band.captures.arguments.begin(), band.captures.arguments.end());
    out.push_back(make.run(make.call(made[0]->name, Type(), std::move(args))));
    return true;
  }

  /// Of a parallel loop whose iterations are declarations, one loop that reduces a scalar, and what comes of it.
  std::shared_ptr<const PointReduction> pointReduction(const Item &point) {
    auto result = std::make_shared<PointReduction>();
    const Item *inner = nullptr;
    for (const Item &item : point.body) {
      if (item.kind == Item::Kind::Loop) {
        if (inner) return nullptr;
        inner = &item;
        continue;
      }
      for (const Stmt *s : nest::sourceOf(nest_, {item}, arena_)) {
        if (!inner && !isa<Declare>(s)) return nullptr;
        (inner ? result->behind : result->before).push_back(s);
      }
    }
    if (!inner) return nullptr;
    const Carried carried = dependences_.carried(inner->index);
    std::string why;
    std::optional<ReductionLoop> loop;
    if (carried.kind == Carried::Kind::Reduction) loop = reductionLoop(*inner, carried, why, nullptr);
    if (!loop || !loop->reorder || writes(inner->index)) return nullptr;
    result->loop = std::move(*loop);
    return result;
  }

  bool writes(unsigned loop) const {
    for (unsigned s : nest_.statementsOf(loop))
      for (const nest::Access &a : nest_.statements[s].accesses)
        if (a.kind != nest::AccessKind::Read && nest_.variables[a.variable].container) return true;
    return false;
  }

  /// A loop that carries updates of scalars, and such as are atomic, and nothing else; its captures are left open.
  std::optional<ReductionLoop> reductionLoop(const Item &item, const Carried &carried, std::string &why,
                                             const Accumulation *atomically) {
    ReductionLoop loop;
    std::map<unsigned, std::map<unsigned, std::size_t>> together; // scalars of selections, by their variables
    for (const nest::Reduction &r : carried.reductions) {
      const nest::Variable &v = nest_.variables[r.variable];
      if (v.container && combinesAtomically(r, atomically)) continue;
      if (v.rank > 0 || v.container || !v.type.isScalar()) {
        why = fmt::format("it carries a reduction into '{}', which is no scalar", v.name);
        return {};
      }
      loop.reorder &= r.exact || options_.reorder;
      auto known = std::find_if(loop.scalars.begin(), loop.scalars.end(),
                                [&](const Reduced &other) { return other.name == v.name; });
      if (known == loop.scalars.end()) {
        if (r.selection) together[*r.selection].emplace(r.variable, loop.scalars.size());
        loop.scalars.push_back({v.name, v.type, r.op});
      } else if (known->op != r.op) {
        why = fmt::format("it carries two reductions into '{}'", v.name);
        return {};
      }
    }
    for (const auto &[number, scalars] : together) {
      const nest::SelectedScalars &selection = nest_.selections[number];
      if (scalars.size() != selection.followers.size() + 1) {
        why = fmt::format("it carries only some of what is set together with '{}'",
                          nest_.variables[selection.value].name);
        return {};
      }
      SelectedTogether &selected = loop.selections.emplace_back();
      selected.compare = selection.compare;
      selected.value = scalars.at(selection.value);
      for (const unsigned follower : selection.followers) selected.followers.push_back(scalars.at(follower));
    }
    // Of equal values one of an end of the range is selected: which end must stay so.
    const bool anyOrder = loop.reorder && loop.selections.empty();
    std::optional<LoopRange> range = rangeOf(nest_, item.index, arena_, why, anyOrder);
    if (!range) return {};
    loop.range = *range;
    loop.body = nest::sourceOf(nest_, item.body, arena_);
    if (atomically) loop.body = withAtomicUpdates(loop.body, *atomically, *nest_.module, arena_);
    loop.privates = options_.privates;
    return loop;
  }

  bool reduction(const Item &item, const Carried &carried, std::vector<const Stmt *> &out, std::string &why,
                 const Accumulation *atomically) {
    std::optional<ReductionLoop> found = reductionLoop(item, carried, why, atomically);
    if (!found) return false;
    ReductionLoop &loop = *found;
    std::set<std::string> without = {loop.range.iterator};
    for (const Reduced &r : loop.scalars) without.insert(r.name);
    std::optional<Captures> captures = capturesOf(nest_, loop.body, without, privatesOf(carried), arena_, why);
    if (!captures) return false;
    loop.captures = std::move(*captures);
    if (!atomically) {
      bool inside = false;
      std::vector<const Stmt *> divided = statements(item.body, inside);
      if (inside) loop.divided = std::move(divided);
    }
    sayWhetherAny(loop);
    structOf(loop);
    if (loop.values) result_.structs.push_back(loop.values);
    std::vector<const Spectrum *> made = spectrumsOf(loop, base_, names_, arena_);
    result_.spectrums.insert(result_.spectrums.end(), made.begin(), made.end());
    Codelets make(arena_, loop.range.where);
    const Build &build = make.build();
    std::vector<const Expr *> args = {loop.range.range(arena_)};
    auto isOwn = [&](std::size_t k) { // what the source has not
      const SelectedTogether *selection = loop.selectionOf(k);
      return selection && selection->any == k;
    };
    for (std::size_t k = 0; k < loop.scalars.size(); ++k)
      args.push_back(isOwn(k) ? build.boolean(false) : build.var(loop.scalars[k].name, loop.scalars[k].type));
    args.insert(args.end(), loop.captures.arguments.begin(), loop.captures.arguments.end());
    const Expr *result = make.call(made[0]->name, loop.result(), std::move(args));
    if (loop.values) result = named(loop, result, out);
    const auto taken = [&](std::size_t k) {
      return build.assign(build.var(loop.scalars[k].name, loop.scalars[k].type), valueOf(loop, k, result, arena_));
    };
    for (std::size_t k = 0; k < loop.scalars.size(); ++k)
      if (const SelectedTogether *selection = loop.selectionOf(k); !selection || !selection->any)
        out.push_back(taken(k));
    // A loop around has to know of what is selected here whether anything was: so it is a selection once more.
    for (const SelectedTogether &selection : loop.selections) {
      if (!selection.any) continue;
      std::vector<const Stmt *> sets;
      for (const std::size_t k : selection.all())
        if (k != selection.any) sets.push_back(taken(k));
      const Reduced &value = loop.scalars[selection.value];
      const Expr *surpasses = build.binary(selection.compare, valueOf(loop, selection.value, result, arena_),
                                           build.var(value.name, value.type));
      out.push_back(
          build.when(valueOf(loop, *selection.any, result, arena_), {build.when(surpasses, std::move(sets))}));
    }
    return true;
  }

  /// Selections that equal values replace have to say whether there was any.
  void sayWhetherAny(ReductionLoop &loop) {
    for (SelectedTogether &selection : loop.selections) {
      if (!selection.replacesEqual()) continue;
      const std::string &value = loop.scalars[selection.value].name, any = own_.fresh("any_" + value);
      const Build build(arena_, loop.range.where);
      const std::vector<const Stmt *> said{build.assign(build.var(any, Scalar::Bool), build.boolean(true))};
      for (std::vector<const Stmt *> *body : {&loop.body, &loop.divided})
        *body = nest::withMoreSelected(*body, value, said, arena_);
      selection.any = loop.scalars.size();
      loop.scalars.push_back({any, Scalar::Bool, nest::ReductionOp::Or});
    }
  }

  bool scan(const Item &item, std::vector<const Stmt *> &out) {
    std::optional<ScanLoop> found =
        scanLoop(nest_, item, dependences_, nest::sourceOf(nest_, item.body, arena_), own_, arena_);
    if (!found) return false;
    ReductionLoop &whole = found->all;
    const bool rounds = std::any_of(whole.scalars.begin(), whole.scalars.end(),
                                    [](const Reduced &running) { return running.type.isFloating(); });
    if (!options_.reorder && rounds) return false;
    structOf(whole);
    for (ReductionLoop &stage : found->totals)
      if (found->totals.size() == 1)
        stage.values = whole.values;
      else
        structOf(stage);
    const std::vector<const Spectrum *> made = found->onlyTotal ? spectrumsOf(found->totals[0], base_, names_, arena_)
                                                                : spectrumsOf(*found, base_, names_, arena_);
    if (made.empty()) return false;
    for (const Expr *condition : found->conditions)
      if (std::none_of(conditions_.begin(), conditions_.end(), [&](const Expr *e) { return equal(e, condition); }))
        conditions_.push_back(condition);
    if (whole.values) result_.structs.push_back(whole.values);
    for (const ReductionLoop &stage : found->totals)
      if (stage.values && stage.values != whole.values) result_.structs.push_back(stage.values);
    result_.spectrums.insert(result_.spectrums.end(), made.begin(), made.end());
    Codelets make(arena_, whole.range.where);
    const Build &build = make.build();
    std::vector<const Expr *> args = {whole.range.range(arena_)};
    for (std::size_t k = 0; k < whole.scalars.size(); ++k) {
      const Reduced &running = whole.scalars[k];
      args.push_back(whole.isCompanion(k) ? neutral(build, running.op, running.type)
                                          : build.var(running.name, running.type));
    }
    const Captures &captures = found->onlyTotal ? found->totals[0].captures : whole.captures;
    args.insert(args.end(), captures.arguments.begin(), captures.arguments.end());
    const Expr *result = make.call(made[0]->name, whole.result(), std::move(args));
    if (whole.values) result = named(whole, result, out);
    for (std::size_t k = 0; k < whole.scalars.size(); ++k)
      if (!whole.isCompanion(k))
        out.push_back(
            build.assign(build.var(whole.scalars[k].name, whole.scalars[k].type), valueOf(whole, k, result, arena_)));
    return true;
  }

  /// Of several scalars a struct of them.
  void structOf(ReductionLoop &loop) {
    if (loop.scalars.size() <= 1) return;
    std::vector<const Param *> fields;
    for (const Reduced &r : loop.scalars)
      fields.push_back(arena_.make<Param>(loop.range.where, r.name, r.type, Access::In));
    loop.values = arena_.make<Struct>(loop.range.where, names_.fresh(base_ + "_values"), fields);
  }

  /// A variable for the struct that a loop's spectrum returns.
  const Expr *named(const ReductionLoop &loop, const Expr *result, std::vector<const Stmt *> &out) {
    const Build build(arena_, loop.range.where);
    const std::string own = names_.fresh(base_ + "_" + loop.range.iterator + "_values");
    out.push_back(build.declare(own, loop.result(), result));
    return build.var(own, loop.result());
  }

  nest::Nests &nests_;
  const nest::Nest &nest_;
  const DivideOptions &options_;
  Names &names_;
  Arena &arena_;
  nest::Dependences dependences_;
  std::map<unsigned, Accumulation> accumulations_; // of loops in others
  std::string base_;
  Names own_;                            // of what the codelet declares
  std::vector<const Expr *> conditions_; // of loops that are divided
  Division result_;
};

} // namespace

Division divide(nest::Nests &nests, const nest::Nest &nest, const Spectrum &spectrum, const DivideOptions &options,
                Names &names, Arena &arena) {
  return Divider(nests, nest, spectrum, options, names, arena).run();
}

} // namespace tangram::divide
