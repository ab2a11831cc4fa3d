// Which parameters are index ranges: what a map over them gives each call is a number, not memory.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tangram {

/// The spectrum, and the parameter, counted from 0.
using SpectrumParameter = std::pair<std::string, unsigned>;
using RangeParameters = std::set<SpectrumParameter>;

/// What a call passes: a range(...) or a part of one, a parameter of the caller or a part of one, or else neither.
struct ArgumentOrigin {
  const ast::Sequence *range = nullptr;
  std::optional<SpectrumParameter> parameter;
  bool neighbours = true; // parts are of elements beside each other
};

/// Of every container that calls and maps of the module pass: where it comes from, by the parameter that it is for.
std::map<SpectrumParameter, std::vector<ArgumentOrigin>> argumentOrigins(const ast::Module &module);

/// Whether a variable is a range(...) that is made there.
bool declaresRange(const ast::Declare &declare);

/// Parameters that are a range(...), or a part of one, in every call of the module; `without`: of these spectrums none.
RangeParameters rangeParameters(const ast::Module &module, const std::set<std::string> &without = {});

} // namespace tangram
