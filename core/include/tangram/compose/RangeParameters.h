// Which parameters are index ranges: what a map over them gives each call is a number, not memory.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>
#include <utility>

namespace tangram {

/// The spectrum, and the parameter, counted from 0.
using RangeParameters = std::set<std::pair<std::string, unsigned>>;

/// Whether a variable is a range(...) that is made there.
bool declaresRange(const ast::Declare &declare);

/// Parameters that are a range(...), or a part of one, in every call of the module; `without`: of these spectrums none.
RangeParameters rangeParameters(const ast::Module &module, const std::set<std::string> &without = {});

} // namespace tangram
