#include "Rescheduling.h"

#include "HandedOn.h"

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

} // namespace

std::map<unsigned, nest::ReductionOp> accumulated(const nest::Nest &nest, unsigned loop, bool reorder) {
  std::map<unsigned, std::optional<nest::ReductionOp>> known; // nothing: something else is done with it
  for (const unsigned s : nest.statementsOf(loop))
    for (const nest::Access &a : nest.statements[s].accesses) {
      auto [entry, fresh] = known.emplace(a.variable, a.update);
      if (!fresh && entry->second != a.update) entry->second.reset();
    }
  std::map<unsigned, nest::ReductionOp> result;
  for (const auto &[variable, op] : known) {
    const bool exact =
        op == nest::ReductionOp::Min || op == nest::ReductionOp::Max || !nest.variables[variable].type.isFloating();
    if (op && (exact || reorder)) result.emplace(variable, *op);
  }
  return result;
}

bool isSerialThroughout(const nest::Nest &nest, const Item &item) {
  return item.kind == Item::Kind::Loop && std::any_of(item.body.begin(), item.body.end(), nest::hasLoop) &&
         !anyParallel(nest, item);
}

bool waitsInBoth(const nest::Nest &nest, const Item &loop) {
  const nest::Dependences dependences(nest);
  const auto waits = [&](const Item &item) {
    return item.kind == Item::Kind::Loop && dependences.carried(item.index).kind == Carried::Kind::Dependence;
  };
  const auto waitsIn = [&](const auto &self, const std::vector<Item> &items) -> bool {
    return std::any_of(items.begin(), items.end(), [&](const Item &item) {
      return waits(item) || self(self, item.body) || self(self, item.otherwise);
    });
  };
  return waits(loop) && waitsIn(waitsIn, loop.body);
}

namespace {

/// Loops that stay as they are, also where what is written is another nest: by their iterators.
std::vector<std::string> serialLoops(const nest::Nest &nest) {
  std::vector<std::string> result;
  for (const Item &item : nest.items)
    if (isSerialThroughout(nest, item)) result.push_back(nest.loops[item.index].variable);
  return result;
}

/// Whether loops stand in the innermost of loops that stand directly in each other from this one on, two or more.
bool hasLoopsInIterations(const Item &outermost) {
  std::size_t depth = 1;
  const Item *item = &outermost;
  for (; item->body.size() == 1 && item->body[0].kind == Item::Kind::Loop; ++depth) item = &item->body[0];
  return depth > 1 && std::any_of(item->body.begin(), item->body.end(), nest::hasLoop);
}

/// Whether statements stand side by side in it, or in a loop in it.
bool hasStatementsTogether(const Item &item) {
  std::size_t side = 0;
  for (const Item &in : item.body) {
    side = in.kind == Item::Kind::Loop ? 0 : side + 1;
    if (side > 1 || hasStatementsTogether(in)) return true;
  }
  return std::any_of(item.otherwise.begin(), item.otherwise.end(), hasStatementsTogether);
}

/// The codelet after the step; null where it is refused, or leaves no more loops parallel.
const Codelet *rescheduled(nest::Nests &nests, const nest::Nest &nest, const Item &loop, Step step, bool reorder,
                           Arena &arena, std::string &why) {
  nest::Schedule schedule(nest);
  const nest::Loop &l = nest.loops[loop.index];
  for (const auto &[variable, op] : accumulated(nest, loop.index, reorder)) schedule.reduce(variable);
  step.loops = {l.variable};
  step.range = l.node->range;
  if (const auto refusal = schedule.apply(step)) {
    why = refusal->message;
    return nullptr;
  }
  const nest::Written written = nest::write(schedule, arena);
  if (!written.body) {
    why = written.problem;
    return nullptr;
  }
  const Codelet *changed = nest::withWritten(nest.codelet, written, arena);
  if (const nest::Nest *read = nests.of(*changed)) {
    const nest::Dependences before(nest), now(*read);
    if (now.parallelLoops() > before.parallelLoops() || now.unorderedLoops() > before.unorderedLoops()) return changed;
  }
  why = "no order of its iterations leaves any of them parallel";
  return nullptr;
}

const Codelet *withEachRescheduled(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena,
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
    std::vector<Step> steps;
    if (hasLoopsInIterations(*loop)) steps.push_back({Step::Kind::Hyperplanes, {}, 0, "", {}});
    steps.push_back({Step::Kind::Reschedule, {}, 0, "", {}});
    if (hasStatementsTogether(*loop)) {
      steps.push_back(steps.back());
      steps.back().together = true;
    }
    for (auto step = steps.begin(); step != steps.end() && !changed; ++step)
      changed = rescheduled(nests, *nest, *loop, *step, reorder, arena, why);
    if (!changed) {
      refused.push_back({nest->loops[loop->index].node->range, why});
      continue;
    }
    result = changed;
    nest = nests.of(*changed);
  }
  return result;
}

} // namespace

const Codelet *withRescheduledLoops(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena,
                                    std::vector<nest::Remark> &refused) {
  std::vector<nest::Remark> ignored;
  const Codelet *const rows = withRowsHandedOn(nests, codelet, reorder, arena);
  if (rows != &codelet)
    if (const Codelet *made = withEachRescheduled(nests, *rows, reorder, arena, ignored); made != rows) return made;
  return withEachRescheduled(nests, codelet, reorder, arena, refused);
}

} // namespace tangram::divide
