#include "Rescheduling.h"

#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <map>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::Step;

namespace {

bool anyParallel(const nest::Nest &nest, const Item &item) {
  if (item.kind == Item::Kind::Loop && nest::Dependences(nest).carried(item.index).kind == Carried::Kind::Nothing)
    return true;
  for (const auto *items : {&item.body, &item.otherwise})
    if (std::any_of(items->begin(), items->end(), [&](const Item &inner) { return anyParallel(nest, inner); }))
      return true;
  return false;
}

/// Loops that stay as they are, also where what is written is another nest: by their iterators.
std::vector<std::string> serialLoops(const nest::Nest &nest) {
  std::vector<std::string> result;
  for (const Item &item : nest.items)
    if (item.kind == Item::Kind::Loop && std::any_of(item.body.begin(), item.body.end(), nest::hasLoop) &&
        !anyParallel(nest, item))
      result.push_back(nest.loops[item.index].variable);
  return result;
}

/// Variables that a loop only updates, each by one operator, the order of which does not matter.
std::vector<unsigned> accumulated(const nest::Nest &nest, unsigned loop, bool reorder) {
  std::map<unsigned, std::optional<nest::ReductionOp>> known; // nothing: something else is done with it
  for (const unsigned s : nest.statementsOf(loop))
    for (const nest::Access &a : nest.statements[s].accesses) {
      auto [entry, fresh] = known.emplace(a.variable, a.update);
      if (!fresh && entry->second != a.update) entry->second.reset();
    }
  std::vector<unsigned> result;
  for (const auto &[variable, op] : known) {
    const bool exact =
        op == nest::ReductionOp::Min || op == nest::ReductionOp::Max || !nest.variables[variable].type.isFloating();
    if (op && (exact || reorder)) result.push_back(variable);
  }
  return result;
}

/// Whether loops stand in the innermost of loops that stand directly in each other from this one on, two or more.
bool hasLoopsInIterations(const Item &outermost) {
  std::size_t depth = 1;
  const Item *item = &outermost;
  for (; item->body.size() == 1 && item->body[0].kind == Item::Kind::Loop; ++depth) item = &item->body[0];
  return depth > 1 && std::any_of(item->body.begin(), item->body.end(), nest::hasLoop);
}

/// The codelet after the step; null where it is refused, or leaves no more loops parallel.
const Codelet *rescheduled(nest::Nests &nests, const nest::Nest &nest, const Item &loop, Step::Kind kind, bool reorder,
                           Arena &arena, std::string &why) {
  nest::Schedule schedule(nest);
  const nest::Loop &l = nest.loops[loop.index];
  for (const unsigned v : accumulated(nest, loop.index, reorder)) schedule.reduce(v);
  if (const auto refusal = schedule.apply({kind, {l.variable}, 0, "", l.node->range, {}})) {
    why = refusal->message;
    return nullptr;
  }
  const nest::Written written = nest::write(schedule, arena);
  if (!written.body) {
    why = written.problem;
    return nullptr;
  }
  const Codelet *changed = nest::withWritten(nest.codelet, written, arena);
  const nest::Nest *read = nests.of(*changed);
  if (read && nest::Dependences(*read).parallelLoops() > nest::Dependences(nest).parallelLoops()) return changed;
  why = "no order of its iterations leaves any of them parallel";
  return nullptr;
}

} // namespace

const Codelet *withRescheduledLoops(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena,
                                    std::vector<nest::Remark> &refused) {
  const Codelet *result = &codelet;
  const nest::Nest *nest = nests.of(codelet);
  if (!nest) return result;
  for (const std::string &variable : serialLoops(*nest)) {
    const auto loop = std::find_if(nest->items.begin(), nest->items.end(), [&](const Item &item) {
      return item.kind == Item::Kind::Loop && nest->loops[item.index].variable == variable;
    });
    if (loop == nest->items.end()) continue;
    const Codelet *changed = nullptr;
    std::string why;
    if (hasLoopsInIterations(*loop))
      changed = rescheduled(nests, *nest, *loop, Step::Kind::Hyperplanes, reorder, arena, why);
    if (!changed) changed = rescheduled(nests, *nest, *loop, Step::Kind::Reschedule, reorder, arena, why);
    if (!changed) {
      refused.push_back({nest->loops[loop->index].node->range, why});
      continue;
    }
    result = changed;
    nest = nests.of(*changed);
  }
  return result;
}

} // namespace tangram::divide
