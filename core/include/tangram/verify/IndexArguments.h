// Which arguments are indices of others, or bounds of their parts, by what codelets do with them: table[index[i]] reads
// no element of `table` but where `index` has indices of it, and for (k = row[i]; k < row[i + 1]; ++k) sum += value[k]
// those of `value` where `row` bounds its parts; and for (k = 0; k < count[i]; ++k) sum += value[i][k] so many of a row
// as `count` says. Random numbers are of no use there.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/verify/ArgumentSpec.h"

#include <map>

namespace tangram::runtime {

struct IndexUse {
  std::vector<IndexTarget> into;    // what elements, or a number, are indices of, or so many turns reach
  std::vector<IndexTarget> partsOf; // what neighbouring elements bound parts of
  bool alone = true;                // nothing else is done with them than to be indices
  bool isIndex() const { return alone && !into.empty(); }
  bool isBounds() const { return into.empty() && !partsOf.empty(); }
  const std::vector<IndexTarget> &targets() const { return into.empty() ? partsOf : into; }
  /// "index:table", "offsets:table", or "random:0..N" with what N is where dimensions are others than the first.
  std::string advice() const;
};

/// Of each parameter of `spectrum`, which is one of `all`, that has whole numbers, is only read, and is an index
/// or a bound somewhere.
std::map<std::string, IndexUse> indexUses(const std::vector<const ast::Spectrum *> &all, const ast::Spectrum &spectrum);

/// Random indices, for arguments that are indices and nothing else and of which nobody says anything (`ofMissing`), or
/// `random` alone; so bounds of parts. Returns what was done, in a sentence for each.
std::vector<std::string> inferIndices(const std::vector<const ast::Spectrum *> &all, const ast::Spectrum &spectrum,
                                      std::map<std::string, ArgumentSpec> &arguments, bool ofMissing);

/// What to give instead, where an access may have been out of range: of all parameters that are used as an index or a
/// bound and are given something else; empty: there are none.
std::string indexAdvice(const std::vector<const ast::Spectrum *> &all, const ast::Spectrum &spectrum,
                        const std::map<std::string, ArgumentSpec> &arguments);

} // namespace tangram::runtime
