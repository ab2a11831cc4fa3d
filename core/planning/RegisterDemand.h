// How many registers the variables and small arrays of a codelet want.
#pragma once

#include "CodeletContainers.h"

#include <set>
#include <string>

namespace tangram {

class RegisterDemand {
public:
  RegisterDemand(const CodeletSource &source, const CodeletContainers &containers, Numbers &numbers, IndexSteps &steps);

  /// Registers of 32 bits for variables that are there at a time, and for elements of small arrays: what stands in
  /// branches and loops one after the other is not.
  struct Values {
    double all = 0, arrays = 0, fractions = 0;
    void add(const Values &more) { all += more.all, arrays += more.arrays, fractions += more.fractions; }
    void atLeast(const Values &other) {
      all = std::max(all, other.all), arrays = std::max(arrays, other.arrays);
      fractions = std::max(fractions, other.fractions);
    }
  };
  Values of(const ast::Stmt *s) const;

private:
  Values of(const ast::Declare &d) const;
  /// Arrays of the codelet's own, elements of which are not the same in all lanes.
  void findDifferingArrays();
  bool sameInAllLanes(const ast::Expr *e);

  const CodeletSource &source_;
  const CodeletContainers &containers_;
  Numbers &numbers_;
  IndexSteps &steps_;
  std::set<std::string> differing_; // arrays (findDifferingArrays)
};

} // namespace tangram
