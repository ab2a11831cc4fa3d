// From what `--arg` says to elements.
#include "MatrixMarket.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/verify/ArgumentSpec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <tuple>
#include <unistd.h>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kWrongRank{"argument.wrong-rank", DiagnosticClass::User,
                                    "parameter '{0}' has {1} dimensions, but '{2}' has {3}", "write {4}"};
constexpr DiagnosticKind kNotInType{"argument.not-in-type", DiagnosticClass::User,
                                    "'{1}' is no value of parameter '{0}', which is {2}", "give {3}"};
constexpr DiagnosticKind kOutOfMemory{"argument.out-of-memory", DiagnosticClass::User,
                                      "there is no memory for '{1}' of parameter '{0}'", "ask for less"};
constexpr DiagnosticKind kUnreadable{"argument.unreadable", DiagnosticClass::User,
                                     "file '{1}' for parameter '{0}' cannot be read", "check the path"};
constexpr DiagnosticKind kWrongType{"argument.wrong-type", DiagnosticClass::User,
                                    "parameter '{0}' is {1}, but '{2}' says {3}", "convert the file"};
constexpr DiagnosticKind kWrongLength{"argument.wrong-length", DiagnosticClass::User,
                                      "file '{1}' has {2} bytes, but parameter '{0}' needs {3}", "{4}"};

constexpr DiagnosticKind kOfNumbers{"argument.of-numbers", DiagnosticClass::Limitation,
                                    "parameter '{0}' is made of structs, and '{1}' is for numbers",
                                    "give it random, special, zeros, ones or iota: each field gets such values"};
constexpr DiagnosticKind kRange{"argument.range", DiagnosticClass::User,
                                "parameter '{0}' is {1}, and the range of '{2}' {3}", "{4}"};
constexpr DiagnosticKind kImpossible{"argument.impossible", DiagnosticClass::User,
                                     "parameter '{0}' cannot be '{1}': {2}", "give other sizes"};

std::string sample(unsigned rank) {
  if (rank == 0) return "a number";
  std::string sizes = "512";
  for (unsigned d = 1; d < rank; ++d) sizes += "x128";
  return "random:" + sizes;
}

/// Sets one element from text exactly, or says that it cannot.
bool setFromText(Value &value, std::uint64_t position, std::string text) {
  if (text == "true") text = "1";
  if (text == "false") text = "0";
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const char *first = digits.data(), *last = first + digits.size();
  if (value.isFloating()) {
    double parsed = 0;
    auto [end, error] = std::from_chars(first, last, parsed);
    if (error != std::errc() || end != last) {
      std::optional<std::uint64_t> size = parseSize(digits);
      if (!size) return false;
      parsed = static_cast<double>(*size);
    }
    value.setReal(position, parsed);
    // What is too large for f16 is not what was written.
    return !std::isfinite(parsed) || std::isfinite(value.real(position));
  }
  if (value.element() == TANGRAM_U64) {
    std::optional<std::uint64_t> parsed = parseSize(digits);
    if (parsed) value.setInteger(position, static_cast<std::int64_t>(*parsed));
    return parsed.has_value();
  }
  bool negative = digits.starts_with('-');
  std::optional<std::uint64_t> magnitude = parseSize(digits.substr(negative ? 1 : 0));
  if (!magnitude || *magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
  std::int64_t parsed = static_cast<std::int64_t>(*magnitude);
  if (negative) parsed = -parsed;
  value.setInteger(position, parsed);
  return value.integer(position) == parsed;
}

Value readRaw(const ArgumentSpec &spec, const std::string &param, tangram_element element, unsigned rank) {
  if (spec.element && *spec.element != element)
    fail(kWrongType, {}, param, name(element), spec.text, name(*spec.element));
  std::error_code ec;
  std::uint64_t length = std::filesystem::file_size(spec.path, ec);
  std::ifstream in(spec.path, std::ios::binary);
  if (ec || !in) fail(kUnreadable, {}, param, spec.path.string());
  std::vector<std::uint64_t> sizes = spec.sizes;
  if (sizes.empty() && rank == 1) sizes = {length / bytes(element)};
  if (sizes.size() != rank)
    fail(kWrongRank, {}, param, rank, spec.text, sizes.size(),
         fmt::format("{}:{}:{}", spec.path.string(), name(element), sample(rank).substr(7)));
  std::uint64_t needed = bytes(element);
  for (std::uint64_t size : sizes)
    if (__builtin_mul_overflow(needed, size, &needed)) fail(kOutOfMemory, {}, param, spec.text);
  if (needed != length)
    fail(kWrongLength, {}, param, spec.path.string(), length,
         spec.sizes.empty() ? fmt::format("a multiple of {}", bytes(element)) : std::to_string(needed),
         "give the sizes that it was written with, or the right element type");
  Value value = Value::array(element, sizes);
  in.read(static_cast<char *>(value.data()), static_cast<std::streamsize>(needed));
  if (!in) fail(kUnreadable, {}, param, spec.path.string());
  return value;
}

bool isSigned(const Value &value) { return value.element() >= TANGRAM_I8 && value.element() <= TANGRAM_I64; }

/// The greatest integer that an element holds, as far as a container can be long.
std::uint64_t greatest(tangram_element element) {
  if (element == TANGRAM_BOOL) return 1;
  if (isFloating(element)) return 1ull << mantissaBits(element); // those below are exact
  bool hasSign = element >= TANGRAM_I8 && element <= TANGRAM_I64;
  return std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * bytes(element) + (hasSign ? 1 : 0));
}

/// The whole numbers of a range, which the type must hold.
std::pair<std::int64_t, std::int64_t> wholeRange(const ArgumentSpec &spec, const std::string &param,
                                                 tangram_element element, bool isSigned) {
  const double low = std::ceil(spec.range->first), high = std::floor(spec.range->second);
  const auto most = static_cast<double>(std::min<std::uint64_t>(greatest(element), INT64_MAX));
  if (low > high)
    fail(kRange, {}, param, name(element), spec.text, "has no whole number", "give a range with a whole number in it");
  if (low < (isSigned ? -most - 1 : 0) || high > most || high >= 0x1p63)
    fail(kRange, {}, param, name(element), spec.text, "has numbers that the type does not hold",
         fmt::format("stay within {} and {:.0f}", isSigned ? fmt::format("{:.0f}", -most - 1) : "0", most));
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

void fillRandom(Value &value, const ArgumentSpec &spec, const std::string &param, std::uint64_t seed,
                const ArgumentContext &context) {
  Random random(seed);
  const Signs signs = spec.signs();
  WholePass pass = context.pass;
  if (pass.among && signs != Signs::Any) pass.negative = true; // all of one sign add up to more
  WholeNumbers numbers(seed, value.count(), value.element(), pass);
  std::int64_t lo = isSigned(value) ? -100 : 0, hi = value.element() == TANGRAM_BOOL ? 1 : 100;
  if (value.element() == TANGRAM_I8 || value.element() == TANGRAM_U8) { // all that a byte can be
    hi = static_cast<std::int64_t>(greatest(value.element()));
    lo = isSigned(value) ? -hi - 1 : 0;
  }
  if (spec.range && !value.isFloating()) std::tie(lo, hi) = wholeRange(spec, param, value.element(), isSigned(value));
  auto real = [&] {
    if (!spec.range) return random.unit();
    const auto [low, high] = *spec.range;
    // No sum of the ends, which may overflow; and no rounding past them, of what lies between.
    const double part = random.unit() / 2 + 0.5;
    return std::clamp(low * (1 - part) + high * part, low, high);
  };
  for (std::uint64_t i = 0; i < value.count(); ++i)
    if (!value.isFloating())
      value.setInteger(i, random.between(lo, hi));
    else if (context.whole)
      value.setInteger(i, withSigns(numbers.next(true), signs));
    else
      value.setReal(i, real());
}

void fillSpecial(Value &value, const ArgumentSpec &spec, const std::string &param, std::uint64_t seed,
                 const ArgumentContext &context) {
  fillRandom(value, spec, param, seed, context);
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double reals[] = {std::numeric_limits<double>::quiet_NaN(), inf, -inf, 0.0, -0.0};
  std::int64_t most = static_cast<std::int64_t>(greatest(value.element()));
  const std::int64_t integers[] = {isSigned(value) ? -most - 1 : 0, most, 0};
  Random random(seed + 1);
  for (std::uint64_t i = 0; i < value.count(); ++i) {
    if (random.between(0, 3) != 0) continue;
    if (value.isFloating())
      value.setReal(i, reals[random.between(0, std::ssize(reals) - 1)]);
    else
      value.setInteger(i, integers[random.between(0, std::ssize(integers) - 1)]);
  }
}

void fillIndices(Value &value, std::uint64_t seed, std::uint64_t bound) {
  if (value.count() == 0) return;
  Random random(seed);
  std::uint64_t last = std::min({bound - 1, greatest(value.element()), std::uint64_t(INT64_MAX)});
  for (std::uint64_t i = 0; i < value.count(); ++i)
    value.setInteger(i, random.between(0, static_cast<std::int64_t>(last)));
}

void fillOffsets(Value &value, std::uint64_t seed, std::uint64_t bound, Spread spread) {
  if (value.count() < 2) return; // no part: 0
  std::uint64_t parts = value.count() - 1;
  Random random(seed);
  std::vector<std::uint64_t> offsets(value.count(), 0);
  offsets.back() = bound;
  std::uint64_t whole = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(parts) - 1));
  for (std::uint64_t i = 1; i < parts; ++i) switch (spread) {
    case Spread::Random:
      offsets[i] = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(bound)));
      break;
    case Spread::OnePart: offsets[i] = i > whole ? bound : 0; break;
    case Spread::Even:
      offsets[i] = static_cast<std::uint64_t>(static_cast<unsigned __int128>(bound) * i / parts);
      break;
    }
  std::sort(offsets.begin(), offsets.end());
  for (std::uint64_t i = 0; i <= parts; ++i) value.setInteger(i, static_cast<std::int64_t>(offsets[i]));
}

/// What the kind of the argument says, for numbers.
void fill(Value &value, const ArgumentSpec &spec, const std::string &param, std::uint64_t seed,
          const ArgumentContext &context) {
  using Kind = ArgumentSpec::Kind;
  switch (spec.kind) {
  case Kind::Random: fillRandom(value, spec, param, seed, context); break;
  case Kind::Special: fillSpecial(value, spec, param, seed, context); break;
  case Kind::Index: fillIndices(value, seed, context.bound); break;
  case Kind::Offsets: fillOffsets(value, seed, context.bound, context.spread); break;
  case Kind::Iota:
    for (std::uint64_t i = 0; i < value.count(); ++i) {
      // Types of few bits begin again, as bytes do: what is counted stays what it is.
      bool half = value.isFloating() && bytes(value.element()) == 2;
      value.setInteger(i, static_cast<std::int64_t>(half ? i % greatest(value.element()) : i));
    }
    break;
  case Kind::Ones:
    for (std::uint64_t i = 0; i < value.count(); ++i) value.setInteger(i, 1);
    break;
  case Kind::Values:
    for (std::uint64_t i = 0; i < value.count(); ++i)
      if (!setFromText(value, i, spec.values[i]))
        fail(kNotInType, {}, param, spec.values[i], name(value.element()),
             value.isFloating() ? "a number" : "a whole number that the type holds");
    break;
  default: break;
  }
}

Value make(const ArgumentSpec &spec, const std::string &param, const Element &element, unsigned rank,
           std::uint64_t seed, const ArgumentContext &context) {
  using Kind = ArgumentSpec::Kind;
  bool ofNumbers = spec.kind == Kind::Raw || spec.kind == Kind::MatrixMarket || spec.kind == Kind::Index ||
                   spec.kind == Kind::Offsets || spec.kind == Kind::Values;
  if (element.isStruct() && ofNumbers) fail(kOfNumbers, {}, param, spec.text);
  if (spec.kind == Kind::Raw) return readRaw(spec, param, element.kind, rank);
  if (spec.kind == Kind::MatrixMarket) return readMatrixMarket(spec.path, spec.part, param, element.kind, rank);
  std::vector<std::uint64_t> sizes = spec.leavesSizes() ? context.sizes : spec.sizes;
  if (spec.kind == Kind::Values && (rank == 1 || spec.values.size() > 1)) sizes = {spec.values.size()};
  if (sizes.size() != rank) fail(kWrongRank, {}, param, rank, spec.text, sizes.size(), sample(rank));
  // More than the machine has would be granted at first and end in a kill.
  std::uint64_t needed = element.bytes;
  for (std::uint64_t size : sizes)
    if (__builtin_mul_overflow(needed, size, &needed)) throw std::bad_alloc();
  if (needed / static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) > static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)))
    throw std::bad_alloc();
  Value value = Value::array(element, sizes, context.layout);
  value.setSigns(spec.signs());
  if (std::string why = impossible(spec, element.kind, value.count(), context.bound); !why.empty())
    fail(kImpossible, {}, param, spec.text, why);
  for (std::size_t f = 0; f < element.fields.size(); ++f) {
    Value field = value.field(f);
    fill(field, spec, param, seed + f, context);
  }
  return value;
}

} // namespace

std::string_view name(Spread spread) {
  switch (spread) {
  case Spread::Random: return "at random";
  case Spread::OnePart: return "all in one part";
  case Spread::Even: break;
  }
  return "even";
}

std::string impossible(const ArgumentSpec &spec, tangram_element element, std::uint64_t count, std::uint64_t bound) {
  if (spec.kind == ArgumentSpec::Kind::Index && bound == 0 && count > 0)
    return fmt::format("it has {} elements, and {} has no index", count, spec.of);
  if (spec.kind == ArgumentSpec::Kind::Offsets && count > 1 && bound > greatest(element))
    return fmt::format("{} does not hold {}, the extent of {}", name(element), bound, spec.of);
  return "";
}

Value makeValue(const ArgumentSpec &spec, const std::string &param, const Element &element, unsigned rank,
                std::uint64_t seed, const ArgumentContext &context) {
  try {
    return make(spec, param, element, rank, seed, context);
  } catch (const std::bad_alloc &) {
    fail(kOutOfMemory, {}, param, spec.text);
  }
}

} // namespace tangram::runtime
