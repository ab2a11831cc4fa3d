// tangram passes --run, --emit
#pragma once

#include "Driver.h"

namespace tangram::driver {

struct PassesFlags {
  std::string word, target, run, emit = "ast", folder, stem;
  bool locations = false;
};

/// Runs passes on a textual AST, and prints it or what the backend makes of it.
int runPasses(Driver &driver, const PassesFlags &flags);

} // namespace tangram::driver
