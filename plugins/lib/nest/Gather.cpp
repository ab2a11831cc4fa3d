// Elements that loops update outermost, and of each the iterations that update it.
#include "Scheduling.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::nest {

namespace {

using Index = std::vector<isl::pw_aff>;

bool isSame(const isl::pw_aff &a, const isl::pw_aff &b) { return a.plain_is_equal(b); }

bool isAffine(const isl::pw_aff &index) { return isl_pw_aff_n_piece(index.get()) == 1; }

/// y_p of 2 * y + p: what a coordinate of an element is computed of.
std::string coordinateName(const Nest &nest, const std::vector<unsigned> &loops, const isl::pw_aff &index) {
  std::vector<std::string> names;
  for (const unsigned l : loops)
    if (index.involves_param(isl::id(nest.isl.get(), nest.loops[l].id))) names.push_back(nest.loops[l].variable);
  return names.empty() ? "element" : fmt::format("{}", fmt::join(names, "_"));
}

} // namespace

std::optional<Refusal> Schedule::gather(const Node &top, std::vector<Node> &made) {
  const std::vector<const Node *> loops = loopsOfTheSource(top);
  const auto declares = [&](const Unit &unit) {
    return unit.item->kind == Item::Kind::Statement &&
           ast::isa<ast::Declare>(nest_.statements[unit.item->index].node) &&
           std::none_of(unit.accesses.begin(), unit.accesses.end(), [&](const Access &a) {
             return a.kind != AccessKind::Read && nest_.variables[a.variable].scope.size() < loops.size();
           });
  };
  if (loops.empty()) return noSchedule(fmt::format("loop '{}' is none of the source", top.name));
  const std::vector<Node> &innermost = loops.back()->children[0].children;
  std::optional<Index> elements;
  isl::set updating = isl::manage(isl_set_empty(nest_.context.space().release()));
  std::vector<unsigned> around;
  for (const Node &n : innermost) {
    if (n.kind != Node::Kind::Unit || units_[n.unit].loops.size() != loops.size())
      return noSchedule(fmt::format("'{}' stands beside loops, or holds some", loops.back()->name));
    const Unit &unit = units_[n.unit];
    around = unit.loops;
    if (declares(unit)) continue;
    for (const Access &a : unit.accesses) {
      if (a.kind == AccessKind::Read) continue;
      if (!a.index || !a.exact || !std::all_of(a.index->begin(), a.index->end(), isAffine) ||
          nest_.followsData(nest_.tuple(*a.index), unit.loops))
        return noSchedule(fmt::format("which elements of '{}' are updated is not known from the iterations",
                                      nest_.variables[a.variable].name));
      if (elements && !std::equal(elements->begin(), elements->end(), a.index->begin(), a.index->end(), isSame))
        return noSchedule("iterations update elements at different places");
      elements = *a.index;
    }
    updating = updating.unite(unit.domain);
  }
  if (!elements || elements->empty()) return noSchedule("nothing is updated");
  // What is declared for updates alone is not needed where there are none.
  for (const Node &n : innermost)
    if (declares(units_[n.unit])) units_[n.unit].domain = units_[n.unit].domain.intersect(updating).coalesce();

  const auto heads = [&](const isl::pw_aff &when, const std::string &name) {
    Node loop = *loops.front(), body;
    loop.name = name;
    loop.changed = true;
    body.top = loop.top;
    for (auto &[unit, at] : loop.when) at = when;
    loop.children = {body};
    return loop;
  };
  std::vector<Node> chain;
  std::vector<bool> determined(loops.size(), false);
  for (const isl::pw_aff &coordinate : *elements) {
    const auto known = std::find_if(loops.begin(), loops.end(),
                                    [&](const Node *n) { return isSame(n->when.begin()->second, coordinate); });
    if (known != loops.end()) determined[static_cast<std::size_t>(known - loops.begin())] = true;
    chain.push_back(
        heads(coordinate, known != loops.end() ? (*known)->name : coordinateName(nest_, around, coordinate)));
    chain.back().loop = known != loops.end() ? (*known)->loop : std::nullopt;
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (determined[i]) continue;
    chain.push_back(heads(loops[i]->when.begin()->second, loops[i]->name));
    chain.back().loop = loops[i]->loop;
  }
  Node whole = chain.back();
  whole.children[0].children = innermost;
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    Node outer = chain[i];
    outer.children[0].children = {std::move(whole)};
    whole = std::move(outer);
  }
  made = {std::move(whole)};
  return std::nullopt;
}

} // namespace tangram::nest
