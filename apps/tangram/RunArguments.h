// What `tangram run` calls a spectrum with.
#pragma once

#include "tangram/runtime/ArgumentSpec.h"
#include "tangram/runtime/Shapes.h"

#include <map>

namespace tangram::driver {

/// The values of a spectrum's parameters, and what was said of them.
struct Arguments {
  std::vector<runtime::Value> values;                     // the result last
  runtime::Shape shape;                                   // of the parameters
  std::vector<std::pair<std::string, std::string>> zeros; // containers that nobody gave: name, size
};

/// `--arg NAME=SPEC` by name; throws where a name is no parameter.
std::map<std::string, runtime::ArgumentSpec> readArguments(const ast::Spectrum &spectrum, const ast::Structs &structs,
                                                           const std::vector<std::string> &texts);

/// A container that is written and was not given is zeros, where its sizes follow from the spectrum's conditions; every
/// other parameter must be given.
Arguments makeArguments(const ast::Spectrum &spectrum, const ast::Structs &structs,
                        const std::map<std::string, runtime::ArgumentSpec> &given, std::uint64_t seed);

} // namespace tangram::driver
