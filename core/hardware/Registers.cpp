#include "tangram/hardware/Registers.h"

#include <algorithm>

namespace tangram::hardware {

namespace {
constexpr std::uint64_t kBesideArrays = 40;
constexpr std::uint64_t kTogether = 8; // they are given out in eights

std::uint64_t whole(std::uint64_t registers) { return (registers + kTogether - 1) / kTogether * kTogether; }
} // namespace

std::uint64_t workerRegisters(const Hardware &hardware, std::uint64_t arrays) {
  std::uint64_t registers = whole(arrays + kBesideArrays);
  for (const Level &level : hardware.levels)
    if (const Memory *memory = level.memory("registers"); memory && memory->bytes)
      registers = std::min(registers, whole(memory->bytes / 4));
  return registers;
}

} // namespace tangram::hardware
