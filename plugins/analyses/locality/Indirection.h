// Which accesses go where data says: by an index that comes out of a container, as in x[column[i]].
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <set>
#include <string>

namespace tangram {

/// What a value comes from.
struct Origin {
  bool data = false;             // elements of containers, or what a spectrum has computed
  std::set<std::string> scalars; // of the codelet's parameters
  /// True where that was news.
  bool add(const Origin &other);
};

/// Of one codelet. Conditions do not count: an index that is counted up until data says stop is regular.
class Indirection {
public:
  /// `ranges`: parameters whose elements are computed.
  Indirection(const ast::Codelet &codelet, const std::set<std::string> &ranges);

  Origin of(const ast::Expr *value) const;
  /// Of the indices by which the codelet itself touches its container parameters, by name.
  const std::map<std::string, Origin> &accesses() const { return accesses_; }

private:
  std::set<std::string> scalars_, ranges_; // parameters; ranges that the codelet makes, too
  std::map<std::string, Origin> variables_;
  std::map<std::string, Origin> accesses_;
};

} // namespace tangram
