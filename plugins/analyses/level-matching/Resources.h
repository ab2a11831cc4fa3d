// What a codelet needs of a target, beside a level's capability, that can be told before there is a plan.
#pragma once

#include "tangram/ast/Structs.h"
#include "tangram/hardware/Hardware.h"

namespace tangram::level_matching {

/// Why the target cannot run a codelet anywhere; empty: nothing is known that speaks against it.
std::string lacking(const ast::Codelet &codelet, const hardware::Hardware &hardware);
/// Why a cooperative codelet does not fit at `level`; empty: it does, as far as is known.
std::string lacking(const ast::Codelet &codelet, const hardware::Hardware &hardware, const hardware::Level &level,
                    const ast::Structs &structs);

} // namespace tangram::level_matching
