// How many registers a worker takes, estimated before its code is made.
#pragma once

#include "tangram/hardware/Hardware.h"

namespace tangram::hardware {

/// Of 32 bits, of a worker whose arrays take so many: as they are given out, beside addresses, counters and
/// intermediate results, and no more than a worker may have, where the target says that (memory `registers`).
std::uint64_t workerRegisters(const Hardware &hardware, std::uint64_t arrays);

/// Of 32 bits, that a worker of a group of so many has beside those; without a limit where the target says none.
std::uint64_t registersForValues(const Hardware &hardware, std::uint64_t workers);

} // namespace tangram::hardware
