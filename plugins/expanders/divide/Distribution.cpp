#include "Distribution.h"
#include "Expansion.h"
#include "Parting.h"
#include "Recomputation.h"
#include "RunningValues.h"

#include "tangram/ast/Names.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Item;
using nest::Step;

namespace {

constexpr unsigned kSteps = 16; // as many changes as a codelet has loops, and more

class Distributor {
public:
  Distributor(nest::Nests &nests, const Codelet &codelet, std::int64_t mostExpanded, Arena &arena)
      : nests_(nests), codelet_(&codelet), mostExpanded_(mostExpanded), arena_(arena) {
    names_.reserveAll(&codelet);
  }

  const Codelet *run() {
    for (unsigned steps = 0; steps < kSteps && change();) ++steps;
    if (const nest::Nest *const nest = nests_.of(*codelet_); nest && serialLoopsAroundLoops(*codelet_) > 0)
      std::any_of(nest->items.begin(), nest->items.end(), [&](const Item &item) { return regroupIn(*nest, item); });
    return codelet_;
  }

  /// The same, but first an innermost loop is taken apart where scalars would have to have a value for each iteration,
  /// and have it. Null where that leaves no fewer of the outermost loops serial than `otherwise` does.
  const Codelet *runWithRunningValues(const Codelet &otherwise) {
    const nest::Nest *const nest = nests_.of(*codelet_);
    std::vector<unsigned> around;
    if (!nest || serialLoops(otherwise) == 0) return nullptr;
    const Codelet *const written = codelet_;
    for (const Item &item : nest->items) {
      const Codelet *found = withRunningValues(*nest, item, around);
      if (found && serialLoops(*found) < serialLoops(otherwise)) return found;
      codelet_ = written;
    }
    return nullptr;
  }

private:
  /// `around` are the serial loops around the item.
  const Codelet *withRunningValues(const nest::Nest &nest, const Item &item, std::vector<unsigned> &around) {
    if (item.kind != Item::Kind::Loop || isParallel(nest, item.index)) return nullptr;
    around.push_back(item.index);
    const Codelet *result = nullptr;
    if (std::none_of(item.body.begin(), item.body.end(), nest::hasLoop))
      result = withRunningValues(nest.loops[item.index], around);
    for (const Item &inner : item.body)
      if (!result) result = withRunningValues(nest, inner, around);
    around.pop_back();
    return result;
  }

  const Codelet *withRunningValues(const nest::Loop &loop, const std::vector<unsigned> &around) {
    const std::optional<OwnRunningValues> own = withOwnRunningValues(*codelet_, loop.node, names_, arena_);
    const nest::Nest *const read = own ? nests_.of(*own->codelet) : nullptr;
    if (!read) return nullptr;
    // What else an iteration declares keeps statements together, or has an element for each as well.
    for (const std::set<std::string> &only : {own->variables, std::set<std::string>{}}) {
      const Codelet *expanded = withVariablesExpanded(*read, around, mostExpanded_, names_, arena_, only);
      const nest::Nest *const apart = expanded ? nests_.of(*expanded) : nullptr;
      const Item *same = apart ? find(*apart, apart->items, loop.variable) : nullptr;
      if (same && apply(*apart, partingScalars(*apart, *same)))
        return Distributor(nests_, *codelet_, mostExpanded_, arena_).run();
    }
    return nullptr;
  }

  /// One loop at a time, outer ones first: after each the nest is read anew.
  bool change() {
    const nest::Nest *const nest = nests_.of(*codelet_);
    if (!nest) return false;
    std::vector<unsigned> around;
    return std::any_of(nest->items.begin(), nest->items.end(),
                       [&](const Item &item) { return change(*nest, item, around); });
  }

  bool change(const nest::Nest &nest, const Item &item, std::vector<unsigned> &around) {
    const bool isLoop = item.kind == Item::Kind::Loop;
    if (isLoop) {
      around.push_back(item.index);
      if (tried_.insert(nest.loops[item.index].variable).second &&
          (item.body.size() > 1 ? distribute(nest, item, around) || separate(nest, item, around)
                                : interchange(nest, item))) {
        forget(nest, item.index); // what is around it may go on from here
        return true;
      }
    }
    for (const auto *items : {&item.body, &item.otherwise})
      for (const Item &inner : *items)
        if (change(nest, inner, around)) return true;
    if (isLoop) around.pop_back();
    return false;
  }

  /// The loop, those around it and all in these are looked at once more; what stands in others has not changed.
  void forget(const nest::Nest &nest, unsigned loop) {
    const auto outermost = [&](unsigned l) {
      while (nest.loops[l].parent) l = *nest.loops[l].parent;
      return l;
    };
    for (unsigned l = 0; l < nest.loops.size(); ++l)
      if (outermost(l) == outermost(loop)) {
        tried_.erase(nest.loops[l].variable);
        regrouped_.erase(nest.loops[l].variable);
      }
  }

  /// What becomes of the codelet as it stands by going on, where a step has changed the loop.
  const Codelet *goneOn(const nest::Nest &nest, unsigned loop) const {
    Distributor next(nests_, *codelet_, mostExpanded_, arena_);
    next.tried_ = tried_;
    next.regrouped_ = regrouped_;
    next.forget(nest, loop);
    return next.run();
  }

  /// What is left are loops that are perfectly nested. A parallel loop that holds one loop, which is serial, is left
  /// alone.
  bool distribute(const nest::Nest &nest, const Item &item, const std::vector<unsigned> &around) {
    const auto loops = std::count_if(item.body.begin(), item.body.end(), nest::hasLoop);
    const bool parallel = isParallel(nest, item.index);
    const bool band = std::any_of(item.body.begin(), item.body.end(), [&](const Item &inner) {
      return inner.kind == Item::Kind::Loop && isParallel(nest, inner.index);
    });
    if (loops < (parallel && !band ? 2 : 1)) return false;
    if (apply(nest, parting(nest, item))) return true;
    const Codelet *expanded = withVariablesExpanded(nest, around, mostExpanded_, names_, arena_);
    if (!expanded) return false;
    const nest::Nest *const read = nests_.of(*expanded);
    const Item *same = read ? find(*read, read->items, nest.loops[item.index].variable) : nullptr;
    return same && apply(*read, parting(*read, *same));
  }

  static const Item *find(const nest::Nest &nest, const std::vector<Item> &items, const std::string &loop) {
    for (const Item &item : items) {
      if (item.kind == Item::Kind::Loop && nest.loops[item.index].variable == loop) return &item;
      for (const auto *inner : {&item.body, &item.otherwise})
        if (const Item *found = find(nest, *inner, loop)) return found;
    }
    return nullptr;
  }

  /// Statements of one innermost loop, where each has a parallel loop that it does not share with the others: what is
  /// read twice then is the price. `around` ends with the loop.
  bool separate(const nest::Nest &nest, const Item &item, const std::vector<unsigned> &around) {
    if (std::any_of(item.body.begin(), item.body.end(), nest::hasLoop) ||
        std::any_of(around.begin(), around.end(), [&](unsigned loop) { return isParallel(nest, loop); }))
      return false;
    const nest::Loop &loop = nest.loops[item.index];
    const Step each{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range, {}};
    if (separateBy(nest, item.index, each)) return true;
    const Codelet *own = withRecomputation(*codelet_, loop.node, nests_.module(), arena_);
    const nest::Nest *const read = own ? nests_.of(*own) : nullptr;
    const Item *same = read ? find(*read, read->items, loop.variable) : nullptr;
    return same && separateBy(*read, same->index, partingPlaces(*read, *same));
  }

  /// What stands in a serial loop in loops of their own, one for all that shares variables of an iteration, in an order
  /// that dependences allow; loops in it are taken apart first. Kept where fewer loops are serial around others then:
  ///
  ///   for (i...) { s = 0; for (k < i) { c[k] += b[i] * a[i][k]; s += b[k] * a[i][k]; } c[i] = s; }
  ///
  /// becomes a loop over i that has the sums, and one that has the updates behind it.
  bool regroup(const nest::Nest &nest, const Item &item) {
    constexpr std::size_t kMostGroups = 3; // all orders of them are tried
    if (item.kind != Item::Kind::Loop || item.body.size() < 2 || isParallel(nest, item.index) ||
        std::none_of(item.body.begin(), item.body.end(), nest::hasLoop) ||
        !regrouped_.insert(nest.loops[item.index].variable).second)
      return false;
    const Codelet *const before = codelet_;
    Place place; // what is written anew has other names
    if (!placeOf(item, nest.items, place)) return false;
    for (std::size_t i = item.body.size(); i-- > 0;) {
      place.push_back(i);
      takeApart(place);
      place.pop_back();
    }
    const nest::Nest *const read = nests_.of(*codelet_);
    const Item *same = read ? itemAt(place, read->items) : nullptr;
    std::vector<std::vector<std::size_t>> groups;
    if (same) groups = sharing(*read, *same);
    for (bool more = groups.size() > 1 && groups.size() <= kMostGroups; more;
         more = std::next_permutation(groups.begin(), groups.end())) {
      Step step{Step::Kind::Distribute,
                {read->loops[same->index].variable},
                0,
                "",
                read->loops[same->index].node->range,
                {},
                {}};
      for (const auto &group : groups) {
        step.parts.push_back(group.size());
        step.order.insert(step.order.end(), group.begin(), group.end());
      }
      if (!apply(*read, step)) continue;
      codelet_ = goneOn(*read, same->index);
      if (serialLoopsAroundLoops(*codelet_) < serialLoopsAroundLoops(*before)) {
        names_.reserveAll(codelet_);
        return true;
      }
      break;
    }
    codelet_ = before;
    return false;
  }

  /// The first loop, from outside, of the item and all in it for which that helps.
  bool regroupIn(const nest::Nest &nest, const Item &item) {
    return regroup(nest, item) ||
           std::any_of(item.body.begin(), item.body.end(), [&](const Item &inner) { return regroupIn(nest, inner); });
  }

  /// Positions of items, each in what stands in the one before.
  using Place = std::vector<std::size_t>;
  static bool placeOf(const Item &item, const std::vector<Item> &items, Place &place) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      place.push_back(i);
      if (&items[i] == &item || placeOf(item, items[i].body, place)) return true;
      place.pop_back();
    }
    return false;
  }
  static const Item *itemAt(const Place &place, const std::vector<Item> &items) {
    const std::vector<Item> *in = &items;
    const Item *item = nullptr;
    for (const std::size_t i : place) {
      if (i >= in->size()) return nullptr;
      item = &(*in)[i];
      in = &item->body;
    }
    return item && item->kind == Item::Kind::Loop ? item : nullptr;
  }

  /// An innermost loop of several statements into one for each.
  void takeApart(const Place &loop) {
    const nest::Nest *const read = nests_.of(*codelet_);
    const Item *item = read ? itemAt(loop, read->items) : nullptr;
    if (item && item->body.size() > 1 && std::none_of(item->body.begin(), item->body.end(), nest::hasLoop))
      apply(*read, parting(*read, *item));
  }

  /// Whether loops become parallel by that.
  bool separateBy(const nest::Nest &nest, unsigned loop, const Step &step) {
    const Codelet *const before = codelet_;
    if (apply(nest, step)) codelet_ = goneOn(nest, loop);
    if (parallelLoops(*codelet_) <= parallelLoops(*before)) {
      codelet_ = before;
      return false;
    }
    names_.reserveAll(codelet_);
    return true;
  }

  /// How many of a codelet's outermost loops are parallel, or are not.
  std::ptrdiff_t parallelLoops(const Codelet &codelet) const { return outermostLoops(codelet, true); }
  std::ptrdiff_t serialLoops(const Codelet &codelet) const { return outermostLoops(codelet, false); }
  std::ptrdiff_t outermostLoops(const Codelet &codelet, bool parallel) const {
    const nest::Nest *const nest = nests_.of(codelet);
    if (!nest) return 0;
    return std::count_if(nest->items.begin(), nest->items.end(), [&](const Item &item) {
      return item.kind == Item::Kind::Loop && isParallel(*nest, item.index) == parallel;
    });
  }

  std::ptrdiff_t serialLoopsAroundLoops(const Codelet &codelet) const {
    const nest::Nest *const nest = nests_.of(codelet);
    std::ptrdiff_t result = 0;
    const auto count = [&](const auto &self, const std::vector<Item> &items) -> void {
      for (const Item &item : items) {
        result += item.kind == Item::Kind::Loop && std::any_of(item.body.begin(), item.body.end(), nest::hasLoop) &&
                  !isParallel(*nest, item.index);
        self(self, item.body);
        self(self, item.otherwise);
      }
    };
    if (nest) count(count, nest->items);
    return result;
  }

  bool interchange(const nest::Nest &nest, const Item &outermost) {
    std::vector<unsigned> parallel, serial;
    std::vector<std::string> before, now;
    for (const Item *item = &outermost; item->kind == Item::Kind::Loop;) {
      (isParallel(nest, item->index) ? parallel : serial).push_back(item->index);
      before.push_back(nest.loops[item->index].variable);
      if (item->body.size() != 1) break;
      item = &item->body[0];
    }
    if (parallel.empty()) return false;
    sideBySide(nest, outermost.index, parallel);
    for (const auto *loops : {&parallel, &serial})
      for (const unsigned loop : *loops) now.push_back(nest.loops[loop].variable);
    return now != before && apply(nest, {Step::Kind::Order, now, 0, "", nest.loops[outermost.index].node->range});
  }

  /// A loop along which no elements lie side by side stands around those along which they do.
  static void sideBySide(const nest::Nest &nest, unsigned outermost, std::vector<unsigned> &loops) {
    std::set<unsigned> along;
    if (loops.size() < 2) return;
    for (const unsigned s : nest.statementsOf(outermost))
      for (const nest::Access &a : nest.statements[s].accesses)
        for (const unsigned loop : loops)
          if (nest.variables[a.variable].container && goesAlong(nest, a, loop)) along.insert(loop);
    std::stable_partition(loops.begin(), loops.end(), [&](unsigned loop) { return !along.count(loop); });
  }

  bool apply(const nest::Nest &nest, const Step &step) {
    nest::Schedule schedule(nest);
    const std::size_t loops = schedule.loops().size();
    if (schedule.apply(step)) return false;
    if (step.kind == Step::Kind::Distribute && schedule.loops().size() == loops) return false; // all stay together
    const nest::Written written = nest::write(schedule, arena_);
    if (!written.body) return false;
    codelet_ = nest::withWritten(nest.codelet, written, arena_);
    names_.reserveAll(codelet_);
    return true;
  }

  nest::Nests &nests_;
  const Codelet *codelet_;
  std::int64_t mostExpanded_;
  Arena &arena_;
  Names names_;
  std::set<std::string> tried_, regrouped_; // loops, by their iterators
};

} // namespace

const Codelet *withParallelLoopsOutside(nest::Nests &nests, const Codelet &codelet, std::int64_t mostExpanded,
                                        Arena &arena) {
  return Distributor(nests, codelet, mostExpanded, arena).run();
}

const Codelet *withRunningValuesApart(nest::Nests &nests, const Codelet &codelet, const Codelet &otherwise,
                                      std::int64_t mostExpanded, Arena &arena) {
  return Distributor(nests, codelet, mostExpanded, arena).runWithRunningValues(otherwise);
}

} // namespace tangram::divide
