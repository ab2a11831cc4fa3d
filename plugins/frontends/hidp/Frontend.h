// The frontend: HiDP's own syntax, and what it means as spectrums and codelets.
#pragma once

#include "tangram/pass/Pass.h"

#include <memory>

namespace tangram::hidp {

std::unique_ptr<Frontend> makeFrontend();

} // namespace tangram::hidp
