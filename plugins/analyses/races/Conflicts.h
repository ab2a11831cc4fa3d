// Calls of one map that touch an element of a container, one of them writing it without atomics, or reading what
// another one changes by an atomic.
#pragma once

#include "Aliases.h"

namespace tangram::races {

/// Two accesses of different calls of a map.
struct Conflict {
  const ast::Map *map = nullptr;
  const ast::Spectrum *mapSpectrum = nullptr; // whose codelet has the map
  const ast::Codelet *mapCodelet = nullptr;
  const ast::Spectrum *callee = nullptr;
  const ast::Codelet *codelet = nullptr; // that is called
  std::string container;                 // where the map stands; empty: parts or rows of one
  Access write;                          // by whom
  Access other;
  bool byMap = false;                       // `other` is the map's own: an element that it runs over, or a result
  bool certain = false;                     // where there are enough calls
  bool widened = false;                     // a call of the map's own spectrum, further down, is at fault
  std::optional<unsigned> written, touched; // arguments
  const Alias *alias = nullptr;             // because of which they are of one container
  /// `write` is an atomic, and `other` a read: no race, but what is read depends on which call is first.
  bool besideAtomic() const { return write.kind == Access::Kind::Atomic; }
};

/// Of each site, the parameters that stand behind its arguments.
using Passed = std::map<const ast::Expr *, std::vector<std::set<unsigned>>>;

/// All conflicts of the maps of a codelet that are found or cannot be excluded.
std::vector<Conflict> conflicts(const ast::Module &module, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                                const Summaries &summaries, const Aliases &aliases, Symbols &symbols, Passed &passed);

} // namespace tangram::races
