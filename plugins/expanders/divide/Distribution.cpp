#include "Distribution.h"

#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::Step;

namespace {

constexpr unsigned kSteps = 16; // as many changes as a codelet has loops, and more

const Type kSize = Scalar::U64;

bool hasLoop(const Item &item) {
  if (item.kind == Item::Kind::Loop) return true;
  for (const auto *items : {&item.body, &item.otherwise})
    if (std::any_of(items->begin(), items->end(), hasLoop)) return true;
  return false;
}

/// `for (...) { T s = e; ... s ... }`  as  `Array<1, T> s_of(n); for (...) { s_of[i] = e; ... s_of[i] ... }`, of
/// scalars that several statements of the loop share; null where there are none, or that cannot be done.
const Block *withExpandedScalars(const nest::Nest &nest, unsigned loop, Names &names, Arena &arena) {
  const nest::Loop &l = nest.loops[loop];
  const Block *body = nest.codelet->body;
  if (std::find(body->stmts.begin(), body->stmts.end(), l.node) == body->stmts.end()) return nullptr;
  std::string why;
  const std::optional<nest::LoopRange> range = nest::rangeOf(nest, loop, arena, why);
  if (!range || range->step < 1) return nullptr;
  const auto &stmts = l.node->body->stmts;
  std::map<std::string, const Declare *> expanded;
  for (const Stmt *s : stmts) {
    const auto *d = dyn<Declare>(s);
    if (!d || !d->type.isScalar() || !d->extents.empty() || d->tunable) continue;
    const auto users = std::count_if(stmts.begin(), stmts.end(), [&](const Stmt *other) {
      return other != s && any<VarRef>(other, [&](const VarRef &v) { return v.name == d->name; });
    });
    if (users > 1 || (users > 0 && d->init)) expanded[d->name] = d;
  }
  if (expanded.empty()) return nullptr;
  const Build build(arena, l.node->range);
  auto wide = [&](const Expr *e) { return build.cast(kSize, e); };
  const Expr *step = build.integer(kSize, range->step);
  const Expr *length = build.sub(wide(range->end), wide(range->begin));
  const Expr *turns = build.div(build.add(length, build.sub(step, build.integer(kSize, 1))), step);
  turns = build.select(build.less(range->begin, range->end), turns, build.integer(kSize, 0));
  const Expr *at = build.div(build.sub(wide(build.var(l.variable, l.type)), wide(range->begin)), step);
  std::vector<const Stmt *> outside, inside;
  std::map<std::string, const Expr *> elements;
  for (const auto &[name, d] : expanded) {
    const std::string container = names.fresh(name + "_of");
    const Type type = Type::array(1, d->type);
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    outside.push_back(arena.make<Declare>(d->range, container, type, false, false, std::vector<const Expr *>{turns},
                                          noTunable, none));
    elements[name] = build.element(build.var(container, type), {at}, d->type);
  }
  auto element = [&](const VarRef *v) -> const Expr * {
    auto it = elements.find(v->name);
    return it == elements.end() ? v : it->second;
  };
  for (const Stmt *s : stmts) {
    const auto *d = dyn<Declare>(s);
    if (!d || !expanded.count(d->name))
      inside.push_back(substituted(arena, s, element));
    else if (d->init)
      inside.push_back(build.at(d->range).assign(elements.at(d->name), substituted(arena, d->init, element)));
  }
  const For *changed = arena.derive(l.node, [&](For &f) { f.body = build.block(std::move(inside)); });
  return arena.derive(body, [&](Block &b) {
    b.stmts.clear();
    for (const Stmt *s : body->stmts) {
      if (s == l.node) b.stmts.insert(b.stmts.end(), outside.begin(), outside.end());
      b.stmts.push_back(s == l.node ? changed : s);
    }
  });
}

class Distributor {
public:
  Distributor(const Module &module, const Codelet &codelet, Arena &arena)
      : module_(module), codelet_(&codelet), arena_(arena) {
    names_.reserveAll(&codelet);
  }

  const Codelet *run() {
    for (unsigned steps = 0; steps < kSteps && change();) ++steps;
    return codelet_;
  }

private:
  /// One loop at a time, outer ones first: after each the nest is read anew.
  bool change() {
    const std::unique_ptr<nest::Nest> nest = nest::read(module_, *codelet_);
    if (!nest) return false;
    return std::any_of(nest->items.begin(), nest->items.end(), [&](const Item &item) { return change(*nest, item); });
  }

  bool change(const nest::Nest &nest, const Item &item) {
    if (item.kind == Item::Kind::Loop && tried_.insert(nest.loops[item.index].variable).second) {
      if (item.body.size() > 1 ? distribute(nest, item) : interchange(nest, item)) return true;
    }
    for (const auto *items : {&item.body, &item.otherwise})
      for (const Item &inner : *items)
        if (change(nest, inner)) return true;
    return false;
  }

  /// Of a serial loop all that stands in it, of a parallel one loops: what is left are loops that are perfectly nested.
  bool distribute(const nest::Nest &nest, const Item &item) {
    if (std::none_of(item.body.begin(), item.body.end(), hasLoop)) return false;
    const std::string &variable = nest.loops[item.index].variable;
    const Step step{Step::Kind::Distribute, {variable}, 0, "", nest.loops[item.index].node->range};
    if (apply(nest, {step})) return true;
    if (isParallel(nest, item.index)) return false;
    const Block *expanded = withExpandedScalars(nest, item.index, names_, arena_);
    if (!expanded) return false;
    const Codelet *other = arena_.derive(codelet_, [&](Codelet &c) { c.body = expanded; });
    const std::unique_ptr<nest::Nest> read = nest::read(module_, *other);
    return read && apply(*read, {step});
  }

  bool interchange(const nest::Nest &nest, const Item &outermost) {
    std::vector<std::string> parallel, serial, before;
    for (const Item *item = &outermost; item->kind == Item::Kind::Loop;) {
      const std::string &variable = nest.loops[item->index].variable;
      (isParallel(nest, item->index) ? parallel : serial).push_back(variable);
      before.push_back(variable);
      if (item->body.size() != 1) break;
      item = &item->body[0];
    }
    if (parallel.empty() || serial.empty()) return false;
    parallel.insert(parallel.end(), serial.begin(), serial.end());
    return parallel != before && apply(nest, {{Step::Kind::Order, parallel, 0, "", outermostRange(nest, outermost)}});
  }

  static SourceRange outermostRange(const nest::Nest &nest, const Item &item) {
    return nest.loops[item.index].node->range;
  }

  static bool isParallel(const nest::Nest &nest, unsigned loop) {
    return nest::Dependences(nest).carried(loop).kind == Carried::Kind::Nothing;
  }

  bool apply(const nest::Nest &nest, const std::vector<Step> &steps) {
    nest::Schedule schedule(nest);
    for (const Step &step : steps)
      if (schedule.apply(step)) return false;
    const nest::Written written = nest::write(schedule, arena_);
    if (!written.body) return false;
    codelet_ = arena_.derive(nest.codelet, [&](Codelet &c) {
      c.body = written.body;
      c.conditions.insert(c.conditions.end(), written.conditions.begin(), written.conditions.end());
    });
    names_.reserveAll(codelet_);
    return true;
  }

  const Module &module_;
  const Codelet *codelet_;
  Arena &arena_;
  Names names_;
  std::set<std::string> tried_; // loops, by their iterators
};

} // namespace

const Codelet *withParallelLoopsOutside(const Module &module, const Codelet &codelet, Arena &arena) {
  return Distributor(module, codelet, arena).run();
}

} // namespace tangram::divide
