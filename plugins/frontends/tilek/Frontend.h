// The frontend: the file as C, its kernels as the language, and the codelets of their directives.
#pragma once

#include "tangram/pass/Pass.h"

#include <memory>

namespace tangram::tilek {

std::unique_ptr<Frontend> makeFrontend();

} // namespace tangram::tilek
