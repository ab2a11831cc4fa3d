#include "tangram/hardware/Registers.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tangram::hardware {

namespace {
constexpr std::uint64_t kBesideArrays = 40;
constexpr std::uint64_t kTogether = 8; // they are given out in eights

std::uint64_t whole(std::uint64_t registers) { return (registers + kTogether - 1) / kTogether * kTogether; }

/// That a worker may have; nothing: the target does not say.
std::optional<std::uint64_t> most(const Hardware &hardware) {
  std::optional<std::uint64_t> result;
  for (const Level &level : hardware.levels)
    if (const Memory *memory = level.memory("registers"); memory && memory->bytes)
      result = std::min(result.value_or(memory->bytes / 4), memory->bytes / 4);
  return result;
}
} // namespace

std::uint64_t workerRegisters(const Hardware &hardware, std::uint64_t arrays) {
  const std::uint64_t registers = whole(arrays + kBesideArrays);
  const std::optional<std::uint64_t> limit = most(hardware);
  return limit ? std::min(registers, whole(*limit)) : registers;
}

std::uint64_t registersForValues(const Hardware &hardware, std::uint64_t workers) {
  std::uint64_t registers = most(hardware).value_or(std::numeric_limits<std::uint64_t>::max());
  for (const Level &level : hardware.levels)
    if (level.cores.registers)
      registers = std::min(registers, level.cores.registers / std::max<std::uint64_t>(1, workers));
  return registers > kBesideArrays ? registers - kBesideArrays : 0;
}

} // namespace tangram::hardware
