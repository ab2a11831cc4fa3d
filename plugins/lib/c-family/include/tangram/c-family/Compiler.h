// Runs the compiler of what a backend has written.
#pragma once

#include "tangram/pass/Pass.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tangram::c_family {

struct CompilerCall {
  std::string language;               // "C++": what the compiler is called in messages
  std::vector<std::string> args;      // without sources and -o
  std::string advice;                 // what else to do where there is no such compiler; may be empty
  std::vector<std::string> linking{}; // what is for the linker, behind the sources
  std::string compiler{};             // instead of the option's
  bool precompile = false;            // keep the headers that sources begin with compiled, of these `args`
};

/// Writes what is not there yet of `files`, and makes libSTEM.so of the sources by the backend's option `compiler`.
/// Throws with what the compiler said where it fails, is missing, or `context.cancelled` says so.
std::filesystem::path compileLibrary(const std::vector<OutputFile> &files, BuildContext &context,
                                     const CompilerCall &call);

/// The program of that name, by its path or in a folder of the PATH; nothing where there is none.
std::optional<std::filesystem::path> findProgram(const std::string &name);

/// The folder in which `header` lies, beside the plugin as it is installed, or else `inSource`; empty: not found.
std::filesystem::path includeFolder(const std::string &header, const std::string &inSource = "");
/// The words of the backend's option `flags`, -O1 where its option `quick` is set, and -I of the folders that its
/// option `include` names, of the core's runtime headers, and of `header` (none where empty).
std::vector<std::string> optionFlags(const OptionValues &options, const std::string &header = "",
                                     const std::string &inSource = "");

} // namespace tangram::c_family
