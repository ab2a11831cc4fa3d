// The meaning of the AST (tangram/verify/Semantics.h) by its names, for tests.
#pragma once

#include "tangram/verify/Semantics.h"

namespace tangram::test {

using semantics::accepts;
using semantics::Array;
using semantics::arrayValue;
using semantics::convert;
using semantics::Failure;
using semantics::integer;
using semantics::kManySteps;
using semantics::OutOfRange;
using semantics::real;
using semantics::Reported;
using semantics::run;
using semantics::Scalar;
using semantics::scalarValue;
using semantics::Value;

} // namespace tangram::test
