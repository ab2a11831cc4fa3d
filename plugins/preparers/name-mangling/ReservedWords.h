// Words that generated C or C++ must not use as names of its own.
#pragma once

#include <string>
#include <string_view>

namespace tangram {

/// Keywords of C and C++ (all standards), alternative operators, standard types and macros, names that the standards,
/// OpenMP and Tangram's own headers keep for themselves.
bool isReserved(std::string_view name);

/// `name` with everything replaced that cannot stand in an identifier.
std::string identifier(std::string_view name);

} // namespace tangram
