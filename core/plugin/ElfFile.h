// A look at a library before the system's loader maps it: a file that was cut short is an error, not a SIGBUS.
#pragma once

#include <filesystem>
#include <string>

namespace tangram {

/// Why the file cannot be a complete shared library; empty: it can.
std::string notALibrary(const std::filesystem::path &path);

} // namespace tangram
