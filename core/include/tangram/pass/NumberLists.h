// Options that are lists of numbers, as values that plans choose from.
#pragma once

#include "tangram/pass/Options.h"

namespace tangram {

/// Of a list of texts, the numbers from 1 to 65536 that they are; an empty list has none. Throws DiagnosticError at the
/// option where a text is none; `owner` says whose option it is: "expander 'tile'".
std::vector<std::int64_t> numberList(const OptionValues &options, const std::string &name, const std::string &owner);

/// An option that numberList() reads.
OptionSpec numberListOption(const std::string &name, const std::string &doc, const std::vector<std::int64_t> &values);

} // namespace tangram
