// What `tangram run` and `tangram tune` call a spectrum with.
#pragma once

#include "Driver.h"

#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Shapes.h"

#include <map>

namespace tangram::driver {

/// The values of a spectrum's parameters, and what was said of them.
struct Arguments {
  std::vector<runtime::Value> values;                     // the result last
  runtime::Shape shape;                                   // of the parameters
  std::vector<std::pair<std::string, std::string>> zeros; // containers that nobody gave: name, size
  std::vector<std::string> inferred;                      // what was made of arguments that are indices, in words
};

/// `--arg NAME=SPEC` by name; throws where a name is no parameter.
std::map<std::string, runtime::ArgumentSpec> readArguments(const ast::Spectrum &spectrum, const ast::Structs &structs,
                                                           const std::vector<std::string> &texts);

/// A container that is written and was not given is zeros, where its sizes follow from the spectrum's conditions; every
/// other parameter must be given.
Arguments makeArguments(const ast::Spectrum &spectrum, const ast::Structs &structs,
                        const std::map<std::string, runtime::ArgumentSpec> &given, std::uint64_t seed);

/// The one spectrum of the opened program that is asked for. Throws where there are several, or there is no target.
const ast::Spectrum &spectrumToCall(Driver &driver, const ProgramFlags &flags);

/// One spectrum of a program, and what it is called with.
struct Call {
  const ast::Spectrum &spectrum;
  Arguments arguments;
  std::map<std::string, runtime::ArgumentSpec> given;
};

/// The one spectrum of the opened program that is asked for, with arguments that meet its conditions. Heuristics expect
/// their sizes, unless `flags` say others. Throws where there are several spectrums, or arguments do not fit.
Call callOf(Driver &driver, const ProgramFlags &flags, const std::vector<std::string> &texts, std::uint64_t seed);

/// `--arg` on the command line.
void addArguments(CLI::App &app, std::vector<std::string> &texts);

} // namespace tangram::driver
