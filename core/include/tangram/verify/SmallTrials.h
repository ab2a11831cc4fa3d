// Where the reference would take too long for the arguments that are given, results are compared with it for smaller
// ones, and for these with a light one (docs/verification.md).
#pragma once

#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Trial.h"

#include <map>

namespace tangram::runtime {

/// Seconds that the reference may take for the arguments that are given, where nothing else says how much time there
/// is.
inline constexpr double kReferenceSeconds = 3;
/// So many passes of whole numbers beside a light reference.
inline constexpr std::size_t kFewWhole = 2;

std::uint64_t elementsOf(const std::vector<Value> &arguments);
std::uint64_t elementsOf(const std::vector<Trial> &trials);
/// Of the largest argument.
std::uint64_t mostElements(const std::vector<Trial> &trials);
/// Whether the reference may take long for as many elements; with fewer it has all the time there is.
bool mayTakeLong(const std::vector<Value> &arguments);

/// Arguments of about 40 and 3000 elements, as `verify` would have them of what was said (`specs`), what is expected
/// not known yet. None where they would be no smaller, as what a file has, or where one of them is out of range, as an
/// index that was written out may be.
std::vector<Trial> smallTrials(Session &session, const ast::Spectrum &spectrum, const tangram_kernel &kernel,
                               std::map<std::string, ArgumentSpec> specs, std::uint64_t seed);

/// What the given arguments were compared with beside these: a sentence.
std::string comparedLightly(const std::vector<Trial> &small);

} // namespace tangram::runtime
