// Which arguments are indices of others, by what codelets do with them: table[index[i]] reads no element of `table` but
// where `index` has indices of it. Random numbers are of no use there.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/verify/ArgumentSpec.h"

#include <map>

namespace tangram::runtime {

struct IndexUse {
  std::vector<IndexTarget> into; // what elements, or a number, are indices of
  bool alone = true;             // nothing else is done with them
  bool isIndex() const { return alone && !into.empty(); }
  /// Those into first dimensions, else all: "index:table", or "random:0..N" with what N is.
  std::string advice() const;
};

/// Of each parameter of `spectrum`, which is one of `all`, that has whole numbers, is only read, and is an index
/// somewhere.
std::map<std::string, IndexUse> indexUses(const std::vector<const ast::Spectrum *> &all, const ast::Spectrum &spectrum);

/// Random indices, for arguments that are indices and nothing else and of which nobody says anything (`ofMissing`), or
/// `random` alone. Returns what was done, in a sentence for each.
std::vector<std::string> inferIndices(const std::vector<const ast::Spectrum *> &all, const ast::Spectrum &spectrum,
                                      std::map<std::string, ArgumentSpec> &arguments, bool ofMissing);

/// What to give instead, where an access may have been out of range: of all parameters that are used as an index and
/// are given something else; empty: there are none.
std::string indexAdvice(const std::vector<const ast::Spectrum *> &all, const ast::Spectrum &spectrum,
                        const std::map<std::string, ArgumentSpec> &arguments);

} // namespace tangram::runtime
