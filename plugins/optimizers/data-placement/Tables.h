// Tables of constants, which every launch finds in constant memory instead of making them anew.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/hardware/Launch.h"

namespace tangram::placement {

/// The launch with its tables at the top (ast/Tables.h), as many as constant memory has room for, equal ones once.
const ast::Launch *tablesFirst(ast::Arena &arena, const hardware::LaunchLevels &levels, const ast::KnownValues &known,
                               const ast::Launch *launch);

} // namespace tangram::placement
