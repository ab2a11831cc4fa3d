#include "Gathering.h"

#include "Sinking.h"

#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>

namespace tangram::divide {

using namespace ast;
using nest::Item;
using nest::Step;

namespace {

/// Parallel loops that stand directly in each other, from each of the outermost ones on.
std::size_t outerParallelLoops(const nest::Nest &nest) {
  const nest::Dependences dependences(nest);
  std::size_t result = 0;
  for (const Item &outermost : nest.items)
    for (const Item *item = &outermost;
         item->kind == Item::Kind::Loop && dependences.carried(item->index).kind == nest::Carried::Kind::Nothing;) {
      ++result;
      if (item->body.size() != 1) break;
      item = &item->body[0];
    }
  return result;
}

bool updatesElements(const nest::Nest &nest, unsigned loop) {
  const std::vector<unsigned> statements = nest.statementsOf(loop);
  return std::any_of(statements.begin(), statements.end(), [&](unsigned s) {
    return std::any_of(nest.statements[s].accesses.begin(), nest.statements[s].accesses.end(), [&](const auto &access) {
      return access.update && nest.variables[access.variable].rank > 0 && access.kind == nest::AccessKind::Write;
    });
  });
}

} // namespace

const Codelet *withGatheredUpdates(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const nest::Nest *const written = nests.of(codelet);
  if (!written || std::none_of(written->items.begin(), written->items.end(), [&](const Item &item) {
        return item.kind == Item::Kind::Loop && updatesElements(*written, item.index);
      }))
    return &codelet;
  const Codelet *result = withSunkDeclarations(nests, codelet, Sunk::All, arena);
  bool found = false;
  const nest::Nest *nest = nests.of(*result);
  for (std::size_t i = 0; nest && i < nest->items.size(); ++i) {
    const Item &item = nest->items[i];
    if (item.kind != Item::Kind::Loop || !updatesElements(*nest, item.index)) continue;
    const nest::Loop &loop = nest->loops[item.index];
    nest::Schedule schedule(*nest);
    if (schedule.apply({Step::Kind::Gather, {loop.variable}, 0, "", loop.node->range, {}})) continue;
    const nest::Written gathered = nest::write(schedule, arena);
    if (!gathered.body) continue;
    const Codelet *changed = nest::withWritten(nest->codelet, gathered, arena);
    const nest::Nest *read = nests.of(*changed);
    if (!read || read->items.size() != nest->items.size() || outerParallelLoops(*read) <= outerParallelLoops(*nest))
      continue;
    result = changed;
    nest = read;
    found = true;
  }
  return found ? result : &codelet;
}

} // namespace tangram::divide
