// Sizes that a user expects of arguments. Heuristics weigh them; nothing relies on them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram {

/// Of a container, one a dimension.
using Extents = std::vector<std::optional<std::uint64_t>>;

/// Whole numbers that are known, by name of a spectrum's parameter.
using Scalars = std::map<std::string, std::int64_t>;

/// The product; nothing where an extent is not known.
std::optional<std::uint64_t> elements(const Extents &extents);

/// What is expected at a point, as far as it follows from what is expected of the spectrum's arguments. Rounded up by a
/// few percent, so that points are shared.
struct Expected {
  std::vector<Extents> arguments;        // of a map: of one call
  Scalars scalars;                       // likewise
  std::optional<std::uint64_t> elements; // of a map: how many calls it makes
  std::optional<std::uint64_t> work;     // of a map over partitions: elements of all parts together
  /// The same without the dimensions that are not divided: how many parts there could be.
  std::optional<std::uint64_t> units;
  auto operator<=>(const Expected &) const = default;

  /// Elements of the largest argument; nothing where none is known.
  std::optional<std::uint64_t> largest() const;
};

/// By name of a spectrum's parameter. A name that a spectrum has not says nothing of it.
using ExpectedSizes = std::map<std::string, std::vector<std::uint64_t>>;

} // namespace tangram
