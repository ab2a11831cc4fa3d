// How many registers a worker takes, estimated before its code is made.
#pragma once

#include "tangram/hardware/Hardware.h"

namespace tangram::hardware {

/// Of 32 bits, of a worker whose arrays take so many: as they are given out, beside addresses, counters and
/// intermediate results, and no more than a worker may have, where the target says that (memory `registers`).
std::uint64_t workerRegisters(const Hardware &hardware, std::uint64_t arrays);

} // namespace tangram::hardware
