// What `--arg NAME=SPEC` says: where an argument's elements come from.
//
//   random:16M  random:512Kx128    uniform: floats in [-1, 1], signed in [-100, 100], unsigned in [0, 100]
//   iota:1000   zeros:N   ones:N   0, 1, 2, ...; all 0; all 1
//   3.5   1,2,3                    these values
//   matrix.mtx                     Matrix Market: dense, or coordinates made dense
//   data.raw   data.raw:f32        the bytes of a file as they lie in memory, also :ROWSxCOLS behind
//
// K, M, G and T count 1024, 1024^2, 1024^3 and 1024^4, as sizes of memory do: 16M is 16777216.
#pragma once

#include "tangram/runtime/Value.h"

#include <filesystem>

namespace tangram::runtime {

struct ArgumentSpec {
  enum class Kind : std::uint8_t { Random, Iota, Zeros, Ones, Values, MatrixMarket, Raw };
  Kind kind = Kind::Values;
  std::string text;                       // as written
  std::vector<std::uint64_t> sizes;       // empty for a scalar, and where a file says them
  std::vector<std::string> values;        // Values
  std::filesystem::path path;             // MatrixMarket, Raw
  std::optional<tangram_element> element; // Raw: as written
};

/// A number with an optional K, M, G or T; nothing where it is none, or too large.
std::optional<std::uint64_t> parseSize(std::string_view text);

/// Sizes such as 512Kx128; throws DiagnosticError (user error), which quotes `spec`, where they are none.
std::vector<std::uint64_t> parseSizes(const std::string &spec, const std::string &text);

/// Throws DiagnosticError (user error) that says what SPEC can be.
ArgumentSpec parseArgumentSpec(const std::string &text);

/// Throws DiagnosticError where it does not fit the parameter, or its file cannot be read.
Value makeValue(const ArgumentSpec &spec, const std::string &param, tangram_element element, unsigned rank,
                std::uint64_t seed);

/// Small pseudo-random numbers that are the same on every machine.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [lo, hi].
  std::int64_t between(std::int64_t lo, std::int64_t hi);
  double unit(); // [-1, 1]

private:
  std::uint64_t state_;
};

void fillRandom(Value &value, std::uint64_t seed);

} // namespace tangram::runtime
