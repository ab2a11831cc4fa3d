// The machine at hand: threads that this process may use, vector registers, caches.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::c_family {

/// Backend::detect() of code that runs on the processor, in this process.
Detection detectProcessor(hardware::Hardware &hardware);

} // namespace tangram::c_family
