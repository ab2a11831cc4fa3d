// Words that generated code must not use as names of its own.
#pragma once

#include <string>
#include <string_view>

namespace tangram {

/// Keywords of C and C++ (all standards), alternative operators, standard types and macros, names that the standards,
/// OpenMP and Tangram's own headers keep for themselves.
bool isReserved(std::string_view name);

/// Keywords, types, built-in variables and functions of the languages of devices.
bool isWordOfDevices(std::string_view name);

/// Whether the C library has a function or object of the name: a function of ours of that name would take its place for
/// the whole program.
bool isInLibrary(const std::string &name);

/// `name` with everything replaced that cannot stand in an identifier.
std::string identifier(std::string_view name);

} // namespace tangram
