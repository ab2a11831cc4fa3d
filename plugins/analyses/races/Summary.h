// What codelets do to containers: which elements they read, write and change by atomics, in terms of their parameters.
#pragma once

#include "Polynomial.h"
#include "tangram/ast/Node.h"
#include "tangram/compose/RangeParameters.h"

#include <set>

namespace tangram::races {

/// One place at which a codelet, or what it calls, touches elements of a container.
struct Access {
  enum class Kind : std::uint8_t { Read, Write, Atomic };
  std::string container; // as the codelet calls it
  Kind kind = Kind::Read;
  std::vector<Polynomial> index; // one a dimension
  std::vector<Polynomial> facts; // that hold where it is done: not negative
  std::vector<Polynomial> zeros; // likewise: zero
  std::vector<std::string> fields;
  bool conditional = false; // by what calls may differ in; a loop without iterations does not count
  bool widened = false;     // from a call of its own spectrum: of the index nothing is known
  // Who does it.
  const ast::Spectrum *spectrum = nullptr;
  const ast::Codelet *codelet = nullptr;
  std::string name; // of the container there
  ast::SourceRange place;
};

struct CodeletSummary {
  std::vector<Access> accesses;            // of parameters
  std::map<std::string, Polynomial> fills; // parameters of which it writes all: the element at Symbols::index()
};

struct SpectrumSummary {
  const ast::Spectrum *spectrum = nullptr;
  std::vector<CodeletSummary> codelets; // as in the spectrum
  std::set<std::string> together;       // spectrums that call this one and are called by it, itself included
  std::set<unsigned> ranges;            // parameters that are a range, or a part of one, in all calls
  bool same = false;                    // as `before` (summarize)
};

using Summaries = std::map<std::string, SpectrumSummary>;

/// Bottom-up over calls, to a fixed point over recursion. `before`: of other ranges, with the same symbols; what does
/// not reach a spectrum whose ranges differ is taken from there.
Summaries summarize(const ast::Module &module, Symbols &symbols, const RangeParameters &ranges,
                    const Summaries *before = nullptr);

} // namespace tangram::races
