// Arguments that are there, and what a spectrum's conditions (`__requires`) ask of them.
#pragma once

#include "tangram/verify/Shapes.h"
#include "tangram/verify/Value.h"

namespace tangram::runtime {

Shape::Argument shapeOf(const Value &value);

/// Changes floating scalars of `values`, but for those that are `fixed`, until the conditions hold. False, and all is
/// as it was, where that leads nowhere.
bool meetConditions(const ast::Spectrum &spectrum, std::vector<Value> &values, const std::vector<bool> &fixed = {});

} // namespace tangram::runtime
