// The containers of a codelet: its parameters, and arrays of its own, by the names that elements are asked for by.
#pragma once

#include "tangram/compose/CodeletSource.h"
#include "tangram/compose/Facts.h"
#include "tangram/planning/CodeletWork.h"

#include "IndexSteps.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tangram {

/// Arrays of so many elements may be kept in registers.
inline constexpr double kSmallArray = 128;

/// Of an element, not of a row: bytes.
std::uint64_t bytesOfElement(const ast::Type &type);

/// The name of the container that an element, row or part is of; null where that is not a variable.
const std::string *containerOf(const ast::Expr *expr);

class CodeletContainers {
public:
  /// `numbers`: of sizes that are expected.
  CodeletContainers(const ast::Codelet &codelet, const Facts &facts, const CodeletSource &source, Numbers &numbers);

  /// Of each container that is no index range and not shared: how it may be accessed, before any access is counted.
  const std::vector<AccessWork> &all() const { return all_; }
  /// Which of these has that name, or is what the name is a row or part of.
  std::optional<std::size_t> number(const std::string &name) const;
  /// The same; null where `name` is null, or there is none.
  const AccessWork *find(const std::string *name) const;
  /// Whether it is a parameter, or a part of one.
  bool isParameter(const std::string *name) const;
  /// The parameter that it is, of those that are index ranges, too.
  std::optional<std::size_t> parameter(const std::string *name) const;

  /// Bytes of an element of an array that lanes share; nothing of another.
  std::optional<std::uint64_t> shared(const std::string &name) const;
  /// Whether a place is of such an array.
  bool isShared(const ast::Expr *place) const;
  /// Of all of these arrays.
  double sharedBytes() const { return sharedBytes_; }
  /// Whether there are small arrays of the codelet's own with elements of more than a register.
  bool hasWide() const { return wide_; }

  /// Whether a name is an index range, the elements of which are computed.
  bool isRange(const std::string &name) const;
  bool isRange(const ast::Subscript &element) const;
  /// Between neighbours of a parameter that is one; nothing of others.
  std::optional<double> rangeStep(const std::string &name) const;

  /// Whether an element of a container is asked for; those of ranges are computed.
  bool loads(const ast::Expr *expr) const;
  /// Whether a variable begins as something loaded.
  bool isLoaded(const std::string &variable) const { return loaded_.count(variable) != 0; }
  /// Whether it is loaded, or follows from what was.
  bool isData(const ast::Expr *index) const;
  /// Whether data says which element it is.
  bool foundByData(const ast::Expr *element) const;
  /// Whether the place depends on an element of a container.
  bool byData(const ast::Expr *place) const;

private:
  std::vector<AccessWork> all_;
  std::unordered_map<std::string, std::size_t> index_;    // in all_, by name of a container, or of a part of it
  std::unordered_map<std::string, std::size_t> ranges_;   // parameters that are index ranges, by their place
  std::unordered_map<std::string, double> rangeSteps_;    // between neighbours of these
  std::unordered_set<std::string> ownRanges_;             // that the codelet makes
  std::unordered_map<std::string, std::uint64_t> shared_; // bytes of an element
  std::unordered_set<std::string> loaded_;                // variables that begin as something loaded
  double sharedBytes_ = 0;
  bool wide_ = false;
};

} // namespace tangram
