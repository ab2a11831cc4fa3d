#include "tangram/nest/Schedule.h"
#include "TimeOrder.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <functional>
#include <utility>

namespace tangram::nest {

std::string text(const Step &step) {
  std::string loops = fmt::format("{}", fmt::join(step.loops, " "));
  switch (step.kind) {
  case Step::Kind::Tile: return fmt::format("tile {} by {} as {}", loops, step.size, step.name);
  case Step::Kind::Order: return "order " + loops;
  case Step::Kind::Fuse: return "fuse " + loops;
  case Step::Kind::Distribute: return "distribute " + loops;
  case Step::Kind::Reduce: return "reduce " + loops;
  case Step::Kind::Reschedule: return "reschedule " + loops + (step.together ? " together" : "");
  case Step::Kind::Hyperplanes: return "hyperplanes " + loops;
  case Step::Kind::Gather: return "gather " + loops;
  case Step::Kind::Block: return fmt::format("block {} by {} as {}", loops, step.size, step.name);
  }
  return "";
}

// ---- from the source's order ----------------------------------------------------------------------------

bool Schedule::regular(const Item &item) const {
  const std::vector<unsigned> all = nest_.allLoops();
  switch (item.kind) {
  case Item::Kind::Statement: return !nest_.followsData(nest_.statements[item.index].domain, all);
  case Item::Kind::Loop: {
    const Loop &l = nest_.loops[item.index];
    return l.exact && !nest_.followsData(l.values, all);
  }
  case Item::Kind::Guard:
    if (!nest_.guards[item.index].affine) return false;
    for (const auto *items : {&item.body, &item.otherwise})
      for (const Item &i : *items)
        if (i.kind == Item::Kind::Loop ? nest_.followsData(nest_.loops[i.index].reached, all) : !regular(i))
          return false;
    return true;
  }
  return false;
}

void Schedule::addUnit(const Item &item, const std::vector<unsigned> &loops, const isl::set &domain, Node &sequence,
                       std::size_t top) {
  Node node;
  node.kind = Node::Kind::Unit;
  node.unit = static_cast<unsigned>(units_.size());
  node.top = top;
  Unit &unit = units_.emplace_back();
  unit.item = &item;
  unit.loops = loops;
  unit.domain = domain;
  const std::vector<unsigned> statements = statementsIn(item);
  for (unsigned s : statements)
    for (const Access &a : nest_.statements[s].accesses) {
      const std::vector<unsigned> &scope = nest_.variables[a.variable].scope;
      if (scope.size() > loops.size()) continue; // declared within
      if (item.kind != Item::Kind::Statement) {
        std::vector<const Variable *> inside;
        const ast::Declare *d = nest_.variables[a.variable].declaration;
        bool own = std::any_of(statements.begin(), statements.end(),
                               [&](unsigned other) { return d && nest_.statements[other].node == d; });
        if (own) continue;
      }
      Access &copy = unit.accesses.emplace_back(a);
      copy.statement = s;
      std::vector<unsigned> inner(nest_.statements[s].loops.begin() + static_cast<std::ptrdiff_t>(loops.size()),
                                  nest_.statements[s].loops.end());
      if (inner.empty()) continue;
      copy.elements = nest_.without(copy.elements, inner);
      if (copy.delinearized) copy.delinearized->elements = nest_.without(copy.delinearized->elements, inner);
    }
  sequence.children.push_back(std::move(node));
}

isl::pw_aff Schedule::iterationOf(unsigned loop) const {
  const Loop &l = nest_.loops[loop];
  const isl::ctx context = nest_.isl.get();
  const isl::pw_aff at = isl::set::universe(isl::space::unit(context)).param_pw_aff_on_domain(isl::id(context, l.id));
  return l.step > 0 ? at : at.neg();
}

void Schedule::add(const std::vector<Item> &items, std::vector<unsigned> &loops, Node &sequence, std::size_t top) {
  bool outermost = &items == &nest_.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item &item = items[i];
    if (outermost) top = i;
    switch (item.kind) {
    case Item::Kind::Statement: addUnit(item, loops, nest_.statements[item.index].domain, sequence, top); break;
    case Item::Kind::Guard:
      if (!regular(item)) {
        addUnit(item, loops, nest_.guards[item.index].reached, sequence, top);
      } else {
        add(item.body, loops, sequence, top);
        add(item.otherwise, loops, sequence, top);
      }
      break;
    case Item::Kind::Loop: {
      const Loop &l = nest_.loops[item.index];
      if (!regular(item)) {
        addUnit(item, loops, l.reached, sequence, top);
        break;
      }
      Node node, body;
      node.kind = Node::Kind::Loop;
      node.name = l.variable;
      node.loop = item.index;
      node.top = body.top = top;
      auto first = static_cast<unsigned>(units_.size());
      loops.push_back(item.index);
      add(item.body, loops, body, top);
      loops.pop_back();
      for (unsigned u = first; u < units_.size(); ++u) node.when.emplace(u, iterationOf(item.index));
      node.children.push_back(std::move(body));
      if (!node.when.empty()) sequence.children.push_back(std::move(node));
      break;
    }
    }
  }
}

Schedule::Schedule(const Nest &nest) : nest_(nest) {
  const std::vector<unsigned> all = nest.allLoops();
  assumed_ = nest.without(nest.assumed, all);
  std::vector<unsigned> loops;
  add(nest.items, loops, root_, 0);
  source_ = times(root_);
}

std::vector<std::string> Schedule::loops() const {
  std::vector<std::string> names;
  std::function<void(const Node &)> go = [&](const Node &n) {
    if (n.kind == Node::Kind::Loop) names.push_back(n.name);
    for (const Node &c : n.children) go(c);
  };
  go(root_);
  return names;
}

// ---- time -----------------------------------------------------------------------------------------------

std::vector<std::vector<isl::pw_aff>> Schedule::times(const Node &root) const {
  isl::set all = isl::set::universe(isl::space::unit(nest_.isl.get()));
  std::vector<std::vector<isl::pw_aff>> result(units_.size());
  std::function<void(const Node &)> go = [&](const Node &n) {
    auto units = [&](const Node &of) {
      std::vector<unsigned> found;
      std::function<void(const Node &)> collect = [&](const Node &m) {
        if (m.kind == Node::Kind::Unit) found.push_back(m.unit);
        for (const Node &c : m.children) collect(c);
      };
      collect(of);
      return found;
    };
    if (n.kind == Node::Kind::Loop)
      for (const auto &[unit, when] : n.when) result[unit].push_back(when);
    long position = 0;
    for (const Node &c : n.children) {
      if (n.kind == Node::Kind::Sequence)
        for (unsigned u : units(c)) result[u].push_back(all.pw_aff_on_domain(position));
      ++position;
      go(c);
    }
  };
  go(root);
  std::size_t longest = 0;
  for (const auto &t : result) longest = std::max(longest, t.size());
  for (auto &t : result) t.resize(longest, all.pw_aff_on_domain(0));
  return result;
}

isl::map Schedule::timeMap(unsigned unit, const std::vector<isl::pw_aff> &time) const {
  return nest_.relation(nest_.tuple(time), units_[unit].loops)
      .intersect_domain(nest_.points(units_[unit].domain.intersect(assumed_), units_[unit].loops));
}

// ---- steps ----------------------------------------------------------------------------------------------

namespace {

struct Place {
  Schedule::Node *parent = nullptr; // a sequence
  std::size_t index = 0;
  Schedule::Node &node() const { return parent->children[index]; }
};

std::optional<Place> find(Schedule::Node &n, const std::string &loop) {
  for (std::size_t i = 0; i < n.children.size(); ++i) {
    if (n.children[i].kind == Schedule::Node::Kind::Loop && n.children[i].name == loop) return Place{&n, i};
    if (std::optional<Place> p = find(n.children[i], loop)) return p;
  }
  return std::nullopt;
}

Refusal refuse(std::string message) {
  return {Refusal::Why::NoSuchLoop, std::move(message), std::nullopt, std::nullopt};
}

} // namespace

std::optional<Refusal> Schedule::change(Node &root, const Step &step) {
  std::vector<Place> places;
  for (const std::string &name : step.loops) {
    std::optional<Place> p = find(root, name);
    if (!p) return refuse(fmt::format("there is no loop '{}' here: {}", name, fmt::join(loops(), ", ")));
    places.push_back(*p);
  }
  std::size_t wanted = step.kind == Step::Kind::Fuse ? 2 : 1;
  if (places.size() < wanted || (step.kind != Step::Kind::Order && places.size() != wanted))
    return refuse(fmt::format("'{}' names {} loops", text(step), places.size()));
  Node &first = places[0].node();
  for (const Place &p : places) p.node().changed = true;

  switch (step.kind) {
  case Step::Kind::Tile: {
    if (step.size < 1) return refuse(fmt::format("a tile has at least one iteration, not {}", step.size));
    if (find(root, step.name)) return refuse(fmt::format("there is a loop '{}' already", step.name));
    if (!first.loop) return refuse(fmt::format("'{}' counts tiles: tile the loop in it", first.name));
    const Loop *l = &nest_.loops[*first.loop];
    Node outer = first, sequence;
    outer.name = step.name;
    outer.loop.reset();
    isl::set all = isl::set::universe(isl::space::unit(nest_.isl.get()));
    isl::pw_aff begin = l->step > 0 ? *l->begin : l->begin->neg();
    // Tiles are counted from the first iteration, where that is the same for all that is in them.
    if (first.fused && std::any_of(nest_.loops.begin(), nest_.loops.end(),
                                   [&](const Loop &o) { return begin.involves_param(isl::id(nest_.isl.get(), o.id)); }))
      begin = all.pw_aff_on_domain(0);
    std::int64_t length = step.size * (l->step > 0 ? l->step : -l->step);
    for (auto &[unit, when] : outer.when) when = when.sub(begin).scale_down(length).floor();
    sequence.top = first.top;
    sequence.children.push_back(first);
    outer.children = {std::move(sequence)};
    first = std::move(outer);
    return std::nullopt;
  }
  case Step::Kind::Order: {
    // The outermost of them, and all that stand directly in it down to the innermost of them.
    Place outermost = places[0];
    std::vector<std::string> chain;
    auto chainFrom = [&](Node &from) {
      std::vector<Node *> result;
      for (Node *n = &from;;) {
        result.push_back(n);
        if (n->children[0].children.size() != 1 || n->children[0].children[0].kind != Node::Kind::Loop) break;
        n = &n->children[0].children[0];
      }
      return result;
    };
    std::vector<Node *> nodes;
    for (const Place &p : places) {
      std::vector<Node *> candidate = chainFrom(p.node());
      if (candidate.size() > nodes.size()) nodes = candidate, outermost = p;
    }
    auto position = [&](const Place &p) {
      return static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), &p.node()) - nodes.begin());
    };
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (position(places[i]) == nodes.size())
        return refuse(
            fmt::format("'{}' does not stand directly in '{}' with nothing beside it: only loops of a perfect "
                        "nest change places; distribute, first",
                        step.loops[i], outermost.node().name));
      deepest = std::max(deepest, position(places[i]));
    }
    std::vector<std::size_t> order;
    for (const Place &p : places) {
      if (std::find(order.begin(), order.end(), position(p)) != order.end())
        return refuse(fmt::format("'{}' names a loop twice", text(step)));
      order.push_back(position(p));
    }
    for (std::size_t i = 0; i <= deepest; ++i)
      if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    std::vector<Node> heads;
    for (std::size_t i : order) heads.push_back(*nodes[i]);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      nodes[i]->name = heads[i].name;
      nodes[i]->loop = heads[i].loop;
      nodes[i]->fused = heads[i].fused;
      nodes[i]->when = heads[i].when;
      nodes[i]->changed = true;
    }
    return std::nullopt;
  }
  case Step::Kind::Fuse: {
    Place a = places[0], b = places[1];
    if (a.parent != b.parent || b.index != a.index + 1)
      return refuse(fmt::format("'{}' does not directly follow '{}'", step.loops[1], step.loops[0]));
    Node second = b.node();
    if (!first.loop || !second.loop)
      return refuse("loops over tiles are not fused: fuse the loops, and tile them then");
    if ((nest_.loops[*first.loop].step > 0) != (nest_.loops[*second.loop].step > 0))
      return refuse(fmt::format("'{}' counts up and '{}' down, or the other way round", first.name, second.name));
    first.fused = true;
    first.when.insert(second.when.begin(), second.when.end());
    auto &into = first.children[0].children;
    into.insert(into.end(), second.children[0].children.begin(), second.children[0].children.end());
    a.parent->children.erase(a.parent->children.begin() + static_cast<std::ptrdiff_t>(b.index));
    return std::nullopt;
  }
  case Step::Kind::Distribute: {
    Node whole = first;
    const auto onlyDeclares = [&](const Node &n) {
      if (n.kind != Node::Kind::Unit || units_[n.unit].item->kind != Item::Kind::Statement) return false;
      const auto *d = ast::dyn<ast::Declare>(nest_.statements[units_[n.unit].item->index].node);
      return d && !d->init;
    };
    std::vector<Node> all = whole.children[0].children;
    if (std::vector<std::size_t> each = step.order; !each.empty()) {
      std::sort(each.begin(), each.end());
      for (std::size_t i = 0; i < each.size(); ++i)
        if (each.size() != all.size() || each[i] != i)
          return refuse(
              fmt::format("'{}' does not name each of the {} parts of '{}' once", text(step), all.size(), first.name));
      std::transform(step.order.begin(), step.order.end(), all.begin(),
                     [&](std::size_t i) { return whole.children[0].children[i]; });
    }
    std::vector<std::size_t> sizes = step.parts;
    if (std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) != all.size()) sizes.assign(all.size(), 1);
    std::vector<Node> parts, here;
    for (std::size_t i = 0, end = 0, next = 0; i < all.size(); ++i) {
      if (i == end) end += sizes[next++];
      here.push_back(all[i]);
      if (i + 1 < end) continue;
      // A loop over declarations alone would do nothing.
      if (i + 1 < all.size() && std::all_of(here.begin(), here.end(), onlyDeclares)) continue;
      Node part = whole;
      part.children[0].children = std::exchange(here, {});
      part.when.clear();
      std::function<void(const Node &)> keep = [&](const Node &n) {
        if (n.kind == Node::Kind::Unit) part.when.emplace(n.unit, whole.when.at(n.unit));
        for (const Node &c : n.children) keep(c);
      };
      keep(part.children[0]);
      if (!parts.empty()) part.name = fmt::format("{}_{}", whole.name, parts.size() + 1);
      parts.push_back(std::move(part));
    }
    auto &siblings = places[0].parent->children;
    auto at = siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(places[0].index));
    siblings.insert(at, parts.begin(), parts.end());
    return std::nullopt;
  }
  case Step::Kind::Reschedule:
  case Step::Kind::Hyperplanes:
  case Step::Kind::Gather:
  case Step::Kind::Block: {
    if (places[0].parent != &root) return refuse(fmt::format("loop '{}' stands in another one", first.name));
    std::vector<Node> made;
    if (std::optional<Refusal> refusal = step.kind == Step::Kind::Block        ? block(first, step, made)
                                         : step.kind == Step::Kind::Gather     ? gather(first, made)
                                         : step.kind == Step::Kind::Reschedule ? reschedule(first, step.together, made)
                                                                               : hyperplanes(first, made))
      return refusal;
    auto &siblings = places[0].parent->children;
    auto at = siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(places[0].index));
    siblings.insert(at, made.begin(), made.end());
    return std::nullopt;
  }
  case Step::Kind::Reduce: {
    first.changed = false;
    if (!first.loop) return refuse(fmt::format("'{}' counts tiles: name the loop in it", first.name));
    unsigned number = *first.loop;
    Carried carried = Dependences(nest_).carried(number);
    if (carried.kind == Carried::Kind::Dependence)
      return Refusal{Refusal::Why::Dependence,
                     fmt::format("loop '{}' carries more than a reduction: {}", first.name,
                                 describe(nest_, *carried.dependence, number)),
                     carried.dependence, number};
    if (carried.reductions.empty()) return refuse(fmt::format("loop '{}' carries no reduction", first.name));
    for (const Reduction &r : carried.reductions) reduced_.insert(r.variable);
    return std::nullopt;
  }
  }
  return std::nullopt;
}

std::optional<Refusal> Schedule::apply(const Step &step) {
  Node root = root_;
  const bool otherUnits = step.kind == Step::Kind::Block || step.kind == Step::Kind::Gather;
  std::deque<Unit> units;
  std::vector<std::vector<isl::pw_aff>> source;
  if (otherUnits) units = units_, source = source_;
  if (std::optional<Refusal> refusal = change(root, step)) return refusal;
  if (otherUnits) forgetOrder();
  if (step.kind == Step::Kind::Reduce) return std::nullopt;
  if (step.kind == Step::Kind::Tile) { // strip-mining changes no order
    root_ = std::move(root);
    return std::nullopt;
  }
  auto refusal = nest_.isl.limited([&] { return illegal(root); });
  if ((!refusal || *refusal) && otherUnits) {
    units_ = std::move(units);
    source_ = std::move(source);
    forgetOrder();
    if (refusal) (*refusal)->dependence.reset(); // of units that are gone
  }
  if (!refusal)
    return Refusal{Refusal::Why::Unknown,
                   fmt::format("'{}': whether it keeps all dependences takes too long to find out", text(step)),
                   std::nullopt, std::nullopt};
  if (*refusal) {
    (*refusal)->message = fmt::format("'{}' is not possible: {}", text(step), (*refusal)->message);
    return **refusal;
  }
  root_ = std::move(root);
  return std::nullopt;
}

void Schedule::regenerate() {
  std::function<void(Node &)> change = [&](Node &n) {
    n.changed = true;
    for (Node &c : n.children) change(c);
  };
  for (Node &c : root_.children) change(c);
}

// ---- what makes a step wrong ------------------------------------------------------------------------------

isl::map Schedule::relation(const isl::set &elements, const Unit &unit) const {
  return nest_.relation(elements.intersect_params(assumed_), unit.loops);
}

namespace {

/// Those of the pairs that are not carried out one after the other; null: none.
isl::map swapped(isl::map pairs, TimeOrder &now) {
  for (std::size_t t = 0; t < now.size(); ++t) {
    isl::map wrong = now.later(pairs, t);
    if (!wrong.is_empty()) return wrong;
    pairs = now.equal(pairs, t);
    if (pairs.is_empty()) return {};
  }
  return pairs;
}

} // namespace

const Schedule::Touched &Schedule::touched(unsigned unit) const {
  const auto [entry, fresh] = touched_.try_emplace(unit);
  Touched &result = entry->second;
  if (!fresh) return result;
  // Accesses that touch the same elements, as most of what is read and written does, are asked for once.
  const auto number = [&](const isl::set &touched) {
    isl::map elements = relation(touched, units_[unit]);
    const auto same = std::find_if(result.elements.begin(), result.elements.end(), [&](const isl::map &known) {
      return isl_map_plain_is_equal(known.get(), elements.get()) == isl_bool_true;
    });
    const auto which = static_cast<std::size_t>(same - result.elements.begin());
    if (same == result.elements.end()) result.elements.push_back(std::move(elements));
    return which;
  };
  for (const Access &a : units_[unit].accesses) {
    result.of.push_back(number(a.elements));
    result.places.push_back(a.delinearized ? number(a.delinearized->elements) : result.of.back());
  }
  return result;
}

const std::vector<Schedule::Ordered> &Schedule::ordered(unsigned u, unsigned v) const {
  if (const auto known = ordered_.find({u, v}); known != ordered_.end()) return known->second;
  auto writes = [](const Access &a) { return a.kind != AccessKind::Read; };
  std::map<std::pair<std::size_t, std::size_t>, Ordered> meeting;
  const Touched &first = touched(u), &second = touched(v);
  for (std::size_t i = 0; i < units_[u].accesses.size(); ++i)
    for (std::size_t j = 0; j < units_[v].accesses.size(); ++j) {
      const Access &a = units_[u].accesses[i], &b = units_[v].accesses[j];
      if (a.variable != b.variable || !(writes(a) || writes(b))) continue;
      const bool places = haveSameExtents(a, b);
      meeting[{(places ? first.places : first.of)[i], (places ? second.places : second.of)[j]}].accesses.emplace_back(
          &a, &b);
    }
  std::vector<Ordered> found;
  TimeOrder before(*this, u, v, source_);
  for (auto &[which, part] : meeting) {
    part.u = u, part.v = v;
    inOrder(before, first.elements[which.first].apply_range(second.elements[which.second].reverse()),
            [&](isl::map pairs) {
              part.pairs = std::move(pairs);
              found.push_back(part);
            });
  }
  return ordered_.emplace(std::pair(u, v), std::move(found)).first->second;
}

std::vector<const Schedule::Ordered *> Schedule::orderedAmong(const std::set<unsigned> &units) const {
  std::vector<const Ordered *> result;
  for (const unsigned u : units)
    for (const unsigned v : units)
      for (const Ordered &part : ordered(u, v)) result.push_back(&part);
  return result;
}

void Schedule::forgetOrder() {
  touched_.clear();
  ordered_.clear();
}

bool Schedule::mayReorder(const Access &a, const Access &b) const {
  return a.update && b.update && *a.update == *b.update && reduced_.count(a.variable);
}

const std::pair<const Access *, const Access *> *Schedule::binding(const Ordered &part) const {
  for (const auto &pair : part.accesses)
    if (!mayReorder(*pair.first, *pair.second)) return &pair;
  return nullptr;
}

namespace {

/// Units of loops that a step has changed.
void collectMoved(const Schedule::Node &n, bool changed, std::set<unsigned> &units) {
  changed |= n.changed;
  if (n.kind == Schedule::Node::Kind::Unit && changed) units.insert(n.unit);
  for (const Schedule::Node &c : n.children) collectMoved(c, changed, units);
}

} // namespace

/// All others are in the order that they had.
std::optional<Refusal> Schedule::illegal(const Node &changed) const {
  std::set<unsigned> moved;
  collectMoved(changed, false, moved);
  std::vector<std::vector<isl::pw_aff>> now = times(changed);
  for (const unsigned u : moved)
    for (const unsigned v : moved) {
      std::optional<TimeOrder> after;
      for (const Ordered &part : ordered(u, v)) {
        const auto *accesses = binding(part);
        if (!accesses) continue;
        if (!after) after.emplace(*this, u, v, now);
        const isl::map wrong = swapped(part.pairs, *after);
        if (!wrong.is_null()) return refusal(*accesses->first, *accesses->second, u, v, wrong);
      }
    }
  return interleaves(changed, now, moved);
}

Refusal Schedule::refusal(const Access &a, const Access &b, unsigned u, unsigned v, const isl::map &wrong) const {
  Dependence d{&a, &b, kindOf(a, b), std::nullopt, a.exact && b.exact};
  d.certain &= !nest_.followsData(a.elements, units_[u].loops) && !nest_.followsData(b.elements, units_[v].loops);
  // The outermost loop around both whose iterations differ.
  std::optional<unsigned> loop;
  for (std::size_t i = 0; i < units_[u].loops.size() && i < units_[v].loops.size() && !loop; ++i) {
    if (units_[u].loops[i] != units_[v].loops[i]) break;
    int at = static_cast<int>(i);
    isl::map equal = isl::manage(isl_map_equate(wrong.copy(), isl_dim_in, at, isl_dim_out, at));
    if (!equal.is_equal(wrong)) loop = units_[u].loops[i];
  }
  std::string message =
      loop ? describe(nest_, d, *loop) : fmt::format("'{}' would not wait for '{}'", spelled(b.node), spelled(a.node));
  return {Refusal::Why::Dependence, message, d, loop};
}

std::optional<Refusal> Schedule::carried(const std::string &loop, const std::set<unsigned> &own) const {
  std::vector<const Node *> path;
  std::function<bool(const Node &)> find = [&](const Node &n) {
    path.push_back(&n);
    if (n.kind == Node::Kind::Loop && n.name == loop) return true;
    for (const Node &c : n.children)
      if (find(c)) return true;
    path.pop_back();
    return false;
  };
  if (!find(root_)) return refuse(fmt::format("there is no loop '{}' here: {}", loop, fmt::join(loops(), ", ")));
  const Node &node = *path.back();
  const std::size_t at = path.size() - 1; // each node around it has one number of time
  std::vector<std::vector<isl::pw_aff>> now = times(root_);
  auto look = [&]() -> std::optional<Refusal> {
    std::set<unsigned> inside;
    for (const auto &[unit, when] : node.when) inside.insert(unit);
    std::map<std::pair<unsigned, unsigned>, TimeOrder> orders;
    for (const Ordered *const dependent : orderedAmong(inside)) {
      const Ordered &part = *dependent;
      const auto forbidding = std::find_if(part.accesses.begin(), part.accesses.end(), [&](const auto &accesses) {
        const auto &[a, b] = accesses;
        return !own.count(a->variable) && !(a->kind == AccessKind::Atomic && b->kind == AccessKind::Atomic);
      });
      if (forbidding == part.accesses.end()) continue;
      TimeOrder &after = orders.try_emplace({part.u, part.v}, *this, part.u, part.v, now).first->second;
      isl::map pairs = part.pairs;
      for (std::size_t t = 0; t < at && !pairs.is_empty(); ++t) pairs = after.equal(pairs, t);
      if (pairs.is_empty()) continue;
      pairs = after.earlier(pairs, at).unite(after.later(pairs, at));
      if (!pairs.is_empty()) return refusal(*forbidding->first, *forbidding->second, part.u, part.v, pairs);
    }
    return std::nullopt;
  };
  auto found = nest_.isl.limited(look);
  if (found) return *found;
  return Refusal{Refusal::Why::Unknown,
                 fmt::format("whether iterations of loop '{}' depend on each other takes too long to find out", loop),
                 std::nullopt, std::nullopt};
}

namespace {

bool containsUnit(const Schedule::Node &n, unsigned unit) {
  if (n.kind == Schedule::Node::Kind::Unit) return n.unit == unit;
  return std::any_of(n.children.begin(), n.children.end(), [&](const auto &c) { return containsUnit(c, unit); });
}

/// How many numbers of time units have in common as they stand in the tree.
std::size_t sharedTime(const Schedule::Node &root, const std::vector<unsigned> &units) {
  std::size_t shared = 0;
  for (const Schedule::Node *n = &root;;) {
    const Schedule::Node *next = nullptr;
    for (const Schedule::Node &c : n->children)
      if (std::all_of(units.begin(), units.end(), [&](unsigned u) { return containsUnit(c, u); })) next = &c;
    if (n->kind == Schedule::Node::Kind::Unit) return shared;
    if (n->kind == Schedule::Node::Kind::Loop) {
      ++shared;
      if (!next) return shared;
    } else if (next) {
      ++shared;
    } else {
      return shared;
    }
    n = next;
  }
}

} // namespace

std::optional<Refusal> Schedule::interleaves(const Node &root, const std::vector<std::vector<isl::pw_aff>> &time,
                                             const std::set<unsigned> &moved) const {
  for (unsigned variable = 0; variable < nest_.variables.size(); ++variable) {
    const Variable &v = nest_.variables[variable];
    if (v.scope.empty()) continue;
    const bool moves = std::any_of(moved.begin(), moved.end(), [&](unsigned u) {
      return std::any_of(units_[u].accesses.begin(), units_[u].accesses.end(),
                         [&](const Access &a) { return a.variable == variable; });
    });
    if (!moves) continue;
    // Units that touch it: { [loops...] -> [scope...] }
    std::map<unsigned, isl::map> touching;
    std::vector<unsigned> units;
    for (unsigned u = 0; u < units_.size(); ++u)
      for (const Access &a : units_[u].accesses) {
        if (a.variable != variable || touching.count(u)) continue;
        isl::map m = relation(a.elements, units_[u]);
        m = isl::manage(isl_map_project_out(m.release(), isl_dim_out, static_cast<unsigned>(v.scope.size()), v.rank));
        touching.emplace(u, isl::manage(isl_map_reset_tuple_id(m.release(), isl_dim_out)));
        units.push_back(u);
      }
    if (units.empty()) continue;
    // What has one such variable shares the time up to here, and nothing else does.
    auto shared = static_cast<std::ptrdiff_t>(sharedTime(root, units));
    std::map<unsigned, isl::map> until;
    for (unsigned u : units)
      until.emplace(u,
                    timeMap(u, {time[u].begin(), time[u].begin() + shared}).intersect_domain(touching.at(u).domain()));
    for (unsigned a : units)
      for (unsigned b : units) {
        isl::map same = touching.at(a).apply_range(touching.at(b).reverse());
        isl::map together = until.at(a).apply_range(until.at(b).reverse());
        if (same.is_equal(together)) continue;
        return Refusal{
            Refusal::Why::Scalar,
            fmt::format("'{}' would have to keep a value for each iteration of loop '{}' at once: make it an "
                        "array",
                        v.name, nest_.loops[v.scope.back()].variable),
            std::nullopt, v.scope.back()};
      }
  }
  return std::nullopt;
}

} // namespace tangram::nest
