// Counters that wrap around, and those that count how often others do, as functions of the iteration's number.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// for (i = 0; i < n; ++i) { S(x, y); if (++x == w) { x = 0; ++y; } }   as
///
///   for (i = 0; i < n; ++i) { const x_1 = i % w, y_1 = i / w; S(x_1, y_1); }
///
/// for integers of around a loop that each of its iterations adds something to that stands still, and brings back into
/// a range of values once or as often as that takes: `if (x >= n) x -= n`, `while (x >= n) x -= n`, `x %= n`, `x = x +
/// 1 < n ? x + 1 : 0`, up or down, in front of the addition or behind it. What is added to others wherever one is
/// brought back, by the same rules, counts how often that has been (induction variables of higher order: Wolfe, Beyond
/// Induction Variables, PLDI 1992). So do integers that only are added to, where other statements of the loop read
/// them.
///
/// Values are those that the source computes: the range is not empty, values begin in it, and nothing wraps around in
/// its type, by types, by what spectrum and codelet require, or as conditions that are added to those of the codelet.
/// Loops end: none has 2^56 iterations. What the loop leaves is set behind it where somebody reads it. The very same
/// codelet where there is nothing of the kind.
const ast::Codelet *withWrappedCounters(const ast::Spectrum &spectrum, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
