// Registers of a worker, estimated from what it declares.
#include "Occupancy.h"

#include "tangram/ast/Walk.h"
#include "tangram/hardware/Registers.h"

#include <algorithm>

namespace tangram {

using namespace ast;

namespace {

/// Larger arrays stay in memory.
constexpr Int kLargest = 256;

/// Beside fewer registers of arrays what else is in them counts as much, and compilers know it better.
constexpr std::uint64_t kFewest = 32;

/// Of 32 bits, that arrays take which live at the same time: those of a block, and the most of the blocks in it.
std::uint64_t registersOfArrays(const Node &node, const KnownValues &known) {
  if (const auto *d = dyn<Declare>(&node)) {
    if (d->extents.empty() || d->shared || d->init) return 0; // tables are initialised
    Int elements = 1;
    for (const Expr *extent : d->extents) elements *= known.value(extent).value_or(kLargest + 1);
    return elements > kLargest ? 0 : static_cast<std::uint64_t>(elements) * ((d->type.bytes() + 3) / 4);
  }
  std::uint64_t own = 0, inside = 0;
  for (const Node *child : children(node)) {
    const std::uint64_t words = registersOfArrays(*child, known);
    if (isa<Declare>(child))
      own += words;
    else
      inside = std::max(inside, words);
  }
  return own + inside;
}

} // namespace

std::uint64_t residentGroups(const Launch &launch, const KnownValues &known, const hardware::Hardware &hardware,
                             const hardware::Level &group) {
  const std::uint64_t threads = static_cast<std::uint64_t>(launch.threads);
  const std::uint64_t arrays = registersOfArrays(*launch.body, known);
  if (arrays < kFewest || threads == 0 || group.cores.registers == 0) return 0;
  std::uint64_t groups = group.cores.registers / (hardware::workerRegisters(hardware, arrays) * threads);
  if (group.cores.workers) groups = std::min(groups, group.cores.workers / threads);
  if (group.cores.units) groups = std::min(groups, group.cores.units);
  return groups;
}

} // namespace tangram
