// What can be a name in generated code, whatever its language.
#pragma once

#include <string>
#include <string_view>

namespace tangram {

/// Whether the C library has a function or object of the name: a function of ours of that name would take its place for
/// the whole program.
bool isInLibrary(const std::string &name);

/// `name` with everything replaced that cannot stand in an identifier.
std::string identifier(std::string_view name);

} // namespace tangram
