#include "Resources.h"

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Launch.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::level_matching {

using namespace ast;

namespace {

/// coopDim() as the number that it is at a level.
class WithLanes final : public Mutator {
public:
  WithLanes(Arena &arena, std::uint64_t lanes) : Mutator(arena), lanes_(lanes) {}

private:
  const Node *mutateCoopDim(const CoopDim *node) override {
    return arena().make<IntLit>(node->range, node->type, static_cast<Int>(lanes_));
  }
  const std::uint64_t lanes_;
};

/// Bytes of the codelet's __shared arrays; nothing where that depends on what is not known yet.
std::optional<std::uint64_t> sharedBytes(const Codelet &codelet, std::uint64_t lanes, const Structs &structs) {
  Arena arena;
  Kernel shell;
  shell.body = WithLanes(arena, lanes)(codelet.body);
  KnownValues known(shell);
  std::uint64_t all = 0;
  bool tells = true;
  walk(shell.body, [&](const Declare &d) {
    if (!d.shared) return;
    std::uint64_t bytes = structs.bytes(d.type);
    for (const Expr *extent : d.extents) {
      std::optional<Int> value = known.value(extent);
      tells =
          tells && value && *value >= 0 && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes);
    }
    tells = tells && !__builtin_add_overflow(all, bytes, &all);
  });
  return tells ? std::optional(all) : std::nullopt;
}

} // namespace

std::string lacking(const Codelet &codelet, const hardware::Hardware &hardware) {
  std::string reason;
  walk(codelet.body, [&](const Atomic &a) {
    std::uint64_t bits = 8ull * a.target->type.bytes();
    for (const hardware::Level &level : hardware.levels)
      for (const hardware::Memory &memory : level.memories) {
        if (!reason.empty() || !memory.atomics) continue;
        const std::vector<std::uint64_t> &widths = *memory.atomics;
        if (std::find(widths.begin(), widths.end(), bits) != widths.end()) continue;
        reason = fmt::format("its atomic {} is on elements of {} bits, memory '{}' has atomic operations on {}",
                             name(a.op), bits, memory.name,
                             widths.empty() ? "none" : fmt::format("{} bits only", fmt::join(widths, " and ")));
      }
  });
  return reason;
}

std::string lacking(const Codelet &codelet, const hardware::Hardware &hardware, const hardware::Level &level,
                    const Structs &structs) {
  std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(hardware);
  if (!levels || (level.name != levels->group->name && !levels->subgroup(level.name))) return "";
  const hardware::Memory *scratchpad = levels->group->memory("scratchpad");
  std::uint64_t there = scratchpad ? scratchpad->bytes : 0;
  std::optional<std::uint64_t> bytes = sharedBytes(codelet, hardware.lanes(level), structs);
  if (!there || !bytes) return "";
  // Each unit of the level has its own, all units of a group at once.
  std::uint64_t units = levels->groupWorkers / std::max<std::uint64_t>(1, levels->workers(level.name));
  std::uint64_t needed = 0;
  if (__builtin_mul_overflow(*bytes, std::max<std::uint64_t>(1, units), &needed)) needed = ~std::uint64_t{0};
  if (needed <= there) return "";
  return fmt::format("its __shared arrays need {} bytes of scratchpad{}, level '{}' has {}: {} bytes too many", needed,
                     units > 1 ? fmt::format(" ({} of '{}')", units, level.name) : "", levels->group->name, there,
                     needed - there);
}

} // namespace tangram::level_matching
