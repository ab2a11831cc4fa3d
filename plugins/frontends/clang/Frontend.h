// The frontend: one Clang run for each file, whose AST becomes ours.
#pragma once

#include "tangram/pass/Pass.h"

#include <memory>

namespace tangram::frontend {

std::unique_ptr<Frontend> makeFrontend();

} // namespace tangram::frontend
