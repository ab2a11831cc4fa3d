// What `--arg NAME=SPEC` says: where an argument's elements come from.
//
//   random:16M  random:512Kx128    uniform: floats in [-1, 1], signed in [-100, 100], unsigned in [0, 100]; bytes
//                                  are all that a byte can be
//   random:0.1..5:16M              uniform from 0.1 to 5; integers with both ends
//   special:N                      as random, and one of four is NaN, an infinity or a zero; of integers the least, the
//                                  greatest or zero
//   iota:1000   zeros:N   ones:N   0, 1, 2, ...; all 0; all 1
//   index:OF:N                     random indices of OF: each is below its first extent
//   offsets:OF:N                   bounds of the parts of OF: N numbers that never fall, from 0 to its first extent
//   3.5   1,2,3                    these values
//   matrix.mtx                     Matrix Market: dense, or coordinates made dense
//   matrix.mtx:row                 of coordinates, what its compressed rows (CSR) are: where each begins, and one more;
//   matrix.mtx:column  ...:value   the column, the value of each element
//   data.raw   data.raw:f32        the bytes of a file as they lie in memory, also :ROWSxCOLS behind
//
// OF is another parameter, a container or an integer, or a number. Sizes may be left out: whoever makes the value says
// them, from the spectrum's conditions.
//
// K, M, G and T count 1024, 1024^2, 1024^3 and 1024^4, as sizes of memory do: 16M is 16777216.
#pragma once

#include "tangram/verify/Value.h"
#include "tangram/verify/WholeNumbers.h"

#include <filesystem>

namespace tangram::runtime {

/// What of a sparse matrix: all of it made dense, or one array of its compressed rows.
enum class MatrixPart : std::uint8_t { Dense, Row, Column, Value };

/// What an index is one of: a dimension of a container. A number of turns that reach its elements may be larger.
struct IndexTarget {
  std::string container;
  unsigned dim = 0;
  std::int64_t beyond = 0; // so many numbers more than the dimension has elements
  bool operator==(const IndexTarget &) const = default;
};

struct ArgumentSpec {
  enum class Kind : std::uint8_t { Random, Special, Iota, Zeros, Ones, Index, Offsets, Values, MatrixMarket, Raw };
  Kind kind = Kind::Values;
  std::string text;                               // as written
  std::string of;                                 // Index, Offsets: what they point into
  std::vector<IndexTarget> targets;               // Index: all of these, where nobody wrote `of` (IndexArguments.h)
  std::optional<std::pair<double, double>> range; // Random, Special: as written
  std::vector<std::uint64_t> sizes;       // empty for a scalar, where a file says them, and where they were left out
  std::vector<std::string> values;        // Values
  std::filesystem::path path;             // MatrixMarket, Raw
  MatrixPart part = MatrixPart::Dense;    // MatrixMarket
  std::optional<tangram_element> element; // Raw: as written
  /// Whether it says no sizes of a container, and has none by itself.
  bool leavesSizes() const;
  /// Of all numbers of its range.
  Signs signs() const;
  /// Whether its elements depend on how large another argument is.
  bool pointsInto() const { return kind == Kind::Index || kind == Kind::Offsets; }
};

/// How Offsets lie: what programs over parts of very different sizes must be right for.
enum class Spread : std::uint8_t { Random, OnePart, Even };
inline constexpr unsigned kSpreads = 3;
std::string_view name(Spread spread);

/// What a spec leaves to whoever makes the value.
struct ArgumentContext {
  std::vector<std::uint64_t> sizes; // where leavesSizes()
  std::uint64_t bound = 0;          // where pointsInto(): the extent of that
  Spread spread = Spread::Random;   // of Offsets
  bool whole = false;               // Random, Special: floats are small whole numbers
  WholePass pass;                   // and of these
  Layout layout;
};

/// A number with an optional K, M, G or T; nothing where it is none, or too large.
std::optional<std::uint64_t> parseSize(std::string_view text);

/// Sizes such as 512Kx128; throws DiagnosticError (user error), which quotes `spec`, where they are none.
std::vector<std::uint64_t> parseSizes(const std::string &spec, const std::string &text);

/// Throws DiagnosticError (user error) that says what SPEC can be.
ArgumentSpec parseArgumentSpec(const std::string &text);

/// Why there are no such elements: indices of nothing, offsets that the element type does not hold. Empty: there are.
std::string impossible(const ArgumentSpec &spec, tangram_element element, std::uint64_t count, std::uint64_t bound);

/// Throws DiagnosticError where it does not fit the parameter, its file cannot be read, or it is impossible().
Value makeValue(const ArgumentSpec &spec, const std::string &param, const Element &element, unsigned rank,
                std::uint64_t seed, const ArgumentContext &context = {});

} // namespace tangram::runtime
