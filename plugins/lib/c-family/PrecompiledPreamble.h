// The headers that generated sources begin with, compiled once and kept: reading them takes a C++ compiler a second,
// several times as long as the kernel behind them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tangram::c_family {

/// The directives that stand in front of everything else in a source, without #include "...", and with all headers of
/// the standard library that sources include: what another source of the same backend begins with, too. Empty where
/// there are none.
std::string preamble(const std::string &source);

/// A header with these directives, to be included first (`-include FILE`), of which a precompiled one lies beside it:
/// of this compiler and these flags, younger than all that it includes. It is made where there is none yet. Nothing
/// where that fails, or where nothing is kept (`TANGRAM_CACHE` is empty, there is no home folder).
std::optional<std::filesystem::path> precompiledPreamble(const std::string &compiler,
                                                         const std::vector<std::string> &flags,
                                                         const std::string &directives,
                                                         const std::function<bool()> &cancelled);

} // namespace tangram::c_family
